"""What a program prints, writes, saves and keeps: one of each kind of the benchmark's programs, and its right twin."""

from __future__ import annotations

import os
import signal
import textwrap
from pathlib import Path

import pytest

from nanlint.runtime.events import Step
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.runfile import read_run
from nanlint.runtime.written import DATA, Written, kinds_in
from tests.runtime.running import ROOT, nanlint, verify

KEPT = ROOT / "benchmarks" / "programs" / "kept"


@pytest.mark.parametrize(
    ("name", "watch", "said"),
    [
        ("torch_norm_variance", "sentinel", "model.1.running_var is +inf, seen at the end of the program"),
        ("torch_norm_in_function", "sites", "1.running_var of Sequential is +inf, seen at its end"),
        ("torch_scaled_history", "sites", "a number that is printed is nan, seen at standard output"),
        ("torch_saved_statistics", "all", ""),
        ("torch_gradient_scale_log", "sites", "a number that is written is +inf, seen at "),
        ("numpy_table_of_means", "sites", "what is saved is nan, seen at np.savetxt()"),
        ("numpy_scaled_columns", "sites", ""),
        ("python_floats", "all", "a number that is printed is nan, seen at standard output"),
        ("jax_average", "sites", "corrected is +inf, seen at the end of the program"),
        ("torch_deque_of_advantages", "sentinel", ""),
        ("torch_class_registry", "sentinel", "Registry.scores.first is nan, seen at the end of the program"),
        ("torch_log_file", "sites", "a number that is written is nan, seen at "),
        ("keras_metric_history", "all", ""),
        ("torch_tensorboard", "sites", "NL302 confirmed (nan and +inf at step 0)"),
        ("torch_safetensors", "all", ""),
        ("numpy_h5py", "sentinel", "what is saved is nan, seen at h5py.Group.create_dataset()"),
        ("jax_optax_state", "sites", ""),
        ("tensorflow_variables_in_list", "sites", ""),
    ],
)
def test_what_is_left_is_not_finite(tmp_path: Path, name: str, watch: str, said: str) -> None:
    right = verify(str(KEPT / f"{name}.py"), "right", cwd=tmp_path, options=("--watch", watch))
    assert (right.code, right.report["bad"]) == (0, False), right.report["first"]
    bad = verify(str(KEPT / f"{name}.py"), "bad", cwd=tmp_path, options=("--watch", watch))
    assert (bad.code, bad.report["bad"]) == (1, True)
    assert said in bad.report["first"]


WELL = """
import math, os
import numpy as np, torch
import torch.nn.functional as used_by_nothing

class Best:
    def __init__(self):
        self.value, self.state = math.inf, {"worst": -float("inf")}

best, missing = Best(), float("nan")
mask = torch.triu(torch.full((3, 3), float("-inf")), 1)
scores = torch.zeros(3, 3) + mask
table = np.array([1.0, np.nan])
history = [1.0, missing]
print(best.value, best.state, f"{missing:.2f}", scores, table)
print("nan and inf are looked for: %d nan" % 0)
with open("table.txt", "w") as file:
    file.write(f"{table}\\n")
np.save("table.npy", table)
loaded = np.load("table.npy")
print(loaded * 2)
"""


@pytest.mark.parametrize("watch", ["sites", "all"])
def test_what_a_program_writes_itself_is_well(tmp_path: Path, watch: str) -> None:
    (tmp_path / "well.py").write_text(WELL)
    ran = verify("well.py", cwd=tmp_path, options=("--watch", watch))
    assert (ran.code, ran.report["alerts"]) == (0, [])
    assert ran.stdout.startswith("inf {'worst': -inf} nan tensor(")
    assert (tmp_path / "table.txt").read_text() == "[ 1. nan]\n"


INSIDE = """
import csv, struct
from collections import deque
import torch

def lost():
    return torch.tensor(struct.unpack("<d", bytes([0] * 6 + [248, 127])))

class Slotted:
    __slots__ = ("mean", "spread")
    def __init__(self):
        self.mean, self.spread = 0.0, lost()
    def move(self, x):
        self.mean = x

def averaged():
    value = torch.zeros(1)
    def update(x):
        nonlocal value
        value = x + value
    return update

class Trellis:
    def __init__(self, allowed):
        self.log = torch.log(allowed)
        self.last = deque(maxlen=2)
    def step(self):
        self.last.append(self.log + 1)

slotted, update, trellis = Slotted(), averaged(), Trellis(torch.tensor([0.0, 1.0]))
rows = [[float(x) for x in row] for row in csv.reader(open("missing.csv"))]
mean = torch.tensor(rows).mean(0)
trellis.step()
slotted.move(mean)
print(mean, "of", len(rows))
{more}
print(slotted.spread.shape)
"""


