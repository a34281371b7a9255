"""Births in what torch.compile made, and what came by at flagged lines of it.

The compiled code itself is left as it is, bit by bit: what comes out of it is looked at once, and where that is bad,
the graph that it was compiled from is run again op by op on the same inputs, each op with the user's line that it came
from.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from nanlint.runtime.adapter import AnyFunction, Hooked, Report, Tensor, Values, Watch, around
from nanlint.runtime.adapters.torch.breakdown import (
    any_suspicious,
    apart,
    kinds_of,
    suspicious,
)
from nanlint.runtime.adapters.torch.compiled_graphs import Graph, Ops
from nanlint.runtime.adapters.torch.eager import Births
from nanlint.runtime.adapters.torch.plans import keys_of, plain
from nanlint.runtime.events import Death, Frames
from nanlint.runtime.frames import place
from nanlint.runtime.hooks import Guard
from nanlint.runtime.sites import GRADIENT_OF, Site

#: as a failure is told
MADE = "the code that torch.compile generates"
#: modules that hold the function by which backends hand a graph to autograd and get it back in two
_PATCHED = ("torch._functorch.aot_autograd", "torch._dynamo.backends.common")
#: runs of a graph with flagged lines that are repeated op by op; of any graph, only the first and each twice as many
WHOLE = 8
#: repetitions of a graph whose inputs are bad already
RESIGNED = 3
#: elements of the inputs that a graph writes to, up to which they are kept for a repetition
KEPT = 1 << 18


class Compiled(Hooked):
    """Puts a look at the results around each graph that is compiled while this is on."""

    def __init__(self, watch: Watch, births: Births) -> None:
        super().__init__(watch)
        self.births = births

    @property
    def on(self) -> bool:
        """Whether compiled code is looked at now."""
        return bool(self._hooks)

    def hook(self) -> None:
        def compiling(original: AnyFunction, *args: Any, **kwargs: Any) -> Any:
            self._install()
            return original(*args, **kwargs)

        self._hooks.around(torch, "compile", compiling, MADE, compiles=True)
        if "torch._dynamo.backends.common" in sys.modules:
            self._install()
            torch._dynamo.reset()  # what is compiled already is compiled again, and seen

    def _install(self) -> None:
        if len(self._hooks) != 1:
            return
        import torch._dynamo.backends.common
        import torch._functorch.config

        for name in _PATCHED:
            hook = self._aot_module_simplified
            self._hooks.around(sys.modules[name], "aot_module_simplified", hook, MADE, compiles=True)
        # else a backward graph may compute in the memory of its own inputs, and could not be run again
        self._hooks.put(torch._functorch.config, "donated_buffer", False)

    def _aot_module_simplified(
        self,
        original: AnyFunction,
        mod: Any,
        args: Any,
        fw_compiler: Any,
        bw_compiler: Any = None,
        *rest: Any,
        **kwargs: Any,
    ) -> Any:
        bw_compiler = bw_compiler or fw_compiler
        inference = kwargs.get("inference_compiler") or fw_compiler
        kwargs["inference_compiler"] = self._compiler(inference, backward=False)
        fw, bw = self._compiler(fw_compiler, backward=False), self._compiler(bw_compiler, backward=True)
        return original(mod, args, fw, bw, *rest, **kwargs)

    def _compiler(self, compiler: AnyFunction, backward: bool) -> AnyFunction:
        by = "inductor" if type(compiler).__name__ == "SerializableAOTDispatchCompiler" else "torch.compile"

        def compile_graph(compiler: AnyFunction, module: fx.GraphModule, inputs: Values) -> Any:
            graph = None
            with Guard(self._watch, "a PyTorch graph"):
                graph = Graph.of(module, self._watch, backward, by)
            made = compiler(module, inputs)
            return made if graph is None else Watched(made, graph, Repetition(self._watch, graph), self)

        return around(self._watch, MADE, compiler, compile_graph, compiles=True)


class Watched:
    """What a compiler made, with a look at what comes out of it. Called as it is: with a list that it may empty."""

    _boxed_call = True

    def __init__(self, made: Any, graph: Graph, repetition: Repetition, by: Compiled) -> None:
        self._made = made
        self._boxed = getattr(made, "_boxed_call", False)
        self._graph = graph
        self._repetition = repetition
        self._by = by
        self._run = around(repetition.watch, "a run of a PyTorch graph", self._call, self._looked_at)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def __call__(self, args: list[Any]) -> Any:
        return self._run(args)

    def _looked_at(self, call: AnyFunction, args: list[Any]) -> Any:
        if not self._by.on:
            return call(args)
        inputs = list(args)
        kept = self._repetition.keep(inputs)
        paused = self._by.births.pause()
        try:
            results = call(args)
            self._repetition.passed(inputs, results)
            if self._repetition.look(inputs, kept, results):
                self._by.births.fed = True
        finally:
            if paused is not None:
                paused.resume()
        return results

    def _call(self, args: list[Any]) -> Any:
        if self._boxed:
            return self._made(args)
        results = self._made(*args)
        args.clear()
        return results


@dataclass(frozen=True)
class Kept:
    """What a run may change, as it was before: the inputs that it writes to, by number, and the random state."""

    inputs: dict[int, torch.Tensor]
    random: torch.Tensor | None


class Repetition:
    """Runs a graph again, op by op, where what came out of it is bad or its flagged lines are to be looked at."""

    def __init__(self, watch: Watch, graph: Graph) -> None:
        self.watch = watch
        self._graph = graph
        self._runs = 0
        self._resigned = 0
        #: what took away something bad in the last repetition
        self._hid: tuple[str, Frames] = (f"a graph of {graph.by}", ())

    def keep(self, inputs: Values) -> Kept:
        """Before a run."""
        graph = self._graph
        written = {i: inputs[i] for i in graph.written if isinstance(inputs[i], torch.Tensor)}
        copies = {}
        if written and sum(x.numel() for x in written.values()) <= KEPT:
            with apart():
                copies = {i: x.clone() for i, x in written.items()}
        return Kept(copies, torch.get_rng_state() if graph.random else None)

    def passed(self, inputs: Values, results: Any) -> None:
        """After a run, which is one op to what was born outside of it."""
        fates = self.watch.fates
        if fates.following:
            with Guard(self.watch, "a run of a PyTorch graph"), apart():
                made = [(key, suspicious(one)) for one in plain(results) for key in keys_of(one)]
                fates.passed(f"a graph of {self._graph.by}", keys_of(inputs), made, self.watch.frames)

    def look(self, inputs: Values, kept: Kept, results: Any) -> bool:
        """After a run: whether something in its results is bad. Only the watch may raise, to stop the program."""
        self._runs += 1
        bad = any_suspicious([x for i in self._graph.looked for x in plain(_at(results, i))])
        due = self._is_due(kept)
        if not bad and not due:
            return False
        reports: list[tuple[AnyFunction, Report]] = []
        before = [kept.inputs.get(i, x) for i, x in enumerate(inputs)]
        with Guard(self.watch, "the ops of a PyTorch graph"), apart():
            if bad and not due and self._is_old(before, results):
                return True
            reports = self._again(before, kept, bad)
        leaving = keys_of([x for x in plain(results) if suspicious(x)]) if reports else ()
        with self.watch.ending_in(lambda: (leaving, Death(f"in {self._hid[0]}", self._hid[1][:1]))):
            for report, words_ in reports:
                report(**words_)
        return bad

    def _is_due(self, kept: Kept) -> bool:
        """Whether this run is looked at whole: for its flagged lines, or for what is born in it and masked there."""
        if self._graph.flagged and self._runs <= WHOLE:
            return True
        return self._runs & (self._runs - 1) == 0 and len(kept.inputs) == len(self._graph.written)

    def _is_old(self, inputs: Values, results: Any) -> bool:
        """Whether what is bad in the results was so in the inputs; it is looked for a few times even so."""
        given = frozenset().union(*(kinds_of(x) for i in self._graph.looked for x in plain(_at(results, i))))
        if given - frozenset().union(*(kinds_of(x) for x in plain(inputs))):
            return False
        self._resigned += 1
        return not given or self._resigned > RESIGNED

    def _again(self, inputs: Values, kept: Kept, bad: bool) -> list[tuple[AnyFunction, Report]]:
        ops = Ops(self._graph, self.watch)
        state = torch.get_rng_state()
        try:
            if kept.random is not None:
                torch.set_rng_state(kept.random)
            # outside of ``apart`` for what the graph itself needs of dispatch; there is no mode of ours here
            with torch.no_grad():
                ops.run(*inputs)
        finally:
            torch.set_rng_state(state)
        self._hid = ops.hid or self._hid
        found: list[tuple[AnyFunction, Report]] = []
        seen = list(ops.observed())
        found += [(self._seen, {"seen": seen})] if seen else []
        if self.watch.mode == "all":
            found += [(self.watch.born, birth) for birth in ops.births()]
            if bad and not ops.bad and not self._graph.random and not self._graph.written:
                message = f"{self._graph.by} gives a value that is not finite, but its ops, run one by one, do not"
                found.append((self.watch.alert, {"kind": "disagreement", "message": message, "frames": ops.last}))
        return found

    def _seen(self, seen: Sequence[tuple[Site, Tensor]]) -> None:
        """Tell what came by at flagged lines, and what was born there."""
        before: dict[Site, list[Tensor]] = {}
        for site, here in seen:
            given = before.setdefault(site, [])
            if self.watch.observed(site, here.name, here.health) and self.watch.mode != "all":
                backward = here.name.startswith(GRADIENT_OF)
                frames = (place(site.path, site.span.row),)
                self.watch.born(
                    framework="torch",
                    op=site.op,
                    kinds=here.health.bad.difference(*(x.health.bad for x in given)) or here.health.bad,
                    inputs=tuple(given),
                    outputs=(here,),
                    frames=frames,
                    backward=backward,
                    forward=frames if backward else (),
                    compiled=self._graph.by,
                )
            given.append(here)


def _at(results: Any, i: int) -> Any:
    return results[i] if isinstance(results, (list, tuple)) else results


# ── TorchScript and torch.export ─────────────────────────────────────────────────────────────────────────────────────


#: as a failure is told
SCRIPT, EXPORT = "TorchScript", "an exported program"
#: where a node of its graphs comes from
SOURCE = re.compile(r'File "(.+)", line (\d+)')


class Scripted(Hooked):
    """Hears of each function and module that is compiled."""

    def hook(self) -> None:
        """Hear of them from now on."""
        # behind torch.jit.script, which looks for names in its caller
        self._hooks.around(torch._C, "_jit_script_compile", self._made, SCRIPT, compiles=True)
        self._hooks.around(torch.jit._recursive, "create_script_module", self._made, SCRIPT, compiles=True)
        self._hooks.around(torch.export, "export", self._exported, EXPORT, compiles=True)

    def _made(self, original: AnyFunction, *args: Any, **kwargs: Any) -> Any:
        scripted = original(*args, **kwargs)
        inner = getattr(scripted, "_c", None)  # of a module
        methods = [scripted] if inner is None else map(inner._get_method, inner._method_names())
        self._unseen(place for one in methods for place in _lines_of(one.graph.nodes()))
        return scripted

    def _exported(self, original: AnyFunction, *args: Any, **kwargs: Any) -> Any:
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
