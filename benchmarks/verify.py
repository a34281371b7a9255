"""What the watches cost, beside the programs without them and beside the peers; the tables of docs/verify.md.

    python benchmarks/verify.py [--write] [FRAMEWORK...]

Each framework's figures come from its own script, in a process of its own: medians of interleaved runs.
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

GUIDE = ROOT / "docs" / "verify.md"
FRAMEWORKS = ("torch", "tensorflow", "jax", "numpy")


def rows_of(framework: str) -> list[dict[str, object]]:
    """What the framework's script measures: program, what, ratio, target."""
    with tempfile.TemporaryDirectory() as directory:
        figures = Path(directory) / "rows.json"
        command = [sys.executable, str(ROOT / "benchmarks" / f"verify_{framework}.py"), "--json", str(figures)]
        subprocess.run(command, cwd=ROOT, check=True)
        found: list[dict[str, object]] = json.loads(figures.read_text("utf-8"))
    return found


def table(rows: list[dict[str, object]]) -> str:
    """The rows in Markdown, with whether each keeps to its target."""
    lines = ["| program | mode or tool | × uninstrumented | target |", "| --- | --- | ---: | ---: |"]
    for row in rows:
        ratio, target = float(str(row["ratio"])), row.get("target")
        kept = "" if target is None else f"≤ {target}{'' if ratio <= float(str(target)) else ' (missed)'}"
        lines.append(f"| {row['program']} | {row['what']} | {ratio:.2f} | {kept} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frameworks", nargs="*", metavar="FRAMEWORK", help="torch, tensorflow, jax, numpy")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/verify.md")
    asked = parser.parse_args()
    for framework in asked.frameworks or FRAMEWORKS:
        text = table(rows_of(framework))
        print(text)
        if asked.write:
            write_section(f"cost of {framework}", text, GUIDE)
