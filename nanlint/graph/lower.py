"""Lowering of statements, and of a whole file: which functions are worth it, in what order. Entry: ``lower``."""

from __future__ import annotations

import ast
import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress

from nanlint.graph.callers import (
    FunctionDef,
    callers_elsewhere,
    joins_what_is_given,
    names_of_other,
    words_in,
    words_of,
)
from nanlint.graph.calls import (
    CONSTRUCTORS,
    MAX_NODES,
    MAX_NODES_ELSEWHERE,
    CallLowering,
    given_type,
)
from nanlint.graph.control import carried, carry
from nanlint.graph.expressions import (
    CALLABLE,
    NUMBERS,
    TENSOR_ATTRIBUTES,
    decided,
    entry,
    grows,
    keys_known,
    written_out,
)
from nanlint.graph.formats import default_format
from nanlint.graph.modules import ModuleFrame, descendants, functions_of, names_of, outline_of, set_by_functions
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DATA,
    DICT,
    INSTANCE,
    KEPT,
    LOOP,
    MODULE,
    PHI,
    RETURNED,
    TUPLE,
    Node,
    Region,
    unrefined,
)
from nanlint.graph.path import PathCondition, common
from nanlint.graph.scope import ClassInfo, Env, Frame, FunctionAst, Name
from nanlint.graph.settings import ignores, settles
from nanlint.graph.tables import fill, kept_in_tables, sets_items
from nanlint.interrupt import OutOfBudget, checkpoint
from nanlint.ops.contracts import OF_THE_SUPPORT
from nanlint.ops.floats import FLOAT16, FLOAT32
from nanlint.ops.frameworks import canonical
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.spelling import Spellings
from nanlint.source.project import Module, View, absolute, imports_of
from nanlint.source.roots import CONVENTION, FRAMEWORKS
from nanlint.source.syntax import remembered

#: files of a project that are read for the sake of one
MAX_MODULES = 100
#: formats of 16 bits, as they are called
HALVES = frozenset({"float16", "half"})
#: turns of a loop over what is written out that are taken one by one
MAX_TURNS = 4
#: functions that are read with some others because they may call them
MAX_LEADING = 8


