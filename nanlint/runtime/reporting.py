"""The report of a run at the terminal, and as JSON: each finding with its verdict, then what no finding spoke of."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from msgspec import to_builtins

from nanlint.output.json import as_object
from nanlint.output.paint import Paint, plain
from nanlint.runtime.events import Alert, Birth, Death, Filtered, Frame, Observed, Stack, Where
from nanlint.runtime.health import NAMES, Health
from nanlint.runtime.telling import (
    FRAME,
    KINDS,
    described,
    ended,
    fields_of,
    listed,
    many,
    moment,
    placed,
    shortened,
    spot,
)
from nanlint.runtime.verdicts import State, Verdict, Verdicts, order_of, order_of_birth

_ROLES = {
    State.CONFIRMED: "error",
    State.DIED: "note",
    State.NEAR: "warning",
    State.CLEAN: "note",
    State.ONLY_EMPTY: "note",
    State.NOT_CLEARED: "warning",
    State.NOT_WATCHED: "gutter",
    State.NOT_REACHED: "gutter",
}


#: the alerts that come before a run breaks, and names that are listed in one that speaks of several things
EARLY = frozenset(
    {
        "growth",
        "spike",
        "headroom",
        "scale-collapse",
        "dead-units",
        "saturated-units",
        "vanishing-gradient",
        "uninitialised",
        "lost-epsilon",
    }
)
MOST_NAMED = 5
#: findings that were not watched, which are named where no line is known: all are listed below with their verdicts
MOST_SUSPECTED = 3
#: what the JSON has as it is, under the same names
FIELDS = {
    "verdict": ("executions", "unwatched", "step", "closest"),
    "seen": ("elements", "empty", "tests", "happened"),
    "birth": ("op", "framework", "step", "backward", "compiled", "note"),
    "health": ("low", "high", "dtype", "shape"),
}


def render_report(verdicts: Verdicts, *, run: str, paint: Paint = plain) -> str:
    """The whole report, what is bad first; ``run`` is where the run is kept."""
    since = min((one.step for one in verdicts.arrived), default=None)
    early = [one for one in verdicts.alerts if one.alert in EARLY and since is not None and one.step < since]
    lines = [*_alerts(early, paint), *_bad(verdicts, paint)]
    for verdict in verdicts.findings:
        if verdict not in verdicts.confirmed:
            lines += [*_finding(verdict, paint), ""]
    for birth, count in verdicts.symptoms:
        lines += [*list(_birth(birth, count, paint, head="symptom"))[:2], ""]
    for birth, count, death in verdicts.died:
        lines += [*list(_birth(birth, count, paint, death))[:2], ""]
    lines += _alerts([one for one in verdicts.alerts if one not in verdicts.arrived and one not in early], paint)
    for one in verdicts.filtered:
        lines += [*_filtered(one, paint), ""]
    lines.append(summary(verdicts))
    if verdicts.failure:
        lines.append(f"The program {verdicts.failure}{'' if verdicts.failure.endswith('.') else '.'}")
    if verdicts.cut is not None:
        lines.append(f"The run was {_cut(verdicts)}: what came after is not known.")
    if verdicts.damaged:
        cut = many(verdicts.damaged, "line")
        lines.append(f"{cut} of the record could not be read: this report may be incomplete.")
    if verdicts.repeatable is not None:
        lines.append(
            f"The first bad step was step {verdicts.repeatable:,}. To repeat it: nanlint replay {shortened(run)}"
        )
    lines.append(f"The run is stored in {shortened(run)}. To see it: nanlint inspect {shortened(run)}")
    return "\n".join(lines) + "\n"


def first_words(verdicts: Verdicts) -> str:
    """What is to be said of a run before all else, in one line."""
    none = "no problem was seen" if verdicts.cut is None else f"{_cut(verdicts)}: no problem was seen until then"
    return next(iter(_bad(verdicts, plain)), none)


def _cut(verdicts: Verdicts) -> str:
    return f"cut off at step {verdicts.cut:,}"


def _bad(verdicts: Verdicts, paint: Paint) -> list[str]:
    """What makes a run bad: what came back not finite, what is confirmed, what was born at other lines."""
    lines: list[str] = []
    for alert in verdicts.arrived:
        lines += _arrived(alert, verdicts, paint)
    if lines:
        lines.append("")
    causes = [(order_of(one), list(_finding(one, paint))) for one in verdicts.confirmed]
    for birth, count in verdicts.born:
        told = list(_birth(birth, count, paint))
        causes.append((order_of_birth(birth), told))
    for _, told in sorted(causes, key=lambda one: one[0]):
        lines += [*told, ""]
    return lines


def render_html(verdicts: Verdicts, *, run: str) -> str:
    """What makes a run bad as a table for a notebook, or that nothing does."""
    rows: list[tuple[Alert | Birth, Stack, str]]
    rows = [(one, one.frames, one.message) for one in verdicts.arrived]
    for birth in [*(birth for birth, _ in verdicts.born), *(one.births[0] for one in verdicts.confirmed if one.births)]:
        what = f"{' and '.join(KINDS[kind] for kind in birth.kinds)} in {birth.op}"
        rows.append((birth, birth.forward or birth.frames, what))
    table = "".join(_row(moment(one), one.where.module, frames, what) for one, frames, what in rows)
    head = "<tr><th>when</th><th>module</th><th>where</th><th>code</th><th>what</th></tr>"
    said = f"<p><b>nanlint</b>: {escape(summary(verdicts))} <code>{escape(shortened(run))}</code></p>"
    return f"{said}<table>{head}{table}</table>" if table else said


def _row(when: str, module: str, frames: Stack, what: str) -> str:
    place, code = (spot(frames[0], shortened), frames[0].text) if frames else ("", "")
    cells = when, escape(module), escape(place), f"<code>{escape(code)}</code>", escape(what)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def summary(verdicts: Verdicts) -> str:
    """The counts in one line."""
    counts = {state: sum(one.state is state for one in verdicts.findings) for state in State}
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    findings = (
        f"{many(len(verdicts.findings), 'finding')}: {', '.join(parts)}" if parts else "`check` has no findings here"
    )
    born = f"; {many(len(verdicts.born), 'origin')} on other lines" if verdicts.born else ""
    born += f"; {many(len(verdicts.symptoms), 'symptom')}" if verdicts.symptoms else ""
    born += f"; {many(len(verdicts.died), 'origin')} that died" if verdicts.died else ""
    alerts = f"; {many(len(verdicts.alerts), 'alert')}" if verdicts.alerts else ""
    return f"{findings}{born}{alerts}."


def render_report_json(
    verdicts: Verdicts,
    *,
    run: str,
) -> str:
    """The report as one JSON object; ``exit_code`` and ``failure`` are the program's own."""
    return (
        json.dumps(
            {
                "run": run,
                "bad": verdicts.bad,
                "first": first_words(verdicts),
                "exit_code": None if verdicts.outcome is None else verdicts.outcome.code,
                "failure": verdicts.failure,
                "damaged": verdicts.damaged,
                "findings": [
                    {**as_object(one.diagnostic), "verdict": verdict_object(one)} for one in verdicts.findings
                ],
                **{
                    name: [{**_birth_object(birth), "count": count} for birth, count in getattr(verdicts, name)]
                    for name in ("born", "symptoms")
                },
                "died": [
                    {**_birth_object(birth), "count": count, "death": ended(death)}
                    for birth, count, death in verdicts.died
                ],
                "alerts": [
                    {"kind": one.alert, "step": one.step, "message": one.message, "frames": _frames(one.frames)}
                    | {"details": one.details, "where": to_builtins(one.where)}
                    for one in verdicts.alerts
                ],
                "filtered": [
                    {"filter": one.filter, "step": one.step, "tensor": one.tensor.name}
                    | {"health": health_object(one.tensor.health), "frames": _frames(one.frames)}
                    for one in verdicts.filtered
                ],
            },
            indent=2,
            ensure_ascii=False,
            default=str,
        )
        + "\n"
    )


