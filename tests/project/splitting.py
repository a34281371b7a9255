"""Programs that are split into the files of a project are judged as they are in one file.

What other functions of a program use (helper functions, classes, constants, and what these depend on) moves into
modules of its own, line by line, and is imported back in one of several styles. Every row of the new files knows its
row in the program, so that a finding in one of them can be told to be the one there. Two figures are counted: of
findings at what stays in the main file, and of all, those included whose code has moved away from its callers.

``python -m tests.project.splitting`` prints them, for each style; ``-v``: also each finding that differs; a number: of
every so manieth program only.
"""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nanlint
from nanlint.lint.one_file import diagnose_source
from nanlint.source import Source
from nanlint.source.project import in_project
from tests.programs.fixtures import PROGRAMS, Program
from tests.rewriting import calls, functions, variables
from tests.rewriting.code import WITNESS, Code, in_expressions, rewritten

PACKAGE = "pkg"
MAIN = "main"
#: modules that things move to: what others of the moved functions use, functions, classes, constants
DEEPER, FUNCTIONS, CLASSES, CONSTANTS = "shared_deeper", "shared_functions", "shared_classes", "shared_constants"
MODULES = (CONSTANTS, DEEPER, CLASSES, FUNCTIONS)
Statements = list[ast.stmt]


@dataclass(frozen=True)
class Style:
    """How names of another module are imported and used.

    ``imports``: the statements for names of a module. ``use``: what is written for a name of a module. ``reexports``:
    whether the package hands the names on. ``package``: whether the files are one, and not scripts side by side.
    """

    imports: Callable[[str, Sequence[str]], Sequence[str]]
    use: Callable[[str, str], str] = field(default=lambda module, name: name)
    lists_names: bool = False
    reexports: bool = False
    package: bool = True


def _from(module: str) -> Callable[[str, Sequence[str]], Sequence[str]]:
    return lambda name, names: [f"from {module.format(name)} import {', '.join(names)}"]


STYLES: Mapping[str, Style] = {
    "from .helpers import f": Style(_from(".{}")),
    "from pkg.helpers import f": Style(_from(f"{PACKAGE}.{{}}")),
    "from .helpers import f as g": Style(
        lambda module, names: [f"from .{module} import {', '.join(f'{n} as {n}_of_another' for n in names)}"],
        lambda module, name: f"{name}_of_another",
    ),
    "import pkg.helpers as h": Style(
        lambda module, names: [f"import {PACKAGE}.{module} as {module}_module"],
        lambda module, name: f"{module}_module.{name}",
    ),
    "import pkg.helpers": Style(
        lambda module, names: [f"import {PACKAGE}.{module}"],
        lambda module, name: f"{PACKAGE}.{module}.{name}",
    ),
    "from . import helpers": Style(
        lambda module, names: [f"from . import {module}"],
        lambda module, name: f"{module}.{name}",
    ),
    "from .helpers import *": Style(lambda module, names: [f"from .{module} import *"], lists_names=True),
    "from pkg import f, re-exported": Style(
        lambda module, names: [f"from {PACKAGE} import {', '.join(names)}"], reexports=True
    ),
    "from helpers import f, scripts": Style(_from("{}"), package=False),
}


def constants(code: Code) -> int:
    """Fractions that are written in a function are constants of the module."""

    def change(e: ast.expr) -> ast.expr | None:
        if not isinstance(e, ast.Constant) or not isinstance(e.value, float):
            return None
        own = code.fresh("CONSTANT")
        code.define(f"{own} = {e.value!r}")
        return ast.Name(own, ast.Load())

    return sum(in_expressions(function, change) for function, _ in code.functions())


#: what makes functions, classes, objects and constants that can move
REWRITTEN: Mapping[str, Callable[[Code], int] | None] = {
    "as it is": None,
    "helpers": functions.helpers,
    "operands": functions.operand_helpers,
    "methods": functions.methods,
    "objects": functions.objects,
    "dataclasses": variables.dataclass_fields,
    "aliases": calls.aliases,
    "partials": functions.partials,
    "constants": constants,
}


@dataclass(frozen=True)
class File:
    """A file of a split program: its lines, each with its row in the program; None for what is new."""

    lines: tuple[tuple[str, int | None], ...]

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line, _ in self.lines)

    def rows(self, first: int, last: int) -> frozenset[int]:
        """The rows of the program that some rows of the file are."""
        return frozenset(row for _, row in self.lines[first - 1 : last] if row is not None)


@dataclass(frozen=True, order=True)
class Found:
    """A finding that is shown, at the rows of the program that it is about."""

    rows: tuple[int, ...]
    code: str


