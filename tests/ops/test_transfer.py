"""Truth comes from the frameworks: no function returns what the transfer function of its op says it never does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pytest

from nanlint.ops.floats import Format
from nanlint.ops.op import OPS, Pole, shifted, unknown
from nanlint.ops.spelling import Spelling
from nanlint.ops.value import CERTAIN, Value, constant
from tests.ops import truth
from tests.ops.test_spellings import SPELLINGS, resolve
from tests.ops.truth import (
    FLUSHES_SUBNORMALS,
    FORMATS,
    HALVES,
    Array,
    Unusable,
    admits,
    call,
    holds,
    inputs,
    require,
    special,
)

pytestmark = pytest.mark.slow

ROOTS = ("torch", "tensorflow", "keras", "jax", "numpy", "scipy")

#: numeric parameters beside the data, and what is tried for them
CASES: Mapping[str, list[dict[str, float]]] = {
    "clamp": [{"min": 1e-7}, {"max": 0.5}, {"min": 0.0, "max": 1.0}, {"min": -1.0, "max": 1e30}, {"min": 0.0}],
    "softplus": [{}, {"beta": 2.0}],
    "threshold": [{"threshold": 0.1, "value": 20.0}],
    "nan_to_num": [{}, {"nan": 1.0}],
    "logit": [{"eps": 1e-6}],
    "log_base": [{"base": 2.0}],
    "heaviside": [],
    "add_scaled": [{"scale": 2.0}, {"scale": -0.5}],
    "sub_scaled": [{"scale": 2.0}, {"scale": -0.5}],
    "pow": [{"y": p} for p in (2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0, -0.5, 0.0, 1.0)],
}
PARAMETERS = {"min", "max", "eps", "beta", "threshold", "value", "nan", "posinf", "neginf", "scale", "at_zero", "base"}

#: ops that take or give truth values or stop at infinities, and those whose results depend on the width of an integer
NOT_NUMBERS = {"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "isclose", "isnan", "isinf", "isfinite"} | {
    "finite",
    "integer",
}

#: functions that are a little more than the op they are spelled as, or want more than two arrays
#: incomplete gamma and beta functions: JAX takes seconds for them, and their prediction is [0, 1] in all frameworks
INCOMPLETE = (
    *("jax.lax.igamma", "jax.lax.igammac", "jax.lax.betainc"),
    *(f"jax.scipy.special.{f}" for f in ("gammainc", "gammaincc", "betainc")),
    *(f"jax.scipy.stats.{d}.{f}" for d in ("gamma", "beta", "chi2") for f in ("cdf", "sf", "logcdf", "logsf")),
)
OUTER = ("outer", "ger", "kron")
APART = {
    **dict.fromkeys(INCOMPLETE, "takes seconds"),
    "keras.backend.sqrt": "clips negative numbers to 0 first",
    "torch.Tensor.numpy": "NumPy has no bfloat16",
    "tensorflow.Tensor.assign": "wants a variable",
    "tensorflow.assign": "wants a variable",
    "keras.layers.InputLayer": "wants to know the shape",
    "tensorflow.nn.bias_add": "wants a matrix and a vector",
    "keras.backend.bias_add": "wants a matrix and a vector",
    "tensorflow.scalar_mul": "wants a number first",
    **dict.fromkeys(("torch.float_power", "torch.Tensor.float_power", "numpy.float_power"), "computes in float64"),
    "torch.Tensor.float_power_": "wants float64",
    **{
        f"{m}.{f}": "gives a matrix"
        for m in ("torch", "torch.Tensor", "keras.ops", "jax.numpy", "numpy")
        for f in OUTER
    },
    "torch.linalg.matrix_norm": "wants two axes",
    "scipy.linalg.norm": "refuses infinities",
    "jax.lax.integer_pow": "wants a Python integer",
    "tensorflow.saturate_cast": "clips infinities to the largest numbers",
}


def predicted(spelling: Spelling, operands: Mapping[str, Value], fmt: Format) -> Value:
    """The transfer function, with the literals of the spelling."""
    literals = {**spelling.defaults, **spelling.literals}
    fixed = {o: constant(float(v)) for o, v in literals.items() if isinstance(v, (int, float)) and o != "axis"}
    attrs = {"dtype": fmt.name} | {o: v for o, v in literals.items() if o not in fixed}
    return OPS[spelling.op].transfer({**fixed, **operands}, attrs)


def computed(operands: tuple[str, ...], only: str = "") -> list[tuple[str, str]]:
    """Pairs of op and package for the pointwise ops (or one of them) with these data operands."""
    return [
        (op.name, root)
        for op in OPS.values()
        if op.pointwise
        and only in ("", op.name)
        and op.transfer is not unknown
        and op.name not in NOT_NUMBERS
        and CASES.get(op.name) != []
        and tuple(o for o in op.operands if o not in PARAMETERS) == operands
        for root in ROOTS
        if truth.spellings_of(op.name, root)
    ]


def unlike(
    spelling: Spelling,
    fmt: Format,
    given: Mapping[str, Value],
    x: Mapping[str, Array],
    r: Array,
    held: Array,
    parameters: Mapping[str, float],
) -> list[str]:
    """Where the framework returned what was not predicted, among the inputs ``held`` by the abstract ones."""
    v = predicted(spelling, {**given, **numbers(parameters)}, fmt)
    wrong = held[~admits(v, r[held], fmt)]
    return [
        f"{spelling.name}({', '.join(f'{o}={float(x[o][i])!r}' for o in x)}) = {float(r[i])!r} in {fmt.name}; for "
        f"{', '.join(f'{o} {shown(given[o])}' for o in given)} predicted {shown(v)}"
        for i in wrong[:1]
    ]


def numbers(parameters: Mapping[str, float]) -> dict[str, Value]:
    """Parameters as the constants they are."""
    return {o: constant(p) for o, p in parameters.items()}


def shown(v: Value) -> str:
    never = "".join(f" no {c}" for c in ("ninf", "neg", "zero", "pos", "pinf", "nan") if v.reach(c) == 0)
    return f"[{v.lo!r}, {v.hi!r}]{never}"


def callable_spellings(op: str, root: str, fmt: Format) -> list[Spelling]:
    """Spellings that give one array of the format asked for: Keras' layers compute in float32."""
    return [
        s
        for s in truth.spellings_of(op, root)
        if not s.rest
        and s.name not in APART
        and s.literals.get("dtype", fmt.name) == fmt.name
        and not (root == "keras" and s.layer and fmt.precision > 24)
    ]


