"""Layers of a model in the last sampled steps, healthy ones too: their magnitudes, and what they warn of."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, takewhile
from statistics import median

from nanlint.runtime.events import Layer
from nanlint.runtime.telling import listed
from nanlint.runtime.trends import growth

#: sampled steps that are kept of a layer, and those one after the other in which something has to be so
KEPT, RUN = 64, 5
#: the same where a layer got gradients before: a part of a model may rest for a while
LATER = 16
#: doublings up to the greatest number of the format that are few: a step that doubles the output, and one more
FEW = 2.0
#: the share of units that give only zeros: large language models train well with some 0.7 (Voita et al. 2023)
DEAD = 0.9
#: the share of elements at an end of the range of their function, where a thousandth of the gradient is left at most
SATURATED = 0.95
#: the magnitude below which Adam's epsilon swallows a gradient, and the share of the largest one of another layer that
#: is then small too: what float32 can hold beside it
SWALLOWED, FAINT = 1e-8, 2.0**-24
#: the share of the first loss below which a model has learned what there is, and may well be saturated
LEARNED = 0.1
#: the share of its weights by which a step changes a layer that is trained too fast, and how much more than others:
#: a thousandth is usual, and after a tenth ten steps have replaced them
HASTY, OTHERS = 0.1, 10.0
#: growth of an output that is too much, unless it overflows if it grows so once more: heads that begin near 0 come to
#: some ten from a hundredth or so, and a loss may rise meanwhile, as with harder data
GROWN = 100.0
#: what marks the record of an input that no module gave
INPUT = "the input of "


History = deque[tuple[int, Layer]]


class Layers:
    """The last sampled steps of all layers, in the order of their calls.

    ``warn(kind, message, **details)`` is called once for each kind of warning and layer.
    """

    def __init__(self, warn: Callable[..., None]) -> None:
        self._warn = warn
        self._told: set[tuple[str, str]] = set()
        self.histories: dict[str, History] = {}

    def sampled(self, step: int, layers: Mapping[str, Layer], losses: list[float]) -> None:
        """These layers were measured in a step; ``losses``: the last ones, the first of the run before them."""
        for name, layer in layers.items():
            self.histories.setdefault(name, deque(maxlen=KEPT)).append((step, layer))
            for kind, words in layer.doubts.items():
                self._warn(kind, f"{name}: {words}", since=step, layer=name, line=layer.line)
        now = {name: history for name in layers if len(history := self.histories[name]) > 1}
        self._tell("headroom", self._strained(now), "can double less than twice before it overflows in its format")
        self._tell("dead-units", self._lasting(now, "dead", DEAD), "give only zeros, or nearly all their units do")
        if losses and losses[-1] > LEARNED * losses[0]:
            inner = dict([*now.items()][:-1])  # what a model gives at last may well be certain
            self._tell(
                "saturated-units", self._lasting(inner, "saturated", SATURATED), "are at the ends of their range"
            )
        self._tell("vanishing-gradient", self._cut_off(now, layers), "get no gradient that changes them")
        self._grown(now, losses)

    def blamed(self, since: int) -> tuple[str, str] | None:
        """The layer to blame for what began at a step, and why in words. What has layers in it is not blamed.

        It is the one nearest to the loss whose gradient is not finite; one whose weights change much faster than those
        of others; of those whose outputs doubled, the one that amplifies more than it did; or the one whose gradient
        grew most.
        """
        inner = {name: one for name, one in self.histories.items() if not self._has_parts(name)}
        broken = [name for name, one in inner.items() if one[-1][1].gradient == math.inf]
        if broken:
            return broken[-1], "whose gradient is not finite"
        updates = {name: one[-1][1].update or 0.0 for name, one in inner.items() if one[-1][1].gradient}
        hasty = max(updates, key=lambda name: updates[name], default="")
        if hasty and updates[hasty] > max(HASTY, OTHERS * median(updates.values())):
            return hasty, f"whose weights change by {updates[hasty]:.0%} in a step"
        for what, said in (("largest", "largest element"), ("gradient", "gradient")):
            gave = {name: ends for name, one in inner.items() if (ends := _ends(one, since, what))}
            grew = {name: math.log2(now) - math.log2(then) for name, (then, now) in gave.items()}
            most = max(grew.values(), default=0.0)
            if most > 1:
                came = grew if what == "largest" else {}
                more = {name: much - self._explained(name, came) for name, much in grew.items() if much > most / 2}
                least = max(more.values()) - most / 8  # about as much: then a layer, not what lies between two
                name = min((name for name in more if more[name] >= least), key=lambda name: name.startswith(INPUT))
                return name, f"whose {said} grew from {gave[name][0]:.3g} to {gave[name][1]:.3g}"
        return None

    def _explained(self, name: str, grew: Mapping[str, float]) -> float:
        """How much of the growth of an output came in: of what lies between layers, what they grew before it."""
        last = self.histories[name][-1][1]
        if last.source or not name.startswith(INPUT):
            return grew.get(last.source, 0.0)
        if last.zeros is None:  # which is measured of what was computed
            return 0.0
        before = [grew[one] for one in takewhile(lambda one: one != name, grew)]
        return max(before or [grew[one] for one in grew if one != name], default=0.0)

    def line_of(self, name: str) -> tuple[str, int, str] | None:
        """Where a layer was called last, as far as that is known."""
        return next((one.line for _, one in reversed(self.histories[name]) if one.line is not None), None)

    def _has_parts(self, name: str) -> bool:
        return any(other.startswith(f"{name}.") for other in self.histories)

    def _grown(self, now: Mapping[str, History], losses: list[float]) -> None:
        """Warn of outputs that grow while the loss does not fall, or that overflow if they do so once more."""
        for name, history in now.items():
            given = [(step, one.largest) for step, one in history if one.largest]
            grows = bool(given) and given[-1][1] > 10 * min(x for _, x in given) and not self._has_parts(name)
            found = growth([x for _, x in given]) if grows else None
            if found is None:
                continue
            since, last = given[found.first][0], history[-1][1]
            steps = given[-1][0] - since
            falls = len(losses) > RUN and sum(losses[-RUN:]) < RUN * losses[max(0, len(losses) - steps)]
            again = last.top is not None and last.top / found.end < found.end / found.start
            blamed = self.blamed(since)
            if blamed is None or (not again and (falls or found.end < GROWN * found.start)):
                continue
            said = f"the output of {name} has grown since step {since:,}, from {found.start:.3g} to {found.end:.3g} in "
            said += f"{steps:,} steps; most in {blamed[0]}, {blamed[1]}"
            self._warn("growth", said, since=since, layer=blamed[0], line=self.line_of(blamed[0]))
            return

    def _strained(self, now: Mapping[str, History]) -> Iterator[tuple[str, int]]:
        """Outputs that nearly overflow, and are not the same each time, as what is masked with such a number is."""
        for name, history in now.items():
            step, last = history[-1]
            few = last.headroom is not None and 0 < last.headroom < FEW
            if few and len({one.largest for _, one in islice(reversed(history), 3)}) > 1:
                yield name, step

    def _lasting(self, now: Mapping[str, History], share: str, least: float) -> Iterator[tuple[str, int]]:
        """Layers of which a share has been large in the last samples."""
        for name, history in now.items():
            below = [i for i, (_, one) in enumerate(history) if (getattr(one, share) or 0.0) < least]
            first = below[-1] + 1 if below else 0
            if len(history) - first >= RUN:
                yield name, history[first][0]

    def _cut_off(self, now: Mapping[str, History], layers: Mapping[str, Layer]) -> Iterator[tuple[str, int]]:
        """Layers whose gradients are 0 or next to it, beside others that have some."""
        most = max((one.gradient or 0.0 for one in layers.values() if one.gradient != math.inf), default=0.0)
        below = min(SWALLOWED, FAINT * most)
        for name, history in now.items():
            got = [(step, one.gradient) for step, one in history if one.gradient is not None]
            before = next((i for i, (_, x) in enumerate(reversed(got)) if x > below), len(got))
            if most > 0 and before >= (RUN if before == len(got) else LATER):
                yield name, got[-before][0]

    def _tell(self, kind: str, found: Iterator[tuple[str, int]], what: str) -> None:
        """Warn of layers, all that are new together."""
        new = [(name, since) for name, since in found if (kind, name) not in self._told]
        self._told |= {(kind, name) for name, _ in new}
        if not new:
            return
        names, since = [name for name, _ in new], new[0][1]
        said = f"{listed(names, 4)} {what}, since step {since:,}"
        self._warn(kind, said, since=since, layer=names[0], layers=names, line=self.line_of(names[0]))


def _ends(history: History, since: int, what: str) -> tuple[float, float] | None:
    """A magnitude at the last sample up to a step (else the first), and in the newest one."""
    known = [(step, x) for step, one in history if (x := getattr(one, what)) and x < math.inf]
    before = (x for step, x in reversed(known) if step <= since)
    return (next(before, known[0][1]), known[-1][1]) if known else None
