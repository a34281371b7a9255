"""Correct programs run as they do without nanlint: the same output, the same end, and so they do where a hook fails.

The programs are of the kinds that people write; no number in them goes bad. Each run of the tests draws some of them,
and some of nanlint's functions, which fail in turn.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runtime.forking import Forked
from tests.runtime.running import environment, server
from tests.sampling import sample

HERE = Path(__file__).parent
FRAMEWORKS = ("torch", "tensorflow", "jax", "numpy")
#: relative; probes in what is compiled as a whole, and cannot be run twice, may change the last digit of a result, of
#: float16 where that is computed in (processors that have float16 fuse what nothing looks into)
ROUNDED = {
    "jax/callbacks": 1e-5,
    "tensorflow/keras_fit": 1e-5,
    "tensorflow/keras_mixed": 1e-3,
    "tensorflow/physics": 1e-5,
}
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")

Ask = Callable[..., dict[str, Any]]


@contextmanager
def asking(framework: str, directory: Path) -> Iterator[Ask]:
    """A process that runs programs and tells what became of them."""
    pytest.importorskip(framework)
    (theirs, questions), (replies, ours) = os.pipe(), os.pipe()
    with open(os.devnull, "w") as nowhere:
        streams = (theirs, ours, nowhere.fileno())
        process = Forked(server(), (str(HERE / "unharmed.py"), framework), environment(), str(directory), streams)
    os.close(theirs), os.close(ours)
    with open(questions, "w") as given, open(replies) as answers:

        def ask(program: Path, watch: str | None = None, fault: str | None = None) -> dict[str, Any]:
            question = {"program": str(program), "watch": watch, "fault": fault}
            given.write(json.dumps(question) + "\n")
            given.flush()
            line = answers.readline()
            assert line, f"the process ended: {question}"
            answer: dict[str, Any] = json.loads(line)
            return answer

        yield ask
    process.wait(60)


def name_of(program: Path) -> str:
    return f"{program.parent.name}/{program.stem}"


def same(expected: dict[str, Any], found: dict[str, Any], rounded: float = 0.0) -> bool:
    """Whether a program did the same; ``rounded``: but for so much of the numbers that it printed."""
    if rounded and found["printed"] != expected["printed"]:
        pairs = [NUMBER.findall(one["printed"]) for one in (expected, found)]
        words = ["".join(NUMBER.sub("#", one["printed"]).split()) for one in (expected, found)]
        one, other = (np.array(p, float) for p in pairs)
        return words[0] == words[1] and one.shape == other.shape and bool(np.allclose(one, other, rtol=rounded))
    return bool(found["printed"] == expected["printed"] and found["ended"] == expected["ended"])


@pytest.mark.slow
@pytest.mark.parametrize("framework", sample(FRAMEWORKS, 4, "benign"))
def test_benign_programs_are_left_as_they_are(framework: str, tmp_path: Path) -> None:
    programs = sorted((HERE / "benign" / framework).glob("*.py"))
    assert len(programs) == 10
    wrong = []
    with asking(framework, tmp_path) as ask:
        for program in sample(programs, 3, f"benign {framework}"):
            name, expected = name_of(program), ask(program)
            assert not expected["ended"], expected["ended"]
            for watch in ("sites", "all"):
                found = ask(program, watch)
                if not same(expected, found, ROUNDED.get(name, 0.0) if watch == "all" else 0.0):
                    wrong.append((name, watch, found["printed"], found["ended"]))
                if found["bad"]:
                    wrong.append((name, watch, "exits with 1", found["alerts"]))
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("framework", sample(FRAMEWORKS, 4, "faults"))
def test_a_hook_that_fails_yields_to_the_program(framework: str, tmp_path: Path) -> None:
    """Each function of the adapters fails, whenever it is called; a program ends as without nanlint, and it is told."""
    benign, seeded = (sorted((HERE / kind / framework).glob("*.py")) for kind in ("benign", "seeded"))
    wrong = []
    with asking(framework, tmp_path) as ask:
        for program in sample([*benign, *seeded], 20, f"faults {framework}"):
            watch = sample(("all", "sites", "sentinel"), 3, f"{program}")[0]
            expected, called = ask(program), ask(program, watch)["called"]
            assert called
            # at most six: a program of JAX runs for ten seconds and calls a hundred functions
            for fault in sample(called, max(10, len(called) // 5), f"{program}"):
                found = ask(program, watch, fault)
                if not same(expected, found, ROUNDED.get(name_of(program), 0.0)):
                    wrong.append((name_of(program), watch, fault, found["ended"][-500:]))
    assert not wrong


def test_the_failure_of_a_hook_is_told_once_and_the_program_ends_well(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\nfor i in range(3):\n    print(np.log(np.zeros(1)))\n", "utf-8")
    with asking("numpy", tmp_path) as ask:
        found = ask(program, "all", "adapters.numpy:_Heard._birth")
    (told,) = found["alerts"]
    assert (found["ended"], found["printed"]) == ("", "[-inf]\n" * 3)
    assert told.startswith("nanlint could not watch NumPy's log (InjectedError: ")
    assert told.endswith("); the program was not affected")


def test_what_is_put_in_the_place_of_something_of_a_framework_is_guarded(tmp_path: Path) -> None:
    """Of each attribute that an adapter changes in its framework, what stands there is one that yields."""
    for framework in FRAMEWORKS:
        pytest.importorskip(framework)
    script = HERE / "unguarded.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), *FRAMEWORKS, "keras"],
        env=environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["unguarded: 0"], done.stdout + done.stderr[-2000:]
    assert os.listdir(tmp_path)
