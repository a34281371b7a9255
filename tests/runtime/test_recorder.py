"""What is kept of a run: bounded, with its origin, readable after a crash, merged over processes."""

from __future__ import annotations

import math
import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanlint.diagnostic import Confidence, Diagnostic, Probe, Span
from nanlint.runtime.adapter import Tensor
from nanlint.runtime.events import Alert, Birth, Ended, Filtered, Observed, Step, Trace
from nanlint.runtime.filters import FilterError, filter_of
from nanlint.runtime.frames import Users, place
from nanlint.runtime.health import Health, health_of_numbers
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import NonFinite, Recorder
from nanlint.runtime.reporting import render_report
from nanlint.runtime.runfile import RunError, read_run
from nanlint.runtime.sites import Site, distance, site_of
from nanlint.runtime.verdicts import births_of, verdict_of, verdicts_of
from tests.runtime.running import Ran, python

NAN = health_of_numbers([1.0, math.nan], "float32", (2,))
FINE = health_of_numbers([1.0, 2.0], "float32", (2,))
LINE = place(__file__, 1)


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    recorder = Recorder(Options(str(tmp_path), limit=20_000))
    yield recorder
    recorder.end()


def born(recorder: Recorder, op: str = "log", line: int = 1, kinds: frozenset[str] = frozenset({"nan"})) -> None:
    recorder.born(
        framework="torch",
        op=op,
        kinds=kinds,
        inputs=[Tensor("x", FINE)],
        outputs=[Tensor("y", NAN)],
        frames=[place(__file__, line)],
    )


def test_the_origin_is_kept_however_long_the_run_goes_on(recorder: Recorder, tmp_path: Path) -> None:
    born(recorder, "first")
    for i in range(30_000):
        recorder.executed(recorder.numbered("torch", "add", __file__, i % 7))
        born(recorder, "later", 2)
        recorder.step(loss=1.0 / (i + 1))
    recorder.end()
    (file,) = tmp_path.glob("events-*")
    assert file.stat().st_size < 200_000
    run = read_run(str(tmp_path))
    assert [(birth.op, birth.step, count) for birth, count in births_of(run)] == [
        ("first", 0, 1),
        ("later", 0, 30_000),
    ]
    steps = [event.number for _, event in run if isinstance(event, Step)]
    assert steps[:50] == list(range(50))
    assert steps[-1] > 20_000


def test_a_hundred_steps_of_a_hundred_ops_are_small(tmp_path: Path) -> None:
    recorder = Recorder(Options(str(tmp_path)))
    for _ in range(100):
        for line in range(100):
            recorder.executed(recorder.numbered("torch", "aten.add.Tensor", __file__, line))
        recorder.step(loss=0.5)
    recorder.end()
    (file,) = tmp_path.glob("events-*")
    assert file.stat().st_size < 40_000
    assert sum(isinstance(event, Trace) for _, event in read_run(str(tmp_path))) == 1


def test_a_birth_is_kept_once_for_its_op_place_and_kind(recorder: Recorder, tmp_path: Path) -> None:
    for _ in range(3):
        born(recorder)
        born(recorder, line=2)
        born(recorder, kinds=frozenset({"pinf"}))
    recorder.end()
    births = births_of(read_run(str(tmp_path)))
    assert [(birth.frames[0].line, birth.kinds, count) for birth, count in births] == [
        (1, ("nan",), 3),
        (2, ("nan",), 3),
        (1, ("pinf",), 3),
    ]


#: begins to watch in a process of its own: one in which a framework has begun its threads must not fork
WATCHED = """
import os, signal
from nanlint.runtime.frames import place
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder

recorder = Recorder(Options(os.getcwd()))


def born(line=1):
    recorder.born(
        framework="torch", op="log", kinds=frozenset({"nan"}), inputs=[], outputs=[], frames=[place("train.py", line)]
    )


"""


def run_in(directory: Path, program: str) -> Ran:
    (directory / "program.py").write_text(WATCHED + textwrap.dedent(program))
    return python("program.py", cwd=directory)


