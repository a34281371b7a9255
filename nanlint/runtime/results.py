"""What a program leaves behind: what it prints, logs and writes, what it saves, what it keeps to its end.

Only what is not finite there is asked about, and what the program did not write as such itself (``written``) is told.
Nothing here is about a framework: what tensors hold is asked of their adapters.
"""

from __future__ import annotations

import bdb
import builtins
import functools
import gc
import io
import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import Any, Protocol

from nanlint.runtime import hooks
from nanlint.runtime.adapter import Adapter
from nanlint.runtime.adapters.stores import READS, SAVES
from nanlint.runtime.events import Stack
from nanlint.runtime.frames import OWN, Line, place
from nanlint.runtime.health import Health, Kinds, health_of_numbers
from nanlint.runtime.hooks import Hooks, safely
from nanlint.runtime.written import DATA, TOKEN, Written, kinds_in

#: as a failure is told
WHAT = "what the program leaves"
#: as it is where nothing stands in its place
OPEN = open
#: files that were read, and characters of each, that are looked at
FILES, LARGE = 1_000, 1 << 24
#: arguments of what saves that are looked at
MANY = 4
#: objects of one result that are looked at, how deep they may lie, and results that are told
MOST, DEEP, TOLD = 20_000, 40, 8
#: attributes in which models keep what has names of its own
INNER = frozenset({"_parameters", "_buffers", "_modules", "state", "param_groups"})
#: texts of programs that are no file (``-c``)
TEXTS: dict[str, str] = {}


class Told(io.TextIOWrapper):
    """A file whose text is looked at as it is written."""

    results: Results

    def write(self, text: str, /) -> int:
        """As of any file."""
        self.results.hear(text, str(self.name))
        return super().write(text)


class Opened:
    """``open``, which gives the user's code files that tell what is written; as a builtin, it binds to nothing."""

    def __init__(self, results: Results, own: Any) -> None:
        self._results, self._own = results, own
        functools.update_wrapper(self, own)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        file = self._own(*args, **kwargs)
        if type(file) is not io.TextIOWrapper:
            return file
        if not file.writable() and len(self._results.opened) < FILES:
            self._results.opened.add(os.path.abspath(str(file.name)))
        elif file.writable() and self._results.heeds(sys._getframe(1)):
            newline = kwargs.get("newline", args[5] if len(args) > 5 else None)
            mode, buffered, encoding, errors = file.mode, file.line_buffering, file.encoding, file.errors
            file = Told(file.detach(), encoding, errors, newline, buffered)
            file.mode, file.results = mode, self._results  # type: ignore[misc]
        return file


class Record(hooks.Told, Protocol):
    """What keeps what is found: the record of the process."""

    adapters: list[Adapter]

    def owns_file(self, path: str) -> bool: ...
    def user_line(self) -> Line | None: ...
    def adapter_of(self, value: Any) -> Adapter | None: ...
    def left(self, name: str, health: Health, *, asked: str, frames: Stack = ()) -> None: ...


