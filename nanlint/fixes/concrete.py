"""The lossless nodes of some rows of a file, by libcst: the only module that imports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from nanlint.diagnostic import Span

#: what is put above indented rows so that they parse
_HEADER = "if True:\n"


class Expressions(cst.CSTVisitor):
    """The pass over some rows: learns where every expression is."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, shift: int) -> None:
        super().__init__()
        self.shift = shift
        self.nodes: dict[Span, cst.CSTNode] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.BaseExpression, cst.AugAssign)):
            where = self.get_metadata(PositionProvider, node)
            start, end = where.start, where.end
            span = Span(start.line + self.shift, start.column + 1, end.line + self.shift, end.column + 1)
            self.nodes.setdefault(span, node)
        return True


def expressions(lines: Sequence[str], first: int, last: int) -> Mapping[Span, cst.CSTNode]:
    """The expressions of the rows from ``first`` to ``last``; none where libcst cannot read them."""
    text = "".join(lines[first - 1 : last])
    indented = text[:1] in (" ", "\t", "\f") and text.lstrip("\f")[:1] in (" ", "\t")
    try:
        module = cst.parse_module(_HEADER + text if indented else text)
        found = Expressions(first - 1 - int(indented))
        MetadataWrapper(module, unsafe_skip_copy=True).visit(found)
    except (cst.ParserSyntaxError, cst.CSTValidationError, UnicodeError, RecursionError):
        return {}
    return found.nodes
