"""Ports for servers that tests start."""

from __future__ import annotations

import random
import socket


def free_port() -> int:
    """One that nobody has, below those from 32768 on that a system may give to whoever asks for any meanwhile."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
