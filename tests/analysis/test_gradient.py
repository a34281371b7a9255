"""Where a gradient flows and where none does: a root at 0 is a hazard only in the former."""

from __future__ import annotations

import pytest

import nanlint
from tests.marked import JAX, KERAS, NUMPY, TF, TORCH, check, program

ROOT = "torch.sqrt(((x - y) ** 2).sum(-1))"


def levels(source: str, path: str = "program.py") -> list[str]:
    """The confidence of every finding, possible ones included, in the order of the source."""
    found = nanlint.check_source(source, path=path, select=["NL2"], confidence="possible")
    return [str(d.confidence) for d in found]


# Flows


@pytest.mark.parametrize(
    ("imports", "root"),
    [
        (TORCH, "torch.sqrt(((a - b) ** 2).sum(-1))"),
        (TORCH, "((a - b) ** 2).sum(-1).sqrt()"),
        (TORCH, "(a - b).pow(2).sum(-1).sqrt()"),
        (TF, "tf.sqrt(tf.reduce_sum(tf.square(a - b), -1))"),
        (TF, "tf.math.sqrt(tf.reduce_sum((a - b) ** 2))"),
        (JAX, "jnp.sqrt(jnp.sum((a - b) ** 2))"),
        (JAX, "jnp.sqrt(jnp.sum(jnp.square(a - b)))"),
    ],
)
def test_the_root_of_a_distance_has_an_infinite_slope_at_zero(imports: str, root: str) -> None:
    check(
        imports,
        f"""
        def distance(a, b):
            return {root}  # error: [NL201]
        """,
    )


def test_a_literal_that_requires_grad_is_a_source() -> None:
    check(
        TORCH,
        """
        x = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
        loss = F.mse_loss(torch.sqrt(x), torch.ones(3))  # error: [NL201]
        loss.backward()
        """,
    )


def test_a_literal_that_does_not_require_grad_is_none() -> None:
    check(
        TORCH,
        """
        x = torch.tensor([1.0, 2.0, 0.0])
        w = torch.zeros(3)
        loss = torch.sqrt(x) + torch.sqrt(w)
        """,
    )


def test_a_literal_without_a_zero_is_no_hazard() -> None:
    check(
        TORCH,
        """
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        loss = torch.sqrt(x).sum()
        """,
    )


# Does not flow


def test_no_gradient_flows_in_no_grad_in_every_spelling() -> None:
    check(
        TORCH,
        """
        @torch.no_grad()
        def a(x, y):
            return torch.sqrt(((x - y) ** 2).sum())

        @torch.inference_mode()
        def b(x, y):
            return torch.sqrt(((x - y) ** 2).sum())

        def c(x, y):
            with torch.no_grad():
                return torch.sqrt(((x - y) ** 2).sum())

        def d(x, y):
            with torch.inference_mode(), torch.autocast("cuda"):
                return torch.sqrt(((x - y) ** 2).sum())

        def e(x, y):
            with torch.set_grad_enabled(False):
                return torch.sqrt(((x - y) ** 2).sum())
        """,
    )


def test_no_gradient_flows_from_detached_operands() -> None:
    check(
        TORCH,
        """
        def a(x, y):
            x, y = x.detach(), y.detach()
            return torch.sqrt(((x - y) ** 2).sum())

        def b(x, y):
            return torch.sqrt(((x.data - y.data) ** 2).sum())
        """,
    )


def test_no_gradient_flows_into_a_result_that_is_detached() -> None:
    check(
        TORCH,
        """
        def a(x, y):
            return torch.sqrt(((x - y) ** 2).sum()).detach()

        def b(x, y):
            distance = torch.sqrt(((x - y) ** 2).sum())
            return distance.detach() * x
        """,
    )


def test_no_gradient_flows_through_stop_gradient() -> None:
    check(
        JAX,
        """
        def a(x, y):
            return jax.lax.stop_gradient(jnp.sqrt(jnp.sum((x - y) ** 2)))

        def b(x, y):
            d = jax.lax.stop_gradient(x - y)
            return jnp.sqrt(jnp.sum(d ** 2))
        """,
    )


