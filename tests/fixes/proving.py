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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import nanlint
from nanlint.diagnostic import Applicability
from nanlint.rules import RULES
from tests.fixes.styles import STYLES, styled

Array = Any
Outcome = tuple[Array, list[Array]]
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
    and y in NumPy, such as ``np.where(x > 1e-7, 0, np.inf)``. Gradients are compared where it is 0.
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


QUICK = settings(deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))

Function = Callable[..., Any]
Adapter = Callable[[Function, Sequence[Array]], Outcome]


@dataclass(frozen=True)
class Mended:
    """A style of a proof whose fix applies: both programs, and their functions."""

    style: str
    before: str
    after: str

    @cached_property
    def original(self) -> Function:
        return function(self.before)

    @cached_property
    def mended(self) -> Function:
        return function(self.after)


def function(program: str) -> Function:
    """The f that a program defines."""
    names: dict[str, Any] = {}
    exec(compile(program, "<program>", "exec"), names)
    return names["f"]  # type: ignore[no-any-return]


def repaired(code: str, text: str) -> Function:
    """The f that a program defines after the fixes of a rule, which leave none of its findings."""
    outcome = nanlint.fix_source(text, unsafe_fixes=True, select=[code], confidence="possible")
    assert outcome.fixed
    assert not outcome.remaining, outcome.source.text
    return function(outcome.source.text)


def mended(proof: Proof) -> tuple[list[Mended], list[str]]:
    """The styles in which the fix applies, and the names of those in which it does not.

    What is mended is silent, and stays as it is when it is mended again.
    """
    applies: list[Mended] = []
    others: list[str] = []
    for name, program in styled(proof.framework, proof.body):
        outcome = nanlint.fix_source(program, unsafe_fixes=proof.unsafe, select=[proof.code], confidence="possible")
        assert not outcome.notes, outcome.notes
        if not outcome.fixed:
            others.append(name)
            continue
        after = outcome.source.text
        ast.parse(after)
        assert not outcome.remaining, f"{name}: the finding is still there\n{after}"
        again = nanlint.fix_source(after, unsafe_fixes=proof.unsafe, select=[proof.code], confidence="possible")
        assert again.source.text == after, f"{name}: mended again it changes\n{after}"
        wanted = Applicability.UNSAFE if proof.unsafe else Applicability.SAFE
        assert all(one.fix is not None and one.fix.applicability is wanted for one in outcome.fixed), name
        applies.append(Mended(name, program, after))
    return applies, others


@dataclass(frozen=True)
class Proven:
    """A proof that holds, in which styles, and in which others there is no fix, or one that is only shown."""

    proof: Proof
    styles: tuple[str, ...]
    others: tuple[str, ...]


def prove(proof: Proof, chance: int = 0, examples: int = 2) -> Proven:
    """The styles that hold, and those without a fix. Raises AssertionError where a claim does not hold.

    ``chance``: another number tries other inputs, ``examples`` so many of each case.
    """
    applies, others = mended(proof)
    assert applies, f"nothing is mended in: {proof.body}"
    assert applies[0].style == "function", "the fix does not apply as the proof is written"
    run, original = ADAPTERS[proof.framework], applies[0].original
    proven = spoiled(proof, run, applies)
    for (x_shape, y_shape), dtype in proof.cases:

        @seed(crc32(f"{chance} {proof} {x_shape} {y_shape} {dtype}".encode()))
        @settings(QUICK, max_examples=examples)
        @given(arrays(proof.x, x_shape, dtype), arrays(proof.y, y_shape, dtype))
        def check(x: Array, y: Array) -> None:
            inputs = [x, y]
            before = attempted(run, original, inputs)
            if before is None:
                return
            truth = run(original, [x.astype("float64"), y.astype("float64")])
            # the first example is the simplest, zeros: all styles have been at the like of it
            for one in proven if x.any() or y.any() else proven[:1]:
                after = attempted(run, one.mended, inputs)
                # what works in place may raise where others do not, and has a dtype of its own
                own = attempted(run, one.original, inputs) if one.style == "augmented" or after is None else before
                if own is not None:
                    with explained(one, inputs):
                        keeps(proof, inputs, own, after or run(one.mended, inputs), truth)

        check()
    return Proven(proof, tuple(one.style for one in proven), tuple(others))


def attempted(run: Adapter, f: Function, inputs: Sequence[Array]) -> Outcome | None:
    """The outcome; None where the function raises: nothing is claimed of a fix there."""
    try:
        return run(f, inputs)
    except Exception:
        return None


