"""Forms: what the way an expression is written says where its operands say nothing."""

from __future__ import annotations

import pytest

from tests.marked import JAX, NUMPY, TF, TORCH, check

# Distances


@pytest.mark.parametrize(
    "squared",
    [
        "((a - b) ** 2).sum(-1)",
        "(a - b).pow(2).sum(-1)",
        "torch.square(a - b).sum(-1)",
        "((a - b) * (a - b)).sum(-1)",
        "torch.sum((a - b) ** 2)",
        "torch.mean((a - b) ** 2)",
        "F.mse_loss(a, b)",
        "(a ** 2).sum(-1)",
    ],
)
def test_the_root_of_a_sum_of_squares_is_taken_at_zero(squared: str) -> None:
    check(
        TORCH,
        f"""
        def distance(a, b):
            return torch.sqrt({squared})  # error: [NL201]

        def guarded(a, b):
            return torch.sqrt({squared} + 1e-12)
        """,
    )


def test_a_spread_is_zero_for_constant_data_only() -> None:
    check(
        TORCH,
        """
        def spread(x):
            return torch.sqrt(((x - x.mean()) ** 2).mean())
        """,
    )


def test_the_root_of_an_unknown_is_no_distance() -> None:
    check(
        TORCH,
        """
        def root(x):
            return torch.sqrt(x)
        """,
    )


# Entropies and cross-entropies


@pytest.mark.parametrize(
    ("imports", "entropy"),
    [
        (TORCH, "-(p * torch.log(p)).sum(-1)"),
        (TORCH, "-torch.sum(torch.log(p) * p)"),
        (TF, "-tf.reduce_sum(p * tf.math.log(p))"),
        (JAX, "-jnp.sum(p * jnp.log(p))"),
        (NUMPY, "-np.sum(p * np.log(p))"),
    ],
)
def test_p_log_p_is_meant_to_be_zero_at_zero(imports: str, entropy: str) -> None:
    check(
        imports,
        f"""
        def entropy(p):
            return {entropy}  # error: [NL104]
        """,
    )


@pytest.mark.parametrize(
    ("imports", "entropy"),
    [
        (TORCH, "-(p * torch.log(p + 1e-6)).sum(-1)"),
        (TORCH, "-torch.special.xlogy(p, p).sum(-1)"),
        (TORCH, "torch.special.entr(p).sum(-1)"),
        (TF, "-tf.reduce_sum(tf.math.xlogy(p, p))"),
        (TF, "-tf.reduce_sum(tf.math.multiply_no_nan(tf.math.log(p), p))"),
        (JAX, "-jnp.sum(jax.scipy.special.xlogy(p, p))"),
        (NUMPY, "-np.sum(p * np.log(np.clip(p, 1e-12, 1)))"),
    ],
)
def test_an_entropy_that_is_zero_at_zero_is_fine(imports: str, entropy: str) -> None:
    check(
        imports,
        f"""
        def entropy(p):
            return {entropy}
        """,
    )


def test_a_cross_entropy_is_fed_with_a_saturated_model() -> None:
    check(
        TF,
        """
        def loss(y, q):
            return -tf.reduce_sum(y * tf.math.log(q))  # error: [NL104]

        def guarded(y, q):
            return -tf.reduce_sum(y * tf.math.log(tf.maximum(q, 1e-7)))
        """,
    )


def test_a_logarithm_that_multiplies_nothing_is_no_entropy() -> None:
    check(
        TORCH,
        """
        def scale(x):
            return torch.log(x)
        """,
    )


def test_a_logarithm_of_a_difference_times_another_is_no_entropy() -> None:
    check(
        TORCH,
        """
        def score(x, y, w):
            return (w * torch.log(x / y)).mean()
        """,
    )


# Masked means


@pytest.mark.parametrize(
    ("imports", "mean"),
    [
        (TORCH, "(x * m).sum(1) / m.sum(1)"),
        (TORCH, "(m * x).sum(-1) / m.sum(-1)"),
        (TORCH, "torch.sum(x * m, dim=1) / torch.sum(m, dim=1)"),
        (TORCH, "(x * m.unsqueeze(-1)).sum(1) / m.sum(1)"),
        (TF, "tf.reduce_sum(x * m, axis=1) / tf.reduce_sum(m, axis=1)"),
        (JAX, "jnp.sum(x * m, axis=1) / jnp.sum(m, axis=1)"),
        (JAX, "(x * m).sum(0) / m.sum(0)"),
    ],
)
def test_the_mask_of_a_mean_may_select_nothing(imports: str, mean: str) -> None:
    check(
        imports,
        f"""
        def pooled(x, m):
            return {mean}  # error: [NL301]
        """,
    )


@pytest.mark.parametrize(
    ("imports", "mean"),
    [
        (TORCH, "(x * m).sum(1) / m.sum(1).clamp(min=1)"),
        (TORCH, "(x * m).sum(1) / (m.sum(1) + 1e-6)"),
        (TORCH, "(x * m).sum() / max(m.sum(), 1)"),
        (TF, "tf.math.divide_no_nan(tf.reduce_sum(x * m), tf.reduce_sum(m))"),
        (TF, "tf.reduce_sum(x * m) / tf.maximum(tf.reduce_sum(m), 1.0)"),
        (JAX, "jnp.sum(x * m) / jnp.maximum(jnp.sum(m), 1)"),
    ],
)
def test_a_mean_with_a_floored_count_is_fine(imports: str, mean: str) -> None:
    check(
        imports,
        f"""
        def pooled(x, m):
            return {mean}
        """,
    )


