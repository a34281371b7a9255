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

    ``trained``: whether the gradient is taken by a tensor; ``held``: one for an object to hold, that is or is not.

    For a test that is written: ``imports``; what makes an array of ``{numbers}`` and ``{dtype}``; when a ``{result}``
    is ``finite``; the lines that take the gradient of ``{call}`` by ``{name}``.
    """

    array: Callable[[np.ndarray], Any]
    numpy: Callable[[Any], np.ndarray]
    trained: Callable[[Any], bool]
    held: Callable[[np.ndarray, bool], Any]
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

    def array(x: np.ndarray, trained: bool = True) -> Any:
        made = torch.from_numpy(x.copy())
        return made.requires_grad_() if trained and made.is_floating_point() else made

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
        lambda x: bool(x.requires_grad),
        array,
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
        sources = [*inputs, *tape.watched_variables()]
        if sources and parts:
            tape.gradient(parts, sources)
        return result

    return Framework(
        tf.convert_to_tensor,
        np.asarray,
        lambda x: bool(getattr(x, "trainable", False)),
        lambda x, trained: tf.Variable(x) if trained else tf.convert_to_tensor(x),
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
        leaves, tree = jax.tree.flatten((args, kwargs))
        places = [i for i, x in enumerate(leaves) if is_float(x)]

        def of_floats(*floats: Any) -> list[Any]:
            given = dict(zip(places, floats, strict=True))
            args, kwargs = tree.unflatten([given.get(i, x) for i, x in enumerate(leaves)])
            return [x for x in _leaves(function(*args, **kwargs)) if is_float(x)]

        if places:
            parts, back = jax.vjp(of_floats, *[leaves[i] for i in places])
            back([jnp.ones_like(x) for x in parts])
        jax.effects_barrier()
        return result

    return Framework(
        jnp.asarray,
        np.asarray,
        lambda _: False,
        lambda x, _: jnp.asarray(x),
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
        lambda _: False,
        lambda x, _: np.copy(x),
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
