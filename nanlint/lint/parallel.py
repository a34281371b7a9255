"""Many tasks over several workers, with results in the order of the tasks whatever the number of workers.

Workers are processes of this machine, or what an executor has.

What is done is the caller's, ``work`` for each task; here is only how that gets to a worker, and what if it dies.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from nanlint import disk

if TYPE_CHECKING:
    from concurrent.futures import Executor, ProcessPoolExecutor
    from multiprocessing.context import SpawnContext

Task = TypeVar("Task")
Result = TypeVar("Result")

# Starting workers costs some 30 ms of CPU, about what ten ordinary files cost.
_FEW_FILES = 24
_LARGEST_CHUNK = 16
# For each worker, chunks that are on their way: a worker that is done has the next one, and few are in memory.
_AHEAD = 4


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worth_workers(tasks: int, *, asked_for: bool) -> bool:
    """Whether ``tasks`` are enough to start workers for; who asks for workers gets them."""
    return tasks > 1 if asked_for else tasks >= _FEW_FILES


def run_parallel(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    lost: Callable[[Task], Result],
    on_progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> Sequence[Result]:
    """Do ``work`` on ``jobs`` processes, or with an executor that does so many tasks at a time.

    What is lost with a worker is done again here; of a task that kills its worker, what comes of it is ``lost``.
    """
    size = max(1, min(_LARGEST_CHUNK, len(tasks) // (jobs * 4)))
    chunks = [tasks[start : start + size] for start in range(0, len(tasks), size)]
    with _pool(min(jobs, len(chunks))) if executor is None else nullcontext(executor) as pool:
        results = _run_chunks(pool, work, chunks, jobs * _AHEAD, on_progress)
    return [
        one
        for chunk, result in zip(chunks, results, strict=True)
        for one in (_one_by_one(work, chunk, lost, fork=executor is None) if result is None else result)
    ]


def _run_chunks(
    pool: Executor,
    work: Callable[[Task], Result],
    chunks: Sequence[Sequence[Task]],
    most: int,
    on_progress: Callable[[int, int], None] | None,
) -> list[list[Result] | None]:
    """The results of each chunk, None for those that were lost with a worker. ``most``: how many are sent off ahead."""
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait

    results: list[list[Result] | None] = [None] * len(chunks)
    total, done = sum(map(len, chunks)), 0
    waiting = iter(enumerate(chunks))
    running: dict[Future[tuple[list[Result], disk.Asked | None]], int] = {}
    try:
        while True:
            for number, chunk in islice(waiting, most - len(running)):
                running[pool.submit(run_chunk, work, chunk)] = number
            if not running:
                return results
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                number = running.pop(future)
                with suppress(BrokenExecutor):
                    results[number] = _taken(future.result())
                done += len(chunks[number])
                if on_progress is not None:
                    on_progress(done, total)
    except BrokenExecutor:  # by submit, when a worker died at once
        return results
    except BaseException:
        for future in running:
            future.cancel()
        raise


def _one_by_one(
    work: Callable[[Task], Result], tasks: Sequence[Task], lost: Callable[[Task], Result], *, fork: bool
) -> list[Result]:
    """Run tasks of which one killed its worker: each half by itself, down to the culprit."""
    from concurrent.futures.process import BrokenProcessPool

    with _pool(1, fork=fork) as pool:
        try:
            return _taken(pool.submit(run_chunk, work, tasks).result())
        except BrokenProcessPool:
            pass
    if len(tasks) == 1:
        return [lost(tasks[0])]
    half = len(tasks) // 2
    return [one for part in (tasks[:half], tasks[half:]) for one in _one_by_one(work, part, lost, fork=fork)]


def run_chunk(work: Callable[[Task], Result], tasks: Sequence[Task]) -> tuple[list[Result], disk.Asked | None]:
    """What comes of some tasks, and what was asked of the disk for them."""
    return [work(task) for task in tasks], disk.forget()


def _taken(done: tuple[list[Result], disk.Asked | None]) -> list[Result]:
    """What came of some tasks in another process; what it asked of the disk counts as asked here."""
    results, asked = done
    disk.note(asked)
    return results


def spawning() -> SpawnContext:
    """For processes that are no forks: they import nothing from the working directory (from Python 3.11 on)."""
    os.environ["PYTHONSAFEPATH"] = "1"
    return multiprocessing.get_context("spawn")


def _pool(jobs: int, *, fork: bool = True) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    # A forked worker has the rules imported already; elsewhere fork does not exist or is not sound, nor is it beside
    # the threads of an executor.
    context = multiprocessing.get_context("fork") if fork and sys.platform == "linux" else spawning()
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=start_worker)


def start_worker() -> None:
    """Begin a process that checks files: it ends with its parent, and without a word."""
    # Ctrl-C reaches every process of the group: workers go quietly, the parent says what there is to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed cannot tell its workers, and they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
