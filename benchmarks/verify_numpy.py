"""What the watches of NumPy cost beside the programs without them.

    python benchmarks/verify_numpy.py [--json FILE] [--rounds N]

Rounds of a few steps, interleaved in one process; a figure is the median over rounds of what the watched steps took,
as a multiple of the unwatched steps of the same round, in seconds of CPU. ``seterr(all="raise")`` costs nothing, and
ends the program at the first error that it is told of.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.verify import table
from nanlint.runtime import probing
from nanlint.runtime.importing import Hook
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder

PROGRAMS = Path(__file__).with_name("programs")
#: name, steps of a round
PROGRAMMED = (("numpy_regression", 200), ("numpy_kmeans", 15))
TARGETS = {"sites": 1.05, "all": 1.05}


class Watched:
    """A program under one watch, which is on while a round of it runs."""

    def __init__(self, name: str, watch: str) -> None:
        self._recorder = Recorder(Options(directory=tempfile.mkdtemp(), watch=watch))
        hook = Hook(self._recorder)
        hook.install()
        self._adapter = next(one for one in self._recorder.adapters if one.name == "numpy")
        sys.path.insert(0, str(PROGRAMS))
        sys.modules.pop(name, None)
        self._step = importlib.import_module(name).build()
        sys.path.pop(0)
        hook.remove()

    def round(self, steps: int) -> float:
        """Seconds of some steps."""
        probing.install(self._recorder)
        self._adapter.start()
        seconds = timed(self._step, steps)
        self._adapter.stop()
        probing.install(None)
        return seconds


def timed(step: Callable[[], Any], steps: int) -> float:
    """Seconds that some steps take."""
    start = time.process_time()
    for _ in range(steps):
        step()
    return time.process_time() - start


def measured(name: str, steps: int, rounds: int) -> list[dict[str, object]]:
    """The rows of a program."""
    plain = importlib.import_module(f"benchmarks.programs.{name}").build()
    watched = {watch: Watched(name, watch) for watch in TARGETS}
    ratios: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        alone = timed(plain, steps)
        for watch, one in watched.items():
            seconds = one.round(steps)
            if turn:
                ratios.setdefault(watch, []).append(seconds / alone)
    return [
        {"program": name, "what": watch, "ratio": round(statistics.median(found), 3), "target": TARGETS[watch]}
        for watch, found in ratios.items()
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    figures = [row for name, steps in PROGRAMMED for row in measured(name, steps, options.rounds)]
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
