"""The registry of what control roles do, and the calls that are given to it. What they do stands in ``control``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

from nanlint.graph.node import Node
from nanlint.ops.spelling import Spelling

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


@dataclass(frozen=True)
class ControlCall:
    """A call of a function with a control role: what it is given, by operand, and as it is written."""

    spelling: Spelling
    operands: Mapping[str, Node]
    #: the arguments that the role's function, or its trees, take in turn
    rest: Sequence[Node]
    args: Sequence[Node]
    keywords: Mapping[str, Node]
    site: ast.AST

    def __getitem__(self, operand: str) -> Node:
        return self.operands[operand]

    def get(self, operand: str) -> Node | None:
        return self.operands.get(operand)

    def has(self, *operands: str) -> bool:
        """Whether all of some operands are given."""
        return all(operand in self.operands for operand in operands)

    def setting(self, name: str) -> Any:
        """What the table says of the function beside its operands."""
        return self.spelling.literals.get(name)


Handler: TypeAlias = Callable[["Lowering", ControlCall], Node | None]
#: what each role does
ROLES: dict[str, Handler] = {}


def role(name: str, *needed: str) -> Callable[[Handler], Handler]:
    """Enter a function as what a role does, for calls with all of some operands: others are of unknown functions."""

    def enter(handler: Handler) -> Handler:
        @wraps(handler)
        def known(lowering: Lowering, call: ControlCall) -> Node | None:
            return handler(lowering, call) if call.has(*needed) else None

        ROLES[name] = known
        return handler

    return enter
