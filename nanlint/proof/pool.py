"""Workers, one process a framework: started when first asked, killed when late, started again for the next question."""

from __future__ import annotations

import importlib.util
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from nanlint.proof.agreement import Agreement, Pair
from nanlint.proof.proofs import Mended, Proof, Question, Task

#: seconds a framework may take to start, on a busy machine
START = 180.0
#: seconds beyond its own deadline before a worker is killed; a framework imports some of its parts when first used
GRACE = 10.0
#: seconds for a fix
MENDING = 20.0
#: a worker that dies this often at starting is not started again
MAX_STARTS = 3

_PROGRAM = "import sys; sys.path[:] = {path!r}; from nanlint.proof.worker import main; main({framework!r})"


class Late(Exception):
    """No answer in time, or no worker any more."""


class Worker:
    """One process. ``framework`` is what it runs."""

    def __init__(self, framework: str) -> None:
        self.framework = framework
        program = _PROGRAM.format(path=search_path(), framework=framework)
        # isolated: neither the working directory nor a user's start-up files get a say in what is imported
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=tempfile.gettempdir(),
        )
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while True:
            try:
                self._answers.put((True, pickle.load(self._process.stdout)))
            except Exception:  # the process ended, perhaps in the middle of an answer
                self._answers.put((False, None))
                return

    def started(self) -> bool:
        """Whether the framework is there.

        Raises:
            Late: if it does not come up.
        """
        return self._next(START) is not None

    def ask(self, task: Task, seconds: float) -> Any:
        """The answer to a task.

        Raises:
            Late: if it takes longer than ``seconds``, or the process dies of it.
        """
        assert self._process.stdin is not None
        try:
            pickle.dump(task, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            raise Late from None
        return self._next(seconds)

    def _next(self, seconds: float) -> Any:
        try:
            alive, message = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise Late from None
        if not alive:
            raise Late
        return message

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


class Pool:
    """The workers of a run. A context manager: leaving it ends them."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}
        self._missing: dict[str, int] = {}

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()

    def prove(self, questions: Sequence[Question]) -> list[Proof | None]:
        """An answer for each question; None where there is no framework, or none that answers in time."""
        answers: list[Proof | None] = [None] * len(questions)
        groups: dict[str, list[int]] = {}
        for i, question in enumerate(questions):
            groups.setdefault(question.framework, []).append(i)

        def work(framework: str) -> None:
            for i in groups[framework]:
                answers[i] = self._proof(questions[i])

        threads = [threading.Thread(target=work, args=(framework,), daemon=True) for framework in groups]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, question in enumerate(questions):
            # without its framework a value can still be computed
            if answers[i] is None and question.framework in self._missing:
                answers[i] = self._proof(question, "numpy")
        return answers

    def _proof(self, question: Question, framework: str | None = None) -> Proof | None:
        found = self._ask(framework or question.framework, question, question.seconds + GRACE)
        return found if isinstance(found, Proof) else None

    def mended(self, task: Task) -> Mended:
        """Whether a fix ends what it is for."""
        found = self._ask(task.framework, task, MENDING)
        return found if isinstance(found, Mended) else Mended()

    def agreement(self, pair: Pair) -> Agreement:
        """Whether what replaces an expression gives the same, with its gradient."""
        found = self._ask(pair.framework, pair, MENDING)
        return found if isinstance(found, Agreement) else Agreement()

    def _ask(self, framework: str, task: Task, seconds: float) -> Any:
        worker = self._worker(framework)
        if worker is None:
            return None
        try:
            return worker.ask(task, seconds)
        except Late:
            worker.kill()
            del self._workers[framework]
            return None

    def _worker(self, framework: str) -> Worker | None:
        """The worker of a framework, started if need be; None where it is not installed or does not start."""
        worker = self._workers.get(framework)
        if worker is not None or self._missing.get(framework, 0) >= MAX_STARTS:
            return worker
        if importlib.util.find_spec(framework) is None:
            self._missing[framework] = MAX_STARTS
            return None
        worker = Worker(framework)
        try:
            if worker.started():
                self._workers[framework] = worker
                return worker
            self._missing[framework] = MAX_STARTS
        except Late:
            self._missing[framework] = self._missing.get(framework, 0) + 1
        worker.kill()
        return None


def search_path() -> list[str]:
    """Where a worker imports from: as this process does, but not from the working directory or beside the script."""
    root = str(Path(__file__).resolve().parents[2])
    here = {"", os.getcwd(), os.path.dirname(os.path.abspath(sys.argv[0]))}
    return [*(entry for entry in sys.path if entry not in here), root]
