"""Seeds for what nobody seeded, so that a run can be repeated: no more foreseeable, and known."""

from __future__ import annotations

import hashlib
import os
import secrets

import msgspec


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
