"""Arguments to parameters: what a function is given, and what its annotations and defaults say."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nanlint.frontend.frames import ClassInfo, Frame, FunctionAst
from nanlint.frontend.nodes import is_array_class
from nanlint.frontend.part import Part
from nanlint.frontend.syntax import given_type, last_name, take_type, type_in
from nanlint.graph.node import CLASS, DICT, INSTANCE, MODULE, PARAM, TUPLE, Node
from nanlint.graph.path import NOTHING
from nanlint.ops.frameworks import ARRAYS, canonical


class Parameters(Part):
    """Arguments to parameters: what a function is given, and what its annotations and defaults say."""

    def parameter(self, name: str, annotation: ast.expr | None, default: Node | None, site: ast.AST) -> Node:
        """A value that comes from outside."""
        args = {"default": default} if default is not None else {}
        made = self.graph.add(
            PARAM,
            args,
            {"name": name, "annotation": last_name(given_type(annotation)) if annotation is not None else ""},
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
        cls = self.lowering.functions.in_frame(scope, annotation)
        if cls.op != CLASS:
            return None
        if any(base.endswith("Protocol") or is_array_class(base) for base in cls.attrs["cls"].external_bases()):
            return None
        return self.graph.add(INSTANCE, {}, {"cls": cls.attrs["cls"], "name": arg.arg, "given": True}, arg, pure=False)

    def not_given(self, function: Node, arg: ast.arg, default: ast.expr | None, *, by_default: bool) -> Node:
        """A parameter that a call does not give; ``by_default``: it is its default then, where it has one."""
        enclosing: Frame = function.attrs["frame"]
        node = self.lowering.functions.in_frame(enclosing, default) if default is not None else None
        if node is not None and by_default:
            return node
        if node is None and (made_of := self.annotated(arg, enclosing)) is not None:
            return made_of
        hint = node or self.lowering.functions.option_of(function, arg)
        found = self.parameter(arg.arg, arg.annotation, hint, arg)
        cls: ClassInfo | None = function.attrs.get("cls")
        found.attrs["of"] = (function.attrs["definition"], cls.definition if cls is not None else None)
        return found

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
                *self.lowering.functions.decorator_regions(definition),
                *self.lowering.classes.class_regions(function),
                *(self.lowering.builder.computing_in(this.attrs.get("format"), this.site) if this is not None else ()),
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
        defaults = dict(zip([arg.arg for arg in reversed(names)], reversed(a.defaults), strict=False))
        defaults |= {arg.arg: e for arg, e in zip(a.kwonlyargs, a.kw_defaults, strict=True) if e is not None}
        spread = any(k.startswith("**") for k in keywords)
        made = function.attrs.get("name") != "__init__" or (this is not None and "init" in this.attrs)
        for i, arg in enumerate([*names, *a.kwonlyargs]):
            given = positional[i] if i < len(positional) and i < len(names) else keywords.get(arg.arg)
            if given is not None:
                frame.env[arg.arg] = given
                take_type(given, arg, defaults.get(arg.arg))
            else:
                by_default = not bare and not spread and made
                frame.env[arg.arg] = self.not_given(function, arg, defaults.get(arg.arg), by_default=by_default)
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
                self.lowering.builder.emit(
                    DICT, e, args={k if k.startswith("**") else f"={k!r}": n for k, n in rest_by_name.items()}
                )
                if not bare
                else self.parameter(a.kwarg.arg, None, None, a.kwarg)
            )
        return frame