def test_no_gradient_flows_through_an_index() -> None:
    check(
        TORCH,
        """
        def nearest(x, centres):
            distances = torch.sqrt(((x[:, None] - centres) ** 2).sum(-1))
            return distances.argmin(dim=1)

        def close(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)) < 0.1

        def neighbours(x, centres):
            distances = torch.sqrt(((x[:, None] - centres) ** 2).sum(-1))
            return x[distances.argmin(dim=1)]
        """,
    )


def test_no_gradient_flows_into_integers() -> None:
    check(
        TORCH,
        """
        def bins(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)).long()

        def rounded(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)).int()
        """,
    )


def test_no_gradient_flows_into_a_python_number() -> None:
    check(
        TORCH,
        """
        def metric(x, y):
            return torch.sqrt(((x - y) ** 2).mean()).item()

        def report(x, y):
            print(float(torch.sqrt(((x - y) ** 2).mean())))
        """,
    )


def test_no_gradient_flows_into_numpy() -> None:
    check(
        TORCH,
        """
        def metric(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)).numpy()

        def array(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)).cpu().tolist()
        """,
    )


def test_numpy_has_no_gradient() -> None:
    check(
        NUMPY,
        """
        def distance(a, b):
            return np.sqrt(np.sum((a - b) ** 2))

        def norm(a):
            return (a ** 2).sum() ** 0.5
        """,
    )


def test_numpy_beside_torch_has_no_gradient() -> None:
    check(
        TORCH,
        NUMPY,
        """
        def distance(a, b):
            a, b = np.asarray(a), np.asarray(b)
            return np.sqrt(np.sum((a - b) ** 2))
        """,
    )


def test_an_optimizer_works_on_gradients_not_in_them() -> None:
    check(
        TORCH,
        """
        class Sgd(torch.optim.Optimizer):
            def step(self, closure=None):
                for p in self.parameters:
                    scale = torch.sqrt((p.grad ** 2).sum())
                    p.data.add_(p.grad / (scale + 1e-6), alpha=-0.1)
        """,
    )


def test_the_norm_of_a_gradient_is_not_differentiated() -> None:
    check(
        TORCH,
        """
        def total_norm(parameters):
            total = 0.0
            for p in parameters:
                total = total + (p.grad ** 2).sum()
            return torch.sqrt(total)
        """,
    )


def test_a_custom_gradient_is_written_by_hand() -> None:
    check(
        JAX,
        """
        @jax.custom_jvp
        def distance(a, b):
            return jnp.sqrt(jnp.sum((a - b) ** 2))
        """,
    )


def test_what_a_derivatives_rule_does_with_tangents_is_differentiated_and_nothing_else_there() -> None:
    check(
        JAX,
        """
        @jax.custom_jvp
        def root(x):
            return jnp.sqrt(x)

        @root.defjvp
        def root_jvp(primals, tangents):
            (x,), (t,) = primals, tangents
            return root(x), t * jnp.where(x > 0, 0.5 / jnp.sqrt(x), 0.0)

        @jax.custom_jvp
        def inverse(x):
            return jnp.where(x > 0, 1 / x, 0.0)

        def inverse_jvp(primals, tangents):
            (x,), (t,) = primals, tangents
            return inverse(x), jnp.where(x > 0, -t / x**2, 0.0)  # error: [NL203]

        inverse.defjvp(inverse_jvp)

        @jax.custom_vjp
        def halves(x):
            return jnp.where(x > 0, 1 / x, 0.0)

        def halves_bwd(x, g):
            return (jnp.where(x > 0, -g / x**2, 0.0),)

        halves.defvjp(lambda x: (halves(x), x), halves_bwd)
        """,
    )


def test_draws_and_shapes_have_no_gradient() -> None:
    check(
        TORCH,
        """
        def initialise(n, d):
            w = torch.zeros(n, d)
            u = torch.rand(n)
            return torch.sqrt(w), torch.sqrt(u), torch.sqrt(torch.arange(n).float())
        """,
    )


