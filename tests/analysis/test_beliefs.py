"""What is believed: names and checks that rule 0 out, and the numbers that trained tensors start from, which do not."""

from __future__ import annotations

import pytest

from nanlint.analysis.hazards import RULED_OUT, Cleared, Hazard, Hazards
from nanlint.frontend.lower import Lowering
from nanlint.ops.value import POSSIBLE
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.marked import JAX, TF, TORCH, program


def lowered(*parts: str) -> Lowering:
    return analysed(Source("<string>", program(*parts)), {}, watched=[1]).lowering


def met(lowering: Lowering, op: str, cls: str = "zero") -> Hazard | Cleared:
    """What comes of the first pole of the last op of its kind."""
    hazards = Hazards(lowering)
    node = [n for n in lowering.graph if n.op == op][-1]
    return next(w for w in hazards.weighed(node) if w.pole.cls == cls)


# Names and checks


def test_a_check_proves_what_a_name_says() -> None:
    lowering = lowered(TORCH, "def f(x, scale):\n    if scale <= 0:\n        raise ValueError\n    return x / scale")
    found = met(lowering, "div")
    assert isinstance(found, Cleared)
    assert found.why == RULED_OUT


@pytest.mark.parametrize("given", ["eps", "eps2", "floor=1e-6"])
def test_an_epsilon_is_a_guard(given: str) -> None:
    name = given.partition("=")[0]
    lowering = lowered(TORCH, f"def f(x, {given}):\n    return torch.log(torch.softmax(x, -1) + {name})")
    found = met(lowering, "log")
    assert isinstance(found, Cleared)


def test_a_name_is_believed() -> None:
    lowering = lowered(TORCH, "def f(x, std):\n    return x / std")
    found = met(lowering, "div")
    assert isinstance(found, Cleared)
    assert found.why == RULED_OUT


# Trained tensors

GAIN = """
class Rescaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3){frozen})

    def forward(self, x):
        return {expression}
"""


@pytest.mark.parametrize(
    ("op", "expression"),
    [("div", "x / self.gain"), ("log", "x + torch.log(self.gain)"), ("div", "x / (2 * self.gain)[0]")],
)
def test_a_trained_gain_that_starts_at_one_may_pass_zero(op: str, expression: str) -> None:
    found = met(lowered(TORCH, GAIN.format(frozen="", expression=expression)), op)
    assert isinstance(found, Hazard)
    assert found.reach is POSSIBLE
    assert "is trained" in found.evidence.text


def test_a_weight_that_is_not_trained_stays_unknown() -> None:
    lowering = lowered(TORCH, GAIN.format(frozen=", requires_grad=False", expression="x / self.gain"))
    assert isinstance(met(lowering, "div"), Cleared)


@pytest.mark.parametrize("bounded", ["self.gain.clamp(min=0.1)", "(1 + self.gain**2)", "(F.relu(self.gain) + 1e-3)"])
def test_a_trained_gain_that_is_kept_above_zero_does_not_pass_it(bounded: str) -> None:
    lowering = lowered(TORCH, GAIN.format(frozen="", expression=f"x / {bounded}"))
    assert isinstance(met(lowering, "div"), Cleared)


@pytest.mark.parametrize(
    "parts",
    [
        (TF, "scale = tf.Variable(1.0)", "y = x / scale"),
        (
            TF,
            """
            class Scaled(tf.keras.layers.Layer):
                def build(self, shape):
                    self.scale = self.add_weight(name="scale", shape=(1,), initializer="ones")

                def call(self, x):
                    return x / self.scale
            """,
        ),
        (
            JAX,
            """
            import flax.linen as nn

            class Scaled(nn.Module):
                @nn.compact
                def __call__(self, x):
                    scale = self.param("scale", nn.initializers.ones, (1,))
                    return x / scale
            """,
        ),
        (JAX, "import haiku as hk", 'scale = hk.get_parameter("scale", (1,), init=jnp.ones)', "y = x / scale"),
    ],
    ids=["variable", "keras", "flax", "haiku"],
)
def test_weights_of_every_framework_are_trained(parts: tuple[str, ...]) -> None:
    found = met(lowered(*parts), "div")
    assert isinstance(found, Hazard)
    assert "is trained" in found.evidence.text
