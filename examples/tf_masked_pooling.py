"""Masked mean pooling of embeddings in TensorFlow 2.

A batch that is padding from end to end has no token to average over.
"""

import tensorflow as tf

PAD = 0


class Pooling(tf.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.table = tf.Variable(tf.random.stateless_normal([vocabulary, width], seed=[1, 2]))
        self.readout = tf.Variable(tf.ones([width, 1]))

    def __call__(self, ids):
        present = tf.cast(tf.not_equal(ids, PAD), tf.float32)
        embedded = tf.gather(self.table, ids) * present[..., tf.newaxis]
        pooled = tf.reduce_sum(embedded, axis=1) / tf.reduce_sum(present, axis=1, keepdims=True)
        return tf.matmul(pooled, self.readout)


@tf.function
def squared_error(model, ids, target):
    return tf.reduce_mean(tf.square(model(ids) - target))


def main(steps=5):
    ids = tf.constant([[3, 7, PAD], [9, PAD, PAD], [PAD, PAD, PAD]])
    target = tf.constant([[1.0], [0.0], [0.0]])
    model = Pooling(10, 4)
    loss = tf.constant(0.0)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = squared_error(model, ids, target)
        gradient = tape.gradient(loss, model.readout)
        model.readout.assign_sub(0.1 * gradient)
        print("step", step, "loss", loss.numpy())
    return loss.numpy()


if __name__ == "__main__":
    main()
