"""What is asked about nodes while they are made."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nanlint.frontend.syntax import MAX_ELEMENTS
from nanlint.graph.conditions import MIRRORED
from nanlint.graph.node import (
    CALL,
    CLASS,
    CONST,
    DICT,
    FUNCTION,
    INSTANCE,
    LAYER,
    LOOP,
    MODULE,
    PHI,
    REFINE,
    TUPLE,
    Node,
    unrefined,
    walk,
)
from nanlint.ops.floats import FORMATS
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling

IDENTITY: dict[type[ast.cmpop], str] = {ast.Is: "is", ast.IsNot: "isnot"}
#: attributes of a tensor that are the tensor, moved or measured
TENSOR_ATTRIBUTES = {
    "T": "view",
    "mT": "view",
    "H": "view",
    "real": "view",
    "data": "stop_gradient",
    "shape": "size",
    "size": "size",
    "ndim": "size",
}
DTYPES = {"half": "float16", "float": "float32", "double": "float64", "single": "float32"} | {
    name: name for name in FORMATS
}
#: elements of which an unknown key may find any
MAX_ALTERNATIVES = 8
#: nodes whose call is known
CALLABLE = frozenset({MODULE, FUNCTION, CLASS, LAYER, INSTANCE, "partial"})
ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
#: values that are asked whose an array is: where these do not tell, the frameworks of the file do
MAX_OPERANDS = 12
#: ops that make an array to be filled in
FRESH = frozenset({"zeros", "full", "ones", "stored"})
#: words of classes whose objects are arrays, or computed with like arrays
ARRAY_CLASSES = frozenset({"tensor", "array", "matrix", "frame", "series", "variable", "parameter", "input"})


def values_of_pair(node: Node) -> Node:
    """The values of a (values, indices) pair to compare or compute with: an array's maximum, not torch's pair."""
    if node.op == TUPLE and len(node.args) == 2 and "1" in node.args and node["1"].op == "argmax":
        return node["0"]
    return node


def written_out(node: Node) -> bool:
    """Whether all elements of a tuple or list are known, each by its place."""
    return node.op == TUPLE and not node.attrs.get("starred")


def grows(node: Node) -> bool:
    """Whether a list or dict is not too long for another one to be made for each element that is set."""
    return len(node.args) < MAX_ELEMENTS


def entry(key: Node, position: int) -> str:
    """The operand of a dict that holds what is filed under ``key``."""
    return f"={key.attrs['value']!r}" if key.op == CONST else f"?{position}"


def keys_known(node: Node) -> bool:
    """Whether the keys under which a dict was seen to get something are known."""
    return all(key.startswith("=") for key in node.args)


def complete(node: Node) -> bool:
    """Whether a dict has no keys but those that are known."""
    return keys_known(node) and not node.attrs.get("grows")


def is_list(node: Node, depth: int = 4) -> bool:
    """Whether a node is a list, also one that grows in a loop or on some path."""
    if node.op == "list":
        return True
    return depth > 0 and (
        node.op in (LOOP, PHI)
        and any(
            (node[k].op == TUPLE and bool(node[k].site)) or is_list(node[k], depth - 1)
            for k in ("pre", "a", "b")
            if k in node.args
        )
    )


def decided(cond: Node) -> bool | None:
    """Whether a condition is known to hold (in a call with literal arguments), known not to, or neither."""
    op = cond.op
    if op == CONST:
        return bool(cond.attrs["value"])
    if op == "not":
        inner = decided(cond["x"])
        return None if inner is None else not inner
    if op in ("and", "or") and {"a", "b"} <= cond.args.keys():
        known = [decided(cond["a"]), decided(cond["b"])]
        settling = op == "or"
        if settling in known:
            return settling
        return None if None in known else not settling
    if op in ("is", "isnot"):
        a, b = cond["a"], cond["b"]
        if a.op == b.op == CONST and a.key == b.key:
            return op == "is"
        if b.op == CONST and b.attrs["value"] is None:
            if a.op == CONST:
                return (a.attrs["value"] is None) == (op == "is")
            if a.op in OPS or a.op in (TUPLE, LAYER, FUNCTION, INSTANCE, DICT):
                return op == "isnot"
        return None
    if op in MIRRORED and cond["a"].op == cond["b"].op == CONST:
        x, y = cond["a"].attrs["value"], cond["b"].attrs["value"]
        try:
            return bool(ORDER[op](x, y))
        except TypeError:
            return None
    return None


def unlike_itself(operands: Mapping[str, Node]) -> Node | None:
    """What a comparison compares with itself, element by element; None where it does not."""
    a, b = operands.get("a"), operands.get("b")
    return a if a is not None and b is not None and a.key == b.key and a.op not in (CONST, "view") else None


def is_real_number(node: Node) -> bool:
    """Whether a node is a written out number that is no integer: a flag or a count is not differentiated."""
    return node.op == CONST and isinstance(node.attrs["value"], float)


def selected_alike(operands: dict[str, Node]) -> Node | None:
    """What a selection gives both sides of which are the same value."""
    a, b = operands.get("a"), operands.get("b")
    if a is None or b is None or a.op == CONST or a.key != b.key:
        return None
    return unrefined(a)


def makes_an_object(call: Node) -> bool:
    """Whether a call gives an object that is no array: it makes one of a class, or a distribution of SciPy's.

    The ``var`` of a distribution is its own, and no reduction of data.
    """
    if call.op != CALL or not call.name or call.name.startswith("."):
        return False
    last = call.name.rpartition(".")[2]
    is_class = last[:1].isupper() and not last.isupper() and "_" not in last
    return call.name.startswith("scipy.stats.") or (is_class and not is_array_class(last))


def is_array_class(name: str) -> bool:
    """Whether objects of a class, by the last part of its name, are arrays or are computed with like arrays."""
    return any(word in name.rpartition(".")[2].lower() for word in ARRAY_CLASSES)


def framework_behind(node: Node) -> str | None:
    """The framework whose array a node is: its own, or that of what it is computed of by operators and slices."""

    def operands(n: Node) -> Iterable[Node]:
        own = n.framework is None and n.op in OPS and (OPS[n.op].pointwise or OPS[n.op].view)
        return reversed(n.args.values()) if own else ()

    made_of = walk(node, operands, MAX_OPERANDS)
    return next((n.framework for n in made_of if n.framework not in (None, "math", "builtins")), None)


def taken(
    spelling: Spelling, positional: Sequence[Node], keywords: Mapping[str, Node]
) -> tuple[dict[str, Node], Sequence[Node]]:
    """What a call gives to the arguments of a function, by name, and to the one that takes all that follow."""
    given: dict[str, Node] = {}
    rest: Sequence[Node] = ()
    for i, node in enumerate(positional):
        param = spelling.parameter(i)
        if param is None:
            break
        if param.startswith("*"):
            rest = positional[i:]
            break
        given[param] = node
    given.update({spelling.aliases.get(name, name): node for name, node in keywords.items()})
    return given, rest


def in_place(spelling: Spelling, args: Sequence[Node], keywords: Mapping[str, Node]) -> bool:
    """Whether a call changes its first argument, or its receiver: by what it is, or as it is asked to."""
    given = keywords.get("inplace")
    if given is None and "inplace" in spelling.params[: len(args)]:
        given = args[spelling.params.index("inplace")]
    return spelling.in_place or (given is not None and given.attrs.get("value") is True)


def spelled_out(node: Node) -> float | None:
    """The number that a literal string spells: ``float("-inf")``."""
    text = node.attrs.get("value") if node.op == CONST else None
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def filled_array(node: Node) -> Node | None:
    """The array made to be filled that a node is, or is a view of."""
    while node.op in ("part", "view", REFINE) and "x" in node.args:
        node = node["x"]
    start = node
    while start.op == LOOP:
        start = start["pre"]
    return node if start.op in FRESH else None


def alternatives(node: Node) -> list[Node]:
    """What a node may be, or hold: the values that join in it, those of a container; itself where there are none."""
    parts = list(node.args.values()) if node.op in (TUPLE, DICT, "list") else [node[k] for k in "ab" if node.op == PHI]
    return [one for part in parts for one in alternatives(part)] if parts else [node]


def is_record(node: Node) -> bool:
    """Whether a node is a tuple or dict, written out, that a loop may give other values and not more of them."""
    if node.op == DICT:
        return bool(node.args) and keys_known(node)
    return written_out(node) and isinstance(node.site, ast.Tuple)
