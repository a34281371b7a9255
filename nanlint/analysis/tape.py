"""What a GradientTape sees: from the target of a gradient back to its sources, which ops were recorded."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from nanlint.frontend.nodes import makes_an_object
from nanlint.graph.node import ATTR, CALL, CONST, INSTANCE, LAYER, LOOP, PHI, TUPLE, Node, Region, walk
from nanlint.ops.op import OPS
from nanlint.ops.selection import COMPARISONS

#: attributes that list the variables of a model
VARIABLES_OF = frozenset({"trainable_variables", "trainable_weights", "variables", "weights"})


@dataclass(frozen=True, eq=False)
class Leak:
    """A source whose path to the target leaves the tape: the op computed outside, the place inside that uses it.

    ``lost``: other paths are recorded, so the gradient exists and lacks a term (or has a zero one); else it is None.
    """

    source: Node
    position: int
    outside: Node
    inside: Node
    lost: bool


def tape_leaks(gradient: Node) -> list[Leak]:
    """Leaks of one ``tape.gradient(target, sources)``."""
    regions: list[Region] = gradient["tape"].attrs.get("regions", [])
    if not regions:
        return []
    found = []
    for position, source in enumerate(sources_of(gradient["sources"])):
        recorded, leaks = paths(gradient["target"], source, regions)
        if leaks:
            outside, inside = min(leaks, key=lambda leak: is_unseen_method(leak[0]))
            found.append(Leak(source, position, outside, inside, lost=recorded))
    return found


def source_texts(gradient: Node) -> dict[int, ast.expr]:
    """The expression of each single source in a gradient call, by its position among them."""
    call = gradient.site
    assert isinstance(call, ast.Call)
    given = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "sources"), None)
    elements = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given] if given is not None else []
    return dict(enumerate(elements))


def place_of(outside: Node, gradient: Node) -> ast.AST | None:
    """Where, in the function that asks for the gradient, the op outside is: itself, or the call that leads to it.

    Where they meet in a function that calls both, it is the place there.
    """
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(outside.calls, gradient.calls, strict=False))
    )
    return outside.calls[shared] if shared < len(outside.calls) else outside.site


def sources_of(node: Node) -> list[Node]:
    """The single sources in a list, tuple or dict of them."""
    if node.op in (TUPLE, "dict"):
        return [s for part in node.args.values() for s in sources_of(part)]
    return [node]


def written_to(node: Node) -> bool:
    """Whether a node is what a variable holds once it was written to: a leaf again, whatever was computed for it."""
    return node.spelling is not None and node.spelling.in_place


def is_source(node: Node, source: Node) -> bool:
    """Whether a node is the source, or a layer or model whose variables the source lists."""
    if node is source or (node.key == source.key and not is_made(source)):
        return True
    if source.op == ATTR and source.name in VARIABLES_OF:
        owner = source["base"]
        if node is owner or node.key == owner.key:
            return True
        return node.op == LAYER and node in parts_of(owner)
    return False


def is_made(node: Node) -> bool:
    """Whether a node is made of constants alone (``tf.ones``): another one like it is another tensor."""
    return node.op == CONST or (node.op in OPS and all(map(is_made, node.args.values())))


def parts_of(model: Node) -> list[Node]:
    """Layers that a model holds: those it was built from, or that its constructor stores."""
    if model.op == INSTANCE:
        direct = list((model.attrs.get("fields") or {}).values())
    elif model.op == LAYER:
        direct = [n for n in model.args.values() if n.op in (LAYER, INSTANCE)]
    else:
        direct = []
    return [*direct, *(inner for part in direct if part.op in (LAYER, INSTANCE) for inner in parts_of(part))]


def paths(target: Node, source: Node, regions: list[Region]) -> tuple[bool, list[tuple[Node, Node]]]:
    """Whether some path from target to source is recorded throughout; and the crossings of the others.

    A crossing is a pair: the op outside, the node inside that uses it.
    """

    @cache
    def depends(node: Node) -> bool:
        return any(is_source(n, source) for n in walk(node, flowing))

    def outside(node: Node) -> bool:
        return computed(node) and not any(r in node.regions for r in regions) and not is_source(node, source)

    def onward(node: Node) -> list[Node]:
        ends = is_source(node, source) or (outside(node) and node is not target)
        return [] if ends else [a for a in flowing(node) if depends(a)]

    way = list(walk(target, onward)) if depends(target) else []
    crossings = [(a, n) for n in way for a in onward(n) if outside(a)]
    if not crossings and way and outside(target):
        crossings = [(target, target)]
    return any(is_source(n, source) for n in way), crossings


def cut_by(gradient: Node) -> tuple[Node, Node] | None:
    """The op through which no derivative comes back, on the only way from a target to a source; and the source.

    A number of Python's, an array of NumPy's, a place in an array. What is stopped on purpose is not asked.
    """
    regions: list[Region] = gradient["tape"].attrs.get("regions", [])
    for source in sources_of(gradient["sources"]) if regions else ():
        if paths(gradient["target"], source, regions) == (False, []):
            ways = (n for n in walk(gradient["target"], flowing, 400) if any(r in n.regions for r in regions))
            found = next((n for n in ways if cuts(n) and comes_from(n, source)), None)
            if found is not None:
                return found, source
    return None


def cuts(node: Node) -> bool:
    """Whether an op has no derivative, and is not there for that."""
    op = OPS.get(node.op)
    meant = node.spelling is not None and node.spelling.name.endswith(("stop_gradient", "detach"))
    return op is not None and op.stops_gradient and node.op not in ("size", *COMPARISONS) and not meant


def comes_from(node: Node, source: Node) -> bool:
    """Whether a node is made of a source, whether a derivative goes that way or not."""
    made_of = walk(node, lambda n: [] if is_source(n, source) else n.args.values(), 400)
    return any(is_source(n, source) for n in made_of)


def is_unseen_method(node: Node) -> bool:
    """Whether a node is what a method gives of which nothing is seen: it may use none of its object's variables."""
    return node.op == CALL and node.name.startswith(".")


def computed(node: Node) -> bool:
    """Whether a node is the result of an op that a tape would have recorded (not a name, container, join or object)."""
    return (
        node.op
        not in (TUPLE, "dict", PHI, LOOP, "refine", "list", ATTR, INSTANCE, LAYER, CONST, "function", "partial", "part")
        and node.site is not None
        and (node.op in OPS or (node.op == CALL and not makes_an_object(node)) or node.op == "gradient")
    )


def flowing(node: Node) -> list[Node]:
    """Operands that a gradient flows back to."""
    op = OPS.get(node.op)
    if (op is not None and op.stops_gradient) or written_to(node):
        return []
    if node.op in ("watch", "slice", "is", "isnot", "test", "variable"):
        return []
    if node.op == "gradient":
        return [node[name] for name in ("target", "output_gradients") if name in node.args]
    return [a for name, a in node.args.items() if name not in ("cond", "index", "axis", "tape")]
