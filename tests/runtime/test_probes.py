"""Probes at flagged expressions: what they see, and that nothing else changes."""

from __future__ import annotations

import contextlib
import textwrap
from pathlib import Path

import pytest

from nanlint.diagnostic import Span
from nanlint.runtime import probing
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.rewriting import Expression
from nanlint.runtime.runfile import read_run
from nanlint.runtime.sites import Site
from nanlint.runtime.verdicts import observed_of
from tests.runtime.running import python, verify

pytest.importorskip("numpy")

LOSS = """
import numpy as np


class Loss:
    def entropy(self, p):
        # a comment
        return -np.sum(p * np.log(p))

    def scaled(self, x):
        x = x / np.linalg.norm(x)
        return x


def softmax(z):
    e = np.exp(z)
    return e / e.sum()
"""


def test_a_finding_is_confirmed_close_clean_or_not_reached(tmp_path: Path) -> None:
    write(tmp_path, "loss.py", LOSS)
    write(
        tmp_path,
        "train.py",
        """
        import numpy as np
        from loss import Loss, softmax

        def entropy(p):
            return -np.sum(p * np.log(p))

        def never(p):
            return -np.sum(p * np.log(p))

        print(Loss().entropy(softmax(np.array([0.0, 1000.0]))))
        print(entropy(np.array([0.5, 0.5])), entropy(np.array([0.9, 0.1])))
        """,
    )
    ran = verify("train.py", cwd=tmp_path)
    states = {
        (Path(one["filename"]).name, one["location"]["row"]): one["verdict"]["state"] for one in ran.report["findings"]
    }
    assert states["loss.py", 16] == "confirmed"
    assert states["train.py", 5] == "clean"
    assert states["train.py", 8] == "not reached"
    assert ran.code == 1
    clean = next(one["verdict"] for one in ran.report["findings"] if one["verdict"]["state"] == "clean")
    assert clean["executions"] == 2
    assert clean["closest"] == pytest.approx(0.1)


def test_a_close_approach_is_told_with_its_margin(tmp_path: Path) -> None:
    write(
        tmp_path,
        "train.py",
        """
        import numpy as np

        def entropy(p):
            return -np.sum(p * np.log(p))

        entropy(np.array([1.0, 1e-9]))
        """,
    )
    ran = verify("train.py", cwd=tmp_path)
    (verdict,) = (one["verdict"] for one in ran.report["findings"])
    assert (verdict["state"], verdict["closest"]) == ("near", 1e-9)
    assert ran.code == 0


def test_the_source_the_traceback_and_pickles_are_as_without_probes(tmp_path: Path) -> None:
    write(tmp_path, "loss.py", LOSS)
    write(
        tmp_path,
        "train.py",
        """
        import inspect, pickle, traceback, sys
        import numpy as np
        import loss

        print(inspect.getsource(loss.Loss.entropy))
        print(inspect.getsourcelines(loss.softmax))
        print(pickle.loads(pickle.dumps(loss.softmax)) is loss.softmax)
        print(loss.softmax.__code__.co_firstlineno, loss.softmax.__code__.co_varnames)
        try:
            loss.Loss().entropy("ab")
        except Exception:
            traceback.print_exc(file=sys.stdout)
        print(loss.Loss().scaled(np.array([3.0, 4.0])))
        print(sorted(vars(loss)))
        print(eval("softmax(np.array([1.0, 2.0]))", dict(vars(loss))))
        """,
    )
    there = python("train.py", cwd=tmp_path, fresh=True)
    ran = verify("train.py", cwd=tmp_path)
    assert there.code == 0
    assert ran.stdout == there.stdout


def test_the_bytecode_of_the_program_has_no_probes(tmp_path: Path) -> None:
    write(tmp_path, "loss.py", LOSS)
    write(tmp_path, "train.py", "import loss, numpy as np\nprint(loss.softmax(np.array([1.0, 2.0])))\n")
    verify("train.py", cwd=tmp_path)
    there = python("train.py", cwd=tmp_path, fresh=True)
    assert there.code == 0
    assert verify("train.py", cwd=tmp_path).stdout == there.stdout


def test_an_operand_is_seen_as_it_was_before_an_op_in_place(tmp_path: Path) -> None:
    write(
        tmp_path,
        "train.py",
        """
        import numpy as np

        def normalised(x):
            x /= np.sum(x * (x > 0.5))
            return x

        class Batch:
            def __init__(self, x):
                self.__x = x

            def normalised(self):
                self.__x /= np.sum(self.__x * (self.__x > 0.5))
                self.__x[0] /= np.sum(self.__x > 3)
                return self.__x

        print(normalised(np.array([0.25, 0.25])), Batch(np.array([0.25, 0.25])).normalised())
        """,
    )
    ran = verify("train.py", cwd=tmp_path, options=("--confidence", "possible"))
    states = {one["location"]["row"]: one["verdict"] for one in ran.report["findings"] if one["code"] == "NL301"}
    for row in (4, 12):
        assert states[row]["state"] == "confirmed"
        seen = states[row]["observed"]
        assert seen["a"]["counts"]["positive"] == 2
        assert seen["b"]["counts"]["zero"] == 1
        assert seen["result"]["counts"]["+inf"] == 2
    assert (states[13]["state"], states[13]["executions"]) == ("clean", 1)


