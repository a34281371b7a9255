"""Keras 3, over any backend: its variables, the end of each training step, steps that loss scaling skips.

What is computed is watched by the adapter of the backend.
"""

from __future__ import annotations

import inspect
import math
import sys
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import keras
import numpy as np

from nanlint.runtime.adapter import AnyFunction, Watch, safely
from nanlint.runtime.arrays import ArrayAdapter, health_of_array
from nanlint.runtime.frames import upward
from nanlint.runtime.health import health_of_numbers
from nanlint.runtime.hooks import Hooks

#: as a failure is told
STEPS, LOSS = "the steps of Keras", "a Keras loss"
#: the code that calls a layer
CALL = inspect.unwrap(keras.Layer.__call__).__code__


class KerasAdapter(ArrayAdapter):
    """Keras' own part of a run."""

    name: ClassVar[str] = "keras"

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._hooks = Hooks(watch)
        self._scales: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()
        self._applying = False
        #: that is being trained or evaluated
        self._model: Any = None
        #: steps when this adapter last looked: if there are more, another has counted
        self._steps = 0
        self._begun = 0

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Hear of steps from now on."""
        if self._hooks:
            return
        self._steps = self.watch.steps
        self._wrap(keras.callbacks.CallbackList, "on_train_batch_begin", self._begins)
        self._wrap(keras.callbacks.CallbackList, "on_train_batch_end", self._ends)
        for name in ("fit", "train_on_batch", "evaluate", "test_on_batch"):
            self._wrap(keras.Model, name, self._trains)
        self._wrap(keras.optimizers.Optimizer, "apply", self._applies)
        self._wrap(keras.optimizers.LossScaleOptimizer, "apply", self._applies)

    def stop(self) -> None:
        """Hear no more."""
        self._hooks.take_away()

    def _wrap(self, owner: Any, name: str, hook: AnyFunction) -> None:
        """Have ``hook`` called with the original method, the object and its arguments, in the place of a method."""
        holder = next(one for one in owner.__mro__ if name in vars(one))
        if not hasattr(vars(holder)[name], "nanlint"):
            self._hooks.around(holder, name, hook, f"Keras' {name}")

    def where(self) -> Mapping[str, Any]:
        """The layer that is being called."""
        called = (frame.f_locals["self"] for frame in upward(sys._getframe(1)) if frame.f_code is CALL)
        layer = next((one for one in called if not isinstance(one, keras.Model)), None)
        return {} if layer is None else {"module": getattr(layer, "path", None) or layer.name}

    # ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begins(self, original: Any, callbacks: Any, *args: Any, **kwargs: Any) -> Any:
        self._begun = self.watch.steps
        return original(callbacks, *args, **kwargs)

    def _ends(self, original: Any, callbacks: Any, batch: Any, logs: Any = None) -> Any:
        safely(self.watch, LOSS, self._looks, logs, "fit()")
        safely(self.watch, STEPS, self._step, self._begun, logs)
        return original(callbacks, batch, logs)

    def _trains(self, original: Any, model: Any, x: Any = None, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        outer, self._model = self._model, model
        if outer is not model:  # ``fit`` evaluates by itself, with other data
            self.watch.fed(lambda: any(health_of_array(one).nan for one in _arrays((x, y))))
        name = original.function.__name__
        try:
            logs = original(model, x, y, *args, **kwargs)
            if name == "fit":
                safely(self.watch, STEPS, self._trained, model)
            else:
                safely(self.watch, LOSS, self._looks, logs, f"{name}()")
            return logs
        finally:
            self._model = outer
            if outer is not model:
                self.watch.fed(None)

    def _trained(self, model: Any) -> None:
        """Is all finite that a training leaves: weights, statistics, what the optimizer keeps?"""
        for one in (*model.trainable_variables, *model.non_trainable_variables, *model.optimizer.variables):
            health = self.health(one)
            if health.bad:
                self.watch.arrived("parameter", one.path, health, asked="fit()", frames=self.watch.frames())
                return

    def _looks(self, logs: Any, asked: str) -> None:
        """Is the loss finite that a step gave?"""
        loss = logs.get("loss") if isinstance(logs, dict) else logs[0] if isinstance(logs, list) else logs
        loss = None if loss is None else float(loss)
        if loss is not None and not math.isfinite(loss):
            health = health_of_numbers((loss,))
            self.watch.arrived("loss", "the loss", health, asked=asked, frames=self.watch.frames())

    def _applies(self, original: Any, optimizer: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        if self._applying:
            return original(optimizer, grads, *args, **kwargs)
        self._applying = True
        try:
            result = original(optimizer, grads, *args, **kwargs)
        finally:
            self._applying = False
        if hasattr(optimizer, "dynamic_scale"):
            self._scales.setdefault(optimizer, float(getattr(optimizer, "initial_scale", math.nan)))
            self.watch.scaler(self._skipped)
        if _is_eager():
            safely(self.watch, STEPS, self._step, self._steps, None)
        return result

    def _step(self, begun: int, logs: Any) -> None:
        """A step is done; it is counted, unless there are more by now than when it began."""
        self._skipped()
        if self.watch.steps == begun:
            loss = (logs or {}).get("loss") if self.watch.mode != "sites" else None
            if loss is not None:
                self.watch.measured(loss=float(loss))
            self.watch.step()
        self._steps = self.watch.steps

    def _skipped(self) -> bool:
        """Whether a loss scaler has skipped a step since this was last asked; that is told."""
        found = False
        for optimizer, before in list(self._scales.items()):
            scale = float(keras.ops.convert_to_numpy(optimizer.dynamic_scale))
            self._scales[optimizer] = scale
            if scale < before:
                found = True
                self.watch.alert(
                    "skipped-step",
                    f"a gradient was not finite, so the step was skipped and the loss scale goes from {before:g} "
                    f"to {scale:g}",
                    frames=self.watch.frames(),
                    before=before,
                    after=scale,
                )
        if found:
            self.watch.settled(skipped=True)
        return found

    # ── tensors ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def owns(self, value: Any) -> bool:
        """Variables of Keras, and what stands for a tensor in a functional model."""
        return isinstance(value, (keras.Variable, keras.KerasTensor))

    def concrete(self, value: Any) -> bool:
        """A variable, outside of what is being compiled."""
        return isinstance(value, keras.Variable) and _is_eager()

    def array(self, value: Any) -> Any:
        """What a variable holds."""
        return keras.ops.convert_to_numpy(value)


def _arrays(data: Any) -> Iterator[Any]:
    """The arrays in what a model was given, where they are there and not only read from somewhere."""
    for one in keras.tree.flatten(data):
        if isinstance(one, np.ndarray) or (keras.ops.is_tensor(one) and _is_eager()):
            yield keras.ops.convert_to_numpy(one)


def _is_eager() -> bool:
    """Whether ops are executed now, and not written down to be compiled."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        return not tf.inside_function()
    return bool(backend != "jax")  # whose steps are compiled, and counted by the batch