def test_jax_takes_no_gradient_backwards_through_a_while_loop() -> None:
    source = program(
        JAX,
        """
        def solve(x, y, tol):
            def body(state):
                x, _ = state
                return x / 2, jnp.sqrt(jnp.sum((x - y) ** 2))

            return jax.lax.{loop}
        """,
    )
    assert levels(source.replace("{loop}", "while_loop(lambda s: s[1] > tol, body, (x, 1.0))")) == ["possible"]
    assert levels(source.replace("{loop}", "fori_loop(0, 9, lambda i, s: body(s), (x, 1.0))")) == ["likely"]


def test_masks_and_counts_by_their_names_make_the_gradient_doubtful() -> None:
    source = program(
        TORCH,
        """
        def weighted(x, one):
            n = (one > 0).float() * one
            return (x * torch.where(n == 0, n, 1 / n)).sum()
        """,
    )
    assert levels(source) == ["likely"]
    assert levels(source.replace("one", "observed_mask")) == ["possible"]


def test_a_name_of_something_that_measures_makes_the_gradient_doubtful_and_never_rules_it_out() -> None:
    source = program(
        TORCH,
        """
        class MeanIoUMetric:
            def compute(self, hits, union):
                return torch.where(union > 0, hits / union, 1.0).mean()

        def accuracy(hits, count):
            return torch.where(count > 0, hits / count, 0.0)

        def accuracy_loss(hits, count):
            return torch.where(count > 0, hits / count, 0.0)
        """,
    )
    assert levels(source) == ["possible", "possible", "likely"]
    source = program(TORCH, "def dice(hits, union):\n    return torch.where(union > 0, hits / union, 1.0)\n")
    assert levels(source, path="losses/dice.py") == ["likely"]
    assert levels(source, path="package/metrics/dice.py") == ["possible"]
    assert levels(source, path="metrics/package/sub/module/dice.py") == ["likely"]


@pytest.mark.parametrize(
    ("imports", "select", "converted"),
    [
        (TF, "tf.where(d > 0, 1.0 / tf.math.log1p(d), tf.zeros_like(d))", "tf.cast(tf.abs(a - b), tf.float32)"),
        (TORCH, "torch.where(d > 0, 1.0 / torch.log1p(d), 0.0)", "(a - b).abs().float()"),
        (JAX, "jnp.where(d > 0, 1.0 / jnp.log1p(d), 0.0)", "jnp.abs(a - b).astype(jnp.float32)"),
    ],
)
def test_what_is_converted_to_float_may_be_ranks_which_have_no_gradient(
    imports: str, select: str, converted: str
) -> None:
    check(
        imports,
        f"""
        def discount(a, b):
            d = {converted}
            return {select}
        """,
    )
    check(
        imports,
        f"""
        def discount(a, b):
            d = abs(a - b)
            return {select}  # error: [NL203]
        """,
    )


def test_a_conversion_of_what_cannot_be_whole_hands_the_gradient_on() -> None:
    check(
        TORCH,
        """
        def discount(a, b):
            d = (a.exp() - b.exp()).abs().float()
            return torch.where(d > 0, 1.0 / torch.log1p(d), 0.0)  # error: [NL203]
        """,
    )


def test_no_gradient_flows_through_the_leaves_of_gradients() -> None:
    check(
        JAX + "import optax\n",
        """
        def clipped(params, batch, loss, limit):
            def scaled(tree):
                norm = optax.global_norm(tree)
                return jax.tree.map(lambda leaf: jnp.where(norm < limit, leaf, leaf / norm * limit), tree)

            return scaled(jax.grad(loss)(params, batch))
        """,
    )


# Uses


@pytest.mark.parametrize(
    "use",
    [
        "assert (d < 3).all()",
        "if (d > 3).any():\n        print('far')",
        "print(f'{d.mean()}')",
        "log.info('distance %s', d)",
        "w.data = d",
        "w.data.copy_(d)",
        "values, order = d.sort()\n    return x[order]",
        "near, where = d.topk(3, largest=False)\n    return x[where]",
        "return torch.tensor(d)",
        "return float(d.mean())",
        "return np.exp(-d)",
    ],
)
def test_no_gradient_comes_back_from_what_only_looks_at_a_value(use: str) -> None:
    check(TORCH, NUMPY, f"def f(w, x, y, log):\n    d = {ROOT}\n    {use}\n")


