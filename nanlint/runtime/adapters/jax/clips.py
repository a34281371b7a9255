"""Clips that hold every element: no gradient comes through one, and nothing of a gradient but its signs.

A clip is a chain of ``clamp``, ``max`` and ``min`` with bounds that are one number each. A clip by a norm is a choice,
for the whole of an array, between it and the same times a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.jax.probes import Birth, Call, Measure, Probe, Probed, Reader
from nanlint.runtime.adapters.jax.program import Op, Program, Value, frames_of
from nanlint.runtime.adapters.jax.propagation import is_inexact
from nanlint.runtime.events import Frames

#: the operand of a clip that is clipped; in ``max`` and ``min`` it may be either
CLAMPS = {"clamp": (1,), "max": (0, 1), "min": (0, 1)}
#: steps in all of which a gradient must be held: a large one at the beginning is what clips are there for
FEW, MANY = 3, 10


class Free(Measure):
    """1 for each look, and how many elements are as they were; of a predicate, how often it held."""

    size = 2

    def of(self, x: Any, beside: Any) -> Any:
        """One sum. What is not finite is not held."""
        if beside is not None:
            x = (x == beside) | ~lax.is_finite(beside)
        return jnp.stack([jnp.float32(1), jnp.sum(x, dtype=jnp.float32)])


@dataclass(frozen=True, eq=False)
class _Clip:
    """A clip in a program. ``gradient``: it is a gradient that is clipped.

    ``free``: of a clip by a norm, the value of its predicate where all is left as it is.
    """

    op: Op
    given: int
    gradient: bool
    free: bool | None = None

    @property
    def elements(self) -> int:
        """How many elements it clips."""
        return int(self.op.eqn.outvars[0].aval.size)

    @property
    def name(self) -> str:
        """What it is called by: ``clip``, where that is what it was opened up from."""
        return str(self.op.calls[-1].params.get("name", self.op.name)) if self.op.calls else self.op.name


@dataclass
class _Held:
    """What the clips of gradients at one place did: elements of a step, steps, whether one element was left free."""

    whole: bool
    frames: Frames
    elements: int = 0
    steps: int = 0
    free: bool = False

    def __str__(self) -> str:
        if self.whole:
            return (
                f"the norm of the gradient was above its bound in all {self.steps:,} steps, "
                "so it was always reduced to the bound"
            )
        return f"a clip set all {self.elements:,} elements of the gradient to a bound in all {self.steps:,} steps"


class Clips(Reader):
    """Reads calls for clips that hold every element."""

    measure = Free()
    eager = spare = True

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._clips: dict[Op, _Clip] = {}
        self._held: dict[tuple[bool, Frames], _Held] = {}

    def stop(self) -> None:
        """Tell of the gradients that were held all along."""
        for one in self._held.values():
            if one.steps >= (MANY if one.whole else FEW) and not one.free:
                self._watch.alert("clip-holds-all", str(one), frames=one.frames)
        self._held.clear()

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Tell of a clip that lets no gradient through; count what is clipped of gradients."""
        clipped: dict[tuple[bool, Frames], list[tuple[_Clip, float, float]]] = {}
        for probe, (looks, count) in zip(function.probes, np.asarray(measured), strict=True):
            clip = self._clips[probe.op]
            if not looks:
                continue  # in a branch that was not taken
            free = looks - count if clip.free is False else count
            frames = frames_of(probe.op, probe.inside, self._watch.owns_file) or call.frames
            if clip.gradient:
                clipped.setdefault((clip.free is not None, frames), []).append((clip, looks, free))
            elif not free and clip.free is None and (_is_trained(probe) or call.trained):
                message = f"{clip.name} sets all {clip.elements:,} elements to a bound: no gradient flows"
                self._watch.alert("clip-holds-all", message, frames=frames, op=clip.name)
        for (whole, frames), clips in clipped.items():
            held = self._held.setdefault((whole, frames), _Held(whole, frames))
            held.elements = sum(clip.elements for clip, _, _ in clips)
            held.steps += int(max(looks for _, looks, _ in clips))
            held.free |= any(free > 0 for _, _, free in clips)
        return ()

    def probes(self, program: Program) -> Iterator[Probe]:
        """At clips."""
        for clip in _clips(program):
            self._clips[clip.op] = clip
            whole = clip.free is not None
            yield Probe(clip.op, 0, result=not whole, beside=None if whole else clip.given)


