"""A callback for Lightning: ``Trainer(callbacks=[nanlint.lightning.Watch()])`` watches as ``nanlint.watch`` does."""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:  # the package by its older name
    from pytorch_lightning.callbacks import Callback

from nanlint.torch import attach
from nanlint.training import Watching


class Watch(Watching, Callback):  # type: ignore[misc]
    """Watches ``fit`` from its first step to its end; the arguments are those of ``nanlint.watch``."""

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        attach(self, pl_module, next(iter(trainer.optimizers), None))
        self.at(step=trainer.global_step)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self.at(epoch=trainer.current_epoch)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The training is broken off: what was seen is told all the same."""
        self.end(exception)
