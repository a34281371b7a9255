"""The address of an executor -> the executor. What is known of dask is here alone."""

from __future__ import annotations

import logging
import pydoc
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import contextmanager, suppress
from typing import Any

from nanlint.lint.elsewhere import IDENTITY, Differs, Elsewhere, leave
from nanlint.refused import Refused
from nanlint.version import __version__

#: how an address begins
SCHEME = "dask://"
#: seconds for a scheduler to answer, and for its first worker to be there
PATIENCE = 15.0
_IDENTITY = f"{Elsewhere.__module__}.IDENTITY"


class ExecutorError(Refused):
    """An executor that cannot be used, or no longer; the message names it and says what to do."""

    def __str__(self) -> str:
        return f"--executor: {super().__str__()}"


@contextmanager
def executor_at(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor at an address, and how many tasks it does at a time. Raises ExecutorError."""
    if not address.startswith(SCHEME):
        raise ExecutorError(f'"{address}" is not the address of an executor; it has the form {SCHEME}HOST:PORT')
    try:
        from dask import config
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise ExecutorError(f"{address}: needs dask.distributed ({error}); run: pip install 'nanlint[dask]'") from None

    def translated(error: BaseException) -> BaseException:
        # an AttributeError is dask's, which takes what a worker gave for an error if the worker has died since
        if isinstance(error, KilledWorker | AttributeError):
            return BrokenExecutor(str(error))
        if isinstance(error, CancelledError) or client.status != "running":  # it may then raise anything
            return ExecutorError(f"{address}: the connection to the scheduler was lost")
        if isinstance(error, Differs | ImportError):
            return ExecutorError(f"{address}: a worker {error}")
        return error

    # answers are large on purpose: they are sent along with the tasks that ask
    with config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}):
        for logger in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what goes wrong is said by errors
        client = _connected(Client, address)
        try:
            executor = Elsewhere(client.get_executor(pure=False), translated)
            try:
                yield executor, sum(client.nthreads().values())
            finally:
                executor.shutdown(wait=False, cancel_futures=True)
                with suppress(Exception):  # workers that are gone have forgotten it
                    client.run(leave, executor.run, on_error="ignore")
        finally:
            client.close()


def _connected(client: Any, address: str) -> Any:
    """A client of a scheduler whose workers find what this machine finds."""
    try:
        connected = client("tcp://" + address.removeprefix(SCHEME), timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"{address}: no scheduler was reached: {error}") from None
    try:
        connected.wait_for_workers(1, timeout=PATIENCE)
        for worker, identity in sorted(connected.run(pydoc.locate, _IDENTITY).items()):
            if identity is None:
                raise ExecutorError(f"{address}: {worker} has no nanlint; install nanlint=={__version__} there")
            if identity != IDENTITY:
                raise ExecutorError(f"{address}: {worker} {Differs.between(identity, IDENTITY)}")
    except BaseException as error:
        connected.close()
        if isinstance(error, TimeoutError):
            raise ExecutorError(f"{address}: the scheduler has no workers") from None
        raise
    return connected
