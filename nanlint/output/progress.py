"""The progress bar: on a terminal only, and only once the work has proved to be long."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.0  # seconds that may pass without a sign of life


class ProgressBar:
    """Hears how many files are done, and draws on stderr after a second. A context: the bar goes when it ends."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` files are checked."""
        if self._progress is None:
            if time.monotonic() - self._began < _PATIENCE or done == total:
                return
            self._start(total)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)
            self._progress.refresh()

    def _start(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        # Without a thread of its own: workers may still be forked, and a fork must not copy a held lock.
        self._progress = Progress(console=Console(file=sys.stderr), auto_refresh=False, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("checking", total=total)
