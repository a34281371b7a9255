"""What a fix has to keep beside the numbers: effects, what whole numbers give, compiled code, a nan that is meant."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nanlint.analysis.expected import expected
from nanlint.analysis.facts import Facts
from nanlint.fixes.file import File
from nanlint.fixes.reading import compiled
from nanlint.frontend.equivalence import Likeness, Problem
from nanlint.graph.node import ATTR, CALL, CONST, Node, walk
from nanlint.ops.frameworks import ARRAYS_OF, FLOATING_ONLY, REAL_ONLY, REAL_ONLY_IN
from nanlint.ops.op import OPS
from nanlint.source.pairing import Pairing

#: ops that make a real number of a complex one
MADE_REAL = frozenset({"abs", "norm", "var", "std", "angle", "atan2", "isnan", "isinf", "isfinite", "size"})
#: operands that are arrays
ARRAYS = frozenset({"x", "a", "b", "y"})
#: functions that give complex numbers, by the last part of their names
COMPLEX = frozenset({"fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "rfft", "rfft2", "rfftn", "complex", "polar"})
#: how a nan is written as an attribute
NAN = frozenset({"nan", "NaN", "NAN"})


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
        for node in likeness.new.inside:
            old = pieces.get(id(node.site))
            before = {ops.get(id(part), "") for part in ast.walk(old)} if old is not None else set()
            if (function := given_integers(node, before, likeness, facts)) is not None:
                yield node.site, f"`{function}` does not accept integers"
            elif (function := given_complex(node, before)) is not None:
                yield node.site, f"`{function}` gives different results for complex numbers"
        if any(compiled(self.file.imports, e) for e in pairing.replaced):
            elsewhere = {id(part) for old, new in pairing.exchanged for part in self.not_compiled(old, new)}
            for node in likeness.new.inside:
                if (name := foreign_to_compilers(node)) and id(node.site) not in elsewhere:
                    yield node.site, f"{name} is not known to be compiled"

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


def given_integers(node: Node, before: Collection[str], likeness: Likeness, facts: Facts) -> str | None:
    """The op that a brought node is, if it is one of floating-point numbers, of whole ones, as none was before."""
    floating = FLOATING_ONLY.get(node.framework or "", frozenset())
    if node.op == CALL and node.name.rpartition(".")[2] == "finfo":
        dtypes = (arg for arg in node.args.values() if arg.op == ATTR and arg.name == "dtype")
        return "finfo" if any(facts.whole_type(base) for dtype in dtypes for base in dtype.args.values()) else None
    if node.op not in floating or not floating.isdisjoint(before):
        return None
    for name, arg in node.args.items():
        value = facts.value(arg)
        literal = arg.op == CONST and likeness.new.is_inside(arg)
        named = expected(str(arg.attrs.get("variable") or arg.name)).whole
        if name in ARRAYS and not literal and (facts.whole_type(arg) or (named and value.constant is None)):
            return node.op
    return None


def given_complex(node: Node, before: Collection[str]) -> str | None:
    """The op that a brought node is, if it is one of real numbers, of complex ones, as none was before."""
    real = REAL_ONLY_IN.get(ARRAYS_OF.get(node.framework or "", node.framework) or "", REAL_ONLY)
    if node.op not in real or not real.isdisjoint(before):
        return None
    return node.op if any(is_complex(arg) for name, arg in node.args.items() if name in ARRAYS) else None


def is_complex(node: Node) -> bool:
    """Whether a value is made of a complex number."""
    made = walk(node, lambda n: () if n.op == ATTR or n.op in MADE_REAL or n.name else n.args.values())
    return any(n.attrs.get("annotation") == "complex" or n.name.rpartition(".")[2] in COMPLEX for n in made)


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
