"""The findings that are about the check itself (NL0xx), not about numerics: their codes, names and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Severity, Span
from nanlint.version import RUNNING


class RulePage(Protocol):
    """What ``nanlint rule`` and ``--statistics`` need to know of a rule, numeric or not."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def page(self) -> str: ...
    @property
    def fixable(self) -> Applicability | None: ...
    @property
    def origin(self) -> str: ...
    @property
    def preview(self) -> bool: ...


@dataclass(frozen=True)
class Housekeeping:
    """A rule of the program about itself; has the attributes of a numeric rule that are shown to users."""

    code: str
    name: str
    summary: str
    page: str
    fixable: Applicability | None = None
    origin: str = ""
    preview: bool = False


SYNTAX_ERROR = Housekeeping(
    "NL000",
    "syntax-error",
    "The file does not parse, so nothing in it was checked",
    """\
The file does not parse, so nothing in it was checked.

## What it does
Reports the location at which the Python parser fails. The message says if the code looks like Python 2, or is nested
too deeply for Python's parser.

## Why is this bad?
A file that was not checked must not look like a file without findings.

## What to do
Fix the file, or leave it out with `exclude`. The rule can only be ignored by its code or name, not by a prefix.
""",
)
UNUSED_SUPPRESSION = Housekeeping(
    "NL001",
    "unused-suppression",
    "A suppression comment that suppresses nothing",
    """\
A suppression comment that suppresses nothing.

## What it does
Reports `# nanlint: ignore[...]`, `# nanlint: file-ignore[...]` and nanlint's codes in `# noqa: ...` if the named rules
ran and found nothing to suppress. Codes of other linters and a plain `# noqa` are never reported. Neither are codes for
a line in a file that imports another file of its project, or is imported by one: they may suppress a finding there.

## Why is this bad?
It would hide a real finding in the future.

## Example
```python
import math

x = 1.0 + math.pi  # nanlint: ignore[NL103]
```

## Use instead
```python
import math

x = 1.0 + math.pi
```

## Fix safety
Safe: only the unused code is removed, or the comment if nothing is left of it.
""",
    Applicability.SAFE,
)
UNKNOWN_SUPPRESSION = Housekeeping(
    "NL002",
    "unknown-suppression",
    "A suppression comment that nanlint does not understand",
    """\
A suppression comment that nanlint does not understand.

## What it does
Reports comments that were meant to silence a finding and do not: `# nanlint:` with an unknown rule, with a word that is
not `ignore` or `file-ignore` (such as `disable`), with rules that are not in brackets, or with a missing bracket;
`# noqa` with an unknown code of nanlint, or without the colon before the code. The message suggests the right spelling.

## Why is this bad?
The comment should silence a finding but does not.

## Example
```python
x = 1  # nanlint: ignore[where-gradeint]
```

## Use instead
```python
x = 1  # nanlint: ignore[where-gradient]
```

## Fix safety
Safe: the comment gets the form that was meant, with the rules that it names. Unsafe if the name of a rule is a guess.
""",
    Applicability.SAFE,
)
INTERNAL_ERROR = Housekeeping(
    "NL003",
    "internal-error",
    "An error in nanlint stopped the check of this file",
    """\
nanlint failed on this file.

## What it does
Reports that the analysis of one file ended in an unexpected exception. The other files were still checked.

## What to do
Please report it, with the file if you can. `NANLINT_DEBUG=1` shows the traceback. The rule can only be ignored by its
code or name, not by a prefix.
""",
)

CUT_SHORT = Housekeeping(
    "NL004",
    "cut-short",
    "The check of this file was cut short",
    """\
The check of this file was cut short.

## What it does
Reports a file whose check took more CPU seconds than `file-timeout` in the configuration allows, more than 4 GiB of
memory, or so many steps that values were no longer followed, as in code with hundreds of `if` statements about one
variable. The findings until then are shown; there may be others.

## Why is this bad?
A file that was checked in part must not look like a file without further findings.

## What to do
Split the file, if people write it; leave it out with `exclude`, if a program does. Or give it more time with
`file-timeout`. It is a warning, so the exit code stays 0. The rule can only be ignored by its code or name, not by a
prefix.
""",
)

HOUSEKEEPING: Mapping[str, Housekeeping] = {
    rule.code: rule for rule in (SYNTAX_ERROR, UNUSED_SUPPRESSION, UNKNOWN_SUPPRESSION, INTERNAL_ERROR, CUT_SHORT)
}


def syntax_error(path: str, span: Span, message: str, part: str = "file") -> Diagnostic:
    """NL000 at the place the parser names; ``part`` is what is lost with it."""
    told = message if "Python" in message or "nested" in message else f"{message} (parsed with {RUNNING})"
    return _certain(SYNTAX_ERROR, path, span, told, f"nothing in this {part} was checked")


def internal_error(path: str, reason: str) -> Diagnostic:
    """NL003 for a whole file."""
    message = f"nanlint failed on this file: {reason}; please report it (NANLINT_DEBUG=1 shows the traceback)"
    return _certain(INTERNAL_ERROR, path, Span(1, 1, 1, 1), message, "")


def cut_short(path: str, spent: str) -> Diagnostic:
    """NL004 for a whole file; ``spent``: what its check used up."""
    message = f"the check of this file was cut short after {spent}, so there may be more to find"
    return replace(_certain(CUT_SHORT, path, Span(1, 1, 1, 1), message, ""), severity=Severity.WARNING)


class RuleFailed(Exception):
    """A plugin's rule that raised an exception, or yielded something other than a finding. The message names it."""


def plugin_error(path: str, reason: str) -> Diagnostic:
    """NL003 for a file that a plugin's rule failed on."""
    return _certain(INTERNAL_ERROR, path, Span(1, 1, 1, 1), f"a custom rule failed: {reason}", "")


def _certain(rule: Housekeeping, path: str, span: Span, message: str, effect: str) -> Diagnostic:
    return Diagnostic(path, span, rule.code, rule.name, message, Confidence.CERTAIN, effect=effect)
