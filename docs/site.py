"""Hooks of MkDocs: rules in the navigation, the playground's files, links into the repository, descriptions, search."""

from __future__ import annotations

import json
import re
import sys
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from bundle import bundle  # noqa: E402
from families import grouped  # noqa: E402
from mkdocs.structure.files import File, InclusionLevel  # noqa: E402

from nanlint.lint.known_rules import all_rules  # noqa: E402

BESIDE = re.compile(r"(?<=\]\()(?:\.\./)+([^)#\s]+)")

#: the first paragraph that is text, and its first sentence
PARAGRAPH = re.compile(r"(?:^|\n\n)(?![#<`|>!*\[-]|\s|\d+\.)(.+?)(?=\n\n|\Z)", re.DOTALL)
SENTENCE = re.compile(r".{40,300}?[.:](?=\s|$)")
PICTURE = "images/vscode-finding.png"

NAME = re.compile(r"(?<!\w)nanlint")
#: a character without width: a word with it begins with nothing that is searched for
UNSEEN = "\N{ZERO WIDTH SPACE}"
#: how much a page counts in the search, where that is not 1 (a title counts a thousand times as much as text); 0 leaves
#: it out: tables of what was measured. What a page says of itself counts first.
WEIGHTS = {
    "quick-start.md": 2,
    "installation.md": 2,
    "explain.md": 0.5,
    "authors.md": 0.5,
    "precision.md": 0.001,
    "adapters.md": 0.001,
    "design.md": 0.001,
    "testing.md": 0.001,
    "counterparts.md": 0.001,
    "measurements.md": 0,
    "proofs.md": 0,
    "soundness.md": 0,
}


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
    """The page with links out of docs/ made absolute, a description, and a weight in the search; raises DeadLink."""
    weight = WEIGHTS.get(page.file.src_uri, 1)
    page.meta.setdefault("search", {"boost": weight} if weight else {"exclude": True})
    page.meta.setdefault("description", described(page.file.src_uri, markdown) or config.site_description)
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


def described(name: str, markdown: str) -> str | None:
    """What a page is about, for search engines: the summary of a rule, or the first sentence of the page."""
    rules = {f"rules/{rule.name}.md": rule for rule in all_rules().values()}
    if (rule := rules.get(name)) is not None:
        return f"{rule.code} {rule.name}: {rule.summary.rstrip('.')}. Why it is NaN or Inf, and what to write instead."
    paragraph = PARAGRAPH.search(markdown)
    if paragraph is None:
        return None
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(paragraph[1].split()))
    sentence = SENTENCE.match(text)
    return (sentence[0] if sentence else text[:300]).rstrip(":")


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """The page with what it shows where it is linked to (https://ogp.me), and without a request to api.github.com.

    The theme would ask there for the repository's stars.
    """
    title = page.meta.get("title", page.title)
    shown = {
        "og:type": "website" if page.is_homepage else "article",
        "og:site_name": config.site_name,
        "og:title": title if page.is_homepage else f"{title} - {config.site_name}",
        "og:description": page.meta["description"],
        "og:url": page.canonical_url,
        "og:image": f"{config.site_url}{PICTURE}",
    }
    tags = "".join(f'<meta property="{name}" content="{escape(value)}">\n' for name, value in shown.items())
    return output.replace("</head>", f"{tags}</head>", 1).replace(' data-md-component="source"', "")


def on_post_build(config: Any) -> None:
    """Keep the name of the program out of the search: it begins with "nan", which would find every page."""
    path = Path(config.site_dir) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for one in index["docs"]:
        one["title"], one["text"] = (NAME.sub(f"{UNSEEN}nanlint", one[key]) for key in ("title", "text"))
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
