"""What authors of rules and ops test them with: a bad, a good and a fixed program in one call, a rule's page, an op.

Plain functions that raise AssertionError, for pytest or any other runner. A rule file is named as in the configuration
(``rules=["tools/nanlint_rules/own.py"]``, relative to the working directory); installed rules are known anyway.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import math
import re
import sys
import types
import unittest
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import nanlint
from nanlint import config_of_keys
from nanlint.diagnostic import Diagnostic, Span
from nanlint.housekeeping import INTERNAL_ERROR, SYNTAX_ERROR
from nanlint.ops.floats import class_of

__all__ = ["FRAMEWORKS", "Failure", "as_program", "blocks", "check_op", "check_page", "check_rule", "sections"]

Programs = str | Sequence[str]

_MARKER = re.compile(r"# error: \[([A-Z]+[0-9]+)\](?: (certain|likely|possible))?\s*$")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)

#: what a snippet means by a name that it does not define
FRAMEWORKS = {
    "F": "import torch.nn.functional as F",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "keras": "import keras",
    "math": "import math",
    "nn": "from torch import nn",
    "np": "import numpy as np",
    "special": "from scipy import special",
    "tf": "import tensorflow as tf",
    "torch": "import torch",
}
#: numbers at which functions do what they do: both zeros, the least, ±1, small and large ones, the infinities, nan
SPECIAL = (
    *(sign * x for x in (0.0, 5e-324, 2.2250738585072014e-308, 1e-8, 0.5, 1.0, 2.0, 88.8, 1e8) for sign in (1, -1)),
    1.7976931348623157e308,
    -1.7976931348623157e308,
    math.inf,
    -math.inf,
    math.nan,
)


class Failure(AssertionError):
    """A rule or an op that does not do what was asked of it; says of which program, and what it does in its place."""


def check_rule(
    code: str,
    *,
    bad: Programs = (),
    good: Programs = (),
    fixed: Programs | None = None,
    unsafe_fixes: bool = True,
    execute: bool = False,
    confidence: str = "possible",
    **config: Any,
) -> list[Diagnostic]:
    """Check that a rule finds what is bad, is silent about what is good, and mends the bad into ``fixed``.

    Each is a program or several; ``fixed`` is what becomes of each ``bad`` one, in order. A bad program whose lines end
    in ``# error: [CODE]`` or ``# error: [CODE] likely`` is flagged at these lines, as sure as they say, and at no
    other; one without such lines is flagged somewhere. What is fixed must be found no more, and stay as it is when it
    is fixed again. With ``execute`` the programs define ``witness()``, which is run: what it returns must hold nan or
    inf in the bad ones, and must not in the others. Findings of at least ``confidence`` count; ``config`` holds keys of
    ``[tool.nanlint]`` with underscores. The findings in the bad programs are returned.

    Raises Failure, ConfigError for a rule or key that there is not, and unittest.SkipTest where a program that is to be
    executed imports what is not installed.
    """
    config = {"select": [code], "confidence": confidence, **config}
    code = _code_of(code, config)
    programs = _listed(bad)
    found = [diagnostic for program in programs for diagnostic in _flagged(code, program, config)]
    for program in _listed(good):
        _silent(code, program, config, "good")
    mended = _listed(fixed) if fixed is not None else []
    if fixed is not None and len(mended) != len(programs):
        raise ValueError(f"{len(programs)} bad programs, and {len(mended)} fixed ones")
    for program, expected in zip(programs, mended, strict=False):
        _mended(code, program, expected, unsafe_fixes, config)
    if execute:
        for kind, several in (("bad", programs), ("good", _listed(good)), ("fixed", mended)):
            for program in several:
                _executed(program, kind)
    return found


def check_page(code: str, **config: Any) -> None:
    """Check the examples on the page of a rule: the bad one is flagged, what is to be used instead is not.

    The page (the Markdown file beside the rule, or its docstring) has a ``python`` block under ``## Example (bad)`` and
    one under ``## Use instead``. Names of frameworks (``torch``, ``jnp``, …) are imported as is usual, others are
    parameters. A rule that says it is fixable offers a fix for the bad one. Raises Failure, and ConfigError as
    ``check_rule``.
    """
    config = {"confidence": "possible", "select": [code], **config}
    code = _code_of(code, config)
    from nanlint.lint.known_rules import all_rules

    rule = all_rules()[code]
    page = sections(rule.page)
    examples = []
    for heading in ("Example (bad)", "Use instead"):
        found = blocks(page.get(heading, ""), "python")
        if len(found) != 1:
            raise Failure(f"the page of {code} must have one python block under `## {heading}`, but has {len(found)}")
        examples += found
    bad, better = examples
    diagnostics = _flagged(code, as_program(bad, better)[0], config)
    if rule.fixable is not None and all(one.fix is None for one in diagnostics):
        raise Failure(f"{code} is declared fixable, but has no fix for the bad example of its page:\n{_listing(bad)}")
    _silent(code, as_program(better, bad)[0], config, "better")


def check_op(
    name: str, function: Callable[..., Any], points: Iterable[Sequence[float]] | None = None, **attributes: Any
) -> None:
    """Check that what an op is predicted to give is what a function gives, at special numbers or at ``points``.

    ``function`` takes as many numbers as the op has operands (those that ``points`` give), and gives one; it works in
    float64. Everywhere its result must be in the range that the transfer function predicts for these operands and in no
    class that is ruled out; where an operand is at a pole of the value, the result must be nan or infinite.
    Raises Failure with the first point at which that is not so.
    """
    from nanlint.ops.floats import FLOAT64
    from nanlint.ops.op import OPS
    from nanlint.ops.value import NEVER, Kind, constant

    op = OPS[name]
    for point in [(x,) for x in SPECIAL] if points is None else points:
        operands = {
            operand: replace(constant(float(x), Kind.TENSOR), format=FLOAT64)
            for operand, x in zip(op.operands, point, strict=False)
        }
        predicted = op.transfer(operands, attributes)
        given = ", ".join(f"{operand} = {x!r}" for operand, x in zip(op.operands, point, strict=False))
        try:
            result = float(function(*point))
        except (ArithmeticError, ValueError) as error:
            raise Failure(
                f"{name} at {given}: the function raises {error!r}; it must return a number, or nan"
            ) from error
        cls = class_of(result)
        if predicted.reach(cls) is NEVER:
            raise Failure(f"{name} at {given}: returns {result!r}, but the transfer function rules out {_WORDS[cls]}")
        if cls in ("neg", "zero", "pos") and not predicted.lo <= result <= predicted.hi:
            where = f"[{predicted.lo!r}, {predicted.hi!r}]"
            raise Failure(f"{name} at {given}: returns {result!r}, outside of the predicted range {where}")
        for pole in op.poles_for(operands) if op.poles_for is not None else op.poles:
            if pole.gradient or pole.operand == "result" or pole.name not in operands or pole.also:
                continue
            x = point[op.operands.index(pole.name)] + pole.shift
            if class_of(x) == pole.cls and math.isfinite(result):
                raise Failure(f"{name} at {given}: returns {result!r}, but its pole says that it returns {pole.gives}")


_WORDS = {
    "ninf": "-inf",
    "neg": "negative numbers",
    "zero": "0",
    "pos": "positive numbers",
    "pinf": "inf",
    "nan": "nan",
}


# Snippets and pages


def blocks(text: str, language: str) -> list[str]:
    return [block for kind, block in _BLOCK.findall(text) if kind == language]


def sections(text: str) -> dict[str, str]:
    """The parts of Markdown by their ``##`` headings."""
    return dict(_SECTION.findall(text))


