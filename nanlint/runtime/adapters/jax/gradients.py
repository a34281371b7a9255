"""What ``grad`` gives inside a jitted function is named, and looked at: is it zero all the time, what is its norm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import api, core
from jax._src.interpreters import partial_eval as pe
from jax.ad_checkpoint import checkpoint_name

from nanlint.runtime.adapter import AnyFunction, Watch, around
from nanlint.runtime.adapters.jax.probes import Birth, Call, Measure, Probe, Probed, Reader
from nanlint.runtime.adapters.jax.program import Program
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.events import Frames
from nanlint.runtime.hooks import Hooks

#: as a failure is told
ASKED = "the results of jax.grad"
_MARK = "nanlint gradient "
#: elements of a gradient that are looked at: of a larger one every so-manieth row
LOOKED_AT = 1 << 16


class Magnitude(Measure):
    """The sum of magnitudes: 0 only where all is 0."""

    size = 1

    def of(self, x: Any, beside: Any) -> Any:
        """One sum."""
        x = jnp.abs(lax.slice(x, [0] * x.ndim, x.shape, (stride(x), *[1] * (x.ndim - 1))) if x.ndim else x)
        return lax.reduce_sum(x.astype(jnp.promote_types(x.dtype, jnp.float32)), tuple(range(x.ndim))).reshape(1)


def stride(x: Any) -> int:
    """Every how-manieth row of a gradient is looked at."""
    return max(1, min(x.shape[0], -(-x.size // LOOKED_AT))) if x.ndim else 1


class Squares(Measure):
    """The sum of the squares, and the sum, which does not overflow where that one does."""

    size = 2

    def of(self, x: Any, beside: Any) -> Any:
        """Two sums."""
        x = jnp.abs(x) if jnp.issubdtype(x.dtype, jnp.complexfloating) else x
        x = x.astype(jnp.promote_types(x.dtype, jnp.float32))
        return jnp.stack([jnp.sum(x * x), jnp.sum(x)]).astype(jnp.float32)


@dataclass(frozen=True)
class _Gradient:
    """A gradient that is asked for: of what, and where; every ``stride``-th row is looked at."""

    name: str
    frames: Frames
    stride: int = 1


# By the number of its mark. What was traced once is run again under another watch, and by the next one: the marks in it
# outlast the reader that made them.
_MARKED: list[_Gradient] = []


class Gradients(Reader):
    """Reads calls for gradients that are all zero."""

    measure: Measure = Magnitude()
    spare = True

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._seen: dict[int, tuple[int, int]] = {}  # mark -> how often it was there, and was not all 0
        self._hooks = Hooks(watch)

    def start(self) -> None:
        """Name what ``grad`` and ``value_and_grad`` give from now on."""
        if not self._hooks:
            self._hooks.around(api, "value_and_grad", self._named, ASKED)
            self._hooks.put(jax, "value_and_grad", api.value_and_grad)

    def stop(self) -> None:
        """No more; tell of those that were zero all along."""
        if self._hooks:
            self._hooks.take_away()
            for number, (times, alive) in self._seen.items():
                if times > 1 and not alive:
                    one = _MARKED[number]
                    message = f"the gradient of {one.name} was zero in all {times} steps"
                    if one.stride > 1:
                        message += f" (only one row in {one.stride} was checked)"
                    self._watch.alert("dead-gradient", message, frames=one.frames, variable=one.name)

    def probes(self, program: Program) -> Iterator[Probe]:
        """At what was named."""
        for op in program.ops:
            if op.name == "name" and str(op.eqn.params["name"]).startswith(_MARK):
                yield Probe(op, 0)

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Count."""
        for probe, x in zip(function.probes, np.asarray(measured).ravel(), strict=True):
            number = int(probe.op.eqn.params["name"].removeprefix(_MARK))
            times, alive = self._seen.get(number, (0, 0))
            self._seen[number] = times + 1, alive + bool(x != 0)
        return ()

    def _named(self, original: AnyFunction, *args: Any, **options: Any) -> Any:
        return around(self._watch, ASKED, original(*args, **options), self._found)

    def _found(self, function: AnyFunction, *args: Any, **arguments: Any) -> Any:
        value, gradients = function(*args, **arguments)
        return value, jax.tree_util.tree_map_with_path(self._marked, gradients)

    def _marked(self, path: Any, gradient: Any) -> Any:
        if not isinstance(gradient, pe.DynamicJaxprTracer) or not is_inexact(core.typeof(gradient)):
            return gradient
        name = f"argument {jax.tree_util.keystr(path)}" if path else "the argument"
        _MARKED.append(_Gradient(name, self._watch.frames(), stride(gradient)))
        return checkpoint_name(gradient, f"{_MARK}{len(_MARKED) - 1}")


class Norms(Gradients):
    """Reads calls for the norm of all gradients that one asks for: what the sentinel tells."""

    measure = Squares()
    rare = True

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Tell the norm with the step; and of one that is not finite."""
        rows = [x for probe, x in zip(function.probes, np.asarray(measured), strict=True) if not _is_within(probe)]
        if rows:
            squares, total = np.asarray(rows, np.float64).sum(axis=0).tolist()
            norm = float(np.sqrt(squares))
            if np.isfinite(norm) or not np.isfinite(total):  # else it is the squares that are too big
                self._watch.measured(gradient_norm=norm)
            if not np.isfinite(total):
                self._watch.alert("non-finite", f"the gradient norm is {norm}", what="gradient_norm")
        return ()


def _is_within(probe: Probe) -> bool:
    """Whether a gradient is one of many: of a loop, or on the way to another gradient."""
    return bool(probe.inside) or "jvp" in str(probe.op.eqn.source_info.name_stack)
