"""NumPy: what arrays hold, and births through the handler of floating-point errors.

While every birth is watched, each error mode is NumPy's "log", whose handler is ours: it is told the error and the
ufunc. What the program chose with ``seterr`` and ``errstate`` lives on in the handler, which does what NumPy would do.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.random import bit_generator

from nanlint.runtime.adapter import AnyFunction, Ours, Report, Tensor, Watch, around, forgotten, safely
from nanlint.runtime.adapters.entropy import Entropy, Seeding
from nanlint.runtime.adapters.expression import Unknown, expression_at, operands_of, value_of
from nanlint.runtime.arrays import ArrayAdapter, health_of_array
from nanlint.runtime.events import Death
from nanlint.runtime.frames import frame_at
from nanlint.runtime.hooks import Hooks

#: where NumPy keeps its state of errors, since 2.0
_CORE: Any = getattr(np, "_core", None)
#: of NumPy's errors, the kinds of value that they leave behind: the first where nothing more is known
KINDS = {"divide by zero": ("pinf", "ninf"), "overflow": ("pinf", "ninf"), "invalid value": ("nan",)}
#: of the words of a message, the name that ``seterr`` has for them, and the bit that a callback is given
MODES = {
    "divide by zero": ("divide", 1),
    "overflow": ("over", 2),
    "underflow": ("under", 4),
    "invalid value": ("invalid", 8),
}
#: what computes without a look at the flags of the processor
SILENT = ("vdot", "einsum", "convolve", "correlate", "interp", "linalg.inv", "linalg.solve")
#: how often the operands of one place are looked at exactly
LOOKS = 4


class NumpyAdapter(ArrayAdapter):
    """Watches NumPy."""

    name: ClassVar[str] = "numpy"

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._errors: _Errors | None = None
        self._hooks = Hooks(watch)
        self._random = RandomState(watch)

    def start(self) -> None:
        """Take over the handler of floating-point errors: it costs nothing while all is well."""
        if self._errors is None and hasattr(_CORE, "_ufunc_config"):
            self._errors = _Errors(self.watch)
            self._errors.start()
            self._hooks.around(threading.Thread, "_bootstrap_inner", self._errors.in_thread, "a new thread")
            if importlib.util.find_spec("numba") is None:  # which compiles NumPy's functions by their identity
                for path in SILENT:
                    owner = functools.reduce(getattr, path.split(".")[:-1], np)
                    hook = functools.partial(_watched, self.watch, path)
                    self._hooks.around(owner, path.rpartition(".")[2], hook, f"NumPy's {path}")

    def stop(self) -> None:
        """Give the handler back."""
        if self._errors is not None:
            self._errors.stop()
            self._errors = None
        self._hooks.take_away()

    def owns(self, value: Any) -> bool:
        """Arrays and NumPy's scalars."""
        return isinstance(value, np.ndarray | np.generic)

    def array(self, value: Any) -> Any:
        """Itself; of a masked one counts what is not masked, of objects those that are numbers."""
        return value

    def snapshot(self) -> bytes:
        """Of the global generator; generators that are made without a seed get one from here on that is known."""
        return self._random.snapshot()

    def restore(self, state: bytes) -> None:
        """Go on as from a ``snapshot``."""
        self._random.restore(state)

    def release(self) -> None:
        """Generators that are made without a seed get theirs from the system."""
        self._random.leave()


