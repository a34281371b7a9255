"""Derivatives that the user wrote down (``defvjp``, ``defjvp``): their ops are said to stand where they do.

JAX has the ops of a function that is traced anew stand where they stood before; those of a derivative's rule then all
stand where the function is called that it is of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax._src import source_info_util

from nanlint.runtime.adapter import Watch, around
from nanlint.runtime.hooks import Hooks

#: as a failure is told
RULE = "a rule for a derivative"

#: methods that take rules, by their class
TAKING = ((jax.custom_vjp, ("defvjp",)), (jax.custom_jvp, ("defjvp", "defjvps")))


class Rules:
    """Wraps the user's rules, from when they are given."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._hooks = Hooks(watch)

    def start(self) -> None:
        """Hear of the rules that are given from now on."""
        for owner, names in TAKING if not self._hooks else ():
            for name in names:
                self._hooks.around(owner, name, self._taking, RULE)

    def stop(self) -> None:
        """No more; what is wrapped stays so, which changes nothing but what JAX says where ops stand."""
        self._hooks.take_away()

    def _taking(self, original: Callable[..., Any], function: Any, *rules: Any, **named: Any) -> Any:
        placed = {name: self._placed(value) for name, value in named.items()}
        result = original(function, *map(self._placed, rules), **placed)
        return rules[0] if rules and result is not None else result  # as a decorator

    def _placed(self, rule: Any) -> Any:
        code = getattr(rule, "__code__", None)
        if code is None or not self._watch.owns_file(code.co_filename):
            return rule

        def placed(rule: Callable[..., Any], *args: Any, **named: Any) -> Any:
            local = source_info_util._source_info_context
            before = local.context
            local.context = source_info_util.SourceInfo(None, before.name_stack)
            try:
                return rule(*args, **named)
            finally:
                local.context = before

        return around(self._watch, RULE, rule, placed)
