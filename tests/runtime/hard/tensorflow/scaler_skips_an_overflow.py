"""Keras' loss scaler skips a step; clean."""

import keras
import tensorflow as tf

weight = keras.Variable([3.0, 4.0])
optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=2.0**126)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = optimizer.scale_loss(tf.reduce_sum(weight.value * 100.0) * 1e-4)
    optimizer.apply_gradients([(tape.gradient(loss, weight.value) * 1e4, weight)])
