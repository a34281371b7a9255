"""Lowering of calls by their control role: folds, maps, branches, functions of functions, models, regions, settings.

Each function takes the lowering and the call, and gives the node of its result; None where it leaves the call one of
an unknown function.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from nanlint.frontend.frames import kept
from nanlint.frontend.nodes import DTYPES, FRESH, entry, written_out
from nanlint.frontend.roles import ControlCall, role
from nanlint.frontend.settings import ignores, settles
from nanlint.graph.node import CALL, CONST, DICT, FUNCTION, LAYER, LOOP, TUPLE, Node, Region

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


@role("returns")
def returns(lowering: Lowering, call: ControlCall) -> Node | None:
    """What gives back what it is given."""
    return call.get("x")


@role("call", "f")
def once(lowering: Lowering, call: ControlCall) -> Node:
    """A call of a function with the arguments that follow it."""
    return lowering.calls.apply(call["f"], call.rest, {}, call.site)


@role("map", "f")
def mapped(lowering: Lowering, call: ControlCall) -> Node | None:
    """Of arrays an array, of what Python iterates over an iterator."""
    given = [*([call["x"]] if call.has("x") else ()), *call.rest]
    if not given:
        return None
    each = lowering.calls.apply(call["f"], [each_of(lowering, a, call.site) for a in given], {}, call.site)
    return each if call.has("x") else lowering.builder.emit("list", call.site, pure=False, each=each)


@role("tree_map", "f")
def tree_mapped(lowering: Lowering, call: ControlCall) -> Node | None:
    """A function of each leaf of trees."""
    trees = [*([call["x"]] if call.has("x") else ()), *call.rest]
    return each_leaf(lowering, call["f"], trees, call.site) if trees else None


def each_of(lowering: Lowering, elements: Node, e: ast.AST) -> Node:
    """One element of an array, or the tuple of one element of each array in a tuple."""
    if elements.op == TUPLE:
        return lowering.graph.add(TUPLE, {k: each_of(lowering, n, e) for k, n in elements.args.items()}, {}, e)
    return lowering.containers.element(elements, e)


def each_leaf(lowering: Lowering, function: Node, trees: Sequence[Node], e: ast.AST) -> Node:
    """A function of the leaves of trees; what is not seen to be a tree is a leaf."""
    first = trees[0]
    if first.op == TUPLE and all(tree.op == TUPLE and tree.args.keys() == first.args.keys() for tree in trees):
        leaves = {k: each_leaf(lowering, function, [tree[k] for tree in trees], e) for k in first.args}
        return lowering.graph.add(TUPLE, leaves, {}, e)
    return lowering.calls.apply(function, trees, {}, e)


@role("filter", "f", "x")
def filtered(lowering: Lowering, call: ControlCall) -> Node:
    """The elements of which a function holds; without one, those that are true."""
    keep, e = call["f"], call.site
    each = each_of(lowering, call["x"], e)
    with kept(lowering.frame, "facts"):
        is_true = keep.op == CONST
        true = (
            lowering.builder.emit("ne", e, a=each, b=lowering.builder.number(0, e))
            if is_true
            else lowering.calls.apply(keep, [each], {}, e)
        )
        lowering.builder.assume(true, True)
        each = lowering.builder.refined(each)
    return lowering.builder.emit("list", e, {"chosen": True}, pure=False, each=each)


@role("fold", "f", "init")
def fold(lowering: Lowering, call: ControlCall) -> Node | None:
    """A loop whose variables are the arguments and results of a function.

    ``xs``: what it goes through; ``cond``: it goes on while this holds of the variables. ``counted``: the function
    takes the number of the turn first; ``spread``: the variables one by one; ``stacks``: it gives a pair, the variables
    and what is stacked. ``reverse``: whether reverse-mode differentiation goes through it.
    """
    if "xs" in call.spelling.operands and not call.has("xs"):
        return None
    frame, e = lowering.frame, call.site
    start = carried(lowering, call["init"], e)
    variables = list(start.args.values()) if call.setting("spread") and start.op == TUPLE else [start]
    if call.has("xs"):
        variables.append(each_of(lowering, call["xs"], e))
    elif call.setting("counted"):
        variables.insert(0, lowering.builder.emit("arange", e, {"scalar": True}, pure=False))
    with kept(frame, "facts", "regions"):
        if call.has("cond"):
            lowering.builder.assume(lowering.calls.apply(call["cond"], variables, {}, e), True)
        if call.setting("reverse") is False:
            why = "JAX has no reverse-mode gradient through a while_loop"
            frame.regions = (*frame.regions, Region("undifferentiated", e, {"why": why}))
        result = lowering.calls.apply(call["f"], variables, {}, e)
    pair = call.setting("stacks") and result.op == TUPLE and len(result.args) == 2
    carry(lowering, start, result["0"] if pair else result)
    return lowering.graph.add(TUPLE, {"0": start, "1": result["1"]}, {}, e) if pair else start


def carried(lowering: Lowering, start: Node, e: ast.AST) -> Node:
    """The variables of a loop that start so: of a tuple each by itself."""
    if start.op in (TUPLE, DICT):
        return lowering.graph.add(start.op, {k: carried(lowering, n, e) for k, n in start.args.items()}, {}, e)
    variable = lowering.graph.add(LOOP, {"pre": start}, {"name": ""}, e, pure=False)
    variable.attrs["together"] = (variable,)
    return variable


def carry(lowering: Lowering, variable: Node, back: Node) -> None:
    """Tell the variables of a loop what a turn makes of them."""
    if variable.op == LOOP and "back" not in variable.args and back is not variable:
        lowering.graph.connect(variable, "back", back)
    elif variable.op == back.op and variable.op in (TUPLE, DICT):
        for key in variable.args.keys() & back.args.keys():
            carry(lowering, variable[key], back[key])
    else:
        lowering.builder.escape(back)


@role("branch", "cond", "yes", "no")
def branch(lowering: Lowering, call: ControlCall) -> Node:
    """Only one of the two functions runs, on the ``rest`` or on the elements of what is ``given``."""
    given = call.get("given")
    taken = list(given.args.values()) if given is not None and given.op == TUPLE else call.rest
    branches = []
    for truth, function in ((True, call["yes"]), (False, call["no"])):
        with kept(lowering.frame, "facts"):
            lowering.builder.assume(call["cond"], truth)
            branches.append(lowering.calls.apply(function, taken, {}, call.site))
    return lowering.builder.merge(call["cond"], branches[0], branches[1], call.site)


@role("switch")
def switch(lowering: Lowering, call: ControlCall) -> Node | None:
    """One of several functions, by its number."""
    functions = call.get("functions")
    if functions is None or not written_out(functions) or not functions.args:
        return None
    chosen = [lowering.calls.apply(function, call.rest, {}, call.site) for function in functions.args.values()]
    return reduce(lambda one, other: lowering.builder.merge(None, one, other, call.site), chosen)


@role("gradient_of", "f")
def gradient_of(lowering: Lowering, call: ControlCall) -> Node:
    """The result still calls the function; what comes out is its gradient."""
    return lowering.graph.add("gradient_of", dict(call.operands), {}, call.site, pure=False)


@role("derivative", "f")
def derivative(lowering: Lowering, call: ControlCall) -> Node:
    """A function that is called for its value and its derivatives: with arguments in turn, or ``given`` in a tuple."""
    given = call.get("given")
    args = call.rest if given is None else list(given.args.values()) if given.op == TUPLE else [given]
    return lowering.operations.derivative({"f": call["f"], "argnums": None}, args, {}, call.site)


@role("partial", "f")
def partial(lowering: Lowering, call: ControlCall) -> Node:
    """A function with some of its arguments."""
    bound = {"f": call["f"], **{str(i): a for i, a in enumerate(call.rest)}, **call.keywords}
    return lowering.graph.add("partial", bound, {}, call.site, pure=False)


@role("sequence")
def sequence(lowering: Lowering, call: ControlCall) -> Node:
    """A stack of layers."""
    layers = stacked(call.rest or ([call["x"]] if call.has("x") else []))
    attrs = {"sequence": True, "name": call.spelling.name}
    return lowering.graph.add(LAYER, {str(i): n for i, n in enumerate(layers)}, attrs, call.site, pure=False)


def stacked(args: Sequence[Node]) -> list[Node]:
    """The layers that a Sequential is given: one by one, as a list or dict; of a list that grew, the last."""
    if len(args) == 1 and args[0].op in (TUPLE, DICT):
        return list(args[0].args.values())
    spread = args[0].get("arg0") if len(args) == 1 and args[0].op == CALL else None
    given = spread if spread is not None else args[0] if len(args) == 1 else None
    sliced = given is not None and given.op == "part"
    listed = given["x"] if given is not None and sliced else given
    if listed is not None and listed.op == LOOP and "back" in listed.args:
        listed = listed["back"]
    if listed is not None and listed.op == "list" and (last := listed.get("last")) is not None:
        return [listed] if sliced else [listed, last]
    return list(args)


@role("model", "output")
def model(lowering: Lowering, call: ControlCall) -> Node:
    """A model, by the value that it gives."""
    return lowering.graph.add(LAYER, {"output": call["output"]}, {"name": call.spelling.name}, call.site, pure=False)


@role("container")
def container(lowering: Lowering, call: ControlCall) -> Node:
    """A container of layers holds its argument as it is."""
    return call["x"] if call.has("x") else lowering.builder.emit(DICT if call.setting("keyed") else TUPLE, call.site)


@role("record_class", "name", "fields")
def record_class(lowering: Lowering, call: ControlCall) -> Node | None:
    """A named tuple."""
    if not isinstance(call.site, ast.Call):
        return None
    return lowering.classes.record_class(call["name"], call["fields"], call.site)


@role("pairs", "x")
def pairs(lowering: Lowering, call: ControlCall) -> Node | None:
    """A dict of pairs that are written out."""
    if call["x"].op != TUPLE:
        return None
    found = [list(pair.args.values()) for pair in call["x"].args.values() if pair.op == TUPLE]
    if any(len(pair) != 2 for pair in found):
        return None
    return lowering.builder.emit(DICT, call.site, args={entry(pair[0], i): pair[1] for i, pair in enumerate(found)})


@role("namespace")
def namespace(lowering: Lowering, call: ControlCall) -> Node | None:
    """An object that has what it is made of."""
    if any(k.startswith("**") for k in call.keywords):
        return None
    made = lowering.builder.unknown(call.site, name=call.spelling.name)
    made.attrs["members"] = dict(call.keywords)
    return made


@role("parser")
def parser(lowering: Lowering, call: ControlCall) -> Node:
    """A parser of the command line: its options become its members."""
    made = lowering.builder.unknown(call.site, name=call.spelling.name)
    made.attrs["members"] = {}
    return made


@role("tape")
def tape(lowering: Lowering, call: ControlCall) -> Node:
    """A tape that records for derivatives."""
    return lowering.graph.add("tape", dict(call.keywords), {}, call.site, pure=False)


@role("gradient", "target", "sources")
def gradient(lowering: Lowering, call: ControlCall) -> Node:
    operands = {"target": call["target"], "sources": call["sources"]}
    return lowering.builder.emit(CALL, call.site, {"name": call.spelling.name}, pure=False, args=operands)


@role("on_gradients")
def on_gradients(lowering: Lowering, call: ControlCall) -> None:
    """Functions that work on gradients, not in them."""
    for function in (*call.args, *call.keywords.values()):
        if function.op == FUNCTION:
            lowering.without_gradient.add(id(function.attrs["definition"]))


@role("assume")
def assume(lowering: Lowering, call: ControlCall) -> None:
    """What raises unless a condition holds."""
    condition = call.get("cond")
    if condition is None and call.has("a"):
        other = call.get("b") or lowering.builder.number(call.setting("b") or 0)
        condition = lowering.graph.add(call.setting("comparison"), {"a": call["a"], "b": other}, {}, call.site)
    if condition is not None:
        lowering.builder.assume(condition, True)


@role("store", "array", "cond", "value")
def store(lowering: Lowering, call: ControlCall) -> Node | None:
    """``array[cond] = value``, written as a call."""
    e = call.site
    if not isinstance(e, ast.Call) or not e.args:
        return None
    array = call["array"]
    new = lowering.builder.emit("where", e, {"stored": True}, cond=call["cond"], a=call["value"], b=array)
    new.framework = array.framework
    lowering.scopes.written(array, new, e)
    lowering.scopes.bind(e.args[0], new, e)
    return array


@role("count_at", "array", "index", "value")
def count_at(lowering: Lowering, call: ControlCall) -> None:
    """``add.at(zeros, index, 1)`` counts how often each index occurs."""
    if call["array"].op in FRESH and call["value"].op == CONST:
        lowering.scopes.rebind(call["array"], lowering.builder.emit("bincount", call.site, x=call["index"]))


@role("region")
def region(lowering: Lowering, call: ControlCall) -> Node | None:
    """As a decorator that is called, one that leaves gradients to the framework gives the function back."""
    decorates = call.setting("kind") in ("no_grad", "grad") and not call.spelling.operands
    return call.args[0] if decorates and call.args else None


@role("float_errors")
def float_errors(lowering: Lowering, call: ControlCall) -> None:
    """NumPy's own setting is the whole process's."""
    if settles(call.site):
        open_region(lowering, Region("errstate", call.site), everywhere=True)


@role("warnings")
def warnings(lowering: Lowering, call: ControlCall) -> None:
    if ignores(call.args, call.keywords):
        open_region(lowering, Region("errstate", call.site), everywhere=False)


@role("trainer")
def trainer(lowering: Lowering, call: ControlCall) -> None:
    """A trainer that runs a model under autocast."""
    if (half := half_named(call.get("precision"))) is not None:
        open_region(lowering, Region("half", call.site, {"dtype": half}), everywhere=True)


@role("default_format")
def default_format(lowering: Lowering, call: ControlCall) -> None:
    """The format in which layers compute from here on."""
    found = precision_named(lowering, [*call.args, *call.keywords.values()])
    for one in lowering.builder.computing_in(found, call.site):
        open_region(lowering, one, everywhere=True)


def open_region(lowering: Lowering, region: Region, *, everywhere: bool) -> None:
    """A region that what follows is in, here or in all functions."""
    for frame in (lowering.frame, lowering.module) if everywhere else (lowering.frame,):
        frame.regions = (*frame.regions, region)


@role("format_limits")
def format_limits(lowering: Lowering, call: ControlCall) -> Node:
    lowering.scopes.invalidate_buffers([*call.args, *call.keywords.values()], call.site)
    attrs = {"name": call.spelling.name, "dtype": lowering.builder.dtype_of(call.get("dtype"))}
    return lowering.builder.emit(CALL, call.site, attrs, args={f"arg{i}": a for i, a in enumerate(call.args)})


@role("default_dtype")
def default_dtype(lowering: Lowering, call: ControlCall) -> Node:
    """The format of new numbers."""
    return lowering.graph.add(CONST, {}, {"value": "float32"}, call.site)


def precision_named(lowering: Lowering, nodes: Sequence[Node]) -> str | None:
    """The format that a policy computes in: that of its name, "mixed_float16", or of the dtype that it is."""
    for node in nodes:
        policy = (node.get("arg0") or node) if node.op == CALL else node
        text = policy.attrs.get("value")
        named = DTYPES.get(text.rpartition("_")[2]) if isinstance(text, str) else lowering.builder.dtype_of(policy)
        if named is not None:
            return named
    return None


def half_named(setting: Node | None) -> str | None:
    """The half precision that the setting of a trainer names: 16, "16-mixed", "fp16", "bf16"."""
    text = str(setting.attrs.get("value")) if setting is not None and setting.op == CONST else ""
    return None if "16" not in text else "bfloat16" if text.startswith("b") else "float16"
