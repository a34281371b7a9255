"""A part of a gradient that a tape misses is no nan: it is seen where it comes to what was computed before the tape."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.frameworks import lazily
from tests.runtime.running import Ran, verify

lazily("tensorflow")  # or skipped

pytestmark = pytest.mark.slow

HEAD = "import tensorflow as tf\n\nw = tf.Variable([1.0, 2.0])\nb = tf.Variable(0.5)\n\n\n"
EAGER = """
def step(data):
    penalty = tf.reduce_sum(w**2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * data) + penalty + b
    return tape.gradient(loss, [w, b])
"""
#: through another op before the tape; sources by name
CHAIN = """
def step(data):
    scaled = w * 3.0
    penalty = tf.reduce_sum(scaled)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * data) + penalty + b
    return tape.gradient(loss, {"a": w, "b": b})
"""
#: of no account for the target: the gradient is whole
UNUSED = """
def step(data):
    penalty = tf.reduce_sum(w**2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * data) + penalty * 0.0 + b
    return tape.gradient(loss, [w, b])
"""
CALL = "\n\nfor _ in range(2):\n    print([one.numpy() for one in tf.nest.flatten(step(tf.constant([1.0, 1.0])))])\n"


def ran(directory: Path, step: str, *options: str) -> Ran:
    (directory / "program.py").write_text(HEAD + textwrap.dedent(step).lstrip() + CALL, "utf-8")
    return verify("program.py", cwd=directory, options=options)


@pytest.mark.parametrize(
    "step", [EAGER, f"@tf.function{EAGER}", f"@tf.function{CHAIN}"], ids=["eager", "graph", "chain in a graph"]
)
def test_a_part_of_a_gradient_that_is_lost_confirms_the_finding(step: str, tmp_path: Path) -> None:
    found = ran(tmp_path, step)
    assert found.verdicts() == [("NL601", "confirmed")]
    assert found.code == 1
    assert found.stdout == "[array([1., 1.], dtype=float32), np.float32(1.0)]\n" * 2
    (alert,) = found.report["alerts"]
    assert alert["message"].startswith("a part of the gradient is lost")
    assert alert["frames"][0]["text"].startswith(("penalty", "scaled"))


def test_what_was_not_seen_is_not_called_clean(tmp_path: Path) -> None:
    """The finding's value comes into the target times 0, so its gradient is 0: nothing shows that anything is lost."""
    found = ran(tmp_path, UNUSED)
    assert (found.code, found.verdicts()) == (0, [("NL601", "not cleared")])
