"""What enters a slice from outside: the only nodes that a witness may give numbers to, and what is expected of them.

A caller chooses parameters, attributes and data; training chooses weights; a generator draws. Everything else follows
from these. What is computed in a way that no formula here repeats is none of them: a search that needs it ends there.
"""

from __future__ import annotations

import builtins
import math
from enum import Enum

from nanlint.analysis.expected import expected
from nanlint.analysis.names import CONFIGURATION, MASK, is_logit, is_plain_logarithm, says, words
from nanlint.analysis.structure import asked_once, bare, called, is_field, uses
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DICT,
    FUNCTION,
    INSTANCE,
    LAYER,
    LOOP,
    MODULE,
    PARAM,
    PHI,
    REFINE,
    STRING,
    TUPLE,
    Node,
)
from nanlint.ops.op import OPS
from nanlint.source.roots import ROOTS

#: nodes that are no number at all
OBJECTS = frozenset({MODULE, FUNCTION, CLASS, LAYER, DICT, STRING, INSTANCE, "tape", "partial", "super", "gradient_of"})
#: graph nodes beside the ops of the catalogue that the interpreter knows
STRUCTURE = frozenset({CONST, PHI, LOOP, REFINE, TUPLE, "list", "slice", "stored"})
#: ops whose formula needs what rows do not have: shapes, taps of a window
SHAPED = frozenset({"unknown", "window"})
#: ops that are taken of logits
SHARES = frozenset({"softmax", "log_softmax"})
#: what a name calls an object of whose settings there are attributes; an array may be called so, too
SETTINGS = CONFIGURATION | {"configs", "conf", "settings", "opts", "opt", "args"}
#: uses of a source that are looked at
MAX_USES = 40
#: operands of which a branch, a loop or a part hands one on
PASSED = ("x", "a", "b", "pre", "back")


class Sort(Enum):
    """How a number comes into a slice. ``COMPUTED`` does not: it follows from others, and nobody can give it."""

    PARAMETER = "parameter"
    ATTRIBUTE = "attribute"
    TRAINED = "trained"
    LAYER = "weights of a layer"
    DATA = "data"
    UNSEEN = "result of a function that nanlint does not see"
    DRAWN = "random draw"
    SIZE = "size"
    COMPUTED = "computed"

    @property
    def given(self) -> bool:
        """Whether a witness may choose its numbers."""
        return self is not Sort.COMPUTED


#: how the numbers of some ops come in, whatever they are given; those of data are read, and somebody else wrote them
SORTS = {PARAM: Sort.PARAMETER, "input": Sort.DATA, "table": Sort.DATA, "size": Sort.SIZE}


@asked_once
def sort_of(node: Node) -> Sort | None:
    """How the numbers of a node come in; None where operations of the slice make them."""
    op = OPS.get(node.op)
    if node.attrs.get("requires_grad") or node.op == "variable":
        return Sort.TRAINED
    if is_entry(node):
        return Sort.ATTRIBUTE
    if node.attrs.get("annotation") == "complex":
        return Sort.COMPUTED
    if node.op in SORTS:
        return SORTS[node.op]
    if node.op == ATTR:
        return Sort.COMPUTED if computed(node.get("base")) else Sort.ATTRIBUTE
    if node.op == CALL:
        return Sort.COMPUTED if visible(node) else Sort.UNSEEN
    if node.op == "linear":
        return Sort.LAYER if node.get("layer") is not None else Sort.COMPUTED
    if node.op in SHAPED:
        return Sort.COMPUTED if node.args else Sort.DATA
    if op is None:
        return None if node.op in STRUCTURE | OBJECTS else Sort.COMPUTED
    if not op.pure:
        return Sort.COMPUTED if "x" in node.args else Sort.DRAWN
    return None


def is_entry(node: Node) -> bool:
    """Whether a node is an entry of a record that enters: what it holds by a name, and the record is no number itself.

    What a variable says of which only entries and attributes are taken is a name, too: ``batch[self.USER]``.
    """
    if node.op != "part" or "index" not in node.args:
        return False
    record = node["x"]
    held = is_field(node) or (by_attribute(node) and all(u.op == ATTR or by_attribute(u) for u in record.users))
    return held and (is_entry(record) or ((sort := sort_of(record)) is not None and sort.given))


