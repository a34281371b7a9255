"""Truth comes from the frameworks: no function returns what the transfer function of its op says it never does."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from nanlint.ops.op import OPS, Pole, shifted, unknown
from nanlint.ops.value import CERTAIN, LIKELY, NEVER, Kind, Reach, value
from tests.ops import truth
from tests.ops.calling import Array, Unusable, call, drawn, gradient
from tests.ops.soundness import (
    CASES,
    NOT_NUMBERS,
    PARAMETERS,
    callable_spellings,
    data_operands,
    numbers,
    predicted,
    shown,
)
from tests.ops.test_spellings import SPELLINGS
from tests.ops.truth import FORMATS, admits, holds, special

ROOTS = ("torch", "tensorflow", "keras", "jax", "numpy", "scipy")


def computed(operands: tuple[str, ...], only: str = "") -> list[tuple[str, str]]:
    """Pairs of op and package for the pointwise ops (or one of them) with these data operands."""
    return [
        (op.name, root)
        for op in OPS.values()
        if op.pointwise
        and only in ("", op.name)
        and op.transfer is not unknown
        and op.name not in NOT_NUMBERS
        and data_operands(op) == operands
        for root in ROOTS
        if truth.spellings_of(op.name, root)
    ]


# ── certainties ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("op", "root"), computed(("x",)))
def test_ends_that_are_certain_are_reached(op: str, root: str) -> None:
    """Where all finite inputs are open, an end said to be attained for certain is seen among the special values."""
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
                    seen = {float(r) for r in call(spelling, {"x": x}, dtype=fmt.name, **parameters)}
                except Unusable:
                    continue
                missed += [f"{spelling.name} never gives {end!r} in {fmt.name}" for end in ends - seen]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("root", ROOTS)
def test_a_softmax_is_exactly_0_and_1_far_out(root: str) -> None:
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
AT = {"zero": 0.0, "neg": -0.5, "pos": 0.5, "ninf": -math.inf, "pinf": math.inf}


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


def label(p: object) -> str:
    """The name of a parameter in that of a test: the same in each run."""
    return f"{p.operand}-{p.cls}" if isinstance(p, Pole) else str(p)


@pytest.mark.parametrize(("op", "pole", "root"), poles(gradient=False), ids=label)
def test_functions_break_at_their_poles_as_said(op: str, pole: Pole, root: str) -> None:
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


@pytest.mark.parametrize(("op", "pole", "root"), poles(gradient=True), ids=label)
def test_gradients_break_at_their_poles(op: str, pole: Pole, root: str) -> None:
    wrong = []
    for spelling in callable_spellings(op, root, FORMATS[0]):
        if spelling.in_place or spelling.layer:
            continue
        operands = at_pole(op, pole)
        g = [gradient(spelling, operands, name) for name in {pole.name, *(shifted(o)[0] for o, _ in pole.also)}]
        r = call(spelling, operands)
        assert math.isfinite(float(r[0])), f"{spelling.name} is {float(r[0])!r} itself"
        if np.isfinite(g).all():
            wrong.append(f"{spelling.name} has gradient {g!r} at {pole.operand} {pole.cls}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("root", DIFFERENTIABLE_ROOTS)
@pytest.mark.parametrize("exponent", [0.5, 0.25, 0.75])
def test_a_power_below_one_has_no_gradient_at_zero(root: str, exponent: float) -> None:
    names = ("torch.pow", "torch.Tensor.pow", "tensorflow.pow", "jax.numpy.power")
    for spelling in truth.spellings_of("pow", root):
        if spelling.name in names:
            operands = {"x": np.array([0.0], np.float32), "y": np.array([exponent], np.float32)}
            assert not math.isfinite(gradient(spelling, operands, "x")), spelling.name


# ── selections, creations and draws ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("root", ["torch", "tensorflow", "keras", "jax", "numpy"])
def test_a_selection_is_one_of_its_branches(root: str) -> None:
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
    spelling = SPELLINGS.get(name)
    assert spelling is not None
    r = drawn(name, args, keywords)
    v = predicted(spelling, numbers(operands), FORMATS[0])
    assert admits(v, r, FORMATS[0]).all(), shown(v)
    if v.whole:
        assert (r == np.round(r)).all()


@pytest.mark.parametrize(
    "draw", ["uniform", "normal", "bernoulli", "exponential", "gamma", "beta", "poisson", "rademacher"]
)
def test_draws_of_jax_stay_within_the_prediction(draw: str) -> None:
    parameters = {"gamma": (0.01,), "beta": (0.01, 0.01), "poisson": (0.5,), "bernoulli": (0.5,)}.get(draw, ())
    r = drawn(f"jax.random.{draw}", parameters, {"shape": (N,)})
    spelling = SPELLINGS.get(f"jax.random.{draw}")
    assert spelling is not None
    assert admits(predicted(spelling, {}, FORMATS[0]), r, FORMATS[0]).all()


@pytest.mark.parametrize(("largest", "counted"), [(1.0, Reach.NEVER), (2.0, LIKELY)])
def test_a_mask_is_counted_by_its_sum_and_labels_are_not(largest: float, counted: Reach) -> None:
    """Of a mask that is 1 everywhere some element counts; of labels 1 and 2 none may be the one that is asked for."""
    labels = value(1.0, largest, whole=True, zero=NEVER, kind=Kind.TENSOR)
    assert OPS["count_nonzero"].transfer({"x": labels}, {}).zero is counted
