"""What is shown by default is drawn by who makes the number: the program itself, or a caller whose data degenerates."""

from __future__ import annotations

import pytest

from tests.marked import JAX, NUMPY, TF, TORCH, check

#: a sum along the last axis, a clip and a sigmoid in each framework
WRITTEN = {
    "torch": (TORCH, "torch.sum({}, -1)", "torch.clamp({}, 0, 1)", "torch.sigmoid({})"),
    "tensorflow": (
        TF,
        "tf.reduce_sum({}, -1)",
        "tf.clip_by_value({}, 0.0, 1.0)",
        "tf.math.sigmoid({})",
    ),
    "jax": (JAX, "jnp.sum({}, -1)", "jnp.clip({}, 0, 1)", "jax.nn.sigmoid({})"),
}
every_framework = pytest.mark.parametrize("framework", WRITTEN)


@every_framework
def test_what_a_program_makes_itself_is_shown(framework: str) -> None:
    imports, total, _, sigmoid = WRITTEN[framework]
    check(
        imports,
        f"""
        def saturated(x, scores):
            return x / {sigmoid.format("scores")}  # error: [NL303]

        def selected(x, labels):
            mine = labels == 1
            return {total.format("x * mine")} / {total.format("mine")}  # error: [NL301]
        """,
    )


@every_framework
def test_a_row_of_what_a_step_is_given_is_zero_at_times_and_what_is_learned_or_set_is_not(framework: str) -> None:
    imports, total, *_ = WRITTEN[framework]
    check(
        imports,
        f"""
        def shares(adjacency):
            return adjacency / {total.format("adjacency")}[..., None]  # error: [NL301]

        def of_weights(weights):
            return weights / {total.format("weights")}[..., None]  # error: [NL301] possible

        class Scaled:
            def by_a_setting(self, x):
                return x / {total.format("self.scales")}[..., None]
        """,
    )


@every_framework
def test_what_takes_data_that_degenerates_is_possible(framework: str) -> None:
    imports, total, clip, *_ = WRITTEN[framework]
    check(
        imports,
        f"""
        def slope(x0, x1, y0, y1):
            return (y1 - y0) / (x1 - x0)  # error: [NL303] possible

        def at_a_bound(x, share):
            return x / (1 - {clip.format("share")})  # error: [NL303] possible

        def of_both(a, b):
            return a / ({total.format("a")} + {total.format("b")})[..., None]  # error: [NL303] possible
        """,
    )


def test_what_is_trained_starts_at_zero() -> None:
    """A linear predictor is 0 wherever its coefficients are, as they are before the first step."""
    check(
        JAX,
        """
        def log_rate(params, X):
            return jnp.log(jnp.abs(X @ params["slope"]))  # error: [NL103]

        def normalised(params):
            return params["slope"] / jnp.sum(params["slope"])  # error: [NL301] possible
        """,
    )


def test_one_array_of_an_analysis_in_numpy_is_not_one_of_many() -> None:
    check(
        NUMPY,
        """
        def shares(counts):
            return counts / counts.sum(axis=1, keepdims=True)  # error: [NL301] possible
        """,
    )
