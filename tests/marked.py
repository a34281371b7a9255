"""Programs that say themselves what is to be found in them: ``# error: [NL101]`` stands on the line of each finding.

``# error: [NL101] possible``: that is found, but not shown by default.
"""

from __future__ import annotations

import re
import textwrap

import nanlint

MARKER = re.compile(r"# error: \[(NL\d+(?:, NL\d+)*)\](?: (possible))?")

TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
TF = "import tensorflow as tf\n"
KERAS = "import keras\nfrom keras import layers, ops\nfrom keras import backend as K\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
NUMPY = "import numpy as np\n"


def program(*parts: str) -> str:
    """One source of several parts, each without its indentation."""
    return "\n".join(textwrap.dedent(part) for part in parts)


def findings(source: str) -> list[tuple[int, str]]:
    """(row, code) of what is shown by default."""
    return sorted((found.span.row, found.code) for found in nanlint.check_source(source))


def said(*parts: str) -> list[tuple[str, str]]:
    """(code, confidence) of all that is found in a program, possible ones included."""
    found = nanlint.check_source(program(*parts), confidence="possible")
    return [(one.code, str(one.confidence)) for one in found]


def marked(source: str, *, possible: bool = False) -> list[tuple[int, str]]:
    """(row, code) of what the source says is to be shown by default, or of what is only possible."""
    return sorted(
        (row, code)
        for row, line in enumerate(source.splitlines(), 1)
        for match in MARKER.finditer(line)
        for code in match.group(1).split(", ")
        if possible == bool(match.group(2))
    )


def check(*parts: str) -> None:
    """Assert that the findings of a program are those it marks, no more and no less."""
    source = program(*parts)
    assert findings(source) == marked(source), source
    if expected := marked(source, possible=True):
        found = nanlint.check_source(source, confidence="possible")
        assert {(one.span.row, one.code) for one in found if str(one.confidence) == "possible"} >= set(expected), source
