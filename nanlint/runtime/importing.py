"""The import hook of a watched process: it probes the user's modules, and wakes adapters when frameworks come in."""

from __future__ import annotations

import ast
import functools
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import itertools
import os
import sys
import zipimport
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.runtime import probing
from nanlint.runtime.adapter import Adapter
from nanlint.runtime.adapters import BUILT_IN
from nanlint.runtime.adapters.stores import READS, SAVES
from nanlint.runtime.events import Module
from nanlint.runtime.hooks import Guard, safely
from nanlint.runtime.modules import keep_module
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.sites import Site, digest_of, sites_of

if TYPE_CHECKING:
    from nanlint.cache.reports import Reports
    from nanlint.config import Config, Configs

#: of probed expressions, in all modules
numbers = itertools.count()

#: entry points that enter further adapters
GROUP = "nanlint.runtime"


def adapters() -> dict[str, Callable[[], type[Adapter]]]:
    """What loads the class of an adapter, by the package whose import wakes it: built-in ones and those installed."""
    found: dict[str, Callable[[], type[Adapter]]] = {
        package: functools.partial(_load, *place.split(":")) for package, place in BUILT_IN.items()
    }
    for point in importlib.metadata.entry_points(group=GROUP):
        found[point.name] = point.load
    return found


def _load(module: str, name: str) -> type[Adapter]:
    return cast(type[Adapter], getattr(importlib.import_module(module), name))


class Hook(importlib.abc.MetaPathFinder):
    """First in ``sys.meta_path``: asks the finders behind it, and takes a hand in what they found."""

    #: loaders of files of the user's that are neither Python's own nor in an archive
    others: ClassVar[dict[type, Callable[[Any, Recorder], importlib.abc.Loader]]] = {}

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._adapters = adapters()
        self._finding: set[str] = set()

    def install(self) -> None:
        """Watch all imports from now on, and what has been imported already."""
        sys.meta_path.insert(0, self)
        self._recorder.ask_for(self._late)
        for package in dict.fromkeys([*self._adapters, *SAVES, *READS]):
            if package in sys.modules:
                self.wake(package)

    def _late(self, path: str) -> None:
        """A file that was imported without probes, before the watch began or by an importer of its own."""
        if os.path.isfile(path):
            with Guard(self._recorder, f"the findings of {path}"), open(path, "rb") as file:
                watched_sites(file.read(), path, self._recorder, probed=False)

    @classmethod
    def take_over(cls, loader: type, probed: Callable[[Any, Recorder], importlib.abc.Loader]) -> None:
        """Have ``probed`` stand in the place of a loader of somebody's, whose finder may have been put first since."""
        cls.others[loader] = probed
        for one in [one for one in sys.meta_path if isinstance(one, cls)]:
            sys.meta_path.remove(one)
            sys.meta_path.insert(0, one)

    def remove(self) -> None:
        """Watch no more; the adapters are stopped."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for adapter in self._recorder.adapters:
            safely(self._recorder, f"the end of {adapter.name}", adapter.stop)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find, with a loader of ours where there is something to do."""
        if fullname in self._finding:
            return None
        self._finding.add(fullname)
        try:
            spec = self._found_by_others(fullname, path, target)
        finally:
            self._finding.discard(fullname)
        if spec is not None and spec.loader is not None:
            safely(self._recorder, f"the import of {fullname}", self._take_in_hand, fullname, spec)
        return spec

    def _take_in_hand(self, fullname: str, spec: importlib.machinery.ModuleSpec) -> None:
        """Have a loader of ours where there is something to do."""
        if (fullname in self._adapters or fullname in SAVES or fullname in READS) and spec.loader is not None:
            spec.loader = InPlace(spec.loader, self._woken)
        elif type(spec.loader) is importlib.machinery.SourceFileLoader and self._recorder.users.owns(spec.loader.path):
            spec.loader = Probed(spec.loader.name, spec.loader.path, self._recorder)
        elif isinstance(spec.loader, zipimport.zipimporter) and self._recorder.users.owns(spec.origin or ""):
            spec.loader = cast(importlib.abc.Loader, ProbedInArchive(spec.loader, self._recorder))
        elif type(spec.loader) in self.others and self._recorder.users.owns(spec.origin or ""):
            spec.loader = self.others[type(spec.loader)](spec.loader, self._recorder)

    def _found_by_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        return None

    def _woken(self, loader: Any, module: ModuleType) -> None:
        loader.exec_module(module)
        self.wake(module.__name__)

    def wake(self, package: str) -> None:
        """Start the adapter of a framework that is imported; one that fails is told of and left out."""
        load = self._adapters.pop(package, None)
        if load is not None:
            safely(self._recorder, package, self._wake, package, load)
        self._recorder.results.meets(package)

    def _wake(self, package: str, load: Callable[[], type[Adapter]]) -> None:
        adapter = load()(self._recorder)
        try:
            adapter.start()
            self._recorder.woken(adapter)
        except Exception:
            safely(self._recorder, package, adapter.stop)
            safely(self._recorder, package, adapter.release)
            raise
        self._recorder.add_adapter(adapter)
        for module in (package, type(adapter).__module__):
            self._recorder.users.leave_out(sys.modules[module])
        self._recorder.watch_framework(adapter.name, str(getattr(sys.modules[package], "__version__", "")))


