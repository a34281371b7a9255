"""Lowering of expressions other than calls: names, attributes, operators, subscripts, comprehensions."""

from __future__ import annotations

import ast
import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import Any

from nanlint.graph.conditions import MIRRORED, implied, known_of, settled, truth_of
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DATA,
    DICT,
    FUNCTION,
    INSTANCE,
    LAYER,
    LOOP,
    MODULE,
    OTHER,
    PARAM,
    PHI,
    REFINE,
    RETURNED,
    TUPLE,
    Graph,
    Node,
    number,
    unite,
    unrefined,
)
from nanlint.graph.path import Bound, Minus, PathCondition
from nanlint.graph.scope import ClassInfo, Env, Frame
from nanlint.ops.floats import FORMATS, Format
from nanlint.ops.frameworks import canonical
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spellings

BINARY: dict[type[ast.operator], tuple[str, str, str]] = {
    ast.Add: ("add", "a", "b"),
    ast.Sub: ("sub", "a", "b"),
    ast.Mult: ("mul", "a", "b"),
    ast.Div: ("div", "a", "b"),
    ast.FloorDiv: ("floordiv", "a", "b"),
    ast.Mod: ("mod", "a", "b"),
    ast.Pow: ("pow", "x", "y"),
    ast.MatMult: ("dot", "a", "b"),
    ast.BitAnd: ("and", "a", "b"),
    ast.BitOr: ("or", "a", "b"),
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
IDENTITY: dict[type[ast.cmpop], str] = {ast.Is: "is", ast.IsNot: "isnot"}

#: last component of a dotted name -> number, for the modules that have them
NUMBERS = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "Inf": math.inf,
    "infty": math.inf,
    "nan": math.nan,
    "NaN": math.nan,
    "NAN": math.nan,
    "tau": math.tau,
}
#: attributes of a table that are not its numbers
TABLE_ATTRIBUTES = frozenset({"columns", "index", "dtypes", "empty"})
#: packages whose numbers are not Python's
SYMBOLIC = frozenset({"builtins", "sympy"})
#: attributes of a tensor that are the tensor, moved or measured
TENSOR_ATTRIBUTES = {
    "T": "view",
    "mT": "view",
    "H": "view",
    "real": "view",
    "data": "stop_gradient",
    "shape": "size",
    "size": "size",
    "ndim": "size",
}
IMPORTS = (ast.Import, ast.ImportFrom)
#: attributes of the pairs that torch's extrema and sorts return
PAIRED = {"values", "indices"}
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

DTYPES = {"half": "float16", "float": "float32", "double": "float64", "single": "float32"} | {
    name: name for name in FORMATS
}


#: nodes whose call is known
CALLABLE = frozenset({MODULE, FUNCTION, CLASS, LAYER, INSTANCE, "partial"})
#: elements of which an unknown key may find any
MAX_ALTERNATIVES = 8
#: parts of one condition that are told apart
MAX_CONDITIONS = 40
#: elements of a list or dict that are told apart
MAX_ELEMENTS = 250

#: ops without poles whose surroundings fixes ask about
REMEMBERED = frozenset({"where", "softmax", "sigmoid", "exp", "mul"})


