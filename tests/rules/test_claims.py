"""What the rules' pages and the analysis claim of the frameworks' gradients, measured in the frameworks."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from nanlint.ops.frameworks.training import KEEPS_ZERO_GRADIENT, SELECTS_BACKWARD


def torch_gradient(function: Callable[..., object], *at: float) -> list[float]:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    xs = [torch.tensor(x, requires_grad=True) for x in at]
    function(*xs).backward()  # type: ignore[attr-defined]
    return [x.grad.item() for x in xs]


def tensorflow_gradient(function: Callable[..., object], *at: float) -> list[float]:
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    xs = [tf.Variable(x) for x in at]
    with tf.GradientTape() as tape:
        y = function(*xs)
    return [float(g) for g in tape.gradient(y, xs)]


def jax_gradient(function: Callable[..., object], *at: float) -> list[float]:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    return [float(g) for g in jax.grad(function, argnums=tuple(range(len(at))))(*at)]


def test_xlogy_mends_the_value_everywhere_and_the_gradient_at_the_origin_in_tensorflow_only() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    special = pytest.importorskip("jax.scipy.special", reason="JAX is not installed")
    assert math.isnan(torch_gradient(torch.special.xlogy, 0.0, 0.0)[1])
    assert math.isnan(jax_gradient(special.xlogy, 0.0, 0.0)[1])
    assert tensorflow_gradient(tf.math.xlogy, 0.0, 0.0)[1] == 0.0


def rectifiers() -> dict[tuple[str, str], Callable[[], float]]:
    """For each op and framework, the gradient of sqrt of it at a negative number."""

    def torch_(op: str) -> Callable[[], float]:
        def run() -> float:
            torch = pytest.importorskip("torch", reason="PyTorch is not installed")
            f = {
                "relu": lambda x: torch.sqrt(torch.relu(x)),
                "clamp": lambda x: torch.sqrt(torch.clamp(x, min=0)),
                "maximum": lambda x: torch.sqrt(torch.maximum(x, torch.zeros_like(x))),
            }[op]
            return torch_gradient(f, -1.0)[0]

        return run

    def tensorflow_(op: str) -> Callable[[], float]:
        def run() -> float:
            tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
            f = {
                "relu": lambda x: tf.sqrt(tf.nn.relu(x)),
                "clamp": lambda x: tf.sqrt(tf.clip_by_value(x, 0.0, 9.0)),
                "maximum": lambda x: tf.sqrt(tf.maximum(x, 0.0)),
            }[op]
            return tensorflow_gradient(f, -1.0)[0]

        return run

    def jax_(op: str) -> Callable[[], float]:
        def run() -> float:
            jax = pytest.importorskip("jax", reason="JAX is not installed")
            jnp = jax.numpy
            f = {
                "relu": lambda x: jnp.sqrt(jax.nn.relu(x)),
                "clamp": lambda x: jnp.sqrt(jnp.clip(x, 0, 9)),
                "maximum": lambda x: jnp.sqrt(jnp.maximum(x, 0)),
            }[op]
            return jax_gradient(f, -1.0)[0]

        return run

    makers = {"torch": torch_, "tensorflow": tensorflow_, "jax": jax_}
    return {(op, name): make(op) for op in ("relu", "clamp", "maximum") for name, make in makers.items()}


RECTIFIERS = rectifiers()


@pytest.mark.parametrize(("op", "framework"), RECTIFIERS, ids=str)
def test_the_backward_pass_of_a_bound_drops_the_infinity_above_it_where_it_is_said_to_select(
    op: str, framework: str
) -> None:
    gradient = RECTIFIERS[op, framework]()
    assert (gradient == 0.0) == (framework in SELECTS_BACKWARD[op])


def clips() -> dict[str, Callable[[float], float]]:
    """For each way of bounding to [0, 1], its gradient at a number."""

    def torch_(x: float) -> float:
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        slopes = [
            torch_gradient(lambda x: torch.clamp(x, 0.0, 1.0), x)[0],
            torch_gradient(lambda x: torch.minimum(torch.maximum(x, torch.zeros(())), torch.ones(())), x)[0],
        ]
        return max(slopes)

    def tensorflow_(x: float) -> float:
        tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
        slopes = [
            tensorflow_gradient(lambda x: tf.clip_by_value(x, 0.0, 1.0), x)[0],
            tensorflow_gradient(lambda x: tf.minimum(tf.maximum(x, 0.0), 1.0), x)[0],
        ]
        return max(slopes)

    def jax_(x: float) -> float:
        jax = pytest.importorskip("jax", reason="JAX is not installed")
        jnp = jax.numpy
        slopes = [
            jax_gradient(lambda x: jnp.clip(x, 0.0, 1.0), x)[0],
            jax_gradient(lambda x: jnp.minimum(jnp.maximum(x, 0.0), 1.0), x)[0],
        ]
        return max(slopes)

    return {"torch": torch_, "tensorflow": tensorflow_, "jax": jax_}


@pytest.mark.parametrize("slope", clips().values(), ids=clips())
def test_a_clip_lets_a_gradient_through_inside_of_its_bounds_only(slope: Callable[[float], float]) -> None:
    assert slope(-0.5) == slope(1.5) == 0.0
    assert slope(0.5) == 1.0


def masks() -> dict[str, Callable[[str, float], float]]:
    """By framework, the gradient of where(isnan(y), 0, y) at a number at which an operation gives NaN."""

    def torch_(op: str, x: float) -> float:
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        f = {"sqrt": torch.sqrt, "log": torch.log, "div": lambda x: x / x, "acos": torch.acos}[op]
        return torch_gradient(lambda x: torch.where(torch.isnan(f(x)), torch.zeros(()), f(x)), x)[0]

    def tensorflow_(op: str, x: float) -> float:
        tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
        f = {"sqrt": tf.sqrt, "log": tf.math.log, "div": lambda x: x / x, "acos": tf.acos}[op]
        return tensorflow_gradient(lambda x: tf.where(tf.math.is_nan(f(x)), 0.0, f(x)), x)[0]

    def jax_(op: str, x: float) -> float:
        jax = pytest.importorskip("jax", reason="JAX is not installed")
        jnp = jax.numpy
        f = {"sqrt": jnp.sqrt, "log": jnp.log, "div": lambda x: x / x, "acos": jnp.arccos}[op]
        return jax_gradient(lambda x: jnp.where(jnp.isnan(f(x)), 0.0, f(x)), x)[0]

    return {"torch": torch_, "tensorflow": tensorflow_, "jax": jax_}


@pytest.mark.parametrize("slope", masks().values(), ids=masks())
def test_a_mask_over_nan_leaves_it_in_the_gradient_but_for_the_log_of_a_negative_number(
    slope: Callable[[str, float], float],
) -> None:
    assert math.isnan(slope("div", 0.0))
    assert math.isnan(slope("acos", 2.0))
    assert slope("log", -1.0) == 0.0


def test_ctc_losses_of_what_cannot_be_aligned_are_infinite_in_pytorch_only() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    log_probs = torch.zeros(3, 1, 5).log_softmax(-1)
    loss = torch.nn.functional.ctc_loss(log_probs, torch.tensor([[1, 2, 3, 4]]), torch.tensor([3]), torch.tensor([4]))
    assert math.isinf(loss.item())
    other = tf.nn.ctc_loss(
        tf.constant([[1, 2, 3, 4]]),
        tf.zeros((1, 3, 5)),
        tf.constant([4]),
        tf.constant([3]),
        logits_time_major=False,
        blank_index=0,
    )
    assert math.isfinite(float(other[0]))


def test_tensorflow_keeps_a_zero_gradient_in_some_derivatives_unless_xla_compiles_them() -> None:
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    at_zero = {
        "sqrt": tf.sqrt,
        "rsqrt": tf.math.rsqrt,
        "reciprocal": tf.math.reciprocal,
        "norm": lambda x: tf.norm(x, axis=-1, keepdims=True),
        "std": lambda x: tf.math.reduce_std(x, axis=-1, keepdims=True),
        "div": lambda x: 1.0 / x,
        "log": tf.math.log,
        "pow": lambda x: x**0.5,
    }

    def masked(function: Callable[..., object]) -> Callable[..., object]:
        def gradient(x: object) -> object:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
                loss = tf.reduce_sum(tf.where(tf.ones_like(y) > 0, 0.0, y))
            return tape.gradient(loss, x)

        return gradient

    def keeping(*, compiled: bool) -> set[str]:
        made = {
            name: (tf.function(masked(f), jit_compile=True) if compiled else masked(f))(tf.zeros(2))
            for name, f in at_zero.items()
        }
        return {name for name, gradient in made.items() if not tf.math.is_nan(gradient)[0]}

    assert keeping(compiled=False) == KEEPS_ZERO_GRADIENT["tensorflow"]
    assert keeping(compiled=True) == set()