class Results:
    """The results of a process."""

    def __init__(self, watch: Record) -> None:
        self.watch = watch
        self._hooks = Hooks(watch)
        self.written = Written(self._files, TEXTS)
        #: whether what is left is told of
        self.heeded = True
        self._told = 0
        self._undo: list[Callable[[], object]] = []
        self._started = False
        #: objects that were looked at under the name that the program has for them
        self._named: set[int] = set()
        self._outside: Kinds = frozenset()
        #: files that were opened to read them
        self.opened: set[str] = set()

    def start(self) -> None:
        """Hear of what is written from now on, and look at what there is at the end."""
        self._started = True
        for stream in (sys.stdout, sys.stderr):
            if type(stream) is io.TextIOWrapper:
                self._tell_of(stream)
        opened = Opened(self, builtins.open)
        for owner in (builtins, io):
            self._hooks.put(owner, "open", opened)
        self._hooks.around(bdb.Bdb, "stop_here", _stops, "a debugger")

    def stop(self) -> None:
        """Look at what the user's modules hold, and hear no more."""
        self._hooks.take_away()
        while self._undo:
            self._undo.pop()()
        if not self._started:  # what else there is in a program is none of a watch over a part of it
            return
        safely(self.watch, WHAT, self._left)
        for one in gc.get_objects() if self._holders else ():
            if issubclass(type(one), self._holders):
                safely(self.watch, WHAT, self.kept, one)

    @property
    def outside(self) -> Kinds:
        """The kinds of what was read from outside; the texts of the program's files are looked at only here."""
        while self.opened:
            path = self.opened.pop()
            if os.path.isfile(path) and not path.endswith(".py") and self.watch.owns_file(path):
                with suppress(OSError), OPEN(path, errors="replace") as file:
                    self._outside |= kinds_in(file.read(LARGE), DATA)
        return self._outside

    def came_in(self, kinds: Iterable[str]) -> None:
        """See ``Watch.came_in``."""
        self._outside = self._outside.union(kinds)

    # ── what is written ─────────────────────────────────────────────────────────────────────────────────────────────

    def heeds(self, caller: Any) -> bool:
        """Whether a file is told of that is opened here: by the user's code, or for it by Python's own."""
        while caller is not None and caller.f_globals.get("__name__", "").partition(".")[0] in sys.stdlib_module_names:
            caller = caller.f_back
        return caller is not None and self.watch.owns_file(caller.f_code.co_filename)

    def hear(self, text: str, name: str) -> None:
        """This is written into a file, or printed."""
        if ("n" in text or "N" in text or "I" in text) and TOKEN.search(text):
            safely(self.watch, WHAT, self._wrote, text, name)

    def _tell_of(self, stream: io.TextIOWrapper) -> None:
        def write(text: str, /) -> int:
            if isinstance(text, str):
                self.hear(text, "")
            return io.TextIOWrapper.write(stream, text)

        stream.write = write  # type: ignore[method-assign]
        self._undo.append(functools.partial(vars(stream).pop, "write", None))

    def _wrote(self, text: str, name: str) -> None:
        line = self.watch.user_line()
        kinds = self.written.unwritten(text)
        if line is None or not kinds - self.outside:
            return
        kinds -= self.written.kinds_at(line[0], line[1])
        if kinds:
            what = "a number that is written" if name else "a number that is printed"
            held = Health(**dict.fromkeys(kinds, 1), dtype="float", shape=())
            self._tell(what, held, line[:2], name or "standard output")

    # ── what is saved and kept ──────────────────────────────────────────────────────────────────────────────────────

    def meets(self, module: str) -> None:
        """A module is there with which programs save, or read."""
        for hook, names in (self._saves, SAVES.get(module, ())), (self._reads, READS.get(module, ())):
            for path in names:
                *owners, name = path.split(".")
                owner: Any = sys.modules[module]
                for part in owners:
                    owner = getattr(owner, part, None)
                if hasattr(owner, name):
                    asked = f"{'np' if module == 'numpy' else module}.{path}()"
                    self._hooks.around(owner, name, functools.partial(hook, asked), f"{module}.{path}")

    def _reads(self, _: str, original: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)
        safely(self.watch, WHAT, self._was_given, found)
        return found

    def _was_given(self, found: Any) -> None:
        found = found.to_numpy() if hasattr(found, "to_numpy") else found
        self.came_in(kind for _, health in self._bad(found, "") for kind in health.bad)

    def _saves(self, asked: str, original: Any, *args: Any, **kwargs: Any) -> Any:
        safely(self.watch, WHAT, self.saved, [*args[:MANY], *kwargs.values()], asked)
        return original(*args, **kwargs)

    def saved(self, values: Iterable[Any], asked: str) -> None:
        """This is what the program saves here."""
        line = self.watch.user_line()
        if line is None:
            return
        for name, health in self._bad(list(values), ""):
            written = self.written.kinds_at(line[0], line[1]) | self.written.kinds(*name.split("."))
            if health.bad - written - self.outside:
                self._tell(f"what is saved as {name}" if name else "what is saved", health, line[:2], asked)
                return

    def kept(self, owner: object, own: bool = False) -> None:
        """See ``Watch.kept``; also of what is there at the end."""
        if id(owner) in self._named:  # with what it is a part of
            self._named.discard(id(owner))
        elif own or self._started:
            name = getattr(owner, "name", "") or "a value"
            self._look(owner, "", lambda path: f"{path or name} of {type(owner).__name__}", "its end")

    def _left(self) -> None:
        """What the user's modules hold at the end, where it is there to stay.

        What others only use may be on the way to something else. Of the user's own objects that is what changes in them
        after they are made; and -inf there is the log of a 0, as a mask has it.
        """
        for path, module in list(self._modules()):
            for name, value in list(vars(module).items()):
                stays = isinstance(value, self._holders) or self.written.is_kept(name, path)
                if not name.startswith("__") and (stays or self._is_users(value)):
                    self._look(value, name, lambda found: found, "the end of the program", not stays)

    def _look(self, value: object, name: str, called: Callable[[str], str], asked: str, changing: bool = False) -> None:
        """Tell of the first that is not finite in a value, and that the program did not write so."""
        for path, health in self._bad(value, name, changing):
            names = path.split(".")
            if health.bad - self.written.kinds(*names) - self.outside - ({"ninf"} if changing else set()):
                self._tell(called(path), health, self.written.line(names[-1]) or self.written.line(name), asked)
                return

    def _tell(self, name: str, health: Health, line: tuple[str, int] | None, asked: str) -> None:
        if self.heeded and self._told < TOLD:
            self._told += 1
            frames = () if line is None else (place(*line),)
            self.watch.left(name, health, asked=asked, frames=frames)

    def _modules(self) -> Iterator[tuple[str, ModuleType]]:
        """The user's modules that are loaded, by their files."""
        for name, module in list(sys.modules.items()):
            held = vars(module) if isinstance(module, ModuleType) else {}  # others may import what they stand for
            path = held.get("__file__") or ("<string>" if name == "__main__" else None)
            if isinstance(path, str) and self.watch.owns_file(path):
                yield path, module

    def _files(self) -> Iterator[str]:
        return (path for path, _ in self._modules())

    def _bad(self, value: Any, name: str, changing: bool = False) -> Iterator[tuple[str, Health]]:
        """What is not finite in a value, and in what it holds, by its path: ``average.weight``.

        ``changing``: of the user's objects only what is stored in them after they are made.
        """
        seen: set[int] = set()
        todo = [(value, name, 0)]
        while todo and len(seen) < MOST:
            value, name, depth = todo.pop()
            adapter = self.watch.adapter_of(value)
            if isinstance(value, float) and adapter is None:
                health = Health() if math.isfinite(value) else health_of_numbers((value,))
            elif adapter is not None:
                plain = not adapter.concrete(value) or adapter.glance(value) is not None
                health = Health() if plain else adapter.health(value)
            else:
                holder = isinstance(value, self._holders)
                if holder and name:
                    self._named.add(id(value))
                if id(value) not in seen and depth < DEEP and (name or not holder or not depth):
                    seen.add(id(value))
                    parts = self._parts(value, changing)
                    todo += [(one, ".".join(filter(None, (name, key))), depth + 1) for key, one in parts]
                continue
            if health.bad:
                yield name, health

    def _parts(self, value: Any, changing: bool) -> Iterator[tuple[str, Any]]:
        """What an object holds, by its names; of one of a library's own class only tensors, and what holds tensors."""
        if isinstance(value, dict):
            yield from ((key if isinstance(key, str) else "", one) for key, one in list(value.items()))
        elif isinstance(value, (list, tuple, set, frozenset, deque)):
            yield from (("", one) for one in list(value))
        elif isinstance(value, FunctionType):
            cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            for name, cell in cells:
                with suppress(ValueError):  # nothing is in it yet
                    if self.written.is_kept(name, value.__code__.co_filename):
                        yield name, cell.cell_contents
        elif self._is_users(value) or isinstance(value, self._holders):
            library, changes = not self._is_users(value), self.written.changes
            slots = (one for kind in type(value).__mro__ for one in _several(vars(kind).get("__slots__", ())))
            held = {**{one: getattr(value, one, None) for one in slots}, **getattr(value, "__dict__", {})}
            for key, one in held.items():
                if isinstance(one, float) if library else key.startswith("__") or (changing and not changes(key)):
                    continue
                yield "" if key in INNER else key, one

    def _is_users(self, value: object) -> bool:
        """Whether it is an object of a class of the user's, such a class, or a function of theirs."""
        if isinstance(value, FunctionType):
            return self.watch.owns_file(value.__code__.co_filename)
        kind = value if isinstance(value, type) else type(value)
        module = sys.modules.get(kind.__module__)
        path = getattr(module, "__file__", None) or ("<string>" if kind.__module__ == "__main__" else "")
        return bool(path) and self.watch.owns_file(path)  # a class of Python's own has no file

    @property
    def _holders(self) -> tuple[type, ...]:
        return tuple(kind for one in self.watch.adapters for kind in one.holders)


def _stops(original: Any, debugger: Any, frame: Any) -> Any:
    """Who steps through a program meets none of what stands in the place of its own functions."""
    return not frame.f_code.co_filename.startswith(OWN) and original(debugger, frame)


def _several(names: str | Iterable[str]) -> Iterable[str]:
    """What ``__slots__`` may be."""
    return (names,) if isinstance(names, str) else names
