"""What ``nanlint check`` does with baselines: look at them first, hide what they know, write them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache, partial

from nanlint.baseline import DEFAULT_PATH, Baseline, hide_known, renewed
from nanlint.commands.base import say, writable, write_report
from nanlint.config import Config, Configs
from nanlint.lint.report import Report
from nanlint.output.summary import findings as counted
from nanlint.source.discovery import shown_path


def _config_of(configs: Configs, path: str) -> Config:
    absolute = os.path.abspath(path)
    return configs.for_directory(os.path.dirname(absolute)).for_file(absolute)


def see_baselines(configs: Iterable[Config], written: str | None) -> None:
    """Say what is wrong with a baseline that will be read, or ``written``, before any file is fixed."""
    paths = {written or config.baseline or (None if written is None else DEFAULT_PATH) for config in configs}
    for path in sorted(filter(None, paths)):
        Baseline.read(path, may_lack=written is not None)


def without_known(report: Report, configs: Configs, *, complete: bool) -> Report:
    """What the baseline does not hide, if there is one."""
    config_of = partial(_config_of, configs)
    if all(config_of(file.path).baseline is None for file in report.files):
        return report

    @cache
    def read(path: str | None) -> Baseline | None:
        return None if path is None else Baseline.read(path)

    return hide_known(report, lambda path: read(config_of(path).baseline), config_of, complete=complete)


def known_from_now_on(report: Report, configs: Configs, chosen: str, quiet: bool) -> Report:
    """Write what is found into the baseline, so that it is known."""
    config_of = partial(_config_of, configs)

    def path_of(path: str) -> str:
        return os.path.abspath(chosen or config_of(path).baseline or DEFAULT_PATH)

    baselines = {one.path: one for one in renewed(report, path_of, config_of)}
    configured = {config_of(file.path).baseline for file in report.files}
    for path, one in baselines.items():
        write_report(writable(path), one.render())
        if not quiet:
            count = sum(map(len, one.entries.values()))
            say(f"{shown_path(path)} now contains {counted(count)}.", err=True)
            if path not in configured:
                say(f"To hide them, use --baseline {shown_path(path)} or the key `baseline`.", err=True)
    return hide_known(report, lambda path: baselines[path_of(path)], config_of)
