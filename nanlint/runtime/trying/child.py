"""The process in which functions are called: it imports the file with probes, calls, and tells what it sees as it goes.

It may end at any moment, by what it calls or by who started it: each message is a line of JSON.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import os
import sys
import time
import typing
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from nanlint.runtime.adapters.calling import FRAMEWORKS, Framework, frameworks
from nanlint.runtime.library import verify
from nanlint.runtime.trying.confining import confine, limit_files
from nanlint.runtime.trying.corners import SHAPES, Input, Inputs, alternatives, ordinary, simpler, trials
from nanlint.runtime.trying.inputs import kept
from nanlint.runtime.trying.messages import Done, Failure, Message, Order

#: bases from which corners are tried
BASES = 3


def main() -> None:
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # what it prints is nobody's
        os.dup2(quiet, stream)

    def tell(message: Message) -> None:
        channel.write(msgspec.json.encode(message) + b"\n")

    warnings.simplefilter("ignore")
    with verify(watch="all", confidence="possible", run_directory=order.directory) as run:
        made = {name: FRAMEWORKS[name]() for name in frameworks(order.packages)}
        limit_files()
        current = ""
        confine(os.getcwd(), lambda what: tell(Message(current, refused=what)))
        sys.path.insert(0, order.root)
        try:
            module = importlib.import_module(order.module)
        except BaseException as error:
            tell(Message(problem=_said(error)))
            return
        for current in order.functions:
            tell(Message(current))
            tell(Tried(current, order, module, made, run, tell).message())


class Tried:
    """One function, and what becomes of it."""

    def __init__(
        self,
        name: str,
        order: Order,
        module: Any,
        made: dict[str, Framework],
        run: Any,
        tell: Callable[[Message], None],
    ) -> None:
        self._name, self._module, self._frameworks, self._run = name, module, made, run
        self._tell, self._wanted = tell, frozenset(order.functions[name])
        self._path, self._inputs = order.path, order.inputs
        self._began, self._seconds = time.monotonic(), order.seconds
        self._accepted = self._parts = False
        self._problem = ""
        self._tries = 0
        self._failed: set[str] = set()
        self._reached: set[str] = set()

    def message(self) -> Message:
        """Try it; what came of it."""
        known: set[str] = set()
        for varied in (False, True):  # masks, indices and lists only where nothing else goes that far
            bases: list[tuple[str, Inputs]] = []
            for framework, inputs in self._candidates(varied):
                reached = self._call(framework, inputs)
                if reached is not None and not reached <= known:
                    bases.append((framework, inputs))
                    known |= reached
                if self._wanted <= known or self._is_late(0.3 + 0.3 * varied):
                    break
            for number, (framework, inputs) in enumerate(bases):
                for changed in trials(inputs):
                    self._call(framework, changed)
                    if self._wanted <= self._failed or self._is_late((number + 1) / len(bases)):
                        break
            if self._wanted <= known:
                break
        problem = "" if self._accepted else self._problem or "no input was found that it takes"
        return Message(self._name, done=Done(self._tries, tuple(sorted(self._reached)), problem))

    def _is_late(self, part: float) -> bool:
        return time.monotonic() > self._began + part * self._seconds

    def _candidates(self, varied: bool) -> Iterator[tuple[str, Inputs]]:
        """Ordinary inputs, those first that most functions take; ``varied``: with one that is no array of numbers."""
        try:
            parameters = self._parameters()
        except Exception as error:
            self._problem = _said(error)
            return
        unknown = [i for i, (_, known) in enumerate(parameters) if known is UNKNOWN]
        if not varied:
            names = [name for name in inspect.signature(self._function()).parameters if name != "self"]
            for framework, given in kept(self._inputs, self._path, self._name):
                yield framework, tuple(one for one in given if one.name in names)
        for framework, shape in itertools.product(self._frameworks, SHAPES):
            inputs = tuple(
                Input(name, ordinary(shape, i) if known is UNKNOWN else known, varied=known is UNKNOWN)
                for i, (name, known) in enumerate(parameters)
            )
            if not varied:
                yield framework, inputs
                continue
            for i in unknown:
                for other in alternatives(shape, i):
                    yield framework, (*inputs[:i], inputs[i].changed(other, ""), *inputs[i + 1 :])

    def _parameters(self) -> list[tuple[str, Any]]:
        owner, _, _ = self._name.rpartition(".")
        function = self._function()
        found = []
        hints = _hints(function)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.default is not parameter.empty:
                continue  # what it is if nobody says otherwise
            found.append((parameter.name, _plain(hints.get(parameter.name))))
        return found[1:] if owner and found and not self._is_bound() else found

    def _function(self) -> Any:
        found = self._module
        for part in self._name.split("."):
            found = getattr(found, part)
        return found

    def _is_bound(self) -> bool:
        owner, _, name = self._name.rpartition(".")
        holder = self._module
        for part in owner.split("."):
            holder = getattr(holder, part)
        return isinstance(inspect.getattr_static(holder, name), (staticmethod, classmethod))

    def _constructed(self) -> tuple[Any, dict[str, Any]]:
        """The class of a method that needs an instance, with what it is made of; None for a function."""
        owner, _, _ = self._name.rpartition(".")
        if not owner or self._is_bound():
            return None, {}
        cls = self._module
        for part in owner.split("."):
            cls = getattr(cls, part)
        hints = _hints(cls.__init__)
        needed = [
            one.name
            for one in inspect.signature(cls).parameters.values()
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        ]
        plain = {name: _plain(hints.get(name)) for name in needed}
        return cls, {name: 3 if x is UNKNOWN else x for name, x in plain.items()}

    def _call(self, name: str, inputs: Inputs) -> set[str] | None:
        """Call once; the sites that were reached, None if it does not take the inputs. Tells of what fails."""
        fresh = self._fails(name, inputs)
        if fresh is None:
            return None
        for site, (kinds, role) in fresh.items():
            if site not in self._failed:
                self._failed.add(site)
                plainest, kinds, role = self._plainest(name, inputs, site, kinds, role)
                self._tell(Message(self._name, failure=self._failure(site, plainest, kinds, role, name)))
        return set(self._now)

    def _plainest(
        self, name: str, inputs: Inputs, site: str, kinds: tuple[str, ...], role: str
    ) -> tuple[Inputs, tuple[str, ...], str]:
        for smaller in simpler(inputs):
            found = self._fails(name, smaller)
            if found and site in found:
                return smaller, *found[site]
        return inputs, kinds, role

    def _fails(self, name: str, inputs: Inputs) -> dict[str, tuple[tuple[str, ...], str]] | None:
        """Call once, and what kinds of number were made at which site, in which role; None if it was not callable."""
        framework = self._frameworks[name]
        recorder = self._run._recorder
        recorder.forget_sites()
        self._tries += 1
        try:
            cls, arguments = self._constructed()
            function = getattr(cls(**arguments), self._name.rpartition(".")[2]) if cls else self._function()
            given = {one.name: _made(one.value, framework) for one in inputs}
            positional, named = _arranged(function, given)
            with np.errstate(all="ignore"):
                self._parts = isinstance(framework.run(function, positional, named), (tuple, list))
        except (Exception, SystemExit) as error:
            self._problem = self._problem or _said(error)
            return self._observed() or None
        self._accepted = True
        return self._observed()

    def _failure(self, site: str, inputs: Inputs, kinds: tuple[str, ...], role: str, used: str) -> Failure:
        framework = self._frameworks[used]
        cls, arguments = self._constructed()
        constructed = f"{cls.__qualname__}({_listed(arguments)})." if cls else ""
        name = self._name.rpartition(".")[2] if cls else self._name
        call = f"{constructed}{name}({', '.join(f'{one.name}={one.name}' for one in inputs)})"
        floats = sorted((one for one in inputs if one.is_float), key=lambda one: not one.change)
        return Failure(
            site=site,
            inputs=tuple((one.name, _shown(one.value), one.change) for one in inputs),
            kinds=kinds,
            role=role,
            framework=used,
            test=tuple(f"{one.name} = {_written(one.value, framework)}" for one in inputs),
            call=call,
            by=floats[0].name if floats else "",
            parts=self._parts,
        )

    def _observed(self) -> dict[str, tuple[tuple[str, ...], str]]:
        seen = self._run._recorder.seen_sites()
        self._now = set(seen)
        self._reached |= self._now
        return {key: found for key, found in seen.items() if found[0]}


class _Unknown:
    """A parameter of which nothing is known."""


UNKNOWN = _Unknown()


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:
        return {}


def _plain(hint: Any) -> Any:
    """An ordinary value of an annotation; UNKNOWN where it says nothing, or an array."""
    return {float: 0.5, int: 3, bool: True, str: "mean"}.get(hint, UNKNOWN)


def _made(value: Any, framework: Framework) -> Any:
    if isinstance(value, np.ndarray):
        return framework.array(value)
    if isinstance(value, list):
        return [_made(one, framework) for one in value]
    return {key: _made(one, framework) for key, one in value.items()} if isinstance(value, dict) else value


def _arranged(function: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by position up to the first that is left out, the others by name."""
    positional: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in given or parameter.kind is parameter.KEYWORD_ONLY:
            break
        positional.append(given[name])
    return positional, dict(list(given.items())[len(positional) :])


def _listed(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def _said(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, separator=", ", threshold=12).replace("\n", "")
        return f"{text} ({value.dtype}, shape {value.shape})"
    if isinstance(value, list):
        return f"[{', '.join(_shown(one) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_shown(one)}' for key, one in value.items())}}}"
    return repr(value)


def _written(value: Any, framework: Framework) -> str:
    if isinstance(value, np.ndarray):
        return framework.made.format(numbers=_numbers(value.tolist()), dtype=value.dtype.name)
    if isinstance(value, list):
        return f"[{', '.join(_written(one, framework) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_written(one, framework)}' for key, one in value.items())}}}"
    return repr(value)


def _numbers(value: Any) -> str:
    """Numbers as Python reads them."""
    if isinstance(value, list):
        return f"[{', '.join(_numbers(one) for one in value)}]"
    return f'float("{value}")' if isinstance(value, float) and not np.isfinite(value) else repr(value)


if __name__ == "__main__":
    main()
