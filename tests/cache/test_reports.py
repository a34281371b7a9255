"""Reports are recalled while they hold, and no longer: with a cache a check finds what it finds without one."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from nanlint import disk
from nanlint.cache import store
from nanlint.cache.reports import Reports
from nanlint.config import Configs
from nanlint.lint.known_rules import all_rules
from nanlint.lint.many_files import check
from nanlint.lint.one_file import run_task
from nanlint.lint.report import Action, FileReport, Report, Task

BUG = "import torch\n\ndef loss(x):\n    return torch.log(torch.softmax(x, -1))\n"


@pytest.fixture(autouse=True)
def changes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that have just been written are as good as others."""
    monkeypatch.setattr(disk, "TICK", 0)


def shown(report: Report) -> list[str]:
    """All that is shown of a report; a proof's programs are not."""
    return [repr(_shown(file)) for file in report.files]


def _shown(file: FileReport) -> tuple[object, ...]:
    found = [
        (one, one.fix, one.probe, one.reaches, one.fingerprint, one.hazard, one.refused) for one in file.diagnostics
    ]
    silenced = [(replace(one.diagnostic, slices=()), one.justification, one.external) for one in file.suppressed]
    levels = sorted(file.below_threshold.items())
    return file.path, found, file.notes, dict(file.excerpt), silenced, levels, file.failure, file.checked, file.numeric


def checked(paths: list[str], memory: Reports | None, **how: object) -> Report:
    if memory is not None:
        memory.begin()
    return check(paths, Configs({code: one.name for code, one in all_rules().items()}), memory=memory, **how)  # type: ignore[arg-type]


class Counting(Reports):
    """Reports that say how many of the files that were asked for are recalled."""

    asked = known = 0

    def recall(self, task: Task) -> FileReport | None:
        found = super().recall(task)
        self.asked, self.known = self.asked + 1, self.known + (found is not None)
        return found


