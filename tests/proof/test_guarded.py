"""A witness that is shown fails through the whole function, with its early returns, raises, asserts and branches."""

from __future__ import annotations

import math
from importlib import import_module
from itertools import product
from typing import Any

import pytest

import nanlint
from nanlint.diagnostic import Witness
from tests.recording import RUN
from tests.sampling import sample

HEADS = {"torch": "import math\nimport torch as xp", "numpy": "import math\nimport numpy as xp"}
#: what may stand before an op that breaks; ``y`` is another input
GUARDS = (
    "if x.max() > 50:\n        return x.sum()",
    "if abs(x).max() > 50:\n        return x.sum()",
    "if (x < 0).any():\n        raise ValueError",
    "if not x.any():\n        return x",
    "assert x.sum() > 0",
    "assert (x > 0).all(), 'positive'",
    "total = x.sum()\n    if total == 0:\n        return x",
    "if x.sum() == 0 or y.sum() == 0:\n        return x",
    "if x.max() <= 0 and y.max() <= 0:\n        return x",
    "if not (x.min() > -1 and y > 2).all():\n        raise ValueError",
    "if len(x) < 3:\n        return x",
    "if x.shape[0] == 1:\n        return x",
    "if not math.isfinite(xp.exp(x).sum()):\n        return x",
    "if y.max() > 0:\n        if x.max() > 0:\n            x = -x\n        else:\n            return x",
    "for _ in range(2):\n        if x.sum() == 0:\n            return x\n        x = x / 2",
    "",
)
BODIES = {
    "torch": (
        "xp.log(xp.softmax(x, -1))",
        "xp.log(xp.relu(x))",
        "xp.relu(x) / xp.relu(x).sum()",
        "xp.exp(x) / xp.exp(x).sum()",
        "xp.log(1 - xp.sigmoid(x))",
        "(x - x.mean()) / x.std()",
    ),
    "numpy": (
        "xp.log(xp.maximum(x, 0))",
        "xp.maximum(x, 0) / xp.maximum(x, 0).sum()",
        "xp.exp(x) / xp.exp(x).sum()",
        "xp.log(1 - 1 / (1 + xp.exp(-x)))",
        "(x - x.mean()) / x.std()",
        "x / xp.linalg.norm(x)",
    ),
}


def program(head: str, guard: str, body: str) -> str:
    return f"{head}\n\n\ndef f(x, y):\n    {guard or 'pass'}\n    return {body}\n"


def witnesses(text: str) -> list[Witness]:
    found = nanlint.check_source(text, confidence="possible")
    return [one.witness for one in found if one.witness is not None and "return" in text.splitlines()[one.span.row - 1]]


def called(framework: str, text: str, witness: Witness) -> Any:
    """What the function gives for the numbers that are shown, and plain ones for what they leave open."""
    module = import_module(framework)
    make = module.tensor if framework == "torch" else module.array
    kind = {"dtype": module.float32} if framework == "numpy" else {}
    scope: dict[str, Any] = {}
    exec(compile(text, "guarded", "exec"), scope)
    given = {name: make(list(row), **kind) for name, row in witness.inputs if name in ("x", "y")}
    width = max(len(row) for _, row in witness.inputs)
    given.setdefault("y", make([1.0] * width, **kind))
    with import_module("numpy").errstate(all="ignore"):
        return scope["f"](**given)


CASES = {f: list(product(GUARDS, BODIES[f])) for f in HEADS}


@pytest.mark.parametrize("framework", HEADS)
def test_a_function_that_is_called_with_a_witness_fails_behind_its_guards(framework: str) -> None:
    pytest.importorskip(framework)
    shown = 0
    for guard, body in sample(CASES[framework], 3, framework):
        text = program(HEADS[framework], guard, body)
        for one in witnesses(text):
            result = called(framework, text, one)
            assert result is not None, (text, one.text)
            assert not all(map(math.isfinite, result.reshape(-1).tolist())), (text, one.text)
            shown += 1
    # a third of the cases may be such as have fewer witnesses
    assert shown > (len(GUARDS) if RUN.everything else len(GUARDS) // 2)


def test_what_a_guard_keeps_off_has_no_witness() -> None:
    contradicted = (
        ("if abs(x).max() > 50:\n        return x", "xp.log(xp.softmax(x, -1))"),
        ("if not math.isfinite(xp.exp(x).sum()):\n        return x", "xp.exp(x) / xp.exp(x).sum()"),
        ("if not x.std() > 0:\n        return x", "(x - x.mean()) / x.std()"),
    )
    for guard, body in contradicted:
        assert witnesses(program(HEADS["torch"], guard, body)) == []


def test_two_values_are_not_shown_by_one_name() -> None:
    text = (
        "import torch\n\n\ndef f(batches):\n    batch = next(batches)\n    x = torch.relu(batch)\n"
        "    batch = next(batches)\n    return x / torch.relu(batch).sum()\n"
    )
    for one in witnesses(text):
        assert len({row for name, row in one.inputs if name == "batch"}) <= 1


def test_what_is_called_or_holds_what_is_given_gets_no_number() -> None:
    for expression in ("torch.log(torch.relu(f(x) - f))", 'torch.relu(f[x]) / (torch.relu(f["w"]) * f[x]).sum()'):
        for one in witnesses(f"import torch\n\n\ndef g(f, x):\n    return {expression}\n"):
            assert "f" not in dict(one.inputs), one.text


def test_what_only_a_guard_takes_is_shown_with_it() -> None:
    (one, *_) = witnesses(program(HEADS["torch"], GUARDS[8], "xp.relu(x) / xp.relu(x).sum()"))
    assert {"x", "y"} <= dict(one.inputs).keys()
    assert dict(one.inputs)["y"][0] > 0
