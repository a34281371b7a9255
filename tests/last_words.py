"""What a test run says at its end, whichever of its processes found it out."""

from __future__ import annotations

import pytest

LAST_WORDS = pytest.StashKey[list[str]]()
