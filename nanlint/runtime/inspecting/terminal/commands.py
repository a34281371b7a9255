"""The commands over one run, under tfdbg's names and shorter ones."""

from __future__ import annotations

import cmd
import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from rich.text import Text

from nanlint.runtime.events import Frame
from nanlint.runtime.inspecting.model import Incident, Run, Seen, line_in, told_of
from nanlint.runtime.inspecting.terminal import elements
from nanlint.runtime.inspecting.terminal.printing import MOST, VERDICT_STYLES, Printer, bar
from nanlint.runtime.inspecting.terminal.reading import Mistake, named, number, pattern, read, words
from nanlint.runtime.inspecting.terminal.selecting import Numbered, Selection, array_of, filtered

#: lines of source before and after; rows of a tensor that are printed without -a
_AROUND, _ROWS = 4, 100

#: what ``lt -s`` sorts by
KEYS: dict[str, Callable[[Run, int, Seen], Any]] = {
    "": lambda _, i, one: i,
    "name": lambda _, i, one: one.name,
    "step": lambda _, i, one: (one.step, i),
    "size": lambda _, i, one: (-one.health.size, i),
    "op_type": lambda run, i, one: "" if one.node is None else run.nodes[one.node].op,
}

COMMANDS = ("alerts", "run", "lt", "pt", "li", "lo", "ni", "where", "ps", "ls", "eval")
#: beside those of tfdbg
OTHERS = ("step", "layers", "verdicts", "rank", "help", "quit")


#: tfdbg's long names
LONG = {"list_tensors": "lt", "print_tensor": "pt", "node_info": "ni", "list_inputs": "li", "list_outputs": "lo"}
LONG |= {"print_source": "ps", "list_source": "ls", "r": "run"}


