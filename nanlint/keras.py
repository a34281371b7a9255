"""A callback for Keras: ``model.fit(…, callbacks=[nanlint.keras.Verify()])`` watches as `nanlint verify` does."""

from __future__ import annotations

from typing import Any

import keras

from nanlint.runtime.library import Run, Watching


class Verify(keras.callbacks.Callback):  # type: ignore[misc]
    """Watches ``fit`` from its beginning to its end, and prints what there is to hear.

    The arguments are those of ``nanlint.verify``; ``quiet=True`` prints nothing. The step is compiled anew at the
    beginning, with probes, and at the end, without.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._watching = Watching(**options)

    @property
    def run(self) -> Run | None:
        """The run, once ``fit`` has begun; it stays readable after the training."""
        return self._watching.run

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to watch."""
        self._watching.begin()
        self.model.make_train_function(force=True)

    def on_train_end(self, logs: Any = None) -> None:
        """Watch no more, and tell."""
        self._watching.end()
        self.model.make_train_function(force=True)
