"""What a run says of each finding, and what it met that no finding spoke of. Pure functions of the kept events."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from nanlint.diagnostic import Diagnostic
from nanlint.hazards.observed import Word
from nanlint.runtime.approach import Approach, Ends, approach
from nanlint.runtime.events import (
    KEPT,
    NOT_REPEATED,
    Again,
    Alert,
    Birth,
    Checkpoint,
    Death,
    Deaths,
    Ended,
    Filtered,
    Frame,
    Module,
    Observed,
    Step,
    is_bad,
)
from nanlint.runtime.fates import FEW
from nanlint.runtime.health import Health, Kinds
from nanlint.runtime.launch import Outcome
from nanlint.runtime.modules import kept_module
from nanlint.runtime.replaying import bad_steps
from nanlint.runtime.runfile import Process, RunRecord
from nanlint.runtime.sites import GRADIENT_PATH, Site, key_of, sites_of

#: fewer elements than these are few
FEW_ELEMENTS = 100

#: exit codes of a run in which something went wrong, and of one that says nothing
BAD, UNKNOWN = 1, 2

#: what is added up of what several processes observed
SUMMED = ("executions", "elements", "empty")
#: the alerts that tell of a gradient that does not arrive
LOST = frozenset({"dead-gradient", "clip-holds-all", "hidden-nan"})


class State(Enum):
    """What a run says of a finding."""

    CONFIRMED = "confirmed"
    DIED = "died"
    NEAR = "near"
    ONLY_EMPTY = "only empty"
    CLEAN = "clean"
    NOT_CLEARED = "not cleared"
    NOT_WATCHED = "not watched"
    NOT_REACHED = "not reached"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Verdict:
    """A finding with what the run says of it.

    ``executions``: how often it was seen. ``step``: the first at which it went wrong, or the one of the closest
    approach. ``roles``: the breakdown of each operand and the result then (confirmed), else of all that came by.
    ``closest``: how near the operand came to the pole. ``kinds``: what was born: nan, pinf, ninf. ``alert``: what
    confirms it where nothing was born: the gradient was lost. ``unwatched``: more may
    have run than was seen. ``death``: how what was born there ended, if it did not arrive. ``seen``: all that came by,
    ``approach``: how that came near, in words; empty if it did not.
    """

    diagnostic: Diagnostic
    site: Site | None
    state: State
    executions: int = 0
    step: int = 0
    roles: Mapping[str, Health] = field(default_factory=dict)
    closest: float | None = None
    kinds: tuple[str, ...] = ()
    births: tuple[Birth, ...] = ()
    alert: str = ""
    unwatched: bool = False
    death: Death | None = None
    seen: Observed | None = None
    approach: str = ""

    @property
    def word(self) -> Word:
        """What was seen, in a word that does not depend on the rest of the run."""
        accepted = self.seen is not None and self.seen.happened and all(self.seen.happened.values())
        if self.state is State.CONFIRMED:
            return Word.ACCEPTED if accepted else Word.HAPPENED
        if self.approach and self.state in (State.NEAR, State.NOT_CLEARED):
            return Word.NEAR
        if self.state in (State.ONLY_EMPTY, State.NOT_WATCHED, State.NOT_REACHED):
            return Word(str(self.state))
        return Word.FEW if self.seen is not None and self.seen.elements < FEW_ELEMENTS else Word.AWAY


@dataclass(frozen=True)
class Verdicts:
    """All that a run says. ``born``: births on lines without a finding, with how often; ``sources``: texts by path.

    ``died``: those of them that did not arrive, with how they ended. ``symptoms``: those of them of which an operand
    was not finite already, as something before them is to blame for: they show how far that got.

    ``damaged``: how many lines of the record could not be read, as when the disk was full. ``repeatable``: the step
    that went bad first, of a run that kept what it takes to repeat it. ``watch``:
    what was watched, ``command``: of what. ``outcome``: how the program ended, where `nanlint verify` ran it. ``cut``:
    the step after which its record ends without an end, as that of a killed process does.
    """

    findings: tuple[Verdict, ...] = ()
    born: tuple[tuple[Birth, int], ...] = ()
    died: tuple[tuple[Birth, int, Death], ...] = ()
    symptoms: tuple[tuple[Birth, int], ...] = ()
    alerts: tuple[Alert, ...] = ()
    filtered: tuple[Filtered, ...] = ()
    ended: Ended | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    damaged: int = 0
    repeatable: int | None = None
    watch: str = ""
    command: tuple[str, ...] = ()
    outcome: Outcome | None = None
    cut: int | None = None

    @property
    def confirmed(self) -> tuple[Verdict, ...]:
        """The findings that turned out true."""
        return tuple(one for one in self.findings if one.state is State.CONFIRMED)

    @property
    def arrived(self) -> tuple[Alert, ...]:
        """The losses, gradients, parameters and results that came back not finite."""
        return tuple(filter(is_bad, self.alerts))

    @property
    def names_a_line(self) -> bool:
        """Whether a line is named at which something went wrong."""
        return bool(self.born or self.confirmed)

    @property
    def bad(self) -> bool:
        """Whether something went wrong: a finding confirmed, something born, a loss or gradient that is not finite."""
        return self.names_a_line or bool(self.arrived)

    @property
    def exit_code(self) -> int:
        """1 where something went wrong; 2 where a step was not repeated, which is no verdict; or the program's own."""
        if not self.bad and any(one.alert == NOT_REPEATED for one in self.alerts):
            return UNKNOWN
        return BAD if self.bad else self.outcome.code if self.outcome is not None else 0

    @property
    def failure(self) -> str:
        """How the program failed by itself: "exited with 1: KeyError: 'x'"; empty if it ended well."""
        told = "" if self.ended is None or not self.ended.error else f": {self.ended.error}: {self.ended.message}"
        if self.outcome is None or not self.outcome.code:
            return ""
        return f"{self.outcome}{told.splitlines()[0].rstrip(': ') if told else ''}"


