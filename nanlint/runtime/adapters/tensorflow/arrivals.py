"""What comes back of a tape, in every watch: the loss that was differentiated, and the gradients. Are they finite?

Outside of graphs they are looked at when they are there. In a graph there is one sum of each beside them; where one is
not finite, a branch leaves what there is in a variable and rings the alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.tensorflow.alarms import Alarm, Inside, Kept, Setting, after
from nanlint.runtime.adapters.tensorflow.rows import Snapshot, is_float, sum_of
from nanlint.runtime.adapters.tensorflow.tensors import EagerTensor, array_of, health_of, is_finite
from nanlint.runtime.events import Stack
from nanlint.runtime.health import Health

#: the loss, and how it is called
LOSS = "loss"


def judge(
    watch: Watch, seen: Sequence[tuple[str, str, Health]], asked: str, frames: Stack = (), given: bool = False
) -> None:
    """Tell of the first loss and the first gradient that are not finite; of an array that is no loss only nan."""
    bad = [one for one in seen if one[2].bad and (one[0] != LOSS or one[2].size == 1 or one[2].nan)]
    for what in dict.fromkeys(what for what, _, _ in bad):
        alike = [(name, health) for kind, name, health in bad if kind == what]
        more = f" (the first of {len(alike):,})" if len(alike) > 1 else ""
        watch.arrived(what, f"{alike[0][0]}{more}", alike[0][1], asked=asked, frames=frames, given=given)


def dense(value: Any) -> Any:
    """The numbers of a gradient; of a sparse one those that it holds."""
    return value.values if isinstance(value, tf.IndexedSlices) else value


def are_finite(values: Iterable[Any]) -> bool:
    """Whether all these tensors that have numbers now are finite."""
    tensors = (dense(one) for one in values)
    return all(is_finite(one) for one in tensors if isinstance(one, EagerTensor) and one.dtype.is_floating)


def came_back(target: Any, gradients: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """What a tape was asked for: the loss, and the gradients by their names."""
    yield from ((LOSS, "the loss", one) for one in tf.nest.flatten(target)[:1])
    yield from (("gradient", f"the gradient of {name}", dense(one)) for name, one in gradients)


def look(watch: Watch, target: Any, gradients: Iterable[tuple[str, Any]], sources: Iterable[Any], asked: str) -> None:
    """Tell what is not finite of what a tape gave outside of graphs."""
    floats = [
        one for one in came_back(target, gradients) if isinstance(one[2], EagerTensor) and one[2].dtype.is_floating
    ]
    arrays = (array for one in sources if (array := array_of(one)) is not None and array.dtype.kind == "f")
    given = not all(bool(np.isfinite(array).all()) for array in arrays)
    judge(watch, [(what, name, health_of(one)) for what, name, one in floats], asked, given=given)


class ArrivalProbe:
    """What came back of a tape in a graph, the first time that it was not finite since it was read."""

    def __init__(
        self,
        setting: Setting,
        seen: Sequence[tuple[str, str, Any]],
        asked: str,
        frames: Stack,
        given: Callable[[], bool],
    ) -> None:
        self.setting = setting
        self._tensors = [one for _, _, one in seen]  # until it is built
        self._seen = [(what, name) for what, name, _ in seen]
        self._asked = asked
        self._frames = frames
        self._given = given
        self._taken = Snapshot(self._tensors, 0, setting.technique)
        self._pending = Kept(np.zeros((), np.int32))

    @classmethod
    def of(
        cls,
        setting: Setting,
        target: Any,
        gradients: Iterable[tuple[str, Any]],
        asked: str,
        frames: Stack,
        given: Callable[[], bool],
    ) -> ArrivalProbe | None:
        """The probe; None where nothing can be looked at."""
        seen = [one for one in came_back(target, gradients) if isinstance(one[2], tf.Tensor) and is_float(one[2])]
        return cls(setting, seen, asked, frames, given) if seen else None

    def build(self, alarm: Alarm) -> None:
        """Add to the graph that is being built."""
        tensors, self._tensors = self._tensors, []
        sums = tf.stack([tf.cast(sum_of(one), tf.float64) for one in tensors])

        def leave() -> Any:
            return after([self._taken.take(tensors), Inside(self._pending).assign(1), alarm.ring(self.setting.host)])

        tf.cond(tf.math.is_finite(tf.reduce_sum(sums)), lambda: tf.constant(0), leave)

    def read(self, watch: Watch) -> None:
        """Tell of it, if there is something."""
        if not self._pending.get():
            return
        self._pending.put(np.int32(0))
        seen = [(*one, health) for one, (_, health, _) in zip(self._seen, self._taken.read(), strict=True)]
        judge(watch, seen, self._asked, self._frames, self._given())

    def tell(self, watch: Watch) -> None:
        """There is nothing else to tell."""
