"""A run with the same arguments prints the same at once while nothing has changed, and never when something has."""

from __future__ import annotations

import ast
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import nanlint
from nanlint import disk
from nanlint.cache import answers, store
from tests.cache.test_reports import BUG, PARTS, edited

#: how often a run is killed; more with the variable
KILLS = int(os.environ.get("TESTS_KILLS", "12"))

_OLD = disk.TICK / 1e9 + 0.02  # seconds after which a change is no longer young


def run(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None, python: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run nanlint as a user does, with a cache."""
    inherited = {name: value for name, value in os.environ.items() if name != store.NONE}
    return subprocess.run(
        [sys.executable, *python, "-m", "nanlint", *arguments],
        cwd=cwd,
        env={**inherited, **(environment or {})},
        capture_output=True,
        check=False,
    )


def printed(done: subprocess.CompletedProcess[bytes]) -> tuple[bytes, bytes, int]:
    return done.stdout, done.stderr, done.returncode


def is_recalled(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether a run with ``-X importtime`` has printed what an earlier one did."""
    return b"nanlint.cache.answers" in done.stderr and b" click" not in done.stderr


def asked_again(*arguments: str, cwd: Path) -> bool:
    return is_recalled(run(*arguments, cwd=cwd, python=("-X", "importtime")))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    (root / "lib" / "__init__.py").write_text("")
    (root / "lib" / "loss.py").write_text(BUG)
    (root / "train.py").write_text("import torch\nfrom lib.loss import loss\n\nloss(torch.zeros(3))\n")
    time.sleep(_OLD)
    return root


@pytest.mark.parametrize(
    "arguments",
    [("check",), ("lib",), ("--output-format", "json", "."), ("--diff",), ("--statistics",), ("--fix", "train.py")],
    ids=" ".join,
)
def test_the_second_run_prints_what_the_first_did(arguments: tuple[str, ...], project: Path) -> None:
    first = run(*arguments, cwd=project)
    assert printed(run(*arguments, cwd=project)) == printed(first)
    assert asked_again(*arguments, cwd=project) == ("--fix" not in arguments)
    assert printed(run(*arguments, "--no-cache", cwd=project)) == printed(first)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "lib" / "loss.py").write_text(BUG + "\n"),
        lambda root: (root / "lib" / "new.py").write_text(BUG),
        lambda root: (root / "train.py").unlink(),
        lambda root: (root / "pyproject.toml").write_text('[tool.nanlint]\nignore = ["NL1"]\n'),
        lambda root: (root / "lib" / "nanlint.toml").write_text('ignore = ["NL1"]\n'),
        lambda root: (root.parent / "nanlint.toml").write_text('ignore = ["NL1"]\n'),
        lambda root: (root / ".gitignore").write_text("lib\n"),
        lambda root: (root / "lib").rename(root / "library"),
    ],
    ids=["text", "new file", "file gone", "settings", "new settings", "settings above", "ignored", "renamed"],
)
def test_a_change_is_seen(change: object, project: Path) -> None:
    (project / ".git").mkdir()
    run(cwd=project)
    run("check", cwd=project)
    assert asked_again("check", cwd=project)
    change(project)  # type: ignore[operator]
    assert not asked_again("check", cwd=project)
    assert printed(run("check", cwd=project)) == printed(run("check", "--no-cache", cwd=project))


def test_what_the_environment_says_is_part_of_the_question(project: Path) -> None:
    plain = run("check", cwd=project)
    coloured = run("check", cwd=project, environment={"FORCE_COLOR": "1"})
    assert b"\x1b[" in coloured.stdout
    assert printed(run("check", cwd=project)) == printed(plain)
    assert printed(run("check", cwd=project, environment={"FORCE_COLOR": "1"})) == printed(coloured)
    other = run("check", cwd=project, environment={"NANLINT_OUTPUT_FORMAT": "concise"})
    assert len(other.stdout) < len(plain.stdout)


