"""NL407."""

from __future__ import annotations

from nanlint.analysis.algebra import root, terms
from nanlint.analysis.facts import Facts
from nanlint.analysis.structure import square_root_of
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.forms import HYPOT
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.ops.floats import FLOAT16
from nanlint.ops.value import INF, Kind
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL407",
    "handwritten-hypot",
    nodes="sqrt pow",
    after="NL201 NL202 NL203 NL206 NL207 NL503",
    fixable=Applicability.SAFE,
)
def handwritten_hypot(root_node: Node, facts: Facts) -> Findings:
    radicand = root(root_node, facts.value)
    if radicand is None or facts.scalar(root_node):
        return "no root"
    squares = [t.node for t in terms(radicand) if not t.negative]
    legs = [leg for s in squares if (leg := square_root_of(s)) is not None]
    if len(terms(radicand)) != 2 or len(legs) != 2 or not all(facts.varies(leg) for leg in legs):
        return "no sum of two squares"
    unbounded = [leg for leg in legs if max(-facts.value(leg).lo, facts.value(leg).hi) == INF]
    if not unbounded:
        return "both values are bounded"
    fmt = facts.value(radicand).format
    tensors = all(is_tensor(leg, facts) or is_tensor(s, facts) for leg, s in zip(legs, squares, strict=True))
    yield Finding(
        root_node,
        "root of a sum of squares: the squares overflow or underflow long before the length does",
        f"inf above {fmt.max**0.5:.1e}, 0 below {fmt.denormal**0.5 * 0.5**0.5:.1e} ({fmt.name})",
        Confidence.LIKELY if fmt is FLOAT16 else Confidence.POSSIBLE,
        fix=Rewrite(
            root_node,
            HYPOT,
            {"a": legs[0], "b": legs[1]},
            Applicability.SAFE if tensors or facts.framework(root_node) != "torch" else Applicability.UNSAFE,
        ),
    )


def is_tensor(node: Node, facts: Facts) -> bool:
    """Whether a value shows that it is a tensor: a function or method of PyTorch gave it."""
    return facts.value(node).kind is Kind.TENSOR or facts.bare(node).framework == "torch"
