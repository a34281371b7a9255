"""Statements to what they bind, return and make known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from nanlint.frontend.control import carried, carry
from nanlint.frontend.frames import ClassInfo, Env, Frame, kept
from nanlint.frontend.nodes import decided, is_record
from nanlint.frontend.part import Part
from nanlint.frontend.settings import ignores, settles
from nanlint.frontend.syntax import given_type, names_nothing, optional_import, stored_names, stores_of
from nanlint.graph.node import ATTR, CALL, CLASS, CONST, LOOP, MODULE, TUPLE, Node, Region
from nanlint.graph.path import PathCondition, common
from nanlint.interrupt import checkpoint

#: turns of a loop over what is written out that are taken one by one
MAX_TURNS = 4


class Statements(Part):
    """Statements to what they bind, return and make known."""

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
                        self.lowering.expressions.lower(child)

    def lower_Assign(self, s: ast.Assign) -> None:
        value = self.lowering.expressions.lower(s.value)
        for target in s.targets:
            self.lowering.scopes.bind(target, value, s)
            # a module, or a module and whether it is there
            first = target.elts[0] if isinstance(target, ast.Tuple) else target
            if isinstance(first, ast.Name) and (name := optional_import(s.value, first.id)):
                self.lowering.scopes.bind(first, self.graph.add(MODULE, {}, {"name": name}, s.value), s)

    def lower_AnnAssign(self, s: ast.AnnAssign) -> None:
        if s.value is not None:
            made = self.lowering.expressions.lower(s.value)
            if made.op in (ATTR, CALL) and made.framework is None:
                made.framework = self.lowering.parameters.whose(given_type(s.annotation))
            self.lowering.scopes.bind(s.target, made, s)

    def lower_AugAssign(self, s: ast.AugAssign) -> None:
        old = self.lowering.expressions.lower(s.target)
        right = self.lowering.expressions.lower(s.value)
        new = self.lowering.expressions.combine(s.op, old, right, s)
        self.lowering.scopes.written(old, new, s)
        self.lowering.scopes.escape_in_place(old, new)
        self.lowering.scopes.bind(s.target, new, s)

    def lower_Expr(self, s: ast.Expr) -> None:
        if not isinstance(s.value, ast.Constant):
            self.lowering.expressions.lower(s.value)

    def lower_Global(self, s: ast.Global) -> None:
        for name in s.names:
            self.lowering.scopes.declare(name, self.frame.top)

    def lower_Nonlocal(self, s: ast.Nonlocal) -> None:
        for name in s.names:
            frame = self.frame.parent
            while frame is not None and name not in frame.env:
                frame = frame.parent
            if frame is not None:
                self.lowering.scopes.declare(name, frame)

    def lower_Delete(self, s: ast.Delete) -> None:
        for t in s.targets:
            if isinstance(t, ast.Name):
                self.frame.env.pop(t.id, None)

    def lower_Return(self, s: ast.Return) -> None:
        if s.value is not None:
            self.frame.returns.append((self.lowering.expressions.lower(s.value), self.frame.facts))
        self.frame.exits.append(self.frame.facts)
        self.frame.live = False

    def lower_Raise(self, s: ast.Raise) -> None:
        self.frame.live = False

    def lower_Break(self, s: ast.Break) -> None:
        self.frame.breaks.append(self.lowering.scopes.snapshot())
        self.frame.live = False

    def lower_Continue(self, s: ast.Continue) -> None:
        self.lowering.scopes.escape_unused(self.frame)
        self.frame.live = False

    def lower_Assert(self, s: ast.Assert) -> None:
        before = self.frame.facts
        self.lowering.builder.assume(self.lowering.expressions.lower(s.test), True)
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

    def lower_If(self, s: ast.If) -> None:
        frame = self.frame
        cond = self.lowering.expressions.lower(s.test)
        taken = decided(cond)
        if taken is not None and (frame.depth or names_nothing(s.test)):
            self.block(s.body if taken else s.orelse)
            return
        env, facts = self.lowering.scopes.snapshot()
        outcomes: list[tuple[Env, PathCondition, bool]] = []
        for truth, body in ((True, s.body), (False, s.orelse)):
            frame.env, frame.facts, frame.live = env.copy(), facts, True
            self.lowering.builder.assume(cond, truth)
            with kept(frame, "regions"):
                if taken is (not truth):
                    frame.regions += (Region("not_taken", s),)
                self.block(body)
            # what the branch found out of a value that it set is forgotten where it ends, but by the value
            for name in frame.env.changed(env):
                if (value := frame.env.get(name)) is not None and value is not env.get(name):
                    frame.env[name] = self.lowering.builder.refined(value)
            outcomes.append((frame.env, frame.facts, frame.live))
        (env_a, facts_a, live_a), (env_b, facts_b, live_b) = outcomes
        if live_a and live_b:
            frame.env = self.lowering.scopes.join_env(cond, env_a, env_b, s)
            frame.facts = common((facts_a, facts_b))
        elif live_a or live_b:
            frame.env, frame.facts = (env_a, facts_a) if live_a else (env_b, facts_b)
        else:
            frame.env, frame.facts = env, facts
        frame.live = live_a or live_b
        if isinstance(s.body[-1], ast.Raise) and not s.orelse:
            self.checked(s, facts)

    def lower_For(self, s: ast.For | ast.AsyncFor) -> None:
        iterable = self.counted(self.lowering.expressions.lower(s.iter), s)
        if iterable.op == TUPLE and 0 < len(iterable.args) <= MAX_TURNS and not iterable.attrs.get("starred"):
            for element in list(iterable.args.values()):
                self.lowering.scopes.bind(s.target, element, s)
                self.block(s.body)
                self.frame.live = True
            return
        self.loop(s, lambda: self.lowering.scopes.bind(s.target, self.lowering.containers.element(iterable, s.iter), s))

    def counted(self, iterable: Node, s: ast.For | ast.AsyncFor) -> Node:
        """The numbers of a range of a few that are known, one by one; anything else as it is."""
        bounds = [n.attrs.get("value") for n in iterable.args.values() if n.op == CONST]
        whole = iterable.op == "range" and len(bounds) == len(iterable.args) <= 2
        if not whole or not all(type(b) is int for b in bounds) or any(isinstance(n, ast.Break) for n in ast.walk(s)):
            return iterable
        numbers = range(*bounds)  # type: ignore[arg-type]
        if not 0 < len(numbers) <= MAX_TURNS:
            return iterable
        return self.lowering.builder.emit(
            TUPLE, s.iter, args={str(i): self.lowering.builder.number(i, s.iter) for i in numbers}
        )

    def lower_While(self, s: ast.While) -> None:
        if names_nothing(s.test) and decided(self.lowering.expressions.lower(s.test)) is False:
            self.block(s.orelse)
            return

        def enter() -> None:
            self.lowering.builder.assume(self.lowering.expressions.lower(s.test), True)

        self.loop(s, enter)
        if not any(isinstance(n, ast.Break) for n in ast.walk(s)):
            self.lowering.builder.assume(self.lowering.expressions.lower(s.test), False)

    def loop(self, s: ast.For | ast.AsyncFor | ast.While, enter: object) -> None:
        """Every variable that a loop's body assigns becomes a LOOP node over its value before and after a turn."""
        frame = self.frame
        phis: dict[str, Node] = {}
        records: dict[str, Node] = {}
        for name in stored_names(s.body):
            before = frame.lookup(name)
            if before is not None and is_record(before):
                frame.env[name] = records[name] = carried(self.lowering, before, s)
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
                self.lowering.scopes.rebind(phi["pre"], phi)
        for name, record in records.items():
            back = after.get(name)
            if back is None or not frame.live or back.args.keys() == record.args.keys():
                carry(self.lowering, record, back or record)
            else:
                # of another form after a turn
                records[name] = self.lowering.builder.unknown(s, record, back)
        frame.live = True
        env = after.copy()
        env.update({**phis, **records})
        for broken, _ in frame.breaks:
            env = self.lowering.scopes.join_env(None, env, broken, s)
        frame.env, frame.facts, frame.breaks = env, facts, outer_breaks
        self.block(s.orelse)

    def lower_Try(self, s: ast.Try) -> None:
        frame = self.frame
        env, facts = self.lowering.scopes.snapshot()
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
            frame.env = self.lowering.scopes.join_env(None, frame.env, other, s)
        self.block(s.finalbody)

    def lower_With(self, s: ast.With | ast.AsyncWith) -> None:
        frame = self.frame
        with kept(frame, "regions"):
            for item in s.items:
                context = self.lowering.expressions.lower(item.context_expr)
                region = self.region(context, item.context_expr, s)
                if region is not None and region.kind == "half" and self.switched_off(item.context_expr):
                    frame.regions = tuple(r for r in frame.regions if r.kind != "half")
                elif region is not None:
                    frame.regions = (*frame.regions, region)
                    if context.op == "tape":
                        context.attrs.setdefault("regions", []).append(region)
                if item.optional_vars is not None:
                    self.lowering.scopes.bind(item.optional_vars, context, s)
            self.block(s.body)

    def region(self, context: Node, written: ast.expr, s: ast.AST) -> Region | None:
        """The region that a context object opens, if it matters."""
        if context.op == "tape":
            return Region("tape", s, {"tape": context})
        if context.op == "stop_recording":
            return Region("no_grad", s)
        name = self.lowering.builder.spelled_name(context)
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
        given = (
            self.lowering.expressions.lower(e)
            for e in (*autocast.args, *(k.value for k in autocast.keywords if k.arg == "enabled"))
        )
        return any(node.op == CONST and node.attrs["value"] is False for node in given)

    def precision(self, autocast: Node) -> dict[str, str]:
        """The format that a region of autocast computes in: what it is told, else float16 (bfloat16 on a CPU)."""
        told = next((d for a in autocast.args.values() if (d := self.lowering.builder.dtype_of(a)) is not None), None)
        on_cpu = any(a.attrs.get("value") == "cpu" for a in autocast.args.values())
        return {"dtype": told or ("bfloat16" if on_cpu else "float16")}

    def lower_Match(self, s: ast.Match) -> None:
        subject = self.lowering.expressions.lower(s.subject)
        env, facts = self.lowering.scopes.snapshot()
        paths: list[Env] = []
        exhaustive = False
        for case in s.cases:
            self.frame.env, self.frame.facts, self.frame.live = env.copy(), facts, True
            exhaustive = exhaustive or (case.guard is None and getattr(case.pattern, "pattern", case) is None)
            equal = self.equals(subject, case.pattern)
            if equal is not None:
                self.lowering.builder.assume(equal, True)
            for captured in ast.walk(case.pattern):
                name = getattr(captured, "rest" if isinstance(captured, ast.MatchMapping) else "name", None)
                if isinstance(name, str):
                    self.frame.env[name] = (
                        subject if captured is case.pattern else self.lowering.builder.unknown(case.pattern, subject)
                    )
            guard = self.lowering.expressions.lower(case.guard) if case.guard is not None else None
            if guard is not None:
                self.lowering.builder.assume(guard, True)
            self.block(case.body)
            if self.frame.live:
                paths.append(self.frame.env)
            # the cases below are come to where this one was not taken
            refused = guard if equal is None and isinstance(case.pattern, ast.MatchAs) else None if guard else equal
            if refused is not None:
                self.frame.facts = facts
                self.lowering.builder.assume(refused, False)
                facts = self.frame.facts
        if not exhaustive:
            paths.insert(0, env)
        joined = paths[0] if paths else env
        for other in paths[1:]:
            joined = self.lowering.scopes.join_env(None, joined, other, s)
        self.frame.env, self.frame.facts, self.frame.live = joined, facts, bool(paths)

    def equals(self, subject: Node, pattern: ast.pattern) -> Node | None:
        """The comparison that a pattern of a literal makes."""
        if not isinstance(pattern, ast.MatchValue):
            return None
        return self.lowering.builder.emit("eq", pattern, a=subject, b=self.lowering.expressions.lower(pattern.value))

    def lower_FunctionDef(self, s: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.frame.env[s.name] = made = self.lowering.functions.function_value(s)
        if self.frame.parent is None and s.decorator_list:
            self.lower_detached(lambda: self.lowering.functions.decorated(made))

    def lower_ClassDef(self, s: ast.ClassDef) -> None:
        cls = ClassInfo(s.name, s, [self.lowering.expressions.lower(b) for b in s.bases], scope=self.frame)
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
        self.lowering.defined_classes.append(cls)
        self.frame.env[s.name] = made = self.graph.add(CLASS, {}, {"cls": cls, "name": s.name}, s, pure=False)
        if self.frame.parent is None and s.decorator_list:
            self.lower_detached(lambda: self.lowering.functions.decorate(made, s.decorator_list, self.frame.top))

    def lower_detached(self, work: Callable[[], object]) -> None:
        """Lower what the statement that is being lowered asks for, and stay on its path."""
        with kept(self.lowering, "frame"):
            self.lowering.frame = Frame(parent=self.frame)
            work()

    lower_AsyncFunctionDef = lower_FunctionDef
    lower_AsyncFor = lower_For
    lower_AsyncWith = lower_With
    lower_TryStar = lower_Try

    def lower_Import(self, s: ast.Import) -> None:
        for alias in s.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.frame.env[alias.asname or name] = self.graph.add(MODULE, {}, {"name": name}, s)

    def lower_ImportFrom(self, s: ast.ImportFrom) -> None:
        module = self.lowering.project.absolute(s.module or "", s.level)
        for alias in s.names:
            if alias.name == "*":
                self.lowering.project.import_all(module, s)
                continue
            self.frame.env[alias.asname or alias.name] = self.lowering.expressions.imported(module, alias.name, s)