def by_attribute(node: Node) -> bool:
    """Whether a node is what an object's attribute, or a setting, names or numbers."""
    index = node.get("index") if node.op == "part" else None
    if index is None or is_field(node):
        return index is not None
    # what is written in capitals is a constant, and no mask
    return (index.op == ATTR or is_field(index)) and (called(index).isupper() or not says(called(index), MASK))


def is_setting(node: Node) -> bool:
    """Whether a node is a number that somebody sets once: it belongs to what a name calls a configuration."""
    holder = node.get("base") if node.op == ATTR else node.get("x") if is_field(node) else None
    return holder is not None and (bool(SETTINGS & set(words(called(holder))[-1:])) or is_setting(holder))


def is_member(node: Node) -> bool:
    """Whether a node is one of the constants that a class lists, as ``Mode.TRAIN``: it stands for no number."""
    base = node.get("base") if node.op == ATTR else None
    return base is not None and node.name.isupper() and called(base)[:1].isupper() and not called(base).isupper()


def driven(node: Node, sort: Sort | None) -> bool:
    """Whether training drives a source to where functions saturate: weights, what layers and models give, logits.

    What a softmax is taken of is one, whatever its name. Of anything else nobody knows that it is ever large.
    """
    name = called(node)
    if sort in (Sort.LAYER, Sort.TRAINED):
        return True
    if sort not in (Sort.PARAMETER, Sort.ATTRIBUTE, Sort.UNSEEN) or is_plain_logarithm(name):
        return False
    model = sort is Sort.UNSEEN and not of_receiver(node) and len(node.args) > ("arg0" in node.args)
    return is_logit(name) or model or any(user.op in SHARES for user in uses(node, hands_on, MAX_USES))


def hands_on(user: Node, used: Node) -> bool:
    """Whether a use keeps a number as large as it is: a view, a branch, a sign, a product with a number."""
    op = OPS.get(user.op)
    scaled = user.op in ("mul", "div") and CONST in (bare(user["a"]).op, bare(user["b"]).op)
    return scaled or user.op in (PHI, REFINE, LOOP, "cast", "neg", "part", "identity") or (op is not None and op.view)


def computed(node: Node | None) -> bool:
    """Whether a node is the result of operations, so that what is made of it is computed, too.

    What is only chosen or taken from what enters (a branch, an element) may be anything still.
    """
    pending, seen = [node] if node is not None else [], set[int]()
    while pending:
        current = pending.pop()
        if current.index in seen or current.op in OBJECTS or current.op == CONST:
            continue
        seen.add(current.index)
        if current.op in (ATTR, CALL) and not by_name(current):
            # of what was computed, an attribute or the result of a method is, too
            receiver = current.get("base" if current.op == ATTR else "arg0") if of_receiver(current) else None
            pending.extend([receiver] if receiver is not None else [])
            continue
        sort = None if current.op in (ATTR, CALL) else sort_of(current)
        op = OPS.get(current.op)
        if current.op in STRUCTURE or current.op == "part" or (op is not None and op.view):
            pending.extend(current.args[name] for name in PASSED if name in current.args)
        elif sort in (None, Sort.COMPUTED, Sort.DRAWN):
            return True
    return False


def of_receiver(node: Node) -> bool:
    """Whether a node is an attribute, or what a method gives: known as far as its receiver is."""
    return node.op == ATTR or node.name.startswith(".")


def visible(call: Node) -> bool:
    """Whether a call's function is a known one: of Python, of a framework, or a method of what these give."""
    return computed(call.get("arg0")) if of_receiver(call) else by_name(call)


def by_name(call: Node) -> bool:
    """Whether the name of a call's function is that of a known one, and there is something that it computes with."""
    root, _, name = call.name.partition(".")
    if root == "builtins":
        return hasattr(builtins, name)
    return bool(name) and root in ROOTS and bool(call.args)


def bounds(node: Node, lo: float, hi: float) -> tuple[float, float, bool]:
    """The numbers that may be given to a node: what is proved, within what its name lets a reader expect; if whole."""
    name = called(node)
    belief = expected(name)
    # nobody sets a number below 0 that has no name for that
    least, most = max(lo, belief.lo, 0.0 if is_setting(node) else -math.inf), min(hi, belief.hi)
    if least > most or math.isnan(least) or math.isnan(most):
        return lo, hi, False
    return least, most, belief.whole
