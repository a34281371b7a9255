"""The graphs that torch.compile is given: their ops with the user's lines, and a run of one op by op."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import fx

from nanlint.runtime.adapter import Report, Tensor, Watch
from nanlint.runtime.adapters.torch import words
from nanlint.runtime.adapters.torch.breakdown import (
    NINF,
    NONE,
    PINF,
    health_of,
    kinds_of,
    suspicious,
)
from nanlint.runtime.adapters.torch.plans import Plan, inputs_of, plain, plan_of
from nanlint.runtime.events import Frame, Frames
from nanlint.runtime.frames import place
from nanlint.runtime.health import Kinds
from nanlint.runtime.sites import GRADIENT_OF, Site

_FRAME = re.compile(r'^  File "(.+)", line (\d+), in (\S+)$', re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """Where an op of a graph comes from: the user's frames, innermost first, and what he called there."""

    plan: Plan
    frames: Frames
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
            i for node in steps for i, x in enumerate(inputs) if node.args and node.args[0] is x and writes(node)
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


def writes(node: fx.Node) -> bool:
    """Whether an op writes to its first argument."""
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


class Ops(fx.Interpreter):  # type: ignore[misc]
    """One run of a graph op by op: the births in it, and what came by at its flagged lines."""

    def __init__(self, graph: Graph, watch: Watch) -> None:
        super().__init__(graph.module, garbage_collect_values=not graph.flagged)
        self._graph = graph
        self._watch = watch
        self._born: list[tuple[fx.Node, Report]] = []
        self._bad: set[fx.Node] = set()
        self._came_in: dict[tuple[Any, ...], Kinds] = {}
        self.last: Frames = ()
        #: the last op that was given something bad and gave nothing bad, and where
        self.hid: tuple[str, Frames] | None = None

    def run_node(self, n: fx.Node) -> Any:
        step = self._graph.steps.get(n)
        if step is None:
            return super().run_node(n)
        if writes(n) and isinstance(n.args[0], fx.Node) and n.args[0].op == "placeholder":
            return None  # a graph writes to its inputs last of all, and they are the program's
        result = super().run_node(n)
        if self._watch.mode == "all" and step.plan.name != "copy":
            self._judge(n, step, result)
        return result

    @property
    def bad(self) -> bool:
        """Whether anything bad came by."""
        return bool(self._bad)

    def births(self) -> Iterator[Report]:
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
        if not given or not looks or (step.plan.first_only and next(plain(result), None) is not outputs[0]):
            return
        inputs = inputs_of(step.plan, *self.fetch_args_kwargs_from_env(node))
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
