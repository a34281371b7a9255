"""The watch of TensorFlow's graphs: reductions beside the ops, made when a function is traced and read when it has run.

At the end of a trace, ops that can give birth to a non-finite value get a sum beside them. All sums of a graph are
stacked; where one has become non-finite, a branch counts what every op took and gave and leaves that in a variable.
One number, an alarm that all graphs share, is read after each call from Python. So it works in loops and branches,
under XLA and over replicas; nothing is copied, executed twice, or waited for in between.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context as _context
from tensorflow.python.eager.polymorphic_function import function_context as _function_context
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import gradients_util as _gradients
from tensorflow.python.saved_model import save as _save

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.tensorflow.births import BirthProbe
from nanlint.runtime.adapters.tensorflow.flagged import SiteProbe
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.kept import SCOPE, Kept
from nanlint.runtime.adapters.tensorflow.places import Places

#: function graphs of these are run where no variable of ours can be reached
_ELSEWHERE = ("Dataset",)

Probe = BirthProbe | SiteProbe
#: what a function is called when it runs, and what its graph is called in there
CALLED = re.compile(r"__(?:inference|forward)_(.*)_\d+")


class GraphWatch:
    """Puts probes into graphs as they are traced, and reads them."""

    def __init__(
        self, watch: Watch, places: Places, backward: Backward, quiet: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._watch = watch
        self._places = places
        self._backward = backward
        self._quiet = quiet
        self._local = threading.local()
        self._lock = threading.RLock()
        self._probes: list[Probe] = []
        self._alarm: Kept | None = None
        self._called: Callable[[bytes], None] = lambda name: None
        self._rung: Callable[[bytes, Sequence[Any]], None] = lambda name, inputs: None
        self._originals: tuple[Any, ...] = ()
        self._timelines: dict[bytes, Sequence[int]] = {}

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Watch graphs that are traced from now on."""
        if self._originals:
            return
        trace, gradients = _func_graph.func_graph_from_py_func, _gradients._GradientsHelper
        call, save = _context.Context.call_function, _save._build_meta_graph
        keyed = _function_context.make_function_context
        self._originals = (trace, gradients, call, save, keyed)

        def traced(name: str, python_func: Any, *args: Any, **kwargs: Any) -> Any:
            if self._busy or str(name).startswith(_ELSEWHERE):
                return trace(name, python_func, *args, **kwargs)
            return trace(name, self._probed(python_func), *args, **kwargs)

        def differentiated(ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
            found = gradients(ys, xs, *args, **kwargs)
            graph = _ops.get_default_graph()
            source = kwargs.get("src_graph")
            if source is not None and source is not graph and str(getattr(graph, "name", "")).startswith("__backward_"):
                self._safely(graph, found)
            return found

        def called(context: Any, name: bytes, tensor_inputs: Any, num_outputs: int) -> Any:
            try:
                return call(context, name, tensor_inputs, num_outputs)
            finally:
                if not self._busy:
                    self._after_call(name, tensor_inputs)

        def saved(*args: Any, **kwargs: Any) -> Any:
            with self.at_rest():
                return save(*args, **kwargs)

        def key(*args: Any, **kwargs: Any) -> Any:
            """Functions that are traced to be saved are others than those with probes."""
            found = keyed(*args, **kwargs)
            return found._replace(context=found.context._replace(xla_context_id=-1)) if self._busy else found

        self._patch(traced, differentiated, called, saved, key)

    def _patch(self, *functions: Any) -> None:
        (
            _func_graph.func_graph_from_py_func,
            _gradients._GradientsHelper,
            _context.Context.call_function,
            _save._build_meta_graph,
            _function_context.make_function_context,
        ) = functions

    def after_calls(self, called: Callable[[bytes], None]) -> None:
        """Have something done after each call of a function, with its name."""
        self._called = called

    def after_alarms(self, rung: Callable[[bytes, Sequence[Any]], None]) -> None:
        """Have something done when a probe has rung, with the name of the function and what it was given."""
        self._rung = rung

    def stop(self) -> None:
        """Put no more probes, and read no more; tell what those there are have kept."""
        if not self._originals:
            return
        for probe in self._probes:
            with self.at_rest():
                probe.finish(self._watch)
        self._patch(*self._originals)
        self._originals = ()

    @property
    def _busy(self) -> bool:
        return getattr(self._local, "busy", False)

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Ops and graphs of our own are not watched."""
        before = self._busy
        self._local.busy = True
        try:
            with self._quiet():
                yield
        finally:
            self._local.busy = before

    # ── tracing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _probed(self, python_func: Any) -> Any:
        """The function that is traced, with probes at its end."""

        def with_probes(*args: Any, **kwargs: Any) -> Any:
            outputs = python_func(*args, **kwargs)
            self._safely(_ops.get_default_graph(), outputs)
            return outputs

        return tf.__internal__.decorator.make_decorator(python_func, with_probes)

    def _safely(self, graph: Any, outputs: Any) -> None:
        try:
            with self.at_rest():
                self._put_probes(graph, outputs)
        except Exception as error:
            self._watch.alert("internal", f"tensorflow: probes: {type(error).__name__}: {error}")

    def _put_probes(self, graph: Any, outputs: Any) -> None:
        all_ops = self._watch.mode == "all" or self._watch.repeats  # in a function that may run in that step, too
        if not isinstance(graph, _func_graph.FuncGraph) or (self._watch.mode == "sentinel" and not all_ops):
            return
        kind = BirthProbe if all_ops else SiteProbe
        probe = kind.of(graph, outputs, self._watch, self._places, self._backward)
        if probe is None:
            return
        if self._alarm is None:
            self._alarm = Kept(np.zeros((), np.int64))
        before = len(graph.get_operations())
        with tf.name_scope(SCOPE):
            probe.build(self._alarm)
        if not isinstance(graph, _func_graph.FuncGraph) or graph.name.startswith("__backward_"):
            stateful = [op for op in graph.get_operations()[before:] if op._is_stateful]
            graph.control_outputs.extend(op for op in stateful if op not in graph.control_outputs)
        with self._lock:
            self._probes.append(probe)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _timeline(self, name: bytes) -> Sequence[int]:
        """The ops of the function that was called, where all are watched."""
        if self._watch.mode != "all":
            return ()
        known = self._timelines.get(name)
        if known is None:
            traced = CALLED.fullmatch(name.decode())
            graphs = [probe for probe in self._probes if traced is not None and probe.name == traced[1]]
            known = self._timelines[name] = graphs[-1].numbers(self._watch) if graphs else ()
        return known

    def _after_call(self, name: bytes, inputs: Sequence[Any]) -> None:
        """A function has run: was there an alarm? Does it count as a step?"""
        try:
            with self._lock, self.at_rest():
                for number in self._timeline(name):
                    self._watch.executed(number)
                if self._alarm is not None and self._alarm.get():
                    self._alarm.put(0)
                    self._rung(name, inputs)
                    for probe in self._probes:
                        probe.read(self._watch)
                self._called(name)
        except FloatingPointError:
            raise
        except Exception as error:
            self._watch.alert("internal", f"tensorflow: reading: {type(error).__name__}: {error}")
