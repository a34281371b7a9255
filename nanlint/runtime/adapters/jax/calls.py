"""The calls of jitted functions, of which eager ops are the smallest: which get probes, and what the probes measured.

The hook is where a jitted function is compiled and run for lack of an entry in JAX's cache in C++; what has probes is
given no entry there, and so comes by at every call. What has none gets its entry, and runs as fast as ever.
"""

from __future__ import annotations

import threading
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax._src import core, pjit, source_info_util
from jax._src.sharding_impls import UNSPECIFIED
from jax.extend.core import ClosedJaxpr

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.jax.places import frames_of_traceback
from nanlint.runtime.adapters.jax.probes import Probed
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.adapters.jax.replay import kinds_of
from nanlint.runtime.events import Frame

#: the arguments of ``Watch.born``
Birth = dict[str, Any]

#: calls whose probes are not read yet; more of them hold too much memory
MOST_UNREAD = 2


@dataclass(eq=False)
class Function:
    """A function as JAX compiles it, with the probes of each reader that has some; ``closed`` has them all.

    ``users``: it has lines of the user's. ``loss``: which result tells how training goes. ``again``: a reader goes
    through calls again, for which it needs what they were given. ``same``: with probes its results are bit for bit the
    same, as far as was seen at its first call; None before that.
    """

    name: str
    users: bool
    closed: Any = None
    probed: tuple[tuple[Reader, Probed], ...] = ()
    loss: int | None = None
    same: bool | None = None
    again: bool = False
    calls: int = 0


@dataclass(frozen=True, eq=False)
class Call:
    """One call: what was given (if it may be gone through again), its loss, what the probes of each reader measured.

    ``frames``: of an eager op. ``donated``: what of ``arguments`` the program gave away.
    """

    function: Function
    arguments: Sequence[Any]
    donated: Sequence[Any]
    loss: Any
    measured: Sequence[Any]
    frames: tuple[Frame, ...]
    backward: bool

    @property
    def done(self) -> bool:
        """Whether all is computed."""
        last = self.measured[-1] if self.measured else self.loss
        return last is None or bool(last.is_ready())


class Reader(ABC):
    """What is done with functions and their calls. ``again``: a call may be gone through again."""

    again = False

    @abstractmethod
    def probed(self, closed: Any, users: bool) -> Probed | None:
        """A function with probes, or None to leave it as it is. May raise what JAX raises."""

    @abstractmethod
    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """A call was made, and what its probes measured is there: its births, to be told."""


