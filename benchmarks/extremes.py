"""What ``nanlint check``, its JSON and ``--diff`` cost on programs of extreme size and shape: CPU seconds, memory.

    python benchmarks/extremes.py [WORD]... [--all] [--size SIZE]

Each program is generated, written to a file and checked by itself. ``WORD``: only programs with it in their names;
``--all``: also the many that are like others. What takes more than ``SECONDS`` of CPU or ``MEGABYTES`` of memory is
marked. A run that takes longer than ``TIMEOUT`` is ended, and none gets more than ``MOST`` bytes of memory.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import NANLINT, ROOT, machine

SECONDS = 10.0
MEGABYTES = 600
TIMEOUT = 60.0
MOST = 5_000_000_000

#: programs; what is repeated comes at ``@``
FILE = "import torch\n\n@"
BODY = "import torch\n\n\ndef f(x, y, n):\n@    return torch.log(x)\n"
LINE = BODY.replace("@", "    a = [@]\n")
DEEP = BODY.replace("@", "    x = @x$\n")
CHAIN = BODY.replace("@", "    if n == -1:\n        x = y\n@")
LOOP = BODY.replace("@", "    for _ in range(n):\n        x = x\n@")
FOUND = "torch.log(torch.softmax(x, -1))"

TRAINING = '''
class Model<i>(torch.nn.Module):
    """A network of two layers."""

    def __init__(self, size, classes):
        super().__init__()
        self.first = torch.nn.Linear(size, 4 * size)
        self.last = torch.nn.Linear(4 * size, classes)
        self.temperature = 0.07

    def forward(self, x):
        return self.last(torch.relu(self.first(x))) / self.temperature


def normalized<i>(x, eps=1e-8):
    """Rows of unit length."""
    norm = x.norm(dim=-1, keepdim=True)
    if norm.min() > 0:
        return x / norm
    return x / (norm + eps)


def loss<i>(logits, target, weight=None):
    """The cross entropy."""
    log_p = torch.log_softmax(logits, dim=-1)
    picked = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    if weight is not None:
        picked = picked * weight[target]
        return -picked.sum() / weight[target].sum()
    return -picked.mean()


def train<i>(model, loader, epochs, lr=1e-3):
    """Train a model."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    total, seen = 0.0, 0
    for epoch in range(epochs):
        for batch, (x, y) in enumerate(loader):
            logits = model(normalized<i>(x))
            value = loss<i>(logits, y)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            total += value.item()
            seen += len(x)
            if batch % 100 == 0:
                print(f"{epoch} {batch}: {total / max(seen, 1)}")
    p = torch.softmax(logits, dim=-1)
    return total / seen, -(p * torch.log(p)).sum(-1).mean()

