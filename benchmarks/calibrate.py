"""How many findings are right: counts labelled code, fills the table of probabilities, draws the calibration curve.

python benchmarks/calibrate.py LABELS [--mirrors DIRECTORY] [--sources DIRECTORY] [--write]

LABELS is a directory of labels, as benchmarks/labels is one, the others being no part of the project:
``findings*.json`` (findings that were read: REAL, DEBATABLE, FALSE) and ``sites*.json`` (places: hazard, unknown,
guarded, python-scalar) of pinned wheels, which pip downloads and nothing installs; ``fix_pairs*.json`` and
``batches/*.json`` (the lines of an expression before and after the commit that mended it) of repositories whose mirrors
``owner+name/repo`` are in --mirrors; those that are absent are left out; ``draws*.json`` (how many findings of each
level were true, debatable and false in a draw of which nothing else was kept). A file that says ``"learned": true``
holds code that nanlint was mended by, and says less of other code.
--sources keeps the labelled files, and what nanlint found in them: ``findings.jsonl`` there is used as it is.
--write fills nanlint/odds.toml and the section of docs/precision.md.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import ROOT, write_section
from nanlint.diagnostic import Confidence, Traits
from nanlint.odds import LEAST, TABLE, Cell, path_of

GUIDE = ROOT / "docs" / "precision.md"
#: what a label counts as: a finding is right unless the code rules out what it says
RIGHT = {
    **dict.fromkeys(("REAL", "DEBATABLE", "hazard", "unknown", "before"), True),
    **dict.fromkeys(("FALSE", "guarded", "python-scalar", "after"), False),
}
#: labels with which it is debatable whether it matters
DEBATABLE = frozenset({"DEBATABLE", "unknown"})
#: labels that a cell is worth before anything is counted in it: it is then as its parent
PRIOR = 16.0
#: what a label of a commit counts, beside one that was drawn at random
OF_A_COMMIT = 0.25
#: what a label of code counts that nanlint was mended by after it was read, beside one of code it never saw
LEARNED = 0.25
#: labels that a cell of the table must have
FEWEST = 20.0
#: the bounds of the curve's classes
CLASSES = (0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.95, 1.0)


@dataclass(frozen=True)
class Place:
    """Lines of one file, below the directory of sources, with their label.

    ``group``: its package or repository. ``learned``: nanlint was mended by what was read there.
    """

    path: str
    line: int
    end_line: int
    label: str
    group: str
    learned: bool = False


@dataclass(frozen=True)
class Labelled:
    """A finding at a labelled place. ``drawn``: at random, and not because a commit mended it."""

    path: Cell
    right: bool
    group: str
    drawn: bool = True
    debatable: bool = False
    learned: bool = False

    @property
    def weight(self) -> float:
        """What it counts, beside a label of code that nanlint never saw."""
        return (LEARNED if self.learned else 1.0) if self.drawn else OF_A_COMMIT


# counting


@dataclass(frozen=True)
class Count:
    """What was counted in a cell, and the share of right findings that this makes of its parent's."""

    labels: float
    share: float


def levels(labelled: Sequence[Labelled]) -> dict[Cell, Count]:
    """Each level, by the labels drawn at random: it begins as its definition has it."""
    found: dict[Cell, Count] = {}
    for confidence, least in LEAST.items():
        of = [one for one in labelled if one.drawn and one.path[0] == str(confidence)]
        labels, right = sum(one.weight for one in of), sum(one.weight for one in of if one.right)
        found[(str(confidence),)] = Count(labels, (right + PRIOR * least) / (labels + PRIOR))
    return found


