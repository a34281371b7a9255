"""Numbers that are written out: what an operation makes of them is certain, and is said so by its plain rule."""

from __future__ import annotations

import random

import pytest

import nanlint
from tests.marked import JAX, KERAS, NUMPY, TF, TORCH, check, program, said


def shown(*parts: str) -> list[tuple[str, str]]:
    """(code, confidence) of what is shown by default."""
    return [(one.code, str(one.confidence)) for one in nanlint.check_source(program(*parts))]


@pytest.mark.parametrize(
    ("framework", "line", "code"),
    [
        (NUMPY, "np.sqrt(-1.0)", "NL514"),
        (NUMPY, "np.array([1.0, 2.0]) / np.zeros(2)", "NL303"),
        (NUMPY, "np.exp(1000.0)", "NL403"),
        (NUMPY, "np.inf - np.inf", "NL409"),
        (NUMPY, "float('inf') - float('inf')", "NL409"),
        (NUMPY, "0 * np.inf", "NL409"),
        (NUMPY, "np.log(0)", "NL103"),
        (NUMPY, "np.log(-2)", "NL108"),
        (NUMPY, "np.log1p(-1)", "NL103"),
        (NUMPY, "np.power(-1.0, 0.5)", "NL206"),
        (NUMPY, "np.arccos(2.0)", "NL506"),
        (NUMPY, "np.float32(1e39)", "NL409"),
        (NUMPY, "np.std([1.0], ddof=1)", "NL305"),
        (NUMPY, "np.float16(70000)", "NL409"),
        (NUMPY, "np.array([60000], dtype=np.float16) * 2", "NL409"),
        (NUMPY, "np.array([1e200]) ** 2", "NL409"),
        (NUMPY, "np.sqrt(np.array([-4.0, 4.0]))", "NL514"),
        (NUMPY, "np.log(np.linspace(0, 1, 5))", "NL103"),
        (NUMPY, "np.zeros(3) / np.linalg.norm(np.zeros(3))", "NL302"),
        (TORCH, "torch.log(torch.zeros(3))", "NL103"),
        (TORCH, "torch.full((3,), -1.0).sqrt()", "NL514"),
        (TORCH, "torch.randn(3) / torch.zeros(3)", "NL303"),
        (TORCH, "torch.rsqrt(torch.zeros(2))", "NL303"),
        (TORCH, "torch.exp(torch.rand(3) + 1000)", "NL403"),
        (TORCH, "torch.softmax(torch.tensor([70000.0], dtype=torch.float16), -1)", "NL409"),
        (TORCH, "torch.tensor(-2.0) ** 0.5", "NL206"),
        (TORCH, "torch.tensor(70000.0, dtype=torch.float16)", "NL409"),
        (TORCH, "torch.softmax(torch.full((3,), -torch.inf), 0)", "NL404"),
        (TF, "tf.math.log(0.0)", "NL103"),
        (TF, "tf.sqrt(-1.0)", "NL514"),
        (TF, "tf.constant([1.0]) / tf.zeros(1)", "NL303"),
        (TF, "tf.exp(1000.0)", "NL403"),
        (TF, "tf.cast(70000.0, tf.float16)", "NL409"),
        (JAX, "jnp.log(jnp.zeros(3))", "NL103"),
        (JAX, "jnp.inf - jnp.inf", "NL409"),
        (JAX, "jnp.ones(2) / jnp.zeros(2)", "NL303"),
        (JAX, "jax.grad(jnp.sqrt)(0.0)", "NL201"),
        (JAX, "jax.grad(lambda x: x**0.5)(0.0)", "NL206"),
        (JAX, "jax.grad(jnp.linalg.norm)(jnp.zeros(2))", "NL202"),
    ],
)
def test_what_breaks_whatever_comes_in_is_certain(framework: str, line: str, code: str) -> None:
    assert shown(framework, f"found = {line}\n") == [(code, "certain")]
    if "* 2" not in line:  # that no number is beyond its format shows only where it is computed
        assert shown(framework, f"def main():\n    return {line}\n") == [(code, "certain")]


@pytest.mark.parametrize(
    ("framework", "line"),
    [
        (NUMPY, "np.float16(65000)"),
        (NUMPY, "np.float16(200) ** 2"),
        (NUMPY, "np.array([1e200]) ** 1.5"),
        (NUMPY, "np.var([1.0])"),
        (NUMPY, "np.sqrt(np.array([4.0, 9.0]))"),
        (NUMPY, "np.log(np.linspace(0.1, 1, 5))"),
        (NUMPY, "np.log(1 - np.linspace(0, 1, 5, endpoint=False))"),
        (NUMPY, "np.ones(3) / np.linalg.norm(np.ones(3))"),
        (TORCH, "torch.tensor(60000.0, dtype=torch.float16)"),
        (TORCH, "torch.softmax(torch.full((3, 3), -torch.inf).triu(1), -1)"),
        (TF, "tf.cast(60000.0, tf.float16)"),
        (JAX, "jax.grad(lambda x: x**2)(0.0)"),
        (JAX, "jax.grad(jnp.linalg.norm)(jnp.ones(2))"),
    ],
)
def test_what_is_right_whatever_comes_in_is_not_named(framework: str, line: str) -> None:
    assert shown(framework, f"found = {line}\n") == []


