"""The one interface between the verifier and a framework. The built-in adapters use nothing else; so can yours.

An adapter is woken when its framework has been imported. An entry point of the group ``nanlint.runtime`` enters it:
its name is the package whose import wakes it (``torch``), its value the class. It does two things: it says what a
tensor holds (``owns``, ``concrete``, ``health``, ``glance``, ``numbers``, ``on_gradient``), which is all that probes at
flagged expressions need, and it installs what hooks its framework has (``start``, ``stop``), through which it reports
to its ``Watch``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from nanlint.runtime.events import Frame
from nanlint.runtime.health import Health
from nanlint.runtime.hooks import around as around
from nanlint.runtime.hooks import safely as safely
from nanlint.runtime.sites import Site


@dataclass(frozen=True)
class Tensor:
    """An operand or a result of an op as it is reported: its name (``x``, ``input 0``), breakdown, and the value.

    ``value`` is the framework's own tensor where it is still at hand: it is bound for the debugger, its numbers are
    kept with a birth, and nothing holds it longer than the report takes. ``source`` is the number (``numbered``) of
    the op that it came out of, where the adapter knows: the graph around a birth is drawn from it.
    """

    name: str
    health: Health
    value: Any = field(default=None, compare=False, repr=False)
    source: int | None = None


class Watch(Protocol):
    """What an adapter reports to; cheap to ask, safe to call from any thread, never raises but to stop the program."""

    #: "sites", "all" or "sentinel"
    mode: str
    #: whether births and steps must be told before the program goes on: it is to stop there, or a step is repeated
    prompt: bool
    #: whether steps of an earlier run are repeated: as they begin, ``mode`` becomes "all" between a stop and a start
    repeats: bool
    #: how many steps are done; an adapter that sees a step end counts it only if no other has meanwhile
    steps: int

    @property
    def filtering(self) -> bool:
        """Whether the user gave filters: only then need tensors be handed to ``wants``."""

    def owns_file(self, path: str) -> bool:
        """Whether a file is the user's, as ``frames`` judges: for places that a graph's ops remember."""

    def sites_on(self, path: str, line: int) -> tuple[Site, ...]:
        """The flagged expressions that touch a line of a file: what is probed in graphs and compiled code."""

    def frames(self, skip: int = 0) -> tuple[Frame, ...]:
        """The user's frames of this moment, innermost first; those of frameworks and of nanlint are left out."""

    def user_line(self) -> tuple[str, int, str] | None:
        """Path, line and function of the user's innermost frame; costs a microsecond or so."""

    def born(
        self,
        *,
        framework: str,
        op: str,
        kinds: frozenset[str],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        frames: Sequence[Frame],
        backward: bool = False,
        forward: Sequence[Frame] = (),
        compiled: str = "",
        note: str = "",
    ) -> None:
        """A kind of non-finite value (ninf, pinf, nan) that is in no input of ``op`` is in its output.

        ``frames``: where, the user's innermost first; of a ``backward`` op ``forward`` is where its forward op was
        called. ``compiled``: by what, if it was (``jit``, ``tf.function``, ``inductor``).
        """

    def observed(self, site: Site, role: str, health: Health, executions: int = 1) -> bool:
        """What came by at a flagged expression: ``role`` is the name of an operand, "result" or "gradient of NAME".

        Operands go first. ``executions``: of how many the breakdown is, where a graph ran more than once since it was
        read. Returns whether something was born there that was not before.
        """

    def unwatched(self, site: Site) -> None:
        """A flagged expression is where this watch does not look, as in a graph that it leaves alone: it may run."""

    def executed(self, *ops: int) -> None:
        """Ops ran, for the timeline; their numbers are from ``numbered``."""

    def numbered(
        self, framework: str, op: str, path: str, line: int, backward: bool = False, inputs: Sequence[int] = ()
    ) -> int:
        """The number of an op at a place, for ``executed``; the same for the same words.

        ``inputs``: the numbers of the ops that its inputs come from, where there is a graph that tells.
        """

    def wants(
        self, name: str, framework: str, value: Any, frames: Sequence[Frame] = (), health: Health | None = None
    ) -> None:
        """Hand a tensor to the user's filters (``--filter``), if there are any.

        ``frames``: where it was made, if that is not where the program is now. ``health``: its breakdown, where the
        tensor is not at hand and ``value`` is None; filters that are functions are not asked then, which is told.
        """

    def alert(self, kind: str, message: str, *, frames: Sequence[Frame] = (), **details: Any) -> None:
        """Something beside a birth that the user should hear; told once for the same kind, message and place."""

    def arrived(
        self,
        what: str,
        name: str,
        value: Any,
        *,
        asked: str,
        frames: Sequence[Frame] = (),
        given: bool = False,
        waits: bool = False,
    ) -> None:
        """What training is about came back not finite: the run is bad, unless it was ``given`` so.

        ``what``: "loss", "gradient", "parameter" or "result"; ``name`` as the user knows it, ``value``: the tensor or
        its breakdown, ``asked``: by which call it was asked for. Told once for these and a place; ``frames`` as in
        ``alert``. ``waits``: it is told when the step is ``settled``, as everything is once there is a ``scaler``.
        """

    def fed(self, holds_nan: Callable[[], bool] | None) -> None:
        """The program trains with these data from now on (None: not any more): what arrives may come from them."""

    def scaler(self, skipped: Callable[[], bool] | None = None) -> None:
        """A loss scaler is at work: what arrives is bad only if the step is not skipped.

        ``skipped``: asked, when a step is done, whether it was; an adapter without one says so with ``settled``.
        """

    def settled(self, skipped: bool) -> None:
        """A step was taken, or skipped by a loss scaler: then what arrived in it is none of the program's."""

    def measured(self, **numbers: float) -> None:
        """Numbers of the step that goes on, told with it when it is done: for who sees the loss but not the step."""

    def awaits(self, numbers: Callable[[], Mapping[str, float]]) -> None:
        """As ``measured``, of numbers for which the program would have to be held up now.

        They are asked for some seconds or dozens of steps later, in any thread; at the latest when the run ends.
        """

    def step(self, number: int | None = None, **numbers: float) -> None:
        """A training step is done; ``numbers`` are its loss, gradient norm, …"""


