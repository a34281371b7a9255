"""CPU time and memory of ``nanlint check`` over a package: cold, again, after a change; beside other linters.

    python benchmarks/speed.py [--package torch-geometric==2.6.1] [--runs 5] [--peers] [--write]

Runs of nanlint and of Ruff take turns, so that whatever else the machine does hits both; each figure is the median. The
CPU of all processes counts, so the number of workers matters little. Compiled bytecode is there from a first run that
is not counted. ``--peers`` runs flake8 with TorchFix, Fixit and pylint once each, from an environment that is made
beside the packages; they have no cache.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from corpus import default_cache, unpacked
from measure import NANLINT, ROOT, Run, run, write_section

SMALL = ROOT / "examples" / "torch_classifier.py"
PLAIN = "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return json.load(file)\n"
PEERS = ("flake8==7.5.0", "torchfix==0.7.0", "fixit==2.2.1", "pylint==4.1.4")
_RUFF = (sys.executable, "-m", "ruff")
_COLD = ("nanlint check --no-cache", "nanlint check, all in the cache", "nanlint check, one file changed")


@dataclass(frozen=True)
class Measured:
    """What a command cost: CPU seconds, and the largest memory of one of its processes in MB."""

    cpu: float
    memory: float


@dataclass(frozen=True)
class Command:
    """A command, by name; what is done before each run; whether it may use a cache."""

    name: str
    command: tuple[str, ...]
    before: Callable[[], object] = lambda: None
    cached: bool = False


def commands(package: Path, changed: Path, plain: Path) -> list[Command]:
    """What is measured of nanlint and Ruff.

    ``changed``: the file of the package that is changed; ``plain``: one without frameworks.
    """
    check = (*NANLINT, "check", "--isolated", "--quiet", "--exit-zero")
    ruff = (*_RUFF, "check", "--isolated", "--quiet", "--exit-zero", str(package))

    def change() -> None:
        changed.write_text(changed.read_text(encoding="utf-8") + "\n_CHANGED = True\n", encoding="utf-8")
        time.sleep(0.2)  # a file that changes while it is checked is not kept

    return [
        Command("ruff check --no-cache", (*ruff, "--no-cache")),
        Command("ruff check, all in the cache", ruff, cached=True),
        Command(_COLD[0], (*check, str(package))),
        Command(_COLD[1], (*check, str(package)), cached=True),
        Command(_COLD[2], (*check, str(package)), change, cached=True),
        Command("nanlint check of one small file", (*check, str(SMALL))),
        Command("nanlint check of a file without frameworks", (*check, str(plain))),
        Command("nanlint --version", (*NANLINT, "--version")),
    ]


def peers(package: Path, environment: Path) -> list[Command]:
    """What is measured of others, from an environment that holds them."""
    if not (environment / "bin" / "pylint").exists():
        venv.create(environment, with_pip=True)
        subprocess.run([environment / "bin" / "pip", "install", "--quiet", *PEERS], check=True)
    checks = ("--disable=all", "--enable=E,W")
    program = {name: str(environment / "bin" / name) for name in ("flake8", "fixit", "pylint")}
    return [
        Command("flake8 with TorchFix", (program["flake8"], "--isolated", "--exit-zero", "--select=TOR", str(package))),
        Command("fixit lint", (program["fixit"], "--quiet", "lint", str(package))),
        Command("pylint, errors and warnings", (program["pylint"], "--exit-zero", *checks, str(package))),
    ]


def measured(wanted: Sequence[Command], runs: int) -> dict[str, Measured]:
    """The median of each command over ``runs`` rounds in which each runs once, after one that is not counted.

    Raises:
        RuntimeError: if a command fails.
    """
    found: dict[str, list[Measured]] = {one.name: [] for one in wanted}
    with TemporaryDirectory() as elsewhere:
        for turn in range(runs + 1):
            for one in wanted:
                one.before()
                done = run(
                    one.command, cwd=Path(elsewhere), cache=str(Path(elsewhere, "cache")) if one.cached else None
                )
                if turn:
                    found[one.name].append(_succeeded(one.name, done))
    return {name: Measured(median(m.cpu for m in ms), median(m.memory for m in ms)) for name, ms in found.items()}


def once(wanted: Sequence[Command]) -> dict[str, Measured]:
    """The cost of each command, run once."""
    with TemporaryDirectory() as elsewhere:
        done = {one.name: run(one.command, cwd=Path(elsewhere)) for one in wanted}
    return {name: Measured(one.cpu, one.memory) for name, one in done.items()}


def _succeeded(name: str, done: Run) -> Measured:
    if done.code or "Traceback" in done.stderr:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    return Measured(done.cpu, done.memory)


def table(package: str, found: Mapping[str, Measured], runs: int, ruff: str) -> str:
    """The figures as markdown, the ratio to Ruff's among them."""
    theirs = found["ruff check --no-cache"].cpu
    warm = found["ruff check, all in the cache"].cpu
    lines = [
        f"`{package}`, median of {runs} runs, {ruff}:",
        "",
        "| command | CPU seconds | MB | times Ruff's |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, one in found.items():
        compared = warm if name == _COLD[1] else None if name.startswith("nanlint") and name != _COLD[0] else theirs
        ratio = f"{one.cpu / compared:.1f}" if compared is not None and "cache" in name + "no-cache" else ""
        lines.append(f"| {name} | {one.cpu:.2f} | {one.memory:.0f} | {ratio} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and with --write enter the figures in docs/measurements.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="torch-geometric==2.6.1", help="a requirement that pins one version")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where packages are kept")
    parser.add_argument("--peers", action="store_true", help="also run flake8 with TorchFix, Fixit and pylint, once")
    parser.add_argument("--changed", default="nn/models/autoencoder.py", help="the file that is changed, by its end")
    parser.add_argument("--write", action="store_true", help="enter the figures in docs/measurements.md")
    options = parser.parse_args()
    package = unpacked(options.package, options.cache)
    ruff = run((*_RUFF, "--version")).stdout.strip()
    with TemporaryDirectory() as copies:
        copy = Path(copies, package.name)
        shutil.copytree(package, copy)
        programs = sorted(copy.rglob("*.py"))
        changed = next((path for path in programs if path.as_posix().endswith(options.changed)), programs[0])
        plain = Path(copies, "plain.py")
        plain.write_text(PLAIN, encoding="utf-8")
        time.sleep(0.2)
        found = measured(commands(copy, changed, plain), options.runs)
        if options.peers:
            found |= once(peers(copy, options.cache / "peers"))
    text = table(options.package, found, options.runs, ruff)
    print(text)
    if options.write:
        write_section("speed", text)


if __name__ == "__main__":
    main()
