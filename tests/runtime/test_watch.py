"""``nanlint.watch`` and the callbacks: the sentinel of a training in one line, and the step that it keeps."""

from __future__ import annotations

import json
import os
import re
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from nanlint.runtime.events import Alert, Birth, Step
from nanlint.runtime.runfile import read_run
from tests.frameworks import lazily
from tests.runtime.running import Ran, nanlint, python
from tests.sampling import sample

torch = lazily("torch")

pytestmark = pytest.mark.slow

#: a model that divides by the greatest element of a row; in one row of the data, all are 0
MODEL = """
import warnings

warnings.simplefilter("ignore")
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)  # or dropout leaves nothing of a row of four, once in ten thousand, and another step is the first


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.drop = torch.nn.Dropout(0.1)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        scaled = self.proj(x) / x.abs().amax(1, keepdim=True)  # broke
        return self.drop(self.norm(scaled))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(), Block())
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        given = self.head(self.blocks(x))
        return given if labels is None else {"loss": (given - labels).square().mean(), "logits": given}


def data(bad=26):
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    if bad is not None:
        x[bad] = 0
    return TensorDataset(x, x.sum(1, keepdim=True))
"""

LOOP = """
import nanlint
from model import *

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
watching = nanlint.watch(model, optimizer)
for epoch in range(2):
    for x, y in DataLoader(data(), batch_size=8):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(watching.run.directory, watching.bad, model.blocks[0].calls)
"""

GROWS = """
import nanlint
import torch

w = torch.nn.Parameter(torch.ones(8))
optimizer = torch.optim.SGD([w], lr=1.05)  # each step goes a little further past the least loss
model = torch.nn.Linear(1, 1)
watching = nanlint.watch(model, optimizer)
for step in range(600):
    loss = (w * w).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        break
"""


def in_directory(directory: Path, program: str) -> Ran:
    (directory / "model.py").write_text(textwrap.dedent(MODEL).lstrip())
    (directory / "train.py").write_text(textwrap.dedent(program).lstrip())
    return python("train.py", cwd=directory)


def line_of(mark: str) -> int:
    return next(i for i, text in enumerate(MODEL.lstrip().splitlines(), 1) if f"# {mark}" in text)


def bad_step(directory: str) -> Alert:
    return next(e for _, e in read_run(directory) if isinstance(e, Alert) and e.alert == "non-finite")


def test_the_first_bad_step_is_told_at_once_in_the_words_of_the_program(tmp_path: Path) -> None:
    ran = in_directory(tmp_path, LOOP)
    directory, bad, calls = ran.stdout.split()
    assert (bad, calls) == ("True", "16"), ran.stderr  # it leaves no trace in the model that it ran once more
    first, *_ = ran.stderr.splitlines()
    assert first.startswith("nanlint: step 3, epoch 0, batch 3: ")
    assert "the loss is nan, the gradient norm is nan" in first
    assert "first not finite: in blocks.0, before blocks.0.norm, in row 2 of 8;" in first
    assert "the gradient of blocks.0.proj.weight" in first
    assert f"to find the line: nanlint replay {os.path.relpath(directory, tmp_path)}" in ran.stderr
    assert re.search(
        rf"model.py:{line_of('broke')}:18 NL301 confirmed \(\S+.* in blocks.0 at step 3, epoch 0, batch 3", ran.stderr
    )
    alert = bad_step(directory)
    assert (alert.step, alert.where.epoch, alert.where.batch, alert.where.module) == (3, 0, 3, "blocks.0")
    assert alert.details["rows"] == [2]


def test_who_asks_is_called_at_the_first_bad_step(tmp_path: Path) -> None:
    program = LOOP.replace(
        "(model, optimizer)\n", "(model, optimizer, on_bad=lambda run: print(run.steps), quiet=True)\n"
    )
    assert in_directory(tmp_path, program).stdout.splitlines()[0] == "3"


def test_what_it_raises_ends_the_training(tmp_path: Path) -> None:
    program = LOOP.replace("(model, optimizer)\n", "(model, optimizer, on_bad=lambda run: 1 / 0, quiet=True)\n")
    ran = in_directory(tmp_path, program)
    assert ran.code == 1
    assert "ZeroDivisionError" in ran.stderr
    assert re.search(r"NonFinite: \S+: the loss is nan", ran.stderr)
    assert not ran.stdout


def test_growth_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(GROWS).lstrip())
    ran = python("train.py", cwd=tmp_path)
    first, *_ = ran.stderr.splitlines()
    assert re.match(r"nanlint: step \d+: the (loss|gradient norm) has grown since step \d+: from", first)
    assert "the loss is inf" in ran.stderr


