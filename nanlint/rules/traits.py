"""What the probability of a finding depends on, read from its evidence, its op and the code around it."""

from __future__ import annotations

from nanlint.analysis.context import context_of
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Traits
from nanlint.ops.value import Origin
from nanlint.rules.registry import Finding, Rule

#: families of ops, as far as findings are about them; all others are one family
KINDS = {
    op: kind
    for kind, ops in {
        "log": "log log1p log2 log10 log_base logit xlogy xlog1py entropy_term lgamma digamma kl_div",
        "root": "sqrt rsqrt cbrt pow norm hypot std var unit_vector",
        "division": "div reciprocal floordiv mod fmod xdivy addcdiv mean sinc",
        "exp": "exp expm1 sinh cosh softmax log_softmax logsumexp logaddexp logaddexp2 logcumsumexp",
        "inverse trigonometry": "acos asin atan atan2 angle acosh atanh erfinv ndtri",
        "selection": "mul mul_no_nan where nan_to_num clamp maximum minimum eq ne test is isnot",
        "loss": "bce bce_with_logits clipped_cross_entropy cross_entropy ctc nll",
    }.items()
    for op in ops.split()
}
OTHER = "other"
#: the group of rules that are about gradients, with a hazard or without
OF_GRADIENTS = ("NL2", "NL6")
#: evidence that is a name's alone
NAME = "name"


def traits_of(facts: Facts, rule: Rule, finding: Finding) -> Traits:
    """The traits of a finding; without an origin where it is a plugin's."""
    hazard = finding.hazard
    op = hazard.node.op if hazard is not None else finding.node.op
    return Traits(
        origin_of(facts, rule, finding),
        KINDS.get(op, OTHER),
        "gradient" if breaks_gradient(rule, finding) else "value",
        context_of(finding.node, facts.gradient).name.lower(),
    )


def origin_of(facts: Facts, rule: Rule, finding: Finding) -> str:
    """Where the evidence of a finding comes from: an absorbed epsilon, what its hazard says, or its rule."""
    hazard = finding.hazard
    if hazard is None:
        return named(rule.rests_on)
    if any(True for _ in facts.epsilons(hazard.node)):
        return named(Origin.ABSORBED)
    return NAME if hazard.evidence.named else named(hazard.evidence.origin)


def breaks_gradient(rule: Rule, finding: Finding) -> bool:
    """Whether it is the gradient that breaks, and not the value."""
    hazard = finding.hazard
    if hazard is None:
        return rule.code.startswith(OF_GRADIENTS)
    return hazard.pole.gradient or hazard.guard is not None


def named(origin: Origin | None) -> str:
    """An origin as the table writes it."""
    return "" if origin is None else origin.name.lower()
