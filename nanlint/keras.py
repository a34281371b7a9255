"""A callback for Keras: ``model.fit(…, callbacks=[nanlint.keras.Verify()])`` watches as `nanlint verify` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import keras

from nanlint.runtime.library import Run, verify


class Verify(keras.callbacks.Callback):  # type: ignore[misc]
    """Watches ``fit`` from its beginning to its end, and prints what there is to hear.

    The arguments are those of ``nanlint.verify``; ``run`` is what it gives, and stays readable after the training.
    ``quiet`` prints nothing. The step is compiled anew at the beginning, with probes, and at the end, without.
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
        super().__init__()
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

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to watch."""
        self._watching.close()  # of a training that was broken off
        self.run = self._watching.enter_context(verify(**self._options))
        self.model.make_train_function(force=True)

    def on_train_end(self, logs: Any = None) -> None:
        """Watch no more, and tell."""
        self._watching.close()
        self.model.make_train_function(force=True)
        if self.run is not None and not self._quiet:
            print(self.run.report(), file=sys.stderr)
