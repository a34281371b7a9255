"""The interpreter's own framework: rows of Python floats, rounded to their format. Nothing is imported, no gradients.

It is what the ranges of the operations say, at single numbers: quick enough for every finding that is shown.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from nanlint.ops.floats import FLOAT64, FORMATS, Format
from nanlint.proof.backend import Backend, Numbers, Unsupported
from nanlint.proof.slice import Step

INF, NAN = math.inf, math.nan
#: the part of a number that may be rounding, in double precision; the smallest step of a difference
UNSEEN, TINY = 1e-12, 1e-30


class Row:
    """A row of numbers of one format; arithmetic as IEEE 754 has it, rows of one number stretched."""

    __slots__ = ("format", "x")

    def __init__(self, x: Sequence[float], fmt: Format) -> None:
        self.x = list(x) if fmt is FLOAT64 else [fmt.round(v) for v in x]
        self.format = fmt

    def map(self, f: Callable[[float], float]) -> Row:
        """``f`` of every element; where it has no value, nan."""
        return Row([_total(f, v) for v in self.x], self.format)

    def zip(self, other: object, f: Callable[[float, float], float]) -> Row:
        """``f`` of the elements of both."""
        y = other.x if isinstance(other, Row) else [float(other)]  # type: ignore[arg-type]
        theirs = other.format if isinstance(other, Row) else self.format
        fmt = self.format if theirs is self.format else max(self.format, theirs, key=_width)
        n = max(len(self.x), len(y)) if self.x and y else 0
        # rows of different lengths raise ValueError
        a, b = (Row(row * n if len(row) == 1 else row, fmt).x for row in (self.x, y))
        return Row([_total2(f, v, w) for v, w in zip(a, b, strict=True)], fmt)

    def __neg__(self) -> Row:
        return Row([-v for v in self.x], self.format)

    def __invert__(self) -> Row:
        return Row([float(not v) for v in self.x], self.format)

    __hash__ = None  # type: ignore[assignment]


def _width(fmt: Format) -> tuple[int, int]:
    return fmt.max_exponent, fmt.precision


def _total(f: Callable[[float], float], v: float) -> float:
    try:
        return f(v)
    except ValueError:
        return NAN
    except OverflowError:
        return INF


def _total2(f: Callable[[float, float], float], a: float, b: float) -> float:
    try:
        return f(a, b)
    except ValueError:
        return NAN
    except OverflowError:
        return INF


# ── numbers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def divide(a: float, b: float) -> float:
    """a / b with the infinities and nan of IEEE 754."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return NAN
    return math.copysign(INF, a) * math.copysign(1.0, b)


def power(a: float, b: float) -> float:
    """a ** b likewise."""
    if b == 0:
        return 1.0
    if a == 0 and b < 0:
        return INF
    if a < 0 and not float(b).is_integer():
        return NAN
    return math.pow(a, b)


#: what Python's operators do with the numbers of two rows
BINARY: Mapping[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": divide,
    "floordiv": lambda a, b: float(math.floor(divide(a, b))),
    "mod": lambda a, b: a - b * math.floor(divide(a, b)),
    "pow": power,
    "and": lambda a, b: float(bool(a) and bool(b)),
    "or": lambda a, b: float(bool(a) or bool(b)),
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "gt": lambda a, b: float(a > b),
    "ge": lambda a, b: float(a >= b),
    "eq": lambda a, b: float(a == b),
    "ne": lambda a, b: float(a != b),
}


def entered(name: str, f: Callable[[float, float], float]) -> None:
    """Let rows have an operator; one that numbers may stand before from that side, too."""
    setattr(Row, f"__{name}__", lambda row, other: row.zip(other, f))
    if name in ("add", "sub", "mul", "truediv", "pow"):
        setattr(Row, f"__r{name}__", lambda row, other: row.zip(other, lambda a, b: f(b, a)))


for _name, _function in BINARY.items():
    entered(_name, _function)


def log(v: float) -> float:
    """Logarithm with its pole."""
    return -INF if v == 0 else NAN if v < 0 else v if v == INF else math.log(v)


def log1p(v: float) -> float:
    """log(1 + v) with its pole."""
    return -INF if v == -1 else math.log1p(v)


def exp(v: float) -> float:
    """Exponential; an overflow is inf."""
    return INF if v > 709.78 else math.exp(v)


def sqrt(v: float) -> float:
    """Root; nan below 0."""
    return NAN if v < 0 else math.sqrt(v)


def sigmoid(v: float) -> float:
    """1 / (1 + exp(-v))."""
    return 0.0 if v < -700 else 1 / (1 + exp(-v))


def softplus(v: float) -> float:
    """log(1 + exp(v))."""
    return v if v > 40 else math.log1p(exp(v))


