"""The one interface between the verifier and a framework. The built-in adapters use nothing else; so can yours.

An adapter is loaded when its framework has been imported. An entry point of the group ``nanlint.runtime`` registers it:
its name is the package whose import loads it (``torch``), its value is the class. An adapter does two things. It
describes the contents of a tensor (``owns``, ``concrete``, ``health``, ``glance``, ``numbers``, ``on_gradient``), which
is all that probes at flagged expressions need. And it installs the hooks of its framework (``start``, ``stop``),
through which it reports to its ``Watch``.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from nanlint.runtime.events import Frames, Layer, Stack, Where
from nanlint.runtime.fates import Ends, Fates
from nanlint.runtime.frames import Line
from nanlint.runtime.health import Elements, Health, Kinds
from nanlint.runtime.hooks import Hooks
from nanlint.runtime.hooks import around as around
from nanlint.runtime.hooks import safely as safely
from nanlint.runtime.sites import Site

#: a function of a framework's or of the program's, as a hook is given it
AnyFunction = Callable[..., Any]

#: something that is told, by the names of the arguments of ``Watch.born`` or ``Watch.alert``
Report = dict[str, Any]


def forgotten(report: Report) -> Report:
    """The same birth without the values: what is told again holds no tensors."""
    named = {key: tuple(replace(one, value=None) for one in report[key]) for key in ("inputs", "outputs")}
    return {**report, **named}


#: what an op or a function is given, or gives: in their order, or by their names
Values = Sequence[Any]
Given = Mapping[str, Any]

#: how often results, gradients and runs of sessions are looked at: the first, as most of what goes wrong does so early;
#: then one in so many, so that a long training hardly pays. Odd, so as not to fall in with what a program does in turns
FIRST, EVERY = 64, 7


def is_due(count: int, first: int = FIRST, every: int = EVERY) -> bool:
    """Whether what came so many times before is looked at this time."""
    return count < first or count % every == 0


@dataclass(frozen=True)
class Tensor:
    """An operand or a result of an op as it is reported: its name (``x``, ``input 0``), breakdown, and the value.

    ``value`` is the framework's own tensor, if it is still available: the debugger gets it, its numbers are stored with
    an origin, and nothing keeps it longer than the report takes. ``source`` is the number (``numbered``) of the op that
    produced it, if the adapter knows it: the graph around an origin is drawn from it. ``elements``: the first ones, if
    only they are left of the value. ``graph_name``: its name in the framework's graph (``dense/Softmax:0``) or model.
    """

    name: str
    health: Health
    value: Any = field(default=None, compare=False, repr=False)
    source: int | None = None
    elements: Elements = field(default=(), compare=False, repr=False)
    graph_name: str = ""


class Watch(Protocol):
    """Receives the reports of an adapter. Cheap to call, from any thread; raises only to stop the program."""

    #: "sites", "all" or "sentinel"
    mode: str
    #: whether origins and steps must be reported before the program continues: it stops there, or a step is repeated
    prompt: bool
    #: whether steps of an earlier run are repeated: when they begin, ``mode`` becomes "all" between a stop and a start
    repeats: bool
    #: how many steps are done; an adapter that detects the end of a step counts it only if no other adapter has done so
    steps: int
    #: how many elements of a tensor are wanted with an origin, at most
    keep_elements: int

    @property
    def directory(self) -> str:
        """Where the run is stored."""

    @property
    def where(self) -> Where:
        """Where the program is, besides its step."""

    def kept_step(self) -> str:
        """The file in which the run that is repeated kept its bad step; empty if there is none."""

    def resume(self, step: int) -> None:
        """The program has put back what it had before this step, which is repeated: it is the one that goes on."""

    def at(self, **where: Any) -> None:
        """The program is there from now on: a part of ``where``, which is reported with what goes bad."""

    @property
    def bad(self) -> bool:
        """Whether something went bad so far: then, the parameters of a step are ``retained`` before it is taken."""

    @property
    def filtering(self) -> bool:
        """Whether the user gave filters: only then, tensors have to be passed to ``wants``."""

    def owns_file(self, path: str) -> bool:
        """Whether a file belongs to the user, as in ``frames``: for locations that are stored in the ops of a graph."""

    def sites_on(self, path: str, line: int) -> tuple[Site, ...]:
        """The flagged expressions on a line of a file, to be probed in graphs and compiled code."""

    def frames(self, skip: int = 0) -> Frames:
        """The user's current frames, innermost first; those of frameworks and of nanlint are left out."""

    def user_line(self) -> Line | None:
        """Path, line and function of the user's innermost frame; takes about a microsecond."""

    def called_by_library(self) -> bool:
        """Whether the op that is looked at now was called by code that is not the user's."""

    def born(
        self,
        *,
        framework: str,
        op: str,
        kinds: Kinds,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        frames: Stack,
        backward: bool = False,
        forward: Stack = (),
        compiled: str = "",
        note: str = "",
        module: str = "",
    ) -> None:
        """Report an origin: the output of ``op`` has a kind of non-finite value (ninf, pinf, nan) that no input has.

        ``frames``: where it happened, the user's innermost frame first; for a ``backward`` op, ``forward`` is where its
        forward op was called. ``compiled``: the compiler, if there was one (``jit``, ``tf.function``, ``inductor``).
        ``module``: the part of the model that the op is of, if it is not the one that runs now (``where``).
        """

    def retained(self, framework: str, tensors: Sequence[Tensor]) -> None:
        """Store the tensors of a step that went bad, for ``nanlint inspect``: the whole graph, or the parameters."""

    def observed(self, site: Site, role: str, health: Health, executions: int = 1) -> Collection[str]:
        """Report a tensor at a flagged expression: ``role`` is the name of an operand, "result" or "gradient of NAME".

        Report operands first. ``executions``: how many executions the breakdown covers, if a graph ran more than once
        since it was read. Returns the kinds of non-finite value that originated there for the first time.
        """

    def unwatched(self, site: Site) -> None:
        """A flagged expression cannot be watched, for example in a graph without probes: it may run unobserved."""

    def executed(self, *ops: int) -> None:
        """Add executed ops to the timeline; ``numbered`` gives their numbers."""

    def numbered(
        self, framework: str, op: str, path: str, line: int, backward: bool = False, inputs: Sequence[int] = ()
    ) -> int:
        """The number of an op at a location, for ``executed``; the same for the same arguments.

        ``inputs``: the numbers of the ops that produced its inputs, if a graph shows them.
        """

    def wants(self, name: str, framework: str, value: Any, frames: Stack = (), health: Health | None = None) -> None:
        """Apply the user's filters (``--filter``) to a tensor, if there are any.

        ``frames``: where it was created, if not at the current line of the program. ``health``: its breakdown, if the
        tensor is not available and ``value`` is None; filters that are functions are then not called, and this is
        reported.
        """

    def alert(self, kind: str, message: str, *, frames: Stack = (), **details: Any) -> None:
        """Report something other than an origin; the same kind, message and location are reported only once."""

    def arrived(
        self,
        what: str,
        name: str,
        value: Any,
        *,
        asked: str,
        frames: Stack = (),
        given: bool = False,
        followed: bool = False,
        late: bool = False,
    ) -> None:
        """Report a loss, gradient, parameter or result that is not finite: the run is bad unless it is ``given``.

        ``what``: "loss", "gradient", "parameter" or "result"; ``name``: its name in the program; ``value``: the tensor
        or its breakdown; ``asked``: the call that requested it; ``given``: it was not finite already in the input,
        which is believed where something ``explains`` it. The same report at the same location is made once; ``frames``
        as in ``alert``. With a ``scaler``, it waits until the step is ``settled``. ``followed``: the adapter tells
        ``fates`` what becomes of it; it is reported at the end, unless it died or something else arrived. ``late``: it
        came before the step was counted that is done.
        """

    @property
    def fates(self) -> Fates:
        """What becomes of origins: an adapter that sees every op tells it which tensors went in and came out."""

    def ending_in(self, ends: Callable[[], Ends]) -> AbstractContextManager[None]:
        """What is reported within it goes on in tensors whose keys ``ends`` gives, with how it died if in none.

        For what is compiled: the results that are not finite. None instead of keys: it is not known what becomes of it.
        """

    def left(self, name: str, health: Health, *, asked: str, frames: Stack = ()) -> None:
        """Report what the program keeps, prints or saves and is not finite: it is shown if nothing else is bad."""

    def kept(self, owner: object, own: bool = False) -> None:
        """An object that holds tensors (``Adapter.holders``) goes: report what is not finite in it.

        ``own``: it is of what is watched, also where that is only a part of the program.
        """

    def came_in(self, kinds: Iterable[str]) -> None:
        """These kinds of non-finite value came from outside: from a file, or a loader."""

    def explains(self, kinds: Kinds, frames: Stack = ()) -> bool:
        """Whether what is not finite in an input is really the program's input: came in, or is written in its text."""

    def fed(self, holds_nan: Callable[[], bool] | None) -> None:
        """The program now trains with these data (None: no longer): non-finite values may come from them."""

    def scaler(self, skipped: Callable[[], bool] | None = None) -> None:
        """A loss scaler is in use: non-finite values are bad only if the step is not skipped.

        ``skipped``: called when a step is done, to ask whether it was skipped; an adapter without it calls ``settled``.
        """

    def settled(self, skipped: bool) -> None:
        """A step was done, or ``skipped`` by a loss scaler; non-finite values of a skipped step are not reported."""

    def measured(self, **numbers: float) -> None:
        """Numbers of the current step, reported when it is done: for an adapter that gets the loss but not the step."""

    def awaits(self, numbers: Callable[[], Mapping[str, float]]) -> None:
        """As ``measured``, for numbers that would delay the program if they were read now.

        ``numbers`` is called some seconds or dozens of steps later, in any thread; at the latest when the run ends.
        """

    def sampled(self, layers: Mapping[str, Layer]) -> None:
        """What layers of the model were in the current step, in the order of their calls: for some of the steps."""

    def step(self, number: int | None = None, **numbers: float) -> None:
        """A training step is done; ``numbers`` are its loss, gradient norm, …"""


