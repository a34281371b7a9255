"""The files that ``nanlint new-rule`` writes: a rule that works, its page, and a test of it that passes."""

from __future__ import annotations

_RULE = '''\
"""{code}."""

from __future__ import annotations

from nanlint.authoring import Facts, Finding, Findings, Hazard, confidence, rule


@rule("{code}", "{name}", hazards="log log2 log10")
def {function}(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        # `nanlint explain` shows this reason
        return "not at 0, or hidden by a selection"
    level = confidence(hazard.reach)
    if level is None:
        return
    yield Finding(
        hazard.node,
        "logarithm of a value that reaches 0",
        "log(0) = -inf",
        level,
        causes=(hazard.cause,),
    )
'''

_PAGE = """\
{title}.

## What it does
Finds logarithms whose operand is known to reach 0.

## Why is this bad?
`log(0)` is -inf, and `0 * -inf` is nan.

## Example (bad)
```python
y = torch.log(torch.relu(x))
```

## Use instead
```python
y = torch.log(torch.relu(x) + 1e-6)
```
"""

_TEST = '''\
"""What {name} reports, and what it does not report."""

from __future__ import annotations

from pathlib import Path

from nanlint.testing import check_page, check_rule

RULES = [str(Path(__file__).parent / "{relative}")]


def test_a_logarithm_of_a_value_that_reaches_0_is_found() -> None:
    check_rule(
        "{code}",
        rules=RULES,
        bad="""\\
import torch


def loss(x):
    return torch.log(torch.relu(x))  # error: [{code}] certain
""",
        good="""\\
import torch


def loss(x):
    return torch.log(torch.relu(x) + 1e-6)
""",
    )


def test_the_examples_of_its_page_are_right() -> None:
    check_page("{code}", rules=RULES)
'''


def render_rule_file(code: str, name: str) -> str:
    return _RULE.format(code=code, name=name, function=_function(name))


def render_rule_page(name: str) -> str:
    return _PAGE.format(title=name.replace("-", " ").capitalize())


def render_test_file(code: str, name: str, relative: str) -> str:
    """The test of a rule whose file is at a path relative to the test's directory."""
    return _TEST.format(code=code, name=name, relative=relative.replace("\\", "/"))


def _function(name: str) -> str:
    from keyword import iskeyword

    function = name.replace("-", "_")
    return f"rule_{function}" if iskeyword(function) or function[0].isdigit() else function
