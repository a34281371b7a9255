"""What the places of one file share: facts, scopes, imports, the graph at each expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from nanlint.fixes.formatting import width_of
from nanlint.fixes.imports import Imports
from nanlint.fixes.outline import Outline
from nanlint.frontend.makers import Makers
from nanlint.graph.node import REFINE, Node
from nanlint.hazards.facts import Facts
from nanlint.ops.op import OPS


class File:
    """What the places of one file share."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.source = facts.source
        self.outline = Outline(facts.source.tree, self.is_pure)
        self.imports = Imports(facts.source, self.outline)

    @cached_property
    def width(self) -> int:
        """How long the lines of the file may be."""
        return width_of(self.source)

    @cached_property
    def makers(self) -> Makers:
        """Whose arrays values are."""
        return Makers(self.source.tree, self.facts.lowering.spellings)

    def mentions(self, words: frozenset[str]) -> bool:
        """Whether the file, or another one of its project, has one of some words."""
        view = self.facts.lowering.view
        here = any(word in self.source.text for word in words)
        return here or (view is not None and bool(view.files_mentioning(words)))

    def release(self) -> None:
        """Let go of all, of which the outline holds this: no place is asked any more."""
        vars(self).clear()

    @cached_property
    def nodes_at(self) -> Mapping[int, Sequence[Node]]:
        """Graph nodes by the identity of the expression they were lowered from."""
        found: dict[int, list[Node]] = {}
        for node in self.facts.lowering.graph:
            if node.site is not None:
                found.setdefault(id(node.site), []).append(node)
        return found

    @cached_property
    def nodes_of(self) -> Mapping[str, Sequence[Node]]:
        """Graph nodes by their op."""
        found: dict[str, list[Node]] = {}
        for node in self.facts.lowering.graph:
            found.setdefault(node.op, []).append(node)
        return found

    def is_pure(self, call: ast.Call) -> bool:
        """Whether a call is one of the catalogue's that has no effect and no chance in it."""
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
            return False
        if any(k.arg in ("out", "inplace") for k in call.keywords):
            return False
        nodes = self.nodes_at.get(id(call), ())
        return bool(nodes) and all(
            n.op == REFINE or (n.op in OPS and OPS[n.op].pure and n.op != "dropout") for n in nodes
        )
