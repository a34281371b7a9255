"""A traced function as one list of ops: calls of functions that only name a part of it are opened up.

Loops, branches and rematerialised parts stay one op each, whose parts are programs again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from jax._src import core, source_info_util
from jax._src import linear_util as lu
from jax._src.core import ClosedJaxpr, Literal
from jax._src.interpreters import partial_eval as pe
from jax._src.lib import xla_client
from jax._src.sharding_impls import UnspecifiedValue

from nanlint.diagnostic import Span
from nanlint.runtime.adapter import AnyFunction, Values
from nanlint.runtime.events import Frame, Frames
from nanlint.runtime.frames import place

#: a value of a program: its number, or a constant that stands in the code
Value: TypeAlias = "int | Literal"

#: primitives that call a part which could as well stand in the caller, and the parameter that holds it
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}

#: primitives whose derivative is made of further ones, which JAX then computes right behind them
# fmt: off
CURVED = frozenset(
    (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "digamma", "div", "erf",
        "erf_inv", "erfc", "exp", "exp2", "expm1", "integer_pow", "lgamma", "log", "log1p", "logistic", "pow", "rsqrt",
        "sin", "sinh", "sqrt", "square", "tan", "tanh",
    )
)
# fmt: on


@dataclass(frozen=True, eq=False)
class Op:
    """One op: what it reads and writes, and the calls that it was opened up from, outermost first.

    ``derivative``: JAX made it of the op before it, as part of that one's derivative.
    """

    eqn: Any
    inputs: tuple[Value, ...]
    outputs: tuple[int, ...]
    calls: tuple[Any, ...]
    derivative: bool

    @property
    def name(self) -> str:
        """The primitive."""
        return str(self.eqn.primitive.name)

    @property
    def backward(self) -> bool:
        """Whether it computes a gradient."""
        return self.derivative or any("transpose" in str(one.source_info.name_stack) for one in (*self.calls, self.eqn))


@dataclass(frozen=True, eq=False)
class Program:
    """A traced function: the numbers of its arguments and results, its constants by number, its ops in order."""

    inputs: tuple[int, ...]
    constants: tuple[tuple[int, Any], ...]
    ops: tuple[Op, ...]
    outputs: tuple[Value, ...]


def is_backward(op: Op, inside: Sequence[Op]) -> bool:
    """Whether an op computes a gradient, as it or the loop that it is in says; not what a checkpoint makes again."""
    again = any("rematted" in str(eqn.source_info.name_stack) for eqn in (*op.calls, op.eqn))
    return op.backward or (not again and any(one.backward for one in inside))


def parts_of(op: Op) -> tuple[Program, ...]:
    """The programs inside an op: the body of a loop, the branches of a condition."""
    return tuple(program_of(part) for part in _parts(op.eqn))


def program_of(closed: ClosedJaxpr) -> Program:
    """A traced function as a program."""
    counter = iter(range(1 << 62))
    constants: list[tuple[int, Any]] = []
    ops: list[Op] = []

    def walk(jaxpr: Any, consts: Values, inputs: Sequence[Value], calls: tuple[Any, ...]) -> list[Value]:
        names: dict[Any, Value] = dict(zip(jaxpr.invars, inputs, strict=True))
        for var, const in zip(jaxpr.constvars, consts, strict=True):
            names[var] = number = next(counter)
            constants.append((number, const))

        def read(atom: Any) -> Value:
            return atom if isinstance(atom, core.Literal) else names[atom]

        before: Any = None
        for eqn in jaxpr.eqns:
            given = [read(atom) for atom in eqn.invars]
            inner = _opened(eqn)
            if inner is not None:
                results = walk(inner.jaxpr, inner.consts, given, (*calls, eqn))
            else:
                results = [next(counter) for _ in eqn.outvars]
                trace = _trace(eqn)
                derivative = before is not None and trace == before
                ops.append(Op(eqn, tuple(given), tuple(results), calls, derivative))
                if not derivative:
                    before = trace if eqn.primitive.name in CURVED else None
            names.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    arguments = tuple(next(counter) for _ in closed.jaxpr.invars)
    results = walk(closed.jaxpr, closed.consts, arguments, ())
    return Program(arguments, tuple(constants), tuple(ops), tuple(results))


def run(program: Program, arguments: Values, step: Callable[[Op, list[Any]], Values]) -> list[Any]:
    """Evaluate a program with numbers or tracers: ``step`` gives the results of an op. Values are let go after use."""
    values: dict[int, Any] = dict(program.constants)
    values.update(zip(program.inputs, arguments, strict=True))
    last = {value: i for i, op in enumerate(program.ops) for value in op.inputs if isinstance(value, int)}
    kept = {value for value in program.outputs if isinstance(value, int)}

    def read(value: Value) -> Any:
        return values[value] if isinstance(value, int) else value.val

    for i, op in enumerate(program.ops):
        given = [read(value) for value in op.inputs]
        values.update(zip(op.outputs, step(op, given), strict=True))
        for value in {one for one in (*op.inputs, *op.outputs) if isinstance(one, int)} - kept:
            if last.get(value, i) == i:
                del values[value]
    return [read(value) for value in program.outputs]


def bind(op: Op, given: Values) -> Values:
    """What JAX itself does for an op, in the name of its place in the source."""
    with _in_place_of(op):
        bound = op.eqn.primitive.get_bind_params(op.eqn.params)
        functions, params = bound if isinstance(bound, tuple) else ((), bound)
        result = op.eqn.primitive.bind(*functions, *given, **params)
    return list(result) if op.eqn.primitive.multiple_results else [result]


def rebind(op: Op, function: AnyFunction, *given: Any) -> Any:
    """The result of ``function`` in the place of an op."""
    with _in_place_of(op):
        return function(*given)


def traced(function: Callable[..., Values], avals: Values, like: Any) -> ClosedJaxpr:
    """Trace a function of arrays of exactly these types; names and origin are those of the jaxpr ``like``."""
    debug = like.debug_info.with_unknown_names()
    wrapped = lu.wrap_init(lambda *args: tuple(function(*args)), debug_info=debug)
    jaxpr, _, consts = pe.trace_to_jaxpr_dynamic(wrapped, list(avals))
    return ClosedJaxpr(jaxpr, consts)


@contextmanager
def _in_place_of(op: Op) -> Iterator[None]:
    """The context of an op: its place in the source, its name scopes, and the settings that it was traced under."""
    stack = source_info_util.current_name_stack()
    for one in (*op.calls, op.eqn):
        stack = stack + one.source_info.name_stack
    with source_info_util.user_context(op.eqn.source_info.traceback, name_stack=stack), op.eqn.ctx.manager:
        yield


def _opened(eqn: Any) -> Any:
    """The part that a call opens up to; None for what is no call, or one that asks for placement on devices."""
    name = eqn.primitive.name
    if name not in CALLS:
        return None
    shardings = (*eqn.params.get("in_shardings", ()), *eqn.params.get("out_shardings", ()))
    if any(not isinstance(one, UnspecifiedValue) for one in shardings):
        return None
    return eqn.params[CALLS[name]]


def _parts(eqn: Any) -> Iterator[ClosedJaxpr]:
    for name in ("jaxpr", "call_jaxpr", "cond_jaxpr", "body_jaxpr", "branches"):
        held = eqn.params.get(name)
        for one in held if isinstance(held, tuple) else (held,):
            if isinstance(one, core.ClosedJaxpr):
                yield one
            elif isinstance(one, core.Jaxpr):
                yield _closed(one)


@functools.lru_cache(maxsize=256)
def _closed(jaxpr: Any) -> ClosedJaxpr:
    return ClosedJaxpr(jaxpr, ())


def _trace(eqn: Any) -> Any:
    """What ops have in common that JAX made of one op of the user's."""
    if eqn.source_info.traceback is None:
        return None
    code, instructions = eqn.source_info.traceback.raw_frames()
    return tuple(map(id, code)), tuple(instructions)


