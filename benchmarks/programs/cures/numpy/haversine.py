import numpy as np


def angle(a, b):
    return np.arccos(np.sum(a * b, -1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)))


def ordinary():
    return angle(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]))


def witness():
    a = np.array([[0.1, 0.2, 0.3], [0.6, 0.7, 0.1], [0.0, 0.0, 0.0]], np.float32)
    return angle(a, 3 * a)
