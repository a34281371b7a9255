"""``--output-format json-lines``: the objects of ``json``, one a line, for tools that read as they go."""

from __future__ import annotations

import json

from nanlint.output.json import as_object
from nanlint.output.view import View


def render(view: View) -> str:
    """One JSON object and a newline for each finding, the most probable first."""
    return "".join(json.dumps(as_object(one), ensure_ascii=False) + "\n" for _, one in view.findings())