@pytest.mark.parametrize(
    "use",
    [
        "return d",
        "self.d = d",
        "w[0] = d",
        "w.add_(d)",
        "w += d",
        "yield d",
        "train(d)",
        "self.losses.append(d)",
        "return Result(d)",
        "return {'distance': d}",
        "return F.mse_loss(x, y, weight=d)",
        "for i in x:\n        if i > 0:\n            w = w + d\n            continue\n        w = w + 1\n    return w",
    ],
)
def test_what_is_compared_and_used_elsewhere_is_differentiated(use: str) -> None:
    source = f"""
class Result:
    def __init__(self, distance):
        self.distance = distance

def f(self, w, x, y):
    d = {ROOT}  # error: [NL201]
    if (d > 3).any():
        print("far")
    {use}
"""
    check(TORCH, source)


# Sources


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        (TORCH, "t = torch.arange(n) / rate\n    return torch.where(t == 0, 1.0, t.sin() / t)"),
        (JAX, "t = jnp.arange(n) / rate\n    return jnp.where(t == 0, 1.0, jnp.sin(t) / t)"),
        (TORCH, "w = torch.signal.windows.hann(n)\n    return w / w.pow(2).sum().sqrt()"),
        (
            TORCH + "import math\n",
            "t = torch.arange(n) / math.gcd(n, 3)\n    return torch.where(t == 0, 1.0, t.sin() / t)",
        ),
    ],
)
def test_no_gradient_flows_from_numbers_and_grids(imports: str, body: str) -> None:
    check(imports, f"def kernel(n: int, rate: float):\n    {body}\n")


def test_buffers_and_frozen_weights_are_not_trained() -> None:
    check(
        TORCH,
        """
        class Counts(nn.Module):
            def __init__(self, n, d):
                super().__init__()
                self.register_buffer("centres", torch.randn(n, d))
                self.frozen = nn.Parameter(torch.randn(n, d), requires_grad=False)
                self.trained = nn.Parameter(torch.randn(n, d))

            def forward(self, n):
                spread = torch.sqrt((self.centres ** 2).sum(-1))
                frozen = torch.sqrt((self.frozen ** 2).sum(-1))
                return spread + frozen + torch.sqrt(((self.trained - n) ** 2).sum(-1))  # error: [NL201]
        """,
    )


def test_weights_that_are_not_trainable_are_not_trained() -> None:
    check(
        KERAS,
        """
        class Standardize(keras.Layer):
            def __init__(self):
                super().__init__()
                self.spread = None
                self.gain = None

            def build(self, shapes):
                self.spread = [self.add_weight(shape=s, trainable=False) for s in shapes]
                self.gain = [self.add_weight(shape=s) for s in shapes]

            def deviation(self, i):
                return ops.where(self.spread[i] > 0, ops.sqrt(self.spread[i] / 2), 1.0)

            def scaled(self, i):
                return ops.where(self.gain[i] > 0, ops.sqrt(self.gain[i] / 2), 1.0)  # error: [NL203]
        """,
    )


def test_what_is_annotated_as_an_array_of_numpy_is_one() -> None:
    check(
        TORCH,
        NUMPY,
        """
        def lengths(steps: np.ndarray) -> np.ndarray:
            return (steps ** 2).sum(-1) ** 0.5

        def tensors(steps: torch.Tensor) -> torch.Tensor:
            return (steps ** 2).sum(-1) ** 0.5  # error: [NL206]
        """,
    )


@pytest.mark.parametrize("name", ["labels", "target", "window"])
def test_the_name_of_data_makes_the_gradient_doubtful(name: str) -> None:
    assert levels(program(TORCH, f"def f({name}):\n    return torch.sqrt(({name} ** 2).sum())\n")) == ["possible"]


def test_a_setting_is_known_by_its_default() -> None:
    assert levels(
        program(TORCH, "def f(rate=0.5):\n    return torch.sqrt(((torch.ones(3) * rate - 1) ** 2).sum())\n")
    ) == ["possible"]