# ── where ops stand ──────────────────────────────────────────────────────────────────────────────────────────────────


_location = xla_client.Traceback.code_addr2location


def frames_of(op: Op, inside: Sequence[Op], owns: Callable[[str], bool]) -> Frames:
    """The user's frames of an op, innermost first: its own, then those of the calls and loops that it is in."""
    around = [eqn for one in inside for eqn in (*one.calls, one.eqn)]
    found: list[Frame] = []
    for eqn in (op.eqn, *reversed((*around, *op.calls))):
        found += (frame for frame in frames_of_traceback(eqn.source_info.traceback, owns) if frame not in found)
    return tuple(found)


def spans_of(op: Op, owns: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The expressions of the user's that an op stands in, innermost first: path and span. None before Python 3.11."""
    for eqn in (op.eqn, *reversed(op.calls)):
        traceback = eqn.source_info.traceback
        for code, instruction in zip(*traceback.raw_frames(), strict=True) if traceback is not None else ():
            if owns(code.co_filename):
                row, column, end_row, end_column = _location(code, instruction)
                yield code.co_filename, Span(row, column + 1, end_row, end_column + 1)


def frames_of_traceback(traceback: Any, owns: Callable[[str], bool]) -> Iterator[Frame]:
    """The user's frames of a stack that JAX kept, innermost first."""
    if traceback is None:
        return
    for code, instruction in zip(*traceback.raw_frames(), strict=True):
        if owns(code.co_filename):
            line, column, *_ = _location(code, instruction)
            yield place(code.co_filename, line, code.co_name, column + 1)