@pytest.mark.parametrize(("op", "root"), [*computed(("x",)), *computed(("x", "y"), "pow")])
def test_functions_of_one_argument_stay_within_the_prediction(op: str, root: str) -> None:
    require(root)
    wrong: list[str] = []
    tried = 0
    seen = set()
    for fmt in (*FORMATS, *(half for half, roots in HALVES.items() if root in roots)):
        subnormal = root not in FLUSHES_SUBNORMALS
        x: Array = np.array(special(fmt, subnormal=subnormal), truth.data_type(fmt))
        for spelling in callable_spellings(op, root, fmt):
            for parameters in CASES.get(op, [{}]):
                if not set(parameters) <= {*spelling.operands, *spelling.defaults}:
                    continue
                try:
                    r = call(spelling, {"x": x}, dtype=truth.dtype(root, fmt), **parameters)
                except Unusable:
                    continue
                tried += 1
                assert r.shape == x.shape
                same = (fmt.name, str(parameters), str(spelling.literals), r.tobytes())
                if same in seen:
                    continue
                seen.add(same)
                for v in inputs(fmt, subnormal=subnormal):
                    held = np.flatnonzero(holds(v, x))
                    wrong += unlike(spelling, fmt, {"x": v}, {"x": x}, r, held, parameters)
    assert not wrong, "\n".join(wrong[:12])
    assert tried, [s.name for s in truth.spellings_of(op, root)]


#: constants that meet each range in the ops of two arguments
PARTNERS = (0.0, 1.0, -1.0, 0.5, 2.0, 1e-7, 1e30)


