"""The calls of jitted functions, of which eager ops are the smallest: which get probes, and what the probes measured.

The hook is where a jitted function is compiled and run for lack of an entry in JAX's cache in C++. What has no probes
gets its entry there, and runs as fast as ever. So does what has probes, but whose calls are not gone through again: its
entry says that its results are in a container of ours, and making that is where we hear of them. The others have none,
and come by here at every call.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax._src import array, core, pjit, source_info_util
from jax._src.core import ClosedJaxpr
from jax._src.sharding_impls import UNSPECIFIED

from nanlint.runtime.adapter import AnyFunction, Ours, Values, Watch, around, safely
from nanlint.runtime.adapters.jax.arrivals import RESULTS, Arrivals, Kind, kinds_here
from nanlint.runtime.adapters.jax.probes import Birth, Call, Function, Reader, probed
from nanlint.runtime.adapters.jax.program import frames_of_traceback
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.adapters.jax.replay import kinds_of
from nanlint.runtime.events import Death, Frames
from nanlint.runtime.fates import TEST, Ends
from nanlint.runtime.hooks import Guard, Hooks, Own

#: where JAX's own functions stand
JAX = os.path.join(os.path.dirname(jax.__file__), "")
#: as a failure is told
CALL = "a call of a jitted function"
#: where it is rarely looked: at the first calls, and at every so-manieth
FIRST, RARELY = 4, 32
#: numbers that a function gave with its probes and without them, alike, until it is trusted to (where rounding differs,
#: it was seen to do so in one of some hundred); or seconds of that, which a long step would soon exceed
COMPARED, SPENT = 1 << 17, 10.0
#: calls whose probes are not read yet: of those that may be gone through again, which hold memory, and of others
MOST_HELD, MOST_UNREAD = 4, 64
#: bytes of results that are held until a call is read; arrays that are told from others
SMALL, MOST_KEYS = 1 << 20, 4_096
#: eager ops that compare, which is no use of what they compare but where they ask if it is finite
COMPARISONS = frozenset(
    ["eq", "ne", "lt", "le", "gt", "ge", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
)
TESTS = COMPARISONS | {"isnan", "isinf", "isfinite", "is_finite", "isposinf", "isneginf"}


class Calls:
    """The hook, and the calls that are not read yet."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._readers: Sequence[Reader] = ()
        self._functions: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._known_before: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._made: weakref.WeakSet[Any] = weakref.WeakSet()
        self._unread: deque[Call] = deque()
        self._lock = threading.RLock()
        self._own = threading.local()
        #: what is computed in here is nanlint's own
        self.quiet = Ours()
        self._guard = Guard(watch, CALL)
        self._original: Any = None
        self._fastpath: Any = None
        self._most = 0
        self._hooks = Hooks(watch)
        self._keys: dict[int, tuple[Any, int]] = {}
        self._count = itertools.count()
        self.arrivals = Arrivals(watch, self.quiet, self._derived)

    def start(self, readers: Sequence[Reader]) -> None:
        """Hook in. What was compiled before is met again, and keeps the count of its calls."""
        if self._original is None:
            self._readers = readers
            self._functions, self._known_before = weakref.WeakKeyDictionary(), self._functions
            self._original, self._fastpath = pjit._pjit_call_impl_python, pjit._get_fastpath_data
            self._hooks.around(pjit, "_pjit_call_impl_python", self._call, CALL)
            self._hooks.around(pjit, "_get_fastpath_data", self._entry, CALL)
            if self._watch.mode == "all":
                read = around(self._watch, "what is read", array.ArrayImpl._value.fget, self._value)
                self._hooks.put(array.ArrayImpl, "_value", property(read))
            forget()

    def stop(self) -> None:
        """Read what is unread, and hook out."""
        if self._original is not None:
            self._hooks.take_away()
            self._original = None
            forget()
            self.read(0)

    def read(self, unread: int) -> None:
        """Read the calls that are done, and all but the ``unread`` last ones."""
        with self._lock:
            while self._unread and (len(self._unread) > unread or self._unread[0].done):
                self._read(self._unread.popleft())

    def _call(self, original: Own, *arguments: Any, jaxpr: Any, **params: Any) -> Any:
        if self._original is None or self.quiet.now or jaxpr in self._made:
            return original(*arguments, jaxpr=jaxpr, **params)
        function = self._function(jaxpr, params["name"])
        if not function.probed and not function.users:
            if not self._watch.fates.following:
                return original(*arguments, jaxpr=jaxpr, **params)
            results = original(*arguments, jaxpr=jaxpr, **params)[0]
            safely(self._watch, CALL, self._passed, function, arguments, results)
            return results, None, _NOT_YET, []
        self.read(MOST_HELD if function.again else MOST_UNREAD)
        if function.rare is not None:
            looked = function.asked < FIRST or function.asked % RARELY == 0
            function.asked += 1
            function = function.rare if looked else function
        if function.rests and (not function.users or self.arrivals.is_settled(function)):
            return self._fast(original, function, arguments, params)
        donated: Values = ()
        if function.again:  # what it was given must last until it is read
            donated = [x for x, given in zip(arguments, params["donated_invars"], strict=True) if given]
            params["donated_invars"] = (False,) * len(arguments)
        results, measured = self._run(original, function, arguments, jaxpr, params)
        original.gives((results, None, None, []))
        frames: Frames = ()
        if not function.users:  # an eager op: of a backward pass, where its forward op was; or where it is called
            traceback = source_info_util._source_info_context.context.traceback
            frames = tuple(frames_of_traceback(traceback, self._watch.owns_file)) or self._watch.frames()
        self._came(function, arguments, results, measured, donated, frames)
        return results, None, _NOT_YET if function.rests or function.plain is not None else None, []

    def _fast(self, original: Own, function: Function, arguments: Values, params: dict[str, Any]) -> Any:
        """A call that the next ones need not come by here for: an entry in C++ is made right behind it."""
        made, compiled, _, consts = self._original(*arguments, jaxpr=function.closed, **_more(function, params))
        results, measured = _split(function, made)
        original.gives((results, None, None, []))
        functions = self._functions
        self._came(function, arguments, results, measured)
        if functions is self._functions:  # else what is read has changed what is watched
            self._own.made = function, compiled, consts, measured
        return results, None, None, []

    def _entry(
        self,
        original: Own,
        executable: Any,
        out_tree: Any,
        arguments: Any,
        results: Any,
        effects: Any,
        of_constvars: Any,
        profiler: Any,
        consts: Any,
    ) -> Any:
        """JAX's entry in C++ for a call that was just made, if it can have one."""
        made = self._own.__dict__.pop("made", None)
        if made is None or executable is not None:
            entry = executable, out_tree, arguments, results, effects, of_constvars, profiler, consts
            return original(*entry)
        function, executable, consts, measured = made
        self._own.making = True
        try:
            tree = jax.tree.structure(Heard(jax.tree.unflatten(out_tree, results), tuple(measured), (self, function)))
            return self._fastpath(
                executable, tree, arguments, [*results, *measured], effects, of_constvars, None, consts
            )
        finally:
            self._own.making = False

    def heard(self, function: Function, results: Any, measured: Values) -> Any:
        """C++ made a call, and unpacks its results: what the program gets of them."""
        if getattr(self._own, "making", False):
            return Heard(results, measured, (self, function))
        if self._original is not None:
            safely(self._watch, CALL, self._hear, function, results, measured)
        return results

    def _hear(self, function: Function, results: Any, measured: Values) -> None:
        leaves = jax.tree.leaves(results)
        self.read(MOST_UNREAD)
        self._came(function, None, leaves, measured)
        function.asked += 1
        if function.rare is not None and function.asked % RARELY == 0:
            forget()  # the next call comes by

    def _came(
        self,
        function: Function,
        arguments: Values | None,
        results: Values,
        measured: Values,
        donated: Values = (),
        frames: Frames = (),
    ) -> None:
        """A call was made: have it read, and the results looked at, but those that a derivative is yet made of."""
        judged, direction = function.plain or function, _direction()
        if judged.kind is not None and True not in direction:
            safely(self._watch, RESULTS, self.arrivals.made, judged, judged.kind, arguments, results)
        loss = None if function.loss is None else results[function.loss]
        given = arguments if function.again and arguments else ()
        self._keep(Call(function, given, donated, loss, measured, frames, *direction, _kept(function, results)))

    def _run(
        self, original: Own, function: Function, arguments: Values, jaxpr: Any, params: dict[str, Any]
    ) -> tuple[list[Any], list[Any]]:
        """The results, and what the probes measured.

        Probes keep XLA from some fusions, and thereby may change how it rounds, which one number in many shows. So the
        first calls are made without them, too; if there is a difference, so are all others.
        """
        if function.same is None and (not function.users or not function.probed or jaxpr.effects):
            function.same = True  # an eager op, or what must not be done twice
        spare = params if function.same else {**params, "donated_invars": (False,) * len(arguments)}
        try:
            made = pjit._pjit_call_impl(*arguments, jaxpr=function.closed, **_more(function, spare))
        except Exception as error:
            if jaxpr.effects or any(isinstance(x, jax.Array) and x.is_deleted() for x in arguments):
                original.error = error  # it cannot be called once more
            raise
        results, measured = _split(function, made)
        if function.same:
            return results, measured
        original.gives((results, None, None, []))
        began = time.monotonic()
        plain = self._original(*arguments, jaxpr=jaxpr, **params)[0]
        if function.same is None:
            if not all(map(_identical, results, plain)):
                function.same = False
                self._differs(function, jaxpr)
            function.compared += sum(x.size for x in plain)
            function.spent += time.monotonic() - began
            if function.same is None and (function.compared >= COMPARED or function.spent > SPENT):
                function.same = True
        return plain, measured

    def _differs(self, function: Function, jaxpr: Any) -> None:
        """A function gave other numbers with probes: it gets fewer, or is run without them, too."""
        if function.plain is not None:
            function.plain.rare = None
        elif any(reader.spare for reader, _ in function.probed):
            readers = [reader for reader in self._readers if not reader.spare]
            instead = self._functions[jaxpr] = self._with_probes(jaxpr, function.name, readers)
            instead.calls = function.calls + 1
        else:
            self._watch.alert(
                "slow",
                f"each call of jit({function.name}) runs twice, with and without probes: probes change how XLA "
                "rounds, and the program gets the results without probes",
            )

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
        self.quiet.now = True
        try:
            ends = functools.cache(functools.partial(self._ends, call))
            with self._guard, self._watch.ending_in(ends):
                if self._watch.fates.following:
                    self._passed(call.function, call.arguments, [one() for one in call.results])
                for (reader, function), measured in zip(call.function.probed, call.measured, strict=False):
                    births += reader.read(function, measured, call)
                numbers = _numbers(call.loss)
        finally:
            self.quiet.now = False
            for one in call.donated:
                if isinstance(one, jax.Array):
                    one.delete()
        with self._watch.ending_in(ends):
            for birth in births:
                self._watch.born(**birth)
        self._counted(call, numbers)

    # ── what becomes of it ──────────────────────────────────────────────────────────────────────────────────────────

    def key(self, x: Any) -> int:
        """What tells an array from all others."""
        known = self._keys.get(id(x))
        if known is None or known[0]() is not x:
            if len(self._keys) > MOST_KEYS:
                self._keys = {number: one for number, one in self._keys.items() if one[0]() is not None}
            known = self._keys[id(x)] = weakref.ref(x), next(self._count)
        return known[1]

    def _value(self, original: AnyFunction, x: Any) -> Any:
        """The program reads an array."""
        if self._watch.fates.following and not self.quiet.now:
            with self.quiet():
                self._watch.fates.arrive([self.key(x)] if kinds_here(x) else ())
        return original(x)

    def _passed(self, function: Function, arguments: Values, results: Values) -> None:
        """A call, as one op to what was born before it."""
        given = [x for x in arguments if isinstance(x, jax.Array)]
        if function.name in COMPARISONS and not any(kinds_of(x) for x in arguments[1:] if np.ndim(x) == 0):
            return
        with self.quiet():
            made = [(self.key(x), bool(kinds_here(x))) for x in results if isinstance(x, jax.Array)]
        name = f"jit({function.name})" if function.users else TEST if function.name in TESTS else function.name
        self._watch.fates.passed(name, list(map(self.key, given)), made, self._watch.frames)

    def _ends(self, call: Call) -> Ends:
        """Which results of a call are not finite; it is not followed further what is in them but under ``all``."""
        hid = next((reader.hid for reader, _ in call.function.probed if reader.hid is not None), None)
        death = hid or Death(f"in jit({call.function.name})")
        found = [one() for one in call.results]
        if any(x is None or x.is_deleted() for x in found):
            return None, death
        with self.quiet():
            bad = [self.key(x) for x in found if kinds_here(x)]
        if bad and not self._watch.fates.following:
            forget()
        return bad if self._watch.mode == "all" or not bad else None, death

    def _counted(self, call: Call, numbers: dict[str, float]) -> None:
        """A call of the function that is called most is a step; without any, a derivative that is taken."""
        function = call.function.plain or call.function
        if not function.counts or call.backward:
            return
        if call.trained:  # the derivative that it is a part of counts
            self._watch.measured(**numbers)
            return
        function.calls += 1
        if function.calls >= self._most and self._watch.mode == "sentinel":
            self._judge(function, call.loss)
        self._done(function.calls, **numbers)

    def _derived(self, times: int) -> None:
        """The program has a derivative now that it took itself."""
        if times > self._most:
            self.read(0)
            self._done(times)

    def _done(self, times: int, **numbers: float) -> None:
        """Something was done so many times: if nothing else was so often, with this a step is."""
        if times > self._most:
            self._most = times
            self._watch.step(times - 1, **numbers)

    def _judge(self, function: Function, loss: Any) -> None:
        """Tell of a loss that is not finite."""
        if loss is not None and kinds_here(loss):
            what = f"the loss is {float(loss)}" if loss.ndim == 0 else f"a result of jit({function.name}) is not finite"
            self._watch.alert("non-finite", what, what="loss" if loss.ndim == 0 else "result")

    def _function(self, jaxpr: Any, name: str) -> Function:
        found = self._functions.get(jaxpr)
        if found is None:
            found = self._functions[jaxpr] = self._with_probes(jaxpr, name, self._readers)
            before = self._known_before.get(jaxpr)
            found.calls = 0 if before is None else before.calls
        return found

    def _with_probes(self, jaxpr: Any, name: str, readers: Sequence[Reader]) -> Function:
        self.quiet.now = True
        try:
            found = Function(name, _is_users(jaxpr, self._watch), loss=_loss_of(jaxpr.out_avals))
            found.arguments = tuple(jaxpr.jaxpr.debug_info.safe_arg_names(len(jaxpr.in_avals)))
            readers = [reader for reader in readers if found.users or reader.eager]
            whole = probed(ClosedJaxpr(jaxpr.jaxpr, jaxpr.consts), readers)
            found.closed, found.recorded, found.more = whole.closed, whole.recorded, whole.more
            found.probed = tuple((reader, one) for reader, one in zip(readers, whole.kinds, strict=True) if one)
            found.again = any(reader.again for reader, _ in found.probed)
            found.kind = Kind.of(name, jaxpr.jaxpr) if found.users else None
            found.counts = found.users and not (jaxpr.jaxpr.debug_info.func_filename or "").startswith(JAX)
            self._made.add(found.closed)
            if found.probed and all(reader.rare for reader, _ in found.probed):
                rare, plain = found, ClosedJaxpr(jaxpr.jaxpr, jaxpr.consts)
                found = replace(rare, closed=plain, probed=(), more=0, rare=None if jaxpr.effects else rare)
                rare.plain = found
                self._made.add(plain)
        except Exception as error:  # JAX could not trace it anew
            found = Function(name, False)
            self._watch.alert("unwatched", f"jit({name}) is not watched: {type(error).__name__}: {error}")
        finally:
            self.quiet.now = False
        return found