# Derivatives


def test_the_derivative_of_a_derivative_is_taken_where_a_graph_is_made_of_it() -> None:
    check(
        TORCH,
        """
        def penalty(critic, x):
            gradients = torch.autograd.grad(critic(x).sum(), x, create_graph=True)[0]
            return ((torch.sqrt((gradients ** 2).sum(1)) - 1) ** 2).mean()  # error: [NL201]

        def lengths(critic, x):
            g = torch.autograd.grad(critic(x).sum(), x)[0]
            return torch.sqrt((g ** 2).sum(1))
        """,
    )


def test_a_function_with_a_derivative_of_its_own_is_not_recorded() -> None:
    check(
        TORCH,
        """
        class Distance(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                d = torch.sqrt(((x - y) ** 2).sum(-1))
                ctx.save_for_backward(x, y)
                return d

            @staticmethod
            def backward(ctx, g):
                x, y = ctx.saved_tensors
                return g * torch.sqrt(((x - y) ** 2).sum(-1)), None
        """,
    )


def test_what_is_made_from_a_derivative_is_met_by_second_derivatives_only() -> None:
    source = """
        def error(f, x, cov):
            j = jax.jacfwd(f)(x)
            return jnp.sqrt(jnp.maximum(jnp.einsum("k,kl,l", j, cov, j), 0.0))
    """
    assert levels(program(JAX, source)) == ["possible"]
    assert "likely" in levels(program(JAX, source.replace("error", "loss")))


# Callers


CALLED = """
def distance(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))

def assignment(x, y):
    d = distance(x, y)
    return d.argmin(-1)
"""


def test_a_function_whose_result_no_caller_differentiates_is_doubtful() -> None:
    assert levels(program(TORCH, CALLED)) == ["possible"]
    assert levels(program(TORCH, CALLED, "def cost(x, y):\n    return distance(x, y).mean()\n")) == ["likely"]


def test_a_private_function_is_known_by_its_callers() -> None:
    assert levels(program(TORCH, CALLED.replace("distance", "_distance"))) == []


def test_a_function_that_is_only_called_under_no_grad_is_doubtful() -> None:
    called = """
        def inner(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1))

        def outer(x, y):
            return inner(x, y) + 1

        @torch.no_grad()
        def report(x, y):
            return outer(x, y)
    """
    assert levels(program(TORCH, called)) == ["possible"]


def test_a_derivative_that_is_taken_outweighs_a_name() -> None:
    source = """
        def accuracy(x, y):
            return jnp.sqrt(jnp.sum((x - y) ** 2))

        def step(x, y):
            return jax.grad(accuracy)(x, y)
    """
    assert levels(program(JAX, source)) == ["likely"]
    assert levels(program(JAX, source.replace("jax.grad(accuracy)", "accuracy"))) == ["possible"]


def test_a_pass_of_a_model_outweighs_a_name() -> None:
    source = """
        class Evaluator(nn.Module):
            def forward(self, x, y):
                return torch.sqrt(((x - y) ** 2).sum(-1))
    """
    assert levels(program(TORCH, source)) == ["likely"]
    assert levels(program(TORCH, source.replace("(nn.Module)", ""))) == ["possible"]


def test_what_jax_only_keeps_on_an_object_is_doubtful() -> None:
    source = """
        class Driver:
            def __init__(self, x):
                self.x = x

            def advance(self, y):
                self.residual = jnp.sqrt(jnp.sum((self.x - y) ** 2))
    """
    assert levels(program(JAX, source)) == ["possible"]
    assert levels(program(JAX, source.replace("self.residual =", "return"))) == ["likely"]


def test_what_stands_beside_the_function_that_is_differentiated_is_doubtful() -> None:
    source = """
        def advantages(values):
            return values / (jnp.std(values) + 1e-8)

        def update(params, batch):
            def cost(p):
                return jnp.mean(p * weights)

            weights = advantages(batch)
            return jax.grad(cost)(params)
    """
    assert levels(program(JAX, source.replace("advantages", "_advantages"))) == ["possible"]
    assert "likely" in levels(program(JAX, source.replace("p * weights", "advantages(p)")))


