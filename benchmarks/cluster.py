"""What a check on a cluster costs beside one in a single process: CPU time here and on the workers, bytes sent.

    python benchmarks/cluster.py [--package torch-geometric==2.6.1] [--copies 9] [--workers 2] [--write]

A monorepo is made of copies of a package, as many projects or as one, and checked on a cluster of processes of this
machine, which are asked for their CPU time. It fails if the reports differ.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corpus import default_cache, unpacked
from distributed import Client
from measure import ROOT, write_section

from nanlint.config import Configs
from nanlint.lint import elsewhere, executors, known_rules, many_files
from nanlint.lint.executors import executor_at
from nanlint.lint.report import Report
from nanlint.output.formats import render
from nanlint.output.view import View

_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=int(sys.argv[1]), **options) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
PAGE = ROOT / "docs" / "scale.md"


class Counting(elsewhere.Elsewhere):
    """Counts what is sent to workers."""

    sent = calls = 0

    def _send(self, call: Any) -> None:
        Counting.calls += 1
        Counting.sent += sum(map(len, call.told))
        super()._send(call)


@dataclass(frozen=True)
class Cost:
    """Of a check: files; CPU seconds here and on workers; MB sent; calls for each file."""

    files: int
    here: float
    workers: float
    sent: float
    calls: float

    def row(self, name: str) -> str:
        """A row of the table, for each file."""
        here, workers = (f"{seconds * 1000 / self.files:.2f}" for seconds in (self.here, self.workers))
        return (
            f"| {name} | {self.files} | {here} | {workers} | {self.sent * 1000 / self.files:.1f} | {self.calls:.2f} |"
        )


def checked(executor: Executor | None = None, jobs: int = 1) -> tuple[Report, float]:
    """The report on the working directory, and the CPU seconds that it took here."""
    began = time.process_time()
    configs = Configs(known_rules.rule_names(), isolated=True)
    report = many_files.check(["."], configs, jobs=jobs, executor=executor)
    return report, time.process_time() - began


def on_cluster(client: Client, address: str) -> tuple[Report, Cost]:
    """The same of a cluster, and what it cost."""
    Counting.sent = Counting.calls = 0
    before = sum(client.run(time.process_time).values())
    with executor_at(address) as (executor, workers):
        report, here = checked(executor, workers)
    after = sum(client.run(time.process_time).values())
    files = len(report.files)
    return report, Cost(files, here, after - before, Counting.sent / 1e6, Counting.calls / files)


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler with workers, each in a process of its own."""
    command = [sys.executable, "-c", _CLUSTER, str(workers)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def rendered(report: Report) -> str:
    """All that is said of it."""
    return render("json", View(report, unsafe=False, exit_code=1, began=datetime.now(timezone.utc)))


def main() -> int:
    """Measure, print the table, write it where it is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="torch-geometric==2.6.1")
    parser.add_argument("--copies", type=int, default=9)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    package = unpacked(options.package, options.cache)
    executors.Elsewhere = Counting  # type: ignore[misc]
    rows = []
    for name, marker in (("one project for each copy", "*/setup.py"), ("one project", "setup.py")):
        with TemporaryDirectory() as place:
            for number in range(options.copies):
                shutil.copytree(package, Path(place) / f"copy{number:02}", ignore=shutil.ignore_patterns("*.dist-info"))
            for directory in [Path(place)] if marker == "setup.py" else Path(place).iterdir():
                (directory / "setup.py").touch()
            os.chdir(place)
            alone, cpu = checked()
            os.chdir("/")
            with cluster(options.workers) as address, Client(address, set_as_default=False) as client:
                client.run(known_rules.rule_names)
                os.chdir(place)
                together, cost = on_cluster(client, address.replace("tcp:", "dask:"))
            os.chdir("/")
        if rendered(together) != rendered(alone):
            print(f"{name}: the reports differ", file=sys.stderr)
            return 1
        rows += [Cost(cost.files, cpu, 0, 0, 0).row(f"{name}, one process"), cost.row(f"{name}, a cluster")]
    columns = ("", "files", "ms of CPU here", "ms of CPU on workers", "kB sent", "calls")
    head = [f"| {' | '.join(columns)} |", f"| --- |{' ---: |' * (len(columns) - 1)}"]
    text = "\n".join([f"{options.copies} copies of `{options.package}`. Of each file:", "", *head, *rows])
    print(text)
    if options.write:
        write_section("cluster", text, PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
