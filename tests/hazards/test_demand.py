"""Numbers that reach nothing: what the program gives is finite where they are NaN, and they are not shown."""

from __future__ import annotations

import math
from importlib.util import find_spec
from textwrap import dedent

import pytest

from nanlint.diagnostic import Confidence
from nanlint.rules.diagnose import diagnose
from nanlint.source.reading import read_source

#: where the number goes, and the body of a step in which it goes there
NOWHERE = {
    "printed": 'print(f"share {(x * mask).sum() / mask.sum()}")\nreturn x.sum()',
    "asserted": "part = (x * mask).sum() / mask.sum()\nassert not part > 2\nreturn x.sum()",
    "decides": "part = (x * mask).sum() / mask.sum()\nreturn x.sum() if part > 0.5 else x.mean()",
    "its sum decides": "part = (x * mask) / mask.sum()\nreturn x.sum() if part.sum() > 0.5 else x.mean()",
    "overwritten": "part = (x * mask).sum() / mask.sum()\npart = x.mean()\nreturn part",
    "no element that is taken": (
        "def parts(x, mask):\n    return (x * mask).sum() / mask.sum(), x.sum()\n\n"
        "_, total = parts(x, mask)\nreturn total"
    ),
}
#: the same number where something takes it
SOMEWHERE = {
    "returned": "part = (x * mask).sum() / mask.sum()\nprint(part)\nreturn part",
    "an element that is taken": (
        "def parts(x, mask):\n    return (x * mask).sum() / mask.sum(), x.sum()\n\n"
        "part, _ = parts(x, mask)\nreturn part"
    ),
    "added to what is returned": "part = (x * mask).sum() / mask.sum()\nprint(part > 2)\nreturn x.sum() + part",
    "kept in a table": 'kept = {}\nkept["part"] = (x * mask).sum() / mask.sum()\nreturn kept["part"]',
}


def program(body: str) -> str:
    return "import torch\n\n\ndef step(x, mask):\n" + "".join(f"    {line}\n" for line in dedent(body).splitlines())


def shown(text: str) -> list[str]:
    found = diagnose(read_source(text.encode(), "step.py"))
    return [one.code for one in found if one.confidence > Confidence.POSSIBLE]


def given(text: str) -> float:
    """What the step of a program gives for a mask that selects nothing."""
    import torch

    names: dict[str, object] = {}
    exec(compile(text, "step.py", "exec"), names)
    return float(names["step"](torch.ones(3), torch.zeros(3)))  # type: ignore[operator]


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("way", NOWHERE)
def test_what_reaches_nothing_is_not_shown(way: str) -> None:
    text = program(NOWHERE[way])
    assert math.isfinite(given(text))
    assert not shown(text)


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("way", SOMEWHERE)
def test_what_something_takes_is_shown(way: str) -> None:
    text = program(SOMEWHERE[way])
    assert math.isnan(given(text))
    assert shown(text)
