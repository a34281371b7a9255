"""What the slope of an op is at NaN, behind a selection that takes the NaN out: measured, as the rule claims it."""

from __future__ import annotations

import math

import pytest

from nanlint.analysis.gaps import COMPARING, STRAIGHT

UNARY = ("abs", "relu", "sqrt", "exp", "tanh", "sigmoid", "softplus", "square", "cos")
CLAIMED = STRAIGHT | COMPARING


@pytest.mark.parametrize("name", UNARY)
def test_slope_in_torch(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.tensor([math.nan, 0.5], requires_grad=True)
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    torch.where(torch.isnan(x.detach()), torch.zeros(2), function(x)).sum().backward()
    assert math.isnan(x.grad[0]) == (name not in CLAIMED)


@pytest.mark.parametrize("name", UNARY)
def test_slope_in_jax(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jnp = jax.numpy
    function = getattr(jnp, name, None) or getattr(jax.nn, name)
    gradient = jax.grad(lambda x: jnp.where(jnp.isnan(x), 0.0, function(x)))(math.nan)
    assert bool(jnp.isnan(gradient)) == (name not in CLAIMED)


def test_slopes_of_a_product() -> None:
    """Each factor is the slope of the other: data with gaps spoils the gradient of what it is multiplied by."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    gaps = torch.tensor([math.nan, 2.0])
    seen = ~torch.isnan(gaps)
    factor = torch.ones(2, requires_grad=True)
    (factor * gaps)[seen].sum().backward()
    assert math.isnan(factor.grad[0])
    shifted = torch.ones(2, requires_grad=True)
    ((shifted - gaps) * 3.0)[seen].sum().backward()
    assert shifted.grad.tolist() == [0.0, 3.0]
