"""What a fix has to keep beside the numbers: effects, what whole numbers give, compiled code, a nan that is meant."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nanlint.fixes.file import File
from nanlint.fixes.reading import compiled
from nanlint.frontend.equivalence import Likeness, Problem
from nanlint.graph.node import ATTR, CALL, CONST, TUPLE, Node, unrefined
from nanlint.hazards.dtypes import is_complex, is_floating, is_no_list, is_whole, takes_no_list
from nanlint.hazards.facts import Facts
from nanlint.ops.frameworks import (
    ARRAYS_OF,
    FLOATING_ONLY,
    MASKED_ARRAYS,
    REAL_ONLY,
    REAL_ONLY_IN,
    TAKES_LISTS,
    WITHOUT_MASKS,
)
from nanlint.ops.op import OPS
from nanlint.source.pairing import Pairing
from nanlint.source.syntax import dumped

#: operands that are arrays
ARRAYS = frozenset({"x", "a", "b", "y"})
#: how a nan is written as an attribute
NAN = frozenset({"nan", "NaN", "NAN"})


class Unseen(str):
    """What is wrong with a fix unless something holds that is not seen: a safe one is unsafe then."""

    __slots__ = ()


@dataclass(frozen=True)
class Kept:
    """Asks what the fixes of one text keep."""

    file: File

    def problems(self, pairing: Pairing, likeness: Likeness, facts: Facts) -> Iterator[Problem]:
        """What mended text, of which ``facts`` are known, does not keep."""
        if any(map(writes, lost(pairing.replaced, pairing.brought))):
            yield None, "the fix would no longer write in place"
        pieces = {id(part): old for old, new in pairing.exchanged for part in ast.walk(new)}
        ops = {id(node.site): node.op for node in likeness.old.inside}
        # what a function is given is seen where it is called
        called = {id(node.site) for node in likeness.new.inside if node.calls}
        for node in likeness.new.inside:
            old = pieces.get(id(node.site))
            before = {ops.get(id(part), "") for part in ast.walk(old)} if old is not None else set()
            if node.site is not None and dumped(node.site) in likeness.quoted:
                continue
            if (function := given_complex(node, before)) is not None:
                yield node.site, f"`{function}` gives different results for complex numbers"
            if node.op in WITHOUT_MASKS - before and self.may_be_masked(node):
                yield node.site, "the project has masked arrays, of which it would not keep the mask"
            for said in not_taken(node, before, likeness, facts):
                if node.calls or id(node.site) not in called or not isinstance(said, Unseen):
                    yield node.site, said
        if any(compiled(self.file.imports, e) for e in pairing.replaced):
            elsewhere = {id(part) for old, new in pairing.exchanged for part in self.not_compiled(old, new)}
            for node in likeness.new.inside:
                if (name := foreign_to_compilers(node)) and id(node.site) not in elsewhere:
                    yield node.site, f"{name} is not known to be compiled"

    def may_be_masked(self, node: Node) -> bool:
        """Whether what a function of NumPy is given may be a masked array: the project makes such."""
        return node.framework in ("numpy", "scipy") and self.file.mentions(MASKED_ARRAYS)

    def not_compiled(self, old: ast.AST, new: ast.AST) -> Iterator[ast.AST]:
        """The parts of what comes in the place of something, if that is not compiled."""
        return ast.walk(new) if not compiled(self.file.imports, old) else iter(())

    def means_nan(self, pairing: Pairing) -> bool:
        """Whether a nan is put on purpose near what is replaced: one is written there, or NumPy is told to be quiet."""
        # what a name is for (`ast.Load`) is one object wherever it stands
        replaced = [e for e in pairing.replaced if isinstance(e, ast.expr)]
        around = {self.file.outline.function(e) for e in replaced}
        named = any(is_nan(part) for f in around if not isinstance(f, ast.Module) for part in ast.walk(f))
        quiet = (silences(parent) for e in replaced for parent, _ in self.file.outline.above(e))
        return named or any(quiet)


def lost(replaced: list[ast.AST], brought: list[ast.AST]) -> Iterator[ast.Call]:
    """The calls that are replaced, and written nowhere any more."""
    there = {ast.dump(e) for e in brought if isinstance(e, ast.Call)}
    return (e for e in replaced if isinstance(e, ast.Call) and ast.dump(e) not in there)


def writes(call: ast.Call) -> bool:
    """Whether a call writes into what it is given: by the name of its method, or by an argument."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    named = method.endswith("_") and not method.endswith("__") and not method.startswith("_")
    return named or any(k.arg in ("out", "inplace") for k in call.keywords)


def not_taken(node: Node, before: Collection[str], likeness: Likeness, facts: Facts) -> Iterator[str]:
    """What a brought op does not take that what was replaced did, if it is given that, or is not seen not to be."""
    floating, inside = FLOATING_ONLY.get(node.framework or "", frozenset()) | {"finfo"}, likeness.new.is_inside
    op = node.name.rpartition(".")[2] if node.op == CALL else node.op
    given = [arg for name, arg in node.args.items() if name in ARRAYS and not (arg.op == CONST and inside(arg))]
    if op == "finfo":
        given = [base for arg in node.args.values() if arg.name == "dtype" for base in arg.args.values()]
    if op in floating and floating.isdisjoint(before):
        if any(is_whole(arg, facts) for arg in given):
            yield f"`{op}` does not accept integers"
        elif op != "finfo" and given and not any(is_floating(arg, facts.gradient, inside) for arg in given):
            yield Unseen("it takes floating-point numbers only")
    operator = (node.spelling is None or node.spelling.is_method) and (node.op == ATTR or node.op in OPS)
    if not operator or TAKES_LISTS.isdisjoint(old.framework for old in likeness.old.inside):
        return
    known = {likeness.form(arg) for old in likeness.old.inside if takes_no_list(old) for arg in old.args.values()}
    for arg in node.args.values():
        if unrefined(arg).op in (TUPLE, "list"):
            yield "it is given a list"
        elif likeness.form(arg) not in known and not is_no_list(arg, inside):
            yield Unseen("it takes arrays, and no lists")


def given_complex(node: Node, before: Collection[str]) -> str | None:
    """The op that a brought node is, if it is one of real numbers, of complex ones, as none was before."""
    real = REAL_ONLY_IN.get(ARRAYS_OF.get(node.framework or "", node.framework) or "", REAL_ONLY)
    if node.op not in real or not real.isdisjoint(before):
        return None
    return node.op if any(is_complex(arg) for name, arg in node.args.items() if name in ARRAYS) else None


def foreign_to_compilers(node: Node) -> str:
    """The function of a node if a compiler of numbers and arrays does not have it: all but NumPy's elementwise ones."""
    name = node.spelling.name if node.spelling is not None else ""
    plain = name.startswith(("numpy.", "math.")) and node.op in OPS and OPS[node.op].pointwise
    return "" if plain else name


def is_nan(e: ast.AST) -> bool:
    """Whether a piece of syntax is a nan, as an attribute of a module or of a text."""
    if isinstance(e, ast.Attribute):
        return e.attr in NAN
    text = e.args[0] if isinstance(e, ast.Call) and len(e.args) == 1 and isinstance(e.func, ast.Name) else None
    return isinstance(text, ast.Constant) and str(text.value).lower() == "nan"


def silences(e: ast.AST) -> bool:
    """Whether a statement keeps NumPy from saying that something is not finite."""
    calls = [item.context_expr for item in e.items] if isinstance(e, ast.With) else []
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "errstate"
        and any(isinstance(k.value, ast.Constant) and k.value.value == "ignore" for k in call.keywords)
        for call in calls
    )
