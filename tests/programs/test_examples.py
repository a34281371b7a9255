"""Every program under ``examples/`` runs, goes wrong as its opening comment says, and is flagged there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import nanlint
from tests.programs.fixtures import outcome

EXAMPLES = Path(__file__).parents[2] / "examples"

# For each example, the lines that are to be flagged, each with the codes that are right there.
FLAGGED: dict[str, dict[str, set[str]]] = {
    "jax_attention.py": {"return weights / jnp.sum(weights, axis=-1, keepdims=True)": {"NL401"}},
    "jax_where_gradient.py": {"potential = jnp.where(distances > 0, CHARGE / distances, 0.0)": {"NL203"}},
    "keras_own_loss.py": {"return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)": {"NL101", "NL104"}},
    "tape_before.py": {"square_x = tf.square(x)": {"NL601"}},
    "tape_hidden.py": {"square_x = tf.square(x)": {"NL601"}},
    "tape_model.py": {"prediction = model(x, training=True)": {"NL601"}},
    "tf1_mnist.py": {"cross_entropy = -tf.reduce_sum(y_ * tf.log(y_conv))": {"NL101", "NL104"}},
    "tf2_custom_loop.py": {
        "per_example = -tf.reduce_sum(labels * tf.math.log(probs), axis=1)": {"NL101", "NL104"},
    },
    "tf_masked_pooling.py": {
        "pooled = tf.reduce_sum(embedded, axis=1) / tf.reduce_sum(present, axis=1, keepdims=True)": {"NL301"},
    },
    "torch_classifier.py": {"log_probs = torch.log(probs)": {"NL101"}},
    "torch_entropy_bonus.py": {"return -(probs * torch.log(probs)).sum(dim=-1)": {"NL101", "NL104"}},
    "torch_logistic_regression.py": {
        "positive = y * torch.log(p)": {"NL102", "NL104"},
        "negative = (1 - y) * torch.log(1 - p)": {"NL102", "NL104"},
    },
    "torch_masked_pooling.py": {"return (embedded * mask).sum(dim=1) / mask.sum(dim=1)": {"NL301"}},
    "torch_policy_gradient.py": {"log_probs = probs.log()": {"NL101"}},
    "torch_sqrt_mse.py": {"y = torch.sqrt(x)": {"NL201"}},
}
LEAKING = {"tape_before.py", "tape_hidden.py", "tape_model.py"}
PROGRAMS = sorted(EXAMPLES.glob("*.py"))

every_example = pytest.mark.parametrize("program", PROGRAMS, ids=[path.name for path in PROGRAMS])


def test_every_example_is_listed_with_the_lines_it_holds() -> None:
    assert {path.name for path in PROGRAMS} == set(FLAGGED)
    for path in PROGRAMS:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        assert all(lines.count(line) == 1 for line in FLAGGED[path.name]), path.name


@every_example
def test_the_example_runs_and_goes_wrong(program: Path) -> None:
    result = outcome(program, program.read_text(encoding="utf-8"), "main")
    numbers = [number for part in result.values() for number in part or []]
    if program.name in LEAKING:
        assert not any(numbers), "no gradient, or a gradient of zeros"
    else:
        assert not all(map(math.isfinite, numbers))


@every_example
def test_nanlint_flags_exactly_the_lines_that_go_wrong(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    lines = text.splitlines()
    found: dict[str, set[str]] = {}
    for diagnostic in nanlint.check_source(text, path=str(program)):
        found.setdefault(lines[diagnostic.span.row - 1].strip(), set()).add(diagnostic.code)
    expected = FLAGGED[program.name]
    assert found.keys() == expected.keys()
    assert all(found[line] <= expected[line] for line in found), found
