"""A two-layer classifier with hand-made dense layers, trained with GradientTape in TensorFlow 2.

The model returns probabilities, and the loss, a function of its own, takes their logarithm.
"""

import tensorflow as tf


class Dense:
    """A fully connected layer on plain variables."""

    def __init__(self, fan_in, units, activation, seed):
        stddev = (2.0 / fan_in) ** 0.5
        self.weight = tf.Variable(tf.random.stateless_normal([fan_in, units], seed=[seed, 0], stddev=stddev))
        self.bias = tf.Variable(tf.zeros([units]))
        self.activation = activation

    def __call__(self, inputs):
        return self.activation(tf.matmul(inputs, self.weight) + self.bias)


class Classifier:
    def __init__(self, features, hidden, classes):
        self.layers = [
            Dense(features, hidden, tf.nn.relu, seed=1),
            Dense(hidden, classes, tf.nn.softmax, seed=2),
        ]

    @property
    def variables(self):
        return [v for layer in self.layers for v in (layer.weight, layer.bias)]

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs


@tf.function
def mean_cross_entropy(probs, labels):
    per_example = -tf.reduce_sum(labels * tf.math.log(probs), axis=1)
    return tf.reduce_mean(per_example)


def main(steps=40, learning_rate=0.2):
    images = tf.random.stateless_uniform([256, 36], seed=[3, 0], maxval=16.0)
    labels = tf.one_hot(tf.argmax(images[:, :10], axis=1), 10)
    model = Classifier(36, 64, 10)
    loss = tf.constant(0.0)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = mean_cross_entropy(model(images), labels)
        for variable, gradient in zip(model.variables, tape.gradient(loss, model.variables)):
            variable.assign_sub(learning_rate * gradient)
        if step % 10 == 0:
            print(f"step {step}: loss {loss.numpy():.4f}")
    return loss.numpy()


if __name__ == "__main__":
    main()
