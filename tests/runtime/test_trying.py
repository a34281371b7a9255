"""``nanlint try``: functions are called, inputs that fail are shown, and nothing is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from nanlint.runtime.trying import trying
from nanlint.testing import blocks
from tests.runtime.running import nanlint

GUIDE = Path(__file__).parents[2] / "docs" / "try.md"

MISBEHAVING = """\
import os
import socket
import subprocess
import sys
import time

import numpy as np


def deletes(x):
    os.remove(VICTIM)
    return 1 / x.sum()


def forks(x):
    if os.fork() == 0:
        os._exit(0)
    return 1 / x.sum()


def exits(x):
    y = 1 / x.sum()
    os._exit(0)


def leaves(x):
    y = 1 / x.sum()
    sys.exit(3)


def sleeps(x):
    time.sleep(1000)
    return 1 / x.sum()


def writes(x):
    open(VICTIM + ".new", "w").close()
    return 1 / x.sum()


def connects(x):
    socket.create_connection(("127.0.0.1", 9))
    return 1 / x.sum()


def starts(x):
    subprocess.run(["touch", VICTIM + ".touched"])
    return 1 / x.sum()


def takes_too_much(x):
    kept = [np.ones(1 << 27) for _ in range(8)]
    return 1 / x.sum()


def prints(x):
    print("x" * 10_000_000)
    return 1 / x.sum()
"""


def tried(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["try", *arguments])


def verdicts(path: Path, *arguments: str) -> dict[str, dict[str, object]]:
    done = tried(str(path), "--output-format", "json", *arguments)
    return {one["function"]: one for one in json.loads(done.stdout)}


def test_the_guide_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (program,), (printed,) = (blocks(GUIDE.read_text(), language) for language in ("python", "text"))
    Path("losses.py").write_text(program)
    done = tried("losses.py")
    assert done.stdout == printed
    assert done.exit_code == 1


def test_a_written_test_fails_until_the_function_is_mended(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path, test = tmp_path / "losses.py", tmp_path / "test_losses.py"
    bad = (
        "import torch\n\n\nclass Loss:\n    def __init__(self, scale):\n        self.scale = scale\n\n"
        "    def distance(self, a, b):\n        return torch.sqrt(self.scale * ((a - b) ** 2).sum(-1))\n\n\n"
        "def parts(p):\n    return torch.log(p), p\n"
    )
    path.write_text(bad)
    assert tried(str(path), "--write-test", str(test)).exit_code == 1

    def outcome() -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout.splitlines()[-1]

    assert "2 failed" in outcome()
    path.write_text(
        bad.replace("* ((a - b) ** 2).sum(-1)", "* ((a - b) ** 2).sum(-1) + 1e-6").replace("log(p)", "exp(p)")
    )
    assert "2 passed" in outcome()


@pytest.mark.parametrize("framework", ["jax", "tensorflow"])
def test_gradients_are_taken(tmp_path: Path, framework: str) -> None:
    pytest.importorskip(framework)
    path = tmp_path / "norms.py"
    path.write_text(
        {
            "jax": "import jax.numpy as jnp\n\n\ndef norm(x):\n    return jnp.sqrt(jnp.sum(x**2))\n",
            "tensorflow": "import tensorflow as tf\n\n\ndef norm(x):\n    return tf.sqrt(tf.reduce_sum(x**2))\n",
        }[framework]
    )
    (found,) = verdicts(path).values()
    assert (found["verdict"], found["role"]) == ("fails", "gradient of x") or str(found["role"]).startswith(
        "gradient of"
    )


def test_what_is_guarded_stays_finite(tmp_path: Path) -> None:
    path = tmp_path / "guarded.py"
    path.write_text(
        "import numpy as np\n\n\ndef share(x):\n"
        "    if {*np.sign(x).ravel().tolist()} != {1.0} or max(x.ravel().tolist()) > 1e9:\n"
        "        raise ValueError('positive numbers only')\n    return x / x.sum()\n"
    )
    found = verdicts(path, "--seconds", "2")
    assert [(name, one["verdict"]) for name, one in found.items()] == [("share", "stays finite")]


def test_nothing_is_left_of_what_misbehaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "CALL", 3.0)
    victim, path = tmp_path / "victim", tmp_path / "evil.py"
    victim.touch()
    path.write_text(MISBEHAVING.replace("import numpy as np\n", f"import numpy as np\n\nVICTIM = {str(victim)!r}\n"))
    before = {*tmp_path.iterdir()}
    found = verdicts(path, "--seconds", "4")
    reasons = {name: str(one["reason"]) for name, one in found.items()}
    assert reasons["deletes"] == f"not let: os.remove {victim}"
    assert reasons["forks"] == "not let: os.fork"
    assert reasons["exits"] == "it ended the process (exit code 0)"
    assert reasons["writes"] == f"not let: open {victim}.new for writing"
    assert reasons["starts"] == "not let: subprocess.Popen"
    assert reasons["connects"].startswith("not let: socket.")
    assert reasons["sleeps"].startswith("did not come back within")
    assert reasons["takes_too_much"].startswith(("took more than", "did not come back within"))
    assert found["leaves"]["verdict"] == found["prints"]["verdict"] == "fails"
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import torch\n\ntorch.manual_seed(0)\n", "2.py:3: importing it does more than define things"),
        (
            "import torch\n\n\ndef f():\n    return 1\n\n\nX = f()\n",
            "2.py:8: importing it does more than define things",
        ),
        ("def f(:\n", "2.py"),
    ],
)
def test_what_cannot_be_tried_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "2.py"
    path.write_text(text)
    done = tried(str(path))
    assert done.exit_code == 2
    assert why in done.stderr


def test_a_file_whose_import_fails_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import numpy as np\nimport missing_package\n\n\ndef f(x):\n    return x / x.sum()\n")
    done = tried(str(path))
    assert done.exit_code == 2
    assert "could not be imported: ModuleNotFoundError" in done.stderr
    assert "has no function g" in tried(f"{path}:g").stderr


def test_what_a_run_kept_is_tried_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("scores.py").write_text(
        "import torch\n\n\nclass Scores:\n    def __init__(self, scale=2.0):\n        self.scale = scale\n\n"
        "    def share(self, tables, items, k, chosen=None):\n        if tables['x'].shape[1] != 5 or k != 7:\n"
        "            raise ValueError(k)\n        return items[0] / items[1].sum(-1, keepdim=True)\n"
    )
    Path("train.py").write_text(
        "import torch\n\nfrom scores import Scores\n\nx = torch.rand(8, 5) + 0.1\n"
        "print(Scores().share({'x': x}, [x, x], 7, chosen=open).shape)\n"
    )
    alone = tried("scores.py", "--seconds", "1")
    assert (alone.exit_code, "could not be tried: Scores.share" in alone.stdout) == (2, True)
    asked = ("--keep-inputs", "--confidence", "possible", "--run-dir", "run")
    done = nanlint("verify", *asked, "--", "train.py", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert Path(".nanlint", "inputs").stat().st_mode & 0o777 == 0o700
    assert Path(".nanlint", "inputs", ".gitignore").read_text() == "*\n"
    found = verdicts(Path("scores.py"))["Scores.share"]
    assert found["verdict"] == "fails"
    assert {one["name"]: one["change"] for one in found["inputs"]} == {
        "self": "",
        "tables": "",
        "items": "with its arrays set to 0",
        "k": "",
    }


TRAINER = """
import torch


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin, self.register = torch.nn.Linear(width, 2), print
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return self.lin(x)


