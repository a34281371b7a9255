"""The packages whose use makes a file worth reading. On its own, because it is asked before anything is loaded."""

from __future__ import annotations

#: top-level packages that make a file worth reading
ROOTS = (
    "torch",
    "tensorflow",
    "keras",
    "jax",
    "numpy",
    "scipy",
    "flax",
    "optax",
    "haiku",
    "equinox",
    "chex",
    "distrax",
    "tensorflow_probability",
    "tensorflow_core",
    "pyro",
    "numpyro",
    "autograd",
    "cupy",
    "cupyx",
    "torch_geometric",
    "torch_scatter",
    "pytorch_lightning",
    "lightning",
    "gpytorch",
    "botorch",
    "einops",
    "pandas",
)
