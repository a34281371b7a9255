"""What is only believed rules nothing out: names, defaults, and the numbers that trained tensors start from."""

from __future__ import annotations

import pytest

from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.hazards import RULED_OUT, Cleared, Hazard, Hazards
from nanlint.graph.lower import Lowering
from nanlint.ops.value import NEVER, POSSIBLE, UNKNOWN, Origin
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


# What is proved, and what is believed


def test_a_name_rules_zero_out_for_those_who_believe_it_alone() -> None:
    lowering = lowered(TORCH, "def f(std):\n    return torch.log(2 * std)")
    evaluator = Evaluator(lowering)
    product = next(n for n in lowering.graph if n.op == "mul")
    assert evaluator.value(product).zero is NEVER
    assert evaluator.proved.value(product).zero is UNKNOWN


def test_what_is_proved_holds_without_beliefs_too() -> None:
    lowering = lowered(TORCH, "def f(x, std):\n    return std + torch.relu(x).clamp(min=1e-3)")
    evaluator = Evaluator(lowering)
    assert evaluator.proved is not evaluator
    clamp = next(n for n in lowering.graph if n.op == "clamp")
    assert evaluator.proved.value(clamp) is evaluator.value(clamp)


def test_a_check_proves_what_a_name_says() -> None:
    lowering = lowered(TORCH, "def f(x, scale):\n    if scale <= 0:\n        raise ValueError\n    return x / scale")
    found = met(lowering, "div")
    assert isinstance(found, Cleared)
    assert (found.why, found.belief) == (RULED_OUT, False)


def test_where_nothing_is_believed_there_is_one_evaluator() -> None:
    evaluator = Evaluator(lowered(TORCH, "def f(x):\n    return torch.log(x)"))
    assert evaluator.proved is evaluator


@pytest.mark.parametrize("given", ["eps", "eps2", "floor=1e-6"])
def test_an_epsilon_is_a_guard_and_not_in_doubt(given: str) -> None:
    name = given.partition("=")[0]
    lowering = lowered(TORCH, f"def f(x, {given}):\n    return torch.log(torch.softmax(x, -1) + {name})")
    found = met(lowering, "log")
    assert isinstance(found, Cleared)
    assert not found.belief


# Beliefs against evidence


def test_against_evidence_a_name_lowers_and_does_not_clear() -> None:
    lowering = lowered("import numpy as np", "def f(x, variance):\n    return x / np.sqrt(variance)")
    found = met(lowering, "div")
    assert isinstance(found, Hazard)
    assert found.reach is POSSIBLE
    assert found.evidence.text.endswith("though `variance` is positive by its name")


def test_a_name_that_nothing_speaks_against_is_believed() -> None:
    lowering = lowered(TORCH, "def f(x, std):\n    return x / std")
    found = met(lowering, "div")
    assert isinstance(found, Cleared)
    assert (found.why, found.belief) == (RULED_OUT, True)


def test_a_default_is_believed_and_proves_nothing() -> None:
    found = met(lowered(TORCH, "def f(x, width: torch.Tensor = 1.0):\n    return x / width"), "div")
    assert isinstance(found, Hazard)
    assert found.reach is POSSIBLE
    assert found.evidence.origin is Origin.UNGUARDED


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
