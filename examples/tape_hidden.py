"""The gradient of a square in TensorFlow 2, with the leak papered over by `+ 0 * x`.

The gradient is no longer None; it is 0, and the descent does not move.
"""

import tensorflow as tf


def gradient_of_square(x):
    square_x = tf.square(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(square_x + 0 * x)
    return tape.gradient(loss, x)


def main(steps=3):
    x = tf.Variable([1.0, 2.0, 3.0])
    gradient = None
    for step in range(steps):
        gradient = gradient_of_square(x)
        x.assign_sub(0.1 * gradient)
        print("step", step, "x", x.numpy(), "gradient", gradient.numpy())
    return gradient


if __name__ == "__main__":
    main()
