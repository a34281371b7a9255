"""Sessions of TensorFlow 1: what they give is looked at, and their programs end as without a watch."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.events import ARRIVED, GIVEN
from tests.frameworks import lazily
from tests.runtime.running import python, verify
from tests.runtime.watched import Reported, site, watched

tf = lazily("tensorflow")
tf1 = lazily("tensorflow.compat.v1")
np = lazily("numpy")
TensorFlowAdapter = lazily("nanlint.runtime.adapters.tensorflow", "TensorFlowAdapter")

pytestmark = pytest.mark.slow


def trained(loss_of: Callable[[Any, Any], Any], rows: Any, steps: int = 3) -> list[Any]:
    """What a session gives that trains one weight by a loss."""
    with tf.Graph().as_default():
        tf1.set_random_seed(1)
        x = tf1.placeholder(tf.float32, [None])
        w = tf1.get_variable("w", [], initializer=tf1.ones_initializer())
        loss = loss_of(x, w)
        train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
        noise = tf.random.uniform([])
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            return [session.run({3: (loss, train), "noise": noise}, {x: rows}) for _ in range(steps)]


def arrivals(reported: Reported) -> list[tuple[str, bool]]:
    return [(one.message, ARRIVED in one.details) for one in reported.alerts("non-finite")]


def test_a_loss_that_is_not_finite_arrives(tmp_path: Path) -> None:
    with watched([TensorFlowAdapter], tmp_path, "sites") as reported:
        trained(lambda x, w: tf.reduce_mean(tf.math.log(x * w)), [0.0, 1.0])
    assert arrivals(reported) == [("the loss is -inf, seen at Session.run()", True)]
    assert len(reported.steps) == 3
    assert reported.told[0].frames[0].text.startswith("return [session.run(")


def test_a_gradient_arrives_of_a_loss_that_is_finite(tmp_path: Path) -> None:
    with watched([TensorFlowAdapter], tmp_path, "sites") as reported:
        trained(lambda x, w: tf.reduce_sum(tf.sqrt(tf.abs(x * w))), [0.0, 1.0], steps=1)
    assert arrivals(reported) == [("the gradient of w is nan, seen at Session.run()", True)]


def test_what_the_data_held_is_none_of_the_programs(tmp_path: Path) -> None:
    with watched([TensorFlowAdapter], tmp_path, "sites") as reported:
        trained(lambda x, w: tf.reduce_mean(x * w), [float("nan"), 1.0])
    (alert,) = reported.alerts("non-finite")
    assert GIVEN in alert.details


def test_flagged_lines_tell_what_came_by(tmp_path: Path) -> None:
    def loss(x: Any, w: Any) -> Any:
        p = tf.nn.softmax(x * w)
        return -tf.reduce_sum(tf.constant([0.0, 1.0]) * tf.math.log(p))  # the flagged log

    flagged = site(__file__, "# the flagged log", "log")
    with watched([TensorFlowAdapter], tmp_path / "bad", "sites", [flagged]) as reported:
        trained(loss, [0.0, 300.0])
    seen = reported.observed[-1]
    assert (seen.executions, seen.bad_step) == (3, 0)
    assert seen.kinds[-1] == "ninf" or "ninf" in seen.kinds
    with watched([TensorFlowAdapter], tmp_path / "good", "sites", [flagged]) as reported:
        trained(loss, [0.0, 3.0])
    seen = reported.observed[-1]
    assert (seen.executions, seen.kinds, seen.unwatched) == (3, (), False)
    assert {"x", "result", "gradient of x"} <= seen.roles.keys()


def test_births_are_found_where_everything_is_watched(tmp_path: Path) -> None:
    with watched([TensorFlowAdapter], tmp_path) as reported:
        trained(lambda x, w: tf.reduce_mean(tf.math.log(x * w)), [0.0, 1.0], steps=1)  # the birth
    op, line, backward = reported.first()
    assert (op, line.endswith("# the birth"), backward) == ("Log", True, False)


@pytest.mark.parametrize("mode", ["sites", "all", "sentinel"])
def test_a_session_gives_what_it_gives_without_a_watch(mode: str, tmp_path: Path) -> None:
    """Nothing is added to its graph, by which its random ops are seeded."""

    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_mean(tf.nn.dropout(x * w, 0.5) + tf.random.normal([2]))

    without = trained(loss, [1.0, 2.0])
    with watched([TensorFlowAdapter], tmp_path, mode, [site(__file__, "tf.nn.dropout(x", "div")]) as reported:
        assert trained(loss, [1.0, 2.0]) == without
    assert reported.told == []


PROGRAM = """
import tensorflow as tf
import tensorflow.compat.v1 as tf1

tf1.disable_eager_execution()
x = tf1.placeholder(tf.float32, [None])
w = tf1.get_variable("w", [], initializer=tf1.ones_initializer())
chosen = tf1.cond(tf.reduce_sum(x) > 0, lambda: tf.math.log(x * w), lambda: x * w)
_, total = tf1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + w), [0, 0.0])
rooted = tf.function(lambda a: tf.sqrt(a))(w)
loss = tf.reduce_sum(chosen) + total + rooted
train = tf1.train.AdamOptimizer(0.1).minimize(loss)
with tf1.train.MonitoredTrainingSession() as session:
    for _ in range(3):
        print(session.run(loss, {x: [1.0, 2.0]}))
        session.run(train, {x: [1.0, 2.0]})
    print(len(tf1.global_variables()), session.run(w))
"""


def test_branches_loops_and_functions_of_a_graph_that_a_session_runs_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM), "utf-8")
    without = python("program.py", cwd=tmp_path)
    assert without.code == 0
    ran = verify("program.py", cwd=tmp_path, options=("--watch", "all"))
    assert (ran.code, ran.stdout, ran.report["alerts"]) == (0, without.stdout, [])
