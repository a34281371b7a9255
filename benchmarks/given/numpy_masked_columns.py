import numpy as np

from data import load


def scaled(x):
    spread = x.max(axis=0) - x.min(axis=0)
    return (x - x.min(axis=0)) / spread


def main():
    return scaled(load()), scaled(np.array([[1.0, 2.0], [3.0, 4.0]]))


# file: data.py
import numpy.ma as ma


def load():
    return ma.masked_invalid([[1.0, float("nan")], [3.0, float("nan")], [2.0, float("nan")]])
