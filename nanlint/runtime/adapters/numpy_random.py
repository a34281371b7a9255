"""NumPy's random numbers: the state of its global generator, and the seeds of those that are given none."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.random import bit_generator

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.entropy import Entropy
from nanlint.runtime.hooks import Hooks

#: what the global generator is, unless the program has put another in its place
_GLOBAL = "MT19937"


class _State(msgspec.Struct, frozen=True):
    entropy: bytes
    key: bytes = b""
    position: int = 0
    has_normal: int = 0
    normal: float = 0.0


class RandomState:
    """Takes and puts back what NumPy draws from."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._entropy: Entropy | None = None
        self._hooks = Hooks(watch)

    def snapshot(self) -> bytes:
        """The state of now."""
        entropy = self._seeding().state()
        state: Any = np.random.get_state(legacy=False)
        if state["bit_generator"] != _GLOBAL:
            return msgspec.msgpack.encode(_State(entropy))
        inner = state["state"]
        held = _State(
            entropy, inner["key"].tobytes(), int(inner["pos"]), int(state["has_gauss"]), float(state["gauss"])
        )
        return msgspec.msgpack.encode(held)

    def restore(self, state: bytes) -> None:
        """Go on as from a ``snapshot``."""
        held = msgspec.msgpack.decode(state, type=_State)
        self._seeding().restore(held.entropy)
        if held.key and np.random.get_state(legacy=False)["bit_generator"] == _GLOBAL:
            key = np.frombuffer(held.key, dtype=np.uint32)
            np.random.set_state((_GLOBAL, key, held.position, held.has_normal, held.normal))

    def _seeding(self) -> Entropy:
        """Have generators without a seed take theirs from us."""
        if self._entropy is None:
            entropy = self._entropy = Entropy()
            if hasattr(bit_generator, "randbits"):
                self._hooks.around(bit_generator, "randbits", lambda _, many: entropy.bits(many), "NumPy's seeds")
        return self._entropy

    def leave(self) -> None:
        """Have them take theirs from the system again."""
        self._hooks.take_away()
        self._entropy = None
