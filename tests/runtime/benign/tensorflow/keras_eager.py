"""Keras run eagerly: embeddings, recurrent layers, a custom loop, regularisers, dropout, gradient accumulation."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(2)
tokens = np.array([[1, 2, 0], [3, 1, 2], [2, 0, 0], [1, 1, 3]])
labels = np.array([0, 1, 0, 1])
model = keras.Sequential(
    [
        keras.layers.Embedding(5, 4, mask_zero=True),
        keras.layers.GRU(4),
        keras.layers.Dropout(0.1, seed=1),
        keras.layers.Dense(2, kernel_regularizer="l2", activation="softmax"),
    ]
)
model.compile(keras.optimizers.Adam(1e-2, clipnorm=1.0), "sparse_categorical_crossentropy", run_eagerly=True)
print(model.fit(tokens, labels, epochs=2, batch_size=2, shuffle=False, verbose=0).history)
optimizer = keras.optimizers.SGD(0.1, momentum=0.9, gradient_accumulation_steps=2)
loss_of = keras.losses.CategoricalCrossentropy(from_logits=False, label_smoothing=0.1)
mean = keras.metrics.Mean()
for step in range(4):
    with tf.GradientTape() as tape:
        p = model(tokens, training=True)
        loss = loss_of(keras.ops.one_hot(labels, 2), p) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    gradients, norm = tf.clip_by_global_norm([tf.convert_to_tensor(g) for g in gradients], 1.0)
    optimizer.apply(gradients, model.trainable_variables)
    mean.update_state(loss)
    print(step, float(loss), float(norm))
print(float(mean.result()), [float(tf.reduce_sum(tf.abs(v))) for v in model.trainable_variables])
