"""Random programs, executed beside the prediction: no variable is what the analysis says it never is.

What is drawn is in `drawing`, how it is executed in `running`. ``DRAWN_PROGRAMS=1500`` holds so many against the
frameworks; a run of the suite takes some of them, others each time.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

import numpy as np
import pytest

from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.hazards import Hazards
from nanlint.graph.lower import Lowering
from nanlint.graph.node import PHI, REFINE, Node, walk
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.ops import drawing, truth
from tests.ops.calling import Array
from tests.ops.running import LOSS, executed
from tests.ops.soundness import NOT_FINITE, shown
from tests.ops.truth import admits

#: programs, of all frameworks together
PROGRAMS = 1500
#: sizes between which all numbers of a program lie whose gradient is to be finite
MODERATE = 1e4


class Prediction:
    """What the analysis says of a program."""

    def __init__(self, text: str) -> None:
        source = Source("drawn.py", text)
        self.lowering: Lowering = analysed(source, {}, watched=range(1, text.count("\n") + 2)).lowering
        self.evaluator = Evaluator(self.lowering)
        sites = {id(s.value): s.lineno for s in ast.walk(source.tree) if isinstance(s, ast.Assign)}
        self.rows: dict[int, Node] = {
            sites[id(n.site)]: n for n in self.lowering.graph if id(n.site) in sites and n.op not in (REFINE, "const")
        }

    def node(self, key: str) -> Node | None:
        """The node of a variable at the end, or of what a row assigns."""
        return self.rows.get(int(key[4:])) if key.startswith("row ") else self.lowering.module.env.get(key)

    def of(self, key: str) -> tuple[Node, Value] | None:
        """The node, and what is known of it where it stands."""
        node = self.node(key)
        return None if node is None else (node, self.evaluator.at(node).value(node))

    def finite_gradient(self) -> bool:
        """Whether no pole of what the loss is made of can be met."""
        loss = self.lowering.module.env.get(LOSS)
        if loss is None:
            return False
        hazards = Hazards(self.lowering)
        for node in walk(loss, lambda n: n.args.values()):
            here = hazards.evaluator.at(node)
            for pole in hazards.poles(node, here):
                found = hazards.operand(node, pole, here)
                reaches = [] if found is None else [found[1].reach(pole.cls), *hazards.also(node, pole, here)]
                if not reaches or min(reaches) is not NEVER:
                    return False
        return True


def violations(framework: str, number: int) -> Iterator[tuple[str, str]]:
    """The op of each variable that is beyond its prediction, and a message; "gradient" for one of those."""
    text = drawing.program(framework, number)
    found = executed(framework, text, *drawing.inputs(framework))
    prediction = Prediction(text)
    wrong: dict[int, tuple[Node, str]] = {}
    for key, numbers in found["seen"].items():
        known = prediction.of(key)
        if known is None:
            continue
        node, v = known
        if framework in truth.FLUSHES_SUBNORMALS:
            # the kernels take it for 0
            numbers = np.where(np.abs(numbers) < v.format.tiny, np.copysign(0.0, numbers), numbers)
        right = admitted(v, numbers)
        if not right.all():
            wrong[node.index] = node, f"{key} is {numbers[~right].tolist()}, predicted {shown(v)} of {node}\n{text}"
    for node, message in wrong.values():
        # what is made of something wrong is wrong for that reason
        if not any(n.index in wrong for n in walk(node, lambda n: n.args.values()) if n is not node):
            yield operation(node), message
    if found["gradient"] is not None:
        (least, greatest), codes = found["gradient"]
        if (
            1 / MODERATE < least <= greatest < MODERATE
            and np.isin(codes, NOT_FINITE).any()
            and prediction.finite_gradient()
        ):
            yield "gradient", text


def admitted(v: Value, numbers: Array) -> Array:
    """Which numbers a prediction allows; an end that is never attained is not."""
    right = admits(v, numbers, v.format)
    for end, reach in ((v.lo, v.low), (v.hi, v.high)):
        if reach is NEVER:
            right &= numbers != end
    return right


def operation(node: Node) -> str:
    """What a violation is counted under: the op, and the function that it is written as."""
    return f"{node.op} ({node.spelling.name})" if node.spelling is not None else node.op


def drawn() -> list[tuple[str, int]]:
    """The programs of this run."""
    count = int(os.environ.get("DRAWN_PROGRAMS", PROGRAMS))
    return [(framework, n) for n in range(-(-count // len(drawing.FRAMEWORKS))) for framework in drawing.FRAMEWORKS]