def health_object(health: Health) -> dict[str, object]:
    """A breakdown as JSON data."""
    counts = dict(zip(NAMES, health.counts, strict=True))
    return {"counts": counts, **fields_of(health, FIELDS["health"])}


def _finding(verdict: Verdict, paint: Paint) -> Iterator[str]:
    diagnostic = verdict.diagnostic
    span = diagnostic.span
    where = paint(f"{shortened(diagnostic.path)}:{span.row}:{span.column}", "path")
    state = paint(str(verdict.state), _ROLES[verdict.state])
    yield f"{where} {diagnostic.code} {state}{_how(verdict)}: {diagnostic.message}"
    if verdict.state in (State.CONFIRMED, State.NEAR, State.NOT_CLEARED):
        yield from _roles(verdict.roles)
    if verdict.state is State.CONFIRMED and diagnostic.fix is not None and diagnostic.fix.display:
        yield f"    {diagnostic.fix.title}: {diagnostic.fix.message}"


def _how(verdict: Verdict) -> str:
    if verdict.state is State.NOT_CLEARED:
        came = any(one.bad for role, one in verdict.roles.items() if role != "result" and "gradient" not in role)
        what = "a nan or inf passed through here" if came else f"nothing broke here, but {verdict.alert}"
        return f" ({what})"
    if verdict.alert:
        return f" ({verdict.alert})"
    if verdict.state in (State.CONFIRMED, State.DIED):
        what = " and ".join(KINDS[kind] for kind in verdict.kinds)
        where = next((one.where for one in verdict.births), Where())
        module = f" in {where.module}" if where.module else ""
        return f" ({what}{module} at step {verdict.step}{where}{_also(verdict.death)})"
    if verdict.state is State.NEAR:
        return f" ({verdict.approach})"
    if verdict.state in (State.CLEAN, State.ONLY_EMPTY):
        empty = verdict.seen.empty if verdict.seen is not None and verdict.state is State.CLEAN else 0
        more = f", {empty:,} of them empty" if empty else ""
        more += ", others not watched" if verdict.unwatched else ""
        return f" ({many(verdict.executions, 'execution')}{more})"
    return ""


