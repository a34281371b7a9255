"""Does ``nanlint try`` find an input that breaks a program that is known to break, from a run of its mended twin?

python benchmarks/tried.py DIRECTORY... [--only TEXT] [--seconds N]

A directory has ``NAME_bad_FORM.py``, with ``# BUG`` or ``# bad`` at the line that breaks, beside ``NAME_good_FORM.py``.
The good one is run with ``nanlint verify --keep-inputs``; then both are tried in its place, so that both have its
inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import ROOT

#: seconds that a command may take
SECONDS = 300


def command(directory: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nanlint of this tree in a directory."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, "-m", "nanlint", *arguments]
    return subprocess.run(
        asked, cwd=directory, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def marked_by(directory: str) -> dict[tuple[object, ...], set[int]]:
    """The lines that each finding of the program points to, its causes among them."""
    asked = ("--isolated", "--confidence", "possible", "--output-format", "json")
    found = json.loads(command(directory, "check", "program.py", *asked).stdout)
    return {
        (one["code"], one["location"]["row"], one["location"]["column"]): {
            one["location"]["row"],
            *(cause["location"]["row"] for cause in one["causes"] if "filename" not in cause),
        }
        for one in found
    }


def tried(directory: str, program: Path, seconds: float) -> list[dict[str, object]]:
    """What becomes of the findings of a program that stands where the run was."""
    Path(directory, "program.py").write_text(program.read_text("utf-8"), "utf-8")
    done = command(directory, "try", "program.py", "--import", "--seconds", f"{seconds:g}", "--output-format", "json")
    try:
        return list(json.loads(done.stdout))
    except ValueError:
        return [{"row": 0, "verdict": "not callable", "reason": done.stderr.strip()[-200:], "code": "", "function": ""}]


def marked(program: Path) -> int:
    """The line that breaks."""
    lines = program.read_text("utf-8").splitlines()
    return next(row for row, line in enumerate(lines, 1) if line.endswith(("# BUG", "# bad")))


def said(one: dict[str, object]) -> str:
    """A verdict in a line."""
    inputs = "; ".join(f"{given['name']} {given['change']}" for given in one.get("inputs", ()))  # type: ignore[attr-defined]
    return f"{one['row']} {one['code']} {one['function']}: {one['verdict']} {inputs or one.get('reason', '')}"


def main() -> None:
    """Try each pair, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    came: Counter[str] = Counter()
    failing = 0
    programs = sorted(one for directory in given.directories for one in directory.glob("*_bad_*.py"))
    for bad in programs:
        if given.only not in bad.stem:
            continue
        good = bad.with_name(bad.name.replace("_bad_", "_good_"))
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "program.py").write_text(good.read_text("utf-8"), "utf-8")
            command(directory, "verify", "--keep-inputs", "--confidence", "possible", "--", "program.py")
            row, found = marked(bad), tried(directory, bad, given.seconds)
            lines = marked_by(directory)
            right = [one for one in tried(directory, good, given.seconds) if one["verdict"] == "fails"]
        there = [one for one in found if row in lines.get((one["code"], one["row"], one.get("column")), {one["row"]})]
        states = {str(one["verdict"]) for one in there} or {"no finding"}
        state = "fails" if "fails" in states else sorted(states)[0]
        came[state] += 1
        failing += bool(right)
        print(f"{bad.stem}: {state}", *map(said, there or found), sep="\n    ")
        for one in right:
            print(f"    right: {said(one)}", flush=True)
    print(f"{came['fails']} of {came.total()} bad ones fail at their line {dict(came)}; {failing} right ones fail")


if __name__ == "__main__":
    main()
