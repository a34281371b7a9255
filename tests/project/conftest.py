"""Fixtures of the tests about several files."""

from __future__ import annotations

import pytest

from nanlint import disk


@pytest.fixture(autouse=True)
def changes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that have just been written are as good as others to what is kept of a check."""
    monkeypatch.setattr(disk, "TICK", 0)
