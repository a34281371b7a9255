"""TensorFlow's graphs: births and flagged lines in tf.function, under XLA, in loops, and over replicas."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.events import Birth, Filtered, Op, Step, Trace
from nanlint.runtime.recorder import NonFinite
from nanlint.runtime.runfile import read_run
from tests.frameworks import lazily
from tests.runtime.running import verify
from tests.runtime.watched import site, watched

tf = lazily("tensorflow")
TensorFlowAdapter = lazily("nanlint.runtime.adapters.tensorflow", "TensorFlowAdapter")

pytestmark = pytest.mark.slow

ADAPTERS = (TensorFlowAdapter,)
INF, NAN = float("inf"), float("nan")


def log_loss(probabilities: Any) -> Any:
    return -tf.reduce_mean(tf.math.log(probabilities))  # the log


def root_slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sqrt(x))  # the root
    return tape.gradient(loss, x)


LOG = "return -tf.reduce_mean(tf.math.log(probabilities))  # the log"
ROOT = "loss = tf.reduce_sum(tf.sqrt(x))  # the root"


# ── births ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("xla", [False, True])
def test_a_birth_in_a_later_call_is_told_with_its_counts(tmp_path: Path, xla: bool) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        loss = tf.function(log_loss, jit_compile=xla)
        for batch in ([0.5, 0.5, 0.5], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]):
            loss(tf.constant(batch))
    assert reported.blamed() == [("Log", LOG, False)]
    birth = reported.births[0]
    assert birth.compiled == ("xla" if xla else "tf.function")
    assert birth.inputs[0].health.counts == (0, 0, 2, 1, 0, 0)
    assert birth.outputs[0].health.counts == (2, 1, 0, 0, 0, 0)


@pytest.mark.parametrize("xla", [False, True])
def test_a_gradient_in_the_graph_is_blamed_on_the_forward_line(tmp_path: Path, xla: bool) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        tf.function(root_slope, jit_compile=xla)(tf.constant([0.0, 4.0]))
    assert [(line, backward) for _, line, backward in reported.blamed()] == [(ROOT, True)]


def test_so_is_the_gradient_of_a_function_that_is_a_graph_of_its_own(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        loss = tf.function(log_loss)
        x = tf.Variable([1e-39, 1.0])
        with tf.GradientTape() as tape:
            value = loss(x)
        tape.gradient(value, x)
    assert {(line, backward) for _, line, backward in reported.blamed()} == {(LOG, True)}


def test_xla_compiles_functions_that_were_traced_before_outside_of_it(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        loss = tf.function(log_loss)
        bad = tf.constant([0.0, 1.0])
        loss(tf.constant([1.0, 1.0]))
        concrete = tf.function(root_slope).get_concrete_function(tf.TensorSpec((2,)))
        tf.function(lambda x: loss(x) + tf.reduce_sum(concrete(x)), jit_compile=True)(bad)
    assert [(line, birth.compiled) for (_, line, _), birth in zip(reported.blamed(), reported.births, strict=True)] == [
        (ROOT, "tf.function"),
        (LOG, "xla"),
    ]


def test_the_gradient_of_a_function_of_xla_inside_of_another_is_xlas_too(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        compiled = tf.function(lambda x: tf.reduce_sum(tf.sqrt(x)), jit_compile=True)  # in XLA
        compiled(tf.constant([1.0, 1.0]))
        around = tf.function(lambda x: compiled(x) + 1.0)
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            value = around(x)
        tape.gradient(value, x)
    (birth,) = reported.births
    assert (birth.backward, birth.compiled) == (True, "xla")
    assert birth.forward[0].text.endswith("# in XLA")


def test_loops_and_branches_are_gone_into(tmp_path: Path) -> None:
    def grow(x: Any) -> Any:
        while tf.reduce_max(x) < 1e30:
            x = tf.exp(x)  # in a loop
        if tf.reduce_max(x) > 1.0:
            x = x - x  # in a branch
        return x

    with watched(ADAPTERS, tmp_path) as reported:
        tf.function(grow)(tf.constant([0.0, 1.0]))
    assert reported.blamed() == [
        ("Exp", "x = tf.exp(x)  # in a loop", False),
        ("Sub", "x = x - x  # in a branch", False),
    ]


def test_the_gradient_of_a_loop_is_a_loop_that_is_gone_into(tmp_path: Path) -> None:
    def cell(weight: Any) -> Any:
        state = tf.zeros(2)
        for _ in tf.range(3):
            state = 1.0 + tf.sqrt(state * weight)  # the cell
        return tf.reduce_sum(state)

    with watched(ADAPTERS, tmp_path) as reported:
        weight = tf.constant([0.5, 0.0])
        run = tf.function(cell)
        with tf.GradientTape() as tape:
            tape.watch(weight)
            loss = run(weight)
        tape.gradient(loss, weight)
    assert {(line, backward) for _, line, backward in reported.blamed()} == {
        ("state = 1.0 + tf.sqrt(state * weight)  # the cell", True)
    }


def test_masks_are_silent_and_a_row_that_is_all_masked_is_told_once(tmp_path: Path) -> None:
    def attend(scores: Any, mask: Any) -> Any:
        return tf.nn.softmax(tf.where(mask, scores, -INF)) @ tf.ones((2, 3))  # the softmax

    with watched(ADAPTERS, tmp_path) as reported:
        run = tf.function(attend)
        for masks in ([[True, False]] * 3, [[False, False], [True, True], [True, True]]):
            run(tf.ones((3, 2)), tf.constant(masks))
    assert [(op, backward) for op, _, backward in reported.blamed()] == [("Softmax", False)]


def test_what_nothing_needs_is_not_watched(tmp_path: Path) -> None:
    def unused(x: Any) -> Any:
        tf.math.log(x)
        return x * 2.0

    with watched(ADAPTERS, tmp_path) as reported:
        tf.function(unused)(tf.constant([0.0]))
    assert reported.blamed() == []


REPLICAS = """
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    weights = tf.Variable([0.0, 4.0])


