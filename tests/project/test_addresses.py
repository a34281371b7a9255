"""An address is free again as soon as a frame is: where frames were known by it, callers of some had others'."""

from __future__ import annotations

import sys

import pytest

from nanlint.frontend.frames import Frame
from tests.cases import FOLDER, cases, found_now


@pytest.mark.timeout(60)  # a frame that is its own caller has no end
@pytest.mark.parametrize("name", ["called by who calls its caller's method", "called by a caller's caller"])
def test_a_frame_is_not_taken_for_one_that_was_at_its_address(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    case = dict(cases((FOLDER / "constructs.txt").read_text("utf-8")))[f"wrong: {name}"]
    address = id
    for module in [module for name, module in sys.modules.items() if name.startswith("nanlint.frontend.")]:
        monkeypatch.setattr(module, "id", lambda it: 0 if isinstance(it, Frame) else address(it), raising=False)
    assert found_now(case) == case
