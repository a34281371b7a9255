"""Logarithms whose -inf is the right result: of a geometric mean, and of a frequency."""

from __future__ import annotations

import nanlint
from tests.marked import JAX, NUMPY, TORCH, check, program


def test_a_geometric_mean_is_zero_where_a_factor_is() -> None:
    check(
        TORCH,
        """
        def geometric_mean(x, y):
            return torch.exp(torch.log(F.relu(x - y)).mean()).item()

        def inverse(x, y):
            return torch.exp(-torch.log(F.relu(x - y)).mean()).item()  # error: [NL103]

        def logarithmic(x, y):
            return torch.log(F.relu(x - y)).mean().item()  # error: [NL103]
        """,
    )


def test_in_training_the_gradient_of_a_geometric_mean_is_nan_at_zero() -> None:
    check(
        TORCH,
        """
        class Geometric(nn.Module):
            def forward(self, x):
                return torch.exp(torch.log(F.relu(x)).mean())  # error: [NL103]
        """,
    )


def test_the_logarithm_of_the_frequency_of_what_did_not_occur_is_minus_infinity() -> None:
    check(
        JAX,
        """
        def log_frequency(seen, x):
            return jnp.log(jnp.mean(seen[None] == x[:, None], axis=-1))

        def surprise(seen, x):
            return -jnp.log(jnp.mean(seen[None] == x[:, None], axis=-1)).mean()  # error: [NL103]
        """,
    )


def test_what_numpy_reads_is_float64() -> None:
    source = program(
        NUMPY,
        """
        def log_evidence(path):
            return np.log(np.sum(np.exp(np.genfromtxt(path, skip_header=1))))
        """,
    )
    causes = [cause.message for found in nanlint.check_source(source) for cause in found.causes]
    assert causes == ["overflows above 710 (float64)"]
