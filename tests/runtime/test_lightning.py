"""The callback for Lightning watches a training."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.runtime.running import python

pytest.importorskip("lightning")

PROGRAM = """
import sys
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


verify = nanlint.lightning.Verify(run_directory="run")
trainer = lightning.Trainer(
    max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    accelerator="cpu", callbacks=[verify],
)
try:
    trainer.fit(Model(len(sys.argv) > 1), DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=1))
except RuntimeError as error:
    print(error)
print(verify.run.bad, verify.run.births[0].backward, verify.run.births[0].forward[0].text)
print(torch.sqrt(torch.zeros(1)).item())
"""


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("fail",)])
def test_a_training_is_watched_and_told_of(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    ran = python("train.py", *arguments, cwd=tmp_path)
    lines = ran.stdout.splitlines()
    assert lines[:-2] == (["mine"] if arguments else []), ran.stderr
    assert lines[-2].startswith("True True distance = torch.sqrt(")
    assert "train.py:" in ran.stderr
    assert "The run is kept in run" in ran.stderr
