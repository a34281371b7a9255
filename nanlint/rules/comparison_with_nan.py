"""NL505."""

from __future__ import annotations

import ast

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.isnan import IsNan
from nanlint.frontend.modules import descendants
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule

EQUALITIES = {"eq": "always False", "ne": "always True"}


@rule(
    "NL505",
    "comparison-with-nan",
    nodes="eq ne test is isnot",
    fixable=Applicability.UNSAFE,
)
def comparison_with_nan(comparison: Node, facts: Facts) -> Findings:
    """Comparison with NaN, which is equal to nothing.

    ## What it does
    Finds `x == nan`, `x != nan`, `x in [nan]` and `x is nan`, however NaN is written.

    ## Why is this bad?
    NaN is not equal to itself: for every x, NaN or not, `==` is False and `!=` is True. The test does not detect NaN.
    `is` and `in` compare with the object `np.nan`, which is never the result of a computation. This may be intended, so
    the finding is *possible*. A tuple, list or dict that is initialised with NaN, so that the first comparison finds a
    difference, is also *possible*.

    ## Example (bad)
    ```python
    loss = torch.where(loss == float("nan"), 0.0, loss)
    ```

    ## Use instead
    ```python
    loss = torch.where(torch.isnan(loss), 0.0, loss)
    ```

    ## Fix safety
    Unsafe: the test becomes True if x is NaN, so code runs that never ran before.

    ## References
    IEEE 754-2019, section 5.11. Pylint: nan-comparison. Ruff: PLW0177.
    """
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
            Confidence.CERTAIN if by_value and not placeholder(nan, comparison, facts) else Confidence.POSSIBLE,
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