def spoiled(proof: Proof, run: Adapter, applies: Sequence[Mended]) -> list[Mended]:
    """Those whose original is the same computation, which the bad input spoils. What is mended is finite on it."""
    inputs = [np.zeros((2, 3), proof.dtypes[0]), np.zeros((2, 3), proof.dtypes[0])]
    where = (...) if proof.everywhere else (0, 0)
    inputs[0][where], inputs[1][where] = proof.bad or 0.0, proof.bad_y
    before = run(applies[0].original, inputs)
    exact = run(applies[0].mended, [array.astype("float64") for array in inputs])[0]
    if proof.loses_digits:
        assert is_off(before[0], exact), "the input does not cost digits"
    elif proof.bad is not None:
        finite = all(np.isfinite(part).all() for part in (before[0], *before[1]))
        assert not finite, "the input does not spoil the original"
    found = []
    for one in applies:
        same = attempted(run, one.original, inputs)
        if same is None:
            # the framework does not take this style: an in-place operation on what the gradient needs
            continue
        with explained(one, inputs):
            for part, other in zip((before[0], *before[1]), (same[0], *same[1]), strict=True):
                assert np.allclose(part, other, rtol=1e-5, equal_nan=True), "the style means something else"
            after = run(one.mended, inputs)
            is_finite(proof, after)
            assert not (proof.loses_digits and is_off(after[0], exact)), (after[0], exact)
        found.append(one)
    return found


def keeps(proof: Proof, inputs: Sequence[Array], before: Outcome, after: Outcome, truth: Outcome) -> None:
    """Assert that shapes and dtypes are kept, and every finite number to rounding; and that all are finite now."""
    dtype, names = str(inputs[0].dtype), dict(zip("xy", (array.astype("float64") for array in inputs), strict=True))
    if proof.meant:
        meant = np.asarray(eval(proof.meant, {"np": np, **names}))
        agree(meant.astype(dtype), after[0], meant, dtype, proof.steps)
        return
    allowed = eval(proof.changes, {"np": np, **names}) if proof.changes else 0.0
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


def arrays(domain: Domain, shape: tuple[int, ...], dtype: str) -> st.SearchStrategy[Array]:
    """Arrays of a shape with numbers of a domain, the special ones among them more often than not."""
    low, high, special = domain
    width: Any = {"float16": 16, "float32": 32, "float64": 64}[dtype]
    floats = st.floats(low, high, width=width, allow_subnormal=False)
    size = math.prod(shape)
    numbers = st.lists(st.one_of(st.sampled_from(special), floats), min_size=size, max_size=size)
    return numbers.map(lambda drawn: np.array(drawn, dtype).reshape(shape))


def _torch(f: Function, inputs: Sequence[Array]) -> Outcome:
    import torch

    leaves = [torch.tensor(i, requires_grad=True) for i in inputs]
    value = f(*(leaf * 1 for leaf in leaves))
    gradients = torch.autograd.grad(value.sum(), leaves, allow_unused=True)
    zeros = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(gradients, leaves, strict=True)]
    return value.detach().numpy(), [g.numpy() for g in zeros]


def _tensorflow(f: Function, inputs: Sequence[Array]) -> Outcome:
    import tensorflow as tf

    leaves = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        for leaf in leaves:
            tape.watch(leaf)
        value = f(*leaves)
        if value is None:
            # a gradient that has lost its path
            value = leaves[0] * math.nan
    gradients = tape.gradient(value, leaves, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return value.numpy(), [tf.convert_to_tensor(g).numpy() for g in gradients]


def _jax(f: Function, inputs: Sequence[Array]) -> Outcome:
    """Differentiating is slow, and most styles are one program to JAX: each is differentiated once on an input."""
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(True):
        arguments = [jnp.asarray(i) for i in inputs]
        traced = jax.make_jaxpr(f)(*arguments)
        key = (str(traced), *(i.tobytes() for i in inputs))
        known = None if traced.consts else _DIFFERENTIATED.get(key)
        if known is None:
            value, pull = jax.vjp(f, *arguments)
            known = np.asarray(value), [np.asarray(g) for g in pull(jnp.ones_like(value))]
            _DIFFERENTIATED[key] = known
        return known


_DIFFERENTIATED: dict[tuple[str | bytes, ...], Outcome] = {}


def _numpy(f: Function, inputs: Sequence[Array]) -> Outcome:
    with np.errstate(all="ignore"):
        return np.asarray(f(*(i.copy() for i in inputs))), []


ADAPTERS: dict[str, Adapter] = {
    "torch": _torch,
    "tensorflow": _tensorflow,
    "keras": _tensorflow,
    "jax": _jax,
    "scipy": _numpy,
    "numpy": _numpy,
}


def summary(proven: Sequence[Proven]) -> str:
    """What has been proven, in a line."""
    rules, frameworks = {one.proof.code for one in proven}, {one.proof.framework for one in proven}
    styles = {(one.proof.code, one.proof.framework, style) for one in proven for style in one.styles}
    programs = sum(len(one.styles) for one in proven)
    return (
        f"{len(styles)} (fix, framework, style) proven, by {programs} programs: fixes of {len(rules)} rules, "
        f"{len(frameworks)} libraries, {len(STYLES)} styles"
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
