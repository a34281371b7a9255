"""What a proof of a fix is, and how it is run: a computation, mended, beside the original in its framework.

A proof is entered in one of the modules of ``tests/fixes/proofs/``, one a rule or family of rules::

    from tests.fixes.proving import LOGITS, Proof

    PROOFS = {
        "torch": Proof("NL101", "torch", "return torch.log(F.softmax(x, dim=-1))", bad=200.0, x=LOGITS),
    }

Write plain functions (``torch.log(x)``); ``tests/fixes/styles.py`` makes the other spellings of them, and each that has
a fix is proven. The imported names are those of ``styles.IMPORTS``: torch F · tf · keras ops · jax jnp · np · special.
"""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np

import nanlint
from nanlint.diagnostic import Applicability
from nanlint.rules import RULES
from tests.fixes.executing import ADAPTERS, Array, Outcome, outcomes
from tests.fixes.styles import STYLES, styled

#: lowest and highest number, and numbers to be tried always
Domain = tuple[float, float, tuple[float, ...]]
Shapes = tuple[tuple[int, ...], tuple[int, ...]]

SMALL = 1e-3
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, SMALL, 1e-30)
ANY: Domain = (-5.0, 5.0, SPECIAL)
LOGITS: Domain = (-30.0, 30.0, (*SPECIAL, 200.0, -200.0))
MILD: Domain = (-6.0, 6.0, (0.0, 200.0, -200.0))
UNIT: Domain = (0.0, 1.0, (0.0, 1.0, 0.5, 1e-3))

#: shapes of x and y: equal, broadcast either way, scalars, empty
SHAPES: tuple[Shapes, ...] = (
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((3,), (3,)),
    ((), ()),
    ((0, 3), (0, 3)),
)
DTYPES = ("float32", "float64", "float16")
NONEMPTY = SHAPES[:-1]
EPSILON = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}


@dataclass(frozen=True)
class Proof:
    """A function of x and y that a rule mends, where x and y live, and what spoils it.

    ``bad``: put at one place of an x of zeros (``bad_y``: of a y of zeros), or ``everywhere``, it spoils the original:
    a value or gradient is NaN or infinite, or with ``loses_digits`` the value is off by more than a thousandth. None
    where nothing is spoiled.
    ``remains``: "value", "slope" or both: what stays infinite or NaN where it is so in truth.
    ``unsafe``: the fix is not safe, and ``changes`` values by no more than the page says: an expression of the arrays x
    and y in NumPy, such as ``np.where(x > 1e-7, 0, np.inf)``; ``tiny`` is the smallest normal number of their dtype.
    Gradients are compared where it is 0.
    ``meant``: what the value is to be instead, where it was something else: an expression as ``changes``.
    ``shapes``, ``dtypes``: those tried. Where the original raises, nothing is claimed.
    ``steps``: what rounding may differ by, in steps of the dtype at the number, or at 1 where it is smaller.
    """

    code: str
    framework: str
    body: str
    bad: float | None
    x: Domain = ANY
    y: Domain = ANY
    bad_y: float = 0.0
    everywhere: bool = False
    loses_digits: bool = False
    remains: str = ""
    unsafe: bool = False
    changes: str = ""
    meant: str = ""
    shapes: tuple[Shapes, ...] = SHAPES
    dtypes: tuple[str, ...] = DTYPES
    steps: int = 32

    @property
    def cases(self) -> list[tuple[Shapes, str]]:
        """What is tried: the first shapes in each dtype, the others in single and double precision by turns."""
        first, *others = self.shapes
        turns = [dtype for dtype in self.dtypes if dtype != "float16"]
        return [(first, d) for d in self.dtypes] + [(s, turns[i % len(turns)]) for i, s in enumerate(others)]


def proofs() -> dict[str, Proof]:
    """All that are entered, by name."""
    package = Path(__file__).with_name("proofs")
    modules = {m.name: import_module(f"tests.fixes.proofs.{m.name}") for m in iter_modules([str(package)])}
    return {f"{name}-{key}": proof for name, module in modules.items() for key, proof in module.PROOFS.items()}


@dataclass(frozen=True)
class Mended:
    """A style of a proof whose fix applies: both programs, and their functions."""

    style: str
    before: str
    after: str


def repaired(code: str, text: str) -> str:
    """A program after the fixes of a rule, which leave none of its findings."""
    outcome = nanlint.fix_source(text, unsafe_fixes=True, select=[code], confidence="possible")
    assert outcome.fixed
    assert not outcome.remaining, outcome.source.text
    return outcome.source.text


