"""Executors of attempts: this process, local processes, or a cluster's workers.

The index and the run's secret go to the scheduler once, sealed, and from worker to worker; an index
that is too large for that goes in shards, one to a worker, and chunks are made in steps. What comes
back is what passed. A worker that is lost takes nothing along: the scheduler gives its chunks
to another, which comes to the same records, as all of their random numbers follow from the secret
and the number of the batch. The workers see confidential records, so they belong to whoever holds
those, and the connection to them is encrypted (tls://) wherever others could listen.

Threads share the index, and an attempt is all but all NumPy, which lets other threads run.
"""

from __future__ import annotations

import io
import pickle
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy.core.threads import count_cores, in_order
from understudy.mechanisms.mechanism import Interrupted
from understudy.mechanisms.outputs import Workers
from understudy.mechanisms.seedbased.attempts import (
    BATCH,
    AttemptSpan,
    Chunks,
    Executor,
    Released,
    Shard,
    ShardSteps,
    program,
    shards,
)

if TYPE_CHECKING:
    from distributed import Client, Future


@dataclass(frozen=True)
class Sealed:
    """A pickle that shows in no log."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class Hidden:
    """What a step came to. A worker's log, which shows what a call that failed was given, does not
    show it."""

    value: Any = field(repr=False)


@dataclass(frozen=True)
class Passed:
    """What passed in one chunk: here, or in a file that every worker can reach.

    Attributes:
        data: the codes, in the format of NumPy.
        path: where they are, in place of that.
    """

    data: bytes | None = field(repr=False)
    path: str | None = None


class AnotherProgram(Exception):
    """A worker is of another version, on another kind of processor, or may write to its disk."""


def describe_process() -> tuple[str, bool]:
    """Return what this process runs, and whether it may write to its disk what it has no memory
    for."""
    import dask

    memory = "distributed.worker.memory"
    return program(), any(dask.config.get(f"{memory}.{when}") for when in ("target", "spill"))


def open_sealed(sealed: Sealed, expected: str) -> Any:
    """Return what was sealed.

    Raises:
        AnotherProgram: this process is not as `describe_process` said where it was sealed.
    """
    _check(expected)
    return pickle.loads(sealed.data)


def make_chunk(expected: str, chunks: Chunks, folder: str | None, span: AttemptSpan) -> Passed:
    """Return one chunk. Raises as `open_sealed`."""
    _check(expected)
    return _pack(chunks.make(span), folder)


def step(expected: str, holder: ShardSteps | Shard, named: str, *arguments: Any) -> Hidden:
    """Return one step of a chunk; see `sharded`. Raises as `open_sealed`."""
    _check(expected)
    return Hidden(getattr(holder, named)(*map(_reveal, arguments)))


def decide_chunk(
    expected: str,
    steps: ShardSteps,
    batches: Hidden,
    counts: list[Hidden],
    folder: str | None,
) -> Passed:
    """Return the last step of a chunk. Raises as `open_sealed`."""
    _check(expected)
    return _pack(steps.decide(_reveal(batches), _reveal(counts)), folder)


def _reveal(argument: Any) -> Any:
    """Return what a step before came to, or every shard's."""
    if isinstance(argument, list):
        return [_reveal(each) for each in argument]
    return argument.value if isinstance(argument, Hidden) else argument


def _check(expected: str) -> None:
    if describe_process() != (expected, False):
        raise AnotherProgram


def _pack(codes: CodeArray, folder: str | None) -> Passed:
    file = io.BytesIO()
    np.save(file, codes.astype(np.min_scalar_type(int(codes.max(initial=0)))), allow_pickle=False)
    if folder is None:
        return Passed(file.getvalue())
    import fsspec

    # A name of its own, as a worker that was taken for lost may still be writing.
    path = f"{folder}/{secrets.token_hex(8)}.npy"
    with fsspec.open(path, "wb") as target:
        target.write(file.getvalue())
    return Passed(None, path)


def unpack_passed(passed: Passed) -> CodeArray:
    """Return (passed, m) what passed; a file that it was in is gone."""
    data = passed.data
    if passed.path is not None:
        import fsspec

        system, place = fsspec.core.url_to_fs(passed.path)
        data = system.cat_file(place)
        system.rm(place)
    codes: CodeArray = np.load(io.BytesIO(data or b""), allow_pickle=False).astype(np.uint16)
    return codes


SHARDED_FROM = 1 << 29
"""Bytes of prefixes from which on no worker gets the whole index, but each a shard of it."""
MOST_BATCHES = 32
"""Batches a chunk at most: so many that handing it out costs little beside making it."""
_MOST_VALUES = 1 << 23
_CHUNKS_A_THREAD = 4
_AHEAD = 2
_BEAT = 0.5
_CONNECTING = 15.0
PATIENCE = 60.0
"""Seconds that a cluster without any worker is waited for."""


