"""A fix is the same wherever its expression stands: a few findings, each in some fifty surroundings made by a program.

What comes out parses, holds no finding that was not there, is as clean for Ruff as it was, and is not fixed again.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nanlint

#: imports, the expression that is found, what it becomes
FINDINGS = {
    "torch": ("import torch", "torch.log(torch.softmax(x, -1))", "torch.log_softmax(x, -1)"),
    "tensorflow": ("import tensorflow as tf", "tf.math.log(tf.nn.softmax(x))", "tf.nn.log_softmax(x)"),
    "jax": (
        "import jax\nimport jax.numpy as jnp\n\nDTYPE = jnp.float32",
        "jnp.log(jax.nn.sigmoid(x))",
        "jax.nn.log_sigmoid(x)",
    ),
    "numpy": (
        "import numpy as np\nimport scipy.special\n\nDTYPE = np.float32",
        "np.log(np.sum(np.exp(x)))",
        "scipy.special.logsumexp(x)",
    ),
    "product": ("import torch", "torch.softmax(x, -1).log()", "torch.log_softmax(x, -1)"),
}

#: programs with ``{}`` where the expression stands
SURROUNDINGS = {
    "return": "def f(x):\n    return {}",
    "sum": "def f(x, y):\n    return y + {}",
    "difference": "def f(x, y):\n    return y - {}",
    "subtrahend": "def f(x, y):\n    return {} - y",
    "product": "def f(x, y):\n    return y * {}",
    "quotient": "def f(x):\n    return {} / 2",
    "power": "def f(x):\n    return {} ** 2",
    "minus": "def f(x):\n    return -{}",
    "minus product": "def f(x, y):\n    return -y * {}",
    "matrix product": "def f(x, y):\n    return y @ {}",
    "comparison": "def f(x, y):\n    return {} < y",
    "parentheses": "def f(x):\n    return ({})",
    "chain": "def f(x):\n    return {}.sum()",
    "attribute": "def f(x):\n    return {}.shape",
    "index": "def f(x):\n    return {}[0]",
    "slice": "def f(x):\n    return {}[1:, ::2]",
    "argument": "def f(x):\n    return abs({})",
    "second argument": "def f(x, g, y):\n    return g(y, {})",
    "keyword": "def f(x, g):\n    return g(value={}, other=1)",
    "star": "def f(x, g):\n    return g(*{})",
    "tuple": "def f(x, y):\n    return y, {}",
    "list": "def f(x, y):\n    return [y, {}, y]",
    "dict": 'def f(x):\n    return {{"loss": {}}}',
    "set of lines": "def f(x, g, y):\n    return g(\n        y,\n        {},\n    )",
    "comment": "def f(x):\n    return {}  # the log-probabilities",
    "comment above": "def f(x, g):\n    return g(\n        # the log-probabilities\n        {},\n    )",
    "f-string beside": 'def f(x, y):\n    return f"{{y}}", {}',
    "lambda": "f = lambda x: {}  # noqa: E731",
    "lambda inside": "def g(h):\n    return h(lambda x: {})",
    "walrus": "def f(x):\n    if (y := {}) is not None:\n        return y",
    "assignment": "def f(x):\n    y = {}\n    return y",
    "annotated": "def f(x):\n    y: object = {}\n    return y",
    "type comment": "def f(x):\n    y = {}  # type: object\n    return y",
    "unpacking": "def f(x, z):\n    y, z = {}, z\n    return y + z",
    "augmented": "def f(x, y):\n    y += {}\n    return y",
    "augmented product": "def f(x, y):\n    y *= {}\n    return y",
    "comprehension": "def f(xs):\n    return [{} for x in xs]",
    "generator": "def f(xs):\n    return sum({} for x in xs)",
    "dict comprehension": "def f(xs):\n    return {{i: {} for i, x in enumerate(xs)}}",
    "conditional": "def f(x, c):\n    return {} if c else x",
    "else of conditional": "def f(x, c):\n    return x if c else {}",
    "nested function": "def f(x):\n    def g():\n        return {}\n\n    return g",
    "method": "class A:\n    def f(self, x):\n        return {}",
    "static method": "class A:\n    @staticmethod\n    def f(x):\n        return {}",
    "attribute kept": "class A:\n    def f(self, x):\n        self.y = {}",
    "decorated": "import functools\n\n\n@functools.cache\ndef f(x):\n    return {}",
    "async": "async def f(x):\n    return {}",
    "await": "async def f(x, g):\n    return await g({})",
    "match": "def f(x, c):\n    match c:\n        case 1:\n            return {}\n    return x",
    "try": "def f(x):\n    try:\n        return {}\n    finally:\n        print(x)",
    "with": "def f(x, lock):\n    with lock:\n        return {}",
    "loop": "def f(xs):\n    y = 0\n    for x in xs:\n        y = y + {}\n    return y",
    "yield": "def f(xs):\n    for x in xs:\n        yield {}",
    "assert": "def f(x):\n    assert {} is not None",
    "two on a line": "def f(x):\n    return {} + 2 * {}",
    "rebound": "def f(x):\n    x = x + 1\n    y = {}\n    x = x * 2\n    return x + y",
    "shadowed later": "def f(x):\n    y = {}\n    x = 3\n    return x * y",
}
#: checks that the text before must pass, too, to be asked of the text after
RUFF = shutil.which("ruff") or str(Path(sys.executable).parent / "ruff")


def program(finding: str, surrounding: str, expression: str) -> str:
    return f"{FINDINGS[finding][0]}\n\n\n{SURROUNDINGS[surrounding].replace('{}', expression).format()}\n"


def complaints(text: str, *command: str) -> str:
    options = ["--isolated", "--quiet", "--stdin-filename", "a.py", "-"]
    done = subprocess.run([RUFF, *command, *options], input=text, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("finding", FINDINGS)
def test_a_fix_changes_its_expression_and_nothing_else(finding: str, surrounding: str) -> None:
    _, bad, stable = FINDINGS[finding]
    before = program(finding, surrounding, bad)
    outcome = nanlint.fix_source(before, unsafe_fixes=True, confidence="possible")
    after = outcome.source.text
    assert not outcome.notes
    if after != before:
        assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(program(finding, surrounding, stable)))
    assert nanlint.fix_source(after, unsafe_fixes=True, confidence="possible").source.text == after


@pytest.mark.parametrize("finding", FINDINGS)
def test_a_fix_is_made_in_nearly_all_surroundings(finding: str) -> None:
    _, bad, _ = FINDINGS[finding]
    texts = [program(finding, surrounding, bad) for surrounding in SURROUNDINGS]
    made = [nanlint.fix_source(text, unsafe_fixes=True, confidence="possible").source.text != text for text in texts]
    assert sum(made) >= 0.9 * len(made)


@pytest.mark.skipif(shutil.which(RUFF) is None, reason="needs Ruff")
@pytest.mark.parametrize("finding", FINDINGS)
def test_what_was_clean_for_ruff_is_clean_after_the_fix(finding: str) -> None:
    _, bad, _ = FINDINGS[finding]
    for surrounding in SURROUNDINGS:
        before = program(finding, surrounding, bad)
        after = nanlint.fix_source(before, unsafe_fixes=True, confidence="possible").source.text
        for command in (["check", "--select=F,E9"], ["format", "--diff"]):
            if not complaints(before, *command):
                assert not complaints(after, *command), after
