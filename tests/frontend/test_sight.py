"""What the analysis sees through: each construct carries a hazard to its op, and carries a guard to it as well."""

from __future__ import annotations

import time

from tests.marked import TORCH, check

# Functions


def test_recursion_ends() -> None:
    started = time.process_time()
    check(
        TORCH,
        """
        def depth(x, n):
            return F.softmax(x, -1) if n == 0 else depth(x * 2, n - 1)

        def even(x, n):
            return x if n == 0 else odd(x, n - 1)

        def odd(x, n):
            return F.relu(x) if n == 0 else even(x, n - 1)

        def loss(x, n):
            return torch.log(depth(x, n)).mean()  # error: [NL101]

        def guarded(x, n):
            return torch.log(depth(x, n) + 1e-6).mean()

        def ratio(x, n):
            return x / (odd(x, n).abs() + 1e-6)
        """,
    )
    assert time.process_time() - started < 2
