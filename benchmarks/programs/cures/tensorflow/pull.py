import tensorflow as tf


def repel(points):
    d = points[:, None] - points[None]
    r = tf.norm(d, axis=-1) + tf.eye(3)
    return tf.reduce_sum(1 / r) + tf.reduce_sum(tf.math.log(tf.reduce_sum(d * d, -1) + tf.eye(3)))


def run(rows):
    points = tf.Variable(rows)
    with tf.GradientTape() as tape:
        value = repel(points)
    return value, tf.convert_to_tensor(tape.gradient(value, points))


def ordinary():
    return repel(tf.constant([[0.0, 1.0], [2.0, 3.0], [5.0, -1.0]]))


def witness():
    return run([[0.0, 1.0], [2.0, 3.0], [5.0, -1.0]])
