"""Lowering of calls.

Spellings of the catalogue, functions and classes of this file (inlined), layers, partials, tapes.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

from nanlint.graph.conditions import parting
from nanlint.graph.expressions import CALLABLE, DTYPES, ExpressionLowering, complete, entry, grows, written_out
from nanlint.graph.modules import descendants, size_of
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DATA,
    DICT,
    FUNCTION,
    INSTANCE,
    KEPT,
    LAYER,
    LOOP,
    MODULE,
    OTHER,
    PARAM,
    PHI,
    REFINE,
    TUPLE,
    Node,
    Region,
    unrefined,
    walk,
)
from nanlint.graph.options import DECORATING, PARSED, PARTS, keyword, option_name, size_of_options
from nanlint.graph.path import NOTHING, Comparisons, Known, PathCondition, common
from nanlint.graph.role import ROLES, ControlCall
from nanlint.graph.scope import ClassInfo, Frame, FunctionAst
from nanlint.graph.settings import settles
from nanlint.ops.contracts import CONSTRAINTS
from nanlint.ops.frameworks import ACTIVATIONS, ARRAYS, COMPILES, LOSSES, MUTABLE, TAKES_WHERE, canonical
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from nanlint.source.project import View
from nanlint.source.syntax import remembered

#: inlining stops at this many calls deep, and once the graph of one function has grown to this many nodes
MAX_DEPTH = 8
MAX_NODES = 2_500
#: the same for what stands in other files
MAX_NODES_ELSEWHERE = 300
#: pieces of syntax of a function in another file that is looked into: some 40 lines, without the options of a parser
MAX_SIZE = 400
#: terms of a list that is summed, one by one
MAX_TERMS = 8
#: values that are asked whose an array is: where these do not tell, the frameworks of the file do
MAX_OPERANDS = 12

#: ops that are random in training only
RANDOM_IN_TRAINING = frozenset({"dropout", "noisy"})
#: settings of these with which they hand on what they are given
HANDS_ON = {"rate": 0, "training": False, "frozen": True, "off": True}
#: methods that make an object what it is, in the order in which they run
CONSTRUCTORS = ("__init__", "__post_init__", "setup", "build")
#: base classes, by the end of their name, whose methods run outside of differentiation
UNDIFFERENTIATED_BASES = ("Optimizer", "Constraint", "Metric", "Initializer", "Callback", "TestCase")
#: ops that make an array of numbers that are written out
MADE_HERE = frozenset({"zeros", "ones", "full", "tensor"})
#: ops that make an array to be filled in
FRESH = frozenset({"zeros", "full", "ones", "stored"})
#: words of classes whose objects are arrays, or computed with like arrays
ARRAY_CLASSES = frozenset({"tensor", "array", "matrix", "frame", "series", "variable", "parameter", "input"})
#: methods that take the rule of a derivative, and which of the rule's parameters holds tangents: only a function of
#: these is differentiated with the rule (transposed), what stands beside them has but second derivatives
DERIVATIVE_RULES: dict[str, int | None] = {"defjvp": -1, "defjvps": 0, "defvjp": None}
#: methods of a model that give the model back
SAME_MODEL = frozenset(
    {"to", "cuda", "cpu", "train", "eval", "double", "half", "bfloat16", "float", "requires_grad_", "build", "type"}
)
#: what a method of GradientTape takes, where it is more or less than a target and sources
TAPE_PARAMETERS = {"watch": ("x",), "gradient": ("target", "sources", "output_gradients")}
#: types around a type: ``Optional[T]``
WRAPPING_TYPES = frozenset({"Annotated", "Final", "InitVar", "Optional", "Required", "Union"})
#: arguments that say where, not what: through them no gradient flows
PLACES = frozenset({"index", "indices", "ids", "axis", "dim", "dims", "dtype", "device", "shape", "size"})
#: checks further on that are known to have passed, the nearest ones
MAX_CHECKS = 20
#: operands without which an op is none; the others have defaults
REQUIRED = frozenset({"x", "a", "b", "y", "cond"})
#: methods that run a model on their first argument
FORWARD_METHODS = {"forward", "call", "__call__", "apply", "predict", "predict_on_batch"}


class CallLowering(ExpressionLowering):
    """Calls to nodes."""

    def call(self, e: ast.Call) -> Node:
        if isinstance(e.func, ast.Attribute):
            base = self.lower(e.func.value)
            if base.op != MODULE:
                return self.call_method(base, e.func.attr, e)
            callee = self.read_attribute(base, e.func.attr, e.func)
        else:
            callee = self.lower(e.func)
        if callee.op == MODULE and callee.name == "builtins.super":
            return self.graph.add("super", {}, {}, e, pure=False)
        return self.apply(callee, self.arguments(e), self.keywords(e), e)

    def arguments(self, e: ast.Call) -> list[Node]:
        found: list[Node] = []
        for a in e.args:
            node = self.lower(a)
            if isinstance(a, ast.Starred):
                if node.op == TUPLE and not node.attrs.get("starred"):
                    found.extend(node.args.values())
                    continue
                node = self.unknown(a, node)
            found.append(node)
        return found

    def keywords(self, e: ast.Call) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for i, k in enumerate(e.keywords):
            node = self.lower(k.value)
            if k.arg is not None:
                found[k.arg] = node
                continue
            entries = node.args if node.op == DICT else {}
            found.update({key[2:-1]: n for key, n in entries.items() if key.startswith("='")})
            if node.op != DICT or not complete(node):
                found[f"**{i}"] = node
        return found

    # ── what is being called ────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, callee: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """``callee(*args, **keywords)``."""
        op = callee.op
        if op == MODULE:
            return self.call_dotted(self.dotted(callee), args, keywords, e)
        if op == FUNCTION:
            return self.inline(callee, args, keywords, e)
        if op == CLASS:
            return self.instantiate(callee, args, keywords, e)
        if op == INSTANCE:
            for name in ("forward", "__call__", "call"):
                method = self.member(callee, name, e)
                if method is not None and method.op == FUNCTION:
                    return self.inline(method, args, keywords, e)
        if op == LAYER:
            return self.run_layer(callee, args, keywords, e)
        if op == "partial":
            bound = [v for k, v in callee.args.items() if k.isdigit()]
            named = {k: v for k, v in callee.args.items() if not k.isdigit() and k != "f"}
            return self.apply(callee["f"], [*bound, *args], {**named, **keywords}, e)
        if op == PARAM and (default := callee.get("default")) is not None and default.op in CALLABLE:
            return self.apply(default, args, keywords, e)
        if op == CALL and (known := self.spellings.control(callee.name)) is not None and known.op == "region":
            # a context that is made, as a decorator
            return ROLES["region"](self, self.control_call(known, args, keywords, e)) or self.unknown(e, callee, *args)
        if op == "gradient_of":
            return self.derivative(callee["f"], args, keywords, e)
        if op == "phi":
            branches = [self.apply(callee[k], args, keywords, e) for k in ("a", "b") if k in callee.args]
            return self.merge(callee.get("cond"), branches[0], branches[-1], e)
        self.handed_over([*args, *keywords.values()], e)
        return self.unknown(e, callee, *args, *keywords.values())

    def derivative(self, function: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """A derivative of a function where it is called, with respect to its arguments: real numbers, too."""
        at = [
            self.emit("tensor", e, {"requires_grad": True}, x=arg)
            if is_real_number(arg) or arg.op in MADE_HERE
            else arg
            for arg in args
        ]
        outer = self.frame.regions
        self.frame.regions = (*outer, Region("differentiated", e))
        try:
            value = self.apply(function, at, keywords, e)
        finally:
            self.frame.regions = outer
        result = self.unknown(e, value)
        result.attrs["gradient"] = True
        return result

    def call_dotted(self, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """A call of something imported, by canonical dotted name."""
        if name.startswith("builtins.") and (made := self.call_builtin(name[9:], args, keywords, e)) is not None:
            return made
        spelling = self.chosen(name, args, keywords)
        if spelling is not None:
            result = self.spell(spelling, args, keywords, e)
            if in_place(spelling, args, keywords) and isinstance(e, ast.Call) and e.args:
                self.changed(args[0], result, e)
                self.escape_in_place(args[0], result)
                self.bind(e.args[0], result, e)
            return result
        known = self.spellings.control(name)
        if known is not None:
            found = ROLES[known.op](self, self.control_call(known, args, keywords, e))
            if found is not None:
                return found
        self.handed_over([*args, *keywords.values()], e)
        return self.unknown(e, *args, *keywords.values(), name=name)

    def control_call(self, known: Spelling, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> ControlCall:
        """The operands of a control role, by what a call gives to the arguments of its function."""
        given, rest = taken(known, args, keywords)
        operands = {operand: given[name] for operand, name in known.operands.items() if name in given}
        return ControlCall(known, operands, rest, args, keywords, e)

    def call_builtin(self, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node | None:
        """A call of a builtin function of Python, as far as it is more than an op."""
        if name == "dict" and not args:
            return self.emit(DICT, e, args={k if k.startswith("**") else f"={k!r}": n for k, n in keywords.items()})
        if not args:
            return None
        first = args[0]
        if name == "float" and len(args) == 1 and (number := spelled_out(first)) is not None:
            return self.number(number, e)
        if name == "sum" and len(args) == 1 and written_out(first) and 1 < len(first.args) <= MAX_TERMS:
            # a sum of a list that is written out is the sum of its terms
            return reduce(lambda a, b: self.combine(ast.Add(), a, b, e), first.args.values())
        if name == "zip":
            return self.graph.add("zip", {str(i): a for i, a in enumerate(args)}, {}, e)
        if name == "enumerate":
            return self.graph.add("enumerate", {"x" if i == 0 else str(i): a for i, a in enumerate(args)}, {}, e)
        if name in ("reversed", "iter"):
            return first
        if name == "vars" and len(args) == 1 and (members := first.attrs.get("members")) is not None:
            return self.emit(DICT, e, args={f"={k!r}": n for k, n in members.items()})
        if name == "getattr" and len(args) >= 2 and isinstance(args[1].attrs.get("value"), str):
            return self.read_attribute(first, args[1].attrs["value"], e)
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
                self.escape(node, DATA if name in PLACES else OTHER)
        for node in positional[len(spelling.params) :] if not rest else ():
            self.escape(node)
        where = keywords.get("where") if spelling.framework in TAKES_WHERE else None
        if where is not None and "where" not in read and OPS[spelling.op].reduction:
            # a reduction of the elements that it selects
            of = spelling.operands["x"]
            given[of] = self.emit("part", e, x=given[of], index=where)
        elif where is not None and "where" not in read:
            saved = self.frame.facts
            self.assume(where, True)
            given = {name: self.refined(n) for name, n in given.items()}
            self.frame.facts = saved
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
                self.written(out, result, e)
                self.bind(target, result, e)
        return result

    def bound(self, spelling: Spelling, given: dict[str, Node], e: ast.AST) -> Node:
        """One op (or layer) with the operands that ``given`` arguments are."""
        operands, attrs = self.operands(spelling, given, e)
        dtype = given.get(spelling.operands.get("dtype", "").lstrip("*"))
        applied = operands.pop("activation", None)
        if spelling.layer:
            if applied is not None:
                operands["activation"] = applied
            if "dtype" not in attrs and (own := self.dtype_of(given.get("dtype"))) is not None:
                attrs["format"] = own
            return self.graph.add(
                LAYER, operands, {**attrs, "spelling": spelling, "name": spelling.name}, e, pure=False
            )
        if not REQUIRED & set(OPS[spelling.op].operands) <= operands.keys():
            # an operand hides in **kwargs, or the call is of another form (where with one argument)
            return self.unknown(e, *operands.values(), name=spelling.name)
        if spelling.op == "where" and (both := selected_alike(operands)) is not None:
            return both
        sort = self.casts_to(dtype) if spelling.op == "cast" and dtype is not None else ""
        if sort == "bool":
            result = self.emit("ne", e, a=operands["x"], b=self.number(0, e))
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
                if (dtype := self.dtype_of(node)) is not None:
                    attrs["dtype"] = dtype
                if node.op == ATTR and node.name == "dtype":
                    # the format of another array
                    attrs["like"] = node["base"]
            elif operand != "requires_grad":
                operands[operand] = node
        for operand, literal in literals.items():
            known = operand in OPS[spelling.op].operands
            if known and isinstance(literal, (int, float)) and not isinstance(literal, bool):
                operands[operand] = self.number(literal, e)
            else:
                attrs[operand] = literal
        if (trained := given.get("requires_grad")) is not None and trained.attrs.get("value") is True:
            attrs["requires_grad"] = True
        return operands, attrs

    def applied(self, op: str, e: ast.AST, attrs: dict[str, Any], operands: dict[str, Node]) -> Node:
        """An op of the catalogue; what is random in training only is the identity where its settings say so."""
        if op not in RANDOM_IN_TRAINING:
            return self.emit(op, e, attrs, args=operands)
        given = {name: operands.pop(name) for name in HANDS_ON if name in operands}
        settings = {**attrs, **{name: node.attrs["value"] for name, node in given.items() if node.op == CONST}}
        if any(settings.get(name) == number for name, number in HANDS_ON.items()):
            return self.emit("identity", e, x=operands["x"])
        return self.emit(op, e, {n: s for n, s in settings.items() if n == "rate" or n not in HANDS_ON}, args=operands)

    def spelled(self, node: Node, spelling: Spelling) -> None:
        """Note on an op which function it was written as, behind what the path taken says of it."""
        node = unrefined(node)
        if node.op == spelling.op:
            node.spelling = spelling

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

    def chosen(self, name: str, positional: Sequence[Node], keywords: dict[str, Node]) -> Spelling | None:
        """The spelling of a dotted name that fits the arguments best."""
        if self.spellings.get(name) is None:
            return None
        return self.spellings.choose(
            name, [self.sort(n) for n in positional], {k: self.sort(n) for k, n in keywords.items()}
        )

    def activate(self, activation: Node, x: Node, e: ast.AST) -> Node:
        """Apply an ``activation=`` argument, given by name or as a function."""
        value = activation.attrs.get("value") if activation.op == CONST else None
        if isinstance(value, str):
            spelling = self.spellings.get(f"{ACTIVATIONS}.{value}")
            return self.spell(spelling, [x], {}, e) if spelling is not None else self.unknown(e, x)
        return self.apply(activation, [x], {}, e)

    # ── methods ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def call_method(self, base: Node, name: str, e: ast.Call) -> Node:
        """``base.name(...)``."""
        if base.op == "super":
            return self.call_super(name, e)
        if base.op in (INSTANCE, CLASS) and (made := self.call_of_object(base, name, e)) is not None:
            return made
        args, keywords = self.arguments(e), self.keywords(e)
        if name in DERIVATIVE_RULES:
            for function in (*args, *keywords.values()):
                if function.op == FUNCTION:
                    self.derivative_rules[id(function.attrs["definition"])] = DERIVATIVE_RULES[name]
        if base.op == LAYER:
            return self.call_model(base, name, args, keywords, e)
        if base.op == "tape":
            return self.call_tape(base, name, args, keywords, e)
        if base.op == FUNCTION and name in ("lower", "compile", "get_concrete_function", "apply", "__call__"):
            return self.inline(base, args, keywords, e) if name in ("apply", "__call__") else base
        if base.op == "partial":
            return self.apply(base, args, keywords, e)
        made = self.call_container(base, name, args, keywords, e)
        return made if made is not None else self.call_array(base, name, args, keywords, e)

    def call_of_object(self, base: Node, name: str, e: ast.Call) -> Node | None:
        """A method of a class of the project, or of an object of one; None where it is no method of its own."""
        found = self.read_attribute(base, name, e.func)
        if found.op != ATTR:
            return self.apply(found, self.arguments(e), self.keywords(e), e)
        if base.op == CLASS:
            forward = base.attrs["cls"].method("forward") if name == "apply" else None
            return self.apply_function(forward, base, e) if forward is not None else None
        if name in FORWARD_METHODS:
            return self.apply(base, self.arguments(e), self.keywords(e), e)
        if name in SAME_MODEL:
            return self.converted(base, name, e)
        if name == "register_buffer" and (held := self.arguments(e)[:2]):
            if held[-1].op == "tensor" and isinstance(held[0].attrs.get("value"), str):
                self.frame.env["field", base.key, held[0].attrs["value"]] = held[-1]
            return self.unknown(e, *held)
        return None

    def call_container(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call
    ) -> Node | None:
        """A method of a list, a dict, a shape or a parser; None for any other."""
        if name in ("append", "add", "extend", "insert") and base.op in ("list", TUPLE, "append", LOOP, PHI):
            return self.call_list(base, name, args, e) if isinstance(e.func, ast.Attribute) and args else None
        if base.op == "size" and name == "as_list":
            return base
        if base.op == CALL and "members" in base.attrs:
            return self.call_parser(base, name, keywords, e)
        return self.call_dict(base, name, args, keywords, e) if base.op == DICT else None

    def call_list(self, base: Node, name: str, args: Sequence[Node], e: ast.Call) -> Node:
        """A method that a list grows by."""
        assert isinstance(e.func, ast.Attribute)
        each = self.element(args[-1], e) if name == "extend" else args[-1]
        if written_out(base) and name == "append" and grows(base):
            grown = self.emit(TUPLE, e, args={**base.args, str(len(base.args)): each})
        else:
            old = self.element(base, e) if base.args else each
            grown = self.emit("list", e, pure=False, each=self.merge(None, old, each, e), last=each)
        self.bind(e.func.value, grown, e)
        return each

    def call_array(self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """A method of what may be an array, or of what nothing is known."""
        spelling = self.method_spelling(base, name, args, keywords)
        if spelling is None:
            stored = self.frame.lookup(("field", base.key, name))
            if stored is not None:
                return self.apply(stored, args, keywords, e)
            self.handed_over([*([base] if name.endswith("_") else []), *args, *keywords.values()], e)
            made = self.unknown(e, base, *args, *keywords.values(), name=f".{name}")
            if self.spellings.is_of_arrays(name):
                made.attrs["of_array"] = True
            return made
        result = self.spell(spelling, args, keywords, e, receiver=base)
        if result.op != TUPLE:
            result.framework = name if name in ARRAYS else base.framework or spelling.framework
        if in_place(spelling, [base, *args], keywords) and isinstance(e.func, ast.Attribute):
            self.changed(base, result, e)
            self.escape_in_place(base, result)
            self.bind(changed_in_place(e.func.value), result, e)
        return result

    def apply_function(
        self, forward: tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef], base: Node, e: ast.Call
    ) -> Node:
        """``Function.apply(...)``: its forward, whose gradient is written by hand."""
        owner, definition = forward
        outer = self.frame.regions
        self.frame.regions = (*outer, Region("custom_gradient", base.site))
        context = self.unknown(e, name="context")
        result = self.apply(
            self.method_value(owner, definition, None), [context, *self.arguments(e)], self.keywords(e), e
        )
        self.frame.regions = outer
        return result

    def call_dict(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call
    ) -> Node | None:
        """A method of a dict, as far as its keys are known."""
        if name == "get" and args:
            self.fill(base, args[0])
        if name == "get" and args and args[0].op != CONST:
            return self.one_of(base, args[0], e)
        if name in ("get", "pop", "setdefault") and args and args[0].op == CONST:
            found = base.args.get(entry(args[0], 0))
            if found is None and complete(base):
                found = args[1] if len(args) > 1 else self.graph.add(CONST, {}, {"value": None}, e)
            return found
        if name == "update" and isinstance(e.func, ast.Attribute):
            other = args[0].args if args and args[0].op == DICT else {f"?{e.lineno}": args[0]} if args else {}
            added = {**other, **{k if k.startswith("**") else f"={k!r}": n for k, n in keywords.items()}}
            self.bind(e.func.value, self.emit(DICT, e, args={**base.args, **added}), e)
            return self.graph.add(CONST, {}, {"value": None}, e)
        if base.attrs.get("many") and name in ("values", "items"):
            (each,) = base.args.values()
            each = each if name == "values" else self.emit(TUPLE, e, args={"0": self.unknown(e), "1": each})
            return self.emit("list", e, {"chosen": base.attrs.get("chosen", False)}, pure=False, each=each)
        if name == "values":
            return self.emit(TUPLE, e, args={str(i): n for i, n in enumerate(base.args.values())})
        if name == "items":
            pairs = [self.emit(TUPLE, e, args={"0": self.unknown(e), "1": n}) for n in base.args.values()]
            return self.emit(TUPLE, e, args={str(i): pair for i, pair in enumerate(pairs)})
        return None

    def call_parser(self, parser: Node, name: str, keywords: dict[str, Node], e: ast.Call) -> Node | None:
        """A method of a parser of the command line, or of a part of it: an option is a parameter with its default."""
        members = parser.attrs["members"]
        if name == "add_argument" and (option := option_name(e)):
            members[option] = self.parameter(option, keyword(e, "type"), keywords.get("default"), e)
        elif name == "set_defaults":
            members.update({key: self.parameter(key, None, default, e) for key, default in keywords.items()})
        if name not in PARTS | PARSED:
            return None
        made = self.unknown(e, parser, name=f".{name}")
        made.attrs["members"] = members
        return self.emit(TUPLE, e, args={"0": made, "1": self.unknown(e)}) if name == "parse_known_args" else made

    def method_spelling(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node]
    ) -> Spelling | None:
        """The tensor method meant, if the receiver can be a tensor and the arguments fit."""
        if (base.op == CONST and isinstance(base.attrs["value"], str)) or makes_an_object(base):
            return None
        frameworks = [f for f in (framework_behind(base), *self.frameworks_here) if f]
        usual = self.spellings.method(name, frameworks)
        if usual is None:
            return None
        spelling = self.chosen(usual.name, [base, *args], keywords)
        return spelling if spelling is not None and spelling.parameter(len(args)) is not None else None

    def call_super(self, name: str, e: ast.Call) -> Node:
        """``super().name(...)``: the next class of the file that has it."""
        cls, this = self.frame.cls, self.frame.this
        if cls is not None:
            for c in cls.mro()[1:]:
                if name in c.methods:
                    return self.apply(
                        self.method_value(c, c.methods[name], this), self.arguments(e), self.keywords(e), e
                    )
        return self.unknown(e, *self.arguments(e), *self.keywords(e).values(), name=f"super.{name}")

    def call_model(self, model: Node, name: str, args: list[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """A method of a layer or of a model built from layers."""
        if name in FORWARD_METHODS and args:
            return self.run_layer(model, args, keywords, e)
        if name in ("add", "append", "add_module") and args and isinstance(e.func, ast.Attribute):
            grown = self.graph.add(
                LAYER, {**model.args, str(len(model.args)): args[-1]}, dict(model.attrs), model.site, pure=False
            )
            self.bind(e.func.value, grown, e)
            return grown
        if name == "compile" and (loss := keywords.get("loss") or (args[1] if len(args) > 1 else None)) is not None:
            output = self.run_layer(model, [self.unknown(e, name="inputs")], {}, e)
            losses = list(loss.args.values()) if loss.op in (TUPLE, DICT) else [loss]
            several = output.op == TUPLE and len(output.args) == len(losses)
            outputs = list(output.args.values()) if several else [output] * len(losses)
            for one, output in zip(losses, outputs, strict=True):
                called = self.loss_function(one)
                if called is not None:
                    place = one.site if isinstance(one.site, ast.expr) else e
                    self.escape(self.apply(called, [self.unknown(e, name="labels"), output], {}, place))
            return self.unknown(e)
        if name in SAME_MODEL:
            return self.converted(model, name, e)
        return self.unknown(e, model, *args, *keywords.values(), name=f".{name}")

    def converted(self, model: Node, name: str, e: ast.Call) -> Node:
        """The model itself, whose weights a method may convert to another format, with those of its layers."""
        given = (self.dtype_of(node) for node in (*self.arguments(e), *self.keywords(e).values()))
        if (found := DTYPES.get(name) or next(filter(None, given), None)) is not None:
            model.attrs["format"] = found
        return model

    def computing_in(self, format: str | None, site: ast.AST | None) -> tuple[Region, ...]:
        """The region of a model, or of a program, whose layers have weights of a format."""
        return (Region("precision", site, {"dtype": format}),) if format is not None else ()

    def loss_function(self, loss: Node) -> Node | None:
        """The function that a loss given to ``compile`` is: its own, the catalogue's, or the one of that name."""
        if loss.op in (FUNCTION, "partial", INSTANCE, LAYER):
            return loss
        name = loss.attrs.get("value") if loss.op == CONST else None
        dotted = f"{LOSSES}.{name}" if isinstance(name, str) else self.dotted(loss) if loss.op == MODULE else ""
        known = self.spellings.get(dotted)
        return self.graph.add(MODULE, {}, {"name": dotted}, loss.site) if known is not None else None

    def run_layer(self, layer: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """Apply a layer, or a stack of layers, to its input."""
        outer = self.frame.regions
        self.frame.regions = (*outer, *self.computing_in(layer.attrs.get("format"), layer.site))
        try:
            return self.run_in_format(layer, args, keywords, e)
        finally:
            self.frame.regions = outer

    def run_in_format(self, layer: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """The same, once the format of its weights is settled."""
        x = args[0] if args else next(iter(keywords.values()), None) or self.unknown(e)
        for node in (*args[1:], *keywords.values()):
            self.escape(node)
        spelling: Spelling | None = layer.attrs.get("spelling")
        if spelling is not None:
            operands = {k: n for k, n in layer.args.items() if k != "activation"}
            if "format" in layer.attrs and spelling.op != "linear":
                x = self.emit("cast", e, {"dtype": layer.attrs["format"]}, x=x)
            called = [(operand, source[1:]) for operand, source in spelling.operands.items() if source[:1] == "$"]
            if len(called) == 1:
                operands[called[0][0]] = x
            else:
                operands.update((o, args[i]) for i, (o, _) in enumerate(called) if i < len(args))
                operands.update((o, keywords[name]) for o, name in called if name in keywords)
                if not REQUIRED & set(OPS[spelling.op].operands) <= operands.keys():
                    return self.unknown(e, *args, *keywords.values())
            attrs = {k: v for k, v in layer.attrs.items() if k not in ("spelling", "name", "format")}
            result = self.applied(spelling.op, e, {**attrs, "layer": layer.index}, {**operands, "layer": layer})
            result.framework = spelling.framework
            self.spelled(result, spelling)
            activation = layer.get("activation")
            if activation is not None:
                result = self.activate(activation, result, layer.site or e)
            return result
        if layer.attrs.get("sequence"):
            saved, self.frame.calls = self.frame.calls, (*self.frame.calls, e)
            for part in list(layer.args.values()):
                # of a list that grew, any
                part = part["each"] if part.op == "list" and "each" in part.args else part
                x = self.apply(part, [x], {}, part.site if part.op == LAYER and part.site is not None else e)
            self.frame.calls = saved
            return x
        output = layer.get("output")
        return output if output is not None else self.unknown(e, layer, x)

    def call_tape(self, tape: Node, name: str, args: list[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """watch, gradient, jacobian of a GradientTape."""
        given = dict(zip(TAPE_PARAMETERS.get(name, ("target", "sources")), args, strict=False)) | keywords
        if name == "watch" and "x" in given | {"x": keywords.get("tensor")}:
            return self.emit("watch", e, pure=False, tape=tape, x=given.get("x") or keywords["tensor"])
        if name in ("gradient", "jacobian", "batch_jacobian") and "target" in given:
            if "source" in given:
                given["sources"] = given.pop("source")
            if "sources" in given:
                operands = {"tape": tape, "target": given["target"], "sources": given["sources"]}
                if "output_gradients" in given:
                    operands["output_gradients"] = given["output_gradients"]
                node = self.graph.add("gradient", operands, {}, e, pure=False)
                node.regions, node.calls, node.env = self.frame.regions, self.frame.calls, self.frame.env.copy()
                return node
        if name == "stop_recording":
            return self.graph.add("stop_recording", {"tape": tape}, {}, e, pure=False)
        return self.unknown(e, tape, *args)

    # ── functions and classes of this file ──────────────────────────────────────────────────────────────────────────

    def function_value(self, e: Any) -> Node:
        """A lambda or def as a value, closed over the current frame."""
        node = self.graph.add(
            FUNCTION, {}, {"definition": e, "frame": self.frame, "name": getattr(e, "name", "<lambda>")}, e, pure=False
        )
        if self.frame.top is self.module:
            self.deferred.append((node, self.frame))
        return node

    def method_value(self, cls: ClassInfo, definition: Any, this: Node | None) -> Node:
        """A method bound to ``this`` (None for a static one)."""
        decorators = {_last(d) for d in definition.decorator_list}
        attrs = {"definition": definition, "frame": cls.scope, "name": definition.name, "cls": cls}
        if "staticmethod" not in decorators and this is not None:
            attrs["this"] = this
        return self.graph.add(FUNCTION, {}, attrs, definition, pure=False)

    def member(self, instance: Node, name: str, site: ast.AST) -> Node | None:
        """Attribute of an object of a class of this file: a field of ``__init__``, a property, a method, a constant."""
        cls: ClassInfo = instance.attrs["cls"]
        method = cls.method(name)
        if method is not None:
            owner, definition = method
            bound = self.method_value(owner, definition, instance)
            if {_last(d) for d in definition.decorator_list} & {"property", "cached_property", "lazy_property"}:
                return self.inline(bound, [], {}, site)
            return bound
        fields = self.fields(instance)
        if name in fields:
            stores = sum(c.stores.get(name, 0) for c in cls.mro())
            found = fields[name]
            given, named = instance.attrs.get("init", ([], {}))
            # an argument, or the default of a field that no method stores to
            is_setting = not stores or any(found is one for one in (*given, *named.values()))
            if found.op in FRESH or (found.op == CONST and found.attrs["value"] == 0 and not is_setting):
                # a state that starts at 0
                return None
            if found.op in (LAYER, INSTANCE, FUNCTION, CLASS):
                return found
            if stores > 1 or (found.op == PARAM and "default" not in found.args and instance.attrs.get("given")):
                return None
            self.frame.facts = self.known_of(instance).overridden(self.frame.facts)
            return self.promised(cls, name, self.refined(found), site)
        constant = cls.constant(name)
        return self.constant_of(constant[0], name) if constant is not None else None

    def promised(self, cls: ClassInfo, name: str, found: Node, site: ast.AST) -> Node:
        """A distribution's parameter, under the constraint that its class declares for it."""
        declared = cls.constant("arg_constraints")
        owner, entries = declared if declared is not None else (cls, None)
        if not isinstance(entries, ast.Dict):
            return found
        for key, constraint in zip(entries.keys, entries.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name:
                return self.constrained(owner, constraint, found, site)
        return found

    def constrained(self, owner: ClassInfo, constraint: ast.expr, x: Node, site: ast.AST) -> Node:
        """``x`` under a constraint, if the catalogue knows it."""
        op = CONSTRAINTS.get(self.dotted(self.in_frame(owner.scope, constraint)))
        return self.emit(op, site, x=x) if op is not None else x

    def known_of(self, instance: Node) -> PathCondition:
        """What holds once an object has been made."""
        known: PathCondition = instance.attrs.get("facts", NOTHING)
        return known

    def fields(self, instance: Node) -> dict[str, Node]:
        """Attributes that ``__init__`` (or ``setup``/``build``) leaves on the object."""
        found: dict[str, Node] | None = instance.attrs.get("fields")
        if found is not None:
            return found
        found = instance.attrs["fields"] = {}
        cls: ClassInfo = instance.attrs["cls"]
        if cls.method("__init__") is None:
            self.annotated_fields(cls, instance, found)
        for name in CONSTRUCTORS:
            method = cls.method(name)
            if method is None or self.frame.depth > MAX_DEPTH or self.spent(method[1]):
                continue
            owner, definition = method
            bound = self.method_value(owner, definition, instance)
            given = instance.attrs.get("init", ([], {})) if name == "__init__" else ([], {})
            frame = self.activation(bound, given[0], given[1], definition)
            self.run(frame, definition.body)
            instance.attrs["facts"] = self.known_of(instance).overridden(frame.facts_behind or NOTHING)
            found.update(
                {
                    k[2]: v
                    for k, v in frame.env.items()
                    if isinstance(k, tuple) and k[0] == "field" and k[1] == instance.key
                }
            )
        for value in found.values():
            if value.op == PARAM:
                # a parameter of the object, not of a call
                value.attrs["held"] = True
        return found

    def annotated_fields(self, cls: ClassInfo, instance: Node, found: dict[str, Node]) -> None:
        """Annotated fields of a dataclass, named tuple or flax module: its constructor's arguments, or the defaults.

        Of an object that is made elsewhere (``self`` in a method) they are parameters with their defaults.
        """
        made: tuple[list[Node], dict[str, Node]] | None = instance.attrs.get("init")
        args, keywords = made or ([], {})
        fields: dict[str, tuple[ClassInfo, ast.AnnAssign]] = {}
        for c in reversed(cls.mro()):
            for s in c.definition.body:
                if not isinstance(s, ast.AnnAssign) or _last(s.annotation) == "ClassVar":
                    continue
                if isinstance(s.target, ast.Name):
                    fields[s.target.id] = (c, s)
        for position, (name, (owner, s)) in enumerate(fields.items()):
            default = self.in_frame(owner.scope, default_of(s.value)) if s.value is not None else None
            if position < len(args):
                found[name] = args[position]
            elif name in keywords:
                found[name] = keywords[name]
            elif made is not None and default is not None and not any(k.startswith("**") for k in keywords):
                found[name] = default
            else:
                found[name] = self.parameter(name, s.annotation, default, s)

    def record_class(self, name: Node, fields: Node, e: ast.Call) -> Node:
        """``namedtuple("Name", "a b")``: the class it makes."""
        given = fields.attrs.get("value") if fields.op == CONST else None
        if isinstance(given, str):
            names = given.replace(",", " ").split()
        else:
            parts = [n["0"] if n.op == TUPLE and n.args else n for n in fields.args.values()]
            names = [str(n.attrs.get("value")) for n in parts if n.op == CONST]
        body: list[ast.stmt] = [
            ast.AnnAssign(ast.Name(n, ast.Store()), ast.Name("Any", ast.Load()), None, 1)
            for n in names
            if n.isidentifier()
        ]
        definition = ast.ClassDef(str(name.attrs.get("value")), [], [], body or [ast.Pass()], [])
        for made in descendants(definition):
            ast.copy_location(made, e)
            if (home := self.graph.home(e)) is not None:
                made.home = home  # type: ignore[attr-defined]
        base = self.graph.add(MODULE, {}, {"name": "typing.NamedTuple"}, e)
        cls = ClassInfo(definition.name, definition, [base], scope=self.frame)
        return self.graph.add(CLASS, {}, {"cls": cls, "name": cls.name}, e, pure=False)

    def parameter(self, name: str, annotation: ast.expr | None, default: Node | None, site: ast.AST) -> Node:
        """A value that comes from outside."""
        args = {"default": default} if default is not None else {}
        made = self.graph.add(
            PARAM,
            args,
            {"name": name, "annotation": _last(given_type(annotation)) if annotation is not None else ""},
            site,
            pure=False,
        )
        if annotation is not None:
            made.framework = self.whose(given_type(annotation))
        return made

    def whose(self, annotation: ast.expr) -> str | None:
        """The framework whose arrays an annotation speaks of, None where its name tells nothing."""
        name = annotation.value if isinstance(annotation, ast.Attribute) else annotation
        module = self.frame.top.lookup(name.id) if isinstance(name, ast.Name) else None
        root = canonical(module.name).partition(".")[0] if module is not None and module.op == MODULE else ""
        return root if root in ARRAYS else None

    def annotated(self, arg: ast.arg, scope: Frame | None) -> Node | None:
        """A parameter that is an object of a class of the project, by its annotation."""
        annotation = given_type(arg.annotation) if arg.annotation is not None else None
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = type_in(annotation.value)
        if not isinstance(annotation, ast.Name | ast.Attribute) or scope is None:
            return None
        cls = self.in_frame(scope, annotation)
        if cls.op != CLASS:
            return None
        if any(base.endswith("Protocol") or is_array_class(base) for base in cls.attrs["cls"].external_bases()):
            return None
        return self.graph.add(INSTANCE, {}, {"cls": cls.attrs["cls"], "name": arg.arg, "given": True}, arg, pure=False)

    def instantiate(self, cls: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """An object of a class of this file. What its constructor raises on is so no more behind it."""
        given = (*args, *keywords.values())
        for node in given:
            self.escape(node, KEPT)
        made = self.graph.add(
            INSTANCE, {}, {"cls": cls.attrs["cls"], "init": (list(args), dict(keywords))}, e, pure=False
        )
        if cls.attrs["cls"].raises and any(node.op != CONST for node in given):
            self.fields(made)
            self.frame.facts = self.frame.facts.overridden(self.known_of(made))
        return made

    def activation(
        self, function: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST, *, bare: bool = False
    ) -> Frame:
        """A frame with the parameters bound; those that are not given are unknown, with their default as a hint."""
        definition: FunctionAst = function.attrs["definition"]
        enclosing: Frame = function.attrs["frame"]
        caller, this = self.frame, function.attrs.get("this")
        frame = Frame(
            parent=enclosing,
            function=definition,
            facts=NOTHING if bare else caller.facts,
            regions=(
                *(self.module.regions if bare else caller.regions),
                *self.decorator_regions(definition),
                *self.class_regions(function),
                *(self.computing_in(this.attrs.get("format"), this.site) if this is not None else ()),
            ),
            calls=() if bare else (*caller.calls, e),
            depth=caller.depth + 1,
            this=this,
            cls=function.attrs.get("cls"),
        )
        positional = list(args)
        if frame.this is not None:
            positional.insert(0, frame.this)
            # a method meets its object as the caller left it
            mine = ("field", frame.this.key)
            frame.env.update({k: n for k, n in caller.env.items() if isinstance(k, tuple) and k[:2] == mine})
        a = definition.args
        names = [*a.posonlyargs, *a.args]
        defaults: dict[str, ast.expr] = {}
        for arg, source in zip(reversed(names), reversed(a.defaults), strict=False):
            defaults[arg.arg] = source
        for arg, kw_default in zip(a.kwonlyargs, a.kw_defaults, strict=False):
            if kw_default is not None:
                defaults[arg.arg] = kw_default
        for i, arg in enumerate([*names, *a.kwonlyargs]):
            given = positional[i] if i < len(positional) and i < len(names) else keywords.get(arg.arg)
            if given is not None:
                frame.env[arg.arg] = given
                take_type(given, arg, defaults.get(arg.arg))
            else:
                default = self.in_frame(enclosing, defaults[arg.arg]) if arg.arg in defaults else None
                spread = any(k.startswith("**") for k in keywords)
                made = function.attrs.get("name") != "__init__" or (
                    frame.this is not None and "init" in frame.this.attrs
                )
                if default is not None and not bare and not spread and made:
                    frame.env[arg.arg] = default
                elif default is None and (made_of := self.annotated(arg, enclosing)) is not None:
                    frame.env[arg.arg] = made_of
                else:
                    made_here = self.parameter(arg.arg, arg.annotation, default or self.option_of(function, arg), arg)
                    cls: ClassInfo | None = function.attrs.get("cls")
                    made_here.attrs["documented"] = (definition, cls.definition if cls is not None else None)
                    frame.env[arg.arg] = made_here
        if a.vararg is not None:
            rest = positional[len(names) :]
            frame.env[a.vararg.arg] = (
                self.graph.add(TUPLE, {str(i): n for i, n in enumerate(rest)}, {}, e)
                if not bare
                else self.parameter(a.vararg.arg, None, None, a.vararg)
            )
        if a.kwarg is not None:
            taken = {arg.arg for arg in (*a.args, *a.kwonlyargs)}
            rest_by_name = {k: n for k, n in keywords.items() if k not in taken}
            frame.env[a.kwarg.arg] = (
                self.emit(DICT, e, args={k if k.startswith("**") else f"={k!r}": n for k, n in rest_by_name.items()})
                if not bare
                else self.parameter(a.kwarg.arg, None, None, a.kwarg)
            )
        return frame

    def option_of(self, function: Node, arg: ast.arg) -> Node | None:
        """The default that a decorator of a program's function gives to one of its parameters."""
        for decorator in getattr(function.attrs["definition"], "decorator_list", ()):
            default = keyword(decorator, "default") if isinstance(decorator, ast.Call) else None
            if default is not None and option_name(decorator) == arg.arg:
                head = self.in_frame(function.attrs["frame"], decorator.func)
                if head.op == MODULE and self.dotted(head) in DECORATING:
                    return self.in_frame(function.attrs["frame"], default)
        return None

    def decorator_regions(self, definition: FunctionAst) -> tuple[Region, ...]:
        """Regions that decorators open: no gradient, or a gradient written by hand."""
        found = []
        for d in getattr(definition, "decorator_list", ()):
            last = _last(d)
            if last in DERIVATIVE_RULES:
                found.append(Region("derivative_rule", definition, {"tangents": DERIVATIVE_RULES[last]}))
            elif isinstance(d, ast.Call) and any(k.arg in COMPILES and is_literal_true(k.value) for k in d.keywords):
                found.append(Region("xla", definition))
            elif (kind := self.region_kind(d)) == "half":
                found.append(Region("half", definition, self.precision(self.in_frame(self.module, d))))
            elif kind in ("no_grad", "custom_gradient") or (kind == "errstate" and settles(d)):
                found.append(Region(kind, definition))
        return tuple(found)

    def region_kind(self, decorator: ast.expr) -> str:
        """The kind of region that a decorator opens, called or not, or given to ``partial``; "" if it opens none."""
        e: ast.expr = decorator
        while isinstance(e, ast.Call):
            wrapped = _last(e) == "partial" and e.args
            e = e.args[0] if wrapped else e.func
        head = self.in_frame(self.module, e) if isinstance(e, ast.Name | ast.Attribute) else None
        known = self.spellings.control(self.dotted(head)) if head is not None and head.op == MODULE else None
        return str(known.literals.get("kind", "")) if known is not None else ""

    def class_regions(self, function: Node) -> tuple[Region, ...]:
        """Methods through which nothing is differentiated: an optimizer's, a constraint's, a metric's, a test's."""
        cls: ClassInfo | None = function.attrs.get("cls")
        enclosing: Frame = function.attrs["frame"]
        if id(function.attrs["definition"]) in self.without_gradient:
            return (Region("no_grad", function.site, {"why": "this works on gradients, and is not differentiated"}),)
        definition = function.attrs["definition"]
        if id(definition) in self.derivative_rules:
            return (Region("derivative_rule", definition, {"tangents": self.derivative_rules[id(definition)]}),)
        handmade = tuple(r for r in enclosing.regions if r.kind == "custom_gradient") if enclosing is not None else ()
        if handmade:
            return handmade
        if cls is not None and any(self.is_differentiated_by_hand(base) for base in cls.external_bases()):
            # a function whose derivative is written beside it: forward is not recorded, backward is the derivative
            by_hand = definition.name == "forward"
            rule = Region("derivative_rule", definition, {"tangents": None})
            return (Region("custom_gradient", definition) if by_hand else rule,)
        if cls is not None and any(base.endswith(UNDIFFERENTIATED_BASES) for base in cls.external_bases()):
            return (Region("no_grad", cls.definition, {"why": "no gradient flows through such a class"}),)
        return ()

    def is_differentiated_by_hand(self, base: str) -> bool:
        """Whether the derivative of a function is written beside it where its class is derived from ``base``."""
        known = self.spellings.control(canonical(base))
        return known is not None and known.literals.get("kind") == "custom_gradient"

    def handed_over(self, nodes: Sequence[Node], e: ast.AST) -> None:
        """Arrays made to be filled, given to a call that may write into them: what they hold afterwards is unknown."""
        for node in (one for given in nodes for one in _alternatives(given)):
            if filled_array(node) is not None:
                self.written(node, self.unknown(e), e)

    def written(self, part: Node, value: Node, site: ast.AST) -> None:
        """Tell all names of an array that is filled, here and in the callers, that a part of it holds a value now."""
        array = filled_array(part)
        if array is None or array.framework not in MUTABLE:
            return
        whole = value if part is array else self.graph.add("stored", {"a": array, "b": value}, {}, site, pure=False)
        whole.framework = whole.framework or array.framework
        array.attrs["filled"] = True
        self.rebind(array, whole)
        if part is not array:
            self.rebind(part, value)

    def changed(self, old: Node, new: Node, site: ast.AST) -> None:
        """Tell all names of an array, here and in the callers, what an operation in place made of it."""
        if filled_array(old) is not None:
            self.written(old, new, site)
        elif old.op != CONST:
            self.rebind(old, new)

    def rebind(self, old: Node, new: Node) -> None:
        """Give every variable and attribute that holds ``old`` another value, here and in the functions around."""
        old = unrefined(old)
        pending: list[Frame | None] = [self.frame]
        seen: set[Frame] = set()
        while pending:
            frame = pending.pop()
            if frame is None or frame in seen:
                continue
            seen.add(frame)
            frame.env.update({name: new for name, value in frame.env.items() if unrefined(value) is old})
            pending += [frame.parent, frame.caller]

    def escape_in_place(self, old: Node, new: Node) -> None:
        """Note that others see what becomes of an array in place, unless it was made here."""
        for _ in range(40):
            made = old.op in OPS and not OPS[old.op].view and not old.attrs.get("stored")
            if made or old.op == CONST or not old.args:
                break
            kept = ("pre", "a", "x") if not old.attrs.get("stored") else ("b",)
            old = next((old[name] for name in kept if name in old.args), old)
        if old.op not in OPS and old.op != CONST:
            self.escape(new)

    def escape_unused(self, frame: Frame) -> None:
        """Note that what the variables of a frame hold may yet be used, on a path that is not followed."""
        if frame.parent is not None:
            for value in frame.env.values():
                if not value.users:
                    self.escape(value)

    def inline(self, function: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """The result of calling a function of this file: its body lowered with these arguments."""
        spelling = self.own(function, args, keywords)
        if spelling is not None:
            return self.spell(spelling, args, keywords, e)
        definition: FunctionAst = function.attrs["definition"]
        wrapper = self.decorated(function)
        if wrapper is not None:
            this = function.attrs.get("this")
            return self.apply(wrapper, [*([this] if this is not None else []), *args], keywords, e)
        self.inlined.add(id(definition))
        frame: Frame | None = self.frame
        while frame is not None and frame.function is not definition:
            frame = frame.caller
        too_deep = self.frame.depth >= MAX_DEPTH or self.spent(definition)
        if frame is not None or too_deep:
            self.escape_unused(function.attrs["frame"])
            self.handed_over([*args, *keywords.values()], e)
            result = self.unknown(e, *args, *keywords.values(), name=str(function.attrs.get("name", "")))
            if frame is not None and not args and not keywords:
                result.attrs["again"] = True
            names = [arg.arg for arg in (*definition.args.posonlyargs, *definition.args.args)]
            mine = names[function.attrs.get("this") is not None :]
            for name, arg in (*zip(mine, args, strict=False), *keywords.items()):
                if name in filled_in_place(definition):
                    self.rebind(arg, self.emit("stored", e, a=arg, b=result))
            return result
        activation = self.activation(function, args, keywords, e)
        given = activation.env.copy()
        result = self.run_function(activation, definition, e)
        for name in filled_in_place(definition):
            before, after = given.get(name), activation.env.get(name)
            if before is not None and after is not None and after is not before:
                self.rebind(before, after)
        return result

    def decorated(self, function: Node) -> Node | None:
        """What decorators of the project make of a function; None where there are none, or they are not followed."""
        definition: FunctionAst = function.attrs["definition"]
        decorators = getattr(definition, "decorator_list", ())
        if not decorators or function.attrs.get("bare"):
            return None
        key = definition, function.attrs["frame"]
        if key not in self.wrappers:
            self.wrappers[key] = None
            attrs = {key: value for key, value in function.attrs.items() if key != "this"}
            bare = self.graph.add(FUNCTION, {}, {**attrs, "bare": True}, definition, pure=False)
            made = self.decorate(bare, decorators, function.attrs["frame"])
            if made is not bare and made.op in (FUNCTION, "partial"):
                self.wrappers[key] = made
        return self.wrappers[key]

    def decorate(self, made: Node, decorators: Sequence[ast.expr], frame: Frame | None) -> Node:
        """What decorators of the project make of a function or class."""
        for decorator in reversed(decorators):
            if self.decorator(decorator, frame) is not None:
                made = self.apply(self.in_frame(frame, decorator), [made], {}, decorator)
        return made

    def decorator(self, decorator: ast.expr, frame: Frame | None) -> Node | None:
        """The function of the project that a decorator is, or calls; None for any other."""
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = self.in_frame(frame, head) if isinstance(head, ast.Name | ast.Attribute) else None
        return found if found is not None and found.op == FUNCTION else None

    def sizes(self) -> tuple[int, int]:
        """How many nodes of this file there are, and of others."""
        return len(self.graph.nodes) - self.graph.elsewhere, self.graph.elsewhere

    def spent(self, definition: ast.AST) -> bool:
        """Whether the function being lowered is not expanded any further by a definition of this or another file."""
        here, elsewhere = self.sizes()
        if self.graph.home(definition) is None:
            return here > self.budget[0]
        return elsewhere > self.budget[1] or size_of(definition) - size_of_options(definition) > MAX_SIZE

    def own(self, function: Node, args: Sequence[Node], keywords: dict[str, Node]) -> Spelling | None:
        """How a function that is defined here, in a framework's own source, is known to those who import it."""
        if not self.package or "cls" in function.attrs or function.attrs["frame"].parent is not None:
            return None
        return self.chosen(canonical(".".join((*self.package, str(function.attrs["name"])))), args, keywords)

    def run_function(self, frame: Frame, definition: FunctionAst, e: ast.AST) -> Node:
        """Lower a body in a frame; the join of what it returns."""
        if isinstance(definition, ast.Lambda):
            return self.within(frame, definition.body)
        start = len(self.graph.nodes)
        self.run(frame, definition.body)
        self.hold_before(frame.checks, self.graph.nodes[start:])
        self.come_back(frame)
        if frame.depth:
            # what a method leaves on its object meets the caller, and no method that is lowered for itself
            self.frame.env.update({name: node for name, node in frame.env.items() if isinstance(name, tuple)})
        for name, owner in frame.declared.items():
            if name in frame.env and frame.depth:
                owner.env[name] = frame.env[name]
        if frame.yields:
            each = frame.yields[0]
            for other in frame.yields[1:]:
                each = self.merge(None, each, other, e)
            managed = {_last(d) for d in definition.decorator_list} & {"contextmanager", "asynccontextmanager"}
            return each if managed else self.emit("list", e, pure=False, each=each)
        if not frame.returns:
            return self.unknown(e)
        *earlier, (result, facts) = self.unrolled(frame.returns)
        for other, on_the_way in reversed(earlier):
            parted = parting(on_the_way, facts)
            if parted is None:
                result = self.join_results(None, other, result, e)
            elif parted[1]:
                result = self.join_results(parted[0], other, result, e)
            else:
                result = self.join_results(parted[0], result, other, e)
            facts = common((on_the_way, facts))
        return result

    def hold_before(self, checks: list[tuple[int, Known]], nodes: Sequence[Node]) -> None:
        """Let what each check says hold for the nodes of its function before it; what a loop carries changes in it."""
        looping = next((n.index for n in nodes if n.op == LOOP), len(self.graph.nodes))
        checks = [check for check in checks if check[0] <= looping]
        nearest: deque[Known] = deque(maxlen=MAX_CHECKS)
        said: dict[int, Comparisons] = {}
        #: by identity, with the facts themselves, so that they live as long as their number is used
        merged: dict[int, tuple[object, PathCondition]] = {}
        for node in reversed(nodes[: checks[-1][0] - nodes[0].index] if checks else ()):
            while checks and checks[-1][0] > node.index:
                nearest.append(checks.pop()[1])
                said, merged = {}, {}
                for key, known in (fact for check in nearest for fact in check.items()):
                    said[key] = (*said.get(key, ()), *known)
            if node.env is not None:
                if id(node.facts) not in merged:
                    more = {key: (*node.facts.get(key, ()), *new) for key, new in said.items()}
                    merged[id(node.facts)] = node.facts, node.facts.overridden(more)
                node.facts = merged[id(node.facts)][1]

    def unrolled(self, returns: Sequence[tuple[Node, PathCondition]]) -> list[tuple[Node, PathCondition]]:
        """What is returned, with as many elements where a function returns what it gives when it is called again."""
        shape = next((value for value, _ in returns if written_out(value)), None)
        if shape is None:
            return list(returns)
        parts = shape.args.keys()
        return [
            (self.graph.add(TUPLE, dict.fromkeys(parts, value), {}, value.site), facts)
            if value.attrs.get("again")
            else (value, facts)
            for value, facts in returns
        ]

    def come_back(self, frame: Frame) -> None:
        """What holds wherever a function returns holds behind its call; one that cannot return ends the path.

        What decorators make of a function may return all the same: one that others are registered with, say.
        """
        if not frame.depth or frame.yields:
            return
        if frame.facts_behind is not None:
            self.frame.facts = self.frame.facts.overridden(frame.facts_behind)
        elif frame.this is None and not getattr(frame.function, "decorator_list", ()):
            self.frame.live = False

    def join_results(self, cond: Node | None, a: Node, b: Node, e: ast.AST) -> Node:
        """Join of two returned values, element by element for tuples: ``a`` where ``cond`` holds, if that is known."""
        if a.op == TUPLE and b.op == TUPLE and len(a.args) == len(b.args):
            return self.graph.add(TUPLE, {k: self.merge(cond, a[k], b[k], e) for k in a.args if k in b.args}, {}, e)
        if a.op == CONST and a.attrs["value"] is None:
            return b
        if b.op == CONST and b.attrs["value"] is None:
            return a
        return self.merge(cond, a, b, e)

    def within(self, frame: Frame, e: ast.expr) -> Node:
        """An expression lowered in another frame."""
        saved, self.frame = self.frame, frame
        frame.caller = saved
        try:
            return self.lower(e)
        finally:
            self.frame = saved

    def in_frame(self, frame: Frame | None, e: ast.expr) -> Node:
        return self.within(Frame(parent=frame, depth=self.frame.depth + 1), e)

    def run(self, frame: Frame, body: Sequence[ast.stmt]) -> None:
        """Lower statements in a frame."""
        raise NotImplementedError

    def precision(self, autocast: Node) -> dict[str, str]:
        """The format that a region of autocast computes in."""
        raise NotImplementedError

    #: what is outside of all functions; its regions, in the end, are open in each
    module: Frame
    #: nodes of this file, and of others, beyond which the function being lowered is not expanded further
    budget: tuple[int, int]
    #: definitions that were inlined somewhere
    inlined: set[int]
    #: definition and the frame it is closed over -> what its decorators make of it
    wrappers: dict[tuple[FunctionAst, Frame | None], Node | None]
    #: of a file of a framework's own source: the package that it is in
    package: tuple[str, ...]
    view: View | None
    #: modules that have been read, by path
    modules: dict[str, Frame]
    #: dotted name -> what it stands for in another file, None where that is not seen
    resolved: dict[str, Node | None]
    #: module -> what its star import brings: dotted names by name
    exports: dict[str, Mapping[str, str]]
    #: definitions of functions that transform gradients
    without_gradient: set[int]
    derivative_rules: dict[int, int | None]


def is_literal_true(node: ast.expr) -> bool:
    """Whether a setting is written as True."""
    return isinstance(node, ast.Constant) and node.value is True


def is_real_number(node: Node) -> bool:
    """Whether a node is a written out number that is no integer: a flag or a count is not differentiated."""
    return node.op == CONST and isinstance(node.attrs["value"], float)


def selected_alike(operands: dict[str, Node]) -> Node | None:
    """What a selection gives both sides of which are the same value."""
    a, b = operands.get("a"), operands.get("b")
    if a is None or b is None or a.op == CONST or a.key != b.key:
        return None
    return unrefined(a)


def makes_an_object(call: Node) -> bool:
    """Whether a call gives an object that is no array: it makes one of a class, or a distribution of SciPy's.

    The ``var`` of a distribution is its own, and no reduction of data.
    """
    if call.op != CALL or not call.name or call.name.startswith("."):
        return False
    last = call.name.rpartition(".")[2]
    is_class = last[:1].isupper() and not last.isupper() and "_" not in last
    return call.name.startswith("scipy.stats.") or (is_class and not is_array_class(last))


def is_array_class(name: str) -> bool:
    """Whether objects of a class, by the last part of its name, are arrays or are computed with like arrays."""
    return any(word in name.rpartition(".")[2].lower() for word in ARRAY_CLASSES)


def framework_behind(node: Node) -> str | None:
    """The framework whose array a node is: its own, or that of what it is computed of by operators and slices."""

    def operands(n: Node) -> Iterable[Node]:
        own = n.framework is None and n.op in OPS and (OPS[n.op].pointwise or OPS[n.op].view)
        return reversed(n.args.values()) if own else ()

    made_of = walk(node, operands, MAX_OPERANDS)
    return next((n.framework for n in made_of if n.framework not in (None, "math", "builtins")), None)


def taken(
    spelling: Spelling, positional: Sequence[Node], keywords: Mapping[str, Node]
) -> tuple[dict[str, Node], Sequence[Node]]:
    """What a call gives to the arguments of a function, by name, and to the one that takes all that follow."""
    given: dict[str, Node] = {}
    rest: Sequence[Node] = ()
    for i, node in enumerate(positional):
        param = spelling.parameter(i)
        if param is None:
            break
        if param.startswith("*"):
            rest = positional[i:]
            break
        given[param] = node
    given.update({spelling.aliases.get(name, name): node for name, node in keywords.items()})
    return given, rest


def in_place(spelling: Spelling, args: Sequence[Node], keywords: Mapping[str, Node]) -> bool:
    """Whether a call changes its first argument, or its receiver: by what it is, or as it is asked to."""
    given = keywords.get("inplace")
    if given is None and "inplace" in spelling.params[: len(args)]:
        given = args[spelling.params.index("inplace")]
    return spelling.in_place or (given is not None and given.attrs.get("value") is True)


def changed_in_place(receiver: ast.expr) -> ast.expr:
    """The variable that ``x.abs_().relu_()`` changes: x."""
    while isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Attribute):
        if not receiver.func.attr.endswith("_") or receiver.func.attr.endswith("__"):
            break
        receiver = receiver.func.value
    return receiver


def spelled_out(node: Node) -> float | None:
    """The number that a literal string spells: ``float("-inf")``."""
    text = node.attrs.get("value") if node.op == CONST else None
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def default_of(e: ast.expr) -> ast.expr:
    """The default in ``field(default=...)`` of a dataclass; any other expression is its own."""
    if isinstance(e, ast.Call) and _last(e) in ("field", "ib", "Field"):
        return next((k.value for k in e.keywords if k.arg == "default"), e)
    return e


def filled_array(node: Node) -> Node | None:
    """The array made to be filled that a node is, or is a view of."""
    while node.op in ("part", "view", REFINE) and "x" in node.args:
        node = node["x"]
    start = node
    while start.op == LOOP:
        start = start["pre"]
    return node if start.op in FRESH else None


def _alternatives(node: Node) -> list[Node]:
    """What a node may be, or hold: the values that join in it, those of a container; itself where there are none."""
    parts = list(node.args.values()) if node.op in (TUPLE, DICT, "list") else [node[k] for k in "ab" if node.op == PHI]
    return [one for part in parts for one in _alternatives(part)] if parts else [node]


@lru_cache(maxsize=1024)
def type_in(text: str) -> ast.expr | None:
    """The type that a string annotation names."""
    try:
        return given_type(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return None


def take_type(given: Node, parameter: ast.arg, default: ast.expr | None) -> None:
    """Let an argument of which no type is known be of its parameter's: by annotation, or that of a default number."""
    given = unrefined(given)
    if given.op not in (PARAM, ATTR, CALL) or "default" in given.args or given.attrs.get("annotation"):
        return
    if parameter.annotation is not None:
        given.attrs["annotation"] = _last(given_type(parameter.annotation))
    elif isinstance(default, ast.Constant) and type(default.value) in (int, float):
        given.attrs["annotation"] = type(default.value).__name__


def given_type(annotation: ast.expr) -> ast.expr:
    """The type of what is given, if anything is: that in ``Optional[T]``, ``T | None``, ``Union[T, None]``."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides: tuple[ast.expr, ...] = (annotation.left, annotation.right)
    elif isinstance(annotation, ast.Subscript) and _last(annotation.value) in WRAPPING_TYPES:
        inner = annotation.slice
        sides = tuple(inner.elts) if isinstance(inner, ast.Tuple) else (inner,)
    else:
        return annotation
    given = [side for side in sides if not (isinstance(side, ast.Constant) and side.value is None)]
    return given_type(given[0]) if given else annotation


def _last(e: ast.expr) -> str:
    """Last name of a decorator or annotation."""
    while True:
        if isinstance(e, ast.Call):
            e = e.func
        elif isinstance(e, ast.Subscript):
            e = e.value
        else:
            break
    if isinstance(e, ast.Attribute):
        return e.attr
    if isinstance(e, ast.Constant):
        return str(e.value)
    return e.id if isinstance(e, ast.Name) else ""


@remembered
def filled_in_place(definition: FunctionAst) -> tuple[str, ...]:
    """The parameters of which a function sets elements, and that it gives no other value."""
    nodes = [n for n in descendants(definition) if isinstance(getattr(n, "ctx", None), ast.Store)]
    filled = {n.value.id: None for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    rebound = {n.id for n in nodes if isinstance(n, ast.Name)}
    return tuple(name for name in filled if name not in rebound)
