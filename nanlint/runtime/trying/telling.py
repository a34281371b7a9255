"""What came of the calls, in words, as JSON, and as tests for pytest."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence

from nanlint.output.paint import Paint
from nanlint.runtime.adapters.calling import FRAMEWORKS
from nanlint.runtime.sites import GRADIENT_OF
from nanlint.runtime.telling import KINDS
from nanlint.runtime.trying.trying import Verdict, place_of


def render_tried(verdicts: Sequence[Verdict], paint: Paint) -> str:
    """Each finding with what became of it, and a count."""
    lines = []
    for one in verdicts:
        found = one.diagnostic
        place = f"{found.path}:{found.span.row}:{found.span.column}"
        lines.append(f"{paint(place, 'path')}: {paint(found.code, 'error')} {found.message}")
        lines += [f"  {line}" for line in _told(one)]
    fails = sum(one.state == "fails" for one in verdicts)
    finite = sum(one.state == "stays finite" for one in verdicts)
    count = f"{len(verdicts)} finding{'s' * (len(verdicts) != 1)}"
    rest = len(verdicts) - fails - finite
    lines.append(f"{count} tried: {fails} failed, {finite} stayed finite, {rest} could not be tried.")
    return "\n".join(lines) + "\n"


def _told(one: Verdict) -> list[str]:
    if (failure := one.failure) is not None:
        what = " and ".join(KINDS[kind] for kind in failure.kinds)
        where = "in the gradient" if failure.role.startswith(GRADIENT_OF) else "in its result"
        changed = [f"`{name}` {change}" for name, _, change in failure.inputs if change]
        how = f" with {' and '.join(changed)}" if changed else " with ordinary numbers"
        lines = [f"fails: {what} {where} when {one.function} is called{how}:"]
        return [*lines, *(f"  {name} = {value}" for name, value, _ in failure.inputs)]
    if one.state == "stays finite":
        return [f"stays finite in {one.tries} calls of {one.function}{f' ({one.why})' * bool(one.why)}"]
    if one.state == "not reached":
        return [f"not reached in {one.tries} calls of {one.function}{f' ({one.why})' * bool(one.why)}"]
    return [f"could not be tried: {f'{one.function}: ' * bool(one.function)}{one.why}"]


def render_tried_json(verdicts: Sequence[Verdict]) -> str:
    """The same for programs."""
    found = [
        {
            "filename": os.path.abspath(one.diagnostic.path),
            "row": one.diagnostic.span.row,
            "column": one.diagnostic.span.column,
            "code": one.diagnostic.code,
            "function": one.function,
            "verdict": one.state,
            "calls": one.tries,
            "reason": one.why,
            "kinds": [KINDS[kind] for kind in one.failure.kinds] if one.failure else [],
            "role": one.failure.role if one.failure else "",
            "inputs": [
                {"name": name, "value": value, "change": change}
                for name, value, change in (one.failure.inputs if one.failure else ())
            ],
        }
        for one in verdicts
    ]
    return json.dumps(found, indent=2) + "\n"


def tests_of(path: str, verdicts: Sequence[Verdict]) -> str:
    """A test for each failure: it fails until the function is mended. Empty if nothing failed."""
    module = place_of(path)[1]
    failed = [(one, one.failure) for one in verdicts if one.failure is not None and one.failure.call]
    made = {failure.framework: FRAMEWORKS[failure.framework]() for _, failure in failed}
    if not failed:
        return ""
    imports = sorted({line for framework in made.values() for line in framework.imports})
    names = sorted({one.function.partition(".")[0] for one, _ in failed})
    lines = ['"""Inputs that made a nan or inf, found by `nanlint try`."""', "", *imports, ""]
    lines += [f"from {module} import {', '.join(names)}"]
    taken: Counter[str] = Counter()
    for one, failure in failed:
        name = re.sub(r"\W", "_", f"test_{one.function}_{one.diagnostic.code}".lower())
        taken[name] += 1
        suffix = f"_{taken[name]}" if taken[name] > 1 else ""
        framework = made[failure.framework]
        lines += ["", "", f"def {name}{suffix}():", *(f"    {line}" for line in failure.test)]
        if failure.role.startswith(GRADIENT_OF) and failure.by:
            lines += [f"    {line.format(name=failure.by, call=failure.call)}" for line in framework.gradient]
        elif failure.parts:
            lines += [f"    for part in {failure.call}:", f"        assert {framework.finite.format(result='part')}"]
        else:
            lines += [f"    result = {failure.call}", f"    assert {framework.finite.format(result='result')}"]
    return "\n".join(lines) + "\n"
