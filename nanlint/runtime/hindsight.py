"""What the linter missed: a birth at a line without a finding, as a program that shows it, and the rule that applies.

The reproduction is the expression that gave birth, with the values that its operands really had. It is written from
the kept source and events, and has been run: which of an op's inputs an operand is, and which the incoming gradient, is
tried out, and what does not show what it is said to show is dropped. Nothing else of the user's is imported or run.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, permutations

from nanlint.config import Configs, Options
from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.graph.node import Node
from nanlint.graph.written import written_operands
from nanlint.hazards.facts import Facts
from nanlint.lint.known_rules import ops_problem, rule_names, rules_in
from nanlint.lint.one_file import diagnose_source
from nanlint.rules.diagnose import analysed
from nanlint.runtime.events import Birth, Numbers
from nanlint.runtime.telling import KINDS
from nanlint.runtime.verdicts import Verdicts
from nanlint.source.project import in_project
from nanlint.source.text import Source

#: where they are written, below the run's directory
REPRODUCTIONS = "reproductions"
#: births that are reproduced, ways in which that is tried for each, seconds that all may take
MOST, WAYS, SECONDS = 8, 8, 60
#: runs programs, which it is given as a list, in order, and tells what each has printed, in a line
_RUNNER = """
import contextlib, io, json, sys
for text in json.load(sys.stdin):
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "reproduction", "exec"), {"__name__": "__main__"})
    except BaseException:
        printed = io.StringIO()
    print(json.dumps(printed.getvalue()), flush=True)
