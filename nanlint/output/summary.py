"""What is said after the findings: the count, what can be fixed, and the table of ``--statistics``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from nanlint.diagnostic import Confidence, Diagnostic, Severity
from nanlint.fixing import applicable
from nanlint.output.address import link_to
from nanlint.output.paint import Paint, plain


def render_footer(
    remaining: Sequence[Diagnostic],
    *,
    files: int = 0,
    numeric: int = 0,
    fixed: int = 0,
    known: int = 0,
    below_threshold: Mapping[Confidence, int] | None = None,
    unsafe: bool = False,
    fixing: bool = False,
    paint: Paint = plain,
) -> str:
    """Ruff's closing lines; ``fixed`` were fixed, ``fixing`` says that what can be fixed is fixed already.

    ``files`` were checked, of which ``numeric`` use a framework. ``known`` are hidden by the baseline,
    ``below_threshold`` are below the confidence that is shown.
    """
    lines = _footer(remaining, files, numeric, fixed, unsafe, fixing, paint)
    if known:
        lines += f"The baseline hides {findings(known)}.\n"
    return lines + _below_threshold(below_threshold or {})


def _below_threshold(counts: Mapping[Confidence, int]) -> str:
    if not counts:
        return ""
    said = " and ".join(f"{counts[one]} {one}" for one in sorted(counts, reverse=True))
    return f"{said} finding{'' if sum(counts.values()) == 1 else 's'}: --confidence {min(counts)}\n"


def findings(count: int) -> str:
    """So many findings, in words."""
    return f"{count} finding{'' if count == 1 else 's'}"


def counted(diagnostics: Sequence[Diagnostic]) -> str:
    """How many errors, warnings and infos there are."""
    counts = Counter(one.severity for one in diagnostics)
    return ", ".join(
        f"{counts[one]} {one}{'' if counts[one] == 1 else 's'}" for one in Severity if counts[one]
    )


def _footer(
    remaining: Sequence[Diagnostic], files: int, numeric: int, fixed: int, unsafe: bool, fixing: bool, paint: Paint
) -> str:
    if not remaining and not fixed:
        in_files = f"{files} file{'' if files == 1 else 's'}"
        using = "uses" if numeric == 1 else "use"
        return f"No findings in {in_files} ({numeric} {using} a numeric framework).\n"
    if fixed:
        left = counted(remaining) or "none"
        return f"Fixed {findings(fixed)}, {left} remaining.\n" + _hidden(remaining, unsafe, paint)
    found = f"Found {counted(remaining)}.\n"
    return found + (_hidden(remaining, unsafe, paint) if fixing else _fixable(remaining, unsafe, paint))


def _fixable(remaining: Sequence[Diagnostic], unsafe: bool, paint: Paint) -> str:
    now = sum(applicable(diagnostic, unsafe=unsafe) for diagnostic in remaining)
    if now == 0:
        return _hidden(remaining, unsafe, paint)
    hidden = _count_hidden(remaining, unsafe)
    more = f" ({_hidden_phrase(hidden)})" if hidden else ""
    return f"{paint('[*]', 'mark')} {now} fixable with the `--fix` option{more}.\n"


def _hidden(remaining: Sequence[Diagnostic], unsafe: bool, paint: Paint) -> str:
    hidden = _count_hidden(remaining, unsafe)
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