@pytest.mark.parametrize(
    ("framework", "line", "code"),
    [
        (NUMPY, "np.mean([])", "NL304"),
        (NUMPY, "np.array([]).mean()", "NL304"),
        (TORCH, "torch.tensor([]).mean()", "NL304"),
        (NUMPY, "np.var([])", "NL305"),
        (JAX, "jnp.var(jnp.array([]))", "NL305"),
        (NUMPY, "np.float16(300) ** 2", "NL409"),
        (NUMPY, "(np.ones(3) - np.ones(3).mean()) / np.ones(3).std()", "NL302"),
    ],
)
def test_what_has_no_elements_or_is_too_large_is_named(framework: str, line: str, code: str) -> None:
    assert [found for found, _ in shown(framework, f"found = {line}\n")] == [code]


@pytest.mark.parametrize(
    "line",
    [
        "np.sqrt(1.0)",
        "np.log(2)",
        "np.exp(100.0)",
        "np.inf + np.inf",
        "np.power(-1.0, 2)",
        "np.float32(1e38)",
        "np.array([1.0]) / np.ones(1)",
        "np.array([1.0]) / np.inf",
        "-np.inf",
        "np.mean([1.0])",
    ],
)
def test_what_is_finite_or_an_infinity_itself_is_left_alone(line: str) -> None:
    assert said(NUMPY, f"found = {line}\n") == []


@pytest.mark.parametrize(
    "filled",
    [
        "fill(total)",
        "state = {'total': total}\n    fill(state)",
        "fill([total])",
        "fill.total = total\n    fill.go()",
        "fill(total.ctypes.data)",
        "for i in range(3):\n        total[i] += x[i]",
        "np.add.at(total, [0, 1], 1)",
        "np.copyto(total, x)",
        "total.fill(2.0)",
        "np.add(x, x, out=total)",
    ],
)
def test_an_array_that_others_may_fill_is_not_what_it_was_made_of(filled: str) -> None:
    source = f"def f(x, fill):\n    total = np.zeros(3)\n    {filled}\n    return x / total\n"
    assert "certain" not in [confidence for _, confidence in said(NUMPY, source)]


def test_a_setting_of_the_module_is_meant_to_be_changed() -> None:
    check(NUMPY, "offset = np.zeros(3)\nscale = 0.0\n\ndef f(x):\n    return x / offset + np.asarray(x) / scale\n")


def test_words_fit_a_number_outside_of_its_domain() -> None:
    found = nanlint.check_source(program(TORCH, "a = torch.tensor([2.0], requires_grad=True)\ny = torch.acos(a)\n"))
    assert [one.message for one in found] == ["acos of a value that is outside of its domain: nan"]
    assert found[0].fix is None


def test_a_variable_that_starts_at_a_pole_meets_it_in_the_first_step() -> None:
    check(
        TF,
        """
        v = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(v))  # error: [NL201]
        print(tape.gradient(loss, v))
        """,
    )


def test_numbers_written_past_the_tape_are_what_is_computed_with() -> None:
    check(
        TORCH,
        """
        a = torch.rand(100, requires_grad=True)
        a.data += 1000
        d = torch.rand(100) / torch.exp(a)  # error: [NL403]
        d.sum().backward()
        """,
    )


def test_a_tensor_that_requires_a_gradient_afterwards_has_one() -> None:
    check(
        TORCH,
        """
        scores = torch.randn(5, 1, 20).log_softmax(2).detach().requires_grad_()
        loss = F.ctc_loss(scores, torch.ones(1, 30), torch.tensor([5]), torch.tensor([12]))  # error: [NL703]
        loss.backward()
        """,
    )


def test_the_origin_of_atan2_is_named_in_pytorch_where_it_is_written() -> None:
    check(
        TORCH,
        """
        a = torch.tensor([0.0], requires_grad=True)
        b = torch.tensor([0.0], requires_grad=True)
        y = torch.atan2(a, b)  # error: [NL205]
        y.backward()

        def angle(y, x):
            return torch.atan2(y, x)
        """,
    )


