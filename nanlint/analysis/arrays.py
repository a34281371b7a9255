"""What says that something is an array: only an array becomes NaN or Inf silently, where Python raises.

Evidence is what makes something an array, as an annotation, a function of a framework and the arrays it is computed
from do, and what is done with it that can be done with arrays alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nanlint.analysis.evaluate import TENSOR_ANNOTATIONS
from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.scenarios import NOT_DATA
from nanlint.analysis.structure import Evaluate, asked_once, is_field
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PHI, REFINE, TUPLE, Node, walk
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.value import Kind

#: nodes that are looked at back to what something is computed from, and forward to what becomes of it
MAX_NODES = 30
#: whose functions take and give Python numbers
OF_NUMBERS = frozenset({None, "math", "builtins"})
#: attributes that only arrays have
ARRAY_ATTRIBUTES = frozenset({"dtype", "device", "requires_grad", "itemsize", "strides"})
#: what, as a function, makes an array of anything
CONVERSIONS = frozenset({"tensor", "cast", "integer"})
#: what is one thing or another
ONE_OF = frozenset({REFINE, PHI, LOOP, "where", "stored"})


def is_array(node: Node, value: Evaluate, *, turns: bool = True) -> bool:
    """Whether something says that a node is an array, or is computed from one.

    Without ``turns``: even where the loops that make it have none, so that it is what they start with.
    """

    def back(n: Node) -> Iterator[Node]:
        return (a for a in made_of(n, value) if turns or n.op != LOOP or a is n["pre"])

    nodes = list(walk(node, back, MAX_NODES))
    if not turns:
        nodes = [n for n in nodes if not any(True for _ in back(n))]
    return any(made_as_array(n, value) or used_as_array(n, value) for n in nodes)


def is_computed(node: Node, value: Evaluate) -> bool:
    """Whether a node is computed from results of functions alone, and from no parameter that may be a setting."""
    sources = [n for n in walk(node, lambda n: made_of(n, value), MAX_NODES) if n.op in UNKNOWNS]
    return bool(sources) and all(n.op == CALL for n in sources)


def made_of(node: Node, value: Evaluate) -> Iterator[Node]:
    """What a node is computed from so that it is an array where that is."""
    if value(node).kind is Kind.SCALAR or node.framework == "math" or is_field(node):
        return
    element = node.op == CALL and isinstance(node.site, ast.Name)
    if node.op in OPS or node.op in ONE_OF or element:
        yield from (a for name, a in node.args.items() if name not in NOT_DATA)


def made_as_array(node: Node, value: Evaluate) -> bool:
    """Whether a node is one by what made it: an annotation, a function of a framework, a derivative, matrices."""
    kind = value(node).kind
    if kind is not Kind.ANY:
        return kind is Kind.TENSOR
    made = node.op == "dot" or not {"of_array", "gradient"}.isdisjoint(node.attrs)
    return made or node.framework not in OF_NUMBERS


@asked_once
def used_as_array(node: Node, value: Evaluate) -> bool:
    """Whether anything is done with a node, or with what numbers make of it, that is done with arrays alone."""
    if value(node).kind is Kind.SCALAR:
        return False

    def becomes(n: Node) -> Iterator[Node]:
        return (user for user in read_again(n) if user.op in ONE_OF or with_numbers(user, n, value))

    same = walk(node, becomes, MAX_NODES)
    return any(takes_array(user, n) for n in same for user in read_again(n))


def read_again(node: Node) -> list[Node]:
    """The uses of a node; of an attribute or an element, wherever it is read."""
    if node.op in (ATTR, "part") and node.args:
        owner = next(iter(node.args.values()))
        return [user for other in owner.users if other.key == node.key for user in other.users]
    return node.users


def with_numbers(user: Node, node: Node, value: Evaluate) -> bool:
    """Whether a use is arithmetic of a node with Python numbers: an array if the node is one."""
    if user.op not in OPS or user.spelling is not None or not OPS[user.op].pointwise:
        return False
    return all(a is node or value(a).kind is Kind.SCALAR for a in user.args.values())


def takes_array(user: Node, node: Node) -> bool:
    """Whether only arrays have such a use: an attribute, a method, a test, an index, a function of a framework."""
    if user.op == ATTR:
        return user.name in ARRAY_ATTRIBUTES
    if user.op == CALL:
        return reads(user, "arg0", node) and ("of_array" in user.attrs or tests_for_array(user))
    op = OPS.get(user.op)
    if op is None or not op.operands or not reads(user, op.operands[0], node):
        # the other operands may be numbers, but for those of a product of matrices
        return op is not None and op.bilinear
    if user.op in ("part", "view") and "index" in user.args:
        return many_places(user["index"])
    if user.spelling is None:
        return user.op in ("size", "dot")
    if user.spelling.framework in OF_NUMBERS:
        return False
    if user.op in CONVERSIONS:
        return user.spelling.is_method
    return user.op == "size" or op.pointwise or op.view or op.reduction or op.bilinear


def reads(user: Node, operand: str, node: Node) -> bool:
    """Whether a node, or what is the same, is an operand of another."""
    return operand in user.args and user[operand].key == node.key


def tests_for_array(test: Node) -> bool:
    """Whether a call asks if something is an array."""
    tested = test.get("arg1") if test.name == "builtins.isinstance" else None
    return tested is not None and tested.name.rpartition(".")[2] in TENSOR_ANNOTATIONS


def many_places(index: Node) -> bool:
    """Whether no number or table of names is asked for the elements of an index: a slice, a new axis, a mask."""
    if index.op == CONST:
        return index.attrs["value"] in (None, ...)
    if index.op == TUPLE:
        return any(map(many_places, index.args.values()))
    return index.op in CONDITIONS or index.op == "slice"
