"""What rules and ops outside of nanlint are written with: the names that stay from version to version.

A plugin imports from here and from ``nanlint.testing``; docs/authors.md shows how.
"""

from __future__ import annotations

from nanlint.diagnostic import Applicability, Confidence, Fix
from nanlint.fixes.codemod import Codemod
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.ops.op import Operands, Pole, define
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    meet_range,
    value,
)
from nanlint.rules.registry import Finding, Findings, Rule, confidence, rule

__all__ = [
    "CERTAIN",
    "INF",
    "LIKELY",
    "NEVER",
    "POSSIBLE",
    "UNKNOWN",
    "Applicability",
    "Codemod",
    "Confidence",
    "Evidence",
    "Facts",
    "Finding",
    "Findings",
    "Fix",
    "Hazard",
    "Kind",
    "Node",
    "Operands",
    "Origin",
    "Pole",
    "Reach",
    "Rule",
    "Value",
    "confidence",
    "constant",
    "define",
    "meet_range",
    "rule",
    "value",
]
