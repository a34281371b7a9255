"""What is known of the expressions at a place: which calls and operands they are, whether they may stand elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeGuard, TypeVar, cast

from nanlint.analysis.structure import is_field
from nanlint.diagnostic import Span
from nanlint.fixes.file import File
from nanlint.fixes.imports import Imports
from nanlint.fixes.outline import root_of
from nanlint.frontend.syntax import BINARY
from nanlint.graph.node import CONST, LOOP, PHI, REFINE, Node, unrefined
from nanlint.hazards.facts import Facts
from nanlint.ops.frameworks import COMPILERS, canonical
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from nanlint.ops.value import Kind
from nanlint.source.text import Located

Same = TypeVar("Same", bound="Reading")

#: an expression no longer than this may be written twice
SHORT = 40
#: an element no longer than this may be
BRIEF = 12
#: ops that cost about as much as reading their operand
_CHEAP_OTHERS = frozenset({"size", "cast", "identity", "part", "view"})


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
class Reading:
    """The expression of a finding, read: as calls of ops, as operands in whatever way they are written."""

    file: File
    node: Node

    @property
    def facts(self) -> Facts:
        return self.file.facts

    @property
    def site(self) -> ast.AST:
        """The expression (or augmented assignment) of the finding."""
        return cast(ast.AST, self.node.site)

    def at(self: Same, node: Node) -> Same:
        """The place of another op of the same file."""
        return self if node is self.node else replace(self, node=node)

    def span(self, node: ast.AST) -> Span:
        """Where an expression stands, without parentheses around it."""
        return self.file.source.span(cast(Located, node))

    def text(self, node: ast.AST) -> str:
        """The source of an expression as it is written, without parentheses around it."""
        return self.file.source.segment(self.span(node))

    # Calls

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

    def hazardous(self, node: Node) -> ast.expr | None:
        """The operand that an op breaks at, in the source: a denominator, the base of a power, an argument."""
        site = node.site
        if isinstance(site, ast.BinOp):
            return site.left if isinstance(site.op, ast.Pow) else site.right
        if isinstance(site, ast.AugAssign):
            return None if isinstance(site.op, ast.Pow) else site.value
        call = self.written(node)
        return (call.operand("b") or call.operand("x")) if call is not None else None

    def operand_of(self, node: Node, name: str) -> ast.expr | None:
        """An operand of an op as it is written: of an operator by its side, of a call by its name."""
        site = node.site
        if isinstance(site, ast.BinOp) and type(site.op) in BINARY:
            _, left, right = BINARY[type(site.op)]
            return site.left if name == left else site.right if name == right else None
        written = self.at(node).written(node)
        return written.operand(name) if written is not None else None

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

    # Operands

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
        if isinstance(e, ast.BinOp) and (type(e.op) not in BINARY or BINARY[type(e.op)][0] != node.op):
            return False
        if isinstance(e, ast.UnaryOp) and node.op == "neg":
            return self._read(e.operand, node["x"], wanted, found)
        written = self.at(node).written(node)
        if not isinstance(e, ast.BinOp) and (written is None or not written.only(*node.args)):
            return False
        given = {name: self.operand_of(node, name) for name in node.args}
        return all(part is not None and self._read(part, node[n], wanted, found) for n, part in given.items())

    def _usable(self, e: ast.expr) -> bool:
        """Whether an expression may be written in the finding's place."""
        if e is self.site or any(parent is self.site for parent, _ in self.file.outline.above(e)):
            return True
        return self.means_the_same(e, self.site) and (isinstance(e, ast.Name) or self.cheap(e))

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
        if is_field(node):
            # a record holds one thing under one name and another under another
            return None
        if node.op not in OPS:
            return None
        if node.framework not in (None, "builtins"):
            return True
        found = [self.is_tensor(a, depth + 1) for name, a in node.args.items() if name not in ("cond", "index", "axis")]
        return True if True in found else None if None in found or not found else False

    def is_array_of(self, node: Node, framework: str) -> bool:
        """Whether a value is certainly an array that the functions of a framework take, where they may be called."""
        maker = self.facts.maker(node)
        alike = {"scipy": ("numpy",), "tensorflow": ("tensorflow", "keras"), "keras": ("keras", "tensorflow")}
        taken = maker in alike.get(framework, (framework,))
        return taken and self.is_tensor(node) is True and not self.is_compiled

    @cached_property
    def is_compiled(self) -> bool:
        """Whether the function around is compiled by a package that knows a part of Python, and not these functions."""
        return compiled(self.file.imports, self.site)

    # Whether what is evaluated here may be evaluated again, or elsewhere

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

    def repeatable(self, e: ast.expr) -> bool:
        """Whether nobody minds reading an expression twice in a line: a variable, an attribute, an element of one."""
        computed = (ast.Call, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)
        if any(isinstance(part, computed) for part in ast.walk(e)) or not (self.pure(e) and self.cheap(e)):
            return False
        return len(self.text(e)) <= BRIEF or not any(isinstance(part, ast.Subscript) for part in ast.walk(e))

    def means_the_same(self, e: ast.expr, at: ast.AST) -> bool:
        """Whether an expression that is evaluated elsewhere may be evaluated again at a place instead.

        It has no effect, every name in it is looked up in the same scope, and the function changes what none holds.
        Whether a name is bound anew in between is for the graph to say.
        """
        outline = self.file.outline
        if not self.pure(e) or outline.function(e) is not outline.function(at):
            return False
        names = [n for n in ast.walk(e) if isinstance(n, ast.Name)]
        for name in names:
            here, there = outline.binding(name.id, at), outline.binding(name.id, e)
            if (here and here[0]) is not (there and there[0]):
                return False
        own = {n.id for n in names if self.file.imports.means(n.id, n) is None}
        return self.keeps(own, e, at) and self._same_values(names, e, at)

    def keeps(self, names: Collection[str], e: ast.expr, at: ast.AST) -> bool:
        """Whether the function changes nothing that variables hold, nor may others who run between two places."""
        outline = self.file.outline
        changing = outline.changing(outline.function(at))
        if any(outline.changes_in_place(one, name) for one in changing for name in names):
            return False
        others = list(outline.others_between(e, at))
        if not others or self.facts.framework(self.node) in ("jax", "tensorflow"):
            return True
        read = {n.id for n in ast.walk(at) if isinstance(n, ast.Name) and self.file.imports.means(n.id, n) is None}
        handed = any(outline.mentions(name, one) for one in others for name in {*names, *read})
        return not handed and all(self._is_made_here(name, at) for name in names)

    def _is_made_here(self, name: str, at: ast.AST) -> bool:
        """Whether a variable holds what this function computed, and nobody else has."""
        found = self.file.outline.binding(name, at)
        values = [self.file.outline.given(one, name) for one in found[1]] if found is not None else []
        made = [self.file.nodes_at.get(id(value), ()) for value in values]
        return bool(made) and all(
            nodes and all(n.op == REFINE or (n.op in OPS and not OPS[n.op].view) for n in nodes) for nodes in made
        )

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
        changing = outline.changing(outline.function(site)) if names else ()
        return any(outline.changes_in_place(one, name) for one in changing if one is not site for name in names)

    def _env(self, e: ast.AST) -> Mapping[object, Node] | None:
        for node in self.file.nodes_at.get(id(e), ()):
            if node.env is not None and node.calls == self.node.calls:
                return node.env
        return None


def compiled(imports: Imports, e: ast.AST) -> bool:
    """Whether a package that knows a part of Python compiles the function that a piece of syntax is in.

    Its decorator may be defined in another way where the package is not installed.
    """
    around = [f for f in imports.outline.scopes(e) if isinstance(f, ast.FunctionDef)]
    heads = [d.func if isinstance(d, ast.Call) else d for f in around for d in f.decorator_list]
    names = {name.id for head in heads for name in ast.walk(head) if isinstance(name, ast.Name)}
    return any(i.name in names and i.target.partition(".")[0] in COMPILERS for i in imports.all)


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
