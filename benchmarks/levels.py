"""How often each row that decides a level was right: labelled findings, joined with the row of the finding there now.

    python benchmarks/levels.py LABELS ... [--mirrors DIRECTORY] [--write]

LABELS are JSON files as for ``snapshot.py``: findings with a ``label`` (REAL, DEBATABLE, FALSE), sites (hazard,
guarded), and commits that mended a NaN or Inf, whose line before counts as right. Repositories are read from bare
mirrors; those that are absent are left out and named. A row is *unproven* below eight labels of three repositories;
*without one* is its worst share of what is not false when one repository is left out. ``--write`` puts the table into
docs/precision.md, and the counts into the package, where ``nanlint explain`` tells them.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import default_cache
from measure import NANLINT, ROOT, run, write_section
from snapshot import Absent, Group, labelled

from nanlint.hazards.read import ROWS_READ, Read

PRECISION = ROOT / "docs" / "precision.md"
#: labels -> whether a finding there is right, and not only not false
RIGHT = {"REAL": "real", "DEBATABLE": "debatable", "FALSE": "false", "hazard": "real", "guarded": "false"}
LEVELS = ("possible", "likely", "certain")


@dataclass(frozen=True)
class Label:
    """What was read at a place: ``verdict`` is "real", "debatable" or "false"."""

    repository: str
    file: str
    first: int
    last: int
    verdict: str


def labels_of(group: Group, rows: Iterable[Mapping[str, object]]) -> Iterator[Label]:
    """The labels of the files of one group."""
    name, version = group.name.split("/", 1)[1].rsplit("/", 1)
    for row in rows:
        owner = str(row.get("package") or row["repo"])
        at = str(row.get("version") or row.get("commit") or row["before"])
        if owner != name or not at.startswith(version):
            continue
        first = row.get("line") or row["before_line"]
        last = row.get("end_line") or row.get("before_end_line") or first
        verdict = RIGHT.get(str(row["label"])) if "label" in row else "real"
        if verdict is not None:
            yield Label(
                owner, os.path.realpath(group.root / str(row["file"])), int(str(first)), int(str(last)), verdict
            )


def findings_in(groups: Sequence[Group]) -> dict[str, list[dict[str, object]]]:
    """The findings at all levels by file. Raises RuntimeError if a check fails."""
    files = sorted({str(file) for group in groups for file in group.files})
    options = ("--isolated", "--exit-zero", "--quiet", "--confidence", "possible", "--output-format", "json")
    done = run((*NANLINT, "check", *options, "-j", str(os.cpu_count() or 1), *files))
    if done.code or "Traceback" in done.stderr:
        raise RuntimeError(done.stderr)
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    for finding in json.loads(done.stdout):
        found[os.path.realpath(finding["filename"])].append(finding)
    return found


def joined(
    labels: Iterable[Label], found: Mapping[str, Sequence[dict[str, object]]]
) -> Iterator[tuple[str, str, Label]]:
    """Row, level and label of each labelled place that has a finding: the surest there."""
    for label in set(labels):
        here = [one for one in found.get(label.file, ()) if meets(one, label)]
        if here:
            surest = max(here, key=lambda one: LEVELS.index(str(one["confidence"])))
            yield str(surest["level_row"]), str(surest["confidence"]), label


def meets(finding: Mapping[str, object], label: Label) -> bool:
    first, last = (finding[key]["row"] for key in ("location", "end_location"))  # type: ignore[index]
    return first <= label.last and last >= label.first


def share(labels: Sequence[Label]) -> float:
    """How many of some labels are not false."""
    return sum(label.verdict != "false" for label in labels) / len(labels) if labels else 0.0


def counted(rows: Iterable[tuple[str, str, Label]]) -> list[Read]:
    """The labels of each row, by level and then by name."""
    kinds: dict[tuple[str, str], list[Label]] = defaultdict(list)
    for row, confidence, label in rows:
        kinds[confidence, row].append(label)
    found = []
    for confidence, row in sorted(kinds, key=lambda kind: (-LEVELS.index(kind[0]), kind[1])):
        labels = kinds[confidence, row]
        count = Counter(label.verdict for label in labels)
        repositories = {label.repository for label in labels}
        without = [share([label for label in labels if label.repository != one]) for one in repositories]
        worst = min(without) if len(repositories) > 1 else math.nan
        verdicts = (count[verdict] for verdict in ("real", "debatable", "false"))
        found.append(Read(confidence, row, *verdicts, repositories=len(repositories), without_one=worst))
    return found


def table(found: Iterable[Read]) -> str:
    """The rows with their counts as Markdown."""
    lines = [
        "| level | row | real | debatable | false | repositories | not false | without one | |",
        "|---|---|" + "---:|" * 6 + "---|",
    ]
    for one in found:
        alone = "" if math.isnan(one.without_one) else f"{one.without_one:.0%}"
        counts = f"{one.real} | {one.debatable} | {one.false} | {one.repositories} | {one.share:.0%} | {alone}"
        lines.append(f"| {one.level} | `{one.row}` | {counts} | {one.doubt} |")
    return "\n".join(lines) + "\n"


def keep(found: Iterable[Read]) -> None:
    """Write the counts into the package."""
    with ROWS_READ.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow(Read._fields)
        written.writerows((*one[:-1], "" if math.isnan(one.without_one) else f"{one.without_one:.2f}") for one in found)


def main() -> None:
    """Check the labelled files, print the table, and with --write keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+", type=Path, help="a JSON file of labels")
    parser.add_argument("--mirrors", type=Path, default=Path("..", ".mirror"), help="where bare mirrors are")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where code is unpacked")
    parser.add_argument("--write", action="store_true", help="put the table into docs/precision.md")
    options = parser.parse_args()
    groups: list[Group] = []
    labels: list[Label] = []
    absent: set[str] = set()
    for path in options.labels:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = next(content[key] for key in ("pairs", "findings", "sites") if key in content)
        for one in labelled(path, options.mirrors, options.cache):
            if isinstance(one, Absent):
                absent.add(str(one))
                continue
            groups.append(one)
            labels += labels_of(one, rows)
    found = counted(joined(labels, findings_in(groups)))
    print(told := table(found))
    if absent:
        print(f"no mirror of {len(absent)}: {', '.join(sorted(absent))}")
    if options.write:
        write_section("levels", told, PRECISION)
        keep(found)


if __name__ == "__main__":
    main()
