"""The progress bar: silent while the work is short."""

from __future__ import annotations

import sys

import pytest

from nanlint.output import progress
from nanlint.output.progress import ProgressBar


def test_short_work_draws_nothing_and_loads_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "rich.progress", raising=False)
    with ProgressBar() as bar:
        bar(1, 2)
        bar(2, 2)
    assert capsys.readouterr().err == ""
    assert "rich.progress" not in sys.modules


def test_long_work_is_drawn_on_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ProgressBar() as bar:
        bar(1, 4)
        bar(3, 4)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "75%" in shown.err