class Lowering(CallLowering):
    """Statements to nodes. One per file."""

    def __init__(
        self,
        spellings: Spellings,
        frameworks: tuple[str, ...],
        package: tuple[str, ...] = (),
        view: View | None = None,
    ) -> None:
        super().__init__(spellings, frameworks, view.path if view is not None else "")
        self.package = package
        #: that of numbers of which nothing else is said
        self.format = FLOAT32
        self.module = self.frame
        self.module.package = package or (view.package if view is not None else ())
        self.view = view
        self.modules = {view.path: self.module} if view is not None else {}
        self.resolved = {}
        self.exports = {}
        self.budget = (MAX_NODES, MAX_NODES_ELSEWHERE)
        self.inlined = set()
        #: definitions that were lowered for themselves
        self.done: set[int] = set()
        self.wrappers = {}
        self.without_gradient = set()
        self.derivative_rules = {}
        self.classes: list[ClassInfo] = []
        #: objects whose attributes are stored to, by key
        self.owners: dict[int, Node] = {}
        #: tables of other files, and the keys that were asked for, None for one that is not known
        self.filled: set[tuple[int, int | None]] = set()

    def standalone(self, function: Node) -> None:
        """A function for itself, with unknown arguments; once."""
        definition = function.attrs["definition"]
        if id(definition) in self.done:
            return
        self.done.add(id(definition))
        here, elsewhere = self.sizes()
        self.budget = here + MAX_NODES, elsewhere + MAX_NODES_ELSEWHERE
        saved, self.frame = self.frame, function.attrs["frame"] or self.module
        try:
            frame = self.activation(function, [], {}, definition, bare=True)
            frame.depth = 0
            self.take_from_support(frame)
            wrapper = self.decorated(function)
            if wrapper is not None:
                given = [frame.env[name] for name in positional(definition)]
                result = self.apply(wrapper, given, {}, definition)
            if wrapper is None or id(definition) not in self.inlined:
                result = self.run_function(frame, definition, definition)
            for returned in (result, *(value for value, _ in frame.returns)):
                self.escape(returned, RETURNED)
        finally:
            self.frame = saved

    def methods_by_themselves(self, wanted: Collection[ast.AST]) -> Iterator[Node]:
        """Lower the methods of the file that are wanted, each for itself; those that are private are handed back."""
        for cls in [cls for cls in self.classes if self.graph.home(cls.definition) is None]:
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

    def release(self) -> None:
        """Let go of the graph, and of the frames, which hold each other: nothing is asked any more."""
        self.graph.release()
        vars(self).clear()

    # ── blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, frame: Frame, body: Sequence[ast.stmt]) -> None:
        saved, self.frame = self.frame, frame
        if not isinstance(frame, ModuleFrame):
            # the top level of another file is the same whoever asks for it
            frame.caller = saved
        try:
            self.block(body)
        finally:
            self.frame = saved

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            checkpoint()
            if not self.frame.live:
                return
            handler = getattr(self, f"lower_{type(statement).__name__}", None)
            if handler is not None:
                handler(statement)
            else:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.expr):
                        self.lower(child)

    # ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def bind(self, target: ast.expr, value: Node, site: ast.AST) -> None:
        """Assign to a name, attribute, item or tuple of them."""
        if isinstance(target, ast.Name):
            if value.op in (CALL, "part") and not value.attrs.get("variable"):
                value.attrs["variable"] = target.id
            self.frame.env[target.id] = value
            if self.frame.parent is None or target.id in self.frame.declared:
                self.escape(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.bind_tuple(target, value, site)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, self.unknown(site, value), site)
        elif isinstance(target, ast.Attribute):
            base = self.lower(target.value)
            if base.op in OPS and TENSOR_ATTRIBUTES.get(target.attr) == "stop_gradient":
                # the numbers of a tensor, which are written to past the tape: it still is what is learned
                self.bind(target.value, self.emit("identity", site, x=value, instead_of=base), site)
                return
            self.owners[base.key] = base
            if value.op == CALL and not value.attrs.get("variable"):
                value.attrs["variable"], value.attrs["held"] = target.attr, True
            self.frame.env["field", base.key, target.attr] = value
            self.escape(value, DATA if TENSOR_ATTRIBUTES.get(target.attr) == "stop_gradient" else KEPT)
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
                self.bind(t, self.merge(value.get("cond"), a, b, site), site)
            return
        elements = list(value.args.values()) if value.op == TUPLE and not value.attrs.get("starred") else []
        if value.op == INSTANCE and value.attrs["cls"].is_record:
            elements = list(self.fields(value).values())
        star = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if star is not None and len(elements) >= len(target.elts) - 1:
            end = len(elements) - (len(target.elts) - star - 1)
            rest = self.emit(TUPLE, site, args={str(i): n for i, n in enumerate(elements[star:end])})
            elements = [*elements[:star], rest, *elements[end:]]
        if len(elements) == len(target.elts):
            value.attrs["apart"] = True
            for t, n in zip(target.elts, elements, strict=True):
                self.bind(t.value if isinstance(t, ast.Starred) else t, n, site)
            return
        for i, t in enumerate(target.elts):
            self.bind(t, self.unpacked(value, i, t, site), site)

    def unpacked(self, value: Node, i: int, target: ast.expr, site: ast.AST) -> Node:
        """What a place of a tuple gets of a value that is none: one of its sizes, places or elements."""
        value = unrefined(value)
        if value.op == "size":
            return self.emit("size", site, x=value, index=self.number(i))
        if value.attrs.get("nonzero"):
            # places, axis by axis
            return self.emit("part", site, x=value, index=self.number(i))
        each = value.get("each") if value.op == "list" else None
        return each if each is not None and each.op in OPS else self.unknown(target, value)

    def bind_item(self, target: ast.Subscript, value: Node) -> None:
        """``x[index] = value``: under a mask a selection, elsewhere some element is new."""
        base = self.lower(target.value)
        if base.op == MODULE:
            return
        index = self.lower(target.slice)
        at = index.attrs.get("value") if index.op == CONST else None
        if grows(base) and written_out(base) and isinstance(at, int) and -len(base.args) <= at < len(base.args):
            elements = {**base.args, str(at % len(base.args)): value}
            self.bind(target.value, self.graph.add(TUPLE, elements, {}, target), target)
            return
        if base.op == DICT and index.op == CONST and value.op in CALLABLE and not self.is_made_here(base):
            self.keep(base, entry(index, 0), value, target)
            return
        if grows(base) and base.op == DICT and index.op == CONST:
            entries = {**base.args, f"={index.attrs['value']!r}": value}
            self.bind(target.value, self.graph.add(DICT, entries, {}, target), target)
            return
        mask = index
        while mask.op == "view" and "x" in mask.args:
            # spread over the axes that it lacks
            mask = mask["x"]
        if mask.op in CONDITIONS or mask.op in ("isnan", "isinf", "isfinite"):
            new = self.graph.add("where", {"cond": mask, "a": value, "b": base}, {"stored": True}, target)
            new.framework, new.regions = base.framework, self.frame.regions
        elif self.keeps_all(index):
            new = value
        else:
            self.frame.env["item", base.key, index.key] = value
            new = self.graph.add("stored", {"a": base, "b": value}, {}, target, pure=False)
            new.framework = base.framework
            self.frame.env["item", new.key, index.key] = value
        self.changed(base, new, target)
        self.escape_in_place(base, new)
        self.bind(target.value, new, target)

    def is_made_here(self, container: Node) -> bool:
        """Whether a container is one of the function, or of the top level, that is being lowered."""
        frame = self.frame
        return frame.function is None or any(value is container for value in frame.env.values())

    def keep(self, table: Node, name: str, value: Node, site: ast.AST) -> None:
        """Let a table that outlives the function have another entry, for all who use it."""
        before = table.args.get(name)
        self.graph.connect(table, name, value if before is None else self.merge(None, before, value, site))
        table.key = self.graph.fresh()
        table.attrs["grows"] = True

    def fill(self, table: Node, key: Node) -> None:
        frame = self.modules.get(self.graph.home(table.elsewhere) or "")
        missing = "grows" not in table.attrs if key.op != CONST else entry(key, 0) not in table.args
        asked = table.index, key.key if key.op == CONST else None
        if missing and asked not in self.filled and isinstance(frame, ModuleFrame):
            self.filled.add(asked)
            if sets_items(frame.tree):
                fill(self, table, key)

    def lower_Assign(self, s: ast.Assign) -> None:
        value = self.lower(s.value)
        for target in s.targets:
            self.bind(target, value, s)
            # a module, or a module and whether it is there
            first = target.elts[0] if isinstance(target, ast.Tuple) else target
            if isinstance(first, ast.Name) and (name := brought(s.value, first.id)):
                self.bind(first, self.graph.add(MODULE, {}, {"name": name}, s.value), s)

    def lower_AnnAssign(self, s: ast.AnnAssign) -> None:
        if s.value is not None:
            made = self.lower(s.value)
            if made.op in (ATTR, CALL) and made.framework is None:
                made.framework = self.whose(given_type(s.annotation))
            self.bind(s.target, made, s)

    def lower_AugAssign(self, s: ast.AugAssign) -> None:
        old = self.lower(s.target)
        right = self.lower(s.value)
        new = self.combine(s.op, old, right, s)
        self.written(old, new, s)
        self.escape_in_place(old, new)
        self.bind(s.target, new, s)

    def lower_Expr(self, s: ast.Expr) -> None:
        if not isinstance(s.value, ast.Constant):
            self.lower(s.value)

    def lower_Global(self, s: ast.Global) -> None:
        for name in s.names:
            self.declare(name, self.frame.top)

    def lower_Nonlocal(self, s: ast.Nonlocal) -> None:
        for name in s.names:
            frame = self.frame.parent
            while frame is not None and name not in frame.env:
                frame = frame.parent
            if frame is not None:
                self.declare(name, frame)

    def declare(self, name: str, owner: Frame) -> None:
        """Let a name be its owner's: it starts as it is there, and goes back when the function returns."""
        if owner is self.frame:
            return
        self.frame.declared[name] = owner
        before = owner.env.get(name)
        if before is not None:
            self.frame.env[name] = before

    def lower_Delete(self, s: ast.Delete) -> None:
        for t in s.targets:
            if isinstance(t, ast.Name):
                self.frame.env.pop(t.id, None)

    def forget_globals(self, module: Frame, names: Iterable[str], site: ast.AST) -> None:
        """What functions assign to global names is unknown once the module has run."""
        for name in names:
            value = module.env.get(name)
            if value is not None and value.op == CONST:
                known = value.attrs["value"] is not None
                module.env[name] = (
                    self.or_another(value, name, site) if known else self.parameter(name, None, None, site)
                )

    def forget_attributes(self, tree: ast.Module) -> None:
        """What functions set of modules, objects and classes is unknown once the module has run."""
        for name, target in set_by_functions(tree):
            owner = self.module.lookup(name)
            if owner is not None and owner.op in (MODULE, INSTANCE, CLASS):
                owner = self.resolve(owner) if owner.op == MODULE else owner
                value = self.read_attribute(owner, target.attr, target)
                if value.op == CONST:
                    self.module.env["field", owner.key, target.attr] = self.or_another(value, target.attr, target)

    def or_another(self, value: Node, name: str, site: ast.AST) -> Node:
        """A number, or another one, of which nothing is known."""
        return self.merge(None, value, self.parameter(name, None, None, site), site)

    # ── ways out ────────────────────────────────────────────────────────────────────────────────────────────────────

    def lower_Return(self, s: ast.Return) -> None:
        if s.value is not None:
            self.frame.returns.append((self.lower(s.value), self.frame.facts))
        self.frame.exits.append(self.frame.facts)
        self.frame.live = False

    def lower_Raise(self, s: ast.Raise) -> None:
        self.frame.live = False

    def lower_Break(self, s: ast.Break) -> None:
        self.frame.breaks.append(self.snapshot())
        self.frame.live = False

    def lower_Continue(self, s: ast.Continue) -> None:
        self.escape_unused(self.frame)
        self.frame.live = False

    def lower_Assert(self, s: ast.Assert) -> None:
        before = self.frame.facts
        self.assume(self.lower(s.test), True)
        self.checked(s, before)

    def checked(self, check: ast.stmt, before: PathCondition) -> None:
        """Note a check that all that leaves the function has passed: what it says holds for what came before it, too.

        ``before``: what held before the check. A check on one path says nothing of others.
        """
        frame = self.frame
        if frame.exits or frame.yields or not isinstance(frame.function, ast.FunctionDef):
            return
        if check in frame.function.body:
            _, keys, _ = frame.facts.up_to(before)
            said = {key: known for key in keys if (known := frame.facts.get(key)) and before.get(key) is not known}
            frame.checks.append((len(self.graph.nodes), said))

    # ── branches and loops ──────────────────────────────────────────────────────────────────────────────────────────

    def lower_If(self, s: ast.If) -> None:
        frame = self.frame
        cond = self.lower(s.test)
        taken = decided(cond)
        if taken is not None and frame.depth:
            self.block(s.body if taken else s.orelse)
            return
        env, facts = self.snapshot()
        outcomes: list[tuple[Env, PathCondition, bool]] = []
        for truth, body in ((True, s.body), (False, s.orelse)):
            frame.env, frame.facts, frame.live = env.copy(), facts, True
            self.assume(cond, truth)
            self.block(body)
            # what the branch found out of a value that it set is forgotten where it ends, but by the value
            for name in frame.env.changed(env):
                if (value := frame.env.get(name)) is not None and value is not env.get(name):
                    frame.env[name] = self.refined(value)
            outcomes.append((frame.env, frame.facts, frame.live))
        (env_a, facts_a, live_a), (env_b, facts_b, live_b) = outcomes
        if live_a and live_b:
            frame.env = self.join_env(cond, env_a, env_b, s)
            frame.facts = common((facts_a, facts_b))
        elif live_a or live_b:
            frame.env, frame.facts = (env_a, facts_a) if live_a else (env_b, facts_b)
        else:
            frame.env, frame.facts = env, facts
        frame.live = live_a or live_b
        if isinstance(s.body[-1], ast.Raise) and not s.orelse:
            self.checked(s, facts)

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
                joined[name] = self.one_sided(cond, one, other) or self.merge(cond, one, other, site)
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
        return self.one_sided(cond, *pair) or self.set_where(cond, a is not None, value, before)

    def as_it_was(self, name: object, site: ast.AST) -> Node | None:
        """The attribute that only one path has stored to, as it was before; a variable was not there before."""
        if not isinstance(name, tuple) or name[0] != "field" or name[1] not in self.owners:
            return None
        owner = self.owners[name[1]]
        found = self.member(owner, name[2], site) if owner.op == INSTANCE else None
        return found or self.graph.add(ATTR, {"base": owner}, {"name": name[2]}, site)

    def lower_For(self, s: ast.For | ast.AsyncFor) -> None:
        iterable = self.counted(self.lower(s.iter), s)
        if iterable.op == TUPLE and 0 < len(iterable.args) <= MAX_TURNS and not iterable.attrs.get("starred"):
            for element in list(iterable.args.values()):
                self.bind(s.target, element, s)
                self.block(s.body)
                self.frame.live = True
            return
        self.loop(s, lambda: self.bind(s.target, self.element(iterable, s.iter), s))

    lower_AsyncFor = lower_For

    def counted(self, iterable: Node, s: ast.For | ast.AsyncFor) -> Node:
        """The numbers of a range of a few that are known, one by one; anything else as it is."""
        bounds = [n.attrs.get("value") for n in iterable.args.values() if n.op == CONST]
        whole = iterable.op == "range" and len(bounds) == len(iterable.args) <= 2
        if not whole or not all(type(b) is int for b in bounds) or any(isinstance(n, ast.Break) for n in ast.walk(s)):
            return iterable
        numbers = range(*bounds)  # type: ignore[arg-type]
        if not 0 < len(numbers) <= MAX_TURNS:
            return iterable
        return self.emit(TUPLE, s.iter, args={str(i): self.number(i, s.iter) for i in numbers})

    def lower_While(self, s: ast.While) -> None:
        def enter() -> None:
            self.assume(self.lower(s.test), True)

        self.loop(s, enter)
        if not any(isinstance(n, ast.Break) for n in ast.walk(s)):
            self.assume(self.lower(s.test), False)

    def loop(self, s: ast.For | ast.AsyncFor | ast.While, enter: object) -> None:
        """Every variable that a loop's body assigns becomes a LOOP node over its value before and after a turn."""
        frame = self.frame
        phis: dict[str, Node] = {}
        records: dict[str, Node] = {}
        for name in stored_names(s.body):
            before = frame.lookup(name)
            if before is not None and is_record(before):
                frame.env[name] = records[name] = carried(self, before, s)
            elif before is not None:
                phi = self.graph.add(LOOP, {"pre": before}, {"name": name}, s, pure=False)
                phi.framework = before.framework
                frame.env[name] = phis[name] = phi
        for phi in phis.values():
            phi.attrs["together"] = tuple(phis.values())
        facts = frame.facts
        outer_breaks, frame.breaks = frame.breaks, []
        enter()  # type: ignore[operator]
        self.block(s.body)
        after = frame.env
        for name, phi in phis.items():
            back = after.get(name)
            if back is not None and back is not phi and frame.live:
                self.graph.connect(phi, "back", back)
            if phi.attrs.get("filled"):
                # other names of the array see what the turns wrote into it
                phi["pre"].attrs["filled"] = True
                self.rebind(phi["pre"], phi)
        for name, record in records.items():
            back = after.get(name)
            if back is None or not frame.live or back.args.keys() == record.args.keys():
                carry(self, record, back or record)
            else:
                # of another form after a turn
                records[name] = self.unknown(s, record, back)
        frame.live = True
        env = after.copy()
        env.update({**phis, **records})
        for broken, _ in frame.breaks:
            env = self.join_env(None, env, broken, s)
        frame.env, frame.facts, frame.breaks = env, facts, outer_breaks
        self.block(s.orelse)

    def lower_Try(self, s: ast.Try) -> None:
        frame = self.frame
        env, facts = self.snapshot()
        self.block(s.body)
        paths = [frame.env] if frame.live else []
        if frame.live:
            self.block(s.orelse)
            paths = [frame.env] if frame.live else []
        for handler in s.handlers:
            frame.env, frame.facts, frame.live = env.copy(), facts, True
            self.block(handler.body)
            if frame.live:
                paths.append(frame.env)
        frame.facts = facts
        frame.live = bool(paths)
        frame.env = paths[0] if paths else env
        for other in paths[1:]:
            frame.env = self.join_env(None, frame.env, other, s)
        self.block(s.finalbody)

    lower_TryStar = lower_Try

    def lower_With(self, s: ast.With | ast.AsyncWith) -> None:
        frame = self.frame
        outer = frame.regions
        for item in s.items:
            context = self.lower(item.context_expr)
            region = self.region(context, item.context_expr, s)
            if region is not None and region.kind == "half" and self.switched_off(item.context_expr):
                frame.regions = tuple(r for r in frame.regions if r.kind != "half")
            elif region is not None:
                frame.regions = (*frame.regions, region)
                if context.op == "tape":
                    context.attrs.setdefault("regions", []).append(region)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, context, s)
        self.block(s.body)
        frame.regions = outer

    lower_AsyncWith = lower_With

    def region(self, context: Node, written: ast.expr, s: ast.AST) -> Region | None:
        """The region that a context object opens, if it matters."""
        if context.op == "tape":
            return Region("tape", s, {"tape": context})
        if context.op == "stop_recording":
            return Region("no_grad", s)
        name = self.spelled_name(context)
        known = self.spellings.control(name)
        kind = str(known.literals.get("kind", "")) if known is not None else ""
        if known is not None and known.operands:
            # only where it is switched off
            on = context.get("arg0")
            kind = kind if on is not None and on.attrs.get("value") is False else ""
        if kind == "grad" or (
            kind == "errstate" and not (ignores((), context.args) if "warnings" in name else settles(written))
        ):
            return None
        return Region(kind, s, self.precision(context) if kind == "half" else {}) if kind else None

    def switched_off(self, autocast: ast.expr) -> bool:
        """Whether ``autocast(..., enabled=False)`` switches off what one around it switches on."""
        if not isinstance(autocast, ast.Call):
            return False
        given = (self.lower(e) for e in (*autocast.args, *(k.value for k in autocast.keywords if k.arg == "enabled")))
        return any(node.op == CONST and node.attrs["value"] is False for node in given)

    def precision(self, autocast: Node) -> dict[str, str]:
        """The format that a region of autocast computes in: what it is told, else float16 (bfloat16 on a CPU)."""
        told = next((d for a in autocast.args.values() if (d := self.dtype_of(a)) is not None), None)
        on_cpu = any(a.attrs.get("value") == "cpu" for a in autocast.args.values())
        return {"dtype": told or ("bfloat16" if on_cpu else "float16")}

    def spelled_name(self, node: Node) -> str:
        return node.name if node.op == CALL else self.dotted(node) if node.op == MODULE else ""

    def lower_Match(self, s: ast.Match) -> None:
        subject = self.lower(s.subject)
        env, facts = self.snapshot()
        paths: list[Env] = []
        exhaustive = False
        for case in s.cases:
            self.frame.env, self.frame.facts, self.frame.live = env.copy(), facts, True
            exhaustive = exhaustive or (case.guard is None and getattr(case.pattern, "pattern", case) is None)
            equal = self.equals(subject, case.pattern)
            if equal is not None:
                self.assume(equal, True)
            for captured in ast.walk(case.pattern):
                name = getattr(captured, "rest" if isinstance(captured, ast.MatchMapping) else "name", None)
                if isinstance(name, str):
                    self.frame.env[name] = subject if captured is case.pattern else self.unknown(case.pattern, subject)
            guard = self.lower(case.guard) if case.guard is not None else None
            if guard is not None:
                self.assume(guard, True)
            self.block(case.body)
            if self.frame.live:
                paths.append(self.frame.env)
            # the cases below are come to where this one was not taken
            refused = guard if equal is None and isinstance(case.pattern, ast.MatchAs) else None if guard else equal
            if refused is not None:
                self.frame.facts = facts
                self.assume(refused, False)
                facts = self.frame.facts
        if not exhaustive:
            paths.insert(0, env)
        joined = paths[0] if paths else env
        for other in paths[1:]:
            joined = self.join_env(None, joined, other, s)
        self.frame.env, self.frame.facts, self.frame.live = joined, facts, bool(paths)

    def equals(self, subject: Node, pattern: ast.pattern) -> Node | None:
        """The comparison that a pattern of a literal makes."""
        if not isinstance(pattern, ast.MatchValue):
            return None
        return self.emit("eq", pattern, a=subject, b=self.lower(pattern.value))

    # ── definitions ─────────────────────────────────────────────────────────────────────────────────────────────────

    def lower_FunctionDef(self, s: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.frame.env[s.name] = made = self.function_value(s)
        if self.frame.parent is None and s.decorator_list:
            self.aside(lambda: self.decorated(made))

    lower_AsyncFunctionDef = lower_FunctionDef

    def lower_ClassDef(self, s: ast.ClassDef) -> None:
        cls = ClassInfo(s.name, s, [self.lower(b) for b in s.bases], scope=self.frame)
        for statement in s.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                cls.methods[statement.name] = statement
            elif isinstance(statement, ast.Assign):
                cls.constants.update({t.id: statement.value for t in statement.targets if isinstance(t, ast.Name)})
            elif (
                isinstance(statement, ast.AnnAssign)
                and statement.value is not None
                and isinstance(statement.target, ast.Name)
            ):
                cls.constants[statement.target.id] = statement.value
        cls.stores = stores_of(s)
        self.classes.append(cls)
        self.frame.env[s.name] = made = self.graph.add(CLASS, {}, {"cls": cls, "name": s.name}, s, pure=False)
        if self.frame.parent is None and s.decorator_list:
            self.aside(lambda: self.decorate(made, s.decorator_list, self.frame.top))

    def aside(self, work: Callable[[], object]) -> None:
        """Lower what the statement that is being lowered asks for, and stay on its path."""
        saved, self.frame = self.frame, Frame(parent=self.frame)
        try:
            work()
        finally:
            self.frame = saved

    def take_from_support(self, frame: Frame) -> None:
        """The argument of a distribution's density is one of its values."""
        definition, cls = frame.function, frame.cls
        if cls is None or not isinstance(definition, ast.FunctionDef) or definition.name not in OF_THE_SUPPORT:
            return
        support, parameters = cls.constant("support"), definition.args.args[1:]
        if support is not None and len(parameters) == 1:
            argument = parameters[0]
            frame.env[argument.arg] = self.constrained(*support, frame.env[argument.arg], argument)

    # ── imports ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def lower_Import(self, s: ast.Import) -> None:
        for alias in s.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.frame.env[alias.asname or name] = self.graph.add(MODULE, {}, {"name": name}, s)

    def lower_ImportFrom(self, s: ast.ImportFrom) -> None:
        module = self.absolute(s.module or "", s.level)
        for alias in s.names:
            if alias.name == "*":
                self.import_all(module, s)
                continue
            self.frame.env[alias.asname or alias.name] = self.imported(module, alias.name, s)

    def absolute(self, module: str, level: int, frame: Frame | None = None) -> str:
        """A relative import as seen from this file's package, as far as that is known."""
        return absolute(module, level, (frame or self.frame).top.package)

    def import_all(self, module: str, s: ast.ImportFrom) -> None:
        """``from module import *`` brings the names that a file of the project has, or the catalogue of a framework."""
        for name, dotted in self.exported(module).items():
            self.frame.env.setdefault(name, self.graph.add(MODULE, {}, {"name": dotted}, s))

    # ── other files ─────────────────────────────────────────────────────────────────────────────────────────────────

    def resolve(self, module: Node) -> Node:
        if self.view is None:
            return module
        name = module.name
        if name not in self.resolved:
            # what leads back to itself, through imports that are cyclic, stays a name
            self.resolved[name] = None
            known = (
                self.spellings.get(canonical(name)) is not None or self.spellings.control(canonical(name)) is not None
            )
            self.resolved[name] = None if known else self.found_elsewhere(name, module)
        return self.resolved[name] or module

    def in_project(self, dotted: str) -> bool:
        return self.view is not None and self.view.longest(dotted) is not None

    def found_elsewhere(self, name: str, module: Node) -> Node | None:
        """What a dotted name of the project stands for; None where that is not seen, or is a module."""
        assert self.view is not None
        found = self.view.longest(name)
        if found is None:
            return None
        home, rest = found
        if not rest:
            # a module, unless its package has something else under its name
            package, _, last = name.rpartition(".")
            around = self.view.longest(package)
            if around is None or around[1] or around[0].path == home.path:
                return None
            home, rest = around[0], (last,)
        first, *others = rest
        frame = self.loaded(home)
        value = frame.lookup(first) if frame is not None else None
        if value is None or (value.op == MODULE and value.name == name):
            return None
        site = module.site or module.elsewhere
        assert site is not None
        value = self.resolve(value) if value.op == MODULE else value
        for part in others:
            value = self.read_attribute(value, part, site)
        return value

    def as_others_set(self, module: Node, name: str, value: Node, site: ast.AST) -> Node:
        home = self.view.longest(module.name) if self.view is not None and value.op == CONST else None
        if self.view is None or home is None or home[1]:
            return value
        for other in self.view.users_of_name(name, home[0].path):
            frame = self.loaded(other)
            owners = {owner for owner, target in set_by_functions(other.tree) if target.attr == name}
            if owners and isinstance(frame, ModuleFrame):
                _, through = names_of_other(self, frame, home[0], {name})
                if not owners.isdisjoint(through):
                    return self.or_another(value, name, site)
        return value

    def loaded(self, home: Module) -> Frame | None:
        """The top level of a module of the project."""
        if home.path not in self.modules:
            if len(self.modules) >= MAX_MODULES:
                assert self.view is not None
                self.view.left_out.add(home.name)
                return None
            outline = outline_of(home.tree)
            for star in outline.stars:
                star.home = home.path  # type: ignore[attr-defined]
            self.modules[home.path] = ModuleFrame(
                package=home.package,
                frameworks=frameworks_named(home.tree, home.package),
                path=home.path,
                tree=home.tree,
                outline=outline,
                lower=self.lower_elsewhere,
                starred=self.starred,
            )
        return self.modules[home.path]

    def lower_elsewhere(self, frame: Frame, statement: ast.stmt) -> None:
        """Lower a statement of another file's top level."""
        assert isinstance(frame, ModuleFrame)
        before = self.sizes()
        if self.graph.home(statement) is None:
            for node in descendants(statement):
                node.home = frame.path  # type: ignore[attr-defined]
        self.run(frame, [statement])
        # what is stored to an object there is found in it here
        self.module.env.update({key: value for key, value in frame.env.items() if isinstance(key, tuple)})
        if any(isinstance(value, Node) and value.op == CONST for value in frame.env.values()):
            self.forget_globals(frame, frame.outline.changed, statement)
        # what is computed once, where it is imported, is not charged to the function that needs it first
        after = self.sizes()
        self.budget = self.budget[0] + after[0] - before[0], self.budget[1] + after[1] - before[1]

    def starred(self, frame: Frame, name: str) -> Node | None:
        """What a star import at the top level of another file brings under a name."""
        assert isinstance(frame, ModuleFrame)
        for star in reversed(frame.outline.stars):
            dotted = self.exported(self.absolute(star.module or "", star.level, frame)).get(name)
            if dotted is not None:
                return self.graph.add(MODULE, {}, {"name": dotted}, star)
        return None

    def numeric_names(self, tree: ast.Module, words: frozenset[str]) -> set[str]:
        """Names of other files, or in modules that a file imports, that stand for operations with a pole."""
        found: set[str] = set()
        if self.view is None:
            return found
        for name, dotted, site in outline_of(tree).imports:
            dotted = self.absolute(dotted, site.level, self.module) if isinstance(site, ast.ImportFrom) else dotted
            meant = self.view.longest(dotted)
            if meant is None or meant[0].path == self.view.path:
                continue
            worth = numeric_definitions(meant[0].tree, words)
            if not meant[1]:
                found |= worth
            elif meant[1][0] in worth or self.is_numeric_elsewhere(dotted, words):
                found.add(name)
        for star in outline_of(tree).stars:
            exported = self.exported(self.absolute(star.module or "", star.level, self.module))
            found.update(name for name, dotted in exported.items() if self.is_numeric_elsewhere(dotted, words))
        return found

    def is_numeric_elsewhere(self, dotted: str, words: frozenset[str], steps: int = 4) -> bool:
        """Whether a dotted name stands for an operation with a pole, where it is defined or on the way there."""
        meant = self.view.longest(dotted) if self.view is not None else None
        if meant is None or not meant[1] or not steps:
            return False
        module, (first, *_) = meant
        if first in numeric_definitions(module.tree, words):
            return True
        lead = outline_of(module.tree).leads.get(first)
        if lead is None:
            return False
        _, further, site = lead
        level = site.level if isinstance(site, ast.ImportFrom) else 0
        return self.is_numeric_elsewhere(absolute(further, level, module.package), words, steps - 1)

    def exported(self, module: str) -> Mapping[str, str]:
        """What ``from module import *`` brings: dotted names of what a file binds, or of a framework."""
        if module not in self.exports:
            self.exports[module] = self._exported(module, set())
        return self.exports[module]

    def _exported(self, module: str, seen: set[str]) -> Mapping[str, str]:
        if module in seen:
            return {}
        seen.add(module)
        found = self.view.longest(module) if self.view is not None else None
        if found is None or found[1]:
            prefix = module + "."
            named = (n for n in self.spellings.names() if n.startswith(prefix) and "." not in n[len(prefix) :])
            return {name[len(prefix) :]: name for name in named}
        frame = self.loaded(found[0])
        if not isinstance(frame, ModuleFrame):
            own = [name for name in frame.env if isinstance(name, str)] if frame is not None else []
            return {name: f"{module}.{name}" for name in own if not name.startswith("_")}
        names: dict[str, str] = {}
        for star in frame.outline.stars:
            names.update(self._exported(self.absolute(star.module or "", star.level, frame), seen))
        names.update({name: f"{module}.{name}" for name in frame.outline.public})
        listed = frame.outline.listed
        return names if listed is None else {name: names.get(name, f"{module}.{name}") for name in listed}


def positional(definition: FunctionAst) -> list[str]:
    """The names of what a function takes by position."""
    return [arg.arg for arg in (*definition.args.posonlyargs, *definition.args.args)]


@remembered
def frameworks_named(tree: ast.Module, package: tuple[str, ...]) -> tuple[str, ...]:
    """The frameworks that a file imports by name."""
    roots = {name.partition(".")[0] for name, _ in imports_of(tree, package)}
    return tuple(f for f in FRAMEWORKS if f in roots)


@remembered
def numeric_definitions(tree: ast.Module, words: frozenset[str]) -> frozenset[str]:
    """Names that the top level of a file gives to operations with a pole, or to objects that compute them.

    What a function of another file computes is told there: who calls it is worth lowering for what it computes itself.
    """
    return names_of(tree, {s for s in tree.body if isinstance(s, ast.Assign) and words & mentioned(s.value)})


def brought(call: ast.expr, name: str) -> str:
    """The dotted name of what a call imports from a framework when it is first needed, or if it is installed.

    ``torch = optional("torch")``: a call that is given no more of a framework than a name, and whose result is called
    as that is. Nothing where it does not.
    """
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return ""
    parts = given.value.split(".")
    if parts[0] not in FRAMEWORKS or not all(map(str.isidentifier, parts)):
        return ""
    return given.value if len(parts) > 1 or name in (given.value, CONVENTION.get(given.value)) else ""


@remembered
def mentioned(code: ast.AST) -> frozenset[str]:
    """The names in some code, of dotted ones each part."""
    nodes = (n for n in descendants(code) if isinstance(n, ast.Attribute | ast.Name))
    return frozenset(n.attr if isinstance(n, ast.Attribute) else n.id for n in nodes)


@remembered
def stores_of(cls: ast.ClassDef) -> Mapping[str, int]:
    """How often the methods of a class store to each attribute of its objects; all that make an object count once."""
    found: dict[str, int] = {}
    made: set[str] = set()
    for method in cls.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or not method.args.args:
            continue
        receiver = method.args.args[0].arg
        for node in descendants(method):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == receiver
            ):
                if method.name in CONSTRUCTORS:
                    made.add(node.attr)
                else:
                    found[node.attr] = found.get(node.attr, 0) + 1
    return {name: found.get(name, 0) + (name in made) for name in (*found, *made)}


