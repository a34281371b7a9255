"""Guards: what keeps an operand from its pole is believed, in every spelling; what only looks like it is not."""

from __future__ import annotations

import pytest

from tests.marked import JAX, KERAS, NUMPY, TF, TORCH, check, said

# An epsilon added, a bound, a maximum


@pytest.mark.parametrize(
    "guard",
    [
        "p + 1e-6",
        "1e-6 + p",
        "p + torch.finfo(p.dtype).eps",
        "torch.add(p, 1e-6)",
        "p.add(1e-6)",
        "p.clamp(min=1e-6)",
        "p.clamp(1e-6)",
        "p.clamp_min(1e-6)",
        "torch.clamp(p, 1e-6, 1.0)",
        "torch.clip(p, min=1e-6)",
        "torch.maximum(p, torch.tensor(1e-6))",
        "torch.max(p, torch.tensor(1e-6))",
        "torch.where(p == 0, 1.0, p)",
        "torch.where(p > 0, p, torch.ones_like(p))",
        "p.masked_fill(p == 0, 1.0)",
        "(1 - 1e-3) * p + 1e-3",
        "F.threshold(p, 1e-6, 1e-6)",
    ],
)
def test_torch_guards_of_a_logarithm(guard: str) -> None:
    check(
        TORCH,
        f"""
        def loss(x, y):
            p = torch.softmax(x, -1)
            return -(y * torch.log({guard})).sum()
        """,
    )


@pytest.mark.parametrize(
    "guard",
    [
        "p + 1e-6",
        "tf.add(p, 1e-6)",
        "tf.maximum(p, 1e-6)",
        "tf.math.maximum(1e-6, p)",
        "tf.clip_by_value(p, 1e-6, 1.0)",
        "tf.clip_by_value(p, clip_value_min=1e-6, clip_value_max=1.0)",
        "tf.where(tf.equal(p, 0.0), tf.ones_like(p), p)",
        "tf.where(p > 0, p, 1.0)",
        "tf.where(tf.greater(p, 0.0), p, tf.ones_like(p))",
        "tf.keras.backend.clip(p, tf.keras.backend.epsilon(), 1.0)",
        "p + tf.keras.backend.epsilon()",
    ],
)
def test_tensorflow_guards_of_a_logarithm(guard: str) -> None:
    check(
        TF,
        f"""
        def loss(x, y):
            p = tf.nn.softmax(x)
            return -tf.reduce_sum(y * tf.math.log({guard}))
        """,
    )


@pytest.mark.parametrize(
    "guard",
    [
        "p + 1e-6",
        "jnp.clip(p, 1e-6)",
        "jnp.clip(p, min=1e-6)",
        "jnp.clip(p, a_min=1e-6, a_max=1.0)",
        "p.clip(1e-6, 1.0)",
        "jnp.maximum(p, 1e-6)",
        "jax.lax.max(p, 1e-6)",
        "jnp.where(p == 0, 1.0, p)",
        "jnp.where(p > 0, p, 1.0)",
        "p + jnp.finfo(jnp.float32).eps",
        "jax.lax.clamp(1e-6, p, 1.0)",
    ],
)
def test_jax_guards_of_a_logarithm(guard: str) -> None:
    check(
        JAX,
        f"""
        def loss(x, y):
            p = jax.nn.softmax(x)
            return -(y * jnp.log({guard})).sum()
        """,
    )


@pytest.mark.parametrize(
    "guard",
    [
        "p + 1e-12",
        "np.clip(p, 1e-12, 1)",
        "np.clip(p, a_min=1e-12, a_max=None)",
        "p.clip(1e-12)",
        "np.maximum(p, 1e-12)",
        "np.fmax(p, 1e-12)",
        "np.where(p == 0, 1, p)",
        "np.where(p > 0, p, 1)",
        "p + np.finfo(float).eps",
    ],
)
def test_numpy_guards_of_a_logarithm(guard: str) -> None:
    check(
        NUMPY,
        f"""
        def entropy(x):
            p = np.maximum(x, 0)
            return -np.sum(p * np.log({guard}))
        """,
    )


