"""Code of a checkout runs only where the user has said so: on the command line, in a variable, or once and for all."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nanlint import check_source, trust
from nanlint.config import ConfigError
from tests.runtime.running import nanlint, python

#: a rule that leaves a mark when its file is run
RULE = '''\
from pathlib import Path

from nanlint.authoring import Finding, confidence, rule

Path(__file__).with_name("it-ran").touch()


@rule("OWN101", "log-here", hazards="log")
def log_here(hazard, facts):
    """A logarithm.

    ## What it does
    Finds it.
    """
    yield Finding(hazard.node, "log here", "log", confidence(hazard.reach))
'''
PROGRAM = "import torch\n\n\ndef f(x):\n    return torch.log(torch.relu(x))\n"
CONFIG = """\
[tool.nanlint]
rules = ["lint/*.py"]
select = ["ALL", "OWN101"]
severity = { OWN = "warning" }
per-file-ignores = { "other.py" = ["log-here"] }
"""
NOT_TRUSTED = 'pyproject.toml: the rules "lint/*.py" were not loaded: rule files are code that nanlint would run, and '


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a rule of its own, of which the user knows nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    folder = tmp_path / "checkout"
    (folder / "lint").mkdir(parents=True)
    (folder / "lint" / "own.py").write_text(RULE, encoding="utf-8")
    (folder / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "loss.py").write_text(PROGRAM, encoding="utf-8")
    return folder


def ran(checkout: Path) -> bool:
    return (checkout / "lint" / "it-ran").exists()


@pytest.mark.parametrize("arguments", [["loss.py"], ["--fix", "."], ["--config", "pyproject.toml", "loss.py"], ["-"]])
def test_a_check_does_not_pass_without_rules_that_it_may_not_run(arguments: list[str], checkout: Path) -> None:
    done = nanlint("check", *arguments, cwd=checkout, stdin=PROGRAM)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {NOT_TRUSTED}{checkout} is not trusted; ")
    assert f"`nanlint trust {checkout}`" in done.stderr
    assert "--trust" in done.stderr
    assert not ran(checkout)
    assert (checkout / "loss.py").read_text(encoding="utf-8") == PROGRAM


@pytest.mark.parametrize(
    "command",
    [
        "check --show-files",
        "config --show",
        "config --show loss.py --output-format json",
        "rule NL103",
        "explain loss.py:5",
        "new-rule another",
        "verify -c pass",
    ],
)
def test_what_judges_nothing_goes_on_without_them_and_says_so(command: str, checkout: Path) -> None:
    done = nanlint(*command.split(), cwd=checkout)
    assert done.code == 0, done.stderr
    assert f"warning: {NOT_TRUSTED}" in done.stderr
    assert not ran(checkout)


@pytest.mark.parametrize(
    "command", ["graph loss.py:f", "graph --modules", "clean", "config", "rule --all", "completion bash"]
)
def test_other_commands_do_not_run_them_either(command: str, checkout: Path) -> None:
    assert nanlint(*command.split(), cwd=checkout).code == 0
    assert not ran(checkout)


def test_the_library_does_not_run_them(checkout: Path) -> None:
    program = (
        "import nanlint\ntry:\n    nanlint.check_paths(['.'])\nexcept nanlint.config.ConfigError as e:\n    print(e)\n"
    )
    done = python("-c", program, cwd=checkout)
    assert done.stdout.startswith(NOT_TRUSTED)
    assert not ran(checkout)


@pytest.mark.parametrize("how", ["option", "variable", "directory", "above", "file"])
def test_they_run_where_the_user_says_so(how: str, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"directory": checkout, "above": checkout.parent, "file": checkout / "pyproject.toml"}
    if how in said:
        told = nanlint("trust", str(said[how]), cwd=checkout)
        assert told.stderr.startswith(
            f"{said[how]} is trusted; the list of trusted paths is {checkout.parent}/home/nanlint/trusted\n"
        )
    if how == "variable":
        monkeypatch.setenv("NANLINT_TRUST", "1")
    option = ["--trust"] if how == "option" else []
    done = nanlint("check", "--output-format", "concise", *option, ".", cwd=checkout)
    assert "loss.py:5:12: OWN101 log here" in done.stdout
    assert (done.code, done.stderr) == (1, "")
    assert ran(checkout)


def test_trust_is_of_a_place_and_ends_when_it_is_taken_back(checkout: Path) -> None:
    twin = checkout.parent / "checkout2"
    shutil.copytree(checkout, twin)
    nanlint("trust", cwd=checkout)
    assert nanlint("trust", "--list", cwd=twin).stdout == f"{checkout}\n"
    assert nanlint("check", cwd=checkout).code == 1
    assert nanlint("check", cwd=twin).code == 2
    assert not ran(twin)
    assert nanlint("trust", "--remove", cwd=checkout).stderr == f"{checkout} is no longer trusted\n"
    assert nanlint("trust", "--remove", cwd=checkout).stderr == f"{checkout} is not trusted\n"
    assert nanlint("check", cwd=checkout).code == 2


def test_a_link_to_a_folder_is_as_much_trusted_as_the_folder(checkout: Path) -> None:
    (checkout.parent / "link").symlink_to(checkout)
    nanlint("trust", str(checkout.parent / "link"), cwd=checkout)
    assert nanlint("check", str(checkout.parent / "link" / "loss.py"), cwd=checkout.parent).code == 1
    assert nanlint("trust", "--list", cwd=checkout).stdout == f"{checkout}\n"


def test_a_list_that_cannot_be_read_trusts_nobody(checkout: Path) -> None:
    (checkout.parent / "home" / "nanlint" / "trusted").mkdir(parents=True)
    assert nanlint("check", cwd=checkout).code == 2
    told = nanlint("trust", cwd=checkout)
    assert told.code == 2
    assert "home/nanlint/trusted: could not be read: is a directory" in told.stderr
    assert nanlint("trust", "nowhere", cwd=checkout).stderr == "error: nowhere: no such file or directory\n"


def test_what_is_wrong_with_rules_that_were_not_loaded_is_not_guessed(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text('[tool.nanlint]\nselect = ["no-such"]\n', encoding="utf-8")
    assert 'unknown rule "no-such"' in nanlint("check", cwd=checkout).stderr
    done = nanlint("check", "--select", "OWN101", "loss.py", cwd=checkout)
    assert (done.code, ran(checkout)) == (2, False)


# Python's own ways to run what lies in the working directory


def test_modules_in_the_working_directory_are_none_of_the_program(checkout: Path) -> None:
    spy = "from pathlib import Path\nPath(__file__).with_name('it-ran').touch()\n"
    for name in ("click", "multiprocessing", "pickle", "platformdirs", "msgspec"):
        (checkout / f"{name}.py").write_text(spy, encoding="utf-8")
    info = checkout / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[nanlint.rules]\nevil = evil\n", encoding="utf-8")
    (checkout / "evil.py").write_text(spy, encoding="utf-8")
    (checkout / "pyproject.toml").unlink()
    done = python("-m", "nanlint", "check", "-j", "2", ".", cwd=checkout)
    assert done.code == 1, done.stderr
    assert not (checkout / "it-ran").exists()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 cannot leave the working directory out")
def test_processes_that_are_not_forked_do_not_import_from_the_working_directory(checkout: Path) -> None:
    (checkout / "multiprocessing.py").write_text("open('it-ran', 'w')\n", encoding="utf-8")
    program = (
        "import sys\nsys.path.remove('')\nfrom concurrent.futures import ProcessPoolExecutor\n"
        "from nanlint.lint.parallel import spawning\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor(1, spawning()) as pool:\n        print(*pool.map(abs, [-1]))\n"
    )
    done = python("-c", program, cwd=checkout)
    assert done.stdout == "1\n", done.stderr
    assert not (checkout / "it-ran").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_runs_no_command_of_the_folder(checkout: Path) -> None:
    (checkout / "pyproject.toml").unlink()
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=checkout, check=True)
    spy = checkout / "spy"
    spy.write_text(f"#!/bin/sh\ntouch '{checkout}/it-ran'\n", encoding="utf-8")
    spy.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(spy)], cwd=checkout, check=True)
    done = nanlint("check", "--changed-since", "HEAD", "--show-files", cwd=checkout)
    assert done.code == 0, done.stderr
    assert not (checkout / "it-ran").exists()


def test_what_a_caller_of_the_library_names_himself_runs(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    with pytest.raises(ConfigError, match="matches no file"):
        check_source("x = 1\n", rules=["nothing/*.py"])
