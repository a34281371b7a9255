"""What is found in the snippets of this folder is what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import FILES, cases, difference, found_now


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_found_is_what_the_cases_say(path: Path) -> None:
    rows = [(title, old, found_now(old)) for title, old in cases(path.read_text("utf-8"))]
    changed = [difference(*row) for row in rows if row[1] != row[2]]
    assert not changed, "\n".join([*changed, "`python -m tests.cases --write` has the cases say what is found"])
