"""What each mechanism that decides brings: findings that go and come where it alone is switched off.

    python benchmarks/ablate.py SOURCE ... [--share 0.1] [--seed 0] [--only NAME ...] [--list] [--write]

A SOURCE is as for ``snapshot.py``, or ``guards`` for the programs of ``tests/guards`` and their twins. ``--share``
checks a part of the files of wheels and of labels, drawn by the seed; of folders all. Each file is lowered once and
looked at again for each mechanism that had something to say, in a process that has it switched off; what changes the
lowering is lowered again. Compared are findings by file, row, rule and level, as the rules give them: without fixes,
comments that silence them, and what executing them shows. A function is switched off by what it answers where it has
nothing to say.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType, GeneratorType
from typing import Any

from corpus import default_cache
from measure import ROOT, write_section
from snapshot import Absent, groups_of

from nanlint.analysis.relations import RELATIONS
from nanlint.diagnostic import Confidence
from nanlint.hazards.facts import Facts
from nanlint.hazards.level import ROWS
from nanlint.interrupt import OutOfBudget, limited
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import room_to_recurse
from nanlint.ops.catalogue import catalogue
from nanlint.ops.value import CERTAIN, NEVER
from nanlint.rules.diagnose import analysed, by_precedence, occurrences, surest
from nanlint.rules.registry import RULES
from nanlint.source.project import in_project
from nanlint.source.reading import read_source

BATCH = 40  # files that are in memory at a time
SECONDS = 20.0  # for one look at a file
SHOWN = 12  # rows of what changes that are printed for each mechanism

#: a finding: file, row, rule, level
Found = tuple[str, int, str, int]


def answering(value: object) -> Callable[..., object]:
    """A function that has this to say of everything."""
    return lambda *_, **__: value


NONE, NO, YES, NOTHING = answering(None), answering(False), answering(True), answering(())
A, H, F = "nanlint.analysis", "nanlint.hazards", "nanlint.frontend"
AFTER = "nanlint.rules.registry:RULES.after"
#: the mechanisms that had something to say since this was emptied, and those of which that is not heard
MET: set[str] = set()
ALWAYS: set[str] = set()

#: mechanisms by name: what is replaced, as ``module:name`` or ``module:Class.name``, and by what
SWITCHES: dict[str, dict[str, object]] = {
    # what makes a value
    "names as values": {f"{A}.names:named": NONE},
    "annotations": {f"{A}.evaluate:Evaluator.annotated": answering(import_module("nanlint.ops.value").Kind.ANY)},
    "conditions on values": {f"{A}.evaluate:Evaluator.under": lambda self, cond, truth, *, tested=False: self},
    "tested regions": {f"{A}.evaluate:tested_region": lambda v, comparison, by, *, small: v},
    "path facts": {f"{A}.evaluate:Evaluator.at": lambda self, node: self},
    "cases: distinction": {f"{A}.cases:distinction": NONE},
    "cases: decided by range": {f"{A}.cases:decided_by_range": NONE},
    "chosen together": {f"{A}.evaluate:chosen_together": NONE},
    "of taken": {f"{A}.evaluate:Evaluator.of_taken": NONE},
    "part": {f"{A}.evaluate:Evaluator.part": NONE},
    "loop fixpoint": {f"{A}.evaluate:invariants": lambda before: [import_module("nanlint.ops.value").value()]},
    "as set": {f"{H}.gather:on_settings": NO},
    "axes of a branch": {f"{A}.evaluate:axes_of": NONE},
    "untrainable": {f"{A}.roles:untrainable": NO},
    "precision of regions": {
        f"{A}.evaluate:Evaluator.in_precision": lambda self, node, operands: (operands, node.attrs)
    },
    **{f"relations: {op}": {f"{A}.relations:RELATIONS[{op}]": NONE} for op in sorted(RELATIONS)},
    "relations: all": {f"{A}.relations:RELATIONS[{op}]": NONE for op in sorted(RELATIONS)},
    "wholes": {f"{A}.wholes:left_of_whole": NONE},
    "places": {f"{A}.places:true_somewhere": NONE},
    # evidence where the value is silent
    "degenerate data": {f"{A}.scenarios:degenerate": NOTHING},
    "forms": {f"{A}.forms:evidence_by_form": NONE},
    "by use": {f"{A}.by_use:met_by_use": NONE},
    "late guards as evidence": {f"{H}.gather:Hazards.expected": NONE},
    "unguarded": {f"{A}.unguarded:unguarded": NONE},
    # gates
    "kept off by settings": {f"{H}.gather:Hazards.kept_off_by_settings": NO},
    "product replaced": {f"{H}.gather:Hazards.product_replaced": NO},
    "of known factors": {f"{H}.gather:Hazards.of_known": NO},
    "demand of values": {f"{H}.gather:Hazards.taken_up": answering({"returned"})},
    "ruled out on the path": {f"{H}.gather:Hazards.ruled_out_there": NO},
    "excluded by degenerate data": {f"{A}.scenarios:excluded": NO},
    "bound below lets no gradient through": {
        f"{H}.gather:Hazards.reach_with_gradient": answering(import_module("nanlint.ops.value").CERTAIN)
    },
    "Python numbers": {f"{H}.gather:Hazards.scalar": NO},
    "selection further on": {f"{H}.gather:Hazards.masked_by": NONE},
    "undefined elsewhere": {f"{H}.gather:Hazards.undefined_elsewhere": NO},
    "zero gradient kept": {f"{H}.gather:Hazards.keeps_zero_gradient": NO},
    "chosen once": {f"{H}.gather:chosen_once": NO},
    "kept off by callers": {f"{H}.gather:Hazards.kept_off_by_callers": NO},
    "errstate": {f"{H}.gather:Hazards.deliberate": NO},
    "gradient: beliefs": {f"{H}.gather:Hazards.unlearned": NO},
    "gradient: doubts": {f"{A}.gradient:GradientFlow.doubts": lambda self, node, where: iter(())},
    "gradient: unlearned": {f"{A}.gradient:GradientFlow.unlearned": lambda self, node, where: iter(())},
    "gradient: roles of functions": {f"{A}.roles:Roles.opinion": NONE},
    "of tests": {f"{A}.roles:Roles.of_tests": False},
    # what is looked for beside the weighing
    "traps behind a selection": {f"{H}.gather:Hazards.traps_behind": lambda self, selection: iter(())},
    "behind a mask": {f"{H}.gather:Hazards.behind_mask": lambda self, result, *, infinite: iter(())},
    "gaps": {f"{A}.gaps:met_by_gradient": NONE, f"{A}.gaps:hidden_by_zero": NONE},
    "epsilons": {f"{A}.epsilons:epsilons": lambda node, pole, value: iter(())},
    "exponents exposed": {f"{H}.exponents:exposed": NONE},
    "growth": {f"{A}.growth:multiplied_up": NONE, f"{A}.growth:both_overflow": NONE},
    "log space": {
        f"{A}.log_space:{name}": NONE
        for name in ("unguarded_shift", "log_addition", "masked_by_infinity", "zero_times_infinity")
    },
    "written out": {f"{H}.exponentials:logistic": NONE, f"{H}.exponentials:tangent": NONE},
    "cancellation": {f"{A}.cancellation:cancellation": NONE},
    "arrays": {f"{A}.arrays:is_array": NO},
    "precedence among rules": {AFTER: None},
    # what decides a level
    **{
        f"row: {name}": {f"{H}.level:ROWS[{name}]": replace(row, most=CERTAIN, less=0, least=NEVER)}
        for name, row in ROWS.items()
    },
    # what is seen of the program
    "callers elsewhere": {f"{F}.callers:callers_elsewhere": NOTHING, f"{F}.registries:kept_in_tables": NOTHING},
    "functions elsewhere": {f"{F}.functions:MAX_NODES_ELSEWHERE": -1},
    "astroid": {f"{F}.inference:Inference.number": NONE},
}


def held_by(place: str) -> tuple[Any, str, bool]:
    """What holds what stands at a place, its name there, and whether that is a key. Raises LookupError."""
    home, _, name = place.partition(":")
    owner: Any = import_module(home)
    by_key = name.endswith("]")
    if by_key:
        table, _, name = name[:-1].partition("[")
        owner = getattr(owner, table)
    elif "." in name:
        cls, _, name = name.partition(".")
        owner = getattr(owner, cls)
    if name not in (owner if by_key else vars(owner)):
        raise LookupError(f"{place} is no longer there")
    return owner, name, by_key


def put(place: str, new: object) -> None:
    """Replace what stands at a place, under whatever module has imported it."""
    owner, name, by_key = held_by(place)
    if by_key:
        owner[name] = new
        return
    old = vars(owner)[name]
    here = [owner] if isinstance(owner, type) else [m for n, m in sys.modules.items() if n.startswith("nanlint.")]
    for one in here:
        if vars(one).get(name) is old:
            setattr(one, name, new)


def switch_off(place: str, answer: object) -> None:
    """Let a mechanism have nothing to say."""
    if place == AFTER:
        RULES.update({code: replace(rule, after=frozenset()) for code, rule in RULES.items()})
    else:
        put(place, answer)


def listen(name: str, place: str, answer: object) -> None:
    """Note in MET when a mechanism has something to say: where it never has, nothing changes without it."""
    owner, inside, by_key = held_by(place) if place != AFTER else (RULES, "", True)
    told = None if place == AFTER else owner[inside] if by_key else vars(owner)[inside]
    if not isinstance(told, FunctionType):
        ALWAYS.add(name)
        return

    def each(said: Iterator[object]) -> Iterator[object]:
        for one in said:
            MET.add(name)
            yield one

    @wraps(told)
    def listening(*given: Any, **named: Any) -> object:
        said = told(*given, **named)
        if isinstance(said, GeneratorType):
            return each(said)
        if name not in MET and said is not (other := answer(*given, **named)) and said != other:  # type: ignore[operator]
            MET.add(name)
        return said

    put(place, listening)


def look(facts: Facts, path: str) -> list[Found]:
    """The findings of a file."""
    found: list[Found] = []
    with suppress(OutOfBudget), room_to_recurse(), limited(SECONDS):
        most = (
            Confidence.POSSIBLE
            if facts.gradient.roles is not None and facts.gradient.roles.of_tests
            else Confidence.CERTAIN
        )
        for group in by_precedence(occurrences(facts, lambda code: True)):
            one = surest(group)
            found.append((path, one.diagnostic.span.row, one.rule.code, int(min(one.finding.confidence, most))))
    return found


def apart(work: Callable[[], Any]) -> Callable[[], Any]:
    """Start some work in a process of its own; what is returned waits for what comes of it."""
    answer = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed where its content is taken
    child = os.fork()
    if child == 0:
        code = 1
        try:
            json.dump(work(), answer)
            answer.flush()
            code = 0
        finally:
            os._exit(code)

    def result() -> Any:
        _, status = os.waitpid(child, 0)
        with answer:
            if status:
                raise RuntimeError("a process failed; what it says stands above")
            answer.seek(0)
            return json.load(answer)

    return result


def read(paths: Iterable[Path]) -> Iterator[Any]:
    """The files that are Python, each in its project."""
    for path in paths:
        with suppress(Exception):
            source = in_project(read_source(path.read_bytes(), str(path)))
            source.tree  # noqa: B018  raises where there is none
            yield source


def lowered(source: Any) -> tuple[Any, set[str]]:
    """The graph of a file, and the mechanisms that had something to say on the way."""
    MET.clear()
    with room_to_recurse(), limited(SECONDS):
        return analysed(source, {}).lowering, MET | ALWAYS


def with_all(files: Sequence[tuple[Any, Any, set[str]]]) -> list[tuple[list[Found], list[str]]]:
    """What is found in each file, and the mechanisms that had something to say."""
    found = []
    for source, lowering, met in files:
        MET.clear()
        found.append((look(Facts(source, lowering), source.path), sorted(MET | met)))
    return found


def without(mechanism: dict[str, object], files: Sequence[tuple[Any, Any, set[str]]]) -> list[Found]:
    """What is found in some files with a mechanism switched off."""
    for place, answer in mechanism.items():
        switch_off(place, answer)
    again = any(place.startswith(F) for place in mechanism)
    return [one for s, low, _ in files for one in look(Facts(s, lowered(s)[0] if again else low), s.path)]


def ablated(paths: Sequence[Path], names: Sequence[str], jobs: int) -> dict[str, Counter[Found]]:
    """What is found in some files with nothing switched off (""), and with each mechanism."""
    found: dict[str, Counter[Found]] = {name: Counter() for name in ("", *names)}
    for start in range(0, len(paths), BATCH):
        files = [(source, *lowered(source)) for source in read(paths[start : start + BATCH])]
        heard = apart(partial(with_all, files))()
        waiting: list[tuple[str, Callable[[], Any]]] = []
        for rows, _ in heard:
            found[""].update(map(tuple, rows))
        for name in names:
            spoke = [name in met for _, met in heard]
            found[name].update(
                tuple(row) for (rows, _), does in zip(heard, spoke, strict=True) if not does for row in rows
            )
            if len(waiting) == jobs:
                done, result = waiting.pop(0)
                found[done].update(map(tuple, result()))
            if any(spoke):
                some = [file for file, does in zip(files, spoke, strict=True) if does]
                waiting.append((name, apart(partial(without, SWITCHES[name], some))))
        for done, result in waiting:
            found[done].update(map(tuple, result()))
        for _, lowering, _ in files:
            lowering.release()
        print(f"{min(start + BATCH, len(paths))} of {len(paths)} files", file=sys.stderr)
    return found


def changes(before: Counter[Found], after: Counter[Found], least: int) -> tuple[list[Found], list[Found]]:
    """What goes and what comes at a level or above."""
    old, new = (Counter({one[:3]: n for one, n in some.items() if one[3] >= least}) for some in (before, after))
    return sorted((old - new).elements()), sorted((new - old).elements())  # type: ignore[return-value]


def cell(before: Counter[Found], after: Counter[Found]) -> str:
    """How many findings go and come, by default and in all; empty where none does."""
    counts = [tuple(map(len, changes(before, after, least))) for least in (Confidence.LIKELY, Confidence.POSSIBLE)]
    return f"{counts[0][0]}/{counts[0][1]} ({counts[1][0]}/{counts[1][1]})" if any(map(any, counts)) else ""


def tell(column: dict[str, Counter[Found]], name: str) -> None:
    """Print some of what goes and comes without a mechanism."""
    both = [changes(column[""], column[name], least) for least in (Confidence.LIKELY, Confidence.POSSIBLE)]
    for sign, some in zip("-+", zip(*both, strict=True), strict=True):
        for path, row, code in sorted({one for part in some for one in part})[:SHOWN]:
            print(f"{name}: {sign} {path}:{row} {code}", file=sys.stderr)


def twins(place: Path) -> list[Path]:
    """The programs of ``tests/guards`` and their twins without guards, a file each."""
    sys.path.insert(0, str(ROOT))
    place.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(import_module("tests.guards.twins").all_twins()):
        (place / f"{one.kind}_{number}_guarded.py").write_text(one.guarded, encoding="utf-8")
        (place / f"{one.kind}_{number}_unguarded.py").write_text(one.unguarded, encoding="utf-8")
    return sorted(place.glob("*.py"))


def drawn(source: str, options: argparse.Namespace) -> list[Path]:
    """The files of a source that are checked."""
    if source == "guards":
        return twins(options.cache / "guards")
    groups = [one for one in groups_of(source, options.mirrors, options.cache) if not isinstance(one, Absent)]
    files = sorted(
        {f for group in groups for one in group.files for f in ([one] if one.is_file() else one.rglob("*.py"))}
    )
    if Path(source).is_dir():
        return files
    return sorted(random.Random(options.seed).sample(files, max(1, round(len(files) * options.share))))


def main() -> None:
    """Switch each mechanism off, print what changes, and with --write enter the table in docs/measurements.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="*", help="a folder, a pinned requirement, a JSON file of labels")
    parser.add_argument("--share", type=float, default=0.1, help="the part of the files of wheels and labels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=SWITCHES, metavar="NAME", help="only this mechanism")
    parser.add_argument("--list", action="store_true", help="print the names of the mechanisms")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--mirrors", type=Path, default=Path("..", ".mirror"), help="where bare mirrors are")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where code is unpacked")
    parser.add_argument("--write", action="store_true", help="enter the table in docs/measurements.md")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SWITCHES))
        return
    rule_names()
    catalogue({})
    names = options.only or list(SWITCHES)
    for name in names:
        for place, answer in SWITCHES[name].items():
            listen(name, place, answer)
    heads, columns = [], []
    for source in options.source:
        files = drawn(source, options)
        columns.append(ablated(files, names, options.jobs))
        for one in names:
            tell(columns[-1], one)
        shown = sum(n for one, n in columns[-1][""].items() if one[3] > Confidence.POSSIBLE)
        name = f"`{Path(source).stem if Path(source).exists() else source}`"
        heads.append(f"{name}: {len(files)} files, {shown} ({columns[-1][''].total()})")
    rows = [f"| switched off | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(heads)}"]
    for name in names:
        cells = [cell(column[""], column[name]) for column in columns]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    text = "\n".join(rows)
    print(text)
    if options.write:
        write_section("ablation", text)


if __name__ == "__main__":
    main()
