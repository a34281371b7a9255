"""What must agree before a version is published, and the text of its release.

    python .ci/release.py check [TAG]    exit with 1 and say what does not agree
    python .ci/release.py notes VERSION  print the section of the changelog

Without a tag it checks what always has to agree; with one, also that the version is ready to be published.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: what README.md and the documentation say until the first release
UNRELEASED = "not on PyPI yet"
#: places that pin a version: a hook of pre-commit, the action for GitHub, the component for GitLab
PINNED = re.compile(r"(?:\brev: v|nanlint/nanlint@v|nanlint/nanlint/nanlint@)(\d[\w.]*)")
#: a section of figures in the documentation, and its first line, which benchmarks/measure.py writes
FIGURES = re.compile(r"^<!-- (?P<name>[\w ]+) -->\n(?P<text>.*?)^<!-- /(?P=name) -->$", re.MULTILINE | re.DOTALL)
STAMP = re.compile(r"\s*Measured on \d{4}-\d\d-\d\d at commit `(?P<commit>[0-9a-f]{7,40})`: .+\.$", re.MULTILINE)
_SECTION = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)


def version(root: Path = ROOT) -> str:
    """The version that the package is built with."""
    text = (root / "nanlint" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    assert found is not None, "nanlint/version.py has no __version__"
    return found[1]


def sections(root: Path = ROOT) -> dict[str, tuple[str | None, str]]:
    """The sections of the changelog by their name: date and text."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    text = re.sub(r"^\[[^\]]+\]: .*\n?", "", text, flags=re.MULTILINE)  # the links at the end
    heads = list(_SECTION.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head["name"]: (head["date"], text[head.end() : end].strip()) for head, end in zip(heads, ends, strict=True)}


def problems(tag: str | None = None, root: Path = ROOT) -> Iterator[str]:
    """What does not agree."""
    number, changes = version(root), sections(root)
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for page, text in texts.items():
        for pinned in sorted({*PINNED.findall(text)} - {number}):
            yield f"{page.relative_to(root)} shows version {pinned}, nanlint/version.py has {number}"
    if "Unreleased" not in changes:
        yield "CHANGELOG.md has no section [Unreleased]"
    for name, (date, text) in changes.items():
        if name != "Unreleased" and not re.fullmatch(r"\d{4}-\d\d-\d\d", date or ""):
            yield f"CHANGELOG.md: [{name}] has no date (YYYY-MM-DD)"
        if name != "Unreleased" and not text:
            yield f"CHANGELOG.md: [{name}] is empty"
    yield from problems_of_figures(texts, root, released=tag is not None)
    if tag is None:
        return
    if tag != f"v{number}":
        yield f"the tag is {tag}, nanlint/version.py has {number}"
    if number not in changes:
        yield f"CHANGELOG.md has no section [{number}]"
    if changes.get("Unreleased", (None, ""))[1]:
        yield f"CHANGELOG.md: the section [Unreleased] is not empty; its entries belong in [{number}]"
    for page, text in texts.items():
        if UNRELEASED in text:
            yield f"{page.relative_to(root)} says that nanlint is {UNRELEASED}"


def problems_of_figures(texts: Mapping[Path, str], root: Path, *, released: bool) -> Iterator[str]:
    """Sections of figures that do not say what they were measured with; of a release, those of older code."""
    for page, text in texts.items():
        for found in FIGURES.finditer(text):
            of = f'{page.relative_to(root)}: the figures of "{found["name"]}"'
            stamp = STAMP.match(found["text"])
            if stamp is None:
                yield f"{of} do not begin with date, commit and machine"
            elif released and not is_of_this_code(stamp["commit"], root):
                yield f"{of} are older than the code (commit {stamp['commit']}): python benchmarks/all.py"


def is_of_this_code(commit: str, root: Path = ROOT) -> bool:
    """Whether the package is the same as in ``commit``, apart from its version."""
    paths = ("nanlint", ":!nanlint/version.py")
    done = subprocess.run(["git", "diff", "--quiet", commit, "--", *paths], cwd=root, capture_output=True, check=False)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Check, or print notes."""
    match arguments:
        case ["check", *tags] if len(tags) <= 1:
            found = list(problems(tags[0] if tags else None))
            print("\n".join(found) or f"{version()}: all agree")
            return int(bool(found))
        case ["notes", name]:
            section = sections().get(name.removeprefix("v"))
            print(section[1] if section else f"CHANGELOG.md has no section [{name}]")
            return int(section is None)
        case _:
            print(__doc__)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
