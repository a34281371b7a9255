"""Nodes of the frame that is being lowered, with what the path taken knows of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nanlint.frontend.nodes import DTYPES, unlike_itself
from nanlint.frontend.part import Part
from nanlint.frontend.syntax import IMPORTS
from nanlint.graph.conditions import implied, known_of, settled
from nanlint.graph.node import (
    ATTR,
    CALL,
    CONST,
    DATA,
    DICT,
    FUNCTION,
    INSTANCE,
    LAYER,
    MODULE,
    OTHER,
    PARAM,
    PHI,
    REFINE,
    RETURNED,
    TUPLE,
    Node,
    Region,
    unite,
    unrefined,
)
from nanlint.graph.path import NOTHING, Bound, Minus, PathCondition
from nanlint.ops.floats import FORMATS, Format
from nanlint.ops.frameworks import canonical
from nanlint.ops.op import OPS

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


#: ops without poles whose surroundings fixes ask about
REMEMBERED = frozenset({"where", "softmax", "sigmoid", "exp", "mul"})
#: fields of finfo
MACHINE_LIMITS: Mapping[str, Callable[[Format], float]] = {
    "eps": lambda f: f.eps,
    "tiny": lambda f: f.tiny,
    "smallest_normal": lambda f: f.tiny,
    "smallest_subnormal": lambda f: f.denormal,
    "resolution": lambda f: 10.0 ** -math.floor((f.precision - 1) * math.log10(2)),
    "max": lambda f: f.max,
    "min": lambda f: -f.max,
}


class Builder(Part):
    """Nodes of the frame that is being lowered, with what the path taken knows of them."""

    def __init__(self, lowering: Lowering) -> None:
        super().__init__(lowering)
        #: values of which one comparison more is known, by their index, the comparison and the index of its other side
        self.refinements: dict[tuple[int, str, int], Node] = {}

    @property
    def frameworks_here(self) -> tuple[str, ...]:
        """The frameworks of the file whose code is being lowered."""
        return self.frame.top.frameworks or self.lowering.frameworks

    def emit(
        self,
        op: str,
        site: ast.AST | None,
        attrs: dict[str, Any] | None = None,
        *,
        pure: bool | None = None,
        args: Mapping[str, Node] | None = None,
        **named: Node,
    ) -> Node:
        """A node of the current frame, replaced by what the path taken knows of it."""
        given = {**(args or {}), **named}
        if op in ("eq", "ne") and (asked := unlike_itself(given)) is not None:
            # only NaN is not equal to itself
            isnan = self.emit("isnan", site, x=asked)
            return isnan if op == "ne" else self.emit("not", site, x=isnan)
        known = OPS.get(op)
        node = self.graph.add(
            op,
            given,
            attrs,
            site,
            pure=known.pure if pure is None and known is not None else bool(pure or pure is None),
        )
        node.regions = self.frame.regions
        node.calls = self.frame.calls
        if known is not None and (known.breaks or op in REMEMBERED):
            node.env = self.frame.env.copy()
            node.facts = self.frame.facts
        return self.refined(node)

    def refined(self, node: Node) -> Node:
        """``node`` with the facts of the path taken attached."""
        if not self.frame.facts or node.op == REFINE:
            return node
        told = known_of(self.graph, node.key, self.frame.facts)
        if not told:
            return node
        result = node
        for comparison, other in told[:-1]:
            # what all but the last say, they say wherever the value is read
            by = self.other_side(other)
            known = result.index, comparison, by.index
            if known not in self.refinements:
                self.refinements[known] = self.refinement(result, comparison, by, node)
            result = self.refinements[known]
        comparison, other = told[-1]
        result = self.refinement(result, comparison, self.other_side(other), node)
        result.key = node.key
        return result

    def other_side(self, other: Bound) -> Node:
        """The node of what something is known to compare with."""
        if isinstance(other, Minus):
            return self.graph.add("neg", {"x": other.node})
        if isinstance(other, tuple):
            return self.graph.add(TUPLE, {str(i): self.other_side(end) for i, end in enumerate(other)}, {}, None)
        return other if isinstance(other, Node) else self.graph.literal(other)

    def refinement(self, x: Node, comparison: str, by: Node, node: Node) -> Node:
        """``x``, which is ``node`` of which more is known, and one comparison more."""
        made = self.graph.add(REFINE, {"x": x, "by": by}, {"cmp": comparison}, node.site)
        made.framework = node.framework
        return made

    def escape(self, node: Node, way: str = OTHER) -> None:
        """Note that a value can be used by code that is not seen here."""
        if self.lowering.escapes.get(node.index) in (None, DATA) or way in (RETURNED, OTHER):
            self.lowering.escapes[node.index] = way

    def number(self, value: float, site: ast.AST | None = None) -> Node:
        return self.graph.add(CONST, {}, {"value": value}, site)

    def unknown(self, site: ast.AST, *parts: Node, name: str = "") -> Node:
        """Something of which nothing is known, that depends on ``parts``."""
        args = {f"arg{i}": p for i, p in enumerate(parts)}
        return self.emit(CALL, site, {"name": name} if name else None, pure=False, args=args)

    def dtype_of(self, node: Node | None) -> str | None:
        """Name of the floating-point format that a dtype expression names, or None."""
        if node is None:
            return None
        if node.op == PARAM and "default" in node.args:
            return self.dtype_of(node["default"])
        name = node.attrs.get("value") if node.op == CONST else node.name if node.op == MODULE else None
        return DTYPES.get(name.rpartition(".")[2]) if isinstance(name, str) else None

    def casts_to(self, node: Node) -> str:
        """What sort of number a dtype expression names: "integer", "bool" or "" (a float, or not known)."""
        name = node.attrs.get("value") if node.op == CONST else node.name if node.op == MODULE else None
        last = name.rpartition(".")[2] if isinstance(name, str) else ""
        if last.startswith("bool"):
            return "bool"
        return "integer" if last.startswith(("int", "uint", "long", "short")) else ""

    def dotted(self, node: Node) -> str:
        """Canonical dotted name of a module node."""
        return canonical(node.name)

    def sort(self, node: Node) -> str:
        """What an argument is, as far as overloads are told apart by it: "int", "dtype", a string in quotes, or ""."""
        if self.dtype_of(node) is not None or (node.op == ATTR and node.name == "dtype"):
            return "dtype"
        if node.op == CONST and isinstance(node.attrs["value"], str):
            return repr(node.attrs["value"])
        if node.op == "neg":
            node = node["x"]
        if node.op == CONST and type(node.attrs["value"]) is int:
            return "int"
        if node.op == PARAM and (node.attrs.get("annotation") == "int" or node.name in ("axis", "dim")):
            return "int"
        return (
            "int" if node.op == TUPLE and node.args and all(self.sort(n) == "int" for n in node.args.values()) else ""
        )

    def merge(self, cond: Node | None, a: Node, b: Node, site: ast.AST | None) -> Node:
        """One of two values that meet at a join. Of two imports under one name, the first that is known."""
        if a.op == b.op == MODULE and all(isinstance(n.site or n.external_site, IMPORTS) for n in (a, b)):
            known = [
                canonical(n.name).startswith(self.frameworks_here) or self.lowering.project.resolve(n) is not n
                for n in (a, b)
            ]
            return b if known == [False, True] else a
        if a is b or a.key == b.key:
            if REFINE in (a.op, b.op):
                self.escape(b)
                return a if a.op != REFINE else b if b.op != REFINE else a["x"]
            unite(a, b)
            return a
        if cond is not None and (found := self.defined_on_one_path(cond, a, b)) is not None:
            return found
        if (both := self.joined(cond, a, b, site)) is not None:
            return both
        args = {"a": a, "b": b}
        if cond is not None:
            args["cond"] = cond
        node = self.graph.add(PHI, args, {}, site)
        node.regions = self.frame.regions
        return node

    def joined(self, cond: Node | None, a: Node, b: Node, site: ast.AST | None) -> Node | None:
        """Two things of the same parts that meet are one of the parts that meet: dicts, layers, objects of a class."""
        same_parts = a.op == b.op and a.args.keys() == b.args.keys()
        if (same_parts and a.op == DICT) or (a.op == LAYER and same_parts and a.attrs == b.attrs):
            parts = {k: self.merge(cond, n, b[k], site) for k, n in a.args.items()}
            return self.graph.add(a.op, parts, dict(a.attrs), a.site, pure=a.op == DICT)
        if a.op == b.op == INSTANCE and a.attrs["cls"] is b.attrs["cls"] and "init" in a.attrs and "init" in b.attrs:
            (args, keywords), (others, other_keywords) = a.attrs["init"], b.attrs["init"]
            if len(args) == len(others) and keywords.keys() == other_keywords.keys():
                given = [self.merge(cond, x, y, site) for x, y in zip(args, others, strict=True)]
                named = {k: self.merge(cond, n, other_keywords[k], site) for k, n in keywords.items()}
                return self.graph.add(INSTANCE, {}, {"cls": a.attrs["cls"], "init": (given, named)}, a.site, pure=False)
        return None

    def defined_on_one_path(self, cond: Node | None, a: Node, b: Node) -> Node | None:
        """A value that only one of two paths sets, the other has None: the value, which remembers where it is set."""
        for value, other, truth in ((a, b, True), (b, a, False)):
            if other.op == CONST and other.attrs["value"] is None:
                # what nobody chose between, or what is None on both
                if cond is None or (value.op == CONST and value.attrs["value"] is None):
                    return value
                return self.phi_with_undefined(cond, truth, value, other)
        return None

    def phi_with_undefined(self, cond: Node, truth: bool, value: Node, before: Node) -> Node:
        """A value where a condition is ``truth``; elsewhere what there was before, of which nothing much is known."""
        if not truth:
            cond = self.graph.add("not", {"x": cond}, {}, cond.site)
        node = self.graph.add("view", {"x": value, "cond": cond, "before": before}, {"set_where": True}, value.site)
        node.framework, node.regions = value.framework, self.frame.regions
        return node

    def is_none(self, node: Node, site: ast.AST) -> Node | None:
        """The condition under which a value is None because it was not set; None of one that always is."""
        node = unrefined(node)
        if not node.attrs.get("set_where") or node["before"].op != CONST:
            return None
        value, unset = node["x"], self.graph.add("not", {"x": node["cond"]}, {}, site)
        if (value.op in OPS and "before" not in value.args) or value.op in (TUPLE, LAYER, FUNCTION, INSTANCE, DICT):
            return unset
        other = self.is_none(value, site)
        if other is None:
            other = self.graph.add("is", {"a": value, "b": node["before"]}, {}, site)
        return self.graph.add("or", {"a": unset, "b": other}, {}, site)

    def join_results(self, cond: Node | None, a: Node, b: Node, e: ast.AST) -> Node:
        """Join of two returned values, element by element for tuples: ``a`` where ``cond`` holds, if that is known."""
        if a.op == TUPLE and b.op == TUPLE and len(a.args) == len(b.args):
            return self.graph.add(TUPLE, {k: self.merge(cond, a[k], b[k], e) for k in a.args if k in b.args}, {}, e)
        if a.op == CONST and a.attrs["value"] is None:
            return b
        if b.op == CONST and b.attrs["value"] is None:
            return a
        return self.merge(cond, a, b, e)

    def assume(self, cond: Node, truth: bool) -> None:
        """Record in the frame what follows from a condition being true (or false)."""
        self.frame.facts = self.frame.facts.and_((*implied(self.graph, cond, truth), *settled(self.graph, cond, truth)))

    def known_of(self, instance: Node) -> PathCondition:
        """What holds once an object has been made."""
        known: PathCondition = instance.attrs.get("facts", NOTHING)
        return known

    def computing_in(self, format: str | None, site: ast.AST | None) -> tuple[Region, ...]:
        """The region of a model, or of a program, whose layers have weights of a format."""
        return (Region("precision", site, {"dtype": format}),) if format is not None else ()

    def machine_limit(self, dtype: Node | None, name: str, e: ast.AST) -> Node:
        """A field of finfo: the number itself where the dtype is known, else some positive (for min: negative) one."""
        known = FORMATS.get(self.dtype_of(dtype) or "")
        if known is not None and name in MACHINE_LIMITS:
            return self.number(MACHINE_LIMITS[name](known), e)
        limit = self.emit("finfo_eps", e, {"field": name})
        return self.emit("neg", e, x=limit) if name == "min" else limit

    def spelled_name(self, node: Node) -> str:
        return node.name if node.op == CALL else self.dotted(node) if node.op == MODULE else ""
