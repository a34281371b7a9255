"""Programs of a few statements, drawn from all functions of the catalogue: with branches, masks, casts, edges of arrays.

A program is drawn from its number alone. A choice is the item with the least digest, so that a function more or less
in the catalogue changes few programs, and few of the recordings of what they give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from keyword import iskeyword
from typing import TypeVar

import numpy as np

from nanlint.ops.floats import FLOAT32, FLOAT64
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from tests.ops import truth
from tests.ops.calling import FILLERS, Array
from tests.ops.soundness import APART, CASES, INCOMPLETE, PARAMETERS, PLACES
from tests.ops.truth import spellings_of

T = TypeVar("T")

#: frameworks, and the packages whose functions work on their arrays
FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "torch": ("torch",),
    "tensorflow": ("tensorflow",),
    "jax": ("jax",),
    "numpy": ("numpy", "scipy"),
}
IMPORTS = {
    "torch": "import torch\n",
    "tensorflow": "import tensorflow\n",
    "jax": "import jax\n",
    "numpy": "import numpy\nimport scipy.special\nimport scipy.stats\n",
}
NUMBERS = (
    *("0", "0.0", "-0.0", "1", "1.0", "2", "2.0", "3", "0.5", "-0.5", "-1", "-1.0", "-2.0", "1e-3", "1e-6", "1e-8"),
    *("1e-12", "1e-38", "1e-45", "1e-50", "1e30", "-1e30", "1e39", "70000.0", "88.0", "100.0"),
)
EXPONENTS = ("-2", "-1", "-1.0", "-0.5", "0", "0.5", "1", "1.5", "2", "3", "4", "-3")
#: how each framework writes what is not a function of the catalogue, or wants other arguments than arrays
FORMS: Mapping[str, tuple[str, ...]] = {
    "torch": (
        *("{x}[:1]", "{x}[:, :0]", "{x}[:, :1]", "{x}[{x} > 0]", "{x}[{x} == 0]", "{x}[~torch.isnan({x})]", "{x}[0]"),
        *("{x}[:, :0].sum(-1)", "{x}[:, :1].std(-1)", "{x}[:, :1].std(-1, unbiased=False)", "{x}[{x} > 2].mean()"),
        *("{x}[:1].std()", "{x}[:1].var()", "{x}[{x} < 0].sum()", "torch.outer({k}, {k})", "{x}[:, :0].prod(-1)"),
        *("torch.where({x} > {c}, {x}, {c})", "torch.where({x} != 0, {y}, {x})", "{x}.masked_fill({x} <= {c}, {c})"),
        *("torch.zeros(4, 3)", "torch.ones(4, 3)", "torch.full((4, 3), {c})", "torch.linspace({c}, {c}, 3)"),
        *("torch.arange(3)", "torch.arange(3.0)", "torch.tensor([{c}, {c}, {c}])", "torch.eye(3)", "torch.rand(4, 3)"),
        *("torch.randn(4, 3)", "torch.zeros_like({x})", "torch.ones_like({x})", "torch.full_like({x}, {c})"),
        *("torch.cat([{x}, {y}])", "torch.stack([{x}, {y}])", "({x} > {c}).float()", "({x} == 0).sum(-1)"),
        *("{x}.half()", "{x}.bfloat16()", "{x}.to(torch.float16)", "{x}.to(torch.bfloat16)", "{x}.double()"),
        *("{x}.float()", "{x}.long()", "{x}.int()", "{x} @ {y}.T", "torch.einsum('ij,ij->i', {x}, {y})"),
        *("torch.tensor({c}, dtype=torch.float16)", "torch.full((4, 3), {c}, dtype=torch.bfloat16)"),
        *("{x} / {x}.sum(-1, keepdim=True)", "{x} - {x}.max(-1, keepdim=True).values", "{x}.max(-1).values"),
        *("{x} / {x}.norm(dim=-1, keepdim=True)", "torch.minimum({x}, {y})", "{x}.pow({e})", "{x} ** {e}"),
        *("{x}.clamp(min={c})", "{x}.clamp(max={c})", "{x}.clamp({c}, {c})", "torch.reciprocal({n})", "1 / {n}"),
        *("torch.arange(3) // {n}", "{n} % 2", "{n} // 2", "torch.nn.functional.one_hot({n}.clamp(0), 9)"),
        *("torch.addcdiv({x}, {y}, {z})", "torch.addcmul({x}, {y}, {z}, value={c})", "torch.lerp({x}, {y}, {c})"),
        *("torch.bincount({n}.clamp(min=0).ravel())", "{x}.diagonal()", "torch.diff({x})", "{x}.reshape(-1)"),
        *("torch.nn.functional.pad({x}, (1, 1))", "{x}.tril()", "{x}.cumsum(-1)", "torch.rsqrt({x} + {c})"),
        *("torch.floor_divide({x}, {y})", "{x}.numel()", "{x}.shape[0]", "{x}.mean().item()", "torch.nansum({x})"),
    ),
    "tensorflow": (
        *("{x}[:1]", "{x}[:, :0]", "{x}[:, :1]", "{x}[{x} > 0]", "tensorflow.boolean_mask({x}, {x} > 0)", "{x}[0]"),
        *("tensorflow.reduce_sum({x}[:, :0], -1)", "tensorflow.math.reduce_std({x}[:, :1], -1)"),
        *("tensorflow.reduce_mean({x}[{x} > 2])", "tensorflow.reduce_sum({x}[{x} < 0])", "{x} / {x}"),
        *("tensorflow.where({x} > {c}, {x}, {f})", "tensorflow.where({x} != 0, {y}, {x})", "tensorflow.eye(3)"),
        *("tensorflow.zeros((4, 3))", "tensorflow.ones((4, 3))", "tensorflow.fill((4, 3), {f})"),
        *("tensorflow.linspace({f}, {f}, 3)", "tensorflow.range(3)", "tensorflow.range(3.0)", "tensorflow.size({x})"),
        *("tensorflow.constant([{f}, {f}, {f}])", "tensorflow.random.uniform((4, 3))", "tensorflow.zeros_like({x})"),
        *("tensorflow.random.normal((4, 3))", "tensorflow.concat([{x}, {y}], 0)", "tensorflow.stack([{x}, {y}])"),
        *("tensorflow.cast({x} > {c}, tensorflow.float32)", "tensorflow.cast({x}, tensorflow.float16)"),
        *("tensorflow.cast({x}, tensorflow.bfloat16)", "tensorflow.cast({x}, tensorflow.float64)"),
        *("tensorflow.cast({x}, tensorflow.int32)", "tensorflow.cast({x}, tensorflow.float32)"),
        *("tensorflow.constant({f}, dtype=tensorflow.float16)", "tensorflow.constant({f}, tensorflow.bfloat16)"),
        *("{x} / tensorflow.reduce_sum({x}, -1, keepdims=True)", "{x} ** {e}", "tensorflow.pow({x}, {e})"),
        *("{x} - tensorflow.reduce_max({x}, -1, keepdims=True)", "tensorflow.maximum({x}, {c})", "1 / {n}"),
        *("tensorflow.minimum({x}, {c})", "tensorflow.clip_by_value({x}, {c}, {c})", "{n} // 2", "{n} % 2"),
        *("tensorflow.math.divide_no_nan({x}, {y})", "tensorflow.matmul({x}, {y}, transpose_b=True)"),
        *("tensorflow.einsum('ij,ij->i', {x}, {y})", "tensorflow.one_hot([0, 2], 3)", "tensorflow.shape({x})"),
        *("tensorflow.math.rsqrt({x} + {c})", "tensorflow.reshape({x}, [-1])", "tensorflow.pad({x}, [[1, 1], [0, 0]])"),
        *("tensorflow.reduce_max({x}[:, :0], -1)", "tensorflow.reduce_prod({x}[:, :0], -1)", "tensorflow.floor({x})"),
        *("tensorflow.math.segment_sum({x}, [0, 0, 2, 2])", "tensorflow.cumsum({x}, -1)", "1 / tensorflow.abs({x})"),
    ),
    "jax": (
        *("{x}[:1]", "{x}[:, :0]", "{x}[:, :1]", "{x}[{x} > 0]", "{x}[0]", "{x}[:, :0].sum(-1)", "{x}[:, :1].std(-1)"),
        *("{x}[:, :1].std(-1, ddof=1)", "{x}[{x} > 2].mean()", "{x}[{x} < 0].sum()", "jax.numpy.outer({k}, {k})"),
        *("jax.numpy.where({x} > {c}, {x}, {c})", "jax.numpy.where({x} != 0, {y}, {x})", "{x}[:, :0].prod(-1)"),
        *("jax.numpy.zeros((4, 3))", "jax.numpy.ones((4, 3))", "jax.numpy.full((4, 3), {c})", "jax.numpy.eye(3)"),
        *("jax.numpy.linspace({c}, {c}, 3)", "jax.numpy.arange(3)", "jax.numpy.arange(3.0)", "jax.numpy.diff({x})"),
        *("jax.numpy.array([{c}, {c}, {c}])", "jax.random.uniform(jax.random.key(0), (4, 3))", "{x}.size"),
        *("jax.random.normal(jax.random.key(0), (4, 3))", "jax.numpy.concatenate([{x}, {y}])", "{x}.shape[0]"),
        *("jax.numpy.stack([{x}, {y}])", "({x} > {c}).astype(jax.numpy.float32)", "({x} == 0).sum(-1)"),
        *("{x}.astype(jax.numpy.float16)", "{x}.astype(jax.numpy.bfloat16)", "{x}.astype(jax.numpy.float32)"),
        *("{x}.astype(jax.numpy.int32)", "jax.numpy.array({c}, dtype=jax.numpy.float16)", "{x} ** {e}"),
        *("jax.numpy.full((4, 3), {c}, dtype=jax.numpy.bfloat16)", "{x} / {x}.sum(-1, keepdims=True)"),
        *("{x} - {x}.max(-1, keepdims=True)", "{x} / jax.numpy.linalg.norm({x}, axis=-1, keepdims=True)"),
        *("jax.numpy.power({x}, {e})", "jax.numpy.clip({x}, {c}, {c})", "jax.numpy.maximum({x}, {c})", "1 / {n}"),
        *("jax.numpy.minimum({x}, {c})", "jax.numpy.reciprocal({n})", "{n} // 2", "{n} % 2", "jax.numpy.tril({x})"),
        *(
            "{x} @ {y}.T",
            "jax.numpy.einsum('ij,ij->i', {x}, {y})",
            "jax.nn.one_hot({n}, 3)",
            "jax.lax.rsqrt({x} + {c})",
        ),
        *("{x}.at[0].set({c})", "{x}.at[0].add({c})", "{x}.reshape(-1)", "jax.numpy.pad({x}, 1)", "{x}.cumsum(-1)"),
        *("jax.numpy.floor_divide({x}, {y})", "jax.numpy.nansum({x})", "jax.numpy.diagonal({x})", "{x}.mean().item()"),
        *("jax.ops.segment_sum({x}, jax.numpy.array([0, 0, 2, 2]), 3)", "jax.numpy.bincount({n}.clip(0).ravel())"),
    ),
    "numpy": (
        *("{x}[:1]", "{x}[:, :0]", "{x}[:, :1]", "{x}[{x} > 0]", "{x}[0]", "{x}[:, :0].sum(-1)", "{x}[:, :1].std(-1)"),
        *("{x}[:, :1].std(-1, ddof=1)", "{x}[{x} > 2].mean()", "{x}[{x} < 0].sum()", "numpy.outer({k}, {k})"),
        *("numpy.where({x} > {c}, {x}, {c})", "numpy.where({x} != 0, {y}, {x})", "{x}[:, :0].prod(-1)", "{x}.size"),
        *("numpy.zeros((4, 3))", "numpy.ones((4, 3))", "numpy.full((4, 3), {c})", "numpy.eye(3)", "numpy.diff({x})"),
        *("numpy.linspace({c}, {c}, 3)", "numpy.arange(3)", "numpy.arange(3.0)", "numpy.array([{c}, {c}, {c}])"),
        *("numpy.random.rand(4, 3)", "numpy.random.randn(4, 3)", "numpy.concatenate([{x}, {y}])", "{x}.shape[0]"),
        *("numpy.stack([{x}, {y}])", "({x} > {c}).astype(numpy.float32)", "({x} == 0).sum(-1)", "{x} ** {e}"),
        *("{x}.astype(numpy.float16)", "{x}.astype(numpy.float64)", "{x}.astype(numpy.float32)", "{x}.astype(int)"),
        *("numpy.array({c}, dtype=numpy.float16)", "numpy.full((4, 3), {c}, dtype=numpy.float16)", "{x} @ {y}.T"),
        *("{x} / {x}.sum(-1, keepdims=True)", "{x} - {x}.max(-1, keepdims=True)", "numpy.power({x}, {e})", "1 / {n}"),
        *("{x} / numpy.linalg.norm({x}, axis=-1, keepdims=True)", "numpy.clip({x}, {c}, {c})", "numpy.tril({x})"),
        *("numpy.maximum({x}, {c})", "numpy.minimum({x}, {c})", "numpy.reciprocal({n})", "{n} // 2", "{n} % 2"),
        *("numpy.einsum('ij,ij->i', {x}, {y})", "{x}.reshape(-1)", "numpy.pad({x}, 1)", "{x}.cumsum(-1)"),
        *("numpy.floor_divide({x}, {y})", "numpy.nansum({x})", "numpy.diagonal({x})", "{x}.mean().item()"),
        *("numpy.bincount({n}.clip(0).ravel())", "numpy.float16({c})", "numpy.float32({c}) * {x}", "{n} / {m}"),
        *("scipy.special.xlogy({x}, {y})", "scipy.special.logsumexp({x}, axis=-1)", "numpy.ptp({x}, axis=-1)"),
    ),
}
#: arithmetic of all frameworks
OPERATORS = (
    *("{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / {y}", "{x} // {y}", "{x} % {y}", "-{x}", "abs({x})"),
    *("{x} + {c}", "{x} - {c}", "{c} - {x}", "{x} * {c}", "{x} / {c}", "{c} / {x}", "{x} // {c}", "{c} // {x}"),
    *("{x} ** {e}", "1 / {x}", "1.0 / {x}", "{x} * {x}", "{x} % {c}", "1 / (-{x})", "1 / abs({x})", "{x} - {x}"),
)
IN_PLACE = ("+=", "-=", "*=", "/=")
STORES = ("{v}[{v} > {c}] = {c}", "{v}[{v} <= 0] = {c}", "{v}[0] = {c}", "{v}[{v} != {v}] = {c}")
CONDITIONS = (
    *("{x}.min() > {c}", "{x}.max() < {c}", "{x}.min() >= 0", "({x} > 0).all()", "({x} != 0).all()", "{s} > {c}"),
    *("{s} == 0", "{s} != 0", "{s} <= {c}", "{s} >= 1", "not {s} > {c}"),
)


@dataclass
class Draw:
    """Choices of one program, one after the other."""

    seed: str
    asked: int = field(default=0)

    def __call__(self, items: Sequence[T]) -> T:
        self.asked += 1
        return min(items, key=lambda item: blake2b(f"{self.seed} {self.asked} {item}".encode(), digest_size=8).digest())

    def one_in(self, n: int) -> bool:
        return self(range(n)) == 0


@cache
def functions(framework: str) -> Mapping[str, list[Spelling]]:
    """The functions of a framework that are drawn, by op."""
    found: dict[str, list[Spelling]] = {}
    for op in sorted({op for op, root in truth.by_op_and_root() if root in FRAMEWORKS[framework]}):
        if OPS[op].view or op in ("table", "unknown", "stop_gradient"):
            continue
        spelled = [s for root in FRAMEWORKS[framework] for s in spellings_of(op, root) if s.operands]
        if spelled := [s for s in spelled if s.name not in INCOMPLETE and APART.get(s.name, "")[:5] != "takes"]:
            found[op] = sorted(spelled, key=str)
    return found


def call(s: Spelling, draw: Draw, array: Callable[[], str]) -> str:
    """The text of a call."""
    given: dict[str, str] = {}
    applied: list[str] = []
    cases = draw(CASES.get(s.op, [{}]))
    for operand, param in s.operands.items():
        if param.startswith("$"):
            applied.append(f"{param[1:]}={array()}" if param[1:] else array())
        elif operand == "axis":
            given[param] = "-1"
        elif operand in PARAMETERS:
            if operand in cases or draw.one_in(2):
                given[param] = str(cases.get(operand, draw(NUMBERS)))
        elif operand == "ord":
            given[param] = draw(("1", "2"))
        elif operand == "ddof":
            given[param] = draw(("0", "1"))
        elif operand not in PLACES and not param.startswith("*") and operand not in ("dtype", "rate", "fill", "scalar"):
            number = operand in ("b", "y") and draw.one_in(4)
            given[param] = draw(EXPONENTS if operand == "y" else NUMBERS) if number else array()
    if kept := [p for p in s.params if p in ("keepdim", "keepdims")]:
        if "axis" in s.operands and draw.one_in(2):
            given[kept[0]] = "True"
    args: list[str] = []
    keywords = dict(given)
    shaped = s.name.startswith(("scipy.stats.", "jax.scipy.stats."))
    for param in s.params:
        if param in keywords:
            args.append(keywords.pop(param))
        elif keywords and param in FILLERS or (shaped and param in FILLERS):
            args.append(str(FILLERS[param]))
        else:
            break
    inside = [*args, *(f"{param}={text}" for param, text in keywords.items())]
    if s.is_method:
        if not inside or not inside[0].startswith("v"):
            inside[:1] = [array()]
        return f"{inside[0]}.{s.name.rpartition('.')[2]}({', '.join(inside[1:])})"
    made = f"{s.name}({', '.join(inside)})"
    return f"{made}({', '.join(applied)})" if s.layer else made


def program(framework: str, number: int) -> str:
    """The text of a program: its inputs are two arrays of 4 x 3, one of 3, one of whole numbers; its last is the loss."""
    draw = Draw(f"{framework} {number}")
    arrays = ["v0", "v1", "v2", "v3"]
    lines = [IMPORTS[framework] + "v0, v1, v2, v3 = load()"]
    table = functions(framework)

    def array() -> str:
        return draw(arrays[-3:]) if draw.one_in(2) else draw(arrays)

    def filled(form: str) -> str:
        while "{" in form:
            before, _, after = form.partition("{")
            name, _, rest = after.partition("}")
            pool = {"c": NUMBERS, "e": EXPONENTS, "n": ("v3", "(v3 + 1)"), "m": ("v3", "3"), "k": ("v2", "v2.exp()")}
            if name == "f":
                text = str(float(draw(NUMBERS)))
            elif name in "xyzv":
                # the same where it is written twice
                text = array()
                rest = rest.replace("{" + name + "}", text)
            elif name == "s":
                text = f"{array()}.{draw(('sum', 'max', 'min', 'mean'))}()"
            else:
                text = draw(pool[name])
            form = before + text + rest
        return form

    def expression() -> str:
        sort = draw(range(8))
        if sort < 4:
            return call(draw(table[draw([*table])]), draw, array)
        return filled(draw(OPERATORS if sort == 4 else FORMS[framework]))

    def assignment(indent: str) -> str:
        name = f"v{len(arrays)}"
        line = f"{indent}{name} = {expression()}"
        arrays.append(name)
        return line

    for _ in range(draw(range(3, 9))):
        sort = draw(range(12))
        if sort == 0 and framework != "tensorflow":
            lines += [f"if {filled(draw(CONDITIONS))}:", *(assignment("    ") for _ in range(draw(range(1, 4))))]
            joined = f"v{len(arrays)}"
            lines += [f"    {joined} = {expression()}", "else:", f"    {joined} = {expression()}"]
            arrays.append(joined)
        elif sort == 1 and framework in ("torch", "numpy"):
            stores = STORES if draw.one_in(2) else [f"{{v}} {op} {{{x}}}" for op in IN_PLACE for x in "cx"]
            lines.append(filled(draw(stores)).replace("{v}", array()))
        else:
            lines.append(assignment(""))
    lines.append(f"loss = {filled(draw(('{x}', '{x} * 1.0', '{x} + {y}')))}")
    return "\n".join(lines) + "\n"


# ── inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

EDGES = (
    *(0.0, -0.0, FLOAT32.denormal, -FLOAT32.denormal, FLOAT32.tiny, -FLOAT32.tiny, 1e-20, -1e-20, 1e-8, -1e-8, 1e-4),
    *(
        0.1,
        -0.1,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.0 + FLOAT32.eps,
        1.0 - FLOAT32.eps / 2,
        2.0,
        -2.0,
        3.0,
        -3.0,
        6.0,
        20.0,
        -20.0,
    ),
    *(89.0, -89.0, 104.0, -104.0, 7e4, -7e4, 1e10, -1e10, 1e20, -1e20, 3e38, -3e38, FLOAT32.max, -FLOAT32.max),
    *(math.inf, -math.inf, math.nan),
)
PROFILES: Sequence[Sequence[float]] = (
    EDGES,
    EDGES,
    [x for x in EDGES if x == 0 or 1e-9 < abs(x) < 100],
    [x for x in EDGES if 0 < x < math.inf],
    [x for x in EDGES if 0 < x < 100],
    [x for x in EDGES if -math.inf < x <= 0],
    (0.0,),
    (-0.0,),
    (0.0, -0.0, math.nan),
    (2.0,),
    [x for x in EDGES if abs(x) > 1e9],
)
#: what in float64 are the edges of float32
WIDE = {
    sign * getattr(FLOAT32, edge): sign * getattr(FLOAT64, edge)
    for edge in ("denormal", "tiny", "max")
    for sign in (1.0, -1.0)
}
MODERATE = (0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, 0.1)
INTEGERS = (0, 0, 1, 2, 3, -1, -2, 7, 100)


@cache
def inputs(framework: str) -> tuple[list[list[Array]], list[Array]]:
    """The arrays that programs are run with, and those at which the gradient is taken; the same for all programs.

    They have the format that the analysis takes for granted: NumPy's float64, else float32.
    """
    random = np.random.default_rng(0)
    kind = np.float64 if framework == "numpy" else np.float32

    def run(pool: Sequence[float]) -> list[Array]:
        if framework == "numpy":
            pool = [WIDE.get(x, x) for x in pool]
        made = [random.choice(np.array(pool, kind), shape) for shape in ((4, 3), (4, 3), (3,))]
        return [*made, random.choice(np.array(INTEGERS, np.int32), (4, 3))]

    return [run(pool) for pool in PROFILES], run(MODERATE)
