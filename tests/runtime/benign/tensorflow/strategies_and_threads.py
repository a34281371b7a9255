"""A distribution strategy, threads, random generators, errors of the program's own that it handles."""

import threading

import numpy as np
import tensorflow as tf

strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
with strategy.scope():
    weight = tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN)


@tf.function
def replicated(x):
    def on_replica(v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.exp(-weight * v) - 0.5))
        gradient = tape.gradient(loss, weight)
        weight.assign_sub(0.1 * gradient)
        return loss

    return strategy.reduce("SUM", strategy.run(on_replica, args=(x,)), axis=None)


for _ in range(3):
    print(replicated(tf.constant([0.1, 0.2])).numpy(), weight.numpy())
generator = tf.random.Generator.from_seed(3)
tf.random.set_seed(5)
print(generator.normal([2]).numpy(), tf.random.uniform([2]).numpy(), tf.random.stateless_normal([2], [1, 2]).numpy())
results = {}


def work(i):
    with tf.GradientTape() as tape:
        x = tf.Variable(float(i + 1))
        y = tf.math.log(x) * x
    results[i] = float(tape.gradient(y, x))


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(results.items()))
for wrong in (
    lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])),
    lambda: tf.debugging.assert_positive(tf.constant([-1.0])),
    lambda: tf.function(lambda x: tf.debugging.check_numerics(x, "bad"))(tf.constant(np.inf)),
    lambda: tf.function(lambda: 1 / 0)(),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
