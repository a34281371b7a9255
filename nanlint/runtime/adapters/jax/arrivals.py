"""What comes back of derivatives and of jitted functions, in every watch: are they finite?

Nothing is added to what XLA compiles. Results are looked at when they are there: those of the first calls, later every
so-manieth and the last ones.
"""

from __future__ import annotations

import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax._src import api, core

from nanlint.runtime.adapter import EVERY, FIRST, AnyFunction, Hooked, Values, Watch, around, is_due, safely
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.adapters.jax.replay import kinds_of
from nanlint.runtime.frames import Line, place
from nanlint.runtime.health import Kinds

#: as a failure is told
RESULTS, DERIVATIVE = "the results of a jitted function", "a derivative"
#: the same of the results of a training step: what is not finite shows in the loss of the next one, which is always
#: looked at, and to look at all parameters takes as long as a tenth of a small step
FIRST_TRAINED, EVERY_TRAINED = 8, 28
#: calls whose results wait to be there; bytes of results that are held for that, of more they are only watched
MOST, LARGE = 64, 1 << 26
#: functions that give derivatives of a function, beside ``value_and_grad``, on which ``grad`` is built
DERIVATIVES = ("jacrev", "jacfwd", "jacobian", "hessian")


@dataclass(frozen=True)
class Kind:
    """Of a function that JAX compiles: its name, whether it computes a gradient, whether it writes nan by itself."""

    name: str
    trains: bool
    writes_nan: bool

    @classmethod
    def of(cls, name: str, jaxpr: Any) -> Kind:
        """What its ops tell."""
        eqns = list(_eqns(jaxpr))
        trains = any("transpose" in str(eqn.source_info.name_stack) for eqn in eqns)
        return cls(name, trains, any(_writes_nan(eqn) for eqn in eqns))


@dataclass
class Waiting:
    """A call whose results are to be looked at when they are there.

    ``given``: what it was given, if that is ``known``. The newest holds that and its results; others only watch them.
    """

    kind: Kind
    line: Line | None
    loss: Any
    given: Sequence[Callable[[], Any]]
    known: bool
    watched: Sequence[Callable[[], Any]]
    held: Values
    due: bool

    @property
    def done(self) -> bool:
        """Whether all is computed."""
        there = [x for one in self.watched if (x := one()) is not None]
        return all(x.is_deleted() or x.is_ready() for x in there if isinstance(x, jax.Array))


