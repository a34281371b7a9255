"""How a function is called in each framework: arrays of NumPy become its own, and its gradients are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Call = Callable[..., Any]


@dataclass(frozen=True)
class Framework:
    """``array``: NumPy's as one of its own; ``numpy``: the reverse. ``run``: call, and take the gradient of the result.

    For a test that is written: ``imports``; what makes an array of ``{numbers}`` and ``{dtype}``; when a ``{result}``
    is ``finite``; the lines that take the gradient of ``{call}`` by ``{name}``.
    """

    array: Callable[[np.ndarray], Any]
    numpy: Callable[[Any], np.ndarray]
    run: Callable[[Call, list[Any], dict[str, Any]], Any]
    imports: tuple[str, ...]
    made: str
    finite: str
    gradient: tuple[str, ...] = ()


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _leaves(one)
    elif value is not None:
        yield value


def _torch() -> Framework:
    import torch

    def array(x: np.ndarray) -> Any:
        made = torch.from_numpy(x.copy())
        return made.requires_grad_() if made.is_floating_point() else made

    def run(function: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        result = function(*args, **kwargs)
        parts = [x for x in _leaves(result) if isinstance(x, torch.Tensor) and x.requires_grad]
        sums = [x.float().sum() for x in parts if x.is_floating_point() and x.numel()]
        if sums:
            torch.stack(sums).sum().backward()
        return result

    return Framework(
        array,
        lambda x: (x.float() if x.dtype == torch.bfloat16 else x).detach().cpu().numpy(),
        run,
        ("import torch",),
        "torch.tensor({numbers}, dtype=torch.{dtype})",
        "torch.isfinite({result}).all()",
        ("{name}.requires_grad_()", "{call}.sum().backward()", "assert torch.isfinite({name}.grad).all()"),
    )


def _tensorflow() -> Framework:
    import tensorflow as tf

    def run(function: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        inputs = [x for x in _leaves([args, kwargs]) if tf.is_tensor(x) and x.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*args, **kwargs)
        parts = [x for x in _leaves(result) if tf.is_tensor(x) and x.dtype.is_floating]
        if inputs and parts:
            tape.gradient(parts, inputs)
        return result

    return Framework(
        tf.convert_to_tensor,
        np.asarray,
        run,
        ("import tensorflow as tf",),
        "tf.constant({numbers}, dtype=tf.{dtype})",
        "tf.reduce_all(tf.math.is_finite({result}))",
        (
            "with tf.GradientTape() as tape:",
            "    tape.watch({name})",
            "    result = {call}",
            "assert tf.reduce_all(tf.math.is_finite(tape.gradient(result, {name})))",
        ),
    )


def _jax() -> Framework:
    import jax
    import jax.numpy as jnp

    def is_float(x: Any) -> bool:
        return isinstance(x, jax.Array) and bool(jnp.issubdtype(x.dtype, jnp.floating))

    def run(function: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        result = function(*args, **kwargs)
        places = [i for i, x in enumerate(args) if is_float(x)]

        def of_floats(*floats: Any) -> list[Any]:
            given = dict(zip(places, floats, strict=True))
            parts = function(*[given.get(i, x) for i, x in enumerate(args)], **kwargs)
            return [x for x in _leaves(parts) if is_float(x)]

        if places:
            parts, back = jax.vjp(of_floats, *[args[i] for i in places])
            back([jnp.ones_like(x) for x in parts])
        jax.effects_barrier()
        return result

    return Framework(
        jnp.asarray,
        np.asarray,
        run,
        ("import jax", "import jax.numpy as jnp"),
        "jnp.array({numbers}, dtype=jnp.{dtype})",
        "jnp.isfinite({result}).all()",
        ("gradient = jax.grad(lambda {name}: {call}.sum())({name})", "assert jnp.isfinite(gradient).all()"),
    )


def _numpy() -> Framework:
    def run(function: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    return Framework(
        np.copy,
        np.asarray,
        run,
        ("import numpy as np",),
        "np.array({numbers}, dtype=np.{dtype})",
        "np.isfinite({result}).all()",
    )


#: by the packages that a file imports, those with gradients first
FRAMEWORKS: dict[str, Callable[[], Framework]] = {
    "torch": _torch,
    "tensorflow": _tensorflow,
    "keras": _tensorflow,
    "jax": _jax,
    "numpy": _numpy,
}


def frameworks(packages: Sequence[str]) -> list[str]:
    """Those that a file computes with, of the packages that it imports; NumPy is always one."""
    return [name for name in FRAMEWORKS if name in packages or name == "numpy"]
