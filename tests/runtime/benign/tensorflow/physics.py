"""A network that solves a differential equation: second derivatives, batch jacobians, in a function and without one."""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
net = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)])
x = tf.reshape(tf.linspace(0.1, 1.0, 6), [-1, 1])
net(x)
optimizer = tf.keras.optimizers.Adam(1e-2)


def residual(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = net(x)
        first = inner.gradient(u, x)
    second = outer.gradient(first, x)
    return tf.reduce_mean(tf.square(second + first / x + u)) + tf.square(net(tf.zeros([1, 1]))[0, 0] - 1)


def step():
    with tf.GradientTape() as tape:
        loss = residual(x)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return loss, tf.linalg.global_norm(gradients)


for _ in range(2):
    print([one.numpy() for one in step()])
compiled = tf.function(step)
for _ in range(3):
    print([one.numpy() for one in compiled()])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.concat([tf.sin(x), tf.math.log(x)], 1)
print(tape.batch_jacobian(y, x).numpy().ravel())
print(tf.linalg.solve(tf.eye(2) * 2.0, tf.ones([2, 1])).numpy(), tf.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]]).numpy())