@dataclass(frozen=True)
class Split:
    """A program in several files, and how their findings differ from those of the program.

    ``here``: the rows of the program that are in the main file still. ``expected``: what is found in the program.
    """

    files: Mapping[str, str]
    here: frozenset[int]
    expected: frozenset[Found]
    found: frozenset[Found]

    def of(self, found: Iterable[Found], in_main: bool) -> frozenset[Found]:
        """Those of some findings that are in the main file, or all of them."""
        return frozenset(f for f in found if not in_main or self.here.issuperset(f.rows))

    def missing(self, in_main: bool) -> frozenset[Found]:
        return self.of(self.expected - self.found, in_main)

    def surplus(self, in_main: bool) -> frozenset[Found]:
        return self.of(self.found - self.expected, in_main)

    def kept(self, in_main: bool) -> bool:
        return not self.missing(in_main) and not self.surplus(in_main)


# ── what moves ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Parts:
    """The top level of a program: what each of its statements binds and uses, and where it is to be."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.binds = {s: frozenset(bound_by(s)) for s in self.tree.body}
        self.uses = {s: frozenset(used_by(s)) for s in self.tree.body}
        self.homes = self._homes()

    def binders(self, names: Iterable[str]) -> Statements:
        """The statements that bind some names, imports left out."""
        wanted = set(names)
        return [s for s in self.tree.body if not is_import(s) and self.binds[s] & wanted]

    def _homes(self) -> Mapping[ast.stmt, str]:
        """Statement -> the module that it moves to."""
        moved = [s for s in self.tree.body if self._may_move(s) and self._is_used(s)]
        while stuck := [s for s in moved if any(other not in moved for other in self.binders(self.uses[s]))]:
            # what a module needs of the main file cannot come from there: that imports the module
            moved = [s for s in moved if s not in stuck]
        moved = [s for s in moved if all(other in moved for other in self.binders(self.binds[s]))]
        if not any(isinstance(s, (ast.FunctionDef, ast.ClassDef)) and not is_witness(s) for s in self._others(moved)):
            return {}
        homes = {s: self._kind(s, moved) for s in moved}
        return homes if acyclic(self._needs(homes)) else dict.fromkeys(moved, FUNCTIONS)

    def _may_move(self, s: ast.stmt) -> bool:
        """Whether a statement may stand in another file: a definition or a constant, on rows of its own."""
        simple = isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.Assign)) and not is_witness(s)
        globals_ = {name for n in ast.walk(self.tree) if isinstance(n, ast.Global) for name in n.names}
        alone = all(other is s or not set(rows_of(s)) & set(rows_of(other)) for other in self.tree.body)
        dunder = any(name.startswith("__") for name in self.binds[s])
        return simple and alone and not dunder and bool(self.binds[s]) and not globals_ & (self.binds[s] | self.uses[s])

    def _is_used(self, s: ast.stmt) -> bool:
        """Whether anything but the function that runs the program uses what a statement binds."""
        return any(
            self.binds[s] & self.uses[other] for other in self.tree.body if other is not s and not is_witness(other)
        )

    def _others(self, moved: Statements) -> Statements:
        return [s for s in self.tree.body if s not in moved]

    def _kind(self, s: ast.stmt, moved: Statements) -> str:
        if isinstance(s, ast.Assign):
            return CONSTANTS
        if isinstance(s, ast.ClassDef):
            return CLASSES
        return FUNCTIONS if any(self.binds[s] & self.uses[other] for other in self._others(moved)) else DEEPER

    def _needs(self, homes: Mapping[ast.stmt, str]) -> Mapping[str, set[str]]:
        """Module -> the other modules that it imports."""
        needs: dict[str, set[str]] = {home: set() for home in homes.values()}
        for s, home in homes.items():
            needs[home].update(homes[other] for other in self.binders(self.uses[s]) if homes[other] != home)
        return needs

    # ── the files ───────────────────────────────────────────────────────────────────────────────────────────────────

    def files(self, style: Style) -> dict[str, File] | None:
        """The files by the names of their modules; None where nothing moves, or not in this style."""
        origin = {name: home for s, home in self.homes.items() for name in self.binds[s]}
        homes = [module for module in MODULES if module in self.homes.values()]
        taken = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)}
        if not homes or taken & {PACKAGE, *homes}:
            return None
        made: dict[str, File] = {}
        for module in (MAIN, *homes):
            body = [s for s in self.tree.body if self.homes.get(s, MAIN) == module and not is_import(s)]
            foreign = {name: home for name, home in origin.items() if home != module}
            imports: dict[str, list[str]] = {}
            for name in sorted(foreign.keys() & {name for s in body for name in self.uses[s]}):
                imports.setdefault(foreign[name], []).append(name)
            lines = self._renamed(body, {name: style.use(home, name) for name, home in foreign.items()})
            if lines is None:
                return None
            new = [line for home in homes if home in imports for line in style.imports(home, imports[home])]
            if module == MAIN:
                made[module] = self._main(lines, new)
            else:
                own = [name for name, home in origin.items() if home == module]
                if style.lists_names and any(name.startswith("_") for name in own):
                    new.append(f"__all__ = {sorted(own)!r}")
                made[module] = self._module(body, lines, new)
        if style.reexports:
            names = {home: [name for name in sorted(origin) if origin[name] == home] for home in homes}
            made["__init__"] = File(tuple((f"from .{m} import {', '.join(names[m])}", None) for m in homes))
        return made

    def _main(self, lines: Mapping[int, str], new: Sequence[str]) -> File:
        """The program without what has moved, in its place; imports of the others behind its own."""
        gone = {row for s in self.homes for row in rows_of(s)}
        docstring = [s for s in self.tree.body[:1] if isinstance(s, ast.Expr)]
        head = max((max(rows_of(s)) for s in (*docstring, *filter(is_import, self.tree.body))), default=0)
        result: list[tuple[str, int | None]] = [] if head else [(line, None) for line in new]
        for row in range(1, len(self.lines) + 1):
            if row not in gone:
                result.append((lines.get(row, self.lines[row - 1]), row))
            if row == head:
                result.extend((line, None) for line in new)
        return File(tuple(result))

    def _module(self, body: Statements, lines: Mapping[int, str], new: Sequence[str]) -> File:
        """What has moved, under the imports that it needs."""
        used = {name for s in body for name in self.uses[s]}
        heads = [s for s in self.tree.body if is_import(s) and (self.binds[s] & used or is_future(s))]
        result: list[tuple[str, int | None]] = [
            *((self.lines[row - 1], row) for s in heads for row in rows_of(s)),
            *((line, None) for line in new),
        ]
        for s in body:
            result += [("", None), *((lines[row], row) for row in rows_of(s))]
        return File(tuple(result))

    def _renamed(self, body: Statements, written: Mapping[str, str]) -> Mapping[int, str] | None:
        """The lines of statements with other names for what has moved; None where a name has two meanings."""
        places: list[tuple[int, int, str]] = []
        for s in body:
            for n in ast.walk(s):
                if isinstance(n, ast.JoinedStr) and any(written.get(m, m) != m for m in used_by(n)):
                    return None  # where names are in it is not told before Python 3.12
                name = n.id if isinstance(n, ast.Name) else n.arg if isinstance(n, ast.arg) else None
                if name is None or written.get(name, name) == name:
                    continue
                if not isinstance(n, ast.Name) or not isinstance(n.ctx, ast.Load):
                    return None
                places.append((n.lineno, n.col_offset, name))
        result = {row: self.lines[row - 1] for s in body for row in rows_of(s)}
        for row, column, name in sorted(places, reverse=True):
            line = result[row].encode()
            result[row] = (line[:column] + written[name].encode() + line[column + len(name.encode()) :]).decode()
        return result


def rows_of(s: ast.stmt) -> range:
    """The rows of a statement, its decorators included."""
    decorators = s.decorator_list if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else []
    return range(min(s.lineno, *(d.lineno for d in decorators), s.lineno), (s.end_lineno or s.lineno) + 1)


def is_import(s: ast.stmt) -> bool:
    return isinstance(s, (ast.Import, ast.ImportFrom))


def is_future(s: ast.stmt) -> bool:
    return isinstance(s, ast.ImportFrom) and s.module == "__future__"


def is_witness(s: ast.stmt) -> bool:
    return isinstance(s, ast.FunctionDef) and s.name == WITNESS


def bound_by(s: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level binds, itself or in its blocks."""
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield s.name
        return
    for n in ast.walk(s):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            yield n.id
        elif isinstance(n, ast.alias):
            yield n.asname or n.name.partition(".")[0]
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield n.name


