"""What the tests of the codemods share: a fix applied to its end, and checked on the way."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

import nanlint
from nanlint.fixes.keeping import Unseen, not_taken
from tests.fixes.programs import Mend, Shown
from tests.fixes.proving import Proven, summary
from tests.last_words import LAST_WORDS

PROVEN = pytest.StashKey[list[Proven]]()


@pytest.fixture(scope="session")
def proven(request: pytest.FixtureRequest) -> list[Proven]:
    """What has been proven in this run."""
    return request.config.stash.setdefault(PROVEN, [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand on how much has been proven."""
    if found := session.config.stash.get(PROVEN, []):
        session.config.stash.setdefault(LAST_WORDS, []).append(summary(found))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")


@pytest.fixture(autouse=True)
def _arrays_of_floats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not seen of what functions are given counts as arrays of floating-point numbers, as which tests give it.

    But in modules that are about what else they are given. What is seen to be something else counts everywhere.
    """
    if not getattr(request.module, "ANYTHING_IS_GIVEN", False):
        monkeypatch.setattr(
            "nanlint.fixes.keeping.not_taken",
            lambda *given: (said for said in not_taken(*given) if not isinstance(said, Unseen)),
        )


@pytest.fixture
def untidied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixes as they are, with the names that they leave behind."""
    monkeypatch.setattr("nanlint.lint.one_file.tidying", lambda *_: lambda before, after: after)


@pytest.fixture
def mend(untidied: None) -> Mend:
    """``mend(code, text)``: the text with the safe fixes of one rule applied, or its unsafe ones too.

    What comes out parses, says less of that rule than before, and stays as it is when fixed again.
    """

    def fixed(code: str, text: str, *, unsafe: bool = False, **config: str) -> str:
        text = dedent(text)
        outcome = nanlint.fix_source(text, unsafe_fixes=unsafe, select=[code], **config)
        assert not outcome.notes, outcome.notes
        result = outcome.source.text
        ast.parse(result)
        again = nanlint.fix_source(result, unsafe_fixes=unsafe, select=[code], **config)
        assert again.source.text == result, "the fix does not converge"
        before, remaining = len(nanlint.check_source(text, select=[code], **config)), len(outcome.remaining)
        assert before >= remaining + (result != text), "the fix leaves its finding"
        return result

    return fixed


@pytest.fixture
def shown() -> Shown:
    """``shown(code, text)``: applicability and replacement of each fix that a rule offers, in order."""

    def offered(code: str, text: str, **config: str) -> list[tuple[str, str]]:
        found = nanlint.check_source(dedent(text), select=[code], **config)
        return [(str(d.fix.applicability), d.fix.display) for d in found if d.fix is not None]

    return offered
