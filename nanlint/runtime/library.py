"""``with nanlint.verify(...) as run:``: the watch over a stretch of a program, from inside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nanlint.runtime import probing
from nanlint.runtime.events import Alert, Birth
from nanlint.runtime.fates import Origin
from nanlint.runtime.importing import Hook
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.launch import new_run
from nanlint.runtime.options import Options
from nanlint.runtime.program import active, rank_of_environment
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.reporting import render_html, render_report
from nanlint.runtime.runfile import read_run
from nanlint.runtime.verdicts import Verdict, Verdicts, births_of


class Run:
    """A run while it goes on and after: what was seen is read from where it is kept, so it may be asked at any time."""

    def __init__(self, recorder: Recorder, own: bool = True) -> None:
        self._recorder = recorder
        #: whether it ends with the block, and is not part of another run
        self.own = own

    @property
    def directory(self) -> str:
        """Where the run is kept, for `nanlint inspect` and `nanlint check --with-run`."""
        return self._recorder.options.directory

    @property
    def verdicts(self) -> Verdicts:
        """Everything that the run says by now."""
        self._recorder.flush()
        return verdicts_in(read_run(self.directory))

    @property
    def findings(self) -> tuple[Verdict, ...]:
        """The findings in the files in which something came by, each with its verdict."""
        return self.verdicts.findings

    @property
    def births(self) -> tuple[Birth, ...]:
        """Every birth, whether a finding spoke of it or not, as they came."""
        return tuple(birth for birth, _ in births_of(read_run(self.directory)))

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """What else there is to hear."""
        return self.verdicts.alerts

    @property
    def bad(self) -> bool:
        """Whether something went wrong: what `nanlint verify` ends with exit code 1 for."""
        return self.verdicts.bad

    def step(self, number: int | None = None, **numbers: float) -> None:
        """Say that a training step is done, where nothing that is watched says so by itself."""
        self._recorder.step(number, **numbers)

    def at(self, step: int | None = None, **where: Any) -> None:
        """Say where the program is: how many steps are done, as after a restart, and what ``epoch`` it is."""
        if step is not None:
            self._recorder.begin_at(step)
        self._recorder.at(told=True, **where)

    def hear(self, hear: Callable[[str, Origin | None], None], warned: Callable[[str], None]) -> None:
        """Have this called at once with what makes the run bad, and the origin that it tells of, if it is one.

        ``warned``: with what says before that it will break.
        """
        self._recorder.hear, self._recorder.warned = hear, warned

    @property
    def steps(self) -> int:
        """How many steps are done."""
        return self._recorder.steps

    @property
    def moment(self) -> str:
        """Where the program is: step, epoch, rank."""
        return f"step {self.steps:,}{self._recorder.where}"

    def failed(self, error: BaseException) -> None:
        """This exception breaks it off."""
        self._recorder.failed(error)

    def alert(self, kind: str, message: str) -> None:
        """Have this told with the rest."""
        self._recorder.alert(kind, message)

    def adapter(self, name: str) -> Any:
        """The adapter of a framework; None if it was not imported."""
        return next((one for one in self._recorder.adapters if one.name == name), None)

    def report(self) -> str:
        """The report, as `nanlint verify` prints it."""
        return render_report(self.verdicts, run=self.directory)

    def _repr_html_(self) -> str:
        return render_html(self.verdicts, run=self.directory)


#: the watch of the block that runs now
_ongoing: Recorder | None = None


@contextmanager
def verify(
    *,
    watch: str = "all",
    filters: Sequence[str] = (),
    on_nan: str = "continue",
    include: Sequence[str] = (),
    confidence: str | None = None,
    keep_elements: int = 4096,
    run_directory: str | None = None,
) -> Iterator[Run]:
    """Watch what is executed in the ``with`` block, in all threads; the options are those of the command.

    Flagged expressions are probed in modules that are imported inside of the block, and in graphs that are traced
    there; with ``watch="all"`` births are found everywhere, and confirm the findings at their lines. In a program that
    `nanlint verify` itself runs, and in another block, that watch goes on and its run is given.

    Raises RunError for a run that cannot be kept, FilterError for a filter, ValueError for another option.
    """
    from nanlint.config import CONFIDENCES

    if confidence is not None and confidence not in CONFIDENCES:
        raise ValueError(f"confidence: {confidence!r} is not one of {', '.join(CONFIDENCES)}")
    global _ongoing
    outer = active() or _ongoing
    if outer is not None:
        yield Run(outer, own=False)
        return
    options = Options(
        directory=new_run(run_directory),
        watch=watch,
        filters=tuple(filters),
        on_nan=on_nan,
        include=tuple(include),
        confidence=confidence or "",
        keep_elements=keep_elements,
    )
    recorder = _ongoing = Recorder(options, rank_of_environment())
    hook = Hook(recorder)
    probing.install(recorder)
    hook.install()
    for path, line, _ in filter(None, [recorder.user_line()]):
        recorder.sites_on(path, line)  # whose findings are told in any case
    try:
        yield Run(recorder)
    except BaseException as error:
        recorder.failed(error)
        raise
    finally:
        _ongoing = None
        hook.remove()
        probing.install(None)
        recorder.end()
