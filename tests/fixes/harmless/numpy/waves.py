"""Complex amplitudes: impedances, reflection, analytic signals."""

import cmath

import numpy as np


def reflection(load, z0=50.0):
    return (load - z0) / (load + z0)


def vswr(gamma):
    g = np.abs(gamma)
    return np.where(g < 1, (1 + g) / np.where(g < 1, 1 - g, 1), np.inf)


def return_loss(gamma):
    return -20 * np.log10(np.abs(gamma))


def propagation(r, length, g, c, omega):
    return np.sqrt((r + 1j * omega * length) * (g + 1j * omega * c))


def complex_log(z):
    return np.log(z)


def phase_unwrapped(z):
    return np.unwrap(np.angle(z))


def coherence(x, y):
    sxy = np.mean(x * np.conj(y), axis=0)
    sxx, syy = np.mean(np.abs(x) ** 2, axis=0), np.mean(np.abs(y) ** 2, axis=0)
    return np.abs(sxy) ** 2 / (sxx * syy)


def roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)


def envelope(x):
    n = len(x)
    spectrum = np.fft.fft(x)
    gain = np.zeros(n)
    gain[0] = 1
    gain[1 : n // 2] = 2
    gain[n // 2] = 1
    z = np.fft.ifft(spectrum * gain)
    return np.sqrt(z.real**2 + z.imag**2)


def squashed(z):
    return 1 / (1 + np.exp(-z))


def small_phase(z):
    return 1 - np.cos(z), np.exp(z) - 1, np.log(1 + z)


def main():
    load = np.array([50 + 25j, 75.0 + 0j, 0j])
    gamma = reflection(load)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6, 3)) + 1j * rng.normal(size=(2, 6, 3))
    return (
        gamma, vswr(gamma), np.isinf(vswr(gamma)).sum(), return_loss(gamma[:2]),
        propagation(0.1, 1e-3, 1e-5, 1e-7, np.array([10.0, 100.0])), complex_log(load[:2]),
        phase_unwrapped(np.exp(1j * np.arange(8))), coherence(x, y), roots(1, 2, 5),
        envelope(np.cos(np.arange(8) * 0.9)), squashed(load / 50), small_phase(np.array([0.2 + 0.1j, -1j])),
        np.sqrt(np.sum(x**2, axis=0)), np.mean(x**2) - np.mean(x) ** 2,
    )
