"""Starts the process that calls functions, hears what it tells, and ends it where it takes too long or too much."""

from __future__ import annotations

import ast
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from nanlint.diagnostic import Diagnostic
from nanlint.runtime.rewriting import functions_of
from nanlint.runtime.runfile import RunError
from nanlint.runtime.sites import digest_of, sites_of
from nanlint.runtime.trying.messages import Done, Failure, Message, Order

#: seconds that an import may take, and that one call may take beyond the time of its function
IMPORT, CALL = 120.0, 20.0
#: where this package is found, also by a process that runs elsewhere
OURS = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
#: bytes of resident memory
MEMORY = 4 << 30
#: seconds between looks at the memory
LOOK = 0.2


@dataclass(frozen=True)
class Verdict:
    """What became of a finding. ``state``: "fails", "stays finite", "not reached" or "not callable".

    ``why``: of what is not callable.
    """

    diagnostic: Diagnostic
    function: str
    state: str
    why: str = ""
    tries: int = 0
    failure: Failure | None = None


@dataclass
class Told:
    """What was told of one function."""

    failed: dict[str, Failure] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    done: Done | None = None
    ended: str = ""


def does_more_than_define(tree: ast.Module) -> int:
    """The line at which importing a file does more than define something; 0 if none does."""
    own = {name.partition(".")[0] for name, _ in functions_of(tree)}

    def first(body: Sequence[ast.stmt]) -> int:
        for statement in body:
            if isinstance(statement, ast.If):
                if _is_for_scripts(statement.test):
                    continue
                found = first(statement.body) or first(statement.orelse)
            elif isinstance(statement, ast.Try):
                found = first(statement.body) or next(filter(None, (first(one.body) for one in statement.handlers)), 0)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                found = statement.lineno if _called(statement) & (own | {"open", "input", "exec", "eval"}) else 0
            elif isinstance(statement, ast.Expr):
                found = 0 if isinstance(statement.value, ast.Constant) else statement.lineno
            else:
                found = 0 if isinstance(statement, _DEFINING) else statement.lineno
            if found:
                return found
        return 0

    return first(tree.body)


_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)


def _called(statement: ast.stmt) -> set[str]:
    calls = [one.func for one in ast.walk(statement) if isinstance(one, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)}


