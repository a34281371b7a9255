"""What a step of a PyTorch program draws random numbers from: states of generators, taken and put back."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import torch


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


def random_states() -> dict[str, Any]:
    """The states of the generators that a step draws from, as ``restore_random_states`` takes them."""
    states: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states["cuda"] = torch.cuda.get_rng_state_all()
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        name, key, *rest = numpy.get_state()
        states["numpy"] = (name, key.tolist(), *rest)
    return states


def restore_random_states(states: Mapping[str, Any]) -> None:
    """Draw on as from these states."""
    random.setstate(states["python"])
    torch.set_rng_state(states["torch"])
    if "cuda" in states:
        torch.cuda.set_rng_state_all(states["cuda"])
    if "numpy" in states and "numpy.random" in sys.modules:
        sys.modules["numpy.random"].set_state(states["numpy"])
