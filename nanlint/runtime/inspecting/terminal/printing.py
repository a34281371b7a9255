"""What is printed at the terminal: tables of tensors, alerts with their findings, frames, source, steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import IO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanlint.output.paint import visible
from nanlint.runtime.events import Frame, Layer, Stack, Step
from nanlint.runtime.health import Health
from nanlint.runtime.inspecting.model import Finding, Incident, Run, Seen, line_in, told_of

#: columns, where what is printed is no terminal: lines are not wrapped there
_WIDE = 1000
#: rows of a listing that nobody narrowed down
MOST = 200

VERDICT_STYLES = {
    "confirmed": "bold red",
    "died": "dim",
    "near": "yellow",
    "clean": "green",
    "only empty": "dim",
    "not cleared": "yellow",
    "not watched": "dim",
    "not reached": "dim",
}


#: what draws a magnitude, from the least of a history to the greatest, and one that is not known or not finite
LEVELS, UNKNOWN = "▁▂▃▄▅▆▇█", "!"


def drawn(numbers: Sequence[float | None]) -> str:
    """A history of magnitudes as a line of characters, by their logarithms; the lowest is also what is 0."""
    logs = [math.log(x) for x in numbers if x]
    low, high = min(logs, default=0.0), max(logs, default=0.0)
    per = (len(LEVELS) - 1) / max(high - low, math.log(10))
    return "".join(UNKNOWN if x is None else LEVELS[round((math.log(x) - low) * per) if x else 0] for x in numbers)


class Printer:
    """Prints parts of one run. ``process``: whose steps are shown."""

    def __init__(self, run: Run, out: IO[str]) -> None:
        self.run = run
        self.process = 0
        self._out = out
        width = None if out.isatty() else _WIDE
        self._console = Console(file=out, width=width, markup=False, highlight=False, emoji=False)

    def rich(self, *parts: object) -> None:
        """A line of styled parts."""
        self._console.print(Text.assemble(*parts))  # type: ignore[arg-type]

    def print(self, text: str, style: str = "") -> None:
        """A line."""
        self._console.print(Text(visible(text), style), soft_wrap=True)

    def show(self, table: Table) -> None:
        with self._console.capture() as shown:
            self._console.print(table)
        self._out.write("".join(f"{line.rstrip()}\n" for line in shown.get().splitlines()))

    def table(self, *columns: str) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        for column in columns:
            table.add_column(column, overflow="fold")
        return table

    def summary(self) -> None:
        first = self.run.members[0].started
        self.print(f"{self.run.origin}", "bold")
        command = self.run.command or "(no command)"
        many = f", {len(self.run.members)} processes" if len(self.run.members) > 1 else ""
        self.print(f"{command} · watch {first.watch}{many} · {self.run.members[0].last_words}")
        if self.run.incidents and self.run.verdict:
            self.print(self.run.verdict)
        damaged = sum(member.damaged for member in self.run.members)
        if damaged:
            self.print(f"{damaged} damaged event{'' if damaged == 1 else 's'} left out", "yellow")
        for note in self.run.notes:
            self.print(f"note: {note}", "yellow")

    def tell(self, incident: Incident) -> None:
        self.print(incident.title, "bold red")
        last = f", {incident.count:,} times until step {incident.last_step}" if incident.count > 1 else ""
        compiled = f", compiled by {incident.compiled}" if incident.compiled else ""
        self.print(f"   {incident.framework or incident.kind}, step {incident.step}{last}{compiled}")
        if incident.blamed is not None:
            self.print(f"   {self.placed(incident.blamed)}")
        self.tensors((i, self.run.tensors[i]) for i in (*incident.inputs, *incident.outputs))
        for name, value in incident.details.items():
            self.print(f"   {name}: {value}")
        if incident.note:
            self.print(f"   note: {incident.note}")
        if incident.finding is not None:
            self.finding(self.run.findings[incident.finding])

    def finding(self, finding: Finding) -> None:
        said = finding.diagnostic
        self.print(f"{self.where(finding)} {said.code} [{said.confidence}] {said.message}")
        self.print(f"   {finding.verdict}: {told_of(finding.of)}", VERDICT_STYLES.get(finding.verdict, ""))
        if said.fix is not None:
            self.print(f"   {said.fix.title}: {finding.fix}")
        for text in finding.diff.splitlines():
            self.print(f"   {text}", {"+": "green", "-": "red", "@": "cyan"}.get(text[:1], ""))

    def where(self, finding: Finding) -> str:
        span = finding.diagnostic.span
        return f"{self.run.shown(finding.path)}:{span.row}:{span.column}"

    def tensors(self, tensors: Iterable[tuple[int, Seen]]) -> None:
        rows = list(tensors)
        if not rows:
            return
        table = self.table("#", "tensor", "", "dtype and shape", "bar", "breakdown", "step")
        for index, tensor in rows:
            breakdown = Text(tensor.breakdown, "red" if tensor.bad else "")
            words = [str(index + 1), tensor.name, tensor.role, tensor.typed]
            table.add_row(*words, bar(tensor.health, tensor.finite), breakdown, str(tensor.step))
        self.show(table)

    def frames(self, title: str, frames: Stack) -> None:
        if title:
            self.print(title, "bold")
        if not frames:
            self.print("no frame of your code is known", "dim")
        for frame in reversed(frames):
            function = f", in {frame.function}" if frame.function else ""
            self.print(f'  File "{frame.path}", line {frame.line}{function}')
            text = frame.text or line_in(self.run.files, frame.path, frame.line)
            if text:
                self.print(f"    {text}")

    def layers(self, layers: Mapping[str, Sequence[tuple[int, Layer]]]) -> None:
        table = self.table("layer", "largest", "history", "headroom", "zeros", "gradient", "update", "where")
        for name, history in layers.items():
            last = history[-1][1]
            known = last.largest, last.headroom, last.zeros, last.gradient, last.update
            shown = ["" if x is None else f"{x:.3g}" for x in known]
            magnitudes = [one.largest if one.top else one.gradient for _, one in history]
            where = "" if last.line is None else f"{self.run.shown(last.line[0])}:{last.line[1]}"
            table.add_row(name, shown[0], drawn(magnitudes), *shown[1:], where)
        self.show(table)

    def steps(self, steps: Sequence[Step]) -> None:
        table = self.table("step", "seconds", "ops", "numbers", "alerts")
        for step in steps[:MOST]:
            alerts = sum(i.step == step.number and i.process == self.process for i in self.run.incidents)
            numbers = ", ".join(f"{name} {value}" for name, value in step.numbers.items())
            ops = self.trace(step)
            table.add_row(
                str(step.number), f"{step.seconds:.4f}", f"{len(ops):,}", numbers, Text(str(alerts or ""), "red")
            )
        self.show(table)
        if len(steps) > MOST:
            self.print(f"the first {MOST} of {len(steps):,} steps; step N shows a single one", "dim")

    def step(self, step: Step) -> None:
        numbers = "".join(f", {name} {value}" for name, value in step.numbers.items())
        self.print(f"step {step.number}: {step.seconds:.4f} s{numbers}", "bold")
        ops = self.trace(step)
        nodes = self.run.members[self.process].nodes
        lines = [(op, len(list(same))) for op, same in groupby(ops)]
        for op, count in lines[:MOST]:
            node = nodes.get(op)
            name = "an op that was not recorded" if node is None else self.run.nodes[node].name
            self.print(f"   {name}{f'  × {count:,}' if count > 1 else ''}")
        if len(lines) > MOST:
            self.print(f"   … and {len(lines) - MOST:,} more", "dim")
        if not ops:
            self.print("   its ops were not recorded", "dim")
        for number, incident in enumerate(self.run.incidents):
            if incident.step == step.number and incident.process == self.process:
                self.print(f"   alert {number + 1}: {incident.title}", "red")

    def trace(self, step: Step) -> tuple[int, ...]:
        member = self.run.members[self.process]
        return member.traces.get(step.trace, ()) if step.trace is not None else ()

    def executions(self, node: int) -> Iterator[int]:
        for member in self.run.members:
            own = {number for number, one in member.nodes.items() if one == node}
            often = {trace: sum(op in own for op in ops) for trace, ops in member.traces.items()}
            yield sum(often.get(step.trace, 0) for step in member.steps if step.trace is not None)

    def placed(self, frame: Frame | None) -> str:
        if frame is None:
            return ""
        text = frame.text or line_in(self.run.files, frame.path, frame.line)
        return f"{self.run.shown(frame.path)}:{frame.line}{f': {text}' if text else ''}"

    def of_rank(self, tensor: Seen) -> str:
        return f", {self.run.who(tensor.process)}" if len(self.run.members) > 1 else ""


def bar(health: Health, finite: int = 0, width: int = 12) -> Text:
    """The six-way breakdown as a bar, and ``finite`` elements more; a class that occurs has at least one cell."""
    text = Text()
    for count, (sign, style) in zip((*health.counts, finite), _CELLS, strict=True):
        cells = max(1, round(width * count / (health.size + finite))) if count else 0
        text.append(sign * cells, style)
    return text


#: -inf, negative, zero, positive, +inf, nan, and finite of which no more is known
_CELLS = (
    ("◀", "bold magenta"),
    ("-", "blue"),
    ("0", "dim"),
    ("+", "green"),
    ("▶", "bold yellow"),
    ("?", "bold red"),
    (".", ""),
)
