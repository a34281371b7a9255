"""Numbers that are written out where they are used: what an operation makes of them is no matter of data."""

from __future__ import annotations

from nanlint.analysis.structure import literal
from nanlint.graph.node import ATTR, CALL, CONST, DICT, KEPT, MODULE, TUPLE, Node, walk
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.ops.arithmetic import in_common_format
from nanlint.ops.op import OPS
from nanlint.ops.value import CERTAIN, Value, always


def inevitable(hazard: Hazard, facts: Facts) -> bool:
    """Whether an operation is at its pole whatever comes in: its operand is written out where it is used.

    An array of random numbers is, too, where its range leaves nothing else.
    """
    drawn = always(hazard.value, hazard.pole.cls)
    if not drawn and hazard.value.reach(hazard.pole.cls) is not CERTAIN:
        return False
    node = hazard.node
    # where a pole depends on other operands, these have to be known, too
    decided_by = node.args if OPS[node.op].poles_for is not None else [name for name, _ in hazard.pole.also]
    operands = [hazard.operand, *(node[name] for name in decided_by if name in node.args)]
    return all(written_out(operand, node, facts, drawn=drawn) for operand in operands)


def written_out(value: Node, at: Node, facts: Facts, *, drawn: bool = False) -> bool:
    """Whether a value is made of literals alone, in the function of the operation that uses it.

    A setting of the module is meant to be changed, and an array that an object or a table keeps may be filled by
    others. ``drawn``: random numbers count as well.
    """
    if at.calls or not literal(value, drawn=drawn):
        return False
    own = facts.function_at(at.site)
    return all(
        (part.site is None or facts.function_at(part.site) is own) and not is_kept(part, at, facts)
        for part in walk(value, lambda n: n.args.values())
    )


def is_kept(value: Node, at: Node, facts: Facts) -> bool:
    """Whether an array is kept where others may write to it: on an object, in a table, by its address until then."""
    if value.op in (CONST, MODULE):
        return False
    holders = (user for user in value.users if user.op in (TUPLE, "list"))
    handed_on = any(user.op == CALL for holder in holders for user in holder.users)
    read = any(user.op == DICT or (user.op == ATTR and user.index < at.index) for user in value.users)
    return handed_on or read or facts.lowering.escapes.get(value.index) == KEPT


def overflows(node: Node, facts: Facts) -> bool:
    """Whether an operation makes an infinity of finite numbers that are written out."""
    # most are not written out, which shows without a look at their values
    return (
        written_out(node, node, facts, drawn=True)
        and not any(is_infinite(facts.value(a)) for a in node.args.values())
        and is_infinite(facts.value(node))
    )


def undefined(node: Node, facts: Facts) -> bool:
    """Whether a sum, product or quotient of two numbers that are written out, one of them infinite, is NaN."""
    if not ({"a", "b"} <= node.args.keys() and written_out(node, node, facts)) or facts.value(node).nan is not CERTAIN:
        return False
    a, b = (facts.value(node[k]) for k in ("a", "b"))
    met = in_common_format(a, b)
    return (
        CERTAIN not in (a.nan, b.nan)
        and any(is_infinite(v) for v in met)
        and all(v.constant is not None or v.zero is CERTAIN for v in met)
        and not any(breaks(part) for part in walk(node, lambda n: n.args.values()) if part is not node)
    )


def breaks(node: Node) -> bool:
    """Whether an operation has poles of its own, of which its own rules speak."""
    return node.op in OPS and OPS[node.op].breaks


def is_infinite(v: Value) -> bool:
    return always(v, "pinf") or always(v, "ninf")
