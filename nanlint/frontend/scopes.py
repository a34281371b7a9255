"""Variables: what is bound, bound anew, changed in place, joined after branches, forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nanlint.frontend.frames import Env, Frame
from nanlint.frontend.modules import set_by_functions
from nanlint.frontend.nodes import CALLABLE, TENSOR_ATTRIBUTES, alternatives, entry, filled_array, grows, written_out
from nanlint.frontend.part import Part
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DATA,
    DICT,
    GLOBAL,
    INSTANCE,
    KEPT,
    MODULE,
    PHI,
    TUPLE,
    Node,
    reached,
    unrefined,
)
from nanlint.graph.path import PathCondition
from nanlint.ops.frameworks import MUTABLE
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


class Scopes(Part):
    """Variables: what is bound, bound anew, changed in place, joined after branches, forgotten."""

    def __init__(self, lowering: Lowering) -> None:
        super().__init__(lowering)
        #: objects whose attributes are stored to, by key
        self.owners: dict[int, Node] = {}

    def bind(self, target: ast.expr, value: Node, site: ast.AST) -> None:
        """Assign to a name, attribute, item or tuple of them."""
        if isinstance(target, ast.Name):
            if value.op in (CALL, "part") and not value.attrs.get("variable"):
                value.attrs["variable"] = target.id
            self.frame.env[target.id] = value
            if target.id != "_" and (self.frame.parent is None or target.id in self.frame.declared):
                self.lowering.builder.escape(value, GLOBAL)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.bind_tuple(target, value, site)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, self.lowering.builder.unknown(site, value), site)
        elif isinstance(target, ast.Attribute):
            base = self.lowering.expressions.lower(target.value)
            if base.op in OPS and TENSOR_ATTRIBUTES.get(target.attr) == "stop_gradient":
                # the numbers of a tensor, which are written to past the tape: it still is what is learned
                self.bind(target.value, self.lowering.builder.emit("identity", site, x=value, instead_of=base), site)
                return
            self.owners[base.key] = base
            if target.attr == "requires_grad" and base.op in OPS and value.attrs.get("value") is True:
                base.attrs["requires_grad"] = True
            if value.op == CALL and not value.attrs.get("variable"):
                value.attrs["variable"], value.attrs["held"] = target.attr, True
            self.frame.env["field", base.key, target.attr] = value
            self.lowering.builder.escape(value, DATA if TENSOR_ATTRIBUTES.get(target.attr) == "stop_gradient" else KEPT)
            if base.op == INSTANCE and base.attrs.get("fields") is not None and self.frame.function is None:
                base.attrs["fields"][target.attr] = value
        elif isinstance(target, ast.Subscript):
            self.bind_item(target, value)

    def bind_tuple(self, target: ast.Tuple | ast.List, value: Node, site: ast.AST) -> None:
        if (
            value.op == PHI
            and value["a"].op == value["b"].op == TUPLE
            and len(value["a"].args) == len(value["b"].args) == len(target.elts)
        ):
            pairs = zip(target.elts, value["a"].args.values(), value["b"].args.values(), strict=True)
            for t, a, b in pairs:
                self.bind(t, self.lowering.builder.merge(value.get("cond"), a, b, site), site)
            return
        elements = list(value.args.values()) if value.op == TUPLE and not value.attrs.get("starred") else []
        if value.op == INSTANCE and value.attrs["cls"].is_record:
            elements = list(self.lowering.classes.fields(value).values())
        star = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if star is not None and len(elements) >= len(target.elts) - 1:
            end = len(elements) - (len(target.elts) - star - 1)
            rest = self.lowering.builder.emit(TUPLE, site, args={str(i): n for i, n in enumerate(elements[star:end])})
            elements = [*elements[:star], rest, *elements[end:]]
        if len(elements) == len(target.elts):
            value.attrs["apart"] = True
            for t, n in zip(target.elts, elements, strict=True):
                self.bind(t.value if isinstance(t, ast.Starred) else t, n, site)
            return
        for i, t in enumerate(target.elts):
            self.bind(t, self.lowering.containers.unpacked(value, i, t, site), site)

    def bind_item(self, target: ast.Subscript, value: Node) -> None:
        """``x[index] = value``: under a mask a selection, elsewhere some element is new."""
        base = self.lowering.expressions.lower(target.value)
        if base.op == MODULE:
            return
        index = self.lowering.expressions.lower(target.slice)
        at = index.attrs.get("value") if index.op == CONST else None
        if grows(base) and written_out(base) and isinstance(at, int) and -len(base.args) <= at < len(base.args):
            elements = {**base.args, str(at % len(base.args)): value}
            self.bind(target.value, self.graph.add(TUPLE, elements, {}, target), target)
            return
        if (
            base.op == DICT
            and index.op == CONST
            and value.op in CALLABLE
            and not self.lowering.containers.is_made_here(base)
        ):
            self.lowering.containers.keep(base, entry(index, 0), value, target)
            return
        if grows(base) and base.op == DICT and index.op == CONST:
            entries = {**base.args, f"={index.attrs['value']!r}": value}
            self.bind(target.value, self.graph.add(DICT, entries, {}, target), target)
            return
        new = self.with_items(base, index, value, target)
        if new.op == "stored":
            self.lowering.frame.env["item", base.key, index.key] = value
        self.change(base, new, target.value, target)

    def with_items(self, base: Node, index: Node, value: Node, site: ast.AST) -> Node:
        """An array with other elements at an index: under a mask a selection, elsewhere some element is new."""
        mask = index
        while mask.op == "view" and "x" in mask.args:
            # spread over the axes that it lacks
            mask = mask["x"]
        if mask.op in CONDITIONS or mask.op in ("isnan", "isinf", "isfinite"):
            new = self.graph.add("where", {"cond": mask, "a": value, "b": base}, {"stored": True}, site)
            new.framework, new.regions = base.framework, self.frame.regions
            return new
        if self.lowering.containers.keeps_all(index):
            return value
        new = self.graph.add("stored", {"a": base, "b": value}, {}, site, pure=False)
        new.framework = base.framework
        self.frame.env["item", new.key, index.key] = value
        return new

    def rebind(self, old: Node, new: Node) -> None:
        """Give every variable and attribute that holds ``old`` another value, here and in the functions around."""
        old = unrefined(old)
        for frame in reached([self.frame], lambda one: filter(None, (one.parent, one.caller))):
            frame.env.update({name: new for name, value in frame.env.items() if unrefined(value) is old})

    def change(self, old: Node, new: Node, target: ast.expr, site: ast.AST) -> None:
        """Tell all names of an array, here and in the callers, what an operation in place made of it.

        What a variable is filled with is only where it starts.
        """
        array = unrefined(old)
        if array.op == "stop_gradient":
            array = unrefined(array["x"])
        if array.op == "variable" and old not in new.args.values():
            new = self.lowering.builder.emit("variable", array.site, x=new)
        if filled_array(old) is not None:
            self.written(old, new, site)
        elif old.op != CONST:
            self.rebind(old, new)
        self.escape_in_place(old, new)
        self.bind(target, new, site)

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

    def invalidate_buffers(self, nodes: Sequence[Node], e: ast.AST) -> None:
        """Arrays made to be filled, given to a call that may write into them: what they hold afterwards is unknown."""
        for node in (one for given in nodes for one in alternatives(given)):
            if filled_array(node) is not None:
                self.written(node, self.lowering.builder.unknown(e), e)

    def escape_in_place(self, old: Node, new: Node) -> None:
        """Note that others see what becomes of an array in place, unless it was made here."""
        for _ in range(40):
            made = old.op in OPS and not OPS[old.op].view and not old.attrs.get("stored")
            if made or old.op == CONST or not old.args:
                break
            kept = ("pre", "a", "x") if not old.attrs.get("stored") else ("b",)
            old = next((old[name] for name in kept if name in old.args), old)
        if old.op not in OPS and old.op != CONST:
            self.lowering.builder.escape(new)

    def escape_unused(self, frame: Frame) -> None:
        """Note that what the variables of a frame hold may yet be used, on a path that is not followed."""
        if frame.parent is not None:
            for value in frame.env.values():
                if not value.users:
                    self.lowering.builder.escape(value)

    def declare(self, name: str, owner: Frame) -> None:
        """Let a name be its owner's: it starts as it is there, and goes back when the function returns."""
        if owner is self.frame:
            return
        self.frame.declared[name] = owner
        before = owner.env.get(name)
        if before is not None:
            self.frame.env[name] = before

    def forget_globals(self, module: Frame, names: Iterable[str], site: ast.AST) -> None:
        """What functions assign to global names is unknown once the module has run."""
        for name in names:
            value = module.env.get(name)
            if value is not None and value.op == CONST:
                known = value.attrs["value"] is not None
                module.env[name] = (
                    self.or_another(value, name, site)
                    if known
                    else self.lowering.parameters.parameter(name, None, None, site)
                )

    def forget_attributes(self, tree: ast.Module) -> None:
        """What functions set of modules, objects and classes is unknown once the module has run."""
        for name, target in set_by_functions(tree):
            owner = self.module.lookup(name)
            if owner is not None and owner.op in (MODULE, INSTANCE, CLASS):
                owner = self.lowering.project.resolve(owner) if owner.op == MODULE else owner
                value = self.lowering.expressions.read_attribute(owner, target.attr, target)
                if value.op == CONST:
                    self.module.env["field", owner.key, target.attr] = self.or_another(value, target.attr, target)

    def or_another(self, value: Node, name: str, site: ast.AST) -> Node:
        """A number, or another one, of which nothing is known."""
        return self.lowering.builder.merge(
            None, value, self.lowering.parameters.parameter(name, None, None, site), site
        )

    def join_env(self, cond: Node | None, a: Env, b: Env, site: ast.AST) -> Env:
        """Variables where two paths meet; one that exists on one path only keeps its value there."""
        if a is b:
            return a
        joined = b.copy()
        for name in a.changed(b):
            one, other = a.get(name), b.get(name)
            if one is other:
                continue
            if one is not None and other is not None:
                joined[name] = self.lowering.builder.defined_on_one_path(
                    cond, one, other
                ) or self.lowering.builder.merge(cond, one, other, site)
                continue
            joined[name] = self.set_once(name, cond, one, other, site)
        return joined

    def set_once(self, name: object, cond: Node | None, a: Node | None, b: Node | None, site: ast.AST) -> Node:
        """A variable or attribute that one of two paths sets, in ``a`` or ``b``."""
        value = a or b
        assert value is not None
        before = self.as_it_was(name, site) if cond is not None else None
        if cond is None or before is None:
            return value
        pair = (value, before) if a is not None else (before, value)
        return self.lowering.builder.defined_on_one_path(cond, *pair) or self.lowering.builder.phi_with_undefined(
            cond, a is not None, value, before
        )

    def as_it_was(self, name: object, site: ast.AST) -> Node | None:
        """The attribute that only one path has stored to, as it was before; a variable was not there before."""
        if not isinstance(name, tuple) or name[0] != "field" or name[1] not in self.owners:
            return None
        owner = self.owners[name[1]]
        found = self.lowering.classes.member(owner, name[2], site) if owner.op == INSTANCE else None
        return found or self.graph.add(ATTR, {"base": owner}, {"name": name[2]}, site)

    def snapshot(self) -> tuple[Env, PathCondition]:
        """Variables and facts, to come back to."""
        return self.frame.env.copy(), self.frame.facts
