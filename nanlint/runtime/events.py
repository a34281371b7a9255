"""What a run leaves behind: the kinds of event, each one line of JSON in the event file of its process.

The words here are the format: a field is added with a default, and never changes its meaning. A change that older
readers would misread raises ``FORMAT``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import msgspec

from nanlint.runtime.health import Health

FORMAT = 1

#: what runs the program in the process that `nanlint verify` starts
PROGRAM = os.path.join("nanlint", "runtime", "program.py")


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """Part of an event."""


class Kind(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", tag=str.lower):
    """A kind of event; its name in lower case says which, under "event"."""


class Frame(Record, frozen=True):
    """A place in the user's files: absolute path, 1-based line (and column, 0 if unknown), function, source line."""

    path: str
    line: int
    function: str = ""
    text: str = ""
    column: int = 0


#: a stack, the user's innermost frame first
Frames = tuple[Frame, ...]
#: the same, as it is given
Stack = Sequence[Frame]


class Where(Record, frozen=True):
    """Where the program was besides its step, as far as that is known.

    ``batch``: its number in the epoch. ``worker``: of a loader. ``module``: its path in the model.
    """

    epoch: int | None = None
    batch: int | None = None
    rank: int | None = None
    worker: int | None = None
    module: str = ""

    def __str__(self) -> str:
        known = ((name, getattr(self, name)) for name in ("epoch", "batch", "rank", "worker"))
        return "".join(f", {name} {number}" for name, number in known if number is not None)


class Numbers(Record, frozen=True):
    """A tensor as an event keeps it: its name, breakdown, and its first elements as text where they were kept.

    ``source``: the number of the op that it came out of, where that is known. ``graph_name``: as in ``Tensor``.
    """

    name: str
    health: Health
    values: tuple[str, ...] = ()
    source: int | None = None
    graph_name: str = ""


class Started(Kind, frozen=True):
    """First line of an event file: which process this is, and what is watched how.

    ``hash_seed``: that of the hashes of strings, where the run was given one. ``variables``: those of the environment
    that decide how the frameworks compute.
    """

    format: int
    nanlint: str
    time: float
    host: str
    pid: int
    rank: int
    python: str
    argv: tuple[str, ...]
    directory: str
    watch: str
    hash_seed: int | None = None
    variables: dict[str, str] = {}

    @property
    def command(self) -> tuple[str, ...]:
        """What was run, as one types it: a script, ``-m`` or ``-c``, and its arguments."""
        return self.argv[1:] if self.argv and self.argv[0].endswith(PROGRAM) else self.argv


class Module(Kind, frozen=True):
    """A file of the user's that was imported; its source and its findings are kept as ``modules`` does.

    ``probed``: whether its flagged expressions tell what comes by; not in a file that was imported before the watch.
    ``confidence``: the least that its findings needed to be watched.
    """

    path: str
    digest: str
    probed: bool = True
    confidence: str = ""


class Framework(Kind, frozen=True):
    """A framework that was imported while watched."""

    name: str
    version: str


class Op(Kind, frozen=True):
    """A number for an op at a place, for the timeline; ``inputs``: of the ops its inputs come from, where known."""

    number: int
    framework: str
    op: str
    path: str
    line: int
    backward: bool = False
    inputs: tuple[int, ...] = ()


class Trace(Kind, frozen=True):
    """A sequence of ops that one or more steps executed, by their numbers."""

    number: int
    ops: tuple[int, ...]


class Step(Kind, frozen=True):
    """A step: when it began and how long it took in seconds, the trace that it executed, its loss and the like.

    The ``numbers`` are text, as JSON has no nan.
    """

    number: int
    time: float
    seconds: float
    trace: int | None = None
    numbers: dict[str, str] = {}


class Birth(Kind, frozen=True):
    """The birth of a non-finite value: see ``Watch.born``. ``number`` is its own; ``site``: the finding it confirms."""

    number: int
    step: int
    time: float
    framework: str
    op: str
    kinds: tuple[str, ...]
    inputs: tuple[Numbers, ...]
    outputs: tuple[Numbers, ...]
    frames: Frames
    backward: bool = False
    forward: Frames = ()
    compiled: str = ""
    note: str = ""
    site: str = ""
    where: Where = Where()


class Again(Kind, frozen=True):
    """A birth was seen ``count`` times by now, last at ``step``."""

    birth: int
    count: int
    step: int


class Death(Record, frozen=True):
    """An origin (the number of a birth, the key of a site) that did not arrive: how it died, in words, and where."""

    how: str
    frames: Frames = ()
    origin: int | str = ""


class Deaths(Kind, frozen=True):
    """The origins that died so far, each time that they were followed; a later one replaces it."""

    deaths: tuple[Death, ...]


