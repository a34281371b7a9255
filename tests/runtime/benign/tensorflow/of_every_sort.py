"""Ragged, sparse, string, complex, integer, boolean, half and empty tensors; datasets, TypeSpecs, resources."""

import numpy as np
import tensorflow as tf

ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
with tf.GradientTape() as tape:
    tape.watch(ragged.flat_values)
    y = tf.reduce_sum(tf.math.log(ragged + 1.0))
print(
    y.numpy(), tape.gradient(y, ragged.flat_values).numpy(), tf.reduce_sum(ragged, axis=1).numpy(), ragged.to_tensor()
)
sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
dense = tf.Variable([[1.0], [2.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(sparse, tf.sqrt(dense)))
print(y.numpy(), tape.gradient(y, dense).numpy(), tf.sparse.to_dense(sparse).numpy())
words = tf.strings.split(tf.constant(["a b", "c"]))
print(words.to_list(), tf.strings.length(words.flat_values).numpy(), tf.strings.to_number(["1.5", "2"]).numpy())
z = tf.complex([1.0, 2.0], [0.5, -1.0])
with tf.GradientTape() as tape:
    tape.watch(z)
    y = tf.reduce_sum(tf.abs(tf.exp(z) * tf.math.log(z)))
print(y.numpy(), tape.gradient(y, z).numpy(), tf.signal.fft(z).numpy())
print(tf.constant([7, 8]) // 3, tf.reduce_any([True, False]), tf.bitwise.bitwise_xor([5], [3]), tf.argsort([3, 1, 2]))
half = tf.Variable([1.0, 2.0], dtype=tf.float16)
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.cast(tf.exp(half), tf.float32)) + tf.cast(
        tf.reduce_sum(tf.cast(half, tf.bfloat16)), tf.float32
    )
print(y.numpy(), tape.gradient(y, half).numpy())
print(tf.reduce_sum(tf.zeros([0])).numpy(), tf.zeros([0, 3]).shape, tf.reduce_sum(tf.zeros([0, 3]), 0).numpy())
integer = tf.constant([1, 2])
with tf.GradientTape() as tape:
    tape.watch(dense)
    y = {"loss": tf.reduce_sum(dense) * tf.cast(integer[0], tf.float32), "parts": (tf.reduce_max(dense),)}
print([None if g is None else g.numpy() for g in tape.gradient(y, [dense, half])])
data = tf.data.Dataset.from_tensor_slices({"x": np.arange(6.0, dtype="float32"), "y": list("abcdef")})
data = data.map(lambda row: (tf.math.log(row["x"] + 1), row["y"])).shuffle(6, seed=1).batch(4).prefetch(1)
for x, y in data:
    print(x.numpy(), y.numpy())
print(list(tf.data.Dataset.range(5).scan(0, lambda s, x: (s + int(1), x * 2)).as_numpy_iterator()))


def rows():
    for i in range(3):
        yield {"i": i, "row": np.full(i, 0.5, np.float32)}


signature = {"i": tf.TensorSpec((), tf.int32), "row": tf.TensorSpec([None], tf.float32)}
for batch in tf.data.Dataset.from_generator(rows, output_signature=signature).padded_batch(3):
    print(batch["i"].numpy(), batch["row"].numpy())
lookup = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
print(lookup.lookup(tf.constant(["b", "z"])).numpy(), tf.where([[True, False]], 1.0, 0.0).numpy())