class Heard:
    """The results of a function and what its probes measured, as JAX unpacks them; ``to``: who hears of it."""

    def __init__(self, results: Any, measured: Values, to: tuple[Calls, Function]) -> None:
        self.results, self.measured, self.to = results, measured, to


def _unpacked(to: tuple[Calls, Function], parts: Any) -> Any:
    calls, function = to
    return calls.heard(function, *parts)


jax.tree_util.register_pytree_node(Heard, lambda one: ((one.results, one.measured), one.to), _unpacked)


class _NotYet:
    """In the words of a profiler that wants another run: there may be an entry for the next call."""

    def is_enabled(self) -> bool:
        return True

    def is_fdo_consumed(self) -> bool:
        return False


_NOT_YET = _NotYet()


def _more(function: Function, params: dict[str, Any]) -> dict[str, Any]:
    """How to run a function that has more results."""
    return {
        **params,
        "out_shardings": (*params["out_shardings"], *[UNSPECIFIED] * function.more),
        "out_layouts": (*params["out_layouts"], *[None] * function.more),
    }


def _split(function: Function, made: Values) -> tuple[list[Any], list[Any]]:
    """Its results, and those."""
    count = len(made) - function.more
    return list(made[:count]), list(made[count:])


def _direction() -> tuple[bool, bool]:
    """Whether what is called now is of a backward pass, or of one that such a pass follows."""
    stack = str(source_info_util._source_info_context.context.name_stack)
    return "transpose" in stack, "jvp" in stack and "transpose" not in stack


