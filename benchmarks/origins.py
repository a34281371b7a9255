"""Who finds the line where a nan or inf is born: nanlint and the peers, over the seeded programs.

python benchmarks/origins.py [--write]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import ROOT, write_section
from nanlint.runtime.runfile import RunError, read_run
from nanlint.runtime.verdicts import births_of

SEEDED = ROOT / "tests" / "runtime" / "seeded"
GUIDE = ROOT / "docs" / "verify.md"
PEERS = {
    "torch": ("detect_anomaly",),
    "tensorflow": ("check_numerics", "Debugger V2"),
    "keras": ("check_numerics", "Debugger V2"),
    "jax": ("debug_nans",),
    "numpy": ("seterr(raise)",),
}
SECONDS = 120


def marked(program: Path) -> int:
    """The line to blame."""
    lines = program.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if "# born" in line)


def by_nanlint(program: Path) -> int | None:
    """The line that the first birth of `nanlint verify --watch all` is at."""
    with tempfile.TemporaryDirectory() as directory:
        run = f"{directory}/run"
        command = [sys.executable, "-m", "nanlint", "verify", "--watch", "all", "--run-dir", run, "--", str(program)]
        subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)
        try:
            births = births_of(read_run(run))
        except RunError:
            return None
    frames = (births[0][0].forward or births[0][0].frames) if births else ()
    return next((frame.line for frame in frames if frame.path == str(program)), None)


def by_peer(peer: str, program: Path) -> int | None:
    """The line that a peer blames."""
    command = [sys.executable, str(ROOT / "benchmarks" / "peers.py"), peer, str(program)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": tempfile.gettempdir()}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return None
    return found if isinstance(found, int) else None


def said(found: int | None, expected: int) -> str:
    """One cell of the table."""
    return "✓" if found == expected else "—" if found is None else f"line {found}"


def table() -> list[str]:
    """The Markdown table, and the sums."""
    rows = ["| program | origin at line | nanlint | other tools |", "| --- | ---: | --- | --- |"]
    hits: dict[str, list[bool]] = {}
    for program in sorted(SEEDED.glob("*/*.py")):
        framework, expected = program.parent.name, marked(program)
        ours = by_nanlint(program)
        hits.setdefault("nanlint", []).append(ours == expected)
        cells = []
        for peer in PEERS[framework]:
            found = by_peer(peer, program)
            hits.setdefault(peer, []).append(found == expected)
            cells.append(f"{peer} {said(found, expected)}")
        row = f"| {framework}/{program.stem} | {expected} | {said(ours, expected)} | {'; '.join(cells)} |"
        print(row, flush=True)
        rows.append(row)
    sums = [f"{name} {sum(found)} of {len(found)}" for name, found in hits.items()]
    return [*rows, "", f"Found: {', '.join(sums)}. (— names no line of the program.)"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs/verify.md")
    asked = parser.parse_args()
    found = "\n".join(table())
    if asked.write:
        write_section("origins", found, GUIDE)
