"""An epsilon that multiplies is added: the harness of the proofs has no parameters to call one so, this has."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.fixes.executing import outcomes
from tests.fixes.programs import Mend
from tests.fixes.proving import ANY, numbers, repaired
from tests.fixes.styles import IMPORTS

ABSOLUTE = {"torch": "torch.abs", "tensorflow": "tf.abs", "jax": "jnp.abs", "numpy": "np.abs"}


@pytest.mark.parametrize(("framework", "absolute"), ABSOLUTE.items(), ids=ABSOLUTE)
def test_an_epsilon_that_multiplied_a_divisor_is_added_to_it(framework: str, absolute: str) -> None:
    header = "\n".join(IMPORTS[framework].values())
    text = f"{header}\n\n\ndef f(x, y, eps=1e-4):\n    return y / ({absolute}(x) * eps)\n"
    pick = random.Random(0)
    inputs = [[numbers(pick, ANY, (6,), "float32"), numbers(pick, ANY, (6,), "float32")] for _ in range(4)]
    for (x, y), outcome in zip(inputs, outcomes(framework, repaired("NL501", text), inputs), strict=True):
        assert outcome is not None
        assert outcome[0] == pytest.approx(y / (np.abs(x) + np.float32(1e-4)), rel=1e-5, abs=1e-6)


def test_an_epsilon_is_mended_only_when_asked_to(mend: Mend) -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.log(x) + 1e-8\n"
    assert mend("NL501", text) == text
    assert mend("NL501", text, unsafe=True) == text.replace("torch.log(x) + 1e-8", "torch.log(x + 1e-8)")
