"""NL102."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.log_of import LogOf
from nanlint.graph.node import Node
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
    """Log of a sigmoid.

    ## What it does
    Finds `log(sigmoid(x))`, `log(1 - sigmoid(x))` and `log1p(-sigmoid(x))`, through variables, helpers and layers.

    ## Why is this bad?
    In float32 `sigmoid` is exactly 0 below about -89 and exactly 1 above about 17, so one of the two logarithms of a
    binary cross-entropy is -inf for a confident model, and `0 * -inf = nan`.

    ## Example (bad)
    ```python
    p = torch.sigmoid(logits)
    loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
    ```

    ## Use instead
    ```python
    loss = -(y * F.logsigmoid(logits) + (1 - y) * F.logsigmoid(-logits)).mean()
    ```

    ## Fix safety
    Safe: `logsigmoid(x)` and `logsigmoid(-x)` give the same values wherever the original is finite.

    ## References
    Mächler: Accurately computing log(1 - exp(-|a|)) (2012).
    """
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
        Confidence.CERTAIN,
        ((sigmoid, hazard.evidence.text),),
        LogOf("log_sigmoid", hazard.node, sigmoid, complement=complement),
    )
