"""The lossless nodes of some rows of a file, by libcst: the only module that imports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from nanlint.diagnostic import Span

#: what is put above indented rows so that they parse
_HEADER = "if True:\n"


def expressions(lines: Sequence[str], first: int, last: int) -> Mapping[Span, cst.CSTNode]:
    """The expressions of the rows from ``first`` to ``last``; none where libcst cannot read them."""
    text = "".join(lines[first - 1 : last])
    indented = text[:1] in (" ", "\t", "\f") and text.lstrip("\f")[:1] in (" ", "\t")
    try:
        module = cst.parse_module(_HEADER + text if indented else text)
        places = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    except (cst.ParserSyntaxError, cst.CSTValidationError, UnicodeError, RecursionError):
        return {}
    shift = first - 1 - int(indented)
    # of two at one place the last one, which is the outer one
    return {
        Span(where.start.line + shift, where.start.column + 1, where.end.line + shift, where.end.column + 1): node
        for node, where in places.items()
        if isinstance(node, (cst.BaseExpression, cst.AugAssign))
    }
