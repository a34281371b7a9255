"""Lists, tuples, dicts, tables and their elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from nanlint.frontend.modules import ModuleFrame
from nanlint.frontend.nodes import CALLABLE, MAX_ALTERNATIVES, complete, entry, grows, keys_known, written_out
from nanlint.frontend.part import Part
from nanlint.frontend.registries import fill, sets_items
from nanlint.frontend.syntax import standing_for
from nanlint.graph.node import CALL, CONST, DICT, LAYER, LOOP, MODULE, PHI, TUPLE, Node, unrefined
from nanlint.ops.op import OPS

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


class Containers(Part):
    """Lists, tuples, dicts, tables and their elements."""

    def __init__(self, lowering: Lowering) -> None:
        super().__init__(lowering)
        #: tables of other files, and the keys that were asked for, None for one that is not known
        self.filled: set[tuple[int, int | None]] = set()

    def sequence(self, e: ast.Tuple | ast.List | ast.Set) -> Node:
        elements: list[Node] = []
        some = standing_for(e.elts)
        open_ended = some is not None
        for x in e.elts if some is None else some:
            node = self.lowering.expressions.lower(x)
            if isinstance(x, ast.Starred) and node.op == TUPLE and not node.attrs.get("starred"):
                elements.extend(node.args.values())
                continue
            open_ended = open_ended or isinstance(x, ast.Starred)
            elements.append(node)
        return self.lowering.builder.emit(
            TUPLE,
            e,
            {"starred": True} if open_ended else None,
            args={str(i): n for i, n in enumerate(elements)},
        )

    def dictionary(self, e: ast.Dict) -> Node:
        args: dict[str, Node] = {}
        if (some := standing_for(e.values)) is not None:
            return self.lowering.builder.emit(
                DICT, e, args={f"?{i}": self.lowering.expressions.lower(value) for i, value in enumerate(some)}
            )
        for i, (key, value) in enumerate(zip(e.keys, e.values, strict=True)):
            node = self.lowering.expressions.lower(value)
            if key is None and node.op == DICT:
                args.update(node.args)
            else:
                args[f"={key.value!r}" if isinstance(key, ast.Constant) else f"?{i}"] = node
        return self.lowering.builder.emit(DICT, e, args=args)

    def slice(self, e: ast.Slice) -> Node:
        parts = {
            n: self.lowering.expressions.lower(s)
            for n, s in (("lower", e.lower), ("upper", e.upper), ("step", e.step))
            if s is not None
        }
        return self.lowering.builder.emit("slice", e, args=parts)

    def subscript(self, e: ast.Subscript) -> Node:
        base = self.lowering.expressions.lower(e.value)
        if base.op == MODULE:
            return self.lowering.builder.unknown(e, base)
        return self.item(base, self.lowering.expressions.lower(e.slice), e)

    def item(self, base: Node, index: Node, site: ast.AST) -> Node:
        """``base[index]``."""
        at = index.attrs.get("value") if index.op == CONST else None
        if base.op == TUPLE and isinstance(at, int) and not base.attrs.get("starred"):
            elements = list(base.args.values())
            if -len(elements) <= at < len(elements):
                base.attrs["apart"] = True
                return self.lowering.builder.refined(elements[at])
        if base.op == DICT:
            self.fill(base, index)
        if base.op == DICT and index.op == CONST:
            found = base.args.get(f"={at!r}")
            if found is not None:
                base.attrs["apart"] = True
                return self.lowering.builder.refined(found)
        if at in (0, -1) and base.op == "view" and self.adds_axis(base.get("index")):
            if isinstance(site, ast.Subscript) and isinstance(site.value, ast.Subscript) and not base.users:
                # nothing else sees the view
                base["x"].users.remove(base)
            return base["x"]
        stored = self.frame.lookup(("item", base.key, index.key))
        if stored is not None:
            return stored
        if base.op == "list" and "each" in base.args and "last" not in base.args:
            base.attrs["apart"] = True
            return base if index.op == "slice" else base["each"]
        if base.op == "size":
            return self.lowering.builder.emit("size", site, x=base, index=index)
        if base.op == LAYER and base.get("last") is not None:
            return self.lowering.builder.unknown(site, base)
        if self.keeps_all(index):
            return self.lowering.builder.emit("view", site, x=base, index=index)
        if (one := self.one_of(base, index, site)) is not None:
            return one
        return self.lowering.builder.refined(
            self.of_table(self.lowering.builder.emit("part", site, x=base, index=index), base)
        )

    def one_of(self, base: Node, index: Node, site: ast.AST) -> Node | None:
        """What an unknown key finds in a dict or list of functions, layers or numbers that is written out."""
        elements = list(base.args.values())
        if not (written_out(base) or (base.op == DICT and keys_known(base))):
            return None
        if not 0 < len(elements) <= MAX_ALTERNATIVES or index.op in ("slice", TUPLE, CONST):
            return None
        if not all(one.op in CALLABLE or one.op == CONST for one in elements):
            return None
        base.attrs["apart"] = True
        return reduce(lambda a, b: self.lowering.builder.merge(None, a, b, site), reversed(elements))

    def of_table(self, part: Node, base: Node) -> Node:
        """A part of a pandas table has the methods of one."""
        if base.framework == "pandas":
            part.framework = base.framework
        return part

    def keeps_all(self, index: Node) -> bool:
        """Whether an index only adds axes or takes everything: None, ..., : and tuples of them."""
        if index.op == CONST:
            return index.attrs["value"] in (None, ...)
        if index.op == "slice":
            return not index.args
        if index.op == MODULE:
            return index.name.endswith("newaxis")
        return index.op == TUPLE and all(self.keeps_all(i) for i in index.args.values())

    def adds_axis(self, index: Node | None) -> bool:
        """Whether an index only puts a new axis before all others: None, newaxis."""
        if index is None:
            return False
        return (index.op == CONST and index.attrs["value"] is None) or (index.op == MODULE and self.keeps_all(index))

    def element(self, iterable: Node, site: ast.AST) -> Node:
        """What iterating yields."""
        if iterable.op == "list" and (each := iterable.get("each")) is not None:
            return each
        if iterable.op == TUPLE and iterable.args:
            elements = list(iterable.args.values())
            result = elements[0]
            for other in elements[1:]:
                result = self.lowering.builder.merge(None, result, other, site)
            return result
        if iterable.op == "zip":
            return self.lowering.builder.emit(
                TUPLE, site, args={k: self.element(v, site) for k, v in iterable.args.items()}
            )
        if iterable.op == "enumerate":
            return self.lowering.builder.emit(
                TUPLE,
                site,
                args={
                    "0": self.lowering.builder.emit("size", site, x=iterable["x"]),
                    "1": self.element(iterable["x"], site),
                },
            )
        if iterable.op == "range":
            return self.lowering.builder.emit("arange", site, {"scalar": True}, pure=False, args=iterable.args)
        return self.lowering.builder.emit("part", site, pure=False, x=iterable)

    def fill(self, table: Node, key: Node) -> None:
        frame = self.lowering.modules.get(self.graph.file_of(table.external_site) or "")
        missing = "grows" not in table.attrs if key.op != CONST else entry(key, 0) not in table.args
        asked = table.index, key.key if key.op == CONST else None
        if missing and asked not in self.filled and isinstance(frame, ModuleFrame):
            self.filled.add(asked)
            if sets_items(frame.tree):
                fill(self.lowering, table, key)

    def is_made_here(self, container: Node) -> bool:
        """Whether a container is one of the function, or of the top level, that is being lowered."""
        frame = self.frame
        return frame.function is None or any(value is container for value in frame.env.values())

    def keep(self, table: Node, name: str, value: Node, site: ast.AST) -> None:
        """Let a table that outlives the function have another entry, for all who use it."""
        before = table.args.get(name)
        self.graph.connect(
            table, name, value if before is None else self.lowering.builder.merge(None, before, value, site)
        )
        table.key = self.graph.fresh()
        table.attrs["grows"] = True

    def call_container(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call
    ) -> Node | None:
        """A method of a list, a dict, a shape or a parser; None for any other."""
        if name in ("append", "add", "extend", "insert") and base.op in ("list", TUPLE, "append", LOOP, PHI):
            return self.call_list(base, name, args, e) if isinstance(e.func, ast.Attribute) and args else None
        if base.op == "size" and name == "as_list":
            return base
        if base.op == CALL and "members" in base.attrs:
            return self.lowering.calls.call_parser(base, name, keywords, e)
        return self.call_dict(base, name, args, keywords, e) if base.op == DICT else None

    def call_list(self, base: Node, name: str, args: Sequence[Node], e: ast.Call) -> Node:
        """A method that a list grows by."""
        assert isinstance(e.func, ast.Attribute)
        each = self.element(args[-1], e) if name == "extend" else args[-1]
        if written_out(base) and name == "append" and grows(base):
            grown = self.lowering.builder.emit(TUPLE, e, args={**base.args, str(len(base.args)): each})
        else:
            old = self.element(base, e) if base.args else each
            grown = self.lowering.builder.emit(
                "list", e, pure=False, each=self.lowering.builder.merge(None, old, each, e), last=each
            )
        self.lowering.scopes.bind(e.func.value, grown, e)
        return each

    def call_dict(
        self, base: Node, name: str, args: Sequence[Node], keywords: dict[str, Node], e: ast.Call
    ) -> Node | None:
        """A method of a dict, as far as its keys are known."""
        if name == "get" and args:
            self.fill(base, args[0])
        if name == "get" and args and args[0].op != CONST:
            return self.one_of(base, args[0], e)
        if name in ("get", "pop", "setdefault") and args and args[0].op == CONST:
            found = base.args.get(entry(args[0], 0))
            if found is None and complete(base):
                found = args[1] if len(args) > 1 else self.graph.add(CONST, {}, {"value": None}, e)
            return found
        if name == "update" and isinstance(e.func, ast.Attribute):
            other = args[0].args if args and args[0].op == DICT else {f"?{e.lineno}": args[0]} if args else {}
            added = {**other, **{k if k.startswith("**") else f"={k!r}": n for k, n in keywords.items()}}
            self.lowering.scopes.bind(e.func.value, self.lowering.builder.emit(DICT, e, args={**base.args, **added}), e)
            return self.graph.add(CONST, {}, {"value": None}, e)
        if base.attrs.get("many") and name in ("values", "items"):
            (each,) = base.args.values()
            each = (
                each
                if name == "values"
                else self.lowering.builder.emit(TUPLE, e, args={"0": self.lowering.builder.unknown(e), "1": each})
            )
            return self.lowering.builder.emit(
                "list", e, {"chosen": base.attrs.get("chosen", False)}, pure=False, each=each
            )
        if name == "values":
            return self.lowering.builder.emit(TUPLE, e, args={str(i): n for i, n in enumerate(base.args.values())})
        if name == "items":
            pairs = [
                self.lowering.builder.emit(TUPLE, e, args={"0": self.lowering.builder.unknown(e), "1": n})
                for n in base.args.values()
            ]
            return self.lowering.builder.emit(TUPLE, e, args={str(i): pair for i, pair in enumerate(pairs)})
        return None

    def unpacked(self, value: Node, i: int, target: ast.expr, site: ast.AST) -> Node:
        """What a place of a tuple gets of a value that is none: one of its sizes, places or elements."""
        value = unrefined(value)
        if value.op == "size":
            return self.lowering.builder.emit("size", site, x=value, index=self.lowering.builder.number(i))
        if value.attrs.get("nonzero"):
            # places, axis by axis
            return self.lowering.builder.emit("part", site, x=value, index=self.lowering.builder.number(i))
        each = value.get("each") if value.op == "list" else None
        return each if each is not None and each.op in OPS else self.lowering.builder.unknown(target, value)
