"""What the baseline hides on the command line an editor still shows, faintly: it is marked as not ``new``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from nanlint.baseline import Baseline, file_without_known
from nanlint.diagnostic import Diagnostic
from nanlint.lint.report import FileReport


def baseline_at(path: str) -> Baseline:
    """The baseline in a file, read again when it has changed; raises BaselineError."""
    try:
        status = os.stat(path)
    except OSError:
        return Baseline.read(path)  # says what is wrong
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _read(path: str, changed: int, size: int) -> Baseline:
    return Baseline.read(path)


def marked(diagnostics: Iterable[Diagnostic], path: str, baseline: Baseline | None) -> tuple[Diagnostic, ...]:
    """The findings in the file at an absolute path, of which those that the baseline hides are not ``new``."""
    if baseline is None:
        return tuple(diagnostics)
    file = file_without_known(FileReport(path, tuple(diagnostics)), baseline)
    known = [one.diagnostic for one in file.suppressed]
    return tuple(sorted([*(replace(one, new=None) for one in file.diagnostics), *known], key=Diagnostic.sort_key))
