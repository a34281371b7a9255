"""Programs that are right give the same after their fixes: values, gradients, types, and meant NaN and infinities.

Each is in ``harmless/FRAMEWORK`` and returns from main() what it computes. A run of the tests draws a quarter of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nanlint
from tests.fixes.running import returned
from tests.sampling import sample

RUFF = Path(sys.executable).with_name("ruff")
#: which fixes are made: the safe ones or all, of what is found by default or at the lowest level
#: programs give functions what they like
ANYTHING_IS_GIVEN = True
WAYS = [(unsafe, confidence) for unsafe in (False, True) for confidence in ("likely", "possible")]
PROGRAMS = sorted(Path(__file__).with_name("harmless").glob("*/*.py"))


def mended(text: str, ways: Iterable[tuple[bool, str]]) -> set[str]:
    """A program after its fixes, in several ways; without the program as it is."""
    results = (nanlint.fix_source(text, unsafe_fixes=unsafe, confidence=level) for unsafe, level in ways)
    return {result.source.text for result in results} - {text}


def assert_same(before: list[Any], after: list[Any]) -> None:
    assert [kind for kind, _ in after] == [kind for kind, _ in before]
    for (_, old), (_, new) in zip(before, after, strict=True):
        if not isinstance(old, np.ndarray):
            assert new == old
            continue
        assert (new.dtype, new.shape) == (old.dtype, old.shape)
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-6)


def complaints(texts: Iterable[str], directory: Path) -> set[str]:
    """The rules of style that texts break."""
    for number, text in enumerate(texts):
        (directory / f"program_{number}.py").write_text(text)
    ruff = [str(RUFF), "check", "--isolated", "--output-format", "json", str(directory)]
    told = json.loads(subprocess.run(ruff, capture_output=True, text=True, check=False).stdout)
    return {one["code"] for one in told}


@pytest.mark.parametrize("path", sample(PROGRAMS, 8, "harmless"), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_program_that_is_right_gives_the_same_after_its_fixes(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    before = returned(path.parent.name, text)
    assert before
    assert before[0][0] != "raised", before
    texts = mended(text, sample(WAYS, 4, path.stem))
    for after in texts:
        assert_same(before, returned(path.parent.name, after))
    if RUFF.exists() and texts:
        (tmp_path / "before").mkdir()
        (tmp_path / "after").mkdir()
        assert complaints(texts, tmp_path / "after") <= complaints([text], tmp_path / "before")


def test_many_of_them_are_changed_by_fixes() -> None:
    assert len(PROGRAMS) >= 60
    changed = (path for path in PROGRAMS if mended(path.read_text(), WAYS[-1:]))
    assert len(list(islice(changed, 5))) == 5
