import tensorflow as tf


def versine(angle):
    return 1 - tf.cos(angle)


def main():
    return versine([0.5, 1.0])
