"""The benchmark scripts, on a package of two files instead of a published one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "tiny==1.0"
LOSS = "import torch\n\n\ndef loss(x):\n    return torch.log(torch.softmax(x, -1))\n"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache in which the package is already unpacked, so that nothing is downloaded."""
    package = tmp_path / "cache" / "tiny-1.0"
    package.mkdir(parents=True)
    (package / "loss.py").write_text(LOSS)
    (package / "nothing.py").write_text("x = 1\n")
    return package.parent


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_speed_compares_with_ruff(cache: Path) -> None:
    done = _run("speed.py", "--package", PACKAGE, "--runs", "1", "--cache", str(cache))
    assert done.returncode == 0, done.stderr
    rows = {row.split(" | ")[0].strip("| "): row.split(" | ")[1:] for row in done.stdout.splitlines() if "| nan" in row}
    assert list(rows) == [
        "nanlint check --no-cache",
        "nanlint check, all in the cache",
        "nanlint check, one file changed",
        "nanlint check of one small file",
        "nanlint check of a file without frameworks",
        "nanlint --version",
    ]
    assert all(float(cpu) > 0 and float(memory) > 1 for cpu, memory, _ in rows.values())
    assert float(rows["nanlint check --no-cache"][2].strip(" |")) > 0
    assert float(rows["nanlint check, all in the cache"][0]) < float(rows["nanlint check --no-cache"][0])


def test_wheels_counts_what_is_found(cache: Path) -> None:
    done = _run("wheels.py", "--package", PACKAGE, "--cache", str(cache))
    assert done.returncode == 0, done.stderr
    assert "| `tiny==1.0` | 2 |" in done.stdout
    assert "| NL101 log-of-softmax | 1 |" in done.stdout


def test_what_a_mechanism_brings_is_gone_without_it(cache: Path) -> None:
    program = "import torch\n\n\ndef unit(x: torch.Tensor):\n    return x / x.norm(dim=-1, keepdim=True)\n"
    (cache / "tiny-1.0" / "unit.py").write_text(program)
    done = _run("ablate.py", str(cache / "tiny-1.0"), "--only", "degenerate data", "--only", "astroid", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "| degenerate data | 1/0 (0/0) |" in done.stdout
    assert "| astroid |  |" in done.stdout
    assert "degenerate data: - " in done.stderr
    assert "unit.py:5" in done.stderr


def test_wheels_complains_of_what_nanlint_failed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    measure, wheels = import_module("measure"), import_module("wheels")
    found = [
        {"code": "NL003", "filename": "/somewhere/a.py", "message": "nanlint failed on this file: ValueError: broken"},
        {"code": "NL101", "filename": "/somewhere/b.py", "message": "log of a softmax"},
    ]
    assert wheels.complaints(measure.Run(1, json.dumps(found), "", 0.1, 0.1)) == [
        "a.py: nanlint failed on this file: ValueError: broken"
    ]
    assert wheels.complaints(measure.Run(2, "", "Traceback", 0.1, 0.1)) == [
        "exit code 2",
        "says on standard error: Traceback",
    ]
    assert wheels.complaints(measure.Run(1, json.dumps(found[1:]), "", 0.1, 0.1)) == []


def test_sections_of_the_measurements_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    measure = import_module("measure")
    write_section, stamp = measure.write_section, measure.stamp()
    assert re.fullmatch(r"Measured on \d{4}-\d\d-\d\d at commit `[0-9a-f]{8}`(, changed)?: .+\.", stamp)
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n<!-- speed -->\nold\n<!-- /speed -->\nrest\n")
    write_section("speed", "new", page)
    write_section("speed", "newer", page)
    assert page.read_text() == f"# Title\n\n<!-- speed -->\n\n{stamp}\n\nnewer\n\n<!-- /speed -->\nrest\n"
    with pytest.raises(ValueError, match="no section 'wheels'"):
        write_section("wheels", "new", page)


def test_the_page_has_the_sections() -> None:
    page = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    for name in ("speed", "wheels"):
        assert page.index(f"<!-- {name} -->") < page.index(f"<!-- /{name} -->")


def test_the_server_is_measured_key_by_key(cache: Path) -> None:
    filler = "".join(f"\n\ndef filler_{n}(x):\n    return x + {n}\n" for n in range(490))
    (cache / "tiny-1.0" / "long.py").write_text(LOSS + filler)
    done = _run("server.py", "--package", PACKAGE, "--files", "1", "--keys", "8", "--cache", str(cache))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 files of 1,900 to 2,100 lines")
    rows = [row.split(" | ")[:2] for row in done.stdout.splitlines() if " ms |" in row]
    assert rows == [["| pulled", "8"], ["| pushed", "8"]]


def test_try_is_measured_on_programs_with_mended_twins(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="NumPy is not installed")
    bad = "import numpy as np\n\n\ndef share(x):\n    return x / x.sum()  # BUG\n\n\nprint(share(np.ones(3)))\n"
    (tmp_path / "01_share_bad_small.py").write_text(bad)
    (tmp_path / "01_share_good_small.py").write_text(bad.replace("x.sum()  # BUG", "max(x.sum(), 1e-9)"))
    done = _run("tried.py", str(tmp_path), "--seconds", "2")
    assert done.returncode == 0, done.stderr
    assert "01_share_bad_small: fails" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 1 bad ones fail at their line {'fails': 1}; 0 right ones fail"
