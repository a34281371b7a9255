"""Births in what torch.compile made, and what came by at flagged lines of it.

The compiled code itself is left as it is, bit by bit: what comes out of it is looked at once, and where that is bad,
the graph that it was compiled from is run again op by op on the same inputs, each op with the user's line that it came
from.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import fx

from nanlint.runtime.adapter import Tensor, Watch, around
from nanlint.runtime.adapters.torch import words
from nanlint.runtime.adapters.torch.breakdown import (
    NINF,
    NONE,
    PINF,
    any_suspicious,
    apart,
    health_of,
    kinds_of,
    suspicious,
)
from nanlint.runtime.adapters.torch.eager import Births
from nanlint.runtime.adapters.torch.plans import Plan, keys_of, plain, plan_of
from nanlint.runtime.events import Death, Frame
from nanlint.runtime.frames import place
from nanlint.runtime.hooks import Guard
from nanlint.runtime.sites import GRADIENT_OF, Site

#: as a failure is told
MADE = "the code that torch.compile generates"
#: modules that hold the function by which backends hand a graph to autograd and get it back in two
_PATCHED = ("torch._functorch.aot_autograd", "torch._dynamo.backends.common")
_FRAME = re.compile(r'^  File "(.+)", line (\d+), in (\S+)$', re.MULTILINE)
#: runs of a graph with flagged lines that are repeated op by op; of any graph, only the first and each twice as many
WHOLE = 8
#: repetitions of a graph whose inputs are bad already
RESIGNED = 3
#: elements of the inputs that a graph writes to, up to which they are kept for a repetition
KEPT = 1 << 18


class Compiled:
    """Puts a look at the results around each graph that is compiled while this is on."""

    def __init__(self, watch: Watch, births: Births) -> None:
        self._watch = watch
        self.births = births
        self._undo: list[Callable[[], None]] = []

    @property
    def on(self) -> bool:
        """Whether compiled code is looked at now."""
        return bool(self._undo)

    def start(self) -> None:
        if self._undo:
            return
        original = torch.compile

        def compiling(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            self._install()
            return original(*args, **kwargs)

        torch.compile = around(self._watch, MADE, original, compiling, compiles=True)
        self._undo.append(lambda: setattr(torch, "compile", original))
        if "torch._dynamo.backends.common" in sys.modules:
            self._install()
            torch._dynamo.reset()  # what is compiled already is compiled again, and seen

    def stop(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _install(self) -> None:
        if len(self._undo) != 1:
            return
        import torch._dynamo.backends.common
        import torch._functorch.config

        for name in _PATCHED:
            module: Any = sys.modules[name]
            original = module.aot_module_simplified
            module.aot_module_simplified = around(
                self._watch, MADE, original, self._aot_module_simplified, compiles=True
            )
            self._undo.append(functools.partial(setattr, module, "aot_module_simplified", original))
        # else a backward graph may compute in the memory of its own inputs, and could not be run again
        donated = torch._functorch.config.donated_buffer
        torch._functorch.config.donated_buffer = False
        self._undo.append(functools.partial(setattr, torch._functorch.config, "donated_buffer", donated))

    def _aot_module_simplified(
        self,
        original: Callable[..., Any],
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

    def _compiler(self, compiler: Callable[..., Any], backward: bool) -> Callable[..., Any]:
        by = "inductor" if type(compiler).__name__ == "SerializableAOTDispatchCompiler" else "torch.compile"

        def compile_graph(compiler: Callable[..., Any], module: fx.GraphModule, inputs: Sequence[Any]) -> Any:
            graph = None
            with Guard(self._watch, "a PyTorch graph"):
                graph = Graph.of(module, self._watch, backward, by)
            made = compiler(module, inputs)
            return made if graph is None else Watched(made, graph, Repetition(self._watch, graph), self)

        return around(self._watch, MADE, compiler, compile_graph, compiles=True)


# ── the graph, as it was before the compiler changed it ─────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Step:
    """Where an op of a graph comes from: the user's frames, innermost first, and what he called there."""

    plan: Plan
    frames: tuple[Frame, ...]
    called: str
    backward: bool
    sequence: int | None
    sites: tuple[Site, ...] = ()

    @property
    def call(self) -> tuple[Any, ...]:
        """Which call of the user's it is a part of; autograd's numbers alone do not tell where no gradient is asked."""
        return self.sequence, self.backward, self.called, self.frames[:1]


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph and what is asked of it. ``looked``: numbers of its results that are looked at every time."""

    module: fx.GraphModule
    steps: dict[fx.Node, Step]
    backward: bool
    by: str
    looked: tuple[int, ...]
    written: tuple[int, ...]
    random: bool
    flagged: bool

    @staticmethod
    def of(module: fx.GraphModule, watch: Watch, backward: bool, by: str) -> Graph | None:
        """A copy with what is known of each op; None where nothing is to be watched."""
        graph = fx.Graph()
        output = graph.graph_copy(module.graph, {})
        graph.output(output)
        gradients = _gradients(graph)
        steps = {node: _step(node, watch, node in gradients) for node in graph.nodes if node.op == "call_function"}
        steps = _flagged(steps, watch)
        flagged = any(step.sites for step in steps.values())
        if watch.mode != "all" and not flagged:
            return None
        inputs = graph.find_nodes(op="placeholder")
        written = {
            i for node in steps for i, x in enumerate(inputs) if node.args and node.args[0] is x and _writes(node)
        }
        seeded = any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in steps)
        copied = fx.GraphModule(module, graph)
        return Graph(copied, steps, backward, by, tuple(_results(output)), tuple(sorted(written)), seeded, flagged)


def _gradients(graph: fx.Graph) -> set[fx.Node]:
    """What is computed from the gradients that come in, unlike what of the forward pass is only computed once more."""
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if node.name.startswith("tangents") or any(x in found for x in node.all_input_nodes):
            found.add(node)
    return found


def _step(node: fx.Node, watch: Watch, backward: bool) -> Step:
    frames = tuple(_frames(node.meta.get("stack_trace") or "", watch))
    called = (node.meta.get("fwd_source_fn_stack") or node.meta.get("source_fn_stack") or [("", None)])[-1]
    name = _called(called) or plan_of(node.target).name
    return Step(plan_of(node.target), frames, name, backward, node.meta.get("seq_nr"))


def _flagged(steps: dict[fx.Node, Step], watch: Watch) -> dict[fx.Node, Step]:
    """With the sites that each op belongs to: by what was called, or where that tells nothing, by the line alone."""
    on_line = {node: watch.sites_on(s.frames[0].path, s.frames[0].line) for node, s in steps.items() if s.frames}
    matched = {site.key for node, sites in on_line.items() for site in sites if site.op == steps[node].called}
    return {
        node: replace(
            step,
            sites=tuple(site for site in on_line.get(node, ()) if _is_of(step, site, site.key in matched)),
        )
        for node, step in steps.items()
    }


def _is_of(step: Step, site: Site, named: bool) -> bool:
    """Whether an op on a line of a site belongs to it: it is what the site is about, or on its own lines nothing is."""
    if named:
        return site.op == step.called
    return site.span.row <= step.frames[0].line <= site.span.end_row


def _frames(trace: str, watch: Watch) -> Iterator[Frame]:
    """The user's frames of a node's ``stack_trace``, which is written as Python's tracebacks are."""
    for path, line, function in reversed(_FRAME.findall(trace)):
        if watch.owns_file(path):
            yield place(path, int(line), function)


