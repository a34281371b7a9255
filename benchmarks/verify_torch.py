"""What the watches of PyTorch cost beside the programs without them, and beside ``detect_anomaly``.

    python benchmarks/verify_torch.py [--json FILE] [--rounds N] [--only eager|compiled]

Rounds of a few steps, interleaved in one process (compiled code: in one process for each watch); a figure is the
median over rounds of what the watched steps took, as a multiple of the unwatched steps of the same round. In one
thread and in seconds of CPU, so that what else the machine does hardly matters.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from benchmarks.verify import table
from nanlint.runtime import probing
from nanlint.runtime.importing import Hook
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder

PROGRAMS = Path(__file__).with_name("programs")
#: name, steps of a round, targets of the watches
EAGER: tuple[tuple[str, int, dict[str, float]], ...] = (
    ("torch_mlp", 8, {"sites": 1.05, "all": 1.4, "sentinel": 1.05}),
    ("torch_transformer", 2, {"sites": 1.05, "all": 1.25, "sentinel": 1.05}),
)
COMPILED = {"sites": 1.3, "all": 1.3}
WATCHES = ("sites", "all", "sentinel")


def loaded(name: str, alias: str) -> Any:
    """A program's module of its own, so that it is probed where a watch is on, and compiled apart."""
    if alias in sys.modules:
        return sys.modules[alias]
    spec = importlib.util.spec_from_file_location(alias, PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    spec.loader.exec_module(module)
    return module


class Watched:
    """A program under one watch, which is on while a round of it runs."""

    def __init__(self, name: str, watch: str, compiler: str = "") -> None:
        self._recorder = Recorder(Options(directory=tempfile.mkdtemp(), watch=watch))
        hook = Hook(self._recorder)
        hook.install()
        probing.install(self._recorder)
        self._adapter = next(one for one in self._recorder.adapters if one.name == "torch")
        sys.path.insert(0, str(PROGRAMS))
        sys.modules.pop(name, None)
        self._step = importlib.import_module(name).build(compiler)
        sys.path.pop(0)
        self._step()
        if not compiler:
            self.off(hook)

    def off(self, hook: Hook | None = None) -> None:
        """Watch no more until the next round."""
        if hook is not None:
            hook.remove()
        self._adapter.stop()
        probing.install(None)

    def round(self, steps: int) -> float:
        """Seconds of some steps."""
        self._adapter.start()
        probing.install(self._recorder)
        seconds = timed(self._step, steps)
        self.off()
        return seconds

    def steps(self, steps: int) -> float:
        """The same, of a process in which the watch is always on."""
        return timed(self._step, steps)


def timed(step: Callable[[], Any], steps: int) -> float:
    """Seconds that some steps take."""
    start = time.process_time()
    for _ in range(steps):
        step()
    return time.process_time() - start


def anomaly(step: Callable[[], Any], steps: int) -> float:
    """The same under PyTorch's own anomaly mode."""
    with torch.autograd.detect_anomaly(check_nan=True):
        return timed(step, steps)


def eager(rounds: int) -> list[dict[str, object]]:
    """The rows of the eager programs."""
    rows: list[dict[str, object]] = []
    for name, steps, targets in EAGER:
        plain = loaded(name, f"plain_{name}").build()
        plain()
        watched = {watch: Watched(name, watch) for watch in WATCHES}
        ratios: dict[str, list[float]] = {}
        for _ in range(rounds):
            alone = timed(plain, steps)
            for watch, one in watched.items():
                ratios.setdefault(watch, []).append(one.round(steps) / alone)
            ratios.setdefault("detect_anomaly", []).append(anomaly(plain, steps) / alone)
        for what, found in ratios.items():
            rows.append(row(name, what, statistics.median(found), targets.get(what)))
    return rows


def compiled(rounds: int, compiler: str = "inductor") -> list[dict[str, object]]:
    """The rows of compiled programs: processes that take turns."""
    rows: list[dict[str, object]] = []
    for name, steps, _ in EAGER:
        command = [sys.executable, __file__, "--alone", name, compiler, str(steps)]
        processes = {
            watch: subprocess.Popen([*command, watch], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for watch in ("", *COMPILED)
        }
        ratios: dict[str, list[float]] = {}
        for _ in range(rounds):
            seconds = {watch: asked(process) for watch, process in processes.items()}
            for watch in COMPILED:
                ratios.setdefault(watch, []).append(seconds[watch] / seconds[""])
        for process in processes.values():
            process.communicate()
        for watch, found in ratios.items():
            rows.append(row(f"{name}, compiled", watch, statistics.median(found), COMPILED[watch]))
    return rows


def asked(process: subprocess.Popen[str]) -> float:
    """Let a process run one round; its seconds."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def alone(name: str, compiler: str, steps: int, watch: str) -> None:
    """Answer each line with the seconds of a round."""
    if watch:
        step = Watched(name, watch, compiler).steps
    else:
        plain = loaded(name, f"plain_{name}").build(compiler)
        plain()

        def step(steps: int) -> float:
            return timed(plain, steps)

    step(16)  # a graph with flagged lines is looked at whole in the beginning
    for _ in sys.stdin:
        print(step(steps), flush=True)


def row(program: str, what: str, ratio: float, target: float | None) -> dict[str, object]:
    """One row of the table."""
    return {"program": program, "what": what, "ratio": round(ratio, 3), "target": target}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only", choices=("eager", "compiled"))
    parser.add_argument("--alone", nargs=4, metavar=("PROGRAM", "COMPILER", "STEPS", "WATCH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.alone:
        program, compiler, steps, watch = options.alone
        alone(program, compiler, int(steps), watch)
        sys.exit()
    figures = eager(options.rounds) if options.only != "compiled" else []
    figures += compiled(options.rounds) if options.only != "eager" else []
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
