"""Self-contained pages: a template, its style and its script in one file that needs no network and may have none.

The content security policy of a template allows its own style and script by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources


def page(package: str, name: str, **parts: str) -> str:
    """The template ``name``.html of a package with its own .css, behind that of all pages, and .js.

    ``parts``: what is put where the template says ``{{NAME}}``, as HTML.
    """
    style = asset(__package__, "page.css") + asset(package, f"{name}.css")
    script = asset(package, f"{name}.js")
    parts |= {"STYLE": style, "STYLE_HASH": _hash(style), "SCRIPT": script, "SCRIPT_HASH": _hash(script)}
    # all at once, as what is put in may look like a place to put something
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset(package, f"{name}.html"))


def asset(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
