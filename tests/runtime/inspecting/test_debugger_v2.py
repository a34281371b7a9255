"""Dumps of TensorFlow's Debugger V2, made and read by TensorFlow."""

from __future__ import annotations

import importlib.util
import io
import shutil
from pathlib import Path

import pytest

from nanlint.runtime.inspecting.debugger_v2 import read_dump
from nanlint.runtime.inspecting.model import Incident, Run
from nanlint.runtime.inspecting.page import as_data
from nanlint.runtime.inspecting.terminal import Terminal
from nanlint.runtime.runfile import RunError
from tests.runtime.running import python

PROGRAM = Path(__file__).with_name("dumping.py")

needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="tensorflow is not installed"
)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a dump in each mode."""
    directory = tmp_path_factory.mktemp("dumps")
    done = python(str(PROGRAM), str(directory), cwd=directory)
    assert done.code == 0, done.stderr
    return directory


def line(text: str) -> int:
    """The line of the dumped program that holds a text."""
    return next(i for i, one in enumerate(PROGRAM.read_text().splitlines(), 1) if text in one)


def titles(run: Run) -> list[str]:
    return [incident.title for incident in run.incidents]


def first(run: Run) -> Incident:
    assert run.first_bad is not None
    return run.incidents[run.first_bad]


def say(run: Run, command: str) -> str:
    out = io.StringIO()
    Terminal(run, out).perform(command)
    return out.getvalue()


@needs_tensorflow
@pytest.mark.parametrize(
    ("mode", "born"), [("full", "-inf"), ("concise", "-inf"), ("tensor", "-inf"), ("curt", "nan or inf")]
)
def test_the_first_bad_tensor_has_its_op_inputs_stack_and_line(dumps: Path, mode: str, born: str) -> None:
    run = read_dump(str(dumps / mode))
    birth = first(run)
    assert birth.title == f"{born} first appeared in Log"
    assert birth.step == 5
    assert birth.blamed is not None
    assert birth.blamed.path == str(PROGRAM)
    assert birth.blamed.line == line("tf.math.log(probs)")
    assert [frame.function for frame in birth.frames] == ["step", "run", "<module>"]
    (given,) = birth.inputs
    source = run.tensors[given].source
    assert source is not None
    assert run.nodes[source].op == "Softmax"
    assert run.tensors[birth.outputs[0]].bad
    assert not run.tensors[given].bad


@needs_tensorflow
def test_full_health_has_six_way_counts(dumps: Path) -> None:
    run = read_dump(str(dumps / "full"))
    birth = first(run)
    assert run.tensors[birth.inputs[0]].breakdown == "2 zero, 2 positive"
    assert run.tensors[birth.outputs[0]].breakdown == "2 -inf, 2 zero"
    assert run.tensors[birth.outputs[0]].typed == "float32 rank 2, 4 elements"


@needs_tensorflow
def test_births_are_told_from_what_they_spread_to(dumps: Path) -> None:
    assert titles(read_dump(str(dumps / "full"))) == [
        "-inf first appeared in Log",
        "nan first appeared in Mul",
        "+inf first appeared in the gradient: Mul",
        "+inf first appeared in the gradient: Reciprocal",
        "nan and -inf first appeared in the gradient: Mul",
        "nan first appeared in RealDiv",
    ]


@needs_tensorflow
def test_a_gradient_has_the_forward_line_and_the_line_that_asked_for_it(dumps: Path) -> None:
    run = read_dump(str(dumps / "full"))
    birth = next(one for one in run.incidents if "Reciprocal" in one.title)
    assert birth.backward
    assert birth.forward[0].line == line("tf.math.log(probs)")
    assert birth.frames[0].line == line("tape.gradient")


@needs_tensorflow
def test_an_eager_birth_has_its_inputs(dumps: Path) -> None:
    birth = read_dump(str(dumps / "full")).incidents[-1]
    assert birth.blamed is not None
    assert birth.blamed.line == line("zeros / zeros")
    assert len(birth.inputs) == 2
    assert birth.compiled == ""


@needs_tensorflow
def test_the_linter_tells_the_fix_for_the_line_of_the_birth(dumps: Path) -> None:
    run = read_dump(str(dumps / "full"))
    finding = run.findings[first(run).finding or 0]
    assert (finding.diagnostic.code, finding.verdict) == ("NL101", "confirmed")
    assert "+            loss = -tf.reduce_sum(y * tf.nn.log_softmax(logits))" in finding.diff


@needs_tensorflow
def test_curt_health_says_that_it_has_neither_kinds_nor_counts(dumps: Path) -> None:
    run = read_dump(str(dumps / "curt"))
    assert any(note.startswith("CURT_HEALTH shows that a tensor has a nan or inf, but not which") for note in run.notes)
    assert run.tensors[first(run).outputs[0]].breakdown == "nan or inf"
    assert "Log:0" in say(run, "lt -f has_inf_or_nan")
    assert "Softmax:0" not in say(run, "lt -f has_inf_or_nan")


@needs_tensorflow
def test_concise_health_does_not_pretend_to_know_zeros(dumps: Path) -> None:
    run = read_dump(str(dumps / "concise"))
    seen = run.tensors[first(run).outputs[0]]
    assert (seen.breakdown, seen.finite) == ("2 -inf, 2 finite", 2)


@needs_tensorflow
@pytest.mark.parametrize(("mode", "name"), [("none", "NO_TENSOR"), ("shape", "SHAPE")])
def test_a_mode_without_values_is_explained(dumps: Path, mode: str, name: str) -> None:
    run = read_dump(str(dumps / mode))
    assert run.incidents == ()
    (note,) = run.notes
    assert note.startswith(f"this dump was made with {name}: it contains ")
    assert 'dump again with tensor_debug_mode="FULL_HEALTH"' in note
    assert len(run.members[0].steps) == 13


@needs_tensorflow
def test_full_tensor_keeps_the_elements(dumps: Path) -> None:
    run = read_dump(str(dumps / "tensor"))
    seen = run.tensors[first(run).outputs[0]]
    assert seen.typed == "float32 2×2"
    assert seen.values == ("-inf", "0.0", "-inf", "0.0")


@needs_tensorflow
def test_a_circular_buffer_that_lost_the_origin_is_said(dumps: Path) -> None:
    ring, whole = read_dump(str(dumps / "ring")), read_dump(str(dumps / "full"))
    assert "Log" not in first(ring).title
    (note,) = ring.notes
    assert note.startswith("the circular buffer of the dump no longer has the first executions")
    assert "may not be the origin" in note
    assert whole.notes == ()


@needs_tensorflow
def test_the_graph_and_the_timeline_are_those_of_the_program(dumps: Path) -> None:
    run = read_dump(str(dumps / "full"))
    log = next(i for i, node in enumerate(run.nodes) if node.name == "Log")
    assert [run.nodes[i].name for i in run.producers(log)] == ["Softmax"]
    assert {run.nodes[i].name for i in run.consumers(log)} == {"mul", "gradient_tape/mul/Mul"}
    step = run.members[0].steps[5]
    ops = [run.nodes[run.members[0].nodes[op]].op for op in run.members[0].traces[step.trace or 0]]
    assert ops[:4] == ["ReadVariableOp", "MatMul", "Softmax", "Log"]
    assert ops[-1] == "step()"


@needs_tensorflow
def test_a_dump_that_was_cut_off_is_read_as_far_as_it_goes(dumps: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(dumps / "full", tmp_path / "cut"))
    (path,) = copy.glob("*.graph_execution_traces")
    path.write_bytes(path.read_bytes()[:-7])
    run = read_dump(str(copy))
    assert titles(run)[0] == "-inf first appeared in Log"
    assert any("graph_execution_traces is damaged (after " in note for note in run.notes)
    path.unlink()
    assert any("graph_execution_traces could not be read: " in note for note in read_dump(str(copy)).notes)


@needs_tensorflow
def test_damage_inside_of_an_event_leaves_out_the_rest(dumps: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(dumps / "full", tmp_path / "hurt"))
    (path,) = copy.glob("*.graph_execution_traces")
    content = path.read_bytes()
    at = content.rindex(b"gradient_tape/Neg")
    path.write_bytes(content[: at - 1] + b"\xff" + content[at:])
    run = read_dump(str(copy))
    assert titles(run)[0] == "-inf first appeared in Log"
    assert any("graph_execution_traces is damaged" in note for note in as_data(run)["notes"])  # type: ignore[attr-defined]


def test_without_tensorflow_it_is_said_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "tfdbg_events.1.vm.metadata").write_bytes(b"")
    hidden = "import sys; sys.modules['tensorflow'] = None; from nanlint.start import main; sys.exit(main())"
    done = python("-c", hidden, "inspect", "--tfdbg", str(tmp_path), cwd=tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path}: a dump of Debugger V2 is read with TensorFlow")
    assert done.stderr.endswith("pip install tensorflow\n")


@needs_tensorflow
def test_the_terminal_shows_a_dump_as_any_run(dumps: Path) -> None:
    run = read_dump(str(dumps / "full"))
    assert "from Softmax: probs = tf.nn.softmax(logits)" in say(run, "li")
    assert f"line {line('tf.math.log(probs)')}, in step" in say(run, "where")
    assert "2 -inf, 2 zero" in say(run, "pt Log:0")
    assert f" > {line('tf.math.log(probs)'):>5} │" in say(run, "ps")


@needs_tensorflow
def test_what_is_no_dump_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such directory"):
        read_dump(str(tmp_path / "nowhere"))
    with pytest.raises(RunError, match="contains no dump of TensorFlow's Debugger V2"):
        read_dump(str(tmp_path))
    (tmp_path / "tfdbg_events.1.vm.metadata").write_bytes(b"no record")
    with pytest.raises(RunError, match="metadata cannot be read"):
        read_dump(str(tmp_path))
