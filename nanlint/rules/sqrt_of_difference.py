"""NL507."""

from __future__ import annotations

from nanlint.analysis.algebra import root, terms
from nanlint.analysis.structure import square_root_of
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import DIFFERENCE_OF_SQUARES, ONE_MINUS_SQUARE
from nanlint.fixes.rewrite import Rewrite
from nanlint.fixes.safe_root import SafeRoot
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL507",
    "sqrt-of-difference",
    nodes="sqrt pow",
    after="NL108 NL201 NL202 NL203 NL206 NL207 NL503",
    fixable=Applicability.SAFE,
)
def sqrt_of_difference(root_node: Node, facts: Facts) -> Findings:
    radicand = root(root_node, facts.value)
    parts = terms(radicand) if radicand is not None else []
    if radicand is None or facts.scalar(root_node) or len(parts) != 2 or parts[0].negative == parts[1].negative:
        return "not a difference of two terms"
    above, below = sorted(parts, key=lambda t: t.negative)
    a, b = square_root_of(above.node), square_root_of(below.node)
    if b is not None and facts.loses_digits_against(b, above.node, a):
        yield Finding(
            root_node,
            "root of a difference of squares: for nearly equal numbers little more than rounding error is left",
            "off by 0.4 % for 8252.5625 and 8252.5 (float32)",
            form(Seen.LOSES_DIGITS),
            fix=SafeRoot(root_node, radicand, value=True)
            if facts.differentiated(root_node)
            else Rewrite(radicand, DIFFERENCE_OF_SQUARES, {"a": a, "b": b})
            if a is not None
            else Rewrite(radicand, ONE_MINUS_SQUARE, {"x": b}),
        )
