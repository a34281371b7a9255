"""Twenty trainings with a bad step somewhere: is it named, and does `nanlint replay` show it or say that it could not?

    python benchmarks/verify_replayed.py [--runs N]

The data come from a loader, are sliced by hand, or are drawn anew in each step; the step is drawn, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nanlint.runtime.replaying import bad_steps
from nanlint.runtime.runfile import read_run
from tests.runtime.running import nanlint

HEAD = """
import torch, nanlint
torch.manual_seed({seed})
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.001)
inputs, labels = torch.randn(4 * {steps}, 4), torch.rand(4 * {steps}, 1) + 1
labels[4 * {bad} + 1] = 0
watching = nanlint.watch(model, optimizer, run_directory="run", quiet=True)
def train(x, y):
    loss = ((model(x) - y).abs() / y).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LOOPS = {
    "loader": "for x, y in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, labels), batch_size=4):\n"
    "    train(x, y)\n",
    "slices": "for i in range(0, 4 * {steps}, 4):\n    train(inputs[i : i + 4], labels[i : i + 4])\n",
    "drawn": "for i in range({steps}):\n    x, y = torch.randn(4, 4), torch.rand(4, 1) + 1\n"
    "    train(x, y * (0 if i == {bad} else 1))\n",
}


def outcome(how: str, seed: int) -> str:
    """What became of one run: whether the step is right, and what its repetition said."""
    steps = random.Random(seed).randrange(5, 60)
    bad = random.Random(seed + 1).randrange(steps)
    given = {"seed": seed, "steps": steps, "bad": bad, "optimizer": ("Adam", "SGD")[seed % 2]}
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        (where / "train.py").write_text((HEAD + LOOPS[how]).format(**given), "utf-8")
        nanlint("verify", "--watch", "sentinel", "--run-dir", "run", "--", "train.py", cwd=where)
        named = min(bad_steps(read_run(str(where / "run"))), default=None)
        if named != bad:
            return f"WRONG: step {bad} is called {named}"
        first = nanlint("replay", "run", "--run-dir", "first", cwd=where)
        if first.code == 1:
            return "shown" if f"step {bad}" in first.stderr else "WRONG: another step is shown"
        again = nanlint("replay", "run", "--from-start", "--run-dir", "again", cwd=where)
        shown = again.code == 1 and f"step {bad}" in again.stderr
        return f"{'not repeated' if first.code == 2 else 'WRONG'}, {'shown' if shown else 'WRONG'} from the start"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    counts: dict[str, int] = {}
    for seed in range(parser.parse_args().runs):
        how = list(LOOPS)[seed % len(LOOPS)]
        said = f"{how}: {outcome(how, seed)}"
        counts[said] = counts.get(said, 0) + 1
        print(seed, said, flush=True)
    print(counts)
