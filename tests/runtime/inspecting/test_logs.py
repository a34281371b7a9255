"""Logs of trainings that are over, in the formats of those who write them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli

GROWS = [0.5 if t < 40 else 0.5 * 1.5 ** (t - 40) for t in range(80)] + [math.nan] * 5
WELL = [1 / (t + 1) for t in range(85)]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def inspected(name: str) -> Result:
    return CliRunner().invoke(cli, ["inspect", name])


def csv(values: Sequence[float]) -> str:
    return "epoch,step,loss,note\n" + "".join(f"{t // 10},{t},{v},\n" for t, v in enumerate(values))


def trainer(values: Sequence[float]) -> str:
    rows = [{"loss": v, "step": t, "epoch": t / 10} for t, v in enumerate(values)]
    return json.dumps({"global_step": len(rows), "log_history": rows})


def lines(values: Sequence[float]) -> str:
    """As Weights & Biases keeps a history; the last line was cut off."""
    rows = [{"loss": "NaN" if math.isnan(v) else v, "_step": t, "_runtime": t / 2} for t, v in enumerate(values)]
    return "".join(json.dumps(row) + "\n" for row in rows) + '{"lo'


WRITERS = {"metrics.csv": csv, "trainer_state.json": trainer, "wandb-history.jsonl": lines}


@pytest.mark.parametrize("name", WRITERS)
def test_growth_and_the_first_nan_are_told_with_the_findings_there(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(WRITERS[name](GROWS), encoding="utf-8")
    (tmp_path / "model.py").write_text("import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    told = inspected(name)
    assert told.exit_code == 0
    assert "loss: grew from step 3" in told.stdout or "loss: grew from step 4" in told.stdout
    assert "first nan at step 80, from then on" in told.stdout
    assert "model.py:5: NL101 [certain]" in told.stdout


@pytest.mark.parametrize("name", WRITERS)
def test_of_what_goes_well_nothing_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(WRITERS[name](WELL), encoding="utf-8")
    told = inspected(name)
    assert told.exit_code == 0
    assert told.stdout.splitlines()[1:] == ["  finite, without growth or jumps: loss"]


def test_events_are_read_by_tensorboard(tmp_path: Path) -> None:
    writer_of = pytest.importorskip("torch.utils.tensorboard", reason="TensorBoard is not installed")
    with writer_of.SummaryWriter(str(tmp_path)) as writer:
        for step, value in enumerate(GROWS):
            writer.add_scalar("loss", value, step)
    (path,) = tmp_path.glob("events.out.tfevents*")
    told = inspected(path.name)
    assert "first nan at step 80" in told.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no numbers in it"),
        (b"\xff\xfe\x00", "is no text"),
        (b'{"a": 1}\n{"b\n{"a": 2}\n', "line 2 is no JSON"),
        (b"words only\nand more\n", "no numbers in it"),
        (b"[1, 2", "line 1 is no JSON"),
    ],
)
def test_what_is_no_log_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "metrics.csv").write_bytes(content)
    told = inspected("metrics.csv")
    assert told.exit_code == 2
    assert "metrics.csv" in told.stderr
    assert said in told.stderr
    assert "Traceback" not in told.stderr
