"""What the path says is what a dictionary that is copied at each branch would say, and is not copied."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from nanlint.frontend.lower import lower
from nanlint.graph.path import MAX_SAID, NOTHING, Comparisons, PathCondition, common
from nanlint.ops.catalogue import catalogue

Model = dict[int, Comparisons]
FACTS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.integers(0, 1)), max_size=3)
#: what two paths say one after the other behind what both begin with; more than goes into one table
PATHS = st.tuples(*(st.lists(FACTS, max_size=20) for _ in range(3)))


def followed(path: PathCondition, model: Model, steps: list[list[tuple[int, str, int]]]) -> tuple[PathCondition, Model]:
    model = dict(model)
    for said in steps:
        path = path.and_(said)
        for key, comparison, other in said:
            if (comparison, other) not in (known := model.get(key, ())):
                model[key] = (*known, (comparison, other))
    return path, model


@settings(deadline=None)
@given(PATHS)
def test_paths_say_what_dictionaries_would(steps: tuple[list[list[tuple[int, str, int]]], ...]) -> None:
    start, first = followed(NOTHING, {}, steps[0])
    (a, one), (b, other) = (followed(start, first, more) for more in steps[1:])
    both = {key: known for key, known in one.items() if other.get(key) == known}
    met = common((a, b))
    over_a, over_met = (a.overridden(b), one | other), (met.overridden(b), both | other)
    for path, model in ((a, one), (b, other), (met, both), over_a, over_met):
        assert dict(path.items()) == model
        assert all(path.get(key) == model.get(key) for key in range(6))
        assert not model or path.since(lambda key: key) <= min(model)


def test_of_one_expression_only_what_is_said_last_is_kept() -> None:
    path = NOTHING
    for number in range(100):
        path = path.and_([(1, "a", number), (1, "a", number)])
    known = path[1]
    assert MAX_SAID <= len(known) <= 2 * MAX_SAID
    assert known == tuple(("a", number) for number in range(100 - len(known), 100))


def test_a_long_chain_of_branches_takes_no_more_for_each_than_a_short_one() -> None:
    def nodes(branches: int) -> int:
        tests = "".join(f"    elif k == {i}:\n        y = x / {i + 1}\n" for i in range(1, branches))
        program = f"import torch\n\n\ndef f(x, k):\n    if k == 0:\n        y = torch.log(x)\n{tests}    return y\n"
        lowering = lower(ast.parse(program), catalogue({}), ("torch",), frozenset({"log"}))
        return len(lowering.graph.nodes)

    assert nodes(200) < 4.5 * nodes(50)
