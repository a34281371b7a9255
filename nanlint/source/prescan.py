"""The cheapest question first: can these bytes matter at all? Substring search only, no decoding and no parsing."""

from __future__ import annotations

from collections.abc import Iterable


def prescan(content: bytes, roots: Iterable[str]) -> bool:
    """Whether ``content`` names one of the ``roots``, or carries a suppression comment of ours that may be unused."""
    if any(root.encode() in content for root in roots):
        return True
    return b"nanlint:" in content or (b"noqa" in content and b"NL" in content)
