"""The functions that JAX compiles and their calls, as they are watched; and those who read what probes measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nanlint.runtime.adapters.jax.arrivals import Kind
from nanlint.runtime.adapters.jax.probes import Measure, Probe, Probed
from nanlint.runtime.adapters.jax.program import Op, Program
from nanlint.runtime.events import Death, Frame

#: the arguments of ``Watch.born``
Birth = dict[str, Any]


@dataclass(eq=False)
class Function:
    """A function as JAX compiles it, with the probes of each reader that has some; ``closed`` has them all.

    ``users``: it has lines of the user's; ``counts``: its calls may be steps, as it is none of JAX's own. ``loss``:
    which result tells how training goes. ``again``: a reader goes through calls again, for which it needs what they
    were given. ``same``: with probes its results are bit for bit the
    same, as far as was seen at its first calls; None up to then, of which ``compared`` numbers took ``spent`` seconds.
    ``recorded``: see ``probes.Whole``; ``more``: how many
    results ``closed`` has beside its own. ``rare``: the same with probes that are too dear for every call, of
    which ``asked`` were made; that one's ``plain`` is this. ``kind``: by which its results are judged.
    """

    name: str
    users: bool
    closed: Any = None
    probed: tuple[tuple[Reader, Probed], ...] = ()
    recorded: tuple[Op, ...] = ()
    more: int = 0
    arguments: tuple[str, ...] = ()
    loss: int | None = None
    same: bool | None = None
    compared: int = 0
    spent: float = 0.0
    again: bool = False
    calls: int = 0
    counts: bool = False
    asked: int = 0
    rare: Function | None = None
    plain: Function | None = None
    kind: Kind | None = None

    @property
    def rests(self) -> bool:
        """Whether its next call does not come by here, once JAX has an entry for it in C++."""
        return bool(self.same) and not self.again and self.plain is None


@dataclass(frozen=True, eq=False)
class Call:
    """One call: what was given (if it may be gone through again), its loss, what the probes of each reader measured.

    ``frames``: of an eager op, which may be of a ``backward`` pass, or ``trained``, of one that such a pass follows.
    ``donated``: what of ``arguments`` the program gave away. ``results``: what it gave, as far as that is still there.
    """

    function: Function
    arguments: Sequence[Any]
    donated: Sequence[Any]
    loss: Any
    measured: Sequence[Any]
    frames: tuple[Frame, ...]
    backward: bool
    trained: bool
    results: Sequence[Callable[[], Any]] = ()

    @property
    def recorded(self) -> dict[Op, Sequence[Any]]:
        """What ops that are not to be done again gave."""
        rest = iter(self.measured[len(self.function.probed) :])
        return {op: [next(rest) for _ in op.outputs] for op in self.function.recorded}

    @property
    def done(self) -> bool:
        """Whether all is computed."""
        last = self.measured[-1] if self.measured else self.loss
        return last is None or last.is_deleted() or bool(last.is_ready())


class Reader(ABC):
    """What is done with functions and their calls.

    ``measure``: what its probes measure. ``again``: a call may be gone through again. ``eager``: it looks at eager
    ops, too. ``rare``: what it measures is too dear for every call. ``spare``: a function is watched without it, where
    its probes make XLA round in another way.
    """

    measure: Measure
    again = False
    eager = False
    rare = False
    spare = False
    #: the last op in a call that took away what was not finite, in words, and where
    hid: Death | None = None

    @abstractmethod
    def probes(self, program: Program) -> Iterable[Probe]:
        """Where to look in a function, or in a part of one: a loop's body, a branch."""

    @abstractmethod
    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """A call was made, and what its probes measured is there: its births, to be told."""
