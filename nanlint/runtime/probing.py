"""The probe that rewritten expressions call: it hands on its value, and tells the recorder what it saw.

Cheap while all goes well: the result is glanced at, and the operand that has a pole. The others are held until the
result is there, and looked at only if that is bad.
"""

from __future__ import annotations

import builtins
import functools
import math
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from nanlint.runtime import hooks
from nanlint.runtime.adapter import Adapter, Tensor
from nanlint.runtime.frames import place
from nanlint.runtime.health import Health, Kinds, health_of_numbers
from nanlint.runtime.hooks import Guard, safely
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.rewriting import CALLED, NAME, RESULT, Expression
from nanlint.runtime.site_record import Look
from nanlint.runtime.sites import GRADIENT_OF, Site

#: as a failure is told
WHAT = "a flagged expression"
#: as the recorder knows the result of an expression
RESULT_ROLE = "result"
#: executions of an expression that are looked at whole, before most are only glanced at
WHOLE = 8
#: executions from which on most are only counted, as long as all is finite: ever fewer are looked at
OFTEN = 1_024
#: expressions that may wait for their looks to be read, within a step
MOST = 4_096


@dataclass(slots=True)
class _Held:
    """An operand until its expression is done, and what was seen of it if it was looked at."""

    value: Any
    look: Look | Later = None
    looked: bool = False
    size: int = 1


class Later:
    """A look at a tensor on a device that is not waited for: what it came to is read when a step is done."""

    def __init__(self, adapter: Adapter, ahead: Any) -> None:
        self.adapter = adapter
        self.ahead = ahead
        self.look: Look = None


@dataclass(slots=True)
class _Unfinished:
    """An expression that has begun: its number, the frame that evaluates it, its operands by role."""

    number: int
    frame: int
    operands: dict[int, _Held]


class _Thread(threading.local):
    """The expressions that a thread has begun, outermost first."""

    def __init__(self) -> None:
        self.unfinished: list[_Unfinished] = []


#: probed expressions by their number, and how often each has run under the present watch
_expressions: dict[int, Expression] = {}
_runs: dict[int, int] = {}
#: of expressions of Python's numbers that ran often: how many executions are left that are only counted, how many were
#: when they were last taken into account; and their operands, each with the frame that evaluates it
_left: dict[int, int] = {}
_counted: dict[int, int] = {}
_numbers: dict[tuple[int, int], tuple[float, int]] = {}
_recorder: Recorder | None = None
_guard: Guard
_thread = _Thread()
#: what is to be told when looks have been read, with those looks, in the order in which it came by
_waiting: list[tuple[Callable[[], None], list[Later]]] = []


def install(recorder: Recorder | None) -> None:
    """Let probes report to this recorder (None: to nobody); the one before hears what waits to be read."""
    global _recorder, _guard
    if _recorder is not None:
        safely(_recorder, WHAT, read, _recorder)
    _recorder = recorder
    _runs.clear()
    _left.clear()
    if recorder is not None:
        _guard = Guard(recorder, WHAT)
        recorder.before_steps(functools.partial(safely, recorder, WHAT, read, recorder))
    setattr(builtins, NAME, probe)


def enter(expressions: Mapping[int, Expression]) -> None:
    """Let probes know these expressions, by their numbers."""
    _expressions.update(expressions)


def probe(number: int, role: int, value: Any) -> Any:
    """Hand on ``value``: what role ``role`` of expression ``number`` is this time."""
    if _recorder is None or hooks.compiling():
        return value
    if number in _left and isinstance(value, float):
        if role != RESULT:
            _numbers[number, role] = value, id(sys._getframe(1))
            return value
        if math.isfinite(value):
            _left[number] -= 1
            if not _left[number]:
                _count(number)
                del _left[number]
            return value
    with _guard:
        _seen(_recorder, number, role, value)
    return value


def _is_seldom(number: int) -> bool:
    """Whether an expression ran so often that its operands are not looked at this time."""
    runs = _runs.get(number, 0)
    return runs >= OFTEN and runs % _interval(runs) != 0


def _interval(runs: int) -> int:
    """Of how many executions one is looked at: of each doubling, as many are."""
    return 1 << max(runs.bit_length() - OFTEN.bit_length() + 1, 0)


def _count(number: int) -> None:
    """Take those executions of an expression into account that were only counted."""
    times, _counted[number] = _counted[number] - _left[number], _left[number]
    _runs[number] += times
    for site in _expressions[number].sites:
        if _recorder is not None and times:
            _recorder.passed(site, times)


def _seen(recorder: Recorder, number: int, role: int, value: Any) -> None:
    if role == CALLED:
        from nanlint.runtime.trying.inputs import keep

        path, name = _expressions[number].operands
        keep(recorder, path, name, value)
    elif role == RESULT:
        _report(recorder, number, _finished(number, sys._getframe(2)), value)
    else:
        _hold(recorder, number, role, value, sys._getframe(2))


