"""Hooks of MkDocs: rules in the navigation, what the playground loads, links out of docs/ into the repository."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from bundle import bundle  # noqa: E402
from families import grouped  # noqa: E402
from mkdocs.structure.files import File, InclusionLevel  # noqa: E402

from nanlint.linter import all_rules  # noqa: E402

BESIDE = re.compile(r"(?<=\]\()(?:\.\./)+([^)#\s]+)")


class DeadLink(Exception):
    """A page leads to a file that is not there; MkDocs stops."""


def on_config(config: Any) -> Any:
    """The configuration with a page for each rule below ``Rules``, by family."""
    (rules,) = (entry["Rules"] for entry in config.nav if "Rules" in entry)
    for heading, family in grouped(all_rules().values()):
        rules.append({heading: [{f"{rule.code} {rule.name}": f"rules/{rule.name}.md"} for rule in family]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """The files of the site with those that the playground loads."""
    for name, content in bundle(config.extra["pyodide"]):
        files.append(File.generated(config, f"playground/{name}", content=content, inclusion=InclusionLevel.INCLUDED))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The page with links out of docs/ made absolute; raises DeadLink."""
    here = Path(page.file.abs_src_path).parent

    def absolute(link: re.Match[str]) -> str:
        target = (here / link[0]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        if not target.exists():
            raise DeadLink(f"{page.file.src_path}: {link[0]} leads nowhere")
        kind = "tree" if target.is_dir() else "blob"
        return f"{config.repo_url}/{kind}/main/{target.relative_to(ROOT).as_posix()}"

    return BESIDE.sub(absolute, markdown)
