"""A regularizer on the length of weights that start at 0, with a tape around it."""

import keras
import tensorflow as tf

layer = keras.layers.Dense(2, kernel_initializer="zeros")
layer.build((None, 3))
with tf.GradientTape() as tape:
    penalty = keras.ops.norm(layer.kernel)  # born
print(tape.gradient(penalty, layer.kernel))
