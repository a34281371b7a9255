"""What a name lets a reader expect of a number. Beliefs: they bound what a witness may give, and rule out nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from nanlint.analysis.names import MASK, NOT_A_PROBABILITY, POSITIVE, PROBABILITY, SIGNED, words
from nanlint.ops.value import INF

#: what follows a logarithm in the name of one of a probability, and both in one word
OF_A_PROBABILITY = PROBABILITY | {"p", "ps", "likelihood"}
LOG_PROBABILITY = frozenset({"logp", "logps", "logprob", "logprobs", "loglik"})
#: the last word, or the first, of how many there are, and of which one it is
COUNT = frozenset({"count", "counts", "num", "length", "lengths", "degree", "degrees"})
COUNTED = frozenset({"n", "num"})
INDEX = frozenset({"index", "indices", "idx", "ids"})
#: sizes of something, 0 included, and settings that are not below it
SIZE = frozenset(
    {"var", "norm", "norms", "distance", "distances", "magnitude", "radius", "radii", "width", "height", "area"}
    | {"volume", "duration", "energy", "temp", "tau", "lr", "eps", "epsilon", "lengthscale", "sigma2", "lam", "lamda"}
)
DIRECTION = frozenset({"sign", "signs"})


@dataclass(frozen=True)
class Expected:
    """Bounds of a number, and whether it is a whole one."""

    lo: float = -INF
    hi: float = INF
    whole: bool = False


@lru_cache(maxsize=4096)
def expected(name: str) -> Expected:
    """What a name lets a reader expect; everything where it says nothing."""
    parts = words(name)
    if not parts:
        return Expected()
    if LOG_PROBABILITY & set(parts) or any(a == "log" and b in OF_A_PROBABILITY for a, b in pairwise(parts)):
        return Expected(hi=0.0)
    if parts[-1] in COUNT | INDEX or (parts[0] in COUNTED and len(parts) > 1):
        return Expected(lo=0.0, whole=True)
    if parts[-1] in DIRECTION:
        return Expected(-1.0, 1.0, whole=True)
    if SIGNED & set(parts):
        return Expected()
    if parts[-1] in POSITIVE | SIZE:
        return Expected(lo=0.0)
    if MASK & set(parts):
        return Expected(0.0, 1.0)
    if PROBABILITY & set(parts) and not NOT_A_PROBABILITY & set(parts):
        return Expected(0.0, 1.0)
    return Expected()
