"""Whether a fix ends what it is for: the mended slice, executed on the input that failed."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

from nanlint.proof.backend import Backend
from nanlint.proof.candidates import assignments
from nanlint.proof.interpret import Cannot, Infeasible
from nanlint.proof.proofs import Mended, MendedQuestion
from nanlint.proof.search import MAX_BESIDE, Found, Search
from nanlint.proof.slice import Domain
from nanlint.proof.telling import written


def mended(question: MendedQuestion, backend: Backend) -> Mended:
    """Execute the mended slice on the numbers that failed; sources that are new get plain ones."""
    program = question.program
    search = Search(program, backend)
    sources = program.sources(program.at)
    known = {i: question.given[name] for i in sources if (name := program.steps[i].name) in question.given}
    options = search.options(program.at)
    beside = [i for i in (*sources, *options) if i not in known]
    if sources and not known:
        return Mended()
    # what the fix made certain of its operands is no reason not to try the input
    steps = tuple(replace(s, domain=replace(s.domain, excluded=Domain().excluded)) for s in program.steps)
    search.program = replace(program, steps=steps)
    for more in islice(assignments(program, beside, frozenset(), options, question.width), MAX_BESIDE):
        inputs = {**known, **more}
        try:
            output = search.execution(inputs, question.width).numbers(program.at)
        except Infeasible:
            return Mended(ends=True)
        except Cannot:
            continue
        found = search.with_gradients(Found(inputs, question.width, program.at, output))
        bad = [row for row in (found.gradients or {}).values() if not all(map(math.isfinite, row))]
        if not all(map(math.isfinite, output)):
            return Mended(False, f"{program.steps[program.at].name} = {written(output)}")
        if question.gradient and bad:
            return Mended(
                False, f"{program.steps[program.at].name} = {written(output)}, a gradient of {written(bad[0])}"
            )
        return Mended(ends=True)
    return Mended()
