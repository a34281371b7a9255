"""tf.function: retracing, control flow, TensorArray, side effects, XLA, functions in functions, input signatures."""

import tensorflow as tf

tf.random.set_seed(1)


@tf.function
def collatz(n):
    steps = tf.constant(0)
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def normalised(x):
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        norm = tf.sqrt(tf.reduce_sum(tf.square(x[i])))
        rows = rows.write(i, tf.math.divide_no_nan(x[i], norm))
    return rows.stack()


@tf.function(jit_compile=True)
def fused(x):
    return tf.reduce_sum(tf.math.log(tf.nn.softmax(x) + 1e-6), axis=-1)


counter = tf.Variable(0)
calls = []


@tf.function(reduce_retracing=True)
def counted(x):
    calls.append(str(x.dtype))
    counter.assign_add(1)
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.math.log(tf.reduce_sum(x)), lambda: tf.zeros((), x.dtype))


@tf.function
def bisected(low, high):
    return tf.while_loop(
        lambda a, b: b - a > 1e-3,
        lambda a, b: tf.cond((a + b) / 2 * (a + b) / 2 > 2, lambda: (a, (a + b) / 2), lambda: ((a + b) / 2, b)),
        (low, high),
    )


print(collatz(tf.constant(27)).numpy(), normalised(tf.constant([[3.0, 4.0], [0.0, 0.0]])).numpy())
print(fused(tf.constant([[1.0, 2.0], [3.0, -4.0]])).numpy(), bisected(tf.constant(0.0), tf.constant(2.0)))
for x in (tf.constant([1.0, 2.0]), tf.constant([-1.0]), tf.constant([1.0, 2.0], tf.float64), tf.constant([3.0])):
    print(counted(x).numpy(), counter.numpy())
print(calls)
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(normalised(x)) + tf.reduce_sum(fused(x))
print(tape.gradient(y, x).numpy())
concrete = normalised.get_concrete_function()
print(
    concrete(tf.ones([1, 2])).numpy(),
    [op.type for op in tf.function(lambda v: v + 1).get_concrete_function(1.0).graph.get_operations()][:1],
)
print(
    tf.map_fn(lambda v: tf.math.log(v), tf.constant([1.0, 2.0])).numpy(),
    tf.scan(lambda a, v: a + v, tf.range(5)).numpy(),
)
print(tf.vectorized_map(lambda v: tf.reduce_logsumexp(v), tf.ones([2, 3])).numpy())
print(tf.py_function(lambda v: v.numpy() ** 2, [tf.constant(3.0)], tf.float32).numpy())
