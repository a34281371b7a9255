"""Place: what a codemod may ask of the source around its finding. What to write is its own business."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeGuard, cast

import libcst as cst

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.imports import Imports, Spelled, same
from nanlint.fixes.lossless import Lossless
from nanlint.fixes.outline import Outline, root_of
from nanlint.graph.expressions import BINARY
from nanlint.graph.node import CONST, LOOP, PHI, REFINE, Node
from nanlint.ops.frameworks import canonical
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from nanlint.ops.value import Kind
from nanlint.source.text import Located

#: libraries of ops on another framework's tensors
_BUILT_ON = {
    **dict.fromkeys(("torch_geometric", "torch_scatter", "gpytorch", "botorch", "pyro", "lightning"), "torch"),
    **dict.fromkeys(("flax", "optax", "haiku", "equinox", "chex", "distrax", "numpyro"), "jax"),
    "tensorflow_probability": "tensorflow",
}
#: an expression no longer than this may be written twice
SHORT = 40
#: ops that cost about as much as reading their operand
_CHEAP_OTHERS = frozenset({"size", "cast", "identity", "part", "view"})
_PRIMARY = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.List,
    cst.Set,
    cst.Dict,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.Float,
    cst.SimpleString,
    cst.FormattedString,
    cst.Ellipsis,
)
_LOOSER_THAN_COMPARISON = (
    cst.Comparison,
    cst.BooleanOperation,
    cst.UnaryOperation,
    cst.IfExp,
    cst.Lambda,
    cst.NamedExpr,
    cst.Tuple,
    cst.Await,
    cst.Yield,
    cst.GeneratorExp,
)


class File:
    """What the places of one file share."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.source = facts.source
        self.outline = Outline(facts.source.tree, self.is_pure)
        self.imports = Imports(facts.source, self.outline)
        self.lossless = Lossless(facts.source, self.outline)

    @cached_property
    def nodes_at(self) -> Mapping[int, Sequence[Node]]:
        """Graph nodes by the identity of the expression they were lowered from."""
        found: dict[int, list[Node]] = {}
        for node in self.facts.lowering.graph:
            if node.site is not None:
                found.setdefault(id(node.site), []).append(node)
        return found

    def is_pure(self, call: ast.Call) -> bool:
        """Whether a call is one of the catalogue's that has no effect and no chance in it."""
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
            return False
        if any(k.arg in ("out", "inplace") for k in call.keywords):
            return False
        nodes = self.nodes_at.get(id(call), ())
        return bool(nodes) and all(
            n.op == REFINE or (n.op in OPS and OPS[n.op].pure and n.op != "dropout") for n in nodes
        )


@dataclass(frozen=True)
class Written:
    """How a call of an op is written: ``function`` is the imported dotted name it calls; a method has a ``receiver``.

    ``arguments``: by the name of the parameter they are given for; ``spelling`` says which operand that is.
    """

    call: ast.Call
    spelling: Spelling
    function: str | None
    receiver: ast.expr | None
    arguments: Mapping[str, ast.expr]

    def operand(self, operand: str) -> ast.expr | None:
        """The expression given for an operand of the op."""
        parameter = self.spelling.operands.get(operand)
        return self.arguments.get(parameter) if parameter is not None else None

    def only(self, *operands: str) -> bool:
        """Whether nothing is given but these operands."""
        return self.arguments.keys() <= {self.spelling.operands.get(o) for o in operands}


