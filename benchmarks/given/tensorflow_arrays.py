import numpy as np
import tensorflow as tf


def minmax(x):
    spread = x.max() - x.min()
    return (x - x.min()) / spread


def total(x):
    return tf.reduce_sum(x)


def main():
    scaled = minmax(np.arange(4.0))
    return scaled, total(scaled)
