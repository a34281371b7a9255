"""What reading back asks, and what it spares itself."""

from __future__ import annotations

import ast
from collections import Counter
from importlib import import_module

import pytest

import nanlint
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes import readback

TEXT = """import torch


def loss(x):
    return torch.log(torch.softmax(x, -1)).mean()
"""


def test_what_is_found_in_a_text_as_it_is_is_asked_for_only_where_something_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    diagnose = import_module("nanlint.rules.diagnose")
    asked: Counter[str] = Counter()
    occurrences = diagnose.occurrences

    def counted(facts, select):
        asked[facts.source.text] += 1
        return occurrences(facts, select)

    monkeypatch.setattr(diagnose, "occurrences", counted)
    (found,) = nanlint.check_source(TEXT)
    assert found.fix is not None
    assert asked[TEXT] == 0
    assert sum(asked.values()) == 1


BESIDE = """import torch


def loss(x):
    shifted = x + 1
    return torch.log(torch.softmax(shifted, -1)).mean()
"""


@pytest.mark.parametrize("brings", [False, True])
def test_a_fix_that_brings_a_finding_beside_what_it_replaces_is_only_shown(
    brings: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = readback.Readback.__init__

    def more(self, *args, **kwargs):
        made(self, *args, **kwargs)
        tell = self.tell

        def told(facts):
            found = list(tell(facts))
            if brings and "log_softmax" in facts.source.text:
                (beside,) = [n for n in ast.walk(facts.source.tree) if ast.unparse(n) == "x + 1"]
                found.append(readback.Told("NL403", beside, Confidence.LIKELY))
            return found

        self.tell = told

    monkeypatch.setattr(readback.Readback, "__init__", more)
    (found,) = nanlint.check_source(BESIDE)
    assert found.fix is not None
    assert found.fix.applicability is (Applicability.DISPLAY if brings else Applicability.SAFE)
