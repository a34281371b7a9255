import numpy as np
from numpy import ma


def growth(x):
    return np.log(1 + x)


def main():
    found = growth(ma.array([-1.0, 2.0, 3.0], mask=[0, 0, 1]))
    return found, found.sum()
