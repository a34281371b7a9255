"""Safe means safe: each fix is executed beside its original, on random and on special numbers.

Values and gradients agree to rounding wherever the original's are finite, shapes and dtypes always; and on the input
that spoils the original, the mended program is finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nanlint

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.slow

Array = Any
Outcome = tuple[Array, list[Array]]

HEADERS = {
    "torch": "import torch\nimport torch.nn.functional as F\n\n\n",
    "tensorflow": "import tensorflow as tf\n\n\n",
    "jax": "import jax\nimport jax.numpy as jnp\n\n\n",
    "keras": "import keras\nfrom keras import ops\n\n\n",
    "scipy": "import numpy as np\nfrom scipy import special\n\n\n",
    "numpy": "import numpy as np\n\n\n",
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-3)
ANY = (-5.0, 5.0, SPECIAL)
LOGITS = (-30.0, 30.0, (*SPECIAL, 200.0, -200.0))
MILD = (-6.0, 6.0, (0.0, 200.0, -200.0))
UNIT = (0.0, 1.0, (0.0, 1.0, 0.5, 1e-3))
Domain = tuple[float, float, tuple[float, ...]]
#: two sequences of two steps: the second, of two equal letters, would need three
CTC = (
    "F.log_softmax(torch.stack([x, y], 1), -1), torch.tensor([[1, 2], [1, 1]]), torch.tensor([2, 2]), "
    "torch.tensor([2, 2])"
)


@dataclass(frozen=True)
class Proof:
    """A function of x and y (2 by 3 each), the rule that mends it, where x and y live, and the x that spoils it.

    ``slope_is_infinite``: the true derivative at the bad input is, and stays so. ``everywhere``: all of x is spoiled,
    not at one element. ``unsafe``: the fix is, and ``changes`` finite values. ``bad`` is None where nothing is nan.
    """

    framework: str
    code: str
    body: str
    bad: float | None
    x: Domain = ANY
    y: Domain = ANY
    slope_is_infinite: bool = False
    everywhere: bool = False
    unsafe: bool = False
    changes: bool = False

    @property
    def source(self) -> str:
        lines = "\n".join(f"    {line}" for line in self.body.split("\n"))
        return f"{HEADERS[self.framework]}def f(x, y):\n{lines}\n"


def _floored(framework: str, body: str) -> Proof:
    """A root of a variance that rounding takes below 0 where x is 1009.4 everywhere."""
    return Proof(framework, "NL503", body, 1009.4, everywhere=True, slope_is_infinite=True)


def _raised(framework: str, body: str) -> Proof:
    """The same, raised by an eps: what is between -eps and 0 changes."""
    return Proof(framework, "NL503", body, 1009.4, everywhere=True, unsafe=True, changes=True)


def _two_pass(framework: str, body: str) -> Proof:
    """A variance that is used for itself: more exact, and never nan."""
    return Proof(framework, "NL503", body, None, unsafe=True)


PROOFS = {
    # logs of softmaxes and sigmoids
    "log_softmax-torch": Proof("torch", "NL101", "return torch.log(F.softmax(x, dim=-1))", 200.0, LOGITS),
    "log_softmax-torch-method": Proof("torch", "NL101", "p = x.softmax(0)\nreturn p.log() * y", 200.0, LOGITS),
    "log_softmax-tf": Proof("tensorflow", "NL101", "return y * tf.math.log(tf.nn.softmax(x))", 200.0, LOGITS),
    "log_softmax-jax": Proof("jax", "NL101", "return jnp.log(jax.nn.softmax(x + y, axis=0))", 200.0, LOGITS),
    "log_softmax-keras": Proof("keras", "NL101", "return ops.log(ops.softmax(x, axis=-1))", 200.0, LOGITS),
    "log_softmax-scipy": Proof("scipy", "NL101", "return np.log(special.softmax(x, axis=1))", 200.0, LOGITS),
    "log_softmax-scipy-all": Proof("scipy", "NL101", "return np.log(special.softmax(x))", 200.0, LOGITS),
    "log_sigmoid-torch": Proof("torch", "NL102", "return torch.log(torch.sigmoid(x))", -200.0, LOGITS),
    "log_sigmoid-torch-complement": Proof("torch", "NL102", "return (1 - x.sigmoid()).log()", 200.0, MILD),
    "log_sigmoid-torch-log1p": Proof("torch", "NL102", "return torch.log1p(-torch.sigmoid(x))", 200.0, MILD),
    "log_sigmoid-tf": Proof("tensorflow", "NL102", "return tf.math.log(tf.sigmoid(x))", -200.0, LOGITS),
    "log_sigmoid-tf-complement": Proof(
        "tensorflow", "NL102", "p = tf.sigmoid(x)\nreturn (1 - y) * tf.math.log(1 - p)", 200.0, MILD
    ),
    "log_sigmoid-jax": Proof("jax", "NL102", "return jnp.log(jax.nn.sigmoid(x))", -200.0, LOGITS),
    "log_sigmoid-jax-complement": Proof("jax", "NL102", "return jnp.log(1 - jax.nn.sigmoid(x))", 200.0, MILD),
    "log_sigmoid-keras": Proof("keras", "NL102", "return ops.log(ops.sigmoid(x))", -200.0, LOGITS),
    "log_sigmoid-scipy": Proof("scipy", "NL102", "return np.log(1 - special.expit(x))", 200.0, MILD),
    # products with a log
    "xlogy-torch": Proof(
        "torch", "NL104", "p = torch.relu(x)\nreturn F.relu(y) * torch.log(p)", 0.0, slope_is_infinite=True
    ),
    "xlogy-torch-entropy": Proof(
        "torch", "NL104", "p = torch.relu(x)\nreturn -(p * p.log())", 0.0, slope_is_infinite=True
    ),
    "xlog1py-torch": Proof(
        "torch",
        "NL104",
        "p = F.softmax(x, dim=-1)\nreturn torch.relu(y) * torch.log1p(-p)",
        200.0,
        MILD,
        slope_is_infinite=True,
    ),
    "xlogy-tf": Proof("tensorflow", "NL104", "p = tf.nn.relu(x)\nreturn p * tf.math.log(p)", 0.0),
    "xlogy-tf-multiply": Proof(
        "tensorflow", "NL104", "p = tf.nn.relu(x)\nreturn tf.multiply(p, tf.math.log(p)) + y", 0.0
    ),
    "xlogy-jax": Proof("jax", "NL104", "p = jnp.maximum(x, 0)\nreturn p * jnp.log(p)", 0.0, slope_is_infinite=True),
    "xlogy-scipy": Proof("scipy", "NL104", "p = np.maximum(x, 0)\nreturn p * np.log(p)", 0.0),
    # selections
    "double_where-torch-division": Proof("torch", "NL203", "return torch.where(x != 0, y / x, 0.0)", 0.0),
    "double_where-torch-log": Proof("torch", "NL203", "return torch.where(x > 0, torch.log(x), y)", 0.0),
    "double_where-torch-sqrt": Proof("torch", "NL203", "return torch.where(x > 0, x.sqrt(), -1.0)", 0.0),
    "double_where-torch-power": Proof("torch", "NL203", "return torch.where(x <= 0, y, x**0.3)", 0.0),
    "double_where-torch-exp": Proof("torch", "NL203", "return torch.where(x > 0, x, torch.exp(x) - 1)", 200.0, LOGITS),
    "double_where-torch-masked-fill": Proof("torch", "NL203", "return x.pow(-1).masked_fill(x == 0, 0.0)", 0.0),
    "double_where-torch-stored": Proof("torch", "NL203", "z = torch.log(x)\nz[x <= 0] = 0.0\nreturn z", 0.0),
    "double_where-tf-division": Proof("tensorflow", "NL203", "return tf.where(x > 0, 1.0 / x, 0.0)", 0.0, UNIT),
    "double_where-tf-power": Proof("tensorflow", "NL203", "ok = x > 0\nreturn tf.where(ok, tf.pow(x, 0.5), y)", 0.0),
    "double_where-tf-log": Proof("tensorflow", "NL203", "return tf.where(x <= 0, y, tf.math.log(x))", 0.0, UNIT),
    "double_where-jax-division": Proof("jax", "NL203", "return jnp.where(x == 0, 0.0, jnp.sin(x) / x)", 0.0),
    "double_where-jax-log": Proof("jax", "NL203", "return jnp.where(x > 0, y * jnp.log(x), 0.0)", 0.0),
    "double_where-jax-power": Proof("jax", "NL203", "return jnp.where(x > 0, jnp.power(x, 0.3), 0.0)", 0.0),
    "double_where-keras": Proof("keras", "NL203", "return ops.where(ops.equal(x, 0), 0.0, ops.divide(1.0, x))", 0.0),
    "root-torch": Proof("torch", "NL201", "return torch.sqrt(x.clamp(min=0)) * y", 0.0),
    "root-tf": Proof("tensorflow", "NL201", "return tf.sqrt(tf.nn.relu(x))", 0.0),
    "root-jax": Proof("jax", "NL201", "return jnp.sqrt(jnp.maximum(x, 0)) + y", 0.0),
    "root-keras": Proof("keras", "NL201", "return ops.sqrt(ops.relu(x))", 0.0),
    # denominators
    "count-torch": Proof("torch", "NL301", "m = (x != 0).to(x.dtype)\nreturn (x * y).sum(1) / m.sum(1)", 0.0),
    "count-tf": Proof(
        "tensorflow",
        "NL301",
        "m = tf.cast(tf.not_equal(x, 0), x.dtype)\nreturn tf.reduce_sum(y * m, 1) / tf.reduce_sum(m, 1)",
        0.0,
    ),
    "count-jax": Proof("jax", "NL301", "m = (x != 0).astype(x.dtype)\nreturn jnp.sum(y * m, 1) / jnp.sum(m, 1)", 0.0),
    "count-numpy": Proof("numpy", "NL301", "m = x != 0\nreturn np.sum(y * m, 1) / np.sum(m, 1)", 0.0),
    "count-keras": Proof(
        "keras", "NL301", "m = ops.cast(ops.not_equal(x, 0), x.dtype)\nreturn ops.sum(y * m, 1) / ops.sum(m, 1)", 0.0
    ),
    "denominator-torch": Proof("torch", "NL303", "d = torch.relu(x)\nreturn y / d", 0.0),
    "denominator-torch-reciprocal": Proof("torch", "NL303", "return y * torch.relu(x).reciprocal()", 0.0),
    "denominator-tf": Proof("tensorflow", "NL303", "return y / tf.nn.relu(x)", 0.0),
    "denominator-tf-one-over": Proof("tensorflow", "NL303", "return y * (1.0 / tf.nn.relu(x))", 0.0),
    "denominator-tf-two-over": Proof("tensorflow", "NL303", "d = tf.nn.relu(x)\nreturn 2.0 / d", 0.0),
    "denominator-jax": Proof("jax", "NL303", "d = jnp.maximum(x, 0)\nreturn y / d", 0.0),
    "denominator-keras": Proof("keras", "NL303", "return y / ops.relu(x)", 0.0),
    # sequences too short for their targets
    "zero_infinity-torch": Proof("torch", "NL703", f"return F.ctc_loss({CTC}, reduction='none')", 0.0),
    "zero_infinity-torch-layer": Proof(
        "torch", "NL703", f"ctc = torch.nn.CTCLoss(reduction='none')\nreturn ctc({CTC})", 0.0
    ),
    # softmaxes by hand
    "softmax-torch": Proof("torch", "NL401", "return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)", 200.0, LOGITS),
    "softmax-torch-lost-axis": Proof("torch", "NL401", "e = x.exp()\nreturn e / e.sum(0) * y", 200.0, LOGITS),
    "softmax-torch-none": Proof("torch", "NL401", "e = x.exp()\nreturn e / e.sum(1)[:, None]", 200.0, LOGITS),
    "softmax-tf": Proof(
        "tensorflow", "NL401", "e = tf.exp(x)\nreturn e / tf.reduce_sum(e, axis=1, keepdims=True)", 200.0, LOGITS
    ),
    "softmax-jax": Proof(
        "jax", "NL401", "e = jnp.exp(x + y)\nreturn e / jnp.sum(e, axis=0, keepdims=True)", 200.0, LOGITS
    ),
    "softmax-keras": Proof(
        "keras", "NL401", "return ops.exp(x) / ops.sum(ops.exp(x), axis=-1, keepdims=True)", 200.0, LOGITS
    ),
    "softmax-scipy": Proof(
        "scipy", "NL401", "return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)", 1000.0, LOGITS
    ),
    "softmax-scipy-all": Proof("scipy", "NL401", "return np.exp(x) / np.sum(np.exp(x))", 1000.0, LOGITS),
    # differences of nearly equal numbers
    "floor-torch": _floored("torch", "return ((x**2).mean(1) - x.mean(1) ** 2).sqrt() + y[:, 0]"),
    "floor-torch-function": _floored("torch", "m = torch.mean(x, 1)\nreturn torch.sqrt(torch.mean(x * x, 1) - m * m)"),
    "floor-tf": _floored(
        "tensorflow", "m = tf.reduce_mean(x, 1)\nreturn tf.sqrt(tf.reduce_mean(tf.square(x), 1) - tf.square(m))"
    ),
    "floor-jax": _floored("jax", "return jnp.sqrt(jnp.mean(x**2, axis=1) - jnp.mean(x, axis=1) ** 2)"),
    "floor-jax-method": _floored("jax", "v = (x * x).mean(1) - jnp.square(x.mean(1))\nreturn jnp.sqrt(v)"),
    "floor-keras": _floored("keras", "m = ops.mean(x, 1)\nreturn ops.sqrt(ops.mean(x * x, 1) - m * m)"),
    "floor-numpy": _floored("numpy", "return np.sqrt(np.mean(x**2, 1) - np.mean(x, 1) ** 2)"),
    "floor-torch-eps": _raised("torch", "return ((x**2).mean(1) - x.mean(1) ** 2 + 1e-5).rsqrt()"),
    "floor-tf-eps": _raised(
        "tensorflow", "v = tf.reduce_mean(x * x, 1) - tf.reduce_mean(x, 1) ** 2\nreturn tf.math.rsqrt(v + 1e-5)"
    ),
    "floor-jax-eps": _raised(
        "jax", "v = jnp.mean(x**2, axis=1) - jnp.mean(x, axis=1) ** 2\nreturn 1 / jnp.sqrt(v + 1e-5)"
    ),
    "floor-keras-eps": _raised(
        "keras", "v = ops.mean(x * x, 1) - ops.square(ops.mean(x, 1))\nreturn ops.rsqrt(v + 1e-5)"
    ),
    "floor-numpy-eps": _raised("numpy", "return np.log(np.mean(x**2, 1) - np.mean(x, 1) ** 2 + 1e-5)"),
    "two-pass-torch": _two_pass("torch", "return torch.mean(x**2, 1) - torch.mean(x, 1) ** 2"),
    "two-pass-torch-method": _two_pass("torch", "m = x.mean(-1)\nreturn (x * x).mean(-1) - m**2"),
    "two-pass-tf": _two_pass("tensorflow", "return tf.reduce_mean(x**2, 1) - tf.reduce_mean(x, 1) ** 2"),
    "two-pass-jax": _two_pass("jax", "m = jnp.mean(x, axis=0)\nreturn jnp.mean(x**2, axis=0) - m * m"),
    "two-pass-keras": _two_pass("keras", "return ops.mean(x**2, 1) - ops.mean(x, 1) ** 2"),
    "two-pass-numpy": _two_pass("numpy", "return (x**2).mean(1) - x.mean(1) ** 2"),
}


def _torch(f: Callable[..., Any], inputs: Sequence[Array]) -> Outcome:
    import torch

    leaves = [torch.tensor(i, requires_grad=True) for i in inputs]
    value = f(*(leaf * 1 for leaf in leaves))
    gradients = torch.autograd.grad(value.sum(), leaves, allow_unused=True)
    return value.detach().numpy(), [g.numpy() for g in gradients if g is not None]


def _tensorflow(f: Callable[..., Any], inputs: Sequence[Array]) -> Outcome:
    import tensorflow as tf

    leaves = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        for leaf in leaves:
            tape.watch(leaf)
        value = f(*leaves)
    gradients = tape.gradient(value, leaves)
    return value.numpy(), [tf.convert_to_tensor(g).numpy() for g in gradients if g is not None]


def _jax(f: Callable[..., Any], inputs: Sequence[Array]) -> Outcome:
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(True):
        value, pull = jax.vjp(f, *(jnp.asarray(i) for i in inputs))
        return np.asarray(value), [np.asarray(g) for g in pull(jnp.ones_like(value))]


def _numpy(f: Callable[..., Any], inputs: Sequence[Array]) -> Outcome:
    with np.errstate(all="ignore"):
        return np.asarray(f(*(i.copy() for i in inputs))), []


ADAPTERS = {
    "torch": _torch,
    "tensorflow": _tensorflow,
    "keras": _tensorflow,
    "jax": _jax,
    "scipy": _numpy,
    "numpy": _numpy,
}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")


def _function(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "<program>", "exec"), names)
    return names["f"]  # type: ignore[no-any-return]


def _pair(proof: Proof) -> tuple[Callable[..., Any], Callable[..., Any]]:
    pytest.importorskip(proof.framework)
    outcome = nanlint.fix_source(proof.source, unsafe_fixes=proof.unsafe, select=[proof.code], confidence="possible")
    assert outcome.fixed, "nothing was mended"
    assert not [d for d in outcome.remaining if d.code == proof.code], "the finding is still there"
    return _function(proof.source), _function(outcome.source.text)


def _arrays(domain: Domain) -> st.SearchStrategy[list[float]]:
    low, high, special = domain
    floats = st.floats(low, high, width=32, allow_subnormal=False)
    return st.lists(st.one_of(st.sampled_from(special), floats), min_size=6, max_size=6)


def _agree(original: Array, mended: Array, dtype: str) -> None:
    """Equal wherever the original is finite, to rounding of the dtype on the scale of the numbers."""
    assert original.shape == mended.shape
    assert original.dtype == mended.dtype
    finite = np.isfinite(original)
    scale = np.maximum(1.0, np.abs(original[finite]))
    tolerance = (2e-4 if dtype == "float32" else 1e-9) * scale
    assert np.all(np.abs(original[finite] - mended[finite]) <= tolerance), (original, mended)


KEEPING = {name: proof for name, proof in PROOFS.items() if not proof.changes}
ENDING = {name: proof for name, proof in PROOFS.items() if proof.bad is not None}


@pytest.mark.parametrize("proof", KEEPING.values(), ids=KEEPING)
def test_the_fix_keeps_what_is_finite(proof: Proof) -> None:
    original, mended = _pair(proof)
    run = ADAPTERS[proof.framework]

    @settings(max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(x=_arrays(proof.x), y=_arrays(proof.y), dtype=st.sampled_from(["float32", "float64"]))
    def check(x: list[float], y: list[float], dtype: str) -> None:
        inputs = [np.array(v, dtype).reshape(2, 3) for v in (x, y)]
        (value, gradients), (new_value, new_gradients) = run(original, inputs), run(mended, inputs)
        _agree(value, new_value, dtype)
        assert len(gradients) == len(new_gradients)
        for gradient, new_gradient in zip(gradients, new_gradients, strict=True):
            _agree(gradient, new_gradient, dtype)

    check()


@pytest.mark.parametrize("proof", ENDING.values(), ids=ENDING)
def test_the_fix_ends_the_nan(proof: Proof) -> None:
    original, mended = _pair(proof)
    run = ADAPTERS[proof.framework]
    inputs = [np.zeros((2, 3), "float32"), np.zeros((2, 3), "float32")]
    inputs[0][(...) if proof.everywhere else (0, 0)] = proof.bad
    value, gradients = run(original, inputs)
    assert not all(np.isfinite(part).all() for part in (value, *gradients)), "the input does not spoil the original"
    value, gradients = run(mended, inputs)
    assert np.isfinite(value).all()
    assert proof.slope_is_infinite or all(np.isfinite(g).all() for g in gradients)


def test_a_proof_can_fail() -> None:
    with pytest.raises(AssertionError):
        _agree(np.array([1.0, math.inf]), np.array([1.1, 0.0]), "float64")
    _agree(np.array([1.0, math.inf]), np.array([1.0, 0.0]), "float64")
