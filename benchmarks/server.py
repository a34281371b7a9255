"""Milliseconds from a keystroke to diagnostics, in files of about 2,000 lines, with a real server over its pipe.

    python benchmarks/server.py [--files 8] [--keys 30] [--write]
    python benchmarks/server.py --users 200

Files of 1,900 to 2,100 lines of the packages of the corpus are opened one by one. A line of numeric code is typed, key
by key, at the end of functions chosen at random but repeatably; many of the keys leave a text that does not parse, as
they do. A client that pulls (as VS Code does) asks right after each change; one that is pushed to waits for what is
published for that version, debounce included. The first answer of each file, in which everything is imported and read,
is not counted; nor is how long the client thinks. With ``--users`` the one file is a helper that so many others import.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from corpus import PACKAGES, default_cache, unpacked
from measure import NANLINT, ROOT, write_section

LINES = range(1_900, 2_101)
GUIDE = ROOT / "docs" / "editors.md"
HELPER = """import torch


def normalized(x, weights):
    return x * weights / weights.sum()


def entropy(p, eps=0.0):
    return -(p * torch.log(p + eps)).sum(-1)


def scaled(x, scale):
    return x / scale


class Head(torch.nn.Module):
    def __init__(self, size, temperature=1.0):
        super().__init__()
        self.linear = torch.nn.Linear(size, size)
        self.temperature = temperature

    def forward(self, x):
        return torch.softmax(self.linear(x) / self.temperature, -1)
"""
USER = """import torch

from lib.helper import Head, entropy, normalized, scaled


def loss_{number}(x, y):
    head = Head({number} + 1, temperature=0.5)
    p = head(normalized(x, torch.relu(y)))
    return entropy(p) + scaled(x, y.std()).mean()
"""
TYPED = ("z = torch.log(torch.softmax(x, -1))", "w = 1 / x.sum()", "y = jnp.sqrt(x ** 2)", "n += 1")
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"versionSupport": True, "relatedInformation": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
PUSHED: dict[str, Any] = {"textDocument": PULLS["textDocument"] | {"diagnostic": None}}


class Server:
    """A server process and the least of a client."""

    def __init__(self, capabilities: dict[str, Any]) -> None:
        command = [*NANLINT, "server"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        self._number = 0
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Read one message; requests of the server are answered with null."""
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        if "method" in message and "id" in message:
            self.send({"id": message["id"], "result": None})
        return message

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def request(self, method: str, params: object) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        while (message := self.receive()).get("id") != self._number or "method" in message:
            pass
        return message

    def published(self, version: int) -> None:
        """Wait for the findings of a version."""
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics" or message["params"].get(
            "version"
        ) != version:
            pass

    def close(self) -> None:
        """End the session as the protocol has it."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(timeout=60)


def places(text: str) -> list[tuple[int, str]]:
    """Lines (0-based) after which a statement of a function ends, each with the indentation there."""
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    return [(f.body[-1].lineno - 1, " " * f.body[-1].col_offset) for f in functions]


def keys(text: str, count: int, seed: int) -> Iterator[tuple[int, int, str]]:
    """(line, column, what is typed): each line of code begins with a new line and its indentation."""
    chosen = random.Random(seed)
    done = 0
    while done < count:
        line, indent = chosen.choice(places(text))
        column = 0
        for key in ("\n", indent, *chosen.choice(TYPED)):
            if done == count:
                return
            yield line, column, key
            column += len(key) if key != "\n" else 0
            done += 1


def measured(path: Path, count: int, *, pulls: bool) -> list[float]:
    """Seconds from each key to the answer."""
    text, uri = path.read_text(encoding="utf-8"), path.as_uri()
    server, version, taken = Server(PULLS if pulls else PUSHED), 1, []
    identifier = {"uri": uri}
    server.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "python", "version": version, "text": text}},
    )
    if pulls:
        server.request("textDocument/diagnostic", {"textDocument": identifier})
    else:
        server.published(version)
    for line, column, key in keys(text, count, len(text)):
        version += 1
        at = {"line": line, "character": column}
        start = time.perf_counter()
        change = {"range": {"start": at, "end": at}, "text": key}
        server.notify(
            "textDocument/didChange", {"textDocument": identifier | {"version": version}, "contentChanges": [change]}
        )
        if pulls:
            server.request("textDocument/diagnostic", {"textDocument": identifier})
        else:
            server.published(version)
        taken.append(time.perf_counter() - start)
    server.close()
    return taken


def main() -> None:
    """Measure, print, and with --write enter the figures in docs/editors.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--keys", type=int, default=30, help="in each file")
    parser.add_argument("--package", action="append", help="where files are looked for; the corpus unless given")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where packages are kept")
    parser.add_argument("--write", action="store_true", help="enter the figures in docs/editors.md")
    parser.add_argument("--users", type=int, default=0, help="measure a helper that so many files import instead")
    options = parser.parse_args()
    if options.users:
        with TemporaryDirectory() as directory:
            rows = measure([helper(Path(directory), options.users)], options.keys)
        print(table(rows, f"A helper of {len(HELPER.splitlines())} lines that {options.users} files import"))
        return
    chosen = files(options.cache, options.package or PACKAGES, options.files)
    text = table(measure(chosen, options.keys), f"{len(chosen)} files of {LINES.start:,} to {LINES.stop - 1:,} lines")
    print(text)
    if options.write:
        write_section("latency", text, GUIDE)


def measure(paths: Sequence[Path], count: int) -> list[tuple[str, int, float, float]]:
    """How fast the answers are by either way of asking: their number, the median, what 95 % are under."""
    rows = []
    for name, pulls in (("pulled", True), ("pushed", False)):
        taken = [one for path in paths for one in measured(path, count, pulls=pulls)]
        rows.append((name, len(taken), median(taken), quantiles(taken, n=20)[-1]))
        print(f"{name}: median {median(taken) * 1000:.0f} ms", file=sys.stderr)
    return rows


def helper(directory: Path, users: int) -> Path:
    """A file of a new project that so many of its files import."""
    (directory / "lib").mkdir()
    (directory / "pyproject.toml").write_text("")
    (directory / "lib" / "__init__.py").write_text("")
    for number in range(users):
        (directory / f"user_{number}.py").write_text(USER.format(number=number))
    path = directory / "lib" / "helper.py"
    path.write_text(HELPER)
    return path


def files(cache: Path, packages: Sequence[str], count: int) -> list[Path]:
    """Files of about 2,000 lines, by name."""
    found = [path for package in packages for path in unpacked(package, cache).rglob("*.py")]
    long = [path for path in found if len(path.read_bytes().splitlines()) in LINES]
    return sorted(long)[:count]


def table(rows: Sequence[tuple[str, int, float, float]], what: str) -> str:
    """The figures as markdown."""
    lines = [
        f"{what}:",
        "",
        "| diagnostics are | keystrokes | median | 95 % are under |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {name} | {number} | {middle * 1000:.0f} ms | {high * 1000:.0f} ms |"
            for name, number, middle, high in rows
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