'''


@dataclass(frozen=True)
class Program:
    """A text with ``each`` in the place of ``@``, again and again, ``<i>`` as its number; of ``$`` with ``after``."""

    frame: str
    each: str
    sizes: tuple[int, ...]
    after: str = ""

    def text(self, size: int) -> str:
        """The program."""
        repeated = "".join(self.each.replace("<i>", str(i)) for i in range(size))
        return self.frame.replace("@", repeated).replace("$", self.after * size)


def statements(*lines: str, indent: int = 4) -> str:
    """Lines of a function, or of a loop in it."""
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


ROW, DEFINITIONS, FINDINGS, LONG, DEPTH = (2_000,), (3_000,), (5_000,), (200_000,), (10_000,)

PROGRAMS: Mapping[str, Program] = {
    "ifs": Program(BODY, statements("if n == <i>:", "    x = x / 2.<i>"), ROW),
    "ifs on what they change": Program(BODY, statements("if x > <i>:", "    x = torch.sqrt(x - <i>)"), ROW),
    "elifs": Program(CHAIN, statements("elif n == <i>:", "    x = torch.exp(y) / 2.<i>"), ROW),
    "returns": Program(BODY, statements("if n == <i>:", "    return torch.log(x) + <i>"), ROW),
    "functions": Program(FILE, f"def f<i>(x):\n    return {FOUND}\n\n\n", DEFINITIONS),
    "findings in a list": Program(f"{FILE[:-1]}x = torch.randn(3, 3)\na = [\n@]\n", f"    {FOUND},\n", FINDINGS),
    "findings in a function": Program(BODY, statements(f"a<i> = {FOUND}"), FINDINGS),
    "sums": Program(BODY, statements("x = x + 1"), LONG),
    "quotients": Program(BODY, statements("x = x / y"), LONG),
    "sum of many": Program(DEEP, "y + ", DEPTH),
    "calls of calls": Program(DEEP, "torch.relu(", DEPTH, ")"),
    "chain of methods": Program(DEEP, "", DEPTH, ".relu()"),
    "numbers in a line": Program(LINE, "<i>.5, ", (1_000_000,)),
    "keys in a line": Program(LINE.replace("[@]", "{@}"), '"k<i>": <i>, ', (300_000,)),
    "lines of training": Program(FILE, TRAINING, (20, 200, 2_000, 20_000)),
}

MORE: Mapping[str, Program] = {
    "ifs of many names": Program(BODY, statements("if y > <i>:", "    x<i> = torch.exp(y)"), ROW),
    "ifs that raise": Program(BODY, statements("if n == <i>:", "    raise ValueError(n)"), ROW),
    "ifs in a loop": Program(LOOP, statements("if n == <i>:", "    x = x / y + <i>", indent=8), ROW),
    "ifs at the top": Program(FILE, "if x > <i>:\n    x = torch.log(x)\n", ROW),
    "elifs that return": Program(CHAIN, statements("elif n == <i>:", "    return torch.log(x) + <i>"), ROW),
    "selections": Program(BODY, statements("x = x / y if n == <i> else x + <i>"), ROW),
    "tries": Program(BODY, statements("try:", "    x = torch.log(y)", "except ValueError:", "    x = y"), ROW),
    "loops": Program(BODY, statements("for _ in range(n):", "    x = x / y + <i>"), ROW),
    "regions": Program(BODY, statements("with torch.no_grad():", "    x = torch.exp(x)"), ROW),
    "classes": Program(FILE, f"class C<i>:\n    def f(self, x):\n        return {FOUND}\n\n\n", DEFINITIONS),
    "methods": Program(f"{FILE[:-1]}class C:\n@", f"    def f<i>(self, x):\n        return {FOUND}\n\n", DEFINITIONS),
    "one helper": Program(
        FILE.replace("@", f"def g(x):\n    return {FOUND}\n\n\n@"),
        "def f<i>(x):\n    return g(x / x.norm()) + <i>\n\n\n",
        DEFINITIONS,
    ),
    "globals": Program(FILE, "a<i> = <i>.0\n\n\ndef f<i>(x):\n    return torch.log(x) / a<i>\n\n\n", DEFINITIONS),
    "uses of one softmax": Program(
        BODY.replace("@", "    p = torch.softmax(x, -1)\n@"), statements("a<i> = torch.log(p) * <i>"), FINDINGS
    ),
    "calls with findings": Program(BODY, statements(f"print({FOUND})"), FINDINGS),
    "quotients by sums": Program(BODY, statements("a<i> = x / x.sum() + torch.sqrt(x.std())"), FINDINGS),
    "silenced findings": Program(BODY, statements(f"a<i> = {FOUND}  # nanlint: ignore[NL101]"), FINDINGS),
    "products": Program(BODY, statements("x = x * y + <i>"), LONG),
    "relus": Program(BODY, statements("x = torch.relu(x)"), LONG),
    "items": Program(BODY, statements("x[<i>] = y / 2.<i>"), LONG),
    "attributes": Program(BODY, statements("n.a<i> = torch.log(y)"), LONG),
    "appended": Program(BODY.replace("@", "    a = []\n@"), statements("a.append(y / 2.<i>)"), LONG),
    "assertions": Program(BODY, statements("assert x > <i> - y"), LONG),
    "prints": Program(BODY, statements("print(x)"), LONG),
    "parentheses": Program(DEEP, "(", DEPTH, ")"),
    "negations": Program(DEEP, "-", DEPTH),
    "subscripts": Program(DEEP, "", DEPTH, "[0]"),
    "lists of lists": Program(LINE.replace("@", "@$"), "[", DEPTH, "]"),
    "quotients of quotients": Program(DEEP, "", DEPTH, " / x"),
    "conditions of one": Program(
        BODY.replace("@", "    if @x > -1:\n        x = torch.log(x)\n"), "x > <i> and ", DEPTH
    ),
    "string in a line": Program(BODY.replace("@", '    a = "@"\n'), "abcd ", (1_000_000,)),
    "quotients in a line": Program(LINE, "x / y + <i>, ", (300_000,)),
    "findings in a line": Program(LINE, f"{FOUND}, ", (150_000,)),
    "imports": Program(BODY, statements("import torch.m<i>"), DEPTH),
}


@dataclass(frozen=True)
class Cost:
    """What a run took: ``seconds`` of CPU in all processes, ``megabytes`` at most in the largest one; what it told."""

    seconds: float
    megabytes: float
    findings: int
    remark: str

    @property
    def cells(self) -> str:
        """Its part of a line of the table."""
        over = self.seconds > SECONDS or self.megabytes > MEGABYTES or self.remark in ("ended", "failed")
        seconds, megabytes = f"{self.seconds:.1f}", f"{self.megabytes:.0f}"
        said = self.remark or f"{self.findings:,}"
        return f"**{seconds}** | **{megabytes}** | {said}" if over else f"{seconds} | {megabytes} | {said}"


def cost(path: Path, *arguments: str) -> Cost:
    """What a check of one file takes."""
    process = subprocess.Popen(
        [*NANLINT, "check", "--isolated", "--no-cache", "--output-format", "concise", *arguments, path.name],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST)),
    )
    assert process.stdout is not None
    timer = threading.Timer(TIMEOUT, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    changed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    count = changed if "--diff" in arguments else sum(CODE.search(line) is not None for line in lines)
    remark = ""
    if process.returncode not in (0, 1):
        remark = "ended" if process.returncode == -signal.SIGKILL else "failed"
    elif told := next((code[1] for line in lines if (code := CODE.search(line)) and code[1].startswith("NL00")), None):
        remark = f"{count:,}, {told}"
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_000, count, remark)


COLUMNS = "| program | of | check: s | MB | findings | JSON: s | MB | findings | `--diff`: s | MB | lines |"
HEAD = f"{COLUMNS}\n| --- |{' --: |' * 10}"
#: how a finding's code stands in a line, concise or of JSON
CODE = re.compile(r"""(?: |"code": ")(NL\d+)""")


def cells(path: Path) -> list[str]:
    """The cells of the line of one program."""
    return [cost(path, *ways).cells for ways in ((), ("--output-format", "json"), ("--diff",))]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD", help="programs with this in their names")
    parser.add_argument("--all", action="store_true", help="also those that are like others")
    parser.add_argument("--size", type=int, help="instead of the usual ones")
    options = parser.parse_args()
    print(f"{machine()}:\n\n{HEAD}", flush=True)
    with TemporaryDirectory() as directory:
        path = Path(directory) / "program.py"
        for name, program in {**PROGRAMS, **(MORE if options.all else {})}.items():
            if options.words and not any(word in name for word in options.words):
                continue
            for size in [options.size] if options.size else program.sizes:
                path.write_text(program.text(size), encoding="utf-8")
                print(f"| {name} | {size:,} | {' | '.join(cells(path))} |", flush=True)


if __name__ == "__main__":
    main()
