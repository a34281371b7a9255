"""A label that a saturated softmax gives probability 0."""

import tensorflow as tf

logits = tf.constant([[0.0, 200.0], [1.0, 2.0]])
labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
probabilities = tf.reduce_sum(labels * tf.nn.softmax(logits), axis=1)
loss = -tf.math.log(probabilities)  # born
print(loss)
