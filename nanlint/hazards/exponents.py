"""What an exponential that stands alone is taken of: what is learned or called a logarithm, and that nothing bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.analysis.algebra import terms
from nanlint.analysis.cancellation import Affine, affine
from nanlint.analysis.growth import FAR
from nanlint.analysis.log_space import closed
from nanlint.analysis.names import is_log_probability, is_logarithm
from nanlint.analysis.structure import bare
from nanlint.graph.node import ATTR, CALL, LAYER, LOOP, PARAM, PHI, Node, walk
from nanlint.hazards.exponentials import overflows
from nanlint.hazards.facts import Facts
from nanlint.ops.floats import FLOAT32

#: layers and products with weights: their result is as large as training makes it
LAYERS = frozenset({"linear", LAYER})
#: what takes an exponential into a loss without its logarithm being taken again
SCALED = frozenset({"mul", "div", "add", "sub"})
#: what a source may be, the surest first
KINDS = ("network", "module", "named", "weight")
#: how far back a source is looked for
MAX_STEPS = 40


@dataclass(frozen=True)
class Exposed:
    """An exponent that nothing bounds: its ``source``, and what that is ("network", "module", "weight", "named").

    ``factor``: what it is multiplied by before the exponential is taken.
    """

    source: Node
    kind: str
    factor: float


def exposed(exp: Node, facts: Facts) -> Exposed | None:
    """The source of an exponent that is learned, or called a logarithm, and that nothing keeps from overflowing."""
    if not overflows(exp, facts) or closed(exp):
        return None
    form: Affine = affine(exp["x"], facts.value)
    if FAR * abs(form.factor) < FLOAT32.exp_overflow:
        # no ordinary number is that large
        return None
    parts = list(sources(form.core))
    found = {kind: node for node in parts if (kind := kind_of(node)) is not None}
    if not found or any(is_log_probability(name_of(node)) for node in parts):
        return None
    # a model whose result is called a logarithm ends in a layer, and in nothing that bounds it
    kind = "network" if {"module", "named"} <= found.keys() else next(k for k in KINDS if k in found)
    return Exposed(found.get(kind, found.get("named", form.core)), kind, abs(form.factor))


def sources(core: Node) -> Iterator[Node]:
    """What a value is a part of, or has as a term, on each path."""

    def onward(node: Node) -> list[Node]:
        inner = bare(node)
        if inner is not node:
            return [inner]
        if element_of_a_call(node):
            # an element of what a call returned
            return list(node.args.values())
        if node.op in ("part", "add", "sub", "neg", PHI, LOOP):
            return [node[k] for k in ("x", "a", "b", "pre", "back") if k in node.args]
        return []

    return walk(core, onward, MAX_STEPS)


def element_of_a_call(node: Node) -> bool:
    return node.op == CALL and not node.name and len(node.args) == 1


def kind_of(node: Node) -> str | None:
    """What a source is: the result of a layer, seen or not, a weight, or something called a logarithm or a logit."""
    weighed = node.op == "dot" and any(bare(side).op == "variable" for side in node.args.values())
    if node.op in LAYERS or weighed:
        return "network"
    if node.attrs.get("requires_grad"):
        return "weight"
    called = logarithmic(node)
    if node.op == CALL:
        if not element_of_a_call(node) and any(logarithmic(argument) for argument in node.args.values()):
            # from a logarithm to a logarithm: what bounds it, most of the time
            return None
        if called:
            return "named"
        callee = node.get("arg0")
        return "module" if not node.name and callee is not None and callee.attrs.get("held") else None
    if not called:
        return None
    return {PARAM: "named", ATTR: "weight", "variable": "weight"}.get(node.op)


def logarithmic(node: Node) -> bool:
    """Whether a value is called a logarithm, or a logit."""
    return is_logarithm(name_of(node))


def name_of(node: Node) -> str:
    """The name of a source, or of the variable that it was first bound to."""
    return str(node.attrs.get("variable") or node.name)


def beside_its_exponent(exp: Node, facts: Facts) -> bool:
    """v - exp(v): an exponential and its exponent, up to factors, are terms of one sum."""
    core = bare(affine(exp["x"], facts.value).core)
    sums = walk(exp, lambda n: [user for user in n.users if user.op in ("add", "sub", "neg", "view")], MAX_STEPS)
    found = (affine(term.node, facts.value).core for total in sums if total.op != "exp" for term in terms(total))
    return any(bare(node).key == core.key for node in found)


def scales(exp: Node, facts: Facts) -> bool:
    """Whether an exponential is multiplied, divided or added up with others, as in the terms of a loss."""
    return any(user.op in SCALED for user in facts.uses(exp))
