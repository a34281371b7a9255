"""What is told of a definition before it is lowered."""

from __future__ import annotations

import ast

import pytest

from nanlint.frontend.modules import computes, outline_of


@pytest.mark.parametrize(
    ("body", "does"),
    [
        ("return a * b", True),
        ("a -= b", True),
        ("if a <= b:\n        raise ValueError(a)", True),
        ("return b.get(a, 1e-6)", True),
        ("return a + '/' + b", False),
        ("return open(a).read() if a in b else None", False),
    ],
)
def test_a_function_computes_or_handles_texts_and_types(body: str, does: bool) -> None:
    assert computes(ast.parse(f"def f(a, b):\n    {body}\n").body[0]) is does


def test_the_names_of_frameworks_are_those_that_imports_bind_anywhere() -> None:
    text = "import os\nimport torch.nn as nn\nfrom torch import Tensor\n\n\ndef f():\n    import numpy as np\n"
    assert outline_of(ast.parse(text)).of_frameworks == {"nn", "Tensor", "np"}
