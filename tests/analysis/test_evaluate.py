"""The evaluator: ranges and health, joined over paths, kept by loops, refined by conditions, within a budget."""

from __future__ import annotations

import math
import time

import pytest

from nanlint.analysis.evaluate import MAX_STEPS, Evaluator
from nanlint.frontend.lower import Lowering
from nanlint.ops.value import CERTAIN, LIKELY, NEVER, POSSIBLE, UNKNOWN, Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from tests.marked import TF, TORCH, check, findings, program

INF = math.inf


def lowered(*parts: str) -> Lowering:
    return analysed(Source("<string>", program(*parts)), {}, watched=[1]).lowering


def value_of(*parts: str, name: str = "r") -> Value:
    """What is known of a variable at the end of a module; ``x`` and ``y`` are tensors of which nothing is known."""
    lowering = lowered(TORCH, "x, y, flag = load()", *parts)
    return Evaluator(lowering).value(lowering.module.env[name])


# Ranges and health


def test_of_an_unknown_nothing_is_known_and_nothing_is_claimed() -> None:
    v = value_of("r = x")
    assert (v.lo, v.hi, v.zero, v.neg) == (-INF, INF, UNKNOWN, UNKNOWN)


def test_a_literal_is_that_number() -> None:
    assert value_of("r = -2.5").constant == -2.5


def test_arithmetic_of_literals_is_arithmetic() -> None:
    assert value_of("r = (3 - 1) * 2 ** 3 / 4").constant == 4


def test_a_rectifier_is_zero_for_certain_and_never_negative() -> None:
    v = value_of("r = torch.relu(x)")
    assert (v.lo, v.hi, v.zero, v.neg) == (0.0, INF, CERTAIN, NEVER)


def test_a_softmax_reaches_both_ends() -> None:
    v = value_of("r = torch.softmax(x, -1)")
    assert (v.lo, v.hi) == (0.0, 1.0)
    assert v.zero >= LIKELY


def test_whether_bounded_scores_over_a_temperature_underflow_is_up_to_that() -> None:
    cosines = "c = F.normalize(x) @ F.normalize(y).T"
    temperature = "def shares(c, t: float = 0.1):\n    return F.softmax(c / t, dim=1)"
    assert value_of(cosines, temperature, "r = shares(c)").zero <= POSSIBLE
    assert value_of("c = x @ y.T", temperature, "r = shares(c)").zero is CERTAIN


def test_vectors_of_length_1_are_at_most_2_apart() -> None:
    assert value_of("z = F.normalize(x)", "r = torch.exp(-torch.cdist(z, z) ** 2)").zero is NEVER
    assert value_of("r = torch.exp(-torch.cdist(x, x) ** 2)").zero is not NEVER


@pytest.mark.parametrize(
    ("inverse", "ends"),
    [("atanh", math.atanh(0.5)), ("asin", math.asin(0.5)), ("tan", math.tan(0.5)), ("sinh", math.sinh(0.5))],
)
def test_a_rising_function_of_what_is_bounded_is_bounded(inverse: str, ends: float) -> None:
    v = value_of("z = x.clamp(-0.5, 0.5)", f"r = torch.{inverse}(z)")
    assert (v.lo, v.hi) == (pytest.approx(-ends), pytest.approx(ends))


def test_an_inverse_function_is_infinite_at_its_ends_and_nan_beyond() -> None:
    v = value_of("r = torch.atanh(x)")
    assert (v.lo, v.hi, v.nan) == (-INF, INF, UNKNOWN)
    assert value_of("r = torch.logit(x, eps=1e-3)").hi == pytest.approx(math.log(999), rel=1e-5)


def test_adding_an_epsilon_rules_zero_out() -> None:
    v = value_of("r = torch.softmax(x, -1) + 1e-6")
    assert v.zero is NEVER
    assert v.lo > 0


def test_an_epsilon_below_the_smallest_number_rules_nothing_out() -> None:
    assert value_of("r = torch.softmax(x, -1) + 1e-60").zero >= POSSIBLE


def test_one_plus_a_tiny_number_is_one() -> None:
    assert value_of("r = torch.sigmoid(x) * 0 + (1 + 1e-10) - torch.sigmoid(x)").zero is not NEVER


def test_views_and_casts_keep_a_range() -> None:
    v = value_of("r = torch.relu(x).view(-1).float().unsqueeze(0)")
    assert (v.lo, v.zero) == (0.0, CERTAIN)


