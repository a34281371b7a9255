"""A callback for Keras: ``model.fit(…, callbacks=[nanlint.keras.Watch()])`` watches as ``nanlint.watch`` does."""

from __future__ import annotations

from typing import Any

import keras

from nanlint.training import Watching


class Watch(Watching, keras.callbacks.Callback):  # type: ignore[misc]
    """Watches ``fit`` from its beginning to its end; the arguments are those of ``nanlint.watch``.

    With ``watch="all"`` or ``"sites"`` the step is compiled anew at the beginning, with probes, and at the end.
    """

    def __init__(self, **options: Any) -> None:
        keras.callbacks.Callback.__init__(self)
        Watching.__init__(self, **options)

    def on_train_begin(self, logs: Any = None) -> None:
        self.begin()
        self.model.make_train_function(force=True)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.at(epoch=epoch)

    def on_train_end(self, logs: Any = None) -> None:
        self.end()
        self.model.make_train_function(force=True)
