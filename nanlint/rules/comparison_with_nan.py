"""NL505."""

from __future__ import annotations

import ast

from nanlint.diagnostic import Applicability
from nanlint.fixes.isnan import IsNan
from nanlint.frontend.modules import descendants
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule

EQUALITIES = {"eq": "always False", "ne": "always True"}


@rule(
    "NL505",
    "comparison-with-nan",
    nodes="eq ne test is isnot",
    fixable=Applicability.UNSAFE,
)
def comparison_with_nan(comparison: Node, facts: Facts) -> Findings:
    if not {"a", "b"} <= comparison.args.keys():
        return "nothing is compared"
    for x, other in (("a", "b"), ("b", "a")):
        among = comparison[other].args.values() if comparison.op == "test" else (comparison[other],)
        nan = next((n for n in among if facts.is_nan(n) and not stored(n, comparison)), None)
        if nan is None:
            continue
        by_value = comparison.op in EQUALITIES
        yield Finding(
            comparison,
            "comparison with nan, which is equal to nothing, not even to itself",
            EQUALITIES.get(comparison.op, "true only for the object `nan` itself, never for a computed nan"),
            form(not (by_value and not placeholder(nan, comparison, facts)) and Seen.BY_IDENTITY),
            ((nan, "is not equal to itself"),),
            IsNan(comparison, comparison[x], nan) if by_value else None,
        )
        return


def stored(nan: Node, comparison: Node) -> bool:
    """Whether an attribute of an object holds the NaN: it was set to it once, and may be anything by now."""
    written = list(ast.walk(comparison.site)) if comparison.site is not None else []
    return nan.site not in written and any(isinstance(e, ast.Attribute) for e in written)


def placeholder(nan: Node, comparison: Node, facts: Facts) -> bool:
    """Whether a container holds the NaN until something better is known: unequal to all, as it is meant to be."""
    written = list(ast.walk(comparison.site)) if comparison.site is not None else []
    if comparison.op == "test" or nan.site in written:
        return False
    displays = (n for n in descendants(facts.source.tree) if isinstance(n, (ast.Tuple, ast.List, ast.Dict, ast.Set)))
    return any(part is nan.site for display in displays for part in ast.iter_child_nodes(display))
