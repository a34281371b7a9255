"""NL801."""

from __future__ import annotations

import ast

from nanlint.diagnostic import Applicability
from nanlint.fixes.skip_header import SkipHeader
from nanlint.graph.node import CALL, CONST, Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.arithmetic import DIFFERENTIABLE
from nanlint.rules.registry import Finding, Findings, rule

#: methods by which models are fitted
FITS = frozenset({".fit", ".train_on_batch", ".fit_generator"})


@rule(
    "NL801",
    "unchecked-nan-input",
    nodes="table",
    fixable=Applicability.DISPLAY,
)
def unchecked_nan_input(table: Node, facts: Facts) -> Findings:
    whole = table.get("whole")
    if whole is not None and whole.attrs.get("value") is not True:
        return "only a part of the file is read"
    uses = facts.unchecked(table)
    if uses is None:
        return "the code checks for NaN, or fills it"
    if reads_header(table) and not any(starts_later(use) for use in uses):
        yield Finding(
            table,
            "the first row of the table is read as data: column names become nan",
            "genfromtxt reads 'price' as nan",
            form(Seen.OF_DATA, not any(fitted(use, facts) for use in uses) and Seen.NOT_FITTED),
            fix=SkipHeader(table),
        )
        return
    told = knows_of_holes(table)
    tensor = next((use for use in uses if use.op == "tensor" and use.framework in DIFFERENTIABLE), None)
    if tensor is None and told:
        tensor = next((use for use in uses if use.op == CALL and fitted(use, facts)), None)
    if tensor is not None:
        yield Finding(
            tensor,
            "data read from disk becomes a tensor without any check for nan",
            "an empty cell is nan",
            form(Seen.OF_DATA, not (told and fitted(tensor, facts)) and Seen.NOT_FITTED),
            ((table, "is nan where the file has no value"),),
        )


def fitted(use: Node, facts: Facts) -> bool:
    """Whether a model is fitted to data: by a method of its own, where that raises nothing, or by the gradient."""
    if use.op == CALL:
        return use.name in FITS and bool(DIFFERENTIABLE & set(facts.lowering.frameworks))
    return facts.gradient.taker(use) is not None


def knows_of_holes(table: Node) -> bool:
    """Whether a reader is told how a file writes that it has nothing."""
    keywords = table.site.keywords if isinstance(table.site, ast.Call) else []
    return any(k.arg in ("na_values", "missing_values") for k in keywords)


def reads_header(table: Node) -> bool:
    """Whether a reader that makes numbers of words is told of a delimiter, and nothing of a first row."""
    delimiter = table.get("delimiter")
    told = any(name in table.args for name in ("header", "names", "kind"))
    return delimiter is not None and delimiter.op == CONST and not told


def starts_later(use: Node) -> bool:
    """Whether the first rows of a table are left out."""
    index = use.get("index") if use.op == "part" else None
    first = next(iter(index.args.values()), index) if index is not None and index.op == "tuple" else index
    return first is not None and first.op == "slice" and "lower" in first.args
