"""What comes back not finite makes the run bad in the default watch, and what was given so does not."""

from __future__ import annotations

import importlib.util
import textwrap
from pathlib import Path

import pytest

from tests.runtime.running import verify

PROGRAMS = {
    "torch": """
        import torch
        x = torch.tensor([3.0e2], requires_grad=True)
        (1 / torch.cosh(x)).sum().backward()
        """,
    "tensorflow": """
        import tensorflow as tf
        x = tf.Variable([3.0e2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(1 / tf.cosh(x))
        tape.gradient(loss, x)
        """,
    "jax": """
        import jax, jax.numpy as jnp
        jax.grad(lambda x: (1 / jnp.cosh(x)).sum())(jnp.array([3.0e2]))
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("framework", PROGRAMS)
def test_a_gradient_that_is_not_finite_makes_the_run_bad(framework: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    text = textwrap.dedent(PROGRAMS[framework])
    (tmp_path / "program.py").write_text(text, "utf-8")
    ran = verify("program.py", cwd=tmp_path)
    assert ran.code == 1
    assert [one["kind"] for one in ran.report["alerts"]] == ["non-finite"]
    (tmp_path / "program.py").write_text(text.replace("3.0e2", "3.0"), "utf-8")
    assert verify("program.py", cwd=tmp_path).code == 0


def test_a_loss_that_only_its_scaler_makes_infinite_is_none(tmp_path: Path) -> None:
    """The gradients of the step are finite, and so is the loss: what is not is their product with the scale."""
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\n"
        "w = torch.ones(1, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=1e-3)\n"
        'scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126)\n'
        "loss = (w * 1e-3).sum() + 500\n"
        "scaler.scale(loss).backward()\n"
        "scaler.step(optimizer)\n"
        "scaler.update()\n"
        "print(w.item())\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path)
    assert (ran.code, ran.report["alerts"]) == (0, []), ran.stderr


def test_what_batch_norm_has_just_written_is_not_given(tmp_path: Path) -> None:
    """Its running averages are not finite when the loss is looked at, and what goes into it was."""
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "layer, norm = torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)\n"
        "loss = norm(1 / (layer(torch.ones(4, 2)) * 0)).sum()\n"
        "loss.backward()\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path)
    assert ran.code == 1, ran.report
    assert "its input is not finite" not in ran.report["alerts"][0]["message"]


@pytest.mark.slow
def test_a_derivative_in_forward_mode_makes_the_run_bad_and_its_own_tapes_are_not_heard(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    (tmp_path / "program.py").write_text(
        "import tensorflow as tf\nx = tf.Variable([0.0, 1.0])\n"
        "with tf.autodiff.ForwardAccumulator(x, tf.ones(2)) as accumulator:\n    y = tf.sqrt(x)\n"
        "print(accumulator.jvp(y), accumulator.jvp(tf.constant(1.0)))\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path)
    assert ran.code == 1
    assert [one["kind"] for one in ran.report["alerts"]] == ["non-finite"]
