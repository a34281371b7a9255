"""Fixtures that more than one part of the program's specification needs."""

from __future__ import annotations

import ast
import math
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nanlint.rules
from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Edit, Fix, Witness
from nanlint.rules.registry import Finding, Rule
from nanlint.source import Source
from tests import recording
from tests.last_words import LAST_WORDS
from tests.recording import RUN
from tests.sampling import SEED
from tests.seeding import seed

Diagnose = Callable[..., Any]

# A worker of the tests has a core: threads of several frameworks would spin against each other, minutes for seconds.
# Programs under test inherit it; frameworks read it when they are imported.
for variable in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"):
    os.environ.setdefault(variable, "1")
# What a test runs is run, whatever another test has; the tests of the cache say where theirs is.
os.environ.setdefault("NANLINT_NO_CACHE", "1")
# They cost more than they save who compile a kernel or two.
os.environ.setdefault("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS", "0")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Execute everything."""
    parser.addoption(
        "--record",
        action="store_true",
        help="execute all that is on record or drawn by chance, and keep what the frameworks give in tests/recorded",
    )


def pytest_configure(config: pytest.Config) -> None:
    """A shell that starts the tests in the background has its children ignore Ctrl-C; programs under test must not."""
    RUN.everything, RUN.seed = config.getoption("record"), SEED
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What takes seconds to import is imported by the tests that need it."""
    if taken := {"torch", "tensorflow", "keras", "jax"} & sys.modules.keys():
        raise pytest.UsageError(f"imported while tests were collected: {', '.join(sorted(taken))}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """A test draws the same numbers in every run, whatever ran before it, but of what it is the first to import."""
    seed(sys.modules)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep what was executed; a worker hands it, and what it has to say, to the process that it works for."""
    config = session.config
    config.stash.setdefault(LAST_WORDS, []).extend(recording.summary())
    if hasattr(config, "workeroutput"):
        config.workeroutput["last words"] = config.stash[LAST_WORDS]
        if RUN.everything:
            told = {name: recording.packed(RUN.asked_with[name], a) for name, a in RUN.executed.items()}
            config.workeroutput["recorded"] = told
    elif RUN.everything:
        part = any(config.getoption(name) for name in ("file_or_dir", "keyword", "markexpr", "deselect"))
        for path in recording.write(RUN.executed, whole=not part and exitstatus == pytest.ExitCode.OK):
            config.stash[LAST_WORDS].append(f"written: {path.name}")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker process executed, and has to say at the end."""
    output = getattr(node, "workeroutput", {})
    node.config.stash.setdefault(LAST_WORDS, []).extend(output.get("last words", []))
    for name, data in output.get("recorded", {}).items():
        RUN.asked_with[name], answers = recording.unpacked(data)
        RUN.executed.setdefault(name, {}).update(answers)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say it."""
    for line in [*config.stash.get(LAST_WORDS, []), f"TESTS_SEED={SEED} draws the same samples"]:
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True, scope="module")
def _jax_as_it_was() -> Iterator[None]:
    """JAX keeps float64 and compiles nothing only for the tests that call the functions of the catalogue."""
    yield
    if (calling := sys.modules.get("tests.ops.calling")) is not None and calling.jax_with_float64.cache_info().currsize:
        calling.restore_jax()


def toy(code: str, name: str, page: str, fixable: Applicability | None = None) -> Rule:
    """A rule whose page is this."""

    def check(*_: object) -> Iterator[Finding]:
        yield from ()

    check.__doc__ = page
    return Rule(code, name, fixable, check=check)


TOY_RULES = {
    "NL103": toy("NL103", "unclipped-log", "A boom.\n\n## What it does\nGoes off.", Applicability.SAFE),
    "NL105": toy("NL105", "log-of-one-plus", "A fizz."),
    "NL203": toy("NL203", "where-gradient", "A risky call.", Applicability.UNSAFE),
}

# What the toy rules find: the call's name -> code, confidence, the fix's applicability and what it puts in its place.
_TOYS = {
    "boom": ("NL103", Confidence.CERTAIN, Applicability.SAFE, "calm"),
    "fizz": ("NL105", Confidence.POSSIBLE, None, ""),
    "risky": ("NL203", Confidence.LIKELY, Applicability.UNSAFE, "calm"),
    "broken": ("NL103", Confidence.CERTAIN, Applicability.SAFE, "calm(("),
    "restless": ("NL103", Confidence.CERTAIN, Applicability.SAFE, "restless "),
}


def toy_diagnose(
    source: Source, *, select: Callable[[str], bool], ops: Mapping[str, object], in_full: Confidence, **_: object
) -> list[Diagnostic]:
    """Stands in for the analysis: ``boom(x)`` is a finding because of ``x``, with a fix that calls ``calm``."""
    found = []
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == "crash":
            raise ZeroDivisionError("the toy broke")
        if node.func.id not in _TOYS:
            continue
        code, confidence, applicability, better = _TOYS[node.func.id]
        if not select(code):
            continue
        fix = None
        if applicability is not None:
            fix = Fix(applicability, "call calm", (Edit(source.span(node.func), better),), "calm(x)")
        causes = tuple(Annotation(source.span(argument), "can be 0") for argument in node.args[:1])
        name = TOY_RULES[code].name
        found.append(
            Diagnostic(
                source.path,
                source.span(node),
                code,
                name,
                f"{node.func.id} is called",
                confidence,
                effect="goes off",
                causes=causes,
                witness=Witness((("x", (0.0,)),), ("loud(x)", (math.inf,)), "x = 0"),
                fix=fix,
            )
        )
    return found


@pytest.fixture
def toy_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[[Diagnose], None]:
    """The program with three toy rules in place of its own; call it to put another diagnosis in."""
    module = ModuleType("nanlint.rules")
    # what plugins enter their rules in is beside the rules
    monkeypatch.setattr(module, "__path__", nanlint.rules.__path__, raising=False)
    monkeypatch.setattr(module, "RULES", TOY_RULES, raising=False)
    monkeypatch.setattr(module, "diagnose", toy_diagnose, raising=False)
    monkeypatch.setitem(sys.modules, "nanlint.rules", module)
    return lambda diagnose: monkeypatch.setattr(module, "diagnose", diagnose)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
