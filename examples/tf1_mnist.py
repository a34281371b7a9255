"""Softmax regression on small images, as in the TensorFlow 1 beginners' tutorial.

The pixels are left in [0, 255], so the softmax soon underflows and the loss becomes NaN.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def synthetic_digits(n, seed=0):
    rng = np.random.RandomState(seed)
    prototypes = rng.randint(0, 256, size=(10, 64))
    labels = rng.randint(0, 10, size=n)
    images = np.clip(prototypes[labels] + rng.normal(0, 25, size=(n, 64)), 0, 255)
    return images.astype(np.float32), np.eye(10, dtype=np.float32)[labels]


def main(steps=100):
    images, labels = synthetic_digits(500)

    x = tf.placeholder(tf.float32, [None, 64])
    y_ = tf.placeholder(tf.float32, [None, 10])
    W = tf.Variable(tf.zeros([64, 10]))
    b = tf.Variable(tf.zeros([10]))
    y_conv = tf.nn.softmax(tf.matmul(x, W) + b)

    cross_entropy = -tf.reduce_sum(y_ * tf.log(y_conv))
    train_step = tf.train.GradientDescentOptimizer(1e-4).minimize(cross_entropy)
    correct = tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

    loss = 0.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            start = step * 50 % len(images)
            batch = {x: images[start : start + 50], y_: labels[start : start + 50]}
            _, loss = sess.run([train_step, cross_entropy], batch)
            if step % 10 == 0:
                print("step", step, "loss", loss, "accuracy", sess.run(accuracy, {x: images, y_: labels}))
    return loss


if __name__ == "__main__":
    main()
