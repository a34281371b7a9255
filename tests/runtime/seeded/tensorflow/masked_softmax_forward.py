"""A sentence of padding alone: every score is masked, and softmax has nothing to share out."""

import numpy as np
import tensorflow as tf

scores = tf.ones((2, 3))
mask = tf.constant([[True, True, False], [False, False, False]])
masked = tf.where(mask, scores, -np.inf)
attention = tf.nn.softmax(masked, axis=-1)  # born
print(attention)
