"""Programs that fail are cured by their fixes, and nothing else in them is harmed: one of each kind."""

from __future__ import annotations

import pytest

import nanlint
from benchmarks.cures import PROGRAMS, outcome

#: what becomes of a program with everything applied
KINDS = {
    # who takes what is yielded writes the operand; so does what is called back
    "torch/generator": "as it was",
    "torch/callback": "as it was",
    "torch/comments": "cured",
    "torch/guarded_norm": "cured",
    "jax/friction": "cured",
    # a bound on an exponent is only suggested
    "torch/kl_head": "as it was",
    "torch/vae": "as it was",
    "tensorflow/sampling": "as it was",
    "torch/half_unit": "cured",
    "torch/half_log": "cured",
    "torch/half_mask": "cured",
    "torch/two_wheres": "cured",
    "jax/masked_power": "cured",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_program_that_fails_is_cured_or_stays(name: str) -> None:
    framework = name.partition("/")[0]
    pytest.importorskip(framework)
    path = next(path for path in PROGRAMS if path.match(f"{name}.py"))
    found = outcome(framework, path.read_text(), "possible")
    assert (found.verdict, found.why) == (KINDS[name], ""), found.text


LOSS = """import tensorflow as tf
from tensorflow import keras


def weighted(y_true, y_pred):
    w = 1 + 4 * y_true
    return -tf.reduce_mean(w * (y_true * tf.math.log(y_pred) + (1 - y_true) * tf.math.log(1 - y_pred)))


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile(optimizer="adam", loss=weighted)
"""


def test_a_loss_of_an_activation_is_told_which_to_remove_and_keeps_its_weights() -> None:
    tf = pytest.importorskip("tensorflow")
    fixes = [one.fix for one in nanlint.check_source(LOSS) if one.code == "NL102"]
    shown = [fix.display for fix in fixes if fix is not None]
    ending = ' without activation="sigmoid" (line 10)'
    assert len(shown) == 2
    assert all(text.endswith(ending) for text in shown)
    followed = LOSS.partition("\n\n\nmodel")[0]
    for old, text in zip(("tf.math.log(y_pred)", "tf.math.log(1 - y_pred)"), shown, strict=True):
        followed = followed.replace(old, text.removesuffix(ending))
    before: dict[str, object] = {}
    after: dict[str, object] = {}
    exec(LOSS.partition("\n\n\nmodel")[0], before)
    exec(followed, after)
    labels, logits = tf.constant([[1.0], [0.0], [1.0]]), tf.constant([[0.5], [-2.0], [-1.0]])
    old, new = before["weighted"](labels, tf.sigmoid(logits)), after["weighted"](labels, logits)  # type: ignore[operator]
    assert abs(float(old) - float(new)) < 1e-5
    assert tf.math.is_finite(after["weighted"](labels, 200 * logits))  # type: ignore[operator]


def test_an_activation_before_a_loss_that_has_it_is_likely_in_keras_too() -> None:
    text = LOSS.replace("loss=weighted", "loss=keras.losses.BinaryCrossentropy(from_logits=True)")
    (found,) = (one for one in nanlint.check_source(text) if one.code == "NL702")
    assert found.confidence.name == "LIKELY"
    assert found.fix is not None
    assert found.fix.display == 'remove activation="sigmoid" (line 10)'


def test_the_logarithm_of_a_bound_is_that_of_the_number_that_is_written() -> None:
    text = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.relu(x)) * 2\n"
    found = [one.fix.message for one in nanlint.check_source(text, confidence="possible") if one.fix is not None]
    assert any("1e-37" in message and "-85.2" in message for message in found), found
