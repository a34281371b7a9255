"""TensorFlow in eager code: what its tensors hold, what is born where, and that the program does not notice."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.recorder import NonFinite
from tests.frameworks import lazily
from tests.runtime.watched import watched

tf = lazily("tensorflow")
TensorFlowAdapter = lazily("nanlint.runtime.adapters.tensorflow", "TensorFlowAdapter")

pytestmark = pytest.mark.slow

ADAPTERS = (TensorFlowAdapter,)
INF, NAN = float("inf"), float("nan")


def adapter() -> Any:
    return TensorFlowAdapter(None)  # type: ignore[arg-type]


# ── what a tensor holds ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_breakdown_counts_each_class(dtype: str) -> None:
    health = adapter().health(tf.constant([[-INF, -2, -0.5], [0, 3, INF], [INF, NAN, -0.0]], dtype))
    assert health.counts == (1, 2, 2, 1, 2, 1)
    assert (health.low, health.high, health.near, health.dtype, health.shape) == (-2, 3, 0, dtype, (3, 3))


def test_breakdown_of_tensors_of_every_kind() -> None:
    counted = {
        "bool": tf.constant([True, False]),
        "int": tf.constant([-1, 0, 5]),
        "complex": tf.constant([complex(1, NAN), complex(INF, 0), 2j]),
        "float8": tf.cast(tf.constant([1.0, -1.0, NAN]), tf.dtypes.experimental.float8_e4m3fn),
        "variable": tf.Variable([0.0, 2.0]),
        "sparse": tf.sparse.from_dense([[0.0, 2.0], [NAN, 0.0]]),
        "slices": tf.IndexedSlices(tf.constant([1.0, -1.0]), tf.constant([3, 5])),
        "ragged": tf.ragged.constant([[1.0], [], [-1.0, 0.0]]),
        "quantised": tf.quantization.quantize(tf.constant([0.0, 1.0]), 0.0, 1.0, tf.quint8).output,
        "scalar": tf.constant(-1.0),
        "empty": tf.zeros((0, 3)),
        "string": tf.constant(["a"]),
    }
    found = {name: adapter().health(tensor).counts for name, tensor in counted.items()}
    assert found == {
        "bool": (0, 0, 1, 1, 0, 0),
        "int": (0, 1, 1, 1, 0, 0),
        "complex": (0, 0, 0, 1, 1, 1),
        "float8": (0, 1, 0, 1, 0, 1),
        "variable": (0, 0, 1, 1, 0, 0),
        "sparse": (0, 0, 0, 1, 0, 1),
        "slices": (0, 1, 0, 1, 0, 0),
        "ragged": (0, 1, 1, 1, 0, 0),
        "quantised": (0, 0, 1, 1, 0, 0),
        "scalar": (0, 1, 0, 0, 0, 0),
        "empty": (0, 0, 0, 0, 0, 0),
        "string": (0, 0, 0, 0, 0, 0),
    }


def test_symbols_are_owned_and_not_concrete() -> None:
    seen = []

    def traced(x: Any) -> Any:
        seen.append((adapter().owns(x), adapter().concrete(x)))
        return x

    tf.function(traced)(tf.constant(1.0))
    assert seen == [(True, False)]
    assert adapter().owns(tf.Variable(1.0))
    assert adapter().concrete(tf.Variable(1.0))
    assert not adapter().owns([1.0])


def test_a_glance_is_the_range_of_what_is_finite() -> None:
    assert adapter().glance(tf.constant([1.0, -2.0])) == (-2, 1)
    assert adapter().glance(tf.constant([1.0, NAN])) is None
    assert adapter().numbers(tf.constant([[1.0, 2.0], [3.0, 4.0]]), 3) == [1, 2, 3]


# ── births ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_birth_is_told_with_breakdown_and_line(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        tf.math.log(tf.constant([0.0, 1.0]))  # the log
    assert reported.blamed() == [("Log", "tf.math.log(tf.constant([0.0, 1.0]))  # the log", False)]
    birth = reported.births[0]
    assert birth.kinds == ("ninf",)
    assert birth.inputs[0].health.counts == (0, 0, 1, 1, 0, 0)
    assert birth.outputs[0].health.counts == (1, 0, 1, 0, 0, 0)
    assert birth.outputs[0].values == ("-inf", "0.0")


def test_what_is_only_moved_or_was_there_is_no_birth(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        mask = tf.where(tf.constant([True, False]), 0.0, -INF)
        masked = tf.reshape(tf.constant([1.0, 2.0]) + mask, (1, 2))
        tf.nn.softmax(tf.concat([masked, masked], 0))
        tf.exp(masked)
        tf.constant([INF]) * 2.0
    assert reported.blamed() == []


def test_the_gradient_is_blamed_on_the_forward_line(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            roots = tf.sqrt(x)  # the root
            loss = tf.reduce_sum(roots)
        tape.gradient(loss, x)
    assert reported.blamed() == [("SqrtGrad", "roots = tf.sqrt(x)  # the root", True)]


def test_a_gradient_that_is_no_list_is_heard_whole(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable([1.0, 4.0])
        heard: dict[str, Any] = {}
        with tf.GradientTape() as tape:
            roots = tf.sqrt(x + 0.0)
            reported.recorder.adapters[0].on_gradient({"x": roots}, tf.reduce_sum(roots), heard.__setitem__)
            loss = -tf.reduce_sum(tf.square(roots))
        tape.gradient(loss, x)
    assert heard["x"].shape == (2,)


def test_a_gradient_of_a_gradient_too(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                powers = tf.pow(x, 1.5)  # the power
            slope = inner.gradient(powers, x)
        outer.gradient(slope, x)
    assert reported.blamed() == [("Pow", "powers = tf.pow(x, 1.5)  # the power", True)]


def test_threads_are_watched(tmp_path: Path) -> None:
    def work() -> None:
        tf.math.log(tf.constant(-1.0))  # in a thread

    with watched(ADAPTERS, tmp_path) as reported:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert [line for _, line, _ in reported.blamed()] == ["tf.math.log(tf.constant(-1.0))  # in a thread"]
    assert threading.getprofile() is None


def test_a_sum_that_overflows_in_the_look_is_no_birth(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        tf.constant([1e30, 1e30]) + 1.0
        tf.cast(tf.fill((300,), 300.0), tf.float16) + tf.constant(1.0, tf.float16)
    assert reported.blamed() == []


def test_ops_of_every_dtype_are_gone_through(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        tf.strings.join(["a", "b"])
        tf.constant([True]) & tf.constant([False])
        tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[0.0, 2.0]]), tf.ones((2, 1)))
        tf.ragged.constant([[1.0], []]) + 1.0
        tf.zeros((0,)) * 2.0
        tf.complex(1.0, 2.0) * 2.0
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0).lookup(tf.constant(["a"]))
        list(tf.data.Dataset.range(3).map(lambda x: x * 2))
        tf.py_function(lambda x: x + 1, [1.0], tf.float32)
    assert reported.blamed() == []


def test_stop_ends_the_program_at_the_birth(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, on_nan="stop"), pytest.raises(NonFinite, match="-inf first appeared in Log"):
        tf.math.log(tf.constant(0.0))


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    from tensorflow.python.eager import context

    with watched(ADAPTERS, tmp_path) as reported:
        pass
    tf.math.log(tf.constant(0.0))
    assert reported.blamed() == []
    assert not context.context().op_callbacks
    assert tf.GradientTape.gradient.__module__.startswith("tensorflow")
    assert context.Context.call_function.__module__.startswith("tensorflow")


def training(seed: int) -> list[Any]:
    tf.random.set_seed(seed)
    weights = tf.Variable(tf.random.normal((8, 4)))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax(tf.random.normal((16, 8)) @ weights) ** 2)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return [weights.numpy().tolist(), tf.random.uniform(()).numpy()]


def test_results_and_random_numbers_are_the_same(tmp_path: Path) -> None:
    plain = training(3)
    for mode in ("all", "sites", "sentinel"):
        with watched(ADAPTERS, tmp_path / mode, mode):
            assert training(3) == plain


# ── steps, and what is only seen at run time ────────────────────────────────────────────────────────────────────────


def test_steps_of_a_training_by_hand_are_counted_with_loss_and_norm(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable(3.0)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = x * x
            x.assign_sub(0.5 * tape.gradient(loss, x))
    assert [(one.numbers["loss"], one.numbers["gradient_norm"]) for one in reported.steps[:3]] == [
        ("9.0", "6.0"),
        ("0.0", "0.0"),
        ("0.0", "0.0"),
    ]


def test_a_variable_used_outside_of_the_tape_is_told_with_both_lines(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable(1.0, name="x")
        y = x * x  # outside
        with tf.GradientTape() as tape:
            loss = (y - 4.0) ** 2  # inside
        assert tape.gradient(loss, x) is None
    (alert,) = reported.alerts("dead-gradient")
    assert alert.details["variable"] == "x"
    assert [frame.text for frame in alert.frames[:2]] == ["y = x * x  # outside", "loss = (y - 4.0) ** 2  # inside"]


def test_a_gradient_that_is_always_zero_is_told(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        alive, dead = tf.Variable([1.0, 2.0], name="alive"), tf.Variable([-1.0, -2.0], name="dead")
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.nn.relu(dead) + alive * alive)
            tape.gradient(loss, [alive, dead])
    assert [alert.details["variable"] for alert in reported.alerts("dead-gradient")] == ["dead"]


def test_a_clip_that_holds_every_element_is_told(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        x = tf.Variable([-3.0, 5.0])
        with tf.GradientTape() as tape:
            held = tf.clip_by_value(x, -1.0, 1.0)  # holds
            loose = tf.clip_by_value(x, -1.0, 10.0)
            loss = tf.reduce_sum(held + loose)
        tape.gradient(loss, x)
    assert [alert.frames[0].text for alert in reported.alerts("clip-holds-all")] == [
        "held = tf.clip_by_value(x, -1.0, 1.0)  # holds"
    ]


def test_a_nan_in_the_data_is_told_with_its_place(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        batch = next(iter(tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [NAN, 3.0]]).batch(2)))
        tf.reshape(batch, (2, 2)) * 2.0
    (alert,) = reported.alerts("nan-in-input")
    assert (alert.details["first"], alert.details["shape"]) == ([1, 0], [2, 2])
    assert reported.blamed() == []


@pytest.mark.parametrize(
    ("name", "hide"),
    [
        ("SelectV2", lambda x: tf.where(tf.math.is_nan(x), 0.0, x)),
        ("MulNoNan", lambda x: tf.math.multiply_no_nan(x, tf.constant([0.0, 1.0]))),
    ],
)
def test_a_nan_that_is_hidden_is_told(tmp_path: Path, name: str, hide: Any) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        hide(tf.constant([0.0, 1.0]) / tf.constant([0.0, 1.0]))
    assert [alert.details["op"] for alert in reported.alerts("hidden-nan")] == [name]


def test_a_variable_that_nobody_named_is_called_as_in_the_source(tmp_path: Path) -> None:
    class Model:
        def __init__(self) -> None:
            self.kept = tf.Variable(2.0)
            self.lost = tf.Variable(
                3.0,
            )
            self.named = tf.Variable(1.0, name="bias")

    x = tf.constant(1.0)
    with watched(ADAPTERS, tmp_path) as reported:
        model = Model()
        for _ in range(2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = 0.0 * model.kept
            tape.gradient(loss, [model.kept, model.lost, model.named, x])
    assert [alert.details["variable"] for alert in reported.alerts("dead-gradient")] == [
        "model.lost",
        "bias",
        "x",
        "model.kept",
    ]


def test_a_filter_of_the_user_is_asked_of_every_tensor(tmp_path: Path) -> None:
    from nanlint.runtime.events import Filtered

    with watched(ADAPTERS, tmp_path, filters=("range>1e3",)) as reported:
        tf.constant([10.0]) * 1e4
        tf.constant([10.0]) * 2.0
    assert [event.tensor.name for event in reported.events if isinstance(event, Filtered)] == ["Mul"]