def test_a_result_that_is_dropped_says_nothing_about_gradients() -> None:
    source = """
        def schedule(x, y):
            return torch.sqrt(((x - y) ** 2).sum(-1)), x + y

        def weight(x, y):
            _, total = schedule(x, y)
            return total
    """
    assert levels(program(TORCH, source)) == ["likely"]


def test_a_name_that_speaks_of_a_derivative_takes_none() -> None:
    source = """
        def density(x):
            return jnp.sqrt(jnp.sum(x**2)) - log_det_jacobian(x)

        def log_det_jacobian(x):
            return jnp.log(x**2 + 1)
    """
    assert levels(program(JAX, source)) == ["likely"]


# Believed not to flow


def test_what_stands_beside_an_optimizers_step_is_not_differentiated() -> None:
    """The direction is made by hand and applied: nothing takes a derivative of what it is made of."""
    check(
        JAX,
        """
        import optax

        def search_step(tx, opt_state, centre, offsets, scores):
            weights = scores / (jnp.linalg.norm(scores) + 1e-8)
            direction = weights @ offsets
            moves, opt_state = tx.update(direction, opt_state, centre)
            return optax.apply_updates(centre, moves), opt_state

        def shape(scores):
            return scores / (jnp.linalg.norm(scores) + 1e-8)  # error: [NL209]
        """,
    )


def test_what_a_derivative_is_taken_of_counts_beside_an_optimizers_step_too() -> None:
    check(
        JAX,
        """
        import optax

        def train_step(tx, opt_state, params, a, b):
            def cost(params):
                return jnp.sqrt(jnp.sum((params @ a - b) ** 2))  # error: [NL201]

            moves, opt_state = tx.update(jax.grad(cost)(params), opt_state, params)
            return optax.apply_updates(params, moves), opt_state
        """,
    )


def test_a_statistic_that_leaves_out_nan_is_one_of_data() -> None:
    check(
        JAX,
        """
        def standardized(readings):
            return (readings - jnp.nanmean(readings)) / (jnp.nanstd(readings) + 1e-8)

        def normalized(activations):
            return (activations - activations.mean()) / (jnp.std(activations) + 1e-8)  # error: [NL209]
        """,
    )


def test_data_that_numpy_takes_on_another_path_is_not_differentiated() -> None:
    check(
        JAX,
        """
        import numpy as np

        def costs(a, b, on_host):
            apart = a[:, None] - b[None]
            if on_host:
                return np.linalg.norm(apart, axis=-1)
            return jnp.linalg.norm(apart, axis=-1)

        def energy(a, b, sizes):
            apart = a[:, None] - b[None]
            return jnp.linalg.norm(apart, axis=-1) / np.sum(sizes)  # error: [NL202]
        """,
    )


def test_the_step_of_a_solver_is_a_setting() -> None:
    check(
        JAX,
        """
        def noisy_step(state, drift, step_size):
            return state + drift * step_size + jnp.sqrt(jnp.abs(step_size))

        def noisy(state, spread):
            return state + jnp.sqrt(jnp.abs(spread))  # error: [NL201]
        """,
    )


def test_augmentation_and_running_statistics_are_not_trained_through() -> None:
    program_of = TORCH + "def {name}(image, gamma):\n    return image.sign() * image.abs() ** gamma\n"
    assert levels(program_of.format(name="contrast")) == ["likely"]
    assert levels(program_of.format(name="update_stats")) == ["possible"]
    assert levels(program_of.format(name="contrast"), "kit/augmentation/contrast.py") == ["possible"]


@pytest.mark.parametrize(
    ("exponent", "found"), [("2.0", "possible"), ("1.5", "possible"), ("0.5", "likely"), ("None", "likely")]
)
def test_an_exponent_is_what_it_is_set_to(exponent: str, found: str) -> None:
    """The root of a distance has an infinite slope where points coincide, its square has none."""
    source = program(
        TORCH,
        f"""
        class Alignment(nn.Module):
            def __init__(self, alpha={exponent}):
                super().__init__()
                self.alpha = alpha

            def forward(self, a, b):
                return (a - b).norm(dim=1).pow(self.alpha).mean()
        """,
    )
    assert levels(source) == [found]


