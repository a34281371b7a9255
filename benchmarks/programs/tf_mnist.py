"""A classifier of handwritten digits in TensorFlow 2, of the same model as TensorFlow's own debugging example.

784-500-10, Adam, the cross-entropy written out with a log of the softmax: it turns nan some dozens of steps into
training at this learning rate, as soon as a probability is 0. ``--fix`` takes the log of clipped probabilities. The
digits are drawn here, so that nothing is downloaded.

    nanlint verify -- tf_mnist.py [--steps 100] [--fix] [--eager]
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

IMAGE = 28 * 28
HIDDEN = 500
CLASSES = 10
BATCH = 100


def digits(count, seed=0):
    """Images of ten prototypes under noise, as float32 in [0, 1]; and their labels, one-hot."""
    random = np.random.default_rng(seed)
    prototypes = np.random.default_rng(99).random((CLASSES, IMAGE)) > 0.8
    labels = random.integers(0, CLASSES, count)
    images = 0.7 * prototypes[labels] + 0.3 * random.random((count, IMAGE))
    return images.astype(np.float32), np.eye(CLASSES, dtype=np.float32)[labels]


class Model:
    """Two dense layers, their Adam state, and a training step."""

    def __init__(self, learning_rate=0.025, fix=False, seed=1):
        random = np.random.default_rng(seed)
        self.hidden = tf.Variable(0.1 * random.standard_normal((IMAGE, HIDDEN)), dtype=tf.float32)
        self.hidden_bias = tf.Variable(tf.fill([HIDDEN], 0.1))
        self.out = tf.Variable(0.1 * random.standard_normal((HIDDEN, CLASSES)), dtype=tf.float32)
        self.out_bias = tf.Variable(tf.fill([CLASSES], 0.1))
        self.variables = [self.hidden, self.hidden_bias, self.out, self.out_bias]
        self.optimizer = tf.optimizers.Adam(learning_rate)
        self.optimizer.build(self.variables)
        self.fix = fix

    def probabilities(self, images):
        """Of the classes, for each image."""
        hidden = tf.nn.relu(tf.matmul(images, self.hidden) + self.hidden_bias)
        return tf.nn.softmax(tf.matmul(hidden, self.out) + self.out_bias)

    def loss(self, probabilities, labels):
        """The cross-entropy."""
        if self.fix:
            probabilities = tf.clip_by_value(probabilities, 1e-6, 1.0)
        return tf.reduce_mean(-tf.reduce_sum(labels * tf.math.log(probabilities), axis=1))

    def accuracy(self, images, labels):
        """The share of images that are classified as labelled."""
        hits = tf.equal(tf.argmax(self.probabilities(images), 1), tf.argmax(labels, 1))
        return tf.reduce_mean(tf.cast(hits, tf.float32))

    def step(self, images, labels):
        """One step of training; returns the loss before it."""
        with tf.GradientTape() as tape:
            loss = self.loss(self.probabilities(images), labels)
        gradients = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients(zip(gradients, self.variables, strict=True))
        return loss


def main():
    """Train, and tell the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0.025)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--eager", action="store_true")
    asked = parser.parse_args()
    images, labels = digits(10_000)
    unseen = digits(1_000, seed=1)
    model = Model(asked.learning_rate, asked.fix)
    step = model.step if asked.eager else tf.function(model.step)
    for i in range(asked.steps):
        batch = slice(i * BATCH % len(images), i * BATCH % len(images) + BATCH)
        step(tf.constant(images[batch]), tf.constant(labels[batch]))
        if (i + 1) % 10 == 0:
            print(f"accuracy after {i + 1} steps: {float(model.accuracy(*unseen)):.3f}")


if __name__ == "__main__":
    main()
