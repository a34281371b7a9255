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
    preview = " In preview: it runs with `--preview` only." if rule.preview else ""
    return f"# {rule.name} ({rule.code})\n\n{_FIXES[rule.fixable]}{origin}{preview}\n\n{rule.page.strip()}\n"


def render_rule_list(rules: Iterable[RulePage]) -> str:
    """A line for each rule: code, name, summary."""
    rules = tuple(rules)
    width = max(len(rule.name) for rule in rules)
    lines = (f"{rule.code}  {rule.name:<{width}}  {rule.summary}" for rule in rules)
    return "".join(f"{line}{' (preview)' if rule.preview else ''}\n" for line, rule in zip(lines, rules, strict=True))


def render_rules_json(rules: Iterable[RulePage]) -> str:
    return json.dumps([_as_object(rule) for rule in rules], indent=2, ensure_ascii=False) + "\n"


def render_rule_json(rule: RulePage) -> str:
    return json.dumps(_as_object(rule), indent=2, ensure_ascii=False) + "\n"


def _as_object(rule: RulePage) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "fix": None if rule.fixable is None else str(rule.fixable),
        "explanation": rule.page.strip(),
        "origin": rule.origin or None,
        "preview": rule.preview,
    }