def test_an_exception_in_a_flagged_expression_leaves_no_operand_behind(tmp_path: Path) -> None:
    recorder = Recorder(Options(str(tmp_path)))
    probing.install(recorder)
    span = Span(1, 1, 1, 5)
    operands = (("a", span), ("b", span))
    site = Site(
        key="k", path="train.py", code="NL301", finding=span, span=span, op="div", operands=operands, operand="b"
    )
    number = -1
    probing.enter({number: Expression((site,), ("a", "b"), poles=frozenset({2}))})

    def ratio(a: float, b: float | None) -> float:
        return probing.probe(number, 0, probing.probe(number, 1, a) / probing.probe(number, 2, b))

    held = []
    for a, b in [(1.0, 2.0), (3.0, None), (5.0, 2.0)]:
        with contextlib.suppress(TypeError):
            ratio(a, b)
        held.append(len(probing._thread.unfinished))
    probing.install(None)
    recorder.end()
    assert held == [0, 1, 0]
    (seen,) = observed_of(read_run(str(tmp_path)))["k"]
    assert (seen.executions, seen.roles["a"].high) == (2, 5.0)


def test_recursion_through_a_flagged_expression_mixes_no_operands(tmp_path: Path) -> None:
    write(
        tmp_path,
        "train.py",
        """
        import numpy as np

        def f(x, n):
            if n == 0:
                return np.abs(x) + 1.0
            return x / np.sum(np.maximum(f(x, n - 1), 0.0))

        print(f(np.array([1.0, -2.0]), 2))
        """,
    )
    ran = verify("train.py", cwd=tmp_path, options=("--confidence", "possible"))
    (one,) = (one for one in ran.report["findings"] if one["code"] == "NL301")
    assert one["verdict"]["state"] in ("clean", "near")
    assert one["verdict"]["executions"] == 2
    assert one["verdict"]["observed"]["a"]["counts"]["positive"] == 2


def test_children_are_watched_too(tmp_path: Path) -> None:
    write(tmp_path, "loss.py", LOSS)
    write(
        tmp_path,
        "train.py",
        """
        import multiprocessing, subprocess, sys
        import numpy as np

        def bad(scale):
            import loss
            return float(loss.softmax(np.array([0.0, scale])).sum())

        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(1) as pool:
                    print(pool.map(bad, [1.0, 1000.0]))
            subprocess.run([sys.executable, "-c", "import loss, numpy as np; loss.softmax(np.array([2000.0]))"])
            sys.stdout.flush()
            subprocess.run([sys.executable, "-W", "ignore", "rank.py", "a", "-b"], input="abc", text=True)
        """,
    )
    write(
        tmp_path,
        "rank.py",
        """
        import sys
        import numpy as np

        def f(p):
            return p * np.log(p)

        print(sys.argv, input(), f(np.array([0.0])))
        """,
    )
    ran = verify("train.py", cwd=tmp_path)
    assert "['rank.py', 'a', '-b'] abc [nan]" in ran.stdout
    (script,) = (one["verdict"] for one in ran.report["findings"] if one["filename"].endswith("rank.py"))
    assert script["state"] == "confirmed"
    (one,) = (one["verdict"] for one in ran.report["findings"] if one["location"]["row"] == 16)
    assert one["state"] == "confirmed"
    assert one["executions"] == 5


def test_what_goes_on_after_the_program_or_begins_again_in_its_place_is_watched(tmp_path: Path) -> None:
    write(tmp_path, "package/__init__.py", "")
    write(tmp_path, "package/loss.py", LOSS)
    write(
        tmp_path,
        "package/__main__.py",
        """
        import atexit, os, pickle, sys, threading, time
        import numpy as np
        from .loss import Loss

        class Batch:
            scale = 0.5

        def late():
            time.sleep(0.2)
            print(pickle.loads(pickle.dumps(Batch())).scale, Loss().entropy(np.array([0.5, 0.5])))

        Loss().entropy(np.array([0.25, 0.75]))
        if len(sys.argv) < 2:
            os.execv(sys.executable, [sys.executable, "-m", "package", "again"])
        threading.Thread(target=late).start()
        atexit.register(lambda: Loss().entropy(np.array([0.0, 1.0])))
        sys.exit(3)
        """,
    )
    ran = verify("-m", "package", cwd=tmp_path)
    assert ran.stdout.startswith("0.5 0.69")
    assert ran.report["exit_code"] == 3
    (entropy,) = (one["verdict"] for one in ran.report["findings"] if one["location"]["row"] == 7)
    assert (entropy["state"], entropy["executions"]) == ("confirmed", 4)


def test_code_on_the_command_line_is_probed(tmp_path: Path) -> None:
    ran = verify("-c", "import numpy as np\nfor p in (1.0, 0.0): p * np.log(np.array([p]))", cwd=tmp_path)
    assert ran.verdicts() == [("NL104", "confirmed")]


def write(directory: Path, name: str, program: str) -> None:
    (directory / name).parent.mkdir(exist_ok=True)
    (directory / name).write_text(textwrap.dedent(program).lstrip())
