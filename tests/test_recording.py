"""What is on record is taken, what is new is executed, and what is not what the framework gives is found."""

from __future__ import annotations

import lzma
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests import recording
from tests.recording import RUN, Answer, Recordings, StaleRecordingError, alike, packed, read, unpacked, write
from tests.sampling import sample

GIVEN = {
    "array": np.array([[0.0, -0.0, math.nan], [math.inf, 1e-45, 2.0]], "float32"),
    "scalar": np.array(1.5),
    "empty": np.zeros((0, 3), "float16"),
    "classes": [np.array([0, 5], "uint8"), None, True, "text", 0.5, [1, 2]],
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Recordings of this test alone, in a run that draws nothing."""
    monkeypatch.setattr(recording, "DIRECTORY", tmp_path)
    monkeypatch.setattr(RUN, "executed", {})
    monkeypatch.setattr(RUN, "asked_with", {})
    monkeypatch.setattr(RUN, "everything", False)
    monkeypatch.setattr(RUN, "seed", None)
    monkeypatch.setattr(RUN, "missing", 0)
    monkeypatch.setattr(RUN, "again", 0)
    return tmp_path


@pytest.fixture
def ask(files: Path) -> Callable[..., Answer]:
    """``ask(text, gives)``: the answer to a question, to which NumPy would give that; `pytest.fail` without."""
    harness = files / "harness.py"
    harness.write_text("ask = 1")

    def asked(text: str, gives: Answer = None) -> Answer:
        def execute() -> Answer:
            return pytest.fail("executed") if gives is None else gives

        return Recordings("toy", "numpy", (harness,)).answer([text, np.ones(3)], execute)

    return asked


def keep() -> list[Path]:
    """Write what this run has executed, and begin another."""
    changed = list(write(RUN.executed, whole=False))
    RUN.executed.clear()
    return changed


def draws_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUN, "seed", 0)
    monkeypatch.setattr(recording, "RELEASES", {"numpy": recording.RELEASES["numpy"]})
    monkeypatch.setattr(recording, "DRAWN", 1)


def test_what_is_on_record_is_not_executed(ask: Callable[..., Answer]) -> None:
    assert ask("log(0)", -math.inf) == -math.inf
    assert RUN.missing == 1
    keep()
    assert ask("log(0)") == -math.inf
    assert RUN.missing == 1


def test_another_question_is_executed(ask: Callable[..., Answer]) -> None:
    ask("log(0)", -math.inf)
    keep()
    assert ask("log(1)", 0.0) == 0.0


def test_what_another_harness_asks_is_executed(ask: Callable[..., Answer], files: Path) -> None:
    ask("log(0)", -math.inf)
    keep()
    (files / "harness.py").write_text("ask = 2")
    recording.sources.cache_clear()
    assert ask("log(0)", 7.0) == 7.0
    (path,) = keep()
    assert list(read(path)[1].values()) == [7.0]


def test_what_another_release_gives_is_executed(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    ask("log(0)", -math.inf)
    keep()
    monkeypatch.setattr(recording, "release", lambda framework: "numpy 99")
    assert ask("log(0)", 7.0) == 7.0


def test_what_was_recorded_answers_for_a_framework_that_is_not_installed(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("log(0)", -math.inf)
    keep()
    monkeypatch.setattr(recording, "release", lambda framework: None)
    assert ask("log(0)") == -math.inf
    with pytest.raises(pytest.skip.Exception, match="numpy is not installed"):
        ask("log(1)", 0.0)


def test_a_recording_that_was_tampered_with_is_found_when_it_is_drawn(
    ask: Callable[..., Answer], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("log(0)", [np.array([-math.inf, 0.0])])
    (path,) = keep()
    recorded_with, answers = read(path)
    tampered = {key: [np.array([-1e38, 0.0])] for key in answers}
    path.write_bytes(lzma.compress(packed(recorded_with, tampered)))
    read.cache_clear()
    assert ask("log(0)")[0][0] == -1e38
    draws_everything(monkeypatch)
    with pytest.raises(StaleRecordingError, match=r"toy-numpy.xz has .*1\.e\+38.*numpy gives .*-inf.*log\(0\)"):
        ask("log(0)", [np.array([-math.inf, 0.0])])


def test_what_is_drawn_and_right_passes(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    ask("log(2)", 0.693147)
    keep()
    draws_everything(monkeypatch)
    assert ask("log(2)", 0.693148) == 0.693148
    assert RUN.again == 1


def test_a_run_draws_one_framework_and_a_few_of_its_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        monkeypatch.setattr(RUN, "seed", seed)
        drawn = {f: sum(Recordings("", f, ()).is_drawn(str(key)) for key in range(2000)) for f in recording.RELEASES}
        (count,) = filter(None, drawn.values())
        assert count == pytest.approx(2000 / recording.DRAWN, rel=0.5)


def test_recording_executes_what_is_on_record(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    ask("log(0)", 1.0)
    keep()
    monkeypatch.setattr(RUN, "everything", True)
    assert ask("log(0)", -math.inf) == -math.inf
    keep()
    monkeypatch.setattr(RUN, "everything", False)
    assert ask("log(0)") == -math.inf


def test_what_was_not_asked_is_kept_unless_all_was_asked(ask: Callable[..., Answer]) -> None:
    ask("log(0)", -math.inf)
    keep()
    ask("log(1)", 0.0)
    (path,) = keep()
    assert len(read(path)[1]) == 2
    (path,) = write({"toy-numpy": {"only": 1.0}}, whole=True)
    assert read(path)[1] == {"only": 1.0}


def test_recording_the_same_again_leaves_the_file_as_it_is(ask: Callable[..., Answer]) -> None:
    ask("log(0)", GIVEN)
    (path,) = keep()
    before = path.read_bytes()
    path.write_bytes(lzma.compress(lzma.decompress(before), preset=0))
    read.cache_clear()
    RUN.everything = True
    ask("log(0)", GIVEN)
    assert keep() == []


def test_what_is_written_is_read() -> None:
    recorded_with, answers = unpacked(packed("numpy 1", {"a": GIVEN, "b": GIVEN, "c": None}))
    assert recorded_with == "numpy 1"
    assert list(answers) == ["a", "b", "c"]
    for found in (answers["a"], answers["b"]):
        assert alike(found, GIVEN)
        assert np.signbit(found["array"][0, 1])
    assert answers["c"] is None


@pytest.mark.parametrize(
    "other",
    [
        np.array([1.0, math.nan, -math.inf]),
        np.array([1.0, 2.0, math.inf]),
        np.array([1.01, math.nan, math.inf]),
        np.array([1.0, math.nan, math.inf], "float32"),
        np.array([[1.0, math.nan, math.inf]]),
        [1.0, math.nan, math.inf],
    ],
    ids=["sign", "nan", "digits", "dtype", "shape", "list"],
)
def test_answers_differ_in_more_than_rounding(other: Answer) -> None:
    answer = np.array([1.0, math.nan, math.inf])
    assert alike(answer, np.array([1.0000001, math.nan, math.inf]))
    assert not alike(answer, other)


def test_what_cancels_in_half_precision_is_apart_by_a_rounding_of_what_cancelled() -> None:
    # the gradient of a softmax of which the elements are 0.7 and 0.2993, where another machine has 0.7007
    assert alike(np.array([3.42e-4, 1.0], "float16"), np.array([0.0, 1.0], "float16"))
    assert not alike(np.array([3.42e-4, 1.0]), np.array([0.0, 1.0]))
    assert not alike(np.array([0.05], "float16"), np.array([0.0], "float16"))


def test_few_of_many_kinds_may_be_others() -> None:
    kinds = np.zeros(100, "uint8")
    few, many = (np.where(np.arange(100) < count, 2, kinds).astype("uint8") for count in (2, 3))
    assert alike(kinds, few)
    assert not alike(kinds, many)
    assert not alike(np.zeros(3, "uint8"), np.array([0, 0, 2], "uint8"))


def test_a_sample_is_another_part_for_each_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUN, "everything", False)
    parts = []
    for seed in range(40):
        monkeypatch.setattr("tests.sampling.SEED", seed)
        parts.append(sample(range(16), 8))
    assert {len(part) for part in parts} == {2}
    assert set().union(*parts) == set(range(16))
    assert all(part == sorted(part) for part in parts)
    monkeypatch.setattr(RUN, "everything", True)
    assert sample(range(16), 8) == list(range(16))
