"""Formulas of physics in units where most numbers are far from 1."""

import numpy as np

HBAR = 1.054571817e-34
MASS = 9.1093837015e-31
C = 299792458.0


def wave_length(momentum):
    return 2 * np.pi * HBAR / np.sum(momentum)


def reduced_mass(a, b):
    return a * b / (a + b)


def lorentz(v):
    return 1 / np.sqrt(1 - (v / C) ** 2)


def boltzmann(energy, temperature):
    weights = np.exp(-energy / temperature)
    return weights / weights.sum()


def planck(x):
    return x**3 / (np.exp(x) - 1)


def main():
    momentum = np.array([1e-24, 2e-24])
    energy = np.array([0.0, 1.0, 2.5])
    v = np.array([0.1, 0.5]) * C
    return (
        wave_length(momentum) * 1e9,
        reduced_mass(MASS, 2 * MASS) * 1e30,
        lorentz(v),
        boltzmann(energy, 0.7),
        planck(energy[1:]),
    )