@tf.function
def step(x):
    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * tf.sqrt(weights))  # in the graph
        return tape.gradient(loss, weights)

    return strategy.run(replica, args=(x,))


step(tf.constant(1.0))
step(tf.constant(2.0))
strategy.run(lambda x: tf.math.log(x), args=(tf.constant(0.0),))  # eagerly
"""


def test_replicas_are_watched(tmp_path: Path) -> None:
    (tmp_path / "replicas.py").write_text(REPLICAS, "utf-8")
    ran = verify("replicas.py", cwd=tmp_path, options=("--watch", "all", "--run-dir", "run"))
    assert ran.stderr.count("Traceback") == 0, ran.stderr
    events = [event for _, event in read_run(str(tmp_path / "run"))]
    births = [event for event in events if isinstance(event, Birth)]
    assert [((birth.forward or birth.frames)[0].text.split("  # ")[-1], birth.op) for birth in births] == [
        ("in the graph", "SqrtGrad"),
        ("eagerly", "Log"),
    ]
    assert sum(isinstance(event, Step) and "gradient_norm" in event.numbers for event in events) == 2


def test_models_are_saved_as_without_a_watch(tmp_path: Path) -> None:
    class Logs(tf.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = tf.function(log_loss)
            self.run = tf.function(lambda x: self.inner(x), input_signature=[tf.TensorSpec([None])])

    with watched(ADAPTERS, tmp_path / "run") as reported:
        logs = Logs()
        logs.run(tf.constant([0.0]))
        tf.saved_model.save(logs, str(tmp_path / "model"))
    assert len(reported.births) == 1
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert float(loaded.run(tf.constant([1.0]))) == 0
    content = (tmp_path / "model" / "saved_model.pb").read_bytes()
    assert b"nanlint/" not in content.replace(str(Path(__file__).parents[2]).encode(), b"")


def test_a_nan_that_a_dense_layer_passes_on_is_told_of_where_it_came_from_and_no_more(tmp_path: Path) -> None:
    def dense(x: Any) -> Any:
        return tf.nn.relu(tf.nn.bias_add(tf.math.log(x) @ tf.zeros((1, 4)), tf.zeros(4)))

    with watched(ADAPTERS, tmp_path) as reported:
        tf.function(dense)(tf.constant([[0.0]]))
    assert [one.op for one in reported.births] == ["Log", "MatMul"]
    assert reported.told == []


def test_a_nan_in_the_batch_that_a_function_is_given_is_told_with_its_place(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        tf.function(lambda x: tf.reduce_sum(x * 2.0))(tf.constant([[1.0, 2.0], [3.0, NAN]]))
    (alert,) = reported.alerts("nan-in-input")
    assert (alert.details["first"], alert.details["shape"]) == ([1, 1], [2, 2])
    assert reported.blamed() == []


# ── variables, clips, filters ───────────────────────────────────────────────────────────────────────────────────────

WAYS: dict[str, Callable[[Any], Any]] = {
    "eager": lambda step: step,
    "graph": lambda step: tf.function(step),
    "xla": lambda step: tf.function(step, jit_compile=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_an_optimizer_computes_in_a_variable_can_be_born_there(tmp_path: Path, way: str) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        weights, mean, square = (tf.Variable([1.0, 2.0]) for _ in range(3))
        total, lowest = tf.Variable([3e38]), tf.Variable([-INF])

        def adam(power: Any) -> Any:
            state = {"var": weights.handle, "m": mean.handle, "v": square.handle}
            rates = {"lr": 0.1, "beta1": 0.9, "beta2": 0.9, "epsilon": 1e-7}
            tf.raw_ops.ResourceApplyAdam(**state, **rates, beta1_power=power, beta2_power=0.9, grad=tf.ones(2))
            return weights + 1.0

        def add(amount: Any) -> Any:
            total.assign_add(amount)  # the sum
            lowest.assign_add(tf.ones(1))
            return tf.constant(0)

        for step, given in ((WAYS[way](adam), (0.9, 1.0)), (WAYS[way](add), ([1.0], [3e38], [1.0]))):
            for one in given:
                step(tf.constant(one))
    assert [op for op, _, _ in reported.blamed()] == ["ResourceApplyAdam", "AssignAddVariableOp"]
    assert reported.blamed()[1][1] == "total.assign_add(amount)  # the sum"


@pytest.mark.parametrize("way", WAYS)
def test_a_clip_that_holds_every_element_in_a_graph_is_told_where_a_gradient_is_asked(tmp_path: Path, way: str) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            held = tf.clip_by_value(x, 5.0, 6.0)  # all
            loss = tf.reduce_sum(held * tf.clip_by_value(x, 1.5, 6.0) * tf.maximum(x, 2.0 * x))
        return tape.gradient(loss, x)

    with watched(ADAPTERS, tmp_path) as reported:
        WAYS[way](step)(tf.constant([1.0, 2.0]))
        if way != "eager":
            WAYS[way](lambda x: tf.clip_by_value(x, 5.0, 6.0))(tf.constant([1.0, 2.0]))
    (alert,) = reported.alerts("clip-holds-all")
    assert alert.frames[0].text.endswith("# all")


def test_a_filter_is_asked_of_the_tensors_of_graphs(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def odd(health, tensor):\n    return float(tensor.numpy().max()) == 7.0\n", "utf-8"
    )
    names = ("range>1e3", f"{tmp_path / 'mine.py'}:odd")
    with watched(ADAPTERS, tmp_path / "run", filters=names) as reported:
        for way in ("graph", "xla"):
            run = WAYS[way](lambda x: tf.exp(x) * 1.0 if x.shape == () else 7.0 * x)  # here
            run(tf.constant(1.0)), run(tf.constant(9.0)), run(tf.constant([1.0]))
    found = [event for event in reported.events if isinstance(event, Filtered)]
    assert {event.frames[0].text[-6:] for event in found} == {"# here"}
    assert [(event.filter.split(":")[-1], event.tensor.name) for event in found] == [
        ("range>1e3", "Exp"),
        ("range>1e3", "Mul"),
        ("odd", "Mul"),
    ]
    (alert,) = reported.alerts("unwatched")
    assert "XLA cannot call" in alert.message


# ── flagged lines ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("xla", [False, True])
def test_a_flagged_line_is_seen_with_operand_result_and_gradients(tmp_path: Path, xla: bool) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = log_loss(x)
        return loss, tape.gradient(loss, x)

    with watched(ADAPTERS, tmp_path, "sites", [site(__file__, LOG, "log")]) as reported:
        run = tf.function(step, jit_compile=xla)
        for batch in ([0.25, 0.5], [0.5, 1.0], [0.0, 1.0], [0.75, 1.0]):
            run(tf.constant(batch))
    last = reported.observed[-1]
    assert (last.executions, last.closest, last.bad_step) == (4, 0.0, 2)
    assert last.bad["x"].counts == (0, 0, 1, 1, 0, 0)
    assert last.bad["result"].counts == (1, 0, 1, 0, 0, 0)
    assert last.roles["gradient of x"].counts == (1, 7, 0, 0, 0, 0)
    assert last.roles["x"].counts == (0, 0, 1, 7, 0, 0)
    assert set(last.kinds) == {"ninf"}


def test_how_near_a_clean_line_came_is_kept(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sites", [site(__file__, LOG, "log")]) as reported:
        run = tf.function(log_loss)
        for batch in ([0.25, 0.5], [0.125, 1.0]):
            run(tf.constant(batch))
    last = reported.observed[-1]
    assert (last.executions, last.closest, last.bad_step) == (2, 0.125, None)


def test_a_flagged_line_has_its_verdict_where_all_is_watched_too(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "all", [site(__file__, LOG, "log")]) as reported:
        run = tf.function(log_loss, input_signature=[tf.TensorSpec(None)])
        run(tf.constant([0.5, 1.0])), run(tf.constant([0.0, 1.0]))
    last = reported.observed[-1]
    assert (last.executions, last.bad_step) == (2, 0)
    assert reported.blamed() == [("Log", LOG, False)]
    assert reported.births[0].inputs[0].health.shape == (2,)


def test_a_graph_without_a_flagged_line_is_left_alone(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sites", [site(__file__, ROOT, "sqrt")]):
        run = tf.function(log_loss).get_concrete_function(tf.TensorSpec((2,)))
    plain = tf.function(log_loss).get_concrete_function(tf.TensorSpec((2,)))
    assert [op.type for op in run.graph.get_operations()] == [op.type for op in plain.graph.get_operations()]


# ── the program does not notice ─────────────────────────────────────────────────────────────────────────────────────


def trained(compiled: Callable[[Any], Any]) -> list[Any]:
    tf.random.set_seed(5)
    weights = tf.Variable(tf.random.stateless_normal((8, 4), (1, 2)))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = log_loss(tf.nn.softmax(tf.nn.relu(x @ weights) + tf.random.stateless_uniform((4,), (3, 4))))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    run = compiled(step)
    losses = [float(run(tf.random.stateless_normal((16, 8), (i, 7)))) for i in range(4)]
    return [*losses, weights.numpy().tolist()]


@pytest.mark.parametrize(
    ("mode", "xla"), [("all", False), ("sites", False), ("sentinel", False), ("sites", True), ("sentinel", True)]
)
def test_results_are_the_same_bit_by_bit(tmp_path: Path, mode: str, xla: bool) -> None:
    def compiled(step: Any) -> Any:
        return tf.function(step, jit_compile=xla)

    plain = trained(compiled)
    with watched(ADAPTERS, tmp_path, mode, [site(__file__, LOG, "log")]):
        assert trained(compiled) == plain


def test_under_xla_every_op_is_watched_to_the_last_digits_as_it_fuses_other_ops(tmp_path: Path) -> None:
    def compiled(step: Any) -> Any:
        return tf.function(step, jit_compile=True)

    *losses, weights = trained(compiled)
    with watched(ADAPTERS, tmp_path) as reported:
        *probed_losses, probed = trained(compiled)
    assert len(reported.alerts("rounds")) == 1
    assert probed_losses == pytest.approx(losses, rel=1e-6)
    assert [x for row in probed for x in row] == pytest.approx([x for row in weights for x in row], rel=1e-5)


def test_steps_of_a_training_function_are_counted_with_loss_and_norm(tmp_path: Path) -> None:
    x = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = x * x
        x.assign_sub(0.5 * tape.gradient(loss, x))
        return loss

    with watched(ADAPTERS, tmp_path, "sentinel") as reported:
        run = tf.function(step)
        run(), run()
    assert [(one.numbers["loss"], one.numbers["gradient_norm"]) for one in reported.steps] == [
        ("9.0", "6.0"),
        ("0.0", "0.0"),
    ]


def test_the_sentinel_tells_a_loss_that_is_not_finite(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sentinel") as reported:
        tf.function(root_slope)(tf.constant([0.0, 4.0]))
    # the tape tells of it; what the function returned may be told of as well, where no step is known
    assert [what for alert in reported.alerts("non-finite") if (what := alert.details.get("what"))] == ["gradient_norm"]


@pytest.mark.parametrize(("mode", "unwatched"), [("sentinel", [True]), ("sites", [False])])
def test_a_flagged_line_that_the_sentinel_leaves_alone_is_called_so(
    tmp_path: Path, mode: str, unwatched: list[bool]
) -> None:
    with watched(ADAPTERS, tmp_path, mode, [site(__file__, LOG, "log")]) as reported:
        trained(tf.function)
    last = {one.site: one for one in reported.observed}
    assert [one.unwatched for one in last.values()] == unwatched
    assert [one.executions == 0 for one in last.values()] == unwatched


def test_a_flagged_line_in_a_pipeline_of_examples_is_not_called_unreached(tmp_path: Path) -> None:
    examples = tf.data.Dataset.from_tensor_slices(tf.constant([[0.5, 0.5]]))
    with watched(ADAPTERS, tmp_path, "sites", [site(__file__, LOG, "log")]) as reported:
        (loss,) = examples.map(log_loss)
    assert float(loss) == pytest.approx(0.6931, abs=1e-4)
    assert [(one.unwatched, one.executions) for one in reported.observed[-1:]] == [(True, 0)]


def test_the_step_in_which_the_loss_breaks_is_told_though_numbers_are_read_seldom(tmp_path: Path) -> None:
    x = tf.Variable(0.0)

    def step(scale: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = scale * (x + 1.0)
        tape.gradient(loss, x)
        return loss

    with watched(ADAPTERS, tmp_path, "sentinel") as reported:
        run = tf.function(step)
        for i in range(150):
            run(tf.constant(INF if i == 70 else float(i)))
    (alert,) = reported.alerts("non-finite")[:1]
    assert alert.step == 70
    losses = [one.numbers["loss"] for one in reported.steps]
    assert losses == ["inf" if i == 70 else str(float(i)) for i in range(150)]


def test_a_loss_that_is_not_finite_stops_the_program_if_it_is_to_stop(tmp_path: Path) -> None:
    x = tf.Variable(1.0)

    @tf.function
    def step(scale: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = scale * x
        return tape.gradient(loss, x)

    with watched(ADAPTERS, tmp_path, "sentinel", on_nan="stop"):
        step(tf.constant(1.0))
        with pytest.raises(NonFinite, match="step 1: the loss is inf"):
            step(tf.constant(INF))


def test_gradients_in_a_loop_are_as_many_steps(tmp_path: Path) -> None:
    x = tf.Variable(1.0)

    def steps(count: Any) -> None:
        for _ in tf.range(count):
            with tf.GradientTape() as tape:
                loss = x * x
            x.assign_sub(0.25 * tape.gradient(loss, x))

    with watched(ADAPTERS, tmp_path, "all") as reported:
        run = tf.function(steps)
        run(tf.constant(3)), run(tf.constant(2))
    assert len(reported.steps) == 5


def test_an_exception_of_the_program_is_its_own(tmp_path: Path) -> None:
    def fails(x: Any) -> Any:
        tf.debugging.assert_positive(x, message="of the program")
        return tf.math.log(x)

    with (
        watched(ADAPTERS, tmp_path) as reported,
        pytest.raises(tf.errors.InvalidArgumentError, match="of the program"),
    ):
        tf.function(fails)(tf.constant([-1.0]))
    assert not reported.alerts("internal")


def test_the_ops_of_a_graph_are_in_the_timeline_with_those_that_feed_them(tmp_path: Path) -> None:
    @tf.function  # type: ignore[untyped-decorator]
    def loss(x: Any) -> Any:
        doubled = 2.0 * x  # here
        return tf.reduce_sum(tf.math.log(doubled))

    with watched(ADAPTERS, tmp_path) as reported:
        for scale in (1.0, 0.0):
            loss(tf.fill([3], scale))
    ops = {event.number: event for event in reported.events if isinstance(event, Op)}
    (log,) = (op for op in ops.values() if op.op == "Log")
    (doubled,) = (ops[i] for i in log.inputs)
    assert (doubled.op, linecache.getline(doubled.path, doubled.line).strip()) == ("Mul", "doubled = 2.0 * x  # here")
    traced = [number for event in reported.events if isinstance(event, Trace) for number in event.ops]
    assert traced.count(log.number) == 2
    (birth,) = reported.births
    assert ops[birth.inputs[0].source or 0].op == "Mul"
