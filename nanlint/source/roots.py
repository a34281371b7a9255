"""The packages whose use makes a file worth reading. On its own, because it is asked before anything is loaded."""

from __future__ import annotations

#: frameworks in the order in which an import of one decides what a method on an unknown receiver is
FRAMEWORKS = ("torch", "tensorflow", "keras", "jax", "numpy", "scipy")

#: what everyone calls modules of theirs, where it is not the first part of the name
CONVENTION = {"tensorflow": "tf", "numpy": "np", "jax.numpy": "jnp", "torch.nn.functional": "F"}

#: top-level packages that make a file worth reading
ROOTS = (
    *FRAMEWORKS,
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
