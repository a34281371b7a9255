"""Which folder a text belongs to, and the configuration that holds for it there; read again when files change."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nanlint.baseline import Baseline, BaselineError
from nanlint.config import Config, ConfigError, Configs
from nanlint.lint.known_rules import ops_problem, rule_names, rules_in
from nanlint.server.known import baseline_at
from nanlint.server.settings import Settings
from nanlint.source.discovery import shown_path, walked


@dataclass(frozen=True)
class Held:
    """What holds for one text: the path as the command line would show it, and the Config (None: leave it alone)."""

    path: str
    config: Config | None
    settings: Settings
    baseline: Baseline | None = None


class Project:
    """A workspace folder, or the directory of a file that lies in none, with its settings.

    A configuration that breaks while it is being edited leaves the one in force that was last good; one that never was
    good lets nothing be checked, as on the command line. ``errors``: what is wrong, by the file that is at fault.
    ``without_baseline``: the same of baselines, by the file that names one; then nothing is known. ``problem``: what is
    wrong with the settings; then nothing is checked.
    """

    def __init__(self, root: str, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self.errors: dict[str, str] = {}
        self.without_baseline: dict[str, str] = {}
        self._good: dict[str, Config] = {}
        self._rules = rule_names()
        self.problem: str | None = None
        self.reload()

    def reload(self) -> None:
        """Forget what was read of configuration files."""
        self.errors = {}
        self.without_baseline = {}
        self.problem = None
        overrides, named = self.settings.over, self.settings.config
        self.configs = Configs(self._rules, overrides, ops_problem=ops_problem, rules_in=rules_in)
        try:
            self.configs.default()
            for name in named:
                file = os.path.join(self.root, name)
                self.configs = Configs(self._rules, overrides, file=file, ops_problem=ops_problem, rules_in=rules_in)
        except ConfigError as error:
            self.problem = str(error)

    def config(self, directory: str) -> Config | None:
        """The Config that holds in an absolute directory; None where there is none that can be used."""
        if self.problem is not None:
            return None
        try:
            found = self.configs.for_directory(directory)
        except ConfigError as error:
            if error.file is not None:
                self.errors[error.file] = str(error)
            return self._good.get(directory)
        self._good[directory] = found
        return found

    def holds(self, path: str) -> Held:
        """What holds for the file of an absolute path."""
        shown = os.path.relpath(path, self.root) if is_below(path, self.root) else path
        config = self.config(os.path.dirname(path)) if self.settings.enable else None
        if config is None or not self._walks_to(path):
            return Held(shown, None, self.settings)
        return Held(shown, config.for_file(path), self.settings, self._baseline(config))

    def _baseline(self, config: Config) -> Baseline | None:
        if config.baseline is None:
            return None
        named = config.file or config.baseline
        try:
            found = baseline_at(config.baseline)
        except BaselineError as error:
            self.without_baseline[named] = f"{shown_path(named)}: baseline: {error}"
            return None
        self.without_baseline.pop(named, None)
        return found

    def _walks_to(self, path: str) -> bool:
        try:
            return walked(path, self.root if is_below(path, self.root) else os.sep, self.configs)
        except ConfigError:
            return True  # said elsewhere; what was good before still holds


class Projects:
    """The workspace folders, innermost first."""

    def __init__(self) -> None:
        self._folders: dict[str, Project] = {}
        self._loose: dict[str, Project] = {}
        self._settings = Settings()

    def __iter__(self) -> Iterator[Project]:
        return iter(tuple(self._folders.values()))

    @property
    def errors(self) -> Mapping[str, str]:
        """What is wrong with configuration files, by absolute path."""
        return {
            file: text
            for project in self._all()
            for file, text in (*project.without_baseline.items(), *project.errors.items())
        }

    @property
    def untrusted(self) -> tuple[Config, ...]:
        """Configurations whose rule files were not loaded, each file once."""
        found = (config for project in self._all() for config in project.configs.untrusted)
        return tuple({config.file: config for config in found}.values())

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with settings, each once."""
        return tuple(dict.fromkeys(project.problem for project in self._all() if project.problem is not None))

    def _all(self) -> tuple[Project, ...]:
        return (*self._folders.values(), *self._loose.values())

    def add(self, root: str) -> None:
        """A folder has come into the workspace."""
        if root not in self._folders:
            self._folders[root] = Project(root, self._settings)

    def remove(self, root: str) -> None:
        self._folders.pop(root, None)

    def configure(self, settings: Settings, root: str | None = None) -> None:
        if root is not None:
            self._folders[root] = Project(root, settings)
            return
        self._settings = settings
        self._folders = {folder: Project(folder, settings) for folder in self._folders}
        self._loose = {}

    def reload(self) -> None:
        """Files of configuration may have changed."""
        for project in self._all():
            project.reload()

    def project_of(self, path: str) -> Project:
        """The innermost folder around an absolute path; for a file in none, its own directory."""
        around = [root for root in self._folders if is_below(path, root)]
        if around:
            return self._folders[max(around, key=len)]
        # a file of another project, or of a library, is as it would be met on a walk from the top
        root = os.sep if self._folders else os.path.dirname(path)
        if root not in self._loose:
            self._loose[root] = Project(root, self._settings)
        return self._loose[root]

    def holds(self, path: str | None) -> Held:
        """What holds for a text: that of its file, or for one that is in none the first folder's."""
        if path is not None:
            return self.project_of(path).holds(path)
        project = next(iter(self._folders.values()), None) or self.project_of(os.path.join(os.getcwd(), "untitled"))
        config = project.config(project.root) if project.settings.enable else None
        return Held("untitled", config, project.settings)


def is_below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)
