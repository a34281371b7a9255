"""NL601."""

from __future__ import annotations

import ast

from nanlint.analysis.facts import Facts
from nanlint.analysis.tape import cut_by, is_unseen_method, place_of, source_texts, tape_leaks
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.move_into_tape import MoveIntoTape
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL601",
    "tape-scope-leak",
    nodes="gradient",
    fixable=Applicability.UNSAFE,
    frameworks="tensorflow",
)
def tape_scope_leak(gradient: Node, facts: Facts) -> Findings:
    """A value computed outside the GradientTape, so that no gradient flows through it.

    ## What it does
    Finds sources of `tape.gradient(target, sources)` if an op between the source and the target ran before or outside
    the tape; and targets that depend on a source only through an operation without a derivative: `float()`, `.numpy()`,
    `argmax`.

    ## Why is this bad?
    The tape records only what runs inside its `with`. The gradient is None or, if another term uses the source inside
    the tape, finite but wrong: the variable is trained on a part of its loss, or not at all. TensorFlow does not warn.

    ## Example (bad)
    ```python
    square_x = x**2
    with tf.GradientTape() as tape:
        loss = square_x + y**2
    gradients = tape.gradient(loss, [x, y])
    ```

    ## Use instead
    ```python
    with tf.GradientTape() as tape:
        square_x = x**2
        loss = square_x + y**2
    gradients = tape.gradient(loss, [x, y])
    ```

    ## Fix safety
    Unsafe: the gradient changes (this is the purpose of the fix). The statements are moved into the tape only if no
    statement in between reads their results or changes their inputs; otherwise the fix is a suggestion.

    ## References
    TensorFlow guide: Introduction to gradients and automatic differentiation, "Getting a gradient of None".
    """
    texts = source_texts(gradient)
    for leak in tape_leaks(gradient):
        shown = texts.get(leak.position)
        name = ast.unparse(shown) if shown is not None else facts.text(leak.source)
        if leak.lost:
            message = f"computed outside the tape: this term is lost from the gradient with respect to `{name}`"
        else:
            message = f"computed outside the tape: the gradient with respect to `{name}` is None"
        level = Confidence.LIKELY if leak.lost else Confidence.CERTAIN
        level = Confidence.POSSIBLE if is_unseen_method(leak.outside) else level
        yield Finding(
            leak.outside,
            message,
            "runs where the tape does not record",
            level,
            fix=MoveIntoTape(leak.outside, leak.inside, gradient),
            at=place_of(leak.outside, gradient),
            notes=((leak.inside, "uses it inside the tape"), (gradient, "asks for the gradient")),
        )
    if (cut := cut_by(gradient)) is not None:
        node, source = cut
        yield Finding(
            node,
            f"no gradient flows back through this: the gradient with respect to `{facts.text(source)}` is None",
            "Python numbers, NumPy arrays and indices have no derivative",
            Confidence.LIKELY,
            at=place_of(node, gradient),
            notes=((gradient, "asks for the gradient"),),
        )
