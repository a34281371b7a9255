"""Signals: decibels, spectra, phases, complex numbers."""

import jax
import jax.numpy as jnp


def db(power):
    return 10 * jnp.log10(power)


def undb(level):
    return 10 ** (level / 10)


def snr(clean, noisy):
    return 10 * jnp.log10(jnp.sum(clean**2) / jnp.sum((noisy - clean) ** 2))


def si_sdr(est, ref):
    a = jnp.dot(est, ref) / jnp.dot(ref, ref)
    return 10 * jnp.log10(jnp.sum((a * ref) ** 2) / jnp.sum((est - a * ref) ** 2))


def magnitude(x):
    z = jnp.fft.rfft(x)
    return jnp.sqrt(z.real**2 + z.imag**2 + 1e-6), jnp.abs(z), jnp.log(jnp.abs(z) + 1e-3)


def mel(f):
    return 2595 * jnp.log10(1 + f / 700)


def hz(m):
    return 700 * (10 ** (m / 2595) - 1)


def mu_law(x, mu=255):
    return jnp.sign(x) * jnp.log(1 + mu * jnp.abs(x)) / jnp.log(1 + mu)


def mu_expand(y, mu=255):
    return jnp.sign(y) * ((1 + mu) ** jnp.abs(y) - 1) / mu


def flatness(power):
    return jnp.exp(jnp.mean(jnp.log(power))) / jnp.mean(power)


def entropy(power):
    p = power / power.sum()
    return -jnp.sum(p * jnp.log2(p)) / jnp.log2(len(p))


def rms_envelope(x, k=4):
    return jnp.sqrt(jnp.mean(x.reshape(-1, k) ** 2, -1))


def softclip(x):
    return jnp.tanh(x), x / jnp.sqrt(1 + x**2), 2 / (1 + jnp.exp(-2 * x)) - 1


def complex_parts(z):
    return jnp.log(z), jnp.sqrt(z), jnp.exp(z) - 1, 1 - jnp.cos(z), jnp.abs(z) ** 2, 1 / (1 + jnp.exp(-z))


def main():
    x = jnp.sin(jnp.arange(16.0) * 0.9) + 0.1
    noisy = x + 0.05 * jnp.cos(jnp.arange(16.0))
    power = jnp.abs(jnp.fft.rfft(x)) ** 2 + 1e-3
    silence = db(jnp.array([1.0, 0.0]))
    z = jnp.array([0.3 + 0.4j, -1j])
    return (
        db(power), undb(db(power)), snr(x, noisy), jax.grad(snr, 1)(x, noisy), si_sdr(noisy, x),
        jax.grad(si_sdr)(noisy, x), magnitude(x), mel(power * 100), hz(mel(power * 100)), mu_law(x), mu_expand(x),
        flatness(power), entropy(power), rms_envelope(x), softclip(x), complex_parts(z), silence, jnp.isinf(silence),
        jax.grad(lambda t: magnitude(t)[0].sum())(x), jax.grad(entropy)(power), jax.grad(lambda t: mel(t).sum())(power),
        jax.vmap(jax.grad(lambda t: sum(softclip(t))))(x),
    )
