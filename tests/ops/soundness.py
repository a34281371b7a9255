"""The catalogue held against the frameworks: every function on special values, its value and its gradient.

A function is *unsound* where it returns what the transfer function of its op says it never does, or where its gradient
is not finite though its value is, at numbers that meet no pole of the op. How much wider a prediction is than what was
seen is its *width*. Tests and `benchmarks/soundness.py` ask `measure`, which computes an op in a package once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from nanlint.ops.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format
from nanlint.ops.op import OPS, Op, Pole, shifted
from nanlint.ops.spelling import Spelling
from nanlint.ops.value import NEVER, Value, constant
from tests.ops import truth
from tests.ops.calling import CLASSES, Array, Unusable, differentiate
from tests.ops.truth import admits, holds

Mask = npt.NDArray[np.bool_]

ROOTS = ("torch", "tensorflow", "keras", "jax", "optax", "numpy", "scipy")
DIFFERENTIABLE_ROOTS = ("torch", "tensorflow", "keras", "jax")
FORMATS = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)

#: codes of the classes of gradients that are not finite, and of those of a slope
NOT_FINITE = [CLASSES.index(c) for c in ("ninf", "pinf", "nan")]
SLOPING = [CLASSES.index(c) for c in ("neg", "pos")]

#: numeric parameters beside the data, and what is tried for them
CASES: Mapping[str, list[dict[str, float]]] = {
    "clamp": [{"min": 1e-7}, {"max": 0.5}, {"min": 0.0, "max": 1.0}, {"min": -1.0, "max": 1e30}, {"min": 0.0}],
    "softplus": [{}, {"beta": 2.0}],
    "threshold": [{"threshold": 0.1, "value": 20.0}],
    "nan_to_num": [{}, {"nan": 1.0}],
    "logit": [{}, {"eps": 1e-6}],
    "log_base": [{"base": 2.0}],
    "polygamma": [{"n": 1}, {"n": 2}],
    "mvlgamma": [{"p": 2}],
    "add_scaled": [{"scale": 2.0}, {"scale": -0.5}],
    "sub_scaled": [{"scale": 2.0}, {"scale": -0.5}],
    "addcmul": [{}, {"scale": -0.5}],
    "addcdiv": [{}, {"scale": -0.5}],
    "pow": [{"y": p} for p in (2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0, -0.5, 0.0, 1.0)],
}
#: operands that are such parameters, and those that say where and not what
PARAMETERS = frozenset(
    {"min", "max", "eps", "beta", "threshold", "value", "nan", "posinf", "neginf", "scale", "at_zero", "base", "n", "p"}
)
PLACES = frozenset({"axis", "ord", "index", "weights", "ddof"})

#: ops that take or give truth values, and those whose results depend on the width of an integer
NOT_NUMBERS = frozenset({"and", "or", "not", "integer", "where", "heaviside"}) | {
    # what they promise is that someone has looked
    "finite",
}

#: ops that work along an axis without reducing it
ROWWISE = frozenset({"softmax", "softmin", "log_softmax", "cumsum", "cumprod", "logcumsumexp", "normalize", "diff"})

#: losses of one number and its target
LOSSES = frozenset(
    {"squared_error", "absolute_error", "hinge", "log_cosh_loss", "bce", "bce_with_logits", "kl_div", "loss"}
)

#: functions that are a little more than the op they are spelled as, or want other arguments than are tried
#: JAX takes several seconds for incomplete gamma and beta functions and for zeta; little is predicted of them
INCOMPLETE = (
    *("jax.scipy.special.zeta", "jax.lax.zeta"),
    *("jax.lax.igamma", "jax.lax.igammac", "jax.lax.betainc"),
    *(f"jax.scipy.special.{f}" for f in ("gammainc", "gammaincc", "betainc")),
    *(f"jax.scipy.stats.{d}.{f}" for d in ("beta", "chi2") for f in ("cdf", "sf", "logcdf", "logsf")),
    *(f"jax.scipy.stats.gamma.{f}" for f in ("cdf", "logcdf")),
)
NUMPYS = ("numpy", "numpy.linalg", "jax.numpy", "jax.numpy.linalg")
OUTER = ("outer", "ger", "kron")
APART: Mapping[str, str] = {
    "keras.backend.sqrt": "clips negative numbers to 0 first",
    "torch.Tensor.numpy": "NumPy has no bfloat16",
    "tensorflow.Tensor.assign": "needs a variable",
    "tensorflow.assign": "needs a variable",
    "keras.layers.InputLayer": "needs to know the shape",
    "tensorflow.nn.bias_add": "needs a matrix and a vector",
    "keras.backend.bias_add": "needs a matrix and a vector",
    "tensorflow.scalar_mul": "needs a number as the first argument",
    **dict.fromkeys(("torch.float_power", "torch.Tensor.float_power", "numpy.float_power"), "computes in float64"),
    "torch.Tensor.float_power_": "needs float64",
    **{f"{m}.{f}": "returns a matrix" for m in ("torch", "torch.Tensor", "keras.ops", *NUMPYS) for f in OUTER},
    "torch.linalg.matrix_norm": "needs two axes",
    **dict.fromkeys(
        (
            *("torch.nn.functional.multi_margin_loss", "torch.nn.functional.multilabel_margin_loss"),
            *("optax.losses.multiclass_hinge_loss", "optax.losses.multiclass_perceptron_loss"),
        ),
        "needs class labels",
    ),
    "tensorflow.losses.sigmoid_cross_entropy": "takes the mean of all elements",
    **dict.fromkeys(
        (f"torch.Tensor.{f}" for f in ("igamma", "igamma_", "igammac", "igammac_")),
        "has the shape parameter as its first argument",
    ),
    **dict.fromkeys(
        (
            *("torch.slogdet", "torch.Tensor.slogdet", "torch.linalg.slogdet", "tensorflow.linalg.slogdet"),
            *("jax.numpy.linalg.slogdet", "numpy.linalg.slogdet", "keras.ops.slogdet", "torch.Tensor.slogdet"),
        ),
        "needs a matrix",
    ),
    "scipy.linalg.norm": "rejects infinities",
    "jax.lax.integer_pow": "needs a Python integer",
    **dict.fromkeys(("tensorflow.saturate_cast", "keras.ops.saturate_cast"), "clips infinities to the largest numbers"),
    **dict.fromkeys(INCOMPLETE, "takes several seconds"),
    **dict.fromkeys(
        ("jax.lax.reduce_sum", "jax.lax.reduce_max", "jax.lax.reduce_min", "jax.lax.reduce_prod"), "needs several axes"
    ),
}
#: reductions whose functions want more than an array and an axis, by last name
APART_ROWS = frozenset({"psum", "pmean", "pmax", "pmin"}) | {
    *("quantile", "kthvalue", "percentile", "nanquantile", "nanpercentile", "mode", "nanmedian"),
}

#: functions whose gradient breaks where no class of numbers tells: why, and where
DEFECTS: Mapping[str, str] = {
    **dict.fromkeys(("laplace.cdf", "expon.cdf"), "both sides of a where are computed, and the other one overflows"),
    **dict.fromkeys(("gamma.pdf", "beta.pdf", "chi2.pdf", "pareto.pdf"), "exp(-inf) times the slope of a logarithm"),
    **dict.fromkeys(("gamma.sf", "gamma.logsf", "poisson.pmf"), "outside of the support"),
    **{f"truncnorm.{f}": "at the ends of the support" for f in ("cdf", "sf", "logcdf", "logsf")},
    "binary_cross_entropy": "the 1e-12 of its backward pass is 0 in float16",
    "sigmoid_focal_loss": "targets far from 0 and 1",
    "log_ndtr": "far below 0",
    "polygamma": "next to the poles at the negative integers",
}


def defect(name: str) -> str | None:
    """Why a function's gradient breaks where no pole is said to be."""
    return next((why for known, why in DEFECTS.items() if name.endswith("." + known)), None)