def verdicts_of(run: RunRecord) -> Verdicts:
    """The verdicts of a run, merged over its processes."""
    loaded = sorted(modules_of(run), key=lambda one: one[0].started.time)  # the newest last
    modules = {module.path: (module, os.path.dirname(process.path)) for process, module in loaded}
    probed = {module.path for _, module in loaded if module.probed}
    sources: dict[str, str] = {}
    births = births_of(run)
    fates = fates_of(run)
    observed = observed_of(run)
    alerts: dict[object, Alert] = {}
    for event in (event for _, event in run if isinstance(event, Alert)):
        alerts.setdefault((event.alert, event.message, event.frames[:1]), event)
    findings, claimed = [], set()
    for path, (module, directory) in modules.items():
        kept = kept_module(directory, module)
        if kept is None:
            continue
        sources[path] = kept.source
        for diagnostic in kept.diagnostics:
            key = key_of(diagnostic.code, diagnostic.span, module.digest)
            claimed.add(key)
            own = [birth for birth, _ in births if birth.site == key]
            site = next(iter(sites_of([diagnostic], path, module.digest)), None)
            verdict = verdict_of(diagnostic, site, observed.get(key, []), own, path in probed)
            findings.append(after_alerts(after_death(verdict, fates), alerts.values()))
    born = tuple((birth, count) for birth, count in births if birth.site not in claimed)
    arrived = [one for one in alerts.values() if is_bad(one) and KEPT not in one.details]
    ended = [(birth, count, fates.get(identity_of(birth))) for birth, count in born]
    died = tuple((birth, count, death) for birth, count, death in ended if death is not None)
    born = tuple((birth, count) for birth, count, death in ended if death is None)
    if arrived or born or any(one.state is State.CONFIRMED for one in findings):
        alerts = {key: one for key, one in alerts.items() if KEPT not in one.details}  # which only shows the same
    else:
        arrived = list(filter(is_bad, alerts.values()))
    if arrived and not born and not any(one.state is State.CONFIRMED for one in findings):
        often = [one for one in died if one[1] > FEW]  # which were not followed each time
        born, died = tuple(one[:2] for one in often), tuple(one for one in died if one not in often)
    causes = [one for one in findings if one.state is State.CONFIRMED]
    symptoms = symptoms_of(born, causes)
    born = tuple(one for one in born if one not in symptoms)
    if arrived:
        explained = bool(born or causes) or KEPT in arrived[0].details
        findings = [after_arrival(one, arrived[0], explained) for one in findings]
    first = run.processes[0]
    started, ended_at = first.started, [one for one in first.events if isinstance(one, Ended)]
    steps = [one.number + 1 for one in first.events if isinstance(one, Step)]
    return Verdicts(
        findings=tuple(findings),
        born=born,
        died=died,
        symptoms=symptoms,
        alerts=tuple(alerts.values()),
        filtered=tuple(event for _, event in run if isinstance(event, Filtered)),
        ended=next(iter(ended_at), None),
        sources=sources,
        damaged=sum(process.damaged for process in run.processes),
        repeatable=min(bad_steps(run), default=None) if any(isinstance(e, Checkpoint) for _, e in run) else None,
        watch=started.watch,
        command=started.command,
        cut=None if ended_at else max(steps, default=0),
    )


