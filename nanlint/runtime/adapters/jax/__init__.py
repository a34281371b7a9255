"""JAX: what arrays hold, and probes in what ``jit`` compiles."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.jax.ahead import Ahead, Rules
from nanlint.runtime.adapters.jax.births import Births
from nanlint.runtime.adapters.jax.calls import Calls, forget
from nanlint.runtime.adapters.jax.clips import Clips
from nanlint.runtime.adapters.jax.flagged import Filters, Flagged, Unwatched
from nanlint.runtime.adapters.jax.gradients import Gradients, Norms
from nanlint.runtime.arrays import ArrayAdapter, health_of_array
from nanlint.runtime.health import Health


class JaxAdapter(ArrayAdapter):
    """Watches JAX."""

    name: ClassVar[str] = "jax"
    probes_graphs: ClassVar[bool] = True

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._gradients, self._norms, self._clips = Gradients(watch), Norms(watch), Clips(watch)
        self._calls, self._ahead, self._rules = Calls(watch), Ahead(watch), Rules(watch)

    def start(self) -> None:
        """Hook into the calls of jitted functions."""
        everything = [Births(self.watch, self.health), self._gradients, self._clips] if self.watch.mode == "all" else []
        flagged = [Unwatched(self.watch) if self.watch.mode == "sentinel" else Flagged(self.watch)]
        filters = [Filters(self.watch)] if self.watch.filtering and self.watch.mode != "sentinel" else []
        norms = [self._norms] if self.watch.mode == "sentinel" else []
        self._calls.start([*everything, *flagged, *filters, *norms])
        self._ahead.start()
        self._rules.start()
        self._calls.arrivals.start()
        if self.watch.mode != "sites":
            (self._gradients if self.watch.mode == "all" else self._norms).start()

    def stop(self) -> None:
        """Read what is unread, and leave them."""
        hooked: list[Any] = [self._calls.arrivals, self._ahead, self._calls, self._gradients, self._norms]
        for part in [*hooked, self._rules, self._clips]:
            part.stop()

    def settle(self) -> None:
        """Read what is unread."""
        self._calls.read(0)
        self._calls.arrivals.read(0)

    def keys(self, value: Any) -> Sequence[Hashable]:
        """Arrays are followed where every op comes by."""
        value = _underlying(value)
        return (self._calls.key(value),) if self.watch.mode == "all" and isinstance(value, jax.Array) else ()

    def follow(self) -> None:
        """Eager ops come by again that JAX has entries for in C++."""
        if not self.watch.fates.following:
            forget()

    def owns(self, value: Any) -> bool:
        """Arrays, and the tracers that stand for them."""
        return isinstance(value, jax.Array)

    def concrete(self, value: Any) -> bool:
        """Tracers have no numbers but those of ``grad`` and ``vmap`` without ``jit``, nor have donated arrays."""
        value = _underlying(value)
        if isinstance(value, jax.core.Tracer):
            return False
        return not (isinstance(value, jax.Array) and value.is_deleted())

    def health(self, value: Any) -> Health:
        """The breakdown of an array; of one over several hosts, of the part that is here. Keys hold no numbers."""
        array, shape = self.array(value), tuple(getattr(value, "shape", ()))
        return Health(dtype=str(getattr(value, "dtype", "")), shape=shape) if array is None else health_of_array(array)

    def array(self, value: Any) -> Any:
        """What an array holds; None for what has no numbers here."""
        value = _underlying(value)
        if not isinstance(value, jax.Array):
            return np.asarray(value)
        if value.is_deleted() or jax.numpy.issubdtype(value.dtype, jax.dtypes.extended):
            return None
        return np.asarray(value if value.is_fully_addressable else value.addressable_data(0))


def _underlying(value: Any) -> Any:
    """The array that a tracer of ``grad`` or ``vmap`` carries along."""
    while isinstance(value, jax.core.Tracer):
        inner = getattr(value, "primal", getattr(value, "val", None))
        if not isinstance(inner, jax.Array | np.ndarray | np.generic | float):
            return value
        value = inner
    return value