def counted(labelled: Sequence[Labelled]) -> dict[Cell, Count]:
    """The table: the levels, and of every cell below them

        (right + PRIOR * share of the cell before it) / (right + wrong + PRIOR).

    Commits that mend something are always about hazards. Their findings say which kinds are right more often than
    others, and not how often findings are right: within a level, what is right counts so much more or less than what
    is wrong that the level keeps its share. Labels of which nothing but the level is known count for that alone.
    """
    table = levels(labelled)
    sums: dict[Cell, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one in (one for one in labelled if len(one.path) > 1):
        for length in range(1, len(one.path) + 1):
            sums[one.path[:length]][not one.right] += one.weight
    for cell in sorted(sums, key=len):
        level = table[cell[:1]].share
        right, wrong = sums[cell[:1]]
        weight = level / (1 - level) * wrong / right if right and wrong else 1.0
        right, wrong = sums[cell][0] * weight, sums[cell][1]
        if len(cell) > 1:
            share = (right + PRIOR * table[cell[:-1]].share) / (right + wrong + PRIOR)
            table[cell] = Count(sum(sums[cell]), share)
    return table


def kept(table: Mapping[Cell, Count]) -> dict[Cell, Count]:
    """The levels, and the cells that were counted enough; those before such a cell are."""
    return {cell: count for cell, count in table.items() if len(cell) == 1 or count.labels >= FEWEST}


def share_of(table: Mapping[Cell, Count], path: Cell) -> float:
    """What a table says of a finding: its farthest cell."""
    return next(table[path[:length]].share for length in range(len(path), 0, -1) if path[:length] in table)


# calibration


def held_out(labelled: Sequence[Labelled]) -> Iterator[tuple[Labelled, float]]:
    """Each drawn label of code not learned from, with what a table says that was counted without its package."""
    for group in sorted({one.group for one in labelled if one.drawn and not one.learned}):
        table = kept(counted([one for one in labelled if one.group != group]))
        of = [one for one in labelled if one.group == group and one.drawn and not one.learned]
        yield from ((one, share_of(table, one.path)) for one in of)


def interval(right: float, labels: float, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share, at 95 %."""
    share, below = right / labels, 1 + z * z / labels
    centre = (share + z * z / (2 * labels)) / below
    half = z * math.sqrt(share * (1 - share) / labels + z * z / (4 * labels * labels)) / below
    return max(0.0, centre - half), min(1.0, centre + half)


def curve(labelled: Sequence[Labelled]) -> list[str]:
    """The calibration curve as a table: what was said of findings, and how many of them were right."""
    rows = ["| said | labels | said, on average | right | 95 % interval |", "| --- | ---: | ---: | ---: | --- |"]
    said = list(held_out(labelled))
    for low, high in zip((0.0, *CLASSES), CLASSES, strict=False):
        of = [(one, share) for one, share in said if low <= share < high or share == high == 1]
        if of:
            right = sum(one.right for one, _ in of)
            least, most = interval(right, len(of))
            mean = sum(share for _, share in of) / len(of)
            said_of_it, right_of_it = f"{low:.2f} to {high:.2f} | {len(of)} | {mean:.2f}", f"{right / len(of):.2f}"
            rows.append(f"| {said_of_it} | {right_of_it} | {least:.2f} to {most:.2f} |")
    brier = sum((share - one.right) ** 2 for one, share in said) / len(said)
    plain = [(one, share_of(levels([o for o in labelled if o.group != one.group]), one.path)) for one, _ in said]
    by_level = sum((share - one.right) ** 2 for one, share in plain) / len(plain)
    return [*rows, "", f"Brier score {brier:.3f}; {by_level:.3f} with the levels alone. (0.25 is a toss of a coin.)"]


def by_level(labelled: Sequence[Labelled]) -> list[str]:
    """What was counted of each level."""
    rows = [
        "| level | labels drawn, of unseen code | not ruled out | of these, debatable | learned from, not ruled out "
        "| of | right | from commits: before, after |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for confidence in sorted(LEAST, reverse=True):
        of = [one for one in labelled if one.path[0] == str(confidence)]
        drawn = [one for one in of if one.drawn and not one.learned]
        learned = [one for one in of if one.drawn and one.learned]
        right, debatable = sum(one.right for one in drawn), sum(one.debatable for one in drawn)
        commits = [one.right for one in of if not one.drawn]
        share = levels(labelled)[(str(confidence),)].share
        counts = (len(drawn), right, debatable, sum(one.right for one in learned), len(learned), f"{share:.2f}")
        before = sum(commits)
        rows.append(f"| {' | '.join(map(str, (confidence, *counts)))} | {before}, {len(commits) - before} |")
    return rows


def contradicting(labelled: Sequence[Labelled]) -> list[Cell]:
    """The cells of which labels of unseen code speak against the level: it is meant to be another."""
    drawn: dict[Cell, list[bool]] = defaultdict(list)
    for one in labelled:
        for length in range(1, len(one.path) + 1 if one.drawn and not one.learned else 0):
            drawn[one.path[:length]].append(one.right)
    found = []
    for confidence, least in LEAST.items():
        most = min((other for other in LEAST.values() if other > least), default=1.0)
        for cell, of in drawn.items():
            low, high = interval(sum(of), len(of))
            if cell[0] == str(confidence) and (high < least or low > most):
                found.append(cell)
    return sorted(found)


# labelled code


def places_in(directory: Path, sources: Path, mirrors: Path | None) -> Iterator[Place]:
    """All labelled places whose files can be had; they are below ``sources`` then."""
    for file in sorted(directory.glob("findings*.json")):
        labels = json.loads(file.read_text("utf-8"))
        for row in labels["findings"]:
            package = wheel(row["package"], row["version"], row["artifact"], sources)
            where = (f"{package}/{row['file']}", row["line"], row["end_line"])
            yield Place(*where, row["label"], row["package"], bool(labels.get("learned")))
    for file in sorted(directory.glob("sites*.json")):
        labels = json.loads(file.read_text("utf-8"))
        artifacts = {(p["name"], p["version"]): p["artifact"] for p in labels["packages"]}
        for row in labels["sites"]:
            package = wheel(row["package"], row["version"], artifacts[row["package"], row["version"]], sources)
            if row["label"] != "hazard" or row["confidence"] != "low":
                where = (f"{package}/{row['file']}", row["line"], row["end_line"])
                yield Place(*where, row["label"], row["package"], bool(labels.get("learned")))
    for file in sorted([*directory.glob("fix_pairs*.json"), *directory.glob("batches/*.json")]):
        for pair in json.loads(file.read_text("utf-8"))["pairs"]:
            yield from sides(pair, sources, mirrors)


def sides(pair: Mapping[str, Any], sources: Path, mirrors: Path | None) -> Iterator[Place]:
    """The lines before a commit, and after it where nothing of the hazard is left."""
    paths = {"before": pair["file"], "after": pair.get("path_after") or pair["file"]}
    if pair.get("after_residual"):
        del paths["after"]
    for side, name in paths.items():
        path = f"commits/{pair['repo'].replace('/', '+')}/{pair[side]}/{name}"
        if exported(pair["repo"], pair[side], name, sources / path, mirrors):
            line = pair[f"{side}_line"]
            yield Place(path, line, pair.get(f"{side}_end_line") or line, side, pair["repo"])


def wheel(name: str, version: str, artifact: str, sources: Path) -> str:
    """Where a pinned wheel is unpacked; it is neither installed nor run."""
    found = f"wheels/{name}-{version}"
    if not (sources / found).exists():
        with tempfile.TemporaryDirectory() as store:
            python = ("--python-version", "3.8" if "-cp38-" in artifact else "3.11")
            pip = (sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary=:all:", "-d", store)
            subprocess.run([*pip, *python, f"{name}=={version}"], check=True)
            unpack = (sys.executable, "-m", "zipfile", "-e", f"{store}/{artifact}", str(sources / found))
            subprocess.run(unpack, check=True)
    return found


def exported(repo: str, commit: str, name: str, target: Path, mirrors: Path | None) -> bool:
    """Whether a file of a commit is at hand; taken from the repository's mirror if it was not."""
    if target.exists() or mirrors is None:
        return target.exists()
    base = mirrors / repo.replace("/", "+") / "repo"
    git = next((d for d in (base / ".git", base) if (d / "HEAD").exists()), None)
    if git is None:
        return False
    blob = subprocess.run(["git", f"--git-dir={git}", "show", f"{commit}:{name}"], capture_output=True, check=False)
    if blob.returncode == 0:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(blob.stdout)
    return blob.returncode == 0


# findings


def found_in(path: str) -> list[dict[str, Any]]:
    """The findings of one file, the possible ones too: lines, confidence, traits."""
    import nanlint

    text = Path(path).read_text("utf-8", errors="replace")
    return [
        {
            "row": one.span.row,
            "end_row": one.span.end_row,
            "code": one.code,
            "confidence": str(one.confidence),
            "traits": asdict(one.traits),
        }
        for one in nanlint.check_source(text, path, confidence="possible")
    ]


def findings(paths: Sequence[str], sources: Path) -> dict[str, list[dict[str, Any]]]:
    """The findings of files below ``sources``, kept there."""
    memory = sources / "findings.jsonl"
    if not memory.exists():
        with ProcessPoolExecutor() as pool:
            found = pool.map(found_in, [str(sources / path) for path in paths])
            lines = [json.dumps([path, rows]) + "\n" for path, rows in zip(paths, found, strict=True)]
        memory.write_text("".join(lines), "utf-8")
    return dict(json.loads(line) for line in memory.read_text("utf-8").splitlines())


def labelled_findings(places: Sequence[Place], found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Labelled]:
    """At each place where nanlint finds something, the finding it is surest of."""
    labelled = []
    for place in places:
        there = [f for f in found.get(place.path, ()) if f["row"] <= place.end_line and f["end_row"] >= place.line]
        if there:
            surest = max(there, key=lambda f: Confidence[f["confidence"].upper()])
            path = path_of(Confidence[surest["confidence"].upper()], Traits(**surest["traits"]))
            drawn = place.label not in ("before", "after")
            debatable = place.label in DEBATABLE
            labelled.append(Labelled(path, RIGHT[place.label], place.group, drawn, debatable, place.learned))
    return labelled


def draws_in(directory: Path) -> Iterator[Labelled]:
    """The findings of draws of which only the counts by level were kept."""
    for file in sorted(directory.glob("draws*.json")):
        for draw in json.loads(file.read_text("utf-8"))["draws"]:
            for level in LEAST:
                for label, number in draw.get(str(level), {}).items():
                    one = Labelled((str(level),), RIGHT[label], draw["name"], debatable=label in DEBATABLE)
                    yield from [one] * number


# writing


def as_toml(table: Mapping[Cell, Count]) -> str:
    """The table as nanlint reads it."""
    lines = [
        "# The share of right findings, by what is known of them. Written by benchmarks/calibrate.py.",
        "",
        "cells = [",
    ]
    for cell in sorted(table):
        of = ", ".join(json.dumps(part) for part in cell)
        lines.append(f"    {{ of = [{of}], right = {table[cell].share:.3f}, labels = {table[cell].labels:g} }},")
    return "\n".join([*lines, "]", ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--sources", type=Path, default=Path(tempfile.gettempdir()) / "nanlint-calibration")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    asked.sources.mkdir(parents=True, exist_ok=True)
    known = list(places_in(asked.labels, asked.sources, asked.mirrors))
    every = labelled_findings(known, findings(sorted({place.path for place in known}), asked.sources))
    every.extend(draws_in(asked.labels))
    text = "\n".join([*by_level(every), "", *curve(every)])
    print(text)
    for cell in contradicting(every):
        print(f"The labels of {' / '.join(cell)} speak against its level.")
    if asked.write:
        TABLE.write_text(as_toml(kept(counted(every))), "utf-8")
        write_section("calibration", text, GUIDE)
