"""Whatever gives a derivative, a loss or weights is looked at in the default watch, and a good one is silent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.events import is_bad
from tests.runtime.watched import watched

pytestmark = pytest.mark.slow


def told(adapters: Any, directory: Path, cases: dict[str, Callable[[], Any]]) -> dict[str, list[str]]:
    """What was told of each case."""
    found = {}
    directory.mkdir(exist_ok=True)
    for name, case in cases.items():
        with watched(adapters, directory / name.replace("/", " "), "sites") as reported:
            case()
        assert not reported.alerts("internal")
        found[name] = [one.message for one in reported.alerts("non-finite")]
    return found


def test_derivatives_of_jax(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    from nanlint.runtime.adapters.jax import JaxAdapter

    jnp = jax.numpy
    x = jnp.array([0.0, 1.0])

    def bad(x: Any) -> Any:
        return jnp.sqrt(x * 0).sum()

    def good(x: Any) -> Any:
        return (x**3).sum()

    def taken(f: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
        return {
            "grad": lambda: jax.grad(f)(x),
            "value_and_grad": lambda: jax.value_and_grad(f)(x),
            "vjp": lambda: jax.vjp(f, x)[1](1.0),
            "vjp with more": lambda: jax.vjp(lambda x: (f(x), x), x, has_aux=True)[1](1.0),
            "jvp": lambda: jax.jvp(f, (x,), (jnp.ones(2),)),
            "jacobian": lambda: jax.jacobian(f)(x),
            "hessian": lambda: jax.hessian(f)(x),
            "jit/grad": lambda: jax.jit(jax.grad(f))(x),
            "vmap/grad": lambda: jax.vmap(jax.grad(f))(x.reshape(2, 1)),
        }

    silent = told([JaxAdapter], tmp_path / "good", taken(good))
    assert silent == {name: [] for name in silent}
    for name, messages in told([JaxAdapter], tmp_path / "bad", taken(bad)).items():
        assert len(messages) == 1, name
        assert " is nan, seen at " in messages[0]
    back = jax.vjp(good, x)[1]
    assert type(back) is type(jax.vjp(bad, x)[1])
    assert not hasattr(type(back).__call__, "nanlint")


def test_derivatives_losses_and_weights_of_tensorflow_and_keras(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    tf = pytest.importorskip("tensorflow")
    np = pytest.importorskip("numpy")
    if keras.backend.backend() != "tensorflow":
        pytest.skip("Keras runs on another backend here")
    from nanlint.runtime.adapters.keras import KerasAdapter
    from nanlint.runtime.adapters.tensorflow import TensorFlowAdapter

    x, y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")

    @tf.function
    def inside(scale: float) -> Any:
        v = tf.constant([1.0, 2.0])
        return tf.gradients(tf.reduce_sum(tf.sqrt(v * scale)), [v])

    def model(rate: float, scale: float) -> Any:
        made = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])

        def loss(_: Any, p: Any) -> Any:
            return keras.ops.mean(keras.ops.log(keras.ops.square(p) * scale + 1e-9 * scale))

        made.compile(keras.optimizers.SGD(rate), loss=loss)
        return made

    def taken(rate: float, scale: float) -> dict[str, Callable[[], Any]]:
        return {
            "tf.gradients()": lambda: inside(scale),
            "train_on_batch()": lambda: model(0.1, scale).train_on_batch(x, y),
            "evaluate()": lambda: model(0.1, scale).evaluate(x, y, verbose=0),
            "test_on_batch()": lambda: model(0.1, scale).test_on_batch(x, y),
            "fit()": lambda: model(rate, 1.0).fit(x, y, verbose=0, validation_data=(x, y)),
        }

    adapters = [TensorFlowAdapter, KerasAdapter]
    bad = told(adapters, tmp_path / "bad", taken(1e39, 0.0))
    for name, messages in bad.items():
        assert any(one.endswith(f"seen at {name}") for one in messages), (name, messages)
    assert any("kernel" in one for one in bad["fit()"])
    good = told(adapters, tmp_path / "good", taken(0.01, 1.0))
    assert good == {name: [] for name in good}


def test_results_of_functions_of_tensorflow_of_which_no_gradient_is_asked(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    from nanlint.runtime.adapters.tensorflow import TensorFlowAdapter

    x, nothing = tf.constant([1.0, 2.0]), tf.constant([0.0, 0.0])

    @tf.function
    def share(x: Any) -> Any:
        return x / tf.reduce_sum(x)

    @tf.function
    def missing(x: Any) -> Any:
        return tf.where(x > 0, x, float("nan"))

    @tf.function
    def mask(x: Any) -> Any:
        return tf.math.log(x)

    cases = {
        "printed": lambda: share(nothing).numpy(),
        "unused": lambda: share(nothing),
        "under a function": lambda: tf.function(lambda: share(nothing))(),
        "finite": lambda: share(x).numpy(),
        "masked": lambda: tf.where(nothing > 0, share(nothing), nothing).numpy(),
        "a nan that is meant": lambda: missing(nothing).numpy(),
        "a mask": lambda: mask(nothing).numpy(),
    }
    found = told([TensorFlowAdapter], tmp_path, cases)
    assert {name: len(messages) for name, messages in found.items()} == {
        name: int(name in ("printed", "unused", "under a function")) for name in cases
    }
    assert found["printed"] == ["a result of share() is nan, seen at its call"]
    with watched([TensorFlowAdapter], tmp_path / "given", "sites") as reported:
        share(nothing / 0.0)
    (alert,) = reported.alerts("non-finite")
    assert "its input was already not finite" in alert.message
    assert not is_bad(alert)


def test_derivatives_of_torch_that_are_mapped(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from nanlint.runtime.adapters.torch import TorchAdapter

    grad, vmap = torch.func.grad, torch.func.vmap
    cases = {
        "bad": lambda: torch.func.vmap(torch.func.grad(lambda x: torch.sqrt(x * 0)))(torch.zeros(2)),
        "bad by torch": lambda: torch.vmap(torch.func.grad(lambda x: torch.sqrt(x * 0)))(torch.zeros(2)),
        "good": lambda: torch.func.vmap(torch.func.grad(lambda x: x**3))(torch.zeros(2)),
        "no derivative": lambda: torch.func.vmap(torch.log)(torch.zeros(2)),
    }
    found = told([TorchAdapter], tmp_path, cases)
    message = "the derivative is nan, seen at torch.func.vmap()"
    assert found == {"bad": [message], "bad by torch": [message], "good": [], "no derivative": []}
    assert (torch.func.grad, torch.func.vmap) == (grad, vmap)
