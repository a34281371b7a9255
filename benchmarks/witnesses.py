"""How many findings get an input that fails, executed in their framework; and what that costs.

    python benchmarks/witnesses.py [--confidence LEVEL] [--misses] [PATH...]

Without paths: the examples, and the programs under tests/fixtures that go wrong. Rules that are not about numbers
(lost gradients, losses, data) are left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nanlint.config import CONFIDENCES, Configs, Options  # noqa: E402
from nanlint.diagnostic import Diagnostic  # noqa: E402
from nanlint.lint.known_rules import ops_problem, rule_names  # noqa: E402
from nanlint.lint.many_files import check  # noqa: E402
from nanlint.lint.proving import proved  # noqa: E402
from nanlint.proof.pool import Pool  # noqa: E402
from nanlint.rules.registry import OF_NUMBERS  # noqa: E402

#: rules about what a comparison gives: true or false, never nan
OF_CONDITIONS = ("NL505",)


def found_in(paths: list[str], level: str) -> list[Diagnostic]:
    """The findings of at least a level that are about numbers."""
    report = check(paths, Configs(rule_names(), Options.of(confidence=level).over, ops_problem=ops_problem))
    return [one for one in report.diagnostics if one.code.startswith(OF_NUMBERS) and one.code not in OF_CONDITIONS]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--confidence", choices=CONFIDENCES, default="certain")
    parser.add_argument("--misses", action="store_true", help="list findings without an executed witness")
    parser.add_argument("--all", action="store_true", help="list every finding with its witness")
    parser.add_argument("paths", nargs="*")
    given = parser.parse_args()
    bad = sorted(str(path) for path in (ROOT / "tests" / "fixtures").rglob("bad_*.py"))
    before = found_in(given.paths or [str(ROOT / "examples"), *bad], given.confidence)
    started = time.perf_counter()
    with Pool() as pool:
        after = proved(pool, before, 5.0)
    seconds = time.perf_counter() - started
    total, ranges, executed = Counter[str](), Counter[str](), Counter[str]()
    for one, proof in zip(before, after, strict=True):
        total[one.code] += 1
        ranges[one.code] += one.witness is not None
        executed[one.code] += proof.witness is not None and proof.witness.executed
        missing = proof.witness is None or not proof.witness.executed
        if given.all or (given.misses and missing):
            text = proof.witness.text if proof.witness is not None else "no witness"
            print(f"{one.path}:{one.span.row}: {one.code} {one.confidence} -> {proof.confidence}: {text}")
    print(f"{'rule':<8}{'findings':>10}{'by ranges':>11}{'executed':>10}")
    for code in sorted(total):
        print(f"{code:<8}{total[code]:>10}{ranges[code]:>11}{executed[code]:>10}")
    n = max(total.total(), 1)
    print(f"{'all':<8}{total.total():>10}{ranges.total() / n:>11.1%}{executed.total() / n:>10.1%}")
    print(f"{seconds:.1f} s, frameworks' start included: {seconds / n * 1e3:.0f} ms a finding")


if __name__ == "__main__":
    main()