@dataclass(frozen=True)
class Place:
    """One finding in its file. Expressions are ``ast`` nodes where reasoned about, lossless ones where copied."""

    file: File
    node: Node
    added: list[Edit] = field(default_factory=list)

    @property
    def facts(self) -> Facts:
        return self.file.facts

    @property
    def site(self) -> ast.AST:
        """The expression (or augmented assignment) of the finding."""
        return cast(ast.AST, self.node.site)

    def at(self, node: Node) -> Place:
        """The place of another op of the same file."""
        return self if node is self.node else replace(self, node=node)

    @cached_property
    def framework(self) -> str:
        """The framework whose functions belong here.

        ``keras.backend`` has few functions, and they belong to Keras 2: with TensorFlow in the file, TensorFlow's do;
        without, there are none ("").
        """
        found = self.facts.framework(self.node)
        found = _BUILT_ON.get(found, found)
        if found == "keras" and not any(i.target in ("keras", "keras.ops") for i in self.file.imports.all):
            return "tensorflow" if self.imports("tensorflow") else ""
        return found

    # Text

    def span(self, node: ast.AST) -> Span:
        """Where an expression stands, without parentheses around it."""
        return self.file.source.span(cast(Located, node))

    def text(self, node: ast.AST) -> str:
        """The source of an expression as it is written, without parentheses around it."""
        return self.file.source.segment(self.span(node))

    def lossless(self, node: ast.AST) -> cst.CSTNode | None:
        """The lossless node of an expression."""
        return self.file.lossless.find(node)

    def argument(self, e: ast.expr) -> str:
        """An expression as an argument of a call."""
        tree = self.lossless(e)
        bare = isinstance(tree, (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield))
        return f"({self.text(e)})" if bare or tree is None else self.text(e)

    def primary(self, e: ast.expr) -> str:
        """An expression that a method can be called on."""
        tree = self.lossless(e)
        return self.text(e) if isinstance(tree, _PRIMARY) else f"({self.text(e)})"

    def compared(self, e: ast.expr) -> str:
        """An expression on a side of a comparison."""
        tree = self.lossless(e)
        loose = tree is None or isinstance(tree, _LOOSER_THAN_COMPARISON)
        if isinstance(tree, cst.UnaryOperation):
            loose = isinstance(tree.operator, cst.Not)
        return f"({self.text(e)})" if loose or "\n" in self.text(e) else self.text(e)

    def multiplicand(self, e: ast.expr) -> str:
        """An expression as a factor of a product, which is worked out first."""
        tree = self.lossless(e)
        power = isinstance(tree, cst.BinaryOperation) and isinstance(tree.operator, cst.Power)
        tight = power or isinstance(tree, (*_PRIMARY, cst.Integer))
        return self.text(e) if tight and "\n" not in self.text(e) else f"({self.text(e)})"

    def negated(self, e: ast.expr) -> str:
        """Minus an expression, for an argument."""
        tree = self.lossless(e)
        if isinstance(tree, cst.UnaryOperation) and isinstance(tree.operator, cst.Minus):
            return self.argument(cast(ast.UnaryOp, e).operand)
        text = self.text(e)
        if _leads_with_minus(e) and text.startswith("-"):
            return text[1:].lstrip()
        if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub) and "\n" not in text and not comments(text):
            return f"{self.factor(e.right)} - {self.factor(e.left)}"
        power = isinstance(tree, cst.BinaryOperation) and isinstance(tree.operator, cst.Power)
        tight = power or isinstance(tree, (*_PRIMARY, cst.Integer))
        return f"-{self.text(e)}" if tight else f"-({self.text(e)})"

    def factor(self, e: ast.expr) -> str:
        """An expression in front of an operator that binds as tightly as a multiplication, or looser."""
        tight = isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Mult, ast.Div, ast.Pow, ast.MatMult))
        whole = tight or isinstance(e, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant))
        return self.text(e) if whole and "\n" not in self.text(e) else f"({self.text(e)})"

    def arguments(self, call: ast.Call, replacing: Mapping[int, str] = MappingProxyType({}), without: str = "") -> str:
        """The arguments of a call as they are written, those in ``replacing`` (by identity) rewritten, one left out."""
        parts = [replacing.get(id(a)) or self.argument(a) for a in call.args]
        named = [k for k in call.keywords if k.arg != without]
        return ", ".join(parts + [f"{k.arg}={replacing.get(id(k.value)) or self.argument(k.value)}" for k in named])

    # Reading calls

    def written(self, node: Node) -> Written | None:
        """How an op is written at its site: as a call of an imported function or of a method; else None."""
        call = node.site
        if (
            not isinstance(call, ast.Call)
            or "layer" in node.attrs
            or any(isinstance(a, ast.Starred) for a in call.args)
        ):
            return None
        if any(k.arg is None for k in call.keywords):
            return None
        spellings = self.facts.lowering.spellings
        function = self.file.imports.dotted(call.func)
        receiver: ast.expr | None = None
        if function is not None:
            candidates = spellings.overloads(canonical(function))
        elif isinstance(call.func, ast.Attribute) and not self._is_object(call.func.value):
            receiver = call.func.value
            frameworks = (f for f in (node.framework, *self.facts.lowering.frameworks) if f)
            found = spellings.method(call.func.attr, frameworks)
            candidates = spellings.overloads(found.name) if found is not None else ()
        else:
            return None
        for spelling in candidates:
            arguments = _bound(spelling, call, receiver)
            if spelling.op == node.op and not spelling.layer and arguments is not None:
                return Written(call, spelling, function, receiver, arguments)
        return None

    def _is_object(self, e: ast.expr) -> bool:
        """Whether an expression is the object whose method is being run, which is no tensor."""
        function = self.file.outline.function(e)
        if not isinstance(e, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return isinstance(e, ast.Name) and e.id in ("self", "cls")
        parent = self.file.outline.parents.get(function)
        first = function.args.args[:1]
        return e.id in ("self", "cls") or (isinstance(parent, ast.ClassDef) and bool(first) and first[0].arg == e.id)

    @cached_property
    def compat(self) -> bool:
        """Whether TensorFlow's functions are written ``tf.compat.v1.…`` here."""
        call = self.site
        return isinstance(call, ast.Call) and ".compat.v1." in (self.file.imports.dotted(call.func) or "")

    # Proving

    def resolved(self, e: ast.expr) -> ast.expr:
        """The expression that a variable stands for at its place, by assignments that surely reach it."""
        for _ in range(20):
            if not isinstance(e, ast.Name):
                return e
            found = self.file.outline.definition(e)
            if found is None:
                return e
            e = found[1]
        return e

    def is_op(self, e: ast.expr, node: Node | None) -> bool:
        """Whether an expression is the one that an op was lowered from."""
        return node is not None and unrefined(node).site is e

    def operands(self, *wanted: Node) -> list[ast.expr] | None:
        """The expressions at which ``wanted`` stand in the finding's own, however it is written.

        None unless there is nothing else in it but numbers, operators, and calls of elementwise functions given their
        operands alone (no cast, view or detached part); and unless each operand stands here, or may be evaluated here
        as well as where it does.
        """
        if not isinstance(self.site, ast.expr):
            return None
        return self.read(self.site, self.node, *wanted)

    def read(self, e: ast.expr, node: Node, *wanted: Node) -> list[ast.expr] | None:
        """Like ``operands``, of ``node`` as it is written in ``e``."""
        found: dict[int, list[ast.expr]] = {}
        if not self._read(e, node, {w.key for w in wanted}, found):
            return None
        chosen = [next((e for e in found.get(w.key, ()) if self._usable(e)), None) for w in wanted]
        return None if None in chosen else cast(list[ast.expr], chosen)

    def _read(self, e: ast.expr, node: Node, wanted: set[int], found: dict[int, list[ast.expr]]) -> bool:
        """Whether ``e`` is ``node`` and consists of wanted parts and plain ones; notes where the wanted parts are."""
        if node.key in wanted:
            found.setdefault(node.key, []).append(e)
            return True
        if node.op == CONST:
            return True
        e, node = self.resolved(e), unrefined(node)
        if node.key in wanted or node.op == CONST:
            return self._read(e, node, wanted, found)
        known = OPS.get(node.op)
        if node.site is not e or known is None or known.view or known.stops_gradient:
            return False
        if not (known.pointwise and known.pure):
            return False
        if node.op in ("cast", "identity"):
            return False
        if isinstance(e, ast.BinOp) and type(e.op) in BINARY:
            op, *names = BINARY[type(e.op)]
            parts = dict(zip(names, (e.left, e.right), strict=True))
            return node.op == op and all(self._read(parts[n], node[n], wanted, found) for n in names)
        if isinstance(e, ast.UnaryOp) and node.op == "neg":
            return self._read(e.operand, node["x"], wanted, found)
        written = self.at(node).written(node)
        if written is None or not written.only(*node.args):
            return False
        given = {name: written.operand(name) for name in node.args}
        return all(part is not None and self._read(part, node[n], wanted, found) for n, part in given.items())

    def _usable(self, e: ast.expr) -> bool:
        """Whether an expression may be written in the finding's place."""
        if e is self.site or any(parent is self.site for parent, _ in self.file.outline.above(e)):
            return True
        return self.means_the_same(e, self.site) and (isinstance(e, ast.Name) or self.cheap(e))

    def pure(self, e: ast.expr) -> bool:
        """Whether evaluating an expression has no effect and no chance in it."""
        for part in ast.walk(e):
            if isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda, ast.JoinedStr)):
                return False
            if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Starred)):
                return False
            if isinstance(part, ast.Call) and not self.file.is_pure(part):
                return False
        return True

    def pure_statement(self, statement: ast.stmt) -> bool:
        """Whether a statement does nothing but assign pure expressions."""
        parts = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]
        return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Pass)) and all(self.pure(part) for part in parts)

    def cheap(self, e: ast.expr) -> bool:
        """Whether a pure expression may as well be written and computed twice."""
        if len(self.text(e)) > SHORT or "\n" in self.text(e):
            return False
        if any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult) for part in ast.walk(e)):
            return False
        calls = [part for part in ast.walk(e) if isinstance(part, ast.Call)]
        ops = [n.op for call in calls for n in self.file.nodes_at.get(id(call), ()) if n.op != REFINE]
        return all(op in _CHEAP_OTHERS or OPS[op].pointwise or OPS[op].view for op in ops)

    def is_tensor(self, node: Node, depth: int = 0) -> bool | None:
        """Whether a value is a tensor or array (as against a Python number); None where it cannot be told."""
        node = unrefined(node)
        kind = self.facts.value(node).kind
        if kind is not Kind.ANY or depth > 20:
            return None if kind is Kind.ANY else kind is Kind.TENSOR
        if node.op in (PHI, LOOP):
            found = [self.is_tensor(node[k], depth + 1) for k in ("a", "b", "pre", "back") if k in node.args]
            return False if False in found else None if None in found else True
        if node.op in ("item", "size") or node.framework == "math":
            return False
        if node.op not in OPS:
            return None
        if node.framework not in (None, "builtins"):
            return True
        found = [self.is_tensor(a, depth + 1) for name, a in node.args.items() if name not in ("cond", "index", "axis")]
        return True if True in found else None if None in found or not found else False

    def repeatable(self, e: ast.expr) -> bool:
        """Whether nobody minds reading an expression twice in a line: a variable, or arithmetic on a few."""
        return self.pure(e) and self.cheap(e) and not any(isinstance(part, ast.Call) for part in ast.walk(e))

    def means_the_same(self, e: ast.expr, at: ast.AST) -> bool:
        """Whether an expression that is evaluated elsewhere may be evaluated again at a place instead.

        It has no effect, every name in it is looked up in the same scope, and nothing that may run in between
        rebinds or changes one.
        """
        outline = self.file.outline
        if not self.pure(e) or outline.function(e) is not outline.function(at):
            return False
        names = [n for n in ast.walk(e) if isinstance(n, ast.Name)]
        for name in names:
            here, there = outline.binding(name.id, at), outline.binding(name.id, e)
            if (here and here[0]) is not (there and there[0]):
                return False
        regions = self._between(e, at)
        if regions is None:
            return False
        for region in regions:
            if any(outline.changes(region, n.id) for n in names if self.file.imports.means(n.id, n) is None):
                return False
            for attribute in (a for a in ast.walk(e) if isinstance(a, ast.Attribute)):
                root = root_of(attribute)
                if (
                    root
                    and self.file.imports.dotted(attribute) is None
                    and outline.changes_attribute(region, root, attribute.attr)
                ):
                    # A method of the variable itself is no attribute of an object.
                    called = outline.parents.get(attribute)
                    if not (isinstance(called, ast.Call) and called.func is attribute):
                        return False
        return self._same_values(names, e, at)

    def _between(self, e: ast.expr, at: ast.AST) -> list[ast.AST] | None:
        """Everything that may run between two expressions of one function, whichever comes first."""
        outline = self.file.outline
        first, second = outline.statement(e), outline.statement(at)
        if first is None or second is None:
            return None
        if first is second:
            return outline.between(first, at)
        forward = outline.between(first, at)
        if forward is not None:
            return [first, *forward]
        backward = outline.between(second, e)
        return [second, *backward] if backward is not None else None

    def _same_values(self, names: Iterable[ast.Name], e: ast.AST, at: ast.AST) -> bool:
        """Where the graph kept the variables of both places, it must agree."""
        here, there = self._env(at), self._env(e)
        if here is None or there is None:
            return True
        pairs = ((here.get(n.id), there.get(n.id)) for n in names)
        return all(a is None or b is None or a.key == b.key for a, b in pairs)

    def is_changed_in_place(self, *operands: ast.expr) -> bool:
        """Whether the result may be changed in place afterwards, or what one of the operands reads.

        PyTorch refuses that of a result that its own gradient is computed from, as those of softmax, log_softmax,
        logsumexp, sigmoid, tanh, exp, expm1 and sqrt are; of a quotient or a logarithm it does not.
        """
        outline, site = self.file.outline, self.site
        parent = outline.parents.get(site)
        if isinstance(parent, ast.Attribute) and parent.attr.endswith("_"):
            return True
        read = (n for e in operands for n in ast.walk(e) if isinstance(n, ast.Name))
        names = {n.id for n in read if self.file.imports.means(n.id, n) is None}
        if isinstance(site, ast.AugAssign):
            names.add(root_of(site.target))
        elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            names.add(parent.targets[0].id)
        statements = ast.walk(outline.function(site)) if names else ()
        return any(
            outline.changes_in_place(statement, name)
            for statement in statements
            if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) and statement is not site
            for name in names
        )

    def _env(self, e: ast.AST) -> Mapping[object, Node] | None:
        for node in self.file.nodes_at.get(id(e), ()):
            if node.env is not None and node.calls == self.node.calls:
                return node.env
        return None

    # Spelling

    def spell(self, function: str, *, from_module: str | None = None) -> str | None:
        """How the file writes a function (by dotted name) here; notes the import that has to be added for it."""
        found: Spelled | None = self.file.imports.spell(
            function, self.site, compat=self.compat, from_module=from_module
        )
        if found is None:
            return None
        self.added.extend(found.edits)
        return found.text

    def imports(self, package: str) -> bool:
        """Whether the file imports anything of a package."""
        return package in self.file.imports.roots

    def comparison(self, e: str, sign: str) -> str | None:
        """``e == 0`` or ``e != 0`` element by element; TensorFlow 1 compares identities with ``==``."""
        if self.framework == "tensorflow" and sign in ("==", "!="):
            function = self.spell("tensorflow.equal" if sign == "==" else "tensorflow.not_equal")
            return f"{function}({e}, 0)" if function else None
        return f"{e} {sign} 0"

    def selection(self, cond: str, a: str, b: str, like: str) -> str | None:
        """``where(cond, a, b)`` in the framework; a number among a and b takes the shape and dtype of ``like``.

        PyTorch (since 1.12), JAX, NumPy and Keras take a Python number as it is and keep the tensor's dtype. TensorFlow
        makes float32 of it, and TensorFlow 1 wants equal shapes: there it becomes ``ones_like`` or ``zeros_like``.
        """
        function = self.spell(WHERE.get(self.framework, ""))
        if function is None:
            return None
        if self.framework == "tensorflow":
            tensors = [self._like(x, like) if re.fullmatch(r"[01]\.0", x) else x for x in (a, b)]
            if None in tensors:
                return None
            a, b = cast(list[str], tensors)
        return f"{function}({cond}, {a}, {b})"

    def _loosens(self, node: ast.AST, text: str) -> bool:
        """Whether text binds less tightly than the expression in whose place it comes, and that is an operand there."""
        parent = self.file.outline.parents.get(node)
        operand = isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Await, ast.Compare))
        operand = operand or (isinstance(parent, ast.Call) and parent.func is node)
        return operand and isinstance(node, ast.expr) and _binding(_parsed(text)) < _binding(node)

    def _like(self, number: str, like: str) -> str | None:
        function = self.spell("tensorflow.ones_like" if number == "1.0" else "tensorflow.zeros_like")
        return f"{function}({like})" if function else None

    # Writing

    def hoisted(self, e: ast.expr, *names: str) -> tuple[str, Edit] | None:
        """A new variable that holds an expression, assigned just before the statement it is in; the first free name.

        Only where that evaluates the expression once, as before, and not after anything it might have to come before.
        """
        outline = self.file.outline
        statement = outline.statement(e)
        if not isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
        ) or not self._leads(statement):
            return None
        path = [e, *(parent for parent, _ in outline.above(e))]
        for part in path[: path.index(statement)]:
            if not isinstance(part, ast.expr | ast.keyword) or isinstance(
                part, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr)
            ):
                return None
            if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await)):
                return None
        inside = {id(n) for n in ast.walk(e)}
        others = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and id(n) not in inside and n not in path]
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(statement)):
            return None
        if not self.pure(e) and not all(self.file.is_pure(n) for n in others):
            return None
        name = next((n for n in names if not outline.mentions(n, outline.function(e))), None)
        if name is None:
            return None
        span, text = self.span(statement), self.argument(e)
        line = self.file.source.lines[span.row - 1]
        indent = line[: span.column - 1]
        value = f"({text})" if "\n" in text and not self._bracketed(e) else text
        return name, Edit(Span(span.row, span.column, span.row, span.column), f"{name} = {value}\n{indent}")

    def _bracketed(self, e: ast.expr) -> bool:
        """Whether an expression over several lines is one token of brackets after another on its own."""
        try:
            ast.parse(f"_ = {self.text(e)}")
        except SyntaxError:
            return False
        return True

    def _leads(self, statement: ast.stmt) -> bool:
        """Whether a statement begins its line."""
        span = self.span(statement)
        line = self.file.source.lines[span.row - 1]
        continued = span.row > 1 and self.file.source.lines[span.row - 2].rstrip("\r\n").endswith("\\")
        return not line[: span.column - 1].strip() and not continued

    def fix(self, applicability: Applicability, edits: Iterable[Edit], shown: str, message: str = "") -> Fix | None:
        """The finished fix; without edits, for display, where they would lose a comment."""
        listed = sorted({*edits, *self.added}, key=lambda edit: edit.span)
        message = message or f"replace with `{one_line(shown)}`"
        written = "".join(edit.content for edit in listed)
        lost = (comment for edit in listed for comment in comments(self.file.source.segment(edit.span)))
        if any(comment not in written for comment in lost):
            return display(shown, message)
        return Fix(applicability, message, tuple(listed), one_line(shown))

    def after(self, edits: Iterable[Edit]) -> str:
        """The expression of the finding as it is after edits, for reading."""
        span, text, start = self.span(self.site), self.text(self.site), self.file.source.offset
        first = start(span.row, span.column)
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            a, b = start(edit.span.row, edit.span.column), start(edit.span.end_row, edit.span.end_column)
            if first <= a and b <= first + len(text):
                text = text[: a - first] + edit.content + text[b - first :]
        return text

    def also_given(self, call: ast.Call, argument: str) -> Edit:
        """One more argument at the end of a call."""
        last = max((self.span(a) for a in (*call.args, *(k.value for k in call.keywords))), default=None)
        if last is not None:
            return Edit(Span(last.end_row, last.end_column, last.end_row, last.end_column), f", {argument}")
        end = self.span(call)
        return Edit(Span(end.end_row, end.end_column - 1, end.end_row, end.end_column - 1), argument)

    def put(self, node: ast.AST, text: str) -> Edit:
        """``text`` in the place of an expression, without parentheses around it that a call no longer needs."""
        span, tree = self.span(node), self.lossless(node)
        if self._loosens(node, text) and isinstance(tree, cst.BaseExpression) and not tree.lpar:
            return Edit(span, f"({text})")
        alone = isinstance(tree, cst.BaseExpression) and len(tree.lpar) == 1 and not isinstance(tree, _PRIMARY)
        line = self.file.source.lines[span.row - 1]
        before, after = line[: span.column - 1], line[span.end_column - 1 :]
        if not alone or span.row != span.end_row or not _is_call(text) or not before.endswith("(") or after[:1] != ")":
            return Edit(span, text)
        if before[-2:-1].isidentifier() or after[1:2].isidentifier() or before[-2:-1] in (")", "]", "'", '"'):
            return Edit(span, text)
        return Edit(Span(span.row, span.column - 1, span.end_row, span.end_column + 1), text)


