"""Classification losses with temperature, smoothing and weights."""

import tensorflow as tf
from tensorflow.math import log
from tensorflow.nn import softmax


def distill(student, teacher, t=2.0):
    p, q = softmax(teacher / t), softmax(student / t)
    return tf.reduce_mean(tf.reduce_sum(p * (log(p) - log(q)), -1)) * t * t


def smooth(y, logits, eps=0.1):
    n = tf.cast(tf.shape(logits)[-1], logits.dtype)
    target = tf.one_hot(y, logits.shape[-1]) * (1 - eps) + eps / n
    return -tf.reduce_mean(tf.reduce_sum(target * log(softmax(logits)), axis=-1))


def by_hand(y, logits):
    e = tf.exp(logits)
    p = e / tf.reduce_sum(e, axis=-1, keepdims=True)
    return -tf.reduce_mean(log(tf.gather(p, y, batch_dims=1)))


def weighted_bce(y, z, w):
    p = tf.math.sigmoid(z)
    return -tf.reduce_sum(w * (y * log(p) + (1.0 - y) * log(1.0 - p))) / tf.reduce_sum(w)


def confident(y, logits):
    p = tf.reduce_max(softmax(logits), -1)
    w = p**4
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
    return tf.reduce_sum(w * each) / tf.maximum(tf.reduce_sum(w), 1.0)


def hard_mask(y, logits, threshold):
    keep = tf.cast(tf.reduce_max(softmax(logits), -1) > threshold, tf.float32)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
    return tf.reduce_sum(keep * each) / tf.maximum(tf.reduce_sum(keep), 1.0)


def poly1(y, logits, eps=1.0):
    p = tf.reduce_sum(tf.one_hot(y, 3) * softmax(logits), -1)
    return tf.reduce_mean(-log(p) + eps * (1 - p))


def symmetric(y, logits):
    p = softmax(logits)
    onehot = tf.one_hot(y, 3)
    clipped = tf.clip_by_value(onehot, 1e-4, 1.0)
    return -tf.reduce_mean(tf.reduce_sum(onehot * log(p) + p * log(clipped), -1))


def js(a, b):
    p, q = softmax(a), softmax(b)
    m = (p + q) / 2
    return tf.reduce_sum(p * log(p / m) + q * log(q / m), -1) / 2


def main():
    logits = tf.constant([[1.0, 0.2, -1.0], [0.3, 0.1, 0.4]])
    teacher, y = tf.constant([[2.0, 0.0, -1.0], [0.0, 0.5, 1.0]]), tf.constant([0, 2])
    w, onehot = tf.constant([[0.1], [0.2]]), tf.one_hot([0, 2], 3)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        parts = [
            distill(logits, teacher), smooth(y, logits), by_hand(y, logits), weighted_bce(onehot, logits, w),
            confident(y, logits), hard_mask(y, logits, 0.6), hard_mask(y, logits, 2.0), poly1(y, logits),
            symmetric(y, logits), js(logits, teacher),
        ]
        total = tf.add_n([tf.reduce_sum(p) for p in parts])
    return *parts, tape.gradient(total, logits), log(softmax(teacher)), [log(softmax(t)) for t in teacher]