def _also(death: Death | None) -> str:
    return "" if death is None else f"; {ended(death)}"


def _birth(birth: Birth, count: int, paint: Paint, death: Death | None = None, head: str = "origin") -> Iterator[str]:
    what = " and ".join(KINDS[kind] for kind in birth.kinds)
    gradient = "the gradient of " if birth.backward else ""
    compiled = f", compiled by {birth.compiled}" if birth.compiled else ""
    often = f", {count} times" if count > 1 else ""
    where = (birth.forward or birth.frames)[:1]
    place = paint(spot(where[0], shortened), "path") if where else "not in your code"
    head = paint(head, "error" if death is None and head == "origin" else "note")
    when = f"{what} at {moment(birth)}{often}{_also(death)}"
    module = f" in {birth.where.module}" if birth.where.module else ""
    yield f"{place} {head} ({when}): in {gradient}{birth.op}{module}{compiled}"
    if where and where[0].text:
        yield f"    {where[0].text}"
    for direction, tensors in (("in ", birth.inputs), ("out", birth.outputs)):
        for one in tensors:
            yield f"    {direction} {described(one)}"
    for frame in birth.frames[1:] if not birth.backward else birth.frames:
        yield f"    at {placed(frame)}"
    if birth.note:
        yield f"    note: {birth.note}"


def _arrived(alert: Alert, verdicts: Verdicts, paint: Paint) -> Iterator[str]:
    """What came back not finite, and how to learn where it was born if no line is named yet."""
    place = f"{spot(alert.frames[0], shortened)} " if alert.frames else ""
    yield f"{place}{paint(alert.alert, 'error')} ({moment(alert)}): {alert.message}"
    if alert is not verdicts.arrived[0]:
        return
    if alert.frames and alert.frames[0].text:
        yield f"    {alert.frames[0].text}"
    if "held" in alert.details:
        yield f"    {alert.details['held']}"
    for frame in alert.frames[1:]:
        yield f"    at {placed(frame)}"
    if "state" in alert.details:
        yield f"    batch, weights, optimizer and random states as before the step: {shortened(alert.details['state'])}"
    if verdicts.names_a_line:
        return
    if verdicts.repeatable is None:
        yield f"    {_how_to_name(verdicts)}"
    for one in [one for one in verdicts.findings if one.state is State.NOT_WATCHED][:MOST_SUSPECTED]:
        place = f"{shortened(one.diagnostic.path)}:{one.diagnostic.span.row}"
        yield f"    the linter reports {place} {one.diagnostic.code}: {one.diagnostic.message}"