@pytest.mark.parametrize(
    "guard",
    [
        "p + K.epsilon()",
        "K.clip(p, K.epsilon(), 1 - K.epsilon())",
        "K.maximum(p, K.epsilon())",
        "ops.maximum(p, 1e-7)",
        "ops.clip(p, 1e-7, 1.0)",
        "ops.where(p == 0, 1.0, p)",
        "p + keras.config.epsilon()",
    ],
)
def test_keras_guards_of_a_logarithm(guard: str) -> None:
    check(
        KERAS,
        f"""
        def loss(x, y):
            p = ops.softmax(x)
            return -ops.sum(y * ops.log({guard}))
        """,
    )


@pytest.mark.parametrize(
    "quotient",
    [
        "above / (below + 1e-6)",
        "above / below.clamp(min=1)",
        "above / below.clamp_min(1e-6)",
        "above / torch.where(below == 0, 1.0, below)",
        "torch.where(below > 0, above / torch.where(below > 0, below, 1.0), 0.0)",
        "above / (below.abs() + 1)",
        "above / (1 + below ** 2)",
        "above / (below + 1)",
    ],
)
def test_guards_of_a_division(quotient: str) -> None:
    check(
        TORCH,
        f"""
        def loss(x, y):
            above, below = x.sum(), torch.relu(torch.tanh(y)).sum()
            return {quotient}
        """,
    )


def test_divide_no_nan_is_a_guard() -> None:
    check(
        TF,
        """
        def loss(x, y):
            n = tf.reduce_sum(tf.nn.relu(y))
            return tf.math.divide_no_nan(x, n)

        def also(x, y):
            n = tf.reduce_sum(tf.nn.relu(y))
            return tf.where(n > 0, tf.math.divide_no_nan(x, n), 0.0)
        """,
    )


def test_np_divide_with_where_is_a_guard() -> None:
    check(
        NUMPY,
        """
        def share(x):
            w = np.maximum(x, 0)
            n = w.sum()
            return np.divide(w, n, out=np.zeros_like(w), where=n != 0)

        def entropy(x):
            p = np.maximum(x, 0)
            return np.sum(p * np.log(p, where=p > 0, out=np.zeros_like(p)))
        """,
    )


# Conditions


def test_an_if_is_a_guard() -> None:
    check(
        TORCH,
        """
        def mean(x, mask):
            n = (mask > 0).sum()
            if n > 0:
                return (x * mask).sum() / n
            return x.sum() * 0

        def also(x, mask):
            n = (mask > 0).sum()
            if n != 0:
                return (x * mask).sum() / n
            return x.sum() * 0

        def third(x, mask):
            n = (mask > 0).sum()
            if n:
                return (x * mask).sum() / n
            return x.sum() * 0

        def fourth(x, mask):
            n = (mask > 0).sum()
            return x.sum() * 0 if n == 0 else (x * mask).sum() / n

        def fifth(x, mask):
            n = (mask > 0).sum()
            if n >= 1:
                return (x * mask).sum() / n
            return x.sum() * 0

        def sixth(x, mask):
            if mask.sum().item() == 0:
                return x.sum() * 0
            return (x * mask).sum() / mask.sum()
        """,
    )


def test_any_of_a_mask_says_that_its_count_is_not_zero() -> None:
    check(
        TORCH,
        """
        def mean(x, y):
            mask = y > 0
            if mask.any():
                return (x * mask).sum() / mask.sum()
            return x.sum() * 0

        def also(x, y):
            mask = y > 0
            if not mask.any():
                return x.sum() * 0
            return (x * mask).sum() / mask.sum()
        """,
    )


def test_an_assertion_is_a_guard() -> None:
    check(
        TF,
        """
        def mean(x, mask):
            n = tf.reduce_sum(tf.cast(mask > 0, tf.float32))
            assert n > 0
            return tf.reduce_sum(x) / n

        def also(x, mask):
            n = tf.reduce_sum(tf.cast(mask > 0, tf.float32))
            tf.debugging.assert_positive(n)
            return tf.reduce_sum(x) / n

        def third(x, mask):
            n = tf.reduce_sum(tf.cast(mask > 0, tf.float32))
            tf.debugging.assert_greater(n, 0.0)
            return tf.reduce_sum(x) / n
        """,
    )