def _hold(recorder: Recorder, number: int, role: int, value: Any, frame: FrameType) -> None:
    """Keep an operand until its expression is done. Looked at now is what an op in place is about to change."""
    expression = _expressions[number]
    unfinished = _thread.unfinished
    while unfinished and not _evaluates(unfinished[-1], frame):
        unfinished.pop()  # an exception left it behind
    top = unfinished[-1] if unfinished else None
    if top is None or top.number != number or top.frame != id(frame):
        top = _Unfinished(number, id(frame), {})
        unfinished.append(top)
    elif role in top.operands:
        top.operands = {}  # begun anew: an exception ended it before
    held = top.operands[role] = _Held(value)
    whole = _runs.get(number, 0) < WHOLE
    if whole or expression.in_place or (role in expression.poles and not _is_seldom(number)):
        held.look, held.looked, held.size = look(recorder, value, whole), True, _size(value)


def _evaluates(one: _Unfinished, frame: FrameType | None) -> bool:
    """Whether the frame that has begun an expression is this one, or waits for it."""
    while frame is not None and id(frame) != one.frame:
        frame = frame.f_back
    return frame is not None


def _finished(number: int, frame: FrameType) -> dict[int, _Held]:
    """The operands of an expression whose result is there; those inside of it that an exception ended are dropped."""
    unfinished = _thread.unfinished
    roles = range(RESULT + 1, len(_expressions[number].operands) + 1) if number in _left else ()
    known = ((role, _numbers.get((number, role), (0.0, 0))) for role in roles)
    counted = {role: _Held(value) for role, (value, where) in known if where == id(frame)}
    for i in range(len(unfinished) - 1, -1, -1):
        if unfinished[i].number == number and unfinished[i].frame == id(frame):
            operands = unfinished[i].operands
            del unfinished[i:]
            return operands | counted
    return counted


def _report(recorder: Recorder, number: int, held: dict[int, _Held], result: Any) -> None:
    """Tell what came by at an expression, and let its gradients be told when they are there."""
    runs = _runs.get(number, 0)
    seen = look(recorder, result, runs < WHOLE)
    if seen is None:
        adapter = recorder.adapter_of(result)
        if adapter is None or not adapter.probes_graphs:
            for site in _expressions[number].sites:
                recorder.unwatched(site)
        return
    _runs[number] = runs + 1
    if isinstance(result, float) and runs >= OFTEN and number not in _left:
        _left[number] = _counted[number] = _interval(runs)
    expression = _expressions[number]
    operands = {expression.operands[role - 1]: one for role, one in held.items()}
    if isinstance(seen, Health) and seen.bad:
        _look_back(recorder, operands, expression.in_place)
    elif isinstance(seen, Later) and not expression.in_place:
        for one in operands.values():
            if not one.looked:
                one.look, one.looked = look(recorder, one.value, whole=False), True
    if recorder.filtering:
        _filter(recorder, operands, result)
    laters = [one.look for one in operands.values() if isinstance(one.look, Later)]
    if laters or isinstance(seen, Later):
        laters += [seen] if isinstance(seen, Later) else []
        forgotten = {name: _Held(None, one.look, one.looked, one.size) for name, one in operands.items()}
        tell = functools.partial(_tell, recorder, expression, forgotten, seen, None, _size(result))
        _when_read(recorder, tell, laters)
    else:
        _tell(recorder, expression, operands, seen, result, _size(result))
    if expression.sites:
        _await_gradients(recorder, number, operands, result)


def _tell(
    recorder: Recorder, expression: Expression, operands: dict[str, _Held], seen: Look | Later, result: Any, size: int
) -> None:
    """Tell what came by at an expression; all looks have been read."""
    for site in expression.sites:
        for name, one in operands.items():
            if one.looked:
                recorder.looked(site, name, _read(one.look), size=one.size)
        if kinds := recorder.looked(site, RESULT_ROLE, _read(seen), value=result, size=size):
            _born(recorder, site, kinds, _given(operands), _tensor(RESULT_ROLE, seen, result))
    if expression.part_of:
        _tell_parts(recorder, expression, operands, _read(seen), result)


def _when_read(recorder: Recorder, tell: Callable[[], None], laters: list[Later]) -> None:
    """Have something told when looks have been read."""
    _waiting.append((tell, laters))
    if len(_waiting) > MOST:
        read(recorder)


def read(recorder: Recorder) -> None:
    """Read the looks that were begun, all of an adapter at once, and tell what waits for them."""
    waiting, _waiting[:] = _waiting[:], []
    begun: dict[Adapter, list[Later]] = {}
    for _, laters in waiting:
        for one in laters:
            if one.ahead is not None:
                begun.setdefault(one.adapter, []).append(one)
    for adapter, laters in begun.items():
        for one, found in zip(laters, adapter.read([one.ahead for one in laters]), strict=True):
            one.look, one.ahead = found, None
    for tell, _ in waiting:
        safely(recorder, WHAT, tell)
    for number in tuple(_left):
        _count(number)


def _read(seen: Look | Later) -> Look:
    return seen.look if isinstance(seen, Later) else seen


