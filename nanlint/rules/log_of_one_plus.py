"""NL105."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import LOG1P, of
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL105",
    "log-of-one-plus",
    nodes="log",
    after="NL101 NL102 NL103 NL104 NL106 NL107 NL108 NL109 NL203",
    fixable=Applicability.SAFE,
)
def log_of_one_plus(log: Node, facts: Facts) -> Findings:
    term = beside(log["x"], 1, facts.value)
    if term is None or facts.scalar(log) or not facts.loses_digits(term.node):
        return "no sum of 1 and something that may be small"
    yield Finding(
        log,
        "log of 1 plus a small number, most of which is lost in rounding",
        "1 + 1e-8 = 1 in float32, and log(1) = 0",
        form(Seen.LOSES_DIGITS),
        fix=Rewrite(log, of(LOG1P, "-x") if term.negative else LOG1P, {"x": term.node}),
    )