def stored_names(body: Sequence[ast.stmt]) -> list[str]:
    """Names that statements assign, in order; items and in-place methods count as assignments of their base.

    So does what a function is called with for no result: it may be there to be filled.
    """
    found: dict[str, None] = {}
    for statement in body:
        for node in descendants(statement):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                found.update(dict.fromkeys(arg.id for arg in call.args if isinstance(arg, ast.Name)))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id)
            elif (
                isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
            ) or (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and (node.attr.endswith("_") or node.attr in ("append", "extend"))
            ):
                found.setdefault(node.value.id)
    return list(found)


def names_nan(comparison: ast.Compare) -> bool:
    """Whether a comparison is with a NaN that it names: ``x == np.nan``, ``x != float("nan")``, ``x in (nan,)``."""
    for side in (comparison.left, *comparison.comparators):
        for e in side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else (side,):
            if isinstance(e, ast.Call) and len(e.args) == 1:
                word = getattr(e.args[0], "value", "")
            else:
                word = e.attr if isinstance(e, ast.Attribute) else e.id if isinstance(e, ast.Name) else ""
            if isinstance(word, str) and word.lower() == "nan":
                return True
    return False


def is_singular(node: ast.AST) -> bool:
    """Whether a piece of syntax is worth a look by itself: a quotient, a power, a comparison with NaN.

    So are operations on numbers that are written out, one of them infinite, and numbers beyond their format.
    """
    kind = type(node)
    if kind is ast.BinOp and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):  # type: ignore[attr-defined]
        sides = (node.left, node.right)  # type: ignore[attr-defined]
        if type(node.op) is ast.Mult and any(is_infinity(unsigned(side), FLOAT16.max) for side in sides):  # type: ignore[attr-defined]
            return True
        return any(map(is_infinity, sides)) and all(is_infinity(s) or type(s) is ast.Constant for s in sides)
    if kind is ast.BinOp or kind is ast.AugAssign:
        return isinstance(node.op, (ast.Div, ast.Pow))  # type: ignore[attr-defined]
    if kind is ast.Call and node.args and type(node.args[0]) is ast.Constant:  # type: ignore[attr-defined]
        formats = (node.func, *node.args[1:], *(k.value for k in node.keywords))  # type: ignore[attr-defined]
        halved = any(isinstance(one, ast.Attribute) and one.attr in HALVES for one in formats)
        return is_beyond(node.args[0].value, FLOAT16.max if halved else FLOAT32.max)  # type: ignore[attr-defined]
    return kind is ast.Compare and names_nan(node)  # type: ignore[arg-type]