def test_an_early_return_a_raise_and_a_continue_are_guards() -> None:
    check(
        NUMPY,
        """
        def share(x):
            n = np.maximum(x, 0).sum()
            if n == 0:
                return x
            return np.maximum(x, 0) / n

        def also(x):
            n = np.maximum(x, 0).sum()
            if not n > 0:
                raise ValueError("empty")
            return np.maximum(x, 0) / n

        def third(xs):
            for x in xs:
                n = np.maximum(x, 0).sum()
                if n == 0:
                    continue
                yield np.maximum(x, 0) / n

        def fourth(x):
            n = np.maximum(x, 0).sum()
            if np.isclose(n, 0):
                return x
            return np.maximum(x, 0) / n
        """,
    )


def test_a_selection_by_mask_is_a_guard() -> None:
    check(
        NUMPY,
        """
        def entropy(x):
            p = np.maximum(x, 0)
            p = p[p > 0]
            return -np.sum(p * np.log(p))

        def also(x):
            p = np.maximum(x, 0)
            nonzero = p != 0
            return -np.sum(p[nonzero] * np.log(p[nonzero]))

        def third(x):
            p = np.maximum(x, 0)
            p = p[np.nonzero(p)]
            return -np.sum(p * np.log(p))

        def fourth(x):
            p = np.maximum(x, 0)
            keep = np.where(p > 0)
            return -np.sum(p[keep] * np.log(p[keep]))
        """,
    )


def test_masked_select_is_a_guard() -> None:
    check(
        TORCH,
        """
        def entropy(x):
            p = torch.softmax(x, -1)
            p = p[p > 0]
            return -(p * torch.log(p)).sum()

        def also(x):
            p = torch.softmax(x, -1)
            p = torch.masked_select(p, p > 0)
            return -(p * torch.log(p)).sum()

        def third(x):
            p = torch.softmax(x, -1)
            p = p.masked_select(p.gt(0))
            return -(p * torch.log(p)).sum()
        """,
    )


def test_a_store_under_a_mask_is_a_guard() -> None:
    check(
        NUMPY,
        """
        def share(x):
            n = np.maximum(x, 0).sum(axis=1)
            n[n == 0] = 1
            return x / n[:, None]

        def also(x):
            n = np.maximum(x, 0).sum(axis=1)
            empty = n == 0
            n[empty] = 1.0
            return x / n[:, None]

        def third(x):
            n = np.maximum(x, 0).sum(axis=1)
            n[np.where(n == 0)] = 1
            return x / n[:, None]

        def fourth(x):
            n = np.maximum(x, 0).sum(axis=1)
            n[n < 1e-12] = 1.0
            return x / n[:, None]
        """,
    )


# The fifteen that make up most real code


def test_an_epsilon_held_in_an_attribute_or_constant_is_a_guard() -> None:
    check(
        TORCH,
        """
        EPS = 1e-8

        class Loss(nn.Module):
            TINY = 1e-6

            def __init__(self, eps=1e-6, floor=1e-4):
                super().__init__()
                self.eps = eps
                self.settings = {"eps": 1e-6}
                self.register_buffer("floor", torch.tensor(1e-6))

            def forward(self, x, y):
                p = torch.softmax(x, -1)
                a = torch.log(p + self.eps)
                b = torch.log(p + EPS)
                c = torch.log(p + self.TINY)
                d = torch.log(p.clamp(min=self.eps))
                e = torch.log(p + self.settings["eps"])
                f = torch.log(p + self.floor)
                return (y * (a + b + c + d + e + f)).sum()
        """,
    )