# Evidence


def test_evidence_says_what_happens_and_where() -> None:
    lowering = lowered(TORCH, "x = load()", "r = torch.relu(x).view(-1) * 2")
    evidence = Evaluator(lowering).value(lowering.module.env["r"]).evidence("zero")
    assert evidence is not None
    assert evidence.text == "is exactly 0 for every negative input"
    assert evidence.node.op == "relu"
    assert not evidence.named


def test_evidence_that_rests_on_a_name_says_so() -> None:
    lowering = lowered(TORCH, "probs = load()")
    evidence = Evaluator(lowering).value(lowering.module.env["probs"]).evidence("zero")
    assert evidence is not None
    assert evidence.named
    assert "named like a probability" in evidence.text


def test_a_name_counts_only_where_nothing_else_is_known() -> None:
    assert value_of("probs = torch.softmax(x, -1) + 1e-3", name="probs").zero is NEVER


# Joins


def test_a_join_is_the_hull_of_both_paths() -> None:
    v = value_of(
        """
        if flag:
            r = torch.sigmoid(x) + 3
        else:
            r = torch.sigmoid(x) - 2
        """
    )
    assert (v.lo, v.hi) == (-2.0, 4.0)


def test_a_join_keeps_the_evidence_of_either_path() -> None:
    v = value_of(
        """
        if flag:
            r = torch.relu(x)
        else:
            r = torch.exp(torch.tanh(x))
        """
    )
    evidence = v.evidence("zero")
    assert v.zero >= LIKELY
    assert evidence is not None
    assert evidence.node.op == "relu"


def test_a_literal_zero_on_one_path_is_a_placeholder() -> None:
    v = value_of(
        """
        r = 0
        if flag:
            r = torch.sigmoid(x) + 1
        """
    )
    assert v.zero <= UNKNOWN


def test_none_on_one_path_is_no_number() -> None:
    v = value_of("r = torch.sigmoid(x) + 1 if flag else None")
    assert (v.lo, v.hi, v.zero) == (1.0, 2.0, NEVER)


def test_what_both_paths_exclude_is_excluded() -> None:
    v = value_of(
        """
        if flag:
            r = torch.relu(x) + 1
        else:
            r = -torch.relu(x) - 1
        """
    )
    assert v.zero is not CERTAIN
    assert v.zero < POSSIBLE


# Refinement


@pytest.mark.parametrize(
    ("condition", "lo", "hi", "zero"),
    [
        ("x > 0", 0.0, INF, NEVER),
        ("0 < x", 0.0, INF, NEVER),
        ("x >= 1", 1.0, INF, NEVER),
        ("not x <= 0", 0.0, INF, NEVER),
        ("x != 0", -INF, INF, NEVER),
        ("x", -INF, INF, NEVER),
        ("x < 0", -INF, 0.0, NEVER),
        ("x <= 0", -INF, 0.0, UNKNOWN),
        ("x >= 0", 0.0, INF, UNKNOWN),
        ("x > 0 and flag", 0.0, INF, NEVER),
        ("flag and x > 2", 2.0, INF, NEVER),
        ("1 < x < 3", 1.0, 3.0, NEVER),
        ("abs(x) > 0", -INF, INF, NEVER),
        ("torch.abs(x) > 1e-6", -INF, INF, NEVER),
        ("x.min() > 0", 0.0, INF, NEVER),
        ("(x > 0).all()", 0.0, INF, NEVER),
        ("torch.all(x > 0)", 0.0, INF, NEVER),
        ("not (x <= 0).any()", 0.0, INF, NEVER),
        ("x > 0 or flag", -INF, INF, UNKNOWN),
        ("flag", -INF, INF, UNKNOWN),
        ("x is not None", -INF, INF, UNKNOWN),
    ],
)
def test_inside_a_branch_its_condition_holds(condition: str, lo: float, hi: float, zero: int) -> None:
    v = value_of(f"r = x if {condition} else None")
    assert (v.lo, v.hi, v.zero) == (lo, hi, zero)


def test_a_condition_says_nothing_after_its_branches() -> None:
    v = value_of(
        """
        if x > 0:
            y = 1
        r = x
        """
    )
    assert (v.lo, v.zero) == (-INF, UNKNOWN)


