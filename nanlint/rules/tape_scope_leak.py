"""NL601."""

from __future__ import annotations

import ast

from nanlint.analysis.tape import cut_by, is_unseen_method, place_of, source_texts, tape_leaks
from nanlint.diagnostic import Applicability
from nanlint.fixes.move_into_tape import MoveIntoTape
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL601",
    "tape-scope-leak",
    nodes="gradient",
    fixable=Applicability.UNSAFE,
    frameworks="tensorflow",
)
def tape_scope_leak(gradient: Node, facts: Facts) -> Findings:
    texts = source_texts(gradient)
    for leak in tape_leaks(gradient):
        shown = texts.get(leak.position)
        name = ast.unparse(shown) if shown is not None else facts.text(leak.source)
        if leak.lost:
            message = f"computed outside the tape: this term is lost from the gradient with respect to `{name}`"
        else:
            message = f"computed outside the tape: the gradient with respect to `{name}` is None"
        yield Finding(
            leak.outside,
            message,
            "runs where the tape does not record",
            form(leak.lost and Seen.PARTLY_LOST, is_unseen_method(leak.outside) and Seen.MADE_BEFORE),
            fix=MoveIntoTape(leak.outside, leak.inside, gradient),
            at=place_of(leak.outside, gradient),
            notes=((leak.inside, "uses the result inside the tape"), (gradient, "asks for the gradient")),
        )
    if (cut := cut_by(gradient)) is not None:
        node, source = cut
        yield Finding(
            node,
            f"no gradient flows back through this: the gradient with respect to `{facts.text(source)}` is None",
            "Python numbers, NumPy arrays and indices have no derivative",
            form(Seen.PARTLY_LOST),
            at=place_of(node, gradient),
            notes=((gradient, "asks for the gradient"),),
        )
