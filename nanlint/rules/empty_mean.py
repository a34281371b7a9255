"""NL304 and NL305: means of nothing, deviations of one."""

from __future__ import annotations

import ast

from nanlint.analysis.facts import Facts
from nanlint.analysis.gradient import PLAIN
from nanlint.analysis.structure import bare
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.mean_of_selection import BiasedDeviation, SumIfEmpty
from nanlint.graph.node import Node
from nanlint.ops.value import LIKELY
from nanlint.rules.registry import LOWERED, Finding, Findings, confidence, rule


@rule("NL304", "empty-mean", nodes="mean", fixable=Applicability.SAFE)
def empty_mean(mean: Node, facts: Facts) -> Findings:
    """Mean of a selection that may be empty.

    ## What it does
    Finds means of the elements that a mask selects, where nothing looks at whether it selects any.

    ## Why is this bad?
    The mean of no elements is `0 / 0 = nan`. One batch without a positive example is enough, and the loss that it is
    added to is NaN.

    ## Example (bad)
    ```python
    loss = error[target > 0].mean()
    ```

    ## Use instead
    ```python
    positive = error[target > 0]
    loss = positive.mean() if positive.numel() else positive.sum()
    ```

    ## Fix safety
    Safe: the mean where there are elements, and their sum, 0, where there are none. Unsafe in TensorFlow, where it is
    the sum over the count: in float16 a sum may overflow that has a mean.

    ## References
    PyTorch: `torch.mean` of an empty tensor is NaN.
    """
    if has_no_elements(mean["x"], mean.site):
        effect = "the mean of no elements is 0 / 0 = nan"
        yield Finding(mean, "mean of no elements: nan", effect, Confidence.CERTAIN)
        return
    selection = facts.selection_behind(mean["x"])
    if selection is None or facts.known_filled(selection):
        return "no selection that may be empty"
    # a scalar is a loss or a part of one; means along an axis are features, of which some are not used
    scalar = mean.get("axis") is None and facts.differentiated(mean) and facts.framework(mean) not in PLAIN
    plain = not scalar or chosen_in_python(selection)
    level = confidence(LIKELY, lowered=int(plain) + int(facts.tested_for_infinity(mean)))
    if level is None:
        return LOWERED
    yield Finding(
        mean,
        "mean of a selection that may be empty",
        "the mean of no elements is 0 / 0 = nan",
        level,
        ((selection, "may select nothing"),),
        SumIfEmpty(mean) if bare(mean["x"]).op != "list" else None,
    )


def chosen_in_python(selection: Node) -> bool:
    """Whether a condition of Python's chose numbers one by one: of a loss that is not differentiated."""
    return "index" not in selection.args


def has_no_elements(array: Node, site: ast.AST | None) -> bool:
    """Whether an array is written out as an empty list, there or where it is made an array."""
    inner = bare(array)
    while inner.op == "tensor" and "x" in inner.args:
        inner, site = bare(inner["x"]), inner.site
    written = inner.site
    if site is None or not isinstance(written, ast.List | ast.Tuple) or written.elts:
        return False
    return written in ast.walk(site)


@rule(
    "NL305",
    "std-of-one",
    nodes="std var",
    fixable=Applicability.UNSAFE,
    frameworks="torch jax numpy",
)
def std_of_one(deviation: Node, facts: Facts) -> Findings:
    """Unbiased standard deviation or variance of a single element.

    ## What it does
    Finds deviations and variances with a correction of 1 (PyTorch's default, `ddof=1` elsewhere) over an axis that
    has one element, or over the elements that a mask selects; and any of an empty list.

    ## Why is this bad?
    The sum of squares is divided by n - 1: `0 / 0 = nan` for one element, and nan for none.

    ## Example (bad)
    ```python
    spread = reward[done > 0].std()
    ```

    ## Use instead
    ```python
    finished = reward[done > 0]
    spread = finished.std() if finished.numel() > 1 else reward.new_zeros(())
    ```

    ## Fix safety
    Unsafe: without the correction the deviation is smaller, by a factor of sqrt(1 - 1/n), and 0 for one element.

    ## References
    PyTorch: `torch.std`, on `correction`.
    """
    if has_no_elements(deviation["x"], deviation.site):
        effect = "there is no mean to deviate from: 0 / 0 = nan"
        yield Finding(deviation, f"{deviation.op} of no elements: nan", effect, Confidence.CERTAIN)
        return
    correction = deviation.get("ddof")
    if correction is None or facts.value(correction).constant != 1:
        return "no correction by 1"
    selection = facts.selection_behind(deviation["x"])
    if facts.has_one_element(deviation["x"], deviation.get("axis")):
        level, cause = Confidence.CERTAIN, (deviation["x"], "has one element there")
    elif selection is not None and not facts.known_filled(selection):
        harmless = (
            facts.framework(deviation) in PLAIN or facts.tested_for_infinity(deviation) or chosen_in_python(selection)
        )
        level, cause = Confidence.POSSIBLE if harmless else Confidence.LIKELY, (selection, "may select one, or none")
    else:
        return
    yield Finding(
        deviation,
        f"unbiased {deviation.op} of a single element: nan",
        "0 / (n - 1) = 0 / 0 = nan for n = 1",
        level,
        (cause,),
        BiasedDeviation(deviation),
    )