# Overwritten


def test_a_bad_value_that_is_overwritten_afterwards_is_none() -> None:
    check(
        TORCH,
        """
        def turned(a, b, t, eps=1e-6):
            a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
            d = (a * b).sum(-1, keepdim=True)
            near = ((d > 1 - eps) | (d < -1 + eps)).expand_as(a)
            angle = d.acos()
            out = (t * angle).sin() * a
            out[near] = a[near]
            return out

        def overwritten_elsewhere(a, b, t, far):
            a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
            d = (a * b).sum(-1, keepdim=True)
            angle = d.acos()  # error: [NL506]
            out = (t * angle).sin() * a
            out[far] = a[far]
            return out
        """,
    )


def test_what_is_overwritten_in_training_stays_in_the_gradient() -> None:
    check(
        TORCH,
        """
        class Turn(nn.Module):
            def forward(self, a, b):
                a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
                d = (a * b).sum(-1)
                angle = d.acos()  # error: [NL203]
                angle[(d >= 1) | (d <= -1)] = 0.0
                return angle
        """,
    )


# An epsilon speaks for what it is added to


def test_nan_that_an_epsilon_keeps_away_is_not_masked() -> None:
    check(
        TORCH,
        """
        class Overlap(nn.Module):
            def __init__(self, eps=1e-6):
                super().__init__()
                self.eps = eps

            def forward(self, a, b):
                ratio = (a * b).sum() / (a.sum() + b.sum() + self.eps)
                return 1 - torch.where(torch.isnan(ratio), torch.zeros_like(ratio), ratio)

        class Bare(nn.Module):
            def forward(self, a, b):
                ratio = (a * b).sum() / (a.sum() + b.sum())
                return 1 - torch.where(torch.isnan(ratio), torch.zeros_like(ratio), ratio)  # error: [NL603]
        """,
    )


def test_nothing_is_trained_through_what_is_fitted_by_a_method_of_its_own() -> None:
    check(
        TORCH,
        """
        class Layer:
            def transform(self, x):
                return x.clamp(0).sqrt()  # error: [NL208]

        class Scaler:
            def fit(self, x):
                self.mean = x.mean(0)

            def transform(self, x):
                return x.clamp(0).sqrt()
        """,
    )


@pytest.mark.parametrize("threshold", ["0", "1e-6", "eps", "jnp.finfo(x.dtype).eps"])
def test_a_test_against_something_small_is_the_authors_own(threshold: str) -> None:
    source = program(
        JAX,
        f"""
        def inverse(x, y, eps, limit):
            return jnp.where(x > {threshold}, 1 / x, y)
        """,
    )
    assert levels(source) == ["likely"]
    assert levels(source.replace(f"x > {threshold}", "x > limit")) == []


def test_no_gradient_is_taken_where_a_model_is_not_trained() -> None:
    check(
        TORCH,
        """
        class Head(nn.Module):
            def forward(self, x, w):
                p, s = torch.sigmoid(x), torch.sigmoid(w)
                if not self.training:
                    return torch.sqrt(p * s)
                return torch.sqrt(p)  # error: [NL201]
        """,
    )


@pytest.mark.parametrize(
    ("imports", "range_", "found"), [(TORCH, "torch.arange(n)", False), (JAX, "jnp.arange(n)", True)]
)
def test_of_whole_exponents_only_0_breaks_the_gradient_and_not_everywhere(
    imports: str, range_: str, found: bool
) -> None:
    base = "torch.sigmoid(x)" if imports == TORCH else "jax.nn.sigmoid(x)"
    check(
        imports,
        f"""
        def weights(x, n):
            return ({base} ** {range_}).sum(){"  # error: [NL206]" if found else ""}

        def roots(x, n):
            return ({base} ** ({range_} / 3)).sum()  # error: [NL206]
        """,
    )
