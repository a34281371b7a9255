"""TorchScript and ``torch.export``: what is flagged in what they make runs unseen, and is not called unreached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from nanlint.runtime.adapter import Watch
from nanlint.runtime.hooks import Hooks

#: as a failure is told
SCRIPT, EXPORT = "TorchScript", "an exported program"
#: where a node of its graphs comes from
SOURCE = re.compile(r'File "(.+)", line (\d+)')


class Scripted:
    """Hears of each function and module that is compiled."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._hooks = Hooks(watch)

    def start(self) -> None:
        """Hear of them from now on."""
        if not self._hooks:
            # behind torch.jit.script, which looks for names in its caller
            self._hooks.around(torch._C, "_jit_script_compile", self._made, SCRIPT, compiles=True)
            self._hooks.around(torch.jit._recursive, "create_script_module", self._made, SCRIPT, compiles=True)
            self._hooks.around(torch.export, "export", self._exported, EXPORT, compiles=True)

    def stop(self) -> None:
        """Leave PyTorch as it was."""
        self._hooks.take_away()

    def _made(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        scripted = original(*args, **kwargs)
        inner = getattr(scripted, "_c", None)  # of a module
        methods = [scripted] if inner is None else map(inner._get_method, inner._method_names())
        self._unseen(place for one in methods for place in _lines_of(one.graph.nodes()))
        return scripted

    def _exported(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        program = original(*args, **kwargs)
        graphs = (one.graph for one in program.graph_module.modules() if isinstance(one, torch.fx.GraphModule))
        self._unseen(place for graph in graphs for node in graph.nodes for place in _places_in(node.stack_trace or ""))
        return program

    def _unseen(self, places: Iterable[tuple[str, int]]) -> None:
        for path, line in set(places):
            for site in self._watch.sites_on(path, line):
                self._watch.unwatched(site)


def _lines_of(nodes: Iterable[Any]) -> Iterator[tuple[str, int]]:
    """Where the nodes of a graph come from, and those in its branches and loops."""
    for node in nodes:
        yield from _places_in(node.sourceRange())
        for block in node.blocks():
            yield from _lines_of(block.nodes())


def _places_in(text: str) -> Iterator[tuple[str, int]]:
    yield from ((path, int(line)) for path, line in SOURCE.findall(text))