def test_the_step_is_in_one_file(tmp_path: Path) -> None:
    directory = in_directory(tmp_path, LOOP).stdout.split()[0]
    step = torch.load(os.path.join(directory, "step-3.pt"), weights_only=True)
    assert (step["step"], step["epoch"]) == (3, 0)
    x, _ = step["batch"]
    assert x.shape == (8, 4)
    assert x[2].tolist() == [0] * 4
    assert torch.equal(step["args"][0], x)
    assert all(torch.isfinite(step["model"][name]).all() for name in ("head.weight", "blocks.0.proj.weight"))
    assert step["optimizer"]["state"][0]["step"] == 3
    assert "torch" in step["random"]


def test_the_step_is_repeated_from_its_file_without_those_before_it(tmp_path: Path) -> None:
    directory = in_directory(tmp_path, LOOP).stdout.split()[0]
    ran = nanlint("replay", directory, "--run-dir", "again", "--output-format", "json", "-o", "r.json", cwd=tmp_path)
    assert ran.code == 1, ran.stderr
    events = [event for _, event in read_run(str(tmp_path / "again"))]
    assert [event.number for event in events if isinstance(event, Step)] == [3]
    assert not [e for e in events if isinstance(e, Alert) and e.alert in ("internal", "not-repeated")]
    birth = next(event for event in events if isinstance(event, Birth))
    assert (birth.step, birth.where.module, birth.frames[0].line) == (3, "blocks.0", line_of("broke"))
    (first, *_) = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert first["verdict"]["where"] == {"epoch": 0, "module": "blocks.0"}


def test_a_training_that_goes_well_is_as_without_the_watch(tmp_path: Path) -> None:
    program = """
    import hashlib, sys
    import nanlint
    from model import *

    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    if sys.argv[1:]:
        with nanlint.watch(model, optimizer, quiet=True) as watching:
            pass
        watching = nanlint.watch(model, optimizer)
    for x, y in DataLoader(data(None), batch_size=8, shuffle=True):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if sys.argv[1:]:
        watching.end()
        assert not watching.bad
    weights = b"".join(tensor.numpy().tobytes() for tensor in model.state_dict().values())
    print(hashlib.sha256(weights).hexdigest(), torch.rand(1).item())
    """
    plain = in_directory(tmp_path, program)
    watched = python("train.py", "watched", cwd=tmp_path)
    assert (watched.stdout, watched.stderr) == (plain.stdout, "")


WRITER = """
import nanlint
from model import *

class Writer:
    def __getattr__(self, name):
        return lambda *args: print(name, *args)

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
with nanlint.watch(model, optimizer, writer=Writer(), quiet=True):
    for x, y in DataLoader(data(), batch_size=16):
        (model(x) - y).square().mean().backward()
        optimizer.step()
"""


def test_a_writer_of_tensorboard_gets_the_event(tmp_path: Path) -> None:
    ran = in_directory(tmp_path, WRITER)
    assert "add_text nanlint " in ran.stdout, ran.stderr
    assert "first not finite: in blocks.0" in ran.stdout
    assert "add_scalar nanlint/non_finite 1 1\n" in ran.stdout
    assert ran.stderr == ""


@pytest.mark.skipif(find_spec("tensorboard") is None, reason="TensorBoard is not installed")
def test_tensorboards_own_writer_keeps_the_event(tmp_path: Path) -> None:
    # closed, or what its thread has not written when the program ends is lost
    program = WRITER.replace("writer=Writer()", "writer=writer") + "writer.close()\n"
    program = program.replace("import *\n", "import *\nfrom torch.utils.tensorboard import SummaryWriter\n")
    program = program.replace("model = Net()\n", "model, writer = Net(), SummaryWriter('logs')\n")
    ran = in_directory(tmp_path, program)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (run,) = (tmp_path / ".nanlint" / "runs").iterdir()
    alerts = [event for _, event in read_run(str(run)) if isinstance(event, Alert)]
    steps = [one.step for one in alerts if one.alert == "non-finite"]
    assert steps, (alerts, ran.stderr)
    found = EventAccumulator(str(tmp_path / "logs")).Reload()
    assert [one.step for one in found.Scalars("nanlint/non_finite")] == steps, (alerts, ran.stderr)
    text = found.Tensors("nanlint/text_summary")[0].tensor_proto.string_val[0].decode()
    assert "first not finite: in blocks.0" in text


def test_what_is_no_model_of_pytorch_is_refused() -> None:
    import nanlint as library

    with pytest.raises(TypeError, match=r"takes a torch\.nn\.Module, not list; for Keras there is nanlint\.keras"):
        library.watch([], None)  # type: ignore[arg-type]


