"""Images: contrast, exposure, colour ratios, histograms."""

import numpy as np


def stretch(image):
    low, high = np.min(image), np.max(image)
    return (image - low) / (high - low)


def vegetation(near, red):
    return (near - red) / (near + red)


def to_bytes(image):
    return (255 * image / image.max()).astype(np.uint8)


def equalised(image):
    histogram, _ = np.histogram(image, bins=8, range=(0, 1))
    cumulative = histogram.cumsum()
    return cumulative / cumulative[-1]


def gamma(image):
    return np.log(image + 1) / np.log(2)


def main():
    rng = np.random.default_rng(4)
    image = rng.random((6, 6)) * 0.4
    return (
        stretch(image),
        vegetation(image, image.T * 0.5 + 0.01),
        to_bytes(image),
        equalised(image),
        gamma(image),
    )
