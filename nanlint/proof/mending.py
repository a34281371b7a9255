"""Whether a fix ends what it is for: the mended slice, executed on the input that failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from nanlint.diagnostic import Span
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.ops.floats import FLOAT64
from nanlint.proof.agreement import most
from nanlint.proof.backend import Backend
from nanlint.proof.candidates import assignments
from nanlint.proof.interpret import Cannot, Infeasible
from nanlint.proof.plausible import Plausibility
from nanlint.proof.proofs import Mended, MendedQuestion
from nanlint.proof.python import PythonBackend, Slopes
from nanlint.proof.ranges import failing, placeless
from nanlint.proof.search import MAX_BESIDE, Found, Search, met
from nanlint.proof.slice import Breaking, Domain, Slice, Slicing
from nanlint.proof.telling import written
from nanlint.source.pairing import Pairing


def mended(question: MendedQuestion, backend: Backend) -> Mended:
    """Execute the mended slice on the numbers that failed; sources that are new get plain ones.

    A slope beyond ``MOST`` is none to go on from.
    """
    program = question.program
    search, limit = Search(program, backend), most(program)
    sources = program.sources(program.at)
    known = {i: question.given[name] for i in sources if (name := program.steps[i].name) in question.given}
    options = search.options(program.at)
    beside = [i for i in (*sources, *options) if i not in known]
    answer = Mended()
    if sources and not known:
        return answer
    # what the fix made certain of its operands is no reason not to try the input
    steps = tuple(replace(s, domain=replace(s.domain, excluded=Domain().excluded)) for s in program.steps)
    search.program = replace(program, steps=steps)
    for more in islice(assignments(program, beside, frozenset(), options, question.width), MAX_BESIDE):
        inputs = {**known, **more}
        run = search.execution(inputs, question.width)
        try:
            output = run.numbers(program.at)
        except Infeasible:
            # the program stops there: on this way
            answer = Mended(ends=True)
            continue
        except Cannot:
            continue
        said = f"{program.steps[program.at].name} = {written(output)}"
        if not all(abs(x) <= question.largest for x in output):
            return Mended(False, said)
        if program.breaking is not None and met(program.breaking, run):
            return Mended(False, f"{said}, and no gradient")
        sloped = search if backend.differentiates else Search(search.program, Slopes(program.framework, limit))
        found = sloped.with_gradients(Found(inputs, question.width, program.at, output))
        bad = [row for row in (found.gradients or {}).values() if not all(abs(x) <= limit for x in row)]
        return Mended(False, f"{said}, a gradient of {written(bad[0])}") if bad else Mended(True)
    return answer


def mended_slices(program: Slice, pairing: Pairing, facts: Facts) -> Iterator[Slice]:
    """What stands in a mended text at the places where the slice could be observed, nearest first."""
    slicing = Slicing(facts)
    sites = {id(e): place for place in program.places.values() for e in pairing.image(Span(*place))}
    nodes: dict[tuple[int, ...], Node] = {}
    for node in facts.lowering.graph:
        if (place := sites.get(id(node.site))) is not None:
            # as the function by itself has it, if there is a choice
            nodes[place] = min(nodes.get(place, node), node, key=lambda node: (len(node.calls), -node.index))
    made = (slicing.at_place(nodes[place]) for place in program.places.values() if place in nodes)
    yield from (one for one in made if one is not None)


def same_pole(program: Slice, after: Slice) -> Breaking | None:
    """Where a gradient breaks still, if a mended slice ends in the op that breaks it."""
    old, new, breaking = program.steps[program.at], after.steps[after.at], program.breaking
    if breaking is None or not breaking.trap or old.op != new.op:
        return None
    image = {i: new.args[name] for name, i in old.args.items() if name in new.args}
    also = tuple((image[i], shift, cls) for i, shift, cls in breaking.also if i in image)
    known = breaking.operand in image and len(also) == len(breaking.also)
    return replace(breaking, operand=image[breaking.operand], also=also, because=None) if known else None


def uncured(program: Slice, found: Found, places: Iterable[Slice], ask: Callable[[MendedQuestion], Mended]) -> str:
    """What the input that fails still gives at each place, in words; empty where none says so."""
    given = {program.steps[i].name: row for i, row in found.inputs.items()}
    said = ""
    broken = not all(map(math.isfinite, found.output))
    for one in places:
        largest = most(one) if broken else FLOAT64.max
        answer = ask(MendedQuestion(replace(one, breaking=same_pole(program, one)), given, found.width, largest))
        if answer.ends:
            return ""
        said = answer.text or said
    return said


def uncured_by_formulas(program: Slice, places: Iterable[Slice]) -> str:
    """The same by the formulas alone; of an absurd input nothing."""
    found = failing(placeless(program)) if program.executable else None
    if found is None or found.plausibility is Plausibility.ABSURD:
        return ""
    return uncured(program, found, places, lambda asked: mended(asked, PythonBackend(asked.framework)))