class ExpressionLowering:
    """Expressions to nodes. Every method returns a node; what is not understood becomes a CALL node of its parts."""

    def __init__(self, spellings: Spellings, frameworks: tuple[str, ...], path: str = "") -> None:
        self.graph = Graph(path)
        self.spellings = spellings
        self.frameworks = frameworks
        self.frame = Frame()
        self.deferred: list[tuple[Node, Frame]] = []
        #: rows whose expressions are remembered, with their node in each activation (which its calls tell)
        self.watched: Collection[int] = ()
        self.readings: dict[ast.expr, list[tuple[tuple[ast.AST, ...], Node]]] = {}
        #: nodes that leave the code that computes them -> how (RETURNED, KEPT on an object, or OTHER ways)
        self.escapes: dict[int, str] = {}
        #: values of which one comparison more is known, by their index, the comparison and the index of its other side
        self.refinements: dict[tuple[int, str, int], Node] = {}
        self._expressions: dict[type[ast.AST], Callable[[Any], Node]] = {
            ast.Constant: self.constant,
            ast.JoinedStr: self.text,
            ast.Name: self.variable,
            ast.Attribute: self.attribute,
            ast.BinOp: self.binary,
            ast.UnaryOp: self.unary,
            ast.BoolOp: self.boolean,
            ast.Compare: self.comparison,
            ast.Call: self.call,
            ast.IfExp: self.conditional,
            ast.Subscript: self.subscript,
            ast.Tuple: self.sequence,
            ast.List: self.sequence,
            ast.Set: self.sequence,
            ast.Dict: self.dictionary,
            ast.Lambda: self.function_value,
            ast.NamedExpr: self.walrus,
            ast.ListComp: self.comprehension,
            ast.GeneratorExp: self.comprehension,
            ast.SetComp: self.comprehension,
            ast.DictComp: self.comprehension,
            ast.Starred: lambda e: self.lower(e.value),
            ast.Await: lambda e: self.lower(e.value),
            ast.Slice: self.slice,
            ast.Yield: self.yielded,
            ast.YieldFrom: self.yielded,
        }

    @property
    def frameworks_here(self) -> tuple[str, ...]:
        """The frameworks of the file whose code is being lowered."""
        return self.frame.top.frameworks or self.frameworks

    # ── creation ────────────────────────────────────────────────────────────────────────────────────────────────────

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
        if self.escapes.get(node.index) in (None, DATA) or way in (RETURNED, OTHER):
            self.escapes[node.index] = way

    def number(self, value: float, site: ast.AST | None = None) -> Node:
        """A literal number."""
        return self.graph.add(CONST, {}, {"value": value}, site)

    def unknown(self, site: ast.AST, *parts: Node, name: str = "") -> Node:
        """Something of which nothing is known, that depends on ``parts``."""
        args = {f"arg{i}": p for i, p in enumerate(parts)}
        return self.emit(CALL, site, {"name": name} if name else None, pure=False, args=args)

    def lower(self, e: ast.expr) -> Node:
        """The node of an expression."""
        handler = self._expressions.get(type(e))
        if handler is None:
            return self.unknown(e, *(self.lower(c) for c in ast.iter_child_nodes(e) if isinstance(c, ast.expr)))
        node = handler(e)
        if e.lineno in self.watched and self.graph.home(e) is None:
            self.readings.setdefault(e, []).append((self.frame.calls, node))
        return node

    # ── leaves ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def constant(self, e: ast.Constant) -> Node:
        value = e.value
        if isinstance(value, complex):
            made = self.unknown(e)
            made.attrs["annotation"] = "complex"
            return made
        return self.graph.add(CONST, {}, {"value": value, "type": type(value).__name__}, e)

    def text(self, e: ast.JoinedStr) -> Node:
        """A text that is put together: no number."""
        parts = [self.lower(part.value) for part in e.values if isinstance(part, ast.FormattedValue)]
        made = self.unknown(e, *parts)
        made.attrs["annotation"] = "str"
        return made

    def variable(self, e: ast.Name) -> Node:
        found = self.frame.lookup(e.id)
        if found is None:
            return self.graph.add(MODULE, {}, {"name": f"builtins.{e.id}"}, e)
        if found.op == MODULE:
            return self.resolve(found)
        return self.refined(self.chosen_before(found)) if self.frame.facts else found

    def chosen_before(self, node: Node) -> Node:
        """The value on this path of a variable that another branch on the same condition has set."""
        while (node.op == PHI and "cond" in node.args) or node.attrs.get("set_where"):
            truth = truth_of(node["cond"], self.frame.facts)
            if truth is None:
                break
            node = node[("a" if truth else "b") if node.op == PHI else "x" if truth else "before"]
        return node

    def attribute(self, e: ast.Attribute) -> Node:
        return self.refined(self.read_attribute(self.lower(e.value), e.attr, e))

    def class_member(self, base: Node, name: str) -> Node | None:
        """A constant or a method of a class, as the class itself has it."""
        cls: ClassInfo = base.attrs["cls"]
        for c in cls.mro():
            if name in c.constants:
                return self.constant_of(c, name)
            if name in c.methods:
                return self.method_value(c, c.methods[name], base if is_class_method(c.methods[name]) else None)
        return None

    def read_attribute(self, base: Node, name: str, e: ast.AST) -> Node:
        """``base.name``."""
        if base.op == MODULE:
            stored = self.frame.lookup(("field", base.key, name))
            if stored is not None:
                return stored
            return self.as_others_set(base, name, self.resolve(self.imported(base.name, name, e)), e)
        stored = self.frame.lookup(("field", base.key, name))
        if stored is not None:
            stored = self.chosen_before(stored)
            return self.promised(base.attrs["cls"], name, stored, e) if base.op == INSTANCE else stored
        if base.op == INSTANCE:
            found = self.member(base, name, e)
            if found is not None:
                return found
        if base.op in (FUNCTION, CLASS) and name == "__name__":
            return self.graph.add(CONST, {}, {"value": base.name, "type": "str"}, e)
        if base.op == CLASS and (own := self.class_member(base, name)) is not None:
            return own
        members: Mapping[str, Node] = base.attrs.get("members", {})
        if name in members:
            return members[name]
        if base.op == CALL and base.name.endswith("finfo") and name in MACHINE_LIMITS:
            return self.machine_limit(base.get("arg0"), name, e)
        if name in PAIRED and base.op == TUPLE and len(base.args) == 2:
            return base["0" if name == "values" else "1"]
        if name in TENSOR_ATTRIBUTES and base.op not in (FUNCTION, LAYER, MODULE, CLASS, INSTANCE):
            return self.emit(TENSOR_ATTRIBUTES[name], e, {"axes": True} if name == "ndim" else None, x=base)
        if base.framework == "pandas" and name not in TABLE_ATTRIBUTES:
            # a column, or the table as something to index: .price, .values, .iloc
            return self.of_table(self.emit("part", e, x=base), base)
        return self.emit(ATTR, e, {"name": name}, base=base)

    def imported(self, module: str, name: str, e: ast.AST) -> Node:
        """``name`` in a module: a number that it is known to hold, or itself a dotted name."""
        dotted = f"{module}.{name}"
        if name in NUMBERS and module.partition(".")[0] not in SYMBOLIC and not self.in_project(dotted):
            return self.number(NUMBERS[name], e)
        return self.graph.add(MODULE, {}, {"name": dotted}, e)

    def as_others_set(self, module: Node, name: str, value: Node, site: ast.AST) -> Node:
        """What a name of a module stands for, if functions of files that import it may set it."""
        raise NotImplementedError

    def in_project(self, dotted: str) -> bool:
        """Whether a dotted name is of a file of the project."""
        raise NotImplementedError

    def resolve(self, module: Node) -> Node:
        """What a dotted name stands for in another file of the project; itself where that is not seen."""
        raise NotImplementedError

    def machine_limit(self, dtype: Node | None, name: str, e: ast.AST) -> Node:
        """A field of finfo: the number itself where the dtype is known, else some positive (for min: negative) one."""
        known = FORMATS.get(self.dtype_of(dtype) or "")
        if known is not None and name in MACHINE_LIMITS:
            return self.number(MACHINE_LIMITS[name](known), e)
        limit = self.emit("finfo_eps", e, {"field": name})
        return self.emit("neg", e, x=limit) if name == "min" else limit

    # ── operators ───────────────────────────────────────────────────────────────────────────────────────────────────

    def binary(self, e: ast.BinOp) -> Node:
        left, right = self.lower(e.left), self.lower(e.right)
        return self.combine(e.op, left, right, e)

    def combine(self, operator: ast.operator, left: Node, right: Node, site: ast.AST) -> Node:
        """left <operator> right."""
        if left.op == CONST and isinstance(left.attrs["value"], str):
            return self.unknown(site, right)
        if left.op == TUPLE and isinstance(operator, ast.Add) and right.op == TUPLE:
            elements = [*left.args.values(), *right.args.values()]
            return self.emit(TUPLE, site, args={str(i): n for i, n in enumerate(elements)})
        left, right = values_of_pair(left), values_of_pair(right)
        if isinstance(operator, ast.Add) and right.op in (TUPLE, "list") and is_list(left):
            each = self.merge(None, self.element(left, site), self.element(right, site), site)
            last = right.get("last") or next(reversed(right.args.values()), each)
            return self.emit("list", site, pure=False, each=each, last=last)
        op = BINARY.get(type(operator))
        if op is None:
            return self.unknown(site, left, right)
        name, operands = op[0], {op[1]: left, op[2]: right}
        if isinstance(operator, (ast.Add, ast.Sub)):
            name, left, right = self.signed(name, left, right)
            operands = {"a": left, "b": right}
        result = self.emit(name, site, args=operands)
        if result.framework is None and {n.framework for n in (left, right) if n.op != CONST} == {"numpy"}:
            result.framework = "numpy"
        return result

    def signed(self, op: str, left: Node, right: Node) -> tuple[str, Node, Node]:
        """A sum or difference without operands that are negated: -b + a and a + -b are a - b."""
        if op == "add" and (b := self.negated(right)) is not None:
            return "sub", left, b
        if op == "add" and (b := self.negated(left)) is not None:
            return "sub", right, b
        if op == "sub" and right.op == "neg":
            return "add", left, right["x"]
        return op, left, right

    def negated(self, node: Node) -> Node | None:
        """The x of -x."""
        return node["x"] if node.op == "neg" else None

    def unary(self, e: ast.UnaryOp) -> Node:
        x = self.lower(e.operand)
        if isinstance(e.op, ast.UAdd):
            return x
        if isinstance(e.op, ast.USub):
            if x.op == CONST and isinstance(x.attrs["value"], (int, float)):
                return self.graph.add(
                    CONST, {}, {"value": -x.attrs["value"], "type": type(x.attrs["value"]).__name__}, e
                )
            return self.emit("neg", e, x=x)
        return self.emit("not", e, x=x)

    def boolean(self, e: ast.BoolOp) -> Node:
        op = "and" if isinstance(e.op, ast.And) else "or"
        saved = self.frame.facts
        result = self.lower(e.values[0])
        for part in e.values[1:MAX_CONDITIONS]:
            if result.op == CONST:
                result = result if bool(result.attrs["value"]) == (op == "or") else self.lower(part)
                continue
            self.assume(result, op == "and")
            result = self.emit(op, e, {"python": True}, a=result, b=self.lower(part))
        if rest := [self.lower(part) for part in e.values[MAX_CONDITIONS:]]:
            result = self.emit(op, e, {"python": True}, a=result, b=self.unknown(e, *rest))
        self.frame.facts = saved
        return result

    def comparison(self, e: ast.Compare) -> Node:
        left = self.lower(e.left)
        result: Node | None = None
        for comparison, right_source in zip(e.ops[:MAX_CONDITIONS], e.comparators[:MAX_CONDITIONS], strict=True):
            right = self.lower(right_source)
            op = COMPARE.get(type(comparison))
            unset = (
                self.is_none(left, e) if type(comparison) in IDENTITY and right.attrs.get("value", 0) is None else None
            )
            if unset is not None:
                part = unset if isinstance(comparison, ast.Is) else self.graph.add("not", {"x": unset}, {}, e)
            elif op in MIRRORED and left.op == CONST and right.op != CONST:
                # 0 < x is x > 0
                part = self.emit(MIRRORED[op], e, {"mirrored": True}, a=right, b=left)
            elif op is None:
                part = self.graph.add(IDENTITY.get(type(comparison), "test"), {"a": left, "b": right}, {}, e)
            else:
                part = self.emit(op, e, a=values_of_pair(left), b=values_of_pair(right))
            result = part if result is None else self.emit("and", e, a=result, b=part)
            left = right
        assert result is not None
        if rest := [self.lower(right) for right in e.comparators[MAX_CONDITIONS:]]:
            result = self.emit("and", e, a=result, b=self.unknown(e, *rest))
        return result

    def conditional(self, e: ast.IfExp) -> Node:
        cond = self.lower(e.test)
        taken = decided(cond)
        if taken is not None:
            return self.lower(e.body if taken else e.orelse)
        saved = self.frame.facts
        branches = []
        for truth, source in ((True, e.body), (False, e.orelse)):
            self.frame.facts = saved
            self.assume(cond, truth)
            branches.append(self.lower(source))
        self.frame.facts = saved
        return self.merge(cond, branches[0], branches[1], e)

    def one_sided(self, cond: Node | None, a: Node, b: Node) -> Node | None:
        """A value that only one of two paths sets, the other has None: the value, which remembers where it is set."""
        for value, other, truth in ((a, b, True), (b, a, False)):
            if other.op == CONST and other.attrs["value"] is None:
                # what nobody chose between, or what is None on both
                if cond is None or (value.op == CONST and value.attrs["value"] is None):
                    return value
                return self.set_where(cond, truth, value, other)
        return None

    def set_where(self, cond: Node, truth: bool, value: Node, before: Node) -> Node:
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

    def merge(self, cond: Node | None, a: Node, b: Node, site: ast.AST | None) -> Node:
        """One of two values that meet at a join. Of two imports under one name, the first that is known."""
        if a.op == b.op == MODULE and all(isinstance(n.site or n.elsewhere, IMPORTS) for n in (a, b)):
            known = [canonical(n.name).startswith(self.frameworks_here) or self.resolve(n) is not n for n in (a, b)]
            return b if known == [False, True] else a
        if a is b or a.key == b.key:
            if REFINE in (a.op, b.op):
                self.escape(b)
                return a if a.op != REFINE else b if b.op != REFINE else a["x"]
            unite(a, b)
            return a
        if cond is not None and (found := self.one_sided(cond, a, b)) is not None:
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

    # ── containers ──────────────────────────────────────────────────────────────────────────────────────────────────

    def sequence(self, e: ast.Tuple | ast.List | ast.Set) -> Node:
        elements: list[Node] = []
        some = standing_for(e.elts)
        open_ended = some is not None
        for x in e.elts if some is None else some:
            node = self.lower(x)
            if isinstance(x, ast.Starred) and node.op == TUPLE and not node.attrs.get("starred"):
                elements.extend(node.args.values())
                continue
            open_ended = open_ended or isinstance(x, ast.Starred)
            elements.append(node)
        return self.emit(
            TUPLE,
            e,
            {"starred": True} if open_ended else None,
            args={str(i): n for i, n in enumerate(elements)},
        )

    def dictionary(self, e: ast.Dict) -> Node:
        args: dict[str, Node] = {}
        if (some := standing_for(e.values)) is not None:
            return self.emit(DICT, e, args={f"?{i}": self.lower(value) for i, value in enumerate(some)})
        for i, (key, value) in enumerate(zip(e.keys, e.values, strict=True)):
            node = self.lower(value)
            if key is None and node.op == DICT:
                args.update(node.args)
            else:
                args[f"={key.value!r}" if isinstance(key, ast.Constant) else f"?{i}"] = node
        return self.emit(DICT, e, args=args)

    def slice(self, e: ast.Slice) -> Node:
        parts = {
            n: self.lower(s) for n, s in (("lower", e.lower), ("upper", e.upper), ("step", e.step)) if s is not None
        }
        return self.emit("slice", e, args=parts)

    def subscript(self, e: ast.Subscript) -> Node:
        base = self.lower(e.value)
        if base.op == MODULE:
            return self.unknown(e, base)
        return self.item(base, self.lower(e.slice), e)

    def item(self, base: Node, index: Node, site: ast.AST) -> Node:
        """``base[index]``."""
        at = index.attrs.get("value") if index.op == CONST else None
        if base.op == TUPLE and isinstance(at, int) and not base.attrs.get("starred"):
            elements = list(base.args.values())
            if -len(elements) <= at < len(elements):
                base.attrs["apart"] = True
                return self.refined(elements[at])
        if base.op == DICT:
            self.fill(base, index)
        if base.op == DICT and index.op == CONST:
            found = base.args.get(f"={at!r}")
            if found is not None:
                base.attrs["apart"] = True
                return self.refined(found)
        if at in (0, -1) and base.op == "view" and self.adds_axis(base.get("index")):
            if isinstance(site, ast.Subscript) and isinstance(site.value, ast.Subscript) and not base.users:
                # nothing else sees the view
                base["x"].users.remove(base)
            return base["x"]
        stored = self.frame.lookup(("item", base.key, index.key))
        if stored is not None:
            return stored
        if base.op == "list" and "each" in base.args and "last" not in base.args:
            base.attrs["apart"] = True
            return base if index.op == "slice" else base["each"]
        if base.op == "size":
            return self.emit("size", site, x=base, index=index)
        if base.op == LAYER and base.get("last") is not None:
            return self.unknown(site, base)
        if self.keeps_all(index):
            return self.emit("view", site, x=base, index=index)
        if (one := self.one_of(base, index, site)) is not None:
            return one
        return self.refined(self.of_table(self.emit("part", site, x=base, index=index), base))

    def one_of(self, base: Node, index: Node, site: ast.AST) -> Node | None:
        """What an unknown key finds in a dict or list of functions, layers or numbers that is written out."""
        elements = list(base.args.values())
        if not (written_out(base) or (base.op == DICT and keys_known(base))):
            return None
        if not 0 < len(elements) <= MAX_ALTERNATIVES or index.op in ("slice", TUPLE, CONST):
            return None
        if not all(one.op in CALLABLE or one.op == CONST for one in elements):
            return None
        base.attrs["apart"] = True
        return reduce(lambda a, b: self.merge(None, a, b, site), reversed(elements))

    def of_table(self, part: Node, base: Node) -> Node:
        """A part of a pandas table has the methods of one."""
        if base.framework == "pandas":
            part.framework = base.framework
        return part

    def keeps_all(self, index: Node) -> bool:
        """Whether an index only adds axes or takes everything: None, ..., : and tuples of them."""
        if index.op == CONST:
            return index.attrs["value"] in (None, ...)
        if index.op == "slice":
            return not index.args
        if index.op == MODULE:
            return index.name.endswith("newaxis")
        return index.op == TUPLE and all(self.keeps_all(i) for i in index.args.values())

    def adds_axis(self, index: Node | None) -> bool:
        """Whether an index only puts a new axis before all others: None, newaxis."""
        if index is None:
            return False
        return (index.op == CONST and index.attrs["value"] is None) or (index.op == MODULE and self.keeps_all(index))

    def yielded(self, e: ast.Yield | ast.YieldFrom) -> Node:
        """What a generator gives to the loop over it; what it gets back is unknown."""
        if e.value is not None:
            value = self.lower(e.value)
            self.frame.yields.append(self.element(value, e) if isinstance(e, ast.YieldFrom) else value)
            self.escape(self.frame.yields[-1])
        return self.unknown(e)

    def walrus(self, e: ast.NamedExpr) -> Node:
        value = self.lower(e.value)
        self.frame.env[e.target.id] = value
        return value

    def comprehension(self, e: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Node:
        """One element under the conditions that choose it; what they choose may be nothing."""
        saved_env, saved_facts = self.frame.env, self.frame.facts
        self.frame.env = saved_env.copy()
        chosen = any(generator.ifs for generator in e.generators)
        for generator in e.generators:
            elements = self.lower(generator.iter)
            chosen = chosen or bool(elements.attrs.get("chosen"))
            self.bind(generator.target, self.element(elements, generator.iter), generator.iter)
            for test in generator.ifs:
                self.assume(self.lower(test), True)
        attrs = {"chosen": True} if chosen else {}
        if isinstance(e, ast.DictComp):
            self.lower(e.key)
            made = self.emit(DICT, e, {**attrs, "many": True}, pure=False, args={"?0": self.lower(e.value)})
        else:
            made = self.emit("list", e, attrs, pure=False, each=self.lower(e.elt))
        self.frame.env, self.frame.facts = saved_env, saved_facts
        return made

    def element(self, iterable: Node, site: ast.AST) -> Node:
        """What iterating yields."""
        if iterable.op == "list" and (each := iterable.get("each")) is not None:
            return each
        if iterable.op == TUPLE and iterable.args:
            elements = list(iterable.args.values())
            result = elements[0]
            for other in elements[1:]:
                result = self.merge(None, result, other, site)
            return result
        if iterable.op == "zip":
            return self.emit(TUPLE, site, args={k: self.element(v, site) for k, v in iterable.args.items()})
        if iterable.op == "enumerate":
            return self.emit(
                TUPLE,
                site,
                args={"0": self.emit("size", site, x=iterable["x"]), "1": self.element(iterable["x"], site)},
            )
        if iterable.op == "range":
            return self.emit("arange", site, {"scalar": True}, pure=False, args=iterable.args)
        return self.emit("part", site, pure=False, x=iterable)

    # ── facts ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def assume(self, cond: Node, truth: bool) -> None:
        """Record in the frame what follows from a condition being true (or false)."""
        self.frame.facts = self.frame.facts.and_((*implied(self.graph, cond, truth), *settled(self.graph, cond, truth)))

    # ── supplied by the other half of the lowering ──────────────────────────────────────────────────────────────────

    def fill(self, table: Node, key: Node) -> None:
        """Put into a table of another file what functions put there, if a key is asked for that it does not have."""
        raise NotImplementedError

    def call(self, e: ast.Call) -> Node:
        raise NotImplementedError

    def function_value(self, e: Any) -> Node:
        raise NotImplementedError

    def method_value(self, cls: ClassInfo, definition: Any, this: Node | None) -> Node:
        raise NotImplementedError

    def member(self, instance: Node, name: str, site: ast.AST) -> Node | None:
        raise NotImplementedError

    def constant_of(self, cls: ClassInfo, name: str) -> Node:
        """What the body of a class assigns to a name: a table is one and the same for all who use it."""
        if name not in cls.tables:
            made = self.in_frame(cls.scope, cls.constants[name])
            if made.op != DICT:
                return made
            cls.tables[name] = made
        return cls.tables[name]

    def promised(self, cls: ClassInfo, name: str, found: Node, site: ast.AST) -> Node:
        raise NotImplementedError

    def in_frame(self, frame: Frame | None, e: ast.expr) -> Node:
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Node, site: ast.AST) -> None:
        raise NotImplementedError

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

    def snapshot(self) -> tuple[Env, PathCondition]:
        """Variables and facts, to come back to."""
        return self.frame.env.copy(), self.frame.facts