@dataclass(frozen=True)
class Sample:
    """Arguments for the functions of an op: data by operand, parameters; ``rows``: what is reduced or done by row."""

    data: Mapping[str, Array]
    parameters: Mapping[str, float] = field(default_factory=dict)
    rows: bool = False

    @property
    def points(self) -> int:
        """Numbers of results that are told apart: elements, or rows."""
        return len(next(iter(self.data.values())))


@dataclass
class Tally:
    """What was measured of an op in one package and format."""

    spellings: set[str] = field(default_factory=set)
    differentiated: set[str] = field(default_factory=set)
    points: int = 0
    gradients: int = 0
    violations: list[str] = field(default_factory=list)
    poles: set[Pole] = field(default_factory=set)
    intact: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    predicted: int = 0
    seen: int = 0


# ── what is tried ───────────────────────────────────────────────────────────────────────────────────────────────────

#: elements of the rows that are reduced
ELEMENTS = (0.0, 1e-30, 1e-3, 0.5, 1.0, 2.0, 6.0, 88.0, 104.0, 760.0, 1e20, 1e38, -1e-3, -1.0, -6.0, -104.0, -1e38)
#: numbers for ops of three arguments
FEW = (0.0, 1e-7, 2.0, 1e-3, 0.5, 1.0, 3.0, 1e30, math.inf, -0.5, -1.0, -1e30, -math.inf, math.nan)


