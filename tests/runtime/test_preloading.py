"""A framework that was imported before, and hidden, is imported as it is in a new process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runtime.preloading import NAMES
from tests.runtime.running import python, verify
from tests.sampling import sample

SEEDED = Path(__file__).with_name("seeded")
FRAMEWORKS = ("numpy", "torch", "jax", "tensorflow")
#: says which packages of those that were imported before are there, before and after an import
PROGRAM = """
import json, sys
names = {names}
told = [sorted(names & sys.modules.keys())]
import {framework}
told += [sorted(names & sys.modules.keys()), {framework}.__spec__.loader.__class__.__name__, {framework}.__version__]
print(json.dumps(told))
"""


@pytest.mark.slow
@pytest.mark.parametrize("framework", sample(FRAMEWORKS, 4, "imports"))
def test_an_import_brings_the_same_packages(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    names = {*(name.partition(".")[0] for name in NAMES), "keras", "ml_dtypes", "sympy", "torch._inductor"}
    (tmp_path / "train.py").write_text(PROGRAM.format(names=names, framework=framework), "utf-8")
    alone, preloaded = (json.loads(python("train.py", cwd=tmp_path, fresh=fresh).stdout) for fresh in (True, False))
    assert preloaded == alone
    assert alone[0] == []
    assert framework in alone[1]


@pytest.mark.slow
@pytest.mark.parametrize("framework", sample(FRAMEWORKS, 4, "new processes"))
def test_in_a_new_process_the_line_is_found_too(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    program = next(iter(sorted((SEEDED / framework).glob("*forward*.py"))))
    marked = [number for number, line in enumerate(program.read_text("utf-8").splitlines(), 1) if "# born" in line]
    ran = verify(str(program), cwd=tmp_path, options=("--watch", "all"), fresh=True)
    births = [(one["forward"] or one["frames"])[0]["line"] for one in ran.report["born"]]
    confirmed = [one["location"]["row"] for one in ran.report["findings"] if one["verdict"]["state"] == "confirmed"]
    assert set(births + confirmed) == set(marked)
