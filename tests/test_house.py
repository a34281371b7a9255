"""The house: which room may import which, what each may weigh, how long a function may be.

Size is counted in statements, docstrings apart: lines are laid out, statements are thought. A change may make a room
smaller and lowers its number then; it raises one only with as much deleted elsewhere in the same change.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from functools import cache
from pathlib import Path

from nanlint.testing import blocks, sections

ROOT = Path(__file__).parents[1]

#: rooms -> statements; those of the package's own directory are its "top". What one room hands to another of its row
#: changes nothing: ``hazards`` is to take over most of what ``analysis`` decides.
BUDGETS = {
    "analysis hazards": 6_117,
    "cache": 372,
    "commands": 1_284,
    "fixes": 3_777,
    "frontend": 4_175,
    "graph": 614,
    "lint": 1_027,
    "ops": 1_794,
    "output": 1_329,
    "proof": 2_553,
    "rules": 1_875,
    "runtime": 14_165,
    "server": 1_683,
    "source": 2_274,
    "top": 2_276,
}
#: rooms that have been given room to grow
GROWING = frozenset({"runtime"})
#: statements that a room may be below its budget before that is to be lowered
SLACK = 15
#: pieces of syntax for each statement of the package: what is saved in statements is not packed into longer ones
DENSITY = 13.83

#: what parts of the front end may name as a type
HOLDER = "from nanlint.frontend.lower import Lowering"

#: lines of a function without its docstring
LONGEST = 60
#: functions that are tables, one row below the other, or are still to be taken apart -> lines
LONGER = {
    "runtime/inspecting/debugger_v2/origins.py:_born": 61,
    "runtime/recorder.py:born": 65,
}


def test_layers_import_from_those_below_them_only() -> None:
    """The list in docs/design.md, from the top; imports in functions or for type checking count as well."""
    (layers,) = blocks(sections((ROOT / "docs" / "design.md").read_text(encoding="utf-8"))["Layers"], "text")
    order = [line.split()[0] for line in layers.splitlines()]
    upwards = []
    for module, imported in imports().items():
        here = _layer(module)
        assert here in order, f"docs/design.md does not know the layer of {module}"
        upwards += [f"{module}: {there}" for there in imported if order.index(_layer(there)) < order.index(here)]
    assert not upwards


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    """Wherever an import stands.

    A part of the front end is given what holds all parts, and may name its type: Python's grammar is recursive.
    """
    behind = {module: _behind(module) for module in imports()}
    circles = {frozenset(n for n in behind[m] if m in behind[n]) for m in imports() if m in behind[m]}
    assert not circles


def _layer(module: str) -> str:
    return module.removeprefix("nanlint.").partition(".")[0]


def _behind(module: str) -> set[str]:
    """All that a module imports, and what that imports, and so on."""
    found: set[str] = set()
    pending = [module]
    while pending:
        new = imports()[pending.pop()] - found
        found |= new
        pending += new
    return found


def _modules() -> dict[str, Path]:
    paths = {path.relative_to(ROOT).with_suffix("").parts: path for path in sorted((ROOT / "nanlint").rglob("*.py"))}
    del paths["nanlint", "__main__"]
    return {".".join(parts).removesuffix(".__init__"): path for parts, path in paths.items()}


def _imports(path: Path, modules: Collection[str]) -> set[str]:
    """The modules of the package that one names in its imports, wherever they stand."""
    found, within = set(), nodes()[path]
    if path.parent.name == "frontend":
        typed = (n for n in within if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
        holders = [n for part in typed for n in part.body if ast.unparse(n) == HOLDER]
        within = [node for node in within if node not in holders]
    for node in within:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in modules}
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found |= {name if name in modules else str(node.module) for name in names}
    return found


@cache
def imports() -> dict[str, set[str]]:
    """The modules of the package that each of them imports."""
    modules = _modules()
    return {module: _imports(path, modules) for module, path in modules.items()}


def test_a_room_weighs_what_it_may() -> None:
    """Where this fails, the message has the rows as they are now."""
    now = weights()
    wrong = [f'    "{rooms}": {now[rooms]:_},' for rooms, most in BUDGETS.items() if now[rooms] > most]
    low = [
        f'    "{rooms}": {now[rooms]:_},'
        for rooms, most in BUDGETS.items()
        if now[rooms] < most - SLACK and rooms not in GROWING
    ]
    assert now.keys() == BUDGETS.keys(), "a room without a budget, or a budget without a room"
    assert not wrong, "\n".join(["heavier than they may be; delete as much as is added:", *wrong])
    assert not low, "\n".join(["lighter than their budgets, which may be lowered to:", *low])


def test_statements_are_not_packed() -> None:
    """Tables apart, which are data: what is assigned in modules."""
    pieces = statements = 0
    for within in nodes().values():
        tables = [node for node in ast.iter_child_nodes(within[0]) if isinstance(node, (ast.Assign, ast.AnnAssign))]
        pieces += len(within) - 2 * docstrings(within) - sum(len(list(ast.walk(table))) for table in tables)
        statements -= len(tables)
    density = pieces / (statements + sum(weights().values()))
    assert density <= DENSITY + 0.05, f"{density:.2f} pieces of syntax for each statement"


def test_no_function_is_long_but_tables() -> None:
    longer = {
        f"{path.relative_to(ROOT / 'nanlint').as_posix()}:{node.name}": length
        for path, within in nodes().items()
        for node in within
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (length := lines_of(node)) > LONGEST
    }
    assert longer == LONGER, "functions that are longer, or no longer longer, than the table says"


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """All pieces of syntax of each file of the package."""
    paths = sorted((ROOT / "nanlint").rglob("*.py"))
    return {path: list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in paths}


@cache
def weights() -> Counter[str]:
    """The statements of each row of rooms."""
    rows = {room: rooms for rooms in BUDGETS for room in rooms.split()}
    found: Counter[str] = Counter()
    for path, within in nodes().items():
        room, *inside = path.relative_to(ROOT / "nanlint").parts
        room = room if inside else "top"
        found[rows.get(room, room)] += sum(isinstance(node, ast.stmt) for node in within) - docstrings(within)
    return found


def docstrings(within: list[ast.AST]) -> int:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None for node in within)


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function, from its ``def``, without those of its docstring."""
    told = function.body[:1] if ast.get_docstring(function, clean=False) is not None else []
    return (function.end_lineno or 0) - function.lineno + 1 - sum((s.end_lineno or 0) - s.lineno + 1 for s in told)