def log_cdf(v: float) -> float:
    """Logarithm of the normal distribution; far below by the first terms of its series."""
    if v > -20:
        return log(math.erfc(-v / math.sqrt(2)) / 2)
    return -v * v / 2 - log(-v * math.sqrt(2 * math.pi)) + math.log1p(3 / v**4 - 1 / v**2)


def atanh(v: float) -> float:
    """Inverse of tanh with its poles."""
    return math.copysign(INF, v) if abs(v) == 1 else math.atanh(v)


def whole(f: Callable[[float], int]) -> Callable[[float], float]:
    """A function to whole numbers; infinities and nan stay as they are."""
    return lambda v: float(f(v)) if math.isfinite(v) else v


#: functions of a distribution that are of its upper tail; what is said of one distribution holds for another
UPPER = frozenset({"sf", "logsf", "gammaincc", "igammac"})
POINTWISE: Mapping[str, Callable[[float], float]] = {
    "log": log,
    "log2": lambda v: log(v) / math.log(2),
    "log10": lambda v: log(v) / math.log(10),
    "log1p": log1p,
    "exp": exp,
    "exp2": lambda v: exp(v * math.log(2)),
    "expm1": lambda v: INF if v > 709.78 else math.expm1(v),
    "sqrt": sqrt,
    "rsqrt": lambda v: divide(1.0, sqrt(v)),
    "cbrt": lambda v: math.copysign(abs(v) ** (1 / 3), v),
    "reciprocal": lambda v: divide(1.0, v),
    "reciprocal_no_nan": lambda v: divide(1.0, v) if v else 0.0,
    "abs": abs,
    "sign": lambda v: float((v > 0) - (v < 0)),
    "square": lambda v: v * v,
    "floor": whole(math.floor),
    "ceil": whole(math.ceil),
    "round": whole(round),
    "trunc": whole(math.trunc),
    "sigmoid": sigmoid,
    "log_sigmoid": lambda v: -softplus(-v),
    "softplus": softplus,
    "tanh": math.tanh,
    "erf": math.erf,
    "erfc": math.erfc,
    "cdf": lambda v: math.erfc(-v / math.sqrt(2)) / 2,
    "log_cdf": log_cdf,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": atanh,
    "logit": lambda v: log(v) - log(1 - v),
    "relu": lambda v: v if math.isnan(v) else max(v, 0.0),
    "relu6": lambda v: min(max(v, 0.0), 6.0),
    "elu": lambda v: v if v > 0 else math.expm1(v),
    "leaky_relu": lambda v: v if v > 0 else 0.01 * v,
    "silu": lambda v: v * sigmoid(v),
    "hard_tanh": lambda v: min(max(v, -1.0), 1.0),
    "isnan": lambda v: float(math.isnan(v)),
    "isinf": lambda v: float(math.isinf(v)),
    "isfinite": lambda v: float(math.isfinite(v)),
    "entropy_term": lambda v: 0.0 if v == 0 else -INF if v < 0 else -v * log(v),
}


def xlogy(a: float, b: float) -> float:
    """a * log(b), 0 where a is 0."""
    return 0.0 if a == 0 and not math.isnan(b) else a * log(b)


def xlog1py(a: float, b: float) -> float:
    """a * log(1 + b), 0 where a is 0."""
    return 0.0 if a == 0 and not math.isnan(b) else a * log1p(b)


def larger(a: float, b: float) -> float:
    """The larger; nan if either is."""
    return NAN if math.isnan(a) or math.isnan(b) else max(a, b)


def smaller(a: float, b: float) -> float:
    """The smaller; nan if either is."""
    return NAN if math.isnan(a) or math.isnan(b) else min(a, b)


