"""A Keras model trained by hand in TensorFlow 2, with the forward pass above the tape.

Every gradient is None, so not one variable is updated.
"""

import tensorflow as tf


def build_model():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((4,)),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )


def train_step(model, x, y):
    prediction = model(x, training=True)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(prediction - y))
    return loss, tape.gradient(loss, model.trainable_variables)


def main(steps=3):
    tf.keras.utils.set_random_seed(0)
    model = build_model()
    x = tf.random.stateless_normal([32, 4], seed=[1, 2])
    y = tf.reduce_sum(x, axis=1, keepdims=True)
    gradients = []
    for step in range(steps):
        loss, gradients = train_step(model, x, y)
        for variable, gradient in zip(model.trainable_variables, gradients):
            if gradient is not None:
                variable.assign_sub(0.1 * gradient)
        print("step", step, "loss", loss.numpy(), "gradients", gradients)
    return gradients


if __name__ == "__main__":
    main()
