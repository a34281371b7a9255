"""What is seen of what a value holds: that it is floating-point numbers, that it is an array or a number, and no list.

Seen is what made it, an annotation or a docstring; a name is a belief. What a public function is given is not seen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TypeAlias

from nanlint.analysis.expected import expected
from nanlint.analysis.gradient import GradientFlow
from nanlint.analysis.scenarios import NOT_DATA
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, Node, unrefined, uses, walk
from nanlint.hazards.facts import Facts
from nanlint.ops.floats import FORMATS
from nanlint.ops.frameworks import ARRAYS, FLOATING_ONLY, FLOATS_OF_WHOLES, GIVES_COMPLEX
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS

#: ops that give whole numbers or truths of any
WHOLE = CONDITIONS | {"argmax", "argsort", "size", "count_nonzero", "bincount", "integer", "isnan", "isinf", "isfinite"}
#: arrays of floating-point numbers, unless a dtype or another array says something else
FILLED = frozenset({"zeros", "ones", "empty", "normal", "uniform", "linear", "variable"})
#: annotations of what is floating-point numbers, by their last name
FLOAT_TYPES = frozenset({"float", "floating", "Float", "FloatTensor", "DoubleTensor", "HalfTensor"})
#: operators that no list has
OPERATORS = frozenset({"sub", "neg", "div", "pow", "square", "floordiv", "mod"})
#: ops that make a real number of a complex one
MADE_REAL = frozenset({"abs", "norm", "var", "std", "angle", "atan2", "isnan", "isinf", "isfinite", "size"})
NONE = frozenset[str]()
#: values that are asked for one
MAX_NODES = 300

Says: TypeAlias = "Callable[[Node, Callable[[Node], bool]], bool]"
Apart: TypeAlias = "Callable[[Node], bool]"


def settled(node: Node, says: Says, known: dict[int, bool] | None = None) -> bool:
    """What is said of a value by what is said of others, each asked once; of what a loop makes of itself it holds."""
    known = {} if known is None else known
    node = unrefined(node)
    if node.index not in known:
        known[node.index] = True
        joined = (a for name, a in node.args.items() if name != "cond") if node.op in (PHI, LOOP) else None

        def of(one: Node) -> bool:
            return settled(one, says, known)

        said = len(known) < MAX_NODES and (says(node, of) if joined is None else all(map(of, joined)))
        known[node.index] = said
    return known[node.index]


def is_floating(node: Node, gradient: GradientFlow, apart: Apart) -> bool:
    """Whether a value is seen to be floating-point numbers. ``apart``: uses that say nothing of a value."""

    def says(n: Node, of: Callable[[Node], bool]) -> bool:
        if any(user.op in FLOATING_ONLY.get(user.framework or "", NONE) and not apart(user) for user in uses(n)):
            return True
        dtype = n.attrs.get("dtype")
        if dtype is not None or n.attrs.get("requires_grad"):
            return dtype is None or str(dtype) in FORMATS
        if n.op == CONST:
            return isinstance(n.attrs.get("value"), float)
        if n.op == PARAM:
            return n.attrs.get("annotation") in FLOAT_TYPES or said_to_be_floating(n)
        if n.op == CALL:
            # a model, whose result is differentiated
            return gradient.taker(n) is not None
        if n.op in FLOATS_OF_WHOLES | FLOATING_ONLY.get(n.framework or "", NONE) or (
            n.op in FILLED and "like" not in n.attrs
        ):
            return True
        # one that is filled with a number stays what it is
        given = [a for name, a in data(n) if name != "cond" and not (n.op == "where" and a.op == CONST)]
        return n.op in OPS and n.op not in WHOLE and any(map(of, given)) and (n.op != "where" or all(map(of, given)))

    return settled(node, says)


def is_no_list(node: Node, apart: Apart) -> bool:
    """Whether a value is seen to be an array or a number: by what made it, or as something is done that no list can."""

    def says(n: Node, of: Callable[[Node], bool]) -> bool:
        if n.op == CONST or n.framework in ARRAYS:
            return True
        if any(takes_no_list(user) and not apart(user) for user in uses(n)):
            return True
        if n.op == "part":
            return "index" in n.args and unrefined(n["index"]).op in OPS
        if n.op not in OPS or n.op == "list":
            return n.op == PARAM and n.attrs.get("annotation") in {*FLOAT_TYPES, "int", "bool"}
        given = [a for _, a in data(n)]
        multiplied = n.op == "mul" and not any(a.op == CONST for a in given)
        return takes_no_list(n) or multiplied or any(map(of, given))

    return settled(node, says)


def data(node: Node) -> list[tuple[str, Node]]:
    """The operands of an op that hold its data."""
    return [(name, arg) for name, arg in node.args.items() if name not in NOT_DATA]


def is_whole(node: Node, facts: Facts) -> bool:
    """Whether a value is of whole numbers, by its type or by its name."""
    named = expected(str(node.attrs.get("variable") or node.name)).whole
    return facts.whole_type(node) or (named and facts.value(node).constant is None)


def is_complex(node: Node) -> bool:
    """Whether a value is made of a complex number."""
    made = walk(node, lambda n: () if n.op == ATTR or n.op in MADE_REAL or n.name else n.args.values())
    return any(n.attrs.get("annotation") == "complex" or n.name.rpartition(".")[2] in GIVES_COMPLEX for n in made)


def said_to_be_floating(parameter: Node) -> bool:
    """Whether a docstring says that a parameter is of floating-point numbers, and not that it may be of whole ones."""
    owners = (o for o in parameter.attrs.get("of", ()) if isinstance(o, ast.FunctionDef | ast.ClassDef))
    texts = (ast.get_docstring(owner) or "" for owner in owners)
    said = (re.search(rf"^\W*(?:param )?{re.escape(parameter.name)}\b.*float.*", t, re.M | re.I) for t in texts)
    return any(found is not None and re.search(r"\bint", found[0]) is None for found in said)


def takes_no_list(user: Node) -> bool:
    """Whether a use is an operator, a method or an attribute that no list has."""
    method = user.spelling.is_method if user.spelling is not None else user.op in OPERATORS
    return method or (user.op == ATTR and not user.attrs.get("called"))