def test_an_epsilon_from_a_config_is_a_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, cfg, args):
            p = torch.softmax(x, -1)
            return torch.log(p + cfg.eps) + torch.log(p + args.epsilon) + torch.log(p + cfg["eps"])
        """,
    )


def test_a_clamp_on_an_earlier_line_is_a_guard() -> None:
    check(
        TF,
        """
        def loss(x, y):
            p = tf.nn.softmax(x)
            p = tf.clip_by_value(p, 1e-7, 1.0 - 1e-7)
            q = 1.0 - p
            positive = y * tf.math.log(p)
            return -tf.reduce_mean(positive + (1.0 - y) * tf.math.log(q))

        def also(x, y):
            p = tf.nn.softmax(x)
            p = tf.maximum(p, 1e-7)
            p = tf.reshape(p, [-1])
            p = p / 2.0
            return -tf.reduce_mean(y * tf.math.log(p))
        """,
    )


def test_arithmetic_of_shapes_and_configuration_is_no_hazard() -> None:
    check(
        TORCH,
        """
        import math

        def attention(q, k, config):
            scale = 1.0 / math.sqrt(q.size(-1))
            heads = config.hidden_size // config.num_heads
            rate = 1.0 / (1.0 - config.dropout)
            n, d = q.shape
            scores = q @ k.t() / d ** 0.5
            return scores * scale * rate / heads / len(q) / q.shape[0] / q.numel() / math.log(n)
        """,
    )


def test_arithmetic_of_static_shapes_is_no_hazard() -> None:
    check(
        TF,
        """
        import numpy as np

        def attention(q, k):
            depth = tf.cast(tf.shape(k)[-1], tf.float32)
            scores = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(depth)
            return scores / np.sqrt(k.shape[-1]) / tf.cast(tf.size(q), tf.float32)
        """,
    )


def test_constant_tensors_are_what_they_are() -> None:
    check(
        TORCH,
        """
        import numpy as np

        def loss(x):
            sigmas = torch.tensor([1.0, 2.0, 4.0])
            steps = torch.arange(1, 10)
            grid = torch.linspace(0.1, 1.0, 10)
            weights = np.array([0.5, 0.5])
            a = x / sigmas + torch.log(sigmas)
            b = x / steps + torch.sqrt(steps.float())
            c = torch.log(torch.full((3,), 2.0)) + torch.ones(3).log()
            return a + b + c + torch.log(grid) + np.log(weights).sum()
        """,
    )


def test_a_constant_tensor_with_a_zero_in_it_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x):
            weights = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
            return torch.sqrt(weights).sum()  # error: [NL201]
        """,
    )


def test_torch_defines_the_subgradient_of_its_norms_at_zero() -> None:
    check(
        TORCH,
        """
        def penalty(x, y):
            return x.norm() + torch.norm(x - y, dim=-1).sum() + torch.linalg.norm(x - y) + x.abs().sum() + x.std()
        """,
    )


def test_an_optimizer_has_no_gradient() -> None:
    check(
        TORCH,
        """
        class Adam(torch.optim.Optimizer):
            @torch.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        state = self.state[p]
                        state["v"].mul_(0.9).addcmul_(p.grad, p.grad, value=0.1)
                        denominator = state["v"].sqrt().add_(group["eps"])
                        p.addcdiv_(p.grad, denominator, value=-group["lr"])

        class Plain(torch.optim.Optimizer):
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        square = p.grad.data ** 2
                        p.data -= group["lr"] * p.grad.data / (square.sum().sqrt() + 1e-8)
        """,
    )


def test_where_no_gradient_flows_a_root_at_zero_is_fine() -> None:
    check(
        TORCH,
        """
        import numpy as np

        @torch.no_grad()
        def metric(a, b):
            return torch.sqrt(((a - b) ** 2).sum())

        def evaluate(a, b):
            with torch.inference_mode():
                return torch.sqrt(((a - b) ** 2).sum())

        def detached(a, b):
            return torch.sqrt(((a.detach() - b.detach()) ** 2).sum())

        def rmse(a: np.ndarray, b: np.ndarray):
            return np.sqrt(((a - b) ** 2).sum())
        """,
    )


