"""Whether `nanlint verify` ends with 1 where what is kept, printed or written is not finite, though no loss is.

    python benchmarks/verify_kept.py [--watch WATCH]... [NAME...]

Each of ``programs/kept`` runs twice under each watch: with ``bad``, where a nan or inf is computed and kept where no
loss sees it, and with ``right``, its twin, in which masks, ``best = inf`` and missing values are as the program wrote
them. Printed are those that ended with the wrong code.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.runtime.running import verify

PROGRAMS = Path(__file__).with_name("programs") / "kept"
WATCHES = ("sites", "all", "sentinel")


def ended(program: Path, how: str, watch: str) -> tuple[int, str]:
    """The exit code of a run, and the first words of its report."""
    with tempfile.TemporaryDirectory() as directory:
        ran = verify(str(program), how, cwd=Path(directory), options=("--watch", watch))
        return ran.code, "" if ran.report is None else ran.report["first"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of programs, all by default")
    parser.add_argument("--watch", action="append", choices=WATCHES, help="all three by default")
    asked = parser.parse_args()
    programs = [one for one in sorted(PROGRAMS.glob("*.py")) if not asked.names or one.stem in asked.names]
    for watch in asked.watch or WATCHES:
        missed, wrong = [], []
        for program in programs:
            for how, expected, found in (("bad", 1, missed), ("right", 0, wrong)):
                code, first = ended(program, how, watch)
                if code != expected:
                    found.append(program.stem)
                    print(
                        f"{watch:9} {program.stem} {how}: exit {code}; {first.splitlines()[0] if first else ''}",
                        flush=True,
                    )
        print(f"{watch}: of {len(programs)} missed {len(missed)}, of their twins called bad {len(wrong)}", flush=True)
