"""Classes and objects of the program: members, fields, constructors."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nanlint.frontend.frames import ClassInfo, Frame
from nanlint.frontend.functions import MAX_DEPTH
from nanlint.frontend.modules import descendants
from nanlint.frontend.nodes import FRESH
from nanlint.frontend.part import Part
from nanlint.frontend.syntax import CONSTRUCTORS, default_of, is_class_method, last_name
from nanlint.graph.node import CLASS, CONST, DICT, FUNCTION, INSTANCE, KEPT, LAYER, MODULE, PARAM, TUPLE, Node, Region
from nanlint.graph.path import NOTHING
from nanlint.ops.contracts import CONSTRAINTS
from nanlint.ops.frameworks import canonical
from nanlint.ops.frameworks.training import UNDIFFERENTIATED_BASES


class Classes(Part):
    """Classes and objects of the program: members, fields, constructors."""

    def class_member(self, base: Node, name: str) -> Node | None:
        """A constant or a method of a class, as the class itself has it."""
        cls: ClassInfo = base.attrs["cls"]
        for c in cls.mro():
            if name in c.constants:
                return self.constant_of(c, name)
            if name in c.methods:
                return self.lowering.functions.method_value(
                    c, c.methods[name], base if is_class_method(c.methods[name]) else None
                )
        return None

    def constant_of(self, cls: ClassInfo, name: str) -> Node:
        """What the body of a class assigns to a name: a table is one and the same for all who use it."""
        if name not in cls.tables:
            made = self.lowering.functions.in_frame(cls.scope, cls.constants[name])
            if made.op != DICT:
                return made
            cls.tables[name] = made
        return cls.tables[name]

    def member(self, instance: Node, name: str, site: ast.AST) -> Node | None:
        """Attribute of an object of a class of this file: a field of ``__init__``, a property, a method, a constant."""
        cls: ClassInfo = instance.attrs["cls"]
        method = cls.method(name)
        if method is not None:
            owner, definition = method
            bound = self.lowering.functions.method_value(owner, definition, instance)
            if {last_name(d) for d in definition.decorator_list} & {"property", "cached_property", "lazy_property"}:
                return self.lowering.functions.inline(bound, [], {}, site)
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
            self.frame.facts = self.lowering.builder.known_of(instance).overridden(self.frame.facts)
            return self.with_declared_constraint(cls, name, self.lowering.builder.refined(found), site)
        constant = cls.constant(name)
        return self.constant_of(constant[0], name) if constant is not None else None

    def with_declared_constraint(self, cls: ClassInfo, name: str, found: Node, site: ast.AST) -> Node:
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
        op = CONSTRAINTS.get(self.lowering.builder.dotted(self.lowering.functions.in_frame(owner.scope, constraint)))
        return self.lowering.builder.emit(op, site, x=x) if op is not None else x

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
            if method is None or self.frame.depth > MAX_DEPTH or self.lowering.functions.spent(method[1]):
                continue
            owner, definition = method
            bound = self.lowering.functions.method_value(owner, definition, instance)
            given = instance.attrs.get("init", ([], {})) if name == "__init__" else ([], {})
            frame = self.lowering.parameters.activation(bound, given[0], given[1], definition)
            self.lowering.functions.run(frame, definition.body)
            instance.attrs["facts"] = self.lowering.builder.known_of(instance).overridden(frame.facts_behind or NOTHING)
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
                if not isinstance(s, ast.AnnAssign) or last_name(s.annotation) == "ClassVar":
                    continue
                if isinstance(s.target, ast.Name):
                    fields[s.target.id] = (c, s)
        for position, (name, (owner, s)) in enumerate(fields.items()):
            default = (
                self.lowering.functions.in_frame(owner.scope, default_of(s.value)) if s.value is not None else None
            )
            if position < len(args):
                found[name] = args[position]
            elif name in keywords:
                found[name] = keywords[name]
            elif made is not None and default is not None and not any(k.startswith("**") for k in keywords):
                found[name] = default
            else:
                found[name] = self.lowering.parameters.parameter(name, s.annotation, default, s)

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
            if (home := self.graph.file_of(e)) is not None:
                made.home = home  # type: ignore[attr-defined]
        base = self.graph.add(MODULE, {}, {"name": "typing.NamedTuple"}, e)
        cls = ClassInfo(definition.name, definition, [base], scope=self.frame)
        return self.graph.add(CLASS, {}, {"cls": cls, "name": cls.name}, e, pure=False)

    def instantiate(self, cls: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """An object of a class of this file. What its constructor raises on is so no more behind it."""
        given = (*args, *keywords.values())
        for node in given:
            self.lowering.builder.escape(node, KEPT)
        made = self.graph.add(
            INSTANCE, {}, {"cls": cls.attrs["cls"], "init": (list(args), dict(keywords))}, e, pure=False
        )
        if cls.attrs["cls"].raises and any(node.op != CONST for node in given):
            self.fields(made)
            self.frame.facts = self.frame.facts.overridden(self.lowering.builder.known_of(made))
        return made

    def class_regions(self, function: Node) -> tuple[Region, ...]:
        """Methods through which nothing is differentiated: an optimizer's, a constraint's, a metric's, a test's."""
        cls: ClassInfo | None = function.attrs.get("cls")
        enclosing: Frame = function.attrs["frame"]
        if id(function.attrs["definition"]) in self.lowering.without_gradient:
            return (Region("no_grad", function.site, {"why": "this works on gradients, and is not differentiated"}),)
        definition = function.attrs["definition"]
        if id(definition) in self.lowering.derivative_rules:
            return (
                Region("derivative_rule", definition, {"tangents": self.lowering.derivative_rules[id(definition)]}),
            )
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
