"""NL601: what is computed outside of a tape moves into it."""

from tests.fixes.proving import Proof

EQUAL = (((2, 3), (2, 3)), ((3,), (3,)), ((), ()), ((0, 3), (0, 3)))
TAPE = "with tf.GradientTape() as tape:\n    tape.watch(x)\n"


def _leak(body: str, meant: str) -> Proof:
    return Proof("NL601", "tensorflow", body, 1.0, unsafe=True, meant=meant, shapes=EQUAL)


PROOFS = {
    "above": _leak(
        f"square = tf.square(x)\n{TAPE}    loss = tf.reduce_sum(square * y)\nreturn tape.gradient(loss, x)", "2 * x * y"
    ),
    "below": _leak(
        f"{TAPE}    square = tf.square(x)\nloss = tf.reduce_sum(square * y)\nreturn tape.gradient(loss, x)", "2 * x * y"
    ),
    "two-statements": _leak(
        f"half = 0.5 * x\nsquare = half * half\n{TAPE}    loss = tf.reduce_sum(square)\nreturn tape.gradient(loss, x)",
        "0.5 * x",
    ),
    "keras": Proof(
        "NL601",
        "keras",
        f"import tensorflow as tf\nsquare = ops.square(x)\n{TAPE}    loss = ops.sum(square * y)\nreturn tape.gradient(loss, x)",
        1.0,
        unsafe=True,
        meant="2 * x * y",
        shapes=EQUAL,
    ),
}
