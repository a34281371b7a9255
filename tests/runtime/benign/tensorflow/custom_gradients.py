"""Custom gradients: of one bare tensor, of several, with variables, of None, second order, and one that is recomputed."""

import tensorflow as tf


@tf.custom_gradient
def softplus(x):
    e = tf.exp(x)
    return tf.math.log1p(e), lambda upstream: upstream * (1 - 1 / (1 + e))


@tf.custom_gradient
def clipped(x, low, high):
    inside = tf.cast((x >= low) & (x <= high), x.dtype)
    return tf.clip_by_value(x, low, high), lambda upstream: (upstream * inside, None, None)


scale = tf.Variable(3.0)


@tf.custom_gradient
def scaled(x):
    def backward(upstream, variables=None):
        return upstream * scale, [tf.reduce_sum(upstream * x) for _ in variables]

    return x * scale, backward


@tf.custom_gradient
def pair(x):
    return (tf.square(x), tf.sqrt(x)), lambda a, b: a * 2 * x + b * 0.5 / tf.sqrt(x)


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def summed(function):
    return lambda v: tf.reduce_sum(function(v))


again = tf.recompute_grad(lambda v: tf.reduce_sum(tf.tanh(v) * tf.exp(-v)))
for x in (tf.constant([0.5, 1.5]), tf.constant(0.25)):
    for function in (
        softplus,
        lambda v: clipped(v, 0.3, 1.0),
        scaled,
        lambda v: pair(v)[0] + pair(v)[1],
        reverse,
        again,
        tf.stop_gradient,
        tf.grad_pass_through(tf.round),
    ):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x))
            first = tape.gradient(y, x)
        second = None if first is None else tape.gradient(first, x)
        print(y.numpy(), None if first is None else first.numpy(), None if second is None else second.numpy())
        compiled = tf.function(summed(function))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = compiled(x)
        found = tape.gradient(y, x)
        print(y.numpy(), None if found is None else found.numpy())
