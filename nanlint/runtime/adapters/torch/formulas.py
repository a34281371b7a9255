"""The backward formula of one op: what is born in it counts only if it comes out; one that must run without a mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nanlint.runtime.adapter import Watch, safely
from nanlint.runtime.adapters.torch.breakdown import NONE, apart, kinds_of, suspicious
from nanlint.runtime.adapters.torch.plans import Plan, plain


class Pending:
    """Births in the formula of one backward op of PyTorch's, until it is done: many formulas divide by 0 and mask that.

    It holds what the formula has computed since and not used: that is what comes out of it. What was not finite in what
    it was given from outside (``came_in``) is not its own.
    """

    def __init__(self, node: Any, result: Any) -> None:
        self.reports: list[dict[str, Any]] = []
        self._node = node
        self._unused = {id(tensor): tensor for tensor in plain(result)}
        self._made = dict(self._unused)
        self.came_in = NONE

    def follows(self, node: Any, args: Sequence[Any]) -> bool:
        """Whether the next op is none of the formula's; if it is, what it is given is used."""
        if node is None or node._sequence_nr() != self._node._sequence_nr() or node.name() != self._node.name():
            return True
        for tensor in plain(args):
            self._unused.pop(id(tensor), None)
            if id(tensor) not in self._made:
                with apart():
                    self.came_in |= kinds_of(tensor) if suspicious(tensor) else NONE
        return False

    def gave(self, result: Any) -> None:
        """An op of the formula gave this."""
        self._unused.update((id(tensor), tensor) for tensor in plain(result))
        self._made.update(self._unused)

    def came_out(self) -> bool:
        """Whether something bad is in what is left."""
        return any(map(suspicious, self._unused.values()))


class Unmoded:
    """Has the formulas of ``words.ASKING`` run without the mode of their thread, and looks at what comes out of them.

    A node is there once the op is done, so hooks are put on it at the next op: there is one before a backward pass, but
    for a pass that is given a gradient which was there before.
    """

    def __init__(self, watch: Watch, pause: Callable[[], Any]) -> None:
        self._watch = watch
        self._pause = pause
        self._made: list[Any] = []

    def made(self, result: Any) -> None:
        """An op gave this."""
        self._made += plain(result)

    def hook(self) -> None:
        """Put hooks on the nodes of what was made since."""
        made, self._made = self._made, []
        for node in (tensor.grad_fn for tensor in made if tensor.grad_fn is not None):
            paused: list[Any] = []
            node.register_prehook(lambda _, paused=paused: paused.append(self._pause()))
            node.register_hook(lambda out, came, node=node, paused=paused: self._done(node, paused.pop(), came, out))

    def __bool__(self) -> bool:
        return bool(self._made)

    def _done(self, node: Any, mode: Any, came: Sequence[Any], out: Sequence[Any]) -> None:
        if mode is not None:
            name = node.name().partition("Backward")[0].lower()
            plan = Plan(None, node, f"{name}_backward", arguments=("grad", "input"), mirrors=True)
            safely(self._watch, "PyTorch's ops", mode.looked, plan, (list(came), node._saved_self), list(out))
            mode.resume()
