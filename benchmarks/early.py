"""Runs that break late and healthy ones with noisy losses: how many steps before is warned, and is the layer right?

python benchmarks/early.py [NAME...]

A late run says in its docstring which layers are at fault, and prints the step at which it breaks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import ROOT
from nanlint.runtime.reporting import EARLY

PROGRAMS = ROOT / "benchmarks" / "programs"
#: steps before the break that are early, and seconds that a program may take
ENOUGH, SECONDS = 20, 300


@dataclass(frozen=True)
class Warned:
    """The warnings of a run, as (step, kind, layer), and the step at which it broke."""

    warnings: list[tuple[int, str, str]]
    broke: int | None

    def before(self, layers: list[str]) -> int | None:
        """How many steps before the break the first warning that names one of these layers came."""
        steps = [step for step, _, layer in self.warnings if layer in layers and self.broke and step < self.broke]
        return self.broke - min(steps) if steps and self.broke else None


def run(program: Path) -> Warned:
    """What the sentinel says of a program."""
    with tempfile.TemporaryDirectory() as directory:
        report = f"{directory}/report.json"
        options = ["--watch", "sentinel", "--run-dir", f"{directory}/run", "--output-format", "json", "-o", report]
        command = [sys.executable, "-m", "nanlint", "verify", *options, "--", str(program)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
        return warned(done.stdout, json.loads(Path(report).read_text("utf-8")))


def warned(stdout: str, report: Any) -> Warned:
    """What a report and the program's own words say of a run."""
    said, alerts = stdout.split(), report["alerts"]
    broke = int(said[said.index("broke") + 1]) if "broke" in said else None
    found = [(one["step"], one["kind"], str(one["details"].get("layer", ""))) for one in alerts if one["kind"] in EARLY]
    return Warned(sorted(found), broke)


def layers_of(program: Path) -> list[str]:
    """The layers that are at fault."""
    line = next(line for line in program.read_text("utf-8").splitlines() if line.startswith("layers: "))
    return line.removeprefix("layers: ").split(", ")


def main(names: list[str]) -> None:
    """Run all, or those named, and print what came out."""
    early = 0
    for program in sorted((PROGRAMS / "late").glob("*.py")):
        if not names or program.stem in names:
            told, layers = run(program), layers_of(program)
            before = told.before(layers)
            early += before is not None and before >= ENOUGH
            right = "wrong layer or none" if before is None else f"warned {before} steps before"
            print(f"late   {program.stem}: breaks at {told.broke}, {right} {told.warnings[:4]}", flush=True)
    false = 0
    for program in sorted((PROGRAMS / "noisy").glob("*.py")):
        if not names or program.stem in names:
            told = run(program)
            false += bool(told.warnings)
            print(f"noisy  {program.stem}: {told.warnings or 'nothing'}", flush=True)
    print(f"{early} warned at least {ENOUGH} steps before with the right layer; {false} healthy ones warned")


if __name__ == "__main__":
    main(sys.argv[1:])
