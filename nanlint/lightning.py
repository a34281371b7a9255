"""A callback for Lightning: ``Trainer(callbacks=[nanlint.lightning.Verify()])`` watches as `nanlint verify` does."""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:  # the package by its older name
    from pytorch_lightning.callbacks import Callback

from nanlint.runtime.library import Run, Watching


class Verify(Callback):  # type: ignore[misc]
    """Watches ``fit`` from its beginning to its end, and prints what there is to hear.

    The arguments are those of ``nanlint.verify``; ``quiet=True`` prints nothing.
    """

    def __init__(self, **options: Any) -> None:
        self._watching = Watching(**options)

    @property
    def run(self) -> Run | None:
        """The run, once ``fit`` has begun; it stays readable after the training."""
        return self._watching.run

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to watch."""
        self._watching.begin()

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Watch no more, and tell."""
        self._watching.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The training is broken off: what was seen is told all the same."""
        self._watching.end()
