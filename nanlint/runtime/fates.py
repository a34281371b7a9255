"""What becomes of what was born: whether it arrived somewhere, or where it died.

An origin is followed from tensor to tensor, by keys of their adapter's. It dies where every tensor that it was in went
into ops whose results are finite. What was followed to no end arrived: what nothing used, what the program read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

from nanlint.runtime.events import Death, Stack

#: an origin: the number of a birth, or the key of a site
Origin = int | str
#: the tensors that something is in now, of which there are none if it died, as told; None: it is not known in which
Ends = tuple[Sequence[Hashable] | None, Death]
#: a test for what is not finite, as an op
TEST = "a test for nan or inf"
#: a comparison that a library makes to decide what it computes
DECISION = "a comparison inside a library"
#: how often an origin is followed, as long as it dies, so that a mask of every step costs only the first ones; tensors
#: that are followed at a time, so that what they hold stays bounded
FEW, MOST = 16, 4_096


class Fates:
    """Those of one process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: dict[Hashable, set[Origin]] = {}
        self._unused: set[Hashable] = set()
        self._arrived: set[Origin] = set()
        self._lost: set[Origin] = set()
        self._deaths: dict[Origin, Death] = {}
        self._times: dict[Origin, int] = {}

    @property
    def following(self) -> bool:
        """Whether there is anything to follow."""
        return bool(self._held)

    def begin(self, origin: Origin, ends: Callable[[], Ends]) -> None:
        """Something was born; ``ends`` tells where it is now."""
        times = self._times[origin] = self._times.get(origin, 0) + 1
        if origin in self._arrived or times > FEW:
            return
        try:
            keys, death = ends()
        except Exception:  # what cannot be followed is not known to have died
            keys, death = None, Death("")
        with self._lock:
            if keys is None:
                self._arrive({origin})
            elif not keys:
                self._deaths[origin] = death
            for key in keys or ():
                self._hold(key, {origin})

    def passed(
        self,
        op: str,
        given: Collection[Hashable],
        made: Iterable[tuple[Hashable, bool]],
        where: Callable[[], Stack],
    ) -> None:
        """An op was given these tensors and made those, of which some are bad."""
        with self._lock:
            found: set[Origin] = set().union(*(self._held.get(key, ()) for key in given))
            self._unused.difference_update(given)
            lives = False
            for key, bad in made:
                if bad and found:
                    self._hold(key, found)
                    lives = True
                elif not bad:
                    self._drop(key)
            if found and not lives:
                death = Death(f"in {op}", tuple(where()[:1]))
                self._deaths.update(dict.fromkeys(found, death))

    def arrive(self, keys: Iterable[Hashable]) -> None:
        """These tensors are a loss, a parameter, or what the program reads."""
        with self._lock:
            self._arrive(set().union(*(self._held.get(key, ()) for key in keys)))

    def die(self, how: str) -> None:
        """What is in tensors that nothing has used goes no further."""
        with self._lock:
            for key in self._unused:
                self._deaths.update(dict.fromkeys(self._held[key], Death(how)))
            self._deaths.update(dict.fromkeys(self._lost, Death(how)))
            self._held, self._unused, self._lost = {}, set(), set()

    def stepped(self) -> None:
        """A step is over that was not skipped."""
        with self._lock:
            self._arrive(self._lost)
            self._lost = set()
            often = {origin for origin, times in self._times.items() if times > FEW}
            if often and self._held:
                used = {key: held - often for key, held in self._held.items() if key not in self._unused}
                self._held = {key: left for key, held in self._held.items() if (left := used.get(key, held))}

    def ended_in(self, path: str, function: str) -> None:
        """The program fails in a function of the user's: what was tested there did not die of it."""
        with self._lock:
            for origin, death in self._deaths.items():
                tested = [(one.path, one.function) for one in death.frames if death.how == f"in {TEST}"]
                if (path, function) in tested:
                    self._arrived.add(origin)

    def deaths(self) -> dict[Origin, Death]:
        """The origins that died each time, as far as is known now."""
        with self._lock:
            alive = self._arrived.union(self._lost, *(self._held[key] for key in self._unused))
            return {origin: death for origin, death in self._deaths.items() if origin not in alive}

    def _arrive(self, origins: set[Origin]) -> None:
        if origins:
            self._arrived |= origins
            self._held = {key: left for key, held in self._held.items() if (left := held - self._arrived)}
            self._unused &= self._held.keys()

    def _hold(self, key: Hashable, origins: set[Origin]) -> None:
        if len(self._held) > MOST:
            self._held = {key: held for key, held in self._held.items() if key in self._unused}
        self._held[key] = self._held.get(key, set()) | origins
        self._unused.add(key)

    def _drop(self, key: Hashable) -> None:
        """Another tensor has the key now: what had it is gone, and arrives with this step if nothing used it."""
        held = self._held.pop(key, None)
        if held is not None and key in self._unused:
            self._unused.discard(key)
            self._lost |= held
