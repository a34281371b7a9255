"""Names that other files of the project define, found and lowered when they are needed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nanlint.frontend.callers import names_of_other
from nanlint.frontend.frames import Frame
from nanlint.frontend.inference import Inference
from nanlint.frontend.modules import ModuleFrame, descendants, outline_of, set_by_functions
from nanlint.frontend.part import Part
from nanlint.frontend.registries import home_of_frame
from nanlint.frontend.worth import frameworks_named, numeric_definitions, root_of
from nanlint.graph.node import CLASS, CONST, INSTANCE, MODULE, Node
from nanlint.ops.frameworks import canonical
from nanlint.source.project import Module, absolute

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


#: files of a project that are read for the sake of one
MAX_MODULES = 100


class Project(Part):
    """Names that other files of the project define, found and lowered when they are needed."""

    def __init__(self, lowering: Lowering) -> None:
        super().__init__(lowering)
        #: dotted name -> what it stands for in another file, None where that is not seen
        self.resolved: dict[str, Node | None] = {}
        #: module -> what its star import brings: dotted names by name
        self.exports: dict[str, Mapping[str, str]] = {}
        #: of a file that is in a project
        self.inference: Inference | None = None

    def inferred(self, e: ast.Attribute) -> Node | None:
        """The number that an attribute has at a module's top level, where only astroid tells it.

        An object's 0 is none: it may be a state that starts there.
        """
        name, top = root_of(e), self.frame.top
        base = top.lookup(name) if name and self.inference is not None else None
        if base is None or self.frame.lookup(name) is not base:
            return None
        assert self.inference is not None
        meant = self.resolve(base) if base.op == MODULE else base
        if meant.op not in (CLASS, INSTANCE) and not (meant.op == MODULE and self.in_project(meant.name)):
            return None
        home = home_of_frame(top) if isinstance(top, ModuleFrame) else self.inference.own
        number = self.inference.number(home, ast.unparse(e))
        if number is None or (number == 0 and meant.op != CLASS):
            return None
        return self.lowering.builder.number(number, e)

    def resolve(self, module: Node) -> Node:
        if self.view is None:
            return module
        name = module.name
        if name not in self.resolved:
            # what leads back to itself, through imports that are cyclic, stays a name
            self.resolved[name] = None
            known = (
                self.spellings.get(canonical(name)) is not None or self.spellings.control(canonical(name)) is not None
            )
            self.resolved[name] = None if known else self.defined_elsewhere(name, module)
        return self.resolved[name] or module

    def in_project(self, dotted: str) -> bool:
        return self.view is not None and self.view.longest(dotted) is not None

    def defined_elsewhere(self, name: str, module: Node) -> Node | None:
        """What a dotted name of the project stands for; None where that is not seen, or is a module."""
        assert self.view is not None
        found = self.view.longest(name)
        if found is None:
            return None
        home, rest = found
        if not rest:
            # a module, unless its package has something else under its name
            package, _, last = name.rpartition(".")
            around = self.view.longest(package)
            if around is None or around[1] or around[0].path == home.path:
                return None
            home, rest = around[0], (last,)
        first, *others = rest
        frame = self.loaded(home)
        value = frame.lookup(first) if frame is not None else None
        if value is None or (value.op == MODULE and value.name == name):
            return None
        site = module.site or module.external_site
        assert site is not None
        value = self.resolve(value) if value.op == MODULE else value
        for part in others:
            value = self.lowering.expressions.read_attribute(value, part, site)
        return value

    def as_others_set(self, module: Node, name: str, value: Node, site: ast.AST) -> Node:
        home = self.view.longest(module.name) if self.view is not None and value.op == CONST else None
        if self.view is None or home is None or home[1]:
            return value
        for other in self.view.users_of_name(name, home[0].path):
            frame = self.loaded(other)
            owners = {owner for owner, target in set_by_functions(other.tree) if target.attr == name}
            if owners and isinstance(frame, ModuleFrame):
                _, through = names_of_other(self.lowering, frame, home[0], {name})
                if not owners.isdisjoint(through):
                    return self.lowering.scopes.or_another(value, name, site)
        return value

    def loaded(self, home: Module) -> Frame | None:
        """The top level of a module of the project."""
        if home.path not in self.lowering.modules:
            if len(self.lowering.modules) >= MAX_MODULES:
                assert self.view is not None
                self.view.left_out.add(home.name)
                return None
            outline = outline_of(home.tree)
            for star in outline.stars:
                star.home = home.path  # type: ignore[attr-defined]
            self.lowering.modules[home.path] = ModuleFrame(
                package=home.package,
                frameworks=frameworks_named(home.tree, home.package),
                path=home.path,
                tree=home.tree,
                outline=outline,
                lower=self.lower_elsewhere,
                starred=self.starred,
            )
        return self.lowering.modules[home.path]

    def lower_elsewhere(self, frame: Frame, statement: ast.stmt) -> None:
        """Lower a statement of another file's top level."""
        assert isinstance(frame, ModuleFrame)
        around = self.lowering.functions.begin()
        if self.graph.file_of(statement) is None:
            for node in descendants(statement):
                node.home = frame.path  # type: ignore[attr-defined]
        self.lowering.functions.run(frame, [statement])
        # what is stored to an object there is found in it here
        self.module.env.update({key: value for key, value in frame.env.items() if isinstance(key, tuple)})
        if any(isinstance(value, Node) and value.op == CONST for value in frame.env.values()):
            self.lowering.scopes.forget_globals(frame, frame.outline.changed, statement)
        # what is computed once, where it is imported, is not charged to the function that needs it first
        self.lowering.functions.resume(around)

    def starred(self, frame: Frame, name: str) -> Node | None:
        """What a star import at the top level of another file brings under a name."""
        assert isinstance(frame, ModuleFrame)
        for star in reversed(frame.outline.stars):
            dotted = self.exported(self.absolute(star.module or "", star.level, frame)).get(name)
            if dotted is not None:
                return self.graph.add(MODULE, {}, {"name": dotted}, star)
        return None

    def absolute(self, module: str, level: int, frame: Frame | None = None) -> str:
        """A relative import as seen from this file's package, as far as that is known."""
        return absolute(module, level, (frame or self.frame).top.package)

    def import_all(self, module: str, s: ast.ImportFrom) -> None:
        """``from module import *`` brings the names that a file of the project has, or the catalogue of a framework."""
        for name, dotted in self.exported(module).items():
            self.frame.env.setdefault(name, self.graph.add(MODULE, {}, {"name": dotted}, s))

    def numeric_names(self, tree: ast.Module, words: frozenset[str]) -> set[str]:
        """Names of other files, or in modules that a file imports, that stand for operations with a pole."""
        found: set[str] = set()
        if self.view is None:
            return found
        for name, dotted, site in outline_of(tree).imports:
            dotted = self.absolute(dotted, site.level, self.module) if isinstance(site, ast.ImportFrom) else dotted
            meant = self.view.longest(dotted)
            if meant is None or meant[0].path == self.view.path:
                continue
            worth = numeric_definitions(meant[0].tree, words)
            if not meant[1]:
                found |= worth
            elif meant[1][0] in worth or self.is_numeric_elsewhere(dotted, words):
                found.add(name)
        for star in outline_of(tree).stars:
            exported = self.exported(self.absolute(star.module or "", star.level, self.module))
            found.update(name for name, dotted in exported.items() if self.is_numeric_elsewhere(dotted, words))
        return found

    def is_numeric_elsewhere(self, dotted: str, words: frozenset[str], steps: int = 4) -> bool:
        """Whether a dotted name stands for an operation with a pole, where it is defined or on the way there."""
        meant = self.view.longest(dotted) if self.view is not None else None
        if meant is None or not meant[1] or not steps:
            return False
        module, (first, *_) = meant
        if first in numeric_definitions(module.tree, words):
            return True
        lead = outline_of(module.tree).leads.get(first)
        if lead is None:
            return False
        _, further, site = lead
        level = site.level if isinstance(site, ast.ImportFrom) else 0
        return self.is_numeric_elsewhere(absolute(further, level, module.package), words, steps - 1)

    def exported(self, module: str) -> Mapping[str, str]:
        """What ``from module import *`` brings: dotted names of what a file binds, or of a framework."""
        if module not in self.exports:
            self.exports[module] = self._exported(module, set())
        return self.exports[module]

    def _exported(self, module: str, seen: set[str]) -> Mapping[str, str]:
        if module in seen:
            return {}
        seen.add(module)
        found = self.view.longest(module) if self.view is not None else None
        if found is None or found[1]:
            prefix = module + "."
            named = (n for n in self.spellings.names() if n.startswith(prefix) and "." not in n[len(prefix) :])
            return {name[len(prefix) :]: name for name in named}
        frame = self.loaded(found[0])
        if not isinstance(frame, ModuleFrame):
            own = [name for name in frame.env if isinstance(name, str)] if frame is not None else []
            return {name: f"{module}.{name}" for name in own if not name.startswith("_")}
        names: dict[str, str] = {}
        for star in frame.outline.stars:
            names.update(self._exported(self.absolute(star.module or "", star.level, frame), seen))
        names.update({name: f"{module}.{name}" for name in frame.outline.public})
        listed = frame.outline.listed
        return names if listed is None else {name: names.get(name, f"{module}.{name}") for name in listed}
