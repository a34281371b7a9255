"""Where the documentation stands on the web. Who shows a rule links to its page."""

from __future__ import annotations

DOCUMENTATION = "https://nanlint.readthedocs.io/"


def rule_page(name: str) -> str:
    """The address of the page of the rule with this name."""
    return f"{DOCUMENTATION}rules/{name}/"