def test_a_condition_holds_after_the_other_branch_left() -> None:
    v = value_of(
        """
        if x <= 0:
            raise ValueError
        r = x
        """
    )
    assert (v.lo, v.zero) == (0.0, NEVER)


def test_a_condition_speaks_of_equal_expressions() -> None:
    v = value_of("r = torch.relu(x).sum() if torch.relu(x).sum() > 0 else None")
    assert v.zero is NEVER


def test_a_condition_on_a_difference_orders_its_terms() -> None:
    assert value_of("r = x - y if x > y else None").zero is NEVER


def test_a_selection_refines_each_branch() -> None:
    v = value_of("r = torch.where(x > 0, x, torch.ones_like(x))")
    assert v.zero is NEVER
    assert v.lo >= 0


def test_a_selection_of_a_zero_elsewhere_reaches_zero() -> None:
    assert value_of("r = torch.where(x > 0, x, torch.zeros_like(x))").zero >= POSSIBLE


def test_the_region_that_a_condition_tests_for_is_taken_to_occur() -> None:
    lowering = lowered(TORCH, "x = load()", "r = torch.where(x > 0, torch.log(x), 0.0)")
    selection = lowering.module.env["r"]
    logarithm = selection["a"]
    outside = Evaluator(lowering).under(selection["cond"], False, tested=True)
    v = outside.value(logarithm["x"])
    evidence = v.evidence("zero")
    assert v.zero >= LIKELY
    assert evidence is not None
    assert "the code tests for it" in evidence.text


def test_elements_picked_by_a_mask_fulfil_it() -> None:
    v = value_of("r = torch.relu(x)[torch.relu(x) > 0]")
    assert v.zero is NEVER


# Loops


def test_a_loop_keeps_the_sign_that_each_turn_keeps() -> None:
    v = value_of(
        """
        r = 1.0
        for z in x:
            r = r + torch.relu(z)
        """
    )
    assert v.lo > 0 or v.zero is NEVER


def test_a_loop_loses_the_sign_that_a_turn_loses() -> None:
    v = value_of(
        """
        r = 1.0
        for z in x:
            r = r - torch.relu(z)
        """
    )
    assert (v.lo, v.hi) == (-INF, INF)


def test_a_loop_widens_what_grows_without_bound() -> None:
    v = value_of(
        """
        r = torch.sigmoid(x)
        for z in x:
            r = r + torch.sigmoid(z)
        """
    )
    assert (v.lo, v.hi) == (0.0, INF)


def test_a_loop_keeps_the_unit_interval_that_each_turn_keeps() -> None:
    v = value_of(
        """
        r = torch.sigmoid(x)
        for z in x:
            r = r * torch.sigmoid(z)
        """
    )
    assert (v.lo, v.hi) == (0.0, 1.0)


def test_the_start_of_a_sum_is_no_evidence_of_its_end() -> None:
    v = value_of(
        """
        r = 0
        for z in x:
            r = r + torch.sigmoid(z) + 1
        """
    )
    assert v.zero < POSSIBLE


def test_what_the_last_turn_leaves_is_what_the_loop_leaves() -> None:
    v = value_of(
        """
        r = torch.exp(x) + 1
        for z in x:
            r = torch.relu(r - z)
        """
    )
    evidence = v.evidence("zero")
    assert v.zero >= LIKELY
    assert evidence is not None
    assert evidence.node.op == "relu"


def test_two_variables_of_a_loop_are_followed_together() -> None:
    v = value_of(
        """
        r, s = 1.0, 2.0
        for z in x:
            r = r + torch.relu(s)
            s = s + torch.relu(r)
        """
    )
    assert v.zero is NEVER


def test_a_while_loop_is_left_when_its_condition_fails() -> None:
    v = value_of(
        """
        s = x
        while s < 1:
            s = s * 2
        r = s
        """
    )
    assert v.lo >= 1


def test_a_break_may_leave_a_while_loop_earlier() -> None:
    v = value_of(
        """
        s = x
        while s < 1:
            if flag:
                break
            s = s * 2
        r = s
        """
    )
    assert v.lo == -INF


# The budget


def test_a_long_sum_is_evaluated_without_overflowing_the_stack() -> None:
    v = value_of("r = torch.relu(x)" + " + torch.relu(y)" * 400)
    assert v.hi == INF


