"""What dies does not make a run bad, and is told with where it died; what arrives does."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanlint.runtime.events import Death
from nanlint.runtime.fates import FEW, Fates
from tests.runtime.running import verify
from tests.runtime.test_unharmed import asking

#: what dies, where (the op, the line)
DIES = {
    "torch": {
        "where": ("y = torch.log(torch.tensor([0.0, 1.0]))\nprint(torch.where(y > -9, y, 0.0))", "in where", 3),
        "softmax": ("m = torch.log(torch.tril(torch.ones(2, 2)))\nprint(torch.softmax(m, -1))", "in softmax", 3),
        "overwritten": (
            "d = torch.tensor([0.0, 2.0]).pow(-0.5)\nd[d == float('inf')] = 0\nprint(d)",
            "in index_put",
            3,
        ),
        "in the gradient": (
            "x = torch.tensor([-1.0], requires_grad=True)\ntorch.sqrt(torch.relu(x)).sum().backward()\nprint(x.grad)",
            "in threshold_backward",
            3,
        ),
        "a guard": (
            "y = torch.log(torch.zeros(()))\nif torch.isfinite(y):\n    print(y)",
            "in a test for nan or inf",
            3,
        ),
        "a mask that a library takes as causal": (
            "layer = torch.nn.TransformerEncoderLayer(8, 2, 8)\nencoder = torch.nn.TransformerEncoder(layer, 1)\n"
            "mask = torch.log(torch.tril(torch.ones(4, 4)))\nprint(encoder(torch.ones(4, 1, 8), mask=mask))",
            "in a comparison inside a library",
            5,
        ),
        "a view": ("y = torch.log(torch.tensor([0.0, 1.0]))\nz = y[1:] * 2\nprint(z)", "in mul", 3),
    },
    "tensorflow": {
        "where": ("y = tf.math.log([0.0, 1.0])\nz = tf.where(y > -9.0, y, 0.0)\nprint(z)", "in SelectV2", 3),
        "a function": (
            "f = tf.function(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0))\nprint(f(tf.constant([0.0, 1.0])))",
            "in the function",
            3,
        ),
        "a guard": ("y = tf.math.log(0.0)\nif tf.math.is_finite(y):\n    print(y)", "in a test for nan or inf", 3),
    },
    "jax": {
        "where": ("y = jnp.log(jnp.array([0.0, 1.0]))\nz = jnp.where(y > -9, y, 0.0)\nprint(z)", "in _where", 3),
        "jit": (
            "f = jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))\nprint(f(jnp.array([0.0, 1.0])))",
            "in select_n",
            2,
        ),
        "after jit": ("f = jax.jit(lambda x: jnp.log(x))\ny = f(jnp.zeros(1))\nprint(jnp.exp(y))", "in exp", 4),
        "a guard": ("y = jnp.log(jnp.array(0.0))\nif jnp.isfinite(y):\n    print(y)", "in a test for nan or inf", 3),
    },
    "numpy": {
        "errstate": (
            "with np.errstate(divide='ignore'):\n    print(np.exp(np.log(np.zeros(1))))",
            "where the program ignores it with np.errstate",
            3,
        ),
    },
}
#: what arrives: nobody uses it, or the program reads it, or it is what a decision is made of
ARRIVES = {
    "torch": {
        "unused": "y = torch.log(torch.zeros(1))",
        "printed": "y = torch.log(torch.tensor([0.0, 1.0]))\nz = torch.where(y > -9, y, 0.0)\nprint(y)",
        "handed over": "y = torch.log(torch.tensor([0.0, 1.0]))\nz = torch.where(y > -9, y, 0.0)\nprint(y.numpy())",
        "saved": "import io\ny = torch.zeros(1) / 0\nz = torch.nan_to_num(y)\ntorch.save(y, io.BytesIO())",
        "a mask that is saved": "import io\nmask = torch.log(torch.tensor([0.0, 1.0]))\ny = torch.softmax(mask, 0)\n"
        "torch.save(mask, io.BytesIO())",
        "compared": "y = torch.log(torch.zeros(()))\nif y < 3:\n    print('less')",
        "a part of it": "y = torch.log(torch.tensor([0.0, 1.0]))\nz = torch.exp(y)\nprint(y.sum())",
        "a parameter": "w = torch.nn.Parameter(torch.ones(1))\nw.data.copy_(torch.log(torch.zeros(1)))\nprint(w > 3)",
    },
    "tensorflow": {
        "printed": "y = tf.math.log([0.0, 1.0])\nz = tf.where(y > -9.0, y, 0.0)\nprint(y)",
        "compared": "y = tf.math.log(0.0)\nif y < 3.0:\n    print('less')",
        "a variable": "v = tf.Variable(1.0)\nv.assign(tf.math.log(0.0))",
        "a variable of a function": (
            "v = tf.Variable(1.0)\n@tf.function\ndef f(x):\n    v.assign(tf.math.log(x))\n    return x\n"
            "f(tf.constant(0.0))"
        ),
    },
    "jax": {
        "printed": "y = jnp.log(jnp.array([0.0, 1.0]))\nz = jnp.exp(y)\nprint(y)",
        "jit": "f = jax.jit(lambda x: jnp.log(x))\ny = f(jnp.zeros(1))\nprint(y, jnp.exp(y))",
        "compared": "y = jnp.log(jnp.array(0.0))\nif y < 3:\n    print('less')",
    },
    "numpy": {"silenced": "np.seterr(all='ignore')\nprint(np.log(np.zeros(1)))"},
}
IMPORTS = {
    "torch": "import torch",
    "tensorflow": "import tensorflow as tf",
    "jax": "import jax, jax.numpy as jnp",
    "numpy": "import numpy as np",
}


@pytest.mark.slow
@pytest.mark.parametrize("framework", DIES)
def test_fates(framework: str, tmp_path: Path) -> None:
    wrong = []
    with asking(framework, tmp_path) as ask:
        for name, (text, how, line) in DIES[framework].items():
            program = tmp_path / f"{name.replace(' ', '_')}.py"
            program.write_text(f"{IMPORTS[framework]}\n{text}\n", "utf-8")
            found = ask(program, "all")
            (*_, last) = found["died"] or [("",)]
            if found["ended"] or found["bad"] or not (last[0].startswith(how) and last[1:] == [line]):
                wrong.append((name, found["bad"], found["died"], found["ended"], found["alerts"]))
        for name, text in ARRIVES[framework].items():
            program = tmp_path / f"arrives_{name.replace(' ', '_')}.py"
            program.write_text(f"{IMPORTS[framework]}\n{text}\n", "utf-8")
            found = ask(program, "all")
            if found["ended"] or not found["bad"]:
                wrong.append((name, found["bad"], found["died"], found["ended"], found["alerts"]))
    assert not wrong


def test_the_report_lists_what_died_and_the_exit_code_is_0(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(
        "import torch\nx = torch.tensor([0.0, 2.0])\nd = x.pow(-0.5)\nd[d == float('inf')] = 0\nprint(d.sum() > 0)\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path, options=("--watch", "all"))
    assert (ran.code, ran.report["bad"], ran.report["born"]) == (0, False, [])
    (died,) = ran.report["died"]
    assert (died["op"], died["kinds"]) == ("pow", ["+inf"])
    assert died["death"] == "it died in index_put, program.py:4"


@pytest.mark.parametrize(
    ("text", "arrives"),
    [
        ("assert torch.isfinite(y)", True),
        ("if not torch.isfinite(y):\n    raise ValueError('loss')", True),
        ("try:\n    assert torch.isfinite(y)\nexcept AssertionError:\n    pass", False),
        ("def check(y):\n    return torch.isfinite(y)\nif not check(y):\n    {}['key']", False),
    ],
)
def test_a_test_that_ends_the_program_shows_that_it_arrived(text: str, arrives: bool, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(f"import torch\ny = torch.log(torch.zeros(()))\n{text}\n", "utf-8")
    ran = verify("program.py", cwd=tmp_path, options=("--watch", "all"))
    assert ran.report["bad"] is arrives


def test_what_goes_two_ways_arrives_if_it_does_on_one_of_them() -> None:
    fates = Fates()
    fates.begin(0, lambda: (["a"], Death("")))
    assert fates.deaths() == {}  # nothing has used it
    fates.passed("where", ["a"], [("b", False)], tuple)
    assert fates.deaths() == {0: Death("in where")}
    fates.passed("add", ["a"], [("c", True)], tuple)
    assert fates.deaths() == {}
    fates.passed("exp", ["c"], [("d", False)], tuple)
    assert fates.deaths() == {0: Death("in exp")}
    fates.arrive(["c"])
    fates.begin(0, lambda: ((), Death("in jit(f)")))
    assert fates.deaths() == {}


def test_what_was_let_go_unused_arrives_with_its_step_unless_that_is_skipped() -> None:
    for skipped in (True, False):
        fates = Fates()
        fates.begin("site", lambda: (["a"], Death("")))
        fates.passed("mul", ["b"], [("a", False)], tuple)  # the key is another tensor's now
        assert fates.deaths() == {}
        if skipped:
            fates.die("in a step that was skipped")
        fates.stepped()
        assert fates.deaths() == ({"site": Death("in a step that was skipped")} if skipped else {})


def test_what_always_dies_is_not_followed_for_ever() -> None:
    fates = Fates()
    for i in range(FEW + 5):
        fates.begin(0, lambda i=i: ([i], Death("")))  # type: ignore[misc]
        fates.passed("where", [i], [], tuple)
    assert fates.deaths() == {0: Death("in where")}
    assert len(fates._held) == FEW


def test_the_cause_is_told_before_the_symptom_and_no_op_for_what_came_in(tmp_path: Path) -> None:
    """The gradient that comes into the norm at 0 has nan already, and the norm's formula masks it on the way."""
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(
        "import torch\nx = torch.zeros(2, 3, requires_grad=True)\nn = x.norm(dim=-1)\n"
        "loss = torch.sqrt(n * torch.tensor([0.0, 1.0])).sum()\nloss.backward()\nprint(x.grad)\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path, options=("--watch", "all"))
    assert ran.code == 1
    assert [one["op"] for one in ran.report["born"] if one["forward"][0]["line"] == 3] == []
    assert ran.verdicts() == [("NL201", "confirmed")]


def test_the_default_watch_follows_what_it_confirms_and_looks_at_no_op_after_that(tmp_path: Path) -> None:
    """The modes of PyTorch's dispatch that are on behind it: what always dies is followed no more."""
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(
        "import torch\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
        "w = torch.ones(2, requires_grad=True)\noptimizer = torch.optim.SGD([w], 0.1)\non = []\n"
        "for step in range(30):\n    m = f(torch.tensor([0.0, 200.0]))\n"
        "    on.append(torch._C._len_torch_dispatch_stack())\n    loss = (torch.softmax(w + m, -1) ** 2).sum()\n"
        "    loss.backward()\n    optimizer.step()\nprint(on[0], on[-1])\n",
        "utf-8",
    )
    ran = verify("program.py", cwd=tmp_path)
    assert (ran.code, ran.stdout) == (0, "1 0\n")
    assert ran.verdicts() == [("NL101", "died")]
