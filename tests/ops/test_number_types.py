"""What the tables claim of whole and of complex numbers, lists and masked arrays, measured in the frameworks."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from nanlint.ops.frameworks import (
    FLOATING_ONLY,
    FLOATS_OF_WHOLES,
    GIVES_COMPLEX,
    REAL_ONLY,
    REAL_ONLY_IN,
    TAKES_LISTS,
    WITHOUT_MASKS,
)
from nanlint.ops.writing import SINCE, function_for

Calls = Mapping[str, Callable[[Any], object]]


def of_torch() -> tuple[Calls, Callable[[Any], Any]]:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    f = torch.nn.functional
    calls: Calls = {
        "log_sigmoid": f.logsigmoid,
        "softplus": f.softplus,
        "softmax": lambda x: torch.softmax(x, -1),
        "log_softmax": lambda x: torch.log_softmax(x, -1),
        "logaddexp": lambda x: torch.logaddexp(x, x),
        "hypot": lambda x: torch.hypot(x, x),
        "std": torch.std,
        "var": torch.var,
        "norm": torch.linalg.vector_norm,
        "mean": torch.mean,
        "finfo_eps": lambda x: torch.finfo(x.dtype),
        "unit_vector": lambda x: f.normalize(x, dim=0),
        "gelu": f.gelu,
        "silu": f.silu,
        "clamp": lambda x: x.clamp(min=0),
        "maximum": lambda x: torch.maximum(x, x),
        "minimum": lambda x: torch.minimum(x, x),
    }
    return calls, torch.tensor


def of_tensorflow() -> tuple[Calls, Callable[[Any], Any]]:
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    calls: Calls = {
        "sigmoid": tf.sigmoid,
        "log_sigmoid": tf.math.log_sigmoid,
        "softplus": tf.math.softplus,
        "softmax": tf.nn.softmax,
        "log_softmax": tf.nn.log_softmax,
        "logsumexp": tf.reduce_logsumexp,
        "exp": tf.exp,
        "expm1": tf.math.expm1,
        "log": tf.math.log,
        "log1p": tf.math.log1p,
        "sin": tf.sin,
        "cos": tf.cos,
        "tanh": tf.tanh,
        "sqrt": tf.sqrt,
    }
    return calls, tf.constant


def of_jax() -> tuple[Calls, Callable[[Any], Any]]:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    calls: Calls = {
        "sigmoid": jax.nn.sigmoid,
        "log_cdf": jax.scipy.special.log_ndtr,
        "finfo_eps": lambda x: jax.numpy.finfo(x.dtype),
    }
    return calls, jax.numpy.asarray


def of_keras() -> tuple[Calls, Callable[[Any], Any]]:
    pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    ops = pytest.importorskip("keras", reason="Keras is not installed").ops
    names = ("sigmoid", "log_sigmoid", "softplus", "softmax", "log_softmax", "logsumexp")
    # dtypes of Keras are texts
    calls = {name: getattr(ops, name) for name in names} | {"finfo_eps": lambda x: np.finfo(x.dtype.as_numpy_dtype)}
    return calls, ops.convert_to_tensor


def of_numpy() -> tuple[Calls, Callable[[Any], Any]]:
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    return {"finfo_eps": lambda x: np.finfo(x.dtype), "sigmoid": special.expit}, np.asarray


MAKERS = {"torch": of_torch, "tensorflow": of_tensorflow, "jax": of_jax, "keras": of_keras, "numpy": of_numpy}


@pytest.mark.parametrize("framework", FLOATING_ONLY)
def test_what_is_for_floating_point_numbers_alone_raises_for_whole_ones(framework: str) -> None:
    calls, array = MAKERS[framework]()
    for op in FLOATING_ONLY[framework]:
        calls[op](array(np.array([1.0, 2.0], np.float32)))
        assert raises(calls[op], array(np.array([1, 2]))), op


def raises(call: Callable[[Any], object], x: Any) -> bool:
    """Whether a function raises: each framework has its own exceptions for that."""
    try:
        call(x)
    except Exception:
        return True
    return False


def differs(call: Callable[[Any], Any], array: Callable[[Any], Any]) -> bool:
    """Whether a function raises for complex numbers, or gives a real one."""
    x = array(np.array([1 + 2j, 3 - 1j]))
    return raises(call, x) or not np.iscomplexobj(np.asarray(call(x)))


def test_what_is_for_real_numbers_alone_raises_for_complex_ones_or_gives_a_real_one() -> None:
    calls, array = of_torch()
    # which NumPy does not have
    assert {op for op in REAL_ONLY if not differs(calls[op], array)} == {"logaddexp"}
    with pytest.raises(TypeError):
        np.logaddexp(np.array([1j]), np.array([1j]))


def test_what_is_for_real_numbers_alone_in_one_framework() -> None:
    for framework, ops in REAL_ONLY_IN.items():
        calls, array = MAKERS[framework]()
        assert all(differs(calls[op], array) for op in ops - REAL_ONLY)


def named(name: str) -> Any:
    """A function of an installed framework."""
    root, *parts = name.split(".")
    found: Any = pytest.importorskip(root, reason=f"{root} is not installed")
    for part in parts:
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    return found


def given(function: Callable[..., Any], op: str, x: Any) -> Any:
    """What a function gives, of as many arguments as its op has."""
    if op in ("softmax", "log_softmax", "logsumexp"):
        return function(x, -1)
    return function(x, x) if op in ("logaddexp", "hypot", "atan2", "div") else function(x)


@pytest.mark.parametrize("framework", ["torch", "numpy", "jax", "tensorflow"])
def test_what_gives_floating_point_numbers_gives_no_others_of_whole_ones(framework: str) -> None:
    make = MAKERS[framework]()[1]
    x = make(np.array([1, 2]))
    measured = 0
    for op in FLOATS_OF_WHOLES:
        name = function_for(op, framework)
        function = partial(given, named(name), op) if name is not None else None
        if function is None or raises(function, x):
            continue
        result = np.asarray(function(x))
        assert result.dtype.kind == "f", op
        measured += 1
    assert measured >= (1 if framework == "tensorflow" else 20)


@pytest.mark.parametrize("framework", ["torch", "numpy", "jax", "tensorflow", "keras"])
def test_whose_functions_take_lists(framework: str) -> None:
    cos = named(function_for("cos", framework) or "")
    assert raises(cos, [0.5, 1.0]) == (framework not in TAKES_LISTS)


def test_what_does_not_keep_masks() -> None:
    pytest.importorskip("scipy.special", reason="SciPy is not installed")
    x = np.ma.array([[-1.0, 2.0], [3.0, 0.5]], mask=[[False, False], [False, True]])
    for op in WITHOUT_MASKS:
        function = named(function_for(op, "numpy") or "")
        result = function(x > 0, x, 1.0) if op == "where" else given(function, op, x)
        kept = isinstance(result, np.ma.MaskedArray) and not np.isinf(result.compressed()).any()
        assert not kept, op
    for op in ("expm1", "exp", "tanh", "sin", "hypot", "logaddexp", "maximum", "sigmoid"):
        function = named(function_for(op, "numpy") or "")
        result = function(x, x) if op in ("hypot", "logaddexp", "maximum") else function(x)
        np.testing.assert_array_equal(np.ma.getmaskarray(result), np.ma.getmaskarray(x))


@pytest.mark.parametrize("name", SINCE)
def test_a_function_with_a_first_version_is_there_since(name: str) -> None:
    root = name.partition(".")[0]
    assert named(name) is not None
    release = named(root).__version__
    assert tuple(int(part) for part in release.split(".")[:2]) >= SINCE[name]


def test_first_versions_are_those_that_the_functions_tell_of() -> None:
    said = {}
    for name in SINCE:
        found = re.search(r"versionadded:: ([\d.]+)", named(name).__doc__ or "")
        if found is not None:
            said[name] = tuple(int(part) for part in found[1].split(".")[:2])
    assert len(said) >= 3
    assert said == {name: SINCE[name] for name in said}


@pytest.mark.parametrize("name", sorted(GIVES_COMPLEX))
def test_functions_of_these_names_give_complex_numbers(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = np.ones((2, 2), np.float32)
    if name in ("complex", "polar"):
        assert getattr(torch, name)(torch.ones(2), torch.ones(2)).is_complex()
    else:
        assert np.iscomplexobj(getattr(np.fft, name)(x))
        assert getattr(torch.fft, name)(torch.ones(2, 2)).is_complex()