"""
#: how a number that is not finite is printed
_PRINTED = {"nan": r"nan", "pinf": r"(?<![-\w])inf", "ninf": r"-inf"}


@dataclass(frozen=True)
class Hindsight:
    """A birth that no finding spoke of: the file that reproduces it, and the possible finding that would have.

    ``text`` is what the file holds.
    """

    birth: Birth
    diagnostic: Diagnostic | None = None
    program: str | None = None
    text: str = ""


@dataclass(frozen=True)
class Framework:
    """How a framework's programs make a tensor from numbers, and take the gradient of an expression.

    ``incoming``: how the gradient begins with the tensor that is called so, and not with ones.
    """

    imports: str
    tensor: str
    gradient: str = ""
    incoming: str = ""


FRAMEWORKS: Mapping[str, Framework] = {
    "torch": Framework(
        "import torch",
        "{name} = torch.tensor({numbers}, dtype=torch.{dtype}).reshape({shape})",
        "for tensor in [{names}]:\n    tensor.requires_grad_()\nresult = {expression}\n"
        "result.backward({incoming}torch.ones_like(result))\nprint([tensor.grad for tensor in [{names}]])",
        "incoming.expand_as(result) * ",
    ),
    "tensorflow": Framework(
        "import tensorflow as tf",
        "{name} = tf.reshape(tf.constant({numbers}, dtype=tf.{dtype}), {shape})",
        "with tf.GradientTape() as tape:\n    for tensor in [{names}]:\n        tape.watch(tensor)\n"
        "    result = {expression}\nprint(tape.gradient(result, [{names}], {incoming}tf.ones_like(result)))",
        "incoming * ",
    ),
    "jax": Framework(
        "import jax\nimport jax.numpy as jnp",
        "{name} = jnp.array({numbers}, dtype=jnp.{dtype}).reshape({shape})",
        "result, back = jax.vjp(lambda {names}: {expression}, {names})\nprint(back({incoming}jnp.ones_like(result)))",
        "incoming * ",
    ),
    "numpy": Framework("import numpy as np", "{name} = np.array({numbers}, dtype=np.{dtype}).reshape({shape})"),
}
FRAMEWORKS = {**FRAMEWORKS, "keras": FRAMEWORKS["tensorflow"]}


def findings_of(source: Source, confidence: Confidence) -> list[Diagnostic]:
    """What the linter says of a kept source, at least of a confidence."""
    rules = rule_names()
    overrides = Options.of(confidence=str(confidence)).over
    configs = Configs(rules, overrides, ops_problem=ops_problem, rules_in=rules_in)
    try:
        config = configs.for_directory(os.path.dirname(source.path)).for_file(source.path)
    except Exception:  # a configuration that is broken, or gone with its directory
        config = Configs(rules, overrides, isolated=True).default()
    return diagnose_source(in_project(source), config)


def hindsight_of(verdicts: Verdicts, directory: str | None) -> tuple[Hindsight, ...]:
    """What can be said of the births that no finding spoke of; reproductions are written below ``directory``."""
    known: dict[str, tuple[Facts, list[Diagnostic]]] = {}
    found: list[Hindsight] = []
    ways: dict[int, Sequence[str]] = {}
    for number, (birth, _) in enumerate(verdicts.born, 1):
        place = (birth.forward or birth.frames)[:1]
        text = verdicts.sources.get(place[0].path) if place else None
        if text is None:
            found.append(Hindsight(birth))
            continue
        source = Source(place[0].path, text)
        if source.path not in known:
            known[source.path] = (analysed(source, {}), findings_of(source, Confidence.POSSIBLE))
        facts, diagnostics = known[source.path]
        node = node_of(facts, birth, place[0].line)
        if node is not None and directory is not None and len(ways) < MOST:
            ways[number] = list(islice(reproductions(facts, node, birth), WAYS))
        found.append(Hindsight(birth, _rule_for(diagnostics, place[0].line, node)))
    for number, text in shown(ways, found).items():
        one, path = found[number - 1], _path(directory or "", number, found[number - 1].birth)
        if _write(path, text):
            found[number - 1] = replace(one, program=path, text=text)
    return tuple(found)


def kept_reproduction(directory: str, number: int, birth: Birth) -> str:
    """What was written of a birth, the how-manieth of its run; empty if nothing was."""
    try:
        with open(_path(directory, number, birth), encoding="utf-8") as file:
            return file.read()
    except (OSError, IndexError):
        return ""


def shown(ways: Mapping[int, Sequence[str]], found: Sequence[Hindsight]) -> dict[int, str]:
    """Of the programs for each birth (by its number, from 1) the first that shows it when it is run."""
    tried = [(number, text) for number, texts in ways.items() for text in texts]
    if not tried:
        return {}
    lines: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, suppress(subprocess.SubprocessError, OSError):
        try:
            subprocess.run(
                [sys.executable, "-c", _RUNNER],
                input=json.dumps([text for _, text in tried]), text=True, stdout=out, stderr=subprocess.DEVNULL,
                timeout=SECONDS, cwd=tempfile.gettempdir(), check=False,
            )  # fmt: skip
        finally:
            out.seek(0)
            lines = out.read().splitlines()
    good: dict[int, str] = {}
    for (number, text), line in zip(tried, lines, strict=False):
        kinds = found[number - 1].birth.kinds
        if number not in good and all(re.search(_PRINTED[kind], json.loads(line)) for kind in kinds):
            good[number] = text
    return good


def node_of(facts: Facts, birth: Birth, line: int) -> Node | None:
    """The op of the graph that a birth came from: at its line, with a name like its own."""
    there = [node for node in facts.lowering.graph if _starts_or_holds(facts, node, line) and _operands(node)]
    words = birth.op.lower().replace("_", "")
    alike = [node for node in there if any(word in words for word in _words(node))]
    return min(alike or there, key=lambda node: (len(node.calls), -_width(facts, node)), default=None)


def reproductions(facts: Facts, node: Node, birth: Birth) -> Iterator[str]:
    """Programs that evaluate the expression on the values it had, if they were kept: one may show the birth."""
    names = [name for name, e in _operands(node) if not isinstance(e, ast.Constant)]
    tensors = [one for one in birth.inputs if one.values and _whole(one)]
    for some in permutations(tensors, min(len(names), len(tensors))):
        given = dict(zip(names, some, strict=False))
        rest = [one for one in tensors if birth.backward and one not in some]
        for incoming in (*rest, None):
            program = reproduction(facts, node, birth, given, incoming) if given else None
            if program is not None:
                yield program


def reproduction(
    facts: Facts, node: Node, birth: Birth, given: Mapping[str, Numbers], incoming: Numbers | None
) -> str | None:
    """A program that evaluates the expression on these operands; for a gradient, on one that comes in."""
    framework = FRAMEWORKS.get(birth.framework)
    if framework is None or not isinstance(node.site, ast.expr):
        return None
    operands = list(_operands(node))
    expression = ast.unparse(_Named({id(e): name for name, e in operands if name in given}).visit(_copied(node.site)))
    place = (birth.forward or birth.frames)[0]
    what = " and ".join(KINDS[kind] for kind in birth.kinds)
    lines = [
        f'"""{what} {"in the gradient of" if birth.backward else "in"} {birth.op}, '
        f'as in {os.path.basename(place.path)}, line {place.line}, at step {birth.step}."""',
        "",
        *dict.fromkeys([*framework.imports.splitlines(), *_imports(facts.source, node.site)]),
        "",
    ]
    for name, one in (*given.items(), *([("incoming", incoming)] if incoming is not None else [])):
        numbers = f"[{', '.join(map(_literal, one.values))}]"
        lines.append(
            framework.tensor.format(name=name, numbers=numbers, dtype=one.health.dtype, shape=one.health.shape)
        )
    names = ", ".join(given)
    if birth.backward and framework.gradient:
        begins = framework.incoming if incoming is not None else ""
        lines += framework.gradient.format(names=names, expression=expression, incoming=begins).splitlines()
    else:
        lines += [f"result = {expression}", "print(result)"]
    return "\n".join(lines) + "\n"