def test_a_tower_of_selections_is_evaluated_within_the_budget() -> None:
    lines = "\n".join(f"x = torch.where(x > {i}, x - y, torch.log(x + {i}))" for i in range(120))
    started = time.process_time()
    findings(program(TORCH, "x, y = load()", lines))
    assert time.process_time() - started < 5


def test_loops_inside_loops_are_evaluated_within_the_budget() -> None:
    names = [f"v{i}" for i in range(8)]
    body = "\n".join(
        f"{a} = {a} * {b} + torch.relu({a} - {b})" for a, b in zip(names, names[1:] + names[:1], strict=True)
    )
    source = "\n".join(f"{name} = load()" for name in names)
    for depth in range(5):
        source += "\n" + "    " * depth + f"for i{depth} in range(9):"
    source += "\n" + "\n".join("    " * 5 + line for line in body.splitlines())
    source += "\nr = torch.log(v0) / v1 + torch.sqrt(v2)"
    started = time.process_time()
    findings(program(TORCH, source))
    assert time.process_time() - started < 5


def test_a_value_squared_again_and_again_is_evaluated_within_the_budget() -> None:
    started = time.process_time()
    findings(program(TORCH, "x = load()", "x = x * x\n" * 60, "r = torch.log(torch.exp(x) / x)"))
    assert time.process_time() - started < 2


def test_a_spent_budget_means_that_nothing_more_is_known() -> None:
    lowering = lowered(TORCH, "x = load()", "r = torch.relu(x)")
    evaluator = Evaluator(lowering)
    evaluator._fuel.left = 0
    v = evaluator.value(lowering.module.env["r"])
    assert MAX_STEPS > 0
    assert (v.lo, v.zero) == (-INF, UNKNOWN)


def test_a_number_times_its_sign_is_its_size() -> None:
    check(
        TF,
        """
        def symmetric(t):
            return tf.math.log1p(t * tf.sign(t)) * tf.sign(t)

        def asymmetric(t):
            return tf.math.log1p(t) * t  # error: [NL104]
        """,
    )


@pytest.mark.parametrize(
    "largest",
    [
        "torch.max(a, b)",
        "torch.maximum(b, a)",
        "torch.max(torch.stack([a, b]), dim=0)[0]",
        "torch.stack([a, b]).amax(0)",
    ],
)
def test_exponentials_shifted_by_the_larger_of_their_exponents_add_up_to_one_at_least(largest: str) -> None:
    check(
        TORCH,
        f"""
        def mixture(a, b):
            top = {largest}
            return top + torch.log(torch.exp(a - top) + torch.exp(b - top))
        """,
    )


def test_exponentials_shifted_by_what_is_not_the_largest_of_them_may_all_vanish_or_overflow() -> None:
    check(
        TORCH,
        """
        def unshifted(a, b):
            return torch.log(torch.exp(a) + torch.exp(b))  # error: [NL106]

        def shifted_by_one(a, b):
            return a + torch.log(torch.exp(b - a) + torch.exp(2 * b - a))  # error: [NL106]
        """,
    )


def test_a_maximum_raised_to_the_least_number_is_one() -> None:
    check(
        TORCH,
        """
        def of_two(x, y):
            shift = torch.max(x.detach(), y.detach()).clamp(min=torch.finfo(x.dtype).min)
            return torch.log(torch.exp(x - shift) + torch.exp(y - shift)) + shift

        def with_a_number(number, y):
            shift = y.detach().clamp(min=max(number, torch.finfo(y.dtype).min))
            return torch.log(torch.exp(number - shift) + torch.exp(y - shift)) + shift
        """,
    )


def test_a_shift_by_something_made_of_the_exponents_is_there_to_keep_them_in_range() -> None:
    check(
        TORCH,
        """
        def by_an_unseen_function(x, y):
            shift = larger(x, y)
            return torch.log(torch.exp(x - shift) + torch.exp(y - shift)) + shift

        def by_the_last_sum(log_weights, log_sums):
            p = torch.exp(log_weights - log_sums[-1])
            return p / p.sum()

        def by_another_row(x, y):
            p = torch.exp(x - y)
            return p / p.sum()  # error: [NL401] likely
        """,
    )


def test_a_mean_over_no_weights_is_nan_and_not_0() -> None:
    check(
        TORCH,
        """
        def level(mask, energy):
            mean = (mask * torch.exp(energy.clamp(-5, 5))).sum() / mask.sum()  # error: [NL301] likely
            return torch.log(mean)
        """,
    )
