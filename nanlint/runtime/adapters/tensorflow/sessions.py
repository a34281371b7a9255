"""Sessions of TensorFlow 1: what comes back of ``Session.run``, and what the ops gave that it ran.

Nothing is added to their graphs, whose random ops are seeded by how many there are. What is looked at is fetched
beside what the program fetches, of ops that run anyhow: the loss and the gradients, what stands at flagged lines, with
``--watch all`` everything. What is inside of loops and branches cannot be fetched: what is born there is born in them.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.client import session as _session
from tensorflow.python.eager import context as _context
from tensorflow.python.framework import ops as _ops

from nanlint.runtime.adapter import Given, Hooked, Values, Watch, is_due, safely
from nanlint.runtime.adapters.tensorflow.alarms import Setting
from nanlint.runtime.adapters.tensorflow.arrivals import LOSS, dense, judge
from nanlint.runtime.adapters.tensorflow.births import BirthProbe, Rows, needed, watched_in
from nanlint.runtime.adapters.tensorflow.flagged import Seen, seen_in, tell
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.ops import READS, is_call
from nanlint.runtime.adapters.tensorflow.places import Places
from nanlint.runtime.adapters.tensorflow.rows import is_float
from nanlint.runtime.adapters.tensorflow.variables import name_of
from nanlint.runtime.arrays import health_of_array
from nanlint.runtime.events import Death
from nanlint.runtime.fates import Ends
from nanlint.runtime.health import Health, Kinds

#: as a failure is told, and as it is reported where something arrived
SESSION, ASKED = "a TensorFlow session", "Session.run()"


def is_run_by_session() -> bool:
    """Whether what is being built will be run by a session, as it is where nothing around it is eager."""
    with tf.init_scope():
        return not tf.executing_eagerly()


@dataclass
class Plan:
    """What is fetched beside some fetches. ``trains``: whether they need gradients; ``runs``: how often they came."""

    arrivals: list[tuple[str, str, Any]] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    births: BirthProbe | None = None
    born: Values = ()
    read: list[Any] = field(default_factory=list)
    trains: bool = False
    runs: int = 0

    @property
    def extra(self) -> list[Any]:
        """The tensors, once each."""
        many = [*(one for _, _, one in self.arrivals), *(one.tensor for one in self.seen), *self.born, *self.read]
        return list({one.name: one for one in many}.values())


class Sessions(Hooked):
    """Wraps ``run`` of sessions, and remembers what was differentiated in their graphs."""

    def __init__(self, watch: Watch, places: Places, backward: Backward) -> None:
        super().__init__(watch)
        self._places = places
        self._backward = backward
        self._differentiated: weakref.WeakKeyDictionary[Any, list[tuple[str, str, Any]]] = weakref.WeakKeyDictionary()
        self._plans: weakref.WeakKeyDictionary[Any, dict[Any, Plan]] = weakref.WeakKeyDictionary()

    def hook(self) -> None:
        """Look at what sessions run from now on."""
        self._hooks.around(_session.BaseSession, "run", self._run, SESSION)
        for owner in (_ops, tf.compat.v1):
            self._hooks.around(owner, "disable_eager_execution", _disabled, SESSION)

    def differentiated(self, graph: Any, targets: Any, sources: Any, gradients: Iterable[Any]) -> None:
        """A gradient was asked for while a graph of a session was built."""
        known = self._differentiated.setdefault(graph, [])
        known += [(LOSS, "the loss", one) for one in tf.nest.flatten(targets)[:1]]
        for source, gradient in zip(tf.nest.flatten(sources), gradients, strict=False):
            if gradient is not None:
                name = str(getattr(source, "name", "a tensor")).partition(":")[0]
                known.append(("gradient", f"the gradient of {name}", dense(gradient)))
        self._plans.pop(graph, None)

    # ── a run ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _run(self, original: Any, session: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
        plan = Plan()
        safely(self._watch, SESSION, self._ask, plan_of := [plan], session.graph, fetches, feed_dict)
        plan = plan_of[0]
        due = is_due(plan.runs)
        plan.runs += 1
        extra = plan.extra if due else []
        if not extra:
            found, values = original(session, fetches, feed_dict, *args, **kwargs), []
        else:
            found, values = original(session, [fetches, extra], feed_dict, *args, **kwargs)
            original.gives(found)
        given = [one for one in (feed_dict or {}).values() if isinstance(one, float | np.ndarray | np.generic | list)]
        came = {tensor.name: value for tensor, value in zip(extra, values, strict=True)}
        safely(self._watch, SESSION, self._look, plan, came, found, given)
        return found

    def _ask(self, plan: list[Plan], graph: Any, fetches: Any, feed_dict: Any) -> None:
        """What to fetch beside these; the same for the same fetches and feeds of a graph that has not grown."""
        asked, fed = list(_leaves(fetches)), list(_leaves(list(feed_dict or {})))
        key = (graph.version, *map(_name, asked), None, *map(_name, fed))
        plans = self._plans.setdefault(graph, {})
        if key not in plans:
            elements = [_element(graph, one) for one in asked]
            plans[key] = self._made(graph, elements, frozenset(_element(graph, one).name for one in fed))
        plan[0] = plans[key]

    def _made(self, graph: Any, asked: Values, fed: Kinds) -> Plan:
        live = _executed(asked, fed)
        made = (one for op in live for one in op.outputs if graph.is_fetchable(one))
        there = {one.name for one in made if not one.dtype._is_ref_dtype} | fed
        plan = Plan()
        for what, name, tensor in self._differentiated.get(graph, ()):
            if tensor.name in there and is_float(tensor):
                plan.arrivals.append((what, name, tensor))
                plan.trains = plan.trains or what == "gradient"
        seen = seen_in(graph, live, self._watch, self._places, self._backward)
        if self._watch.mode != "sentinel":
            plan.seen = [one for one in seen if one.tensor.name in there]
        for site in {one.site for one in seen}.difference(one.site for one in plan.seen):
            self._watch.unwatched(site)
        if self._watch.mode == "all":
            closed = {op: _handed_out(op, there) for op in live if is_call(op.type)}
            tensors = ((op, (*op.inputs, *closed.get(op, op.outputs))) for op in live)
            floats = [op for op, many in tensors if all(one.name in there for one in many if is_float(one))]
            rows = Rows()
            watched, _ = watched_in(floats, {}, rows, self._places, self._backward, closed)
            plan.births, plan.born = BirthProbe(Setting("", host=False), watched, rows.tensors), tuple(rows.tensors)
        reads = (one for op in live if op.type in READS for one in op.outputs)
        plan.read = [one for one in reads if one.name in there and is_float(one)] if plan.trains else []
        return plan

    # ── looks ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _look(self, plan: Plan, came: Given, found: Any, given: Values) -> None:
        """Tell of what came back, of the ops in which something was born, of what came by at flagged lines."""
        healths = {name: _health(value) for name, value in came.items()}
        with self._watch.ending_in(lambda: self._ends(plan, healths, found)):
            self._told(plan, came, healths)
        data = [*map(_health, given), *(healths[one.name] for one in plan.read if came)]
        seen = [(what, name, healths[one.name]) for what, name, one in plan.arrivals if came]
        if not any(one.bad for _, _, one in seen):
            results = (one for one in _arrays(found) if one.dtype.kind == "f")
            seen = [("result", "a result", health) for one in results if (health := _health(one)).nan]
        judge(self._watch, seen, ASKED, self._watch.frames(), any(one.bad for one in data))
        if plan.trains:
            self._step(seen)

    def _ends(self, plan: Plan, healths: Mapping[str, Health], found: Any) -> Ends:
        """Whether something bad is left of a run, as far as it can be told."""
        left = [
            *(healths[one.name] for _, _, one in plan.arrivals if one.name in healths),
            *map(_health, _arrays(found)),
        ]
        return None if not left or any(one.bad for one in left) else (), Death(f"in {ASKED}", self._watch.frames()[:1])

    def _told(self, plan: Plan, came: Given, healths: Mapping[str, Health]) -> None:
        if not came:
            return

        def numbers(names: Sequence[str]) -> tuple[list[Health], list[list[float]]]:
            there = [healths[name] for name in names]
            kept = self._watch.keep_elements if any(one.bad for one in there) else 0
            return there, [np.ravel(came[name])[:kept].tolist() for name in names]

        if plan.births is not None:
            plan.births.came_by(self._watch, *numbers([one.name for one in plan.born]))
        tensors = [one.tensor for one in plan.seen]
        tell(self._watch, plan.seen, *numbers([one.name for one in tensors]), list(map(name_of, tensors)), "")

    def _step(self, seen: Sequence[tuple[str, str, Health]]) -> None:
        losses = [one for what, _, one in seen if what == LOSS and one.size == 1]
        if losses and self._watch.mode != "sites":
            loss = _number(losses[0])
            self._watch.measured(loss=loss)
            if self._watch.mode == "sentinel" and losses[0].bad:
                self._watch.alert("non-finite", f"the loss is {loss}", frames=self._watch.frames(), what=LOSS)
        self._watch.step()


def _disabled(original: Any) -> None:
    """Nothing is eager from now on: not either what a watch has begun while it was."""
    original()
    context = _context.context_safe()
    if context is not None:
        stack = context.context_switches.stack
        stack[:] = [one for one in stack if one.enter_context_fn is not _context.eager_mode]


def _handed_out(op: Any, there: Collection[str]) -> list[Any]:
    """What a loop, a branch or a function gives, which cannot be fetched itself: what is made of it for that."""
    readers = (one for output in op.outputs for one in output.consumers() if one.type == "Identity")
    return [
        one for one in (*op.outputs, *(output for reader in readers for output in reader.outputs)) if one.name in there
    ]


def _leaves(tree: Any) -> Iterator[Any]:
    """What is in lists, tuples and dictionaries, whatever their keys are; of sparse tensors the parts."""
    if isinstance(tree, Mapping):
        tree = list(tree.values())
    if isinstance(tree, list | tuple):
        for one in tree:
            yield from _leaves(one)
    elif tree is not None:
        yield from tf.nest.flatten(tree, expand_composites=True)


def _name(one: Any) -> Any:
    """What tells a fetch or feed from others."""
    return type(one), getattr(one, "name", one)


def _element(graph: Any, one: Any) -> Any:
    """The op or tensor that a fetch or feed names."""
    return graph.as_graph_element(one, allow_tensor=True, allow_operation=True)


def _executed(asked: Iterable[Any], fed: Kinds) -> list[Any]:
    """The ops that some fetches need, in the order of their making; what is fed needs none."""
    return needed((one if isinstance(one, _ops.Operation) else one.op for one in asked if one.name not in fed), fed)


def _arrays(found: Any) -> Iterator[Any]:
    for one in _leaves(found):
        if isinstance(one, np.ndarray | np.generic):
            yield np.asarray(one)


def _health(value: Any) -> Health:
    return health_of_array(value if isinstance(value, np.ndarray) else np.asarray(value))


def _number(health: Health) -> float:
    if not health.bad:
        return health.low or 0.0
    return float("nan") if health.nan else float("inf") if health.pinf else float("-inf")
