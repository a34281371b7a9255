"""Degenerate data: what becomes of an expression where its data is zero, constant, or where two things coincide."""

from __future__ import annotations

import numpy as np
import pytest

import nanlint
from nanlint.ops.op import OPS
from tests.marked import JAX, NUMPY, TORCH, check, program
from tests.ops.calling import Raised, Unusable, call
from tests.ops.truth import spellings_of

# What is said of the ops, in the frameworks

TRAITS = [
    (op.name, trait)
    for op in OPS.values()
    for trait in ("zero_preserving", "keeps_constants", "flat")
    if getattr(op, trait) and op.operands[:1] == ("x",)
]


@pytest.mark.parametrize("root", ["numpy", "torch", "jax", "tensorflow"])
@pytest.mark.parametrize(("op", "trait"), TRAITS)
def test_ops_do_to_zeros_and_constants_what_is_said_of_them(op: str, trait: str, root: str) -> None:
    number = 0.0 if trait == "zero_preserving" else 3.0
    tried = 0
    for spelling in spellings_of(op, root):
        if set(spelling.operands) - {"x", "axis", "ddof"} or spelling.rest:
            continue
        try:
            result = call(spelling, {"x": np.full((4, 4), number, np.float32)})
        except (Unusable, Raised):
            # it wants something else beside the array, or works in place
            continue
        expected = 3.0 if trait == "keeps_constants" else 0.0
        assert np.allclose(result, expected, atol=1e-6), spelling.name
        tried += 1
    if not tried:
        pytest.skip("no spelling that takes an array alone")


# A spread is 0 for constant data, however it is written


@pytest.mark.parametrize(
    "spread",
    [
        "x.max() - x.min()",
        "np.ptp(x)",
        "np.percentile(x, 75) - np.percentile(x, 25)",
        "x[1:] - x[:-1]",
        "np.diff(x)",
        "x.std()",
        "np.sqrt(((x - x.mean()) ** 2).mean())",
        "np.abs(x - np.median(x)).mean()",
        "(x - x.min()).max()",
    ],
)
def test_a_divisor_that_is_a_spread_of_data_is_zero_for_constant_data(spread: str) -> None:
    check(NUMPY, f"def scaled(x):\n    return 1 / ({spread})  # error: [{rule_of(spread)}] possible\n")


def rule_of(spread: str) -> str:
    """The rule that speaks of a divisor: a reduction, a deviation, or anything else."""
    if "std" in spread or "sqrt" in spread:
        return "NL302"
    return "NL301" if spread.endswith((".mean()", ".max()")) else "NL303"


def test_what_a_guard_keeps_from_zero_is_no_scenario() -> None:
    check(
        NUMPY,
        """
        def scaled(x):
            spread = x.max() - x.min()
            if spread == 0:
                return x
            return x / spread

        def floored(x):
            return x / np.maximum(x.max() - x.min(), 1e-6)

        def raised(x):
            return x / (x.std() + 1e-8)
        """,
    )


def test_numbers_of_pythons_and_parameters_alone_are_no_data() -> None:
    check(
        NUMPY,
        """
        def slope(x, low: float, high: float):
            return x / (high - low)

        def quotient(a, b):
            return a / b
        """,
    )


def test_a_sum_that_divides_its_own_terms_is_zero_with_them() -> None:
    check(
        TORCH,
        """
        def shares(counts):
            return counts / counts.sum(-1, keepdim=True)  # error: [NL301]

        def of_others(x, counts):
            return x / counts.sum(-1, keepdim=True)
        """,
    )


def test_the_expanded_square_of_a_distance_is_rounded_below_zero() -> None:
    check(
        TORCH,
        """
        def distances(x, y):
            squares = (x**2).sum(-1)[:, None] + (y**2).sum(-1)[None]
            return torch.sqrt(squares - 2 * x @ y.T)  # error: [NL201, NL503]
        """,
    )


def test_equal_operations_on_equal_numbers_cancel_exactly() -> None:
    """No rounding takes a**2 - b**2 below 0 where a equals b."""
    check(TORCH, "def leg(a, b):\n    return torch.sqrt(torch.relu(a**2 - b**2) + 1e-6)\n")


def test_a_power_that_multiplies_the_logarithm_of_its_base_is_zero_where_that_is_infinite() -> None:
    check(
        TORCH,
        """
        def thin_plate(r):
            return r**2 * torch.log(r)  # error: [NL104]
        """,
    )


