"""What the tests of the catalogue set up, they take down."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.ops import truth


@pytest.fixture(autouse=True, scope="module")
def _jax_as_it_was() -> Iterator[None]:
    """JAX keeps float64 and compiles nothing for the tests of the catalogue only."""
    yield
    if "jax" in sys.modules:
        truth.restore_jax()
