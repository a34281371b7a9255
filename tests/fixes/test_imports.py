"""How a function is spelled, what may not be used for it, and where an import goes that it needs."""

from __future__ import annotations

from textwrap import dedent

import pytest

import nanlint
from tests.fixes.programs import Mend, Shown

BODY = "\n\ndef f(x):\n    return jnp.log(softmax(x))\n"


def test_what_the_file_has_is_used_before_anything_is_imported(mend: Mend) -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.log(1 - jax.nn.sigmoid(x))\n"
    assert mend("NL102", text) == text.replace("jnp.log(1 - jax.nn.sigmoid(x))", "jax.nn.log_sigmoid(-x)")


FROM_IMPORTS = {
    "before the last": ("from jax.nn import softmax", "from jax.nn import log_softmax, softmax"),
    "among others": ("from jax.nn import gelu, softmax", "from jax.nn import gelu, log_softmax, softmax"),
    "in parentheses": (
        "from jax.nn import (\n    gelu,\n    softmax,\n)",
        "from jax.nn import (\n    gelu,\n    log_softmax,\n    softmax,\n)",
    ),
    "alone in parentheses": (
        "from jax.nn import (\n    softmax,\n)",
        "from jax.nn import (\n    log_softmax,\n    softmax,\n)",
    ),
}


@pytest.mark.parametrize(("before", "after"), FROM_IMPORTS.values(), ids=FROM_IMPORTS)
def test_a_from_import_is_extended_in_order(mend: Mend, before: str, after: str) -> None:
    text = f"import jax.numpy as jnp\n{before}\n{BODY}"
    assert (
        mend("NL101", text)
        == f"import jax.numpy as jnp\n{after}\n{BODY.replace('jnp.log(softmax(x))', 'log_softmax(x)')}"
    )


def test_the_last_name_of_a_from_import_may_be_the_new_one(mend: Mend) -> None:
    text = "import numpy as np\nfrom scipy.special import expit\n\n\ndef f(x):\n    return np.log(expit(x))\n"
    after = text.replace("import expit", "import expit, log_expit").replace("np.log(expit(x))", "log_expit(x)")
    assert mend("NL102", text) == after


