"""CPU time of cold runs: ``nanlint check`` over a package beside ``ruff check --no-cache``; the version; a small file.

    python benchmarks/speed.py [--package torch-geometric==2.6.1] [--runs 5] [--write]

Runs of the two programs take turns, so that whatever else the machine does hits both; each figure is the median. The
CPU of all processes counts, so the number of workers matters little. Compiled bytecode is there from a first run that
is not counted; nothing else is kept between runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from corpus import default_cache, unpacked
from measure import NANLINT, ROOT, Run, machine, run, write_section

SMALL = ROOT / "examples" / "torch_classifier.py"
_RUFF = (sys.executable, "-m", "ruff")


def commands(package: Path) -> dict[str, tuple[str, ...]]:
    """What is measured, by name."""
    return {
        "ruff check --no-cache": (*_RUFF, "check", "--no-cache", "--isolated", "--quiet", "--exit-zero", str(package)),
        "nanlint check": (*NANLINT, "check", "--isolated", "--quiet", "--exit-zero", str(package)),
        "nanlint check of one small file": (*NANLINT, "check", "--isolated", "--exit-zero", str(SMALL)),
        "nanlint --version": (*NANLINT, "--version"),
    }


def measured(wanted: Mapping[str, Sequence[str]], runs: int) -> dict[str, float]:
    """Median CPU seconds of each command over ``runs`` rounds in which each runs once.

    Raises:
        RuntimeError: if a command fails.
    """
    seconds: dict[str, list[float]] = {name: [] for name in wanted}
    with TemporaryDirectory() as elsewhere:
        for turn in range(runs + 1):
            for name, command in wanted.items():
                done = _succeeded(name, run(command, cwd=Path(elsewhere)))
                if turn:
                    seconds[name].append(done.cpu)
    return {name: median(taken) for name, taken in seconds.items()}


def _succeeded(name: str, done: Run) -> Run:
    if done.code or "Traceback" in done.stderr:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    return done


def table(package: str, seconds: Mapping[str, float], runs: int, ruff: str) -> str:
    """The figures as markdown, the ratio to Ruff among them."""
    theirs = seconds["ruff check --no-cache"]
    lines = [
        f"`{package}`, median of {runs} runs, {machine()}, {ruff}:",
        "",
        "| command | CPU seconds | times Ruff's |",
        "| --- | ---: | ---: |",
    ]
    for name, taken in seconds.items():
        ratio = f"{taken / theirs:.1f}" if name in ("ruff check --no-cache", "nanlint check") else ""
        lines.append(f"| `{name}` | {taken:.2f} | {ratio} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and with --write enter the figures in docs/measurements.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="torch-geometric==2.6.1", help="a requirement that pins one version")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where packages are kept")
    parser.add_argument("--write", action="store_true", help="enter the figures in docs/measurements.md")
    options = parser.parse_args()
    package = unpacked(options.package, options.cache)
    ruff = run((*_RUFF, "--version")).stdout.strip()
    text = table(options.package, measured(commands(package), options.runs), options.runs, ruff)
    print(text)
    if options.write:
        write_section("speed", text)


if __name__ == "__main__":
    main()