def used_by(node: ast.AST) -> Iterator[str]:
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store))


def acyclic(needs: Mapping[str, set[str]]) -> bool:
    """Whether modules can be imported one after the other."""
    left = dict(needs)
    while free := [module for module, others in left.items() if not others & left.keys()]:
        for module in free:
            del left[module]
    return not left


# ── how it is judged ────────────────────────────────────────────────────────────────────────────────────────────────


def found_in(path: str, text: str, file: File | None = None) -> set[Found]:
    """What is shown of one file of a project, at rows of the program; of the program itself without a file."""
    source = Source(path, text) if file is None else in_project(Source(path, text))
    found = diagnose_source(source, nanlint.config_of_keys(path, {}))
    rows = file.rows if file is not None else lambda first, last: frozenset(range(first, last + 1))
    return {Found(tuple(sorted(rows(d.span.row, d.span.end_row))), d.code) for d in found}


def split(text: str, style: Style, directory: Path, expected: frozenset[Found]) -> Split | None:
    """A program in several files under an empty directory, judged; None where the style does not apply to it."""
    files = Parts(text).files(style)
    if files is None:
        return None
    base = directory / PACKAGE if style.package else directory
    base.mkdir(parents=True)
    if style.package:
        (base / "__init__.py").write_text("", encoding="utf-8")
    for name, file in files.items():
        (base / f"{name}.py").write_text(file.text, encoding="utf-8")
    found: set[Found] = set()
    for name, file in files.items():
        path = str(base / f"{name}.py")
        found |= found_in(path, file.text, file)
    here = frozenset(row for _, row in files[MAIN].lines if row is not None)
    return Split({name: file.text for name, file in files.items()}, here, expected, frozenset(found))


