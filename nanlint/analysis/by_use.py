"""What the use of a value tells of it: an arccosine is taken of cosines, a negative power of degrees, n - 1 of sizes.

Where an op is defined on a part of the line only, whoever writes it takes its operand to lie there, ends included; and
what was computed lies beside the ends by rounding. Each function answers for one hazard: how surely its operand is at
the pole, and why; or None.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from nanlint.analysis.algebra import monomial, terms
from nanlint.analysis.forms import choices
from nanlint.analysis.geometry import products, whole
from nanlint.analysis.structure import Evaluate, bare, factors, same, square_root_of
from nanlint.graph.node import ATTR, CONST, INSTANCE, MODULE, PARAM, Node, walk
from nanlint.ops.op import OPS, Pole
from nanlint.ops.value import LIKELY, NEVER, POSSIBLE, Evidence, Kind, Origin, Reach

Met = tuple[Reach, Evidence]

CIRCULAR = frozenset({"sin", "cos"})
#: sums of what there is of something, by row or by segment
COUNTS = frozenset({"scatter_sum", "segment_sum", "bincount", "count_nonzero"})
#: what is no data: numbers, and what an object was made with
SETTINGS = frozenset({CONST, ATTR, MODULE, INSTANCE})
#: arrays made for a number of places
LAID_OUT = frozenset({"arange", "linspace", "range", "zeros", "ones", "eye"})


def met_by_use(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Met | None:
    """How surely an operand is at a pole, by what the op is used for."""
    use = USES.get(node.op)
    return use(node, pole, operand, value) if use is not None else None


# ends of a domain


def beyond_domain(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Met | None:
    """acos, asin, acosh, atanh of what was computed: 1 at the end of its range, and by rounding a little more."""
    if pole.cls not in ("pos", "neg") or pole.gradient:
        return None
    core = bare(operand)
    while core.op in ("neg", "abs"):
        core = bare(core["x"])
    pair = products(core)
    if node.op == "acos" and pair is not None and not any(map(computed, pair)):
        # of vectors of any length, as far as is seen
        return None
    if core.op == "einsum" or pair is not None:
        because = "is a dot product of unit vectors: rounding can push it just beyond 1"
        return LIKELY, Evidence(because, core, origin=Origin.ROUNDING)
    if node.op == "acosh":
        parts = [term.node for term in terms(core)]
        inner = any(map(products, parts)) and all(products(one) or len(factors(one)) == 2 for one in parts)
        because = "is 1 for a point and itself, as hyperbolic geometry has it: rounding can take it just below 1"
        return (LIKELY, Evidence(because, core, origin=Origin.ROUNDING)) if inner else None
    surely = POSSIBLE if node.op == "atanh" else LIKELY
    if spherical(core):
        because = "is the cosine of the angle between two directions: rounding can push it just beyond 1"
        return surely, Evidence(because, core, origin=Origin.ROUNDING)
    if of_a_trace(core, value):
        because = "is the cosine of a rotation's angle: rounding can push it just beyond 1"
        return surely, Evidence(because, core, origin=Origin.ROUNDING)
    if core.op == "div" and value(core["b"]).constant is None:
        above = bare(core["a"])
        rounded = products(above) is not None or len(terms(above)) > 1 or above.op in ("mean", "sum")
        because = "is a quotient of rounded numbers: rounding can push it just beyond ±1"
        return surely if rounded else POSSIBLE, Evidence(because, core, origin=Origin.ROUNDING)
    return None


def computed(vector: Node) -> bool:
    """Whether a vector is the result of arithmetic: of length 1 by that, if an arccosine is taken of its products."""
    core = whole(vector)
    return core.op in OPS and (OPS[core.op].pointwise or core.op in ("dot", "einsum", "normalize"))


def of_a_trace(node: Node, value: Evaluate) -> bool:
    """(trace(r) - 1) / 2, however the trace is written: a sum of the elements on a diagonal."""
    above = monomial(node, value).above
    parts = [bare(term.node) for term in terms(above[0] if len(above) == 1 else node)]
    elements = [one for one in parts if value(one).constant is None]
    if elements == parts:
        return False
    if len(elements) > 1:
        return all(one.op == "part" and same(one["x"], elements[0]["x"]) for one in elements)
    summed = [bare(one["x"]) if one.op == "sum" else one for one in elements]
    return any(one.op in ("trace", "diagonal", "einsum") for one in summed)


def spherical(node: Node) -> bool:
    """sin(a) * sin(b) + cos(a) * cos(b) * cos(c): every term is a product of sines and cosines."""
    parts = [factors(term.node) for term in terms(node)]
    return len(parts) > 1 and all(len(part) > 1 and any(f.op in CIRCULAR for f in part) for part in parts)


# counts


def negative_power(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Met | None:
    """deg**-0.5, rsqrt(deg), 1 / rowsum as a power: the degree of a node without neighbours is 0."""
    if pole.cls != "zero" or pole.gradient:
        return None
    total = bare(operand)
    if total.op in COUNTS:
        because = "counts how often each index occurs: 0 for an index that does not occur"
        return LIKELY, Evidence(because, total, origin=Origin.EMPTY)
    if total.op != "sum" or "x" not in total.args or square_root_of(total["x"]) is not None:
        return None
    if not all(choice.op in (PARAM, "part") for choice in choices(total["x"])):
        return None
    surely = LIKELY if total.get("axis") is not None else POSSIBLE
    return surely, Evidence(
        "adds up each row: 0 for a row of zeros, such as a node without neighbours",
        total,
        origin=Origin.EMPTY,
    )


# determinants


def vanishing_size(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Met | None:
    """log(det(A)), log(prod(x)), log(|det(A)|): a product of many factors leaves the range of floating point."""
    core = bare(operand)
    product = bare(core["x"]) if core.op == "abs" else core
    if pole.cls != "zero" or pole.shift or product.op not in ("det", "prod"):
        return None
    if value(product["x"]).whole or value(product).kind is Kind.SCALAR:
        return None
    what = "determinant" if product.op == "det" else "product"
    return LIKELY, Evidence(
        f"a {what} of many factors underflows to 0, while the sum of their logarithms is finite",
        product,
        origin=Origin.SATURATION,
    )


# sizes and settings


def of_a_setting(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Met | None:
    """An array over n - 1 or n - k, or (x - lo) / (hi - lo): 0 for as many elements, for a range of no extent."""
    above = node.get("a")
    if above is None or value(above).kind is Kind.SCALAR:
        return None
    for factor in chain.from_iterable(map(choices, monomial(operand, value).above)):
        if factor.op != "sub" or value(factor).zero is NEVER:
            continue
        if is_size(factor["a"]) and (is_size(factor["b"]) or (value(factor["b"]).constant == 1 and data_in(above))):
            because = "is a number of elements minus another, or minus 1: 0 if they are equal"
            return POSSIBLE, Evidence(because, factor, origin=Origin.EMPTY)
        if all(setting(factor[k], value) for k in ("a", "b")) and shifted_by(above, factor["b"], value):
            because = "is the width of a range: 0 if its ends are equal"
            return POSSIBLE, Evidence(because, factor, origin=Origin.COINCIDENCE)
    return None


def data_in(node: Node) -> bool:
    """Whether a value is made of more than settings: numbers, attributes of an object."""
    made_of = walk(node, lambda n: () if n.op in SETTINGS else n.args.values(), 40)
    return any(n.op not in SETTINGS and not n.args for n in made_of)


def is_size(node: Node) -> bool:
    """Whether a number is one of places: a size, or what an array is laid out for."""
    inner = bare(node)
    if inner.op == "size" or (inner.op == "part" and bare(inner["x"]).op == "size"):
        return True
    return inner.op == PARAM and any(user.op in LAID_OUT for user in inner.users)


def setting(node: Node, value: Evaluate) -> bool:
    """Whether a value is set elsewhere, with no number to start from."""
    inner = bare(node)
    return inner.op in (PARAM, ATTR) and "default" not in inner.args and value(inner).constant is None


def shifted_by(above: Node, lower: Node, value: Evaluate) -> bool:
    """Whether a numerator is x - lower, of data, up to factors."""
    shifts = (f for f in monomial(above, value).above if f.op == "sub")
    return data_in(above) and any(same(f["b"], lower) for f in shifts)


Use = Callable[[Node, Pole, Node, Evaluate], Met | None]
USES: dict[str, Use] = {
    **dict.fromkeys(("acos", "asin", "acosh", "atanh"), beyond_domain),
    **dict.fromkeys(("pow", "rsqrt"), negative_power),
    **dict.fromkeys(("log", "log2", "log10"), vanishing_size),
    "div": of_a_setting,
}
