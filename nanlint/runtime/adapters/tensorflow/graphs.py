"""The watch of TensorFlow's graphs: reductions beside the ops, made when a function is traced and read when it has run.

At the end of a trace, ops that can give birth to a non-finite value get a sum beside them. All sums of a graph are
stacked; where one has become non-finite, a branch counts what every op took and gave and leaves that in a variable.
The branch also rings an alarm that all graphs share: it calls the host, so that nothing needs to be read as long as
all is well; XLA calls no host, so there a number is read after each call. So it works in loops and branches, under XLA
and over replicas; nothing is copied, executed twice, or waited for in between.
"""

from __future__ import annotations

import functools
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context as _context
from tensorflow.python.eager.polymorphic_function import function_context as _function_context
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import control_flow_util as _control
from tensorflow.python.ops import gradients_util as _gradients
from tensorflow.python.saved_model import save as _save

from nanlint.runtime.adapter import Hooked, Ours, Values, Watch, around, is_due
from nanlint.runtime.adapters.tensorflow.alarms import OURS, Alarm, Settings
from nanlint.runtime.adapters.tensorflow.arrivals import ArrivalProbe
from nanlint.runtime.adapters.tensorflow.births import BirthProbe, live_ops
from nanlint.runtime.adapters.tensorflow.clamps import ClampProbe, FilterProbe
from nanlint.runtime.adapters.tensorflow.eager import bad_of
from nanlint.runtime.adapters.tensorflow.flagged import SiteProbe, seen_in
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.places import Places
from nanlint.runtime.adapters.tensorflow.sessions import Sessions, is_run_by_session
from nanlint.runtime.adapters.tensorflow.tape_probes import Contents
from nanlint.runtime.adapters.tensorflow.tensors import array_of, health_of
from nanlint.runtime.adapters.tensorflow.variables import handles_in, value_of
from nanlint.runtime.events import Death
from nanlint.runtime.fates import Ends
from nanlint.runtime.hooks import Guard

#: as a failure is told
GRAPH = "a TensorFlow graph"

#: function graphs of these are run where no variable of ours can be reached
_ELSEWHERE = ("Dataset",)

#: seconds that what came by at flagged lines may be newer than what is written down
STALE = 2.0
#: results of these are looked at where a tape gives them
_TAPED = (b"__forward_", b"__backward_")
#: of the name of a function in a context, what is not the user's
_FUNCTION = re.compile(r"^(__inference_|__forward_|__backward_)+|_\d+$")

Probe = BirthProbe | SiteProbe | ClampProbe | FilterProbe | ArrivalProbe


@dataclass
class Called:
    """Of a function that was called: whether all probes in it can call the host; its ops, in the timeline; filters.

    ``gives``: whether its results are to be looked at; ``calls``: how often it was called.
    """

    host: bool
    timeline: Sequence[int]
    filters: Sequence[FilterProbe]
    gives: bool
    calls: int = 0


