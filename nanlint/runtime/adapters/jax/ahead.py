"""Functions that are compiled ahead of time, by ``jax.jit(f).lower(x).compile()``: JAX calls them past all hooks.

While it is watched, such a function is called as ``jit`` calls what was traced for it, with the same options. What
``jax.export`` makes is not watched.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import jax
from jax._src import core, pjit, stages

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.jax.flagged import Unwatched
from nanlint.runtime.adapters.jax.functions import Reader
from nanlint.runtime.adapters.jax.probes import probed
from nanlint.runtime.hooks import Hooks

#: as a failure is told
AHEAD = "a function that was compiled ahead of time"


class Ahead:
    """Knows what was traced for what is lowered and compiled."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._hooks = Hooks(watch)
        self._traced: weakref.WeakKeyDictionary[Any, Mapping[str, Any]] = weakref.WeakKeyDictionary()

    def start(self) -> None:
        """Have what is compiled from now on watched."""
        if not self._hooks:
            self._hooks.around(stages.Traced, "lower", self._lowered, AHEAD)
            self._hooks.around(stages.Lowered, "compile", self._compiled, AHEAD)
            self._hooks.around(stages.Compiled, "__call__", self._called, AHEAD)

    def stop(self) -> None:
        """Leave it to JAX."""
        self._hooks.take_away()

    def _lowered(self, original: Any, traced: Any, *args: Any, **kwargs: Any) -> Any:
        lowered = original(traced, *args, **kwargs)
        if getattr(kwargs.get("_private_parameters"), "for_export", False):
            readers: Sequence[Reader] = [Unwatched(self._watch)]
            probed(traced.jaxpr, readers)  # of which there are none
        else:
            self._traced[lowered] = traced.lojax._params
        return lowered

    def _compiled(self, original: Any, lowered: Any, *args: Any, **kwargs: Any) -> Any:
        compiled = original(lowered, *args, **kwargs)
        asked = args[0] if args else kwargs.get("compiler_options")
        if lowered in self._traced:
            params = self._traced[lowered]
            options = {**dict(params["compiler_options_kvs"]), **(asked or {})}
            self._traced[compiled] = {**params, "compiler_options_kvs": tuple(options.items())}
        return compiled

    def _called(self, original: Any, compiled: Any, *args: Any, **kwargs: Any) -> Any:
        params = self._traced.get(compiled)
        given, structure = jax.tree.flatten((args, kwargs))
        if params is None or structure != compiled.in_tree or not all(map(_fits, given, params["jaxpr"].in_avals)):
            return original(compiled, *args, **kwargs)
        result = jax.tree.unflatten(compiled.out_tree, pjit.jit_p.bind(*given, **params))
        original.gives(result)
        return result


def _fits(value: Any, aval: Any) -> bool:
    """Whether a function that was compiled for arguments of some kind takes this."""
    return not isinstance(value, core.Tracer) and core.typematch(core.shaped_abstractify(value), aval)
