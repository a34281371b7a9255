"""Functions that are compiled ahead of time, by ``jax.jit(f).lower(x).compile()``: JAX calls them past all hooks.

While it is watched, such a function is called as ``jit`` calls what was traced for it, with the same options. What
``jax.export`` makes is not watched.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import jax
from jax._src import core, pjit, source_info_util, stages

from nanlint.runtime.adapter import AnyFunction, Hooked, Watch, around
from nanlint.runtime.adapters.jax.flagged import Unwatched
from nanlint.runtime.adapters.jax.probes import Reader, probed

#: as a failure is told
AHEAD = "a function that was compiled ahead of time"


class Ahead(Hooked):
    """Knows what was traced for what is lowered and compiled."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._traced: weakref.WeakKeyDictionary[Any, Mapping[str, Any]] = weakref.WeakKeyDictionary()

    def hook(self) -> None:
        """Have what is compiled from now on watched."""
        self._hooks.around(stages.Traced, "lower", self._lowered, AHEAD)
        self._hooks.around(stages.Lowered, "compile", self._compiled, AHEAD)
        self._hooks.around(stages.Compiled, "__call__", self._called, AHEAD)

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


# ── derivatives that the user wrote down ─────────────────────────────────────────────────────────────────────────────


#: as a failure is told
RULE = "a rule for a derivative"

#: methods that take rules, by their class
TAKING = ((jax.custom_vjp, ("defvjp",)), (jax.custom_jvp, ("defjvp", "defjvps")))


class Rules(Hooked):
    """Wraps the user's rules, from when they are given."""

    def hook(self) -> None:
        """Hear of the rules that are given; what is wrapped stays so, which changes only where JAX says ops stand."""
        for owner, names in TAKING:
            for name in names:
                self._hooks.around(owner, name, self._taking, RULE)

    def _taking(self, original: AnyFunction, function: Any, *rules: Any, **named: Any) -> Any:
        placed = {name: self._placed(value) for name, value in named.items()}
        result = original(function, *map(self._placed, rules), **placed)
        return rules[0] if rules and result is not None else result  # as a decorator

    def _placed(self, rule: Any) -> Any:
        code = getattr(rule, "__code__", None)
        if code is None or not self._watch.owns_file(code.co_filename):
            return rule

        def placed(rule: AnyFunction, *args: Any, **named: Any) -> Any:
            local = source_info_util._source_info_context
            before = local.context
            local.context = source_info_util.SourceInfo(None, before.name_stack)
            try:
                return rule(*args, **named)
            finally:
                local.context = before

        return around(self._watch, RULE, rule, placed)
