"""The process in which functions are called: it imports the file with probes, calls, and tells what it sees as it goes.

It may end at any moment, by what it calls or by who started it: each message is a line of JSON.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import operator
import os
import re
import sys
import time
import typing
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from nanlint.runtime.adapters.calling import FRAMEWORKS, Call, Framework, frameworks
from nanlint.runtime.library import verify
from nanlint.runtime.trying.corners import (
    SHAPES,
    Held,
    Input,
    Inputs,
    Object,
    alternatives,
    mapped,
    ordinary,
    simpler,
    trials,
)
from nanlint.runtime.trying.inputs import kept
from nanlint.runtime.trying.messages import Done, Failure, Message, Order

#: audit events after which nothing of this process would be as it was, or others would hear of it
NEVER = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty"),
        *("os.startfile", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill", "webbrowser.open"),
        *("socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
        *("ftplib.connect", "smtplib.connect", "http.client.connect", "urllib.Request"),
    }
)
#: audit events that change what stands at the paths that they name
CHANGING = frozenset(
    {
        *("os.remove", "os.rmdir", "os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.chown", "os.chflags", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move"),
        *("shutil.copyfile", "shutil.copytree", "shutil.chown", "sqlite3.connect"),
    }
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """The function that is tried wanted to do what it may not."""


def confine(allowed: str, tell: Callable[[str], None]) -> None:
    """From now on, refuse what changes anything outside of a directory. ``tell`` hears of what was refused."""
    inside = os.path.join(os.path.realpath(allowed), "")

    def outside(path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False  # a file that is open
        name = os.path.realpath(os.fsdecode(path))
        return name != os.devnull and not os.path.join(name, "").startswith(inside)

    def audit(event: str, args: tuple[Any, ...]) -> None:
        what = ""
        if event in NEVER:
            what = event
        elif event == "open" and isinstance(args[2], int) and args[2] & _WRITING and outside(args[0]):
            what = f"open {os.fsdecode(args[0])} for writing"
        elif event in CHANGING and any(outside(path) for path in args[:2]):
            what = f"{event} {os.fsdecode(next(path for path in args[:2] if outside(path)))}"
        if what:
            tell(what)
            raise Refused(f"nanlint try does not let it: {what}")

    sys.addaudithook(audit)


def limit_files() -> None:
    """Let no file of this process, also one that is written past Python, become large; write no core."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


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
                of_run = any(isinstance(one.value, Object) for one in inputs)
                if reached is not None and (of_run or not reached <= known):
                    bases.append((framework, inputs))
                    known |= reached
                if (self._wanted <= known and not of_run) or self._is_late(0.3 + 0.3 * varied):
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
            names = inspect.signature(self._function()).parameters
            for framework, given in kept(self._inputs, self._path, self._name, self._module):
                yield framework, tuple(one for one in given if one.name.partition(".")[0] in names)
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
        found = _needed(self._function(), self._function())
        return found[1:] if "." in self._name and not self._is_bound() else found

    def _function(self) -> Any:
        return operator.attrgetter(self._name)(self._module)

    def _is_bound(self) -> bool:
        owner, _, name = self._name.rpartition(".")
        held = inspect.getattr_static(operator.attrgetter(owner)(self._module), name)
        return isinstance(held, (staticmethod, classmethod))

    def _constructed(self) -> tuple[Any, dict[str, Any]]:
        """The class of a method that needs an instance, with what it is made of; None for a function."""
        owner, _, _ = self._name.rpartition(".")
        if not owner or self._is_bound():
            return None, {}
        cls = operator.attrgetter(owner)(self._module)
        needed = _needed(cls, cls.__init__)
        return cls, {name: 3 if x is UNKNOWN else x for name, x in needed}

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
            function, given = self._callable(framework, inputs)
            positional, named = _arranged(function, given)
            with np.errstate(all="ignore"):
                self._parts = isinstance(framework.run(function, positional, named), (tuple, list))
        except (Exception, SystemExit) as error:
            self._problem = self._problem or _said(error)
            return self._observed() or None
        self._accepted = True
        return self._observed()

    def _callable(self, framework: Framework, inputs: Inputs) -> tuple[Call, dict[str, Any]]:
        """What is called, and with what: a method of an object that is made, as in a run if it was kept."""
        made = _made(framework, inputs)
        for name in [name for name in made if "." in name]:
            owner, _, attribute = name.partition(".")
            vars(made[owner])[attribute] = made.pop(name)
        cls, arguments = self._constructed()
        if cls is None:
            return self._function(), made
        owner = made.pop("self") if "self" in made else cls(**arguments)
        return getattr(owner, self._name.rpartition(".")[2]), made

    def _failure(self, site: str, inputs: Inputs, kinds: tuple[str, ...], role: str, used: str) -> Failure:
        framework = self._frameworks[used]
        cls, arguments = self._constructed()
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        constructed = f"{cls.__qualname__}({given})." if cls else ""
        name = self._name.rpartition(".")[2] if cls else self._name
        call = f"{constructed}{name}({', '.join(f'{one.name}={one.name}' for one in inputs)})"
        floats = sorted((one for one in inputs if one.is_float), key=lambda one: not one.change)
        return Failure(
            site=site,
            inputs=tuple((one.name, repr(mapped(one.value, _shown)), one.change) for one in inputs),
            kinds=kinds,
            role=role,
            framework=used,
            test=tuple(f"{one.name} = {mapped(one.value, functools.partial(_written, framework))!r}" for one in inputs),
            call="" if any(isinstance(one.value, Object) for one in inputs) else call,
            by=floats[0].name if floats else "",
            parts=self._parts,
        )

    def _observed(self) -> dict[str, tuple[tuple[str, ...], str]]:
        seen = self._run._recorder.seen_sites()
        self._now = set(seen)
        self._reached |= self._now
        return {key: found for key, found in seen.items() if found[0]}