def pairs(fmt: Format, first: Array, second: Array) -> list[tuple[Value, Value, Array]]:
    """Abstract inputs for two arguments, each range or constant with each, and the pairs of numbers they hold."""
    tried = [*truth.ranges(fmt), *(truth.point(fmt.round(c), fmt) for c in PARTNERS)]
    left, right = [(v, holds(v, first)) for v in tried], [(v, holds(v, second)) for v in tried]
    return [(u, v, np.flatnonzero(a & b)) for (u, a), (v, b) in itertools.product(left, right)]


@pytest.mark.parametrize(("op", "root"), [*computed(("a", "b")), *computed(("x", "y"))])
def test_functions_of_two_arguments_stay_within_the_prediction(op: str, root: str) -> None:
    require(root)
    first, second = (o for o in OPS[op].operands if o not in PARAMETERS)
    wrong: list[str] = []
    tried = 0
    seen = set()
    for fmt in FORMATS:
        points = special(fmt, subnormal=root not in FLUSHES_SUBNORMALS)
        grid: Array = np.array(list(itertools.product(points, points)), truth.data_type(fmt))
        x = {first: grid[:, 0].copy(), second: grid[:, 1].copy()}
        met = pairs(fmt, x[first], x[second])
        for spelling in callable_spellings(op, root, fmt):
            for parameters in CASES.get(op, [{}]) if op != "pow" else [{}]:
                try:
                    r = call(spelling, x, **parameters)
                except Unusable:
                    continue
                tried += 1
                assert r.shape == x[first].shape
                same = (fmt.name, str(parameters), r.tobytes())
                if same in seen:
                    continue
                seen.add(same)
                for u, v, held in met:
                    wrong += unlike(spelling, fmt, {first: u, second: v}, x, r, held, parameters)
    assert not wrong, "\n".join(wrong[:12])
    assert tried, [s.name for s in truth.spellings_of(op, root)]


#: elements of the rows that are reduced
ELEMENTS = (0.0, 1e-30, 1e-3, 0.5, 1.0, 2.0, 6.0, 88.0, 104.0, 760.0, 1e20, 1e38, -1e-3, -1.0, -6.0, -104.0, -1e38)


def rows(fmt: Format) -> Array:
    """All rows of three elements, infinities and nan among them."""
    elements = [*ELEMENTS, fmt.max, -fmt.max, math.inf, -math.inf, math.nan]
    return np.array(list(itertools.product(elements, repeat=3)), truth.data_type(fmt))


ROWWISE = ("softmax", "softmin", "log_softmax", "cumsum", "cumprod", "logcumsumexp", "normalize", "diff")


def reducing() -> list[tuple[str, str]]:
    """Pairs of op and package for what works along an axis."""
    return [
        (op.name, root)
        for op in OPS.values()
        if (op.reduction or op.name in ROWWISE) and op.transfer is not unknown and op.operands[:1] == ("x",)
        for root in ROOTS
        if any("axis" in s.operands for s in truth.spellings_of(op.name, root))
    ]


#: reductions whose spellings want more than an array and an axis, or give truth values
APART_ROWS = {"any", "all", "reduce_any", "reduce_all", "psum", "pmean", "pmax", "pmin"} | {
    *("quantile", "kthvalue", "percentile", "nanquantile", "nanpercentile", "mode", "nanmedian"),
    *("jax.lax.reduce_sum", "jax.lax.reduce_max", "jax.lax.reduce_min"),
}