def sources(program: Program) -> Iterator[tuple[str, str]]:
    """A program as it is, and rewritten so that there is something to move."""
    for name, rewrite in REWRITTEN.items():
        if rewrite is None:
            yield name, program.text
        elif (made := rewritten(program.text, rewrite)) is not None:
            yield name, made[0]


def splits_of(program: Program, turn: int = 0) -> list[tuple[str, str, Split]]:
    """Splits of a program in each style, and of its rewritten forms in one style each, by turns."""
    result = []
    names = list(STYLES)
    for number, (form, text) in enumerate(sources(program)):
        parts = Parts(text)
        if not parts.homes:
            continue
        expected = frozenset(found_in(str(program.path), text))
        styles = names if number == 0 else [names[(turn + 2 * number) % len(names)]]
        for style in styles:
            with tempfile.TemporaryDirectory() as directory:
                made = split(text, STYLES[style], Path(os.path.realpath(directory), "project"), expected)
            if made is not None:
                result.append((form, style, made))
    return result


@dataclass(frozen=True)
class Judged:
    """One split, with what it is of."""

    program: Program
    form: str
    style: str
    split: Split


def judged(programs: Sequence[Program], processes: int = 2) -> Iterator[Judged]:
    """The splits of programs; in this process where there is to be one."""
    turns = range(len(programs))
    if processes == 1:
        for program, turn in zip(programs, turns, strict=True):
            yield from (Judged(program, *found) for found in splits_of(program, turn))
        return
    with ProcessPoolExecutor(processes) as pool:
        for program, found in zip(programs, pool.map(splits_of, programs, turns, chunksize=8), strict=True):
            yield from (Judged(program, *one) for one in found)


@dataclass(frozen=True)
class Figures:
    """How many splits are judged as the program is, and how many of its findings are there."""

    splits: int
    kept: int
    findings: int
    there: int
    surplus: int

    @property
    def share(self) -> float:
        return self.kept / self.splits if self.splits else 1.0

    @property
    def recall(self) -> float:
        return self.there / self.findings if self.findings else 1.0


def figures(results: Iterable[Judged], in_main: bool) -> Figures:
    """The figures of some splits: of what is in the main file, or of all."""
    splits = [one.split for one in results]
    findings = sum(len(s.of(s.expected, in_main)) for s in splits)
    return Figures(
        splits=len(splits),
        kept=sum(s.kept(in_main) for s in splits),
        findings=findings,
        there=findings - sum(len(s.missing(in_main)) for s in splits),
        surplus=sum(len(s.surplus(in_main)) for s in splits),
    )


def table(results: Sequence[Judged]) -> str:
    """A Markdown table: for each style and each form of the programs, the figures of the main file and of all."""
    head = "splits | alike | findings | there | surplus"
    lines = [
        f"| | in main: {head} | in all: {head} |",
        "| --- |" + " ---: |" * 10,
    ]
    rows = [
        *((style, [one for one in results if one.style == style]) for style in STYLES),
        *((form, [one for one in results if one.form == form]) for form in REWRITTEN),
        ("good programs", [one for one in results if not one.program.is_bad]),
        ("bad programs", [one for one in results if one.program.is_bad]),
        ("all", list(results)),
    ]
    for name, some in rows:
        cells = []
        for in_main in (True, False):
            f = figures(some, in_main)
            cells.append(f"{f.splits} | {100 * f.share:.1f} % | {f.findings} | {100 * f.recall:.1f} % | {f.surplus}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    step = next((int(a) for a in sys.argv[1:] if a.isdigit()), 1)
    results = list(judged(PROGRAMS[::step]))
    print(table(results))
    if "-v" in sys.argv:
        for one in results:
            for what, found in (("missing", one.split.missing(False)), ("surplus", one.split.surplus(False))):
                for f in sorted(found):
                    where = "main" if one.split.here.issuperset(f.rows) else "elsewhere"
                    program = f"{one.program.rule}/{one.program.path.name}"
                    print(f"{where}: {what} {f.code} at {list(f.rows)} of {program}, {one.form}; {one.style}")
