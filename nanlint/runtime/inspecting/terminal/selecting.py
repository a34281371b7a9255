"""Which tensors and ops of a run are meant: by name, number, node and slot, step, filter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from nanlint.runtime.filters import FilterError, filter_of
from nanlint.runtime.inspecting.model import INPUT, OUTPUT, Run, Seen
from nanlint.runtime.inspecting.terminal.reading import Mistake, named, number

Numbered = tuple[int, Seen]

_SLOT = re.compile(r"(.+):(\d+)")


class Selection:
    """What is selected in a run. ``step``: the step whose tensors are listed, None for all; ``node``: an op."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.step: int | None = None
        self.node: int | None = None

    def tensors(self) -> list[Numbered]:
        """The tensors of the step, each once: as an output where it is one."""
        found: dict[tuple[str, int, int], Numbered] = {}
        for i, one in enumerate(self._run.tensors):
            key = (one.name, one.step, one.process)
            if self.step in (None, one.step) and (key not in found or one.role == OUTPUT != found[key][1].role):
                found[key] = i, one
        return sorted(found.values())

    def tensor(self, name: str) -> Numbered:
        """A tensor by its number, its name, its op and slot, or a part of its name that no other has."""
        tensors = self._run.tensors
        if not tensors:
            raise Mistake("the run recorded no tensors: there was no origin, and no filter matched")
        if name.isdecimal():
            index = number(name, len(tensors), "tensor")
            return index, tensors[index]
        listed = self.tensors()
        exact = [pair for pair in listed if pair[1].name == name]
        ending = [pair for pair in listed if pair[1].name.endswith(f"/{name}")]
        for some in (exact, self._in_slot(name), [one for one in ending if not self._is_gradient(one[1])], ending):
            if len({one.name for _, one in some}) == 1:
                return some[0]
        return listed[named(name, [one.name for _, one in listed], "tensor", "lt lists them")]

    def _in_slot(self, name: str) -> list[Numbered]:
        """What ``NAME:SLOT`` is: the output of the op, or what another op was given of it."""
        match = _SLOT.fullmatch(name)
        nodes = self._alike(match[1]) if match else []
        for node in nodes:
            made = [
                (i, one) for i, one in self.tensors() if one.source == node or (one.node == node and one.role != INPUT)
            ]
            first = min((one.step for _, one in made), default=0)
            slots = {one.name: (i, one) for i, one in reversed(made) if one.step == first}
            if made and match:
                return sorted(slots.values())[int(match[2]) :][:1]
        return []

    def _alike(self, name: str) -> list[int]:
        """The ops that a name may mean: by their own names, else by what they compute; those first that were seen."""
        nodes = self._run.nodes
        own = [i for i, one in enumerate(nodes) if one.name == name]
        alike = [i for i, one in enumerate(nodes) if one.op.lower() == name.lower()]
        seen = {one.node for _, one in self.tensors()}
        return own or sorted(alike, key=lambda i: (nodes[i].backward, i not in seen, nodes[i].op != name))

    def _is_gradient(self, tensor: Seen) -> bool:
        return tensor.name.startswith("grad") or (tensor.node is not None and self._run.nodes[tensor.node].backward)

    def op(self, name: str) -> int:
        """An op by its name, by one of its tensors, or the one that is selected; it is selected from now on."""
        if not name:
            if self.node is None:
                raise Mistake(
                    "no op is selected: name one (lt lists the tensors with their ops), or select an alert with an op"
                )
            return self.node
        tensors = {one.name for _, one in self.tensors()}
        node: int | None = None
        if name.isdecimal() or name in tensors:
            node = _made(self.tensor(name)[1])
        else:
            match = _SLOT.fullmatch(name)
            alike = self._alike(name) or (self._alike(match[1]) if match else [])
            if alike:
                node = alike[0]
            elif match:
                node = _made(self.tensor(name)[1])
            else:
                nodes = [one.name for one in self._run.nodes]
                node = named(name, nodes, "op", "lt lists tensors with their ops")
        if node is None:
            raise Mistake(f"it is not known which op {name} belongs to")
        self.node = node
        return node

    def inputs(self, node: int) -> list[Numbered]:
        """What was recorded of what an op takes."""
        return [(i, self._run.tensors[i]) for i in self._run.of_node(node) if self._run.tensors[i].role == INPUT]

    def outputs(self, node: int) -> list[Numbered]:
        """What was recorded of what an op gives."""
        return [(i, self._run.tensors[i]) for i in self._run.of_node(node) if self._run.tensors[i].role != INPUT]


def _made(tensor: Seen) -> int | None:
    """The op that a tensor came out of; of one of which that is not known, the op that it was seen at."""
    return tensor.source if tensor.role == INPUT and tensor.source is not None else tensor.node


def filtered(name: str, tensors: Iterable[Numbered]) -> list[Numbered]:
    """The tensors for which a filter holds. One that is a function gets the array, if all elements were stored.

    Raises Mistake.
    """
    tensors = list(tensors)
    try:
        wanted = None if any(name == one.filter for _, one in tensors) else filter_of(name)
    except FilterError as error:
        raise Mistake(str(error)) from None

    def holds(tensor: Seen) -> bool:
        if name == tensor.filter or (name == "has_inf_or_nan" and tensor.bad):
            return True
        if wanted is None:
            return False
        try:
            return wanted.holds(tensor.health, array_of(tensor) if wanted.wants_tensor else None)
        except Exception as error:  # the user's own function, which may ask for the tensor that is no more
            raise Mistake(f'filter "{name}" failed: {type(error).__name__}: {error}') from None

    return [pair for pair in tensors if holds(pair[1])]


def array_of(tensor: Seen) -> Any:
    """A tensor as an array of NumPy; None where not all elements were stored, or NumPy is not installed."""
    if not tensor.values or len(tensor.values) < tensor.health.size:
        return None
    try:
        import numpy
    except ImportError:
        return None
    number_of: Callable[[str], complex] = complex if "complex" in tensor.health.dtype else float
    return numpy.array([number_of(one) for one in tensor.values]).reshape(
        tensor.health.shape or (-1,)[: len(tensor.values) > 1]
    )
