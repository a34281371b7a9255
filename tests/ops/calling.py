"""Calls functions of the frameworks as the spelling tables say, for their values and their gradients.

This file is the harness of the recordings of ops (`tests/recording.py`): what it executes depends on nothing else than
a framework, a spelling and the arguments. What is asked and what is claimed of the answers is in `truth` and
`soundness`, which may change without a function being called again.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nanlint.ops.spelling import METHOD_OWNERS, Spelling
from nanlint.proof.calls import resolve
from tests.recording import Answer, Recordings

Array = npt.NDArray[Any]

#: classes of numbers, by the code that stands for them in an array of classes
CLASSES = ("zero", "neg", "pos", "ninf", "pinf", "nan")

#: arguments that a signature wants and no operand speaks of
FILLERS: Mapping[str, Any] = {
    "a": 2.0,
    "b": 3.0,
    "df": 4.0,
    "s": 1.0,
    "mu": 2.0,
    "p": 0.5,
    "n": 1,
    "d": 1,
    "other": 2.0,
    "delta": 1.0,
}


class Unusable(Exception):
    """The function wants more arguments than are tried, or has no kernel for the dtype."""


class Raised(Exception):
    """The function raised something else."""


# ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def call(spelling: Spelling, operands: Mapping[str, Array], **more: Any) -> Array:
    """What the framework returns for ``operands``, and for parameters given as numbers."""
    found: Array = answered("value", spelling, operands, more, lambda: as_array(value(spelling, operands, more)))
    return found


def differentiate(
    spelling: Spelling, operands: Mapping[str, Array], **more: Any
) -> tuple[Array, dict[str, Array | None]]:
    """What the framework returns for ``operands``, and the gradient of a weighted sum of it with respect to each.

    The elements of a row have the weights 1, 2, 3. Of a gradient it is the classes of its numbers, by their codes; None
    where there is no derivative, or none of anything (NumPy).
    """

    def execute() -> Answer:
        result, slopes = derivative(spelling, operands, more)
        found = {o: slopes.get(o) for o in operands}
        return [as_array(result), {o: None if g is None else classes(as_array(g)) for o, g in found.items()}]

    result, slopes = answered("derivative", spelling, operands, more, execute)
    return result, slopes


def gradient(spelling: Spelling, operands: Mapping[str, Array], wrt: str) -> float:
    """The gradient of the sum of the result in its framework, at the first element of one operand."""
    found: float = answered(wrt, spelling, operands, {}, lambda: slope(spelling, operands, wrt))
    return found


def drawn(name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Array:
    """What tells the range of a creation or draw, of its many numbers: the ends, those next to 0, and what is none."""

    def execute() -> Answer:
        x = created(name, args, keywords)
        finite = x[np.isfinite(x)]
        parts = [x[~np.isfinite(x)], finite[finite == 0], finite[finite != np.round(finite)]]
        parts += [side for sign in (finite < 0, finite > 0) if (side := finite[sign]).size]
        return np.unique([end for part in parts if part.size for end in (part.min(), part.max())])

    root = name.partition(".")[0]
    found: Array = Recordings("ops", root, (Path(__file__),)).answer([name, args, sorted(keywords.items())], execute)
    return found


def answered(
    what: str,
    spelling: Spelling,
    operands: Mapping[str, Array],
    more: Mapping[str, Any],
    execute: Callable[[], Answer],
) -> Answer:
    """What is on record of a call, or is executed.

    Raises:
        Unusable, Raised: as the call did.
    """

    def attempted() -> Answer:
        seed(spelling.framework)
        try:
            return execute()
        except Unusable:
            return {"unusable": spelling.name}
        except Exception as error:
            return {"raised": f"{spelling.name}: {type(error).__name__}"}

    shape = [spelling.name, spelling.params, sorted(spelling.operands.items()), bool(spelling.rest)]
    given = [part for name, x in operands.items() for part in (name, x)]
    question = [what, *shape, spelling.layer, spelling.in_place, sorted(more.items()), *given]
    root = spelling.name.partition(".")[0]
    answer = Recordings("ops", root, (Path(__file__),)).answer(question, attempted)
    if isinstance(answer, dict):
        raise Unusable(answer["unusable"]) if "unusable" in answer else Raised(answer["raised"])
    return answer


def as_array(x: Any) -> Array:
    """A framework's array as NumPy's; bfloat16 as float32.

    Raises:
        Unusable: it is no array of numbers.
    """
    if hasattr(x, "detach"):
        found: Array = (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy(force=True)
    else:
        found = np.asarray(x)
    if found.dtype == object:
        raise Unusable("no array")
    return found.astype(np.float32) if found.dtype.name == "bfloat16" else found


def classes(x: Array) -> Array:
    """The class of each number, by its code."""
    x64 = x.astype(np.float64)
    there = {"ninf": x64 == -np.inf, "pinf": x64 == np.inf, "zero": x64 == 0, "neg": x64 < 0, "pos": x64 > 0}
    codes = [CLASSES.index(c) for c in there]
    return np.select(list(there.values()), codes, CLASSES.index("nan")).astype(np.uint8)


# ── executing ───────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def jax_with_float64() -> Any:
    """JAX, told to keep float64."""
    import jax

    jax.config.update("jax_enable_x64", True)
    # op by op: compiling each function for each format would take most of the time
    jax.config.update("jax_disable_jit", True)
    return jax


def restore_jax() -> None:
    """JAX as it is by default, for the tests that come after."""
    import jax

    jax.config.update("jax_enable_x64", False)
    jax.config.update("jax_disable_jit", False)
    jax_with_float64.cache_clear()


def tensor(root: str, x: Array) -> Any:
    """``x`` as the framework's own array."""
    if root == "torch":
        import torch

        if x.dtype.name == "bfloat16":
            return torch.tensor(x.astype(np.float32)).to(torch.bfloat16)
        return torch.tensor(x)
    if root in ("tensorflow", "keras"):
        import tensorflow as tf

        return tf.constant(x)
    if root in ("jax", "optax"):
        return jax_with_float64().numpy.asarray(x)
    return x