class Trainer:
    def __init__(self, net, limit):
        self.net, self.limit, self.means = net, limit, torch.ones(2)

    def loss(self, x, labels):
        if x.shape[1] != 5 or self.limit != 7 or labels.max() > 1:
            raise ValueError(x.shape)
        return torch.log(self.net(x).square() * self.means).gather(1, labels)
"""


def test_objects_of_a_run_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    mended = TRAINER.replace("torch.log(self", "(self").replace("* self.means)", "* self.means + 1)")
    Path("trainer.py").write_text(mended.lstrip())
    Path("train.py").write_text(
        "import torch\n\nfrom trainer import Net, Trainer\n\ntorch.manual_seed(0)\n"
        "print(Trainer(Net(5), 7).loss(torch.rand(8, 5), torch.zeros(8, 1, dtype=torch.long)).sum())\n"
    )
    done = nanlint("verify", "--keep-inputs", "--run-dir", "run", "--", "train.py", cwd=tmp_path)
    assert done.code == 0, done.stderr
    kept = {path.name.rpartition("-")[0].rpartition("-")[0] for path in Path(".nanlint", "inputs").glob("*.npz")}
    assert kept == {"Net.__init__", "Net.forward", "Trainer.__init__", "Trainer.loss"}, "also without findings"
    Path("trainer.py").write_text(TRAINER.lstrip())
    found = verdicts(Path("trainer.py"))["Trainer.loss"]
    assert found["verdict"] == "fails"
    changed = {one["name"]: one["change"] for one in found["inputs"] if one["change"]}
    assert changed in ({"x": "set to 0"}, {"self.means": "set to 0"}, {"self": "with its weights set to 0"}), changed
    (seen,) = [one["value"] for one in found["inputs"] if one["name"] == "self"]
    assert seen in ("Trainer, as in the run", "Trainer, as in the run when it was made")
    assert tried("trainer.py", "--write-test", "test_it.py").exit_code == 1
    assert not Path("test_it.py").exists(), "what needs an object of a run cannot be written out"


def test_a_class_that_has_changed_since_the_run_is_made_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    bad = (
        "import torch\n\n\nclass Share:\n    def __init__(self, least):\n        self.least = 0.0 * least\n\n"
        "    def of(self, x):\n        if x.ndim != 3:\n            raise ValueError(x)\n"
        "        return x / (x.abs().sum(-1, keepdim=True) + self.least)\n"
    )
    Path("shares.py").write_text(bad.replace("0.0 * least", "least"))
    Path("train.py").write_text("import torch\nfrom shares import Share\n\nShare(0.5).of(torch.rand(4, 3, 2))\n")
    assert nanlint("verify", "--keep-inputs", "--run-dir", "run", "--", "train.py", cwd=tmp_path).code == 0
    Path("shares.py").write_text(bad)
    found = verdicts(Path("shares.py"))["Share.of"]
    assert found["verdict"] == "fails"
    assert {"name": "self", "value": "Share, as in the run when it was made", "change": ""} in found["inputs"]


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        ([3, 4], {"empty", "with one item", "with its first item set to 0"}),
        ((3.0, 4.0), {"empty", "with one item", "with its first item set to 0"}),
        (0.5, {"set to 0", "set to 1", "set to -1", "set to 1e-06", "set to 1e+06"}),
    ],
)
def test_lists_and_numbers_have_corners(value: object, changes: set[str]) -> None:
    from nanlint.runtime.trying.corners import Input, corners

    found = {one.change: one.value for one in corners(Input("x", value))}
    assert changes <= found.keys()
    assert all(type(one) is type(value) for one in found.values())


def test_labels_have_corners() -> None:
    np = pytest.importorskip("numpy")
    from nanlint.runtime.trying.corners import Input, corners

    found = {one.change: one.value.tolist() for one in corners(Input("labels", np.array([2, -100, 2])))}
    assert found["set to its least element"] == [-100, -100, -100]
    assert found["with no two alike"] == [0, 1, 2]