class Calls:
    """The hook, and the calls that are not read yet."""

    def __init__(self, watch: Watch, readers: Sequence[Reader]) -> None:
        self._watch, self._readers = watch, readers
        self._functions: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._made: weakref.WeakSet[Any] = weakref.WeakSet()
        self._unread: deque[Call] = deque()
        self._lock = threading.RLock()
        self._own = threading.local()
        self._original: Any = None
        self._most = 0

    def start(self) -> None:
        """Hook in. What was compiled before is met again."""
        if self._original is None:
            self._original = pjit._pjit_call_impl_python
            pjit._pjit_call_impl_python = self._call
            _forget()

    def stop(self) -> None:
        """Read what is unread, and hook out."""
        if self._original is not None:
            pjit._pjit_call_impl_python = self._original
            self._original = None
            self.read(0)

    def read(self, unread: int) -> None:
        """Read the calls that are done, and all but the ``unread`` last ones."""
        with self._lock:
            while self._unread and (len(self._unread) > unread or self._unread[0].done):
                self._read(self._unread.popleft())

    def _call(self, *arguments: Any, jaxpr: Any, **params: Any) -> Any:
        if self._original is None or getattr(self._own, "busy", False) or jaxpr in self._made:
            original = self._original or pjit._pjit_call_impl_python
            return original(*arguments, jaxpr=jaxpr, **params)
        function = self._function(jaxpr, params["name"])
        if not function.probed and not (function.users and self._watch.mode == "sentinel"):
            return self._original(*arguments, jaxpr=jaxpr, **params)
        self.read(MOST_UNREAD)
        donated: Sequence[Any] = ()
        if function.again:  # what it was given must last until it is read
            donated = [x for x, given in zip(arguments, params["donated_invars"], strict=True) if given]
            params["donated_invars"] = (False,) * len(arguments)
        results, measured = self._run(function, arguments, jaxpr, params)
        frames: tuple[Frame, ...] = ()
        context = source_info_util._source_info_context.context
        if not function.users:  # an eager op: of a backward pass, where its forward op was; or where it is called
            frames = tuple(frames_of_traceback(context.traceback, self._watch.owns_file)) or self._watch.frames()
        backward = "transpose" in str(context.name_stack)
        kept = arguments if function.again else ()
        loss = None if function.loss is None else results[function.loss]
        self._keep(Call(function, kept, donated, loss, measured, frames, backward))
        return results, None, None, []

    def _run(
        self, function: Function, arguments: Sequence[Any], jaxpr: Any, params: dict[str, Any]
    ) -> tuple[list[Any], list[Any]]:
        """The results, and what the probes measured.

        Probes keep XLA from some fusions, and thereby may change how it rounds. So the first call is made without
        them, too; if there is a difference, so are all others: what the program gets is never another number.
        """
        count = len(function.probed)
        if function.same is None and (not function.users or not count or jaxpr.effects):
            function.same = True  # an eager op, or what must not be done twice
        spare = params if function.same else {**params, "donated_invars": (False,) * len(arguments)}
        more = {
            "out_shardings": (*params["out_shardings"], *[UNSPECIFIED] * count),
            "out_layouts": (*params["out_layouts"], *[None] * count),
        }
        made = pjit._pjit_call_impl(*arguments, jaxpr=function.closed, **{**spare, **more})
        results, measured = made[: len(made) - count], made[len(made) - count :]
        if function.same:
            return results, measured
        plain = self._original(*arguments, jaxpr=jaxpr, **params)[0]
        if function.same is None:
            function.same = all(map(_identical, results, plain))
            if not function.same:
                self._watch.alert("slow", f"jit({function.name}) runs twice: with probes XLA rounds in another way")
        return plain, measured

    def _keep(self, call: Call) -> None:
        with self._lock:
            if call.frames or self._watch.prompt:
                self.read(0)
                self._read(call)
            else:
                self._unread.append(call)

    def _read(self, call: Call) -> None:
        births: list[Birth] = []
        numbers: dict[str, float] = {}
        self._own.busy = True
        try:
            for (reader, probed), measured in zip(call.function.probed, call.measured, strict=True):
                births += reader.read(probed, measured, call)
            numbers = _numbers(call.loss)
        except Exception as error:  # a look at the program's arrays must not become its failure
            self._watch.alert("internal", f"{type(error).__name__}: {error}")
        finally:
            self._own.busy = False
            for one in call.donated:
                if isinstance(one, jax.Array):
                    one.delete()
        for birth in births:
            self._watch.born(**birth)
        function = call.function
        if function.users:
            function.calls += 1
            if function.calls >= self._most:
                self._most = function.calls
                if self._watch.mode == "sentinel":
                    self._judge(function, call.loss)
                self._watch.step(function.calls - 1, **numbers)

    def _judge(self, function: Function, loss: Any) -> None:
        """Tell of a loss that is not finite."""
        if loss is not None and kinds_of(loss):
            what = f"the loss is {float(loss)}" if loss.ndim == 0 else f"a result of jit({function.name}) is not finite"
            self._watch.alert("non-finite", what, what="loss" if loss.ndim == 0 else "result")

    def _function(self, jaxpr: Any, name: str) -> Function:
        found = self._functions.get(jaxpr)
        if found is None:
            self._own.busy = True
            try:
                found = Function(name, _is_users(jaxpr, self._watch), loss=_loss_of(jaxpr.out_avals))
                found.closed = ClosedJaxpr(jaxpr.jaxpr, jaxpr.consts)
                for reader in self._readers:
                    probed = reader.probed(found.closed, found.users)
                    if probed is not None:
                        found.closed = probed.closed
                        found.probed = (*found.probed, (reader, probed))
                        found.again |= reader.again
                self._made.add(found.closed)
            except Exception as error:  # JAX could not trace it anew
                found = Function(name, False)
                self._watch.alert("unwatched", f"jit({name}) is not watched: {type(error).__name__}: {error}")
            finally:
                self._own.busy = False
            self._functions[jaxpr] = found
        return found


def _is_users(jaxpr: Any, watch: Watch) -> bool:
    """Whether a line of the user's is in a function: one that is not is an eager op."""

    def within(jaxpr: Any) -> bool:
        for eqn in jaxpr.eqns:
            if next(frames_of_traceback(eqn.source_info.traceback, watch.owns_file), None) is not None:
                return True
        return any(within(part) for eqn in jaxpr.eqns for part in core.jaxprs_in_params(eqn.params))

    return within(jaxpr.jaxpr)


def _loss_of(avals: Sequence[Any]) -> int | None:
    """Which result tells how training goes: the first that is one number, or else the smallest array."""
    inexact = [i for i, aval in enumerate(avals) if is_inexact(aval)]
    return min(inexact, key=lambda i: (avals[i].ndim > 0, avals[i].size), default=None)


def _numbers(loss: Any) -> dict[str, float]:
    """The loss, where there is one."""
    if loss is None or loss.ndim or not jax.numpy.issubdtype(loss.dtype, jax.numpy.floating):
        return {}
    return {"loss": float(loss)}


def _identical(a: Any, b: Any) -> bool:
    """Whether two arrays are the same to the bit; one nan is like another."""
    if not a.is_fully_addressable or jax.numpy.issubdtype(a.dtype, jax.dtypes.extended):
        return True
    x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
    same = x.view(np.uint8) == y.view(np.uint8) if x.ndim else x == y
    return bool(np.all(same)) or bool(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))


def _forget() -> None:
    """Let JAX's cache in C++ ask again for what it knows how to run; nothing is compiled anew."""
    pjit._cpp_pjit_cache_fun_only.clear()
    pjit._cpp_pjit_cache_explicit_attributes.clear()
