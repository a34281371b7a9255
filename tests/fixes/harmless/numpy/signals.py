"""Signals: spectra, envelopes, windows, signal to noise."""

import numpy as np
from scipy import signal


def snr(clean, noisy):
    return 10 * np.log10(np.sum(clean**2) / np.sum((clean - noisy) ** 2))


def spectrum(x):
    power = np.abs(np.fft.rfft(x)) ** 2
    return 10 * np.log10(power / power.max())


def centroid(x, rate):
    magnitude = np.abs(np.fft.rfft(x))
    frequency = np.fft.rfftfreq(len(x), 1 / rate)
    return np.sum(frequency * magnitude) / np.sum(magnitude)


def smoothed(x):
    window = signal.windows.hann(5)
    return np.convolve(x, window / window.sum(), mode="same")


def sinc(x):
    return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))


def main():
    t = np.linspace(0, 1, 32, endpoint=False)
    x = np.sin(2 * np.pi * 3 * t) + 0.1 * np.cos(2 * np.pi * 7 * t)
    return (
        snr(x, x + 0.01 * t + 0.01),
        spectrum(x)[3],
        centroid(x, 32),
        smoothed(x),
        sinc(t),
    )
