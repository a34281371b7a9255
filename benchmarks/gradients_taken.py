"""Whether nanlint knows where a gradient is taken: small projects of several files, each executed and checked.

    python benchmarks/gradients_taken.py [WORD]... [--no-run]

The projects stand in ``programs/gradients/``; each marks one place (``#> here``) and says whether a gradient arrives
there (taken) or does not. Its last file is executed with a probe around the operand there: in PyTorch a hook, in JAX
and TensorFlow an identity with a derivative of its own, which is asked for where a gradient comes by. A project that
says what its run does not is reported. nanlint is right if it has a default finding there exactly where a gradient
arrives. ``WORD``: only projects with it in their names; ``--no-run``: what they say is believed.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import NANLINT, ROOT, run

PROGRAMS = ROOT / "benchmarks" / "programs" / "gradients"
HERE = "#> here"
#: files beside those of a project, so that it is one of which may be said what none of its files does
OTHERS = 20


@dataclass(frozen=True)
class Program:
    """A project: the texts of its files by name, the last of which is run. ``taken``: what it says of itself."""

    framework: str
    name: str
    taken: bool
    files: dict[str, str]

    @property
    def marked(self) -> tuple[str, int]:
        """The file and the row of the place that is asked about."""
        rows = (
            (f, row) for f, text in self.files.items() for row, line in enumerate(text.split("\n"), 1) if HERE in line
        )
        return next(rows)

    def write(self, root: Path) -> Path:
        """Write the project to a directory; the path of the marked file."""
        (root / "pyproject.toml").write_text("")
        for number in range(OTHERS):
            (root / f"other{number}.py").write_text("def area(a, b):\n    return a * b\n")
        for name, text in self.files.items():
            (root / name).write_text(text)
        return root / self.marked[0]


def programs(words: tuple[str, ...] = ()) -> Iterator[Program]:
    """The projects with all of some words in their names."""
    for path in sorted(PROGRAMS.glob("*.txt")):
        for one in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, body = one.partition("\n")
            name, _, said = title.rpartition(" (")
            parts = [part.partition("\n") for part in body.split("### ")[1:]]
            if all(word in name for word in words):
                yield Program(path.stem, name, said == "taken)", {file: text for file, _, text in parts})


class Probed(ast.NodeTransformer):
    """Puts a probe around the operand of the first root in a row."""

    def __init__(self, row: int) -> None:
        self.row = row

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node.lineno == self.row and isinstance(node.func, ast.Attribute) and node.func.attr == "sqrt":
            probe = ast.Call(ast.Name("_probe", ast.Load()), [node.args[0]], [])
            return ast.Call(node.func, [probe], [])
        return self.generic_visit(node)


def torch_probe(arrived: Callable[[], None]) -> Callable[[Any], Any]:
    def probe(x: Any) -> Any:
        if x.requires_grad:
            x.register_hook(lambda gradient: arrived())
        return x

    return probe


def jax_probe(arrived: Callable[[], None]) -> Callable[[Any], Any]:
    probe = importlib.import_module("jax").custom_vjp(lambda x: x)

    def back(_: object, gradient: Any) -> tuple[Any]:
        arrived()
        return (gradient,)

    probe.defvjp(lambda x: (x, None), back)
    return probe  # type: ignore[no-any-return]


def tensorflow_probe(arrived: Callable[[], None]) -> Callable[[Any], Any]:
    tensorflow = importlib.import_module("tensorflow")

    def identity(x: Any) -> tuple[Any, Callable[[Any], Any]]:
        def back(gradient: Any) -> Any:
            arrived()
            return gradient

        return tensorflow.identity(x), back

    return tensorflow.custom_gradient(identity)  # type: ignore[no-any-return]


PROBES = {"torch": torch_probe, "jax": jax_probe, "tensorflow": tensorflow_probe}


def arrives(framework: str, root: Path, file: str, row: int, main: str) -> bool:
    """Run a project, here, and say whether a gradient came to the marked operand."""
    arrived: list[bool] = []
    tree = Probed(row).visit(ast.parse((root / file).read_text()))
    (root / file).write_text(ast.unparse(ast.fix_missing_locations(tree)))
    vars(__import__("builtins"))["_probe"] = PROBES[framework](lambda: arrived.append(True))
    sys.path.insert(0, str(root))
    runpy.run_path(str(root / main), run_name="__main__")
    return bool(arrived)


def executed(program: Program) -> bool | None:
    """Whether a gradient arrives when the project is run, in a process of its own; None where it fails."""
    with TemporaryDirectory() as place:
        program.write(Path(place))
        file, row = program.marked
        command = [sys.executable, __file__, "--one", program.framework, place, file, str(row), list(program.files)[-1]]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            print(done.stderr[-600:])
            return None
        return done.stdout.rstrip().endswith("True")


def said(programs: list[Program]) -> list[bool]:
    """Whether nanlint has a default finding at the marked place of each project."""
    with TemporaryDirectory() as place:
        roots = [Path(place, str(number)) for number in range(len(programs))]
        for root in roots:
            root.mkdir()
        files = [str(program.write(root)) for program, root in zip(programs, roots, strict=True)]
        done = run((*NANLINT, "check", "--isolated", "--exit-zero", "--output-format", "json", *files))
        found = {(os.path.realpath(one["filename"]), one["location"]["row"]) for one in json.loads(done.stdout)}
        return [(os.path.realpath(file), one.marked[1]) in found for file, one in zip(files, programs, strict=True)]


def main() -> None:
    """Execute and check the projects, print what is wrong and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only projects with these words in their names")
    parser.add_argument("--no-run", action="store_true", help="do not execute the projects")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        framework, root, file, row, last = options.one
        print(arrives(framework, Path(root), file, int(row), last))
        return
    chosen = list(programs(tuple(options.words)))
    right = {True: 0, False: 0}
    for program, told in zip(chosen, said(chosen), strict=True):
        truth = program.taken if options.no_run else executed(program)
        if truth is not program.taken:
            print(f"NOT AS SAID {program.framework}: {program.name}: {truth}")
        elif told is not truth:
            print(f"{'missed' if truth else 'false '} {program.framework}: {program.name}")
        else:
            right[truth] += 1
    for taken, count in right.items():
        total = sum(program.taken is taken for program in chosen)
        print(f"{'taken' if taken else 'not taken'}: {count} of {total} right")


if __name__ == "__main__":
    main()
