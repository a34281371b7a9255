"""Do no harm: a hook that fails yields to what the program does without it, and its failure is told once.

All that a framework, Python or the program calls of nanlint's goes through here. What only looks is called by
``safely``, or stands in a ``Guard``. What stands in the place of a function of theirs is made by ``around``: whatever
becomes of the hook, the function is called just once, and the program gets what it gave.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

#: the kind of alert that tells of a failure of nanlint's own
INTERNAL = "internal"


def never() -> bool:
    """No framework compiles."""
    return False


#: whether a framework is compiling the calling code, which then must not look at values; set by its adapter
compiling: Callable[[], bool] = never


class NonFinite(FloatingPointError):
    """A nan or inf was born, and the run was to be stopped there (``--on-nan stop``): no failure of a hook."""


class Told(Protocol):
    """Whoever keeps what is told: a ``Watch``."""

    def alert(self, kind: str, message: str) -> None:
        """Tell something, once."""


class Guard:
    """Around a look at what the program does, which ends quietly where it fails. Made once, entered often."""

    __slots__ = ("_failed", "_watch", "_what")

    def __init__(self, watch: Told, what: str) -> None:
        self._watch, self._what, self._failed = watch, what, False

    def __enter__(self) -> None:
        """Look."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        """Whether the program goes on as if nothing had happened."""
        if error is None:
            return False
        if not isinstance(error, Exception) or isinstance(error, NonFinite):
            return False
        if not self._failed:
            self._failed = True
            tell(self._watch, self._what, error)
        return True


def tell(watch: Told, what: str, error: Exception) -> None:
    """Tell that ``what`` could not be looked at. Never fails."""
    try:
        watch.alert(
            INTERNAL,
            f"nanlint could not watch {what} ({type(error).__name__}: {error}); the program was not affected",
        )
    except Exception:
        return


def safely(watch: Told, what: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call what only looks, at ``what``: its failure never reaches the program; what stops the program does."""
    if compiling():
        return
    with Guard(watch, what):
        function(*args, **kwargs)


class Own:
    """The program's own function, as a hook around it calls it: what came of it is known if the hook fails after."""

    __slots__ = ("called", "error", "function", "result")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.called = False
        self.result: Any = None
        self.error: BaseException | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.called = True
        try:
            result = self.result = self.function(*args, **kwargs)
        except BaseException as error:
            self.error = error
            raise
        return result

    def gives(self, result: Any) -> None:
        """This is what the program gets, however the hook came by it."""
        self.called, self.result = True, result


def around(
    watch: Told, what: str, function: Callable[..., T], hook: Callable[..., T], *, compiles: bool = False
) -> Callable[..., T]:
    """``function`` with a hook around it, which is called with it (as ``Own``) and with its arguments.

    Where the hook fails, the program gets what the function gave: it is called then, if it was not before. A failure of
    the function is the program's, and is not told. ``compiles``: it is no code of the program's that is compiled, but
    what compiles it.
    """
    failed = False

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        nonlocal failed
        if not compiles and compiling():
            return function(*args, **kwargs)
        own = Own(function)
        try:
            return hook(own, *args, **kwargs)
        except Exception as error:
            if error is own.error or isinstance(error, NonFinite):
                raise
            if own.error is not None:
                raise own.error from None
            failure = error
        finally:
            own.error = None  # which holds what was there when it was raised
        result = own.result if own.called else function(*args, **kwargs)
        if not failed:
            failed = True
            tell(watch, what, failure)
        return result

    vars(guarded)["nanlint"] = what
    return guarded


class Hooks:
    """What stands in the place of attributes of a framework's, until it is taken away."""

    def __init__(self, watch: Told) -> None:
        self._watch = watch
        self._undo: list[Callable[[], None]] = []

    def __len__(self) -> int:
        return len(self._undo)

    def around(self, owner: Any, name: str, hook: Callable[..., Any], what: str, *, compiles: bool = False) -> None:
        """Put a hook around a function, as ``around`` does."""
        self.put(owner, name, around(self._watch, what, getattr(owner, name), hook, compiles=compiles))

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Put something in the place of an attribute."""
        if name in vars(owner) or hasattr(owner, name):
            before = vars(owner)[name] if isinstance(owner, type) and name in vars(owner) else getattr(owner, name)
            self._undo.append(functools.partial(setattr, owner, name, before))
        else:
            self._undo.append(functools.partial(delattr, owner, name))
        setattr(owner, name, value)

    def take_away(self) -> None:
        """Leave all as it was, last things first."""
        while self._undo:
            self._undo.pop()()
