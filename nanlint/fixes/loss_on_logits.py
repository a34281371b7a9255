"""A loss of the result of an activation becomes the loss of what the activation was given."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.text import one_line
from nanlint.graph.node import Node
from nanlint.ops.frameworks import canonical
from nanlint.ops.spelling import Spelling

#: the loss of logits in the place of one of (log-)probabilities: as a function, and as a layer
ON_LOGITS = {
    "bce": ("torch.nn.functional.binary_cross_entropy_with_logits", "torch.nn.BCEWithLogitsLoss"),
    "nll": ("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss"),
}
#: losses that have to be told that they are given logits
TOLD = "clipped_cross_entropy"


@dataclass(frozen=True)
class LossOnLogits:
    """The loss of the logits behind ``activation``; where that is None, it is given them, and has to be told so.

    Unsafe: ``change`` says by how much the loss changes.
    """

    loss: Node
    activation: Node | None
    change: str

    def rewrite(self, place: Place) -> Fix | None:
        renamed = self.renamed(place)
        given = self.given_logits(place) if self.activation is not None else []
        if renamed is None or given is None:
            return self.hint(place)
        edits = [*renamed, *given]
        shown = place.after(edits)
        message = f"replace with `{one_line(shown)}`: {self.change}"
        return place.fix(Applicability.UNSAFE, edits, shown, message, changes=True)

    # The operand

    def given_logits(self, place: Place) -> list[Edit] | None:
        """The edit that gives the logits to the loss."""
        source = self.argument(place)
        inner = place.written(self.activation) if self.activation is not None else None
        logits = inner.operand("x") if inner is not None else None
        if source is None or inner is None or logits is None:
            return None
        if any(part is inner.call for part in ast.walk(source)):
            replaced = source if self.loss.op == "nll" else inner.call
            return [place.put(replaced, place.text(logits))]
        e = place.resolved(source)
        whole = place.is_op(e, self.activation) or self.loss.op == "nll"
        if not whole or not place.means_the_same(logits, source) or not place.cheap(logits):
            return None
        return [place.put(source, place.text(logits))]

    def argument(self, place: Place) -> ast.expr | None:
        """The expression that the loss is given for its x."""
        call, layer = self.loss.site, self.spelling()
        if layer is None:
            written = place.written(self.loss)
            return written.operand("x") if written is not None else None
        if not isinstance(call, ast.Call):
            return None
        called = [source for source in layer.operands.values() if source.startswith("$")]
        name = layer.operands["x"]
        named = {f"${k.arg}": k.value for k in call.keywords}
        position = called.index(name)
        return named.get(name) or (call.args[position] if position < len(call.args) else None)

    # The loss

    def spelling(self) -> Spelling | None:
        """How the layer is written that the loss is called through; None for a function."""
        layer = self.loss.get("layer")
        found: Spelling | None = layer.attrs.get("spelling") if layer is not None else None
        return found

    def renamed(self, place: Place) -> list[Edit] | None:
        """The edits that make the loss one of logits, if it is not; None where they cannot be made."""
        told = self.loss.get("from_logits")
        if self.loss.op not in (*ON_LOGITS, TOLD) or told is not None:
            return [] if told is None or told.attrs.get("value") is True else None
        layer = self.spelling()
        made = self.maker(place) if layer is not None else self.loss.site
        if not isinstance(made, ast.Call):
            return None
        if self.loss.op == TOLD:
            return [place.also_given(made, "from_logits=True")]
        wanted = ON_LOGITS[self.loss.op][layer is not None]
        from_module = wanted.rpartition(".")[0] if isinstance(made.func, ast.Name) else None
        function = place.spell(wanted, from_module=from_module)
        return [place.put(made.func, function)] if function is not None else None

    def maker(self, place: Place) -> ast.Call | None:
        """The call that makes the layer, if it is an imported one and this loss is the only use of what it makes."""
        layer, file = self.loss["layer"], place.file
        made = layer.site
        if not isinstance(made, ast.Call) or canonical(file.imports.dotted(made.func) or "") != layer.attrs["name"]:
            return None
        if made is self.loss.site or made is getattr(self.loss.site, "func", None):
            return made
        statement = file.outline.statement(made)
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(target, (ast.Name, ast.Attribute)):
            return None
        name = ast.unparse(target)
        reads = [
            n
            for n in file.outline.parents
            if isinstance(n, type(target)) and isinstance(n.ctx, ast.Load) and ast.unparse(n) == name
        ]
        if isinstance(target, ast.Name):
            scope = file.outline.binding(name, made)
            reads = [n for n in reads if file.outline.binding(name, n) == scope]
        return made if len(reads) == 1 else None

    def hint(self, place: Place) -> Fix:
        """What a person would write where the activation or the loss is made elsewhere."""
        if self.activation is not None and self.activation.framework == "keras" and self.loss.op == TOLD:
            shown = f"remove {named(place, self.activation)}"
            return display(shown, f"{shown}: {self.change}")
        if self.loss.op == TOLD and self.loss.get("from_logits") is None:
            return display("from_logits=True", f"pass it logits, with `from_logits=True`: {self.change}")
        names = ON_LOGITS.get(self.loss.op)
        function = place.spell(names[self.spelling() is not None]) if names is not None else None
        return display(
            function or "logits", f"pass the logits to {f'`{function}`' if function else 'it'}: {self.change}"
        )


def named(place: Place, activation: Node) -> str:
    """An activation as its layer is told of it, or as it is called, and where that is."""
    site = activation.site
    given = next((k for k in site.keywords if k.arg == "activation"), None) if isinstance(site, ast.Call) else None
    text = one_line(f"activation={place.text(given.value)}") if given is not None else f"the {activation.op}"
    return text + (f" (line {site.lineno})" if isinstance(site, ast.expr) else "")
