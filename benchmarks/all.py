"""Measures every figure of the documentation again and writes it into its page: ``python benchmarks/all.py``.

    python benchmarks/all.py [--only wheels speed …] [--list]

It takes some hours, and should run on a machine that does nothing else. Each section of figures begins with the date,
the commit and the machine; ``.ci/release.py check TAG`` fails if the code has changed since. Exits with 1 if a script
fails; the sections of the others are written all the same.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: the script of each section, with its options
SCRIPTS = {
    "wheels": ("wheels.py",),
    "speed": ("speed.py", "--peers"),
    "ablation": ("ablate.py", "tests/fixtures"),
    "latency": ("server.py",),
    "cluster": ("cluster.py", "--copies", "2"),
    "cost of torch": ("verify.py", "torch"),
    "cost of tensorflow": ("verify.py", "tensorflow"),
    "cost of jax": ("verify.py", "jax"),
    "cost of numpy": ("verify.py", "numpy"),
    "origins": ("origins.py",),
    "levels": ("levels.py", *(f"benchmarks/labels/findings-draw-{number}.json" for number in (1, 2, 3))),
}


def main() -> None:
    """Run the scripts one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, metavar="SECTION", help="measure only these sections")
    parser.add_argument("--list", action="store_true", help="print the commands, and run nothing")
    options = parser.parse_args()
    failed = []
    for section in options.only or SCRIPTS:
        script, *arguments = SCRIPTS[section]
        command = [sys.executable, str(HERE / script), *arguments, "--write"]
        print("$", *command, flush=True)
        if not options.list and subprocess.run(command, check=False).returncode:
            failed.append(section)
    for section in failed:
        print(f"{section}: not measured, see above", file=sys.stderr)
    sys.exit(int(bool(failed)))


if __name__ == "__main__":
    main()