def _leads_with_minus(e: ast.expr) -> bool:
    """Whether an expression is a product that begins with a minus sign: the minus of all of it."""
    while isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Mult, ast.Div)):
        e = e.left
    return isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub)


def _parsed(text: str) -> ast.expr | None:
    """Text as an expression; None for one in parentheses, or over several lines without."""
    try:
        parsed = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return None if text.startswith("(") and parsed.col_offset else parsed


def _binding(e: ast.expr | None) -> int:
    """How tightly an expression binds: 0 for a sum, the most for what needs no parentheses anywhere."""
    if isinstance(e, ast.BinOp):
        return 0 if isinstance(e.op, (ast.Add, ast.Sub)) else 3 if isinstance(e.op, ast.Pow) else 1
    return 2 if isinstance(e, ast.UnaryOp) else 4


def _is_call(text: str) -> bool:
    """Whether text on one line binds as tightly as a call."""
    try:
        return "\n" not in text and isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except SyntaxError:
        return False


def display(shown: str, message: str = "") -> Fix:
    """A fix that needs a person: only what it would look like."""
    return Fix(Applicability.DISPLAY, message or f"consider `{one_line(shown)}`", (), one_line(shown))


def unrefined(node: Node) -> Node:
    """The node behind what the path taken knows of it."""
    while node.op == REFINE:
        node = node["x"]
    return node