def data_operands(op: Op) -> tuple[str, ...]:
    """Operands that hold data: not numbers and not places."""
    return tuple(o for o in op.operands if o not in PARAMETERS and o not in PLACES)


@cache
def columns(sort: str, arity: int, fmt: Format, flushed: bool) -> tuple[Array, ...]:
    """The numbers for so many operands: each combination a row; of rows, each a row of three."""
    kind = truth.data_type(fmt)
    if sort == "rows":
        elements = [fmt.round(e) for e in ELEMENTS] + [fmt.max, -fmt.max, math.inf, -math.inf, math.nan]
        return (np.array(list(itertools.product(elements, repeat=3)), kind),)
    few = [fmt.round(x) for x in FEW if sort != "bce" or 0 <= x <= 1]
    points = few if sort in ("loss", "bce") or arity > 2 else truth.special(fmt, subnormal=not flushed)
    grid = np.array(list(itertools.product(points, repeat=arity)), kind)
    # each loss a row of its own: Keras and Optax take the mean or sum of a row
    return tuple((grid[:, i] if sort == "points" else grid[:, i, None]).copy() for i in range(arity))


def sort_of(op: Op) -> str:
    """The sort of what is tried for an op."""
    if op.reduction or op.name in ROWWISE:
        return "rows"
    return ("bce" if op.name == "bce" else "loss") if op.name in LOSSES else "points"


def samples(op: Op, root: str, fmt: Format) -> Iterator[Sample]:
    """All that is tried for the functions of an op."""
    names, sort, flushed = data_operands(op), sort_of(op), root in truth.FLUSHES_SUBNORMALS
    if op.name == "pow":
        for parameters in CASES["pow"]:
            yield Sample({"x": columns("points", 1, fmt, flushed)[0]}, parameters)
    tried = columns(sort, 1 if sort == "rows" else len(names), fmt, flushed)
    for parameters in CASES.get(op.name, [{}]) if sort == "points" and op.name != "pow" else [{}]:
        yield Sample(dict(zip(names, tried, strict=sort != "rows")), parameters, sort == "rows")


def covered() -> list[str]:
    """Ops that are tried: pointwise ones on numbers, reductions, and those that work by row."""
    return [
        op.name
        for op in OPS.values()
        if op.name not in NOT_NUMBERS
        and (
            (op.pointwise and 1 <= len(data_operands(op)) <= 3)
            or op.name in LOSSES
            or ((op.reduction or op.name in ROWWISE) and op.operands[:1] == ("x",))
        )
    ]


def callable_spellings(op: str, root: str, fmt: Format) -> list[Spelling]:
    """Spellings that give one array of the format asked for: Keras' layers compute in float32."""
    op_ = OPS[op]
    rows = op_.reduction or op in ROWWISE
    return [
        s
        for s in truth.spellings_of(op, root)
        if s.name not in APART
        and s.literals.get("dtype", fmt.name) == fmt.name
        and not (root == "keras" and s.layer and fmt is not FLOAT32)
        and not (rows and (("axis" not in s.operands and op != "diff") or s.name.rpartition(".")[2] in APART_ROWS))
        and not ((op_.reduction or op in LOSSES) and s.layer)
    ]


def pairs() -> list[tuple[str, str]]:
    """Ops and the packages that spell them."""
    return [(op, root) for op in covered() for root in ROOTS if truth.spellings_of(op, root)]


# ── prediction ──────────────────────────────────────────────────────────────────────────────────────────────────────


