"""A watch over a training: what ``nanlint.watch`` and the callbacks of trainers share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from nanlint.output.paint import visible
from nanlint.runtime.fates import Origin
from nanlint.runtime.frames import shell
from nanlint.runtime.hooks import NonFinite, safely
from nanlint.runtime.library import Run, verify
from nanlint.runtime.telling import shortened

#: bad steps that are told at once
MOST = 100


class Watching:
    """A watch over a training: what the callbacks begin and end, and the handle that ``nanlint.watch`` gives.

    The arguments are those of ``verify``, though only the losses, gradients and outputs are watched by default
    (``watch="sentinel"``). The first that is not finite is told at once on standard error, and the report follows at
    the end, and so are warnings that it will break; ``quiet``: none of these. ``writer``: of TensorBoard (PyTorch's
    ``SummaryWriter``, or one of TensorFlow's), which gets each bad step as a text, and as a scalar. ``on_bad``: called
    once with the run, at the first bad step; what it raises ends the training, as the cause of a
    ``NonFinite``.
    """

    def __init__(
        self,
        *,
        watch: str = "sentinel",
        quiet: bool = False,
        writer: Any = None,
        on_bad: Callable[[Run], object] | None = None,
        **options: Any,
    ) -> None:
        #: the run, once it has begun; it stays readable after the training
        self.run: Run | None = None
        self._quiet = quiet
        self._writer = writer
        self._on_bad = on_bad
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
            self.run.hear(self._hear, self._warned)
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
        if len(self._said) > 1:
            return
        if not self._quiet:
            print(visible(f"nanlint: {run.moment}: {message}{self._how(run)}"), file=sys.stderr)
        if self._on_bad is not None:
            try:
                self._on_bad(run)
            except Exception as error:
                raise NonFinite(message) from error

    def _warned(self, message: str) -> None:
        if self.run is not None and not self._quiet:
            print(visible(f"nanlint: {self.run.moment}: {message}"), file=sys.stderr)

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
