"""A callback for Hugging Face's ``Trainer``: ``callbacks=[nanlint.transformers.Watch()]``, as ``nanlint.watch``."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from nanlint.torch import attach
from nanlint.training import Watching


class Watch(Watching, TrainerCallback):  # type: ignore[misc]
    """Watches ``train`` from its first step to its end; the arguments are those of ``nanlint.watch``."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        attach(self, kwargs["model"], kwargs.get("optimizer"))
        self.at(step=state.global_step)

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.at(epoch=int(state.epoch or 0))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.end()
