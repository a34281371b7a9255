"""The libcst pass: visits a file's lossless nodes once and, at each that has a finding, asks the finding's fix."""

from __future__ import annotations

from collections.abc import Mapping

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Fix, Span
from nanlint.rules.registry import Finding


def fixes_of(facts: Facts, findings: Mapping[tuple[str, Span], Finding]) -> dict[tuple[str, Span], Fix]:
    """The fix of each finding that has one."""
    return {}