def unsigned(e: ast.expr) -> ast.expr:
    """An expression without the sign before it."""
    return e.operand if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) else e


def is_record(node: Node) -> bool:
    """Whether a node is a tuple or dict, written out, that a loop may give other values and not more of them."""
    if node.op == DICT:
        return bool(node.args) and keys_known(node)
    return written_out(node) and isinstance(node.site, ast.Tuple)


def root_of(e: ast.expr) -> str:
    """The name that a chain of attributes starts with; "" if it starts with anything else."""
    while isinstance(e, ast.Attribute):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def called_name(e: ast.AST) -> str:
    """The last name of what a call calls; "" of anything else."""
    f = e.func if isinstance(e, ast.Call) else None
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""


def lowered_by_themselves(tree: ast.Module) -> tuple[list[ast.AST], dict[str, list[ast.AST]]]:
    """The functions of a file and the assignments at its top level, and those of them that a name may stand for."""
    places: list[ast.AST] = []
    names: dict[str, list[ast.AST]] = {}
    for function, cls in functions_of(tree):
        places.append(function)
        names.setdefault(function.name, []).append(function)
        if cls is not None and function.name in ("forward", "call", "__call__", "__init__"):
            names.setdefault(cls.name, []).append(function)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            places.append(statement)
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    names.setdefault(target.id, []).append(statement)
    return places, names


