"""The gradient of a square in TensorFlow 2, with the square computed above the tape.

The tape has seen nothing of x, so the gradient is None.
"""

import tensorflow as tf


def gradient_of_square(x):
    square_x = tf.square(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(square_x)
    return tape.gradient(loss, x)


def main():
    x = tf.Variable([1.0, 2.0, 3.0])
    gradient = gradient_of_square(x)
    print("d/dx sum(x ** 2) =", gradient, "(wanted: 2 * x)")
    return gradient


if __name__ == "__main__":
    main()
