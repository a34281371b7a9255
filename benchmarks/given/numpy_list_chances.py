import numpy as np
from scipy import special


def miss(score):
    return np.log(1 - special.expit(score))


def main():
    return miss([0.5, -1.0])
