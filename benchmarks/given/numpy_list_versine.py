import numpy as np


def versine(angle):
    return 1 - np.cos(angle)


def main():
    return versine([0.5, 1.0]), versine((0.25,)), versine(np.array([1.0]))