def mended(proof: Proof) -> tuple[list[Mended], list[str]]:
    """The styles in which the fix applies, and the names of those in which it does not.

    What is mended is silent, and stays as it is when it is mended again.
    """
    applies: list[Mended] = []
    others: list[str] = []
    wanted = Applicability.UNSAFE if proof.unsafe else Applicability.SAFE
    for name, program in styled(proof.framework, proof.body):
        texts: list[str] = []
        for form in ("exact", "short", "helper")[: None if name == "function" else 1]:
            given = {"unsafe_fixes": proof.unsafe, "select": [proof.code], "confidence": "possible", "fix_style": form}
            outcome = nanlint.fix_source(program, **given)
            assert not outcome.notes, outcome.notes
            after = outcome.source.text
            if not outcome.fixed or after in texts:
                continue
            if proof.unsafe and texts:  # a bound changes other numbers than the page says of the form that is proven
                continue
            ast.parse(after)
            assert not outcome.remaining, f"{name}: the finding is still there\n{after}"
            again = nanlint.fix_source(after, **given)
            assert again.source.text == after, f"{name}: mended again it changes\n{after}"
            assert all(one.fix is not None and one.fix.applicability is wanted for one in outcome.fixed), name
            texts.append(after)
            applies.append(Mended(name, program, after))
        if not texts:
            others.append(name)
    return applies, others


@dataclass(frozen=True)
class Proven:
    """A proof that holds, in which styles, and in which others there is no fix, or one that is only shown."""

    proof: Proof
    styles: tuple[str, ...]
    others: tuple[str, ...]


def prove(proof: Proof) -> Proven:
    """The styles that hold, and those without a fix. Raises AssertionError where a claim does not hold."""
    applies, others = mended(proof)
    assert applies, f"nothing is mended in: {proof.body}"
    assert applies[0].style == "function", "the fix does not apply as the proof is written"
    inputs = [spoiling(proof), *drawn(proof)]
    doubles = [[array.astype("float64") for array in pair] for pair in inputs]
    _, *truths = outcomes(proof.framework, applies[0].before, doubles)
    (exact,) = outcomes(proof.framework, applies[0].after, doubles[:1])
    spoiled, *_ = outcomes(proof.framework, applies[0].before, inputs)
    assert spoiled is not None
    assert exact is not None
    is_spoiled(proof, spoiled, exact)
    proven = []
    for one in applies:
        before, *befores = outcomes(proof.framework, one.before, inputs)
        if before is None:
            # the framework does not take this style: an in-place operation on what the gradient needs
            continue
        after, *afters = outcomes(proof.framework, one.after, inputs)
        with explained(one, inputs[0]):
            assert after is not None, "what is mended raises"
            is_mended(proof, spoiled, before, after, exact)
        for given, old, new, truth in zip(inputs[1:], befores, afters, truths, strict=True):
            # where the original raises, nothing is claimed
            if old is not None:
                with explained(one, given):
                    assert new is not None, "what is mended raises"
                    assert truth is not None, "the original raises in float64"
                    keeps(proof, given, old, new, truth)
        proven.append(one.style)
    return Proven(proof, tuple(proven), tuple(others))


def spoiling(proof: Proof) -> list[Array]:
    """The input that spoils the original."""
    inputs = [np.zeros((2, 3), proof.dtypes[0]), np.zeros((2, 3), proof.dtypes[0])]
    where = (...) if proof.everywhere else (0, 0)
    inputs[0][where], inputs[1][where] = proof.bad or 0.0, proof.bad_y
    return inputs


def drawn(proof: Proof) -> Iterator[list[Array]]:
    """Of each case the plainest input and one drawn: always the same, of the same proof."""
    pick = random.Random(repr(proof))
    for shapes, dtype in proof.cases:
        yield [
            np.full(shape, special[0], dtype) for shape, (_, _, special) in zip(shapes, (proof.x, proof.y), strict=True)
        ]
        yield [numbers(pick, domain, shape, dtype) for shape, domain in zip(shapes, (proof.x, proof.y), strict=True)]


def numbers(pick: random.Random, domain: Domain, shape: tuple[int, ...], dtype: str) -> Array:
    """An array with numbers of a domain: half of them special ones, of the others half small ones."""
    low, high, special = domain

    def number() -> float:
        chance = pick.random()
        if chance < 0.5:
            return pick.choice(special)
        if chance < 0.75:
            return pick.uniform(low, high)
        return min(max(pick.choice((low, high)) * 10 ** pick.uniform(-6, 0), low), high)

    return np.array([number() for _ in range(math.prod(shape))], dtype).reshape(shape)


def is_spoiled(proof: Proof, before: Outcome, exact: Outcome) -> None:
    """Assert that what spoils the original does."""
    if proof.loses_digits:
        assert is_off(before[0], exact[0]), "the input does not cost digits"
    elif proof.bad is not None:
        finite = all(np.isfinite(part).all() for part in (before[0], *before[1]))
        assert not finite, "the input does not spoil the original"