def test_weights_that_are_positive_select_something() -> None:
    check(
        TORCH,
        """
        def pooled(x, logits):
            w = torch.softmax(logits, -1)
            return (x * w).sum() / w.sum()

        def smoothed(x, z):
            w = F.softplus(z) + 1e-3
            return (x * w).sum() / w.sum()
        """,
    )


def test_the_sum_of_another_thing_is_no_mask() -> None:
    check(
        TORCH,
        """
        def ratio(x, y, z):
            return (x * y).sum() / z.sum()
        """,
    )


def test_one_sum_of_unknown_weights_is_a_mass_not_a_mask() -> None:
    check(
        TORCH,
        """
        class Body:
            def centre(self, x):
                return (x * self.masses).sum() / self.masses.sum()

        def pooled(x, ids):
            mask = (ids != 0).float()
            return (x * mask).sum() / mask.sum()  # error: [NL301]
        """,
    )


def test_a_base_in_log_space_may_be_validated_on_one_path_and_bare_on_the_other() -> None:
    check(
        TF,
        """
        class Kumaraswamy:
            def _checked(self, x):
                if not self.validate:
                    return x
                return with_dependencies([assert_non_negative(x)], x)

            def log_det(self, x, a, b):
                x = self._checked(x)
                return (b - 1) * tf.math.log1p(-x ** a)  # error: [NL104]
        """,
    )


def test_the_probability_of_a_cross_entropy_may_be_reshaped_in_a_loop() -> None:
    check(
        TORCH,
        """
        def same_shape(output, labels):
            if len(output.shape) == len(labels.shape):
                return output, labels
            for _ in range(len(output.shape) - len(labels.shape)):
                labels = labels.unsqueeze(-1)
            return output, labels

        def cross_entropy(output, labels):
            output, labels = same_shape(output, labels)
            return -torch.sum(labels * torch.log(output), dim=-1)  # error: [NL104]
        """,
    )


def test_a_product_of_exponentials_shifted_apart_is_zero_though_a_loop_collects_them() -> None:
    check(
        TORCH,
        """
        def contract(equation, operands):
            factors = []
            for x in operands:
                factors.append((x - x.max()).exp())
            return torch.einsum(equation, factors).log()  # error: [NL103]
        """,
    )


# Entropies, energies, shares, sizes


def test_an_entropy_may_have_other_terms_and_a_quotient_inside() -> None:
    check(
        TORCH,
        """
        def divergence(p, q):
            return (p * (torch.log(p) - q)).sum()  # error: [NL104]

        def relative(p, q):
            return (p * torch.log(p / q)).sum()  # error: [NL104]

        def surprise(p):
            return (p * torch.log(1 / p)).sum()  # error: [NL303]

        def bounded(p, q):
            p, q = p.clamp(min=1e-6), q.clamp(min=1e-6)
            return (p * torch.log(p / q)).sum() + (p * (torch.log(p) - q)).sum()
        """,
    )


def test_the_logarithm_of_an_energy_or_of_a_product_is_taken_at_zero() -> None:
    check(
        TORCH,
        """
        def loudness(x):
            return torch.log(x.pow(2).sum(-1))  # error: [NL103]

        def level(x):
            return x.abs().sum(-1).log()  # error: [NL103]

        def volume(a):
            return torch.log(torch.det(a))  # error: [NL103]

        def likelihood(p):
            return p.prod(-1).log()  # error: [NL103]

        def elements(x):
            return torch.log(torch.tensor(x.shape).prod()) + torch.log(x.pow(2).sum(-1) + 1e-6)
        """,
    )


def test_a_share_of_what_is_counted_is_zero_over_zero_where_nothing_is() -> None:
    check(
        TORCH,
        """
        def precision(hit, miss):
            return hit.sum() / (hit.sum() + miss.sum())  # error: [NL303] possible

        def smoothed(hit, miss):
            return hit.sum() / (hit.sum() + miss.sum() + 1.0)

        def posterior(a, b):
            return a.exp().sum() / (a.exp().sum() + b.exp().sum())
        """,
    )


def test_what_is_divided_by_its_own_size_may_be_zero_throughout() -> None:
    check(
        TORCH,
        """
        def unit(x):
            return x / x.norm(dim=-1, keepdim=True)  # error: [NL302]

        def cosine(a, b):
            return (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))  # error: [NL302]

        def peak(x):
            return x / x.abs().max()  # error: [NL301] possible

        def floored(x):
            return x / x.norm(dim=-1, keepdim=True).clamp(min=1e-6) + x / (x.abs().max() + 1e-6)

        def of_a_model(model, x):
            features = model.encode(x)
            return features / features.norm(dim=-1, keepdim=True)

        def drawn(n):
            x = torch.randn(n)
            return x / x.norm()
        """,
    )
