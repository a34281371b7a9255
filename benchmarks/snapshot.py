"""All findings on code that is kept for comparing, and what came and went since they were last written down.

    python benchmarks/snapshot.py SOURCE ... [--mirrors DIRECTORY] [--write]

A SOURCE is a folder of programs, a pinned requirement (``torch-geometric==2.6.1``: its wheel is unpacked, never
installed), or a JSON file of labels: their rows name a ``package``, ``version`` and ``file`` of a wheel, a ``repo``,
``commit`` and ``file``, or the commits ``before`` and ``after`` of a ``repo`` with their ``file``. Repositories are
read from bare mirrors, ``owner+name``; those that are absent are left out and named.

``benchmarks/snapshot.txt`` has a line a finding, at all levels: where it is, rule, level, the rows of its causes, the
applicability and a digest of its fix, a digest of its words. It holds nothing of the code itself. Compared are the
sources that are in it and that are checked now; ``--write`` replaces these, and exits with 0 whatever came.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

from corpus import default_cache, unpacked
from measure import NANLINT, ROOT, run

SNAPSHOT = ROOT / "benchmarks" / "snapshot.txt"
#: what of a repository a check may read
READ = (".py", ".toml", ".cfg")
SHOWN = 200  # lines of differences that are printed


@dataclass(frozen=True)
class Group:
    """Files that are checked together: ``name`` is what their findings are written down under, ``root`` theirs."""

    name: str
    root: Path
    files: tuple[Path, ...]


class Absent(Exception):
    """A mirror is not there; the message names it."""


def archived(repo: str, commit: str, files: Sequence[str], mirrors: Path, cache: Path) -> Path:
    """The tree of a repository at a commit, of ``files`` alone, or of all that a check may read if none are named."""
    kept = mirrors / repo.replace("/", "+") / "repo"
    mirror = next((d for d in (kept / ".git", kept, mirrors / repo) if (d / "HEAD").exists()), None)
    if mirror is None:
        raise Absent(repo)
    place = cache / ("files" if files else "trees") / repo.replace("/", "+") / commit[:12]
    wanted = [f for f in files if not (place / f).exists()]
    if wanted or not place.exists():
        git = ["git", f"--git-dir={mirror}"]
        listed = subprocess.run(
            [*git, "ls-tree", "-r", "--name-only", "-z", commit], capture_output=True, text=True, check=True
        )
        names = [n for n in listed.stdout.split("\0") if (n in wanted if files else n.endswith(READ))]
        packed = subprocess.run(
            [*git, "archive", "--format=tar", commit, "--", *names], capture_output=True, check=True
        )
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(place, filter="data")
    return place


def labelled(labels: Path, mirrors: Path, cache: Path) -> Iterator[Group | Absent]:
    """The groups of a file of labels: a tree each."""
    content = json.loads(labels.read_text(encoding="utf-8"))
    rows = next(content[key] for key in ("pairs", "findings", "sites") if key in content)
    trees: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        if "package" in row:
            trees.setdefault(("wheel", row["package"], row["version"]), set()).add(row["file"])
        elif "before" in row:
            trees.setdefault(("files", row["repo"], row["before"]), set()).add(row["file"])
            trees.setdefault(("files", row["repo"], row["after"]), set()).add(row.get("path_after") or row["file"])
        else:
            trees.setdefault(("tree", row["repo"], row["commit"]), set()).add(row["file"])
    for (kind, name, version), files in sorted(trees.items()):
        try:
            if kind == "wheel":
                root = unpacked(f"{name}=={version}", cache)
            else:
                root = archived(name, version, sorted(files) if kind == "files" else (), mirrors, cache)
        except Absent as absent:
            yield absent
            continue
        found = tuple(root / f for f in sorted(files) if (root / f).exists())
        yield Group(f"{labels.stem}/{name}/{version[:12]}", root, found)


def groups_of(source: str, mirrors: Path, cache: Path) -> Iterator[Group | Absent]:
    """The groups of one source."""
    path = Path(source)
    if "==" in source:
        root = unpacked(source, cache)
        yield Group(source, root, (root,))
    elif path.suffix == ".json":
        yield from labelled(path, mirrors, cache)
    else:
        root = path.resolve()
        yield Group(root.name, root, tuple(sorted(root.rglob("*.py"))))


def digest(*texts: str) -> str:
    """Eight letters that stand for some texts."""
    return blake2b("\0".join(texts).encode(), digest_size=4).hexdigest()


def line_of(finding: dict[str, Any], group: Group) -> str:
    """A finding as it is written down."""
    path = Path(finding["filename"]).relative_to(group.root)
    causes = finding["causes"]
    rows = ",".join(str(one["location"]["row"]) for one in causes) or "-"
    words = digest(finding["message"], finding["effect"], *(one["message"] for one in causes))
    fix, made = finding["fix"], "-"
    if fix is not None:
        edits = json.dumps(fix["edits"]).replace(str(group.root), "")
        made = f"{fix['applicability']}:{digest(fix['display'] or '', edits)}"
    place = f"{group.name}/{path}:{finding['location']['row']}:{finding['location']['column']}"
    return f"{place} {finding['code']} {finding['confidence']} causes={rows} fix={made} words={words}"


def checked(groups: Sequence[Group]) -> dict[str, dict[str, str]]:
    """For each group the lines of its findings, each with its message. Raises RuntimeError if a check fails."""
    found: dict[str, dict[str, str]] = {}
    apart: dict[str, list[Group]] = {"files": [], "one by one": []}
    for group in groups:
        apart["files" if all(f.is_file() for f in group.files) else "one by one"].append(group)
    for batch in [apart["files"], *([group] for group in apart["one by one"])]:
        files = [str(file) for group in batch for file in group.files]
        if not files:
            continue
        options = ("--isolated", "--exit-zero", "--quiet", "--confidence", "possible", "--output-format", "json")
        done = run((*NANLINT, "check", *options, "-j", str(os.cpu_count() or 1), *files))
        if done.code or "Traceback" in done.stderr:
            raise RuntimeError(done.stderr)
        of = {os.path.realpath(file): group for group in batch for file in group.files if file.is_file()}
        for group in batch:
            found[group.name] = {}
        for finding in json.loads(done.stdout):
            group = of.get(os.path.realpath(finding["filename"]), batch[0])
            found[group.name][line_of(finding, group)] = finding["message"]
    return found


def known(text: str) -> dict[str, list[str]]:
    """The lines of a snapshot by group."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            found[name := line[2:]] = []
        else:
            found[name].append(line)
    return found


