"""What may be called certain: an input that is given as a matter of course, and that is shown to fail."""

from __future__ import annotations

import pytest

import nanlint
from tests.marked import JAX, NUMPY, TF, TORCH, program, said


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return torch.log(torch.softmax(x, -1))\n",
        "def f(logits):\n    return torch.log(torch.sigmoid(logits))\n",
        "def f(scores):\n    return torch.log(1 - torch.sigmoid(scores))\n",
        "def f(model, x):\n    return torch.log(torch.sigmoid(model(x)))\n",
        "layer = nn.Linear(8, 1)\ndef f(x):\n    return torch.log(torch.sigmoid(layer(x)))\n",
        "def f(x):\n    return torch.log(torch.relu(x))\n",
    ],
)
def test_what_training_drives_saturates_for_certain(source: str) -> None:
    assert [confidence for _, confidence in said(TORCH, source)] == ["certain"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return torch.log(torch.sigmoid(x))\n",
        "def f(time):\n    return 1 / torch.sigmoid(time)\n",
        "def f(x, width):\n    return torch.log(torch.sigmoid(x / width))\n",
        "class M:\n    def f(self):\n        return torch.log(torch.sigmoid(self.rise))\n",
        "def f(x):\n    return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)\n",
    ],
)
def test_of_what_nobody_knows_that_it_is_large_nothing_is_certain(source: str) -> None:
    assert [confidence for _, confidence in said(TORCH, source) if confidence != "possible"] == ["likely"]


def test_what_cannot_be_computed_is_not_certain() -> None:
    source = """
        from somewhere import mixed

        def f(x):
            return torch.log(torch.softmax(torch.linalg.qr(x).Q @ mixed(x), -1) ** 3)
        """
    assert "certain" not in [confidence for _, confidence in said(TORCH, source)]


def test_a_nan_that_a_container_is_filled_with_is_meant_to_be_unequal() -> None:
    kept = """
        def changed(x):
            name, before = ("none yet", float("nan"))
            return torch.exp(x != before)
        """
    written = """
        def changed(x):
            missing = float("nan")
            return torch.exp(x != missing)
        """
    assert said(TORCH, kept) == [("NL505", "possible")]
    assert said(TORCH, written) == [("NL505", "certain")]


# Ranges that follow from what produced the argument


@pytest.mark.parametrize(
    "schedule",
    [
        "level = -2 * torch.log(torch.tan(t)) + shift",
        "level = t * (torch.log(a) - 1.0) + (1 - t) * torch.log(b)",
        "level = -torch.log(torch.expm1(t)) if linear else table(t)",
    ],
)
@pytest.mark.parametrize("use", ["x / torch.sigmoid(level).sqrt()", "torch.exp(level) / (torch.exp(level) + 1)"])
def test_in_log_space_nothing_saturates_before_what_the_logarithm_is_of_does(schedule: str, use: str) -> None:
    source = f"""
        def f(x, t, a, b, linear, table):
            shift = 2.0
            {schedule}
            return {use}
        """
    assert {confidence for _, confidence in said(TORCH, source)} <= {"possible"}


def test_beside_a_logarithm_what_a_network_gives_still_saturates() -> None:
    source = """
        def f(logits, prior):
            return torch.log(torch.sigmoid(logits + torch.log(prior.clamp(min=0.1))))
        """
    assert ("NL102", "certain") in said(TORCH, source)


@pytest.mark.parametrize(
    "source",
    [
        # a power of a fraction to nothing above 0 is at least 1
        "def f(x, y):\n    p = torch.softmax(x, -1)\n    return torch.log(p ** -torch.softmax(y, -1))\n",
        # a table of weights, of which the first is above 0
        "def f(n: int):\n    w = torch.clamp(3.0 - torch.arange(n), min=0)\n    return w / w.sum()\n",
        # the largest element minus itself is 0, however it is scaled
        """
        def f(x, t):
            shifted = x - x.max(-1, keepdim=True).values
            grown = torch.relu(1.0 + (1.0 - t) * shifted) ** (1.0 / (1.0 - t))
            return grown / grown.sum(-1, keepdim=True)
        """,
        # a factor of Cholesky's has roots on its diagonal
        "def f(a):\n    return torch.log(torch.diagonal(torch.linalg.cholesky(a))).sum()\n",
    ],
)
def test_what_an_argument_is_made_from_says_where_it_is(source: str) -> None:
    codes = [code for code, confidence in said(TORCH, source) if confidence != "possible"]
    assert not {"NL101", "NL103", "NL301", "NL303"} & set(codes)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("def f(x, y):\n    p = torch.softmax(x, -1)\n    return torch.log(p ** torch.softmax(y, -1))\n", "NL103"),
        ("def f(x):\n    w = torch.relu(3.0 - x)\n    return w / w.sum()\n", "NL301"),
        (
            "def f(x, t):\n    w = torch.relu(1.0 + (1.0 - t) * x)\n    return w / w.sum(-1, keepdim=True)\n",
            "NL301",
        ),
    ],
)
def test_of_data_the_same_forms_are_told(source: str, code: str) -> None:
    assert code in [one.code for one in nanlint.check_source(program(TORCH, source))]