def interesting(tree: ast.Module, words: frozenset[str], imported: Collection[str] = ()) -> set[ast.AST]:
    """Functions worth lowering: those that hold an operation with a pole, or call (by name) something that does.

    ``imported``: names of other files of the project that do.
    """
    aliased = {
        alias.asname or alias.name
        for statement in descendants(tree)
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.name in words
    }
    aliased.update(imported)
    words = words | aliased
    modules = {
        alias.asname or alias.name.partition(".")[0]
        for statement in tree.body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for alias in statement.names
    }
    calls: dict[ast.AST, set[str]] = {}
    wanted: set[ast.AST] = set()
    places, names = lowered_by_themselves(tree)
    for place in places:
        called = calls[place] = set()
        for node in descendants(place):
            kind = type(node)
            if kind is ast.Name:
                # also a function that is not called here but handed on
                called.add(node.id)  # type: ignore[attr-defined]
                holds = node.id in aliased  # type: ignore[attr-defined]
            elif kind is ast.Attribute:
                holds = node.attr in words and root_of(node) in modules  # type: ignore[attr-defined,arg-type]
            elif kind is ast.Call:
                word = called_name(node)
                called.add(word)
                holds = word in words or is_singular(node)
            else:
                holds = is_singular(node)
            if holds:
                wanted.add(place)
            elif kind is ast.Assign and called_name(node.value) in words:  # type: ignore[attr-defined]
                # self.loss = nn.BCELoss(): whoever calls self.loss
                for target in node.targets:  # type: ignore[attr-defined]
                    if isinstance(target, ast.Attribute):
                        names.setdefault(target.attr, []).append(place)
    changed = True
    while changed:
        by_name = {name for name, found in names.items() if any(f in wanted for f in found)}
        more = {place for place, called in calls.items() if place not in wanted and called & by_name}
        wanted |= more
        changed = bool(more)
    return wanted