def predicted(spelling: Spelling, operands: Mapping[str, Value], fmt: Format) -> Value:
    """The transfer function, with the literals of the spelling."""
    literals = {**spelling.defaults, **spelling.literals}
    fixed = {o: constant(float(v)) for o, v in literals.items() if isinstance(v, (int, float)) and o != "axis"}
    attrs = {"dtype": fmt.name} | {o: v for o, v in literals.items() if o not in fixed}
    return OPS[spelling.op].transfer({**fixed, **operands}, attrs)


def numbers(parameters: Mapping[str, float]) -> dict[str, Value]:
    """Parameters as the constants they are."""
    return {o: constant(p) for o, p in parameters.items()}


def shown(v: Value) -> str:
    """A value as messages show it."""
    never = "".join(f" no {c}" for c in ("ninf", "neg", "zero", "pos", "pinf", "nan") if v.reach(c) == 0)
    return f"[{v.lo!r}, {v.hi!r}]{never}"


#: constants that meet each range in the ops of two arguments
PARTNERS = (0.0, 1.0, -1.0, 0.5, 2.0, 1e-7, 1e30)
#: which of the ranges are tried for ops of three arguments
BROAD = (1, 2, 4, 6, 9, 11, 16)


@cache
def abstract(sort: str, arity: int, fmt: Format, flushed: bool) -> list[tuple[tuple[Value, ...], Mask]]:
    """Abstract arguments, and which of the rows of the columns they hold."""
    if sort == "points" and arity == 1:
        tried = truth.inputs(fmt, subnormal=not flushed)
    elif sort == "points" and arity == 2:
        tried = [*truth.ranges(fmt), *(truth.point(fmt.round(c), fmt) for c in PARTNERS)]
    else:
        tried = [v for i, v in enumerate(truth.ranges(fmt)) if sort == "rows" or i in BROAD]
    held = [
        [(v, holds(v, x).reshape(len(x), -1).all(axis=1)) for v in tried] for x in columns(sort, arity, fmt, flushed)
    ]
    found = []
    for combination in itertools.product(*held):
        mask = np.logical_and.reduce([m for _, m in combination])
        if mask.any():
            found.append((tuple(v for v, _ in combination), mask))
    return found


# ── width ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def ladder(fmt: Format) -> Array:
    """The special numbers in order: the marks by which a range is measured."""
    marks: Array = np.array(sorted({x for x in truth.special(fmt, subnormal=False) if math.isfinite(x)}))
    return marks


def marks_predicted(v: Value, fmt: Format) -> int:
    """How many of the special numbers, infinities and nan a prediction admits."""
    marks = ladder(fmt)
    zero = int(v.zero is NEVER and v.lo <= 0 <= v.hi)
    inside = int(np.searchsorted(marks, v.hi, "right") - np.searchsorted(marks, v.lo, "left")) - zero
    infinite = int(v.hi == math.inf and v.pinf is not NEVER) + int(v.lo == -math.inf and v.ninf is not NEVER)
    return max(inside, 1) + infinite + int(v.nan is not NEVER)


def marks_seen(r: Array, fmt: Format) -> int:
    """How many lie between the least and the largest result; infinities and nan if they are among the results."""
    marks, finite = ladder(fmt), r[np.isfinite(r)]
    inside = 0
    if finite.size:
        inside = max(
            1, int(np.searchsorted(marks, finite.max(), "right") - np.searchsorted(marks, finite.min(), "left"))
        )
    return inside + int((r == math.inf).any()) + int((r == -math.inf).any()) + int(np.isnan(r).any())


# ── poles ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def in_class(x: Array, cls: str, fmt: Format, *, flushed: bool) -> Mask:
    """Which numbers are in a class of health."""
    zero = np.abs(x) < fmt.tiny if flushed else x == 0
    found: Mask = {
        "zero": zero,
        "neg": (x < 0) & (x > -math.inf) & ~zero,
        "pos": (x > 0) & (x < math.inf) & ~zero,
        "ninf": x == -math.inf,
        "pinf": x == math.inf,
        "nan": np.isnan(x),
    }[cls]
    return found


def meets(pole: Pole, numbers_: Mapping[str, Array], fmt: Format, *, flushed: bool) -> Mask:
    """Which points are at a pole; a row is where all of its elements are (of a result, where one is)."""
    found: Mask | None = None
    for operand, cls in ((pole.operand, pole.cls), *pole.also):
        name, shift = shifted(operand)
        if name not in numbers_:
            return np.zeros(len(next(iter(numbers_.values()))), bool)
        here = in_class(numbers_[name] + shift, cls, fmt, flushed=flushed)
        if here.ndim > 1:
            here = np.any(here, axis=1) if name == "result" else np.all(here, axis=1)
        found = here if found is None else found & here
    assert found is not None
    return found