def _how_to_name(verdicts: Verdicts) -> str:
    if verdicts.watch == "all":
        return "no origin was seen: it may be in the data, or come from code that is not watched"
    watched = "the loss and the gradients" if verdicts.watch == "sentinel" else "flagged expressions"
    command = shlex.join(("nanlint", "verify", "--watch", "all", "--", *verdicts.command))
    return f"only {watched} were watched; to find the line: {command}"


def _alerts(alerts: Iterable[Alert], paint: Paint) -> Iterator[str]:
    """Alerts by their step; those that say the same of several things, at one place and step, are one."""
    groups: dict[object, list[Alert]] = {}
    for alert in sorted(alerts, key=lambda one: one.step):
        groups.setdefault((alert.alert, alert.step, alert.frames, _said_of(alert)), []).append(alert)
    for first, *others in groups.values():
        names = [_subject(one) for one in (first, *others)]
        message = f"{listed(names, MOST_NAMED)}{_said_of(first)}" if others else first.message
        place = f"{spot(first.frames[0], shortened)} " if first.frames else ""
        yield f"{place}{paint(first.alert, 'warning')} ({moment(first)}): {message}"
        yield from (f"    at {placed(frame)}" for frame in first.frames)
        yield ""


def _subject(alert: Alert) -> str:
    """What an alert is about, if its message begins with that."""
    name = str(alert.details.get("parameter") or alert.details.get("variable") or "")
    return name if alert.message.startswith(name) else ""


def _said_of(alert: Alert) -> str:
    return alert.message.removeprefix(_subject(alert))


def _filtered(one: Filtered, paint: Paint) -> Iterator[str]:
    place = f"{spot(one.frames[0], shortened)} " if one.frames else ""
    yield f"{place}{paint(one.filter, 'note')} (step {one.step}): {described(one.tensor)}"


def _roles(roles: Mapping[str, Health]) -> Iterator[str]:
    for role, health in roles.items():
        shape = "×".join(map(str, health.shape)) or "scalar"
        bounds = "" if health.low is None else f", in [{health.low:.6g}, {health.high:.6g}]"
        counts = f": {health}" if health.size else ""
        yield f"    {role}: {health.dtype} {shape}{counts}{bounds}"


def verdict_object(verdict: Verdict) -> dict[str, object]:
    """What a run says of a finding as JSON data."""
    seen = verdict.seen or Observed("", 0)
    return {
        "state": str(verdict.state),
        **fields_of(verdict, FIELDS["verdict"]),
        **fields_of(seen, FIELDS["seen"]),
        "where": to_builtins(next((one.where for one in verdict.births), Where())),
        "near": verdict.approach or None,
        "kinds": [KINDS[kind] for kind in verdict.kinds],
        "death": ended(verdict.death),
        "observed": {role: health_object(health) for role, health in verdict.roles.items()},
    }


def _birth_object(birth: Birth) -> dict[str, object]:
    tensors = {
        name: {one.name: health_object(one.health) for one in getattr(birth, name)} for name in ("inputs", "outputs")
    }
    frames = {name: _frames(getattr(birth, name)) for name in ("frames", "forward")}
    kinds = [KINDS[kind] for kind in birth.kinds]
    return {**fields_of(birth, FIELDS["birth"]), **tensors, **frames, "kinds": kinds, "where": to_builtins(birth.where)}


def _frames(frames: Iterable[Frame]) -> list[dict[str, object]]:
    return [fields_of(one, FRAME) for one in frames]
