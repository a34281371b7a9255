"""The callback for Lightning watches a training."""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.runtime.running import python

pytestmark = pytest.mark.skipif(find_spec("lightning") is None, reason="lightning is not installed")

PROGRAM = """
import warnings

warnings.simplefilter("ignore")
import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

import nanlint.lightning


class Model(lightning.LightningModule):
    def __init__(self, fails):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.fails = fails

    def training_step(self, batch, index):
        if self.fails and index == 2:
            raise RuntimeError("mine")
        (x,) = batch
        distance = torch.sqrt(((self.layer(x) - self.layer(x)) ** 2).sum())
        return distance + self.layer(x).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def train(directory, fails):
    verify = nanlint.lightning.Watch(watch="all", run_directory=directory)
    trainer = lightning.Trainer(
        max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        accelerator="cpu", callbacks=[verify],
    )
    try:
        trainer.fit(Model(fails), DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=1))
    except RuntimeError as error:
        print(error)
    print(verify.run.bad, verify.run.births[0].backward, verify.run.births[0].forward[0].text)
    print([str(one.state) for one in verify.run.findings])
    print(torch.sqrt(torch.zeros(1)).item())


train("whole", False)
train("broken", True)
"""


@pytest.mark.slow
def test_trainings_are_watched_and_told_of_whether_they_end_or_break(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    ran = python("train.py", cwd=tmp_path)
    whole, states, zero, *broken = ran.stdout.splitlines()
    assert whole.startswith("True True distance = torch.sqrt("), ran.stderr
    assert states == "['confirmed']"
    assert broken == ["mine", whole, states, zero]
    reports = ran.stderr.partition("The run is stored in whole")
    assert "train.py:" in reports[0]
    assert "train.py:" in reports[2].partition("The run is stored in broken")[0]
    assert "The run is stored in broken" in reports[2]
