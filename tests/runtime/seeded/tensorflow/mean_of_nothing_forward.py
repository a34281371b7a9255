"""The loss over the labelled part of a batch that has no label."""

import tensorflow as tf

errors = tf.constant([0.5, 0.25])
labelled = tf.constant([False, False])
loss = tf.reduce_mean(tf.boolean_mask(errors, labelled))  # born
print(loss)