@pytest.mark.parametrize(("op", "root"), reducing())
def test_reductions_stay_within_the_prediction(op: str, root: str) -> None:
    require(root)
    wrong: list[str] = []
    tried = 0
    seen = set()
    for fmt in FORMATS:
        x = rows(fmt)
        for spelling in callable_spellings(op, root, fmt):
            last = spelling.name.rpartition(".")[2]
            if (
                "axis" not in spelling.operands
                or {last, spelling.name} & APART_ROWS
                or (spelling.layer and op not in ROWWISE)
            ):
                continue
            r = call(spelling, {"x": x}, axis=1)
            tried += 1
            if r.tobytes() in seen or r.dtype == bool:
                continue
            seen.add(r.tobytes())
            results = r.reshape(len(x), -1)
            for v in truth.ranges(fmt):
                predicted_value = predicted(spelling, {"x": v}, fmt)
                held = holds(v, x).all(axis=1)
                bad = held & ~admits(predicted_value, results, fmt).all(axis=1)
                wrong += [
                    f"{spelling.name}({x[i].tolist()}) = {results[i].tolist()} in {fmt.name}; for {shown(v)} predicted "
                    f"{shown(predicted_value)}"
                    for i in np.flatnonzero(bad)[:1]
                ]
    assert not wrong, "\n".join(wrong[:12])


# ── certainties ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("op", "root"), computed(("x",)))
def test_ends_that_are_certain_are_reached(op: str, root: str) -> None:
    """Where all finite inputs are open, an end said to be attained for certain is seen among the special values."""
    require(root)
    missed = []
    for fmt in FORMATS:
        points = special(fmt, subnormal=False)
        x: Array = np.array([p for p in points if math.isfinite(p)], truth.data_type(fmt))
        for spelling in callable_spellings(op, root, fmt)[:3]:
            for parameters in CASES.get(op, [{}])[:1]:
                v = predicted(spelling, {"x": truth.ranges(fmt)[2], **numbers(parameters)}, fmt)
                ends = {end for end, reach in ((v.lo, v.low), (v.hi, v.high)) if reach is CERTAIN}
                ends |= {0.0} if v.zero is CERTAIN else set()
                if not ends:
                    continue
                try:
                    seen = {float(r) for r in call(spelling, {"x": x}, dtype=truth.dtype(root, fmt), **parameters)}
                except Unusable:
                    continue
                missed += [f"{spelling.name} never gives {end!r} in {fmt.name}" for end in ends - seen]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("root", ROOTS)
def test_a_softmax_is_exactly_0_and_1_far_out(root: str) -> None:
    require(root)
    for fmt in FORMATS:
        x: Array = np.array([[0.0, -2000.0, 2000.0]], truth.data_type(fmt))
        for spelling in callable_spellings("softmax", root, fmt):
            v = predicted(spelling, {"x": truth.ranges(fmt)[2]}, fmt)
            assert (v.low, v.high) == (CERTAIN, CERTAIN)
            axis = {"axis": 1} if "axis" in spelling.operands else {}
            if not axis:
                continue
            assert call(spelling, {"x": x}, **axis).tolist() == [[0.0, 0.0, 1.0]], spelling.name


# ── poles ───────────────────────────────────────────────────────────────────────────────────────────────────────────

#: a number of each class
AT = {"zero": 0.0, "neg": -0.5, "pos": 0.5, "ninf": -math.inf}


def poles(*, gradient: bool) -> list[tuple[str, Pole, str]]:
    """Poles of pointwise ops, with a package that has the op and, for a gradient, differentiates."""
    return [
        (op.name, pole, root)
        for op in OPS.values()
        for pole in op.poles
        if pole.gradient is gradient and pole.operand != "result" and op.pointwise
        for root in (DIFFERENTIABLE_ROOTS if gradient else ROOTS)
        if truth.spellings_of(op.name, root) and (pole.frameworks is None or root in pole.frameworks)
    ]


DIFFERENTIABLE_ROOTS = ("torch", "tensorflow", "jax")


def at_pole(op: str, pole: Pole) -> dict[str, Array]:
    """Operands that are at the pole, together with those that must be somewhere too; the others are 2."""
    places = {pole.name: AT[pole.cls] - pole.shift}
    for operand, cls in pole.also:
        name, shift = shifted(operand)
        places[name] = AT[cls] - shift
    names = [o for o in OPS[op].operands if o not in PARAMETERS or o == "base"]
    return {o: np.array([places.get(o, 2.0)], np.float32) for o in names}