def dtype(root: str, name: str) -> Any:
    """A data type as the framework names it."""
    return getattr(import_module("torch"), name) if root == "torch" else name


#: what the frameworks say then
UNUSABLE = (
    "argument",
    "not implemented for",
    "not supported",
    "list of allowed values",
    "Could not find device for node",
    "without overflow",
    "expected to be a bool tensor",
    "condition a",
    "does not accept dtype",
    "must be of integer type",
    "Only scalar arrays can be converted",
)


def value(spelling: Spelling, operands: Mapping[str, Array], more: Mapping[str, Any]) -> Any:
    """What a call returns."""
    root = spelling.framework
    tensors = {}
    for operand, x in operands.items():
        t = tensor(root, x)
        receiver = spelling.params[:1] == (spelling.operands.get(operand),)
        if spelling.in_place and receiver and root in ("tensorflow", "keras"):
            t = import_module("tensorflow").Variable(t)
        tensors[operand] = t
    return first(spelling, run(spelling, tensors, **more))


def first(spelling: Spelling, result: Any) -> Any:
    """The first element of what is a tuple."""
    return result[0] if spelling.rest else result


#: what the frameworks say of a function without a derivative
UNDIFFERENTIABLE = (
    "derivative for",
    "backward",
    "gradient registry has no entry",
    "does not require grad",
    "No gradient defined",
    "not differentiable",
    "Differentiation rule",
    "requires real-valued outputs",
    "does not support",
    "list of allowed values",
    "Abstract tracer value",
    "as an argument that requires grad",
    "requires grad",
)


