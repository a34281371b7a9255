"""The user's filters in jitted functions: each call is gone through again, op by op, and they get every tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jax.numpy as jnp

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.jax.functions import Birth, Call, Reader
from nanlint.runtime.adapters.jax.places import frames_of
from nanlint.runtime.adapters.jax.probes import Measure, Probe, Probed
from nanlint.runtime.adapters.jax.program import Op, Program
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.adapters.jax.replay import Done, Unrepeatable, walk


class Ready(Measure):
    """Nothing, which is there when the call is done."""

    size = 1

    def of(self, x: Any, beside: Any) -> Any:
        """Zero."""
        return self.nothing()

    def nothing(self) -> Any:
        """Zero."""
        return jnp.zeros(1, jnp.float32)

    def both(self, a: Any, b: Any) -> Any:
        """Zero."""
        return a


class Filters(Reader):
    """Reads calls for tensors for which filters hold: of all ops, or with ``--watch sites`` of those at findings."""

    measure = Ready()
    again = True

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.eager = watch.mode == "all"

    def probes(self, program: Program) -> Iterator[Probe]:
        """Anywhere, if there is something to look at."""
        ops = (op for op in program.ops if any(is_inexact(var.aval) for var in op.eqn.outvars))
        return (Probe(op, 0) for op in ops if self._watch.mode == "all" or self._is_flagged(op))

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Go through a call, and hand on what its ops make."""

        def seen(done: Done) -> bool:
            frames = frames_of(done.op, done.inside, self._watch.owns_file) or call.frames
            if self._watch.mode == "all" or self._is_flagged(done.op):
                for i, x in enumerate(done.outputs):
                    if x is not None and is_inexact(x):
                        self._watch.wants(f"{done.op.name}:{i}", "jax", x, frames)
            return False

        try:
            walk(function.program, call.arguments, call.recorded, seen)
        except Unrepeatable as error:
            self._watch.alert("unwatched", f"jit({call.function.name}) is not filtered: {error}")
        return ()

    def _is_flagged(self, op: Op) -> bool:
        frames = frames_of(op, (), self._watch.owns_file)
        return bool(frames) and bool(self._watch.sites_on(frames[0].path, frames[0].line))
