"""Which expression of a file feeds which, by the linter's own graph: for ops of which the run does not tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanlint.graph.node import CALL, LOOP, PHI, REFINE, Node
from nanlint.ops.op import OPS
from nanlint.rules.diagnose import analysed
from nanlint.source import Source

#: what hands on a value that was made elsewhere
_TRANSPARENT = frozenset({PHI, LOOP, REFINE, CALL})


@dataclass(frozen=True)
class Expression:
    """An op at a line, and for each operand the expressions that it may be, by their indices."""

    op: str
    line: int
    operands: tuple[tuple[int, ...], ...]


def expressions_of(source: Source) -> tuple[Expression, ...]:
    """The ops of a file; none for one that cannot be read as Python."""
    try:
        graph = analysed(source, {}).lowering.graph
    except Exception:  # the graph is an extra: a source that it cannot be made of is shown without
        return ()
    nodes = [node for node in graph if node.op in OPS and hasattr(node.site, "lineno")]
    # what was inlined into several calls is one expression
    places: dict[tuple[object, ...], int] = {}
    number = {node: places.setdefault(_place(node), len(places)) for node in nodes}
    operands: dict[int, list[dict[int, None]]] = {}
    lines: dict[int, tuple[str, int]] = {}
    for node in nodes:
        lines[number[node]] = (node.op, node.site.lineno)  # type: ignore[union-attr]
        known = operands.setdefault(number[node], [{} for _ in node.args])
        for found, operand in zip(known, node.args.values(), strict=False):
            found.update((number[one], None) for one in _made(operand, set()) if one in number)
    return tuple(Expression(*lines[i], tuple(map(tuple, operands[i]))) for i in range(len(places)))


#: what frameworks call ops at run time that the catalogue has by another name
_ALIASES = {"realdiv": "div", "truediv": "div", "matmul": "dot", "mm": "dot", "bmm": "dot", "dot_general": "dot"}
_ALIASES |= {"true_divide": "div", "power": "pow", "negative": "neg", "reduce_max": "max", "reduce_min": "min"}
_ALIASES |= {"reduce_sum": "sum", "linalg_vector_norm": "norm", "subtract": "sub", "multiply": "mul", "divide": "div"}


def written_at(expressions: Sequence[Expression], op: str, line: int) -> int | None:
    """The expression at a line that an op, as its framework calls it, was written as."""
    name = op.lower().rpartition("::")[2].removeprefix("aten.").partition(".")[0].strip("_")
    name = _ALIASES.get(name, name)
    return next((i for i, one in enumerate(expressions) if one.line == line and one.op == name), None)


def _place(node: Node) -> tuple[object, ...]:
    site = node.site
    return (node.op, *(getattr(site, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")))


def _made(node: Node, met: set[Node]) -> Iterator[Node]:
    """The ops that a value comes out of, through what only hands it on."""
    if node in met:
        return
    met.add(node)
    if node.op not in _TRANSPARENT:
        yield node
        return
    for operand in node.args.values():
        yield from _made(operand, met)
