"""The concrete interpreter: a slice, numbers for its sources, a framework -> what every step gives.

Nothing of the user's is imported or run: a step is an op of the catalogue, executed as its framework spells it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nanlint.graph.conditions import FILLED
from nanlint.graph.node import TUPLE
from nanlint.ops.floats import FORMATS
from nanlint.ops.op import OPS
from nanlint.proof.backend import Backend, Numbers, Unsupported
from nanlint.proof.slice import MASKS, Slice, Step, counts, is_mask, last_index

Inputs = Mapping[int, tuple[float, ...]]

#: powers of whole numbers are kept whole up to this exponent
LARGEST_EXPONENT = 64


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent, NaN where an array's would be.

    Of whole numbers without the digits that no memory holds. Raises OverflowError for those.
    """
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) > LARGEST_EXPONENT:
        base = float(base)
    result = operator.pow(base, exponent)
    return math.nan if isinstance(result, complex) else result


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": power,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
#: ops that hand a row on as it is
SAME = frozenset(
    {"view", "tensor", "identity", "shuffle", "diagonal", "dropout", "interpolate", "list", "append", TUPLE}
)
#: of whole rows, and of Python's own values
LOGICAL: Mapping[str, tuple[Callable[[Any, Any], Any], Callable[[Sequence[bool]], bool]]] = {
    "and": (operator.and_, all),
    "or": (operator.or_, any),
}
#: the rows that a slice makes itself, of so many numbers. The Fourier transform of one or two has as frequencies none,
#: and half the rate of the samples.
ROWS: Mapping[str, Callable[[int], list[float]]] = {
    **dict.fromkeys(("zeros", "empty"), lambda width: [0.0] * width),
    "ones": lambda width: [1.0] * width,
    **dict.fromkeys(("eye", "one_hot"), lambda width: [0.0] * (width - 1) + [1.0]),
    "frequencies": lambda width: [0.0, -0.5][:width],
    "positive_frequencies": lambda width: [0.0, 0.5][:width],
}
#: turns of loops inside loops
MAX_TURNS = 3
#: bins of a count
MAX_BINS = 16


class Infeasible(Exception):
    """The program does not get here with these numbers: a guard on the way stops them, or Python raises."""


class Cannot(Exception):
    """A step that cannot be computed, by its number. ``ever``: whatever the numbers."""

    def __init__(self, step: int, *, ever: bool = True) -> None:
        super().__init__(step)
        self.step = step
        self.ever = ever


