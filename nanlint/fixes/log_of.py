"""log(softmax(x)) becomes log_softmax(x), log(sigmoid(x)) log_sigmoid(x), log(1 - sigmoid(x)) log_sigmoid(-x).

A logarithm of another base is one of these divided by that of the base.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.at_source import AtSource
from nanlint.fixes.clip_operand import BASES
from nanlint.fixes.loss_on_logits import named
from nanlint.fixes.outline import shares_memory_with
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.template import negated, written
from nanlint.graph.node import CONST, Node, unrefined
from nanlint.ops.writing import function_for

#: modules with a softmax of which not every version has the log_softmax
_WITHOUT = ("keras.backend", "keras.activations")


@dataclass(frozen=True)
class LogOf:
    """``stable`` (log_softmax or log_sigmoid) in the place of ``log`` of ``inner``, or of 1 minus it (``complement``).

    Safe: equal wherever the original is finite, more exact near 1, and finite where it was not.
    """

    stable: str
    log: Node
    inner: Node
    complement: bool = False

    def rewrite(self, place: Place) -> Fix | Iterator[Fix] | None:
        inner = place.written(self.inner)
        if inner is None or function_for("log_softmax", (inner.function or "torch").partition(".")[0]) is None:
            # a function of the user's own that gives a softmax has no log_softmax beside it
            return self.at_source(place) or self.hint(place)
        function = self.function(place, inner)
        if function is None:
            return None
        shown = self.in_base(place, self.shown(place, inner, function))
        if shown is None:
            return None
        log = place.written(self.log)
        source = log.operand("x") if log is not None else None
        if log is None or source is None or not log.only("x") or not self.is_direct(place, source):
            return self.at_source(place) or display(shown)
        if self.stable == "log_softmax" and place.framework == "torch" and place.is_changed_in_place():
            return display(shown)
        direct = self.spliced(place, log, inner, function)
        if direct is not None:
            return place.fix(Applicability.SAFE, direct, shown)
        return chain(self.moved(place, inner), [display(shown)])

    def at_source(self, place: Place) -> Fix | None:
        """The stable op where another function has the inner one, without the log of what it returns."""
        if self.complement or self.log.op != "log" or unrefined(self.log["x"]) is not self.inner:
            return None
        return AtSource(place, self.log, self.inner, self.stable).fix()

    # What is there

    def is_direct(self, place: Place, source: ast.expr) -> bool:
        """Whether the log is taken of the very result (or 1 minus it), through variables only."""
        value, e = unrefined(self.log["x"]), place.resolved(source)
        if self.complement:
            if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub) and is_number(e.left, 1) and value.op == "sub":
                value, e = unrefined(value["b"]), place.resolved(e.right)
            elif isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) and value.op == "neg":
                value, e = unrefined(value["x"]), place.resolved(e.operand)
            else:
                return False
        return value is self.inner and place.is_op(e, self.inner)

    def function(self, place: Place, inner: Written) -> str | None:
        """The stable function as the file would write it; for methods that have it, its bare name."""
        call = inner.call
        if self.stable == "log_softmax":
            if inner.function is None:
                return "log_softmax"
            module, _, _ = inner.function.rpartition(".")
            if not any(module.endswith(m) for m in _WITHOUT):
                if isinstance(call.func, ast.Attribute):
                    return f"{place.text(call.func.value)}.log_softmax"
                return place.spell(f"{module}.log_softmax", from_module=module)
        wanted = function_for(self.stable, place.at(self.inner).framework)
        if wanted is None:
            return None
        from_module = None if isinstance(call.func, ast.Attribute) else wanted.rpartition(".")[0]
        return place.spell(wanted, from_module=from_module)

    def shown(self, place: Place, inner: Written, function: str) -> str:
        """The stable call with what the inner one is given, for reading."""
        replacing = {}
        operand = inner.operand("x")
        elsewhere = place.file.outline.function(inner.call) is not place.file.outline.function(place.site)
        if operand is not None and elsewhere:
            replacing = {id(operand): "-logits" if self.complement else "logits"}
        elif operand is not None and self.complement:
            replacing = {id(operand): negated(place.text(operand))}
        return self.call(place, inner, function, replacing)

    def call(self, place: Place, inner: Written, function: str, replacing: dict[int, str], without: str = "") -> str:
        """The stable call, some expressions (by identity) rewritten, one argument left out."""
        if inner.receiver is None:
            return place.call(inner.call, function, replacing, without=without)
        receiver = {"x": replacing.get(id(inner.receiver)) or place.text(inner.receiver), "f": function}
        if self.stable == "log_softmax":
            return place.call(inner.call, written("x.log_softmax", receiver), replacing, without=without)
        return written("f(x)", receiver)

    def in_base(self, place: Place, text: str) -> str | None:
        """A natural logarithm in the base of the one that it replaces."""
        base = BASES.get(self.log.op)
        if base is None:
            return text
        log = place.spell("math.log")
        return f"{text} / {log}({base:g})" if log is not None else None

    # Rewriting

    def spliced(self, place: Place, log: Written, inner: Written, function: str) -> list[Edit] | None:
        """The edit where the inner call stands inside the log: the log goes, the inner call is renamed."""
        if not any(parent is log.call for parent, _ in place.file.outline.above(inner.call)):
            return None
        whole = self.complement or self.log.op in BASES or (inner.receiver is not None and self.stable == "log_sigmoid")
        if isinstance(inner.call.func, ast.Attribute) and inner.receiver is not None and not whole:
            function = place.text(inner.call.func).removesuffix(inner.call.func.attr) + self.stable
        renamed = None if whole else place.with_operand(inner.call.func, function, inner.call)
        text = renamed or self.in_base(place, self.shown(place, inner, function))
        return [place.put(log.call, text)] if text is not None else None

    def moved(self, place: Place, inner: Written) -> Iterator[Fix]:
        """The stable call where the inner one was made elsewhere: its arguments must mean the same here.

        Where only the operand does not (a call of a network, say), it gets a name before it goes into the inner call.
        """
        operand = inner.operand("x")
        others = [e for name, e in inner.arguments.items() if e is not operand and name != "name"]
        if operand is None or not all(place.means_the_same(e, place.site) for e in others):
            return
        if place.means_the_same(operand, place.site) and (isinstance(operand, ast.Name) or place.cheap(operand)):
            yield from self.called(place, inner, operand, place.text(operand), [])
        if (found := self.named(place, inner, operand)) is not None:
            yield from self.called(place, inner, operand, *found)

    def called(
        self, place: Place, inner: Written, operand: ast.expr, given: str, edits: Sequence[Edit]
    ) -> Iterator[Fix]:
        """The stable call of what the inner one is given, in the place of the logarithm."""
        function = self.function(place, inner)
        if function is None:
            return
        replacing = {id(operand): negated(given) if self.complement else given}
        # TensorFlow's name of the first op is not the name of the second.
        text = self.in_base(place, self.call(place, inner, function, replacing, without="name"))
        if text is not None:
            yield place.fix(Applicability.SAFE, [*edits, place.put(place.site, text)], text)

    def named(self, place: Place, inner: Written, operand: ast.expr) -> tuple[str, list[Edit]] | None:
        """The operand as a new variable before the statement that makes the inner call, if that surely ran."""
        outline = place.file.outline
        statement = outline.statement(inner.call)
        if statement is None or outline.function(operand) is not outline.function(place.site):
            return None
        shared = shares_memory_with(operand)
        if shared and (not isinstance(operand, ast.Name) or not place.keeps([shared], operand, place.site)):
            return None
        hoisted = place.hoisted(operand, "logits", f"{self.variable(statement)}_logits", "scores")
        if hoisted is None:
            return None
        name, insertion = hoisted
        return name, [insertion, place.put(operand, name)]

    def variable(self, statement: ast.stmt) -> str:
        """The variable that a statement assigns."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        return targets[0].id if targets and isinstance(targets[0], ast.Name) else "raw"

    # For reading only

    def hint(self, place: Place) -> Fix | None:
        """What a person would write where the inner op is a layer, or an activation of one."""
        framework = place.at(self.inner).framework
        if self.inner.framework == "keras":
            # everything else of the loss stays: its weights, say
            log = place.written(self.log)
            own = log.operand("x") if log is not None else None
            own = own.right if self.complement and isinstance(own, ast.BinOp) else own
            given = place.text(own) if isinstance(own, ast.Name) else "logits"
            text = place.write(f"{self.stable}({'-x' if self.complement else 'x'})", x=given)
            if text is None:
                return None
            text, removed = self.in_base(place, text) or text, named(place, self.inner)
            message = f"compute the logarithm from the logits: `{text}` without {removed}"
            return display(f"{text} without {removed}", message)
        wanted = function_for(self.stable, framework)
        call, function = self.inner.site, place.spell(wanted) if wanted is not None else None
        if function is None:
            return None
        outline = place.file.outline
        here = isinstance(call, ast.Call) and call.args and outline.function(call) is outline.function(place.site)
        if here and isinstance(call, ast.Call) and place.file.nodes_at.get(id(call)):
            x = place.text(call.args[0])
        else:
            x = "logits"
        axis = self.inner.get("axis")
        keyword = "dim" if framework == "torch" else "axis"
        at = (
            f", {keyword}={axis.attrs['value']}"
            if axis is not None and axis.op == CONST and self.stable == "log_softmax"
            else ""
        )
        return display(written(f"f({'-x' if self.complement else 'x'}{at})", {"f": function, "x": x}))
