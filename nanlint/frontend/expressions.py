"""Expressions to nodes. What is not understood becomes a CALL node of its parts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from nanlint.frontend.builder import MACHINE_LIMITS
from nanlint.frontend.frames import kept
from nanlint.frontend.nodes import IDENTITY, TENSOR_ATTRIBUTES, decided, is_list, values_of_pair
from nanlint.frontend.part import Part
from nanlint.frontend.syntax import BINARY, COMPARE
from nanlint.frontend.worth import NUMBERS
from nanlint.graph.conditions import MIRRORED, truth_of
from nanlint.graph.node import ATTR, CALL, CLASS, CONST, DICT, FUNCTION, INSTANCE, LAYER, MODULE, PHI, TUPLE, Node

#: attributes of a table that are not its numbers
TABLE_ATTRIBUTES = frozenset({"columns", "index", "dtypes", "empty"})
#: packages whose numbers are not Python's
SYMBOLIC = frozenset({"builtins", "sympy"})
#: attributes of the pairs that torch's extrema and sorts return
PAIRED = {"values", "indices"}
#: parts of one condition that are told apart
MAX_CONDITIONS = 40


class Expressions(Part):
    """Expressions to nodes. What is not understood becomes a CALL node of its parts."""

    def lower(self, e: ast.expr) -> Node:
        handler = HANDLERS.get(type(e))
        if handler is None:
            return self.lowering.builder.unknown(
                e, *(self.lower(c) for c in ast.iter_child_nodes(e) if isinstance(c, ast.expr))
            )
        node = handler(self, e)
        if e.lineno in self.lowering.watched and self.graph.file_of(e) is None:
            self.lowering.readings.setdefault(e, []).append((self.frame.calls, node))
        return node

    def constant(self, e: ast.Constant) -> Node:
        value = e.value
        if isinstance(value, complex):
            made = self.lowering.builder.unknown(e)
            made.attrs["annotation"] = "complex"
            return made
        return self.graph.add(CONST, {}, {"value": value, "type": type(value).__name__}, e)

    def text(self, e: ast.JoinedStr) -> Node:
        """A text that is put together: no number."""
        parts = [self.lower(part.value) for part in e.values if isinstance(part, ast.FormattedValue)]
        made = self.lowering.builder.unknown(e, *parts)
        made.attrs["annotation"] = "str"
        return made

    def variable(self, e: ast.Name) -> Node:
        found = self.frame.lookup(e.id)
        if found is None:
            return self.graph.add(MODULE, {}, {"name": f"builtins.{e.id}"}, e)
        if found.op == MODULE:
            return self.lowering.project.resolve(found)
        return self.lowering.builder.refined(self.chosen_before(found)) if self.frame.facts else found

    def chosen_before(self, node: Node) -> Node:
        """The value on this path of a variable that another branch on the same condition has set."""
        while (node.op == PHI and "cond" in node.args) or node.attrs.get("set_where"):
            truth = truth_of(node["cond"], self.frame.facts)
            if truth is None:
                break
            node = node[("a" if truth else "b") if node.op == PHI else "x" if truth else "before"]
        return node

    def attribute(self, e: ast.Attribute) -> Node:
        read = self.read_attribute(self.lower(e.value), e.attr, e)
        if read.op == ATTR:
            read = self.lowering.project.inferred(e) or read
        return self.lowering.builder.refined(read)

    def imported(self, module: str, name: str, e: ast.AST) -> Node:
        """``name`` in a module: a number that it is known to hold, or itself a dotted name."""
        dotted = f"{module}.{name}"
        if (
            name in NUMBERS
            and module.partition(".")[0] not in SYMBOLIC
            and not self.lowering.project.in_project(dotted)
        ):
            return self.lowering.builder.number(NUMBERS[name], e)
        return self.graph.add(MODULE, {}, {"name": dotted}, e)

    def binary(self, e: ast.BinOp) -> Node:
        left, right = self.lower(e.left), self.lower(e.right)
        return self.combine(e.op, left, right, e)

    def combine(self, operator: ast.operator, left: Node, right: Node, site: ast.AST) -> Node:
        """left <operator> right."""
        if left.op == CONST and isinstance(left.attrs["value"], str):
            return self.lowering.builder.unknown(site, right)
        if left.op == TUPLE and isinstance(operator, ast.Add) and right.op == TUPLE:
            elements = [*left.args.values(), *right.args.values()]
            return self.lowering.builder.emit(TUPLE, site, args={str(i): n for i, n in enumerate(elements)})
        if isinstance(operator, ast.BitOr) and left.op == DICT and right.op == DICT:
            return self.lowering.builder.emit(DICT, site, args={**left.args, **right.args})
        left, right = values_of_pair(left), values_of_pair(right)
        if isinstance(operator, ast.Add) and right.op in (TUPLE, "list") and is_list(left):
            each = self.lowering.builder.merge(
                None, self.lowering.containers.element(left, site), self.lowering.containers.element(right, site), site
            )
            last = right.get("last") or next(reversed(right.args.values()), each)
            return self.lowering.builder.emit("list", site, pure=False, each=each, last=last)
        op = BINARY.get(type(operator))
        if op is None:
            return self.lowering.builder.unknown(site, left, right)
        name, operands = op[0], {op[1]: left, op[2]: right}
        if isinstance(operator, (ast.Add, ast.Sub)):
            name, left, right = self.signed(name, left, right)
            operands = {"a": left, "b": right}
        result = self.lowering.builder.emit(name, site, args=operands)
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
            return self.lowering.builder.emit("neg", e, x=x)
        return self.lowering.builder.emit("not", e, x=x)

    def boolean(self, e: ast.BoolOp) -> Node:
        op = "and" if isinstance(e.op, ast.And) else "or"
        with kept(self.frame, "facts"):
            result = self.lower(e.values[0])
            for part in e.values[1:MAX_CONDITIONS]:
                if result.op == CONST:
                    result = result if bool(result.attrs["value"]) == (op == "or") else self.lower(part)
                    continue
                self.lowering.builder.assume(result, op == "and")
                result = self.lowering.builder.emit(op, e, {"python": True}, a=result, b=self.lower(part))
            if rest := [self.lower(part) for part in e.values[MAX_CONDITIONS:]]:
                result = self.lowering.builder.emit(
                    op, e, {"python": True}, a=result, b=self.lowering.builder.unknown(e, *rest)
                )
        return result

    def comparison(self, e: ast.Compare) -> Node:
        left = self.lower(e.left)
        result: Node | None = None
        for comparison, right_source in zip(e.ops[:MAX_CONDITIONS], e.comparators[:MAX_CONDITIONS], strict=True):
            right = self.lower(right_source)
            op = COMPARE.get(type(comparison))
            unset = (
                self.lowering.builder.is_none(left, e)
                if type(comparison) in IDENTITY and right.attrs.get("value", 0) is None
                else None
            )
            if unset is not None:
                part = unset if isinstance(comparison, ast.Is) else self.graph.add("not", {"x": unset}, {}, e)
            elif op in MIRRORED and left.op == CONST and right.op != CONST:
                # 0 < x is x > 0
                part = self.lowering.builder.emit(MIRRORED[op], e, {"mirrored": True}, a=right, b=left)
            elif op is None:
                part = self.graph.add(IDENTITY.get(type(comparison), "test"), {"a": left, "b": right}, {}, e)
            else:
                part = self.lowering.builder.emit(op, e, a=values_of_pair(left), b=values_of_pair(right))
            result = part if result is None else self.lowering.builder.emit("and", e, a=result, b=part)
            left = right
        assert result is not None
        if rest := [self.lower(right) for right in e.comparators[MAX_CONDITIONS:]]:
            result = self.lowering.builder.emit("and", e, a=result, b=self.lowering.builder.unknown(e, *rest))
        return result

    def conditional(self, e: ast.IfExp) -> Node:
        cond = self.lower(e.test)
        taken = decided(cond)
        if taken is not None:
            return self.lower(e.body if taken else e.orelse)
        branches = []
        for truth, source in ((True, e.body), (False, e.orelse)):
            with kept(self.frame, "facts"):
                self.lowering.builder.assume(cond, truth)
                branches.append(self.lower(source))
        return self.lowering.builder.merge(cond, branches[0], branches[1], e)

    def yielded(self, e: ast.Yield | ast.YieldFrom) -> Node:
        """What a generator gives to the loop over it; what it gets back is unknown."""
        if e.value is not None:
            value = self.lower(e.value)
            self.frame.yields.append(
                self.lowering.containers.element(value, e) if isinstance(e, ast.YieldFrom) else value
            )
            self.lowering.builder.escape(self.frame.yields[-1])
        return self.lowering.builder.unknown(e)

    def walrus(self, e: ast.NamedExpr) -> Node:
        value = self.lower(e.value)
        self.frame.env[e.target.id] = value
        return value

    def comprehension(self, e: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Node:
        """One element under the conditions that choose it; what they choose may be nothing."""
        with kept(self.frame, "env", "facts"):
            self.frame.env = self.frame.env.copy()
            chosen = any(generator.ifs for generator in e.generators)
            for generator in e.generators:
                elements = self.lower(generator.iter)
                chosen = chosen or bool(elements.attrs.get("chosen"))
                self.lowering.scopes.bind(
                    generator.target, self.lowering.containers.element(elements, generator.iter), generator.iter
                )
                for test in generator.ifs:
                    self.lowering.builder.assume(self.lower(test), True)
            attrs = {"chosen": True} if chosen else {}
            if isinstance(e, ast.DictComp):
                self.lower(e.key)
                made = self.lowering.builder.emit(
                    DICT, e, {**attrs, "many": True}, pure=False, args={"?0": self.lower(e.value)}
                )
            else:
                made = self.lowering.builder.emit("list", e, attrs, pure=False, each=self.lower(e.elt))
        return made

    def read_attribute(self, base: Node, name: str, e: ast.AST) -> Node:
        """``base.name``."""
        if base.op == MODULE:
            stored = self.frame.lookup(("field", base.key, name))
            if stored is not None:
                return stored
            return self.lowering.project.as_others_set(
                base, name, self.lowering.project.resolve(self.imported(base.name, name, e)), e
            )
        stored = self.frame.lookup(("field", base.key, name))
        if stored is not None:
            stored = self.chosen_before(stored)
            return (
                self.lowering.classes.with_declared_constraint(base.attrs["cls"], name, stored, e)
                if base.op == INSTANCE
                else stored
            )
        if base.op == INSTANCE:
            found = self.lowering.classes.member(base, name, e)
            if found is not None:
                return found
        if base.op in (FUNCTION, CLASS) and name == "__name__":
            return self.graph.add(CONST, {}, {"value": base.name, "type": "str"}, e)
        if base.op == CLASS and (own := self.lowering.classes.class_member(base, name)) is not None:
            return own
        members: Mapping[str, Node] = base.attrs.get("members", {})
        if name in members:
            return members[name]
        if base.op == CALL and base.name.endswith("finfo") and name in MACHINE_LIMITS:
            return self.lowering.builder.machine_limit(base.get("arg0"), name, e)
        if name in PAIRED and base.op == TUPLE and len(base.args) == 2:
            return base["0" if name == "values" else "1"]
        if name in TENSOR_ATTRIBUTES and base.op not in (FUNCTION, LAYER, MODULE, CLASS, INSTANCE):
            return self.lowering.builder.emit(
                TENSOR_ATTRIBUTES[name], e, {"axes": True} if name == "ndim" else None, x=base
            )
        if base.framework == "pandas" and name not in TABLE_ATTRIBUTES:
            # a column, or the table as something to index: .price, .values, .iloc
            return self.lowering.containers.of_table(self.lowering.builder.emit("part", e, x=base), base)
        return self.lowering.builder.emit(ATTR, e, {"name": name}, base=base)


#: what lowers each kind of expression
HANDLERS: Mapping[type[ast.AST], Callable[[Expressions, Any], Node]] = {
    ast.Constant: Expressions.constant,
    ast.JoinedStr: Expressions.text,
    ast.Name: Expressions.variable,
    ast.Attribute: Expressions.attribute,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.BoolOp: Expressions.boolean,
    ast.Compare: Expressions.comparison,
    ast.Call: lambda part, e: part.lowering.calls.call(e),
    ast.IfExp: Expressions.conditional,
    ast.Subscript: lambda part, e: part.lowering.containers.subscript(e),
    **dict.fromkeys((ast.Tuple, ast.List, ast.Set), lambda part, e: part.lowering.containers.sequence(e)),
    ast.Dict: lambda part, e: part.lowering.containers.dictionary(e),
    ast.Lambda: lambda part, e: part.lowering.functions.function_value(e),
    ast.NamedExpr: Expressions.walrus,
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp), Expressions.comprehension),
    **dict.fromkeys((ast.Starred, ast.Await), lambda part, e: part.lower(e.value)),
    ast.Slice: lambda part, e: part.lowering.containers.slice(e),
    **dict.fromkeys((ast.Yield, ast.YieldFrom), Expressions.yielded),
}