def one_line(text: str) -> str:
    """Text over several lines on one, without its comments."""
    if "\n" not in text and "\r" not in text:
        return text
    for comment in comments(text):
        text = text.replace(comment, "")
    text = " ".join(text.split())
    return re.sub(r",? (?=[)\]}])", "", re.sub(r"(?<=[(\[{]) ", "", text))


def comments(text: str) -> list[str]:
    """The comments in a piece of source."""
    if "#" not in text:
        return []
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        # A piece may end inside brackets: what was read until then counts.
        pass
    return found


def is_number(e: ast.AST | None, *numbers: float) -> TypeGuard[ast.Constant]:
    """Whether an expression is one of these literal numbers."""
    return isinstance(e, ast.Constant) and type(e.value) in (int, float) and e.value in numbers


def _bound(spelling: Spelling, call: ast.Call, receiver: ast.expr | None) -> dict[str, ast.expr] | None:
    found: dict[str, ast.expr] = {}
    positional = [*([receiver] if receiver is not None else []), *call.args]
    for position, value in enumerate(positional):
        parameter = spelling.parameter(position)
        if parameter is None or parameter.startswith("*"):
            return None
        found[parameter] = value
    for keyword in call.keywords:
        name = cast(str, keyword.arg)
        found[spelling.aliases.get(name, name)] = keyword.value
    return found


WHERE = {
    "torch": "torch.where",
    "tensorflow": "tensorflow.where",
    "jax": "jax.numpy.where",
    "numpy": "numpy.where",
    "scipy": "numpy.where",
    "keras": "keras.ops.where",
}

__all__ = ["SHORT", "File", "Place", "Written", "comments", "display", "is_number", "one_line", "same", "unrefined"]