def is_mended(proof: Proof, original: Outcome, before: Outcome, after: Outcome, exact: Outcome) -> None:
    """Assert that a style is the computation that it is a style of, and that what spoils that does not spoil it."""
    for part, other in zip((original[0], *original[1]), (before[0], *before[1]), strict=True):
        assert np.allclose(part, other, rtol=1e-5, equal_nan=True), "the style means something else"
    is_finite(proof, after)
    assert not (proof.loses_digits and is_off(after[0], exact[0])), (after[0], exact[0])


def keeps(proof: Proof, inputs: Sequence[Array], before: Outcome, after: Outcome, truth: Outcome) -> None:
    """Assert that shapes and dtypes are kept, and every finite number to rounding; and that all are finite now."""
    dtype = str(inputs[0].dtype)
    names = {"np": np, "tiny": np.finfo(dtype).tiny, "x": inputs[0].astype(float), "y": inputs[1].astype(float)}
    if proof.meant:
        meant = np.asarray(eval(proof.meant, names))
        agree(meant.astype(dtype), after[0], meant, dtype, proof.steps)
        return
    allowed = eval(proof.changes, names) if proof.changes else 0.0
    agree(before[0], after[0], truth[0], dtype, proof.steps, allowed)
    for old, new, true in zip(before[1], after[1], truth[1], strict=True):
        where = np.broadcast_to(allowed, old.shape) if np.shape(allowed) == old.shape else np.max(allowed, initial=0.0)
        agree(old, new, true, dtype, proof.steps, np.where(where > 0, np.inf, 0.0))
    # 1/x**2 overflows for a small x, in half precision for 0.001, and that is no fault of what mends it at 0
    ordinary = all(np.all((array == 0) | (np.abs(array) >= SMALL)) for array in inputs)
    if ordinary and dtype != "float16" and inputs[0].size:
        is_finite(proof, after)


def agree(before: Array, after: Array, truth: Array, dtype: str, steps: int, allowed: Array = 0.0) -> None:
    """Assert equality wherever the original is finite: to some steps of the dtype, or nearer to the truth than it.

    The truth is the original in float64: where the original has lost digits, what mends it is not bound to them. Of
    float64 there is no truth, and the digits that a subtraction loses are let go.
    """
    steps *= 2**12 if dtype == "float64" else 1
    assert before.shape == after.shape, (before.shape, after.shape)
    assert before.dtype == after.dtype, (before.dtype, after.dtype)
    finite = np.isfinite(before)
    old, new, true = (part.astype("float64")[finite] for part in (before, after, truth))
    rounding = steps * EPSILON[dtype] * np.maximum(1.0, np.abs(old))
    with np.errstate(invalid="ignore"):
        kept = np.abs(old - new) <= rounding + np.broadcast_to(allowed, before.shape)[finite]
        nearer = np.abs(new - true) <= np.abs(old - true)
    assert np.all(kept | nearer), f"before {before}, after {after}, in float64 {truth}"


def is_off(value: Array, exact: Array) -> bool:
    """Whether a number is off by more than a thousandth."""
    return bool(np.any(~(np.abs(value - exact) <= 1e-3 * np.abs(exact))))


def is_finite(proof: Proof, outcome: Outcome) -> None:
    """Assert that values and gradients are, but for what remains."""
    value, gradients = outcome
    assert "value" in proof.remains or np.isfinite(value).all(), f"value {value}"
    assert "slope" in proof.remains or all(np.isfinite(g).all() for g in gradients), f"gradients {gradients}"


@contextmanager
def explained(one: Mended, inputs: Sequence[Array]) -> Iterator[None]:
    """What fails inside says in which style, on what program and on which inputs."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{one.style}: {error}\n{one.after}\nx, y = {inputs}") from error


def summary(proven: Sequence[Proven]) -> str:
    """What has been proven, in a line."""
    rules, frameworks = {one.proof.code for one in proven}, {one.proof.framework for one in proven}
    styles = {(one.proof.code, one.proof.framework, style) for one in proven for style in one.styles}
    programs = sum(len(one.styles) for one in proven)
    return (
        f"{programs} programs prove {len(styles)} combinations of fix, framework and style: "
        f"fixes of {len(rules)} rules, {len(frameworks)} libraries, {len(STYLES)} styles"
    )


def table(proven: Sequence[Proven]) -> str:
    """Markdown: for each rule and library, in how many programs of how many styles its fix is proven."""
    libraries = list(ADAPTERS)
    lines = [f"| rule | {' | '.join(libraries)} |", f"| --- |{' --- |' * len(libraries)}"]
    for code in sorted({one.proof.code for one in proven}):
        cells = []
        for library in libraries:
            here = [one for one in proven if (one.proof.code, one.proof.framework) == (code, library)]
            styles = {style for one in here for style in one.styles}
            cells.append(f"{sum(len(one.styles) for one in here)} in {len(styles)}" if here else "")
        lines.append(f"| [{RULES[code].name}](rules/{RULES[code].name}.md) | {' | '.join(cells)} |")
    return "\n".join(lines)
