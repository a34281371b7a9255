"""What only looks like a guard is none: another value, another path, another time."""

from __future__ import annotations

import pytest

from tests.marked import TORCH, check

PROGRAMS = {
    "a helper that raises on some calls only": """
        def check(n, strict):
            if strict and n == 0:
                raise ValueError

        def mean(x, mask, strict):
            n = mask.sum()
            check(n, strict)
            return (x * mask).sum() / n  # error: [NL301]
        """,
    "a helper that only warns": """
        def check(n):
            if n == 0:
                print("an empty mask")

        def mean(x, mask):
            n = mask.sum()
            check(n)
            return (x * mask).sum() / n  # error: [NL301]
        """,
    "a helper that looks at another mask": """
        def check(n):
            if n == 0:
                raise ValueError

        def mean(x, mask, other_mask):
            check(other_mask.sum())
            return (x * mask).sum() / mask.sum()  # error: [NL301]
        """,
    "a check after the division": """
        def check(n):
            assert n > 0

        def mean(x, mask):
            n = mask.sum()
            result = (x * mask).sum() / n  # error: [NL301]
            check(n)
            return result
        """,
    "a caller that tests, and one that does not": """
        def _mean(x, mask):
            return (x * mask).sum() / mask.sum()  # error: [NL301]

        def careful(x, mask):
            if mask.sum() == 0:
                return x.sum()
            return _mean(x, mask)

        def careless(x, mask):
            return _mean(x, mask)
        """,
    "a test whose branch goes on": """
        def mean(x, mask):
            n = mask.sum()
            if n == 0:
                x = x * 0
            return (x * mask).sum() / n  # error: [NL301]
        """,
    "a method that checks, which nobody calls": """
        class Pool:
            def check(self, mask):
                assert mask.sum() > 0

            def mean(self, x, mask):
                return (x * mask).sum() / mask.sum()  # error: [NL301]
        """,
    "another condition": """
        def mean(x, mask, floored, fast):
            n = mask.sum()
            if floored:
                n = n.clamp(min=1)
            if fast:
                return (x * mask).sum() / n  # error: [NL301]
            return x.sum()
        """,
    "the same condition, the other side": """
        def mean(x, mask, floored):
            n = mask.sum()
            if floored:
                n = n.clamp(min=1)
            if not floored:
                return (x * mask).sum() / n  # error: [NL301]
            return x.sum()
        """,
    "None of something else": """
        def mean(x, mask, start, other):
            if start is None:
                n = mask.sum()
            else:
                n = start.abs().sum() + 1
            if other is None:
                return x.sum()
            return x.sum() / n  # error: [NL301]
        """,
    "a mask that takes elements of one operand alone": """
        def means(x, mask):
            n = mask.sum(1)
            keep = n > 0
            return (x * mask).sum(1)[keep] / n  # error: [NL301]
        """,
    "places where something else is true": """
        def means(x, mask):
            n = mask.sum(1)
            keep = torch.nonzero(x > 0).squeeze(1)
            return x[keep] / n[keep]  # error: [NL301]
        """,
    "a repair that only some uses see": """
        @torch.no_grad()
        def means(x, mask):
            result = (x * mask).sum(1) / mask.sum(1)  # error: [NL301]
            clean = result.nan_to_num()
            return clean, result
        """,
    "NaN kept, and not dropped": """
        @torch.no_grad()
        def means(x, mask):
            result = (x * mask).sum(1) / mask.sum(1)  # error: [NL301]
            return result[result.isnan()]
        """,
    "the sign of another number": """
        def growth(x, y):
            return torch.log1p(torch.exp(-2 * (x * torch.sign(y))))  # error: [NL107]
        """,
    "a count that an object of the class checks, and this one is another": """
        class Mean:
            def __init__(self, mask):
                assert mask.sum() > 0
                self.mask = mask

            def of(self, x, mask):
                return (x * mask).sum() / mask.sum()  # error: [NL301]
        """,
    "an array that is filled after it divides": """
        def zeros(x):
            return torch.zeros(len(x))

        def fill(out, x):
            out[:] = x.abs() + 1

        def shares(x):
            n = zeros(x)
            result = x / n  # error: [NL303]
            fill(n, x)
            return result
        """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_it_is_still_found(source: str) -> None:
    check(TORCH, source)
