"""Functions with a control role: those of the frameworks are followed, and a user's are told in the same words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import nanlint
from nanlint.config import ConfigError


def of_log(call: str, ops: Mapping[str, object]) -> list[str]:
    """What is found of the logarithm of a result: it has to be known for that."""
    program = (
        "import flow\nimport torch\n\n\ndef size(x):\n    return torch.relu(x)\n\n\n"
        f"def loss(x, test):\n    return torch.log({call})\n"
    )
    return [d.code for d in nanlint.check_source(program, ops=ops)]


def test_what_hands_a_function_back_is_seen_through() -> None:
    call = "flow.compiled(size)(x)"
    assert of_log(call, {}) == []
    assert of_log(call, {"flow.compiled(f)": "returns(x=f)"}) == ["NL103"]


def test_a_function_of_each_element_and_of_one_branch_is_followed() -> None:
    assert of_log("flow.each(size, x)", {}) == []
    assert of_log("flow.each(size, x)", {"flow.each(f, xs)": "map(f=f, x=xs)"}) == ["NL103"]
    chosen = {"flow.choose(test, yes, no)": "branch(cond=test, yes=yes, no=no)"}
    assert of_log("flow.choose(test, lambda: size(x), lambda: size(-x))", {}) == []
    assert of_log("flow.choose(test, lambda: size(x), lambda: size(-x))", chosen) == ["NL103"]


def test_an_assertion_of_the_project_holds_behind_it() -> None:
    guarded = (
        "import flow\nimport torch\n\n\ndef loss(x):\n    y = torch.relu(x)\n"
        "    flow.require(y > 0)\n    return torch.log(y)\n"
    )
    assert [d.code for d in nanlint.check_source(guarded)] == ["NL103"]
    assert nanlint.check_source(guarded, ops={"flow.require(test)": "assume(cond=test)"}) == []


def test_a_role_that_is_misspelled_is_told() -> None:
    with pytest.raises(ConfigError, match="no op named 'mapp' in the catalogue; did you mean 'map'"):
        nanlint.check_source("import flow\n", ops={"flow.each(f, xs)": "mapp(f=f, x=xs)"})


def test_braces_name_several_functions_of_the_project() -> None:
    program = "import flow\nimport torch\n\n\ndef loss(x):\n    return flow.{}(torch.relu(x))\n"
    ops = {"flow.{,stable.}{log,ln}(x)": "log(x=x)"}
    for name in ("log", "ln", "stable.log", "stable.ln"):
        assert [d.code for d in nanlint.check_source(program.format(name), ops=ops)] == ["NL103"], name
    assert nanlint.check_source(program.format("stable.lg"), ops=ops) == []
