"""A callback for Lightning: ``Trainer(callbacks=[nanlint.lightning.Verify()])`` watches as `nanlint verify` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:  # the package by its older name
    from pytorch_lightning.callbacks import Callback

from nanlint.runtime.library import Run, verify


class Verify(Callback):  # type: ignore[misc]
    """Watches ``fit`` from its beginning to its end, and prints what there is to hear.

    The arguments are those of ``nanlint.verify``; ``run`` is what it gives, and stays readable after the training.
    ``quiet`` prints nothing.
    """

    def __init__(
        self,
        *,
        watch: str = "all",
        filters: Sequence[str] = (),
        on_nan: str = "continue",
        confidence: str = "likely",
        run_directory: str | None = None,
        quiet: bool = False,
    ) -> None:
        self.run: Run | None = None
        self._quiet = quiet
        self._watching = ExitStack()
        self._options: dict[str, Any] = {
            "watch": watch,
            "filters": filters,
            "on_nan": on_nan,
            "confidence": confidence,
            "run_directory": run_directory,
        }

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to watch."""
        self._watching.close()  # of a training that was broken off
        self.run = self._watching.enter_context(verify(**self._options))

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Watch no more, and tell."""
        self._watching.close()
        if self.run is not None and not self._quiet:
            print(self.run.report(), file=sys.stderr)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The training is broken off: what was seen is told all the same."""
        self.on_fit_end(trainer, pl_module)
