"""Draws sentences that users read, for people who have not seen them: which are not understood at first reading?

    python benchmarks/sentences.py [--seed N] [--count N] [--every N]

From findings of the fixtures and their fixes, explanations, pages of rules, help, keys. ``--every``
takes every so many programs of the fixtures.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import nanlint  # noqa: E402
from nanlint.cli import cli  # noqa: E402
from nanlint.config import Layer, config_of  # noqa: E402
from nanlint.explaining import explain  # noqa: E402
from nanlint.keys import KEYS  # noqa: E402
from nanlint.lint.known_rules import all_rules, rule_names  # noqa: E402
from nanlint.output.explanation import render_explanations  # noqa: E402
from nanlint.source import Source  # noqa: E402
from tests.programs.fixtures import PROGRAMS  # noqa: E402

END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")


def of_findings(every: int) -> Iterator[tuple[str, str]]:
    config = config_of([Layer({}, "/", "draw")], rule_names())
    for program in [one for one in PROGRAMS if one.is_bad][::every]:
        for found in nanlint.check_source(program.text, confidence="possible"):
            yield "message", found.message
            yield "effect", found.effect
            yield from (("cause", cause.message) for cause in found.causes)
            if found.fix is not None:
                yield found.fix.title, found.fix.message
        for row, _ in program.marked():
            text = render_explanations(explain(Source(program.path.name, program.text), config, row), "x.py")
            yield from (("explain", line.strip()) for line in text.splitlines() if line.startswith("  "))


def of_pages() -> Iterator[tuple[str, str]]:
    for rule in all_rules().values():
        prose = re.sub(r"```.*?```", "", rule.page, flags=re.DOTALL)
        lines = [line for part in prose.split("\n\n") for line in END.split(" ".join(part.split()))]
        yield from (("page", line) for line in lines if line and not line.startswith("#"))
    yield from (("key", sentence) for key in KEYS.values() for sentence in END.split(key.about))
    assert isinstance(cli, click.Group)
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield from (("help", sentence) for sentence in END.split(" ".join((command.help or "").split())))
        helps = [one.help for one in command.params if isinstance(one, click.Option) and one.help]
        yield from (("help", text) for text in helps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    known = sorted({(kind, text) for kind, text in (*of_findings(options.every), *of_pages()) if text})
    drawn = random.Random(options.seed).sample(known, min(options.count, len(known)))
    for kind, text in sorted(drawn):
        print(f"{kind}: {text}")
    print(f"{len(drawn)} of {len(known)}")


if __name__ == "__main__":
    main()
