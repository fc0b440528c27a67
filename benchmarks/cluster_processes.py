"""A Dask cluster of real processes on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from distributed import Client

ROOT = Path(__file__).resolve().parents[1]
_SPILLING = ("TARGET", "SPILL")


@dataclass
class Processes:
    """A scheduler and its workers, each a process that can be killed."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

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
        alive = sum(each.poll() is None for each in self.workers)
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(alive, timeout=60)

    def kill_a_worker(self) -> None:
        """As the machine's lack of memory would."""
        worker = next(each for each in self.workers if each.poll() is None)
        worker.kill()
        worker.wait()


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
            each.wait()


def _started(*arguments: str, spills: bool = False) -> subprocess.Popen[bytes]:
    settings = {f"DASK_DISTRIBUTED__WORKER__MEMORY__{when}": "False" for when in _SPILLING}
    if spills:
        settings = {}
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
