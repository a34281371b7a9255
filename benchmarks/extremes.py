"""What ``nanlint check`` and ``nanlint check --diff`` cost on programs of extreme size and shape: CPU seconds, memory.

    python benchmarks/extremes.py [--only WORD]... [--size SIZE] [--in DIRECTORY] [--write]

Each program is generated, written to a file and checked by itself. What takes more than ``SECONDS`` of CPU or ``MEGABYTES`` of
memory is marked, and so is what is not analysed; a run that takes longer than ``TIMEOUT`` is ended.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import NANLINT, ROOT, machine, write_section

SECONDS = 10.0
MEGABYTES = 600
TIMEOUT = 60.0

_IMPORT = "import torch\n\n"
_FOUND = "torch.log(torch.softmax(x, -1))"


# ── programs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _body(lines: Sequence[str], indent: int = 4) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _function(lines: Sequence[str], head: str = "def f(x, y, n):") -> str:
    """A function whose result is the log of what its lines made of ``x``."""
    return f"{_IMPORT}\n{head}\n{_body(lines)}    return torch.log(x)\n"


def ifs(n: int) -> str:
    """Conditions in a row that reassign one name."""
    return _function([line for i in range(n) for line in (f"if n == {i}:", f"    x = x / {i + 1}")])


def ifs_of_many_names(n: int) -> str:
    """Conditions in a row that each assign a name of their own."""
    lines = [line for i in range(n) for line in (f"if y > {i}:", f"    x{i} = torch.exp(y)")]
    return _function(["x0 = x", *lines])


def ifs_that_raise(n: int) -> str:
    """Conditions in a row that each leave the function."""
    return _function([line for i in range(n) for line in (f"if n == {i}:", "    raise ValueError(n)")])


def ifs_of_values(n: int) -> str:
    """Conditions in a row on the value that they change."""
    return _function([line for i in range(n) for line in (f"if x > {i}:", f"    x = torch.sqrt(x - {i})")])


def ifs_in_a_loop(n: int) -> str:
    """Conditions in a row within a loop."""
    lines = [line for i in range(n) for line in (f"    if n == {i}:", f"        x = x / y + {i}")]
    return _function(["for _ in range(n):", *lines])


def ifs_at_top_level(n: int) -> str:
    """Conditions in a row outside of functions."""
    lines = [f"if x > {i}:\n    x = torch.log(x)\n" for i in range(n)]
    return f"{_IMPORT}x = torch.ones(3)\n{''.join(lines)}"


def ifs_that_call(n: int) -> str:
    """Conditions in a row whose branches call a function of the file."""
    lines = [line for i in range(n) for line in (f"if n == {i}:", "    x = g(x)")]
    return _function(lines).replace("\ndef f", "\ndef g(a):\n    return a / a.sum()\n\n\ndef f", 1)


def elifs(n: int) -> str:
    """One chain of conditions that assign one name."""
    lines = [line for i in range(n) for line in (f"{'el' if i else ''}if n == {i}:", f"    x = torch.exp(y) / {i + 1}")]
    return _function(lines)


def elifs_that_return(n: int) -> str:
    """One chain of conditions, each with its own result."""
    lines = [
        line for i in range(n) for line in (f"{'el' if i else ''}if n == {i}:", f"    return torch.log(x) + {i}")
    ]
    return _function(lines)


def elifs_in_a_loop(n: int) -> str:
    """One chain of conditions within a loop."""
    lines = [line for i in range(n) for line in (f"    {'el' if i else ''}if n == {i}:", f"        x = x / y + {i}")]
    return _function(["for _ in range(n):", *lines])


def nested_ifs(n: int) -> str:
    """Conditions within conditions, as deep as Python lets them, again and again."""
    deepest = 18
    lines = []
    for i in range(n // deepest):
        lines += [f"{'    ' * depth}if x > {i + depth}:" for depth in range(deepest)]
        lines += [f"{'    ' * deepest}x = x / y"]
    return _function(lines)


def conditional_expressions(n: int) -> str:
    """Selections in a row, as expressions."""
    return _function([f"x = x / y if n == {i} else x + {i}" for i in range(n)])


def tries(n: int) -> str:
    """Attempts in a row that reassign one name."""
    parts = ("try:", "    x = torch.log(y)", "except ValueError:", "    x = y")
    return _function([line for _ in range(n) for line in parts])


def loops(n: int) -> str:
    """Loops in a row that change one name."""
    return _function([line for i in range(n) for line in ("for _ in range(n):", f"    x = x / y + {i}")])


def withs(n: int) -> str:
    """Regions in a row."""
    return _function([line for _ in range(n) for line in ("with torch.no_grad():", "    x = torch.exp(x)")])


def functions(n: int) -> str:
    """Functions with a finding each."""
    return _IMPORT + "".join(f"\ndef f{i}(x):\n    return {_FOUND}\n\n" for i in range(n))


def methods(n: int) -> str:
    """Methods of one class with a finding each."""
    return f"{_IMPORT}\nclass C:\n" + "".join(f"    def f{i}(self, x):\n        return {_FOUND}\n\n" for i in range(n))


def classes(n: int) -> str:
    """Classes with a method with a finding each."""
    return _IMPORT + "".join(
        f"\nclass C{i}(torch.nn.Module):\n    def forward(self, x):\n        return {_FOUND}\n\n" for i in range(n)
    )


def helpers(n: int) -> str:
    """Functions with a finding each, each of which calls the one before it."""
    first = f"\ndef f0(x):\n    return {_FOUND}\n\n"
    return f"{_IMPORT}{first}" + "".join(
        f"\ndef f{i}(x):\n    return torch.log(torch.softmax(f{i - 1}(x), -1))\n\n" for i in range(1, n)
    )


def one_helper(n: int) -> str:
    """Functions that all call one helper, which has the finding."""
    return f"{_IMPORT}\ndef loss(x):\n    return {_FOUND}\n\n" + "".join(
        f"\ndef f{i}(x):\n    return loss(x / x.norm()) + {i}\n\n" for i in range(n)
    )


def chained_helpers(n: int) -> str:
    """Functions in chains of ten, each of which breaks on what it gets of the one before."""
    found = [_IMPORT]
    for i in range(n):
        inner = f"f{i - 1}(x)" if i % 10 else "torch.softmax(x, -1)"
        found.append(f"\ndef f{i}(x):\n    y = {inner}\n    return torch.log(y) / y.sum()\n\n")
    return "".join(found)


def findings_in_a_list(n: int) -> str:
    """One list whose elements each have a finding."""
    return f"{_IMPORT}x = torch.randn(3, 3)\nfound = [\n" + f"    {_FOUND},\n" * n + "]\n"


def findings_in_a_function(n: int) -> str:
    """Statements in a row with a finding each."""
    return _function([f"a{i} = {_FOUND}" for i in range(n)])


def findings_of_one_variable(n: int) -> str:
    """Uses of one softmax."""
    return _function(["p = torch.softmax(x, -1)", *(f"a{i} = torch.log(p) * {i}" for i in range(n))])


def calls_with_findings(n: int) -> str:
    """Statements in a row with a finding each that nothing is bound to."""
    return _function([f"print({_FOUND})"] * n)


def unsafe_findings(n: int) -> str:
    """Statements in a row with a quotient each."""
    return _function([f"a{i} = x / x.sum() + torch.sqrt(x.std())" for i in range(n)])


def silenced_findings(n: int) -> str:
    """Statements in a row with a comment that silences each."""
    return _function([f"a{i} = {_FOUND}  # nanlint: ignore[NL101]" for i in range(n)])


def assignments(n: int) -> str:
    """Simple statements."""
    return f"{_IMPORT}y = torch.log(torch.ones(2))\n" + "".join(f"a{i} = {i}\n" for i in range(n))


def increments(n: int) -> str:
    """One number, changed again and again."""
    return _function(["x = x + 1"] * n)


def multiplications(n: int) -> str:
    """One number, changed again and again in different ways."""
    return _function([f"x = x * y + {i}" for i in range(n)])


def relus(n: int) -> str:
    """One tensor, changed again and again by a function."""
    return _function(["x = torch.relu(x)"] * n)


def quotients(n: int) -> str:
    """One tensor, divided again and again."""
    return _function(["x = x / y"] * n)


def exponentials(n: int) -> str:
    """Quotients of exponentials again and again."""
    return _function(["x = torch.exp(x) / torch.exp(x).sum()"] * n)


def items(n: int) -> str:
    """One list or array, filled item by item."""
    return _function([f"x[{i}] = y / {i + 1}" for i in range(n)])


def attributes(n: int) -> str:
    """One object, filled attribute by attribute."""
    return _function([f"n.a{i} = torch.log(y)" for i in range(n)])


def augmented(n: int) -> str:
    """Sums in place."""
    return _function([f"x += torch.log(y) * {i}" for i in range(n)])


def appended(n: int) -> str:
    """A list that grows."""
    return _function(["a = []", *(f"a.append(y / {i + 1})" for i in range(n)), "x = sum(a)"])


def assertions(n: int) -> str:
    """Conditions that hold from there on."""
    return _function([f"assert x > {i} - y" for i in range(n)])


def prints(n: int) -> str:
    """Calls for no result."""
    return _function(["print(x)"] * n)


def deep_sum(n: int) -> str:
    """An expression of many terms, which is as deep."""
    return _function([f"x = {' + '.join(['y'] * n)}"])


def deep_quotients(n: int) -> str:
    """An expression of many factors, which is as deep."""
    return _function([f"x = y{' / x' * n}"])


def deep_calls(n: int) -> str:
    """Calls within calls."""
    return _function([f"x = {'torch.relu(' * n}x{')' * n}"])


def deep_parentheses(n: int) -> str:
    """Parentheses within parentheses."""
    return _function([f"x = {'(' * n}x{')' * n}"])


def deep_attributes(n: int) -> str:
    """A chain of attributes."""
    return _function([f"x = y{'.a' * n}"])


def deep_methods(n: int) -> str:
    """A chain of calls of methods."""
    return _function([f"x = x{'.relu()' * n}"])


def deep_methods_in_lines(n: int) -> str:
    """A chain of calls of methods, one on each line."""
    return _function(["x = (", "    x", *["    .exp()"] * n, ")"])


def deep_negations(n: int) -> str:
    """Signs before signs."""
    return _function([f"x = {'-' * n}x"])


def deep_subscripts(n: int) -> str:
    """A chain of indices."""
    return _function([f"x = x{'[0]' * n}"])


def deep_lists(n: int) -> str:
    """Lists within lists."""
    return _function([f"a = {'[' * n}{']' * n}"])


def deep_lambdas(n: int) -> str:
    """Functions within functions."""
    return _function([f"a = {'lambda: ' * n}x"])


def deep_conditions(n: int) -> str:
    """Selections within selections."""
    return _function([f"x = {''.join(f'x / {i + 1} if n == {i} else ' for i in range(n))}y"])


def deep_strings(n: int) -> str:
    """Many strings that are added."""
    return _function([f"a = {' + '.join(['str(x)'] * n)}"])


def wide_conjunction(n: int) -> str:
    """A condition of many parts."""
    return _function([f"if {' and '.join(f'x > {i}' for i in range(n))}:", "    x = torch.log(x)"])


def wide_comparison(n: int) -> str:
    """A chain of comparisons."""
    return _function([f"if {' < '.join(['x', *map(str, range(n))])}:", "    x = torch.log(x)"])


def _padded(head: str, element: Callable[[int], str], tail: str, size: int) -> str:
    parts, total = [head], len(head)
    number = 0
    while total < size:
        parts.append(element(number))
        total += len(parts[-1])
        number += 1
    return _function(["".join([*parts, tail])])


def long_list(n: int) -> str:
    """A line with a list of numbers; ``n`` characters."""
    return _padded("a = [", lambda i: f"{i * 0.5}, ", "]", n)


def long_dict(n: int) -> str:
    """A line with a dict of numbers; ``n`` characters."""
    return _padded("a = {", lambda i: f'"k{i}": {i}, ', "}", n)


def long_string(n: int) -> str:
    """A line with one string; ``n`` characters."""
    return _function([f'a = "{"ab " * (n // 3)}"'])


def long_array(n: int) -> str:
    """A line with a tensor of numbers that is then divided by; ``n`` characters."""
    return _padded("x = x / torch.tensor([", lambda i: f"{i + 1}.5, ", "])", n)


def long_array_of_expressions(n: int) -> str:
    """A line with a list of quotients; ``n`` characters."""
    return _padded("x = torch.stack([", lambda i: f"x / y + {i}, ", "])", n)


def long_findings(n: int) -> str:
    """A line with a list of findings; ``n`` characters."""
    return _padded("x = torch.stack([", lambda i: f"{_FOUND}, ", "])", n)


def long_statements(n: int) -> str:
    """A line with many statements; ``n`` characters."""
    return _padded("", lambda i: "x = x / y; ", "x = x", n)


def long_comment(n: int) -> str:
    """A line with a comment; ``n`` characters."""
    return _function([f"x = x / y  # {'nanlint: ' * (n // 9)}"])


def long_call(n: int) -> str:
    """A line with a call of many arguments; ``n`` characters."""
    return _padded("x = n(", lambda i: f"x / {i + 1}, ", ")", n)


def long_umlauts(n: int) -> str:
    """A line with findings after letters that are no ASCII; ``n`` characters."""
    return _padded("x = torch.stack([", lambda i: f'x / y, "ä", {_FOUND}, ' if i % 100 == 0 else '"ä", ', "])", n)


def many_imports(n: int) -> str:
    """Imports in a row."""
    return _function([f"import torch.m{i}" for i in range(n)])


def many_arguments(n: int) -> str:
    """A function of many parameters, of which each is used."""
    names = [f"p{i}" for i in range(n)]
    return _function([f"x = x / {name}" for name in names], f"def f(x, y, n, {', '.join(names)}):")


def many_comments(n: int) -> str:
    """Comments in a row."""
    return _function(["# a comment about nanlint", "x = torch.relu(x)"] * (n // 2))


def many_fields(n: int) -> str:
    """A class whose objects have many fields, which one method sets and another one reads."""
    first = [f"self.a{i} = x / {i + 1}" for i in range(n // 2)]
    second = [f"x = x / self.a{i}" for i in range(n // 2)]
    methods = (f"    def __init__(self, x):\n{_body(first, 8)}", f"    def f(self, x):\n{_body(second, 8)}")
    return f"{_IMPORT}\nclass C:\n" + "\n".join(methods)


def many_globals(n: int) -> str:
    """Variables of a file, which a function each reads."""
    return _IMPORT + "".join(f"a{i} = {i}.0\n\n\ndef f{i}(x):\n    return torch.log(x) / a{i}\n\n\n" for i in range(n))


def training(n: int) -> str:
    """Ordinary code of models and their training; ``n`` lines."""
    text = '''

class Model{i}(nn.Module):
    """A network of two layers."""

    def __init__(self, size, classes):
        super().__init__()
        self.first = nn.Linear(size, 4 * size)
        self.norm = nn.LayerNorm(4 * size)
        self.last = nn.Linear(4 * size, classes)
        self.temperature = 0.07

    def forward(self, x):
        hidden = F.gelu(self.norm(self.first(x)))
        return self.last(hidden) / self.temperature


def normalized{i}(x, eps=1e-8):
    """Rows of unit length."""
    norm = x.norm(dim=-1, keepdim=True)
    if norm.min() > 0:
        return x / norm
    return x / (norm + eps)


def loss{i}(logits, target, weight=None):
    """The cross entropy."""
    log_p = F.log_softmax(logits, dim=-1)
    picked = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    if weight is not None:
        picked = picked * weight[target]
        return -picked.sum() / weight[target].sum()
    return -picked.mean()


def train{i}(model, loader, epochs, lr=1e-3):
    """Train a model."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    total, seen = 0.0, 0
    for epoch in range(epochs):
        for batch, (x, y) in enumerate(loader):
            x = normalized{i}(x)
            logits = model(x)
            value = loss{i}(logits, y)
            optimizer.zero_grad()
            value.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += value.item()
            seen += len(x)
            if batch % 100 == 0:
                print(f"{epoch} {batch}: {total / max(seen, 1)}")
    p = torch.softmax(logits, dim=-1)
    entropy = -(p * torch.log(p)).sum(-1)
    return total / seen, entropy.mean()