def test_what_a_killed_process_saw_is_on_disk(tmp_path: Path) -> None:
    killed = run_in(
        tmp_path,
        """
        born()
        recorder.alert("dead-gradient", "w has none", frames=[place("train.py", 2)])
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    assert killed.code == -signal.SIGKILL
    events = [event for _, event in read_run(str(tmp_path))]
    assert any(isinstance(event, Birth) for event in events)
    assert any(isinstance(event, Alert) for event in events)
    assert not any(isinstance(event, Ended) for event in events)


def test_forks_keep_files_of_their_own_and_are_merged(tmp_path: Path) -> None:
    ran = run_in(
        tmp_path,
        """
        born()
        recorder.step()
        for _ in range(2):
            if os.fork() == 0:
                born()
                recorder.end()
                os._exit(0)
            os.wait()
        if os.fork() == 0:
            os._exit(0)  # has nothing to say
        os.wait()
        recorder.end()
        """,
    )
    assert ran.code == 0, ran.stderr
    run = read_run(str(tmp_path))
    assert len(run.processes) == 3
    assert [event.step for _, event in run if isinstance(event, Birth)] == [0, 1, 1]
    assert [count for _, count in births_of(run)] == [3]


def test_a_full_disk_ends_the_record_and_not_the_program(recorder: Recorder) -> None:
    born(recorder)
    assert recorder._file is not None
    os.close(recorder._file._file)
    born(recorder, line=2)
    born(recorder, line=3)


def test_a_file_that_may_not_grow_is_told_in_the_report(tmp_path: Path) -> None:
    ran = run_in(
        tmp_path,
        """
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        for line in range(1, 40):
            born(line=line)
        """,
    )
    assert ran.code == 0, ran.stderr
    verdicts = verdicts_of(read_run(str(tmp_path)))
    assert 1 < len(verdicts.born) < 39
    assert "1 line of the record could not be read" in render_report(verdicts, run=str(tmp_path))


def test_an_alert_is_told_once(recorder: Recorder, tmp_path: Path) -> None:
    for _ in range(3):
        recorder.alert("skipped-step", "the scale was halved", frames=[LINE], scale=4.0)
    recorder.end()
    alerts = [event for _, event in read_run(str(tmp_path)) if isinstance(event, Alert)]
    assert [(one.alert, one.details) for one in alerts] == [("skipped-step", {"scale": 4.0})]


def test_stop_raises_at_the_birth(tmp_path: Path) -> None:
    recorder = Recorder(Options(str(tmp_path), on_nan="stop"))
    with pytest.raises(NonFinite, match="nan first appeared in log"):
        born(recorder)
    recorder.end()


def site(cls: str = "zero", shift: float = 0.0, gradient: bool = False) -> Site:
    span = Span(1, 1, 1, 5)
    probe = Probe(span, "log", "torch", (("x", span),), "x", shift, cls, gradient)
    return site_of(probe, key="k", path=__file__, code="NL103", finding=span)


def observed(recorder: Recorder, tmp_path: Path) -> Observed:
    recorder.end()
    return [event for _, event in read_run(str(tmp_path)) if isinstance(event, Observed)][-1]


def test_what_comes_out_bad_of_good_operands_confirms(recorder: Recorder, tmp_path: Path) -> None:
    recorder.observed(site(), "x", FINE)
    assert not recorder.observed(site(), "result", FINE)
    recorder.step()
    recorder.observed(site(), "x", FINE)
    assert recorder.observed(site(), "result", NAN)
    found = observed(recorder, tmp_path)
    assert (found.executions, found.bad_step, found.kinds) == (2, 1, ("nan",))
    assert found.bad["x"].pos == 2


def test_what_ran_where_nothing_is_looked_at_was_reached(recorder: Recorder, tmp_path: Path) -> None:
    finding = Diagnostic(__file__, Span(1, 1, 1, 5), "NL103", "log-zero", "log of 0", Confidence.LIKELY)
    recorder.unwatched(site())
    recorder.unwatched(site())
    found = observed(recorder, tmp_path)
    assert str(verdict_of(finding, site(), [found], []).state) == "not watched"
    assert str(verdict_of(finding, site(), [], []).state) == "not reached"


def test_a_filter_that_fails_is_named_and_the_others_are_asked(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    from nanlint.runtime.adapters.numpy import NumpyAdapter

    (tmp_path / "mine_that_fails.py").write_text("def bad(health, tensor):\n    return tensor.nothing\n")
    filters = (f"{tmp_path / 'mine_that_fails.py'}:bad", "has_inf_or_nan")
    recorder = Recorder(Options(str(tmp_path), filters=filters))
    recorder.add_adapter(NumpyAdapter(recorder))
    recorder.wants("x", "numpy", numpy.array([1.0, math.nan]))
    recorder.end()
    (alert,) = (event for _, event in read_run(str(tmp_path)) if isinstance(event, Alert))
    assert alert.alert == "filter-failed"
    assert "mine_that_fails.py:bad failed: AttributeError" in alert.message
    assert [event.filter for _, event in read_run(str(tmp_path)) if isinstance(event, Filtered)] == ["has_inf_or_nan"]


@pytest.mark.parametrize(("details", "bad"), [({"what": "loss"}, True), ({"what": "gradient_norm"}, False)])
def test_a_loss_that_is_not_finite_is_bad(
    recorder: Recorder, tmp_path: Path, details: dict[str, str], bad: bool
) -> None:
    recorder.alert("non-finite", "it is nan", **details)
    recorder.end()
    assert verdicts_of(read_run(str(tmp_path))).bad is bad


def test_what_went_in_bad_confirms_nothing(recorder: Recorder, tmp_path: Path) -> None:
    recorder.observed(site(), "x", NAN)
    assert not recorder.observed(site(), "result", NAN)
    assert observed(recorder, tmp_path).kinds == ()


def test_a_gradient_confirms_if_what_came_back_was_good(recorder: Recorder, tmp_path: Path) -> None:
    recorder.observed(site(), "x", FINE)
    recorder.observed(site(), "result", FINE)
    recorder.observed(site(), "gradient of result", NAN)
    assert not recorder.observed(site(), "gradient of x", NAN)
    recorder.observed(site(), "gradient of result", FINE)
    assert recorder.observed(site(), "gradient of x", NAN)
    assert observed(recorder, tmp_path).kinds == ("nan",)


@pytest.mark.parametrize(
    ("cls", "shift", "numbers", "expected"),
    [
        ("zero", 0.0, [0.25, 1.0], 0.25),
        ("zero", 0.0, [-0.5, -0.125], 0.125),
        ("zero", 0.0, [-1.0, 1e-9, 2.0], 1e-9),
        ("zero", 0.0, [0.0, 2.0], 0.0),
        ("neg", 1.0, [-0.75, 2.0], 0.25),
        ("neg", 0.0, [-3.0, 2.0], 0.0),
        ("pos", -1.0, [0.5, 0.75], 0.25),
        ("pinf", 0.0, [1.0], None),
    ],
)
def test_the_distance_to_a_pole(cls: str, shift: float, numbers: list[float], expected: float | None) -> None:
    near = min(map(abs, numbers))
    assert distance(site(cls, shift), min(numbers), max(numbers), near) == expected


@pytest.mark.parametrize(
    ("name", "numbers", "holds"),
    [
        ("has_inf_or_nan", [1.0, math.inf], True),
        ("has_inf_or_nan", [1.0], False),
        ("all_zero", [0.0, 0.0], True),
        ("all_zero", [0.0, 1.0], False),
        ("saturated", [1.0, 1.0, 1.0], True),
        ("saturated", [0.5, 1.0, 1.0], False),
        ("range>1e4", [-2e4, 1.0], True),
        ("range>1e4", [5e3], False),
        ("range <= 1", [-1.0, 1.0], True),
        ("math:isfinite", [1.0], None),
        (f"{__file__}:only_negative", [-1.0], True),
    ],
)
def test_filters(name: str, numbers: list[float], holds: bool | None) -> None:
    if holds is None:
        with pytest.raises(TypeError):
            filter_of(name).holds(health_of_numbers(numbers), None)
    else:
        assert filter_of(name).holds(health_of_numbers(numbers), None) is holds


def only_negative(health: Health, value: object) -> bool:
    return health.neg == health.size


@pytest.mark.parametrize("name", ["odd", "range>x", "nowhere:f", "math:nothing", "math:pi", "range>"])
def test_what_is_no_filter_is_told(name: str) -> None:
    with pytest.raises(FilterError, match=r"filter|range"):
        filter_of(name)


def test_which_files_are_the_users(tmp_path: Path) -> None:
    users = Users(("json",))
    assert users.owns(str(tmp_path / "train.py"))
    assert users.owns("/elsewhere/train.py")
    assert users.owns("<string>")
    assert not users.owns("<frozen importlib._bootstrap>")
    assert not users.owns(os.__file__)
    assert not users.owns(str(tmp_path / "site-packages" / "x.py"))
    assert not users.owns(sys.modules["nanlint"].__file__ or "")
    import json

    assert users.owns(json.__file__)
    users.leave_out(sys.modules[__name__])
    assert not users.owns(__file__)


def test_a_directory_that_holds_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="contains no run"):
        read_run(str(tmp_path))
    with pytest.raises(RunError, match="no such run"):
        read_run(str(tmp_path / "nowhere"))


def test_a_gradient_is_not_blamed_for_what_its_operand_was(recorder: Recorder, tmp_path: Path) -> None:
    recorder.observed(site(gradient=True), "x", NAN)
    recorder.observed(site(gradient=True), "result", NAN)
    recorder.observed(site(gradient=True), "gradient of result", FINE)
    assert not recorder.observed(site(gradient=True), "gradient of x", NAN)
    recorder.observed(site(gradient=True), "x", FINE)
    assert not recorder.observed(site(gradient=True), "gradient of x", NAN, known=frozenset({"nan"}))


def test_who_runs_the_training_knows_its_epoch_better_than_what_is_seen(recorder: Recorder, tmp_path: Path) -> None:
    recorder.at(epoch=0)
    born(recorder, "seen")
    recorder.begin_at(100)
    recorder.at(told=True, epoch=5)
    recorder.at(epoch=0, batch=2)
    born(recorder, "told")
    seen, told = (birth for birth, _ in births_of(read_run(str(tmp_path))))
    assert (seen.step, seen.where.epoch, seen.where.batch) == (0, 0, None)
    assert (told.step, told.where.epoch, told.where.batch) == (100, 5, 2)
    report = render_report(verdicts_of(read_run(str(tmp_path))), run=str(tmp_path))
    assert "origin (nan at step 100, epoch 5, batch 2): in told" in report


def test_a_repetition_begins_where_the_program_is_after_a_restart(tmp_path: Path) -> None:
    options = Options(str(tmp_path), replay=(99, 100), replayed=str(tmp_path))
    recorder = Recorder(options)
    assert recorder.mode == "sentinel"
    recorder.begin_at(99)
    assert recorder.mode == "all"
    recorder.resume(100)
    recorder.begin_at(7)  # what was put back knows better
    assert recorder.steps == 100
    recorder.end()