# Rounding


@pytest.mark.parametrize(
    "radicand",
    ["(-2 * (torch.log(s[0]) - torch.log(s[1]))).expm1().neg()", "3 * (s[0] ** 2 - s[1] ** 2)"],
)
def test_what_is_the_same_twice_has_no_error_whatever_multiplies_it(radicand: str) -> None:
    source = f"def f(s):\n    return ({radicand}).sqrt()\n"
    assert ("NL503", "likely") not in said(TORCH, source)


def test_a_mean_of_squares_minus_a_squared_mean_has() -> None:
    source = "def f(x):\n    return ((x ** 2).mean(-1) - x.mean(-1) ** 2).sqrt()\n"
    assert ("NL503", "likely") in said(TORCH, source)


def test_an_epsilon_of_double_precision_is_not_lost_beside_nothing() -> None:
    source = """
        def f(shares, n: int):
            return np.log(shares.sum(0) / n + 1e-16)
        """
    assert said(NUMPY, source) == []


# Places, branches, records


def test_a_zero_at_the_end_of_an_array_is_not_in_its_middle() -> None:
    source = """
        def f(fit):
            params = np.append(np.asarray(fit.params), np.zeros(1))
            return -params[1] / (2 * params[2])
        """
    assert said(NUMPY, source) == []


def test_an_array_of_one_axis_is_no_identity_matrix() -> None:
    source = """
        def f(n, dense):
            scale = 1e-3 * np.eye(n) if dense else 1e-3 * np.ones(n)
            return drawn(scale)

        def drawn(scale):
            if scale.ndim == {axes}:
                return np.sqrt(1.0 / scale)
            return None
        """
    assert said(NUMPY, source.replace("{axes}", "1")) == []
    assert "NL303" in [code for code, _ in said(NUMPY, source.replace("{axes}", "2"))]


def test_what_a_record_holds_by_two_names_are_two_things() -> None:
    source = """
        def f(edges):
            width = edges["right"] - edges["left"]
            return {quotient}
        """
    assert {c for _, c in said(JAX, source.replace("{quotient}", "jnp.log(width ** 2)"))} <= {"possible"}
    assert said(JAX, "def f(x):\n    width = x.max() - x.min()\n    return x / width\n") == [("NL303", "possible")]


EVALUATION = """
    def evaluate(gt, n, lib):
        tp, fp = np.zeros(n), np.zeros(n)
        {fills}
        return tp / (tp + fp)
    """


@pytest.mark.parametrize(
    "fills",
    [
        "count(tp, fp, gt)",
        "for part in gt:\n            count(tp, fp, part)",
        "count_each(gt, arrays=[tp, fp])",
        "lib.run(count, args=(tp, fp, gt))",
        "lib.run(count, kwargs={'tp': tp, 'fp': fp, 'gt': gt})",
        "lib.fused(tp, fp, gt)",
    ],
)
def test_arrays_that_a_callee_fills_hold_what_it_left_there(fills: str) -> None:
    callees = """
        def count(tp, fp, gt):
            for i in range(len(gt)):
                tp[i] = gt[i]
                if gt[i] > 2:
                    for k in range(i):
                        fp[k] += 1

        def count_each(gt, arrays):
            for i, one in enumerate(gt):
                for array in arrays:
                    array[i] += one
        """
    assert "certain" not in [confidence for _, confidence in said(NUMPY, callees, EVALUATION.format(fills=fills))]


def test_what_fails_for_one_element_alone_is_not_certain() -> None:
    source = "def f(x, n):\n    w = np.eye(n) - np.ones((n, n))\n    return w / w.sum()\n"
    assert said(NUMPY, source) == [("NL301", "likely")]


def test_a_method_that_is_not_seen_may_use_no_variable_of_its_object() -> None:
    source = """
        def step(net, x, n):
            state = net.initial_state(n)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(net(x, state))
            return tape.gradient(loss, net.trainable_variables)
        """
    called = source.replace("net.initial_state(n)", "net(x)")
    assert [(said(TF, one)) for one in (source, called)] == [[("NL601", "possible")], [("NL601", "likely")]]