def modules_of(run: RunRecord) -> Iterator[tuple[Process, Module]]:
    """The files that processes imported."""
    yield from ((process, event) for process, event in run if isinstance(event, Module))


def order_of(verdict: Verdict) -> tuple[int, bool, float]:
    """When a finding was confirmed: by step, forward before backward, then by time, where that is known."""
    first = min(verdict.births, key=lambda one: (one.step, one.time), default=None)
    if first is not None:
        return order_of_birth(first)
    forward = verdict.roles.get("result")
    return verdict.step, forward is not None and not forward.bad, 0.0


def order_of_birth(birth: Birth) -> tuple[int, bool, float]:
    """The same of a birth."""
    return birth.step, birth.backward, birth.time


def symptoms_of(born: Iterable[tuple[Birth, int]], confirmed: Iterable[Verdict]) -> tuple[tuple[Birth, int], ...]:
    """The births of which an operand was not finite, and may be what something before them has given.

    A nan may come from whatever was there; an infinity, in which the sign changes, only from another one.
    """
    came = [(order_of(one), one.kinds != ("nan",)) for one in confirmed]
    found = []
    for birth, count in sorted(born, key=lambda one: order_of_birth(one[0])):
        given = Kinds().union(*(one.health.bad for one in birth.inputs))
        order = order_of_birth(birth)
        if any(before < order and ("nan" in given or (given and infinite)) for before, infinite in came):
            found.append((birth, count))
        came.append((order, birth.kinds != ("nan",)))
    return tuple(found)


def births_of(run: RunRecord) -> list[tuple[Birth, int]]:
    """Births by when they were first seen in any process, each with how often it was."""
    found: dict[object, tuple[Birth, int]] = {}
    for process in run.processes:
        counts = {event.birth: event.count for event in process.events if isinstance(event, Again)}
        for birth in process.events:
            if isinstance(birth, Birth):
                key = identity_of(birth)
                first, count = found.get(key, (birth, 0))
                found[key] = (min(first, birth, key=_when), count + counts.get(birth.number, 1))
    return sorted(found.values(), key=lambda one: _when(one[0]))