def breaks_at_top_level(tree: ast.Module, words: Collection[str]) -> bool:
    """Whether what runs with a file, outside of its functions, holds an operation with a pole."""
    pending: list[ast.AST] = [*tree.body]
    for code in pending:
        if isinstance(code, FunctionDef):
            pending += [*code.decorator_list, *code.args.defaults, *filter(None, code.args.kw_defaults)]
        elif isinstance(code, ast.ClassDef):
            pending += [*code.decorator_list, *code.bases, *(k.value for k in code.keywords), *code.body]
        elif isinstance(code, ast.If | ast.Try):
            pending += ast.iter_child_nodes(code)
        else:
            nodes = descendants(code)
            found = words_in(nodes)
            largest = FLOAT32.max if found.isdisjoint(HALVES) else FLOAT16.max**0.5
            if not found.isdisjoint(words) or any(is_singular(n) or is_infinity(n, largest) for n in nodes):
                return True
    return False


def is_infinity(node: ast.AST, largest: float = FLOAT32.max) -> bool:
    """Whether a piece of syntax is an infinity, by its name or its text, or a number beyond the largest one."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return isinstance(node.args[0], ast.Constant) and node.args[0].value == "inf"
    if isinstance(node, ast.Attribute):
        return NUMBERS.get(node.attr) == math.inf
    number = node.value if isinstance(node, ast.Constant) else None
    return number == "inf" or is_beyond(number, largest)


def is_beyond(number: object, largest: float) -> bool:
    """Whether something is a number beyond the largest one."""
    return isinstance(number, (int, float)) and abs(number) > largest


def joins(tree: ast.Module) -> bool:
    """Whether a function of a file calls two things that it was given: what that computes, its callers know."""
    return any(joins_what_is_given(function, body) for function, body in words_of(tree).functions.items())


def leading_to(tree: ast.Module, functions: Collection[ast.AST]) -> set[ast.AST]:
    """Some functions of a file, and what may call them, by the names that it mentions; not where that is very much."""
    found = set(functions)
    rest = {f: cls for f, cls in functions_of(tree) if f not in found}
    names = {name for f, cls in functions_of(tree) if f in found for name in (f.name, cls.name if cls else f.name)}
    while more := {f: cls for f, cls in rest.items() if not names.isdisjoint(mentioned(f))}:
        if len(found) + len(more) > len(functions) + MAX_LEADING:
            break
        found.update(more)
        names.update(name for f, cls in more.items() for name in (f.name, cls.name if cls else f.name))
        rest = {f: cls for f, cls in rest.items() if f not in more}
    return found


def lower(
    tree: ast.Module,
    spellings: Spellings,
    frameworks: tuple[str, ...],
    words: frozenset[str],
    package: tuple[str, ...] = (),
    watched: Collection[int] = (),
    view: View | None = None,
    *,
    alone: bool = False,
) -> Lowering:
    """The graph of a file: its module level, then every function worth it with unknown parameters.

    ``words``: last names of calls that make a function worth it. ``package``: the file's own, for its relative imports.
    ``watched``: rows whose functions are worth it in any case, and whose ``readings`` are kept; ``alone``: these
    and those that may come to them, and no others. ``view``: the other files of the project.
    """
    lowering = Lowering(spellings, frameworks, package, view)
    lowering.watched = watched
    lowering.format = default_format(tree, frameworks, view)
    imported = lowering.numeric_names(tree, words)
    wanted = interesting(tree, words, imported)
    if not (wanted or watched or breaks_at_top_level(tree, words | imported) or (view is not None and joins(tree))):
        return lowering
    # a file that takes all names of one that takes all of its own has some now
    lowering.exports.clear()
    # what was lowered when the time is up is checked
    with nullcontext() if alone else suppress(OutOfBudget):
        lower_all(lowering, tree, words, wanted, watched, alone=alone)
    lowering.graph.frozen = True
    return lowering


def lower_all(
    lowering: Lowering,
    tree: ast.Module,
    words: frozenset[str],
    wanted: set[ast.AST],
    watched: Collection[int],
    *,
    alone: bool,
) -> None:
    """The module level of a file, and the functions of it that are wanted."""
    lowering.block(tree.body)
    lowering.frame.live = True
    for s in descendants(tree):
        if isinstance(s, ast.Global):
            lowering.forget_globals(lowering.module, s.names, s)
    lowering.forget_attributes(tree)
    if watched:
        rows = sorted(watched)
        first = ((f, bisect_left(rows, f.lineno)) for f, _ in functions_of(tree))
        inside = {f for f, at in first if at < len(rows) and rows[at] <= (f.end_lineno or 0)}
        wanted = leading_to(tree, inside) if alone else wanted | inside
    private = list(lowering.methods_by_themselves(wanted))
    callers = callers_elsewhere(lowering, tree, wanted, words, kept_in_tables(lowering, tree))
    while True:
        named: dict[Node, list[Name]] = {}
        for name, value in lowering.module.env.items() if lowering.deferred else ():
            named.setdefault(value, []).append(name)
        while lowering.deferred:
            node = lowering.deferred.pop(0)[0]
            definition = node.attrs["definition"]
            names = named.get(node, [])
            if names and not isinstance(definition, ast.Lambda) and definition not in wanted:
                continue
            if all(str(name).startswith("_") for name in names):
                private.append(node)
            else:
                lowering.standalone(node)
        for caller in callers:
            lowering.standalone(caller)
        if not lowering.deferred and not private:
            break
        # what is private to the file is known by its calls; only what nothing calls is lowered with unknown arguments
        if not lowering.deferred and id((node := private.pop(0)).attrs["definition"]) not in lowering.inlined:
            lowering.standalone(node)
