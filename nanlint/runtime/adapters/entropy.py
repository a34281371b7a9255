"""Seeds for what nobody seeded, so that a run can be repeated: no more foreseeable, and known."""

from __future__ import annotations

import hashlib
import os
import secrets
from abc import ABC, abstractmethod

import msgspec

from nanlint.runtime.adapter import Watch
from nanlint.runtime.hooks import Hooks


class Entropy:
    """Where random generators that are given no seed take theirs from. A fork has the system's own."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)
        self._drawn = 0
        self._process = os.getpid()

    def bits(self, many: int) -> int:
        """The next number of so many bits."""
        self._drawn += 1
        return self._number(str(self._drawn), many)

    def named(self, name: str, many: int) -> int:
        """The number of so many bits that belongs to a name."""
        return self._number(f"={name}", many)

    def _number(self, which: str, many: int) -> int:
        if os.getpid() != self._process:
            return secrets.randbits(many)
        digest = hashlib.shake_256(self._secret + which.encode()).digest((many + 7) // 8)
        return int.from_bytes(digest, "little") >> (-many % 8)

    def state(self) -> bytes:
        """What ``restore`` goes on from."""
        return msgspec.msgpack.encode((self._secret, self._drawn))

    def restore(self, state: bytes) -> None:
        """Go on as from a ``state``."""
        self._secret, self._drawn = msgspec.msgpack.decode(state, type=tuple[bytes, int])


class Seeding(ABC):
    """Has generators without a seed take theirs from us, from when that is first asked for."""

    def __init__(self, watch: Watch) -> None:
        self._hooks = Hooks(watch)
        self._entropy: Entropy | None = None

    @abstractmethod
    def hook(self, entropy: Entropy) -> None:
        """Put it between them and the system."""

    @property
    def entropy(self) -> Entropy:
        """Where they take theirs from."""
        if self._entropy is None:
            self._entropy = Entropy()
            self.hook(self._entropy)
        return self._entropy

    def leave(self) -> None:
        """Have them take theirs from the system again."""
        self._hooks.take_away()
        self._entropy = None
