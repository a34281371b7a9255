"""Variational losses and training by hand."""

import math

import tensorflow as tf


class Vae(tf.Module):
    def __init__(self, wide: int = 3, narrow: int = 2):
        super().__init__()
        self.enc = tf.Variable(tf.reshape(tf.linspace(-0.5, 0.5, wide * narrow * 2), (wide, narrow * 2)))
        self.dec = tf.Variable(tf.reshape(tf.linspace(-0.3, 0.6, wide * narrow), (narrow, wide)))

    def __call__(self, x, noise):
        mean, logvar = tf.split(x @ self.enc, 2, -1)
        z = mean + tf.exp(logvar / 2) * noise
        return z @ self.dec, mean, logvar


def kl(mean, logvar):
    return -0.5 * tf.reduce_sum(1 + logvar - tf.square(mean) - tf.exp(logvar), -1)


def bce(x, p):
    return -tf.reduce_sum(x * tf.math.log(p) + (1 - x) * tf.math.log(1 - p), -1)


def normal_pdf(x, m, s):
    return tf.exp(-0.5 * ((x - m) / s) ** 2) / (s * math.sqrt(2 * math.pi))


def normal_nll(x, m, s):
    return -tf.math.log(normal_pdf(x, m, s))


def mixture(x, logits, m, s):
    return -tf.reduce_mean(tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * normal_pdf(x[:, None], m, s), -1)))


def iwae(logw):
    return tf.math.log(tf.reduce_mean(tf.exp(logw), 0))


def kl_normals(m1, s1, m2, s2):
    return tf.math.log(s2 / s1) + (s1**2 + (m1 - m2) ** 2) / (2 * s2**2) - 0.5


def capacity(total, step, limit=5.0):
    return tf.abs(total - tf.minimum(limit, step * 0.1))


@tf.function
def train(model, x, noise):
    with tf.GradientTape() as tape:
        y, mean, logvar = model(x, noise)
        loss = tf.reduce_mean(bce(x, tf.sigmoid(y)) + kl(mean, logvar))
    grads = tape.gradient(loss, model.trainable_variables)
    norm = tf.sqrt(tf.add_n([tf.reduce_sum(g**2) for g in grads]))
    for v, g in zip(model.trainable_variables, grads):
        v.assign_sub(0.1 * g / tf.maximum(norm, 1.0))
    return loss, norm


def main():
    x = tf.constant([[0.0, 1.0, 0.5], [1.0, 0.0, 0.3]])
    noise = tf.constant([[0.2, -0.5], [1.0, 0.1]])
    model = Vae()
    history = [train(model, x, noise) for _ in range(3)]
    m, s = tf.constant([0.1, 0.9]), tf.constant([0.7, 1.2])
    with tf.GradientTape() as tape:
        tape.watch([m, s])
        total = mixture(x[:, 1], m, m, s) + tf.reduce_sum(normal_nll(0.3, m, s))
        total += iwae(m) + tf.reduce_sum(kl_normals(m, s, 0.0, 1.0))
    return history, model.enc, total, tape.gradient(total, [m, s]), capacity(total, 3), normal_pdf(x, 0.0, 1.0)
