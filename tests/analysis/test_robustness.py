"""Whatever a file holds, it is checked: mutations of real sources never end in an internal error, nor take long."""

from __future__ import annotations

import ast
import importlib.util
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import nanlint
from nanlint.housekeeping import INTERNAL_ERROR
from tests.sampling import SEED, sample

ROOT = Path(__file__).parents[2]
#: modules whose sources are mutated: of the standard library, and of frameworks where they are installed
MODULES = [
    *(
        "statistics",
        "random",
        "fractions",
        "decimal",
        "dataclasses",
        "functools",
        "inspect",
        "colorsys",
        "heapq",
        "typing",
    ),
    *(
        "torch.nn.functional",
        "torch.optim.adam",
        "torch.distributions.kl",
        "torch.nn.modules.loss",
        "torch.masked._ops",
    ),
    *("scipy.optimize._optimize", "scipy.special._basic", "scipy.stats._multivariate", "jax._src.nn.functions"),
    *("keras.src.losses.losses", "keras.src.backend.tensorflow.nn", "optax.losses._classification"),
    *("numpy.lib._function_base_impl", "numpy.linalg._linalg"),
]
#: seconds of CPU that no file of these takes, nor any mutation of it; a machine that is not busy takes half of them
LIMIT = 10.0
MUTATIONS_PER_FILE = 1
#: of the files, a run mutates one in so many
DRAWN = 8
TOKENS = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*(?:e-?\d+)?|[-+*/%<>=!&|^~@]+|[()\[\]{}:,.]")


def sources() -> Iterator[Path]:
    """The programs of this repository, and one file of each installed module."""
    yield from sorted((ROOT / "tests" / "fixtures").glob("*/*.py"))[::4]
    yield from sorted((ROOT / "examples").rglob("*.py"))
    for name in MODULES:
        try:
            found = importlib.util.find_spec(name.partition(".")[0])
        except (ImportError, ValueError):
            continue
        if found is None or found.origin is None:
            continue
        root = Path(found.origin)
        path = root if "." not in name else root.parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if path.is_file():
            yield path


def truncated(text: str, pick: random.Random) -> str:
    """The first part of a text, as an editor sees it while it is being written."""
    return text[: pick.randrange(len(text))]


def without_lines(text: str, pick: random.Random) -> str:
    """The text without one line in ten."""
    return "\n".join(line for line in text.splitlines() if pick.random() > 0.1)


def with_tokens_swapped(text: str, pick: random.Random) -> str:
    """The text with some tokens replaced by others of it, most of them of the same sort."""
    found = list(TOKENS.finditer(text))
    by_sort: dict[str, list[str]] = {}
    for match in found:
        by_sort.setdefault(sort(match.group()), []).append(match.group())
    pieces, end = [], 0
    for match in found:
        pieces.append(text[end : match.start()])
        token = match.group()
        pieces.append(pick.choice(by_sort[sort(token)]) if pick.random() < 0.03 else token)
        end = match.end()
    return "".join([*pieces, text[end:]])


def sort(token: str) -> str:
    """Name, number, operator or bracket."""
    return "name" if token[0].isalpha() or token[0] == "_" else "number" if token[0].isdigit() else token[:1]


def with_statements_shuffled(text: str, pick: random.Random) -> str:
    """The text with the statements of some blocks in another order, or in other blocks: still a program."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    blocks = [
        b for n in ast.walk(tree) for b in (getattr(n, "body", None), getattr(n, "orelse", None)) if isinstance(b, list)
    ]
    blocks = [block for block in blocks if len(block) > 1]
    for block in pick.sample(blocks, len(blocks) // 3):
        pick.shuffle(block)
    for _ in range(len(blocks) // 8):
        one, other = pick.choice(blocks), pick.choice(blocks)
        place, replacement = pick.randrange(len(one)), pick.choice(other)
        if not any(
            part is one
            for n in ast.walk(replacement)
            for part in (getattr(n, "body", None), getattr(n, "orelse", None))
        ):
            one[place] = replacement
    try:
        return ast.unparse(tree)
    except RecursionError:
        return text


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    truncated,
    without_lines,
    with_tokens_swapped,
    with_statements_shuffled,
]


@pytest.mark.parametrize("path", sample(list(sources()), DRAWN), ids=lambda path: "-".join(path.parts[-2:]))
def test_no_mutation_of_a_real_source_ends_in_an_internal_error(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pick = random.Random(f"{SEED} {path.name}")
    mutants = [text, *(pick.choice(MUTATIONS)(text, pick) for _ in range(MUTATIONS_PER_FILE))]
    for mutant in mutants:
        started = time.process_time()
        codes = {found.code for found in nanlint.check_source(mutant, confidence="possible")}
        assert INTERNAL_ERROR.code not in codes
        assert time.process_time() - started < LIMIT
