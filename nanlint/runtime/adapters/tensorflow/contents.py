"""What a function of TensorFlow's runtime holds of nanlint's probes, and whether a call executes each just once.

The names of nodes tell: what a probe adds to a graph is in a scope with its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context as _context
from tensorflow.python.framework import errors as _errors

from nanlint.runtime.adapters.tensorflow.alarms import Setting
from nanlint.runtime.adapters.tensorflow.kept import SCOPE


class Probe(Protocol):
    """What was added to a graph."""

    @property
    def setting(self) -> Setting:
        """Of the graph."""


_NUMBERED = re.compile(rf"(?:^|/){SCOPE}/(\d+)(?:_\d+)?/")
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


@dataclass(frozen=True)
class Held:
    """The probes that a call executes: these once, and these never, once or often (in loops and branches)."""

    once: tuple[Probe, ...] = ()
    loose: tuple[Probe, ...] = ()

    @property
    def all(self) -> tuple[Probe, ...]:
        """Both."""
        return self.once + self.loose


class Contents:
    """Numbers probes, and finds them again in functions."""

    def __init__(self) -> None:
        self._probes: list[Probe] = []
        self._known: dict[str, tuple[list[int], set[int]]] = {}

    def scope_of(self, probe: Probe) -> str:
        """The name of the scope that a probe's ops are to be made in."""
        self._probes.append(probe)
        return f"{SCOPE}/{len(self._probes) - 1}"

    def of(self, name: bytes) -> Held:
        """The probes that a call of a function executes."""
        once, loose = self._numbers(name.decode())
        loose |= {number for number in once if once.count(number) > 1}
        single = sorted(number for number in once if number not in loose)
        return Held(*(tuple(self._probes[i] for i in some) for some in (single, sorted(loose))))

    def writes_nan(self, name: str) -> bool:
        """Whether a nan stands in a function as a constant: it means it."""
        return any(
            (node.op == "Const" and _is_nan(node.attr["value"].tensor)) or any(map(self.writes_nan, _functions(node)))
            for node in _nodes(name)
        )

    def _numbers(self, name: str) -> tuple[list[int], set[int]]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = ([], set())
            once: dict[int, None] = {}
            for node in _nodes(name):
                numbered = _NUMBERED.search(node.name)
                if numbered is not None:
                    once[int(numbered[1])] = None
                    continue
                for function in _functions(node):
                    inner_once, inner_loose = self._numbers(function)
                    if node.op in _CALLS:
                        known[0].extend(inner_once)
                        known[1].update(inner_loose)
                    else:
                        known[1].update(inner_once, inner_loose)
            known[0].extend(once)
        return list(known[0]), set(known[1])


def _nodes(name: str) -> Iterator[Any]:
    try:
        yield from _context.context().get_function_def(name).node_def
    except _errors.NotFoundError:
        return


def _is_nan(constant: Any) -> bool:
    array = tf.make_ndarray(constant)
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def _functions(node: Any) -> Iterator[str]:
    for attribute in node.attr.values():
        if attribute.func.name:
            yield attribute.func.name
        yield from (function.name for function in attribute.list.func)