@pytest.mark.parametrize("data", ["run.returns[:-1] - run.values[:-1]", "np.dot(run.a, run.b)", "advantages(run) * 2"])
def test_a_deviation_of_computed_data_is_zero_for_one_sample(data: str) -> None:
    program = """
        from elsewhere import advantages


        def normalised(run):
            d = DATA
            return (d - d.mean()) / d.std()  # error: [NL302] possible
    """
    check(NUMPY, program.replace("DATA", data))


def test_a_deviation_of_random_draws_is_not_zero() -> None:
    check(
        NUMPY,
        """
        def noise(n):
            d = np.random.normal(size=n) * 2
            return d / d.std()
        """,
    )


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-15", "1e-30"])
def test_beside_zero_any_epsilon_counts(epsilon: str) -> None:
    check(
        TORCH,
        f"""
        def shares(counts):
            return counts / (counts.sum(-1, keepdim=True) + {epsilon})
        """,
    )


def test_what_cancels_but_for_its_rounding_is_zero() -> None:
    check(
        TORCH,
        """
        def rescaled(x):
            return x / (0.3 * x.max() - (0.1 + 0.2) * x.min())  # error: [NL303] possible
        """,
    )


def test_entries_of_a_table_are_not_zero_together() -> None:
    """The root is 0 at times; the epsilon of the settings is not, for all that a check permits it to be."""
    check(
        TORCH,
        """
        class Scaled(torch.optim.Optimizer):
            def __init__(self, params, eps=1e-6):
                if not 0.0 <= eps:
                    raise ValueError(eps)
                super().__init__(params, {"eps": eps})

            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        memory = self.state[p]
                        mean, square = memory["mean"], memory["square"]
                        p.data.sub_(mean / square.sqrt().add(group["eps"]))

        def shares(table):
            return table["seen"] / table["seen"].sum()  # error: [NL301] possible
        """,
    )


def test_a_distributions_moments_reduce_no_data() -> None:
    check(
        NUMPY,
        """
        from scipy import stats
        from distributions import Gamma

        def rescaled(x, nu):
            return x / np.sqrt(stats.gennorm(nu).var())

        def by_an_object(x, nu):
            return x / Gamma(nu).std()

        def by_data(x, read):
            return x / read(x).std()  # error: [NL302] possible
        """,
    )


def test_a_message_names_what_coincides() -> None:
    source = program(
        JAX,
        """
        def apart(here, there):
            step = here - there
            return jnp.sqrt(jnp.sum(step**2))
        """,
    )
    (found,) = nanlint.check_source(source)
    assert [cause.message for cause in found.causes] == ["is 0 if `here` and `there` are equal"]


# ── what is met by data ─────────────────────────────────────────────────────────────────────────────────────────────


def test_all_of_an_array_is_hardly_0_in_numpy_but_a_row_of_it_is() -> None:
    check(
        NUMPY,
        """
        def of_all(x):
            return x / x.sum()

        def of_each_row(x):
            return x / x.sum(axis=1, keepdims=True)  # error: [NL301] possible
        """,
    )


def test_a_batch_that_is_0_throughout_is_met_in_training() -> None:
    check(
        TORCH,
        """
        def of_all(x):
            return x / x.abs().max()  # error: [NL301] possible
        """,
    )


def test_probabilities_sum_to_1_and_counts_that_are_added_up_are_some() -> None:
    check(
        TORCH,
        """
        def anything(x):
            return x / x.sum(-1, keepdim=True)  # error: [NL301] likely

        def chances(probs):
            return probs / probs.sum(-1, keepdim=True)

        def portions(n_samples):
            return n_samples / n_samples.sum()
        """,
    )


def test_a_mask_is_empty_for_a_batch_and_seldom_in_an_analysis_or_where_a_function_made_it() -> None:
    check(
        TORCH,
        """
        def given(x, mask):
            return (x * mask).sum() / mask.sum()  # error: [NL301] likely

        def made(x, graphs):
            mask = graphs.padding_mask()
            return (x * mask).sum() / mask.sum()
        """,
    )
    check(
        NUMPY,
        """
        def above(x, t):
            kept = x > t
            return (x * kept).sum() / kept.sum()
        """,
    )


def test_a_label_taken_from_data_occurs_there() -> None:
    check(
        TORCH,
        """
        def by_number(x, labels):
            return [(x * (labels == c)).sum() / (labels == c).sum() for c in range(10)]  # error: [NL301] likely

        def by_label(x, labels, others):
            return [(x * (others == c)).sum() / (others == c).sum() for c in torch.unique(labels)]
        """,
    )


