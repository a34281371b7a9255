"""A function that the catalogue knows, with its arguments, to the node of its op."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from nanlint.frontend.frames import ClassInfo, kept
from nanlint.frontend.nodes import (
    CALLABLE,
    framework_behind,
    in_place,
    is_real_number,
    makes_an_object,
    selected_alike,
    spelled_out,
    taken,
    written_out,
)
from nanlint.frontend.part import Part
from nanlint.frontend.roles import ROLES, ControlCall
from nanlint.frontend.syntax import changed_in_place
from nanlint.graph.node import ATTR, CONST, DATA, DICT, LAYER, OTHER, PARAM, TUPLE, Node, Region, unrefined
from nanlint.ops.frameworks import ACTIVATIONS, ARRAYS, INITIALIZERS, TAKES_WHERE, canonical
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling

#: operands without which an op is none; the others have defaults
REQUIRED = frozenset({"x", "a", "b", "y", "cond"})
#: terms of a list that is summed, one by one
MAX_TERMS = 8
#: ops that are random in training only
RANDOM_IN_TRAINING = frozenset({"dropout", "noisy"})
#: settings of these with which they hand on what they are given
HANDS_ON = {"rate": 0, "training": False, "frozen": True, "off": True}
#: arguments that say where, not what: through them no gradient flows
PLACES = frozenset({"index", "indices", "ids", "axis", "dim", "dims", "dtype", "device", "shape", "size"})


class Operations(Part):
    """A function that the catalogue knows, with its arguments, to the node of its op."""

    def call_dotted(self, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """A call of something imported, by canonical dotted name."""
        if name.startswith("builtins.") and (made := self.call_builtin(name[9:], args, keywords, e)) is not None:
            return made
        spelling = self.chosen(name, args, keywords)
        if spelling is not None:
            result = self.spell(spelling, args, keywords, e)
            if in_place(spelling, args, keywords) and isinstance(e, ast.Call) and e.args:
                self.lowering.scopes.change(args[0], result, e.args[0], e)
            return result
        known = self.spellings.control(name)
        if known is not None:
            found = ROLES[known.op](self.lowering, self.control_call(known, args, keywords, e))
            if found is not None:
                return found
        self.lowering.scopes.invalidate_buffers([*args, *keywords.values()], e)
        return self.lowering.builder.unknown(e, *args, *keywords.values(), name=name)

    def control_call(self, known: Spelling, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> ControlCall:
        """The operands of a control role, by what a call gives to the arguments of its function."""
        given, rest = taken(known, args, keywords)
        operands = {operand: given[name] for operand, name in known.operands.items() if name in given}
        return ControlCall(known, operands, rest, args, keywords, e)

    def call_builtin(self, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node | None:
        """A call of a builtin function of Python, as far as it is more than an op."""
        if name == "dict" and not args:
            return self.lowering.builder.emit(
                DICT, e, args={k if k.startswith("**") else f"={k!r}": n for k, n in keywords.items()}
            )
        if not args:
            return None
        first = args[0]
        if name == "float" and len(args) == 1 and (number := spelled_out(first)) is not None:
            return self.lowering.builder.number(number, e)
        if name == "sum" and len(args) == 1 and written_out(first) and 1 < len(first.args) <= MAX_TERMS:
            # a sum of a list that is written out is the sum of its terms
            return reduce(lambda a, b: self.lowering.expressions.combine(ast.Add(), a, b, e), first.args.values())
        if name == "zip":
            return self.graph.add("zip", {str(i): a for i, a in enumerate(args)}, {}, e)
        if name == "enumerate":
            return self.graph.add("enumerate", {"x" if i == 0 else str(i): a for i, a in enumerate(args)}, {}, e)
        if name in ("reversed", "iter"):
            return first
        if name == "vars" and len(args) == 1 and (members := first.attrs.get("members")) is not None:
            return self.lowering.builder.emit(DICT, e, args={f"={k!r}": n for k, n in members.items()})
        if name == "getattr" and len(args) >= 2 and isinstance(args[1].attrs.get("value"), str):
            return self.lowering.expressions.read_attribute(first, args[1].attrs["value"], e)
        return None

    def spell(
        self,
        spelling: Spelling,
        args: Sequence[Node],
        keywords: dict[str, Node],
        e: ast.AST,
        receiver: Node | None = None,
    ) -> Node:
        """An op of the catalogue, its operands bound by position and by name; a tuple of ops where it gives several."""
        positional = list(args) if receiver is None else [receiver, *args]
        given, rest = taken(spelling, positional, keywords)
        if rest:
            single = len(rest) == 1 and rest[0].op in (TUPLE, "list")
            made = rest[0] if single else self.graph.add(TUPLE, {str(j): n for j, n in enumerate(rest)}, {}, e)
            given[spelling.params[-1][1:]] = made
        read = {argument.lstrip("*") for s in (spelling, *spelling.rest) for argument in s.operands.values()}
        for name, node in given.items():
            if name not in read:
                self.lowering.builder.escape(node, DATA if name in PLACES else OTHER)
        for node in positional[len(spelling.params) :] if not rest else ():
            self.lowering.builder.escape(node)
        where = keywords.get("where") if spelling.framework in TAKES_WHERE else None
        if where is not None and "where" not in read and OPS[spelling.op].reduction:
            # a reduction of the elements that it selects
            of = spelling.operands["x"]
            given[of] = self.lowering.builder.emit("part", e, x=given[of], index=where)
        elif where is not None and "where" not in read:
            with kept(self.frame, "facts"):
                self.lowering.builder.assume(where, True)
                given = {name: self.lowering.builder.refined(n) for name, n in given.items()}
        result = self.bound(spelling, given, e)
        if spelling.layer:
            return result
        if spelling.rest:
            parts = [result, *(self.bound(s, given, e) for s in spelling.rest)]
            return self.graph.add(TUPLE, {str(i): n for i, n in enumerate(parts)}, {}, e)
        out = keywords.get("out")
        if out is not None and isinstance(e, ast.Call):
            target = next((k.value for k in e.keywords if k.arg == "out"), None)
            if target is not None:
                self.lowering.scopes.written(out, result, e)
                self.lowering.scopes.bind(target, result, e)
        return result

    def bound(self, spelling: Spelling, given: dict[str, Node], e: ast.AST) -> Node:
        """One op (or layer) with the operands that ``given`` arguments are."""
        operands, attrs = self.operands(spelling, given, e)
        dtype = given.get(spelling.operands.get("dtype", "").lstrip("*"))
        applied = operands.pop("activation", None)
        if spelling.layer:
            if applied is not None:
                operands["activation"] = applied
            if "dtype" not in attrs and (own := self.lowering.builder.dtype_of(given.get("dtype"))) is not None:
                attrs["format"] = own
            return self.graph.add(
                LAYER, operands, {**attrs, "spelling": spelling, "name": spelling.name}, e, pure=False
            )
        if not REQUIRED & set(OPS[spelling.op].operands) <= operands.keys():
            # an operand hides in **kwargs, or the call is of another form (where with one argument)
            return self.lowering.builder.unknown(e, *operands.values(), name=spelling.name)
        if spelling.op == "where" and (both := selected_alike(operands)) is not None:
            return both
        if spelling.op == "variable" and "x" in operands:
            operands["x"] = self.initial(operands["x"], e)
        sort = self.lowering.builder.casts_to(dtype) if spelling.op == "cast" and dtype is not None else ""
        if sort == "bool":
            result = self.lowering.builder.emit("ne", e, a=operands["x"], b=self.lowering.builder.number(0, e))
        else:
            result = self.applied("integer" if sort else spelling.op, e, attrs, operands)
        result.framework = None if spelling.framework == "builtins" else spelling.framework
        self.spelled(result, spelling)
        return self.activate(applied, result, e) if applied is not None else result

    def operands(
        self, spelling: Spelling, given: Mapping[str, Node], e: ast.AST
    ) -> tuple[dict[str, Node], dict[str, Any]]:
        """The operands of an op as nodes, an activation among them, and its settings, literals and defaults too."""
        operands: dict[str, Node] = {}
        attrs: dict[str, Any] = {}
        literals = dict(spelling.literals)
        for operand, argument in spelling.operands.items():
            node = given.get(argument.lstrip("*"))
            if node is None or (node.op == CONST and node.attrs["value"] is None):
                if operand in spelling.defaults:
                    literals[operand] = spelling.defaults[operand]
            elif operand == "dtype":
                if (dtype := self.lowering.builder.dtype_of(node)) is not None:
                    attrs["dtype"] = dtype
                if node.op == ATTR and node.name == "dtype":
                    # the format of another array
                    attrs["like"] = node["base"]
            elif operand != "requires_grad":
                operands[operand] = node
        for operand, literal in literals.items():
            known = operand in OPS[spelling.op].operands
            if known and isinstance(literal, (int, float)) and not isinstance(literal, bool):
                operands[operand] = self.lowering.builder.number(literal, e)
            else:
                attrs[operand] = literal
        if (trained := given.get("requires_grad")) is not None and trained.attrs.get("value") is True:
            attrs["requires_grad"] = True
        return operands, attrs

    def applied(self, op: str, e: ast.AST, attrs: dict[str, Any], operands: dict[str, Node]) -> Node:
        """An op of the catalogue; what is random in training only is the identity where its settings say so."""
        if op not in RANDOM_IN_TRAINING:
            return self.lowering.builder.emit(op, e, attrs, args=operands)
        given = {name: operands.pop(name) for name in HANDS_ON if name in operands}
        settings = {**attrs, **{name: node.attrs["value"] for name, node in given.items() if node.op == CONST}}
        if any(settings.get(name) == number for name, number in HANDS_ON.items()):
            return self.lowering.builder.emit("identity", e, x=operands["x"])
        return self.lowering.builder.emit(
            op, e, {n: s for n, s in settings.items() if n == "rate" or n not in HANDS_ON}, args=operands
        )

    def spelled(self, node: Node, spelling: Spelling) -> None:
        """Note on an op which function it was written as, behind what the path taken says of it."""
        node = unrefined(node)
        if node.op == spelling.op:
            node.spelling = spelling

    def chosen(self, name: str, positional: Sequence[Node], keywords: dict[str, Node]) -> Spelling | None:
        """The spelling of a dotted name that fits the arguments best."""
        if self.spellings.get(name) is None:
            return None
        return self.spellings.choose(
            name,
            [self.lowering.builder.sort(n) for n in positional],
            {k: self.lowering.builder.sort(n) for k, n in keywords.items()},
        )

    def own(self, function: Node, args: Sequence[Node], keywords: dict[str, Node]) -> Spelling | None:
        """How a function that is defined here, in a framework's own source, is known to those who import it."""
        if not self.lowering.package or "cls" in function.attrs or function.attrs["frame"].parent is not None:
            return None
        return self.chosen(canonical(".".join((*self.lowering.package, str(function.attrs["name"])))), args, keywords)

    def activate(self, activation: Node, x: Node, e: ast.AST) -> Node:
        """Apply an ``activation=`` argument, given by name or as a function."""
        value = activation.attrs.get("value") if activation.op == CONST else None
        if isinstance(value, str):
            spelling = self.spellings.get(f"{ACTIVATIONS}.{value}")
            return self.spell(spelling, [x], {}, e) if spelling is not None else self.lowering.builder.unknown(e, x)
        return self.lowering.calls.apply(activation, [x], {}, e)

    def initial(self, given: Node, e: ast.AST) -> Node:
        """What a variable starts with, which is given as such, or by name or as a function that makes it."""
        value = given.attrs.get("value") if given.op == CONST else None
        if isinstance(value, str):
            spelling = self.spellings.get(f"{INITIALIZERS}.{value}")
            given = self.spell(spelling, [], {}, e) if spelling is not None else self.lowering.builder.unknown(e)
        if given.op in CALLABLE:
            given = self.lowering.calls.apply(given, [], {}, e)
        if given.op == LAYER:
            given = self.lowering.calls.apply(given, [], {}, e)
        return given

    def method_spelling(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node]
    ) -> Spelling | None:
        """The tensor method meant, if the receiver can be a tensor and the arguments fit."""
        if (base.op == CONST and isinstance(base.attrs["value"], str)) or makes_an_object(base):
            return None
        frameworks = [f for f in (framework_behind(base), *self.lowering.builder.frameworks_here) if f]
        usual = self.spellings.method(name, frameworks)
        if usual is None:
            return None
        spelling = self.chosen(usual.name, [base, *args], keywords)
        return spelling if spelling is not None and spelling.parameter(len(args)) is not None else None

    def apply_function(
        self, forward: tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef], base: Node, e: ast.Call
    ) -> Node:
        """``Function.apply(...)``: its forward, whose gradient is written by hand."""
        owner, definition = forward
        with kept(self.frame, "regions"):
            self.frame.regions += (Region("custom_gradient", base.site),)
            context = self.lowering.builder.unknown(e, name="context")
            return self.lowering.calls.apply(
                self.lowering.functions.method_value(owner, definition, None),
                [context, *self.lowering.calls.arguments(e)],
                self.lowering.calls.keywords(e),
                e,
            )

    def call_array(self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """A method of what may be an array, or of what nothing is known."""
        spelling = self.method_spelling(base, name, args, keywords)
        if spelling is None:
            stored = self.frame.lookup(("field", base.key, name))
            if stored is not None:
                return self.lowering.calls.apply(stored, args, keywords, e)
            self.lowering.scopes.invalidate_buffers(
                [*([base] if name.endswith("_") else []), *args, *keywords.values()], e
            )
            made = self.lowering.builder.unknown(e, base, *args, *keywords.values(), name=f".{name}")
            if self.spellings.is_of_arrays(name):
                made.attrs["of_array"] = True
            return made
        result = self.spell(spelling, args, keywords, e, receiver=base)
        if result.op != TUPLE:
            result.framework = name if name in ARRAYS else base.framework or spelling.framework
        if in_place(spelling, [base, *args], keywords) and isinstance(e.func, ast.Attribute):
            self.lowering.scopes.change(base, result, changed_in_place(e.func.value), e)
        return result

    def differentiated(self, arg: Node, e: ast.AST, inner: bool, chosen: bool) -> Node:
        """An argument of a function that is differentiated with respect to it, leaf by leaf, or to others.

        ``inner``: within another derivative, which may be with respect to that one.
        """
        if arg.op in (TUPLE, DICT):
            leaves = {k: self.differentiated(leaf, e, inner, chosen) for k, leaf in arg.args.items()}
            return self.graph.add(arg.op, leaves, dict(arg.attrs), e)
        if chosen:
            made = arg.op not in (PARAM, *CALLABLE) and (arg.op != CONST or is_real_number(arg))
            return self.lowering.builder.emit("tensor", e, {"requires_grad": True}, x=arg) if made else arg
        if inner or arg.op in CALLABLE or arg.op == CONST:
            return arg
        return self.lowering.builder.emit("stop_gradient", e, x=arg)

    def derivative(
        self, of: Mapping[str, Node | None], args: Sequence[Node], keywords: dict[str, Node], e: ast.AST
    ) -> Node:
        """A derivative of a function where it is called, with respect to arguments of it: real numbers, too.

        ``of``: the function, the numbers of the arguments ("argnums", None for all), whether it gives something
        beside what is differentiated ("aux").
        """
        chosen = range(len(args)) if "argnums" in of and of["argnums"] is None else numbered(of.get("argnums"), args)
        inner = any(region.kind == "differentiated" for region in self.frame.regions)
        at = [self.differentiated(arg, e, inner, number in chosen) for number, arg in enumerate(args)]
        function = of["f"]
        assert function is not None
        with kept(self.frame, "regions"):
            self.frame.regions += (Region("differentiated", e),)
            value = self.lowering.calls.apply(function, at, keywords, e)
        aux = of.get("aux")
        beside = aux is not None and aux.attrs.get("value") is not False and value.op == TUPLE
        result = self.lowering.builder.unknown(e, value["0"] if beside else value)
        result.attrs["gradient"] = True
        return result


def numbered(argnums: Node | None, args: Sequence[Node]) -> frozenset[int]:
    """The numbers of the arguments that are differentiated, as they are written: the first, unless others are said."""
    if argnums is None:
        return frozenset({0})
    said = argnums.args.values() if argnums.op == TUPLE else (argnums,)
    known = [n.attrs.get("value") for n in said]
    written = [n % len(args) for n in known if isinstance(n, int)] if args else []
    return frozenset(written if len(written) == len(known) else range(len(args)))
