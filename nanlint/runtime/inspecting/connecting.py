"""Which op fed which, where the run does not tell: by the expressions of the source, and by equal elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from nanlint.runtime.inspecting.dataflow import Expression, expressions_of, written_at
from nanlint.runtime.inspecting.model import INPUT, OUTPUT, Incident, Node, Seen
from nanlint.runtime.inspecting.sources import SourceFile
from nanlint.source import Source


class Nodes(Protocol):
    """A run that is being built."""

    nodes: list[Node]
    tensors: list[Seen]
    files: dict[str, SourceFile]

    def node(self, framework: str, op: str, path: str, line: int, backward: bool) -> int:
        """The node of an op at a place."""

    def connect(self, node: int, inputs: Iterable[int]) -> None:
        """Say where the inputs of a node come from, beside what is known."""


def follow_source(building: Nodes, incidents: Iterable[Incident]) -> None:
    """Connect the ops of births as their expressions are connected in the source."""
    files: dict[str, tuple[Expression, ...]] = {}
    found: dict[tuple[str, str, int], int] = {}
    places: list[tuple[Incident, _Written, int, int]] = []
    for one in incidents:
        node, blamed = one.node, one.blamed
        if node is None or blamed is None or building.nodes[node].inputs or blamed.path not in building.files:
            continue
        path = blamed.path
        if path not in files:
            files[path] = expressions_of(Source(path, building.files[path].text))
        at = written_at(files[path], one.op, blamed.line)
        if at is not None:
            places.append((one, _Written(building, files[path], one.framework, path, found), node, at))
            if not one.backward:
                found.setdefault((one.framework, path, at), node)
    for one, written, node, at in places:
        if one.backward:
            written.connect_gradient(node, at)
            continue
        written.connect(node, at)
        operands = files[written.path][at].operands
        for tensor, made in zip(one.inputs, operands, strict=False):
            if len(operands) == len(one.inputs) and len(made) == 1 and building.tensors[tensor].source is None:
                building.tensors[tensor] = replace(building.tensors[tensor], source=written.node(made[0]))


def follow_numbers(tensors: list[Seen]) -> None:
    """An input whose elements are those of a tensor that is known to come out of an op comes out of it, too."""
    made: dict[tuple[object, ...], int] = {}
    for tensor in tensors:
        source = tensor.node if tensor.role == OUTPUT else tensor.source
        if source is not None and len(set(tensor.values)) > 1:
            made.setdefault((tensor.process, tensor.step, tensor.health.shape, tensor.values), source)
    for i, tensor in enumerate(tensors):
        if tensor.role == INPUT and tensor.source is None:
            source = made.get((tensor.process, tensor.step, tensor.health.shape, tensor.values))
            if source is not None and source != tensor.node:
                tensors[i] = replace(tensor, source=source)


class _Written:
    """The expressions of one file as nodes of one framework; ``found``: those at which something was born."""

    def __init__(
        self,
        building: Nodes,
        expressions: Sequence[Expression],
        framework: str,
        path: str,
        found: Mapping[tuple[str, str, int], int],
    ) -> None:
        self._building = building
        self._expressions = expressions
        self._framework = framework
        self.path = path
        self._found = found

    def node(self, at: int, backward: bool = False) -> int:
        """The node of an expression."""
        found = None if backward else self._found.get((self._framework, self.path, at))
        if found is not None:
            return found
        expression = self._expressions[at]
        return self._building.node(self._framework, expression.op, self.path, expression.line, backward)

    def connect(self, node: int, at: int, depth: int = 2) -> None:
        """Connect a node with what its expression takes, twice removed, and with what takes it."""
        taken = [one for operand in self._expressions[at].operands for one in operand[:4]]
        self._building.connect(node, map(self.node, taken))
        if depth > 1:
            for one in taken:
                self.connect(self.node(one), one, depth - 1)
            for one in self._users(at):
                self._building.connect(self.node(one), [node])

    def connect_gradient(self, node: int, at: int) -> None:
        """Connect a node of a gradient: it takes what the forward op took, and the gradient of what took that."""
        taken = [self.node(one) for operand in self._expressions[at].operands for one in operand[:4]]
        self._building.connect(node, [*(self.node(one, backward=True) for one in self._users(at)), *taken])

    def _users(self, at: int) -> list[int]:
        return [i for i, one in enumerate(self._expressions) if any(at in operand for operand in one.operands)][:6]