#: how operators in the source are called in a traced graph
_OPERATORS = {"truediv": "div", "itruediv": "div", "imul": "mul", "iadd": "add", "isub": "sub", "ipow": "pow"}


def _called(called: tuple[str, Any]) -> str:
    """What the user called, of an entry of ``source_fn_stack``: its name there may carry a number."""
    name, function = called
    own = getattr(function, "__name__", None) if callable(function) and not isinstance(function, type) else None
    bare = str(own or function if isinstance(function, str) else own or name).strip("_")
    return _OPERATORS.get(bare, bare)


def _writes(node: fx.Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return bool(node.args and schema is not None and schema.arguments and schema.arguments[0].is_write)


def _results(output: Any) -> Iterator[int]:
    """Results of a graph that it computed itself: what it only hands on was looked at where it was computed."""
    results = output if isinstance(output, (list, tuple)) else [output]
    seen: set[fx.Node] = set()
    for i, node in enumerate(results):
        source = node
        while isinstance(source, fx.Node) and source.op == "call_function" and _moves(source) and source.args:
            source = source.args[0]
        if isinstance(source, fx.Node) and source.op == "call_function" and source not in seen:
            seen.add(source)
            yield i


def _moves(node: fx.Node) -> bool:
    return bool(getattr(node.target, "is_view", False)) or plan_of(node.target).name in ("clone", "alias", "detach")


# ── its runs ────────────────────────────────────────────────────────────────────────────────────────────────────────


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

    def _looked_at(self, call: Callable[..., Any], args: list[Any]) -> Any:
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
        self._hid: tuple[str, tuple[Frame, ...]] = (f"a graph of {graph.by}", ())

    def keep(self, inputs: Sequence[Any]) -> Kept:
        """Before a run."""
        graph = self._graph
        written = {i: inputs[i] for i in graph.written if isinstance(inputs[i], torch.Tensor)}
        copies = {}
        if written and sum(x.numel() for x in written.values()) <= KEPT:
            with apart():
                copies = {i: x.clone() for i, x in written.items()}
        return Kept(copies, torch.get_rng_state() if graph.random else None)

    def passed(self, inputs: Sequence[Any], results: Any) -> None:
        """After a run, which is one op to what was born outside of it."""
        fates = self.watch.fates
        if fates.following:
            with Guard(self.watch, "a run of a PyTorch graph"), apart():
                made = [(key, suspicious(one)) for one in plain(results) for key in keys_of(one)]
                fates.passed(f"a graph of {self._graph.by}", keys_of(inputs), made, self.watch.frames)

    def look(self, inputs: Sequence[Any], kept: Kept, results: Any) -> bool:
        """After a run: whether something in its results is bad. Only the watch may raise, to stop the program."""
        self._runs += 1
        bad = any_suspicious([x for i in self._graph.looked for x in plain(_at(results, i))])
        due = self._is_due(kept)
        if not bad and not due:
            return False
        reports: list[tuple[Callable[..., Any], dict[str, Any]]] = []
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

    def _is_old(self, inputs: Sequence[Any], results: Any) -> bool:
        """Whether what is bad in the results was so in the inputs; it is looked for a few times even so."""
        given = frozenset().union(*(kinds_of(x) for i in self._graph.looked for x in plain(_at(results, i))))
        if given - frozenset().union(*(kinds_of(x) for x in plain(inputs))):
            return False
        self._resigned += 1
        return not given or self._resigned > RESIGNED

    def _again(self, inputs: Sequence[Any], kept: Kept, bad: bool) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
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
        found: list[tuple[Callable[..., Any], dict[str, Any]]] = []
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


class Ops(fx.Interpreter):  # type: ignore[misc]
    """One run of a graph op by op: the births in it, and what came by at its flagged lines."""

    def __init__(self, graph: Graph, watch: Watch) -> None:
        super().__init__(graph.module, garbage_collect_values=not graph.flagged)
        self._graph = graph
        self._watch = watch
        self._born: list[tuple[fx.Node, dict[str, Any]]] = []
        self._bad: set[fx.Node] = set()
        self._came_in: dict[tuple[Any, ...], frozenset[str]] = {}
        self.last: tuple[Frame, ...] = ()
        #: the last op that was given something bad and gave nothing bad, and where
        self.hid: tuple[str, tuple[Frame, ...]] | None = None

    def run_node(self, n: fx.Node) -> Any:
        step = self._graph.steps.get(n)
        if step is None:
            return super().run_node(n)
        if _writes(n) and _is_node(n.args[0]) and n.args[0].op == "placeholder":
            return None  # a graph writes to its inputs last of all, and they are the program's
        result = super().run_node(n)
        if self._watch.mode == "all" and step.plan.name != "copy":
            self._judge(n, step, result)
        return result

    @property
    def bad(self) -> bool:
        """Whether anything bad came by."""
        return bool(self._bad)

    def births(self) -> Iterator[dict[str, Any]]:
        """The births that came out of what the user called: many formulas divide by 0 and mask that."""
        steps = self._graph.steps
        for node, birth in self._born:
            call = steps[node].call
            leaving = (n for n in self._bad if steps[n].call == call)
            if any(user not in steps or steps[user].call != call for n in leaving for user in n.users):
                yield birth

    def _judge(self, node: fx.Node, step: Step, result: Any) -> None:
        outputs = [x for x in plain(result) if suspicious(x)]
        given = frozenset().union(*map(kinds_of, outputs))
        if given:
            self._bad.add(node)
        elif step.plan.name not in words.UNREAD and not self._bad.isdisjoint(node.all_input_nodes):
            self.hid = step.called, step.frames
        if step.frames:
            self.last = step.frames
        looks = step.plan.looks or step.plan.cast
        if not given or not looks or (step.plan.first_only and not any(x is outputs[0] for x in _first(result))):
            return
        inputs = self._inputs(node, step)
        had = words.literal_kinds(node.args).union(words.literal_kinds(node.kwargs), *(kinds_of(x) for _, x in inputs))
        if step.plan.mirrors and had & {PINF, NINF}:
            had |= {PINF, NINF}
        if step.backward:  # what came into its formula is not its own, though it was masked there on the way
            had = self._came_in[step.call] = had | self._came_in.get(step.call, NONE)
        if not given - had:
            return
        notes = [] if step.called == step.plan.name else [f"it contains {step.plan.name} when compiled"]
        if step.backward:
            notes = [f"{step.plan.name} in its backward pass"]
        if self._graph.random:
            notes.append("the graph was run again with random numbers that may differ")
        here = self._watch.frames() if self._graph.backward else ()
        self._born.append(
            (
                node,
                {
                    "framework": "torch",
                    "op": step.called,
                    "kinds": given - had,
                    "inputs": [Tensor(name, health_of(x), x) for name, x in inputs],
                    "outputs": [
                        Tensor("result" if i == 0 else f"result {i}", health_of(x), x)
                        for i, x in enumerate(plain(result))
                    ],
                    "frames": here if step.backward else step.frames,
                    "backward": step.backward,
                    "forward": step.frames if step.backward else (),
                    "compiled": self._graph.by,
                    "note": "; ".join(notes),
                },
            )
        )

    def _inputs(self, node: fx.Node, step: Step) -> list[tuple[str, torch.Tensor]]:
        found = []
        names = step.plan.arguments
        given = [(names[i] if i < len(names) else f"input {i}", arg) for i, arg in enumerate(node.args)]
        for name, arg in [*given, *node.kwargs.items()]:
            values = [self.env.get(x) for x in (arg if isinstance(arg, (list, tuple)) else (arg,)) if _is_node(x)]
            bare = "input" if name == "self" else name
            tensors = list(plain(values))
            found += [(bare if len(tensors) == 1 else f"{bare}[{j}]", x) for j, x in enumerate(tensors)]
        return found

    # ── flagged lines ───────────────────────────────────────────────────────────────────────────────────────────────

    def observed(self) -> Iterator[tuple[Site, Tensor]]:
        """What came by at which site, in which role: a site's ops are those of one number of autograd's."""
        if not self._graph.flagged:
            return
        calls: dict[tuple[Any, ...], list[fx.Node]] = {}
        for node, step in self._graph.steps.items():
            if step.sites:
                calls.setdefault(step.call, []).append(node)
        for nodes in calls.values():
            backward = self._graph.steps[nodes[0]].backward
            if backward or not self._graph.backward:
                for site in self._graph.steps[nodes[0]].sites:
                    yield from self._backward(site, nodes) if backward else self._forward(site, nodes)

    def _forward(self, site: Site, nodes: Sequence[fx.Node]) -> Iterator[tuple[Site, Tensor]]:
        entering = list(dict.fromkeys(x for node in nodes for x in node.all_input_nodes if x not in nodes))
        names = [name for name, _ in site.operands] or ["x"]
        for name, node in zip(names, self._tensors(entering), strict=False):
            yield site, Tensor(name, health_of(node), node)
        results = list(self._tensors([node for node in nodes if not _moves(node)]))
        if results:
            yield site, Tensor("result", health_of(results[-1]), results[-1])

    def _backward(self, site: Site, nodes: Sequence[fx.Node]) -> Iterator[tuple[Site, Tensor]]:
        arriving = [x for node in nodes for x in node.all_input_nodes if x not in nodes and self._is_gradient(x)]
        leaving = [node for node in nodes if any(user not in nodes for user in node.users)]
        for tensor in list(self._tensors(arriving))[:1]:
            yield site, Tensor(f"{GRADIENT_OF}result", health_of(tensor), tensor)
        names = [name for name, _ in site.operands] or ["x"]
        for name, tensor in zip(names, self._tensors(leaving), strict=False):
            yield site, Tensor(f"{GRADIENT_OF}{name}", health_of(tensor), tensor)

    def _is_gradient(self, node: fx.Node) -> bool:
        step = self._graph.steps.get(node)
        return step.backward if step is not None else node.name.startswith("tangents")

    def _tensors(self, nodes: Sequence[fx.Node]) -> Iterator[torch.Tensor]:
        for node in nodes:
            yield from plain(self.env.get(node))


def _is_node(value: Any) -> bool:
    return isinstance(value, fx.Node)


def _first(result: Any) -> list[torch.Tensor]:
    return list(plain(result))[:1]