def test_every_variable_that_the_program_reads_is_part_of_it() -> None:
    own = Path(nanlint.__file__).parent
    apart = ("runtime", "proof", "server")  # no part of what is answered again
    read = {
        node.args[0].value
        for path in own.rglob("*.py")
        if path.relative_to(own).parts[0] not in apart
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        if ast.unparse(node.func.value) in ("os.environ", "environment")
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert len(read) > 5
    # by PATH formatters are found: what one has laid out is not kept, nor what is new since a revision, nor completions
    not_kept = {"SHELL", "PATH", "PRE_COMMIT_FROM_REF", "_NANLINT_COMPLETE", "COMP_WORDS", "COMP_CWORD"}
    assert {name for name in read if not name.startswith(answers.PREFIX)} - not_kept <= answers.VARIABLES


def test_all_that_a_check_reads_is_written_down(project: Path) -> None:
    """Whatever the interpreter opens or lists below the project was asked through ``disk``."""
    code = (
        "import sys, json, os\n"
        "seen = set()\n"
        "sys.addaudithook(lambda event, args: seen.add(str(args[0])) "
        "if event in ('open', 'os.listdir', 'os.scandir') and args else None)\n"
        "from nanlint.cli import cli\n"
        "cli.main(['check', '-j1', '--no-cache'], standalone_mode=False)\n"
        "from nanlint import disk\n"
        "asked = {os.path.realpath(path) for _, path in disk.asked()}\n"
        "inside = {os.path.realpath(path) for path in seen if os.path.realpath(path).startswith(os.getcwd())}\n"
        "print(json.dumps([len(inside), sorted(inside - asked)]), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, check=True, text=True)
    count, missing = ast.literal_eval(done.stderr.splitlines()[-1])
    assert count >= 5
    assert missing == []


def test_a_run_that_does_more_than_print_is_made_again(project: Path) -> None:
    for arguments in (("--output", "json:out.json"), ("-o", "out.txt"), ("--output-format", "sarif")):
        run("check", *arguments, cwd=project)
        assert not asked_again("check", *arguments, cwd=project)


def test_after_any_edits_a_run_prints_what_it_prints_without_a_cache(tmp_path: Path) -> None:
    draw = random.Random(7)
    root = tmp_path / "project"
    root.mkdir()
    (root / ".git").mkdir()
    for name in PARTS:
        edited(root, draw, name)
    for number in range(10):
        if number % 3:
            edited(root, draw)
        time.sleep(_OLD)
        assert printed(run("check", cwd=root)) == printed(run("check", "--no-cache", cwd=root))


class TestPlace:
    def test_it_is_in_the_project_around_and_marked(self, project: Path) -> None:
        run("check", cwd=project / "lib")
        cache = project / store.DIRECTORY
        assert {path.name for path in cache.iterdir()} >= {store.TAG, ".gitignore"}
        assert (cache / store.TAG).read_text().startswith(store.SIGNATURE)
        assert (cache / ".gitignore").read_text() == "*\n"
        assert not (project / "lib" / store.DIRECTORY).exists()

    def test_outside_of_a_project_it_is_the_users(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(BUG)
        run("a.py", cwd=tmp_path, environment={"XDG_CACHE_HOME": str(tmp_path / "own"), "HOME": str(tmp_path)})
        assert not (tmp_path / store.DIRECTORY).exists()
        assert list(tmp_path.rglob("*.sqlite"))

    @pytest.mark.parametrize("how", ["option", "variable"])
    def test_it_may_be_elsewhere_or_nowhere(self, how: str, project: Path, tmp_path: Path) -> None:
        where, nowhere = (("--cache-dir", str(tmp_path / "c")), ("--no-cache",)) if how == "option" else ((), ())
        named = {store.PLACE: str(tmp_path / "c")} if how == "variable" else {}
        none = {store.NONE: "1"} if how == "variable" else {}
        run("check", *nowhere, cwd=project, environment=none)
        assert not (tmp_path / "c").exists()
        run("check", *where, cwd=project, environment=named)
        assert list((tmp_path / "c").glob("*.sqlite"))
        assert not (project / store.DIRECTORY).exists()

    def test_clean_removes_it(self, project: Path) -> None:
        run("check", cwd=project)
        assert b"would remove .nanlint_cache" in run("clean", "--dry-run", cwd=project).stdout
        assert (project / store.DIRECTORY).exists()
        assert b"removed .nanlint_cache" in run("clean", cwd=project).stdout
        assert not (project / store.DIRECTORY).exists()


class TestTrouble:
    @pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
    def test_a_damaged_database_is_made_anew(self, content: bytes, project: Path) -> None:
        expected = printed(run("check", "--no-cache", cwd=project))
        cache = project / store.DIRECTORY
        cache.mkdir()
        Path(store.file_in(str(cache))).write_bytes(content)
        for _ in range(3):
            assert printed(run("check", cwd=project)) == expected
        assert asked_again("check", cwd=project)

    def test_one_that_cannot_be_written_is_not_used(self, project: Path) -> None:
        (project / store.DIRECTORY).write_text("a file")
        expected = printed(run("check", "--no-cache", cwd=project))
        assert printed(run("check", cwd=project)) == expected

    def test_a_link_is_not_followed(self, project: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (project / store.DIRECTORY).symlink_to(tmp_path / "elsewhere")
        assert printed(run("check", cwd=project)) == printed(run("check", "--no-cache", cwd=project))
        assert list((tmp_path / "elsewhere").iterdir()) == []

    def test_one_that_another_run_writes_does_no_harm(self, project: Path) -> None:
        run("check", cwd=project)
        expected = printed(run("check", "--no-cache", "lib", cwd=project))
        with sqlite3.connect(store.file_in(str(project / store.DIRECTORY)), isolation_level=None) as held:
            held.execute("BEGIN EXCLUSIVE")
            assert printed(run("check", "lib", cwd=project)) == expected
            held.execute("ROLLBACK")

    def test_runs_at_the_same_time_are_all_right(self, project: Path) -> None:
        expected = printed(run("check", "--no-cache", cwd=project))
        command = [sys.executable, "-m", "nanlint", "check"]
        environment = {name: value for name, value in os.environ.items() if name != store.NONE}
        started = [
            subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(4)
        ]
        assert [(*one.communicate(), one.returncode) for one in started] == [expected] * 4
        assert asked_again("check", cwd=project)

    @pytest.mark.parametrize("action", ["check", "--fix"])
    def test_a_kill_at_any_moment_leaves_nothing_torn(self, action: str, project: Path) -> None:
        draw = random.Random(KILLS)
        environment = {name: value for name, value in os.environ.items() if name != store.NONE}
        began = time.monotonic()
        run(action, "--no-cache", cwd=project)
        lasts = time.monotonic() - began
        texts = {BUG.encode(), (project / "lib" / "loss.py").read_bytes()}
        assert len(texts) == 1 + (action == "--fix")
        for number in range(KILLS):
            (project / "lib" / "loss.py").write_text(BUG)
            if number % 3 == 0:
                (project / f"more{number}.py").write_text(BUG)
            one = subprocess.Popen(
                [sys.executable, "-m", "nanlint", action],
                cwd=project,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(lasts * draw.uniform(0.3, 1.2))
            one.send_signal(signal.SIGKILL)
            one.wait()
            assert (project / "lib" / "loss.py").read_bytes() in texts
        assert printed(run("check", cwd=project)) == printed(run("check", "--no-cache", cwd=project))
        run("--fix", cwd=project)
        known = {"lib", "train.py", "pyproject.toml", store.DIRECTORY}
        left = {path.name for path in project.iterdir() if not path.name.startswith("more")} - known
        assert left == set()
        database = sqlite3.connect(store.file_in(str(project / store.DIRECTORY)))
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_answer_in_two_ways_is_no_answer(tmp_path: Path) -> None:
    disk.forget()
    path = tmp_path / "a.py"
    assert not disk.is_file(str(path))
    assert disk.asked() is not None
    path.write_text("")
    assert disk.is_file(str(path))
    assert disk.asked() is None
    disk.forget()


def test_a_program_changes_with_its_files_and_not_with_their_bytecode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "nanlint"
    (package / "cache").mkdir(parents=True)
    (package / "rules").mkdir()
    (tmp_path / "pyproject.toml").touch()
    for name in ("cache/answers.py", "rules/one.py"):
        (package / name).touch()
    monkeypatch.setattr(answers, "__file__", str(package / "cache" / "answers.py"))
    first = answers.program()
    (package / "rules" / "__pycache__").mkdir()
    assert answers.program() == first
    (package / "rules" / "one.py").rename(package / "rules" / "two.py")
    renamed = answers.program()
    os.utime(package / "rules" / "two.py", (0, 0))
    assert len({first, renamed, answers.program()}) == 3