def fates_of(run: RunRecord) -> dict[object, Death | None]:
    """How origins died, None if they arrived somewhere: of births by what tells them apart, of sites by their keys."""
    found: dict[object, Death | None] = {}
    for process in run.processes:
        last = next((event for event in reversed(process.events) if isinstance(event, Deaths)), Deaths(()))
        died: dict[object, Death] = {one.origin: one for one in last.deaths}
        births = (event for event in process.events if isinstance(event, Birth))
        seen = {event.site for event in process.events if isinstance(event, Observed) and event.kinds}
        identities: dict[object, object] = {
            **{one.number: identity_of(one) for one in births},
            **{key: key for key in seen},
        }
        for origin, identity in identities.items():
            death = died.get(origin)
            found[identity] = death and found.get(identity, death)
    return found


def after_death(verdict: Verdict, fates: Mapping[object, Death | None]) -> Verdict:
    """A finding whose every nan or inf died before it arrived anywhere."""
    key = verdict.site.key if verdict.site is not None else ""
    deaths = [fates[one] for one in (*map(identity_of, verdict.births), key) if one in fates]
    if verdict.state is not State.CONFIRMED or not deaths or None in deaths:
        return verdict
    return replace(verdict, state=State.DIED, death=deaths[0])


def observed_of(run: RunRecord) -> dict[str, list[Observed]]:
    """What each process last said of each site."""
    found: dict[str, list[Observed]] = {}
    for process in run.processes:
        last = {event.site: event for event in process.events if isinstance(event, Observed)}
        for site, event in last.items():
            found.setdefault(site, []).append(event)
    return found


def verdict_of(
    diagnostic: Diagnostic,
    site: Site | None,
    observed: Iterable[Observed],
    births: Iterable[Birth],
    probed: bool = True,
) -> Verdict:
    """What was observed at one site, by all processes, in one word; ``probed``: whether the site tells of itself."""
    seen = merged(observed)
    own = tuple(births)
    executions = seen.executions if seen is not None else 0
    if own or (seen is not None and seen.kinds):
        kinds = sorted({kind for birth in own for kind in birth.kinds} | set(seen.kinds if seen is not None else ()))
        if seen is not None and seen.bad_step is not None:
            roles, step = dict(seen.bad), seen.bad_step
        else:
            roles = {one.name: one.health for one in (*own[0].inputs, *own[0].outputs)}
            step = own[0].step
        return Verdict(
            diagnostic, site, State.CONFIRMED, max(executions, 1), step, roles, None, tuple(kinds), own, seen=seen
        )
    if seen is None or not executions:
        unwatched = not probed or (seen is not None and seen.unwatched)
        return Verdict(diagnostic, site, State.NOT_WATCHED if unwatched else State.NOT_REACHED, unwatched=unwatched)
    nearest = "" if site is None else near_of(site, seen)
    state, alert = State.NEAR if nearest else State.CLEAN, ""
    if seen.empty and not seen.elements:
        state, nearest = State.ONLY_EMPTY, ""
    if is_lost_gradient(diagnostic) and not gradient_came_through(seen):
        state, alert = State.NOT_CLEARED, "no gradient reached it"
    return Verdict(
        diagnostic,
        site,
        state,
        executions,
        seen.closest_step,
        seen.roles,
        seen.closest,
        alert=alert,
        unwatched=seen.unwatched,
        seen=seen,
        approach=nearest,
    )


def is_lost_gradient(diagnostic: Diagnostic) -> bool:
    """Whether a finding is about a gradient that does not arrive, which no finite number disproves."""
    return diagnostic.code.startswith(GRADIENT_PATH)


def gradient_came_through(seen: Observed) -> bool:
    """Whether the gradient of an operand was seen that is not only zeros."""
    ends = (
        (one.low, one.high)
        for role, one in seen.roles.items()
        if role.startswith("gradient of ") and role != "gradient of result"
    )
    return any(low < 0 or high > 0 for low, high in ends if low is not None and high is not None)


