"""The families of rules, as the documentation groups them: the first letters of the code, and a heading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nanlint.housekeeping import RulePage

FAMILIES = {
    "NL0": "About the check itself",
    "NL1": "Logarithm",
    "NL2": "Gradient traps",
    "NL3": "Division",
    "NL4": "Overflow",
    "NL5": "Precision",
    "NL6": "Gradient path",
    "NL7": "Losses",
    "NL8": "Data",
}


def grouped(rules: Iterable[RulePage]) -> Iterator[tuple[str, list[RulePage]]]:
    """The headings, each with its rules in the order of their codes; those of the check itself last."""
    in_order = sorted(rules, key=lambda rule: rule.code)
    for family, heading in sorted(FAMILIES.items(), key=lambda one: (one[0] == "NL0", one[0])):
        yield heading, [rule for rule in in_order if rule.code.startswith(family)]
