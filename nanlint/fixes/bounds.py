"""How far from a pole an operand is kept: by the author's own epsilon, or by as much as most take in its format."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from nanlint.analysis.epsilons import number_of, small
from nanlint.analysis.names import is_epsilon
from nanlint.analysis.structure import bare
from nanlint.fixes.place import Place
from nanlint.graph.node import Node
from nanlint.ops.floats import FLOAT32

#: how far inside of a domain; half precision has no number between 1 and 1 - 5e-4
MARGIN, COARSE_MARGIN = "1e-6", "1e-3"
#: what a root is bounded by: its own bound is the root of that
ROOT_BOUND, COARSE_ROOT_BOUND = "1e-12", "1e-6"
#: Keras' own epsilon, for what is divided by: 1 over it is no large number. It is not 0 in any format (the least of
#: float16 is 6e-8).
BOUND = "1e-7"
#: ops by which another is kept off 0, and the operands that do it
_GUARDS = {"add": ("a", "b"), "maximum": ("a", "b"), "clamp": ("min",)}


def margin(place: Place, node: Node) -> str:
    """The distance from the ends in the format of an operand."""
    return COARSE_MARGIN if place.facts.value(node).format.precision < 24 else MARGIN


def root_bound(place: Place, node: Node, op: str = "sqrt") -> str:
    """What a radicand, or a denominator, is bounded by: the author's epsilon, or as small as most have it."""
    coarse = place.facts.value(node).format.precision < 24
    usual = (BOUND, COARSE_MARGIN) if op == "div" else (ROOT_BOUND, COARSE_ROOT_BOUND)
    return own_epsilon(place, op, node) or usual[coarse]


def smallest(place: Place, node: Node) -> float:
    """A power of ten that is a normal number in the format of an operand, and in single precision if that is finer."""
    return float(10.0 ** math.ceil(math.log10(max(place.facts.value(node).format.tiny, FLOAT32.tiny))))


def own_epsilon(place: Place, op: str, operand: Node) -> str | None:
    """What the author keeps such an op off its pole by elsewhere, in this function before others.

    Else the epsilon, by its name, that is added to anything or bounds it in this function; not under a root, which is
    as steep as that is small. It is a normal number in the format of the operand.
    """
    nodes, function = place.file.nodes_of, place.file.outline.function
    kept = {bare(node["b" if op == "div" else "x"]).index for node in nodes.get(op, ())}
    found: list[tuple[bool, bool, str]] = []
    for guard, number, e in small_guards(place):
        same, here = guard.index in kept, function(e) is function(place.site)
        known = number_of(number, place.facts.value)
        if known is not None and known < place.facts.value(operand).format.tiny:
            continue
        if same or (here and isinstance(e, ast.Name) and op != "sqrt"):
            found.append((not same, not here, place.text(e)))
    return min(found, key=lambda one: one[:2])[2] if found else None


def small_guards(place: Place) -> Iterator[tuple[Node, Node, ast.expr]]:
    """Where a small number is added or bounds: the op, the number, and its literal or name, if that is known here."""
    outline = place.file.outline
    pairs = (
        (guard, name) for op, names in _GUARDS.items() for guard in place.file.nodes_of.get(op, ()) for name in names
    )
    for guard, name in pairs:
        e = place.operand_of(guard, name) if name in guard.args and small(guard[name], place.facts.value) else None
        if isinstance(e, ast.Name):
            same = outline.binding(e.id, e) == outline.binding(e.id, place.site)
            e = e if same and is_epsilon(e.id) else None
        if isinstance(e, ast.Name | ast.Constant):
            yield guard, guard[name], e
