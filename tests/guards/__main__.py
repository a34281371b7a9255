"""How many guards are respected, by kind and in all: ``python -m tests.guards``."""

from __future__ import annotations

from collections import Counter

from tests.guards.twins import all_twins


def main() -> None:
    """Print a line for each kind of guard, and one for all."""
    written, respected = Counter[str](), Counter[str]()
    for twins in all_twins():
        written[twins.kind] += 1
        respected[twins.kind] += twins.respected and twins.needed
    for kind, total in sorted(written.items()):
        print(f"{respected[kind]:4}/{total:<4} {kind.replace('_', ' ')}")
    total = written.total()
    print(
        f"{respected.total():4}/{total:<4} guards respected, of {len(written)} kinds ({respected.total() / total:.0%})"
    )


if __name__ == "__main__":
    main()
