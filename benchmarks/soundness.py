"""The catalogue against the frameworks: the table of `docs/soundness.md`, computed anew.

    python benchmarks/soundness.py            print the table of packages and formats
    python benchmarks/soundness.py --write    and write the page

What is tried and what counts as a violation is in `tests/ops/soundness.py`; the tests ask the same questions. What the
frameworks give is on record (`tests/recording.py`), or executed.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nanlint.ops.floats import FORMATS  # noqa: E402
from nanlint.ops.op import OPS  # noqa: E402
from tests.ops import soundness, truth  # noqa: E402
from tests.ops.soundness import ROOTS, Tally, covered, measure, pairs  # noqa: E402
from tests.recording import installed_version  # noqa: E402

PAGE = ROOT / "docs" / "soundness.md"
Results = dict[str, dict[str, Tally]]

ABOUT = """# Soundness

nanlint predicts the results of functions with a *transfer function* for each operation (op), from a range or a single
number for each argument. This page compares the predictions with the frameworks. Every function of the ops below runs
in its framework, on special values: both zeros, the smallest subnormal and normal numbers, 1 and its neighbors,
small and large numbers, the square root of the largest number, the largest number, the infinities and nan; both signs
of each, all pairs of them for two arguments, and all rows of three for functions along an axis. The predictions are
for {ranges} ranges and for single numbers. Gradients, in the frameworks that have them, are those of the sum of the
result.

- A **violation** is a value outside of the prediction, or a gradient that is not finite although the value is finite
  and the arguments are at no pole of the op (a point where its value or derivative breaks) in that framework. Points
  with a number beyond the fourth root of the format's range, or a result beyond its square root, are left out: there,
  derivatives overflow that are finite in the real numbers.
- A **pole** is confirmed if every function breaks at every point of the pole. A function that does not break is an
  error.
- **Width** compares the prediction with reality: the count of special numbers (including infinities and nan) that the
  prediction allows, divided by the count between the smallest and the largest observed value, summed over all ranges
  and numbers. 1 is exact.
- **Exempt** functions have gradients that break at points that no class of numbers describes; the end of this page
  lists them.

`python benchmarks/soundness.py --write` computes this page from the [recorded](testing.md#recordings) results of the
frameworks; `tests/ops/test_soundness.py` fails on the first violation. Functions ran one op at a time, on a CPU.
{environment}
"""


def versions() -> str:
    """The frameworks that gave the answers, with their versions."""
    names = ("torch", "tensorflow-cpu", "keras", "jax", "optax", "numpy", "scipy")
    found = [f"{name} {release}" for name in names if (release := installed_version(name)) is not None]
    return f"Python {platform.python_version()}, {', '.join(found)}."


def all_results() -> dict[str, Results]:
    """Every op of every package."""
    return {root: {op: measure(op, r) for op, r in pairs() if r == root} for root in ROOTS}


def width(tallies: list[Tally]) -> str:
    """Prediction over reality."""
    seen = sum(t.seen for t in tallies)
    return f"{sum(t.predicted for t in tallies) / seen:.1f}" if seen else "–"


def row(*cells: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(c) for c in cells) + " |"


def summary(found: dict[str, Results]) -> Iterator[str]:
    """The table of packages and formats."""
    yield row("package", "format", "ops", "functions", "points", "gradients", "poles confirmed", "width", "violations")
    yield row(*["---"] * 2, *["---:"] * 7)
    total: list[Tally] = []
    functions = set()
    for root, ops in found.items():
        for name in FORMATS:
            tallies = [by_format[name] for by_format in ops.values() if name in by_format]
            if not tallies:
                continue
            total += tallies
            functions |= {s for t in tallies for s in t.spellings}
            yield row(root, name, len(tallies), sum(len(t.spellings) for t in tallies), *sums(tallies))
    yield row(
        "all", "", len({op for ops in found.values() for op, t in ops.items() if t}), len(functions), *sums(total)
    )


def sums(tallies: list[Tally]) -> Iterator[object]:
    """Points, gradients, poles, width, violations."""
    yield f"{sum(t.points for t in tallies):,}"
    yield f"{sum(t.gradients for t in tallies):,}"
    yield sum(len(t.poles) for t in tallies)
    yield width(tallies)
    yield sum(len(t.violations) + len(t.intact) for t in tallies)


def package(root: str, ops: Results) -> Iterator[str]:
    """The table of one package: an op a row, a format a column of points."""
    yield f"\n## {root}\n"
    yield row("op", "spellings", "run", "with gradient", *FORMATS, "poles", "width", "violations")
    yield row("---", *["---:"] * 10)
    for op in sorted(ops):
        tallies = ops[op]
        run = {s for t in tallies.values() for s in t.spellings}
        slopes = {s for t in tallies.values() for s in t.differentiated}
        points = [f"{tallies[name].points:,}" if name in tallies else "" for name in FORMATS]
        poles = {p for t in tallies.values() for p in t.poles}
        told = list(tallies.values())
        wrong = sum(len(t.violations) + len(t.intact) for t in told)
        spelled = len(truth.spellings_of(op, root))
        yield row(op, spelled, len(run), len(slopes), *points, len(poles), width(told), wrong)


def ending(found: dict[str, Results]) -> Iterator[str]:
    """What is exempt, and what is not run this way."""
    yield "\n## Exempt\n"
    exempt = sorted({s for ops in found.values() for t in ops.values() for tally in t.values() for s in tally.defects})
    yield "The gradients of these functions are not finite at some points where their values are:\n"
    yield from (f"- `{name}`: {soundness.defect(name)}" for name in exempt)
    yield "\nThese functions differ a little from their op, or need arguments that are not tried here:\n"
    yield from (f"- `{name}`: {why}" for name, why in sorted(soundness.APART.items()))
    yield "\n## Not run here\n"
    rest = [op for op in sorted(OPS) if op not in covered() and any(truth.spellings_of(op, root) for root in ROOTS)]
    yield "Operations that create, draw, select or view arrays, or need other arguments, have separate tests:"
    yield ", ".join(rest) + "."


def page(found: dict[str, Results]) -> str:
    """The text of `docs/soundness.md`."""
    from nanlint.ops.floats import FLOAT32

    about = ABOUT.format(ranges=len(truth.ranges(FLOAT32)), environment=versions())
    lines = [about, *summary(found)]
    for root, ops in found.items():
        lines += package(root, ops)
    return "\n".join([*lines, *ending(found)]) + "\n"


def main() -> int:
    """Measure, print the summary, and write the page if asked to. 1 if anything is violated."""
    found = all_results()
    print("\n".join(summary(found)))
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(found))
    wrong = [
        v
        for ops in found.values()
        for t in ops.values()
        for tally in t.values()
        for v in (*tally.violations, *tally.intact)
    ]
    print(*wrong[:20], sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