def logaddexp(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    m = larger(a, b)
    return m if not math.isfinite(m) else m + math.log(exp(a - m) + exp(b - m))


PAIRWISE: Mapping[str, Callable[[float, float], float]] = {
    "maximum": larger,
    "minimum": smaller,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "xlogy": xlogy,
    "xlog1py": xlog1py,
    "div_no_nan": lambda a, b: divide(a, b) if b else 0.0,
    "mul_no_nan": lambda a, b: a * b if b else 0.0,
    "squared_difference": lambda a, b: (a - b) * (a - b),
    "logaddexp": logaddexp,
    "copysign": math.copysign,
}

#: ops that give one of their operands, or 0 where one is
CHOICES = frozenset({"maximum", "minimum", "clamp", "relu", "div_no_nan", "mul_no_nan", "reciprocal_no_nan"})
#: losses that are 0 where both sides are equal; elsewhere they differ in their shape
DISTANCES = frozenset({"squared_error", "absolute_error"})


# ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def total(x: Sequence[float]) -> float:
    """Sum, with the nan of inf - inf."""
    found = 0.0
    for v in x:
        found += v
    return found


def mean(x: Sequence[float]) -> float:
    """Mean; of nothing nan."""
    return divide(total(x), float(len(x)))


def logsumexp(x: Sequence[float]) -> float:
    """log(sum(exp(x)))."""
    m = max(x)
    return m if math.isinf(m) else m + log(total([exp(v - m) for v in x]))


def variance(x: Sequence[float], correction: int) -> float:
    """Variance; of one number with a correction of 1 nan."""
    m = mean(x)
    return divide(total([(v - m) ** 2 for v in x]), float(len(x) - correction))


def softmax(x: Sequence[float], fmt: Format) -> list[float]:
    """exp(x - max) / sum, with exponentials that underflow in their format."""
    m = max(x)
    e = [fmt.round(exp(v - m)) for v in x]
    return [divide(v, total(e)) for v in e]


def product(x: Sequence[float]) -> float:
    found = 1.0
    for v in x:
        found *= v
    return found


REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": total,
    "nansum": lambda x: total([v for v in x if not math.isnan(v)]),
    "mean": mean,
    "nanmean": lambda x: mean([v for v in x if not math.isnan(v)]),
    "max": lambda x: NAN if any(map(math.isnan, x)) else max(x),
    "min": lambda x: NAN if any(map(math.isnan, x)) else min(x),
    "prod": product,
    "any": lambda x: float(any(x)),
    "all": lambda x: float(all(x)),
    "count_nonzero": lambda x: float(sum(map(bool, x))),
    "logsumexp": logsumexp,
    "norm": lambda x: math.sqrt(total([v * v for v in x])),
    "ptp": lambda x: max(x) - min(x),
    "median": lambda x: sorted(x)[(len(x) - 1) // 2],
}


def normalized(x: Sequence[float], fmt: Format) -> list[float]:
    """x over its norm, which is held above a small number."""
    length = max(math.sqrt(total([v * v for v in x])), 1e-12)
    return [v / length for v in x]


def log_softmax(x: Sequence[float], fmt: Format) -> list[float]:
    """x - logsumexp(x)."""
    shift = logsumexp(x)
    return [v - shift for v in x]


def running(x: Sequence[float], fmt: Format) -> list[float]:
    """Cumulative sum."""
    return [total(x[: i + 1]) for i in range(len(x))]


ROWWISE: Mapping[str, Callable[[Sequence[float], Format], list[float]]] = {
    "softmax": softmax,
    "softmin": lambda x, fmt: softmax([-v for v in x], fmt),
    "log_softmax": log_softmax,
    "normalize": normalized,
    "cumsum": running,
    "logcumsumexp": lambda x, fmt: [logsumexp(x[: i + 1]) for i in range(len(x))],
    "diff": lambda x, fmt: [b - a for a, b in pairwise(x)],
}


class PythonBackend(Backend):
    """Rows of Python floats. ``correction``: what the framework's variance divides by less than the count."""

    name = "python"
    differentiates = False

    def __init__(self, framework: str = "") -> None:
        self.correction = 1 if framework == "torch" else 0

    def row(self, numbers: Sequence[float], fmt: str) -> Row:
        return Row(numbers, FORMATS[fmt])

    def is_row(self, x: Numbers) -> bool:
        return isinstance(x, Row)

    def numbers(self, x: Numbers) -> tuple[float, ...]:
        return tuple(x.x) if isinstance(x, Row) else (float(x),)

    def flat(self, x: Numbers) -> Numbers:
        return x

    def cast(self, x: Numbers, fmt: str) -> Row:
        return Row(x.x, FORMATS[fmt])

    def truth(self, x: Numbers) -> Row:
        return Row([float(v != 0) for v in x.x], x.format)

    def where(self, cond: Numbers, a: Numbers, b: Numbers) -> Row:
        a, b = (v if isinstance(v, Row) else Row([float(v)], self._format(a, b)) for v in (a, b))
        fmt = max(a.format, b.format, key=_width)
        n = max(len(cond.x), len(a.x), len(b.x))
        if not {len(row.x) for row in (cond, a, b)} <= {1, n}:
            raise ValueError("rows of different lengths")
        taken = [(a if cond.x[i % len(cond.x)] else b) for i in range(n)]
        return Row([row.x[i % len(row.x)] for i, row in enumerate(taken)], fmt)

    @staticmethod
    def _format(*values: Numbers) -> Format:
        return next((v.format for v in values if isinstance(v, Row)), FORMATS["float32"])

    def concat(self, rows: Sequence[Numbers]) -> Row:
        return Row([v for row in rows for v in row.x], max((row.format for row in rows), key=_width))

    def take(self, x: Numbers, places: Sequence[int]) -> Row:
        return Row([x.x[p] for p in places], x.format)

    def stop_gradient(self, x: Numbers) -> Numbers:
        return x

    def call(self, step: Step, operands: Mapping[str, Numbers]) -> Numbers:
        """An op by the formulas of this module."""
        op = step.op
        if op in ("std", "var"):
            x = self._row(operands["x"])
            spread = variance(x.x, int(operands.get("ddof", self.correction)))
            return Row([sqrt(spread) if op == "std" else spread], x.format)
        if op == "clamp":
            x = self._row(operands["x"])
            for name, f in (("min", larger), ("max", smaller)):
                if name in operands:
                    x = x.zip(operands[name], f)
            return x
        if op in DISTANCES and len(operands) == 2:
            a, b = (self._row(x) for x in operands.values())
            if any(a.zip(b, operator.sub).x):
                raise Unsupported(op)
            return Row([0.0], max(a.format, b.format, key=_width))
        if op in PAIRWISE:
            a, b = operands.values()
            return (a if isinstance(a, Row) else Row([float(a)], self._format(b))).zip(b, PAIRWISE[op])
        if op == "logsumexp" and "weights" in operands:
            x, weights = (self._row(operands[name]) for name in ("x", "weights"))
            top = max(x.x)
            return Row([log(total(x.zip(weights, lambda v, w: w * exp(v - top)).x)) + top], x.format)
        if len(operands) > 1 and op not in ("norm", "softmax", "nan_to_num"):
            raise Unsupported(op)
        first = operands.get("x")
        if first is None:
            raise Unsupported(op)
        x = self._row(first)
        if op == "nan_to_num":
            end = x.format.max
            return x.map(lambda v: 0.0 if math.isnan(v) else min(max(v, -end), end))
        if op in POINTWISE:
            function = POINTWISE[op]
            upper = (step.spelling or "").rpartition(".")[2] in UPPER
            return x.map(lambda v: function(-v)) if upper else x.map(function)
        if op in REDUCTIONS:
            return Row([_total(lambda _: REDUCTIONS[op](x.x), 0.0)], x.format)
        if op in ROWWISE:
            return Row(ROWWISE[op](x.x, x.format), x.format)
        raise Unsupported(op)

    def _row(self, x: Numbers) -> Row:
        return x if isinstance(x, Row) else Row([float(x)], FORMATS["float32"])


class Slopes(PythonBackend):
    """The same in double precision, with gradients by differences: those that are steeper than ``most``, and 0 else."""

    differentiates = True

    def __init__(self, framework: str, most: float) -> None:
        super().__init__(framework)
        self.most = most
        #: the operand that each element of a choice is: where it is differentiated, it stays that
        self.chosen: dict[int, list[str | None]] = {}

    def row(self, numbers: Sequence[float], fmt: str) -> Row:
        return Row(numbers, FLOAT64)

    def cast(self, x: Numbers, fmt: str) -> Row:
        return Row(x.x, FLOAT64)

    def call(self, step: Step, operands: Mapping[str, Numbers]) -> Numbers:
        result = super().call(step, operands)
        if step.op not in CHOICES:
            return result
        rows = {name: self.numbers(x) for name, x in operands.items()}
        among = [{name: x[k % len(x)] for name, x in rows.items()} for k in range(len(result.x))]
        first = [next((n for n in x if x[n] == v), None) for x, v in zip(among, result.x, strict=True)]
        names = self.chosen.setdefault(id(step), first)
        return Row([v if n is None else x[n] for n, x, v in zip(names, among, result.x, strict=True)], FLOAT64)

    def gradients(self, f: Callable[[list[Numbers]], Numbers], rows: list[Numbers]) -> list[tuple[float, ...] | None]:
        """Of either side of each number the steeper one; a side without a value has none."""

        def value(rows: list[Numbers]) -> float:
            return total(self.numbers(f(rows)))

        def slope(i: int, k: int, by: float) -> float:
            x = list(rows[i].x)
            x[k] += by
            rise = value([*rows[:i], Row(x, FLOAT64), *rows[i + 1 :]]) - here
            return rise / by if abs(rise) > UNSEEN * abs(here) and math.isfinite(rise) else 0.0

        here = value(rows)
        # large enough for a rise of that slope to be no rounding
        least = max(UNSEEN * abs(here) / self.most, TINY)
        found: list[tuple[float, ...] | None] = []
        for i, row in enumerate(rows):
            steps = [max(least, abs(v) * UNSEEN) for v in row.x]
            found.append(tuple(max(slope(i, k, by), slope(i, k, -by), key=abs) for k, by in enumerate(steps)))
        return found
