"""What every format is a function of: the report, and the circumstances of the run that are not in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from nanlint.output.paint import Paint, plain

if TYPE_CHECKING:
    from nanlint.diagnostic import Diagnostic
    from nanlint.lint.report import FileReport, Report


@dataclass(frozen=True)
class View:
    """A report as it is to be rendered.

    ``unsafe``: unsafe fixes count as applicable. ``root``: the absolute directory that relative paths start from.
    ``began``: when the check did, in UTC. ``exit_code``: the one the program will leave with. ``fails``: whether a
    finding makes it fail.
    """

    report: Report
    unsafe: bool = False
    paint: Paint = plain
    exit_code: int = 0
    root: str = field(default_factory=os.getcwd)
    began: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    fails: Callable[[Diagnostic], bool] = lambda _: True

    def findings(self) -> list[tuple[FileReport, Diagnostic]]:
        """The findings with their files, by place."""
        return [(file, one) for file in self.report.files for one in file.diagnostics]


def is_file(path: str) -> bool:
    """Whether a path of a report is one of the file system: standard input and texts of the library have none."""
    return path != "-" and not path.startswith("<")


def portable(path: str) -> str:
    """A relative path as reports that other machines read have it."""
    return path.replace(os.sep, "/")
