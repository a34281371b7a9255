"""Parts of a whole, settings, arrays of which single elements are known: what follows for sums, exponentials, parts."""

from __future__ import annotations

import pytest

from tests.marked import JAX, NUMPY, TORCH, check


@pytest.mark.parametrize(
    "total",
    [
        "tp + tn + fp + fn",
        "tp + (fn + (fp + tn))",
        "tp + fn + (~truths).sum()",
        "truths.sum() + predictions.sum() - tp + tn",
    ],
)
def test_conditions_of_which_one_holds_count_all_there_are(total: str) -> None:
    check(
        TORCH,
        f"""
        def accuracy(scores, labels):
            predictions, truths = scores > 0, labels > 0
            tp, tn = (predictions & truths).sum(), (~predictions & ~truths).sum()
            fp, fn = (predictions & ~truths).sum(), (~predictions & truths).sum()
            return (tp + tn) / ({total})
        """,
    )


@pytest.mark.parametrize("total", ["tp + tn", "tp + tn + fp", "tp + fp + fn", "tp + tn + fp + fn.sum(0)"])
def test_conditions_that_leave_something_out_may_count_nothing(total: str) -> None:
    check(
        TORCH,
        f"""
        def accuracy(scores, labels):
            predictions, truths = scores > 0, labels > 0
            tp, tn = (predictions & truths).sum(), (~predictions & ~truths).sum()
            fp, fn = (predictions & ~truths).sum(), predictions & truths
            return (tp + tn) / ({total})  # error: [NL303]
        """,
    )


def test_a_label_may_be_neither_of_two_that_are_asked_for() -> None:
    check(
        TORCH,
        """
        def share(labels):
            positive, negative = (labels == 1).sum(), (labels == 0).sum()
            return positive / (positive + negative)  # error: [NL303]
        """,
    )


def test_a_setting_is_an_ordinary_number_and_data_is_not() -> None:
    check(
        TORCH,
        """
        class Head(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.tau = config["tau"]

            def forward(self, x, y):
                s = torch.exp(F.normalize(x) @ F.normalize(y).t() / self.tau)
                return s / s.sum(1)

            def scores(self, x):
                return torch.exp(x / self.tau) / torch.exp(x / self.tau).sum(1)  # error: [NL401]

            def steep(self, x):
                return 1 / (1 + torch.exp(1000 * torch.tanh(x)))  # error: [NL402]
        """,
    )


def test_the_place_of_a_number_is_known_where_an_array_is_put_together() -> None:
    check(
        NUMPY,
        """
        def logarithms(rates):
            kept = np.cumprod(np.clip(1.0 - rates, 0.1, 0.9))
            left = 1.0 - np.append(1.0, kept)
            return np.log(np.append(left[1], left[1:]))

        def all_of_them(rates):
            kept = np.cumprod(np.clip(1.0 - rates, 0.1, 0.9))
            return np.log(1.0 - np.append(1.0, kept))  # error: [NL103]
        """,
    )


def test_elements_that_a_condition_takes_are_what_it_says() -> None:
    check(
        TORCH,
        """
        def means(x, mask):
            keep = mask.any(1)
            x, mask = x[keep], mask[keep]
            return (x * mask).sum(1) / mask.sum(1)

        def along_the_other(x, mask):
            keep = mask.any(0)
            x, mask = x[:, keep], mask[:, keep]
            return (x * mask).sum(1) / mask.sum(1)  # error: [NL301]

        def by_something_else(x, mask):
            keep = x.any(1)
            x, mask = x[keep], mask[keep]
            return (x * mask).sum(1) / mask.sum(1)  # error: [NL301]
        """,
    )


def test_a_mask_that_is_called_causal_leaves_each_position_itself() -> None:
    check(
        TORCH,
        """
        def attention(scores, causal_mask):
            return torch.softmax(scores.masked_fill(causal_mask, float("-inf")), -1)

        def other(scores, mask):
            return torch.softmax(scores.masked_fill(mask, float("-inf")), -1)  # error: [NL404]
        """,
    )


def test_a_selection_that_its_range_decides_has_one_side() -> None:
    check(
        TORCH,
        """
        def root(x):
            x = x.clamp(min=1e-3)
            x = torch.where(x > 0, x, torch.zeros_like(x))
            return torch.log(x)
        """,
    )


def test_vectors_of_length_1_are_close() -> None:
    check(
        JAX,
        """
        def unit(x):
            return x / jnp.linalg.norm(x, axis=-1, keepdims=True).clip(1e-8)

        def uniformity(x):
            x = unit(jax.lax.stop_gradient(x))
            return jnp.log(jnp.exp(-2 * jnp.sum((x[:, None] - x[None]) ** 2, -1)).mean())

        def by_cosines(x):
            x = unit(jax.lax.stop_gradient(x))
            return jnp.log(jnp.exp(2 * x @ x.T - 2).mean())

        def spread(x):
            return jnp.log(jnp.exp(-2 * jnp.sum((x[:, None] - x[None]) ** 2, -1)).mean())  # error: [NL103]
        """,
    )


def test_weights_that_sum_to_1_average() -> None:
    check(
        TORCH,
        """
        def density(logits, scores):
            weights = torch.softmax(logits, -1)
            return torch.log((weights * (0.1 + torch.sigmoid(scores))).sum(-1))
        """,
    )


def test_the_largest_is_not_far_from_itself_in_either_order() -> None:
    check(
        NUMPY,
        """
        def recent(x, times):
            weights = np.exp(-0.5 * (times.max() - times))
            return (weights * x).sum() / weights.sum()
        """,
    )
