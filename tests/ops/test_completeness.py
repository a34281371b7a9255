"""What one framework spells is spelled in all that have a function of this name, and in-place forms with the others."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import pytest

from nanlint.ops.frameworks import canonical
from nanlint.proof.calls import resolve
from tests.ops.test_spellings import HISTORIC_NAMES, SPELLINGS, installed

pytestmark = pytest.mark.slow

NAMESPACES = (
    *("torch", "torch.Tensor", "torch.nn.functional", "torch.special", "torch.linalg"),
    *("tensorflow", "tensorflow.math", "tensorflow.nn", "tensorflow.linalg", "tensorflow.compat.v1"),
    *("tensorflow.compat.v1.losses", "keras.ops", "keras.ops.linalg", "keras.activations", "keras.losses"),
    *("jax.numpy", "jax.numpy.linalg", "jax.nn", "jax.lax", "jax.Array", "jax.scipy.special", "jax.scipy.linalg"),
    *("optax", "optax.losses"),
    *("numpy", "numpy.linalg", "numpy.ndarray", "scipy.special", "scipy.linalg"),
)

#: ops that bring no hazard about: of unknown result, moving elements, choosing functions, drawing, counting
HARMLESS = frozenset(
    {
        *("unknown", "view", "part", "linear", "shuffle", "choice", "concat", "append", "pad", "interpolate"),
        *(
            "input",
            "empty",
            "size",
            "argmax",
            "argsort",
            "bincount",
            "identity",
            "window",
            "bernoulli",
            "poisson",
            "segment_max",
        ),
        *("lt", "and", "or", "not", "eye", "scatter_sum", "cast", "tensor"),
    }
)

#: public functions that have the name of a hazard elsewhere, and are not spelled
LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(("torch.eig", "torch.Tensor.eig", "torch.solve", "torch.Tensor.solve"), "removed: raises"),
    **dict.fromkeys(("torch.lstsq", "torch.Tensor.triangular_solve"), "removed: raises"),
    **dict.fromkeys(("torch.lu_solve", "torch.Tensor.lu_solve"), "wants a factorisation"),
    "torch.Tensor.logical_xor_": "truth values",
    **dict.fromkeys(("keras.ops.switch", "jax.lax.switch"), "chooses a function"),
    "jax.lax.reduce": "wants a function",
    "keras.ops.stft": "gives two arrays",
    **dict.fromkeys(("optax.clip", "optax.trace"), "makes an optimizer's step"),
}


def names() -> list[str]:
    """Public functions of the installed frameworks, without classes."""
    found = []
    for namespace in NAMESPACES:
        if not installed(namespace.partition(".")[0]):
            continue
        owner = resolve(namespace)
        for name in dir(owner):
            try:
                member = getattr(owner, name)
            except (AttributeError, RuntimeError):
                continue
            if not name.startswith("_") and callable(member) and not inspect.isclass(member):
                found.append(f"{namespace}.{name}")
    return found


def hazardous() -> dict[str, set[str]]:
    """Last names of what is spelled, with the ops that it is somewhere."""
    ops: dict[str, set[str]] = {}
    for spelling in SPELLINGS:
        if not spelling.layer and spelling.op not in HARMLESS and ".random" not in spelling.name:
            ops.setdefault(spelling.name.rpartition(".")[2], set()).add(spelling.op)
    return ops


def test_a_function_that_is_spelled_somewhere_is_spelled_everywhere() -> None:
    ops, spelled = hazardous(), set(SPELLINGS.names())
    missing = {
        name: ops[last]
        for name in names()
        for last in {name.rpartition(".")[2], name.rpartition(".")[2].rstrip("_")}
        if last in ops and canonical(name) not in spelled and name not in LEFT_OUT
    }
    assert missing == {}


def test_what_is_left_out_is_there_and_not_spelled() -> None:
    public = set(names())
    assert {name for name in LEFT_OUT if name not in public and installed(name.partition(".")[0])} == set()
    assert {name for name in LEFT_OUT if canonical(name) in set(SPELLINGS.names()) - HISTORIC_NAMES} == set()
