"""Executes a program of a few statements in its framework, on several inputs, and keeps what tells its variables' ranges.

This file is the harness of the recordings of programs (`tests/recording.py`): what it executes depends on the framework,
the text of the program and the inputs alone. Programs are drawn in `drawing`, and held against predictions in
`test_programs`.
"""

from __future__ import annotations

import ast
import contextlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.calling import Array, as_array, classes, seed
from tests.ops.calling import tensor as plain_tensor
from tests.recording import Answer, Recordings

#: gradients of this and nothing else are asked for
LOSS = "loss"

#: where statements that fail leave their variables: nowhere, so that what depends on them fails as well
FAILED = "try:\n    pass\nexcept Exception:\n    _failed({names!r}, globals())"
#: what a function that works in place is called
IN_PLACE = re.compile(r"\w_\(")


def executed(root: str, text: str, inputs: Sequence[Sequence[Array]], moderate: Sequence[Array]) -> Answer:
    """What the variables of a program are, and whether its gradient is finite.

    ``inputs``: runs; of each the arrays that ``load()`` returns. ``moderate``: those for which the gradient is taken.
    Returns ``{"seen": {variable or row: numbers}, "gradient": [sizes, codes] or None}``: of the numbers of a variable
    the ends, those next to 0, both zeros and what is no number; the least and largest sizes of all that the program
    computes with the moderate numbers, beside 0, and the codes of the classes of the gradient of the sum of ``loss``.
    """

    def execute() -> Answer:
        seen: dict[str, list[Array]] = {}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for arrays in inputs:
                for key, x in recorded(root, text, arrays):
                    seen.setdefault(key, []).append(x)
            gradient = sloped(root, text, moderate) if root in SLOPES else None
        found = {key: telling(np.concatenate(xs)) for key, xs in seen.items()}
        return {"seen": {key: x for key, x in found.items() if x.size}, "gradient": gradient}

    question = [text, *(x for arrays in [*inputs, moderate] for x in arrays)]
    return Recordings("drawn", root, (Path(__file__), Path(__file__).with_name("calling.py"))).answer(question, execute)


def telling(x: Array) -> Array:
    """Of many numbers those that tell their range and classes; -0 among them where it is."""
    finite = x[np.isfinite(x)]
    sides = [finite[finite > 0], finite[finite < 0]]
    parts = [x[~np.isfinite(x)], *(np.array([s.min(), s.max()]) for s in sides if s.size)]
    minus = np.signbit(finite[finite == 0])
    parts += [np.array([0.0])] if (~minus).any() else []
    parts += [np.array([-0.0])] if minus.any() else []
    found = np.concatenate(parts)
    return found[np.sort(np.unique(found.view(np.uint64), return_index=True)[1])]


