"""The frameworks as witnesses: what they really return for special values, called as the spelling tables say."""

from __future__ import annotations

import importlib.util
import inspect
import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nanlint.ops.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format
from nanlint.ops.spelling import METHOD_OWNERS, Spelling
from nanlint.ops.value import NEVER, Kind, Value, constant, value
from nanlint.proof.calls import resolve
from tests.ops.test_spellings import HISTORIC_NAMES, SPELLINGS

Array = npt.NDArray[Any]

FORMATS = (FLOAT32, FLOAT64)

#: half precision, and the packages that compute in it
HALVES = {FLOAT16: ("torch", "tensorflow", "jax", "numpy"), BFLOAT16: ("torch", "tensorflow", "jax")}

#: XLA and TensorFlow's kernels take subnormal numbers for 0, and return 0 for them
FLUSHES_SUBNORMALS = frozenset({"tensorflow", "keras", "jax", "optax"})

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


def data_type(fmt: Format) -> Any:
    """The format as a dtype of NumPy."""
    return np.dtype(import_module("ml_dtypes").bfloat16 if fmt is BFLOAT16 else fmt.name)


def special(fmt: Format, *, subnormal: bool) -> list[float]:
    """Numbers at which floating point shows its edges, both signs; then the infinities and nan."""
    positive = [
        *([fmt.denormal, fmt.tiny - fmt.denormal] if subnormal else []),
        fmt.tiny,
        fmt.tiny * 2,
        math.sqrt(fmt.tiny),
        fmt.eps / 4,
        fmt.eps,
        0.1,
        0.5,
        1 - fmt.eps / 2,
        1.0,
        1 + fmt.eps,
        1.5,
        2.0,
        3.0,
        6.0,
        20.0,
        88.0,
        104.0,
        150.0,
        715.0,
        760.0,
        1 / fmt.eps,
        math.sqrt(fmt.max) * 2,
        fmt.max / 2,
        fmt.max,
    ]
    rounded = [fmt.round(x) for x in positive]
    return [0.0, -0.0, *rounded, *(-x for x in rounded), math.inf, -math.inf, math.nan]


def ranges(fmt: Format) -> list[Value]:
    """Abstract values that hold several of the special numbers."""
    finite = {"nan": NEVER, "pinf": NEVER, "ninf": NEVER}
    inf = math.inf
    like: dict[str, Any] = {"kind": Kind.TENSOR, "format": fmt}
    bounds: list[tuple[float, float, dict[str, Any]]] = [
        (-inf, inf, {}),
        (-inf, inf, {"nan": NEVER}),
        (-inf, inf, finite),
        (-inf, inf, {**finite, "zero": NEVER}),
        (0.0, inf, finite),
        (0.0, inf, {**finite, "zero": NEVER}),
        (-inf, 0.0, finite),
        (-inf, 0.0, {**finite, "zero": NEVER}),
        (0.0, inf, {"nan": NEVER}),
        (0.0, 1.0, finite),
        (0.0, 1.0, {**finite, "zero": NEVER, "high": NEVER}),
        (-1.0, 1.0, finite),
        (fmt.eps, 1.0, finite),
        (1.0, inf, finite),
        (-inf, -1.0, finite),
        (-6.0, 6.0, finite),
        (0.5, 2.0, finite),
        (fmt.tiny, 1.0, finite),
        (-100.0, 0.0, finite),
        (-100.0, 100.0, finite),
        (2.0, fmt.round(math.sqrt(fmt.max) * 4), finite),
    ]
    return [value(lo, hi, **like, **fields) for lo, hi, fields in bounds]


def inputs(fmt: Format, *, subnormal: bool) -> list[Value]:
    """Every abstract input that is tried: the ranges, and each special number by itself."""
    return [*ranges(fmt), *(point(x, fmt) for x in special(fmt, subnormal=subnormal))]


def point(x: float, fmt: Format) -> Value:
    """A tensor of one number."""
    from dataclasses import replace

    return replace(constant(x), kind=Kind.TENSOR, format=fmt)


def admits(v: Value, r: Array, fmt: Format) -> npt.NDArray[np.bool_]:
    """Which of the numbers ``r`` the abstract value ``v`` allows, up to the rounding of a good library function."""
    r64 = r.astype(np.float64)
    with np.errstate(all="ignore"):
        slack = (512 if fmt.precision > 20 else 64) * fmt.eps * np.maximum(np.abs(r64), fmt.tiny)
        inside = (r64 >= v.lo - slack) & (r64 <= v.hi + slack)
        inside |= ((r64 == v.lo) & (v.lo == -math.inf)) | ((r64 == v.hi) & (v.hi == math.inf))
        allowed = np.where(np.isnan(r64), v.nan is not NEVER, inside)
        for never, seen in (
            (v.pinf, r64 == math.inf),
            (v.ninf, r64 == -math.inf),
            (v.zero, r64 == 0),
            (v.neg, (r64 < 0) & (r64 > -math.inf)),
            (v.pos, (r64 > 0) & (r64 < math.inf)),
        ):
            if never is NEVER:
                allowed &= ~seen
    result: npt.NDArray[np.bool_] = allowed
    return result


