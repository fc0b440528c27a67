"""A Dask cluster of real processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.process import BaseProcess

from dask import config
from distributed import Client

_SPILLING = ("target", "spill")
_FORKS = multiprocessing.get_context("forkserver")
# Loaded once, as a scheduler or a worker takes two seconds of computing to load by itself.
_FORKS.set_forkserver_preload(
    [
        "distributed.cli.dask_scheduler",
        "distributed.cli.dask_worker",
        "understudy.mechanisms.seedbased.executors",
        __name__,
    ]
)


@dataclass
class Processes:
    """A scheduler and its workers, each a process that can be killed."""

    address: str
    scheduler: BaseProcess
    workers: list[BaseProcess] = field(default_factory=list)

    def add(self, count: int, *, spills: bool = False) -> None:
        """Start some workers of one thread each, which write what they hold to their disks only
        where that is asked for, and wait until the scheduler knows them."""
        for _ in range(count):
            # Without a nanny, which would start a killed worker again.
            options = [
                "--no-nanny",
                "--nthreads",
                "1",
                "--no-dashboard",
                "--local-directory",
                tempfile.gettempdir(),
            ]
            self.workers.append(_started("worker", self.address, *options, spills=spills))
        alive = sum(each.is_alive() for each in self.workers)
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(alive, timeout=60)

    def kill_a_worker(self) -> None:
        """As the machine's lack of memory would."""
        worker = next(each for each in self.workers if each.is_alive())
        worker.kill()
        worker.join()


@contextmanager
def processes(workers: int) -> Iterator[Processes]:
    """A cluster, gone at the end."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    scheduler = _started("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    cluster = Processes(f"tcp://127.0.0.1:{port}", scheduler)
    try:
        with Client(cluster.address, timeout=60, set_as_default=False):
            pass
        cluster.add(workers)
        yield cluster
    finally:
        for each in (*cluster.workers, scheduler):
            each.kill()
            each.join()


def _started(which: str, *arguments: str, spills: bool = False) -> BaseProcess:
    process = _FORKS.Process(target=_run, args=(which, arguments, spills), daemon=True)
    process.start()
    return process


def _run(which: str, arguments: Sequence[str], spills: bool) -> None:
    """Be a scheduler or a worker, as `dask scheduler` and `dask worker` are, and say nothing."""
    null = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(null, number)
    if not spills:
        config.set({f"distributed.worker.memory.{when}": False for when in _SPILLING})
    import_module(f"distributed.cli.dask_{which}").main(arguments)
