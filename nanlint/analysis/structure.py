"""Questions about the form of an expression alone: what it is behind views, what it is a product or a square of."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from nanlint.graph.node import CONST, LOOP, MODULE, PHI, REFINE, TUPLE, Node, stripped, walk
from nanlint.ops.op import OPS
from nanlint.ops.value import Value

#: what is known of a node
Evaluate = Callable[[Node], Value]

More = ParamSpec("More")
Answer = TypeVar("Answer")

#: of numbers that are not negative, 0 only where all of them are
REDUCES = frozenset({"sum", "mean", "max", "nansum", "nanmean"})

#: characters of an expression that a message shows
LONGEST = 40
#: factors of one product that are told apart
MAX_FACTORS = 32
#: what a value is one of, or is but for infinities, by what it is: operands, the last one first
HELD_BY = {
    **dict.fromkeys(("where", PHI), ("b", "a")),
    **dict.fromkeys(("clamp", "nan_to_num", "part"), ("x",)),
    LOOP: ("back",),
}
#: values that are looked at behind one
MAX_BEHIND = 24
#: what holds numbers, beside the operations that make them
HOLDERS = frozenset({CONST, MODULE, TUPLE, "list", "slice", REFINE})
#: ops without operands whose elements are all alike, so that no size, which may be data, tells what they are
UNIFORM = frozenset({"zeros", "ones", "finfo_eps"})
#: ops whose values come from elsewhere, or change while the program runs
FROM_ELSEWHERE = frozenset({"input", "variable", "stored"})


def asked_once(question: Callable[Concatenate[Node, More], Answer]) -> Callable[Concatenate[Node, More], Answer]:
    """A question about a node of a finished graph that takes long, or is asked again and again: it keeps the answer."""

    @wraps(question)
    def recalled(node: Node, /, *args: More.args, **keywords: More.kwargs) -> Answer:
        if node.answers is None:
            node.answers = {}
        asked = question, args, *keywords.items()
        if asked not in node.answers:
            node.answers[asked] = question(node, *args, **keywords)
        return cast(Answer, node.answers[asked])

    return recalled


def bare(node: Node) -> Node:
    """The node behind views, casts, refinements and stopped gradients."""
    while True:
        inner = stripped(node)
        if inner.op in ("stop_gradient", "list", "concat") and "x" in inner.args:
            inner = inner["x"]
        if inner is node:
            return node
        node = inner


def is_field(node: Node) -> bool:
    """Whether a node is what a record or a table holds by a name: what it holds by two names are two things."""
    index = node.get("index") if node.op == "part" else None
    return index is not None and isinstance(index.attrs.get("value"), str)


def called(node: Node) -> str:
    """The name that data goes by: that of the entry of a record, or of the variable that it is first bound to."""
    if is_field(node):
        return str(node["index"].attrs["value"])
    return str(node.attrs.get("variable") or node.name.rpartition(".")[2])


def same(a: Node, b: Node) -> bool:
    """Whether two nodes are the same numbers, up to their arrangement."""
    return a.key == b.key or bare(a).key == bare(b).key


def in_source(node: Node) -> str | None:
    """A node as it is written, for a message; None where that is long, or is no expression."""
    site = node.site
    text = site.arg if isinstance(site, ast.arg) else ast.unparse(site) if isinstance(site, ast.expr) else ""
    return f"`{text}`" if 0 < len(text) <= LONGEST and "\n" not in text else None


def coincidence(a: Node, b: Node) -> str:
    """That two things are equal, in words: with their names, where they have some that tell them apart."""
    one, other = in_source(a), in_source(b)
    return f"if {one} and {other} are equal" if one and other and one != other else "if its two operands are equal"


def uses(node: Node, passes: Callable[[Node, Node], bool], limit: int) -> Iterator[Node]:
    """Uses of a node, nearest first, each once, behind those of which ``passes(user, used)``: they hand it on."""
    pending, seen = deque([node]), {node.index}
    while pending and len(seen) < limit:
        current = pending.popleft()
        for user in current.users:
            if user.index in seen:
                continue
            seen.add(user.index)
            if passes(user, current):
                pending.append(user)
            else:
                yield user


def depends(node: Node, on: Node) -> bool:
    """Whether a node is made from another; no further back than some steps."""
    return any(n.key == on.key for n in walk(node, lambda n: n.args.values(), 40))


def elementwise(node: Node) -> bool:
    """Whether a node is computed from the elements of its operands one by one, or holds them in another arrangement."""
    op = OPS.get(node.op)
    return op is not None and (op.pointwise or op.view)


@asked_once
def shift_of(node: Node, reduction: tuple[str, ...]) -> Node | None:
    """The x of which ``node`` is (a replacement of infinities in, a mask over) a reduction such as max(x)."""

    def reduced(n: Node) -> bool:
        return n.op in reduction and "x" in n.args

    def behind(n: Node) -> list[Node]:
        operands = HELD_BY.get(n.op, ()) if not reduced(n) else ()
        return [bare(n[k]) for k in operands if k in n.args]

    found = next(filter(reduced, walk(bare(node), behind, MAX_BEHIND)), None)
    return found["x"] if found is not None else None


def factors(node: Node) -> list[Node]:
    """Operands of a product, flattened; of one with very many, some are products."""
    found: list[Node] = []
    pending = [bare(node)]
    while pending:
        current = pending.pop()
        if current.op == "mul" and len(found) + len(pending) < MAX_FACTORS:
            pending += [bare(current["b"]), bare(current["a"])]
        else:
            found.append(current)
    return found


def square_root_of(node: Node) -> Node | None:
    """The x of x**2, x*x or square(x)."""
    node = bare(node)
    if node.op == "square":
        return node["x"]
    if node.op == "pow" and node["y"].attrs.get("value") in (2, 2.0):
        return node["x"]
    if node.op == "mul" and same(node["a"], node["b"]):
        return node["a"]
    return None


def zero_together(quotient: Node) -> bool:
    """Whether a sum is divided by the sum of its weights: 0 / 0 is nan, and never an infinity."""
    if quotient.op != "div":
        return False
    above, below = bare(quotient["a"]), bare(quotient["b"])
    if above.op != "sum" or below.op not in ("sum", "count_nonzero"):
        return False
    return any(same(factor, below["x"]) for factor in factors(above["x"]))


def literal(value: Node, *, drawn: bool = False) -> bool:
    """Whether a value is made of literals alone, wherever they stand: its author sees the 0 in it.

    ``drawn``: random numbers count as well.
    """

    def written(part: Node) -> bool:
        if part.op in HOLDERS or part.op not in OPS or part.op in FROM_ELSEWHERE:
            return part.op in HOLDERS
        return bool(part.args or part.op in UNIFORM) if OPS[part.op].pure else drawn

    return not value.calls and all(map(written, walk(value, lambda n: n.args.values())))
