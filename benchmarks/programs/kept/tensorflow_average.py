"""A variable beside the training keeps an average that is divided by nothing."""

import sys

import tensorflow as tf

tf.random.set_seed(0)
w = tf.Variable(tf.ones([3, 1]))
average = tf.Variable(tf.zeros([3, 1]))
count = tf.Variable(0.0)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    average.assign(average * count / (count + 1.0) + w / (count + (0.0 if "bad" in sys.argv else 1.0)))
    count.assign_add(1.0)
    return loss


for _ in range(3):
    loss = step(tf.ones([4, 3]))
print("loss", float(loss))
