"""NL102."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.log_of import LogOf
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, form
from nanlint.rules.registry import Finding, Findings, rule


def sigmoid_behind(node: Node, facts: Facts) -> tuple[Node, bool] | None:
    """The sigmoid whose output (or 1 minus it: True) a node is."""
    direct = facts.origin(node, "sigmoid")
    if direct is not None:
        return direct, False
    node = facts.bare(node)
    if node.op == "sub" and facts.is_constant(node["a"], 1):
        inner = facts.origin(node["b"], "sigmoid")
    elif node.op == "neg":
        inner = facts.origin(node["x"], "sigmoid")
    else:
        inner = None
    return (inner, True) if inner is not None else None


@rule("NL102", "log-of-sigmoid", hazards="log log2 log10 log1p", fixable=Applicability.SAFE)
def log_of_sigmoid(hazard: Hazard, facts: Facts) -> Findings:
    found = sigmoid_behind(hazard.operand, facts)
    if found is None or hazard.pole.cls != "zero":
        return "the value that becomes 0 is neither a sigmoid nor 1 minus a sigmoid"
    sigmoid, complement = found
    if hazard.node.op == "log1p" and not complement:
        return "1 plus a sigmoid"
    what = "log of 1 - sigmoid" if complement else "log of a sigmoid"
    yield Finding(
        hazard.node,
        f"{what}: -inf as soon as the sigmoid saturates",
        "log(0) = -inf",
        form(),
        ((sigmoid, hazard.evidence.text),),
        LogOf("log_sigmoid", hazard.node, sigmoid, complement=complement),
    )
