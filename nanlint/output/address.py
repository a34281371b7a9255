"""Where the documentation stands on the web. Who shows a rule links to its page."""

from __future__ import annotations

DOCUMENTATION = "https://nanlint.readthedocs.io/"


def has_page(code: str) -> bool:
    """Whether a rule has a page there: nanlint's own have, those of plugins have not."""
    return code.startswith("NL")


def rule_page(name: str) -> str:
    return f"{DOCUMENTATION}rules/{name}/"


def link_to(code: str, name: str) -> str:
    """The address of a rule's page, empty if it has none."""
    return rule_page(name) if has_page(code) else ""
