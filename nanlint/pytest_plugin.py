"""``pytest --nanlint``: the tests are a run, too. Every pytest beside nanlint loads this, so it imports nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import argparse

    from nanlint.runtime.recorder import Recorder
    from nanlint.runtime.verdicts import Verdicts

_KEY = pytest.StashKey["Session"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `nanlint verify`, as far as they make sense for tests."""
    group = parser.getgroup("nanlint", "births of nan and inf")
    # options of their own rather than one with a value that may be left out: that would be the path which follows
    group.addoption(
        *("--nanlint", "--nanlint=sites"),
        dest="nanlint",
        action="store_const",
        const="sites",
        help="watch flagged expressions while the tests run",
    )
    group.addoption(
        "--nanlint=all", dest="nanlint", action="store_const", const="all", help="watch the birth of every nan and inf"
    )
    group.addoption("--nanlint-run-dir", metavar="DIR", help="where the run is kept (a new one in .nanlint/runs)")
    group.addoption("--nanlint-include", action="append", default=[], metavar="PACKAGE", help="watch as your own")


class Session:
    """The watch over one pytest process; workers of pytest-xdist keep theirs in the run of the main process."""

    def __init__(self, config: pytest.Config, asked: argparse.Namespace) -> None:
        from nanlint.runtime.launch import new_run
        from nanlint.runtime.options import VARIABLE, Options, options_of_environment
        from nanlint.runtime.program import active, watch

        self.main = not hasattr(config, "workerinput")
        options = options_of_environment()
        if options is None:
            options = Options(
                directory=new_run(asked.nanlint_run_dir),
                root=str(config.rootpath),
                watch=asked.nanlint,
                include=tuple(asked.nanlint_include),
            )
            os.environ[VARIABLE] = options.to_environment()
        self.recorder: Recorder = active() or watch(options)

    def bad(self) -> bool:
        """Whether something went wrong so far, in any process of the run."""
        return self.verdicts().bad

    def verdicts(self) -> Verdicts:
        """What the run says by now."""
        from nanlint.runtime.judging import verdicts_in
        from nanlint.runtime.runfile import read_run

        self.recorder.flush()
        return verdicts_in(read_run(self.recorder.options.directory))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any of the user's modules is imported."""
    if early_config.known_args_namespace.nanlint:
        from nanlint.runtime.runfile import RunError

        try:
            early_config.stash[_KEY] = Session(early_config, early_config.known_args_namespace)
        except RunError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    """Begin here in a worker, which has no command line of its own."""
    if config.getoption("nanlint") and _KEY not in config.stash:
        config.stash[_KEY] = Session(config, config.option)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """A test is a step."""
    session = item.config.stash.get(_KEY, None)
    result = yield
    if session is not None:
        session.recorder.step()
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tests that pass while something is born do not pass."""
    ours = session.config.stash.get(_KEY, None)
    if ours is not None and ours.main and session.exitstatus == pytest.ExitCode.OK and ours.bad():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The report, after those of the tests."""
    ours = config.stash.get(_KEY, None)
    if ours is None or not ours.main:
        return
    from nanlint.runtime.reporting import render_report

    terminalreporter.section("nanlint")
    terminalreporter.write(render_report(ours.verdicts(), run=ours.recorder.options.directory))