def test_what_is_looked_at_in_objects_and_functions_is_what_changes_there(tmp_path: Path) -> None:
    """The log of a 0 is a mask, what was read with a nan is the program's input, what was made is not yet a result."""
    (tmp_path / "missing.csv").write_text("1.0,nan\n2.0,3.0\n")
    (tmp_path / "well.py").write_text(INSIDE.replace("{more}", ""))
    well = verify("well.py", cwd=tmp_path)
    assert (well.code, well.report["alerts"]) == (0, []), well.report["first"]
    (tmp_path / "missing.csv").write_text("1.0,1.0\n2.0,3.0\n")
    for more, said in (("update(lost())", "update.value"), ("slotted.move(lost())", "slotted.mean")):
        (tmp_path / "bad.py").write_text(INSIDE.replace("{more}", more))
        assert f"{said} is nan, seen at the end of the program" in verify("bad.py", cwd=tmp_path).report["first"]


STEPS = {
    "torch": """
import torch
w = torch.ones(2, requires_grad=True)
o = torch.optim.SGD([w], lr=0.1)
for i in range(5):
    loss = (w * w).sum()
    o.zero_grad()
    loss.backward()
    o.step()
    print((w.detach() / (0 if i == 3 else 1) * 0).sum().item())
""",
    "jax": """
import jax, jax.numpy as jnp
@jax.jit
def step(w):
    return w - jax.grad(lambda w: (w * w).sum())(w)
w = jnp.ones(2)
for i in range(5):
    w = step(w)
    print(float((w / (0 if i == 3 else 1) * 0).sum()))
""",
}


@pytest.mark.parametrize("framework", STEPS)
def test_what_is_printed_is_of_the_step_that_was_done(tmp_path: Path, framework: str) -> None:
    pytest.importorskip(framework)
    (tmp_path / "steps.py").write_text(STEPS[framework])
    alerts = verify("steps.py", cwd=tmp_path).report["alerts"]
    assert [(one["message"], one["step"]) for one in alerts if "printed" in one["message"]] == [
        ("a number that is printed is nan, seen at standard output", 3)
    ]


def test_files_are_written_as_without_a_watch(tmp_path: Path) -> None:
    (tmp_path / "files.py").write_text(
        "import csv, io\n"
        "rows = csv.writer(open('a.csv', 'w', newline='', encoding='utf-16'))\n"
        "rows.writerows([['é', 1.5], ['x', 2]])\n"
        "del rows\n"
        "file = open('b.txt', 'w', buffering=1, errors='replace', encoding='ascii')\n"
        "print('é', file=file)\n"
        "print(isinstance(file, io.TextIOWrapper), file.mode, file.name, file.encoding, file.errors, repr(file))\n"
        "file.close()\n"
        "with open('b.txt', 'r+') as file: print(file.read(), file.write('more'), file.tell())\n"
    )
    (tmp_path / "plain").mkdir()
    plain, watched = (
        (nanlint("verify", "--run-dir", "run", "--", "../files.py", cwd=tmp_path / "plain")),
        (verify("files.py", cwd=tmp_path)),
    )
    assert plain.stdout == watched.stdout
    assert "True w b.txt ascii replace <_io.TextIOWrapper name='b.txt' mode='w' encoding='ascii'>" in watched.stdout
    assert (tmp_path / "a.csv").read_text(encoding="utf-16") == "é,1.5\nx,2\n"


def test_numbers_in_text() -> None:
    assert kinds_in("loss nan, best inf [-inf 1.]") == {"nan", "pinf", "ninf"}
    assert kinds_in('{"loss": NaN, "best": [Infinity]}') == {"nan", "pinf"}
    assert kinds_in("1.0 nan 3\na,-inf,2\n", DATA) == {"nan", "ninf"}
    assert kinds_in('{"loss": NaN, "best": [Infinity]}', DATA) == {"nan", "pinf"}
    assert kinds_in("my nan is old, info: infinite; nan-free", DATA) == set()
    assert kinds_in("no information: nanoseconds, inf.py, banana, finite, float NaN to integer, isnan(x)") == set()


def test_the_text_of_a_program_says_what_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "said.py"
    path.write_text(
        textwrap.dedent(
            """
            def far(x=-inf): return x
            class Model:
                def __init__(self, fill): self.mask = full(3, fill)
            model = Model(float("-inf"))
            best = far()
            other = log(data)
            stats["low"] = 1 - math.inf
            for step in range(3):
                total = total + step
            print(model.mask, best)
            print(other)
            """
        )
    )
    written = Written(lambda: [str(path)], {})
    assert written.kinds("mask") == written.kinds("best") == {"ninf"}
    assert written.kinds("stats") == {"pinf", "ninf"}
    assert written.kinds_at(str(path), 11) == {"ninf"}
    assert written.kinds_at(str(path), 12) == set()
    assert written.is_kept("total", str(path))
    assert written.is_kept("stats", str(path))
    assert not written.is_kept("other", str(path))