def holds(v: Value, x: Array) -> npt.NDArray[np.bool_]:
    """Which of the numbers ``x`` the abstract input ``v`` holds, exactly."""
    x64 = x.astype(np.float64)
    # 0 as an end stands for +0; -0 lies below it
    below = (x64 == 0) & np.signbit(x64) & (v.lo == 0)
    held = ~below & np.where(np.isnan(x64), v.nan is not NEVER and v.constant is None, (x64 >= v.lo) & (x64 <= v.hi))
    for never, seen in (
        (v.pinf, x64 == math.inf),
        (v.ninf, x64 == -math.inf),
        (v.zero, x64 == 0),
        (v.low, x64 == v.lo),
        (v.high, x64 == v.hi),
    ):
        if never is NEVER:
            held &= ~seen
    result: npt.NDArray[np.bool_] = held
    return result


# ── calling the real functions ──────────────────────────────────────────────────────────────────────────────────────


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

        if x.dtype == data_type(BFLOAT16):
            return torch.tensor(x.astype(np.float32)).to(torch.bfloat16)
        return torch.tensor(x)
    if root in ("tensorflow", "keras"):
        import tensorflow as tf

        return tf.constant(x)
    if root in ("jax", "optax"):
        return jax_with_float64().numpy.asarray(x)
    return x


def dtype(root: str, fmt: Format) -> Any:
    """The format as the framework names it."""
    if root == "torch":
        import torch

        return getattr(torch, fmt.name)
    return fmt.name


def require(root: str) -> None:
    """Skip the test where a framework is not installed."""
    if importlib.util.find_spec(root) is None:
        pytest.skip(f"{root} is not installed")


class Unusable(Exception):
    """The function wants more arguments than are tried, or has no kernel for the dtype."""


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


def call(spelling: Spelling, operands: Mapping[str, Array], **more: Any) -> Array:
    """What the framework returns for ``operands``, and for parameters given as numbers."""
    root = spelling.framework
    tensors = {}
    for operand, x in operands.items():
        t = tensor(root, x)
        receiver = spelling.params[:1] == (spelling.operands.get(operand),)
        if spelling.in_place and receiver and root in ("tensorflow", "keras"):
            t = import_module("tensorflow").Variable(t)
        tensors[operand] = t
    return as_array(first(spelling, run(spelling, tensors, **more)))


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


def differentiate(
    spelling: Spelling, operands: Mapping[str, Array], **more: Any
) -> tuple[Array, dict[str, Array | None]]:
    """What the framework returns for ``operands``, and the gradient of a weighted sum of it with respect to each.

    The elements of a row have the weights 1, 2, 3. None where there is no derivative, or none of anything (NumPy).
    """
    root = spelling.framework
    try:
        result, slopes = DIFFERENTIATE[root](spelling, operands, more) if root in DIFFERENTIATE else (None, {})
    except Exception as error:
        if not any(words in str(error) for words in UNDIFFERENTIABLE):
            raise
        result, slopes = None, {}
    if result is None:
        result = call(spelling, operands, **more)
    return as_array(result), {o: None if slopes.get(o) is None else as_array(slopes[o]) for o in operands}


def as_array(x: Any) -> Array:
    """A framework's array as NumPy's; bfloat16 of PyTorch as float32."""
    if hasattr(x, "detach"):
        found: Array = (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy(force=True)
        return found
    return np.asarray(x)


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


def gradient(spelling: Spelling, operands: Mapping[str, Array], wrt: str) -> float:
    """The gradient of the sum of the result in its framework, at the first element of one operand."""
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
            given[argument] = more[operand]
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
        receiver = args[0].clone() if spelling.in_place and root_of(name) == "torch" else args[0]
        found = getattr(receiver, last)(*args[1:], **keywords)
        return receiver if found is None else found
    if spelling.layer:
        return resolve(name)(*args, **keywords)(x)
    if spelling.in_place and root_of(name) == "torch":
        args = [args[0].clone(), *args[1:]]
    return resolve(name)(*args, **keywords)


def spellings_of(op: str, root: str) -> list[Spelling]:
    """The spellings of an op in a package, without those that only old versions have."""
    return [s for s in SPELLINGS if s.op == op and root_of(s.name) == root and s.name not in HISTORIC_NAMES]


def root_of(name: str) -> str:
    return name.partition(".")[0]
