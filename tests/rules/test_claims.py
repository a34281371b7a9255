"""What the rules' pages and the analysis claim of the frameworks' gradients, measured in the frameworks."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from nanlint.analysis.hazards import SELECTS_BACKWARD


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
