"""How ATen's ops are watched, what tensors they take and give, and what those are followed by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from nanlint.runtime.adapter import AnyFunction, Values
from nanlint.runtime.adapters.torch import words
from nanlint.runtime.adapters.torch.breakdown import Named, is_concrete, parts_of

#: executions of a kind of clip in which it is asked whether any element gets through
CLIPS = 64
_TENSOR, _PARAMETER = torch.Tensor, torch.nn.Parameter


@dataclass(frozen=True, eq=False)
class Plan:
    """How an op is watched, found out once. ``view``: it only looks at its input in another way, forward and backward;
    ``written``: positions of the arguments that it writes to and reads. ``op`` is held so that no other can
    take its identity.
    """

    op: Any
    call: AnyFunction
    name: str
    view: bool = False
    arguments: tuple[str, ...] = ()
    looks: bool = True
    written: tuple[int, ...] = ()
    first_only: bool = False
    cast: bool = False
    hides: bool = False
    clips: list[bool] = field(default_factory=list)
    mirrors: bool = False
    asking: bool = False


def plan_of(func: Any) -> Plan:
    """How an op is watched."""
    name = words.op_name(func)
    schema = getattr(func, "_schema", None)
    if schema is None:  # a higher-order op: its parts come by one by one
        return Plan(func, func, name, looks=False)
    bare = name.removesuffix("_copy") if func.is_view else name
    arguments = tuple(argument.name for argument in schema.arguments)
    written = tuple(
        i
        for i, argument in enumerate(schema.arguments)
        if argument.is_write and not argument.kwarg_only and name not in ("copy", "fill", "zero")
    )
    if torch.Tag.nondeterministic_seeded in func.tags:
        written = ()
    moves = func.is_view or bare in words.CLOSED or func.namespace in ("profiler", "prim", "c10d", "debugprims")
    return Plan(
        op=func,
        call=func._op,
        name=name,
        view=func.is_view,
        arguments=arguments,
        looks=not moves and name not in words.CASTS,
        written=written if not moves else (),
        first_only=bool(words.FIRST_ONLY.search(name)),
        cast=name in words.CASTS,
        hides=name in words.HIDING,
        clips=[True] * CLIPS if name in words.CLIPPING else [],
        mirrors=name in words.MIRRORS or name.endswith("_backward"),
        asking=name in words.ASKING,
    )


def keys_of(value: Any) -> Sequence[int]:
    """What a tensor is followed by: its storage, which views of it share; of several, all."""
    if isinstance(value, torch.Tensor):
        if value.__class__ in (_TENSOR, _PARAMETER) and value.layout is torch.strided:
            return (value.untyped_storage()._cdata,)
        return [key for part in parts_of(value) if part is not value for key in keys_of(part)]
    if isinstance(value, (list, tuple)):
        return [key for one in value for key in keys_of(one)]
    return ()


def plain(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in an argument or result that have numbers of their own and may be looked at."""
    if isinstance(value, torch.Tensor):
        dtype = value.dtype
        if dtype.is_floating_point or dtype.is_complex:
            if value.__class__ is _TENSOR or is_concrete(value):
                yield value
            elif value.__class__ is not _PARAMETER:
                yield from (part for part in parts_of(value) if part is not value and is_concrete(part))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from plain(one)


def outputs_of(plan: Plan, args: Values, result: Any) -> list[torch.Tensor]:
    """What an op gave: its results, or what it wrote to."""
    if result is None:
        return [tensor for i in plan.written if i < len(args) for tensor in plain(args[i])]
    found = list(plain(result))
    return found[:1] if plan.first_only else found


def inputs_of(plan: Plan, args: Values, kwargs: Mapping[str, Any]) -> list[Named]:
    """What an op was given and did not overwrite, by the names of its arguments."""
    found = []
    overwritten = {0} if plan.name == "copy" else set(plan.written)
    given = [(i, plan.arguments[i], arg) for i, arg in enumerate(args) if i < len(plan.arguments)]
    given += [(-1, name, arg) for name, arg in kwargs.items() if name != "out"]
    for i, name, arg in given:
        if i in overwritten:
            continue
        tensors = list(plain(arg))
        bare = "input" if name == "self" else name
        found += [(bare if len(tensors) == 1 else f"{bare}[{j}]", x) for j, x in enumerate(tensors)]
    return found