def test_exp_of_something_not_positive_does_not_overflow() -> None:
    check(
        TORCH,
        """
        def kernels(x, y):
            a = torch.exp(-((x - y) ** 2).sum(-1))
            b = torch.log(1 + torch.exp(-torch.abs(x)))
            c = 1 / (1 + torch.exp(-F.relu(x)))
            d = torch.log1p(torch.exp(-x.abs()))
            return a + b + c + d
        """,
    )


def test_subtracting_the_maximum_guards_a_softmax() -> None:
    check(
        JAX,
        """
        def softmax(x):
            e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
            return e / e.sum(-1, keepdims=True)

        def logsumexp(x):
            m = x.max(axis=-1, keepdims=True)
            m = jax.lax.stop_gradient(m)
            return m + jnp.log(jnp.sum(jnp.exp(x - m), axis=-1, keepdims=True))
        """,
    )


def test_subtracting_the_maximum_guards_a_softmax_in_numpy() -> None:
    check(
        NUMPY,
        """
        def softmax(x):
            x = x - np.max(x, axis=1, keepdims=True)
            e = np.exp(x)
            return e / np.sum(e, axis=1, keepdims=True)

        def also(x):
            shifted = x - x.max()
            return np.exp(shifted) / np.exp(shifted).sum()
        """,
    )


def test_some_forms_are_positive_whatever_their_operand() -> None:
    check(
        TORCH,
        """
        def forms(x, y):
            a = y / (x ** 2 + 1)
            b = torch.log(x ** 2 + 1)
            c = y / torch.cosh(x)
            d = torch.log(F.softplus(x) + 1e-6)
            e = torch.sqrt(x * x + 1e-6)
            f = y / (1 + torch.exp(-x * x))
            g = torch.log(x.square() + y.square() + 1e-8)
            h = torch.sqrt(1 + x.pow(2))
            i = torch.log(torch.abs(x) + 1)
            j = y / (F.relu(x) + 1)
            k = y / (torch.sigmoid(x) + 1)
            m = y / (2 - torch.tanh(x).abs() * 0.5)
            return a + b + c + d + e + f + g + h + i + j + k + m
        """,
    )


@pytest.mark.parametrize(
    ("imports", "where", "sqrt", "ones"),
    [
        (TORCH, "torch.where", "torch.sqrt", "torch.ones_like"),
        (TF, "tf.where", "tf.math.log", "tf.ones_like"),
        (JAX, "jnp.where", "jnp.sqrt", "jnp.ones_like"),
        (KERAS, "ops.where", "ops.sqrt", "ops.ones_like"),
    ],
)
def test_a_double_where_guards_value_and_gradient(imports: str, where: str, sqrt: str, ones: str) -> None:
    check(
        imports,
        f"""
        def inverse(x):
            safe = {where}(x != 0, x, {ones}(x))
            return {where}(x != 0, 1 / safe, 0.0)

        def root(x):
            ok = x > 0
            return {where}(ok, {sqrt}({where}(ok, x, 1.0)), 0.0)

        def single(x):
            return {where}(x > 0, {sqrt}(x), 0.0)  # error: [NL203]
        """,
    )


def test_a_floored_count_is_a_guard() -> None:
    check(
        TORCH,
        """
        def mean(x, mask):
            return (x * mask).sum() / max(mask.sum(), 1)

        def also(x, mask):
            return (x * mask).sum() / max(1, mask.sum().item())

        def third(x, mask):
            return (x * mask).sum() / mask.sum().clamp(min=1)

        def fourth(x, mask):
            return (x * mask).sum() / torch.clamp_min(mask.sum(), 1.0)

        def fifth(x, mask):
            count = mask.sum().item() or 1
            return (x * mask).sum() / count
        """,
    )


def test_errstate_is_deliberate() -> None:
    check(
        NUMPY,
        """
        def share(x):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.maximum(x, 0) / np.maximum(x, 0).sum()

        @np.errstate(all="ignore")
        def also(x):
            return np.maximum(x, 0) / np.maximum(x, 0).sum()
        """,
    )