def as_program(snippet: str, beside: str = "") -> tuple[str, int]:
    """A snippet as a function of the names that nothing in it binds, and the row before the one that it starts at.

    Its imports are those it needs and those that the one ``beside`` it needs.
    """
    needed = dict.fromkeys([*_undefined(snippet), *_undefined(beside)])
    imports = [FRAMEWORKS[name] for name in needed if name in FRAMEWORKS]
    parameters = [name for name in _undefined(snippet) if name not in FRAMEWORKS]
    if not parameters:
        return "\n".join([*imports, snippet]), len(imports)
    body = [f"    {line}" if line else "" for line in snippet.splitlines()]
    return "\n".join([*imports, f"def example({', '.join(parameters)}):", *body, ""]), len(imports) + 1


def _undefined(snippet: str) -> list[str]:
    """Names that a snippet reads and nothing in it binds, in order."""
    nodes = list(ast.walk(ast.parse(snippet)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {
        *(node.id for node in names if not isinstance(node.ctx, ast.Load)),
        *(node.arg for node in nodes if isinstance(node, ast.arg)),
        *(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)),
        *(
            (alias.asname or alias.name).partition(".")[0]
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ),
    }
    return list(dict.fromkeys(node.id for node in names if node.id not in bound and not hasattr(builtins, node.id)))


# One program


def _listed(programs: Programs) -> list[str]:
    return [programs] if isinstance(programs, str) else list(programs)


def _code_of(selector: str, config: Mapping[str, Any]) -> str:
    """The code of a rule that is named by it or by its name; ConfigError for one that there is not."""
    from nanlint.config import ConfigError
    from nanlint.lint.known_rules import all_rules

    nanlint.check_source("", **config)  # loads the rule files, and says what is wrong with them or with the rule
    known = {one: code for code, rule in all_rules().items() for one in (code, rule.name)}
    if selector not in known:
        raise ConfigError(f"{selector}: expected the code or the name of one rule")
    return known[selector]


def _found(code: str, program: str, config: Mapping[str, Any]) -> list[Diagnostic]:
    """The findings of a rule; Failure for a program that could not be checked."""
    found = nanlint.check_source(program, **config)
    for one in found:
        if one.code in (SYNTAX_ERROR.code, INTERNAL_ERROR.code):
            raise Failure(f"could not be checked, line {one.span.row}: {one.message}\n{_listing(program)}")
    return [one for one in found if one.code == code]


def _flagged(code: str, program: str, config: Mapping[str, Any]) -> list[Diagnostic]:
    found = _found(code, program, config)
    expected = dict(_marked(program, code))
    if not expected:
        if not found:
            raise Failure(
                f"{code} reports nothing in a bad program\n{_listing(program)}{_reasons(code, program, config)}"
            )
        return found
    rows = {one.span.row: str(one.confidence) for one in found}
    problems = [
        *(f"line {row} is marked, but {code} does not report it" for row in expected if row not in rows),
        *(f"line {row} is reported by {code}, but not marked" for row in rows if row not in expected),
        *(
            f"line {row} is marked as {level}, but reported as {rows[row]}"
            for row, level in expected.items()
            if level and rows.get(row, level) != level
        ),
    ]
    if problems:
        missed = [row for row in expected if row not in rows]
        why = _reasons(code, program, config, missed) if missed else ""
        raise Failure("\n".join([*problems, f"{_listing(program, found)}{why}"]))
    return found


def _silent(code: str, program: str, config: Mapping[str, Any], kind: str) -> None:
    found = _found(code, program, config)
    if found:
        raise Failure(f"{code} reports something in a {kind} program\n{_listing(program, found)}")


def _mended(code: str, program: str, expected: str, unsafe: bool, config: Mapping[str, Any]) -> None:
    mended = nanlint.fix_source(program, unsafe_fixes=unsafe, **config)
    text = mended.source.text
    if text == program and expected != program:
        left = [str(one.fix.applicability) for one in mended.remaining if one.code == code and one.fix is not None]
        why = f"its fix is {left[0]}" if left else "it offers none"
        raise Failure(f"{code} fixes nothing: {why}\n{_listing(program)}")
    if text != expected:
        lines = difflib.unified_diff(
            expected.splitlines(), text.splitlines(), "fixed, as expected", "fixed", lineterm=""
        )
        raise Failure(f"{code} fixes the program in another way\n" + "\n".join(lines))
    _silent(code, text, config, "fixed")
    again = nanlint.fix_source(text, unsafe_fixes=unsafe, **config)
    if again.fixed:
        raise Failure(f"{code} changes the fixed code again\n{_listing(text)}")


def _marked(program: str, code: str) -> Iterator[tuple[int, str]]:
    for row, line in enumerate(program.splitlines(), start=1):
        match = _MARKER.search(line)
        if match is not None and match[1] == code:
            yield row, match[2] or ""


def _listing(program: str, found: Sequence[Diagnostic] = ()) -> str:
    """A program with its rows, and below each what is found there."""
    told: dict[int, list[Diagnostic]] = {}
    for one in found:
        told.setdefault(one.span.row, []).append(one)
    lines = []
    for row, line in enumerate(program.splitlines(), start=1):
        lines.append(f"  {row:>3} │ {line}".rstrip())
        lines += [f"      │ {_underline(one.span, line)} {one.message} [{one.confidence}]" for one in told.get(row, ())]
    return "\n".join(lines) + "\n"


def _underline(span: Span, line: str) -> str:
    end = span.end_column if span.end_row == span.row else len(line) + 1
    return " " * (span.column - 1) + "^" * max(end - span.column, 1)


def _reasons(code: str, program: str, config: Mapping[str, Any], rows: Iterable[int] | None = None) -> str:
    """Why a rule does not fire, as ``nanlint explain`` tells it."""
    from nanlint.explaining import explain
    from nanlint.source import Source

    source = Source("program.py", program)
    settled = config_of_keys("program.py", dict(config))
    reasons = dict[str, None]()
    for row in range(1, len(source.lines) + 1) if rows is None else rows:
        for one in explain(source, settled, row):
            for verdict in one.verdicts:
                if verdict.code == code:
                    reasons[f"  line {row}, {one.text}: {verdict.why}\n"] = None
    return (
        f"why {code} reports nothing:\n{''.join(reasons)}"
        if reasons
        else f"it contains no operation that {code} checks\n"
    )


# Execution


def _executed(program: str, kind: str) -> None:
    module = types.ModuleType("witnessed_program")
    sys.modules[module.__name__] = module
    try:
        exec(compile(program, f"<{kind} program>", "exec"), module.__dict__)
    except ModuleNotFoundError as error:
        raise unittest.SkipTest(f"{error.name} is not installed") from None
    finally:
        del sys.modules[module.__name__]
    witness = module.__dict__.get("witness")
    if witness is None:
        raise Failure(f"a {kind} program that is to be executed defines no `witness()`\n{_listing(program)}")
    result = witness()
    numbers = list(_numbers(result))
    if not numbers:
        raise Failure(f"witness() of a {kind} program returns no number\n{_listing(program)}")
    wrong = any(not math.isfinite(number) for number in numbers)
    if wrong is not (kind == "bad"):
        what = "neither nan nor inf" if kind == "bad" else "nan or inf"
        raise Failure(f"witness() of a {kind} program returns {what}: {result!r}\n{_listing(program)}")


def _numbers(result: object) -> Iterator[float]:
    """All numbers of a number, an array, or a dict or sequence of them."""
    if isinstance(result, Mapping):
        result = list(result.values())
    if isinstance(result, list | tuple):
        for part in result:
            yield from _numbers(part)
        return
    if result is None:
        return
    if hasattr(result, "detach"):
        result = result.detach()
    if hasattr(result, "numpy"):
        result = result.numpy()
    flat = result.tolist() if hasattr(result, "tolist") else result
    if isinstance(flat, list):
        yield from _numbers(flat)
    elif isinstance(flat, int | float):
        yield float(flat)
