"""An epsilon that multiplies is added: the harness of the proofs has no parameters to call one so, this has."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixes.programs import Mend
from tests.fixes.proving import ADAPTERS, repaired
from tests.fixes.styles import IMPORTS

np = pytest.importorskip("numpy")

ABSOLUTE = {"torch": "torch.abs", "tensorflow": "tf.abs", "jax": "jnp.abs", "numpy": "np.abs"}


@pytest.mark.slow
@pytest.mark.parametrize(("framework", "absolute"), ABSOLUTE.items(), ids=ABSOLUTE)
def test_an_epsilon_that_multiplied_a_divisor_is_added_to_it(framework: str, absolute: str) -> None:
    pytest.importorskip(framework)
    header = "\n".join(IMPORTS[framework].values())
    text = f"{header}\n\n\ndef f(x, y, eps=1e-3):\n    return y / ({absolute}(x) * eps)\n"
    f = repaired("NL501", text)
    numbers = st.lists(st.floats(-5, 5, width=32), min_size=3, max_size=3)

    @settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(numbers, numbers)
    def check(x: list[float], y: list[float]) -> None:
        a, b = np.array(x, "float32"), np.array(y, "float32")
        value, _ = ADAPTERS[framework](f, [a, b])
        assert value == pytest.approx(b / (np.abs(a) + np.float32(1e-3)), rel=1e-5, abs=1e-6)

    check()


def test_an_epsilon_is_mended_only_when_asked_to(mend: Mend) -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.log(x) + 1e-8\n"
    assert mend("NL501", text) == text
    assert mend("NL501", text, unsafe=True) == text.replace("torch.log(x) + 1e-8", "torch.log(x + 1e-8)")
