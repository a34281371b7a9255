"""What a program settles of the errors of floating point that NumPy and Python tell it of."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nanlint.graph.node import MODULE, Node
from nanlint.ops.frameworks import FLOATING_POINT_WARNINGS


def settles(setting: ast.AST) -> bool:
    """Whether NumPy's settings say more of a quotient, or of what is undefined, than that a warning is told."""
    if not isinstance(setting, ast.Call):
        return True
    given = [*(("all", value) for value in setting.args[:1]), *((k.arg, k.value) for k in setting.keywords)]
    return any(
        name in (None, "all", "divide", "invalid") and getattr(value, "value", None) not in ("warn", "print")
        for name, value in given
    )


def ignores(args: Sequence[Node], keywords: Mapping[str, Node]) -> bool:
    """Whether a call has warnings ignored: all of them, or that of floating point."""
    settings = [node.attrs.get("value") for node in (*args, *keywords.values())]
    categories = [node.name for node in (*args[1:], *keywords.values()) if node.op == MODULE]
    return "ignore" in settings and all(name.rpartition(".")[2] in FLOATING_POINT_WARNINGS for name in categories)
