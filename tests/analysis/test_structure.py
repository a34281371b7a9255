"""Walks over the graph: each node once, round loops too, and no further than they may."""

from __future__ import annotations

import pytest

from nanlint.analysis.structure import depends, uses, walk
from nanlint.graph.node import LOOP, Node
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.marked import TORCH, program

PROGRAM = """
x, steps = load()
doubled = x + x
squared = doubled * doubled
kept = squared.view(-1)
root = torch.sqrt(kept)
for step in steps:
    doubled = doubled * step
"""


@pytest.fixture(scope="module")
def env() -> dict[object, Node]:
    """The variables of the program by name."""
    return dict(analysed(Source("program.py", program(TORCH, PROGRAM)), {}).lowering.module.env)


def back(node: Node) -> list[Node]:
    """Its operands."""
    return list(node.args.values())


def test_a_walk_meets_what_is_used_twice_once_and_begins_where_it_starts(env: dict[object, Node]) -> None:
    met = list(walk(env["squared"], back))
    assert met[0] is env["squared"]
    assert [n.op for n in met].count("add") == 1
    assert len({n.index for n in met}) == len(met)


def test_a_walk_goes_round_a_loop_once(env: dict[object, Node]) -> None:
    (loop,) = (n for n in walk(env["doubled"], back) if n.op == LOOP and "back" in n.args)
    assert depends(loop["back"], loop)
    assert [n.index for n in walk(loop, back)].count(loop.index) == 1


@pytest.mark.parametrize("limit", [2, 3])
def test_a_walk_ends_once_it_has_seen_so_many(env: dict[object, Node], limit: int) -> None:
    assert len(list(walk(env["root"], back, limit))) < limit


def test_uses_are_found_behind_what_hands_a_value_on(env: dict[object, Node]) -> None:
    found = [user.op for user in uses(env["squared"], lambda user, used: used.op == "mul" and user.op == "view", 40)]
    assert found == ["sqrt"]