def _is_trained(probe: Probe) -> bool:
    """Whether a gradient is to come through an op: it is computed for one, and not of one."""
    scopes = [str(eqn.source_info.name_stack) for op in (probe.op, *probe.inside) for eqn in (*op.calls, op.eqn)]
    back = any("transpose" in scope for scope in scopes)
    return any("jvp" in scope for scope in scopes) and (not back or any("rematted" in scope for scope in scopes))


def _clips(program: Program) -> Iterator[_Clip]:
    """The clips of a program, each by its last op."""
    made: dict[Value, Op] = {}
    chains: dict[int, _Clip] = {}
    gradients: set[Value] = set()
    for op in program.ops:
        made.update((value, op) for value in op.outputs)
        if op.backward or not gradients.isdisjoint(value for value in op.inputs if isinstance(value, int)):
            gradients.update(op.outputs)
        given = _clipped(op, made)
        if given is not None:
            earlier = chains.pop(given, None)
            given = given if earlier is None else earlier.given
            chains[op.outputs[0]] = _Clip(op, given, given in gradients)
        elif op.name == "select_n" and len(op.inputs) == 3 and op.eqn.invars[0].aval.ndim == 0 and _is_array(op):
            for free, (value, other) in ((False, op.inputs[1:]), (True, op.inputs[:0:-1])):
                if isinstance(value, int) and value in gradients and value in _multiples(other, made):
                    yield _Clip(op, value, True, free)
    yield from chains.values()


def _is_array(op: Op) -> bool:
    aval = op.eqn.outvars[0].aval
    return is_inexact(aval) and bool(aval.size > 1)


def _clipped(op: Op, made: dict[Value, Op]) -> int | None:
    """What an op clips, if it is a part of a clip; not what an activation does that has a derivative of its own."""
    if op.name not in CLAMPS or not _is_array(op) or any(one.primitive.name == "custom_jvp_call" for one in op.calls):
        return None
    shape = op.eqn.outvars[0].aval.shape
    arrays = [i for i, value in enumerate(op.inputs) if not _is_bound(value, op.eqn.invars[i].aval, made)]
    if len(arrays) != 1 or arrays[0] not in CLAMPS[op.name] or op.eqn.invars[arrays[0]].aval.shape != shape:
        return None
    value = op.inputs[arrays[0]]
    return value if isinstance(value, int) and not any(map(_is_infinite, op.inputs)) else None


def _is_infinite(value: Value) -> bool:
    """Whether a bound holds nothing, as that of a maximum's beginning."""
    return not isinstance(value, int) and bool(np.isinf(value.val))


def _is_bound(value: Value, aval: Any, made: dict[Value, Op]) -> bool:
    """Whether a value is one number, for all elements."""
    if aval.ndim == 0 or not isinstance(value, int):
        return True
    op = made.get(value)
    return op is not None and op.name == "broadcast_in_dim" and op.eqn.invars[0].aval.ndim == 0


def _multiples(value: Value, made: dict[Value, Op]) -> set[Value]:
    """What a value is a multiple of, by a number."""
    found: set[Value] = set()
    while isinstance(value, int) and value in made and made[value].name in ("mul", "div", "convert_element_type"):
        op = made[value]
        arrays = [one for one, var in zip(op.inputs, op.eqn.invars, strict=True) if not _is_bound(one, var.aval, made)]
        if len(arrays) != 1:
            break
        value = arrays[0]
        found.add(value)
    return found