'''
    one = text.count("\n")
    parts = (text.replace("{i}", str(i)) for i in range(max(1, n // one)))
    return "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n" + "".join(parts)


#: generators, with their sizes
PROGRAMS: Mapping[Callable[[int], str], Sequence[int]] = {
    **dict.fromkeys(
        (ifs, ifs_of_many_names, ifs_that_raise, ifs_of_values, ifs_in_a_loop, ifs_at_top_level, ifs_that_call), (2_000,)
    ),
    **dict.fromkeys((elifs, elifs_that_return, elifs_in_a_loop, nested_ifs, conditional_expressions), (2_000,)),
    **dict.fromkeys((tries, loops, withs), (2_000,)),
    **dict.fromkeys((functions, methods, classes, helpers, one_helper, chained_helpers, many_globals), (3_000,)),
    **dict.fromkeys(
        (findings_in_a_list, findings_in_a_function, findings_of_one_variable, calls_with_findings), (5_000,)
    ),
    **dict.fromkeys((unsafe_findings, silenced_findings), (5_000,)),
    **dict.fromkeys((assignments, increments, multiplications, relus, quotients, exponentials), (200_000,)),
    **dict.fromkeys((items, attributes, augmented, appended, assertions, prints, many_comments), (200_000,)),
    **dict.fromkeys((deep_sum, deep_quotients, deep_calls, deep_parentheses, deep_attributes, deep_methods), (10_000,)),
    **dict.fromkeys((deep_methods_in_lines, deep_negations, deep_subscripts, deep_lists, deep_lambdas), (10_000,)),
    **dict.fromkeys((deep_conditions, deep_strings, wide_conjunction, wide_comparison), (10_000,)),
    **dict.fromkeys((long_list, long_dict, long_string, long_array, long_array_of_expressions), (5_000_000,)),
    **dict.fromkeys((long_findings, long_statements, long_comment, long_call, long_umlauts), (5_000_000,)),
    **dict.fromkeys((many_imports, many_arguments, many_fields), (10_000,)),
    training: (1_000, 10_000, 100_000, 1_000_000),
}


# ── measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Cost:
    """What a run took; ``seconds`` of CPU in all processes, ``megabytes`` at most in the largest one.

    ``findings``: how many there were, or what was changed. ``remark``: what the run said instead of findings.
    """

    seconds: float
    megabytes: float
    findings: int
    remark: str = ""

    @property
    def over(self) -> bool:
        """Whether it took more than it may."""
        return self.seconds > SECONDS or self.megabytes > MEGABYTES or self.remark in (ENDED, FAILED)


ENDED, FAILED = "ended", "failed"


def cost(path: Path, *arguments: str) -> Cost:
    """What a check of one file takes."""
    command = [*NANLINT, "check", "--isolated", "--output-format", "concise", *arguments, path.name]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "PYTHONSAFEPATH": "1"}
    process = subprocess.Popen(
        command,
        cwd=path.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    timer = threading.Timer(TIMEOUT, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    lines = output.splitlines()
    count = sum(" NL" in line for line in lines) if "--diff" not in arguments else sum(
        line.startswith("-") and not line.startswith("---") for line in lines
    )
    remark = ""
    if process.returncode == -signal.SIGKILL:
        remark = ENDED
    elif process.returncode not in (0, 1) or "Traceback" in output:
        remark = FAILED
    elif told := next((line for line in lines if " NL00" in line), None):
        remark = told.partition(" NL00")[2].partition(" ")[2][:100]
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, count, remark)


def row(name: str, size: int, lines: int, costs: Sequence[Cost]) -> str:
    """A line of the table."""
    cells = [name, f"{size:,}", f"{lines:,}"]
    for one in costs:
        mark = "**" if one.over else ""
        cells += [f"{mark}{one.seconds:.1f}{mark}", f"{mark}{one.megabytes:.0f}{mark}", f"{one.findings:,}"]
    cells.append("; ".join(sorted({one.remark for one in costs if one.remark})))
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| program | size | lines | check: s | MB | findings | `--diff`: s | MB | lines changed | |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
)


def main() -> None:
    """Measure, print, and with --write enter the figures in docs/measurements.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="programs with this in their name")
    parser.add_argument("--size", type=int, help="instead of the usual ones")
    parser.add_argument("--in", dest="directory", type=Path, help="keep the programs here")
    parser.add_argument("--write", action="store_true", help="enter the figures in docs/measurements.md")
    options = parser.parse_args()
    print(HEAD, flush=True)
    rows = []
    start = time.perf_counter()
    with TemporaryDirectory() as elsewhere:
        directory = options.directory or Path(elsewhere)
        for make, sizes in PROGRAMS.items():
            if options.only and not any(word in make.__name__ for word in options.only):
                continue
            for size in [options.size] if options.size else sizes:
                path = directory / f"{make.__name__}_{size}.py"
                text = make(size)
                path.write_text(text, encoding="utf-8")
                checked = cost(path)
                # a check that does not end is one of a fix, too
                found = [checked, checked if checked.remark == ENDED else cost(path, "--diff")]
                rows.append(row(make.__name__, size, text.count("\n"), found))
                print(rows[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if options.write:
        write_section("extremes", f"{machine()}:\n\n{HEAD}\n" + "\n".join(rows))


if __name__ == "__main__":
    main()
