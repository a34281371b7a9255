"""The angle between a direction and itself: the slope of acos is infinite at 1."""

import tensorflow as tf


@tf.function
def slopes(cosines):
    with tf.GradientTape() as tape:
        tape.watch(cosines)
        angles = tf.acos(cosines)  # born
    return tape.gradient(angles, cosines)


print(slopes(tf.constant([0.0, 0.5, 1.0])))
