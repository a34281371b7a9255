"""Runs ``python -m MODULE …`` and ``python SCRIPT.py …`` as a fresh process would, in a fork that imports in no time.

``python forking.py SOCKET`` serves forks. It has imported nanlint, of which nothing has run, and frameworks, which are
hidden (``preloading``). A program under `nanlint verify` is a fork of its own. A fork draws the numbers that all draw,
where it does not seed a generator itself; those of TensorFlow and of other modules have no seed, as in a fresh process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import random
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NoReturn

if __name__ == "__main__":
    from preloading import NAMES, Preloaded
    from seeding import seed
else:
    from tests.runtime.preloading import Preloaded

#: what a command of nanlint imports on its way
MODULES = (
    *("nanlint.cli", "nanlint.commands.check", "nanlint.commands.inspect", "nanlint.commands.verify"),
    *("nanlint.lint.many_files", "nanlint.runtime.program", "nanlint.runtime.reporting", "nanlint.runtime.verifying"),
)


class Forked:
    """Stands for ``subprocess.Popen`` with these streams; ``arguments``: a module or a script, and its own."""

    def __init__(
        self,
        address: str,
        arguments: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        streams: Sequence[int] = (0, 1, 2),
    ) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        asked = json.dumps([list(arguments), dict(env), cwd]).encode()
        socket.send_fds(self._connection, [len(asked).to_bytes(4, "big")], list(streams))
        self._connection.sendall(asked)
        self._told = self._connection.makefile()
        self.pid = int(self._told.readline())

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, negative for a signal. Raises TimeoutError."""
        self._connection.settimeout(timeout)
        try:
            return int(self._told.readline())
        except TimeoutError:
            self.send_signal(signal.SIGKILL)
            raise

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


def served_in(environment: Mapping[str, str]) -> str:
    """Where forks are served to this process, of one that has these variables."""
    directory = Path(tempfile.mkdtemp(prefix="forks-"))
    installed = directory / "site-packages"  # where their frames are not taken for the user's
    installed.mkdir()
    here = Path(__file__).parent
    for path in (here / "forking.py", here / "preloading.py", here.parent / "seeding.py"):
        shutil.copy(path, installed)
    address = str(directory / "socket")
    server = subprocess.Popen(
        [sys.executable, str(installed / "forking.py"), address],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    atexit.register(server.communicate)  # closes its input, which ends it
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def serve(address: str, preloaded: Preloaded) -> str:
    """Serve forks until the standard input is closed; returns in each of them, with what it shall run."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while listener.fileno() in select.select([listener.fileno(), 0], [], [])[0]:
            connection, _ = listener.accept()
            if not os.fork():
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return _begun(address, connection, preloaded)
            connection.close()
    shutil.rmtree(Path(address).parent)
    sys.exit()


def _begun(address: str, connection: socket.socket, preloaded: Preloaded) -> str:
    """Become what was asked for; another fork stays behind to tell how it ended."""
    length, streams, _, _ = socket.recv_fds(connection, 4, 3)
    with connection.makefile("rb") as asked:
        arguments, environment, directory = json.loads(asked.read(int.from_bytes(length, "big")))
    if pid := os.fork():
        connection.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    connection.close()
    random.seed(0)  # anew, as Python has seeded it since the fork
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    module, *rest = arguments
    is_script = module.endswith(".py")
    if not preloaded.fits(environment):
        os.execve(sys.executable, [sys.executable, *([] if is_script else ["-m"]), *arguments], environment)
    sys.argv = [module if is_script else "-m", *rest]
    sys.orig_argv[1:] = arguments if is_script else ["-m", *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(module)) if is_script else directory
    sys.modules["__main__"] = ModuleType("__main__")
    sys.meta_path.insert(0, preloaded)
    if module == "nanlint":
        _launch_forks(address, preloaded)
    else:
        sys.modules.pop(module, None)  # it runs as __main__
    return str(module)


def _launch_forks(address: str, preloaded: Preloaded) -> None:
    """Have `nanlint verify` run its program in a fork, where a fork can be what it asks for."""
    from nanlint.runtime import launch
    from nanlint.runtime.options import STARTUP

    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    start = [sys.executable, *flags, "-m"]
    path = f"{STARTUP}{os.pathsep}{os.environ['PYTHONPATH']}"

    def popen(
        arguments: Sequence[str], env: Mapping[str, str], cwd: str | None = None
    ) -> Forked | subprocess.Popen[bytes]:
        is_start = arguments[: len(start)] == start and env["PYTHONPATH"] == path and launch.HASH_SEED not in env
        if is_start and preloaded.fits(env) and not any(map(sets_environment, arguments)):
            return Forked(address, arguments[len(start) :], env, cwd or os.getcwd())
        return subprocess.Popen(arguments, env=env, cwd=cwd)

    vars(launch)["subprocess"] = SimpleNamespace(Popen=popen, _args_from_interpreter_flags=lambda: flags)


def sets_environment(argument: str) -> bool:
    """Whether an argument is a program that sets variables, which frameworks may read when they are imported."""
    return argument.endswith(".py") and os.path.exists(argument) and b"environ" in Path(argument).read_bytes()


def run(what: str) -> None:
    """What Python does with a script, and with -m."""
    if not what.endswith(".py"):
        runpy._run_module_as_main(what)  # type: ignore[attr-defined]
        return
    main, path = sys.modules["__main__"], os.path.abspath(what)
    main.__file__ = path
    exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), vars(main))


def finish(code: int) -> NoReturn:
    """End as Python does, but for taking thousands of modules apart, which takes longer than most programs."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    for name in MODULES:
        __import__(name)
    loaded = Preloaded(NAMES if sys.platform == "linux" else ())  # elsewhere what they load may not be forked
    seed(loaded.modules)
    gc.freeze()  # what is there stays shared with the forks
    try:
        run(serve(sys.argv[1], loaded))
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        finish(end.code or 0)
    finish(0)
