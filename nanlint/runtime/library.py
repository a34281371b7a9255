"""``with nanlint.verify(...) as run:``: the watch over a stretch of a program, from inside of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from nanlint.output.paint import visible
from nanlint.runtime import probing
from nanlint.runtime.events import Alert, Birth
from nanlint.runtime.fates import Origin
from nanlint.runtime.frames import shell
from nanlint.runtime.hooks import safely
from nanlint.runtime.importing import Hook
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.launch import new_run
from nanlint.runtime.options import Options
from nanlint.runtime.program import active, rank_of_environment
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.reporting import render_html, render_report
from nanlint.runtime.runfile import read_run
from nanlint.runtime.telling import shortened
from nanlint.runtime.verdicts import Verdict, Verdicts, births_of

#: bad steps that are told at once
MOST = 100


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

    def hear(self, hear: Callable[[str, Origin | None], None]) -> None:
        """Have this called at once with what makes the run bad, and the origin that it tells of, if it is one."""
        self._recorder.hear = hear

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
    confidence: str = "likely",
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

    if confidence not in CONFIDENCES:
        raise ValueError(f"confidence: {confidence!r} is not one of {', '.join(CONFIDENCES)}")
    global _ongoing
    outer = active() or _ongoing
    if outer is not None:
        yield Run(outer, own=False)
        return
    options = Options(
        directory=new_run(run_directory),
        root=os.getcwd(),
        watch=watch,
        filters=tuple(filters),
        on_nan=on_nan,
        include=tuple(include),
        confidence=confidence,
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


class Watching:
    """A watch over a training: what the callbacks begin and end, and the handle that ``nanlint.watch`` gives.

    The arguments are those of ``verify``, though only the losses, gradients and outputs are watched by default
    (``watch="sentinel"``). The first that is not finite is told at once on standard error, and the report follows at
    the end; ``quiet``: neither. ``writer``: of TensorBoard (PyTorch's ``SummaryWriter``, or one of TensorFlow's), which
    gets each bad step as a text, and as a scalar.
    """

    def __init__(self, *, watch: str = "sentinel", quiet: bool = False, writer: Any = None, **options: Any) -> None:
        #: the run, once it has begun; it stays readable after the training
        self.run: Run | None = None
        self._quiet = quiet
        self._writer = writer
        self._options = {"watch": watch, **options}
        self._watching = ExitStack()
        self._going = False
        self._said: set[str] = set()

    def begin(self) -> Run:
        """Watch from now on; a watch over a training that was broken off ends. Raises as ``verify`` does."""
        self.end()
        self.run = self._watching.enter_context(verify(**self._options))
        self._going, self._said = True, set()
        if self.run.own:
            self.run.hear(self._hear)
        return self.run

    def end(self, error: BaseException | None = None) -> None:
        """Watch no more, and print the report if something went bad. ``error``: what breaks the training off."""
        going, self._going = self._going, False
        if not going or self.run is None:
            return
        if error is not None:
            self.run.failed(error)
        self._watching.close()
        if self.run.own and self.run.bad and not self._quiet:
            print(visible(self.run.report()), file=sys.stderr)

    def at(self, step: int | None = None, **where: Any) -> None:
        """See ``Run.at``."""
        if self.run is not None:
            self.run.at(step, **where)

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, at: Any) -> None:
        self.end(error)

    @property
    def bad(self) -> bool:
        """Whether something went wrong so far."""
        return self.run is not None and self.run.bad

    def _repr_html_(self) -> str:
        return "" if self.run is None else self.run._repr_html_()

    def _hear(self, message: str, origin: Origin | None) -> None:
        run = self.run
        if run is None or origin is not None or message in self._said or len(self._said) >= MOST:
            return
        self._said.add(message)
        if self._writer is not None:
            safely(run, "the writer of TensorBoard", write_event, self._writer, message, run.steps)
        if len(self._said) == 1 and not self._quiet:
            print(visible(f"nanlint: {run.moment}: {message}{self._how(run)}"), file=sys.stderr)

    def _how(self, run: Run) -> str:
        """How the line is found, if it is not in the report already."""
        if self._options["watch"] != "sentinel":
            return ""
        command = f"nanlint replay {shortened(run.directory)}"
        how = command if shell() is None else "repeat the step in a cell, in a block with nanlint.verify() as run:"
        return f"\n    to find the line: {how}"


def write_event(writer: Any, message: str, step: int) -> None:
    """Tell TensorBoard of a bad step, through a writer of PyTorch's or of TensorFlow's."""
    if hasattr(writer, "add_text"):
        writer.add_text("nanlint", message, step)
        writer.add_scalar("nanlint/non_finite", 1, step)
        writer.flush()
        return
    import tensorflow as tf

    with writer.as_default(step=step):
        tf.summary.text("nanlint", message)
        tf.summary.scalar("nanlint/non_finite", 1)
    writer.flush()
