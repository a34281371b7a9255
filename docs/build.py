"""Builds what is generated in the documentation: the rules' pages, and what the shown commands print.

    python docs/build.py           write all of it
    python docs/build.py --check   write nothing; exit with 1 and name what is stale

docs/images/run.svg is a picture of a run. A page in docs/rules/ is the page of its rule (``nanlint rule CODE``) with
its programs, see docs/pages.py. In ``console`` blocks of the README and the guides, each line that starts with ``$`` is
run in a directory with a copy of the examples and with the code blocks of the page that have a file name as title. Its
output is put below it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nanlint.diagnostic import Applicability  # noqa: E402
from nanlint.lint.known_rules import all_rules  # noqa: E402
from nanlint.output.rules import render_rule  # noqa: E402

sys.path.insert(0, str(ROOT / "docs"))

import families  # noqa: E402
import pages  # noqa: E402
import screenshot  # noqa: E402

RULES = ROOT / "docs" / "rules"
GUIDES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
PICTURE = (ROOT / "docs" / "images" / "run.svg", "nanlint examples/torch_classifier.py")
CONSOLE = re.compile(r"(?<=```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
TITLED = re.compile(r'^```python title="([\w.]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
_FIXES = {
    Applicability.SAFE: "safe",
    Applicability.UNSAFE: "unsafe",
    Applicability.DISPLAY: "suggestion",
    None: "none",
}
_COLUMNS = ("code", "name", "finds", "frameworks", "breaks", "level", "fix")
_INDEX = """\
---
title: Rules
hide: [toc]
---
<!-- Written by docs/build.py. -->

# Rules

Use a rule's code or its name interchangeably. Each page shows what `nanlint rule` prints, plus runnable examples for
every framework.

<div id="rule-filter"></div>
<script type="module" src="../assets/rule-index.js"></script>

- *Frameworks*: those in which the rule's examples were run. A rule applies wherever its operations are used.
- *Breaks*: what goes wrong in these examples. The *value* is NaN or Inf, the *gradient* is NaN, Inf or lost, or only
  the *accuracy* suffers: the result is finite but wrong.
- *Level*: the highest [confidence](../how-it-decides.md) with which the examples are reported. *Certain* and *likely*
  findings are shown by default, *possible* ones with `--confidence possible`.
- *Fix*: a *safe* fix is applied by `--fix`, an *unsafe* one by `--fix --unsafe-fixes`. A *suggestion* is shown but not
  applied automatically.
"""
_NOTE = (
    "<!-- Written by docs/build.py from nanlint/rules/{name}.md and the rule's page programs: change it there. -->\n\n"
)


def built() -> Iterator[tuple[Path, str]]:
    """Every generated file with the text it should have."""
    rules = {code: rule for code, rule in all_rules().items() if not rule.origin}
    index = [_INDEX]
    for heading, family in families.grouped(rules.values()):
        index += ["", f"## {heading}", "", f"| {' | '.join(_COLUMNS)} |", f"|{' --- |' * len(_COLUMNS)}"]
        for rule in family:
            summary = rule.summary[:1].lower() + rule.summary[1:] if rule.summary[1:2].islower() else rule.summary
            summary = re.sub(r"^A (?=[a-z`])", "a ", summary)
            level = pages.level(rule.name)
            row = [
                rule.code,
                f"[{rule.name}]({rule.name}.md)",
                summary,
                ", ".join(pages.frameworks(rule.name)),
                ", ".join(pages.breaks(rule.name)),
                str(level) if level is not None else "",
                _FIXES[rule.fixable],
            ]
            index.append(f"| {' | '.join(row)} |")
    for name, rule in ((rule.name, rule) for rule in rules.values()):
        yield RULES / f"{name}.md", _NOTE.format(name=name) + render_rule(rule) + pages.programs_of(name)
    yield RULES / "index.md", "\n".join(index) + "\n"
    with TemporaryDirectory() as directory:
        for guide in GUIDES:
            yield guide, refreshed(guide.read_text(encoding="utf-8"), Path(directory))
        picture, command = PICTURE
        yield picture, screenshot.drawn(command, printed(command, Path(directory), columns=screenshot.COLUMNS))


def refreshed(text: str, directory: Path) -> str:
    """A guide in which each shown command is followed by what it prints now."""
    files = dict(TITLED.findall(text))
    for name, program in files.items():
        (directory / name).write_text(program, encoding="utf-8")
    text = CONSOLE.sub(lambda block: _session(block[1], directory), text)
    for name in files:
        (directory / name).unlink()
    return text


def _session(block: str, directory: Path) -> str:
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{printed(command, directory)}" for command in commands)


def printed(command: str, directory: Path, *, columns: int | None = None) -> str:
    """What a shell command prints in ``directory``: there ``examples`` is a copy, ``nanlint`` this source tree.

    With ``columns`` it is what a terminal of this width would show, in colour.
    """
    shutil.rmtree(directory / "examples", ignore_errors=True)
    shutil.copytree(ROOT / "examples", directory / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    program = directory / "bin" / "nanlint"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nanlint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": str(columns or 120),
    }
    for name in ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK"):
        environment.pop(name, None)
    environment |= {"FORCE_COLOR": "1", "FORCE_HYPERLINK": "0"} if columns else {"NO_COLOR": "1"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout


def stale() -> Iterator[tuple[Path, str | None]]:
    """Files that are not as they should be, with what they should hold (None: nothing, the rule is gone)."""
    wanted = dict(built())
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text
    for path in sorted(RULES.glob("*.md")):
        if path not in wanted:
            yield path, None


def main() -> None:
    """Write, or with --check compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if anything is stale")
    check = parser.parse_args().check
    for directory in (RULES, PICTURE[0].parent):
        directory.mkdir(exist_ok=True)
    found = False
    for path, text in stale():
        found = True
        print(f"{'stale' if check else 'written' if text is not None else 'removed'}: {path.relative_to(ROOT)}")
        if check:
            continue
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    sys.exit(int(check and found))


if __name__ == "__main__":
    main()