def derivative(
    spelling: Spelling, operands: Mapping[str, Array], more: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """What a call returns, and its gradients where it has some."""
    root = spelling.framework
    try:
        result, slopes = DIFFERENTIATE[root](spelling, operands, more) if root in DIFFERENTIATE else (None, {})
    except Exception as error:
        if not any(words in str(error) for words in UNDIFFERENTIABLE):
            raise
        result, slopes = None, {}
    return (value(spelling, operands, more), slopes) if result is None else (result, slopes)


def weights(shape: Sequence[int]) -> Array:
    """1 for elements, 1, 2, 3, … along a row."""
    ones = np.ones(tuple(shape), np.float32)
    return ones if len(shape) < 2 else ones * np.arange(1, shape[-1] + 1, dtype=np.float32)


def by_torch(spelling: Spelling, operands: Mapping[str, Array], more: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    import torch

    tensors = {o: tensor("torch", x).requires_grad_() for o, x in operands.items()}
    result = first(spelling, run(spelling, tensors, **more))
    if not getattr(result, "requires_grad", False):
        return result, {}
    upstream = torch.tensor(weights(result.shape)).to(result.dtype)
    found = torch.autograd.grad(result, list(tensors.values()), upstream, allow_unused=True)
    return result, dict(zip(tensors, found, strict=True))


def by_tensorflow(
    spelling: Spelling, operands: Mapping[str, Array], more: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    tf = import_module("tensorflow")
    if spelling.in_place:
        return None, {}
    tensors = {o: tensor("tensorflow", x) for o, x in operands.items()}
    with tf.GradientTape() as tape:
        for t in tensors.values():
            tape.watch(t)
        result = first(spelling, run(spelling, tensors, **more))
    if not getattr(getattr(result, "dtype", None), "is_floating", False):
        return result, {}
    found = tape.gradient(result, list(tensors.values()), tf.cast(weights(result.shape), result.dtype))
    return result, dict(zip(tensors, found, strict=True))


def by_jax(spelling: Spelling, operands: Mapping[str, Array], more: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    jax = jax_with_float64()
    tensors = {o: tensor("jax", x) for o, x in operands.items()}
    result, pull = jax.vjp(lambda xs: first(spelling, run(spelling, xs, **more)), tensors)
    if not jax.numpy.issubdtype(result.dtype, jax.numpy.floating):
        return result, {}
    (found,) = pull(jax.numpy.asarray(weights(result.shape), result.dtype))
    return result, found


DIFFERENTIATE = {"torch": by_torch, "tensorflow": by_tensorflow, "keras": by_tensorflow, "jax": by_jax}


def slope(spelling: Spelling, operands: Mapping[str, Array], wrt: str) -> float:
    """The gradient of the sum of a call, at the first element of one operand."""
    root = spelling.framework
    tensors = {operand: tensor(root, x) for operand, x in operands.items()}
    if root == "torch":
        tensors[wrt].requires_grad_()
        run(spelling, tensors).sum().backward()
        return float(tensors[wrt].grad[0])
    if root == "tensorflow":
        tf = import_module("tensorflow")
        with tf.GradientTape() as tape:
            tape.watch(tensors[wrt])
            result = run(spelling, tensors)
        return float(tape.gradient(result, tensors[wrt])[0])
    jax = jax_with_float64()
    return float(jax.grad(lambda x: run(spelling, {**tensors, wrt: x}).sum())(tensors[wrt])[0])


#: what makes draws the same each time
SEEDS = {"torch": "torch.manual_seed", "tensorflow": "tensorflow.random.set_seed", "numpy": "numpy.random.seed"}


def seed(root: str) -> None:
    """Make a framework draw the same numbers each time."""
    if root in SEEDS:
        resolve(SEEDS[root])(0)


def created(name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Array:
    """The numbers that a function creates or draws, always the same."""
    root = name.partition(".")[0]
    if root == "jax":
        jax = jax_with_float64()
        with jax.disable_jit(False):  # gamma draws in a loop
            key = (jax.random.key(0),) if name.startswith("jax.random.") else ()
            return np.asarray(resolve(name)(*key, *args, **keywords)).astype(np.float64).ravel()
    seed(root)
    return np.asarray(resolve(name)(*args, **keywords)).astype(np.float64).ravel()


@cache
def reduces(name: str) -> bool:
    """Whether a loss takes the mean over all elements unless told not to."""
    try:
        return name.startswith("torch.nn.functional.") and "reduction" in inspect.signature(resolve(name)).parameters
    except ValueError:
        return False


def run(spelling: Spelling, operands: Mapping[str, Any], **more: Any) -> Any:
    """Call the function with the framework's own arrays."""
    given: dict[str, Any] = {}
    x: Any = None
    for operand, argument in spelling.operands.items():
        if operand in operands:
            if argument == "$":
                x = operands[operand]
            else:
                given[argument] = operands[operand]
        elif operand in more:
            given[argument] = dtype(spelling.framework, more[operand]) if operand == "dtype" else more[operand]
    if "target" in operands and reduces(spelling.name):
        given["reduction"] = "none"
    arrays = {spelling.operands[o] for o in operands if o in spelling.operands}
    shaped = spelling.name.startswith(SHAPED)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # parameters by name, and where the function takes none by name, by position
        for named in (True, False):
            keywords, args, waiting = dict(given), [], set(arrays)
            for param in spelling.params:
                if param in keywords and (waiting or not named):
                    args.append(keywords.pop(param))
                    waiting.discard(param)
                elif param in FILLERS and (waiting or shaped):
                    args.append(FILLERS[param])
                else:
                    break
            try:
                return applied(spelling, args, keywords, x)
            except Exception as error:
                if not any(words in str(error) for words in UNUSABLE):
                    raise
    raise Unusable(spelling.name)


#: functions whose shape parameters follow their argument
SHAPED = ("scipy.stats.", "jax.scipy.stats.")


def applied(spelling: Spelling, args: Sequence[Any], keywords: Mapping[str, Any], x: Any) -> Any:
    """Call a function, a method on its receiver, or a layer on ``x``."""
    name = spelling.name
    owner, _, last = name.rpartition(".")
    if owner.endswith(METHOD_OWNERS):
        receiver = args[0].clone() if spelling.in_place and spelling.framework == "torch" else args[0]
        found = getattr(receiver, last)(*args[1:], **keywords)
        return receiver if found is None else found
    if spelling.layer:
        return resolve(name)(*args, **keywords)(x)
    if spelling.in_place and spelling.framework == "torch":
        args = [args[0].clone(), *args[1:]]
    return resolve(name)(*args, **keywords)