class Ours(threading.local):
    """Whether what a thread does now is nanlint's own; called, for a block."""

    now = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        before, self.now = self.now, True
        try:
            yield
        finally:
            self.now = before


class Hooked(ABC):
    """Part of an adapter that stands in the place of functions of its framework from ``start`` to ``stop``."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._hooks = Hooks(watch)

    @abstractmethod
    def hook(self) -> None:
        """Put the hooks there."""

    def start(self) -> None:
        """From now on, unless they are there."""
        if not self._hooks:
            self.hook()

    def stop(self) -> None:
        """Leave the framework as it was."""
        self._hooks.take_away()


class Adapter(ABC):
    """One framework. Instances live as long as the watch; ``start`` and ``stop`` may be called more than once."""

    #: the name in reports
    name: ClassVar[str]
    #: whether the adapter itself checks flagged expressions whose tensors are not ``concrete``, or calls ``unwatched``
    probes_graphs: ClassVar[bool] = False
    #: classes of objects that hold tensors from step to step: models, optimizers, variables
    holders: ClassVar[tuple[type, ...]] = ()

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @abstractmethod
    def start(self) -> None:
        """Install the hooks that ``watch.mode`` requires. The framework has been imported."""

    @abstractmethod
    def stop(self) -> None:
        """Remove the hooks."""

    def where(self) -> Given:
        """Where in the user's model (``module``) and among the loader's processes (``worker``) the program is now."""
        return {}

    def settle(self) -> None:  # noqa: B027  (most adapters report at once)
        """Report pending results now: a test is over, and its results must not be reported in the next one."""

    @abstractmethod
    def owns(self, value: Any) -> bool:
        """Whether this is a tensor of the framework, with numbers or symbolic. Called once for each type."""

    def concrete(self, value: Any) -> bool:
        """Whether a tensor of the framework has numbers now, and is not a tracer or a symbol."""
        return True

    @abstractmethod
    def health(self, value: Any) -> Health:
        """The breakdown of a concrete tensor of any dtype; for sparse and ragged tensors, of the stored values."""

    def glance(self, value: Any) -> tuple[float, float] | None:
        """Least and greatest element of a concrete tensor, in one cheap pass, if all are finite; otherwise None.

        Probes call this most of the time; after None (the default) they call ``health``.
        """
        return None

    def ahead(self, value: Any) -> Any:
        """Begin a ``glance`` at a tensor on a device without waiting for it; None (the default) if not possible.

        The result is passed to ``read``, and must not keep the tensor.
        """
        return None

    def read(self, begun: Sequence[Any]) -> Sequence[Health | tuple[float, float]]:
        """The results of glances that were begun, in one wait: the ends, or the ``health`` if not all are finite."""
        raise NotImplementedError

    @abstractmethod
    def numbers(self, value: Any, limit: int) -> Elements:
        """The first ``limit`` elements of a concrete tensor, in row-major order."""

    def keys(self, value: Any) -> Sequence[Hashable]:
        """What tells a tensor from all others that there are now, if it can be followed from op to op; else nothing."""
        return ()

    def follow(self) -> None:  # noqa: B027  (most see every op, or none)
        """A tensor that is not finite is to be followed: tell ``watch.fates`` of each op from now on."""

    def on_gradient(  # noqa: B027  (most frameworks have no eager backward pass)
        self, operands: Given, result: Any, heard: Callable[[str, Any], None]
    ) -> None:
        """Call ``heard(name, gradient)`` for each gradient that an op sends back to its operands, once it is computed.

        ``heard("result", gradient)`` gets the incoming gradient. Without an eager backward pass, do nothing.
        """

    def snapshot(self) -> bytes:
        """The state of the framework's random generators, from which a run can be repeated; empty if there are none.

        Called under ``--watch sentinel`` when the framework has been imported, and then when steps begin, at most 20
        times a second. If a generator's state cannot be read and the program gave it no seed, the first call may seed
        it, with a random seed from the system as the generator itself would use.
        """
        return b""

    def restore(self, state: bytes) -> None:  # noqa: B027  (a framework without a global random state has none)
        """Continue from a ``snapshot`` that this adapter made in an earlier process."""

    def release(self) -> None:  # noqa: B027  (most only read a state)
        """The watch ends: leave random generators as they are, and seed no more of them."""
