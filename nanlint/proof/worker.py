"""The process in which a framework runs: proofs are asked for on standard input and answered on standard output.

Started by ``nanlint.proof.pool``; it imports the framework and this package, and nothing of the user's. It may be
killed at any moment. Messages are pickled; first it says whether the framework is there.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from importlib import import_module
from typing import BinaryIO

from nanlint.proof.agreement import Agreement, Pair, Without, agreement
from nanlint.proof.backend import Backend
from nanlint.proof.plausible import Plausibility
from nanlint.proof.proofs import Mended, Proof, Question, Task
from nanlint.proof.ranges import failing
from nanlint.proof.search import Search
from nanlint.proof.telling import witness


def answer(task: Task, backend: Backend) -> Proof | Mended | Agreement:
    if isinstance(task, Question):
        return proof(task, backend)
    if isinstance(task, Pair):
        try:
            return agreement(task, backend)
        except Without:
            return Agreement()
    from nanlint.proof.mending import mended

    return mended(task, backend)


def proof(question: Question, backend: Backend) -> Proof:
    """Inputs that fail in the framework, from the first of the slices that has any."""
    deadline = time.monotonic() + question.seconds
    refuted, searched = True, False
    first: Proof | None = None
    for number, program in enumerate(question.slices):
        if program.breaking is not None and program.breaking.trap and not backend.differentiates:
            return Proof()
        hint = failing(program)
        search = Search(program, backend, deadline)
        outcome = search.run([hint] if hint is not None else [])
        if outcome.found is not None:
            found = search.plainer(outcome.found)
            shown = Proof(witness(program, found, backend.name), found, number)
            if found.plausibility > Plausibility.ABSURD:
                return shown
            first = first or shown
        refuted = refuted and hint is None and outcome.refuted
        searched = searched or outcome.searched
    return first or Proof(refuted=refuted and bool(question.slices), searched=searched)


def main(framework: str) -> None:
    """Answer until there are no more questions."""
    # what a framework prints must not get between the answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        backend: Backend = import_module(f"nanlint.proof.{framework}").BACKEND()
        backend.alone()
        warm(backend)
    except ImportError:
        _send(answers, None)
        return
    _send(answers, framework)
    while True:
        try:
            task: Task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _send(answers, answer(task, backend))


def warm(backend: Backend) -> None:
    """Compute something, so that the first finding does not wait for what a framework sets up only then."""
    row = backend.row([1.0, 2.0], "float32")
    if backend.differentiates:
        backend.gradients(lambda rows: rows[0] * rows[0] / (rows[0] + 1.0), [row])


def _send(to: BinaryIO, message: object) -> None:
    pickle.dump(message, to)
    to.flush()