def test_names_that_only_look_like_ops_are_none() -> None:
    check(
        TORCH,
        """
        import logging

        logger = logging.getLogger(__name__)

        class Agent:
            def __init__(self, mu, rms, writer):
                self.mu, self.rms, self.writer = mu, rms, writer

            def act(self, obs, step):
                probs = torch.softmax(obs, -1)
                self.mu.log({"probs": probs})
                self.writer.log(probs, step=step)
                logger.log(logging.INFO, probs)
                self.rms.norm(obs)
                return self.rms.sqrt(probs, 3, 4, 5)
        """,
    )


def test_parameters_of_distributions_are_positive_by_contract() -> None:
    check(
        TORCH,
        """
        from torch.distributions import Normal

        def kl(p: Normal, q: Normal):
            return torch.log(q.scale / p.scale) + (p.scale ** 2 + (p.loc - q.loc) ** 2) / (2 * q.scale ** 2)

        class Gamma(torch.distributions.Distribution):
            def __init__(self, concentration, rate):
                self.concentration, self.rate = concentration, rate

            def mean(self):
                return self.concentration / self.rate

            def log_prob(self, value):
                return self.concentration * torch.log(self.rate) - self.rate * value
        """,
    )


# What does not guard


def test_an_epsilon_that_vanishes_beside_one_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.sigmoid(x)
            return -(y * torch.log(p + 1e-10) + (1 - y) * torch.log(1 + 1e-10 - p)).mean()  # error: [NL104]
        """,
    )


def test_an_epsilon_that_vanishes_beside_one_is_no_guard_in_tensorflow() -> None:
    check(
        TF,
        """
        def loss(x, y):
            p = tf.sigmoid(x)
            inside = tf.reduce_mean((1.0 - y) * tf.math.log(1.0 - p + 1e-10))
            return -inside - tf.reduce_mean((1.0 - y) * tf.math.log(1.0 + 1e-10 - p))  # error: [NL104]
        """,
    )


def test_an_epsilon_too_small_for_float32_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.softmax(x, -1)
            return -(y * torch.log(p + 1e-50)).sum()  # error: [NL104]
        """,
    )


def test_an_epsilon_that_is_zero_in_float16_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.softmax(x.half(), -1)
            return -(y * torch.log(p + 1e-8)).sum()  # error: [NL104]

        def guarded(x, y):
            p = torch.softmax(x.half(), -1)
            return -(y * torch.log(p + 1e-4)).sum()
        """,
    )


def test_an_upper_clip_that_rounds_to_one_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.sigmoid(x).clamp(1e-8, 1 - 1e-8)
            return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # error: [NL104]

        def guarded(x, y):
            p = torch.sigmoid(x).clamp(1e-6, 1 - 1e-6)
            return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
        """,
    )


def test_a_clip_whose_result_is_discarded_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.softmax(x, -1)
            p.clamp(min=1e-6)
            torch.clamp(p, min=1e-6)
            return -(y * torch.log(p)).sum()  # error: [NL101]
        """,
    )


def test_a_clip_whose_result_is_discarded_is_no_guard_in_numpy() -> None:
    check(
        NUMPY,
        """
        def entropy(x):
            p = np.maximum(x, 0)
            np.clip(p, 1e-12, 1)
            return -np.sum(p * np.log(p))  # error: [NL104]
        """,
    )


def test_an_epsilon_after_the_root_is_no_guard() -> None:
    check(
        TORCH,
        """
        def distance(a, b):
            return torch.sqrt(((a - b) ** 2).sum(-1)) + 1e-6  # error: [NL209]

        def guarded(a, b):
            return torch.sqrt(((a - b) ** 2).sum(-1) + 1e-6)
        """,
    )


def test_an_epsilon_after_the_logarithm_is_no_guard() -> None:
    check(
        TF,
        """
        def loss(x, y):
            return -tf.reduce_sum(y * (tf.math.log(tf.nn.softmax(x)) + 1e-8))  # error: [NL101]
        """,
    )


def test_a_clamp_at_zero_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.softmax(x, -1).clamp(min=0)
            return -(y * torch.log(p)).sum()  # error: [NL104]

        def ratio(x, y):
            return x / y.clamp(min=0.0)  # error: [NL208] possible
        """,
    )


