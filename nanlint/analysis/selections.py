"""Which elements a selection has, and how many: those of a mask may be none, a slice from i to i + 1 has one."""

from __future__ import annotations

from nanlint.analysis.structure import Evaluate
from nanlint.graph.conditions import FILLED
from nanlint.graph.node import CONST, REFINE, TUPLE, Node
from nanlint.ops.selection import COMPARISONS, CONDITIONS

#: operands that hold data (as against axes, indices, conditions)
NOT_DATA = frozenset({"cond", "index", "axis", "ord"})


def taken_by(index: Node | None) -> Node | None:
    """The condition that an index takes the elements of: a mask itself, or the places where something is true or not 0.

    ``np.where(c)[0]``, ``rows, columns = np.nonzero(c)`` and ``nonzero(c).squeeze(1)`` are such places.
    """
    while index is not None and index.op in (REFINE, "view", "cast", "part", "integer"):
        index = index["x"]
    if index is None or index.op in CONDITIONS or index.op in ("any", "all"):
        return index
    if index.op == TUPLE:
        conditions = [taken_by(part) for part in index.args.values()]
        first = conditions[0] if conditions else None
        # rows and columns of the same places
        return first if all(c is not None and first is not None and c.key == first.key for c in conditions) else None
    return index["x"] if index.op == "argmax" and index.attrs.get("nonzero") else None


def selects_by_mask(index: Node | None, value: Evaluate) -> bool:
    """Whether an index is a mask that is false everywhere at times (as against places, or a slice).

    A comparison of data is one, and what is called a mask; what finds NaN, or leaves out a diagonal, is not.
    """
    if index is None:
        return False
    if index.op == REFINE:
        return selects_by_mask(index["x"], value)
    if (condition := taken_by(index)) is not None and condition is not index:
        return selects_by_mask(condition, value)
    if index.op in ("and", "or", "not"):
        return all(selects_by_mask(part, value) for part in index.args.values())
    if index.op in COMPARISONS:
        return True
    note = value(index).evidence("low")
    return value(index).whole and note is not None and note.named


def is_filled(node: Node) -> bool:
    """Whether the path taken says that an array is not empty, or a mask not false everywhere."""
    while node.op in (REFINE, "cast", "view"):
        if node.op == REFINE and node.attrs["cmp"] == FILLED:
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


def test_of_result(cond: Node) -> Node | None:
    """The isnan, isinf or isfinite that a condition is."""
    while cond.op in ("not", "view", "any", "all", "and", "or") and cond.args:
        cond = next(iter(cond.args.values()))
    return cond if cond.op in ("isnan", "isinf", "isfinite") else None


def keeps_finite(mask: Node) -> bool:
    """Whether a mask is true for what is finite, or at least no NaN: isfinite(y), ~isnan(y)."""
    finite = True
    while mask.op in ("not", "view", REFINE, "and"):
        finite = finite != (mask.op == "not")
        mask = next(iter(mask.args.values()))
    return mask.op == "isfinite" if finite else mask.op in ("isnan", "isinf")


def tests_result(cond: Node) -> bool:
    """Whether a condition is about NaN or Inf themselves."""
    return test_of_result(cond) is not None
