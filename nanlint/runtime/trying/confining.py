"""What a function that is tried may not do, as far as Python sees it. This is no sandbox: it prevents accidents."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

#: audit events after which nothing of this process would be as it was, or others would hear of it
NEVER = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty"),
        *("os.startfile", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill", "webbrowser.open"),
        *("socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
        *("ftplib.connect", "smtplib.connect", "http.client.connect", "urllib.Request"),
    }
)
#: audit events that change what stands at the paths that they name
CHANGING = frozenset(
    {
        *("os.remove", "os.rmdir", "os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.chown", "os.chflags", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move"),
        *("shutil.copyfile", "shutil.copytree", "shutil.chown", "sqlite3.connect"),
    }
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """The function that is tried wanted to do what it may not."""


def confine(allowed: str, tell: Callable[[str], None]) -> None:
    """From now on, refuse what changes anything outside of a directory. ``tell`` hears of what was refused."""
    inside = os.path.join(os.path.realpath(allowed), "")

    def outside(path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False  # a file that is open
        name = os.path.realpath(os.fsdecode(path))
        return name != os.devnull and not os.path.join(name, "").startswith(inside)

    def audit(event: str, args: tuple[Any, ...]) -> None:
        what = ""
        if event in NEVER:
            what = event
        elif event == "open" and isinstance(args[2], int) and args[2] & _WRITING and outside(args[0]):
            what = f"open {os.fsdecode(args[0])} for writing"
        elif event in CHANGING and any(outside(path) for path in args[:2]):
            what = f"{event} {os.fsdecode(next(path for path in args[:2] if outside(path)))}"
        if what:
            tell(what)
            raise Refused(f"nanlint try does not let it: {what}")

    sys.addaudithook(audit)


def limit_files() -> None:
    """Let no file of this process, also one that is written past Python, become large; write no core."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
