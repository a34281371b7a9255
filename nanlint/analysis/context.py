"""What the code around a node is for: training, a library, sampling, measuring, preparing data, or a test.

What is derived from the code comes first; a name is a belief, and decides only where nothing else does.
"""

from __future__ import annotations

from enum import Enum

from nanlint.analysis.gradient import Flow, GradientFlow
from nanlint.graph.node import Node


class Context(Enum):
    """Where a finding stands."""

    TRAINING = "training code"
    LIBRARY = "a library function"
    SAMPLER = "a sampler"
    METRIC = "a metric"
    DATA = "data preparation"
    TEST = "a test"


#: purposes that a name gives (`names.UNTRAINED`), and the context each is
BY_PURPOSE = {
    "measures": Context.METRIC,
    "reports": Context.METRIC,
    "predicts": Context.METRIC,
    "draws samples": Context.SAMPLER,
    "prepares data": Context.DATA,
    "assigns targets": Context.DATA,
    "sets initial values": Context.DATA,
}


def context_of(node: Node, flow: GradientFlow) -> Context:
    """What the code around a node is for; a library function where nothing says more."""
    if flow.roles is not None and flow.roles.of_tests:
        return Context.TEST
    if flow.judge(node).flow is Flow.SHOWN:
        return Context.TRAINING
    opinion = flow.opinion(node)
    if opinion is None:
        return Context.LIBRARY
    return Context.TRAINING if opinion.trained else BY_PURPOSE.get(opinion.purpose, Context.LIBRARY)
