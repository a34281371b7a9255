"""What `nanlint verify` was asked for, as the watched processes hear of it: through one environment variable."""

from __future__ import annotations

import os

import msgspec

#: holds the options of the run that a process belongs to, as JSON
VARIABLE = "NANLINT_VERIFY"

#: where the module lies that Python imports at its start in descendants of a watched process
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")

WATCHES = ("sites", "all", "sentinel")
ON_NAN = ("continue", "stop", "debug")


class Options(msgspec.Struct, frozen=True):
    """``directory``: of the run, absolute.

    ``include``: packages or paths that are the user's, too. ``confidence``: the least that a finding needs to be
    watched, where it is not left to the watch. ``limit``: bytes of an event file, about; the origin of what went wrong
    is kept beyond it. ``keep_elements``: of each tensor of the first origins, at most. ``keep_inputs``: the directory
    for the arguments of functions; empty if they are not wanted. ``replay``: the first and the
    last step that are repeated, of the run in ``replayed``, ``from_start`` or with what that kept. ``hash_seed``: of
    the hashes of strings, so that sets have the same order again.
    """

    directory: str
    watch: str = "sites"
    filters: tuple[str, ...] = ()
    on_nan: str = "continue"
    include: tuple[str, ...] = ()
    confidence: str = ""
    limit: int = 64_000_000
    keep_elements: int = 4096
    keep_inputs: str = ""
    replay: tuple[int, int] | None = None
    replayed: str = ""
    from_start: bool = False
    hash_seed: int | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("watch", self.watch, WATCHES), ("on_nan", self.on_nan, ON_NAN)):
            if value not in known:
                raise ValueError(f"{name}: {value!r} is not one of {', '.join(known)}")

    @property
    def least_confidence(self) -> str:
        """The least that a finding needs: where every op is looked at, what is only possible costs little more."""
        return self.confidence or ("possible" if self.watch == "all" or self.replay is not None else "likely")

    def to_environment(self) -> str:
        """The value of the variable."""
        return msgspec.json.encode(self).decode()


def options_of_environment() -> Options | None:
    """The options of the run that this process belongs to; None for a process that is not watched."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    try:
        return msgspec.json.decode(text, type=Options)
    except (msgspec.DecodeError, ValueError):
        return None