class Adapter(ABC):
    """One framework. Instances live as long as the watch; ``start`` and ``stop`` may be called more than once."""

    #: as it is reported
    name: ClassVar[str]
    #: whether it looks itself at flagged expressions of tensors that are not ``concrete``, or says ``unwatched``
    probes_graphs: ClassVar[bool] = False

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @abstractmethod
    def start(self) -> None:
        """Install the hooks that ``watch.mode`` asks for. The framework is imported."""

    @abstractmethod
    def stop(self) -> None:
        """Leave the framework as it was."""

    def settle(self) -> None:  # noqa: B027  (most tell of what they see at once)
        """Tell now of what waits to be looked at: a test is over, and what it did must not be told in the next."""

    @abstractmethod
    def owns(self, value: Any) -> bool:
        """Whether this is a tensor of the framework, with numbers or symbolic. Asked once of each type."""

    def concrete(self, value: Any) -> bool:
        """Whether a tensor that it owns has numbers now, and is not a tracer or a symbol."""
        return True

    @abstractmethod
    def health(self, value: Any) -> Health:
        """The breakdown of a concrete tensor, of any dtype; sparse and ragged ones by the values they hold."""

    def glance(self, value: Any) -> tuple[float, float] | None:
        """Least and greatest element of a concrete tensor, in one cheap pass, where all are finite; else None.

        What probes ask most of the time; None (the default) makes them ask for the whole ``health``.
        """
        return None

    def ahead(self, value: Any) -> Any:
        """Begin a ``glance`` at a tensor on a device that is not waited for; None (the default) where there is no such.

        What it gives is handed to ``read``, and must not keep the tensor.
        """
        return None

    def read(self, begun: Sequence[Any]) -> Sequence[Health | tuple[float, float]]:
        """What the glances came to that were begun, in one wait: the ends, or the ``health`` of what is not finite."""
        raise NotImplementedError

    @abstractmethod
    def numbers(self, value: Any, limit: int) -> Sequence[float | complex]:
        """The first ``limit`` elements of a concrete tensor, in row-major order."""

    def on_gradient(  # noqa: B027  (most frameworks have no eager backward pass)
        self, operands: Mapping[str, Any], result: Any, heard: Callable[[str, Any], None]
    ) -> None:
        """Let ``heard(name, gradient)`` know, once it is computed, what one op sends back to its operands.

        ``heard("result", gradient)`` hears what came in. Where a framework has no eager backward pass, nothing is done.
        """

    def snapshot(self) -> bytes:
        """The state of the framework's random generators: what a run needs to be repeated from here; empty for none.

        Asked under ``--watch sentinel`` when the framework has been imported, and then as steps begin, twenty times a
        second at most. Where a generator's state cannot be read, the first call may give it a seed that the program
        gave none, drawn from the system as it would have drawn it.
        """
        return b""

    def restore(self, state: bytes) -> None:  # noqa: B027  (a framework without a global random state has none)
        """Go on as from a ``snapshot`` of this adapter in an earlier process."""

    def release(self) -> None:  # noqa: B027  (most only read a state)
        """The watch ends: leave random generators as they are, and give no more seeds."""
