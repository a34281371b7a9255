"""Attention with masks, CTC, losses with padding, infinities that are meant: argmax fillers, bounds, log-space sums."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
x = tf.random.normal([2, 4, 8])
mask = tf.sequence_mask([4, 2], 4)
dense = tf.keras.layers.Dense(8)
dense(x)


@tf.function
def attended(x):
    scores = tf.matmul(dense(x), x, transpose_b=True) / tf.sqrt(8.0)
    scores = tf.where(mask[:, None, :], scores, -1e9)
    weights = tf.nn.softmax(scores)
    return tf.reduce_sum(tf.matmul(weights, x) * tf.cast(mask, tf.float32)[..., None], 1)


with tf.GradientTape() as tape:
    pooled = attended(x)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(pooled), pooled))
print(loss.numpy(), tf.linalg.global_norm(tape.gradient(loss, dense.trainable_variables)).numpy())
logits = tf.random.normal([5, 2, 4], seed=1)
labels = tf.constant([[1, 2], [3, 0]])
print(tf.nn.ctc_loss(labels, logits, [2, 1], [5, 4], blank_index=0).numpy())
best = tf.fill([2], np.float32(-np.inf))
for row in tf.unstack(tf.random.normal([3, 2], seed=2)):
    best = tf.maximum(best, row)
print(best.numpy(), tf.reduce_logsumexp([-np.inf, 0.0]).numpy(), tf.reduce_max(tf.where(mask, 1.0, -np.inf), 1).numpy())
print(tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy(), tf.math.multiply_no_nan([1.0], [0.0]).numpy())
print(
    tf.math.xlogy([0.0, 1.0], [0.0, 2.0]).numpy(),
    tf.clip_by_norm([3.0, 4.0], 1.0).numpy(),
    tf.math.l2_normalize([0.0, 0.0]).numpy(),
)