class _Errors:
    """NumPy's state of errors with a handler of ours below what the program chose."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.heard = _Heard(watch)
        self._config: Any = _CORE._ufunc_config
        self._state: Any = _CORE.umath._extobj_contextvar
        self._make: AnyFunction = _CORE.umath._make_extobj
        self._told: Callable[[], dict[str, Any]] = _CORE.umath._get_extobj_dict

    def start(self) -> None:
        make = around(self.watch, "NumPy's seterr", self._make, self.make)
        self._config._make_extobj = make
        self._config._get_extobj_dict = around(self.watch, "NumPy's geterr", self._told, self.told)
        self._state.set(make())

    def in_thread(self, original: AnyFunction, thread: threading.Thread) -> Any:
        """A thread begins with NumPy's own state of errors, as long as it does not get that of who starts it."""
        if self.chosen() is None:
            self._state.set(self._config._make_extobj())
        return original(thread)

    def stop(self) -> None:
        chosen = self.chosen()
        self._config._make_extobj, self._config._get_extobj_dict = self._make, self._told
        self.heard.watching = False
        if chosen is not None:
            self._state.set(chosen.state)

    def chosen(self) -> _Chosen | None:
        """What the program chose in this context; None if this is not below our handler (a thread of its own)."""
        call = self._told()["call"]
        return call if isinstance(call, _Chosen) else None

    def told(self, original: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        """What the program would be told without us."""
        chosen = self.chosen()
        return original() if chosen is None else dict(chosen.modes)

    def make(self, original: AnyFunction, **changes: Any) -> Any:
        """NumPy's state of errors after the program's changes, with our handler in it."""
        chosen = self.chosen()
        # what ``with np.errstate`` chooses is meant for what it holds; ``np.seterr`` only silences
        within = sys._getframe(2).f_code.co_name in ("__enter__", "inner") or (chosen is not None and chosen.within)
        token = self._state.set(chosen.state) if chosen is not None else None
        try:
            state = original(**changes)
            inner = self._state.set(state)
            modes = self._told()
            self._state.reset(inner)
        finally:
            if token is not None:
                self._state.reset(token)
        under = "ignore" if modes["under"] == "ignore" else "log"
        return self._make(
            bufsize=modes["bufsize"],
            divide="log",
            over="log",
            invalid="log",
            under=under,
            call=_Chosen(self.heard, state, modes, within),
        )


class _Chosen:
    """What the program chose for errors, and the ``write`` that NumPy calls on one."""

    def __init__(self, heard: _Heard, state: Any, modes: dict[str, Any], within: bool) -> None:
        self.heard, self.state, self.modes, self.within = heard, state, modes, within

    def write(self, message: str) -> None:
        """Do what NumPy would have done; then report: where that raises, no value comes to be.

        ``message``: "Warning: overflow encountered in exp"
        """
        text = message.removeprefix("Warning: ").rstrip("\n")
        error, _, ufunc = text.partition(" encountered in ")
        name, bit = MODES[error]
        mode, call = self.modes[name], self.modes["call"]
        if mode == "warn":
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        elif mode == "raise":
            raise FloatingPointError(text)
        elif mode == "print":
            os.write(2, message.encode())
        elif mode == "call":
            if call is None:
                raise NameError(f"python callback specified for {error} (in  {ufunc}) but no function found.")
            call(error, bit)
        elif mode == "log":
            if call is None:
                raise NameError(f"log specified for {error} (in {ufunc}) but no object with write method found.")
            call.write(message)
        if error in KINDS and self.heard.watching:
            safely(self.heard.watch, f"NumPy's {ufunc}", self.heard, error, ufunc, sys._getframe(1), self)


class _Heard:
    """Makes births of errors: which operands had what, at which line, and whether anything was born at all."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.watching = True
        self._busy = Ours()
        self._places: dict[tuple[Any, int, str, str], tuple[int, dict[str, Any] | None]] = {}

    def __call__(self, error: str, ufunc: str, frame: FrameType, chosen: _Chosen) -> None:
        if self._busy.now:
            return
        line = self.watch.user_line()
        ignored = chosen.modes[MODES[error][0]] == "ignore"
        if line is None or (ignored and not self.watch.owns_file(frame.f_code.co_filename)):
            return  # a library knows what it does there
        place = (frame.f_code, frame.f_lasti, error, f"{line[0]}:{line[1]}")
        looks, birth = self._places.get(place, (0, None))
        if looks < LOOKS:
            with self._busy(), np.errstate(all="ignore"):
                birth = self._birth(error, ufunc, frame, chosen)
            self._places[place] = (looks + 1, birth and forgotten(birth))
        if birth is not None and ignored and chosen.within:
            where = birth["frames"][:1]
            with self.watch.ending_in(lambda: ((), Death("where the program ignores it with np.errstate", where))):
                self.watch.born(**birth)
        elif birth is not None:
            self.watch.born(**birth)

    def _birth(self, error: str, ufunc: str, frame: FrameType, chosen: _Chosen) -> Report | None:
        op = ufunc.removeprefix("scalar ")
        node = expression_at(frame.f_code, frame.f_lasti)
        inputs, result = _looked_at(node, frame)
        outputs: tuple[Tensor, ...] = ()
        notes = []
        if result is not None:
            output = health_of_array(result)
            kinds = output.bad.difference(*(x.health.bad for x in inputs))
            if error == "invalid value" and output.nan > max((x.health.nan for x in inputs), default=0):
                kinds |= {"nan"}  # beside those that were given
            outputs = (Tensor("result", output, result),)
            if not kinds or (error == "invalid value" and kinds != {"nan"}):
                return None  # nothing new; or told already with the infinities, whose flag is looked at first
        else:
            if op != ufunc and error != "invalid value":
                return None  # may as well be an integer's
            if op == "cast" and error == "invalid value":
                return None  # a nan that becomes an integer
            kinds = frozenset(KINDS[error][:1])
            notes.append(f"NumPy warned: {error} encountered in {ufunc}; its operands could not be seen")
        mode = chosen.modes[MODES[error][0]]
        if mode == "ignore":
            notes.append(f"the program suppresses the warning: errstate({MODES[error][0]}='ignore')")
        frames = self.watch.frames() or (frame_at(frame.f_code, frame.f_lineno),)
        return {
            "framework": "numpy",
            "op": op,
            "kinds": kinds,
            "inputs": inputs,
            "outputs": outputs,
            "frames": frames,
            "note": "; ".join(notes),
        }


def _looked_at(node: ast.AST | None, frame: FrameType) -> tuple[tuple[Tensor, ...], Any]:
    """The operands of an expression, and its result computed anew; nothing where that is not safe to do."""
    if node is None:
        return (), None
    names: Mapping[str, Any] = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    inputs = []
    try:
        for operand in operands_of(node):
            value = value_of(operand, names)
            if isinstance(value, np.ndarray | np.generic | int | float | complex) and not isinstance(value, bool):
                inputs.append(Tensor(ast.unparse(operand), health_of_array(np.asarray(value)), value))
        result = value_of(node, names)
    except Unknown:
        return tuple(inputs), None
    return tuple(inputs), result if isinstance(result, np.ndarray | np.generic) else None


def _inside_numpy(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "numpy"


def _watched(watch: Watch, path: str, function: AnyFunction, *args: Any, **named: Any) -> Any:
    result = function(*args, **named)
    if isinstance(result, np.ndarray | np.generic) and result.dtype.kind in "fc" and not np.isfinite(result).all():
        given = [x for x in (*args, *named.values()) if isinstance(x, np.ndarray | np.generic | list | tuple)]
        inputs = [Tensor(f"input {i}", health_of_array(x), x) for i, x in enumerate(given)]
        output = health_of_array(result)
        kinds = output.bad.difference(*(x.health.bad for x in inputs))
        if kinds and not _inside_numpy(sys._getframe(2)):
            watch.born(
                framework="numpy",
                op=path,
                kinds=kinds,
                inputs=inputs,
                outputs=[Tensor("result", output, result)],
                frames=watch.frames(),
            )
    return result


# ── random numbers ───────────────────────────────────────────────────────────────────────────────────────────────────


#: what the global generator is, unless the program has put another in its place
_GLOBAL = "MT19937"


class _State(msgspec.Struct, frozen=True):
    entropy: bytes
    key: bytes = b""
    position: int = 0
    has_normal: int = 0
    normal: float = 0.0


class RandomState(Seeding):
    """Takes and puts back what NumPy draws from."""

    def snapshot(self) -> bytes:
        """The state of now."""
        state: Any = np.random.get_state(legacy=False)
        held = _State(self.entropy.state())
        if state["bit_generator"] == _GLOBAL:
            inner = state["state"]
            numbers = inner["key"].tobytes(), int(inner["pos"]), int(state["has_gauss"]), float(state["gauss"])
            held = _State(held.entropy, *numbers)
        return msgspec.msgpack.encode(held)

    def restore(self, state: bytes) -> None:
        """Go on as from a ``snapshot``."""
        held = msgspec.msgpack.decode(state, type=_State)
        self.entropy.restore(held.entropy)
        if held.key and np.random.get_state(legacy=False)["bit_generator"] == _GLOBAL:
            key = np.frombuffer(held.key, dtype=np.uint32)
            np.random.set_state((_GLOBAL, key, held.position, held.has_normal, held.normal))

    def hook(self, entropy: Entropy) -> None:
        """Seeds are random bits."""
        if hasattr(bit_generator, "randbits"):
            self._hooks.around(bit_generator, "randbits", lambda _, many: entropy.bits(many), "NumPy's seeds")
