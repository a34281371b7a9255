"""How a graph tells that it should be looked at: it calls the host where it can, else it leaves a number."""

from __future__ import annotations

import functools
import sys
import weakref
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import control_flow_util as _control

from nanlint.runtime.adapter import Watch, safely
from nanlint.runtime.adapters.tensorflow.kept import Inside, Kept

#: who asks TensorFlow so for a function may call it from a graph that XLA compiles
_CONCRETE = ("get_concrete_function", "_get_concrete_function_garbage_collected", "experimental_get_compiler_ir")


@dataclass(frozen=True)
class Setting:
    """What compiles a graph, and whether the graph can call the host: not under XLA, nor on another machine."""

    technique: str
    host: bool


class Settings:
    """Tells of graphs while they are traced, as it shows in who traces them."""

    def __init__(self) -> None:
        self._compiled: weakref.WeakSet[Any] = weakref.WeakSet()

    def begins(self, graph: Any, source: Any = None) -> None:
        """A graph is about to be traced; ``source``: whose gradient it will compute."""
        if _control.GraphOrParentsInXlaContext(graph) or source in self._compiled or self._is_part(graph):
            self._compiled.add(graph)

    def of(self, graph: Any) -> Setting:
        """How a graph that is being traced, by whoever calls this, will be run."""
        operations = graph.get_operations()
        contexts = (op._get_control_flow_context() for op in operations)
        inside = any(_control.GetContainingXLAContext(context) is not None for context in contexts)
        if inside or graph in self._compiled or _control.GraphOrParentsInXlaContext(graph) or self._is_part(graph):
            self._compiled.add(graph)
            return Setting("xla", host=False)
        devices = {op.device for op in operations}
        jobs = {tf.DeviceSpec.from_string(device).job for device in devices if device}
        return Setting("tf.function", host=jobs <= {None, "localhost"} and not _is_asked_for())

    def _is_part(self, graph: Any) -> bool:
        while (graph := getattr(graph, "outer_graph", None)) is not None:
            if graph in self._compiled:
                return True
        return False


def _is_asked_for() -> bool:
    """Whether someone asked TensorFlow for the function that is being traced, and may call it from anywhere."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name in _CONCRETE and str(frame.f_globals.get("__name__")).startswith("tensorflow."):
            return True
        frame = frame.f_back
    return False


class Alarm:
    """Rung in graphs, heard outside."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._rung = False
        self._times: Kept | None = None

    def ring(self, host: bool) -> Any:
        """The op that rings, in the graph that is being built; ``host``: whether that can call the host."""
        if host:
            with tf.device("CPU:0"):
                return tf.numpy_function(functools.partial(safely, self._watch, "an alarm", self._ring), [], [])
        if self._times is None:
            self._times = Kept(np.zeros((), np.int64))
        return Inside(self._times).add(1)

    def _ring(self) -> None:
        self._rung = True

    def heard(self, host: bool) -> bool:
        """Whether it was rung since this was last asked; cheap of graphs that can call the host."""
        rung, self._rung = self._rung, False
        if not host and self._times is not None and self._times.get():
            self._times.put(0)
            return True
        return rung
