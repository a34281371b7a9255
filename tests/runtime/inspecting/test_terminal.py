"""The commands at the terminal, over a run that the recorder kept."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nanlint.runtime.health import Health
from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.inspecting.terminal import Terminal, bar
from nanlint.runtime.runfile import read_run
from tests.runtime.inspecting.runs import NAN, Row, born, recorder, row

Say = Callable[..., str]


@pytest.fixture
def say(run: Run) -> Say:
    """Does commands one after the other; what the last one printed."""
    return said_of(run)


def said_of(run: Run) -> Say:
    def say(*commands: str) -> str:
        out = io.StringIO()
        terminal = Terminal(run, out)
        for command in commands:
            out.seek(0)
            out.truncate()
            terminal.onecmd(command)
        return out.getvalue()

    return say


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_alerts_lists_births_and_alerts_in_order(say: Say) -> None:
    table = lines(say("alerts"))
    assert [line.split(" train.py:")[0] for line in table[1:]] == [
        "1 1 -inf first appeared in log",
        "2 1 nan first appeared in mul",
        "3 1 nan first appeared in the gradient of log",
        "4 3 dead-gradient: bias has no gradient in the whole run",
    ]


def test_an_alert_tells_inputs_outputs_line_finding_and_fix(say: Say) -> None:
    text = say("alerts 1")
    assert "train.py:7: return -(target * torch.log(probs)).sum(dim=1).mean()" in text
    assert "log@train.py:7/probs" in text
    assert "1 -inf, 2 negative, 1 zero" in text
    assert "NL101 [certain] log of a softmax" in text
    assert "confirmed: nan and -inf at step 1" in text
    assert "+    return -(target * F.log_softmax(logits, dim=1)).sum(dim=1).mean()" in text


def test_an_alert_that_is_no_birth_tells_its_details(say: Say) -> None:
    assert "parameter: bias" in say("alerts 4")


def test_lt_narrows_down_by_filter_name_and_op(say: Say) -> None:
    assert lines(say("lt -f has_inf_or_nan"))[-1] == "4 of 9 tensors"
    assert lines(say("lt -n gradient"))[-1] == "2 of 9 tensors"
    assert lines(say("lt -t ^mul$"))[-1] == "3 of 9 tensors"
    assert lines(say("lt -f range>1e3"))[-1] == "1 of 9 tensors"
    assert lines(say("lt -f all_zero"))[-1] == "0 of 9 tensors"


def test_lt_sorts(say: Say) -> None:
    names = [line.split()[1] for line in lines(say("lt -s name"))[1:-1]]
    assert names == sorted(names)


def test_pt_prints_the_numbers_in_rows(say: Say) -> None:
    assert lines(say("pt mul@train.py:7/result"))[-2:] == ["[0, :] nan 0.0", "[1, :] 0.0 -0.2877"]


def test_pt_slices(say: Say) -> None:
    assert lines(say("pt mul@train.py:7/result[1]"))[-1] == "[1, :] 0.0 -0.2877"
    assert lines(say("pt mul@train.py:7/result[:, -1]"))[-2:] == ["[0, :] 0.0", "[1, :] -0.2877"]
    assert lines(say("pt mul@train.py:7/result[::-1, 0]"))[-2:] == ["[1, :] 0.0", "[0, :] nan"]


def test_pt_searches_and_says_where(say: Say) -> None:
    assert lines(say("pt mul@train.py:7/result /nan/"))[-2:] == ["[0, 0] = nan", "1 matched"]
    assert lines(say("pt mul@train.py:7/result[1] /nan/"))[-1] == "0 matched"


def test_pt_takes_a_number_and_a_part_of_the_name(say: Say) -> None:
    assert say("pt gradient of probs") == say("pt backward/log@train.py:7/gradient of probs")
    number = lines(say("lt -n mul.*result"))[1].split()[0]
    assert say(f"pt {number}") == say("pt mul@train.py:7/result")


def test_pt_says_what_of_a_large_tensor_was_kept(tmp_path: Path) -> None:
    watch = recorder(tmp_path / "run")
    large = Row([NAN, *[0.5] * 4999])
    large.shape = (10, 500)
    born(watch, "exp", [("x", row([1.0]), None)], [("result", large, None)], ())
    watch.end()
    say = said_of(run_of(read_run(str(tmp_path / "run"))))
    assert lines(say("pt result[0, :3]"))[-2:] == [
        "[0, :] nan 0.5 0.5",
        "the run recorded the first 4,096 of 5,000 elements",
    ]
    assert "none of these elements was recorded" in say("pt result[9]")
    assert "none of these elements was recorded" in say("pt result[9:8:-1, ::-1]")


def test_li_and_lo_follow_the_graph(say: Say) -> None:
    assert "from softmax@train.py:6: probs = F.softmax(logits, dim=1)" in say("li log@train.py:7")
    assert "to mul@train.py:7" in say("lo log@train.py:7")
    assert "from log@train.py:7" in say("li mul@train.py:7")
    assert "log@train.py:7/result" in say("lo log@train.py:7")


def test_where_of_a_gradient_shows_the_forward_line_and_the_backward_call(say: Say) -> None:
    text = say("where backward/log@train.py:7")
    forward, backward = text.split("where the gradient was requested:")
    assert lines(forward)[-1] == "return -(target * torch.log(probs)).sum(dim=1).mean()"
    assert lines(backward)[-1] == "loss.backward()"


def test_the_op_of_the_alert_last_looked_at_is_meant_where_none_is_named(say: Say) -> None:
    assert say("li") == say("li log@train.py:7")
    assert say("alerts 3", "li") == say("li backward/log@train.py:7")


def test_ni_says_how_often_an_op_ran_and_what_went_wrong(say: Say) -> None:
    text = say("ni mul@train.py:7")
    assert "executed 3 times" in text
    assert "alert 2: nan first appeared in mul (step 1)" in text


def test_ps_marks_the_line_to_blame(say: Say) -> None:
    assert " >     7 │     return -(target * torch.log(probs)).sum(dim=1).mean()" in say("ps")
    assert " >    17 │     return torch.sqrt(((a - b) ** 2).sum())" in say("ps train.py:17")
    assert "NL201" in say("ps train.py:17")


def test_step_lists_steps_and_the_ops_of_one(say: Say) -> None:
    assert lines(say("step"))[-1].split()[0] == "2"
    text = lines(say("step 1"))
    assert text[0].endswith("loss nan")
    assert text[1:4] == ["matmul@train.py:12", "softmax@train.py:6", "log@train.py:7"]
    assert text[-1] == "alert 3: nan first appeared in the gradient of log"


def test_verdicts_has_a_line_for_each_finding(say: Say) -> None:
    table = lines(say("verdicts"))
    assert table[1].startswith("confirmed")
    assert table[2].startswith("not reached")


def test_rank_chooses_whose_steps_are_shown(tmp_path: Path) -> None:
    for rank in range(2):
        watch = recorder(tmp_path / f"of{rank}", rank=rank)
        for step in range(rank + 1):
            watch.step(loss=float(step))
        if rank:
            watch.failed(ValueError("out of data"))
        watch.end()
    (events,) = (tmp_path / "of1").glob("events-*")
    events.rename(tmp_path / "of0" / "events-other.jsonl")
    say = said_of(run_of(read_run(str(tmp_path / "of0"))))
    assert lines(say("rank"))[2].endswith("ended with ValueError: out of data")
    assert len(lines(say("step"))) == 2
    assert len(lines(say("rank 2", "step"))) == 3


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("frobnicate", 'unknown command "frobnicate"; the commands are alerts, run, lt'),
        ("alerts 9", "there is no alert 9; the run has 4"),
        ("alerts x", '"x" is not the number of an alert'),
        ("lt -f huge", 'unknown filter "huge": has_inf_or_nan'),
        ("lt -n (", "/(/ is not a regular expression"),
        ("lt -q 1", "lt: unrecognized arguments: -q 1; help lt explains them"),
        ("lt -f", "expected one argument"),
        ("lt -s colour", "invalid choice: 'colour'"),
        ('lt -n "', "no closing quotation"),
        ("pt", "pt needs the name or the number of a tensor"),
        ("pt nothing", 'there is no tensor "nothing": lt lists them'),
        ("pt 99", "there is no tensor 99; the run has 9"),
        ("pt result", '"result" could be log@train.py:7/result'),
        ("pt mul@train.py:7/result[0, 0, 0]", "[0,0,0] has 3 indices, but the tensor has 2 axes"),
        ("pt mul@train.py:7/result[5]", "index 5 is out of range: axis 0 has 2 elements"),
        ("pt mul@train.py:7/result[a]", '"a" is not an index or a slice'),
        ("pt mul@train.py:7/result[::0]", '"::0" is not an index or a slice'),
        ("pt mul@train.py:7/result /(/", "/(/ is not a regular expression"),
        ("li nothing", 'there is no op "nothing"'),
        ("step 77", "step 77 was not recorded; the recorded steps are 0 to 2, and the nearest is 2"),
        ("ps nowhere", 'there is no file "nowhere"'),
        ("ps other.py:3", 'there is no file "other.py"'),
        ("help frobnicate", 'unknown command "frobnicate"'),
        ("rank 3", "there is no process 3; the run has 1"),
    ],
)
def test_a_mistake_is_told_in_a_line(say: Say, command: str, message: str) -> None:
    text = say(command)
    assert text.startswith("error: ")
    assert message in text
    assert len(lines(text)) == 1


def test_a_run_in_which_nothing_happened_can_be_asked_everything(tmp_path: Path) -> None:
    recorder(tmp_path / "run")
    say = said_of(run_of(read_run(str(tmp_path / "run"))))
    assert say("alerts") == "no alerts: no problem was seen\n"
    assert lines(say("lt")) == ["0 of 0 tensors"]
    assert "the run recorded no tensors" in say("pt x")
    assert "no steps of rank 0" in say("step")
    assert "no op is selected: name one" in say("li")
    assert "no op is selected: name one" in say("where")
    assert "no line given: expected FILE or FILE:LINE" in say("ps")
    assert "was killed or is still running" in say("rank")


def test_the_loop_reads_commands_until_quit_or_the_end_of_input(run: Run) -> None:
    for commands in ("step\nquit\nfrobnicate\n", "step\n"):
        out = io.StringIO()
        Terminal(run, out, io.StringIO(commands)).interact()
        assert "loss 0.61" in out.getvalue()
        assert "frobnicate" not in out.getvalue()


def test_a_class_that_occurs_has_a_cell_in_the_bar() -> None:
    text = bar(Health(nan=1, pos=10_000_000))
    assert text.plain == "++++++++++++?"
    assert bar(Health()).plain == ""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_at_a_terminal_names_are_completed_and_ctrl_c_forgets_the_line(kept: Path) -> None:
    import pty

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "200"}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "nanlint", "inspect", str(kept), "--terminal"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    try:
        assert "-inf first appeared in log" in heard(ours, "nanlint> ")
        os.write(ours, b"frobnicate")
        heard(ours, "frobnicate")
        process.send_signal(signal.SIGINT)
        while not select.select([ours], [], [], 1)[0]:
            # one that comes just before readline waits is heard with the next
            process.send_signal(signal.SIGINT)
        assert "error" not in heard(ours, "nanlint> ")
        os.write(ours, b"ni sof\t\n")
        heard(ours, "op softmax, numbers, forward", "nanlint> ")
        os.write(ours, b"\x04")
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def heard(terminal: int, *parts: str) -> str:
    """What is printed up to some texts, which must come one after the other."""
    text, at = "", 0
    for part in parts:
        while part not in text[at:]:
            assert select.select([terminal], [], [], 30)[0], f"{part!r} did not come, only {text!r}"
            text += os.read(terminal, 65536).decode(errors="replace")
        at = text.index(part, at) + len(part)
    return text
