"""Calls of what is known: functions, methods, models, layers, tapes, parsers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nanlint.frontend.cli_models import PARSED, PARTS, keyword, option_name
from nanlint.frontend.frames import kept
from nanlint.frontend.functions import DERIVATIVE_RULES
from nanlint.frontend.nodes import CALLABLE, DTYPES, complete
from nanlint.frontend.operations import REQUIRED
from nanlint.frontend.part import Part
from nanlint.frontend.roles import ROLES
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DICT,
    FUNCTION,
    INSTANCE,
    LAYER,
    MODULE,
    PARAM,
    TUPLE,
    Node,
    unrefined,
)
from nanlint.ops.frameworks import LOSSES, UPDATES
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.spelling import Spelling

#: methods of a model that give the model back
SAME_MODEL = frozenset(
    {"to", "cuda", "cpu", "train", "eval", "double", "half", "bfloat16", "float", "requires_grad_", "build", "type"}
)
#: what a method of GradientTape takes, where it is more or less than a target and sources
TAPE_PARAMETERS = {"watch": ("x",), "gradient": ("target", "sources", "output_gradients")}
#: methods that run a model on their first argument
FORWARD_METHODS = {"forward", "call", "__call__", "apply", "predict", "predict_on_batch"}


def place_of(base: Node) -> tuple[Node, Node] | None:
    """The array and the index of ``x.at[index]``."""
    place = unrefined(base)
    if "index" not in place.args or "x" not in place.args:
        return None
    at = unrefined(place["x"])
    return (at["base"], place["index"]) if at.op == ATTR and at.name == "at" else None


class Calls(Part):
    """Calls of what is known: functions, methods, models, layers, tapes, parsers."""

    def call(self, e: ast.Call) -> Node:
        if isinstance(e.func, ast.Attribute):
            base = self.lowering.expressions.lower(e.func.value)
            if base.op != MODULE:
                return self.call_method(base, e.func.attr, e)
            callee = self.lowering.expressions.read_attribute(base, e.func.attr, e.func)
        else:
            callee = self.lowering.expressions.lower(e.func)
        if callee.op == MODULE and callee.name == "builtins.super":
            return self.graph.add("super", {}, {}, e, pure=False)
        return self.apply(callee, self.arguments(e), self.keywords(e), e)

    def arguments(self, e: ast.Call) -> list[Node]:
        found: list[Node] = []
        for a in e.args:
            node = self.lowering.expressions.lower(a)
            if isinstance(a, ast.Starred):
                if node.op == TUPLE and not node.attrs.get("starred"):
                    found.extend(node.args.values())
                    continue
                node = self.lowering.builder.unknown(a, node)
            found.append(node)
        return found

    def keywords(self, e: ast.Call) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for i, k in enumerate(e.keywords):
            node = self.lowering.expressions.lower(k.value)
            if k.arg is not None:
                found[k.arg] = node
                continue
            entries = node.args if node.op == DICT else {}
            found.update({key[2:-1]: n for key, n in entries.items() if key.startswith("='")})
            if node.op != DICT or not complete(node):
                found[f"**{i}"] = node
        return found

    def apply(self, callee: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """``callee(*args, **keywords)``."""
        op = callee.op
        if op == MODULE:
            return self.lowering.operations.call_dotted(self.lowering.builder.dotted(callee), args, keywords, e)
        if op == FUNCTION:
            return self.lowering.functions.inline(callee, args, keywords, e)
        if op == CLASS:
            return self.lowering.classes.instantiate(callee, args, keywords, e)
        if op == INSTANCE:
            for name in ("forward", "__call__", "call"):
                method = self.lowering.classes.member(callee, name, e)
                if method is not None and method.op == FUNCTION:
                    return self.lowering.functions.inline(method, args, keywords, e)
        if op == LAYER:
            return self.run_layer(callee, args, keywords, e)
        if op == "partial":
            bound = [v for k, v in callee.args.items() if k.isdigit()]
            named = {k: v for k, v in callee.args.items() if not k.isdigit() and k != "f"}
            return self.apply(callee["f"], [*bound, *args], {**named, **keywords}, e)
        if op == PARAM and (default := callee.get("default")) is not None and default.op in CALLABLE:
            return self.apply(default, args, keywords, e)
        if op == CALL and (known := self.spellings.control(callee.name)) is not None and known.op == "region":
            # a context that is made, as a decorator
            return ROLES["region"](
                self.lowering, self.lowering.operations.control_call(known, args, keywords, e)
            ) or self.lowering.builder.unknown(e, callee, *args)
        if op == "gradient_of":
            return self.lowering.operations.derivative(callee.args, args, keywords, e)
        if op == "phi":
            branches = [self.apply(callee[k], args, keywords, e) for k in ("a", "b") if k in callee.args]
            return self.lowering.builder.merge(callee.get("cond"), branches[0], branches[-1], e)
        self.lowering.scopes.invalidate_buffers([*args, *keywords.values()], e)
        return self.lowering.builder.unknown(e, callee, *args, *keywords.values())

    def call_method(self, base: Node, name: str, e: ast.Call) -> Node:
        """``base.name(...)``."""
        if base.op == "super":
            return self.call_super(name, e)
        if base.op in (INSTANCE, CLASS) and (made := self.call_of_object(base, name, e)) is not None:
            return made
        args, keywords = self.arguments(e), self.keywords(e)
        if name in UPDATES and args and (place := place_of(base)) is not None:
            return self.updated(*place, UPDATES[name], args[0], e)
        if name in DERIVATIVE_RULES:
            for function in (*args, *keywords.values()):
                if function.op == FUNCTION:
                    self.lowering.derivative_rules[id(function.attrs["definition"])] = DERIVATIVE_RULES[name]
        if base.op == LAYER:
            return self.call_model(base, name, args, keywords, e)
        if base.op == "tape":
            return self.call_tape(base, name, args, keywords, e)
        if base.op == FUNCTION and name in ("lower", "compile", "get_concrete_function", "apply", "__call__"):
            return self.lowering.functions.inline(base, args, keywords, e) if name in ("apply", "__call__") else base
        if base.op == "partial":
            return self.apply(base, args, keywords, e)
        made = self.lowering.containers.call_container(base, name, args, keywords, e)
        return made if made is not None else self.lowering.operations.call_array(base, name, args, keywords, e)

    def updated(self, array: Node, index: Node, op: str, value: Node, e: ast.Call) -> Node:
        """``array.at[index].add(value)``: another array, in which it was done."""
        if op == "scatter_sum" and index.op not in CONDITIONS:
            return self.lowering.builder.emit(op, e, x=array, src=value, index=index)
        if op:
            old = self.lowering.containers.item(array, index, e)
            value = self.lowering.builder.emit("add" if op == "scatter_sum" else op, e, a=old, b=value)
        return self.lowering.scopes.with_items(array, index, value, e)

    def call_of_object(self, base: Node, name: str, e: ast.Call) -> Node | None:
        """A method of a class of the project, or of an object of one; None where it is no method of its own."""
        found = self.lowering.expressions.read_attribute(base, name, e.func)
        if found.op != ATTR:
            return self.apply(found, self.arguments(e), self.keywords(e), e)
        if base.op == CLASS:
            forward = base.attrs["cls"].method("forward") if name == "apply" else None
            return self.lowering.operations.apply_function(forward, base, e) if forward is not None else None
        if name in FORWARD_METHODS:
            return self.apply(base, self.arguments(e), self.keywords(e), e)
        if name in SAME_MODEL:
            return self.converted(base, name, e)
        if name == "register_buffer" and (held := self.arguments(e)[:2]):
            if held[-1].op == "tensor" and isinstance(held[0].attrs.get("value"), str):
                self.frame.env["field", base.key, held[0].attrs["value"]] = held[-1]
            return self.lowering.builder.unknown(e, *held)
        return None

    def call_parser(self, parser: Node, name: str, keywords: dict[str, Node], e: ast.Call) -> Node | None:
        """A method of a parser of the command line, or of a part of it: an option is a parameter with its default."""
        members = parser.attrs["members"]
        if name == "add_argument" and (option := option_name(e)):
            members[option] = self.lowering.parameters.parameter(option, keyword(e, "type"), keywords.get("default"), e)
        elif name == "set_defaults":
            members.update(
                {key: self.lowering.parameters.parameter(key, None, default, e) for key, default in keywords.items()}
            )
        if name not in PARTS | PARSED:
            return None
        made = self.lowering.builder.unknown(e, parser, name=f".{name}")
        made.attrs["members"] = members
        return (
            self.lowering.builder.emit(TUPLE, e, args={"0": made, "1": self.lowering.builder.unknown(e)})
            if name == "parse_known_args"
            else made
        )

    def call_super(self, name: str, e: ast.Call) -> Node:
        """``super().name(...)``: the next class of the file that has it."""
        cls, this = self.frame.cls, self.frame.this
        if cls is not None:
            for c in cls.mro()[1:]:
                if name in c.methods:
                    return self.apply(
                        self.lowering.functions.method_value(c, c.methods[name], this),
                        self.arguments(e),
                        self.keywords(e),
                        e,
                    )
        return self.lowering.builder.unknown(e, *self.arguments(e), *self.keywords(e).values(), name=f"super.{name}")

    def call_model(self, model: Node, name: str, args: list[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """A method of a layer or of a model built from layers."""
        if name in FORWARD_METHODS and args:
            return self.run_layer(model, args, keywords, e)
        if name in ("add", "append", "add_module") and args and isinstance(e.func, ast.Attribute):
            grown = self.graph.add(
                LAYER, {**model.args, str(len(model.args)): args[-1]}, dict(model.attrs), model.site, pure=False
            )
            self.lowering.scopes.bind(e.func.value, grown, e)
            return grown
        if name == "compile" and (loss := keywords.get("loss") or (args[1] if len(args) > 1 else None)) is not None:
            output = self.run_layer(model, [self.lowering.builder.unknown(e, name="inputs")], {}, e)
            losses = list(loss.args.values()) if loss.op in (TUPLE, DICT) else [loss]
            several = output.op == TUPLE and len(output.args) == len(losses)
            outputs = list(output.args.values()) if several else [output] * len(losses)
            for one, output in zip(losses, outputs, strict=True):
                called = self.loss_function(one)
                if called is not None:
                    place = one.site if isinstance(one.site, ast.expr) else e
                    labels = self.lowering.builder.unknown(e, name="labels")
                    if isinstance(called.site, ast.FunctionDef) and called.site.args.args:
                        labels.attrs["variable"] = called.site.args.args[0].arg
                    self.lowering.builder.escape(self.apply(called, [labels, output], {}, place))
            return self.lowering.builder.unknown(e)
        if name in SAME_MODEL:
            return self.converted(model, name, e)
        return self.lowering.builder.unknown(e, model, *args, *keywords.values(), name=f".{name}")

    def converted(self, model: Node, name: str, e: ast.Call) -> Node:
        """The model itself, whose weights a method may convert to another format, with those of its layers."""
        given = (self.lowering.builder.dtype_of(node) for node in (*self.arguments(e), *self.keywords(e).values()))
        if (found := DTYPES.get(name) or next(filter(None, given), None)) is not None:
            model.attrs["format"] = found
        return model

    def loss_function(self, loss: Node) -> Node | None:
        """The function that a loss given to ``compile`` is: its own, the catalogue's, or the one of that name."""
        if loss.op in (FUNCTION, "partial", INSTANCE, LAYER):
            return loss
        name = loss.attrs.get("value") if loss.op == CONST else None
        dotted = (
            f"{LOSSES}.{name}"
            if isinstance(name, str)
            else self.lowering.builder.dotted(loss)
            if loss.op == MODULE
            else ""
        )
        known = self.spellings.get(dotted)
        return self.graph.add(MODULE, {}, {"name": dotted}, loss.site) if known is not None else None

    def run_layer(self, layer: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """Apply a layer, or a stack of layers, to its input."""
        with kept(self.frame, "regions"):
            self.frame.regions += self.lowering.builder.computing_in(layer.attrs.get("format"), layer.site)
            return self.run_in_format(layer, args, keywords, e)

    def run_in_format(self, layer: Node, args: Sequence[Node], keywords: dict[str, Node], e: ast.AST) -> Node:
        """The same, once the format of its weights is settled."""
        x = args[0] if args else next(iter(keywords.values()), None) or self.lowering.builder.unknown(e)
        for node in (*args[1:], *keywords.values()):
            self.lowering.builder.escape(node)
        spelling: Spelling | None = layer.attrs.get("spelling")
        if spelling is not None:
            operands = {k: n for k, n in layer.args.items() if k != "activation"}
            if "format" in layer.attrs and spelling.op != "linear":
                x = self.lowering.builder.emit("cast", e, {"dtype": layer.attrs["format"]}, x=x)
            called = [(operand, source[1:]) for operand, source in spelling.operands.items() if source[:1] == "$"]
            if len(called) == 1:
                operands[called[0][0]] = x
            else:
                operands.update((o, args[i]) for i, (o, _) in enumerate(called) if i < len(args))
                operands.update((o, keywords[name]) for o, name in called if name in keywords)
                if not REQUIRED & set(OPS[spelling.op].operands) <= operands.keys():
                    return self.lowering.builder.unknown(e, *args, *keywords.values())
            attrs = {k: v for k, v in layer.attrs.items() if k not in ("spelling", "name", "format")}
            result = self.lowering.operations.applied(
                spelling.op, e, {**attrs, "layer": layer.index}, {**operands, "layer": layer}
            )
            result.framework = spelling.framework
            self.lowering.operations.spelled(result, spelling)
            activation = layer.get("activation")
            if activation is not None:
                result = self.lowering.operations.activate(activation, result, layer.site or e)
            return result
        if layer.attrs.get("sequence"):
            with kept(self.frame, "calls"):
                self.frame.calls += (e,)
                for part in list(layer.args.values()):
                    # of a list that grew, any
                    part = part["each"] if part.op == "list" and "each" in part.args else part
                    x = self.apply(part, [x], {}, part.site if part.op == LAYER and part.site is not None else e)
            return x
        output = layer.get("output")
        return output if output is not None else self.lowering.builder.unknown(e, layer, x)

    def call_tape(self, tape: Node, name: str, args: list[Node], keywords: dict[str, Node], e: ast.Call) -> Node:
        """watch, gradient, jacobian of a GradientTape."""
        given = dict(zip(TAPE_PARAMETERS.get(name, ("target", "sources")), args, strict=False)) | keywords
        if name == "watch" and "x" in given | {"x": keywords.get("tensor")}:
            return self.lowering.builder.emit("watch", e, pure=False, tape=tape, x=given.get("x") or keywords["tensor"])
        if name in ("gradient", "jacobian", "batch_jacobian") and "target" in given:
            if "source" in given:
                given["sources"] = given.pop("source")
            if "sources" in given:
                operands = {"tape": tape, "target": given["target"], "sources": given["sources"]}
                if "output_gradients" in given:
                    operands["output_gradients"] = given["output_gradients"]
                node = self.graph.add("gradient", operands, {}, e, pure=False)
                node.regions, node.calls, node.env = (
                    self.frame.regions,
                    self.frame.calls,
                    self.frame.env.copy(),
                )
                return node
        if name == "stop_recording":
            return self.graph.add("stop_recording", {"tape": tape}, {}, e, pure=False)
        return self.lowering.builder.unknown(e, tape, *args)