def written(groups: dict[str, Iterable[str]]) -> str:
    """A snapshot of groups."""
    return "".join(f"# {name}\n" + "".join(f"{line}\n" for line in sorted(groups[name])) for name in sorted(groups))


def place_and_rule(line: str) -> str:
    """What of a line says which finding it is."""
    return " ".join(line.split(" ")[:2])


def differences(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The lines that went (-), came (+), or are of another level, cause, fix or words (~, old -> new)."""
    old, new = set(before) - set(after), set(after) - set(before)
    same = {place_and_rule(one): one for one in old}
    found = []
    for line in new:
        was = same.pop(place_and_rule(line), None)
        rest = "" if was is None else f" <- {was[len(place_and_rule(was)) + 1 :]}"
        found.append(f"{'+' if was is None else '~'} {line}{rest}")
    return sorted([*found, *(f"- {line}" for line in same.values())], key=lambda line: line[2:])


def main() -> None:
    """Check the sources, print what came and went, and with --write keep what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="+", help="a folder, a pinned requirement, a JSON file of labels")
    parser.add_argument("--mirrors", type=Path, default=Path("..", ".mirror"), help="where bare mirrors are")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where code is unpacked")
    parser.add_argument("--write", action="store_true", help=f"replace these sources in {SNAPSHOT.name}")
    options = parser.parse_args()
    start = time.perf_counter()
    found = [one for source in options.source for one in groups_of(source, options.mirrors, options.cache)]
    groups = list({one.name: one for one in found if isinstance(one, Group)}.values())
    absent = sorted({str(one) for one in found if isinstance(one, Absent)})
    now = checked(groups)
    before = known(SNAPSHOT.read_text(encoding="utf-8")) if SNAPSHOT.exists() else {}
    compared = now.keys() & before.keys()
    changed = differences(*([line for name in compared for line in some[name]] for some in (before, now)))
    messages = {line: message for some in now.values() for line, message in some.items()}
    for line in changed[:SHOWN]:
        print(line, messages.get(line[2:].partition(" <- ")[0], ""), sep="  ")
    if len(changed) > SHOWN:
        print(f"… and {len(changed) - SHOWN} more")
    counts = {sign: sum(line.startswith(sign) for line in changed) for sign in "+-~"}
    total = sum(map(len, now.values()))
    print(
        f"{total} findings in {len(groups)} groups, {len(compared)} of them compared: {counts['+']} came, "
        f"{counts['-']} went, {counts['~']} changed; {time.perf_counter() - start:.0f} s"
    )
    if absent:
        print(f"no mirror of {len(absent)}: {', '.join(absent)}")
    if options.write:
        SNAPSHOT.write_text(written({**before, **now}), encoding="utf-8")
    elif changed:
        sys.exit(1)


if __name__ == "__main__":
    main()