class InPlace(importlib.abc.Loader):
    """Stands in the place of a loader, which makes the module; ``run`` executes it."""

    def __init__(self, loader: Any, run: Callable[[Any, ModuleType], None]) -> None:
        self._loader, self._run = loader, run

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As the loader's own."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Take ourselves out of sight, and execute it."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._run(self._loader, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class Probed(importlib.machinery.SourceFileLoader):
    """The loader of one of the user's modules: its flagged expressions are probed, and never cached as bytecode."""

    def __init__(self, fullname: str, path: str, recorder: Recorder) -> None:
        super().__init__(fullname, path)
        self._recorder = recorder

    def get_code(self, fullname: str) -> CodeType | None:
        """The code with probes; as Python has it where nothing is flagged."""
        path = self.get_filename(fullname)
        try:
            content = self.get_data(path)
        except OSError:
            return super().get_code(fullname)
        return probed_code(content, path, self._recorder) or super().get_code(fullname)


class ProbedInArchive(zipimport.zipimporter):
    """The same for a module in a zip archive."""

    def __init__(self, loader: zipimport.zipimporter, recorder: Recorder) -> None:
        super().__init__(os.path.join(loader.archive, loader.prefix))
        self._recorder = recorder

    def get_code(self, fullname: str) -> CodeType:
        """The code with probes; as Python has it where nothing is flagged, or there is no source."""
        path = self.get_filename(fullname)
        content = self.get_data(path) if path.endswith(".py") else b""
        return probed_code(content, path, self._recorder) or super().get_code(fullname)


def probed_code(content: bytes, path: str, recorder: Recorder) -> CodeType | None:
    """The code of a file with its flagged expressions probed; None where there are none, or it is no Python.

    ``path``: as the code shall name its file.
    """
    from nanlint.runtime.rewriting import rewrite
    from nanlint.source.text import Source

    with Guard(recorder, f"the findings of {path}"):
        sites = watched_sites(content, path if path.startswith("<") else os.path.abspath(path), recorder)
        called = bool(recorder.options.keep_inputs)
        if not sites and not called:
            return None
        tree, found = rewrite(Source.from_bytes(content, path), sites, numbers, called)
        code: CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        probing.enter(found)
        return code
    return None


def watched_sites(
    content: bytes, path: str, recorder: Recorder, probed: bool = True, confidence: Confidence | None = None
) -> tuple[Site, ...]:
    """The findings of a file that are watched, and are at least of a confidence; the run keeps the source, once."""
    from nanlint.config import CONFIDENCES
    from nanlint.lint.known_rules import roots_of
    from nanlint.source.decoding import SourceError
    from nanlint.source.prescan import prescan
    from nanlint.source.text import Source

    least = confidence or CONFIDENCES[recorder.options.least_confidence]
    config = config_at(path, least)
    if not prescan(content, roots_of(config.for_file(os.path.abspath(path)))):
        return ()
    try:
        text = Source.from_bytes(content, path).text
    except SourceError:
        return ()
    module = Module(path, digest_of(content), probed, str(least))
    diagnostics = diagnosed(content, path, config)
    sites = sites_of(diagnostics, path, module.digest)
    keep_module(recorder.options.directory, module, text, diagnostics)
    recorder.watch_module(module, sites)
    return sites


@functools.lru_cache(maxsize=8)
def _configs(least: str, isolated: bool) -> Configs:
    from nanlint.config import Configs, Options
    from nanlint.lint.known_rules import ops_problem, rule_names, rules_in
    from nanlint.selection import LoadedWhenUsed

    overrides = Options.of(confidence=least).over
    return Configs(LoadedWhenUsed(rule_names), overrides, ops_problem=ops_problem, rules_in=rules_in, isolated=isolated)


def config_at(path: str, least: Confidence) -> Config:
    """What holds for a file; a configuration that is wrong, or gone, is left aside."""
    from nanlint.config import ConfigError

    try:
        return _configs(str(least), False).for_directory(os.path.dirname(os.path.abspath(path)))
    except (ConfigError, OSError):
        return _configs(str(least), True).default()


@functools.lru_cache(maxsize=1)
def _reports() -> Reports:
    from nanlint.cache.reports import Reports
    from nanlint.cache.store import directory_for

    return Reports(directory_for())


def diagnosed(content: bytes, path: str, config: Config, *, finds_only: bool = True) -> tuple[Diagnostic, ...]:
    """The findings of a file, recalled where they still hold: the linter is loaded only for what it has not seen.

    ``finds_only``: without fixes, which take most of the time, unless they are known already.
    """
    from nanlint.lint.report import Task

    reports, asked = _reports(), [Task(path, config)]
    if finds_only:
        asked.append(Task(path, config, finds_only=True))
    report = next(filter(None, map(reports.recall, asked)), None)
    if report is None:
        from nanlint.lint.one_file import run_bytes

        report = run_bytes(content, asked[-1])
        reports.keep(asked[-1], report)
        reports.save()
    return report.diagnostics
