"""The evaluator: ranges and health, joined over paths, kept by loops, refined by conditions, within a budget."""

from __future__ import annotations

import math
import time

import numpy as np

from nanlint.analysis.evaluate import Evaluator
from nanlint.frontend.lower import Lowering
from nanlint.ops.value import Reach, Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.marked import TORCH, findings, program

INF = math.inf


def lowered(*parts: str) -> Lowering:
    return analysed(Source("<string>", program(*parts)), {}, watched=[1]).lowering


def value_of(*parts: str, name: str = "r") -> Value:
    """What is known of a variable at the end of a module; ``x`` and ``y`` are tensors of which nothing is known."""
    lowering = lowered(TORCH, "x, y, flag = load()", *parts)
    return Evaluator(lowering).value(lowering.module.env[name])


# The budget


def test_a_long_sum_is_evaluated_without_overflowing_the_stack() -> None:
    v = value_of("r = torch.relu(x)" + " + torch.relu(y)" * 400)
    assert v.hi == INF


def test_a_tower_of_selections_is_evaluated_within_the_budget() -> None:
    lines = "\n".join(f"x = torch.where(x > {i}, x - y, torch.log(x + {i}))" for i in range(120))
    started = time.process_time()
    findings(program(TORCH, "x, y = load()", lines))
    assert time.process_time() - started < 5


def test_loops_inside_loops_are_evaluated_within_the_budget() -> None:
    names = [f"v{i}" for i in range(8)]
    body = "\n".join(
        f"{a} = {a} * {b} + torch.relu({a} - {b})" for a, b in zip(names, names[1:] + names[:1], strict=True)
    )
    source = "\n".join(f"{name} = load()" for name in names)
    for depth in range(5):
        source += "\n" + "    " * depth + f"for i{depth} in range(9):"
    source += "\n" + "\n".join("    " * 5 + line for line in body.splitlines())
    source += "\nr = torch.log(v0) / v1 + torch.sqrt(v2)"
    started = time.process_time()
    findings(program(TORCH, source))
    assert time.process_time() - started < 5


def test_a_value_squared_again_and_again_is_evaluated_within_the_budget() -> None:
    started = time.process_time()
    findings(program(TORCH, "x = load()", "x = x * x\n" * 60, "r = torch.log(torch.exp(x) / x)"))
    assert time.process_time() - started < 2


# Parts of 1


def test_a_share_times_what_it_leaves_is_a_quarter_at_most_as_it_is_when_executed() -> None:
    shares = np.concatenate([np.linspace(0, 1, 1001), np.random.default_rng(0).random(1000)]).astype(np.float32)
    written = ("s * (1 - s)", "(1 - s) * s", "2 * s * (1 - s)", "s - s**2", "s - s * s", "(1 - s) * 3 * s")
    for e in written:
        told = value_of("s = torch.sigmoid(x)", f"r = {e}")
        given = eval(e, {"s": shares})
        assert (told.lo, told.hi) == (0.0, given.max()), e
    assert value_of("s = torch.sigmoid(x)", "r = s * (1 - s)").zero >= Reach.LIKELY
    assert value_of("r = x * (1 - x)").hi == 0.25
