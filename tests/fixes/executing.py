"""Executes programs that define f(x, y), for its value and its gradients: the harness of the recordings of fixes.

What is asked of the outcomes is in ``proving`` and the tests, which may change without a program being run again.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.recording import Recordings

Array = Any
#: the value of a function, and its gradient with respect to each argument
Outcome = tuple[Array, list[Array]]
Function = Callable[..., Any]
Adapter = Callable[[Function, Sequence[Array]], Outcome]


def outcomes(
    framework: str, program: str, inputs: Sequence[Sequence[Array]], *, plain: bool = False
) -> list[Outcome | None]:
    """What the f of a program gives for each of the inputs; None where it raises.

    ``plain``: f takes NumPy's arrays, and its value alone is asked for.
    """

    def execute() -> list[list[Any] | None]:
        names: dict[str, Any] = {}
        exec(compile(program, "<program>", "exec"), names)
        return [attempted(ADAPTERS["numpy" if plain else framework], names["f"], given) for given in inputs]

    question = [program, "plain" if plain else "", *(array for given in inputs for array in given)]
    found = recordings(framework).answer(question, execute)
    return [None if one is None else (one[0], one[1]) for one in found]


def takes_keywords(name: str, params: Sequence[str]) -> bool:
    """Whether a function can be called with these arguments by name; built-in ones of PyTorch do not say, and can."""

    def execute() -> bool:
        module, _, last = name.rpartition(".")
        function: Any = importlib.import_module(module.partition(".")[0])
        for part in [*module.split(".")[1:], last]:
            function = getattr(function, part)
        if type(function).__name__ == "ufunc":
            return False
        try:
            known: Mapping[str, inspect.Parameter] = inspect.signature(function).parameters
        except ValueError:
            return True
        return all(p in known and known[p].kind is not inspect.Parameter.POSITIONAL_ONLY for p in params)

    return bool(recordings(name.partition(".")[0]).answer([name, "by keyword", *params], execute))


def recordings(framework: str) -> Recordings:
    return Recordings("fixes", framework, (Path(__file__),))


def attempted(run: Adapter, f: Function, inputs: Sequence[Array]) -> list[Any] | None:
    """The outcome; None where the function raises."""
    try:
        value, gradients = run(f, inputs)
    except Exception:
        return None
    return [np.asarray(value), list(map(np.asarray, gradients))]


def _torch(f: Function, inputs: Sequence[Array]) -> Outcome:
    import torch

    leaves = [torch.tensor(i, requires_grad=True) for i in inputs]
    value = f(*(leaf * 1 for leaf in leaves))
    gradients = torch.autograd.grad(value.sum(), leaves, allow_unused=True)
    zeros = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(gradients, leaves, strict=True)]
    return value.detach().numpy(), [g.numpy() for g in zeros]


def _tensorflow(f: Function, inputs: Sequence[Array]) -> Outcome:
    import tensorflow as tf

    leaves = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        for leaf in leaves:
            tape.watch(leaf)
        value = f(*leaves)
        if value is None:
            # a gradient that has lost its path
            value = leaves[0] * math.nan
    gradients = tape.gradient(value, leaves, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return value.numpy(), [tf.convert_to_tensor(g).numpy() for g in gradients]


def _jax(f: Function, inputs: Sequence[Array]) -> Outcome:
    """Differentiating is slow, and most styles are one program to JAX: each is differentiated once on an input."""
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(True):
        arguments = [jnp.asarray(i) for i in inputs]
        traced = jax.make_jaxpr(f)(*arguments)
        key = (str(traced), *(i.tobytes() for i in inputs))
        known = None if traced.consts else _DIFFERENTIATED.get(key)
        if known is None:
            value, pull = jax.vjp(f, *arguments)
            known = np.asarray(value), [np.asarray(g) for g in pull(jnp.ones_like(value))]
            _DIFFERENTIATED[key] = known
        return known


_DIFFERENTIATED: dict[tuple[str | bytes, ...], Outcome] = {}


def _numpy(f: Function, inputs: Sequence[Array]) -> Outcome:
    with np.errstate(all="ignore"):
        return np.asarray(f(*(i.copy() for i in inputs))), []


ADAPTERS: dict[str, Adapter] = {
    "torch": _torch,
    "tensorflow": _tensorflow,
    "keras": _tensorflow,
    "jax": _jax,
    "scipy": _numpy,
    "numpy": _numpy,
}
