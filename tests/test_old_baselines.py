"""A baseline that an earlier state of nanlint wrote, of the examples and the fixtures, knows what is found now."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

from click.testing import CliRunner

from nanlint.cli import cli
from tests.sampling import sample

ROOT = Path(__file__).parents[1]
#: written by ``nanlint check --isolated --write-baseline`` in the root; only what has left the project may go
KNOWN = json.loads((ROOT / "tests" / "baseline.json").read_text(encoding="utf-8"))


def test_what_was_known_has_the_same_fingerprints() -> None:
    """Levels may change, and findings with them; the fingerprint of one that is still there may not."""
    there = [name for name in KNOWN["files"] if (ROOT / name).is_file()]
    drawn = sample(there, 4, "baseline")
    options = ("--isolated", "--exit-zero", "--quiet", "--output-format", "json")
    done = CliRunner().invoke(cli, ["check", *options, *(str(ROOT / name) for name in drawn)])
    now: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in json.loads(done.stdout):
        now[Path(one["filename"]).relative_to(ROOT).as_posix(), one["code"]][one["fingerprint"]] += 1
    known = total = 0
    for (name, code), prints in now.items():
        before = Counter(KNOWN["files"][name].get(code, ()))
        total += prints.total()
        known += (prints & before).total()
        if prints.total() <= before.total():
            assert prints <= before, (name, code)
    assert known > 0.9 * total > 0