def values_of_pair(node: Node) -> Node:
    """The values of a (values, indices) pair to compare or compute with: an array's maximum, not torch's pair."""
    if node.op == TUPLE and len(node.args) == 2 and "1" in node.args and node["1"].op == "argmax":
        return node["0"]
    return node


def standing_for(elements: Sequence[ast.expr]) -> Sequence[ast.expr] | None:
    """Of very many elements that are all literals, a few that have the range of all; None for any others.

    Nobody writes out so many: they are data, of which single elements matter no more than those of an array.
    """
    if len(elements) <= MAX_ELEMENTS:
        return None
    values = [literal_number(e) for e in elements]
    if any(value is None and not isinstance(e, ast.Constant) for value, e in zip(values, elements, strict=True)):
        return None
    first: dict[float | None, int] = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    numbers = sorted(value for value in first if value is not None)
    around = bisect_left(numbers, 0.0)
    ends = {None, *numbers[:1], *numbers[-1:], *numbers[max(around - 1, 0) : around + 2]}
    return [elements[place] for value, place in first.items() if value in ends]


def literal_number(e: ast.expr) -> float | None:
    """The number that a literal is, with its sign; None for anything else."""
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        inner = literal_number(e.operand)
        return -inner if inner is not None else None
    value = e.value if isinstance(e, ast.Constant) else None
    return number(value)


