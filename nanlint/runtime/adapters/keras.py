"""Keras 3, over any backend: its variables, the end of each training step, steps that loss scaling skips.

What is computed is watched by the adapter of the backend.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import keras

from nanlint.runtime.adapter import Adapter, Watch, around, safely
from nanlint.runtime.arrays import health_of_array, numbers_of
from nanlint.runtime.health import Health


class KerasAdapter(Adapter):
    """Keras' own part of a run."""

    name: ClassVar[str] = "keras"

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._undo: list[Callable[[], None]] = []
        self._scales: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()
        self._applying = False
        #: steps when this adapter last looked: if there are more, another has counted
        self._steps = 0
        self._begun = 0

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Hear of steps from now on."""
        if self._undo:
            return
        self._steps = self.watch.steps
        self._wrap(keras.callbacks.CallbackList, "on_train_batch_begin", self._begins)
        self._wrap(keras.callbacks.CallbackList, "on_train_batch_end", self._ends)
        self._wrap(keras.optimizers.Optimizer, "apply", self._applies)
        self._wrap(keras.optimizers.LossScaleOptimizer, "apply", self._applies)

    def stop(self) -> None:
        """Hear no more."""
        while self._undo:
            self._undo.pop()()

    def _wrap(self, owner: Any, name: str, hook: Callable[..., Any]) -> None:
        """Have ``hook`` called with the original method, the object and its arguments, in the place of a method."""
        holder = next(one for one in owner.__mro__ if name in vars(one))
        original = vars(holder)[name]
        if getattr(original, "nanlint", False):
            return
        setattr(holder, name, around(self.watch, f"Keras' {name}", original, hook))
        self._undo.append(lambda: setattr(holder, name, original))

    # ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begins(self, original: Any, callbacks: Any, *args: Any, **kwargs: Any) -> Any:
        self._begun = self.watch.steps
        return original(callbacks, *args, **kwargs)

    def _ends(self, original: Any, callbacks: Any, batch: Any, logs: Any = None) -> Any:
        safely(self.watch, "the steps of Keras", self._step, self._begun, logs)
        return original(callbacks, batch, logs)

    def _applies(self, original: Any, optimizer: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        if self._applying:
            return original(optimizer, grads, *args, **kwargs)
        self._applying = True
        try:
            result = original(optimizer, grads, *args, **kwargs)
        finally:
            self._applying = False
        if hasattr(optimizer, "dynamic_scale"):
            self._scales.setdefault(optimizer, math.nan)
        if _is_eager():
            safely(self.watch, "the steps of Keras", self._step, self._steps, None)
        return result

    def _step(self, begun: int, logs: Any) -> None:
        """A step is done; it is counted, unless there are more by now than when it began."""
        for optimizer, before in list(self._scales.items()):
            scale = float(keras.ops.convert_to_numpy(optimizer.dynamic_scale))
            self._scales[optimizer] = scale
            if scale < before:
                self.watch.alert(
                    "skipped-step",
                    f"a gradient was not finite, so the step was skipped and the loss scale goes from {before:g} "
                    f"to {scale:g}",
                    frames=self.watch.frames(),
                    before=before,
                    after=scale,
                )
        if self.watch.steps == begun:
            loss = (logs or {}).get("loss") if self.watch.mode != "sites" else None
            if loss is not None:
                self.watch.measured(loss=float(loss))
            self.watch.step()
        self._steps = self.watch.steps

    # ── tensors ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def owns(self, value: Any) -> bool:
        """Variables of Keras, and what stands for a tensor in a functional model."""
        return isinstance(value, (keras.Variable, keras.KerasTensor))

    def concrete(self, value: Any) -> bool:
        """A variable, outside of what is being compiled."""
        return isinstance(value, keras.Variable) and _is_eager()

    def health(self, value: Any) -> Health:
        """The breakdown of a variable."""
        return health_of_array(keras.ops.convert_to_numpy(value))

    def numbers(self, value: Any, limit: int) -> Sequence[float | complex]:
        """The first elements of a variable."""
        array = numbers_of(keras.ops.convert_to_numpy(value))
        found: list[float | complex] = [] if array is None else array.ravel()[:limit].tolist()
        return found


def _is_eager() -> bool:
    """Whether ops are executed now, and not written down to be compiled."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        return not tf.inside_function()
    return bool(backend != "jax")  # whose steps are compiled, and counted by the batch
