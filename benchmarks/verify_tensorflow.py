"""What watching costs in TensorFlow: training steps on digits, eager and as one function, beside the peers.

    python benchmarks/verify_tensorflow.py [--json FILE] [--rounds 30]

Every way to run has a process of its own; they take turns of a few steps each, and what is told is the median, over
the rounds, of the time beside the uninstrumented program's of the same round.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "programs")]
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

PLAIN = "uninstrumented"
#: the ways to run, with the most that is aimed at as one function and eagerly
WAYS: dict[str, tuple[float | None, float | None]] = {
    "sites": (1.1, 1.1),
    "all": (1.5, 2.0),
    "sentinel": (1.05, 1.05),
    "check_numerics": (None, None),
    "FULL_HEALTH": (None, None),
}
STEPS = {"one tf.function": 20, "eager": 5}


def work(way: str, program: str) -> None:
    """Take steps as the parent asks for them on standard input, and answer with their seconds."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as directory:
        writer = None
        if way == "check_numerics":
            import tensorflow as tf

            tf.debugging.enable_check_numerics()
        elif way == "FULL_HEALTH":
            import tensorflow as tf

            writer = tf.debugging.experimental.enable_dump_debug_info(directory, "FULL_HEALTH", -1)
        elif way != PLAIN:
            import nanlint

            stack.enter_context(nanlint.verify(watch=way, run_directory=os.path.join(directory, "run")))
        import tensorflow as tf
        import tf_mnist

        images, labels = map(tf.constant, tf_mnist.digits(tf_mnist.BATCH))
        model = tf_mnist.Model(learning_rate=1e-4)
        step = model.step if program == "eager" else tf.function(model.step)
        for _ in range(3):
            step(images, labels)
        print("ready", flush=True)
        for line in sys.stdin:
            began = time.perf_counter()
            for _ in range(int(line)):
                step(images, labels)
            print(time.perf_counter() - began, flush=True)
        if writer is not None:
            writer.FlushNonExecutionFiles()
            writer.FlushExecutionFiles()
        stack.close()
        kept = sum(path.stat().st_size for path in Path(directory).rglob("*") if path.is_file())
        print(kept, flush=True)


class Worker:
    """A process that runs the program one way."""

    def __init__(self, way: str, program: str) -> None:
        command = [sys.executable, __file__, "--work", way, program]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        while self._heard() != "ready\n":
            pass

    def _heard(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} failed")
        return line

    def seconds(self, steps: int) -> float:
        """How long so many steps take now."""
        assert self._process.stdin is not None
        print(steps, file=self._process.stdin, flush=True)
        return float(self._heard())

    def kept(self) -> float:
        """Megabytes that were written; ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return int(self._heard()) / 1e6


def measured(program: str, rounds: int) -> list[dict[str, object]]:
    """A row for each way to run the program."""
    workers = {way: Worker(way, program) for way in (PLAIN, *WAYS)}
    ratios: dict[str, list[float]] = {way: [] for way in WAYS}
    for i in range(rounds):
        order = list(workers)[:: 1 if i % 2 else -1]
        took = {way: workers[way].seconds(STEPS[program]) for way in order}
        for way in WAYS:
            ratios[way].append(took[way] / took[PLAIN])
    index = 0 if program != "eager" else 1
    rows: list[dict[str, object]] = []
    for way, targets in WAYS.items():
        row = {"program": f"digits, {program}", "what": way, "ratio": round(statistics.median(ratios[way]), 3)}
        rows.append({**row, "target": targets[index]})
    steps = rounds * STEPS[program] + 3
    for way in ("all", "FULL_HEALTH"):
        print(f"{program}, {way}: {100 * workers[way].kept() / steps:.2f} MB kept per 100 steps", file=sys.stderr)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(*asked.work)
        return
    rows = [row for program in STEPS for row in measured(program, asked.rounds)]
    print("| program | what | × uninstrumented | target |\n| --- | --- | ---: | ---: |")
    for row in rows:
        print(f"| {row['program']} | {row['what']} | {row['ratio']} | {row['target'] or ''} |")
    if asked.json:
        Path(asked.json).write_text(json.dumps(rows), "utf-8")


if __name__ == "__main__":
    main()