def after_alerts(verdict: Verdict, alerts: Iterable[Alert]) -> Verdict:
    """A finding about a lost gradient is confirmed by the alert that tells of it at one of its lines."""
    diagnostic = verdict.diagnostic
    if not is_lost_gradient(diagnostic):
        return verdict
    spans = [diagnostic.span, *(cause.span for cause in diagnostic.causes_here)]
    for alert in alerts:
        there = (frame for frame in alert.frames if frame.path == os.path.abspath(diagnostic.path))
        if alert.alert in LOST and any(span.row <= frame.line <= span.end_row for frame in there for span in spans):
            return replace(verdict, state=State.CONFIRMED, step=alert.step, alert=alert.message)
    return verdict


def after_arrival(verdict: Verdict, arrived: Alert, explained: bool) -> Verdict:
    """What was finite itself is not cleared in a run whose loss or gradient is not: that may have come through it.

    Where nothing else explains it, an operand does that was exactly at the pole of its derivative, or was not finite
    itself while the result hid that.
    """
    if verdict.state not in (State.CLEAN, State.NEAR, State.ONLY_EMPTY):
        return verdict
    probe = verdict.diagnostic.probe
    at_pole = verdict.closest == 0 and probe is not None and probe.gradient
    result = verdict.roles.get("result")
    operands = (one for role, one in verdict.roles.items() if role != "result" and "gradient" not in role)
    hides = result is not None and not result.bad and any(one.bad for one in operands)
    if not explained and (at_pole or hides):
        kinds = tuple(str(kind) for kind in arrived.details.get("kinds", ()))
        return replace(verdict, state=State.CONFIRMED, step=arrived.step, kinds=kinds)
    return replace(verdict, state=State.NOT_CLEARED, alert=arrived.message)


def near_of(site: Site, seen: Observed) -> str:
    """How near what came by was to breaking, by the poles of the site and of its parts; empty if it was not."""
    named = [(one, one[0]) for one in site.poles]
    named += [(pole, f"{pole[0]} of {part.op}") for part in site.parts for pole in part.poles]
    found: list[Approach | None] = []
    for (name, shift, cls), role in named:
        health = seen.roles.get(role, Health())
        closest = seen.closest if role == site.operand else None
        ends = Ends(health.low, health.high, health.near, seen.least, health.dtype, closest)
        if health.low is not None or cls == "empty":
            found.append(approach(name if role == name else part_named(role), shift, cls, ends))
    return next((one.text for one in found if one is not None and one.near), "")


def part_named(role: str) -> str:
    """A role of a part as it is told: what comes out of an op by the op."""
    return role.removeprefix("result of ")


def merged(observed: Iterable[Observed]) -> Observed | None:
    """What several processes observed at one site, as one."""
    found: Observed | None = None
    for one in observed:
        if found is None:
            found = one
            continue
        both, roles = (found, one), dict(found.roles)
        for role, health in one.roles.items():
            roles[role] = roles[role].merged(health) if role in roles else health
        nearest = min((o for o in both if o.closest is not None), key=lambda o: o.closest or 0.0, default=found)
        worst = min((o for o in both if o.bad_step is not None), key=lambda o: o.bad_step or 0, default=found)
        found = Observed(
            one.site,
            roles=roles,
            closest=nearest.closest,
            closest_step=nearest.closest_step,
            bad_step=worst.bad_step,
            bad=worst.bad,
            kinds=tuple(sorted({*found.kinds, *one.kinds})),
            unwatched=found.unwatched or one.unwatched,
            least=min((o.least for o in both if o.least is not None), default=None),
            tests=tuple(dict.fromkeys((*found.tests, *one.tests))),
            more=max(found.more, one.more),
            happened={n: all(o.happened.get(n, True) for o in both) for n in found.happened | one.happened},
            **{name: getattr(found, name) + getattr(one, name) for name in SUMMED},
        )
    return found


def identity_of(birth: Birth) -> tuple[object, ...]:
    """What tells a birth from others, the same in all processes."""
    place = next(iter(birth.forward or birth.frames), Frame("", 0))
    return birth.framework, birth.op, birth.kinds, birth.backward, place.path, place.line


def _when(birth: Birth) -> tuple[int, float, int]:
    return (birth.step, birth.time, birth.number)
