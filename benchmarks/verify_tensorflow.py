"""What watching costs in TensorFlow: training steps on digits, eager and as one function, beside the peers.

    python benchmarks/verify_tensorflow.py [--json FILE] [--rounds 30]

Every way to run has a process of its own, where it takes turns of a few steps with the program as it is; what is told
is the median, over the rounds, of its time beside the uninstrumented program's of the same round.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "programs")]
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

#: the ways to run, with the most that is aimed at as one function and eagerly
WAYS: dict[str, tuple[float | None, float | None]] = {
    "sites": (1.1, 1.1),
    "all": (1.5, 2.0),
    "sentinel": (1.05, 1.05),
    "check_numerics": (None, None),
    "FULL_HEALTH": (None, None),
}
STEPS = {"one tf.function": 20, "eager": 5}


Switch = Callable[[bool], None]


@contextmanager
def watched(way: str, directory: str) -> Iterator[Switch]:
    """What is measured, on; it gives a switch that turns it off and on again."""
    import tensorflow as tf

    if way == "check_numerics":
        tf.debugging.enable_check_numerics()
        yield lambda on: (tf.debugging.enable_check_numerics if on else tf.debugging.disable_check_numerics)()
    elif way == "FULL_HEALTH":
        tf.debugging.experimental.enable_dump_debug_info(directory, "FULL_HEALTH", -1)
        yield lambda on: None  # TensorFlow crashes when it is turned off and on
    else:
        import nanlint

        with nanlint.verify(watch=way, run_directory=os.path.join(directory, "run")) as run:
            adapters = run._recorder.adapters

            def switch(on: bool) -> None:
                for adapter in adapters:
                    (adapter.start if on else adapter.stop)()

            yield switch


def stepper(program: str) -> Callable[[], object]:
    """A step of the program, freshly imported, on one batch; compiled by now."""
    sys.modules.pop("tf_mnist", None)
    import tensorflow as tf
    import tf_mnist

    images, labels = map(tf.constant, tf_mnist.digits(tf_mnist.BATCH))
    model = tf_mnist.Model(learning_rate=1e-4)
    step = model.step if program == "eager" else tf.function(model.step)
    for _ in range(3):
        step(images, labels)
    return lambda: step(images, labels)


def work(way: str, program: str, rounds: int) -> None:
    """Take turns, and print the ratio of each round, and the bytes that were written for each watched step."""

    def seconds(step: Callable[[], object]) -> float:
        began = time.perf_counter()
        for _ in range(STEPS[program]):
            step()
        return time.perf_counter() - began

    with tempfile.TemporaryDirectory() as directory:
        plain = stepper(program)
        before = [seconds(plain) for _ in range(rounds)]
        ratios = []
        with watched(way, directory) as switch:
            step = stepper(program)
            for i in range(rounds):
                took = {False: before[i]}
                for on in (True, False) if i % 2 else (False, True):
                    if on or way != "FULL_HEALTH":
                        switch(on)
                        took[on] = seconds(step if on else plain)
                ratios.append(took[True] / took[False])
            switch(True)
        kept = sum(path.stat().st_size for path in Path(directory).rglob("*") if path.is_file())
    print(json.dumps({"ratios": ratios, "kept": kept / (rounds * STEPS[program] + 3)}))


def measured(program: str, rounds: int) -> list[dict[str, object]]:
    """A row for each way to run the program."""
    rows: list[dict[str, object]] = []
    for way, targets in WAYS.items():
        command = [sys.executable, __file__, "--work", way, program, "--rounds", str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        ratio = round(statistics.median(found["ratios"]), 3)
        target = targets[0 if program != "eager" else 1]
        rows.append({"program": f"digits, {program}", "what": way, "ratio": ratio, "target": target})
        print(f"{program}, {way}: {found['kept'] / 1e4:.2f} MB kept per 100 steps", file=sys.stderr)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(*asked.work, asked.rounds)
        return
    rows = [row for program in STEPS for row in measured(program, asked.rounds)]
    print("| program | mode or tool | × uninstrumented | target |\n| --- | --- | ---: | ---: |")
    for row in rows:
        print(f"| {row['program']} | {row['what']} | {row['ratio']} | {row['target'] or ''} |")
    if asked.json:
        Path(asked.json).write_text(json.dumps(rows), "utf-8")


if __name__ == "__main__":
    main()