PLACES = {
    "before its own submodule": (
        "import os\n\nimport jax.numpy as jnp\nimport numpy as np\nfrom absl import app\n",
        "import os\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom absl import app\n",
    ),
    "after a docstring and the future": (
        '"""Doc."""\n\nfrom __future__ import annotations\n\nimport jax.numpy as jnp\n',
        '"""Doc."""\n\nfrom __future__ import annotations\n\nimport jax\nimport jax.numpy as jnp\n',
    ),
    "before the from-imports": (
        "import os\n\nfrom absl import app\nfrom jax import numpy as jnp\n",
        "import os\n\nimport jax\nfrom absl import app\nfrom jax import numpy as jnp\n",
    ),
    "after the standard library in one block": (
        "import os\nimport jax.numpy as jnp\n",
        "import os\nimport jax\nimport jax.numpy as jnp\n",
    ),
    "after earlier modules": (
        "import absl\nimport jax.numpy as jnp\nimport numpy as np\n",
        "import absl\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n",
    ),
    "sorted regardless of form": (
        "from absl import app\nimport jax.numpy as jnp\nfrom numpy import pi\n",
        "from absl import app\nimport jax\nimport jax.numpy as jnp\nfrom numpy import pi\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_an_import_is_placed_as_isort_would(mend: Mend, before: str, after: str) -> None:
    body = "\n\ndef f(x):\n    return jnp.log(jnp.sum(jnp.exp(x)))\n"
    fixed = "\n\ndef f(x):\n    return jax.nn.logsumexp(x)\n"
    assert mend("NL106", before + body) == after + fixed


NOT_USABLE = {
    "a parameter has the name": (
        "def f(x, F):\n    return torch.log(torch.sigmoid(x))\n",
        "torch.nn.functional.logsigmoid(x)",
    ),
    "a local variable has it": (
        "def f(x):\n    F = 1\n    return F * torch.log(torch.sigmoid(x))\n",
        "torch.nn.functional.logsigmoid(x)",
    ),
    "a comprehension has it": (
        "def f(x):\n    return [torch.log(torch.sigmoid(x)) for F in x]\n",
        "torch.nn.functional.logsigmoid(x)",
    ),
}


@pytest.mark.parametrize(("body", "after"), NOT_USABLE.values(), ids=NOT_USABLE)
def test_a_shadowed_module_is_not_used(mend: Mend, body: str, after: str) -> None:
    text = f"import torch\nimport torch.nn.functional as F\n\n\n{body}"
    assert mend("NL102", text) == text.replace("torch.log(torch.sigmoid(x))", after)


def test_an_import_for_the_type_checker_is_not_used(mend: Mend) -> None:
    text = dedent("""\
        from typing import TYPE_CHECKING

        import torch

        if TYPE_CHECKING:
            import torch.nn.functional as F


        def f(x):
            return torch.log(torch.sigmoid(x))
        """)
    assert mend("NL102", text) == text.replace("torch.log(torch.sigmoid(x))", "torch.nn.functional.logsigmoid(x)")


def test_imports_of_a_function_serve_that_function(mend: Mend) -> None:
    text = dedent("""\
        def f(x):
            import torch
            import torch.nn.functional as F

            return torch.log(torch.sigmoid(x))


        def g(x):
            import torch

            return torch.log(torch.sigmoid(x))
        """)
    after = dedent("""\
        def f(x):
            import torch
            import torch.nn.functional as F

            return F.logsigmoid(x)


        def g(x):
            import torch

            return torch.nn.functional.logsigmoid(x)
        """)
    assert mend("NL102", text) == after


def test_without_imports_at_module_level_nothing_is_added(mend: Mend, shown: Shown) -> None:
    text = "def f(x):\n    import jax.numpy as jnp\n    return jnp.log(jnp.sum(jnp.exp(x)))\n"
    assert mend("NL106", text) == text
    assert shown("NL106", text) == []


def test_an_import_that_may_have_failed_serves_under_its_name(mend: Mend) -> None:
    text = dedent("""\
        import torch

        try:
            import torch.nn.functional as F
        except ImportError:
            F = None


        def f(x):
            return torch.log(torch.sigmoid(x))
        """)
    assert mend("NL102", text) == text.replace("torch.log(torch.sigmoid(x))", "F.logsigmoid(x)")


def test_a_name_that_is_taken_at_module_level_is_not_imported_over(mend: Mend) -> None:
    text = "import jax.numpy as jnp\n\njax = 1\n\n\ndef f(x):\n    return jnp.log(jnp.sum(jnp.exp(x)))\n"
    assert mend("NL106", text) == text


#: what SciPy has and NumPy has not: rule, expression, what it becomes
OF_SCIPY = {
    "softmax": ("NL401", "np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)", "scipy.special.softmax(x, axis=1)"),
    "product": ("NL104", "np.sum(x * np.log(x))", "np.sum(scipy.special.xlogy(x, x))"),
    "sigmoid": ("NL402", "1 / (1 + np.exp(-x))", "scipy.special.expit(x)"),
}


@pytest.mark.parametrize("beside", ["", "import scipy.integrate\n"])
@pytest.mark.parametrize(("code", "before", "after"), OF_SCIPY.values(), ids=OF_SCIPY)
def test_scipy_is_imported_where_the_file_has_it_or_the_user_asks(
    mend: Mend, code: str, before: str, after: str, beside: str
) -> None:
    head, body = f"import numpy as np\n{beside}", "\n\ndef f(x):\n    return {}\n"
    text = head + body.format(before)
    mended = f"{head}import scipy.special\n{body.format(after)}"
    assert mend(code, text, confidence="possible") == (mended if beside else text)
    assert mend(code, text, unsafe=True, confidence="possible") == mended


@pytest.mark.parametrize("head", ["from library.terms import Term\n", "import numpy as np\n"])
def test_a_framework_that_the_file_does_not_have_is_not_brought_in(head: str) -> None:
    text = f"{head}\n\ndef f(x, probs):\n    return (1 + x**2).log(), torch.softmax(probs, -1).log()\n"
    assert nanlint.fix_source(text, unsafe_fixes=True, confidence="possible").source.text == text
