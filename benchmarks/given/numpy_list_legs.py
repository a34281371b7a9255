import numpy as np


def leg(hypotenuse, base):
    return np.sqrt(np.square(hypotenuse) - np.square(base))


def main():
    return leg([5.0, 13.0], [3.0, 5.0])
