"""Where in a training a process is: the module that runs, as the user knows it (``blocks.3.attn.proj``); its rank."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

#: what wrappers of a model add to the names of its modules
WRAPPERS = ("_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.")
#: the method that runs a module
CALL = torch.nn.Module._call_impl.__code__

#: the models that the program has named to be watched
NAMED: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()


def path_of(name: str) -> str:
    """The path of a module or parameter, without what wrappers add to it."""
    for wrapper in WRAPPERS:
        name = name.replace(wrapper, "")
    return name.removeprefix("module.")


def running() -> dict[str, Any]:
    """The module whose forward runs in this thread, by its path in a model that was named, or the outermost one."""
    found: list[torch.nn.Module] = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code is CALL:
            found.append(frame.f_locals["self"])
        frame = frame.f_back
    if not found:
        return {}
    path = path_in_named(found[0]) or _path_in(found[-1], found[0])
    return {"module": path_of(path) or type(found[0]).__name__}


def path_in_named(module: torch.nn.Module) -> str:
    """The path of a module in a model that was named; empty if it is in none, or one itself."""
    return next((path for model in NAMED if (path := _path_in(model, module))), "")


def _path_in(model: torch.nn.Module, module: torch.nn.Module) -> str:
    return next((name for name, one in model.named_modules() if one is module), "")


def rank() -> int | None:
    """The rank of this process among those that train together; None if there are no others."""
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()) or distributed.get_world_size() < 2:
        return None
    return int(distributed.get_rank())