def test_what_an_optimizer_keeps_for_its_parameters_is_set_and_so_is_a_pair_with_a_default() -> None:
    check(
        TORCH,
        """
        class Optimizer:
            def step(self):
                for group in self.param_groups:
                    yield group["rate"] / (group["rate"] + group["decay"])

        def rescaled(x, ends=(0.0, 1.0)):
            return x / (ends[1] - ends[0])
        """,
    )


def test_a_count_or_a_bound_that_nobody_knows_tells_that_data_is_not_constant() -> None:
    check(
        TORCH,
        """
        def unchecked(x):
            return x / x.pow(2).mean()  # error: [NL301] possible

        def counted(x):
            assert (x < 0).sum() > 0
            return x / x.pow(2).mean()
        """,
    )
    check(
        NUMPY,
        """
        def spread(x):
            s = np.std(x)
            return x / s  # error: [NL302] possible

        def above_a_bound(x, LIMIT):
            s = np.std(x)
            constant = s <= LIMIT
            if constant:
                return x
            return x / s
        """,
    )


def test_times_follow_one_another() -> None:
    check(
        NUMPY,
        """
        def slope(x, y):
            return y / (x.max() - x.min())  # error: [NL303] possible

        def rate(y, times):
            return y / (times.max() - times.min())

        def first(y, times):
            return (y[1] - y[0]) / (times[1] - times[0])
        """,
    )


def test_an_average_of_zeros_is_0_and_one_of_other_equal_numbers_is_rounded() -> None:
    check(
        NUMPY,
        """
        def error(y, p, weights):
            return np.sqrt(np.average(np.abs(y - p), weights=weights, axis=0))

        def deviation(y, weights):
            mean = np.average(y, weights=weights)
            return np.sqrt(np.average(np.square(y), weights=weights) - mean**2)  # error: [NL503]
        """,
    )


def test_moments_of_what_a_mask_selects_cancel_as_those_of_all_do() -> None:
    check(
        "import jax.numpy as jnp\n",
        """
        def spread(x, mask):
            mean = jnp.mean(x, -1, where=mask)
            return jnp.sqrt(jnp.mean(x**2, -1, where=mask) - mean**2)  # error: [NL503]
        """,
    )


@pytest.mark.parametrize(
    ("imports", "numbers"),
    [
        (TORCH, "torch.sin(torch.arange(n)[:, None] * torch.exp(-torch.arange(0, d, 2) / d))"),
        (NUMPY, "np.cos(np.pi * np.outer(np.arange(n), np.arange(d)) / n)"),
        (TORCH, "torch.stack(torch.meshgrid(torch.linspace(-1, 1, n), torch.linspace(-1, 1, d)))"),
        (NUMPY, "np.linalg.qr(np.random.randn(n, d))[1]"),
        (JAX, "jnp.linalg.svd(jax.random.normal(jax.random.PRNGKey(0), (9, 9)))[1]"),
    ],
)
@pytest.mark.parametrize("divisor", ["m.std()", "abs(m).max()", "abs(m)"])
def test_what_is_made_of_numbers_grids_and_draws_is_no_data_that_degenerates(
    imports: str, numbers: str, divisor: str
) -> None:
    source = f"{imports}\n\ndef table(n, d):\n    m = {numbers}\n    return m / {divisor}\n"
    assert nanlint.check_source(source) == []


def test_data_that_comes_through_what_nobody_sees_degenerates() -> None:
    check(
        NUMPY,
        """
        def spread(x, n):
            m = smooth(x, np.arange(n))
            return m / m.std()  # error: [NL302] possible

        def added_up(x):
            m = [x[:, -1]]
            for t in range(1, 9):
                m.append(x[:, t] + m[-1])
            m = np.stack(m)
            return m / m.std()  # error: [NL302] possible

        def table(n):
            m = smooth(3.0, np.arange(n))
            return m / m.std()
        """,
    )


def test_the_edges_of_a_histogram_differ() -> None:
    check(
        NUMPY,
        """
        def density(x, n):
            count, edges = np.histogram(x, n)
            return count / np.diff(edges), count / (edges[1:] - edges[:-1])

        def slopes(x, count):
            return count / (x[1:] - x[:-1])  # error: [NL303] possible
        """,
    )
