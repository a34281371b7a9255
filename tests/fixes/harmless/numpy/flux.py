"""Sums of measured numbers, mostly far below 1, that something is divided by."""

import numpy as np


def centroid(flux, position):
    return np.sum(flux * position) / np.sum(flux)


def gain(kernel, v, signal):
    return signal / (kernel @ v)


def calibration(weights, errors):
    return np.sum(weights * errors) / weights.sum()


def blended(image, mask):
    return (image * mask).sum(axis=0) / mask.sum(axis=0)


def main():
    rng = np.random.default_rng(1)
    flux = rng.random(20) * 1e-3
    kernel, v = rng.random((4, 4)) * 0.1, rng.random(4) * 0.1
    mask = rng.random((6, 3)) * 0.05
    return (
        centroid(flux, np.arange(20.0)),
        gain(kernel, v, flux[:4]),
        calibration(flux, np.arange(20.0)),
        blended(rng.random((6, 3)), mask),
    )