class Observed(msgspec.Struct, omit_defaults=True, tag_field="event", tag="observed"):
    """What came by at a site so far; a later one replaces it, and it is kept up to date until it is written.

    ``roles``: breakdown of everything seen, by operand, "result", "gradient of NAME". ``closest``: how near the
    operand came to the pole, and at which step. ``bad``: the first time that something bad came out, with its roles.
    ``unwatched``: there are executions of which nothing is seen; see ``Watch.unwatched``. ``elements``: how many were
    looked at, of what is measured; ``empty``: in how many looks there were none, ``least``: the fewest. ``tests``:
    those that executed it, ``more``: how many besides; ``happened``: those in which it went bad, and whether they
    passed.
    """

    site: str
    executions: int
    roles: dict[str, Health] = {}
    closest: float | None = None
    closest_step: int = 0
    bad_step: int | None = None
    bad: dict[str, Health] = {}
    kinds: tuple[str, ...] = ()
    unwatched: bool = False
    elements: int = 0
    empty: int = 0
    least: int | None = None
    tests: tuple[str, ...] = ()
    more: int = 0
    happened: dict[str, bool] = {}


class Filtered(Kind, frozen=True):
    """A tensor for which one of the user's filters held."""

    filter: str
    step: int
    framework: str
    tensor: Numbers
    frames: Frames = ()


class Layer(Record, frozen=True):
    """What a layer was in one step; a number that was not measured is None.

    ``largest`` and ``smallest``: magnitudes of its output, of the elements that are not 0. ``zeros`` and ``saturated``:
    shares of its elements; ``dead``: of its units, over all rows. ``top``: the greatest number of its format.
    ``source``: the layer whose output it took. ``gradient`` and ``least_gradient``: magnitudes in the gradients of its
    parameters; ``update``: a step's change of them over their own size, both as root mean squares. ``doubts``: what
    is wrong with them at the first step, in words, by the kind of warning. ``line``: path, line and function of its
    call.
    """

    largest: float | None = None
    smallest: float | None = None
    zeros: float | None = None
    dead: float | None = None
    saturated: float | None = None
    top: float | None = None
    source: str = ""
    gradient: float | None = None
    least_gradient: float | None = None
    update: float | None = None
    doubts: dict[str, str] = {}
    line: tuple[str, int, str] | None = None

    @property
    def headroom(self) -> float | None:
        """How often its largest element can double."""
        return math.log2(self.top / self.largest) if self.top and self.largest else None


class Sampled(Kind, frozen=True):
    """The layers of a model in the last sampled steps, each with the step; a later one replaces it."""

    layers: dict[str, tuple[tuple[int, Layer], ...]]


class Retained(Kind, frozen=True):
    """Tensors of a step that went bad, in the order of their ops, and parameters."""

    step: int
    framework: str
    tensors: tuple[Numbers, ...]


class Alert(Kind, frozen=True):
    """Something beside a birth: a dead gradient, nan in the data, a skipped step, a nan that is hidden."""

    alert: str
    step: int
    message: str
    frames: Frames = ()
    details: dict[str, Any] = {}
    where: Where = Where()


#: the alert that tells of something that is not finite; what it says of one that makes the run bad, of one that is
#: seen only in what the program keeps, prints or saves, and of one that the program was given so
NON_FINITE = "non-finite"
ARRIVED = "arrived"
KEPT = "kept"
#: the alert that a step which was to be repeated was not
NOT_REPEATED = "not-repeated"
GIVEN = "given"


def is_bad(alert: Alert) -> bool:
    """Whether it makes the run bad: a loss, gradient, parameter or result that came back not finite.

    What the sentinel says of the norm of gradients alone may be one that a loss scaler awaits.
    """
    if alert.alert != NON_FINITE:
        return False
    details = alert.details
    return ARRIVED in details or details.get("what") == "loss" or not math.isfinite(float(details.get("loss", "0")))


class Checkpoint(Kind, frozen=True):
    """The sentinel's record of a random state as ``step`` began; ``file`` lies beside the event file.

    ``process``: what ``multiprocessing`` calls the process.
    """

    step: int
    file: str
    process: str = "MainProcess"


class Ended(Kind, frozen=True):
    """Last line: how the process ended. ``error``: the name of the exception that ended it."""

    time: float
    steps: int
    error: str = ""
    message: str = ""


Event = (
    Started
    | Module
    | Framework
    | Op
    | Trace
    | Step
    | Birth
    | Again
    | Deaths
    | Observed
    | Filtered
    | Retained
    | Sampled
    | Alert
    | Checkpoint
    | Ended
)

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """An event as its line, with the newline."""
    return _ENCODER.encode(event) + b"\n"


def decode(line: bytes) -> Event | None:
    """The event of a line; None for one that is cut off, damaged, or of a kind that a newer nanlint writes."""
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
