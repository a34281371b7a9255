"""Five published packages under nanlint: no crash, no timeout, the same findings from every run and for every ``-j``.

    python benchmarks/wheels.py [--package scipy==1.14.1 …] [--write]

Each package is checked twice in one process and once in two, at the lowest confidence, so that every finding is
compared. Exits with 1 and says why if anything is amiss; else prints what was found at the default confidence.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import PACKAGES, default_cache, unpacked
from measure import NANLINT, Run, run, write_section

INTERNAL_ERROR = "NL003"


@dataclass(frozen=True)
class Checked:
    """What came of one package: seconds of one process, findings at the default confidence, and what is amiss."""

    name: str
    files: int
    cpu: float
    wall: float
    rules: Counter[str]
    possible: int
    amiss: tuple[str, ...]


def check(name: str, place: Path) -> Checked:
    """Run nanlint over a package in the ways that have to agree."""
    command = (*NANLINT, "check", "--isolated", "--quiet", "--output-format", "json", ".")
    try:
        first, again, parallel = (
            run((*command, "--confidence", "possible", "-j", jobs), cwd=place) for jobs in ("1", "1", "2")
        )
        shown = run((*command, "-j", "1"), cwd=place)
    except subprocess.TimeoutExpired as error:
        return Checked(name, 0, 0.0, 0.0, Counter(), 0, (f"no end within {error.timeout:.0f} seconds",))
    amiss = [*complaints(first), *complaints(shown)]
    if again.stdout != first.stdout:
        amiss.append("two runs differ")
    if parallel.stdout != first.stdout:
        amiss.append("-j 1 and -j 2 differ")
    listed = run((*NANLINT, "check", "--isolated", "--show-files", "."), cwd=place)
    files = len(listed.stdout.splitlines())
    rules = Counter(f"{finding['code']} {finding['name']}" for finding in findings(shown))
    return Checked(name, files, shown.cpu, shown.wall, rules, len(findings(first)), tuple(dict.fromkeys(amiss)))


def complaints(done: Run) -> list[str]:
    """What is wrong with a run, apart from what it found."""
    amiss = [
        f"{Path(finding['filename']).name}: {finding['message']}"
        for finding in findings(done)
        if finding["code"] == INTERNAL_ERROR
    ]
    if done.code not in (0, 1):
        amiss.append(f"exit code {done.code}")
    if done.stderr.strip():
        amiss.append(f"says on standard error: {done.stderr.strip()[:500]}")
    return amiss


def findings(done: Run) -> list[dict[str, Any]]:
    """The findings of a run, none if it printed no JSON."""
    try:
        parsed: list[dict[str, Any]] = json.loads(done.stdout)
    except json.JSONDecodeError:
        return []
    return parsed


def tables(packages: Sequence[Checked]) -> str:
    """Two markdown tables: a line for each package, and findings by rule."""
    lines = [
        "One process, default confidence; the last column counts the findings with `--confidence possible`.",
        "",
        "| package | files | seconds | CPU seconds | findings | with possible findings |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in packages:
        found = sum(one.rules.values())
        lines.append(f"| `{one.name}` | {one.files} | {one.wall:.1f} | {one.cpu:.1f} | {found} | {one.possible} |")
    names = [one.name.partition("==")[0] for one in packages]
    lines += ["", f"| rule | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]
    for rule in sorted({rule for one in packages for rule in one.rules}):
        counts = (str(one.rules[rule] or "") for one in packages)
        lines.append(f"| {rule} | {' | '.join(counts)} |")
    return "\n".join(lines)


def main() -> None:
    """Check the packages, print the tables, and with --write enter them in docs/measurements.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", action="append", help="a requirement that pins one version; may be repeated")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where packages are kept")
    parser.add_argument("--write", action="store_true", help="enter the tables in docs/measurements.md")
    options = parser.parse_args()
    checked = [check(name, unpacked(name, options.cache)) for name in options.package or PACKAGES]
    text = tables(checked)
    print(text)
    for one in checked:
        for complaint in one.amiss:
            print(f"{one.name}: {complaint}", file=sys.stderr)
    if any(one.amiss for one in checked):
        sys.exit(1)
    if options.write:
        write_section("wheels", text)


if __name__ == "__main__":
    main()
