"""The page of a rule, as ``nanlint rule`` prints it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from nanlint.diagnostic import Applicability
from nanlint.housekeeping import RulePage

_FIXES = {
    Applicability.SAFE: "A safe fix is available with `--fix`.",
    Applicability.UNSAFE: "An unsafe fix is available with `--fix --unsafe-fixes`.",
    Applicability.DISPLAY: "A suggested fix is shown; apply it by hand.",
    None: "No fix is available.",
}


def render_rule(rule: RulePage) -> str:
    """A rule's page in Markdown under a title with its name and code."""
    origin = f" From {rule.origin}." if rule.origin else ""
    return f"# {rule.name} ({rule.code})\n\n{_FIXES[rule.fixable]}{origin}\n\n{rule.page.strip()}\n"


def render_rules_json(rules: Iterable[RulePage]) -> str:
    """A JSON list of rules."""
    return json.dumps([_as_object(rule) for rule in rules], indent=2, ensure_ascii=False) + "\n"


def render_rule_json(rule: RulePage) -> str:
    """One rule as a JSON object."""
    return json.dumps(_as_object(rule), indent=2, ensure_ascii=False) + "\n"


def _as_object(rule: RulePage) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "fix": None if rule.fixable is None else str(rule.fixable),
        "explanation": rule.page.strip(),
        "origin": rule.origin or None,
    }