class Execution:
    """One run of a slice. ``inputs``: numbers of each source, and the way taken at each choice.

    ``width``: length of the rows that the slice itself makes. ``seen``: decisions of an earlier run on the same inputs,
    which a framework that traces instead of computing has to follow.
    """

    def __init__(
        self,
        program: Slice,
        backend: Backend,
        inputs: Inputs,
        *,
        width: int,
        seen: dict[tuple[int, int], Any] | None = None,
    ) -> None:
        self.program = program
        self.backend = backend
        self.inputs = inputs
        self.width = width
        self.seen: dict[tuple[int, int], Any] = {} if seen is None else seen
        self.rows: dict[int, Numbers] = {}
        self._memo: dict[tuple[int, int], Numbers] = {}

    def value(self, i: int, turns: int = 0) -> Numbers:
        """What step ``i`` gives, in loops before the turn with ``turns`` before it.

        Raises:
            Infeasible: if these inputs do not lead there.
            Cannot: if some step cannot be computed.
        """
        key = (i, turns)
        if key not in self._memo:
            self._memo[key] = self.compute(i, turns)
        return self._memo[key]

    def reached(self, i: int) -> bool:
        """Whether a step was computed on the way."""
        return any(step == i for step, _ in self._memo)

    def numbers(self, i: int) -> tuple[float, ...]:
        return self.read(i, self.value(i))

    def read(self, i: int, x: Numbers) -> tuple[float, ...]:
        if x is None or isinstance(x, str):
            raise Cannot(i)
        if isinstance(x, tuple):
            return tuple(n for part in x for n in self.read(i, part))
        return self.backend.numbers(x)

    def observe(self, i: int, turns: int, look: Callable[[], Any]) -> Any:
        """What is decided by looking at numbers, the same in every run on the same inputs."""
        key = (i, turns)
        if key not in self.seen:
            self.seen[key] = look()
        return self.seen[key]

    def compute(self, i: int, turns: int) -> Numbers:
        step = self.program.steps[i]
        if step.sort is not None:
            return self.given(i, step)
        try:
            # of what nothing flows back, a gradient knows the value alone
            held = step.op in OPS and OPS[step.op].stops_gradient
            return self.observe(i, turns, lambda: self.result(i, step, turns)) if held else self.result(i, step, turns)
        except (Infeasible, Cannot):
            raise
        except (ZeroDivisionError, OverflowError):
            raise Infeasible from None
        except Unsupported as error:
            raise Cannot(i) from error
        except Exception as error:
            raise Cannot(i, ever=False) from error

    def result(self, i: int, step: Step, turns: int) -> Numbers:
        """What a step gives that is no source."""
        special = SPECIAL.get(step.op)
        if special is not None:
            return special(self, i, step, turns)
        if step.op in SAME:
            return self.same(i, step, turns)
        if step.op in ROWS:
            return self.made(step, ROWS[step.op](self.width))
        return self.operate(step, {name: self.value(a, turns) for name, a in step.args.items()})

    def given(self, i: int, step: Step) -> Numbers:
        """A source: its numbers as a row, or as the Python number it is."""
        if i in self.rows:
            return self.rows[i]
        numbers = self.inputs.get(i)
        if numbers is None:
            raise Cannot(i)
        if step.domain.scalar:
            return int(numbers[0]) if step.domain.whole else numbers[0]
        return self.backend.row(numbers, step.domain.format)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────────────────────────

    def operate(self, step: Step, operands: Mapping[str, Numbers]) -> Numbers:
        """An op of the catalogue on its operands."""
        found = {k: self.joined(x) if isinstance(x, tuple) else x for k, x in operands.items() if x is not None}
        if str in map(type, found.values()):
            raise Unsupported(step.op)
        if step.op in OPERATORS:
            a, b = found.values()
            try:
                return OPERATORS[step.op](a, b)
            except (ZeroDivisionError, OverflowError):
                raise
            except Exception:
                return OPERATORS[step.op](self.number(a), self.number(b))
        if step.op == "neg":
            return -found["x"]
        result = self.backend.call(step, found)
        return self.backend.flat(result)

    def number(self, x: Numbers) -> Numbers:
        """A condition as the number it is used as."""
        return self.backend.cast(x, "float32") if self.backend.is_row(x) else float(x)

    def joined(self, x: Numbers, fmt: str = "float32") -> Numbers:
        """A tuple used as an array of a format: its elements in a row."""
        if not isinstance(x, tuple):
            return x
        return self.backend.concat([self.as_row(part, fmt) for part in x])

    def as_row(self, x: Numbers, fmt: str = "float32") -> Numbers:
        x = self.joined(x, fmt)
        if x is None or isinstance(x, str):
            raise Unsupported("no number")
        return x if self.backend.is_row(x) else self.backend.row([float(x)], fmt)

    # ── what is no op of a framework ────────────────────────────────────────────────────────────────────────────────

    def same(self, i: int, step: Step, turns: int) -> Numbers:
        values = [self.value(a, turns) for name, a in step.args.items() if name != "index"]
        if step.op in (TUPLE, "list", "append"):
            return tuple(values)
        if step.op == "tensor":
            row = self.as_row(values[0], step.domain.format)
            return self.backend.cast(row, step.attrs["dtype"]) if step.attrs.get("dtype") else row
        return values[0]

    def do_const(self, i: int, step: Step, turns: int) -> Numbers:
        value = step.attrs.get("value")
        return value if value is None or isinstance(value, (bool, int, float, str)) else None

    def do_object(self, i: int, step: Step, turns: int) -> Numbers:
        return None

    do_slice = do_object

    def do_concat(self, i: int, step: Step, turns: int) -> Numbers:
        return self.as_row(self.value(step.args["x"], turns))

    def do_refine(self, i: int, step: Step, turns: int) -> Numbers:
        """What a path says of a value: numbers that it does not hold for do not come here."""
        x = self.value(step.args["x"], turns)

        def holds() -> bool:
            try:
                bound = self.read(i, self.value(step.args["by"], turns))
                numbers = self.read(i, x)
            except Cannot:
                return True
            compare = OPERATORS.get(step.attrs["cmp"])
            if compare is None:
                return step.attrs["cmp"] != FILLED or bool(numbers)
            return all(compare(n, bound[k % len(bound)]) for k, n in enumerate(numbers)) if bound else True

        if not self.observe(i, turns, holds):
            raise Infeasible
        return x

    def do_phi(self, i: int, step: Step, turns: int) -> Numbers:
        """One of two branches: by the condition, or as chosen."""
        if i in self.inputs:
            taken = self.inputs[i][0] == 0
        else:
            taken = self.observe(i, turns, lambda: all(self.read(i, self.value(step.args["cond"], turns))))
        other = "b" if taken else "a"
        value = self.value(step.args["a" if taken else "b"], turns)
        return self.value(step.args[other], turns) if value is None else value

    def do_loop(self, i: int, step: Step, turns: int) -> Numbers:
        """A variable of a loop: as it was before, or after a turn."""
        wanted = int(self.inputs[i][0]) if i in self.inputs else 0
        if turns >= min(wanted, MAX_TURNS) or "back" not in step.args:
            return self.value(step.args["pre"], turns)
        return self.value(step.args["back"], turns + 1)

    def do_where(self, i: int, step: Step, turns: int) -> Numbers:
        cond, a, b = (self.value(step.args[name], turns) for name in ("cond", "a", "b"))
        alike = [self.program.steps[step.args[name]].op in ("zeros", "ones") for name in ("a", "b")]
        if alike[0] != alike[1]:
            # beside other numbers they are as many as these
            a, b = (self.backend.take(x, [0]) if like else x for x, like in zip((a, b), alike, strict=True))
        held = self.observe(i, turns, lambda: self.backend.truth(self.as_row(cond)))
        return self.backend.where(held, self.joined(a), self.joined(b))

    def do_not(self, i: int, step: Step, turns: int) -> Numbers:
        x = self.value(step.args["x"], turns)
        return ~self.backend.truth(x) if self.backend.is_row(x) else not x

    def do_and(self, i: int, step: Step, turns: int) -> Numbers:
        combine, over = LOGICAL[step.op]
        values = [self.value(a, turns) for a in step.args.values()]
        if any(map(self.backend.is_row, values)):
            a, b = (self.backend.truth(self.as_row(v)) for v in values)
            return combine(a, b)
        return over([bool(v) for v in values])

    do_or = do_and

    def do_part(self, i: int, step: Step, turns: int) -> Numbers:
        """Elements that an index takes; where it is not known which, as chosen: all, the first, the last."""
        x = self.value(step.args["x"], turns)
        if isinstance(x, tuple) and "index" in step.args:
            at = self.program.steps[step.args["index"]].attrs.get("value")
            if isinstance(at, int) and -len(x) <= at < len(x):
                return x[at]
        x = self.joined(x)
        if not self.backend.is_row(x) or "index" not in step.args:
            return x
        index = last_index(self.program, self.program.steps[step.args["index"]])
        length = self.observe(i, turns, lambda: len(self.backend.numbers(x)))
        if index.op in MASKS or is_mask(index):
            number = next(k for k, s in enumerate(self.program.steps) if s is index)
            chosen = self.observe(
                i, -1 - turns, lambda: [k for k, n in enumerate(self.read(i, self.value(number, turns))) if n]
            )
            places = [k for k in chosen if k < length]
            if length == 1 and chosen:
                places = [0] * len(chosen)
        elif i in self.inputs:
            places = [list(range(length)), [0], [length - 1]][int(self.inputs[i][0])]
        elif index.op == "slice":
            bounds = {name: self.value(a, turns) for name, a in index.args.items()}
            places = list(range(length))[slice(*(bounds.get(name) for name in ("lower", "upper", "step")))]
            if not places:
                places = list(range(length))
        else:
            at = index.attrs.get("value")
            every = list(range(length))
            places = [int(at) % length] if isinstance(at, int) else [k % length for k in step.attrs.get("taken", every)]
            places = places[:length]
        return self.backend.take(x, places)

    def do_sparse_part(self, i: int, step: Step, turns: int) -> Numbers:
        """Some elements in their places: all but the last."""
        x = self.as_row(self.value(step.args["x"], turns))
        length = self.observe(i, turns, lambda: len(self.backend.numbers(x)))
        kept = self.backend.row([1.0] * (length - 1) + [0.0], "float32")
        return self.backend.where(self.backend.truth(kept), x, 0.0)

    def do_stored(self, i: int, step: Step, turns: int) -> Numbers:
        """An array of which the first element is new."""
        a, b = (self.as_row(self.value(step.args[name], turns)) for name in ("a", "b"))
        length = self.observe(i, turns, lambda: max(len(self.backend.numbers(a)), len(self.backend.numbers(b))))
        first = self.backend.row([1.0] + [0.0] * (length - 1), "float32")
        return self.backend.where(self.backend.truth(first), b, a)

    def do_cast(self, i: int, step: Step, turns: int) -> Numbers:
        x = self.joined(self.value(step.args["x"], turns))
        fmt = step.attrs.get("dtype")
        if not self.backend.is_row(x):
            return FORMATS[fmt].round(float(x)) if fmt in FORMATS else x
        return self.backend.cast(x, fmt) if fmt in FORMATS else self.backend.cast(x, "float32")

    def do_integer(self, i: int, step: Step, turns: int) -> Numbers:
        x = self.value(step.args["x"], turns)
        if not self.backend.is_row(x):
            return int(x)
        return self.backend.stop_gradient(self.backend.call(as_op(step, "trunc"), {"x": x}))

    def do_size(self, i: int, step: Step, turns: int) -> Numbers:
        """How many elements a row has; a number is one."""
        x = self.joined(self.value(step.args["x"], turns))
        return self.observe(i, turns, lambda: len(self.backend.numbers(x)))

    def do_stop_gradient(self, i: int, step: Step, turns: int) -> Numbers:
        x = self.joined(self.value(step.args["x"], turns))
        return self.backend.stop_gradient(x) if self.backend.is_row(x) else x

    def do_item(self, i: int, step: Step, turns: int) -> Numbers:
        x = self.value(step.args["x"], turns)
        return self.backend.stop_gradient(x) if self.backend.is_row(x) else x

    def do_finite(self, i: int, step: Step, turns: int) -> Numbers:
        """What is checked to be finite: with other numbers the program stops."""
        x = self.value(step.args["x"], turns)
        if not self.observe(i, turns, lambda: all(map(math.isfinite, self.read(i, x)))):
            raise Infeasible
        return x

    def do_spectrum(self, i: int, step: Step, turns: int) -> Numbers:
        """The Fourier transform of a row of one or two numbers: their sum, their difference."""
        x = self.as_row(self.value(step.args["x"], turns))
        length = self.observe(i, turns, lambda: len(self.backend.numbers(x)))
        if length == 1:
            return x
        if length != 2:
            raise Unsupported(step.op)
        a, b = self.backend.take(x, [0]), self.backend.take(x, [1])
        return self.backend.concat([a + b, a - b])

    def do_bincount(self, i: int, step: Step, turns: int) -> Numbers:
        """How often each whole number is met, from 0 to the largest; others are not counted."""
        numbers = self.observe(i, turns, lambda: self.read(i, self.value(step.args["x"], turns)))
        if not all(0 <= x < MAX_BINS and x.is_integer() for x in numbers):
            raise Infeasible
        counts = [float(numbers.count(k)) for k in range(int(max(numbers, default=0.0)) + 1)]
        return self.backend.row(counts, step.domain.format)

    def do_full(self, i: int, step: Step, turns: int) -> Numbers:
        fill = self.value(step.args["fill"], turns)
        return fill if self.backend.is_row(fill) else self.made(step, [float(fill)] * self.width)

    def do_range(self, i: int, step: Step, turns: int) -> Numbers:
        """The number that a loop counts with, in the turn that is chosen."""
        turn = self.inputs[i][0] if i in self.inputs else 0.0
        given = [step.args[n] for n in ("start", "stop", "step") if n in step.args]
        bounds = self.observe(i, turns, lambda: [self.read(i, self.value(a, turns))[0] for a in given])
        if not bounds:
            return int(turn)
        start, stop = (0.0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        by = bounds[2] if len(bounds) == 3 else 1.0
        number = start + turn * by
        if (number >= stop) if by > 0 else (number <= stop):
            raise Infeasible
        return int(number) if number.is_integer() else number

    def do_arange(self, i: int, step: Step, turns: int) -> Numbers:
        if counts(step):
            return self.do_range(i, step, turns)
        start, by = (self.value(step.args[n], turns) if n in step.args else d for n, d in (("start", 0), ("step", 1)))
        if "stop" not in step.args:
            start = 0
        return self.made(step, [float(start) + k * float(by) for k in range(self.width)])

    def do_linspace(self, i: int, step: Step, turns: int) -> Numbers:
        start, stop = (float(self.value(step.args[n], turns)) for n in ("start", "stop"))
        pieces = max(self.width - 1, 1)
        return self.made(step, [start + (stop - start) * k / pieces for k in range(self.width)])

    def made(self, step: Step, numbers: list[float]) -> Numbers:
        return self.backend.row(numbers, step.attrs.get("dtype") or step.domain.format)

    def do_finfo_eps(self, i: int, step: Step, turns: int) -> Numbers:
        fmt = FORMATS[step.attrs.get("dtype") or step.domain.format]
        # of the least number the sign is taken outside
        limits = {"max": fmt.max, "min": fmt.max, "tiny": fmt.tiny, "smallest_normal": fmt.tiny}
        return limits.get(str(step.attrs.get("field")), fmt.eps)

    def do_dot(self, i: int, step: Step, turns: int) -> Numbers:
        """A product of matrices: of a row with the diagonal of a matrix, or of the one row with the one column."""
        rows = [self.as_row(self.value(a, turns)) for a in step.args.values() if self.program.steps[a].op != "eye"]
        if i in self.inputs and self.inputs[i][0] == 0:
            return rows[0] * rows[-1] if len(rows) == len(step.args) else rows[0]
        return self.inner(step, rows)

    def do_einsum(self, i: int, step: Step, turns: int) -> Numbers:
        values = [self.value(a, turns) for a in step.args.values()]
        flat = [part for v in values for part in (v if isinstance(v, tuple) else (v,))]
        return self.inner(step, [self.as_row(v) for v in flat if not isinstance(v, str) and v is not None])

    def inner(self, step: Step, rows: list[Numbers]) -> Numbers:
        product = rows[0]
        for row in rows[1:]:
            product = product * row
        return self.backend.flat(self.backend.call(as_op(step, "sum"), {"x": product}))


#: what is done by ops that are no calls of a framework
SPECIAL: Mapping[str, Callable[..., Numbers]] = {
    name.removeprefix("do_"): method for name, method in vars(Execution).items() if name.startswith("do_")
}


def as_op(step: Step, op: str) -> Step:
    """A step of another op, however that is written."""
    return Step(op, step.args, {}, None, step.name, step.domain)