class Terminal(cmd.Cmd):
    """Commands over one run, read one after the other from a terminal or a pipe, with completion of names."""

    prompt = "nanlint> "
    #: by their short names, as help lists them
    commands: tuple[str, ...] = COMMANDS + OTHERS

    def __init__(self, run: Run, out: IO[str], stdin: IO[str] | None = None) -> None:
        super().__init__(stdin=stdin, stdout=out)
        self.use_rawinput = stdin is None
        self.run = run
        self._printer = Printer(run, out)
        self._print = self._printer.print
        self._selected = Selection(run)
        self._last = ""
        first = run.first_bad
        self._incident = first if first is not None else 0 if run.incidents else None
        if self._incident is not None:
            self._choose(self._incident)

    def interact(self) -> None:
        """Say what the run was, then do commands until quit or the end of input. Ctrl-C forgets a half-typed one."""
        self._printer.summary()
        self.onecmd("alerts")
        self._print("Type help for the commands, quit to leave.", "dim")
        self.prompt_user()

    def prompt_user(self) -> None:
        """Do commands until one leaves."""
        if self.use_rawinput:
            with contextlib.suppress(ImportError):
                import readline

                readline.set_completer_delims(" ")
        else:
            self.prompt = ""
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
        name, blank, rest = line.strip().partition(" ")
        return super().onecmd(f"{LONG.get(name, name)}{blank}{rest}")

    def emptyline(self) -> bool:
        """Nothing is repeated."""
        return False

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Names of commands."""
        return [name for name in (*self.commands, *LONG) if name.startswith(text)]

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        """Names of tensors and nodes."""
        names = [tensor.name for tensor in self.run.tensors] + [node.name for node in self.run.nodes]
        return [name for name in names if name.startswith(text)]

    def default(self, line: str) -> None:
        """A search in the tensor that was printed last (`/inf`), one of its elements (`@[10,0]`), or no command."""
        if line[0] in "/@" and not self._last:
            raise Mistake(f"{line}: no tensor was printed yet: pt NAME prints one")
        if line[0] == "/":
            self.do_pt(f"{self._last} {line}")
        elif line[0] == "@":
            self.do_pt(f"{self._last}[{line[1:].strip().strip('[]')}]")
        else:
            raise Mistake(f'unknown command "{line.split()[0]}"; the commands are {", ".join(self.commands)}')

    # ── commands ────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_alerts(self, line: str) -> None:
        """alerts [N]: list the alerts in order, or show all about alert N and select it for li, lo and where."""
        asked = words(line)
        if asked:
            self._choose(number(asked[0], len(self.run.incidents), "alert"))
            self._printer.tell(self.run.incidents[self._incident or 0])
            return
        if not self.run.incidents:
            self._print("no alerts: no problem was seen", "green")
            return
        table = self._printer.table("#", "step", "alert", "where", "times")
        for i, incident in enumerate(self.run.incidents):
            where = self._printer.placed(incident.blamed)
            rank = f"  ({self.run.who(incident.process)})" if len(self.run.members) > 1 else ""
            style = "red" if incident.kind in ("birth", "confirmed") else "yellow"
            title = incident.title if incident.kind == "birth" else f"{incident.kind}: {incident.title}"
            table.add_row(str(i + 1), str(incident.step), Text(title, style), where + rank, f"{incident.count:,}")
        self._printer.show(table)

    def do_run(self, line: str) -> None:
        """run [-f FILTER] [-fenn REGEX] [-t N] [-n]: go to the next recorded step, or the next where FILTER holds.

        lt and pt are about this step from then on. -t: go N steps; -n: go to the end; -fenn: leave out tensors by name.
        """
        asked = read("run", line)
        steps = [one for one in self._recorded() if self._selected.step is None or one > self._selected.step]
        if asked.filter is not None:
            bad = {one.step for _, one in self._narrowed(enumerate(self.run.tensors), asked)}
            steps = [one for one in steps if one in bad]
        count = len(steps) if asked.no_debug else max(asked.times, 1)
        if not steps or len(steps) < count:
            where = "" if self._selected.step is None else f" after step {self._selected.step}"
            what = f" with a tensor for which {asked.filter} holds" if asked.filter else ""
            last = self.run.members[self._printer.process].last_words
            raise Mistake(f"no further step{what} was recorded{where}; the program {last}")
        self._selected.step = steps[count - 1]
        self._arrive(self._selected.step)

    def do_lt(self, line: str) -> None:
        """lt [-f FILTER] [-n REGEX] [-t REGEX] [-s name|step|size|op_type] [-r]: list tensors (list_tensors).

        FILTER: has_inf_or_nan, all_zero, saturated, range>1e4, FILE.py:FUNCTION. -n: by name, -t: by op, -s: sort,
        -r: in reverse, -fenn REGEX: leave out by name.
        """
        asked = read("lt", line)
        listed = self._selected.tensors()
        chosen = listed
        if asked.filter is not None:
            chosen = self._narrowed(chosen, asked)
        if asked.named is not None:
            name = pattern(asked.named)
            chosen = [(i, tensor) for i, tensor in chosen if name.search(tensor.name)]
        if asked.op is not None:
            op = pattern(asked.op)
            chosen = [(i, t) for i, t in chosen if t.node is not None and op.search(self.run.nodes[t.node].op)]
        chosen = sorted(chosen, key=lambda pair: KEYS[asked.sort](self.run, *pair), reverse=asked.reverse)
        self._printer.tensors(chosen[:MOST])
        more = f", the first {MOST} shown: narrow them down with -n or -f" if len(chosen) > MOST else ""
        at = "" if self._selected.step is None else f" of step {self._selected.step}"
        self._print(f"{len(chosen):,} of {len(listed):,} tensors{at}{more}", "dim")

    def do_pt(self, line: str) -> None:
        """pt NAME[SLICE] [/REGEX/] [-r RANGES] [-a] [-w FILE]: show a tensor (print_tensor), a part, or a search.

        NAME: as lt lists it, a part of it, its number, or OP:SLOT (Log:0). x[0:3, -1]: a part. /nan/: the elements that
        match; -r [[-inf,-5],[5,inf]]: those in a range. -a: all rows. -w: write it to a file of NumPy.
        """
        before, search = elements.asked(line)
        if not before.strip():
            raise Mistake("pt needs the name or the number of a tensor: lt lists them")
        asked = read("pt", before)
        name, part = elements.sliced(asked.name)
        index, tensor = self._selected.tensor(name)
        health = tensor.health
        shape = health.shape or ((len(tensor.values),) if len(tensor.values) > 1 else ())
        wanted = elements.indices(part, shape)
        matches: Callable[[str], Any] | None = None if search is None else pattern(search).search
        if asked.ranges:
            matches = elements.in_ranges(asked.ranges)
        if not tensor.values and (part or matches):
            raise Mistake("the run recorded only its breakdown, no elements")
        self._last = tensor.name
        self._print(f"{index + 1}. {tensor.name}", "bold")
        self._print(f"   {tensor.typed}, step {tensor.step}{self._printer.of_rank(tensor)}")
        self._printer.rich("   ", bar(health, tensor.finite), f" {tensor.breakdown}")
        if health.low is not None and health.high is not None:
            self._print(f"   finite elements from {health.low:.6g} to {health.high:.6g}")
        if not tensor.values:
            self._print("   the run recorded only its breakdown, no elements", "dim")
            return
        if matches is None:
            rows = list(elements.rows(wanted, shape, tensor.values))
            found = rows
        else:
            there = elements.elements(wanted, shape, tensor.values)
            found = [f"[{', '.join(map(str, at))}] = {value}" for at, value in there if matches(value)]
        for row in found if asked.all else found[:_ROWS]:
            self._print(f"   {row}")
        if len(found) > _ROWS and not asked.all:
            self._print(f"   … and {len(found) - _ROWS:,} more: pt -a prints all", "dim")
        if matches is not None:
            self._print(f"   {len(found):,} matched")
        kept = len(tensor.values)
        if kept < health.size:
            self._print(f"   the run recorded the first {kept:,} of {health.size:,} elements", "dim")
        if asked.write_path:
            self._write(asked.write_path, self._array(tensor))

    def do_li(self, line: str) -> None:
        """li [-r] [-d DEPTH] [-t] [NAME]: list the inputs of an op (list_inputs), and the ops they come from.

        -r: also their inputs, up to DEPTH; -t: with what they compute.
        """
        self._list("inputs", line)

    def do_lo(self, line: str) -> None:
        """lo [-r] [-d DEPTH] [-t] [NAME]: list the outputs of an op (list_outputs), and the ops that use them.

        -r: also their users, up to DEPTH; -t: with what they compute.
        """
        self._list("outputs", line)

    def do_ni(self, line: str) -> None:
        """ni [-d] [-t] [NAME]: show an op (node_info): its framework, location, number of executions and alerts.

        -d: its recorded tensors; -t: the stack.
        """
        asked = read("ni", line)
        index = self._selected.op(asked.name)
        node = self.run.nodes[index]
        self._print(node.name, "bold")
        direction = "backward" if node.backward else "forward"
        self._print(f"   op {node.op}, {node.framework or 'flagged by the linter'}, {direction}")
        if node.path:
            self._print(f"   {self._printer.placed(self._frame(index))}")
        executions = sum(self._printer.executions(index))
        if executions:
            self._print(f"   executed {executions:,} times")
        for i, incident in enumerate(self.run.incidents):
            if incident.node == index:
                self._print(f"   alert {i + 1}: {incident.title} (step {incident.step})", "red")
        if asked.attributes:
            self._print("   attributes of ops are not recorded", "dim")
        if asked.dumps:
            self._printer.tensors((i, self.run.tensors[i]) for i in self.run.of_node(index))
        if asked.traceback:
            self.do_where(node.name)

    def do_where(self, line: str) -> None:
        """where [NAME]: show the stack, outermost frame first, as in a traceback."""
        incident = None if self._incident is None else self.run.incidents[self._incident]
        if line.strip():
            node = self._selected.op(line.strip())
            incident = next((one for one in self.run.incidents if one.node == node), None)
        if incident is None:
            frame = self._frame(self._selected.op(line.strip()))
            self._printer.frames("", (frame,) if frame.path else ())
        elif incident.backward and incident.forward:
            self._printer.frames("where the op of this gradient was called:", incident.forward)
            self._printer.frames("where the gradient was requested:", incident.frames)
        else:
            self._printer.frames("", incident.frames)

    def do_ps(self, line: str) -> None:
        """ps [FILE[:LINE]] [-b LINE] [-t]: show source (print_source) around the alert or a line, with its findings.

        FILE or -b LINE: the file from a line on, with the ops of each line; -t: with their tensors.
        """
        asked = read("ps", line)
        path, row = self._line(asked.path, asked.line_begin)
        file = self.run.files.get(path)
        if file is None:
            raise Mistake(f"the source of {path} was not recorded")
        note = " (current version: the run did not record it)" if file.current else ""
        self._print(f"{self.run.shown(path)}{note}", "bold")
        lines = file.text.splitlines()
        whole = asked.line_begin is not None or not row
        first = max((asked.line_begin or row) - (0 if whole else _AROUND), 1)
        for i, text in enumerate(lines[first - 1 : None if whole else row + _AROUND], first):
            mark = ">" if i == row else " "
            self._print(f" {mark} {i:>5} │ {text}", "bold" if i == row else "")
            for name in self._names_at(path, i, asked.tensors) if whole else ():
                self._print(f"         │   {name}", "dim")
        for finding in self.run.findings:
            if finding.path == path and (
                whole or finding.diagnostic.span.row <= row <= finding.diagnostic.span.end_row
            ):
                self._printer.finding(finding)

    def do_ls(self, line: str) -> None:
        """ls [-p REGEX] [-n REGEX]: list the source files (list_source), with how many ops and alerts they have.

        -p: files by path; -n: ops by name.
        """
        asked = read("ls", line)
        path, name = pattern(asked.path_filter), pattern(asked.named)
        table = self._printer.table("file", "ops", "tensors", "alerts")
        for one in filter(path.search, self.run.files):
            nodes = {i for i, node in enumerate(self.run.nodes) if node.path == one and name.search(node.name)}
            tensors = sum(tensor.node in nodes for tensor in self.run.tensors)
            alerts = sum(incident.blamed is not None and incident.blamed.path == one for incident in self.run.incidents)
            table.add_row(self.run.shown(one), f"{len(nodes):,}", f"{tensors:,}", Text(str(alerts or ""), "red"))
        self._printer.show(table)

    def do_eval(self, line: str) -> None:
        """eval EXPRESSION [-w FILE]: compute with tensors in backquotes, and NumPy as np: eval "np.sum(`Log:0`)".

        -w: write the result to a file of NumPy.
        """
        asked = read("eval", line)
        names: dict[str, Any] = {}

        def bound(match: re.Match[str]) -> str:
            names[f"_{len(names)}"] = self._array(self._selected.tensor(match[1])[1])
            return f"_{len(names) - 1}"

        expression = re.sub("`([^`]+)`", bound, asked.expression)
        try:
            import numpy as np

            result = eval(expression, {"np": np, "numpy": np, **names})
        except Exception as error:
            raise Mistake(f"{asked.expression}: {type(error).__name__}: {error}") from None
        self._print(repr(result))
        if asked.write_path:
            self._write(asked.write_path, result)

    def do_step(self, line: str) -> None:
        """step [N]: list the recorded steps, or the ops that one step executed."""
        asked = words(line)
        member = self.run.members[self._printer.process]
        if not member.steps:
            raise Mistake(f"no steps of {member.label} were recorded")
        if not asked:
            self._printer.steps(member.steps)
            return
        wanted = number(asked[0], None, "step")
        step = next((one for one in member.steps if one.number == wanted), None)
        if step is None:
            numbers = [one.number for one in member.steps]
            near = min(numbers, key=lambda one: abs(one - wanted))
            raise Mistake(
                f"step {wanted} was not recorded; the recorded steps are {numbers[0]} to {numbers[-1]}, and the "
                f"nearest is {near}"
            )
        self._printer.step(step)

    def do_layers(self, line: str) -> None:
        """layers [REGEX]: list the layers in the last sampled steps, with their largest elements as a history."""
        member, name = self.run.members[self._printer.process], pattern(line.strip())
        layers = {one: history for one, history in member.layers.items() if name.search(one)}
        if not layers:
            raise Mistake(f"no layers of {member.label} were recorded: that needs PyTorch and --watch sentinel")
        self._printer.layers(layers)

    def do_verdicts(self, line: str) -> None:
        """verdicts: list the findings of the linter, with their verdicts in this run."""
        if not self.run.findings:
            self._print("the linter found nothing in the files of this run", "dim")
            return
        table = self._printer.table("verdict", "where", "rule", "finding", "seen")
        for finding in self.run.findings:
            verdict, said = Text(finding.verdict, VERDICT_STYLES.get(finding.verdict, "")), finding.diagnostic
            table.add_row(verdict, self._printer.where(finding), said.code, said.message, told_of(finding.of))
        self._printer.show(table)

    def do_rank(self, line: str) -> None:
        """rank [N]: list the processes of the run, or select the one whose steps are shown."""
        asked = words(line)
        if asked:
            self._printer.process = number(asked[0], len(self.run.members), "process")
        table = self._printer.table("#", "process", "frameworks", "steps", "how it ended")
        for i, member in enumerate(self.run.members):
            frameworks = ", ".join(f"{one.name} {one.version}" for one in member.frameworks)
            mark = "*" if i == self._printer.process else ""
            table.add_row(f"{i + 1}{mark}", member.label, frameworks, f"{len(member.steps):,}", member.last_words)
        self._printer.show(table)

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: list the commands, or explain one."""
        wanted = LONG.get(arg.strip(), arg.strip())
        if wanted and wanted not in self.commands:
            raise Mistake(f'unknown command "{wanted}"; the commands are {", ".join(self.commands)}')
        for name in [wanted] if wanted else self.commands:
            usage, _, says = str(getattr(self, f"do_{name}").__doc__).partition(": ")
            self._printer.rich((f"{usage}  ", "bold"), " ".join(says.split()))

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

    def _choose(self, chosen: int) -> None:
        self._incident = chosen
        self._selected.node = self.run.incidents[chosen].node
        self._printer.process = self.run.incidents[chosen].process

    def _recorded(self) -> list[int]:
        """The steps of the selected process of which something was recorded."""
        mine = self._printer.process
        known = {step.number for step in self.run.members[mine].steps}
        known |= {one.step for one in self.run.tensors if one.process == mine}
        return sorted(known)

    def _arrive(self, step: int) -> None:
        """Say what a step is, and select its first alert."""
        member = self.run.members[self._printer.process]
        numbers = next((one.numbers for one in member.steps if one.number == step), {})
        here = [
            i for i, one in enumerate(self.run.incidents) if (one.step, one.process) == (step, self._printer.process)
        ]
        parts = [f"{name} {value}" for name, value in numbers.items()]
        parts.append(f"{len(self._selected.tensors()):,} tensors recorded")
        self._print(f"step {step}: {', '.join(parts)}", "bold")
        for i in here:
            self._print(f"   alert {i + 1}: {self.run.incidents[i].title}", "red")
        if here:
            self._choose(here[0])

    def _narrowed(self, tensors: Any, asked: Any) -> list[Numbered]:
        left_out = pattern(asked.exclude) if asked.exclude else None
        found = filtered(asked.filter, tensors)
        return [(i, one) for i, one in found if left_out is None or not left_out.search(one.name)]

    def _list(self, what: str, line: str) -> None:
        asked = read("li" if what == "inputs" else "lo", line)
        index = self._selected.op(asked.name)
        into = what == "inputs"
        self._print(f"{what} of {self.run.nodes[index].name}", "bold")
        tensors = self._selected.inputs(index) if into else self._selected.outputs(index)
        self._printer.tensors(tensors)
        next_to = self.run.producers if into else self.run.consumers
        found = next_to(index)
        for depth, node in self._tree(next_to, index, asked.depth if asked.recursive else 1):
            op = f" ({self.run.nodes[node].op})" if asked.op_type else ""
            text = line_in(self.run.files, self.run.nodes[node].path, self.run.nodes[node].line)
            indent = "  " * depth
            name = f"{self.run.nodes[node].name}{op}"
            self._print(f"{indent}{'from' if into else 'to'} {name}{f': {text}' if text else ''}")
        if not tensors and not found:
            self._print("none were recorded", "dim")

    def _tree(
        self, next_to: Callable[[int], Sequence[int]], node: int, depth: int, seen: tuple[int, ...] = ()
    ) -> Iterator[tuple[int, int]]:
        for one in next_to(node) if depth > len(seen) else ():
            yield len(seen), one
            if one not in seen and one != node:
                yield from self._tree(next_to, one, depth, (*seen, node))

    def _frame(self, node: int) -> Frame:
        one = self.run.nodes[node]
        return Frame(one.path, one.line, text=line_in(self.run.files, one.path, one.line))

    def _names_at(self, path: str, line: int, tensors: bool) -> list[str]:
        nodes = {i for i, one in enumerate(self.run.nodes) if (one.path, one.line) == (path, line)}
        if tensors:
            return [one.name for _, one in self._selected.tensors() if one.node in nodes]
        return [self.run.nodes[i].name for i in sorted(nodes)]

    def _line(self, place: str, begin: int | None) -> tuple[str, int]:
        """The file and line that are meant; 0 for a whole file."""
        incident: Incident | None = None if self._incident is None else self.run.incidents[self._incident]
        if not place:
            if incident is None or incident.blamed is None:
                raise Mistake("no line given: expected FILE or FILE:LINE")
            return incident.blamed.path, incident.blamed.line
        name, _, row = place.rpartition(":")
        if not name or not row.isdecimal():
            name, row = place, "0"
        paths = list(self.run.files)
        return paths[named(name, paths, "file", f"there are {', '.join(map(self.run.shown, paths))}")], int(row)

    def _array(self, tensor: Seen) -> Any:
        array = array_of(tensor)
        if array is None:
            kept, size = len(tensor.values), tensor.health.size
            raise Mistake(
                f"{tensor.name}: the run stored {kept:,} of {size:,} elements (nanlint verify --keep-elements stores "
                "more), or NumPy is not installed"
            )
        return array

    def _write(self, path: str, array: Any) -> None:
        import numpy

        try:
            numpy.save(path, array)
        except OSError as error:
            raise Mistake(f"{path}: could not be written: {error.strerror}") from None
        self._print(f"   written to {path}")