def poles_at(spelling: Spelling, sample: Sample, result: Array, root: str, fmt: Format) -> Iterator[tuple[Pole, Mask]]:
    """The poles of a function's op in its package, and the points at which they are met."""
    op = OPS[spelling.op]
    literals = {o: v for o, v in {**spelling.defaults, **spelling.literals}.items() if isinstance(v, (int, float))}
    fixed = {**literals, **sample.parameters}
    arrays = {o: x.astype(np.float64) for o, x in sample.data.items()}
    given = {**{o: np.full(sample.points, float(p)) for o, p in fixed.items()}, **arrays, "result": result}
    flushed = root in truth.FLUSHES_SUBNORMALS

    def here(poles: tuple[Pole, ...], among: Mask | None) -> Iterator[tuple[Pole, Mask]]:
        for pole in poles:
            if pole.frameworks is None or spelling.framework in pole.frameworks:
                met = meets(pole, given, fmt, flushed=flushed)
                yield pole, met if among is None else met & among

    if op.poles_for is None:
        yield from here(op.poles, None)
    elif "y" in arrays:
        # the poles of a power, for each exponent by itself; a learned exponent wants a positive base
        yield from here((Pole("x", "neg", "nan", gradient=True, frameworks=frozenset({"torch", "jax"})),), None)
        for y in np.unique(arrays["y"]):
            yield from here(op.poles_for({"y": constant(float(y))}), (arrays["y"] == y) & np.isfinite(y))
    else:
        yield from here(op.poles_for({o: constant(float(p)) for o, p in fixed.items()}), None)


def extreme(sample: Sample, result: Array, fmt: Format) -> Mask:
    """Points with a number beyond the fourth root of the format's range, or a result beyond its square root.

    There a derivative overflows that is finite in the real numbers, and what was meant to be 0 times it is nan.
    """
    limit = 2.0 ** (fmt.max_exponent / 4)
    found: Mask = (np.abs(result) > limit**2).reshape(sample.points, -1).any(axis=1)
    for x in sample.data.values():
        size = np.abs(x.astype(np.float64))
        beyond = (size != 0) & ~((size > 1 / limit) & (size < limit))
        found |= beyond.any(axis=1) if beyond.ndim > 1 else beyond
    return found


# ── measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────


def measure_spelling(
    spelling: Spelling, sample: Sample, root: str, fmt: Format, tally: Tally, seen: set[object]
) -> None:
    """Run one function on one sample, and enter what it did."""
    op = OPS[spelling.op]
    more: dict[str, float | str] = {**sample.parameters, "dtype": fmt.name}
    if sample.rows and "axis" in spelling.operands:
        more["axis"] = 1
    try:
        r, slopes = differentiate(spelling, sample.data, **more)
    except Unusable:
        return
    if r.shape[:1] != (sample.points,) or np.iscomplexobj(r):
        # one answer about all elements
        return
    tally.spellings.add(spelling.name)
    tally.points += sample.points
    tally.gradients += sum(g is not None for g in slopes.values()) * sample.points
    if any(g is not None for g in slopes.values()):
        tally.differentiated.add(spelling.name)
    result = r.astype(np.float64)
    if sample.rows or r.ndim > 1:
        result = result.reshape(len(result), -1)
    told = (str(sample.parameters), str(spelling.literals), str(spelling.defaults), result.tobytes())
    key = (*told, *(None if g is None else g.tobytes() for g in slopes.values()))
    if key in seen:
        return
    seen.add(key)
    value_violations(spelling, sample, result, root, fmt, tally)
    gradient_violations(spelling, sample, result, slopes, root, fmt, tally, op)