def test_an_array_whose_size_is_data_is_not_written_out() -> None:
    masked = (
        "def f(x):\n    distance = torch.exp(x)\n    own = torch.eye({size})\n    return distance - distance * own\n"
    )
    assert [code for code, _ in said(TORCH, masked.format(size="len(x)"))] == ["NL405"]


def test_the_length_of_a_variable_that_starts_at_0_has_no_gradient_there() -> None:
    source = """
        x = tf.Variable({start})
        with tf.GradientTape() as tape:
            length = tf.norm(x)
        slope = tape.gradient(length, x)
        """
    assert shown(TF, source.format(start="[0.0, 0.0]")) == [("NL202", "likely")]
    assert shown(TF, source.format(start="[0.0, 1.0]")) == []


#: what is made of two arrays; an operation that has a pole stands outermost
MADE_OF = [
    "a / np.sqrt(np.sum(b * b))",
    "a / np.linalg.norm(b)",
    "a / b",
    "a / (b + 3)",
    "np.log(a * a + b * b)",
    "np.log(np.max(a) - np.min(a))",
    "1 / np.diff(a)",
    "1 / (np.max(a) - np.min(b))",
    "np.sqrt(a[0] - b[1])",
    "np.log(a[1:] + 1)",
    "1 / np.mean(a)",
    "np.sum(a * b) / np.sum(b)",
    "1 / np.prod(a)",
    "np.arccos(a - b)",
    "np.where(b == 0, 1, a) / np.where(b == 0, 1, b)",
    "1 / np.where(np.logical_and(a > 0, b > 0), a, 1)",
    "1 / (a[:, None] - b[None, :])",
    "np.log(np.array([a[0], b[0], 2.0]))",
    "1 / (np.abs(a) + np.abs(b))",
    "1 / np.float32(np.min(a))",
    "np.power(a, -1.0)",
    "np.log1p(np.minimum(a, b))",
    "np.sqrt(np.maximum(a, 0) - 1)",
]


#: that these break is found where one number alone says so
NOT_FOLLOWED = ("np.arccos(a - b)", "1 / (a[:, None] - b[None, :])", "np.power(a, -1.0)")


@pytest.mark.parametrize("made", MADE_OF)
def test_what_is_made_of_arrays_that_are_written_out_breaks_for_certain_or_not_at_all(made: str) -> None:
    """Executed: an array is not the range of its numbers."""
    np = pytest.importorskip("numpy")
    draw = random.Random(made)
    for _ in range(12):
        a, b = ([draw.choice([-1.0, 0.0, 1.0, 2.0]) for _ in range(3)] for _ in range(2))
        source = f"def f():\n    a = np.array({a})\n    b = np.array({b})\n    return {made}\n"
        scope = {"np": np}
        exec(source, scope)
        with np.errstate(all="ignore"):
            well = bool(np.isfinite(scope["f"]()).all())  # type: ignore[operator]
        levels = {level for _, level in shown(NUMPY, source)}
        assert not well or not levels, source
        assert well or "certain" in levels or made in NOT_FOLLOWED, source


#: a function of which callers may take one result or the other
TWO = "def g(logits):\n    return logits, torch.log(torch.softmax(logits, -1))\n"


@pytest.mark.parametrize(
    ("source", "level"),
    [
        ("def f(x):\n    if False:\n        return torch.log(torch.zeros(3))\n    return x\n", None),
        ("def f(x):\n    if True:\n        return x\n    else:\n        return torch.log(torch.zeros(3))\n", None),
        ("def f(x):\n    while 0:\n        x = torch.log(torch.zeros(3))\n    return x\n", None),
        ("DEBUG = False\ndef f(x):\n    if DEBUG:\n        return torch.log(torch.zeros(3))\n    return x\n", "likely"),
        ("def f(x):\n    if x.sum() > 3:\n        return torch.log(torch.zeros(3))\n    return x\n", "certain"),
        (TWO + "def f(logits):\n    kept, _ = g(logits)\n    return kept\n", "likely"),
        (TWO + "def f(logits):\n    _, kept = g(logits)\n    return kept\n", "certain"),
    ],
)
def test_what_the_program_does_not_do_is_not_certain(source: str, level: str | None) -> None:
    assert [found for _, found in shown(TORCH, source)] == ([] if level is None else [level])


def test_that_labels_are_differentiated_is_not_certain() -> None:
    source = """
        def yolo_loss(y_true, anchors, outputs):
            present = y_true[..., 4:5]
            wanted = K.log(y_true[..., 2:4] / anchors)
            wanted = K.switch(present, wanted, K.zeros_like(wanted))
            return K.sum(present * K.square(wanted - outputs[..., 2:4]))
        """
    assert "certain" not in [level for _, level in shown(KERAS, source)]
