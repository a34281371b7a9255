"""What is found does not depend on what was asked first."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from nanlint.hazards.facts import Facts
from nanlint.lint.one_file import room_to_recurse
from nanlint.ops.value import Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.marked import JAX, NUMPY, TORCH, program

#: loops in loops, variables that depend on each other, and parameters whose meaning another path tells
PROGRAMS = {
    "counts": program(
        NUMPY,
        """
        def weights(rows, least):
            count, total, last = 0, 0.0, 1.0
            for row in rows:
                inner = 0
                for x in row:
                    if x > least:
                        count += 1
                        inner += 1
                        total = total + x * last
                last = total / inner
            return total / count, last / (count - 1)
        """,
    ),
    "three deep": program(
        NUMPY,
        """
        def relax(grid, steps):
            scale, shift = np.abs(grid).max(), 0.0
            for _ in range(steps):
                for i in range(len(grid)):
                    for j in range(i):
                        grid[i] = grid[i] / scale
                        shift = shift + np.sqrt(grid[j])
                        scale = scale * 0.5
                shift = np.log(shift)
            return grid / (1.0 - shift)
        """,
    ),
    "a probability elsewhere": program(
        TORCH,
        """
        def nll(p, target, logits):
            if logits:
                p = torch.sigmoid(p)
            q = p.reshape(-1)
            if target is None:
                p = q.clamp(0.0, 1.0)
            return -(torch.log(p) + torch.log(1 - q)).mean()
        """,
    ),
    "folded": program(
        JAX,
        """
        def newton(f, x):
            def step(carry, _):
                x, best = carry
                y = f(x)
                return (x - y / jnp.sqrt(best), jnp.minimum(best, y**2)), y
            (x, best), ys = jax.lax.scan(step, (x, jnp.abs(x)), None, length=5)
            return jnp.log(best) / jnp.std(ys)
        """,
    ),
}


def values(source: str, order: str) -> list[tuple[object, ...]]:
    facts: Facts = analysed(Source("<string>", source), {})
    nodes = list(facts.lowering.graph)
    asked = list(range(len(nodes)))
    if order == "last first":
        asked.reverse()
    elif order == "shuffled":
        random.Random(1).shuffle(asked)
    with room_to_recurse():
        found = {i: facts.evaluator.value(nodes[i]) for i in asked}
    return [told(found[i]) for i in range(len(nodes))]


def told(v: Value) -> tuple[object, ...]:
    reaches: Sequence[str] = ("ninf", "neg", "zero", "pos", "pinf", "nan", "low", "high")
    return (repr(v.lo), repr(v.hi), v.kind, v.whole, *(v.reach(name) for name in reaches))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", ["last first", "shuffled"])
def test_values(name: str, order: str) -> None:
    assert values(PROGRAMS[name], order) == values(PROGRAMS[name], "first first")
