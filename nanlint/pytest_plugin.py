"""``pytest --nanlint``: the tests are a run, too, and a test fails in which something comes out that is not finite.

So it is under `nanlint verify -m pytest`. Every pytest beside nanlint loads this, so it imports nothing.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator
    from types import CodeType

    from nanlint.runtime.recorder import Recorder
    from nanlint.runtime.verdicts import Verdicts

_KEY = pytest.StashKey["Session"]()

#: of what made a test fail, as much is told
_MOST = 8

#: a test that has one of these words means to meet what is not finite
_MEANT = frozenset({"isnan", "isinf", "isfinite", "isneginf", "isposinf", "nan", "NaN", "inf", "Inf", "warns"}) | {
    "FloatingPointError"
}
#: the words by which a test asserts a kind of value, and what denies it again
_ASSERTED = {"nan": {"isnan", "nan"}, "inf": {"isinf", "isposinf", "isneginf", "inf", "infinity"}}
_DENIED = (ast.Not, ast.Invert, ast.NotEq)
#: so does one with this marker, of what it says, wherever it comes out
_MARKER = "nanlint"
#: what it may allow: kinds of value, rules, files with or without a line
_ALLOWED = re.compile(r"all|nan|[+-]?inf|[A-Z]+\d+|.+\.py(?::\d+)?")
_PLACE = re.compile(r"(.*?):(\d+): ")
_KIND = re.compile(r"(?<![\w.])(?:nan|[+-]?inf)\b")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `nanlint verify`, as far as they make sense for tests."""
    group = parser.getgroup("nanlint", "origins of nan and inf")
    # options of their own rather than one with a value that may be left out: that would be the path which follows
    group.addoption(
        *("--nanlint", "--nanlint=sites"),
        dest="nanlint",
        action="store_const",
        const="sites",
        help="watch flagged expressions while the tests run",
    )
    group.addoption(
        "--nanlint=all", dest="nanlint", action="store_const", const="all", help="find the origin of every nan and inf"
    )
    group.addoption(
        "--nanlint=observe",
        dest="nanlint",
        action="store_const",
        const="observe",
        help="watch flagged expressions, and fail no test for what comes by",
    )
    group.addoption(
        "--nanlint-confidence",
        choices=("possible", "likely", "certain"),
        default="possible",
        help="lowest confidence of the findings that are watched (default: possible)",
    )
    group.addoption(
        "--nanlint-run-dir", metavar="DIR", help="directory to store the run in (default: a new one in .nanlint/runs)"
    )
    group.addoption(
        "--nanlint-include", action="append", default=[], metavar="PACKAGE", help="also watch this package or path"
    )


class Session:
    """The watch over one pytest process; workers of pytest-xdist keep theirs in the run of the main process.

    ``reports``: whether it tells of the run at the end, which under `nanlint verify` is not for pytest to do.
    """

    def __init__(self, config: pytest.Config, asked: argparse.Namespace) -> None:
        from _pytest.assertion.rewrite import AssertionRewritingHook

        from nanlint.runtime.asserting import probed_test
        from nanlint.runtime.importing import Hook
        from nanlint.runtime.launch import new_run
        from nanlint.runtime.options import VARIABLE, Options, options_of_environment
        from nanlint.runtime.program import active, watch
        from nanlint.runtime.runfile import event_files

        self.observes = asked.nanlint == "observe"
        outer = active()
        self.reports = outer is None and not hasattr(config, "workerinput")
        self._heard: dict[str, int | str | None] = {}
        self._verdicts: Verdicts | None = None
        options = options_of_environment()
        if options is None:
            options = Options(
                directory=new_run(asked.nanlint_run_dir),
                watch="sites" if self.observes else asked.nanlint,
                include=tuple(asked.nanlint_include),
                confidence=asked.nanlint_confidence,
            )
            os.environ[VARIABLE] = options.to_environment()
        self._before = event_files(options.directory) if self.reports else []
        self.recorder: Recorder = outer or watch(options)
        self.recorder.results.heeded = False  # tests make and write what they like
        Hook.take_over(AssertionRewritingHook, probed_test)

    def begins(self, test: str) -> None:
        """A test begins: what comes out from now on is its own."""
        self._heard = {}
        self.recorder.test = test
        self.recorder.hear = None if self.observes else self._hear

    def ended(self) -> None:
        """It is over."""
        self.recorder.step()
        self.recorder.test = ""

    def _hear(self, message: str, origin: int | str | None) -> None:
        self._heard[message] = origin

    def came_out(self, item: pytest.Item) -> str:
        """What a test met that is not finite, in lines; empty where there is nothing, or it means to."""
        self.recorder.settle()
        died = self.recorder.fates.deaths()
        heard = [message for message, origin in self._heard.items() if origin is None or origin not in died]
        self._heard = {}
        allowed = _allowed_in(item) | _asserted_in(item)
        heard = [message for message in heard if not self._is_allowed(message, allowed)]
        code = getattr(getattr(item, "function", None), "__code__", None)
        if code is not None and not _MEANT.isdisjoint(_words(code)):
            heard = [one for one in heard if not one.startswith(f"{code.co_filename}:")]
        root = os.path.join(item.config.rootpath, "")
        heard = [one.removeprefix(root) for one in heard]
        more = [f"and {len(heard) - _MOST:,} more"] if len(heard) > _MOST else []
        return "\n".join([*heard[:_MOST], *more])

    def _is_allowed(self, message: str, allowed: Collection[str]) -> bool:
        """Whether a test allows what is told: its rule or its place, that of what it causes, or all of its kinds."""
        first = message.partition("\n")[0]
        place = _PLACE.match(first)
        said = first if place is None else first[place.end() :]
        kinds = set(_KIND.findall(said))
        if "inf" in allowed:
            kinds = {kind for kind in kinds if not kind.endswith("inf")}
        names = {said.partition(" ")[0], *(() if place is None else self.recorder.names_of(place[1], int(place[2])))}
        there = any(f"{os.sep}{name}".endswith(f"{os.sep}{one}") for name in names for one in allowed)
        return "all" in allowed or there or kinds.issubset(allowed)

    def verdicts(self) -> Verdicts:
        from nanlint.runtime.judging import verdicts_in
        from nanlint.runtime.runfile import read_run

        if self._verdicts is None:
            self.recorder.flush()
            self._verdicts = verdicts_in(read_run(self.recorder.options.directory, but=self._before))
        return self._verdicts


