"""NL701, NL702 and NL704: cross-entropies that are given what they do not take, or are put together by hand."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.loss_on_logits import LossOnLogits
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule

PROBABILITIES = "gives probabilities, but the loss expects logits"


def from_logits(loss: Node) -> bool:
    """Whether a loss of Keras is told that it is given logits."""
    told = loss.get("from_logits")
    return told is not None and told.attrs.get("value") is True


def twice(loss: Node, activation: Node, facts: Facts, message: str, effect: str, fix: str) -> Finding:
    """An activation before a loss that has it built in.

    Keras looks for the logits behind an activation of its own: with TensorFlow below it finds them (and warns).
    """
    judged = form(facts.framework(activation) == "keras" and Seen.LOGITS_FOUND)
    return Finding(loss, message, effect, judged, ((activation, PROBABILITIES),), LossOnLogits(loss, activation, fix))


@rule(
    "NL701",
    "cross-entropy-on-probabilities",
    nodes="cross_entropy clipped_cross_entropy",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow keras jax",
)
def cross_entropy_on_probabilities(loss: Node, facts: Facts) -> Findings:
    if loss.op == "clipped_cross_entropy" and not from_logits(loss):
        return (yield from logits_as_probabilities(loss, facts))
    softmax = facts.always(loss["x"], "softmax")
    if softmax is not None:
        yield twice(
            loss,
            softmax,
            facts,
            "cross-entropy of a softmax of a softmax: it cannot fall to 0, and its gradient vanishes",
            "softmax([1, 0, …, 0]) is 0.23 for 10 classes: a loss of 1.46 at best",
            "one softmax instead of two: the best loss is 0 instead of 1.46 (10 classes)",
        )


def logits_as_probabilities(loss: Node, facts: Facts) -> Findings:
    """A loss of probabilities of the output of a layer that could have an activation, and has none."""
    linear = facts.always(loss["x"], "linear")
    layer = linear.get("layer") if linear is not None else None
    if linear is None or layer is None or "activation" not in layer.attrs["spelling"].operands:
        return "the loss is not computed from a layer without activation"
    if loss.get("from_logits") is not None:
        return "the loss has an argument that states the kind of its input"
    yield Finding(
        loss,
        "cross-entropy of probabilities gets logits: no gradient for logits outside of [0, 1]",
        "clip(logits, 1e-7, 1 - 1e-7)",
        form(),
        ((layer, "has no activation, so it can give any number"),),
        LossOnLogits(loss, None, "losses that were clipped at 16.1, with gradient 0, become the true cross-entropy"),
    )


@rule(
    "NL702",
    "bce-on-sigmoid",
    nodes="bce bce_with_logits clipped_cross_entropy",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow jax",
)
def bce_on_sigmoid(loss: Node, facts: Facts) -> Findings:
    sigmoid = facts.always(loss["x"], "sigmoid")
    if sigmoid is None:
        return "the loss is not computed from a sigmoid"
    if loss.op == "bce_with_logits" or from_logits(loss):
        yield twice(
            loss,
            sigmoid,
            facts,
            "binary cross-entropy of a sigmoid of a sigmoid: it cannot fall to 0, and its gradient vanishes",
            "sigmoid(1) is 0.73, sigmoid(0) is 0.5: a loss of 0.31 and 0.69 at best",
            "one sigmoid instead of two: the best loss is 0 instead of 0.31 (label 1) or 0.69 (label 0)",
        )
    elif facts.framework(loss) == "torch":
        yield Finding(
            loss,
            "binary cross-entropy of a sigmoid: no gradient for the worst predictions",
            "log(0) is bounded at -100, and the gradient is 0",
            form(Seen.BOUNDED, facts.doubted(loss) and Seen.UNLEARNED),
            ((sigmoid, "is exactly 1 above 17 (float32)"),),
            LossOnLogits(loss, sigmoid, "equal within 1e-3 for logits in [-9, 9], |logit| instead of 100 above 17"),
        )
    elif facts.framework(sigmoid) != "keras":
        yield Finding(
            loss,
            "binary cross-entropy of a sigmoid: clipped where it saturates, and its gradient is 0 there",
            "clip(p, 1e-7, 1 - 1e-7) bounds the loss at 16.1",
            form(Seen.FLAT),
            ((sigmoid, "is exactly 1 above 17 (float32)"),),
            LossOnLogits(loss, sigmoid, "equal within 1e-3 for logits in [-9, 9], |logit| instead of 16.1 above 17"),
        )


@rule(
    "NL704",
    "nll-of-log-softmax-by-hand",
    nodes="nll",
    fixable=Applicability.UNSAFE,
    frameworks="torch",
)
def nll_of_log_softmax_by_hand(loss: Node, facts: Facts) -> Findings:
    softmax = facts.always(loss["x"], "softmax")
    if softmax is not None:
        yield Finding(
            loss,
            "negative log-likelihood of probabilities: the logarithm is missing",
            "picks a probability and negates it",
            form(),
            ((softmax, "gives probabilities, but the loss expects their logarithms"),),
            LossOnLogits(loss, softmax, "-log(p) instead of -p"),
        )
        return
    log = facts.always(loss["x"], "log")
    softmax = facts.always(facts.unguarded(log["x"]), "softmax") if log is not None else None
    if log is not None and softmax is not None:
        yield Finding(
            loss,
            "negative log-likelihood of a handwritten log-softmax: bounded and flat, or inf, for the worst predictions",
            "cross_entropy takes the logits",
            form(Seen.FLAT),
            ((log, "is the logarithm of a softmax"),),
            LossOnLogits(loss, softmax, "equal where the epsilon has no effect, and the true loss elsewhere"),
        )
