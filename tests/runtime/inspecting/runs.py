"""Runs as the recorder leaves them: of a small classifier that goes bad, and of a long one."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nanlint
from nanlint.runtime.adapter import Adapter, Tensor
from nanlint.runtime.events import Frame, Module
from nanlint.runtime.frames import place
from nanlint.runtime.health import Health, health_of_numbers
from nanlint.runtime.modules import keep_module
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.sites import digest_of, sites_of

PROGRAM = """\
import torch
import torch.nn.functional as F


def loss_of(logits, target):
    probs = F.softmax(logits, dim=1)
    return -(target * torch.log(probs)).sum(dim=1).mean()


def train(model, batches):
    for x, target in batches:
        loss = loss_of(model(x), target)
        loss.backward()


def distance(a, b):
    return torch.sqrt(((a - b) ** 2).sum())
"""

INF, NAN = float("inf"), float("nan")


class Row(list[float]):
    """A tensor of the framework "numbers"."""

    shape: tuple[int, ...] = ()


def row(numbers: Sequence[float], *shape: int) -> Row:
    """A tensor of these numbers."""
    made = Row(numbers)
    made.shape = shape or (len(made),)
    return made


class Numbers(Adapter):
    """A framework whose tensors are lists of numbers."""

    name = "numbers"

    def start(self) -> None:
        """It has no hooks."""

    def stop(self) -> None:
        """It has no hooks."""

    def owns(self, value: Any) -> bool:
        return isinstance(value, Row)

    def health(self, value: Any) -> Health:
        return health_of_numbers(value, "float32", value.shape)

    def numbers(self, value: Any, limit: int) -> Sequence[float | complex]:
        return list(value)[:limit]


def recorder(directory: Path, *, rank: int = 0, watch: str = "all", filters: tuple[str, ...] = ()) -> Recorder:
    """A recorder that writes into ``directory``; the framework "numbers" is imported."""
    directory.mkdir(parents=True, exist_ok=True)
    made = Recorder(Options(directory=str(directory), watch=watch, filters=filters), rank)
    made.adapters.append(Numbers(made))
    made.watch_framework("numbers", "1.0")
    return made


def classifier_run(directory: Path, program: str = PROGRAM) -> Path:
    """Three steps of a classifier; a probability becomes 0 in the second, its logarithm -inf and the gradient nan."""
    source = directory.parent / "train.py"
    source.write_text(program, encoding="utf-8")
    watch = recorder(directory, filters=("range>1e3",))
    path = os.fspath(source)
    content = source.read_bytes()
    module = Module(path, digest_of(content), confidence=watch.options.confidence)
    diagnostics = nanlint.check_source(program, path)
    keep_module(os.fspath(directory), module, program, diagnostics)
    sites = sites_of(diagnostics, path, module.digest)
    watch.watch_module(module, sites)

    def op(name: str, line: int, *inputs: int, backward: bool = False) -> int:
        return watch.numbered("numbers", name, path, line, backward, inputs)

    matmul = op("matmul", 12)
    softmax = op("softmax", 6, matmul)
    log = op("log", 7, softmax)
    mul = op("mul", 7, log)
    total = op("sum", 7, mul)
    mul_backward = op("mul", 7, total, backward=True)
    log_backward = op("log", 7, mul_backward, softmax, backward=True)
    stack = (place(path, 7, "loss_of", 23), place(path, 12, "train", 16))
    behind = (place(path, 13, "train", 9),)
    log_site = next(site for site in sites if site.op == "log")
    for step in range(3):
        for number in (matmul, softmax, log, mul, total, mul_backward, log_backward):
            watch.executed(number)
        bad = step >= 1
        probs = row([0.0, 1.0, 0.25, 0.75] if bad else [0.5, 0.5, 0.25, 0.75], 2, 2)
        logs = row([-INF, 0.0, -1.3863, -0.2877] if bad else [-0.69, -0.69, -1.3863, -0.2877], 2, 2)
        watch.observed(log_site, log_site.operand or "x", health_of_numbers(probs, "float32", (2, 2)))
        watch.observed(log_site, "result", health_of_numbers(logs, "float32", (2, 2)))
        if bad:
            watch.wants("logits", "numbers", row([-2000.0, 3.0, 4.0, 5.0], 2, 2))
            born(watch, "log", [("probs", probs, softmax)], [("result", logs, None)], stack)
            born(
                watch,
                "mul",
                [("target", row([0, 1, 0, 1], 2, 2), None), ("log", logs, log)],
                [("result", row([NAN, 0.0, 0.0, -0.2877], 2, 2), None)],
                stack,
            )
            born(
                watch,
                "log",
                [("gradient of result", row([0, 1, 0, 1], 2, 2), mul_backward), ("probs", probs, softmax)],
                [("gradient of probs", row([NAN, 1.0, 0.0, 1.3333], 2, 2), None)],
                behind,
                forward=stack,
            )
        watch.step(loss=NAN if bad else 0.61)
    watch.alert("dead-gradient", "bias has no gradient in the whole run", frames=behind, parameter="bias", steps=3)
    watch.end()
    return directory


def born(
    watch: Recorder,
    op: str,
    inputs: Sequence[tuple[str, Row, int | None]],
    outputs: Sequence[tuple[str, Row, int | None]],
    frames: Sequence[Frame],
    forward: Sequence[Frame] = (),
    framework: str = "numbers",
) -> None:
    """Report a birth, its kinds by the origin rule."""
    of = watch.adapters[0].health
    ins = [Tensor(name, of(value), value, source) for name, value, source in inputs]
    outs = [Tensor(name, of(value), value, source) for name, value, source in outputs]
    kinds = frozenset().union(*(one.health.bad for one in outs)).difference(*(one.health.bad for one in ins))
    watch.born(
        framework=framework,
        op=op,
        kinds=kinds,
        inputs=ins,
        outputs=outs,
        frames=frames,
        backward=bool(forward),
        forward=forward,
    )


def long_run(directory: Path, executions: int, *, steps: int = 1000, alike: bool = True) -> Path:
    """A run of many executions; if ``alike``, only each twentieth step has a sequence of its own."""
    watch = recorder(directory)
    chance = random.Random(0)
    ops = [
        watch.numbered("numbers", f"{name}", "/model.py", 10 + line, backward)
        for backward in (False, True)
        for line, name in enumerate(("matmul", "add", "relu", "layer_norm", "softmax", "log", "mul", "sum"))
    ]
    each = executions // steps
    usual = [chance.choice(ops) for _ in range(each)]
    for step in range(steps):
        for number in [chance.choice(ops) for _ in range(each)] if step % 20 == 19 or not alike else usual:
            watch.executed(number)
        if step == steps // 2:
            born(watch, "log", [("x", row([0.0, 1.0]), ops[4])], [("result", row([-INF, 0.0]), None)], ())
        watch.step(loss=2.0 / (1 + step) + chance.random() / 10)
    watch.end()
    return directory
