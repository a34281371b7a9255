"""The flight recorder: the numbers of the last steps, healthy ones too, and what they warn of before a run breaks."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from nanlint.runtime.events import Layer
from nanlint.runtime.layers import Layers
from nanlint.runtime.trends import BEFORE, SET, growth

#: numbers of one name that are kept, and steps from one look at them to the next
KEPT, EVERY = 256, 8
#: steps that a loss scaler skips one after the other: once it took some, and while it looks for its first scale
SKIPS, FIRST_SKIPS = 5, 12
#: the loss scale below which a scaler makes gradients smaller than they are
SMALL_SCALE = 1.0
#: by how much a learning rate has changed that is told of beside growth
CHANGED = 2.0
#: a spike is so many times what is usual, and what there ever was: a step of SGD then goes as far as a hundred others
USUAL, EVER = 100.0, 10.0


class Flight:
    """What was measured in the last steps, one history a name, and in each layer.

    ``warn(kind, message, **details)`` is called once for each kind of warning and name.
    """

    def __init__(self, warn: Callable[..., None]) -> None:
        self._warn = warn
        self._histories: dict[str, deque[tuple[int, float]]] = {}
        self._ever: dict[str, float] = {}
        self._skipped: list[int] = []
        self._spiked = -BEFORE
        self._taken = False
        #: the last step of the growth that was told
        self._step, self._growing = 0, -1
        #: the layers of the last sampled steps
        self.layers = Layers(self._once)

    def sampled(self, step: int, layers: Mapping[str, Layer]) -> None:
        """The layers of a step were measured."""
        losses = [loss for _, loss in self._histories.get("loss", ())]
        self.layers.sampled(step, layers, [self._ever.get("first loss", 0.0), *losses])

    def stepped(self, step: int, numbers: Mapping[str, float]) -> None:
        """A step is done, in which these numbers were measured."""
        for name, number in numbers.items():
            if math.isfinite(number):
                history = self._histories.setdefault(name, deque(maxlen=KEPT))
                if not SET.search(name):
                    self._spike(step, name, abs(number), history)
                history.append((step, number))
        self._step = step
        if step % EVERY == 0:
            for name in numbers:
                if not SET.search(name):
                    self._look(name)
        scales = [scale for _, scale in list(self._histories.get("loss_scale", ()))[-2:]]
        if self._taken and scales and scales[-1] < SMALL_SCALE <= scales[0]:
            self._warn("scale-collapse", "the loss scale fell below 1: gradients overflow whatever it is", since=step)

    def settled(self, step: int, skipped: bool) -> None:
        """A step was taken, or skipped by a loss scaler."""
        self._taken = self._taken or not skipped
        before = len(self._skipped)
        self._skipped = list(dict.fromkeys((*self._skipped, step))) if skipped else []  # some tell it twice
        if before < len(self._skipped) == (SKIPS if self._taken else FIRST_SKIPS):
            since = self._skipped[0]
            layer, where = self._where(since)
            self._warn(
                "scale-collapse",
                f"the loss scaler skipped {len(self._skipped)} steps one after the other, from step "
                f"{since:,} on: it halves its scale each time, and nothing is trained{where}",
                since=since,
                **layer,
            )

    def _spike(self, step: int, name: str, number: float, history: deque[tuple[int, float]]) -> None:
        """Warn of a number that is far above all others so far."""
        ever = self._ever.get(name, number)
        self._ever[name] = max(ever, number)
        self._ever.setdefault(f"first {name}", number)
        far = len(history) >= BEFORE and number > EVER * ever and step >= self._spiked + BEFORE
        before = median(abs(x) for _, x in list(history)[-BEFORE:]) if far else math.inf
        if number < USUAL * before:
            return
        self._spiked = step
        layer, where = self._where(step - 1)
        usual = f"it was {before:.3g} before, and never above {ever:.3g}"
        self._once(
            "spike",
            f"the {name.replace('_', ' ')} jumped to {number:.3g}; {usual}{where}",
            since=step,
            quantity=name,
            **layer,
        )

    def _look(self, name: str) -> None:
        history = self._histories.get(name)
        found = growth([number for _, number in history]) if history else None
        if history is None or found is None:
            return
        since, (last, _) = history[found.first][0], history[found.last]
        said = f"the {name.replace('_', ' ')} has grown since step {since:,}: from {found.start:.3g} to {found.end:.3g}"
        layer, where = self._where(since)
        said += f" in {last - since:,} steps{self._set_then(since)}{where}"
        self._once("growth", said, since=since, quantity=name, **layer)

    def _once(self, kind: str, message: str, *, since: int, **details: Any) -> None:
        """Warn, but of growth, and spikes, only if they are not part of one that was told of already."""
        known = self._growing >= 0 and since <= self._growing + KEPT
        if kind == "growth":
            self._growing = self._step
        if not known or kind not in ("growth", "spike"):
            self._warn(kind, message, since=since, **details)

    def _where(self, since: int) -> tuple[dict[str, Any], str]:
        """The layer that has to do with it, as details of a warning and in words."""
        blamed = self.layers.blamed(since)
        if blamed is None:
            return {}, ""
        name, why = blamed
        return {"layer": name, "line": self.layers.line_of(name)}, f"; most in {name}, {why}"

    def _set_then(self, since: int) -> str:
        """What is set that has to do with it, in words."""
        rates = self._histories.get("learning_rate")
        if not rates:
            return ""
        then, now = next((rate for step, rate in rates if step >= since), rates[-1][1]), rates[-1][1]
        changed = f", and was {then:.3g}" if max(then, now) > CHANGED * min(then, now) else ""
        return f"; the learning rate is {now:.3g}{changed}"