def _allowed_in(item: pytest.Item) -> set[str]:
    """What the markers of a test allow; one that says something else fails it."""
    allowed: set[str] = set()
    for marker in item.iter_markers(_MARKER):
        given = marker.kwargs.get("allow", ())
        allowed |= {given} if isinstance(given, str) else set(given)
        if marker.args or set(marker.kwargs) != {"allow"} or not all(map(_ALLOWED.fullmatch, allowed)):
            pytest.fail(
                "@pytest.mark.nanlint takes allow=…: 'nan', 'inf', '+inf', '-inf', 'all', a rule ('NL101'), a file "
                "('model.py') or a line ('model.py:12'), or a list of them",
                pytrace=False,
            )
    return allowed


def _asserted_in(item: pytest.Item) -> set[str]:
    """The kinds that a test asserts of what it calls: that something is infinite, or nan."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(item, "function", None) or item.__class__)))
    except (OSError, TypeError, SyntaxError):
        return set()
    claims = [one.test for one in ast.walk(tree) if isinstance(one, ast.Assert)]
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    claims += [one for one in calls if "assert" in ast.unparse(one.func).rpartition(".")[2].lower()]
    said = [ast.unparse(one) for one in claims if not any(isinstance(part, _DENIED) for part in ast.walk(one))]
    words = {word.lower() for text in said for word in re.findall(r"\w+", text)}
    return {kind for kind, meant in _ASSERTED.items() if not words.isdisjoint(meant)}


def _words(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, type(code)):
            yield from _words(constant)


def _watched() -> bool:
    """Whether this process is under `nanlint verify`."""
    program = sys.modules.get("nanlint.runtime.program")
    return program is not None and program.active() is not None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any of the user's modules is imported."""
    if early_config.known_args_namespace.nanlint or _watched():
        from nanlint.runtime.runfile import RunError

        try:
            early_config.stash[_KEY] = Session(early_config, early_config.known_args_namespace)
        except RunError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    """Begin here in a worker, which has no command line of its own."""
    config.addinivalue_line("markers", f"{_MARKER}(allow): non-finite values that this test expects")
    if (config.getoption("nanlint") or _watched()) and _KEY not in config.stash:
        config.stash[_KEY] = Session(config, config.option)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """A test is a step."""
    session = item.config.stash.get(_KEY, None)
    if session is not None:
        session.begins(item.nodeid)
    result = yield
    if session is not None:
        session.ended()
    return result


def _fails_with(item: pytest.Item) -> None:
    session = item.config.stash.get(_KEY, None)
    told = "" if session is None or session.observes else session.came_out(item)
    if told:
        pytest.fail(f"not finite: {told}", pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """A test that passes by itself fails where something came out that is not finite, in its fixtures or in it."""
    result = yield
    session = item.config.stash.get(_KEY, None)
    if session is not None:
        session.recorder.accepted()
    _fails_with(item)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Any:
    """So does what its fixtures do behind it."""
    result = yield
    _fails_with(item)
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """What went wrong beside the tests, as they were imported, makes them fail as a whole."""
    ours = session.config.stash.get(_KEY, None)
    fails = ours is not None and ours.reports and not ours.observes and session.exitstatus == pytest.ExitCode.OK
    if ours is not None and fails and ours.verdicts().bad:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The report, after those of the tests."""
    ours = config.stash.get(_KEY, None)
    if ours is None or not ours.reports:
        return
    from nanlint.runtime.reporting import render_report

    terminalreporter.section("nanlint")
    terminalreporter.write(render_report(ours.verdicts(), run=ours.recorder.options.directory))
