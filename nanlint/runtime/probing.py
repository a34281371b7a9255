"""The probe that rewritten expressions call: it hands on its value, and tells the recorder what it saw."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nanlint.runtime.adapter import Tensor
from nanlint.runtime.health import Health, health_of_numbers
from nanlint.runtime.recorder import Look, NonFinite, Recorder
from nanlint.runtime.rewriting import NAME, RESULT, Expression
from nanlint.runtime.sites import Site

#: executions of an expression that are looked at whole, before most are only glanced at
WHOLE = 8
#: unfinished expressions of one thread, above which what an exception left behind is dropped
DEEPEST = 200


@dataclass(frozen=True)
class _Held:
    """An operand until its expression is done, and what was seen of it."""

    value: Any
    look: Look


def never() -> bool:
    """No framework compiles."""
    return False


#: whether a framework is compiling the calling code, which then must not look at values; set by its adapter
compiling: Callable[[], bool] = never

_expressions: list[Expression] = []
_recorder: Recorder | None = None
_unfinished = threading.local()


def install(recorder: Recorder | None) -> None:
    """Let probes report to this recorder (None: to nobody)."""
    global _recorder
    _recorder = recorder
    setattr(builtins, NAME, probe)


def expressions() -> list[Expression]:
    """All probed expressions of the process, by their number."""
    return _expressions


def probe(number: int, role: int, value: Any) -> Any:
    """Hand on ``value``: what role ``role`` of expression ``number`` is this time."""
    if _recorder is None or compiling():
        return value
    _seen(_recorder, number, role, value)
    return value


def _seen(recorder: Recorder, number: int, role: int, value: Any) -> None:
    try:
        _tell(recorder, number, role, value)
    except NonFinite:
        raise
    except Exception as error:
        recorder.alert("internal", f"probe: {type(error).__name__}: {error}")


def _tell(recorder: Recorder, number: int, role: int, value: Any) -> None:
    stack: list[tuple[int, dict[int, _Held]]] = _unfinished.__dict__.setdefault("stack", [])
    expression = _expressions[number]
    if role != RESULT:
        if not stack or stack[-1][0] != number or max(stack[-1][1]) >= role:
            if len(stack) > DEEPEST:
                stack.clear()
            stack.append((number, {}))
        # looked at now: an op in place is about to change it
        stack[-1][1][role] = _Held(value, look(recorder, value, _whole(recorder, expression)))
        return
    operands: dict[int, _Held] = {}
    while stack:
        unfinished, held = stack.pop()
        if unfinished == number:
            operands = held
            break
    _report(recorder, expression, {expression.operands[role - 1]: held for role, held in operands.items()}, value)


def _report(recorder: Recorder, expression: Expression, operands: dict[str, _Held], result: Any) -> None:
    """Tell what came by at an expression, and let its gradients be told when they are there."""
    values = [result, *(held.value for held in operands.values())]
    adapter = next((found for value in values if (found := recorder.adapter_of(value)) is not None), None)
    seen = look(recorder, result, _whole(recorder, expression))
    if seen is None:
        return
    given = {name: held.value for name, held in operands.items()}
    if recorder.filtering:
        for name, value in (*given.items(), ("result", result)):
            recorder.wants(name, adapter.name if adapter is not None else "python", value)
    for site in expression.sites:
        for name, held in operands.items():
            recorder.looked(site, name, held.look)
        if recorder.looked(site, "result", seen):
            _act(recorder, site, "", {**given, "result": result})
    if expression.part_of:
        _tell_parts(recorder, expression, operands, seen)
    if adapter is None or not expression.sites:
        return

    forward = frozenset[str]().union(*(held.look.bad for held in operands.values() if isinstance(held.look, Health)))

    def heard(name: str, gradient: Any) -> None:
        seen = look(recorder, gradient, _whole(recorder, expression))
        for site in expression.sites:
            if recorder.looked(site, f"gradient of {name}", seen, forward):
                _act(recorder, site, f"the gradient of {name} in ", {f"gradient of {name}": gradient})

    adapter.on_gradient(given, result, heard)


def _tell_parts(recorder: Recorder, expression: Expression, operands: dict[str, _Held], seen: Look) -> None:
    """Tell the findings about a form when this part of it gives what did not go in."""
    if not isinstance(seen, Health):
        return
    given = {name: held.look for name, held in operands.items() if isinstance(held.look, Health)}
    kinds = seen.bad.difference(*(health.bad for health in given.values()))
    for site in expression.part_of if kinds else ():
        if recorder.broke(site, kinds, {**given, "result": seen}):
            _act(recorder, site, "a part of ", {name: held.value for name, held in operands.items()})


def _act(recorder: Recorder, site: Site, what: str, values: dict[str, Any]) -> None:
    """Stop or debug at a site where something was born, if that was asked for."""
    if recorder.options.on_nan == "continue":
        return
    message = f"{site.path}:{site.span.row}:{site.span.column} {site.code} confirmed: non-finite in {what}{site.op}"
    recorder.act(message, [Tensor(name, Health(), value) for name, value in values.items()])


def _whole(recorder: Recorder, expression: Expression) -> bool:
    return all(recorder.executions(site) < WHOLE for site in (*expression.sites, *expression.part_of))


def look(recorder: Recorder, value: Any, whole: bool) -> Look:
    """The breakdown of a value, or its least and greatest number where that is enough; None if it has no numbers."""
    if isinstance(value, (int, float)):
        return health_of_numbers((float(value),))
    adapter = recorder.adapter_of(value)
    if adapter is None or not adapter.concrete(value):
        return None
    glance = None if whole else adapter.glance(value)
    return adapter.health(value) if glance is None else glance
