"""The sentinel of a PyTorch training, attached in one line: ``nanlint.watch(model, optimizer)``."""

from __future__ import annotations

import atexit
from typing import Any

import torch

from nanlint.training import Watching


def watch(model: torch.nn.Module, optimizer: Any = None, **options: Any) -> Watching:
    """Watch a training from here on: its losses, gradients and outputs at each step of an optimizer.

    The first that is not finite is told at once, with its step, module, rows of the batch and parameters, and the step
    is kept for ``nanlint replay``. Model and optimizer may be wrapped (compiled, distributed, prepared by Accelerate).
    The options are those of ``nanlint.training.Watching``: ``writer``, ``quiet``, ``watch``, ``on_nan``, …

    The watch ends with the program, or as the handle that is returned: ``with nanlint.watch(model, optimizer) as
    watching:`` or ``watching.end()``. Raises TypeError for a model that is none of PyTorch's.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(
            f"nanlint.watch takes a torch.nn.Module, not {type(model).__name__}; for Keras there is nanlint.keras.Watch"
        )
    watching = Watching(**options)
    attach(watching, model, optimizer)
    atexit.register(watching.end)
    return watching


def attach(watching: Watching, model: torch.nn.Module, optimizer: Any) -> None:
    """Begin to watch the training of a model; where a step is repeated that was kept, it is the next one."""
    adapter = watching.begin().adapter("torch")
    if adapter is not None:
        adapter.attend(model, getattr(optimizer, "optimizer", optimizer))