def _is_users(jaxpr: Any, watch: Watch) -> bool:
    """Whether a line of the user's is in a function: one that is not is an eager op."""

    def within(jaxpr: Any) -> bool:
        for eqn in jaxpr.eqns:
            if next(frames_of_traceback(eqn.source_info.traceback, watch.owns_file), None) is not None:
                return True
        return any(within(part) for eqn in jaxpr.eqns for part in core.jaxprs_in_params(eqn.params))

    return within(jaxpr.jaxpr)


def _loss_of(avals: Values) -> int | None:
    """Which result tells how training goes: the first that is one number, or else the smallest array."""
    inexact = [i for i, aval in enumerate(avals) if is_inexact(aval)]
    return min(inexact, key=lambda i: (avals[i].ndim > 0, avals[i].size), default=None)


def _numbers(loss: Any) -> dict[str, float]:
    """The loss, where there is one."""
    if loss is None or loss.ndim or loss.is_deleted() or not jax.numpy.issubdtype(loss.dtype, jax.numpy.floating):
        return {}
    return {"loss": float(loss)}


def _kept(function: Function, results: Values) -> Sequence[Callable[[], Any]]:
    """The results of a call, weakly where they are large."""
    if not function.probed:
        return ()
    arrays = [x for x in results if isinstance(x, jax.Array) and is_inexact(x)]
    small = sum(x.nbytes for x in arrays) <= SMALL
    return [functools.partial(_same, x) if small else weakref.ref(x) for x in arrays]


def _same(x: Any) -> Any:
    return x


def _identical(a: Any, b: Any) -> bool:
    """Whether two arrays are the same to the bit; one nan is like another."""
    if not a.is_fully_addressable or jax.numpy.issubdtype(a.dtype, jax.dtypes.extended):
        return True
    x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
    same = x.view(np.uint8) == y.view(np.uint8) if x.ndim else x == y
    return bool(np.all(same)) or bool(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))


def forget() -> None:
    """Let JAX's cache in C++ ask again for what it knows how to run; nothing is compiled anew."""
    pjit._cpp_pjit_cache_fun_only.clear()
    pjit._cpp_pjit_cache_explicit_attributes.clear()
