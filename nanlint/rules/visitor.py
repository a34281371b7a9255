"""The libcst pass: visits the lossless nodes around findings once and, at each that has one, asks the finding's fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Fix, Span
from nanlint.rules.registry import Finding

if TYPE_CHECKING:
    import libcst as cst


#: frameworks whose ops fixes may rewrite: an operator's (None) and the known ones', not the user's own functions
REWRITTEN = frozenset({None, "torch", "tensorflow", "keras", "jax", "numpy", "scipy", "math"})


def fixes_of(facts: Facts, findings: Mapping[tuple[str, Span], Finding]) -> dict[tuple[str, Span], Fix]:
    """The fix of each finding that has one."""
    wanted = {
        key: finding
        for key, finding in findings.items()
        if finding.fix is not None and finding.site is not None and finding.node.framework in REWRITTEN
    }
    if not wanted:
        return {}
    # libcst costs more to import than a small file to check: only files with something to mend pay for it.
    from nanlint.fixes.place import File, Place

    file = File(facts)
    fixes: dict[tuple[str, Span], Fix] = {}

    def meet(span: Span, node: cst.CSTNode) -> None:
        for key, finding in wanted.items():
            if key[1] == span and finding.fix is not None:
                fix = finding.fix.rewrite(Place(file, finding.node, node))
                if fix is not None:
                    fixes[key] = fix

    pieces: dict[tuple[int, int], dict[Span, Callable[[cst.CSTNode], None]]] = {}
    for (_, span), finding in wanted.items():
        assert finding.site is not None
        rows = file.lossless.piece(finding.site)
        if rows is not None:
            pieces.setdefault(rows, {})[span] = partial(meet, span)
    for rows, waiting in sorted(pieces.items()):
        file.lossless.visit(rows, waiting)
    return fixes