def written_out(node: Node) -> bool:
    """Whether all elements of a tuple or list are known, each by its place."""
    return node.op == TUPLE and not node.attrs.get("starred")


def grows(node: Node) -> bool:
    """Whether a list or dict is not too long for another one to be made for each element that is set."""
    return len(node.args) < MAX_ELEMENTS


def entry(key: Node, position: int) -> str:
    """The operand of a dict that holds what is filed under ``key``."""
    return f"={key.attrs['value']!r}" if key.op == CONST else f"?{position}"


def keys_known(node: Node) -> bool:
    """Whether the keys under which a dict was seen to get something are known."""
    return all(key.startswith("=") for key in node.args)


def complete(node: Node) -> bool:
    """Whether a dict has no keys but those that are known."""
    return keys_known(node) and not node.attrs.get("grows")


def is_class_method(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the first parameter of a method is its class."""
    return any(isinstance(d, ast.Name) and d.id == "classmethod" for d in method.decorator_list)


def is_list(node: Node, depth: int = 4) -> bool:
    """Whether a node is a list, also one that grows in a loop or on some path."""
    if node.op == "list":
        return True
    return depth > 0 and (
        node.op in (LOOP, PHI)
        and any(
            (node[k].op == TUPLE and bool(node[k].site)) or is_list(node[k], depth - 1)
            for k in ("pre", "a", "b")
            if k in node.args
        )
    )


def decided(cond: Node) -> bool | None:
    """Whether a condition is known to hold (in a call with literal arguments), known not to, or neither."""
    op = cond.op
    if op == CONST:
        return bool(cond.attrs["value"])
    if op == "not":
        inner = decided(cond["x"])
        return None if inner is None else not inner
    if op in ("and", "or") and {"a", "b"} <= cond.args.keys():
        known = [decided(cond["a"]), decided(cond["b"])]
        settling = op == "or"
        if settling in known:
            return settling
        return None if None in known else not settling
    if op in ("is", "isnot"):
        a, b = cond["a"], cond["b"]
        if a.op == b.op == CONST and a.key == b.key:
            return op == "is"
        if b.op == CONST and b.attrs["value"] is None:
            if a.op == CONST:
                return (a.attrs["value"] is None) == (op == "is")
            if a.op in OPS or a.op in (TUPLE, LAYER, FUNCTION, INSTANCE, DICT):
                return op == "isnot"
        return None
    if op in MIRRORED and cond["a"].op == cond["b"].op == CONST:
        x, y = cond["a"].attrs["value"], cond["b"].attrs["value"]
        try:
            return bool(ORDER[op](x, y))
        except TypeError:
            return None
    return None


ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def unlike_itself(operands: Mapping[str, Node]) -> Node | None:
    """What a comparison compares with itself, element by element; None where it does not."""
    a, b = operands.get("a"), operands.get("b")
    return a if a is not None and b is not None and a.key == b.key and a.op not in (CONST, "view") else None
