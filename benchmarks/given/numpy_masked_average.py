import numpy as np
from numpy import ma


def ratio(a, b):
    return np.log(1 - np.exp(-a)), np.hypot(a, b), np.sqrt(np.square(a) + np.square(b))


def main():
    return ratio(ma.array([0.0, 2.0], mask=[0, 1]), ma.array([1.0, 2.0], mask=[0, 1]))
