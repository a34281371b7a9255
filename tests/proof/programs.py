"""Small programs for the proofs: what is found in them, and the slices behind it."""

from __future__ import annotations

from textwrap import dedent

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.proof.slice import Slice
from nanlint.rules import diagnose
from nanlint.source import Source

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F
"""

#: one program a framework: the logarithm of a softmax
LOG_OF_SOFTMAX = {
    "torch": """
        import torch

        def loss(logits, labels):
            return -(labels * torch.log(torch.softmax(logits, dim=-1))).sum()
    """,
    "tensorflow": """
        import tensorflow as tf

        def loss(logits, labels):
            return -tf.reduce_sum(labels * tf.math.log(tf.nn.softmax(logits)))
    """,
    "jax": """
        import jax
        import jax.numpy as jnp

        def loss(logits, labels):
            return -jnp.sum(labels * jnp.log(jax.nn.softmax(logits)))
    """,
    "numpy": """
        import numpy as np
        from scipy.special import softmax

        def loss(logits, labels):
            return -np.sum(labels * np.log(softmax(logits, axis=-1)))
    """,
}

#: a trap: the value is fine, the gradient is not
ROOT_AT_ZERO = {
    "torch": """
        import torch

        def distance(x, y):
            return torch.sqrt(((x - y) ** 2).sum())
    """,
    "tensorflow": """
        import tensorflow as tf

        def distance(x, y):
            return tf.sqrt(tf.reduce_sum((x - y) ** 2))
    """,
    "jax": """
        import jax.numpy as jnp

        def distance(x, y):
            return jnp.sqrt(jnp.sum((x - y) ** 2))
    """,
}


def found(text: str, minimum: Confidence = Confidence.LIKELY) -> list[Diagnostic]:
    """What is found in a program, with the slices."""
    found = diagnose(Source("program.py", dedent(text).lstrip()), in_full=minimum)
    return [one for one in found if one.confidence >= minimum]


def only(text: str, minimum: Confidence = Confidence.LIKELY) -> Diagnostic:
    """The one finding of a program."""
    (one,) = found(text, minimum)
    return one


def slice_of(text: str) -> Slice:
    """The slice behind the one finding of a program, as its function by itself has it."""
    program = only(text).slices[0]
    assert isinstance(program, Slice)
    return program
