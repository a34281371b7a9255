"""The reverse of the tables: the function that is named for an op is the framework's, and computes that op."""

from __future__ import annotations

import pytest

from nanlint.ops.frameworks import load
from nanlint.ops.frameworks.tensorflow import IN_MATH
from nanlint.ops.op import OPS
from nanlint.ops.writing import function_for, spelling_for
from nanlint.proof.calls import resolve
from nanlint.source.roots import FRAMEWORKS
from tests.ops.test_spellings import HISTORIC_NAMES, installed


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    return name


def test_what_is_written_for_an_op_is_there_and_is_read_as_that_op(framework: str) -> None:
    found = {op: name for op in OPS if (name := function_for(op, framework)) is not None}
    assert len(found) > 90
    for op, name in found.items():
        spelling = spelling_for(op, framework)
        assert spelling is not None
        assert spelling.op == op
        assert name in HISTORIC_NAMES or callable(resolve(spelling.name)), name


def test_the_names_that_are_in_math_alone_are_those_of_tensorflow() -> None:
    tf = pytest.importorskip("tensorflow")
    names = {
        name.partition(".")[2] for name in load().names() if name.startswith("tensorflow.") and name.count(".") == 1
    }
    assert {name for name in names if not hasattr(tf, name) and hasattr(tf.math, name)} == IN_MATH
