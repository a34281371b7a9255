"""How many elements a selection has: those of a mask may be none, a slice from i to i + 1 has one."""

from __future__ import annotations

from nanlint.analysis.structure import Evaluate
from nanlint.graph.node import CONST, REFINE, TUPLE, Node
from nanlint.ops.selection import COMPARISONS


def selects_by_mask(index: Node | None, value: Evaluate) -> bool:
    """Whether an index is a mask that is false everywhere at times (as against places, or a slice).

    A comparison of data is one, and what is called a mask; what finds NaN, or leaves out a diagonal, is not.
    """
    if index is None:
        return False
    if index.op == REFINE or (index.op == "argmax" and index.attrs.get("nonzero")):
        return selects_by_mask(index["x"], value)
    if index.op in ("and", "or", "not"):
        return all(selects_by_mask(part, value) for part in index.args.values())
    if index.op in COMPARISONS:
        return True
    note = value(index).evidence("low")
    return value(index).whole and note is not None and note.named


def is_filled(node: Node) -> bool:
    """Whether the path taken says that an array is not empty, or a mask not false everywhere."""
    while node.op in (REFINE, "cast", "view"):
        if node.op == REFINE and node.attrs["cmp"] == "filled":
            return True
        node = node["x"]
    return False


def is_single_slice(index: Node, value: Evaluate) -> bool:
    """Whether an index is [i:i + 1], or [:1]."""
    if index.op != "slice" or "upper" not in index.args or "step" in index.args:
        return False
    upper, lower = index["upper"], index.get("lower")
    if lower is None:
        return value(upper).constant == 1
    if value(lower).constant is not None and value(upper).constant is not None:
        return value(upper).constant == value(lower).constant + 1  # type: ignore[operator]
    return upper.op == "add" and any(
        upper[one].key == lower.key and value(upper[other]).constant == 1 for one, other in (("a", "b"), ("b", "a"))
    )


def opens_axis(index: Node) -> bool:
    """Whether an index begins with None: a new first axis, of one element."""
    first = next(iter(index.args.values()), index) if index.op == TUPLE else index
    return first.op == CONST and first.attrs["value"] is None
