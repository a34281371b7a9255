"""TensorFlow: eager ops through op callbacks, graphs by reductions beside the ops, gradients through the tape."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

import tensorflow as tf

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.tensorflow import tensors
from nanlint.runtime.adapters.tensorflow.alarms import OURS
from nanlint.runtime.adapters.tensorflow.eager import EagerWatch
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.graphs import GraphWatch
from nanlint.runtime.adapters.tensorflow.places import Places
from nanlint.runtime.adapters.tensorflow.seeds import Seeds
from nanlint.runtime.adapters.tensorflow.tape import TapeWatch
from nanlint.runtime.arrays import ArrayAdapter
from nanlint.runtime.health import Health


class TensorFlowAdapter(ArrayAdapter):
    """TensorFlow 2, eager and in graphs."""

    name: ClassVar[str] = "tensorflow"
    holders: ClassVar[tuple[type, ...]] = (tf.Variable,)
    probes_graphs: ClassVar[bool] = True

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        places = Places(watch)
        self._backward = Backward(watch, places)
        self._eager = EagerWatch(watch, places, self._backward)
        self._graphs = GraphWatch(watch, places, self._backward, self._eager.quiet, self.follow)
        self._tape = TapeWatch(watch, places, self._eager, self._graphs, self._backward)
        self._graphs.after_call = self._tape.called
        self._graphs.after_gradient = self._tape.arrived
        self._graphs.after_alarm = self._eager.given
        self._seeds = Seeds(watch)

    def start(self) -> None:
        """Install what the mode asks for."""
        self._backward.start()
        if self.watch.mode == "all":
            self._eager.start()
        self._graphs.start()
        self._tape.start()

    def stop(self) -> None:
        """Take it out again."""
        self._tape.stop()
        self._graphs.stop()
        self._eager.stop()
        self._backward.stop()

    def keys(self, value: Any) -> Sequence[Hashable]:
        """Eager tensors have a number of their own."""
        return (value._id,) if isinstance(value, tensors.EagerTensor) else ()

    def follow(self) -> None:
        """See each eager op."""
        self._eager.start()

    def owns(self, value: Any) -> bool:
        """Dense, sparse and ragged tensors, and variables."""
        return tensors.is_tensor(value)

    def concrete(self, value: Any) -> bool:
        """Not the symbols of a graph, and no variable of nanlint's own."""
        return tensors.is_concrete(value) and not (isinstance(value, tf.Variable) and value.handle._id in OURS)

    def health(self, value: Any) -> Health:
        """Of the values that it holds."""
        return tensors.health_of(value)

    def array(self, value: Any) -> Any:
        """The numbers, without a copy where that can be."""
        return tensors.array_of(value)

    def on_gradient(self, operands: Mapping[str, Any], result: Any, heard: Callable[[str, Any], None]) -> None:
        """Hear of gradients while a tape records."""
        self._backward.await_gradient(operands, result, heard)

    def snapshot(self) -> bytes:
        """Which seeds random ops get for which the program gives none: from here on they are known."""
        return self._seeds.snapshot()

    def restore(self, state: bytes) -> None:
        """Go on as from a ``snapshot``."""
        self._seeds.restore(state)

    def release(self) -> None:
        """What has no seed gets none."""
        self._seeds.leave()
