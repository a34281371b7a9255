"""The bad programs of ``tests/fixtures``, mended: silent where they were mended, and finite when executed."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nanlint

TESTS = Path(__file__).parents[1]
EXECUTE = TESTS / "programs" / "execute.py"
PROGRAMS = sorted((TESTS / "fixtures").glob("*/bad_*.py"))
#: what ``xlogy(x, y)`` leaves: a truly infinite value where y is 0 and x is not, and the slope of x log x at 0, which
#: is infinite in truth and infinite or NaN in PyTorch and JAX
XLOGY = {"xlogy", "xlog1py"}
TIMEOUT_SECONDS = 240


def mended(program: Path, *, unsafe: bool) -> tuple[str, str] | None:
    """The program's text before and after its fixes; None where none of them, or not all, can be applied."""
    before = program.read_text(encoding="utf-8")
    outcome = nanlint.fix_source(before, path=str(program), unsafe_fixes=unsafe)
    assert not outcome.notes, outcome.notes
    return (before, outcome.source.text) if outcome.fixed and not outcome.remaining else None


def family(program: Path) -> str:
    """Programs of one family run in one process."""
    name = program.stem.split("_")[1]
    return "numpy" if name == "scipy" else name


every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[f"{p.parent.name}-{p.stem}" for p in PROGRAMS])


@every_program
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_fixing_converges_and_says_no_more_of_what_it_mended(program: Path, unsafe: bool) -> None:
    before = program.read_text(encoding="utf-8")
    outcome = nanlint.fix_source(before, path=str(program), unsafe_fixes=unsafe)
    assert not outcome.notes
    again = nanlint.fix_source(outcome.source.text, path=str(program), unsafe_fixes=unsafe)
    assert again.source.text == outcome.source.text
    assert not again.fixed


@pytest.mark.slow
def test_every_mended_program_is_finite(tmp_path: Path) -> None:
    families: dict[str, list[Path]] = {}
    texts: dict[Path, str] = {}
    for program in PROGRAMS:
        found = mended(program, unsafe=program.parent.name in ("tape-scope-leak", "unclipped-log"))
        if found is not None:
            path = tmp_path / program.parent.name / program.name
            path.parent.mkdir(exist_ok=True)
            path.write_text(found[1], encoding="utf-8")
            families.setdefault(family(program), []).append(path)
            texts[path] = found[1]
    assert len(texts) > len(PROGRAMS) / 2
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    wrong: list[str] = []
    for paths in families.values():
        child = subprocess.run(
            [sys.executable, str(EXECUTE), "witness", *map(str, paths)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        lines = {Path(line["path"]): line for line in map(json.loads, filter(None, child.stdout.splitlines()))}
        for path in paths:
            line = lines.get(path, {"error": child.stderr[-2000:]})
            if "missing" in line:
                continue
            if "error" in line or not _is_right(path, texts[path], line["result"]):
                wrong.append(f"{path.parent.name}/{path.name}: {line}\n{texts[path]}")
    assert not wrong, "\n".join(wrong)


def _is_right(path: Path, text: str, result: dict[str, list[str] | None]) -> bool:
    numbers = {key: [float(n) for n in part] for key, part in result.items() if part is not None}
    if path.parent.name == "tape-scope-leak":
        return numbers.get("gradient") == pytest.approx(numbers["intended"], rel=1e-5)
    if XLOGY & set(re.findall(r"\w+", text)):
        return not any(math.isnan(n) for key, part in numbers.items() if "grad" not in key for n in part)
    return all(math.isfinite(n) for part in numbers.values() for n in part)
