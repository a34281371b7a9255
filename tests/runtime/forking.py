"""Runs ``python -m MODULE …`` as a fresh process would, in a fork of one that has imported nanlint: it starts but once.

``python forking.py SOCKET`` serves forks. What it has imported is nanlint's alone, and nothing of it has run; a program
under `nanlint verify` is a fork of its own, which imports its frameworks itself.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace

#: what a command of nanlint imports on its way
MODULES = (
    *("nanlint.cli", "nanlint.commands.check", "nanlint.commands.inspect", "nanlint.commands.verify"),
    *("nanlint.lint.many_files", "nanlint.runtime.program", "nanlint.runtime.reporting", "nanlint.runtime.verifying"),
)


class Forked:
    """Stands for ``subprocess.Popen`` with these streams; ``arguments`` are those behind ``python -m``."""

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


@functools.cache
def served_at(python_path: str) -> str:
    """Where forks are served to this process, with this search path."""
    directory = Path(tempfile.mkdtemp(prefix="forks-"))
    installed = directory / "site-packages" / "forking.py"  # where its frame is not taken for the user's
    installed.parent.mkdir()
    shutil.copy(__file__, installed)
    address = str(directory / "socket")
    server = subprocess.Popen(
        [sys.executable, str(installed), address],
        env={**os.environ, "PYTHONPATH": python_path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    atexit.register(server.communicate)  # closes its input, which ends it
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def serve(address: str) -> str:
    """Serve forks until the standard input is closed; returns in each of them, with the module that it shall run."""
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
                return _begun(address, connection)
            connection.close()
    shutil.rmtree(Path(address).parent)
    sys.exit()


def _begun(address: str, connection: socket.socket) -> str:
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
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    module, *rest = arguments
    sys.argv = ["-m", *rest]
    sys.orig_argv[1:] = ["-m", *arguments]
    sys.path[0] = directory
    sys.modules["__main__"] = ModuleType("__main__")
    if module == "nanlint":
        _launch_forks(address)
    else:
        sys.modules.pop(module, None)  # it runs as __main__
    return str(module)


def _launch_forks(address: str) -> None:
    """Have `nanlint verify` run its program in a fork, where a fork can be what it asks for."""
    from nanlint.runtime import launch
    from nanlint.runtime.options import STARTUP

    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    start = [sys.executable, *flags, "-m"]
    path = f"{STARTUP}{os.pathsep}{os.environ['PYTHONPATH']}"

    def popen(arguments: Sequence[str], env: Mapping[str, str]) -> Forked | subprocess.Popen[bytes]:
        if arguments[: len(start)] != start or env["PYTHONPATH"] != path or launch.HASH_SEED in env:
            return subprocess.Popen(arguments, env=env)
        return Forked(address, arguments[len(start) :], env, os.getcwd())

    vars(launch)["subprocess"] = SimpleNamespace(Popen=popen, _args_from_interpreter_flags=lambda: flags)


if __name__ == "__main__":
    for name in MODULES:
        __import__(name)
    runpy._run_module_as_main(serve(sys.argv[1]))  # type: ignore[attr-defined]  # what Python does with -m
