"""Where ops are of: the user's line that made the node of autograd's in whose backward formula they run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import dropwhile, islice, takewhile
from types import FrameType
from typing import Any

import torch

from nanlint.runtime import frames
from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.torch import words
from nanlint.runtime.events import Frames
from nanlint.runtime.frames import Line, upward

#: lines that are remembered for nodes that may still be asked for; beyond, the older half is forgotten
REMEMBERED = 100_000
#: the function of PyTorch's from which every backward pass runs, and the file whose frames call a user's ``backward``
_ENGINE = "_engine_run_backward"
FUNCTION, _FUNCTION = "a function", "/torch/autograd/function.py"
_node: Callable[[], Any] = torch._C._current_autograd_node


class Lines:
    """Of the nodes that one thread made, by their sequence numbers."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._known: dict[int, Line | None] = {}
        self._owned: dict[str, bool] = {}

    def of(self, node: Any) -> Line | None:
        """Where a node was made."""
        return self._known.get(node._sequence_nr())

    def remember(self, number: int) -> None:
        """The line that makes the node of a number: the first to be seen, as later ops may make none."""
        lines = self._known
        if number in lines:
            return
        node = _node()
        line: Line | None = self.here()
        if node is not None and not inside(line):
            line = self.of(node)  # a backward pass that is differentiated itself
        elif not torch.is_grad_enabled():
            line = self._applied() or line  # the node of a custom Function is there before its forward runs
        lines[number] = line
        if len(lines) > REMEMBERED:
            for old in list(islice(lines, REMEMBERED // 2)):
                del lines[old]

    def here(self) -> Line | None:
        """As the watch's ``user_line``, in place: most of what a forward op costs is this."""
        owned = self._owned
        frame: FrameType | None = sys._getframe(3)
        while frame is not None:
            code = frame.f_code
            path = code.co_filename
            ours = owned.get(path)
            if ours is None:
                ours = owned[path] = self._watch.owns_file(path)
            if ours:
                return path, frame.f_lineno, code.co_name
            frame = frame.f_back
        return None

    def _applied(self) -> Line | None:
        """Where the user applied the custom Function that runs, if one does."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.endswith(_FUNCTION):
            frame = frame.f_back
        while frame is not None and not self._watch.owns_file(frame.f_code.co_filename):
            frame = frame.f_back
        return None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)

    def place(self) -> tuple[bool, str, Frames, Frames]:
        """Whether the op is of the backward pass, its node, the user's frames, where its forward op was.

        Of an op in the ``backward`` of a custom Function it is its own line.
        """
        there = self._watch.frames(1)
        node = _node()
        if node is None:
            return False, "", there, ()
        inner = inside(self._watch.user_line())
        if inner and inner != FUNCTION:  # a forward pass that is repeated (checkpointing), or a hook of the user's
            return False, "", there, ()
        if inner:
            return True, words.node_name(node.name()), there, there[:1]
        line = self.of(node)
        return True, words.node_name(node.name()), there, () if line is None else (frames.place(*line),)

    def source(self, node: Any, depth: int) -> int | None:
        """The number of the op that made a node of autograd's, with what that was made of; None for a leaf."""
        while node is not None and self.of(node) is None:
            node = node.next_functions[0][0] if node.next_functions else None  # a view
        line = None if node is None else self.of(node)
        if line is None:
            return None
        before = (self.source(one, depth - 1) for one, _ in node.next_functions) if depth > 1 else ()
        inputs = tuple(number for number in before if number is not None)
        return self._watch.numbered("torch", words.node_name(node.name()), line[0], line[1], inputs=inputs)


def inside(line: Line | None) -> str:
    """As what the user's innermost line runs inside of the backward pass; empty if it has merely asked for it.

    FUNCTION: as the ``backward`` of a custom Function.
    """
    if line is None:
        return ""
    codes = takewhile(lambda code: code.co_name != _ENGINE, (one.f_code for one in upward(sys._getframe(1))))
    behind = dropwhile(lambda code: (code.co_filename, code.co_name) != (line[0], line[2]), codes)
    own = next(behind, None)
    if own is None:
        return ""
    return FUNCTION if any(code.co_filename.endswith(_FUNCTION) for code in (own, *behind)) else "a hook"
