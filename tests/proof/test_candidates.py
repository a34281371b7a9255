"""The numbers that are tried: within what is known, the plainest first, each once, the same in every run."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from nanlint.proof.candidates import assignments, drawn, rows
from nanlint.proof.slice import Domain
from tests.proof.programs import LOG_OF_SOFTMAX, slice_of

CLASSES = st.frozensets(st.sampled_from(["neg", "zero", "pos", "low", "high"]), max_size=2)
DOMAINS = st.builds(
    lambda ends, excluded, whole, scalar, fmt: Domain(min(ends), max(ends), excluded, whole, scalar, fmt),
    st.tuples(st.sampled_from([float("-inf"), -1.0, 0.0, 1e-12]), st.sampled_from([0.0, 1.0, 5.0, float("inf")])),
    CLASSES,
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float16", "float32", "float64"]),
)


@given(DOMAINS, st.integers(1, 3), st.booleans())
def test_every_row_is_one_that_the_analysis_allows(domain: Domain, width: int, critical: bool) -> None:
    for row in rows(domain, width, critical=critical):
        assert len(row) == (1 if domain.scalar else width)
        assert all(map(domain.admits, row))


def test_an_operand_that_breaks_is_tried_at_zero_first_another_at_one() -> None:
    assert rows(Domain(), 2, critical=True)[0] == (0.0, 0.0)
    assert rows(Domain(), 2, critical=False)[0] == (1.0, 1.0)


def test_a_number_that_is_given_is_the_only_one() -> None:
    assert rows(Domain(number=1e-6), 2, critical=True) == [(1e-6,)]


def test_assignments_are_tried_once_and_reach_every_pair() -> None:
    program = slice_of(LOG_OF_SOFTMAX["torch"])
    sources = program.sources(program.ends[-1])
    found = list(islice(assignments(program, sources, frozenset(sources), {}, 2), 2000))
    keys = [tuple(sorted(one.items())) for one in found]
    assert len(set(keys)) == len(keys)
    sizes = [len(rows(program.steps[i].domain, 2, critical=True)) for i in sources]
    assert len(keys) == sizes[0] * sizes[1]


def test_a_random_draw_is_the_same_for_the_same_seed() -> None:
    program = slice_of(LOG_OF_SOFTMAX["torch"])
    sources = program.sources(program.at)
    assert drawn(program, sources, {}, 2, 7) == drawn(program, sources, {}, 2, 7)
    assert drawn(program, sources, {}, 2, 7) != drawn(program, sources, {}, 2, 8)
