"""Which labelled hunks of fixes nanlint still offers: those rejected for their place should go, accepted ones stay.

    python benchmarks/hunks.py REPORT ...

A REPORT is what ``nanlint check . --output-format json`` printed in a repository, as a file that is named like it:
``owner+name.json``. A hunk counts as offered where an edit of a fix is in its file, within LINES of its line: the
labels have no commit. Hunks of repositories without a report are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from measure import ROOT

LABELS = ROOT / "benchmarks" / "labels" / "hunks.json"
#: how far the line of a hunk may be from that of an edit, in lines
LINES = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT")
    given = parser.parse_args()
    fixable: dict[str, list[tuple[str, int, int]]] = {}
    for report in given.reports:
        found = json.loads(report.read_text("utf-8"))
        edits = [(one["filename"], edit) for one in found if one["fix"] is not None for edit in one["fix"]["edits"]]
        places = [(path, edit["location"]["row"], edit["end_location"]["row"]) for path, edit in edits]
        fixable[report.stem.rpartition("+")[2]] = places
    seen: dict[tuple[str, str], Counter[bool]] = {}
    for hunk in json.loads(LABELS.read_text("utf-8")):
        places = fixable.get(hunk["repository"])
        if places is None:
            continue
        offered = any(
            path.endswith(hunk["path"]) and first - LINES <= hunk["line"] <= last + LINES
            for path, first, last in places
        )
        kind = hunk["label"], hunk.get("about") or ""
        seen.setdefault(kind, Counter())[offered] += 1
    lines = ["| label | about | hunks | still offered |", "| --- | --- | ---: | ---: |"]
    for (label, about), counts in sorted(seen.items()):
        lines.append(f"| {label} | {about} | {counts.total()} | {counts[True]} |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