SLICES = """
import torch, nanlint
torch.manual_seed(0)
x, y = torch.randn(40, 4), torch.rand(40, 1) + 1
y[33] = 0
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5)
watching = nanlint.watch(model, optimizer, run_directory="run", quiet=True)
for i in range(0, 40, 4):
    loss = ((model(x[i : i + 4]) - y[i : i + 4]).abs() / y[i : i + 4]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
"""


def test_a_step_that_is_not_repeated_is_no_verdict(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "slices.py").write_text(SLICES)
    from tests.runtime.running import python

    ran = python("slices.py", cwd=work)
    assert (ran.code, (work / "run" / "step-8.pt").exists()) == (0, True), ran.stderr  # the schedule came before
    told = nanlint("replay", "work/run", "--run-dir", "first", cwd=tmp_path)  # it runs where it ran
    assert told.code == 2
    assert "no problem appeared in step 8 this time, which says nothing" in told.stderr
    assert f"nanlint replay {work / 'run'} --from-start" in told.stderr
    again = nanlint("replay", "work/run", "--from-start", "--run-dir", "second", cwd=tmp_path)
    assert again.code == 1
    assert "slices.py:11 origin" in again.stderr


def test_the_record_of_a_long_run_is_bounded_and_its_last_step_is_in_it(tmp_path: Path) -> None:
    recorder = Recorder(Options(str(tmp_path), watch="sentinel"))
    for _ in range(40_000):
        recorder.step(loss=1.0)
    recorder.end()
    numbers = [event.number for _, event in read_run(str(tmp_path)) if isinstance(event, Step)]
    assert numbers[:4096] == list(range(4096))
    assert numbers[-1] == 39_999
    assert len(numbers) < 13_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="is killed")
def test_a_killed_run_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(
        "import os, signal, torch\n"
        "w = torch.ones(1, requires_grad=True)\n"
        "o = torch.optim.SGD([w], lr=0.1)\n"
        "for i in range(9):\n"
        "    (w * w).sum().backward()\n"
        "    o.step()\n"
        "    if i == 4: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = verify("killed.py", cwd=tmp_path)
    assert ran.code == 128 + signal.SIGKILL
    assert ran.report["first"] == "cut off at step 5: no problem was seen until then"


def test_loops_with_the_same_words_are_told_apart(tmp_path: Path) -> None:
    loop = "for i in range(2):\n    loss = (w / {}).sum()\n    o.zero_grad()\n    loss.backward()\nw.data.fill_(1)\n"
    (tmp_path / "loops.py").write_text(
        "import torch\nw = torch.ones(1, requires_grad=True)\nzero = torch.zeros(1)\n"
        "o = torch.optim.SGD([w], lr=0.1)\n" + loop.format("zero") + loop.format("zero")
    )
    ran = verify("loops.py", cwd=tmp_path)
    lines = [one["frames"][0]["line"] for one in ran.report["alerts"] if "the loss is" in one["message"]]
    assert lines == [8, 13]


def test_a_computed_input_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "computed.py").write_text(
        "import torch\n"
        "def main():\n"
        "    x = torch.zeros(2)\n"
        "    x = x / x.norm()\n"
        "    w = torch.ones(2, requires_grad=True)\n"
        "    loss = (w * x).sum()\n"
        "    loss.backward()\n"
        "main()\n"
    )
    ran = verify("computed.py", cwd=tmp_path)
    assert ran.code == 1
    assert ran.report["first"].splitlines()[0].endswith("the loss is nan, seen at backward()")


def test_one_step_s_numbers_are_together(tmp_path: Path) -> None:
    (tmp_path / "stale.py").write_text(
        "import torch\ntorch.manual_seed(0)\nw = torch.nn.Linear(4, 3)\no = torch.optim.SGD(w.parameters(), lr=0.1)\n"
        "for i in range(5):\n"
        "    x = torch.randn(8, 4) * (1 if i < 3 else 2000)\n"
        "    p = torch.softmax(w(x), -1)\n"
        "    loss = -(torch.nn.functional.one_hot(torch.arange(8) % 3, 3) * torch.log(p)).sum(1).mean()\n"
        "    o.zero_grad()\n    loss.backward()\n    o.step()\n"
    )
    ran = verify("stale.py", cwd=tmp_path)
    (finding,) = ran.report["findings"]
    assert (finding["verdict"]["state"], finding["verdict"]["step"]) == ("confirmed", 3)
    assert set(finding["verdict"]["observed"]) == {"x", "result"}