def _is_for_scripts(test: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(test))


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    """The lines of a function, with its decorators."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return range(first, (node.end_lineno or first) + 1)


def place_of(path: str) -> tuple[str, str]:
    """Where Python has to look for a file, and the name of the module that it is there."""
    folder, name = os.path.split(os.path.abspath(path))
    parts = [name.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return folder, ".".join(parts)


def packages_of(tree: ast.Module) -> tuple[str, ...]:
    """The packages that a file imports."""
    names = [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    return tuple(sorted({name.partition(".")[0] for name in names}))


def try_file(
    path: str,
    content: bytes,
    diagnostics: Sequence[Diagnostic],
    only: str = "",
    seconds: float = 10.0,
    inputs: str = "",
) -> list[Verdict]:
    """Call each function of a file that has findings, and say what becomes of them. Raises RunError.

    ``seconds``: for each function; ``inputs``: the directory in which a run kept what functions were called with.
    """
    tree = ast.parse(content)
    lines = {name: lines_of(node) for name, node in functions_of(tree)}
    if only and only not in lines:
        raise RunError(f"{path}: has no function {only}")
    within: dict[str, list[Diagnostic]] = {}
    outside = []
    for diagnostic in diagnostics:
        row = diagnostic.span.row
        name = next((name for name, there in lines.items() if row in there), "")
        if not name:
            outside.append(diagnostic)
        elif only in ("", name):
            within.setdefault(name, []).append(diagnostic)
    digest = digest_of(content)
    keys = {name: tuple(site.key for site in sites_of(there, path, digest)) for name, there in within.items()}
    told = _all_told(path, tree, keys, seconds, inputs) if keys else {}
    found = []
    for name, there in within.items():
        for diagnostic in there:
            found.append(_verdict(diagnostic, name, told[name], digest))
    if not only:
        why = "is not in a function; run the program with nanlint verify"
        found += [Verdict(diagnostic, "", "not callable", why) for diagnostic in outside]
    return sorted(found, key=lambda one: (one.diagnostic.span.row, one.diagnostic.span.column))


def _verdict(diagnostic: Diagnostic, name: str, told: Told, digest: str) -> Verdict:
    site = next(iter(sites_of([diagnostic], diagnostic.path, digest)), None)
    if site is None:
        return Verdict(diagnostic, name, "not callable", "has no expression that can be watched")
    tries = told.done.tries if told.done else 0
    if (failure := told.failed.get(site.key)) is not None:
        return Verdict(diagnostic, name, "fails", tries=tries, failure=failure)
    refused = f"; not let: {', '.join(dict.fromkeys(told.refused))}" if told.refused else ""
    if told.done is None:
        return Verdict(diagnostic, name, "not callable", (told.ended or "was not called") + refused)
    if told.done.problem:
        why = refused.removeprefix("; ") or told.done.problem
        return Verdict(diagnostic, name, "not callable", why, tries)
    state = "stays finite" if site.key in told.done.reached else "not reached"
    return Verdict(diagnostic, name, state, refused.removeprefix("; "), tries)


def _all_told(
    path: str, tree: ast.Module, functions: dict[str, tuple[str, ...]], seconds: float, inputs: str
) -> dict[str, Told]:
    """What is told of each function; those after one that ends the process are tried in another."""
    told = {name: Told() for name in functions}
    left = functions
    while left:
        ended, at = _run(path, tree, left, seconds, inputs, told)
        if not at:
            if ended:
                raise RunError(f"{path}: {ended}")
            break
        told[at].ended = ended
        names = list(left)
        left = {name: left[name] for name in names[names.index(at) + 1 :]}
    return told


def _run(
    path: str,
    tree: ast.Module,
    functions: dict[str, tuple[str, ...]],
    seconds: float,
    inputs: str,
    told: dict[str, Told],
) -> tuple[str, str]:
    """One process: how it ended if not by itself, and in which function."""
    root, module = place_of(path)
    with tempfile.TemporaryDirectory(prefix="nanlint-try-", ignore_cleanup_errors=True) as home:
        order = Order(
            os.path.abspath(path),
            root,
            module,
            packages_of(tree),
            functions,
            seconds,
            os.path.join(home, "run"),
            inputs,
        )
        environment = {**os.environ, "HOME": home, "TMPDIR": home, "NANLINT_CACHE_DIR": os.path.join(home, "cache")}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [OURS, os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            [sys.executable, "-m", "nanlint.runtime.trying.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=environment,
            start_new_session=True,
        )
        try:
            return _heard(process, order, seconds, told)
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _heard(process: subprocess.Popen[bytes], order: Order, seconds: float, told: dict[str, Told]) -> tuple[str, str]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode(order))
    process.stdin.close()
    at, buffer = "", b""
    deadline = time.monotonic() + IMPORT
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(LOOK):
                read = os.read(process.stdout.fileno(), 1 << 16)
                if not read:
                    code = process.wait()
                    left = any(told[name].done is None for name in order.functions)
                    return (f"it ended the process ({_how(code)})", at) if left else ("", "")
                *lines, buffer = (buffer + read).split(b"\n")
                for message in (msgspec.json.decode(line, type=Message) for line in lines):
                    if message.problem and not message.function:
                        return f"could not be imported: {message.problem}", ""
                    if message.function != at:
                        at, deadline = message.function, time.monotonic() + seconds + CALL
                    _note(told[at], message)
            if time.monotonic() > deadline:
                what = f"did not come back within {seconds + CALL:.0f} seconds" if at else "its import did not end"
                return what, at
            if resident(process.pid) > MEMORY:
                return f"took more than {MEMORY >> 30} GiB of memory", at


def _note(told: Told, message: Message) -> None:
    if message.failure is not None:
        told.failed[message.failure.site] = message.failure
    if message.refused:
        told.refused.append(message.refused)
    if message.done:
        told.done = message.done


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def resident(pid: int) -> int:
    """Bytes of memory that a process has; 0 where that cannot be read."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        return int(subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True).stdout) * 1024
    return 0