class _Named(ast.NodeTransformer):
    """Puts names in the place of some expressions, which are known by where they stand."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> ast.AST:
        name = self._names.get(getattr(node, "origin", 0))
        return ast.Name(name, ast.Load()) if name is not None else self.generic_visit(node)


def _copied(e: ast.AST) -> ast.AST:
    """A copy of an expression whose nodes know which they are copies of."""

    def copy(value: object) -> object:
        if isinstance(value, list):
            return [copy(one) for one in value]
        return _copied(value) if isinstance(value, ast.AST) else value

    made = type(e)(**{name: copy(value) for name, value in ast.iter_fields(e)})
    made.origin = id(e)  # type: ignore[attr-defined]
    return made


def _operands(node: Node) -> list[tuple[str, ast.expr]]:
    return list(written_operands(node))


def _words(node: Node) -> Iterator[str]:
    yield node.op.replace("_", "")
    if node.spelling is not None:
        yield node.spelling.name.rpartition(".")[2].lower().replace("_", "")


def _starts_or_holds(facts: Facts, node: Node, line: int) -> bool:
    span = facts.span(node)
    return span is not None and span.row <= line <= span.end_row


def _width(facts: Facts, node: Node) -> int:
    span = facts.span(node)
    return 0 if span is None else span.end_column - span.column


def _whole(one: Numbers) -> bool:
    return len(one.values) == math.prod(one.health.shape)


def _literal(text: str) -> str:
    return f'float("{text}")' if text in ("nan", "inf", "-inf") else text


def _imports(source: Source, e: ast.AST) -> Iterable[str]:
    """The imports of a file that an expression needs."""
    used = {node.id for node in ast.walk(e) if isinstance(node, ast.Name)}
    for statement in source.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            names = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) in used]
            if names and not (isinstance(statement, ast.ImportFrom) and statement.level):
                yield ast.unparse(
                    ast.Import(names)
                    if isinstance(statement, ast.Import)
                    else ast.ImportFrom(statement.module, names, 0)
                )


def _rule_for(diagnostics: Iterable[Diagnostic], line: int, node: Node | None) -> Diagnostic | None:
    there = [d for d in diagnostics if d.span.row <= line <= d.span.end_row]
    alike = [d for d in there if node is not None and d.probe is not None and d.probe.op == node.op]
    return max(alike or there, key=lambda d: d.confidence, default=None)


def _path(directory: str, number: int, birth: Birth) -> str:
    place = (birth.forward or birth.frames)[0]
    stem = os.path.splitext(os.path.basename(place.path))[0]
    return os.path.join(directory, REPRODUCTIONS, f"{number}_{stem}_{place.line}.py")


def _write(path: str, program: str) -> bool:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
    except OSError:
        return False
    return True
