"""Functions of the program: as values, and their bodies lowered for a call."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from nanlint.frontend.cli_models import DECORATING, keyword, option_name, size_of_options
from nanlint.frontend.frames import ClassInfo, Frame, FunctionAst, kept
from nanlint.frontend.modules import ModuleFrame, computes, size_of
from nanlint.frontend.nodes import written_out
from nanlint.frontend.part import Part
from nanlint.frontend.settings import settles
from nanlint.frontend.syntax import filled_in_place, is_literal_true, last_name, mentioned, positional
from nanlint.graph.conditions import parting
from nanlint.graph.node import FUNCTION, INSTANCE, LOOP, MODULE, RETURNED, TUPLE, Node, Region
from nanlint.graph.path import Comparisons, Known, PathCondition, common
from nanlint.ops.contracts import OF_THE_SUPPORT
from nanlint.ops.frameworks import COMPILES

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


#: methods that take the rule of a derivative, and which of the rule's parameters holds tangents: only a function of
#: these is differentiated with the rule (transposed), what stands beside them has but second derivatives
DERIVATIVE_RULES: dict[str, int | None] = {"defjvp": -1, "defjvps": 0, "defvjp": None}
#: inlining stops at this many calls deep, and once the graph of one function has grown to this many nodes
MAX_DEPTH = 8
MAX_NODES = 2_500
#: the same for what stands in other files
MAX_NODES_ELSEWHERE = 300
#: pieces of syntax of a function in another file that is looked into: some 40 lines, without the options of a parser
MAX_SIZE = 400
#: the same of one that computes nothing, and names no framework
MAX_PLAIN = 60
#: checks further on that are known to have passed, the nearest ones
MAX_CHECKS = 20


class Functions(Part):
    """Functions of the program: as values, and their bodies lowered for a call."""

    def __init__(self, lowering: Lowering) -> None:
        super().__init__(lowering)
        #: nodes of this file, and of others, beyond which the function being lowered is not expanded further
        self.budget = MAX_NODES, MAX_NODES_ELSEWHERE
        #: definitions that were lowered for themselves, or inlined somewhere
        self.done: set[int] = set()
        self.inlined: set[int] = set()
        #: definition and the frame it is closed over -> what its decorators make of it
        self.wrappers: dict[tuple[FunctionAst, Frame | None], Node | None] = {}

    def function_value(self, e: Any) -> Node:
        """A lambda or def as a value, closed over the current frame."""
        node = self.graph.add(
            FUNCTION,
            {},
            {"definition": e, "frame": self.frame, "name": getattr(e, "name", "<lambda>")},
            e,
            pure=False,
        )
        if self.frame.top is self.module:
            self.lowering.deferred.append((node, self.frame))
        return node

    def method_value(self, cls: ClassInfo, definition: Any, this: Node | None) -> Node:
        """A method bound to ``this`` (None for a static one)."""
        decorators = {last_name(d) for d in definition.decorator_list}
        attrs = {"definition": definition, "frame": cls.scope, "name": definition.name, "cls": cls}
        if "staticmethod" not in decorators and this is not None:
            attrs["this"] = this
        return self.graph.add(FUNCTION, {}, attrs, definition, pure=False)

    def option_of(self, function: Node, arg: ast.arg) -> Node | None:
        """The default that a decorator of a program's function gives to one of its parameters."""
        for decorator in getattr(function.attrs["definition"], "decorator_list", ()):
            default = keyword(decorator, "default") if isinstance(decorator, ast.Call) else None
            if default is not None and option_name(decorator) == arg.arg:
                head = self.in_frame(function.attrs["frame"], decorator.func)
                if head.op == MODULE and self.lowering.builder.dotted(head) in DECORATING:
                    return self.in_frame(function.attrs["frame"], default)
        return None

    def decorator_regions(self, definition: FunctionAst) -> tuple[Region, ...]:
        """Regions that decorators open: no gradient, or a gradient written by hand."""
        found = []
        for d in getattr(definition, "decorator_list", ()):
            last = last_name(d)
            if last in DERIVATIVE_RULES:
                found.append(Region("derivative_rule", definition, {"tangents": DERIVATIVE_RULES[last]}))
            elif isinstance(d, ast.Call) and any(k.arg in COMPILES and is_literal_true(k.value) for k in d.keywords):
                found.append(Region("xla", definition))
            elif (kind := self.region_kind(d)) == "half":
                found.append(
                    Region("half", definition, self.lowering.statements.precision(self.in_frame(self.module, d)))
                )
            elif kind in ("no_grad", "custom_gradient") or (kind == "errstate" and settles(d)):
                found.append(Region(kind, definition))
        return tuple(found)

    def region_kind(self, decorator: ast.expr) -> str:
        """The kind of region that a decorator opens, called or not, or given to ``partial``; "" if it opens none."""
        e: ast.expr = decorator
        while isinstance(e, ast.Call):
            wrapped = last_name(e) == "partial" and e.args
            e = e.args[0] if wrapped else e.func
        head = self.in_frame(self.module, e) if isinstance(e, ast.Name | ast.Attribute) else None
        known = (
            self.spellings.control(self.lowering.builder.dotted(head))
            if head is not None and head.op == MODULE
            else None
        )
        return str(known.literals.get("kind", "")) if known is not None else ""

    def inline(self, function: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """The result of calling a function of this file: its body lowered with these arguments."""
        spelling = self.lowering.operations.own(function, args, keywords)
        if spelling is not None:
            return self.lowering.operations.spell(spelling, args, keywords, e)
        definition: FunctionAst = function.attrs["definition"]
        wrapper = self.decorated(function)
        if wrapper is not None:
            this = function.attrs.get("this")
            return self.lowering.calls.apply(wrapper, [*([this] if this is not None else []), *args], keywords, e)
        self.inlined.add(id(definition))
        frame: Frame | None = self.frame
        while frame is not None and frame.function is not definition:
            frame = frame.caller
        too_deep = self.frame.depth >= MAX_DEPTH or self.spent(definition)
        if frame is not None or too_deep:
            self.lowering.scopes.escape_unused(function.attrs["frame"])
            self.lowering.scopes.invalidate_buffers([*args, *keywords.values()], e)
            result = self.lowering.builder.unknown(
                e, *args, *keywords.values(), name=str(function.attrs.get("name", ""))
            )
            if frame is not None and not args and not keywords:
                result.attrs["again"] = True
            names = [arg.arg for arg in (*definition.args.posonlyargs, *definition.args.args)]
            mine = names[function.attrs.get("this") is not None :]
            for name, arg in (*zip(mine, args, strict=False), *keywords.items()):
                if name in filled_in_place(definition):
                    self.lowering.scopes.rebind(arg, self.lowering.builder.emit("stored", e, a=arg, b=result))
            return result
        self.lowering.given.update(arg.index for arg in (*args, *keywords.values()))
        activation = self.lowering.parameters.activation(function, args, keywords, e)
        given = activation.env.copy()
        result = self.run_function(activation, definition, e)
        for name in filled_in_place(definition):
            before, after = given.get(name), activation.env.get(name)
            if before is not None and after is not None and after is not before:
                self.lowering.scopes.rebind(before, after)
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
                made = self.lowering.calls.apply(self.in_frame(frame, decorator), [made], {}, decorator)
        return made

    def decorator(self, decorator: ast.expr, frame: Frame | None) -> Node | None:
        """The function of the project that a decorator is, or calls; None for any other."""
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = self.in_frame(frame, head) if isinstance(head, ast.Name | ast.Attribute) else None
        return found if found is not None and found.op == FUNCTION else None

    def sizes(self) -> tuple[int, int]:
        """How many nodes of this file there are, and of others."""
        return len(self.graph.nodes) - self.graph.external, self.graph.external

    def begin(self) -> tuple[int, int]:
        """Give what is lowered next a budget of its own; what was left of the one before."""
        here, elsewhere = self.sizes()
        left = self.budget[0] - here, self.budget[1] - elsewhere
        self.budget = here + MAX_NODES, elsewhere + MAX_NODES_ELSEWHERE
        return left

    def resume(self, left: tuple[int, int]) -> None:
        """Go on with what was left of a budget."""
        here, elsewhere = self.sizes()
        self.budget = here + left[0], elsewhere + left[1]

    def spent(self, definition: ast.AST) -> bool:
        """Whether the function being lowered is not expanded any further by a definition of this or another file."""
        here, elsewhere = self.sizes()
        if (path := self.graph.file_of(definition)) is None:
            return here > self.budget[0]
        home = self.lowering.modules.get(path)
        named = home.outline.of_frameworks if isinstance(home, ModuleFrame) else ()
        if size_of(definition) > MAX_PLAIN and mentioned(definition).isdisjoint(named) and not computes(definition):
            return True
        return elsewhere > self.budget[1] or size_of(definition) - size_of_options(definition) > MAX_SIZE

    def run_function(self, frame: Frame, definition: FunctionAst, e: ast.AST) -> Node:
        """Lower a body in a frame; the join of what it returns."""
        if isinstance(definition, ast.Lambda):
            return self.within(frame, definition.body)
        start = len(self.graph.nodes)
        self.run(frame, definition.body)
        self.backdate_checks(frame.checks, self.graph.nodes[start:])
        self.resume_after_call(frame)
        if frame.depth:
            # what a method leaves on its object meets the caller, and no method that is lowered for itself
            self.frame.env.update({name: node for name, node in frame.env.items() if isinstance(name, tuple)})
        for name, owner in frame.declared.items():
            if name in frame.env and frame.depth:
                owner.env[name] = frame.env[name]
        if frame.yields:
            each = frame.yields[0]
            for other in frame.yields[1:]:
                each = self.lowering.builder.merge(None, each, other, e)
            managed = {last_name(d) for d in definition.decorator_list} & {"contextmanager", "asynccontextmanager"}
            return each if managed else self.lowering.builder.emit("list", e, pure=False, each=each)
        if not frame.returns:
            return self.lowering.builder.unknown(e)
        *earlier, (result, facts) = self.unrolled(frame.returns)
        for other, on_the_way in reversed(earlier):
            parted = parting(on_the_way, facts)
            if parted is None:
                result = self.lowering.builder.join_results(None, other, result, e)
            elif parted[1]:
                result = self.lowering.builder.join_results(parted[0], other, result, e)
            else:
                result = self.lowering.builder.join_results(parted[0], result, other, e)
            facts = common((on_the_way, facts))
        return result

    def backdate_checks(self, checks: list[tuple[int, Known]], nodes: Sequence[Node]) -> None:
        """Let what each check says hold for the nodes of its function before it; what a loop carries changes in it."""
        looping = next((n.index for n in nodes if n.op == LOOP), len(self.graph.nodes))
        checks = [check for check in checks if check[0] <= looping]
        nearest: deque[Known] = deque(maxlen=MAX_CHECKS)
        said: dict[int, Comparisons] = {}
        #: by identity, with the facts themselves, so that they live as long as their number is used
        merged: dict[int, tuple[object, PathCondition]] = {}
        for node in reversed(nodes[: checks[-1][0] - nodes[0].index] if checks and nodes else ()):
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

    def resume_after_call(self, frame: Frame) -> None:
        """What holds wherever a function returns holds behind its call; one that cannot return ends the path.

        What decorators make of a function may return all the same: one that others are registered with, say.
        """
        if not frame.depth or frame.yields:
            return
        if frame.facts_behind is not None:
            self.frame.facts = self.frame.facts.overridden(frame.facts_behind)
        elif frame.this is None and not getattr(frame.function, "decorator_list", ()):
            self.frame.live = False

    def within(self, frame: Frame, e: ast.expr) -> Node:
        """An expression lowered in another frame."""
        frame.caller = self.frame
        with kept(self.lowering, "frame"):
            self.lowering.frame = frame
            return self.lowering.expressions.lower(e)

    def in_frame(self, frame: Frame | None, e: ast.expr) -> Node:
        return self.within(Frame(parent=frame, depth=self.frame.depth + 1), e)

    def run(self, frame: Frame, body: Sequence[ast.stmt]) -> None:
        if not isinstance(frame, ModuleFrame):
            # the top level of another file is the same whoever asks for it
            frame.caller = self.frame
        with kept(self.lowering, "frame"):
            self.lowering.frame = frame
            self.lowering.statements.block(body)

    def standalone(self, function: Node) -> None:
        """A function for itself, with unknown arguments; once."""
        definition = function.attrs["definition"]
        if id(definition) in self.done:
            return
        self.done.add(id(definition))
        self.begin()
        with kept(self.lowering, "frame"):
            self.lowering.frame = function.attrs["frame"] or self.module
            frame = self.lowering.parameters.activation(function, [], {}, definition, bare=True)
            frame.depth = 0
            self.assume_support(frame)
            wrapper = self.decorated(function)
            if wrapper is not None:
                given = [frame.env[name] for name in positional(definition)]
                result = self.lowering.calls.apply(wrapper, given, {}, definition)
            if wrapper is None or id(definition) not in self.inlined:
                result = self.run_function(frame, definition, definition)
            for returned in (result, *(value for value, _ in frame.returns)):
                self.lowering.builder.escape(returned, RETURNED)

    def methods_by_themselves(self, wanted: Collection[ast.AST]) -> Iterator[Node]:
        """Lower the methods of the file that are wanted, each for itself; those that are private are handed back."""
        for cls in [cls for cls in self.lowering.defined_classes if self.graph.file_of(cls.definition) is None]:
            methods = [method for method in cls.methods.values() if method in wanted]
            if not methods:
                continue
            this = self.graph.add(INSTANCE, {}, {"cls": cls, "name": "self"}, cls.definition, pure=False)
            for method in methods:
                bound = self.method_value(cls, method, this)
                if method.name.startswith("_") and not method.name.startswith("__"):
                    yield bound
                else:
                    self.standalone(bound)

    def assume_support(self, frame: Frame) -> None:
        """The argument of a distribution's density is one of its values."""
        definition, cls = frame.function, frame.cls
        if cls is None or not isinstance(definition, ast.FunctionDef) or definition.name not in OF_THE_SUPPORT:
            return
        support, parameters = cls.constant("support"), definition.args.args[1:]
        if support is not None and len(parameters) == 1:
            argument = parameters[0]
            frame.env[argument.arg] = self.lowering.classes.constrained(*support, frame.env[argument.arg], argument)
