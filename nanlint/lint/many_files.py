"""Many files: from paths to a Report, in this process, in several, or with an executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nanlint.config import Config, Configs
from nanlint.diagnostic import Diagnostic
from nanlint.housekeeping import internal_error
from nanlint.lint.known_rules import reject_untrusted, rule_names
from nanlint.lint.one_file import run_bytes, run_task, written_here
from nanlint.lint.report import Action, FileReport, Judge, Memory, Report, Task
from nanlint.source.decoding import SourceError
from nanlint.source.discovery import affected, and_affected, discover
from nanlint.source.project import Seen, in_project
from nanlint.source.project_files import forget
from nanlint.source.reading import read_source
from nanlint.source.syntax import Unparsable

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nanlint.frontend.imports import Import
    from nanlint.proof.pool import Pool


# Many files
def unresolved(report: Report, content: bytes | None = None) -> tuple[Import, ...]:
    """What was not resolved in the projects of the files of a report, and in the files that were read for their sake.

    Sorted by place. ``content``: what the one file of the report holds, if it is not on disk.
    """
    from nanlint.frontend.imports import limits, resolved_imports, source_at

    found: set[Import] = set()
    at_hand = {} if content is None else {os.path.realpath(file.path): content for file in report.files}
    seen = {os.path.realpath(file.path): file.seen or Seen() for file in report.files}
    others = {os.path.realpath(path) for one in seen.values() for path, stamp in one.files if stamp is not None}
    for path in sorted(others.union(seen)):
        try:
            source = in_project(read_source(at_hand[path], path)) if path in at_hand else source_at(path)
            imports = resolved_imports(source)
        except (SourceError, Unparsable):  # what imports it, or the check of it, says so
            continue
        found.update(one for one in imports if one.problem)
    return tuple(sorted(found.union(limits(seen))))


def check(
    paths: Sequence[str],
    configs: Configs,
    *,
    action: Action = Action.CHECK,
    unsafe_fixes: bool = False,
    prove: bool = False,
    judge: Judge | None = None,
    jobs: int | None = 1,
    on_progress: Callable[[int, int], None] | None = None,
    changed_since: str | None = None,
    with_affected: bool = False,
    force_exclude: bool = False,
    memory: Memory | None = None,
    on_configs: Callable[[Collection[Config]], None] | None = None,
    executor: Executor | None = None,
) -> Report:
    """Check all that ``paths`` lead to; the Report is the same for every ``jobs`` (None: as many as there are cores).

    ``on_progress`` hears how many files are done, of how many. ``prove``: findings and fixes are executed.
    ``judge``: what a run has to say of them. ``changed_since``: a git revision, to leave out what cannot be judged
    otherwise than then. ``with_affected``: files that are judged by what the others hold are checked, too.
    ``force_exclude``: what is excluded is left out even if it is named. ``memory``: what of an earlier check may be
    good still. ``on_configs`` hears the configurations of the files before any is read or written, and may raise.
    ``executor``: what runs the checks, ``jobs`` at a time, if not processes of this machine; files are written here.
    Raises GitError, and ConfigError where rule files were not loaded, since nobody has said that they may run.
    """
    forget()
    found = discover(paths, configs, force_exclude=force_exclude)
    reject_untrusted(file.config for file in found.files)
    if changed_since is not None:
        found = affected(found, changed_since, configs)
    if with_affected:
        found = and_affected(found, configs)
    if on_configs is not None:
        on_configs([file.config for file in found.files])
    tasks = [Task(file.path, file.config, action, unsafe_fixes, file.explicit, judge) for file in found.files]
    if not prove:
        reports = _mended_together(run_missing(tasks, jobs, on_progress, memory, executor), tasks)
        return Report(tuple(reports), found.failures)
    from nanlint.proof.pool import Pool

    with Pool() as pool:
        # fixes ask for proofs on the way, so one process makes them; findings are proved together at the end
        fixing = pool if action is not Action.CHECK else None
        run = _run_all(tasks, 1 if fixing else jobs, on_progress, fixing, None if fixing else executor)
        reports = _mended_together(run, tasks, fixing)
        return Report(_proved(reports, tasks, pool), found.failures)


def check_bytes(content: bytes, task: Task, *, prove: bool = False) -> Report:
    """Check one text that is at hand; nothing is written. Raises ConfigError as ``check``."""
    reject_untrusted([task.config])
    if not prove:
        return Report((run_bytes(content, task),))
    from nanlint.proof.pool import Pool

    with Pool() as pool:
        return Report(_proved([run_bytes(content, task, pool)], [task], pool))


def _proved(reports: Sequence[FileReport], tasks: Sequence[Task], pool: Pool) -> tuple[FileReport, ...]:
    """The reports with what executing the findings showed; those that are no longer sure enough are gone."""
    from nanlint.lint.proving import proved

    answers: dict[float, Iterator[Diagnostic]] = {}
    for seconds in {task.config.prove_timeout for task in tasks}:
        asked = [
            d for r, t in zip(reports, tasks, strict=True) if t.config.prove_timeout == seconds for d in r.diagnostics
        ]
        answers[seconds] = iter(proved(pool, asked, seconds))
    found = []
    for report, task in zip(reports, tasks, strict=True):
        judged = [next(answers[task.config.prove_timeout]) for _ in report.diagnostics]
        kept = tuple(one for one in judged if one.confidence >= task.config.confidence)
        found.append(replace(report, diagnostics=kept))
    return tuple(found)


def _mended_together(
    reports: Sequence[FileReport], tasks: Sequence[Task], pool: Pool | None = None
) -> Sequence[FileReport]:
    """The reports once fixes that change several of the files are made, too: one file after the other."""
    if all(task.action is Action.CHECK for task in tasks):
        return reports
    found = list(reports)
    numbers = {os.path.realpath(task.path): number for number, task in enumerate(tasks)}
    for number, task in enumerate(tasks):
        if not _has_fix_of_several(found[number], task, numbers):
            continue
        shown = {path: after.text for path, i in numbers.items() if i != number and (after := found[i].after)}
        found[number] = _run_again(found[number], replace(task, others=tuple(numbers), unsaved=shown), pool)
        for before, after in found[number].others:
            other = numbers[os.path.realpath(before.path)]
            if task.action is Action.FIX:
                found[other] = _run_again(found[other], tasks[other], pool)
            else:
                first = found[other].before or replace(before, path=tasks[other].path)
                found[other] = replace(found[other], before=first, after=replace(after, path=tasks[other].path))
    return found


def _has_fix_of_several(report: FileReport, task: Task, files: Collection[str]) -> bool:
    from nanlint.lint.fixing import applicable, within

    return any(
        one.fix is not None and one.fix.elsewhere and applicable(one, unsafe=task.unsafe_fixes) and within(one, files)
        for one in report.diagnostics
    )


def _run_again(report: FileReport, task: Task, pool: Pool | None) -> FileReport:
    """The report of a file that was mended, or is to be shown so, once it is mended further."""
    if task.action is Action.FIX or report.after is None:
        again = run_task(task, pool)
    else:
        again = run_bytes(report.after.to_bytes(), task, pool)
    after = again.after or report.after
    return replace(again, fixed=(*report.fixed, *again.fixed), before=report.before or again.before, after=after)


def run_missing(
    tasks: Sequence[Task],
    jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
    memory: Memory | None,
    executor: Executor | None = None,
) -> Sequence[FileReport]:
    """The reports of ``tasks``, of which only those that are not in memory are run.

    A file in which, as is known, no fix is applied is not checked again to fix it.
    """
    if memory is None:
        return _run_all(tasks, jobs, on_progress, executor=executor)
    known = [memory.recall(task) for task in tasks]
    missing = [task for task, report in zip(tasks, known, strict=True) if report is None]
    found = _run_all(missing, jobs, on_progress, executor=executor)
    for task, report in zip(missing, found, strict=True):
        memory.keep(task, report)
    memory.save()
    fresh = iter(found)
    return [report or next(fresh) for report in known]


def _run_all(
    tasks: Sequence[Task],
    jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
    pool: Pool | None = None,
    executor: Executor | None = None,
) -> Sequence[FileReport]:
    from nanlint.lint.parallel import cores, run_parallel, worth_workers

    wanted = cores() if jobs is None else jobs
    if executor is not None:
        sent = [replace(task, action=Action.DIFF) if task.action is Action.FIX else task for task in tasks]
        found = run_parallel(run_task, sent, wanted, _lost, on_progress, executor)
        return [written_here(report, task) for report, task in zip(found, tasks, strict=True)]
    if wanted > 1 and worth_workers(len(tasks), asked_for=jobs is not None):
        rule_names()  # loaded here, they are loaded in every worker that is a fork
        return run_parallel(run_task, tasks, wanted, _lost, on_progress)
    reports = []
    for number, task in enumerate(tasks, 1):
        reports.append(run_task(task, pool))
        if on_progress is not None:
            on_progress(number, len(tasks))
    return reports


def _lost(task: Task) -> FileReport:
    """The report of a file that kills the process that checks it."""
    return FileReport(task.path, (internal_error(task.path, "the process that checked it was terminated"),))
