"""Seeds for TensorFlow's random ops where the program gives none: their own state cannot be read.

An eager op keeps its generator from call to call as long as its seeds are the same, so they are, for each function that
asks. In a graph, and in a dataset, each op is made once and has its own.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import random_seed as _random_seed
from tensorflow.python.ops import stateful_random_ops as _generators

from nanlint.runtime.adapters.entropy import Entropy, Seeding

#: as a failure is told
SEEDS = "TensorFlow's seeds"
#: seeds are signed and must not both be 0
_BITS = 30


class Seeds(Seeding):
    """Gives seeds from the first ``snapshot`` or ``restore`` on."""

    def snapshot(self) -> bytes:
        """Which seeds come next."""
        return self.entropy.state()

    def restore(self, state: bytes) -> None:
        """Go on as from a ``snapshot``."""
        self.entropy.restore(state)

    def hook(self, entropy: Entropy) -> None:
        """Seeds of ops, and states of generators."""

        def seed(original: Any, op_seed: Any) -> Any:
            found = original(op_seed)
            if tuple(found) != (None, None):
                return found
            asked = sys._getframe(2)
            if tf.executing_eagerly() and ".data." not in asked.f_globals.get("__name__", ""):
                both = entropy.named(asked.f_code.co_name, 2 * _BITS)
            else:
                both = entropy.bits(2 * _BITS)
            return 1 + (both >> _BITS), both & ((1 << _BITS) - 1)

        def state(original: Any, shape: Any, dtype: Any = tf.int64) -> Any:
            kind = tf.as_dtype(dtype)
            if not (tf.executing_eagerly() and kind.is_integer):
                return original(shape, dtype=dtype)
            shape = [int(n) for n in tf.TensorShape(shape)]
            numbers = [int(kind.min) + entropy.bits(kind.size * 8) for _ in range(math.prod(shape))]
            return tf.reshape(tf.constant(numbers, dtype=kind), shape)

        self._hooks.around(_random_seed, "get_seed", seed, SEEDS)
        self._hooks.around(_generators, "non_deterministic_ints", state, SEEDS)
