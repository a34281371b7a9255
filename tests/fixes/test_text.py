"""The text around a fix: whatever the file's encoding, newlines, tabs and line structure, only the edit changes."""

from __future__ import annotations

import pytest

import nanlint

LOG = "torch.log(F.softmax(x, dim=-1))"
STABLE = "F.log_softmax(x, dim=-1)"
IMPORTS = "import torch\nimport torch.nn.functional as F\n\nDTYPE = torch.float32\n"

SURROUNDINGS = {
    "tabs": "def f(x):\n\tif x is not None:\n\t\treturn {}\n",
    "tabs and spaces": "def f(x):\n\tif x is not None:\n\t        return {}\n",
    "semicolons": "def f(x):\n    y = 1; z = {}; return y, z\n",
    "one-line body": "def f(x): return {}\n",
    "one-line branches": "def f(x):\n    if x is None: return 0\n    elif x.any(): return {}\n    else: return 1\n",
    "condition": "def f(x):\n    if ({}).sum() > 0:\n        return 1\n",
    "elif": "def f(x):\n    if x is None:\n        return 1\n    elif ({}).sum() > 0:\n        return 2\n",
    "while": "def f(x):\n    while ({}).sum() > 0:\n        x = x + 1\n",
    "for": "def f(x):\n    for y in {}:\n        print(y)\n",
    "with": "def f(x):\n    with torch.autograd.set_detect_anomaly(True), open(str({})):\n        pass\n",
    "decorated": "@torch.compile\n@torch.compile\ndef f(x):\n    return {}\n",
    "method": "class A:\n    @staticmethod\n    def f(x):\n        return {}\n",
    "nested function": "def f(x):\n    def g():\n        return {}\n    return g()\n",
    "non-ascii before": "def f(x):\n    é = 'ünïcödé 🎲'; return (é, {}, '🎲')\n",
    "continued line": "def f(x):\n    y = 1 + \\\n        {}\n    return y\n",
    "after a string over lines": 'def f(x):\n    y = """\n  a\n"""; return {}, y\n',
    "f-string": "def f(x):\n    return f'{{1}}' + str({})\n",
    "except": "def f(x):\n    try:\n        return {}\n    except ValueError:\n        return {}\n",
    "lambda": "f = lambda x: {}\n",
    "comprehension": "def f(xs):\n    return [{} for x in xs]\n",
    "keyword": "def f(x):\n    return dict(a={})\n",
    "form feed": "x = 1\n\x0c\ndef f(x):\n    return {}\n",
    "no newline at the end": "def f(x):\n    return {}",
    "await": "async def f(x, y):\n    return await y({})\n",
    "walrus": "def f(x):\n    if (y := {}) is not None:\n        return y\n",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("surrounding", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_only_the_expression_changes(surrounding: str, newline: str) -> None:
    before = (IMPORTS + surrounding.replace("{}", LOG).replace("{{", "{").replace("}}", "}")).replace("\n", newline)
    after = (IMPORTS + surrounding.replace("{}", STABLE).replace("{{", "{").replace("}}", "}")).replace("\n", newline)
    assert nanlint.fix_source(before, select=["NL101"]).source.text == after


def test_a_new_statement_and_a_new_import_take_the_newlines_of_the_file() -> None:
    before = (
        "import jax.numpy as jnp\r\n\r\n\r\ndef f(a, b):\r\n\tx = jnp.maximum(a @ b, 0)\r\n"
        "\treturn jnp.sqrt(jnp.maximum(x, 0))\r\n"
    )
    outcome = nanlint.fix_source(before, select=["NL201"], fix_style="exact")
    assert outcome.fixed
    assert "\r\n\tradicand = jnp.maximum(x, 0)\r\n\treturn jnp.where(radicand != 0," in outcome.source.text
    assert outcome.source.text.count("\n") == outcome.source.text.count("\r\n")