def test_a_clamp_from_above_is_no_guard() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            p = torch.softmax(x, -1).clamp(max=1.0)
            return -(y * torch.log(p)).sum()  # error: [NL104]
        """,
    )


def test_a_comparison_with_the_wrong_side_is_no_guard() -> None:
    check(
        TORCH,
        """
        def mean(x, y):
            n = F.relu(y).sum()
            if n >= 0:
                return x / n  # error: [NL301]
            return x

        def also(x, y):
            n = F.relu(y).sum()
            if n < 10:
                return x / n  # error: [NL301]
            return x
        """,
    )


def test_a_guard_of_another_value_is_no_guard() -> None:
    check(
        TORCH,
        """
        def mean(x, y, z):
            n, m = F.relu(y).sum(), F.relu(z).sum()
            if m > 0:
                return x / n  # error: [NL301]
            return x
        """,
    )


def test_a_guard_before_the_name_is_bound_again_is_no_guard() -> None:
    check(
        TORCH,
        """
        def mean(x, y):
            n = F.relu(y).sum()
            if n > 0:
                n = F.relu(y - 1).sum()
                return x / n  # error: [NL301]
            return x
        """,
    )


def test_a_single_where_hides_the_value_not_the_gradient() -> None:
    check(
        TORCH,
        """
        def distance(x):
            return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # error: [NL203]
        """,
    )


def test_max_subtraction_after_the_exponential_is_no_guard() -> None:
    check(
        NUMPY,
        """
        def softmax(x):
            e = np.exp(x)
            e = e - e.max()
            return np.exp(x) / np.exp(x).sum()  # error: [NL401]
        """,
    )


def test_a_masked_assignment_of_what_the_same_mask_takes_out_computes_nothing_else() -> None:
    check(
        TORCH,
        """
        def variance(df, scale):
            m = df.clone()
            m[df > 2] = scale[df > 2] / (df[df > 2] - 2)
            return m

        def over_all(df, scale):
            m = df.clone()
            m[df > 2] = (scale / (df - 2))[df > 2]  # error: [NL203]
            return m
        """,
    )


def test_an_infinity_imported_by_name_is_one() -> None:
    check(
        TORCH,
        """
        from math import inf

        def mean_of_pareto(alpha, scale):
            mean = alpha * scale / (alpha - 1)
            mean[alpha <= 1] = inf
            return mean
        """,
    )


@pytest.mark.parametrize(
    ("imports", "grid"),
    [
        (NUMPY, "np.fft.rfftfreq(n)"),
        (NUMPY, "np.fft.fftfreq(n)"),
        (NUMPY, "np.arange(n)"),
        (JAX, "jnp.fft.rfftfreq(n)"),
        (NUMPY + "import scipy.signal\n", "scipy.signal.welch(n)[0]"),
    ],
)
def test_what_begins_at_0_is_0_nowhere_else(imports: str, grid: str) -> None:
    check(
        imports,
        f"""
        def periods(n):
            return 1 / {grid}[1:]

        def each(n):
            return [1.0 / f for f in {grid}[1:]]

        def all_of_them(n):
            return 1 / {grid}  # error: [NL303]
        """,
    )


def test_the_support_of_a_projection_onto_the_simplex_is_never_empty() -> None:
    check(
        TORCH,
        """
        def sparsemax(z):
            u = torch.sort(z, descending=True)[0]
            total = torch.cumsum(u, -1)
            k = torch.arange(1, z.shape[-1] + 1)
            count = (1 + k * u > total).sum(-1)
            return (z - (total - 1) / count).clamp(min=0)
        """,
    )


def test_a_mask_at_the_position_of_the_maximum_shows_one_element() -> None:
    check(
        TORCH,
        """
        def at_the_largest(v, u):
            k = v.abs().argmax(-1)
            mask = (torch.arange(v.shape[-1]) == k[..., None]).float()
            return (mask * u).sum(-1) / mask.sum(-1) + (mask * u).sum(-1) / (mask * v).sum(-1)
        """,
    )


def test_what_is_nan_on_purpose_where_it_is_not_defined_is_no_trap() -> None:
    check(
        JAX,
        """
        def share(part, total):
            return jnp.where(total > 0, jnp.clip(part / total, 0.0, 1.0), jnp.nan)

        def share_or_zero(part, total):
            return jnp.where(total > 0, jnp.clip(part / total, 0.0, 1.0), 0.0)  # error: [NL203]
        """,
    )


def test_a_bound_on_the_absolute_value_bounds_both_sides() -> None:
    check(
        TORCH,
        """
        def angle(a, b):
            cosine = torch.clamp(F.cosine_similarity(a, b), -1, 1)
            outside = cosine.abs() >= 1
            return torch.where(outside, 0.0, torch.acos(torch.where(outside, 0.0, cosine)))

        def clamped(a, b):
            return torch.acos(torch.clamp(F.cosine_similarity(a, b), -1, 1))  # error: [NL208]
        """,
    )


@pytest.mark.parametrize(
    "condition", ["hits == 0 and others == 0", "not (hits > 0 or others > 0)", "not hits and not others"]
)
def test_a_sum_of_counts_is_zero_only_where_each_of_them_is(condition: str) -> None:
    check(
        TORCH,
        f"""
        def precision(predicted, target):
            hits = ((predicted == 1) & (target == 1)).sum()
            others = ((predicted == 1) & (target == 0)).sum()
            if {condition}:
                return 0.0
            return hits / (hits + others)
        """,
    )


def test_that_two_counts_are_not_both_zero_says_nothing_of_one_or_of_their_difference() -> None:
    check(
        TORCH,
        """
        def ratio(predicted, target):
            hits = ((predicted == 1) & (target == 1)).sum()
            others = ((predicted == 1) & (target == 0)).sum()
            if hits == 0 and others == 0:
                return 0.0
            return hits / others  # error: [NL301]


        def signed(predicted, target):
            hits = (predicted == target).sum()
            others = (predicted != target).sum()
            if hits == 0 and others == 0:
                return 0.0
            return hits / (hits - others)  # error: [NL303] possible
        """,
    )


def test_an_infinity_that_only_decides_is_not_shown() -> None:
    """As where a draw is accepted: a comparison with inf holds or does not."""
    check(
        TORCH,
        """
        def accepted(u, x):
            return u <= 1 / torch.relu(x).sum(-1)


        def weighted(u, x):
            return u * (1 / torch.relu(x).sum(-1))  # error: [NL301]
        """,
    )


def test_what_is_given_back_for_no_data_says_nothing_of_the_rest() -> None:
    found = said(
        TORCH,
        """
        def inverse_mean(x):
            if x.size(0) == 0:
                mean = torch.zeros(3)
            else:
                mean = x.sum(0).abs() + 1
            return 1 / mean
        """,
    )
    assert found == []


def test_an_array_of_one_axis_is_no_identity_matrix() -> None:
    check(
        NUMPY,
        """
        def precision(cov):
            if cov is None:
                cov = 2 * np.eye(3)
            if cov.ndim == 1:
                return 1 / cov
            return np.linalg.inv(cov)
        """,
    )


def test_what_leaves_the_diagonal_out_leaves_each_pair_of_the_same_out() -> None:
    check(
        TORCH,
        """
        def energy(x):
            distance = (x[:, None] - x[None]).norm(dim=-1)
            others = ~torch.eye(x.shape[0], dtype=torch.bool)
            return (1 / distance)[others].sum()
        """,
    )


def test_the_element_at_the_pole_of_a_grid_is_set_afterwards() -> None:
    check(
        NUMPY,
        """
        def pink(x, n):
            scale = 1 / np.sqrt(np.fft.rfftfreq(n))
            scale[0] = 0
            return x * scale

        def left(x, n):
            scale = 1 / np.sqrt(np.fft.rfftfreq(n))  # error: [NL303]
            return x * scale
        """,
    )