class TestOneFile:
    def test_a_report_holds_as_long_as_the_file_and_how_it_is_checked(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text(BUG)
        config = Configs({}).default()
        task, memory = Task(str(path), config), Reports(None)
        assert memory.recall(task) is None
        memory.keep(task, run_task(task))
        memory.save()
        assert memory.recall(task) is not None
        assert memory.recall(Task(str(path), config, unsafe_fixes=True)) is None
        for text in (BUG + "\n", None):
            path.write_text(text) if text is not None else path.unlink()
            memory.begin()
            assert memory.recall(task) is None

    def test_a_file_that_changed_while_it_was_checked_is_not_known(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text(BUG)
        task, memory = Task(str(path), Configs({}).default()), Reports(None)
        memory.recall(task)
        report = run_task(task)
        path.write_text("import torch\n")
        memory.keep(task, report)
        memory.save()
        memory.begin()
        assert memory.recall(task) is None

    def test_a_file_that_changed_just_before_is_not_known(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(disk, "TICK", 3_600_000_000_000)
        path = tmp_path / "a.py"
        path.write_text(BUG)
        task, memory = Task(str(path), Configs({}).default()), Reports(None)
        memory.recall(task)
        memory.keep(task, run_task(task))
        memory.save()
        assert memory.recall(task) is None

    def test_a_file_that_is_fixed_is_not_known_and_one_that_stays_as_it_is_is(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(BUG)
        (tmp_path / "b.py").write_text("import torch\n\ndef inverse(x):\n    return 1 / torch.relu(x)\n")
        memory = Counting(None)
        found = [checked([str(tmp_path)], memory, action=Action.FIX) for _ in range(3)]
        assert [len(report.fixed) for report in found] == [1, 0, 0]
        assert (memory.asked, memory.known) == (6, 3)
        assert shown(found[1]) == shown(found[2]) == shown(checked([str(tmp_path)], None))

    def test_a_configuration_is_told_from_others_by_what_it_says(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(BUG)
        settings = tmp_path / "nanlint.toml"
        memory = Counting(None)
        counts = []
        for text in (
            "",
            'ignore = ["NL101"]',
            '[per-file-ignores]\n"a.py" = ["NL101"]',
            '[severity]\nNL101 = "info"',
            "",
        ):
            settings.write_text(text)
            found = checked([str(tmp_path)], memory)
            assert shown(found) == shown(checked([str(tmp_path)], None))
            counts.append(len(found.diagnostics))
        assert counts == [1, 0, 0, 1, 1]
        assert memory.known == 1  # the last


class TestOnDisk:
    def test_another_process_recalls_it(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(BUG)
        cache = str(tmp_path / "cache")
        first = checked([str(tmp_path / "a.py")], Reports(cache))
        memory = Counting(cache)
        assert shown(checked([str(tmp_path / "a.py")], memory)) == shown(first)
        assert memory.known == 1

    def test_it_is_recalled_where_the_same_files_and_packages_are_new(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        packages = tmp_path / "site-packages"
        (packages / "click-8.2.dist-info").mkdir(parents=True)
        monkeypatch.syspath_prepend(str(packages))
        path, cache = tmp_path / "a.py", str(tmp_path / "cache")
        path.write_text(BUG)
        checked([str(path)], Reports(cache))
        path.unlink()
        path.write_text(BUG)
        (packages / "click").mkdir()
        memory = Counting(cache)
        checked([str(path)], memory)
        assert memory.known == 1
        (packages / "click-8.2.dist-info").rename(packages / "click-8.3.dist-info")
        memory = Counting(cache)
        checked([str(path)], memory)
        assert memory.known == 0

    def test_what_is_no_longer_as_it_was_written_is_not_used(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(BUG)
        cache = str(tmp_path / "cache")
        first = checked([str(tmp_path / "a.py")], Reports(cache))
        with sqlite3.connect(store.file_in(cache)) as database:
            database.execute("UPDATE reports SET report = ?", (b"\x93\x01\x02",))
        memory = Counting(cache)
        assert shown(checked([str(tmp_path / "a.py")], memory)) == shown(first)
        assert memory.known == 0


#: the files of a project whose parts have to do with one another, each with what may stand in it
PARTS = {
    "lib/__init__.py": ["", "from lib.loss import entropy\n", "from lib.config import *\n"],
    "lib/config.py": ["EPS = 0.0\n", "EPS = 1e-8\n", "# a comment\n\nEPS = 1e-8\nSCALE = 0\n", "EPS = (\n"],
    "lib/helper.py": [
        "import torch\n\ndef entropy(p):\n    return -torch.log(p).mean()\n",
        "import torch\n\n# moved\n\ndef entropy(p):\n    return -torch.log(p.clamp(min=1e-6)).mean()\n",
        "import torch\n\ndef entropy(p, eps=0.0):\n    return -(p + eps).log().mean()\n",
    ],
    "lib/loss.py": [
        "import torch\nfrom lib.helper import entropy\n\ndef loss(x):\n    return entropy(torch.softmax(x, -1))\n",
        "from .helper import entropy\nfrom .config import EPS\n\ndef loss(x):\n    return entropy(x.exp()) / EPS\n",
        "import torch\nfrom lib import config\n\ndef share(x):\n    return x / (torch.relu(x).sum() + config.EPS)\n",
    ],
    "lib/plain.py": ["from lib.loss import loss\n\ndef run(x):\n    return loss(x)\n", "x = 1\n"],
    "train.py": [
        "import torch\nfrom lib.loss import loss\n\nx = torch.zeros(3)\nloss(torch.sqrt(x)).backward()\n",
        "from lib import loss\n\nloss.loss(1)  # nanlint: ignore\n",
    ],
    "nanlint.toml": ["", 'confidence = "possible"\n', 'ignore = ["NL1"]\n', "[severity]\nNL101 = 'info'\n"],
}


def edited(root: Path, draw: random.Random, name: str | None = None) -> None:
    """Change a file of the project: what it holds, whether it is there."""
    name = name or draw.choice(list(PARTS))
    path = root / name
    if path.exists() and draw.random() < 0.2:
        path.unlink()
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(draw.choice(PARTS[name]))


def _drawn(seed: int, tmp_path: Path) -> Counting:
    """Edit a project and check it, with a cache and without one, again and again."""
    draw = random.Random(seed)
    root = tmp_path / "project"
    root.mkdir(parents=True)
    for name in PARTS:
        edited(root, draw, name)
    memory = Counting(str(tmp_path / "cache"))
    for _ in range(25):
        for _ in range(draw.choice((0, 1, 1, 2))):
            edited(root, draw)
        assert shown(checked([str(root)], memory)) == shown(checked([str(root)], None))
    return memory


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_a_check_finds_what_it_finds_without_a_cache(seed: int, tmp_path: Path) -> None:
    memory = _drawn(seed, tmp_path)
    assert memory.asked > memory.known > memory.asked / 3, "much is recalled, and not all"


def test_reports_that_forgot_what_they_need_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reports, "_holds", lambda *_: True)
    for seed in range(4):
        try:
            _drawn(seed, tmp_path / str(seed))
        except AssertionError:
            return
    pytest.fail("nobody noticed")


def test_reports_of_the_bad_fixtures_come_back_as_they_were(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures"  # a project of their own: other tests may write files in that of the repository
    shutil.copytree(Path(__file__).parent.parent / "fixtures", fixtures)
    (fixtures / "setup.py").touch()
    paths = sorted(map(str, fixtures.glob("*/bad_torch.py")))
    cache = str(tmp_path / "cache")
    first = checked(paths, Reports(cache))
    memory = Counting(cache)
    assert shown(checked(paths, memory)) == shown(first)
    assert memory.known == memory.asked == len(paths) > 30
    assert first.diagnostics
