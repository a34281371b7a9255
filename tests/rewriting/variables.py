"""Rewritings that put a value somewhere else on its way: into a variable, a record, a dict, a tuple, a loop."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable

from tests.rewriting.code import (
    COMPUTED,
    SCOPES,
    Block,
    Code,
    Expressions,
    Function,
    assigned_name,
    at_place_of,
    copied,
    in_blocks,
    in_expressions,
    movable,
    name,
    own_nodes,
    parameters,
    simple_value,
    uses,
)

#: expressions whose parts are evaluated on a condition, several times or later: nothing is taken out of them
CLOSED = (ast.Lambda, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.IfExp, ast.BoolOp, ast.JoinedStr)


def extract_variables(code: Code) -> int:
    """Each part of an expression that computes something is a variable of its own."""
    return sum(in_blocks(function, lambda s: taken_apart(code, s)) for function, _ in code.functions())


def taken_apart(code: Code, statement: ast.stmt) -> Block | None:
    """A statement behind the assignments of the parts of its value."""
    value = simple_value(statement)
    if value is None and isinstance(statement, ast.Expr):
        value = statement.value
    if not movable(value):
        return None
    assert value is not None
    before: Block = []

    def part(e: ast.expr) -> ast.expr:
        apart(e)
        if not isinstance(e, COMPUTED) or (isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant)):
            return e
        variable = code.fresh("part")
        before.append(ast.Assign([ast.Name(variable, ast.Store())], e))
        return at_place_of(name(variable), e)

    def apart(e: ast.expr) -> None:
        if isinstance(e, (*CLOSED, ast.Starred, ast.Slice)):
            return
        if isinstance(e, ast.Call):
            if isinstance(e.func, ast.Attribute):
                e.func.value = part(e.func.value)
            e.args = [a if isinstance(a, ast.Starred) else part(a) for a in e.args]
            for keyword in e.keywords:
                keyword.value = part(keyword.value)
        elif isinstance(e, ast.BinOp):
            e.left = part(e.left)
            e.right = part(e.right)
        elif isinstance(e, ast.UnaryOp):
            e.operand = part(e.operand)
        elif isinstance(e, ast.Compare) and len(e.ops) == 1:
            e.left = part(e.left)
            e.comparators = [part(c) for c in e.comparators]
        elif isinstance(e, (ast.Subscript, ast.Attribute)):
            e.value = part(e.value)
        elif isinstance(e, (ast.Tuple, ast.List)):
            e.elts = [part(i) for i in e.elts]

    apart(value)
    return [*before, statement] if before else None


def inline_variables(code: Code) -> int:
    """A variable that only the next statement reads, and only once, is its value there."""
    return sum(inlined(function) for function, _ in code.functions())


def inlined(function: Function) -> int:
    changes = 0

    def block(body: Block) -> Block:
        nonlocal changes
        result: Block = []
        for statement in body:
            for part in (statement, *getattr(statement, "handlers", ())):
                for where in ("body", "orelse", "finalbody"):
                    if getattr(part, where, None) and not isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                        setattr(part, where, block(getattr(part, where)))
            variable = assigned_name(result[-1]) if result else None
            if variable is not None and put_in(function, variable, result[-1], statement):
                changes += 1
                result[-1] = statement
            else:
                result.append(statement)
        return result

    function.body = block(function.body)
    return changes


def put_in(function: Function, variable: str, assignment: ast.stmt, statement: ast.stmt) -> bool:
    """Whether the value of a variable could be put into the statement behind its assignment."""
    assert isinstance(assignment, ast.Assign)
    known = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == variable]
    read = uses(function, variable)
    value = simple_value(statement) or (statement.value if isinstance(statement, ast.Expr) else None)
    if value is None or len(read) != 1 or len(known) != 2 or variable in parameters(function):
        return False
    within = [n for n in ast.walk(value) if n is read[0]]
    closed = [c for c in ast.walk(value) if isinstance(c, CLOSED) and any(n is read[0] for n in ast.walk(c))]
    if not within or closed or (isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Subscript)):
        return False
    # a finding in the value is about the line on which it stood
    read[0].origin = getattr(assignment.value, "origin", frozenset())  # type: ignore[attr-defined]
    put = Expressions(lambda e: assignment.value if e is read[0] else None)
    put.visit(statement)
    return bool(put.changes)


def values_in_holders(
    code: Code, held: Callable[[Code, str, ast.expr], ast.expr], read: Callable[[str, str], ast.expr]
) -> int:
    """Each variable that is only ever assigned by itself holds something that holds its value."""
    changes = 0
    for function, _ in code.functions():
        for variable in sorted(plain_variables(function)):
            holder = code.fresh(f"held_{variable}")

            def assignment(s: ast.stmt, variable: str = variable, holder: str = holder) -> Block | None:
                if assigned_name(s) != variable:
                    return None
                assert isinstance(s, ast.Assign)
                new = ast.Assign([ast.Name(holder, ast.Store())], held(code, variable, s.value))
                new.origin = getattr(s, "origin", frozenset())  # type: ignore[attr-defined]
                return [new]

            def reading(e: ast.expr, variable: str = variable, holder: str = holder) -> ast.expr | None:
                is_read = isinstance(e, ast.Name) and e.id == variable and isinstance(e.ctx, ast.Load)
                return read(holder, variable) if is_read else None

            changes += in_blocks(function, assignment)
            in_expressions(function, reading)
    return changes


def plain_variables(function: Function) -> set[str]:
    """Variables of a function that are only bound by ``name = value``, and that no function within it knows."""
    plain = Counter(v for n in own_nodes(function) if isinstance(n, ast.stmt) and (v := assigned_name(n)))
    bound = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    within = [n for n in own_nodes(function) if isinstance(n, SCOPES)]
    shared = {n.id for inner in within for n in ast.walk(inner) if isinstance(n, ast.Name)}
    shared |= {n for s in own_nodes(function) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
    return {v for v in plain if plain[v] == bound[v]} - shared - {*parameters(function)}


def dataclass_fields(code: Code) -> int:
    """Each variable is a field of a dataclass."""
    classes: dict[str, str] = {}

    def held(code: Code, variable: str, value: ast.expr) -> ast.expr:
        if variable not in classes:
            classes[variable] = code.fresh("Holder")
        return ast.Call(name(classes[variable]), [], [ast.keyword(variable, value)])

    changes = values_in_holders(code, held, lambda holder, variable: ast.Attribute(name(holder), variable, ast.Load()))
    if changes:
        code.define("import dataclasses")
    for variable, cls in classes.items():
        code.define(f"@dataclasses.dataclass\nclass {cls}:\n    {variable}: object")
    return changes


def dict_entries(code: Code) -> int:
    """Each variable is an entry of a dict."""

    def held(code: Code, variable: str, value: ast.expr) -> ast.expr:
        return ast.Dict([ast.Constant(variable)], [value])

    return values_in_holders(
        code, held, lambda holder, variable: ast.Subscript(name(holder), ast.Constant(variable), ast.Load())
    )


def tuple_elements(code: Code) -> int:
    """Each variable is the first of two elements of a tuple."""

    def held(code: Code, variable: str, value: ast.expr) -> ast.expr:
        return ast.Tuple([value, ast.Constant(None)], ast.Load())

    return values_in_holders(code, held, lambda holder, _: ast.Subscript(name(holder), ast.Constant(0), ast.Load()))


def unpacked_tuples(code: Code) -> int:
    """Each variable is unpacked from a tuple."""

    def change(s: ast.stmt) -> Block | None:
        if assigned_name(s) is None:
            return None
        assert isinstance(s, ast.Assign)
        other = ast.Name(code.fresh("other"), ast.Store())
        s.targets = [ast.Tuple([s.targets[0], other], ast.Store())]
        s.value = ast.Tuple([s.value, ast.Constant(None)], ast.Load())
        return [s]

    return sum(in_blocks(function, change) for function, _ in code.functions())


def loops_of_one_turn(code: Code) -> int:
    """Each variable is assigned in a loop that turns once."""

    def change(s: ast.stmt) -> Block | None:
        if assigned_name(s) is None:
            return None
        turn = ast.Name(code.fresh("turn"), ast.Store())
        return [ast.For(turn, call_range(), [s], [], None)]

    return sum(in_blocks(function, change) for function, _ in code.functions())


def comprehensions(code: Code) -> int:
    """Each value that is assigned or returned is made by a comprehension."""

    def change(s: ast.stmt) -> Block | None:
        value = simple_value(s)
        if not movable(value):
            return None
        assert value is not None
        turn = ast.Name(code.fresh("turn"), ast.Store())
        made = ast.ListComp(value, [ast.comprehension(turn, call_range(), [], 0)])
        s.value = ast.Subscript(made, ast.Constant(0), ast.Load())  # type: ignore[attr-defined]
        return [s]

    return sum(in_blocks(function, change) for function, _ in code.functions())


def call_range() -> ast.expr:
    return ast.Call(name("range"), [ast.Constant(1)], [])


def branches(code: Code) -> int:
    """Each variable is assigned on both ways of a branch."""

    def change(s: ast.stmt) -> Block | None:
        if assigned_name(s) is None:
            return None
        other = ast.parse(ast.unparse(s)).body[0]
        assert isinstance(s, ast.Assign)
        assert isinstance(other, ast.Assign)
        other.value = copied(s.value)
        return [ast.If(ast.Compare(name(code.fresh("FLAG")), [ast.Is()], [ast.Constant(None)]), [s], [other])]

    changes = sum(in_blocks(function, change) for function, _ in code.functions())
    flags = {n.id for n in ast.walk(code.tree) if isinstance(n, ast.Name) and n.id.startswith("FLAG_")}
    for flag in sorted(flags):
        code.define(f"{flag} = __import__('os').environ.get({flag!r})")
    return changes