LIGHTNING = """
import lightning
import nanlint.lightning
from model import *


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def training_step(self, batch, index):
        x, y = batch
        return self.net(x, y)["loss"]

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


watch = nanlint.lightning.Watch()
trainer = lightning.Trainer(
    max_epochs=2, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    accelerator="cpu", callbacks=[watch], num_sanity_val_steps=1, limit_val_batches=1,
)
trainer.fit(Module(), DataLoader(data(), batch_size=8), DataLoader(data(None), batch_size=8))
print(watch.run.directory)
"""

TRAINER = """
import nanlint.transformers
from model import *
from transformers import Trainer, TrainingArguments

rows = [{"x": x, "labels": y} for x, y in data()]
asked = TrainingArguments(
    "out", num_train_epochs=2, per_device_train_batch_size=8, report_to=[], use_cpu=True, save_strategy="no",
    disable_tqdm=True, logging_strategy="no",
)
watch = nanlint.transformers.Watch()


class InOrder(Trainer):
    def _get_train_sampler(self, *_):
        return torch.utils.data.SequentialSampler(self.train_dataset)


InOrder(Net(), asked, train_dataset=rows, callbacks=[watch]).train()
print(watch.run.directory)
"""

ACCELERATE = """
import nanlint
from accelerate import Accelerator
from model import *

accelerator = Accelerator(cpu=True)
model = Net()
model, optimizer, loader = accelerator.prepare(
    model, torch.optim.Adam(model.parameters(), lr=1e-3), DataLoader(data(), batch_size=8)
)
watching = nanlint.watch(model, optimizer)
for epoch in range(2):
    for x, y in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(x, y)["loss"])
            optimizer.step()
            optimizer.zero_grad()
print(watching.run.directory)
"""


@pytest.mark.parametrize(
    ("program", "package", "prefix"),
    sample(
        [
            pytest.param(LIGHTNING, "lightning", "net.", id="lightning"),
            pytest.param(TRAINER, "transformers", "", id="trainer"),
            pytest.param(ACCELERATE, "accelerate", "", id="accelerate"),
        ],
        3,
        "trainers",
    ),
)
def test_trainers_are_watched_by_their_callbacks_and_their_bad_step_is_repeated(
    program: str, package: str, prefix: str, tmp_path: Path
) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    ran = in_directory(tmp_path, program)
    assert ran.code == 0, ran.stderr
    directory = ran.stdout.splitlines()[-1]
    told = next(line for line in ran.stderr.splitlines() if line.startswith("nanlint: "))
    assert told.startswith("nanlint: step 3, epoch 0, batch 3: "), told
    assert f"first not finite: in {prefix}blocks.0, before {prefix}blocks.0.norm, in row 2 of 8" in told
    assert f"the gradient of {prefix}blocks.0.proj.weight" in told
    assert f"model.py:{line_of('broke')}:18 NL301 confirmed (" in ran.stderr
    again = nanlint("replay", directory, "--run-dir", "again", cwd=tmp_path)
    assert again.code == 1, again.stderr
    events = [event for _, event in read_run(str(tmp_path / "again"))]
    assert [event.number for event in events if isinstance(event, Step)] == [3], again.stderr
    birth = next(event for event in events if isinstance(event, Birth))
    assert (birth.step, birth.frames[0].line) == (3, line_of("broke"))


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in (
    "import torch, nanlint",
    "def unit(x):\\n    return x / x.norm()  # <b>",
    "with nanlint.verify(run_directory='run') as run:\\n    unit(torch.zeros(3))",
    "print(run.report(), run._repr_html_())",
):
    shell.run_cell(cell, store_history=True)
"""


@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is not installed")
def test_in_a_notebook_places_are_cells_and_a_run_is_a_table(tmp_path: Path) -> None:
    told = in_directory(tmp_path, NOTEBOOK).stdout
    assert "cell 2, line 2 origin (nan at step 0): in div\n" in told
    assert "    at cell 3, line 2: unit(torch.zeros(3))\n" in told
    cells = "<td>step 0</td><td></td><td>cell 2, line 2</td><td><code>return x / x.norm()  # &lt;b&gt;</code></td>"
    assert f"<tr>{cells}<td>nan in div</td></tr></table>" in told


def test_a_step_counts_whatever_cannot_be_kept_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nanlint.runtime.library import verify
    from nanlint.runtime.replaying import RandomStates

    def fails(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(RandomStates, "written", fails)
    model = torch.nn.Linear(2, 1)
    with verify(watch="sentinel", run_directory=str(tmp_path / "run")) as run:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            model(torch.ones(4, 2)).sum().backward()
            optimizer.step()
        assert run.steps == 3