def gives(text: str, r: float) -> bool:
    """Whether a number is what a pole is said to give."""
    seen = "nan" if math.isnan(r) else "inf" if r == math.inf else "-inf" if r == -math.inf else "a number"
    return seen in text.split(" or ")


@pytest.mark.parametrize(("op", "pole", "root"), poles(gradient=False), ids=str)
def test_functions_break_at_their_poles_as_said(op: str, pole: Pole, root: str) -> None:
    require(root)
    wrong = []
    tried = 0
    for spelling in callable_spellings(op, root, FORMATS[0]):
        parameters = CASES.get(op, [{}])[0] if op not in ("pow", "log_base") else {}
        if spelling.literals.keys() & {pole.name}:
            continue
        try:
            r = call(spelling, at_pole(op, pole), **parameters)
        except Unusable:
            continue
        tried += 1
        if not gives(pole.gives, float(r[0])):
            wrong.append(f"{spelling.name} at {pole.operand} {pole.cls} gives {float(r[0])!r}, not {pole.gives}")
    assert not wrong, "\n".join(wrong)
    assert tried


@pytest.mark.parametrize(("op", "pole", "root"), poles(gradient=True), ids=str)
def test_gradients_break_at_their_poles(op: str, pole: Pole, root: str) -> None:
    require(root)
    wrong = []
    for spelling in callable_spellings(op, root, FORMATS[0]):
        if spelling.in_place or spelling.layer:
            continue
        operands = at_pole(op, pole)
        g = [truth.gradient(spelling, operands, name) for name in {pole.name, *(shifted(o)[0] for o, _ in pole.also)}]
        r = call(spelling, operands)
        assert math.isfinite(float(r[0])), f"{spelling.name} is {float(r[0])!r} itself"
        if np.isfinite(g).all():
            wrong.append(f"{spelling.name} has gradient {g!r} at {pole.operand} {pole.cls}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("root", DIFFERENTIABLE_ROOTS)
@pytest.mark.parametrize("exponent", [0.5, 0.25, 0.75])
def test_a_power_below_one_has_no_gradient_at_zero(root: str, exponent: float) -> None:
    require(root)
    names = ("torch.pow", "torch.Tensor.pow", "tensorflow.pow", "jax.numpy.power")
    for spelling in truth.spellings_of("pow", root):
        if spelling.name in names:
            operands = {"x": np.array([0.0], np.float32), "y": np.array([exponent], np.float32)}
            assert not math.isfinite(truth.gradient(spelling, operands, "x")), spelling.name


# ── selections, creations and draws ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("root", ["torch", "tensorflow", "keras", "jax", "numpy"])
def test_a_selection_is_one_of_its_branches(root: str) -> None:
    require(root)
    fmt = FORMATS[0]
    points = np.array(special(fmt, subnormal=False), truth.data_type(fmt))
    both: Array = np.array(list(itertools.product(points, points)), truth.data_type(fmt))
    x: dict[str, Array] = {"a": both[:, 0].copy(), "b": both[:, 1].copy(), "cond": np.arange(len(both)) % 2 == 0}
    for spelling in callable_spellings("where", root, fmt):
        if "masked_" in spelling.name or spelling.name == "keras.backend.switch":
            continue  # a number or fewer elements for one branch, a single truth value for all elements
        r = call(spelling, x)
        for u, v in itertools.product(truth.ranges(fmt), repeat=2):
            held = holds(u, x["a"]) & holds(v, x["b"])
            assert admits(predicted(spelling, {"a": u, "b": v}, fmt), r[held], fmt).all(), spelling.name


N = 20_000

#: a call of each function that creates or draws, and the operands it was given
CREATED: list[tuple[str, tuple[object, ...], dict[str, object], dict[str, float]]] = [
    ("torch.rand", (N,), {}, {}),
    ("torch.randn", (N,), {}, {}),
    ("torch.randint", (2, 9, (N,)), {}, {"low": 2, "high": 9}),
    ("torch.arange", (1, 9, 2), {}, {"start": 1, "stop": 9, "step": 2}),
    ("torch.arange", (9, 1, -2), {}, {"start": 9, "stop": 1, "step": -2}),
    ("torch.linspace", (-1, 1, 9), {}, {"start": -1, "stop": 1}),
    ("torch.eye", (3,), {}, {}),
    ("torch.zeros", (3,), {}, {}),
    ("torch.ones", (3,), {}, {}),
    ("torch.full", ((3,), 7.0), {}, {"fill": 7.0}),
    ("torch.hann_window", (16,), {}, {}),
    ("torch.blackman_window", (16,), {}, {}),
    ("torch.randperm", (9,), {}, {"start": 9}),
    ("tensorflow.random.uniform", ([N],), {"minval": 0.5, "maxval": 1.0}, {"low": 0.5, "high": 1.0}),
    ("tensorflow.random.normal", ([N],), {}, {}),
    ("tensorflow.random.gamma", ([N], 0.01), {}, {}),
    ("tensorflow.random.poisson", ([N], 0.5), {}, {}),
    ("tensorflow.range", (3, 0, -1), {}, {"start": 3, "stop": 0, "step": -1}),
    ("tensorflow.one_hot", ([0, 2], 3), {}, {}),
    ("tensorflow.fill", ([2], -1.0), {}, {"fill": -1.0}),
    ("numpy.random.uniform", (-2.0, 2.0, N), {}, {"low": -2.0, "high": 2.0}),
    ("numpy.random.rand", (N,), {}, {}),
    ("numpy.random.exponential", (1.0, N), {}, {}),
    ("numpy.random.gamma", (0.01, 1.0, N), {}, {}),
    ("numpy.random.beta", (0.01, 0.01, N), {}, {}),
    ("numpy.random.dirichlet", ([0.01, 0.01], N), {}, {}),
    ("numpy.random.poisson", (0.5, N), {}, {}),
    ("numpy.random.binomial", (3, 0.5, N), {}, {}),
    ("numpy.random.lognormal", (0.0, 1.0, N), {}, {}),
    ("numpy.random.randint", (-3, 3, N), {}, {"low": -3, "high": 3}),
    ("numpy.arange", (0.0, 1.0, 0.1), {}, {"start": 0.0, "stop": 1.0, "step": 0.1}),
    ("numpy.tri", (3,), {}, {}),
    ("numpy.hanning", (9,), {}, {}),
    ("numpy.fft.fftfreq", (8,), {}, {}),
    ("numpy.fft.rfftfreq", (8,), {}, {}),
    ("jax.nn.one_hot", (1, 3), {}, {}),
]


@pytest.mark.parametrize(
    ("name", "args", "keywords", "operands"), CREATED, ids=lambda p: p if isinstance(p, str) else ""
)
def test_creations_and_draws_stay_within_the_prediction(
    name: str, args: tuple[object, ...], keywords: dict[str, object], operands: dict[str, float]
) -> None:
    require(name.partition(".")[0])
    spelling = SPELLINGS.get(name)
    assert spelling is not None
    r = np.asarray(resolve(name)(*args, **keywords))
    v = predicted(spelling, numbers(operands), FORMATS[0])
    assert admits(v, r.astype(np.float64).ravel(), FORMATS[0]).all(), shown(v)
    if v.whole:
        assert (r == np.round(r)).all()


@pytest.mark.parametrize(
    "draw", ["uniform", "normal", "bernoulli", "exponential", "gamma", "beta", "poisson", "rademacher"]
)
def test_draws_of_jax_stay_within_the_prediction(draw: str) -> None:
    require("jax")
    jax = truth.jax_with_float64()
    shapes = {"gamma": (0.01,), "beta": (0.01, 0.01), "poisson": (0.5,), "bernoulli": (0.5,)}.get(draw, ())
    r = np.asarray(getattr(jax.random, draw)(jax.random.key(0), *shapes, shape=(N,)))
    spelling = SPELLINGS.get(f"jax.random.{draw}")
    assert spelling is not None
    assert admits(predicted(spelling, {}, FORMATS[0]), r.astype(np.float64), FORMATS[0]).all()