@dataclass(frozen=True)
class Cluster:
    """The cluster of a scheduler.

    Attributes:
        address: of the scheduler, such as "tcp://127.0.0.1:8786".
        shared: a folder or an address (of fsspec) that workers and this process can both write
            to, for what passed; None has it come over the connection.
    """

    address: str
    shared: str | None = None

    def check(self) -> None:
        """Check that the cluster is there, has a worker, and would do what this program does.

        Raises:
            Refusal: it is not so.
        """
        try:
            with self._connect() as client:
                client.wait_for_workers(1, timeout=_CONNECTING)
                found = set(client.run(describe_process).values())
        except ImportError:
            raise _not_installed() from None
        except TimeoutError:
            raise self._refuse("has no workers", "Start some") from None
        except (OSError, ValueError, RuntimeError):
            raise self._refuse("cannot be reached", "Start it, or give its address") from None
        if any(spills for _, spills in found):
            raise self._refuse(
                "has workers that may write what they hold to their disks, confidential as it is",
                "Start them with DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=False and "
                "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False",
            )
        if {version for version, _ in found} != {program()}:
            raise self._refuse(
                "has workers of another version of the program or on another kind of processor",
                "Start workers that are like this machine",
            )
        self._check_shared()

    def _check_shared(self) -> None:
        if self.shared is None:
            return
        try:
            with _staging(self.shared):
                return
        except (OSError, ValueError, ImportError):
            raise Refusal(
                f"Nothing can be written to {self.shared}.",
                "Name a folder or an object store that this machine and all workers can reach.",
                field="shared",
            ) from None

    def _refuse(self, said: str, remedy: str) -> Refusal:
        return Refusal(
            f"The cluster at {self.address} {said}.", f"{remedy}, and try again.", field="scheduler"
        )

    @contextmanager
    def _connect(self) -> Iterator[Client]:
        import dask
        from distributed import Client

        # A chunk in vain is no news to the user, and the index is one large argument by design.
        quiet = {"distributed.admin.large-graph-warning-threshold": "1TB"}
        with dask.config.set(quiet):
            client = Client(  # type: ignore[no-untyped-call]
                self.address, timeout=_CONNECTING, set_as_default=False
            )
            try:
                yield client
            finally:
                with suppress(Exception):
                    client.close(timeout=_BEAT)  # type: ignore[no-untyped-call]

    def release(self, chunks: Chunks, first: int) -> Released:
        """Answer as `Executor` says; while nothing has come, a span of no attempts now and then, so
        that the caller can look at what else there is.

        Raises:
            Interrupted: the cluster is gone, or its workers are.
        """
        try:
            with _staging(self.shared) as folder, self._connect() as client:
                yield from _Handing(self.address, client, chunks, folder).release(first)
        except Interrupted:
            raise
        except (OSError, RuntimeError) as error:
            raise _refuse_gone(self.address) from error


