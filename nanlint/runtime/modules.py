"""The user's files as a run read them, with what the linter said of them then: beside the events, each once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

import msgspec

from nanlint.diagnostic import Diagnostic
from nanlint.runtime.events import Module
from nanlint.runtime.sites import digest_of


class KeptModule(msgspec.Struct, frozen=True):
    """A file of the user's; ``diagnostics``: the findings that were watched, without what only proofs of them need."""

    source: str
    diagnostics: tuple[Diagnostic, ...] = ()


def keep_module(directory: str, module: Module, text: str, diagnostics: Iterable[Diagnostic]) -> None:
    """Keep a file in a run, if no other process has."""
    path = _path(directory, module)
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    half = f"{path}.{os.getpid()}"
    text = text.encode("utf-8", "backslashreplace").decode()
    with open(half, "wb") as file:
        file.write(msgspec.msgpack.encode(KeptModule(text, tuple(replace(one, slices=()) for one in diagnostics))))
    os.replace(half, path)


def kept_module(directory: str, module: Module) -> KeptModule | None:
    """What was kept of a file; None where that cannot be read."""
    try:
        with open(_path(directory, module), "rb") as file:
            return msgspec.msgpack.decode(file.read(), type=KeptModule)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _path(directory: str, module: Module) -> str:
    named = f"{module.digest} {module.confidence} {module.path}"  # what is found may depend on the files beside it
    return os.path.join(directory, "modules", f"{digest_of(named.encode('utf-8', 'surrogateescape'))}.msgpack")