class GraphWatch(Hooked):
    """Puts probes into graphs as they are traced, and reads them."""

    def __init__(
        self,
        watch: Watch,
        places: Places,
        backward: Backward,
        quiet: Callable[[], AbstractContextManager[None]],
        follow: Callable[[], None],
    ) -> None:
        super().__init__(watch)
        self.contents = Contents()
        self.alarm = Alarm(watch)
        self.settings = Settings()
        self._places = places
        self._backward = backward
        self._quiet, self._follow = quiet, follow
        self.sessions = Sessions(watch, places, backward)
        self._busy = Ours()
        self._lock = threading.RLock()
        self._probes: list[Probe] = []
        self._tracing: weakref.WeakSet[Any] = weakref.WeakSet()
        self._calls: dict[bytes, Called] = {}
        self._told = time.monotonic()
        #: of the function in which a probe rang
        self._inputs: Values = ()
        #: told when a gradient was asked for in a graph, of target, sources and gradients
        self.after_gradient: Callable[[Any, Values, Any, str], None] = lambda *_: None
        #: told after each call of a function, of its name, and whether the call was unusual
        self.after_call: Callable[[bytes, bool], None] = lambda name, unusual: None
        #: told when a probe has rung, of the name of the function, and what it was given
        self.after_alarm: Callable[[bytes, Values], None] = lambda name, inputs: None

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def hook(self) -> None:
        """Watch graphs that are traced from now on."""

        def traced(original: Any, name: str, python_func: Any, *args: Any, **kwargs: Any) -> Any:
            if self._busy.now:
                return original(name, python_func, *args, **kwargs)
            if str(name).startswith(_ELSEWHERE):
                graph = original(name, python_func, *args, **kwargs)
                self._add_to(graph, graph.outputs, self._leave_alone)
                return graph
            return original(name, self._probed(python_func), *args, **kwargs)

        def differentiated(original: Any, ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
            graph, source = _ops.get_default_graph(), kwargs.get("src_graph")
            if source is None or source is graph:
                found = original(ys, xs, *args, **kwargs)
                original.gives(found)
                self.after_gradient(ys, tf.nest.flatten(xs), found, "tf.gradients()")
                return found
            self.settings.begins(graph, source)
            found = original(ys, xs, *args, **kwargs)
            if self._is_built_by_hand(graph):
                self._add_to(graph, found)
            return found

        def called(original: Any, context: Any, name: bytes, tensor_inputs: Any, num_outputs: int) -> Any:
            outputs = None
            try:
                outputs = original(context, name, tensor_inputs, num_outputs)
                return outputs
            finally:
                if not self._busy.now:
                    self._after_call(name, tensor_inputs, outputs)

        def saved(original: Any, *args: Any, **kwargs: Any) -> Any:
            with self.at_rest():
                return original(*args, **kwargs)

        def key(original: Any, *args: Any, **kwargs: Any) -> Any:
            """Functions that are traced to be saved, or to be called under XLA, are others than those with probes."""
            found = original(*args, **kwargs)
            if self._busy.now:
                return found._replace(context=found.context._replace(xla_context_id=-1))
            if tf.executing_eagerly() or found.context.xla_context_id:
                return found
            compiled = _control.GraphOrParentsInXlaContext(_ops.get_default_graph())
            return found._replace(context=found.context._replace(xla_context_id=-2)) if compiled else found

        self._hooks.around(_func_graph, "func_graph_from_py_func", traced, GRAPH)
        self._hooks.around(_gradients, "_GradientsHelper", differentiated, GRAPH)
        self._hooks.around(_context.Context, "call_function", called, GRAPH)
        self._hooks.around(_save, "_build_meta_graph", saved, GRAPH)
        self._hooks.around(_function_context, "make_function_context", key, GRAPH)
        self.sessions.start()

    def stop(self) -> None:
        """Put no more probes, and read no more; tell what those there are have kept."""
        if not self._hooks:
            return
        for probe in self._probes:
            with Guard(self._watch, GRAPH), self.at_rest():
                probe.read(self._watch)
                probe.tell(self._watch)
        self.sessions.stop()
        super().stop()

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Ops and graphs of our own are not watched."""
        with self._busy(), self._quiet():
            yield

    # ── tracing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _probed(self, python_func: Any) -> Any:
        """The function that is traced, with probes at its end."""

        def with_probes(original: Any, *args: Any, **kwargs: Any) -> Any:
            graph = _ops.get_default_graph()
            self._tracing.add(graph)
            self.settings.begins(graph)
            outputs = original(*args, **kwargs)
            self._add_to(graph, outputs)
            return outputs

        guarded = around(self._watch, GRAPH, python_func, with_probes)
        return tf.__internal__.decorator.make_decorator(python_func, guarded)

    def _is_built_by_hand(self, graph: Any) -> bool:
        """Whether a graph of gradients is not traced, so that nobody looks after the order of its effects."""
        return str(getattr(graph, "name", "")).startswith("__backward_") and graph not in self._tracing

    def _add_to(self, graph: Any, outputs: Any, done: Callable[[Any, Any], None] | None = None) -> None:
        with self.at_rest():
            (done or self._put_probes)(graph, outputs)

    def _put_probes(self, graph: Any, outputs: Any) -> None:
        all_ops = self._watch.mode == "all" or self._watch.repeats  # in a function that may run in that step, too
        if not isinstance(graph, _func_graph.FuncGraph):
            return
        if is_run_by_session():
            self._leave_alone(graph, outputs)
            return
        if self._watch.mode == "sentinel":
            self._leave_alone(graph, outputs)
            if not all_ops:
                return
        setting = self.settings.of(graph)
        around = (setting, self._watch, self._places, self._backward)
        probes: list[Probe | None] = [
            BirthProbe.of(graph, outputs, *around) if all_ops else None,
            SiteProbe.of(graph, outputs, *around) if self._watch.mode != "sentinel" else None,
            ClampProbe.of(graph, outputs, *around),
            FilterProbe.of(graph, outputs, setting, self._watch, self._places),
        ]
        if probes[0] is not None and setting.technique == "xla":
            self._watch.alert(
                "rounds",
                "XLA fuses other ops where all are watched: numbers that it computes may differ from those without a "
                "watch in their last digits",
            )
        before = len(graph.get_operations())
        for probe in probes:
            if probe is not None:
                self.put(probe)
        if self._is_built_by_hand(graph):
            stateful = [op for op in graph.get_operations()[before:] if op._is_stateful]
            graph.control_outputs.extend(op for op in stateful if op not in graph.control_outputs)

    def put(self, probe: Probe) -> None:
        """Put a probe into the graph that is being built, and read it from now on."""
        with tf.name_scope(self.contents.scope_of(probe)):
            probe.build(self.alarm)
        with self._lock:
            self._probes.append(probe)

    def was_given_bad(self) -> bool:
        """Whether the function in which a probe rang was given a nan."""
        arrays = (array for one in self._inputs if (array := array_of(one)) is not None)
        return any(array.dtype.kind == "f" and bool(np.isnan(array).any()) for array in arrays)

    def _leave_alone(self, graph: Any, outputs: Any) -> None:
        """A graph gets no probes at flagged lines."""
        for seen in seen_in(graph, live_ops(graph, outputs), self._watch, self._places, self._backward):
            self._watch.unwatched(seen.site)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _first_call(self, name: bytes) -> Called:
        with self.at_rest():
            probes = self.contents.of(name).all
            births = [probe for probe in probes if isinstance(probe, BirthProbe)]
            timeline = tuple(number for probe in births for number in probe.numbers(self._watch))
        filters = [probe for probe in probes if isinstance(probe, FilterProbe) and not probe.setting.host]
        gives = not name.startswith(_TAPED) and not self.contents.writes_nan(name.decode())
        return Called(all(probe.setting.host for probe in probes), timeline, filters, gives)

    def _after_call(self, name: bytes, inputs: Values, outputs: Values | None) -> None:
        """A function has run: was there an alarm? Does it count as a step? Most calls are to cost next to nothing."""
        called = self._calls.get(name)
        if called is None:
            called = self._calls[name] = self._first_call(name)
        if called.timeline and self._watch.mode == "all":
            self._watch.executed(*called.timeline)
        rung = self._heard(called.host)
        if rung or time.monotonic() - self._told > STALE:
            with self._watch.ending_in(functools.cache(functools.partial(self._ends, name, inputs, outputs))):
                self._read(name, inputs, rung)
        elif called.filters:
            with self.at_rest():
                for probe in called.filters:
                    probe.read(self._watch)
        if called.gives and not rung and is_due(called.calls):
            self._came_back(name, inputs, outputs or ())
        called.calls += 1
        self.after_call(name, rung or outputs is None)

    def _came_back(self, name: bytes, inputs: Values, outputs: Values) -> None:
        """Tell of a result that is nan, and follow it; -inf in it may be a mask."""
        with self.at_rest():
            bad = next((one for one in outputs if bad_of([one]) and health_of(one).nan), None)
            if bad is None:
                return
            held = [*inputs, *map(value_of, handles_in(inputs))]
            given = any(health_of(one).nan for one in held if bad_of([one]))
        self._follow()
        function = _FUNCTION.sub("", name.decode())
        self._watch.arrived("result", f"a result of {function}()", bad, asked="its call", given=given, followed=True)

    def _ends(self, name: bytes, inputs: Values, outputs: Values | None) -> Ends:
        """Which results of a call are not finite; what is in a variable has arrived."""
        with self.at_rest():
            stored = [value_of(one) for one in handles_in(inputs) if one._id not in OURS]
            death = Death(f"in the function {_FUNCTION.sub('', name.decode())}", self._watch.frames()[:1])
            if outputs is None or bad_of(stored):
                return None, death
            bad = bad_of(outputs)
        if bad:
            self._follow()
        return bad, death

    def _heard(self, host: bool) -> bool:
        if host:
            return self.alarm.heard(host)
        with self.at_rest():
            return self.alarm.heard(host)

    def _read(self, name: bytes, inputs: Values, rung: bool) -> None:
        with self._lock, self.at_rest():
            self._inputs = inputs if rung else ()
            if rung:
                self.after_alarm(name, inputs)
            for probe in sorted(self._probes, key=lambda one: isinstance(one, ArrivalProbe)):  # causes first
                if rung:
                    probe.read(self._watch)
                else:
                    probe.tell(self._watch)
            self._told, self._inputs = time.monotonic(), ()
