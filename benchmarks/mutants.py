"""Mutants of the analysis, and whether the tests notice: one operator, constant or branch is changed in each.

    python benchmarks/mutants.py [--seed 1] [--count 20] [--first N] [-- PYTEST ARGUMENTS]

Which places are changed depends on the seed alone. Each mutant is made in a copy of the working tree, where the tests
run up to the first failure. A row is printed for each: the place, the change, and the test that failed, if one did.
What survives may be equivalent: the change says what to look at.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import ROOT

FOLDERS = ("analysis", "fixes", "frontend", "graph", "ops")
#: what is taken for an operator
SWAPPED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
SECONDS = 1800
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A change of one place: ``start`` and ``end`` are offsets into the text of ``path``."""

    path: Path
    row: int
    start: int
    end: int
    old: str
    new: str

    @property
    def mutated(self) -> str:
        """The text of the file with the change."""
        text = (ROOT / self.path).read_text(encoding="utf-8")
        return text[: self.start] + self.new + text[self.end :]


def mutants(path: Path) -> Iterator[Mutant]:
    """All places of a file that can be changed: in functions, but not in what they say."""
    text = (ROOT / path).read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def made(a: tuple[int, int], b: tuple[int, int], pattern: str, new: str) -> Mutant | None:
        """The place between two positions in which a pattern is to be replaced."""
        first, last = starts[a[0] - 1] + a[1], starts[b[0] - 1] + b[1]
        found = re.search(pattern, text[first:last])
        if found is None or not text.isascii():
            return None
        start, end = first + found.start(), first + found.end()
        return Mutant(path, a[0], start, end, text[start:end], new)

    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in (n for statement in function.body for n in ast.walk(statement)):
            found = None
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
                right, new = node.comparators[0], SWAPPED[type(node.ops[0])]
                a = (node.left.end_lineno or 0, node.left.end_col_offset or 0)
                found = made(a, (right.lineno, right.col_offset), r"not in|is not|in|is|[<>=!]=?", new)
            elif isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
                a = (node.left.end_lineno or 0, node.left.end_col_offset or 0)
                found = made(a, (node.right.lineno, node.right.col_offset), r"[-+*/]", SWAPPED[type(node.op)])
            elif isinstance(node, ast.BoolOp):
                a = (node.values[0].end_lineno or 0, node.values[0].end_col_offset or 0)
                b = (node.values[1].lineno, node.values[1].col_offset)
                found = made(a, b, r"\b(and|or)\b", SWAPPED[type(node.op)])
            elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
                number = node.value
                new = str(not number) if isinstance(number, bool) else str(number + 1)
                found = made(
                    (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0), r".+", new
                )
            elif isinstance(node, ast.If):
                test = (
                    (node.test.lineno, node.test.col_offset),
                    (node.test.end_lineno or 0, node.test.end_col_offset or 0),
                )
                found = made(*test, r"(?s).+", f"not ({ast.unparse(node.test)})")
            if found is not None:
                yield found


def chosen(seed: int, count: int) -> list[Mutant]:
    """``count`` mutants, of as many files."""
    draw = random.Random(seed)
    files = sorted(path for folder in FOLDERS for path in (ROOT / "nanlint" / folder).rglob("*.py"))
    draw.shuffle(files)
    found: list[Mutant] = []
    for file in files:
        if len(found) == count:
            break
        if places := list(mutants(file.relative_to(ROOT))):
            found.append(draw.choice(places))
    return found


def first_failure(mutant: Mutant, tree: Path, arguments: list[str]) -> str:
    """The test that notices a mutant in a copy of the project; "" if none does."""
    (tree / mutant.path).write_text(mutant.mutated, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(
            command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "(it never ended)"
    finally:
        shutil.copy(ROOT / mutant.path, tree / mutant.path)
    named = FAILED.search(done.stdout)
    return "" if done.returncode == 0 else named[1] if named else f"(exit {done.returncode})"


def main() -> None:
    """Make the mutants, run the tests, print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first to run, counted from 0")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest: which tests, how many workers")
    options = parser.parse_args()
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    with TemporaryDirectory() as directory:
        tree = Path(directory)
        for name in listed:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copy(ROOT / name, tree / name)
        for number, mutant in enumerate(chosen(options.seed, options.count)[options.first :], options.first):
            began = time.perf_counter()
            noticed = first_failure(mutant, tree, options.pytest)
            change = f"`{' '.join(mutant.old.split())}` -> `{mutant.new}`"
            took = time.perf_counter() - began
            print(
                f"| {number} | {mutant.path}:{mutant.row} | {change} | {noticed or 'none'} | {took:.0f} s |", flush=True
            )


if __name__ == "__main__":
    main()
