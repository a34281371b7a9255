"""What a step of a PyTorch program draws random numbers from: states of generators, taken and put back."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping
from typing import Any

import msgspec
import torch

#: seconds from one look at the states of Python and NumPy to the next, which takes up to 0.1 ms
APART = 0.01


def snapshot() -> bytes:
    """The state of PyTorch's random generators, of every device that is in use."""
    states = {"cpu": torch.get_rng_state().numpy().tobytes()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states |= {f"cuda:{i}": x.numpy().tobytes() for i, x in enumerate(torch.cuda.get_rng_state_all())}
    return msgspec.msgpack.encode(states)


def restore(state: bytes) -> None:
    """Go on as from the ``snapshot``."""
    for device, held in msgspec.msgpack.decode(state, type=dict[str, bytes]).items():
        tensor = torch.frombuffer(bytearray(held), dtype=torch.uint8)
        if device == "cpu":
            torch.set_rng_state(tensor)
        else:
            torch.cuda.set_rng_state(tensor, device)


class Generators:
    """The generators that steps draw from; Python's and NumPy's not more often than ``APART``, as that takes longer."""

    def __init__(self) -> None:
        self._looked = -APART

    def states(self) -> dict[str, Any]:
        """Their states now, as ``restore_random_states`` takes them; without Python's and NumPy's if it is too soon."""
        states: dict[str, Any] = {"torch": torch.get_rng_state()}
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            states["cuda"] = torch.cuda.get_rng_state_all()
        now = time.monotonic()
        if now - self._looked >= APART:
            self._looked = now
            states["python"] = random.getstate()
            if "numpy.random" in sys.modules:
                name, key, *rest = sys.modules["numpy.random"].get_state()
                states["numpy"] = (name, key.tolist(), *rest)
        return states


def restore_random_states(states: Mapping[str, Any]) -> None:
    """Draw on as from these states."""
    torch.set_rng_state(states["torch"])
    if "python" in states:
        random.setstate(states["python"])
    if "cuda" in states:
        torch.cuda.set_rng_state_all(states["cuda"])
    if "numpy" in states and "numpy.random" in sys.modules:
        sys.modules["numpy.random"].set_state(states["numpy"])
