"""NumPy's arrays and objects of its own in a file that imports PyTorch."""

import dataclasses

import numpy as np
import torch


@dataclasses.dataclass
class Batch:
    images: np.ndarray
    weights: np.ndarray


def shares(batch):
    return batch.weights / batch.weights.sum()


def contrast(image):
    return (image - image.min()) / (image.max() - image.min())


def cosine(a, b):
    return (a @ b) / (np.linalg.norm(a) * np.linalg.norm(b))


def unit(rows):
    return rows / rows.std()


def main():
    rng = np.random.default_rng(0)
    batch = Batch(rng.random((3, 4)), rng.random(3))
    tensor = torch.from_numpy(contrast(batch.images))
    return (
        shares(batch),
        tensor,
        cosine(batch.images[0], batch.images[1]),
        unit(batch.images),
    )