def instrumented(text: str) -> ast.Module:
    """The program, in which every statement tells what it assigned, and may fail by itself."""

    def mended(body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in body:
            if isinstance(statement, ast.If):
                statement.body, statement.orelse = [*mended(statement.body)], [*mended(statement.orelse)]
            changed = IN_PLACE.search(ast.unparse(statement)) is not None
            named = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
            stored = [
                n.value for n in ast.walk(statement) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
            ]
            changed_names = [
                n for n in named if isinstance(n.ctx, ast.Store) or n in stored or (changed and n.id[0] == "v")
            ]
            names = [n.id for n in changed_names]
            tried = ast.parse(FAILED.format(names=names)).body[0]
            assert isinstance(tried, ast.Try)
            tried.body = [statement]
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                told = f"_seen({statement.targets[0].id}, {statement.lineno})"
                tried.body.append(ast.parse(told).body[0])
            yield tried

    tree = ast.parse(text)
    first = next(i for i, s in enumerate(tree.body) if isinstance(s, ast.Assign))
    tree.body[first + 1 :] = [*mended(tree.body[first + 1 :])]
    return ast.fix_missing_locations(tree)


def failed(names: list[str], namespace: dict[str, Any]) -> None:
    """A statement raised: what it would have assigned or changed is not there."""
    for name in names:
        namespace.pop(name, None)


def unseen(x: Any, row: int) -> None:
    """Where only the end of a program counts."""


def run(root: str, text: str, arrays: Sequence[Any], seen: Callable[[Any, int], None] = unseen) -> dict[str, Any]:
    """The variables at the end of a program; ``seen`` is told what each row assigns."""
    namespace: dict[str, Any] = {
        "load": lambda: arrays,
        "_seen": seen,
        "_failed": failed,
    }
    seed(root)
    exec(compile(instrumented(text), "<drawn>", "exec"), namespace)  # noqa: S102
    return {k: v for k, v in namespace.items() if k[0] == "v" or k == LOSS}


def recorded(root: str, text: str, arrays: Sequence[Array]) -> list[tuple[str, Array]]:
    """The numbers of each variable, and of what each row assigned at that time."""
    found: list[tuple[str, Array]] = []

    def keep(x: Any, key: str) -> None:
        with contextlib.suppress(Exception):
            numbers = as_array(x)
            if numbers.dtype.kind in "fiub":
                found.append((key, numbers.astype(np.float64).ravel()))

    variables = run(root, text, [tensor(root, x.copy()) for x in arrays], lambda x, row: keep(x, f"row {row}"))
    for key, x in variables.items():
        keep(x, key)
    return found


def tensor(root: str, x: Array) -> Any:
    """``x`` as the framework's own array; JAX as it is by default, without float64."""
    return import_module("jax.numpy").asarray(x) if root == "jax" else plain_tensor(root, x)


# ── gradients ───────────────────────────────────────────────────────────────────────────────────────────────────────


def sizes(root: str, text: str, arrays: Sequence[Array]) -> list[float]:
    """The least and the largest size of all that a program computes, beside 0."""
    found = np.abs(np.concatenate([x for _, x in recorded(root, text, arrays)]))
    found = found[found != 0]
    return [float(found.min()), float(found.max())] if found.size else [1.0, 1.0]


def sloped(root: str, text: str, arrays: Sequence[Array]) -> Answer:
    """The sizes, and the codes of the classes of the gradient, if there is one."""
    try:
        gradients = SLOPES[root](text, arrays)
    except Exception:
        return None
    codes = [classes(as_array(g)).ravel() for g in gradients if g is not None]
    return [sizes(root, text, arrays), np.unique(np.concatenate(codes))] if codes else None


def by_torch(text: str, arrays: Sequence[Array]) -> Sequence[Any]:
    import torch

    leaves = [tensor("torch", x.copy()) for x in arrays]
    leaves = [x.requires_grad_() if x.is_floating_point() else x for x in leaves]
    loss = run("torch", text, [x.clone() for x in leaves])[LOSS]
    wanted = [x for x in leaves if x.requires_grad]
    return torch.autograd.grad(loss.sum(), wanted, allow_unused=True) if loss.requires_grad else []


def by_tensorflow(text: str, arrays: Sequence[Array]) -> Sequence[Any]:
    import tensorflow as tf

    leaves = [tensor("tensorflow", x) for x in arrays]
    wanted = [x for x in leaves if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(wanted)
        loss = run("tensorflow", text, leaves)[LOSS]
    found: Sequence[Any] = tape.gradient(loss, wanted)
    return found


def by_jax(text: str, arrays: Sequence[Array]) -> Sequence[Any]:
    jax = import_module("jax")
    leaves = [tensor("jax", x) for x in arrays]
    floats = [i for i, x in enumerate(leaves) if jax.numpy.issubdtype(x.dtype, jax.numpy.floating)]

    def loss(*given: Any) -> Any:
        now = dict(zip(floats, given, strict=True))
        return run("jax", text, [now.get(i, x) for i, x in enumerate(leaves)])[LOSS].sum()

    found: Sequence[Any] = jax.grad(loss, tuple(range(len(floats))))(*(leaves[i] for i in floats))
    return found


SLOPES: Mapping[str, Any] = {"torch": by_torch, "tensorflow": by_tensorflow, "jax": by_jax}
