"""A program under `nanlint verify` is run as Python runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nanlint.runtime.runfile import RunError
from nanlint.runtime.verifying import reject_missing
from tests.runtime.running import Ran, environment, nanlint, python, verify

PROGRAMS = {
    "arguments and the path": "import sys\nprint(sys.argv, sys.path[0], len(sys.path), sys.flags)\n",
    "main": """
        import sys
        print(__name__, __file__, __spec__, __package__, __doc__, __builtins__, sorted(vars()))
        print(sys.modules["__main__"].__file__, type(__loader__).__name__)
        """,
    "standard input": "print(input()[::-1])\n",
    "exit with a code": "import sys\nsys.exit(7)\n",
    "exit with words": "import sys\nsys.exit('no data')\n",
    "an exception": "def f(x):\n    return 1 / x\n\n\nf(0)\n",
    "a chained exception": """
        def f():
            try:
                {}["a"]
            except KeyError as error:
                raise ValueError("no a") from error
        f()
        """,
    "a syntax error": "x = (1,\ny = 2\n",
    "an exit hook": "import atexit\natexit.register(print, 'bye')\nraise SystemExit(3)\n",
    "an exception hook": "import sys\nsys.excepthook = lambda *a: print('caught', a[0].__name__)\nraise KeyError(1)\n",
    "os._exit": "import os, sys\nprint('x', flush=True)\nos._exit(5)\n",
    "a killed program": "import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "an import from beside": "import beside\nprint(beside.VALUE, beside.__file__, beside.__cached__ is not None)\n",
    "threads": "import threading\nt = threading.Thread(target=print, args=('t',))\nt.start()\nt.join()\n",
    "the source": """
        import inspect
        def f(x):
            # a comment
            return x
        print(inspect.getsource(f))
        """,
    "recursion": "import sys\nprint(sys.getrecursionlimit())\ndef f(): f()\ntry: f()\nexcept RecursionError: pass\n",
    "random state": "import random\nrandom.seed(1)\nprint(random.random())\n",
}


# Those that the start of a process decides: with no other process's modules, path and flags behind it.
FRESH = ("arguments and the path", "main", "a syntax error", "an exit hook", "a killed program")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_python_runs_it(name: str, tmp_path: Path) -> None:
    script = written(tmp_path, PROGRAMS[name])
    there = python(script, "one", "--two", cwd=tmp_path, stdin="abc\n", fresh=True)
    ran = verify(script, "one", "--two", cwd=tmp_path, stdin="abc\n", fresh=name in FRESH)
    assert_alike(ran, there)


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", "import sys; print(sys.argv, sys.path[0] == '', __name__)", "a", "-b"),
        ("-m", "package", "a"),
        ("-m", "package.inner", "a"),
        ("-m", "nowhere"),
        ("package", "a"),
        ("nothing.zip",),
    ],
)
def test_every_way_to_name_a_program(arguments: tuple[str, ...], tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    told = "import sys\nprint(__name__, __package__, __spec__ and __spec__.name, sys.argv, sys.path[0])\n"
    (package / "__main__.py").write_text(told)
    (package / "inner.py").write_text(told)
    there = python(*arguments, cwd=tmp_path, fresh=True)
    ran = verify(*arguments, cwd=tmp_path, fresh=arguments[:2] == ("-m", "package"))
    if arguments[0] == "nothing.zip":
        assert ran.code == 2
        assert "nothing.zip: no such program" in ran.stderr
    else:
        assert ran.stdout == there.stdout
        assert (ran.code == 0) == (there.code == 0)


def test_a_signal_reaches_the_program(tmp_path: Path) -> None:
    script = written(
        tmp_path,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
        print("ready", flush=True)
        time.sleep(60)
        """,
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "nanlint", "verify", "--", script],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 9
    assert "The program exited with 9." in stderr


def test_an_interrupt_ends_the_program_and_leaves_the_report(tmp_path: Path) -> None:
    script = written(tmp_path, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "nanlint", "verify", "--", script],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in stderr
    assert "The run is stored in" in stderr
    assert process.returncode == 130


def test_a_reader_that_leaves_is_no_failure_of_ours(tmp_path: Path) -> None:
    script = written(tmp_path, "for i in range(100000):\n    print(i)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "nanlint", "verify", "--", script],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.wait(timeout=30)
    assert "BrokenPipeError" in stderr  # the program's own, as without us
    assert "The run is stored in" in stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_directory_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    script = written(tmp_path, "print('ran')\n")
    tmp_path.chmod(0o500)
    ran = nanlint("verify", "--", script, cwd=tmp_path)
    assert ran.code == 2
    assert "--run-dir" in ran.stderr
    assert ran.stdout == ""


def test_a_run_directory_that_is_a_file_is_told_before_anything_runs(tmp_path: Path) -> None:
    script = written(tmp_path, "print('ran')\n")
    (tmp_path / "file").write_text("")
    ran = nanlint("verify", "--run-dir", "file", "--", script, cwd=tmp_path)
    assert ran.code == 2
    assert "file: the run cannot be stored there" in ran.stderr
    assert ran.stdout == ""


def test_a_misspelt_option_is_no_program(tmp_path: Path) -> None:
    script = written(tmp_path, "print('ran')\n")
    ran = nanlint("verify", "--wacth", "all", script, cwd=tmp_path)
    assert ran.code == 2
    assert "--wacth" in ran.stderr
    assert ran.stdout == ""
    with pytest.raises(RunError, match=r"nanlint verify -- train\.py -x"):
        reject_missing(("python3", "train.py", "-x"))


def written(directory: Path, program: str) -> str:
    import textwrap

    (directory / "beside.py").write_text("VALUE = 3\n")
    (directory / "train.py").write_text(textwrap.dedent(program).lstrip())
    return "train.py"


def assert_alike(ran: Ran, there: Ran) -> None:
    assert ran.stdout == there.stdout
    assert ran.stderr == there.stderr
    expected = 128 - there.code if there.code < 0 else there.code
    assert ran.code == expected
    assert bool(ran.report["failure"]) == (expected != 0)
