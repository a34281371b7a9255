import numpy as np


def odds(p):
    return np.log(np.divide(p, np.subtract(1, p)))


def growth(rates):
    return np.sum(np.log(np.add(rates, 1)))


def main():
    return odds([0.25, 0.5]), growth([0.01, 0.02]), growth((1, 2)), growth(0.5)
