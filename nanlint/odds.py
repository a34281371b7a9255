"""How probable it is that a finding is right: one table, counted on labelled code.

``odds.toml`` is written by ``benchmarks/calibrate.py``. Its cells are paths: a confidence, then what is known of a
finding. A cell for which too little was counted is not there, and the one before it on the path speaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from nanlint.diagnostic import Confidence, Diagnostic, Traits

TABLE = Path(__file__).with_name("odds.toml")
#: what the levels are meant to be: at least so many of their findings are right; what is counted may be less
LEAST = {Confidence.POSSIBLE: 0.15, Confidence.LIKELY: 0.60, Confidence.CERTAIN: 0.95}

Cell = tuple[str, ...]


def path_of(confidence: Confidence, traits: Traits) -> Cell:
    """The path of a finding through the table, from what says most of it to what says least."""
    return (str(confidence), traits.part, traits.context, traits.origin, traits.kind)


@cache
def table() -> Mapping[Cell, float]:
    """The share of right findings in each cell."""
    import tomli

    cells = tomli.loads(TABLE.read_text(encoding="utf-8"))["cells"]
    return {tuple(cell["of"]): float(cell["right"]) for cell in cells}


def probability(confidence: Confidence, traits: Traits) -> float:
    """The share of right ones among findings like this, to two digits."""
    path = path_of(confidence, traits)
    return round(next(table()[path[:length]] for length in range(len(path), 0, -1) if path[:length] in table()), 2)


def with_confidence(diagnostic: Diagnostic, confidence: Confidence) -> Diagnostic:
    """A diagnostic of another confidence, and its probability; one about the check itself has none."""
    if diagnostic.probability is None:
        return replace(diagnostic, confidence=confidence)
    return replace(diagnostic, confidence=confidence, probability=probability(confidence, diagnostic.traits))
