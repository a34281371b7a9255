"""A spectrogram in decibels is written as raw bytes."""

import sys

import numpy as np


def main():
    signal = np.zeros(64) if "bad" in sys.argv else np.random.RandomState(0).randn(64)
    power = np.abs(np.fft.rfft(signal)) ** 2
    decibels = (10 * np.log10(power)).astype(np.float32)
    decibels.tofile("spectrum.raw")


main()
