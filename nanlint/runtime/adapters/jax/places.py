"""Where the ops of a traced function stand in the user's files.

JAX keeps of each op the stack inside the function that was being traced; a part that is traced once and called from
many places (``jnp.linalg.norm``) has its caller's line only at the op that calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jax._src.lib import xla_client

from nanlint.diagnostic import Span
from nanlint.runtime.adapters.jax.program import Op
from nanlint.runtime.events import Frame
from nanlint.runtime.frames import place

_location = xla_client.Traceback.code_addr2location


def frames_of(op: Op, inside: Sequence[Op], owns: Callable[[str], bool]) -> tuple[Frame, ...]:
    """The user's frames of an op, innermost first: its own, then those of the calls and loops that it is in."""
    around = [eqn for one in inside for eqn in (*one.calls, one.eqn)]
    found: list[Frame] = []
    for eqn in (op.eqn, *reversed((*around, *op.calls))):
        found += (frame for frame in frames_of_traceback(eqn.source_info.traceback, owns) if frame not in found)
    return tuple(found)


def spans_of(op: Op, owns: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The expressions of the user's that an op stands in, innermost first: path and span. None before Python 3.11."""
    for eqn in (op.eqn, *reversed(op.calls)):
        traceback = eqn.source_info.traceback
        for code, instruction in zip(*traceback.raw_frames(), strict=True) if traceback is not None else ():
            if owns(code.co_filename):
                row, column, end_row, end_column = _location(code, instruction)
                yield code.co_filename, Span(row, column + 1, end_row, end_column + 1)


def frames_of_traceback(traceback: Any, owns: Callable[[str], bool]) -> Iterator[Frame]:
    """The user's frames of a stack that JAX kept, innermost first."""
    if traceback is None:
        return
    for code, instruction in zip(*traceback.raw_frames(), strict=True):
        if owns(code.co_filename):
            line, column, *_ = _location(code, instruction)
            yield place(code.co_filename, line, code.co_name, column + 1)
