import numpy as np


def mutual(joint):
    p = joint / joint.sum()
    outer = p.sum(1, keepdims=True) * p.sum(0, keepdims=True)
    return (p * np.log(p / outer)).sum()


def ordinary():
    return mutual(np.array([[1.0, 2.0], [3.0, 4.0]]))


def witness():
    return mutual(np.array([[1.0, 0.0], [0.0, 1.0]])), mutual(np.array([[1.0, 0.0], [2.0, 0.0]]))
