"""An eager training loop: scalars, embeddings (IndexedSlices), persistent and nested tapes."""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
table = tf.Variable(tf.random.normal([6, 3]), name="table")
weight, bias = tf.Variable(0.5), tf.Variable([0.1, -0.2, 0.3])
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(3):
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.gather(table, [0, step, 0])
        loss = -tf.math.log(tf.sigmoid(weight * tf.reduce_sum(rows * bias))) + tf.reduce_mean(tf.exp(-rows))
        penalty = tf.sqrt(tf.reduce_sum(tf.square(bias)) + 1e-6)
    gradients = tape.gradient(loss, {"table": table, "others": [weight, bias]})
    more = tape.gradient(penalty, bias, output_gradients=tf.constant(2.0))
    del tape
    print(type(gradients["table"]).__name__, tf.convert_to_tensor(gradients["table"]).numpy())
    print(loss.numpy(), [g.numpy() for g in gradients["others"]], more.numpy())
    optimizer.apply_gradients([(gradients["table"], table), (gradients["others"][1], bias)])
    weight.assign_sub(0.1 * gradients["others"][0])
x = tf.constant(2.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x**3 * tf.math.log(x)
    first = inner.gradient(y, x)
print(first.numpy(), outer.gradient(first, x).numpy())
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stack([x, x**2, tf.sqrt(x)])
print(tape.jacobian(y, x).numpy())
with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
    y = tf.math.log(x) / x
print(accumulator.jvp(y).numpy(), table.numpy(), bias.numpy())
