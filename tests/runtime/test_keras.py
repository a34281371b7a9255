"""Keras: births in what it compiles, steps, loss scaling, and the callback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.frameworks import lazily
from tests.runtime.watched import watched

keras = lazily("keras")
tf = lazily("tensorflow")
np = lazily("numpy")
KerasAdapter = lazily("nanlint.runtime.adapters.keras", "KerasAdapter")
TensorFlowAdapter = lazily("nanlint.runtime.adapters.tensorflow", "TensorFlowAdapter")

pytestmark = pytest.mark.slow

ADAPTERS = (TensorFlowAdapter, KerasAdapter)


@pytest.fixture(autouse=True)
def _on_tensorflow() -> None:
    if keras.backend.backend() != "tensorflow":
        pytest.skip("Keras runs on another backend here")


def cross_entropy(labels: Any, predictions: Any) -> Any:
    return -keras.ops.sum(labels * keras.ops.log(predictions), axis=-1)  # the log


def classifier(loss: Any = cross_entropy, **options: Any) -> Any:
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, activation="softmax")])
    model.compile(keras.optimizers.SGD(100.0), loss=loss, **options)
    return model


def batches() -> tuple[Any, Any]:
    x = 3 * np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    return x, np.eye(2, dtype="float32")[(x[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_loss_that_breaks_in_fit_is_told_at_its_line_and_step(tmp_path: Path, eagerly: bool) -> None:
    with watched(ADAPTERS, tmp_path) as reported:
        classifier(run_eagerly=eagerly).fit(*batches(), batch_size=16, verbose=0)
    op, line, backward = reported.blamed()[0]
    assert (op, line.endswith("# the log"), backward) == ("Log", True, False)
    assert reported.births[0].step == 1
    assert reported.births[0].compiled == ("" if eagerly else "tf.function")


def test_a_nan_in_the_data_that_fit_is_given_is_told(tmp_path: Path) -> None:
    x, y = batches()
    x[20, 1] = np.nan
    with watched(ADAPTERS, tmp_path) as reported:
        classifier("mse").fit(x, y, batch_size=16, verbose=0, shuffle=False)
    alerts = reported.alerts("nan-in-input")
    assert {alert.message.split(" in the data")[0] for alert in alerts} == {"1 nan of 32 elements"}
    assert reported.blamed() == []


@pytest.mark.parametrize("eagerly", [False, True])
def test_steps_of_fit_are_counted_once(tmp_path: Path, eagerly: bool) -> None:
    with watched(ADAPTERS, tmp_path, "sentinel") as reported:
        classifier("mse", run_eagerly=eagerly).fit(*batches(), batch_size=16, epochs=2, verbose=0)
    assert [one.number for one in reported.steps] == list(range(8))
    assert all(float(one.numbers["loss"]) >= 0 for one in reported.steps)


def test_steps_of_a_loop_with_an_optimizer_are_counted_once(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sites") as reported:
        weights, optimizer = keras.Variable([3.0, 4.0]), keras.optimizers.Adam(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weights.value**2)
            optimizer.apply_gradients([(tape.gradient(loss, weights.value), weights)])
    assert [one.number for one in reported.steps] == [0, 1, 2]


def test_a_step_that_loss_scaling_skips_is_told(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sites") as reported:
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=1024.0)
        weights = keras.Variable([3.0, 4.0])
        for gradient in ([1.0, 1.0], [float("inf"), 1.0]):
            optimizer.apply_gradients([(tf.constant(gradient), weights)])
    (alert,) = reported.alerts("skipped-step")
    assert (alert.details["before"], alert.details["after"]) == (1024.0, 512.0)


def test_weights_that_nothing_trains_are_told(tmp_path: Path) -> None:
    inputs = keras.Input((2,))
    unused = keras.layers.Dense(1, name="unused")
    outputs = keras.layers.Dense(1, name="used")(inputs)
    model = keras.Model(inputs, [outputs, unused(inputs)])
    model.compile("sgd", loss=["mse", None])
    with watched(ADAPTERS, tmp_path) as reported:
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    assert {str(alert.details["variable"]).split("/")[0] for alert in reported.alerts("dead-gradient")} == {"unused"}


def test_a_variable_is_looked_at_through_its_backend() -> None:
    adapter = KerasAdapter(None)  # type: ignore[arg-type]
    variable = keras.Variable([[0.0, float("nan")], [-1.0, 2.0]])
    assert adapter.owns(variable)
    assert adapter.concrete(variable)
    assert adapter.health(variable).counts == (0, 1, 1, 1, 0, 1)
    assert adapter.numbers(variable, 1) == [0.0]
    assert adapter.owns(keras.Input((2,)))
    assert not adapter.concrete(keras.Input((2,)))


@pytest.mark.parametrize("mode", ["all", "sites", "sentinel"])
def test_training_goes_as_without_a_watch(tmp_path: Path, mode: str) -> None:
    def trained() -> Any:
        model = classifier("categorical_crossentropy")
        history = model.fit(*batches(), batch_size=16, epochs=2, verbose=0)
        return history.history["loss"], [one.tolist() for one in model.get_weights()]

    plain = trained()
    with watched(ADAPTERS, tmp_path, mode):
        assert trained() == plain
    assert "nanlint" not in keras.optimizers.Optimizer.apply.__module__


def test_the_callback_watches_fit_and_nothing_after_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from nanlint.keras import Watch

    model = classifier()
    x, y = batches()
    model.fit(x[:1] * 0, y[:1], verbose=0)  # compiled before the watch
    verify = Watch(watch="all", run_directory=str(tmp_path / "run"))
    model.fit(x, y, batch_size=16, verbose=0, callbacks=[verify])
    assert verify.run is not None
    told = len(verify.run.births)
    assert verify.run.births[0].op == "Log"
    assert "NL101 confirmed (nan and -inf" in capsys.readouterr().err
    model.fit(x, y, batch_size=16, verbose=0)
    assert len(verify.run.births) == told


@pytest.mark.parametrize("eagerly", [False, True])
def test_an_origin_is_told_with_its_layer_and_epoch(tmp_path: Path, eagerly: bool) -> None:
    class Scaled(keras.layers.Layer):  # type: ignore[misc,name-defined]
        """Its input over the greatest of each row, which may be 0."""

        def call(self, x: Any) -> Any:
            return x / keras.ops.max(keras.ops.abs(x), axis=1, keepdims=True)

    from nanlint.keras import Watch

    inner = keras.Sequential([keras.Input((2,)), Scaled(name="scaled")], name="block")
    model = keras.Sequential([keras.Input((2,)), inner, keras.layers.Dense(2)])
    model.compile(keras.optimizers.SGD(0.1), loss="mse", run_eagerly=eagerly)
    x, y = batches()
    watch = Watch(watch="all", quiet=True, run_directory=str(tmp_path / "run"))
    model.fit(x, y, batch_size=16, epochs=1, verbose=0)
    x[40] = 0
    model.fit(x, y, batch_size=16, epochs=3, initial_epoch=2, verbose=0, shuffle=False, callbacks=[watch])
    assert watch.run is not None
    birth = watch.run.births[0]
    assert (birth.op, birth.step, birth.where.epoch) == ("RealDiv", 2, 2)
    assert birth.where.module.endswith("block/scaled")


def test_the_sentinel_of_fit_tells_the_step_at_once_and_a_writer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from nanlint.keras import Watch

    x, y = batches()
    x[40] = np.nan
    run, logs = str(tmp_path / "run"), str(tmp_path / "logs")
    watch = Watch(run_directory=run, writer=tf.summary.create_file_writer(logs))
    classifier("mse").fit(x, y, batch_size=16, epochs=1, verbose=0, shuffle=False, callbacks=[watch])
    told = capsys.readouterr().err
    assert told.startswith("nanlint: step 2, epoch 0: the loss is nan\n    to find the line: nanlint replay ")
    assert "The first bad step was step 2. To repeat it" in told
    (file,) = Path(logs).iterdir()
    records = [tf.compat.v1.Event.FromString(one.numpy()) for one in tf.data.TFRecordDataset(str(file))]
    found = {(value.tag, record.step) for record in records for value in record.summary.value}
    assert {("nanlint", 2), ("nanlint/non_finite", 2)} <= found
