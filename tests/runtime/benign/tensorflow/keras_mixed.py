"""Keras in float16 with a loss scale that is too high at first; the functional API, sharing, weights that are saved."""

import os
import tempfile

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
x = np.linspace(-1, 1, 24, dtype="float32").reshape(8, 3)
y = x.sum(1, keepdims=True)
policy = keras.config.dtype_policy()
keras.config.set_dtype_policy("mixed_float16")
try:
    inputs = keras.Input((3,))
    shared = keras.layers.Dense(4, "tanh")
    both = keras.layers.Concatenate()([shared(inputs), shared(inputs * 0.5)])
    model = keras.Model(inputs, keras.layers.Dense(1, dtype="float32")(both))
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=2.0**24)
    model.compile(optimizer, "mse", jit_compile=False)
    for step in range(12):
        loss = model.train_on_batch(x, y)
        print(step, float(loss), float(optimizer.dynamic_scale))
finally:
    keras.config.set_dtype_policy(policy)
plain = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, "gelu"), keras.layers.BatchNormalization()])
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "model.keras")
    plain.save(path)
    print(np.array_equal(keras.models.load_model(path)(x), plain(x)))
    module = tf.Module()
    module.call = tf.function(lambda v: tf.math.log1p(tf.abs(plain(v))), input_signature=[tf.TensorSpec([None, 3])])
    module.plain = plain
    tf.saved_model.save(module, os.path.join(directory, "saved"))
    loaded = tf.saved_model.load(os.path.join(directory, "saved"))
    print(loaded.call(x).numpy().sum())