def _look_back(recorder: Recorder, operands: dict[str, _Held], in_place: bool) -> None:
    """Look whole at operands whose result is bad: at those that are still what they were."""
    for held in operands.values():
        if not (in_place or isinstance(held.look, Health)):
            held.look, held.looked = look(recorder, held.value, True), True


def _filter(recorder: Recorder, operands: dict[str, _Held], result: Any) -> None:
    for name, value in [*((name, held.value) for name, held in operands.items()), ("result", result)]:
        adapter = recorder.adapter_of(value)
        if adapter is not None:
            recorder.wants(name, adapter.name, value)


def _await_gradients(recorder: Recorder, number: int, operands: dict[str, _Held], result: Any) -> None:
    """Tell of the gradients of an expression when they are there, where its framework has an eager backward pass."""
    values = [result, *(held.value for held in operands.values())]
    adapter = next((found for value in values if (found := recorder.adapter_of(value)) is not None), None)
    if adapter is None or type(adapter).on_gradient is Adapter.on_gradient:
        return
    sites = _expressions[number].sites
    whole = _runs[number] <= WHOLE
    for one in operands.values():
        if not one.looked:  # what went in bad is known when the gradient comes, which may be after other executions
            one.look, one.looked = look(recorder, one.value, whole=False), True
    looks = {name: held.look for name, held in operands.items()}

    def tell(name: str, seen: Look | Later, gradient: Any) -> None:
        given = [_tensor(operand, one, None) for operand, one in looks.items()]
        known = Kinds().union(*(one.health.bad for one in given))
        for site in sites:
            if kinds := recorder.looked(site, f"{GRADIENT_OF}{name}", _read(seen), known, gradient):
                _born(recorder, site, kinds, given, _tensor(f"{GRADIENT_OF}{name}", seen, gradient))

    def heard(name: str, gradient: Any) -> None:
        seen = look(recorder, gradient, whole)
        if isinstance(seen, Later):
            laters = [one for one in looks.values() if isinstance(one, Later)]
            _when_read(recorder, functools.partial(tell, name, seen, None), [*laters, seen])
        else:
            tell(name, seen, gradient)

    adapter.on_gradient({name: held.value for name, held in operands.items()}, result, heard)


def _tell_parts(
    recorder: Recorder, expression: Expression, operands: dict[str, _Held], seen: Look, result: Any
) -> None:
    """Tell the findings about a form when this part of it gives what did not go in."""
    looked: dict[str, Look] = {name: _read(one.look) for name, one in operands.items() if one.looked}
    looked[RESULT_ROLE] = seen
    for site in expression.part_of:
        for part in site.parts:
            if part.span == expression.span:
                for name in {name for name, _, _ in part.poles if name in looked}:
                    recorder.part(site, f"{name} of {part.op}", looked[name])
    if not isinstance(seen, Health):
        return
    given = {name: one for name, held in operands.items() if isinstance(one := _read(held.look), Health)}
    kinds = seen.bad.difference(*(health.bad for health in given.values()))
    for site in expression.part_of if kinds else ():
        if new := recorder.broke(site, kinds, {**given, RESULT_ROLE: seen}, result):
            _born(recorder, site, new, _given(operands), _tensor(RESULT_ROLE, seen, result))


def _born(recorder: Recorder, site: Site, kinds: Kinds, given: Sequence[Tensor], made: Tensor) -> None:
    """Tell of an origin at a site, unless the watch of all ops did."""
    if recorder.has_birth(site) and recorder.mode != "sites":
        return
    backward = made.name.startswith(GRADIENT_OF)
    here = (place(site.path, site.span.row),)
    frames = recorder.frames()
    adapter = recorder.adapter_of(made.value)
    recorder.born(
        framework="python" if adapter is None else adapter.name,
        op=site.op,
        kinds=kinds,
        inputs=given,
        outputs=[made],
        frames=frames if backward or (frames and frames[0].path == site.path) else here,
        backward=backward,
        forward=here if backward else (),
        site=site.key,
    )


def _given(operands: Mapping[str, _Held]) -> list[Tensor]:
    return [_tensor(name, one.look, one.value) for name, one in operands.items()]


def _tensor(name: str, seen: Look | Later, value: Any) -> Tensor:
    found = _read(seen)
    return Tensor(name, found if isinstance(found, Health) else Health(), value)


def _size(value: Any) -> int:
    """How many elements a tensor has; 1 where it is a number, or a graph does not know it yet."""
    try:
        return math.prod(getattr(value, "shape", ()))
    except (TypeError, ValueError):
        return 1


def look(recorder: Recorder, value: Any, whole: bool) -> Look | Later:
    """The breakdown of a value, or its least and greatest number where that is enough; None if it has no numbers."""
    if not whole and isinstance(value, float) and math.isfinite(value):
        return (float(value), float(value))
    adapter = recorder.adapter_of(value)
    if adapter is not None:
        if not adapter.concrete(value):
            return None
        ahead = None if whole or recorder.prompt else adapter.ahead(value)
        if ahead is not None:
            return Later(adapter, ahead)
        glance = None if whole else adapter.glance(value)
        return adapter.health(value) if glance is None else glance
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= sys.float_info.max):
        return health_of_numbers((float(value),))
    return None
