"""What one op sends back to its operands: hooks on its own node where it has one, on the tensors otherwise."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import torch

from nanlint.runtime.adapter import Values, Watch, safely

Heard = Callable[[str, Any], None]
#: as a failure is told
GRADIENT = "a PyTorch gradient"
#: hooks on leaves, which live on where nothing is ever sent back: one for each name, the newest
_on_leaves: dict[tuple[int, str], tuple[weakref.ref[torch.Tensor], Any]] = {}


def hear(watch: Watch, operands: Mapping[str, torch.Tensor], result: torch.Tensor, heard: Heard) -> None:
    """Call ``heard`` with what arrives for ``result``, and with what its op sends to each operand.

    Where the node of ``result`` consumes the operand itself, it is this op's gradient alone. Else (the expression is
    several ops) it is all that the operand gets, of which this expression may send a part only.
    """
    node = result.grad_fn
    if node is None or not result.requires_grad:
        return
    slots = {name: _slot(node, operand) for name, operand in operands.items() if operand.requires_grad}
    direct = {name: slot for name, slot in slots.items() if slot is not None}
    number = result.output_nr

    def on_node(sent: Values, arrived: Values) -> None:
        if number < len(arrived) and arrived[number] is not None:
            heard("result", arrived[number])
        for name, slot in direct.items():
            if slot < len(sent) and sent[slot] is not None:
                heard(name, sent[slot])

    node.register_hook(functools.partial(safely, watch, GRADIENT, on_node))
    for name, slot in slots.items():
        if slot is None:
            _hear_tensor(watch, name, operands[name], heard)


def _slot(node: Any, operand: torch.Tensor) -> int | None:
    """Which of the gradients that a node computes is the operand's; None if it has no such input."""
    source, number = operand.grad_fn, operand.output_nr
    for i, (feeder, output) in enumerate(node.next_functions):
        if feeder is None:
            continue
        if source is None:
            if getattr(feeder, "variable", None) is operand:
                return i
        elif feeder is source and output == number:
            return i
    return None


def _hear_tensor(watch: Watch, name: str, operand: torch.Tensor, heard: Heard) -> None:
    if not operand.is_leaf:
        operand.register_hook(functools.partial(safely, watch, GRADIENT, heard, name))
        return
    key = (id(operand), name)
    known = _on_leaves.pop(key, None)
    if known is not None:
        known[1].remove()

    def once(gradient: torch.Tensor) -> None:
        entry = _on_leaves.pop(key, None)
        if entry is not None:
            entry[1].remove()
        heard(name, gradient)

    handle = operand.register_hook(functools.partial(safely, watch, GRADIENT, once))
    _on_leaves[key] = weakref.ref(operand, lambda _: _on_leaves.pop(key, None)), handle
