"""Paths on the command line -> the files to check, each once and in order, with the Config that holds for each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nanlint.config import Config, ConfigError, Configs
from nanlint.disk import absolute, entries, exists, is_directory, parents, read_regular, reason, working_directory
from nanlint.source.reading import NOTEBOOK
from nanlint.source.writing import remove_leftovers

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".pyi", NOTEBOOK)


@dataclass(frozen=True)
class FoundFile:
    """A file to check: its path as shown, its Config, and whether it was named rather than met on a walk."""

    path: str
    config: Config
    explicit: bool = False


@dataclass(frozen=True)
class Found:
    """What a walk over the arguments brought: files sorted by path, and a message for what could not be visited."""

    files: tuple[FoundFile, ...]
    failures: tuple[str, ...] = ()


def shown_path(path: str) -> str:
    """The path as the user sees it: relative below the working directory, else as given."""
    cwd = working_directory()
    full = absolute(path)
    if full == cwd:
        return "."
    return os.path.relpath(full, cwd) if full.startswith(cwd.rstrip(os.sep) + os.sep) else os.path.normpath(path)


def discover(paths: Sequence[str], configs: Configs, *, force_exclude: bool = False) -> Found:
    """Visit ``paths``: a file is taken whatever its name and whatever excludes it, a directory is walked.

    With ``force_exclude`` a file that the configuration excludes is left out even if it is named.
    """
    walk = _Walk(configs, force_exclude)
    for path in paths:
        walk.visit(path)
    return Found(tuple(sorted(walk.files.values(), key=lambda file: file.path)), tuple(walk.failures))


def walked(path: str, top: str, configs: Configs) -> bool:
    """Whether a walk of the absolute directory ``top`` would come to the absolute ``path`` of a file below it.

    Raises ConfigError.
    """
    above = _Ignores.above(top)
    ignores = _Ignores() if above.ignore(top, directory=True) else above
    directory = top
    for name in os.path.relpath(path, top).split(os.sep):
        config, ignores = configs.for_directory(directory), ignores.within(directory)
        entry = os.path.join(directory, name)
        is_above = entry != path
        if config.excludes(entry, directory=is_above, named=top):
            return False
        if config.respect_gitignore and ignores.ignore(entry, directory=is_above):
            return False
        directory = entry
    return True


def affected(found: Found, revision: str, configs: Configs) -> Found:
    """``found`` without the files of which nothing else can be found than at a git ``revision``.

    Who imports whom is looked for in all of the repository. Raises GitError.
    """
    from nanlint.source.git import GitError, changed_files, top_level
    from nanlint.source.imports import affected_by

    top = top_level(os.getcwd())
    changed = changed_files(top, revision)
    everywhere = discover([top], configs).files if changed else ()
    real = {file.path: os.path.realpath(file.path) for file in (*found.files, *everywhere)}
    below = top.rstrip(os.sep) + os.sep
    outside = next((file.path for file in found.files if not real[file.path].startswith(below)), None)
    if outside is not None:
        raise GitError(f"{outside} is not in the repository {top}; run it there")
    gone = {path for path in changed if path.endswith(SUFFIXES) and not os.path.exists(path)}
    wanted = affected_by(changed, gone.union(real.values()), top)
    return Found(tuple(file for file in found.files if real[file.path] in wanted), found.failures)


def and_affected(found: Found, configs: Configs) -> Found:
    """``found`` with the files of the same projects of which something else may be found once these have changed."""
    from nanlint.source.imports import affected_by
    from nanlint.source.project import View

    files = {os.path.realpath(file.path): file for file in found.files}
    changed = frozenset(files)
    for top in sorted({View.of(path).top for path in changed}):
        below = discover([top], configs)
        real = {os.path.realpath(file.path): file for file in below.files}
        inside = {path for path in changed if path.startswith(top.rstrip(os.sep) + os.sep)}
        wanted = affected_by(inside, inside.union(real), top)
        files = {**{path: file for path, file in real.items() if path in wanted}, **files}
    return Found(tuple(sorted(files.values(), key=lambda file: file.path)), found.failures)


@dataclass
class _Walk:
    configs: Configs
    force_exclude: bool = False
    files: dict[str, FoundFile] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def visit(self, path: str) -> None:
        if is_directory(path):
            self._directory(absolute(path), shown_path(path))
            return
        try:
            os.stat(path)
        except OSError as error:
            self._fail(f"{path}: {reason(error)}")
            return
        full = absolute(path)
        config = self._config(os.path.dirname(full))
        if config is not None and not (self.force_exclude and config.excludes_file(full)):
            # Named files replace the same ones met on a walk: they are checked without a prescan.
            self.files[os.path.realpath(path)] = FoundFile(shown_path(path), config, explicit=True)

    def _directory(self, top: str, shown: str) -> None:
        # An ignored directory is walked if it is named; what ignores it must not ignore all that is in it.
        above = _Ignores.above(top)
        pending = [(top, shown, _Ignores() if above.ignore(top, directory=True) else above)]
        while pending:
            directory, shown, ignores = pending.pop()
            config = self._config(directory)
            # Below a broken configuration nothing is checked, but what lies deeper may have its own.
            walking = self.configs.default() if config is None else config
            ignores = ignores.within(directory)
            real = os.path.realpath(directory)
            for entry in self._entries(directory, shown):
                within = _is_directory(entry)
                if not within and not entry.name.endswith(SUFFIXES):
                    continue
                if walking.excludes(entry.path, directory=within, named=top):
                    continue
                if walking.respect_gitignore and ignores.ignore(entry.path, directory=within):
                    continue
                shown_entry = entry.name if shown == "." else os.path.join(shown, entry.name)
                if within:
                    pending.append((entry.path, shown_entry, ignores))
                elif config is not None and _is_file(entry):
                    key = os.path.realpath(entry.path) if entry.is_symlink() else os.path.join(real, entry.name)
                    self.files.setdefault(key, FoundFile(shown_entry, config))

    def _entries(self, directory: str, shown: str) -> list[os.DirEntry[str]]:
        try:
            found = entries(directory)
        except OSError as error:
            self._fail(f"{shown}: {reason(error)}")
            return []
        remove_leftovers(directory, (entry.name for entry in found))
        return found

    def _config(self, directory: str) -> Config | None:
        try:
            return self.configs.for_directory(directory)
        except ConfigError as error:
            self._fail(str(error))
            return None

    def _fail(self, message: str) -> None:
        if message not in self.failures:
            self.failures.append(message)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    # Links to directories are not entered: they lead out of the project, back into it, or round in a circle, and what
    # they lead to inside the project is met on its own. git and Ruff hold it the same way.
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    # Dangling links (an editor's lock files) and links to themselves are no files.
    try:
        return entry.is_file()
    except OSError:
        return False


@dataclass(frozen=True)
class _Ignores:
    """The .gitignore files in force for a directory, outermost first."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, directory: str) -> _Ignores:
        """Those between the repository's root and ``directory``, this one not included; none outside a repository."""
        chain = []
        for parent in parents(directory):
            chain.append(parent)
            if exists(os.path.join(parent, ".git")):
                ignores = cls()
                for step in reversed(chain):
                    if step != directory:
                        ignores = ignores.within(step)
                return ignores
        return cls()

    def within(self, directory: str) -> _Ignores:
        """With ``directory``'s own .gitignore, if it has one."""
        try:
            lines = read_regular(os.path.join(directory, ".gitignore")).decode("utf-8", "replace").splitlines()
        except OSError:
            return self
        spec = _spec(lines)
        return self if spec is None else _Ignores((*self.specs, (directory, spec)))

    def ignore(self, path: str, *, directory: bool = False) -> bool:
        """Whether ``path`` is ignored: the innermost .gitignore with an opinion decides, as in git."""
        for base, spec in reversed(self.specs):
            relative = os.path.relpath(path, base) + "/" * directory
            verdict = spec.check_file(relative).include
            if verdict is not None:
                return verdict
        return False


def _spec(lines: list[str]) -> GitIgnoreSpec | None:
    patterns = [line for line in lines if line.strip() and not line.startswith("#")]
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        # git passes over a pattern it cannot read; so one bad line must not void the others.
        return GitIgnoreSpec.from_lines(pattern for pattern in patterns if _readable(pattern))


def _readable(pattern: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True