class _Handing:
    """One run's chunks on their way to workers and back."""

    def __init__(self, address: str, client: Client, chunks: Chunks, folder: str | None) -> None:
        self._address, self._client, self._folder = address, client, folder
        self._token = secrets.token_hex(8)
        self._chunks = chunks
        self._program = program()
        self._worked = time.monotonic()
        index = chunks.synthesizer.index
        self._shards: list[Future[Shard]] = []
        if index.leaves.codes.nbytes < SHARDED_FROM:
            self._held = self._send("chunks", chunks)
        else:
            self._held = self._send("steps", ShardSteps.of(chunks))
            parts = enumerate(shards(index, max(1, self._threads())))
            self._shards = [self._send(f"shard-{number}", part) for number, part in parts]

    def _send(self, name: str, value: object) -> Future[Any]:
        """Return something that stays with the workers, and goes from one to another as it is
        needed. The scheduler keeps what it is made from, should all that have it be lost."""
        sealed = Sealed(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        return self._client.submit(open_sealed, sealed, self._program, key=f"{name}-{self._token}")

    def release(self, first: int) -> Released:
        threads = self._threads()
        attributes = self._chunks.synthesizer.model.attributes
        batches = _batches(self._chunks.attempts - first, attributes, threads)
        # Every shard sends its counts of a chunk to where it is decided.
        batches = max(1, batches // max(1, len(self._shards)))
        spans = iter(self._chunks.spans(first, batches))
        under_way: deque[tuple[AttemptSpan, Future[Passed]]] = deque()
        try:
            while True:
                while len(under_way) < _AHEAD * max(1, threads) + 1:
                    span = next(spans, None)
                    if span is None:
                        break
                    under_way.append((span, self._submit(span)))
                if not under_way:
                    return
                span, future = under_way[0]
                if self._wait_for(future):
                    under_way.popleft()
                    yield span, self._outcome(future)
                else:
                    yield AttemptSpan(span.first, 0), self._nothing()
                threads = self._threads()
        finally:
            with suppress(Exception):
                self._client.cancel(  # type: ignore[no-untyped-call]
                    [future for _, future in under_way], force=True
                )

    def _submit(self, span: AttemptSpan) -> Future[Passed]:
        if not self._shards:
            return self._task(make_chunk, span, self._held, self._folder, span)
        drawn = self._task(step, span, self._held, "draw", span)
        kept = [self._task(step, span, part, "collect_kept", drawn) for part in self._shards]
        proposed = self._task(step, span, self._held, "propose", drawn, kept)
        counts = [self._task(step, span, part, "counts", proposed) for part in self._shards]
        return self._task(decide_chunk, span, self._held, proposed, counts, self._folder)

    def _task(self, call: Callable[..., Any], span: AttemptSpan, *arguments: Any) -> Future[Any]:
        """Return something that a worker does, once it is known to be one that may."""
        # The chunk that is due first goes before later ones, at each of its steps.
        return self._client.submit(
            call, self._program, *arguments, pure=False, priority=-span.first, fifo_timeout="0s"
        )

    def _threads(self) -> int:
        """Return how many threads there are. A cluster that has none for long is given up."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        threads = sum(int(worker["nthreads"]) for worker in workers)
        now = time.monotonic()
        if threads:
            self._worked = now
        elif now - self._worked > PATIENCE:
            raise Interrupted(f"The cluster at {self._address} has no workers left.", "Start some")
        return threads

    def _wait_for(self, future: Future[Passed]) -> bool:
        """Return whether the outcome is there, after waiting a moment for it."""
        from distributed import wait

        with suppress(TimeoutError, CancelledError), self._client.as_current():
            wait([future], timeout=_BEAT)  # type: ignore[no-untyped-call]
        if future.status == "cancelled" or self._client.status not in ("running", "connecting"):
            raise _refuse_gone(self._address)
        return bool(future.status != "pending")

    def _outcome(self, future: Future[Passed]) -> CodeArray:
        from distributed.scheduler import KilledWorker

        try:
            passed: Passed = future.result()
        except CancelledError:
            # The connection may be lost between waiting for a future and asking it.
            raise _refuse_gone(self._address) from None
        except KilledWorker:
            raise Interrupted(
                "One worker after another died at the same attempts.", "Give them more memory"
            ) from None
        except AnotherProgram:
            raise Interrupted(
                "A worker joined the cluster that is of another version of the program, or may "
                "write what it holds to its disk.",
                "Take it away",
            ) from None
        return unpack_passed(passed)

    def _nothing(self) -> CodeArray:
        return np.zeros((0, self._chunks.synthesizer.model.attributes), dtype=np.uint16)


def _refuse_gone(address: str) -> Interrupted:
    return Interrupted(f"The cluster at {address} can no longer be reached.", "Start it again")


def _not_installed() -> Refusal:
    return Refusal(
        "Dask, which clusters need, is not installed.",
        f"Install it with `{suggest_install('cluster')}`, or leave out the scheduler.",
        field="scheduler",
    )


def _batches(attempts: int, attributes: int, threads: int) -> int:
    """Return batches a chunk, so that every thread gets some, and none is large."""
    share = -(-attempts // (BATCH * _CHUNKS_A_THREAD * max(1, threads)))
    return max(1, min(MOST_BATCHES, _MOST_VALUES // (BATCH * attributes), share))


@contextmanager
def _staging(shared: str | None) -> Iterator[str | None]:
    """Provide a folder of a run's own in the shared place, gone at the end."""
    if shared is None:
        yield None
        return
    import fsspec

    folder = f"{shared.rstrip('/')}/understudy-{secrets.token_hex(8)}"
    system, place = fsspec.core.url_to_fs(folder)
    system.makedirs(place, exist_ok=True)
    if "file" in system.protocol:
        Path(place).chmod(0o700)
    try:
        yield folder
    finally:
        with suppress(Exception):
            system.rm(place, recursive=True)


BATCHES = 4
"""Batches a chunk: so few that a run that is cancelled soon stops."""


@dataclass(frozen=True)
class Cores:
    """Some cores of this machine.

    Attributes:
        count: how many are used at most, at least 1.
    """

    count: int

    @classmethod
    def all(cls) -> Cores:
        """Return all that this process may use."""
        return cls(count_cores())

    def release(self, chunks: Chunks, first: int) -> Released:
        """Answer as `Executor` says. A chunk more than there are cores is held in memory at
        most."""
        chunks.synthesizer.index.prepare()
        spans = chunks.spans(first, BATCHES)
        yield from in_order(chunks.make, spans, self.count, "attempts")


def executor(workers: Workers) -> Executor:
    """Return what makes the attempts with these workers."""
    if workers.scheduler is not None:
        return Cluster(workers.scheduler, workers.shared)
    return Cores(min(workers.cores or count_cores(), count_cores()))
