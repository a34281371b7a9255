"""What is said after the findings: the count, what can be fixed, and the table of ``--statistics``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from nanlint.diagnostic import Confidence, Diagnostic, Severity
from nanlint.lint.fixing import applicable
from nanlint.output.address import link_to
from nanlint.output.paint import Paint, plain

if TYPE_CHECKING:
    from nanlint.output.view import View


def render_footer(view: View, *, fixing: bool = False) -> str:
    """The closing lines, Ruff's for the most part; ``fixing`` says that what can be fixed is fixed already.

    They are empty if no file was read and nothing is to be reported.
    """
    report = view.report
    remaining, fixed = report.diagnostics, report.fixed
    if not remaining and not fixed:
        lines = _nothing_found(report.checked, report.numeric) if report.checked else ""
    elif fixed:
        left = f" ({len(fixed)} fixed, {len(remaining)} remaining)"
        lines = f"Found {counted([*fixed, *remaining])}{left}.\n" + _hidden(remaining, view)
    else:
        lines = f"Found {counted(remaining)}.\n" + (_hidden if fixing else _fixable)(remaining, view)
    lines += "".join(f"{findings(count)} not shown: {how}.\n" for how, count in report.known.items())
    return lines + _below_threshold(report.below_threshold)


def _nothing_found(files: int, numeric: int) -> str:
    using = {0: "none uses", 1: "1 uses"}.get(numeric, f"{numeric} use")
    return f"No findings in {files} file{'' if files == 1 else 's'} ({using} a numeric framework).\n"


def _below_threshold(counts: Mapping[Confidence, int]) -> str:
    if not counts:
        return ""
    said = " and ".join(f"{counts[one]} {one}" for one in sorted(counts, reverse=True))
    return f"{said} finding{'' if sum(counts.values()) == 1 else 's'} not shown: use --confidence {min(counts)}\n"


def findings(count: int) -> str:
    """So many findings, in words."""
    return f"{count} finding{'' if count == 1 else 's'}"


def counted(diagnostics: Sequence[Diagnostic]) -> str:
    """How many errors and warnings there are, and how many findings that are neither: ``2 errors, 1 info``."""
    counts = Counter(one.severity for one in diagnostics)
    return ", ".join(f"{counts[one]} {one}{'' if counts[one] == 1 else 's'}" for one in Severity if counts[one])


def _fixable(remaining: Sequence[Diagnostic], view: View) -> str:
    now = sum(applicable(diagnostic, unsafe=view.unsafe) for diagnostic in remaining)
    if now == 0:
        return _hidden(remaining, view)
    hidden = _count_hidden(remaining, view.unsafe)
    more = f" ({_hidden_phrase(hidden)})" if hidden else ""
    return f"{view.paint('[*]', 'mark')} {now} fixable with the `--fix` option{more}.\n"


def _hidden(remaining: Sequence[Diagnostic], view: View) -> str:
    hidden = _count_hidden(remaining, view.unsafe)
    return f"No fixes available ({_hidden_phrase(hidden)}).\n" if hidden else ""


def _count_hidden(remaining: Sequence[Diagnostic], unsafe: bool) -> int:
    return 0 if unsafe else sum(applicable(one, unsafe=True) and not applicable(one, unsafe=False) for one in remaining)


def _hidden_phrase(hidden: int) -> str:
    noun = "fix" if hidden == 1 else "fixes"
    return f"{hidden} hidden {noun} can be enabled with the `--unsafe-fixes` option"


def render_fixed(fixed: Sequence[Diagnostic]) -> str:
    """What was fixed: by file, how often each rule."""
    counts = Counter((one.path, one.code, one.name) for one in fixed)
    lines = [f"Fixed {findings(len(fixed))}:\n"]
    for path, of_file in groupby(sorted(counts), key=itemgetter(0)):
        lines.append(f"- {path}:\n")
        lines += [f"    {counts[one]} × {one[1]} ({one[2]})\n" for one in of_file]
    return "".join(lines)


def render_statistics(
    diagnostics: Sequence[Diagnostic], *, unsafe: bool = False, paint: Paint = plain, as_json: bool = False
) -> str:
    """Count, code, fixable mark ([*] all, [-] some, [ ] none) and name a rule, most frequent first."""
    counts = Counter(diagnostic.code for diagnostic in diagnostics)
    fixable = Counter(diagnostic.code for diagnostic in diagnostics if applicable(diagnostic, unsafe=unsafe))
    names = {diagnostic.code: diagnostic.name for diagnostic in diagnostics}
    ordered = sorted(counts, key=lambda code: (-counts[code], code))
    if as_json:
        rows = [
            {
                "code": code,
                "name": names[code],
                "count": counts[code],
                "fixable": fixable[code] == counts[code],
                "fixable_count": fixable[code],
            }
            for code in ordered
        ]
        return json.dumps(rows, indent=2) + "\n"
    width = len(str(max(counts.values(), default=0)))
    lines = []
    for code in ordered:
        mark = "[*]" if fixable[code] == counts[code] else "[-]" if fixable[code] else "[ ]"
        linked = paint(code, "error", link=link_to(code, names[code]))
        lines.append(f"{counts[code]:>{width}}\t{linked}\t{paint(mark, 'mark')} {names[code]}\n")
    return "".join(lines)