class Arrivals(Hooked):
    """Wraps the functions that give derivatives, and hears of calls of jitted functions."""

    def __init__(self, watch: Watch, quiet: Callable[[], Any], done: Callable[[int], None]) -> None:
        super().__init__(watch)
        self._quiet = quiet
        self._done = done
        self._calls: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._settled: weakref.WeakSet[Any] = weakref.WeakSet()
        self._waiting: deque[Waiting] = deque()
        self._derived = 0
        #: how many derivatives are being computed; how many were, of what only stands for numbers
        self._depth = self._traced = 0

    def hook(self) -> None:
        """Look at derivatives from now on."""
        watched = self._watched(api.value_and_grad, "grad()", pair=True)
        for owner in (api, jax):
            self._hooks.put(owner, "value_and_grad", watched)
        for name in DERIVATIVES:
            self._hooks.put(jax, name, self._watched(getattr(jax, name), f"{name}()"))
        for name, hook in (("jvp", self._pushed), ("vjp", self._pulled)):
            self._hooks.around(jax, name, hook, DERIVATIVE)
        self._hooks.put(jax, "vmap", self._watched(jax.vmap, "vmap()", inside=True))

    def stop(self) -> None:
        """Look at what waits, and no more."""
        super().stop()
        self.read(0)

    # ── derivatives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _watched(self, original: AnyFunction, asked: str, pair: bool = False, inside: bool = False) -> AnyFunction:
        """``inside``: the results are looked at if derivatives were taken on the way to them."""

        def derived(function: Any, *given: Any, **named: Any) -> Any:
            traced = self._traced
            self._depth += not inside
            try:
                found = function(*given, **named)
            finally:
                self._depth -= not inside
            if self._hooks and (not inside or self._traced > traced):
                self._came_back(found, (given, named), asked, pair)
            return found

        def made(original: Any, *args: Any, **options: Any) -> Any:
            return around(self._watch, DERIVATIVE, original(*args, **options), derived)

        return around(self._watch, DERIVATIVE, original, made)

    def _pushed(self, original: Any, function: Any, primals: Any, tangents: Any, *args: Any, **options: Any) -> Any:
        found = original(function, primals, tangents, *args, **options)
        self._came_back(found[1], (primals, tangents), "jvp()")
        return found

    def _pulled(self, original: Any, function: Any, *primals: Any, **options: Any) -> Any:
        """What gives the derivative is an object, which stays what it is: its class is told to show what it gives."""
        made = original(function, *primals, **options)
        kind = type(made[1])
        if kind not in (jax.tree_util.Partial, types.FunctionType) and not hasattr(kind.__call__, "nanlint"):

            def pulled(own: Any, back: Any, *given: Any) -> Any:
                found = own(back, *given)
                self._came_back(found, given, "vjp()")
                return found

            self._hooks.around(kind, "__call__", pulled, DERIVATIVE)
        return made

    def _came_back(self, found: Any, given: Any, asked: str, pair: bool = False) -> None:
        value, gradients = found if pair else (None, found)
        self._traced += any(isinstance(x, core.Tracer) for x in jax.tree.leaves(gradients))
        if self._depth or not self._hooks:
            return
        leaves = list(_arrays(gradients))
        losses = list(_arrays(value))[:1]
        if not [*leaves, *losses]:
            return
        self._derived += 1
        if is_due(self._derived - 1):
            self._tell_derived(losses, leaves, given, asked)
        self._done(self._derived)

    def _tell_derived(self, losses: Values, leaves: Values, given: Any, asked: str) -> None:
        with self._quiet():
            loss = next((x for x in losses if kinds_here(x)), None)
            bad = [x for x in leaves if kinds_here(x)]
            if loss is None and not bad:
                return
            before = Kinds().union(*(kinds_here(x) for x in _arrays(given)))
            kinds = kinds_here(loss if loss is not None else bad[0])
        if ("nan" in before or kinds <= before) and self._watch.explains(kinds):
            return
        if loss is not None:
            self._watch.arrived("loss", "the loss", loss, asked=asked)
        if bad:
            more = f" (and {len(bad) - 1:,} more)" if len(bad) > 1 else ""
            self._watch.arrived("gradient", f"the gradient{more}", bad[0], asked=asked)

    # ── jitted functions ────────────────────────────────────────────────────────────────────────────────────────────

    def made(self, function: Any, kind: Kind, arguments: Values | None, results: Values) -> None:
        """A call was made; ``arguments``: what it was given, where JAX tells."""
        calls = self._calls.get(function, 0)
        self._calls[function] = calls + 1
        self.read(MOST)
        if self._waiting:
            self._waiting[-1].held = ()
        looked = [x for x in results if isinstance(x, jax.Array) and is_inexact(x)]
        if not looked:
            return
        loss = next((x for x in looked if x.ndim == 0), None)
        trained = kind.trains and loss is not None
        first, every = (FIRST_TRAINED, EVERY_TRAINED) if trained else (FIRST, EVERY)
        if calls >= first:
            self._settled.add(function)
        due = is_due(calls, first, every)
        given = [x for x in arguments or () if _is_float(x)]
        small = sum(getattr(x, "nbytes", 0) for x in (*looked, *given)) <= LARGE
        self._waiting.append(
            Waiting(
                kind=kind,
                line=self._watch.user_line(),
                loss=loss,
                given=[_weakly(x) for x in given],
                known=arguments is not None,
                watched=[_weakly(x) for x in looked],
                due=due,
                held=[*looked, *given] if small else (),
            )
        )

    def is_settled(self, function: Any) -> bool:
        """Whether so many calls of a function were looked at that the others may come by without their arguments."""
        return function in self._settled

    def read(self, unread: int) -> None:
        """Look at the calls that are done, and at all but so many of the last."""
        while self._waiting and (len(self._waiting) > unread or self._waiting[0].done):
            safely(self._watch, RESULTS, self._judge, self._waiting.popleft(), unread == 0)

    def _judge(self, call: Waiting, last: bool) -> None:
        """Look at the loss; at the other results if it is their turn, or they are the last."""
        results = [call.loss] if call.loss is not None else []
        results += [x for one in call.watched if (call.due or last) and (x := one()) is not None and x is not call.loss]
        with self._quiet():
            before = Kinds().union(*(kinds_here(x) for one in call.given if (x := one()) is not None))
            frames = (place(*call.line),) if call.line is not None else ()
            if "nan" in before and self._watch.explains(frozenset(["nan"]), frames):
                return
            for x in results:
                kinds = kinds_here(x)
                kinds -= before if kinds <= before and self._watch.explains(kinds, frames) else frozenset()
                if not (call.kind.trains and (x is call.loss or call.known)):
                    kinds &= frozenset(() if call.kind.writes_nan and not call.kind.trains else ("nan",))
                if kinds:
                    break
            else:
                return
        name = f"a result of jit({call.kind.name})"
        what = "loss" if x is call.loss else "result"
        self._watch.arrived(what, name, x, asked="its call", frames=frames, late=True)


def _eqns(jaxpr: Any) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        yield eqn
        for part in core.jaxprs_in_params(eqn.params):
            yield from _eqns(part)


def _writes_nan(eqn: Any) -> bool:
    """Whether a nan stands in an op as a constant: the function means it."""
    values = (one.val for one in eqn.invars if isinstance(one, core.Literal))
    return any(isinstance(x, float | np.floating | np.ndarray) and bool(np.isnan(x).any()) for x in values)


def _arrays(tree: Any) -> Iterable[Any]:
    """The numbers in a tree, but those that are only traced."""
    for x in jax.tree.leaves(tree):
        if _is_float(x) and not isinstance(x, core.Tracer):
            yield x


def _is_float(x: Any) -> bool:
    return isinstance(x, float | np.ndarray | np.floating | jax.Array) and (isinstance(x, float) or is_inexact(x))


def _weakly(x: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(x)
    except TypeError:
        return lambda: x


def kinds_here(x: Any) -> Kinds:
    """What is not finite in an array, of the part of it that is here: of one on a device a number is asked first."""
    if isinstance(x, jax.Array):
        if x.is_deleted() or jax.numpy.issubdtype(x.dtype, jax.dtypes.extended):
            return frozenset()
        x = x if x.is_fully_addressable else x.addressable_data(0)
        if next(iter(x.devices())).platform != "cpu" and bool(jax.numpy.isfinite(x).all()):
            return frozenset()
    return kinds_of(x)
