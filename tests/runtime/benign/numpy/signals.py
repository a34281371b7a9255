"""Fourier transforms, complex numbers, filters, windows, decibels with a floor, spectra of silence, polynomials."""

import numpy as np

t = np.arange(32) / 32
signal = np.sin(2 * np.pi * 4 * t) + 0.5 * np.cos(2 * np.pi * 8 * t)
spectrum = np.fft.rfft(signal * np.hanning(32))
decibels = 20 * np.log10(np.maximum(np.abs(spectrum), 1e-9))
print(
    decibels.round(3)[:5],
    np.angle(spectrum[4]),
    np.fft.irfft(spectrum, 32)[:3],
    np.fft.fftfreq(4),
    np.fft.fft2(np.eye(2)),
)
print(np.abs(np.fft.fft(np.zeros(4))), np.log10(np.abs(np.fft.fft(np.zeros(4))) + 1e-12), np.unwrap([0, 3, 6.5]))
z = np.array([1 + 1j, -2j, 3])
print(
    np.log(z),
    np.sqrt(-1 + 0j),
    z.conj() / np.abs(z),
    np.exp(1j * np.angle(z)),
    np.real_if_close(z * z.conj()),
    np.isclose(z, z),
)
kernel = np.exp(-0.5 * np.linspace(-2, 2, 5) ** 2)
print(
    np.convolve(signal, kernel / kernel.sum(), mode="same")[:4],
    np.correlate(signal, signal, "full").max(),
    np.kaiser(5, 2.0),
)
energy = np.add.reduceat(signal**2, np.arange(0, 32, 8))
print(
    energy,
    10 * np.log10(energy / energy.max()),
    signal.std() / np.sqrt(np.mean(signal**2)),
    np.pad(signal[:2], 2, mode="reflect"),
)
print(
    np.polynomial.Polynomial.fit(t, signal, 3).coef.round(4),
    np.polyval([1, 0, -1], [1.0, 2.0]),
    np.arctan2([0.0, 1.0], [1.0, 0.0]),
)
