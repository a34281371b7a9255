"""A run at the terminal: the commands of TensorFlow's tfdbg, for a session where there is no browser."""

from __future__ import annotations

import cmd
import contextlib
import math
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, product
from typing import IO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanlint.output.paint import visible
from nanlint.runtime.events import Frame, Step
from nanlint.runtime.filters import FilterError, filter_of
from nanlint.runtime.health import Health
from nanlint.runtime.inspecting.model import INPUT, Incident, Node, Run, Seen
from nanlint.runtime.inspecting.sources import Finding

#: columns, where what is printed is no terminal: lines are not wrapped there
_WIDE = 1000
#: lines of source before and after
_AROUND = 4
#: rows of a listing that nobody narrowed down
_MOST = 200

_VERDICT_STYLES = {
    "confirmed": "bold red",
    "close": "yellow",
    "in hindsight": "yellow",
    "clean": "green",
    "not cleared": "yellow",
    "not watched": "dim",
    "not reached": "dim",
}


class Mistake(Exception):
    """A command that cannot be done; the message says why, and what can."""


class Terminal(cmd.Cmd):
    """Commands over one run."""

    prompt = "nanlint> "

    def __init__(self, run: Run, out: IO[str], stdin: IO[str] | None = None) -> None:
        super().__init__(stdin=stdin, stdout=out)
        self.use_rawinput = stdin is None
        self.run = run
        width = None if out.isatty() else _WIDE
        self._console = Console(file=out, width=width, markup=False, highlight=False, emoji=False)
        first = run.first_bad
        self._incident = first if first is not None else 0 if run.incidents else None
        self._node = None if self._incident is None else run.incidents[self._incident].node
        self._process = 0 if self._incident is None else run.incidents[self._incident].process

    # ── the loop ────────────────────────────────────────────────────────────────────────────────────────────────────

    def interact(self) -> None:
        """Say what the run was, then do commands until quit or the end of input. Ctrl-C forgets a half-typed one."""
        if self.use_rawinput:
            with contextlib.suppress(ImportError):
                import readline

                readline.set_completer_delims(" ")
        else:
            self.prompt = ""
        self._summary()
        self._print("Type help for the commands, quit to leave.", "dim")
        while True:
            try:
                self.cmdloop()
                return
            except KeyboardInterrupt:
                self.stdout.write("\n")

    def onecmd(self, line: str) -> bool:
        """One command; a mistake is told in a line."""
        try:
            return self.perform(line)
        except Mistake as mistake:
            self._print(f"error: {mistake}", "red")
            return False

    def perform(self, line: str) -> bool:
        """One command; whether it was to leave. Raises Mistake."""
        return super().onecmd(line)

    def emptyline(self) -> bool:
        """Nothing is repeated."""
        return False

    def default(self, line: str) -> None:
        """What is no command."""
        names = ", ".join(name for name, _ in self._commands())
        raise Mistake(f'unknown command "{line.split()[0]}"; the commands are {names}')

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        """Names of tensors and nodes."""
        names = [tensor.name for tensor in self.run.tensors] + [node.name for node in self.run.nodes]
        return [name for name in names if name.startswith(text)]

    # ── commands ────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_alerts(self, line: str) -> None:
        """alerts [N]: list the alerts in order, or show all about alert N and select it for li, lo and where."""
        words = _words(line)
        if words:
            self._choose(_number(words[0], len(self.run.incidents), "alert"))
            self._tell(self.run.incidents[self._incident or 0])
            return
        if not self.run.incidents:
            self._print("no alerts: no problem was seen", "green")
            return
        table = self._table("#", "step", "alert", "where", "times")
        for number, incident in enumerate(self.run.incidents):
            where = self._placed(incident.blamed)
            rank = f"  ({self.run.who(incident.process)})" if len(self.run.members) > 1 else ""
            style = "red" if incident.kind in ("birth", "confirmed") else "yellow"
            title = incident.title if incident.kind == "birth" else f"{incident.kind}: {incident.title}"
            table.add_row(str(number + 1), str(incident.step), Text(title, style), where + rank, f"{incident.count:,}")
        self._show(table)

    def do_lt(self, line: str) -> None:
        """lt [-f FILTER] [-n REGEX] [-t REGEX] [-s name|step|size]: list the recorded tensors.

        FILTER: has_inf_or_nan, all_zero, saturated, range>1e4, MODULE:FUNCTION. -n: by name, -t: by op, -s: sort.
        """
        options = _options(line, "fnts")
        chosen = list(enumerate(self.run.tensors))
        if "f" in options:
            chosen = [(i, tensor) for i, tensor in chosen if _holds(options["f"], tensor)]
        if "n" in options:
            named = _pattern(options["n"])
            chosen = [(i, tensor) for i, tensor in chosen if named.search(tensor.name)]
        if "t" in options:
            op = _pattern(options["t"])
            chosen = [(i, t) for i, t in chosen if t.node is not None and op.search(self.run.nodes[t.node].op)]
        chosen = _sorted(chosen, options.get("s"))
        self._tensors(chosen[:_MOST])
        more = f", the first {_MOST} shown: narrow them down with -n or -f" if len(chosen) > _MOST else ""
        self._print(f"{len(chosen):,} of {len(self.run.tensors):,} tensors{more}", "dim")

    def do_pt(self, line: str) -> None:
        """pt NAME[SLICE] [/REGEX/]: show a tensor, a part of it (x[0:3, -1]), or its elements that match (/nan/)."""
        name, part, search = _asked(line)
        index, tensor = self._tensor(name)
        health = tensor.health
        shape = health.shape or ((len(tensor.values),) if len(tensor.values) > 1 else ())
        wanted = _indices(part, shape)
        pattern = None if search is None else _pattern(search)
        if not tensor.values and (part or search):
            raise Mistake("the run recorded only its breakdown, no elements")
        self._print(f"{index + 1}. {tensor.name}", "bold")
        self._print(f"   {tensor.typed}, step {tensor.step}{self._of_rank(tensor)}")
        self._console.print(Text.assemble("   ", bar(health, tensor.finite), f" {tensor.breakdown}"))
        if health.low is not None and health.high is not None:
            self._print(f"   finite elements from {health.low:.6g} to {health.high:.6g}")
        if not tensor.values:
            self._print("   the run recorded only its breakdown, no elements", "dim")
            return
        if pattern is None:
            for row in _rows(wanted, shape, tensor.values):
                self._print(f"   {row}")
        else:
            found = [(at, value) for at, value in _elements(wanted, shape, tensor.values) if pattern.search(value)]
            for at, value in found:
                self._print(f"   [{', '.join(map(str, at))}] = {value}")
            self._print(f"   {len(found):,} matched")
        kept = len(tensor.values)
        if kept < health.size:
            self._print(f"   the run recorded the first {kept:,} of {health.size:,} elements", "dim")

    def do_li(self, line: str) -> None:
        """li [NAME]: list the inputs of an op, and the ops they come from."""
        node, index = self._here(line)
        self._print(f"inputs of {node.name}", "bold")
        tensors = [i for i in self.run.of_node(index) if self.run.tensors[i].role == INPUT]
        self._tensors((i, self.run.tensors[i]) for i in tensors)
        producers = self.run.producers(index)
        self._nodes("from", producers)
        if not tensors and not producers:
            self._print("none were recorded", "dim")

    def do_lo(self, line: str) -> None:
        """lo [NAME]: list the outputs of an op, and the ops that use them."""
        node, index = self._here(line)
        self._print(f"outputs of {node.name}", "bold")
        tensors = [i for i in self.run.of_node(index) if self.run.tensors[i].role != INPUT]
        self._tensors((i, self.run.tensors[i]) for i in tensors)
        consumers = self.run.consumers(index)
        self._nodes("to", consumers)
        if not tensors and not consumers:
            self._print("none were recorded", "dim")

    def do_ni(self, line: str) -> None:
        """ni [NAME]: show an op: its framework, location, number of executions and alerts."""
        node, index = self._here(line)
        self._print(node.name, "bold")
        direction = "backward" if node.backward else "forward"
        self._print(f"   op {node.op}, {node.framework or 'flagged by the linter'}, {direction}")
        if node.path:
            self._print(f"   {self._placed(Frame(node.path, node.line, text=self._text(node.path, node.line)))}")
        executions = sum(self._executions(index))
        if executions:
            self._print(f"   executed {executions:,} times")
        for number, incident in enumerate(self.run.incidents):
            if incident.node == index:
                self._print(f"   alert {number + 1}: {incident.title} (step {incident.step})", "red")

    def do_where(self, line: str) -> None:
        """where [NAME]: show the stack, outermost frame first, as in a traceback."""
        incident = self._incident_of(line)
        if incident is None:
            node, _ = self._here(line)
            self._frames("", (Frame(node.path, node.line, text=self._text(node.path, node.line)),) if node.path else ())
            return
        if incident.backward and incident.forward:
            self._frames("where the op of this gradient was called:", incident.forward)
            self._frames("where the gradient was requested:", incident.frames)
        else:
            self._frames("", incident.frames)

    def do_ps(self, line: str) -> None:
        """ps [FILE:LINE]: show the source around the alert (or a line), with its findings and fixes."""
        path, row = self._line(line)
        file = self.run.files.get(path)
        if file is None:
            raise Mistake(f"the source of {path} was not recorded")
        note = " (current version: the run did not record it)" if file.current else ""
        self._print(f"{self.run.shown(path)}{note}", "bold")
        lines = file.text.splitlines()
        first = max(row - _AROUND, 1)
        for number, text in enumerate(lines[first - 1 : row + _AROUND], first):
            mark = ">" if number == row else " "
            self._print(f" {mark} {number:>5} │ {text}", "bold" if number == row else "")
        for finding in self.run.findings:
            if finding.path == path and finding.span.row <= row <= finding.span.end_row:
                self._finding(finding)

    def do_step(self, line: str) -> None:
        """step [N]: list the recorded steps, or the ops that one step executed."""
        words = _words(line)
        member = self.run.members[self._process]
        if not member.steps:
            raise Mistake(f"no steps of {member.label} were recorded")
        if not words:
            self._steps(member.steps)
            return
        wanted = _number(words[0], None, "step")
        step = next((one for one in member.steps if one.number == wanted), None)
        if step is None:
            numbers = [one.number for one in member.steps]
            near = min(numbers, key=lambda number: abs(number - wanted))
            raise Mistake(
                f"step {wanted} was not recorded; the recorded steps are {numbers[0]} to {numbers[-1]}, and the "
                f"nearest is {near}"
            )
        self._step(step)

    def do_verdicts(self, line: str) -> None:
        """verdicts: list the findings of the linter, with their verdicts in this run."""
        if not self.run.findings:
            self._print("the linter found nothing in the files of this run", "dim")
            return
        table = self._table("verdict", "where", "rule", "finding", "seen")
        for finding in self.run.findings:
            where = f"{self.run.shown(finding.path)}:{finding.span.row}:{finding.span.column}"
            verdict = Text(finding.verdict, _VERDICT_STYLES.get(finding.verdict, ""))
            table.add_row(verdict, where, finding.code, finding.message, finding.told)
        self._show(table)

    def do_rank(self, line: str) -> None:
        """rank [N]: list the processes of the run, or select the one whose steps are shown."""
        words = _words(line)
        if words:
            self._process = _number(words[0], len(self.run.members), "process")
        table = self._table("#", "process", "frameworks", "steps", "how it ended")
        for number, member in enumerate(self.run.members):
            frameworks = ", ".join(f"{one.name} {one.version}" for one in member.frameworks)
            mark = "*" if number == self._process else ""
            words = [f"{number + 1}{mark}", member.label, frameworks, f"{len(member.steps):,}", member.last_words]
            table.add_row(*words)
        self._show(table)

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: list the commands, or explain one."""
        wanted = arg.strip()
        commands = dict(self._commands())
        if wanted and wanted not in commands:
            raise Mistake(f'unknown command "{wanted}"; the commands are {", ".join(commands)}')
        for text in [commands[wanted]] if wanted else commands.values():
            usage, _, says = text.partition(": ")
            lines = " ".join(says.split())
            self._console.print(Text.assemble((f"{usage}  ", "bold"), lines))

    def do_quit(self, line: str) -> bool:
        """quit: leave (also: exit, or the end of input)."""
        return True

    do_exit = do_quit

    def do_EOF(self, line: str) -> bool:  # noqa: N802  (the name that cmd looks for)
        """The end of input: leave."""
        if self.use_rawinput:
            self.stdout.write("\n")
        return True

    # ── what is meant ───────────────────────────────────────────────────────────────────────────────────────────────

    def _commands(self) -> Iterator[tuple[str, str]]:
        for name in ("alerts", "lt", "pt", "li", "lo", "ni", "where", "ps", "step", "verdicts", "rank", "help", "quit"):
            yield name, str(getattr(self, f"do_{name}").__doc__)

    def _choose(self, number: int) -> None:
        self._incident = number
        self._node = self.run.incidents[number].node
        self._process = self.run.incidents[number].process

    def _tensor(self, name: str) -> tuple[int, Seen]:
        """A tensor by its number, its name or a part of it that no other has."""
        tensors = self.run.tensors
        if not tensors:
            raise Mistake("the run recorded no tensors: there was no origin, and no filter matched")
        if name.isdecimal():
            number = _number(name, len(tensors), "tensor")
            return number, tensors[number]
        index = _named(name, [tensor.name for tensor in tensors], "tensor", "lt lists them")
        return index, tensors[index]

    def _here(self, line: str) -> tuple[Node, int]:
        """The op that is meant: by its name, by one of its tensors, or the one of the alert that was last looked at."""
        name = line.strip()
        if not name:
            if self._node is None:
                raise Mistake(
                    "no op is selected: name one (lt lists the tensors with their ops), or select an alert with an op"
                )
            return self.run.nodes[self._node], self._node
        tensors = [tensor.name for tensor in self.run.tensors]
        node: int | None = None
        if name.isdecimal():
            node = self._tensor(name)[1].node
        elif name in tensors:
            node = self.run.tensors[tensors.index(name)].node
        else:
            node = _named(name, [one.name for one in self.run.nodes], "op", "lt lists tensors with their ops")
        if node is None:
            raise Mistake(f"it is not known which op {name} belongs to")
        self._node = node
        return self.run.nodes[node], node

    def _incident_of(self, line: str) -> Incident | None:
        if line.strip():
            _, node = self._here(line)
            return next((incident for incident in self.run.incidents if incident.node == node), None)
        return None if self._incident is None else self.run.incidents[self._incident]

    def _line(self, line: str) -> tuple[str, int]:
        place = line.strip()
        if not place:
            incident = None if self._incident is None else self.run.incidents[self._incident]
            if incident is None or incident.blamed is None:
                raise Mistake("no line given: expected FILE:LINE")
            return incident.blamed.path, incident.blamed.line
        name, _, row = place.rpartition(":")
        if not name or not row.isdecimal():
            raise Mistake(f'"{place}" is not FILE:LINE')
        paths = list(self.run.files)
        return paths[_named(name, paths, "file", f"there are {', '.join(map(self.run.shown, paths))}")], int(row)

    # ── what is said ────────────────────────────────────────────────────────────────────────────────────────────────

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(Text(visible(text), style), soft_wrap=True)

    def _show(self, table: Table) -> None:
        with self._console.capture() as shown:
            self._console.print(table)
        self.stdout.write("".join(f"{line.rstrip()}\n" for line in shown.get().splitlines()))

    def _table(self, *columns: str) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        for column in columns:
            table.add_column(column, overflow="fold")
        return table

    def _summary(self) -> None:
        first = self.run.members[0].started
        self._print(f"{self.run.origin}", "bold")
        command = self.run.command or "(no command)"
        many = f", {len(self.run.members)} processes" if len(self.run.members) > 1 else ""
        self._print(f"{command} · watch {first.watch}{many} · {self.run.members[0].last_words}")
        if self.run.incidents and self.run.verdict:
            self._print(self.run.verdict)
        damaged = sum(member.damaged for member in self.run.members)
        if damaged:
            self._print(f"{damaged} damaged event{'' if damaged == 1 else 's'} left out", "yellow")
        for note in self.run.notes:
            self._print(f"note: {note}", "yellow")
        self.do_alerts("")

    def _tell(self, incident: Incident) -> None:
        self._print(incident.title, "bold red")
        last = f", {incident.count:,} times until step {incident.last_step}" if incident.count > 1 else ""
        compiled = f", compiled by {incident.compiled}" if incident.compiled else ""
        self._print(f"   {incident.framework or incident.kind}, step {incident.step}{last}{compiled}")
        if incident.blamed is not None:
            self._print(f"   {self._placed(incident.blamed)}")
        self._tensors((i, self.run.tensors[i]) for i in (*incident.inputs, *incident.outputs))
        for name, value in incident.details.items():
            self._print(f"   {name}: {value}")
        if incident.note:
            self._print(f"   note: {incident.note}")
        if incident.finding is not None:
            self._finding(self.run.findings[incident.finding])
        if incident.reproduction:
            self._print("   a program that reproduces it:", "bold")
            for text in incident.reproduction.splitlines():
                self._print(f"     {text}")

    def _finding(self, finding: Finding) -> None:
        where = f"{self.run.shown(finding.path)}:{finding.span.row}:{finding.span.column}"
        self._print(f"{where} {finding.code} [{finding.confidence}] {finding.message}")
        self._print(f"   {finding.verdict}: {finding.told}", _VERDICT_STYLES.get(finding.verdict, ""))
        if finding.fix:
            title = "suggestion" if finding.applicability == "display" else f"fix ({finding.applicability})"
            self._print(f"   {title}: {finding.fix}")
        for text in finding.diff.splitlines():
            self._print(f"   {text}", {"+": "green", "-": "red", "@": "cyan"}.get(text[:1], ""))

    def _tensors(self, tensors: Iterable[tuple[int, Seen]]) -> None:
        rows = list(tensors)
        if not rows:
            return
        table = self._table("#", "tensor", "", "dtype and shape", "bar", "breakdown", "step")
        for index, tensor in rows:
            breakdown = Text(tensor.breakdown, "red" if tensor.bad else "")
            words = [str(index + 1), tensor.name, tensor.role, tensor.typed]
            table.add_row(*words, bar(tensor.health, tensor.finite), breakdown, str(tensor.step))
        self._show(table)

    def _nodes(self, label: str, nodes: Sequence[int]) -> None:
        for node in nodes:
            one = self.run.nodes[node]
            text = self._text(one.path, one.line)
            self._print(f"{label} {one.name}{f': {text}' if text else ''}")

    def _frames(self, title: str, frames: Sequence[Frame]) -> None:
        if title:
            self._print(title, "bold")
        if not frames:
            self._print("no frame of your code is known", "dim")
        for frame in reversed(frames):
            function = f", in {frame.function}" if frame.function else ""
            self._print(f'  File "{frame.path}", line {frame.line}{function}')
            text = frame.text or self._text(frame.path, frame.line)
            if text:
                self._print(f"    {text}")

    def _steps(self, steps: Sequence[Step]) -> None:
        table = self._table("step", "seconds", "ops", "numbers", "alerts")
        for step in steps[:_MOST]:
            alerts = sum(i.step == step.number and i.process == self._process for i in self.run.incidents)
            numbers = ", ".join(f"{name} {value}" for name, value in step.numbers.items())
            ops = self._trace(step)
            table.add_row(
                str(step.number), f"{step.seconds:.4f}", f"{len(ops):,}", numbers, Text(str(alerts or ""), "red")
            )
        self._show(table)
        if len(steps) > _MOST:
            self._print(f"the first {_MOST} of {len(steps):,} steps; step N shows a single one", "dim")

    def _step(self, step: Step) -> None:
        numbers = "".join(f", {name} {value}" for name, value in step.numbers.items())
        self._print(f"step {step.number}: {step.seconds:.4f} s{numbers}", "bold")
        ops = self._trace(step)
        nodes = self.run.members[self._process].nodes
        lines = [(op, len(list(same))) for op, same in groupby(ops)]
        for op, count in lines[:_MOST]:
            node = nodes.get(op)
            name = "an op that was not recorded" if node is None else self.run.nodes[node].name
            self._print(f"   {name}{f'  × {count:,}' if count > 1 else ''}")
        if len(lines) > _MOST:
            self._print(f"   … and {len(lines) - _MOST:,} more", "dim")
        if not ops:
            self._print("   its ops were not recorded", "dim")
        for number, incident in enumerate(self.run.incidents):
            if incident.step == step.number and incident.process == self._process:
                self._print(f"   alert {number + 1}: {incident.title}", "red")

    def _trace(self, step: Step) -> tuple[int, ...]:
        member = self.run.members[self._process]
        return member.traces.get(step.trace, ()) if step.trace is not None else ()

    def _executions(self, node: int) -> Iterator[int]:
        for member in self.run.members:
            own = {number for number, one in member.nodes.items() if one == node}
            often = {trace: sum(op in own for op in ops) for trace, ops in member.traces.items()}
            yield sum(often.get(step.trace, 0) for step in member.steps if step.trace is not None)

    def _placed(self, frame: Frame | None) -> str:
        if frame is None:
            return ""
        text = frame.text or self._text(frame.path, frame.line)
        return f"{self.run.shown(frame.path)}:{frame.line}{f': {text}' if text else ''}"

    def _text(self, path: str, line: int) -> str:
        file = self.run.files.get(path)
        lines = file.text.splitlines() if file else []
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def _of_rank(self, tensor: Seen) -> str:
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


# ── how a command is read ───────────────────────────────────────────────────────────────────────────────────────────


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise Mistake(f"{line}: {str(error).lower()}") from None


def _options(line: str, letters: str) -> dict[str, str]:
    """``-f VALUE`` and the like, by letter."""
    words = _words(line)
    found: dict[str, str] = {}
    known = " ".join(f"-{letter}" for letter in letters)
    while words:
        option = words.pop(0)
        letter = option[1:2]
        if not option.startswith("-") or not letter or letter not in letters:
            raise Mistake(f'"{option}" is not one of {known}')
        value = option[2:] or (words.pop(0) if words else "")
        if not value:
            raise Mistake(f"-{letter} needs a value")
        found[letter] = value
    return found


def _number(word: str, count: int | None, what: str) -> int:
    """With a count, a 1-based number as an index; else any number."""
    if not word.lstrip("#").isdecimal():
        raise Mistake(f'"{word}" is not the number of a{"n" if what[0] in "aeiou" else ""} {what}')
    number = int(word.lstrip("#"))
    if count is None:
        return number
    if not 1 <= number <= count:
        raise Mistake(f"there is no {what} {number}; the run has {count:,}")
    return number - 1


def _named(name: str, names: Sequence[str], what: str, hint: str) -> int:
    if name in names:
        return names.index(name)
    alike = [i for i, one in enumerate(names) if name.lower() in one.lower()]
    if len(alike) == 1:
        return alike[0]
    if not alike:
        raise Mistake(f'there is no {what} "{name}": {hint}')
    shown = ", ".join(names[i] for i in alike[:6])
    raise Mistake(f'"{name}" could be {shown}{", …" if len(alike) > 6 else ""}: use a longer part')


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Mistake(f"/{text}/ is not a regular expression: {error}") from None


def _holds(name: str, tensor: Seen) -> bool:
    if name == tensor.filter or (name == "has_inf_or_nan" and tensor.bad):
        return True
    try:
        return filter_of(name).holds(tensor.health, None)
    except FilterError as error:
        raise Mistake(str(error)) from None
    except Exception as error:  # the user's own function, which may ask for the tensor that is no more
        raise Mistake(f'filter "{name}" failed: {type(error).__name__}: {error}') from None


def _sorted(tensors: list[tuple[int, Seen]], by: str | None) -> list[tuple[int, Seen]]:
    keys: dict[str, Callable[[tuple[int, Seen]], tuple[object, ...]]] = {
        "name": lambda pair: (pair[1].name,),
        "step": lambda pair: (pair[1].step, pair[0]),
        "size": lambda pair: (-pair[1].health.size, pair[0]),
    }
    if by is None:
        return tensors
    if by not in keys:
        raise Mistake(f'cannot sort by "{by}": {", ".join(keys)}')
    return sorted(tensors, key=keys[by])


_ASKED = re.compile(r"(?P<name>.*?)\s*(?:\[(?P<part>[^\[\]]*)\])?(?:\s+/(?P<search>.*)/)?")


def _asked(line: str) -> tuple[str, str, str | None]:
    """Name, slice and search of ``pt``."""
    match = _ASKED.fullmatch(line.strip())
    if match is None or not match["name"]:
        raise Mistake("pt needs the name or the number of a tensor: lt lists them")
    return match["name"], match["part"] or "", match["search"]


def _indices(part: str, shape: tuple[int, ...]) -> list[range]:
    """For each axis of ``shape`` the indices that a slice such as ``0:3, -1`` asks for."""
    asked = [word.strip() for word in part.split(",")] if part.strip() else []
    if len(asked) > len(shape):
        raise Mistake(f"[{part}] has {len(asked)} indices, but the tensor has {len(shape)} axes")
    axes = []
    for axis, size in enumerate(shape):
        word = asked[axis] if axis < len(asked) else ":"
        try:
            numbers = [int(one) if one.strip() else None for one in word.split(":")]
            if len(numbers) > 1:
                axes.append(range(size)[slice(*numbers)])
            else:
                at = range(size)[int(word)]
                axes.append(range(at, at + 1))
        except (ValueError, TypeError):
            raise Mistake(f'"{word}" is not an index or a slice') from None
        except IndexError:
            raise Mistake(f"index {word} is out of range: axis {axis} has {size:,} elements") from None
    return axes


def _elements(
    wanted: Sequence[range], shape: tuple[int, ...], values: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], str]]:
    """The wanted elements that were kept, with their indices, in row-major order."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    near = [_below(axis, -(-len(values) // max(stride, 1))) for axis, stride in zip(wanted, strides, strict=True)]
    for at in product(*near):
        offset = sum(index * stride for index, stride in zip(at, strides, strict=True))
        if offset < len(values):
            yield at, values[offset]


def _below(axis: range, bound: int) -> range:
    """Those of ``axis`` that are less than ``bound``."""
    if axis.step > 0:
        return range(axis.start, min(axis.stop, bound), axis.step)
    beyond = max(0, -(-(axis.start - bound + 1) // -axis.step))
    return axis[beyond:]


def _rows(wanted: Sequence[range], shape: tuple[int, ...], values: Sequence[str]) -> Iterator[str]:
    """One line a row of the last axis."""
    nothing = True
    for before, row in groupby(_elements(wanted, shape, values), key=lambda pair: pair[0][:-1]):
        nothing = False
        at = f"[{', '.join([*map(str, before), ':'])}]  " if before else ""
        yield f"{at}{'  '.join(value for _, value in row)}"
    if nothing:
        yield "none of these elements was recorded"