def value_violations(spelling: Spelling, sample: Sample, result: Array, root: str, fmt: Format, tally: Tally) -> None:
    """Results outside of the prediction."""
    flushed = root in truth.FLUSHES_SUBNORMALS
    for values, mask in abstract(sort_of(OPS[spelling.op]), len(sample.data), fmt, flushed):
        given = dict(zip(sample.data, values, strict=True))
        v = predicted(spelling, {**given, **numbers(sample.parameters)}, fmt)
        got = result[mask]
        tally.predicted += marks_predicted(v, fmt)
        tally.seen += marks_seen(got, fmt)
        if len(tally.violations) > 20:
            continue
        right = admits(v, got, fmt)
        wrong = np.flatnonzero(mask)[~(right.all(axis=1) if right.ndim > 1 else right)]
        tally.violations += [
            f"{called(spelling, sample, i)} = {result[i].tolist()!r} in {fmt.name}; for "
            f"{', '.join(f'{o} {shown(x)}' for o, x in given.items())} predicted {shown(v)}"
            for i in wrong[:1]
        ]


def gradient_violations(
    spelling: Spelling,
    sample: Sample,
    result: Array,
    slopes: Mapping[str, Array | None],
    root: str,
    fmt: Format,
    tally: Tally,
    op: Op,
) -> None:
    """Gradients that are not finite where the value is and no pole is met; poles at which nothing breaks."""
    flat = result.reshape(sample.points, -1)
    fine = np.isfinite(flat).all(axis=1)
    finite = np.logical_and.reduce(
        [np.isfinite(x.astype(np.float64)).reshape(sample.points, -1).all(axis=1) for x in sample.data.values()]
    )
    differentiable = any(g is not None for g in slopes.values())
    steep = np.zeros(sample.points, bool)
    for g in slopes.values():
        if g is not None:
            steep |= np.isin(g, NOT_FINITE).reshape(sample.points, -1).any(axis=1)
    at_a_pole = np.zeros(sample.points, bool)
    for pole, met in poles_at(spelling, sample, result, root, fmt):
        at_a_pole |= met
        if pole.gradient and not differentiable:
            continue
        infinite = {pole.cls, *(cls for _, cls in pole.also)} & {"ninf", "pinf", "nan"}
        expected = met if infinite or pole.operand == "result" else met & finite
        if not expected.any():
            continue
        intact = expected & fine & ~steep if pole.gradient else expected & fine
        if intact.any():
            i = np.flatnonzero(intact)[0]
            tally.intact.append(
                f"{called(spelling, sample, i)} = {result[i].tolist()!r} in {fmt.name} with gradient "
                f"{named(slopes, i)}, though {pole}"
            )
        else:
            tally.poles.add(pole)
    if not differentiable:
        return
    wrong = np.flatnonzero(steep & fine & ~at_a_pole & ~extreme(sample, result, fmt))
    if defect(spelling.name) is not None:
        tally.defects += [spelling.name] * len(wrong)
        wrong = wrong[:0]
    tally.violations += [
        f"gradient of {called(spelling, sample, i)} = {result[i].tolist()!r} in {fmt.name} is {named(slopes, i)}"
        for i in wrong[:2]
    ]
    if op.stops_gradient and any(g is not None and np.isin(g, SLOPING).any() for g in slopes.values()):
        tally.violations.append(f"{spelling.name} has a gradient")


def named(slopes: Mapping[str, Array | None], i: int) -> str:
    """The gradients at a point as messages show them, by their classes."""
    found = {o: [CLASSES[c] for c in np.ravel(g[i])] for o, g in slopes.items() if g is not None}
    return ", ".join(f"{o}: {' '.join(classes)}" for o, classes in found.items())


def called(spelling: Spelling, sample: Sample, i: int) -> str:
    """A call as messages show it."""
    given = {**{o: x[i].astype(np.float64).tolist() for o, x in sample.data.items()}, **sample.parameters}
    return f"{spelling.name}({', '.join(f'{o}={x!r}' for o, x in given.items())})"


@cache
def measure(op: str, root: str) -> dict[str, Tally]:
    """Every function of an op in a package on all that is tried, by format."""
    tallies = {}
    for fmt in FORMATS:
        if root not in truth.HALVES.get(fmt, ROOTS):
            continue
        tally, seen = Tally(), set[object]()
        for spelling in callable_spellings(op, root, fmt):
            for sample in samples(OPS[op], root, fmt):
                bound = {*spelling.operands, *spelling.defaults}
                if {*sample.parameters} <= bound and {*sample.data} <= {*spelling.operands}:
                    measure_spelling(spelling, sample, root, fmt, tally, seen)
        if tally.spellings:
            tallies[fmt.name] = tally
    return tallies