def _made(framework: Framework, inputs: Inputs) -> dict[str, Any]:
    """What inputs are in a framework, by name."""

    def held(x: Held) -> Any:
        return framework.held(x.array, x.trained)

    return {one.name: mapped(one.value, framework.array, held, _object) for one in inputs}


def _object(one: Object) -> Any:
    """What an object is now: constructed, or made without its constructor with what it held."""
    if one.constructed:
        return one.cls(**one.held)
    made: Any = object.__new__(one.cls)
    vars(made).update(one.held)
    return made


class _Unknown:
    """A parameter of which nothing is known."""


UNKNOWN = _Unknown()


#: an ordinary value of an annotation
PLAIN: dict[Any, Any] = {float: 0.5, int: 3, bool: True, str: "mean"}


def _needed(called: Any, annotated: Any) -> list[tuple[str, Any]]:
    """The parameters without a default, with an ordinary value; UNKNOWN where none is known, or it is an array."""
    hints: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        hints = typing.get_type_hints(annotated)
    return [
        (one.name, PLAIN.get(hints.get(one.name), UNKNOWN))
        for one in inspect.signature(called).parameters.values()
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]


def _arranged(function: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by position up to the first that is left out, the others by name."""
    positional: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in given or parameter.kind is parameter.KEYWORD_ONLY:
            break
        positional.append(given[name])
    return positional, dict(list(given.items())[len(positional) :])


def _said(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Text(str):
    """A text that stands as it is in what holds it."""

    __slots__ = ()
    __repr__ = str.__str__


def _shown(value: np.ndarray) -> str:
    text = np.array2string(value, precision=4, separator=", ", threshold=12).replace("\n", "")
    return _Text(f"{text} ({value.dtype}, shape {value.shape})")


def _written(framework: Framework, value: np.ndarray) -> str:
    """What makes an array, with its numbers as Python reads them."""
    numbers = re.sub(r"-?\b(nan|inf)\b", r'float("\g<0>")', repr(value.tolist()))
    return _Text(framework.made.format(numbers=numbers, dtype=value.dtype.name))


if __name__ == "__main__":
    main()
