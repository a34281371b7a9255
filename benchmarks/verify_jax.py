"""What the watches of JAX cost beside the programs without them, and beside ``debug_nans`` and ``checkify``.

    python benchmarks/verify_jax.py [--json FILE] [--rounds N]

Rounds of a few steps, interleaved in one process; a figure is the median over rounds of what the watched steps took,
as a multiple of the unwatched steps of the same round. In seconds of CPU, so that what else the machine does hardly
matters.
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

import jax
from jax.experimental import checkify

from benchmarks.verify import table
from nanlint.runtime.adapters.jax import JaxAdapter
from nanlint.runtime.importing import watched_sites
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder

PROGRAMS = Path(__file__).with_name("programs")
#: name, steps before a round and in it, targets of the watches. Of the first few calls all results are looked at.
PROGRAMMED: tuple[tuple[str, int, int, dict[str, float]], ...] = (
    ("jax_mlp", 30, 20, {"sites": 1.05, "all": 1.9, "sentinel": 1.05}),
    ("jax_transformer", 1, 2, {"sites": 1.05, "all": 1.2, "sentinel": 1.05}),
)


def timed(step: Callable[..., Any], state: Any, batch: Any, before: int, steps: int) -> float:
    """Seconds that some steps take, after some that are not counted."""
    for _ in range(before):
        state, _ = step(state, batch)
    jax.block_until_ready(state)
    start = time.process_time()
    for _ in range(steps):
        state, _ = step(state, batch)
    jax.block_until_ready(state)
    return time.process_time() - start


def watching(watch: str, path: Path) -> JaxAdapter:
    """An adapter that knows what is flagged in a program, and is not on yet."""
    recorder = Recorder(Options(directory=tempfile.mkdtemp(), watch=watch))
    watched_sites(path.read_bytes(), str(path), recorder)
    adapter = JaxAdapter(recorder)
    recorder.adapters.append(adapter)
    return adapter


def checked(step: Callable[..., Any]) -> Callable[..., Any]:
    """A step under ``checkify``, whose error is looked at."""
    checking = jax.jit(checkify.checkify(step, errors=checkify.nan_checks | checkify.div_checks))

    def one(state: Any, batch: Any) -> Any:
        error, result = checking(state, batch)
        error.throw()
        return result

    return one


def measured(name: str, before: int, steps: int, targets: dict[str, float], rounds: int) -> list[dict[str, object]]:
    """The rows of a program."""
    step, state, batch = importlib.import_module(f"benchmarks.programs.{name}").build()
    adapters = {watch: watching(watch, PROGRAMS / f"{name}.py") for watch in targets}
    checkified = checked(step)
    ratios: dict[str, list[float]] = {}
    for turn in range(rounds + 1):  # the first one compiles
        found = {}
        plain = timed(step, state, batch, before, steps)
        for watch, adapter in adapters.items():
            adapter.start()
            found[watch] = timed(step, state, batch, before, steps)
            adapter.stop()
        with jax.debug_nans(True), jax.debug_infs(True):
            found["debug_nans, debug_infs"] = timed(step, state, batch, before, steps)
        found["checkify"] = timed(checkified, state, batch, before, steps)
        for what, seconds in found.items():
            if turn:
                ratios.setdefault(what, []).append(seconds / plain)
    return [
        {"program": name, "what": what, "ratio": round(statistics.median(all_of), 3), "target": targets.get(what)}
        for what, all_of in ratios.items()
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    figures = [row for one in PROGRAMMED for row in measured(*one, options.rounds)]
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
