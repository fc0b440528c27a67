"""What a worker of a cluster does: it opens what was sealed for it, makes chunks or steps of them,
and packs what passed. Before each it looks at itself: whether it would do what was asked for, and
writes nothing that it holds to its disk."""

from __future__ import annotations

import io
import pickle
import secrets
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.mechanisms.seedbased.chunks import Chunks, Span, program
from understudy.mechanisms.seedbased.sharded import Shard, Steps


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


def described() -> tuple[str, bool]:
    """Return what this process runs, and whether it may write to its disk what it has no memory
    for."""
    import dask

    memory = "distributed.worker.memory"
    return program(), any(dask.config.get(f"{memory}.{when}") for when in ("target", "spill"))


def opened(sealed: Sealed, expected: str) -> Any:
    """Return what was sealed.

    Raises:
        AnotherProgram: this process is not as `described` where it was sealed.
    """
    _check(expected)
    return pickle.loads(sealed.data)


def made(expected: str, chunks: Chunks, folder: str | None, span: Span) -> Passed:
    """Return one chunk. Raises as `opened`."""
    _check(expected)
    return _packed(chunks.make(span), folder)


def step(expected: str, holder: Steps | Shard, named: str, *arguments: Any) -> Hidden:
    """Return one step of a chunk; see `sharded`. Raises as `opened`."""
    _check(expected)
    return Hidden(getattr(holder, named)(*map(_shown, arguments)))


def decided(
    expected: str,
    steps: Steps,
    batches: Hidden,
    counts: list[Hidden],
    folder: str | None,
) -> Passed:
    """Return the last step of a chunk. Raises as `opened`."""
    _check(expected)
    return _packed(steps.decide(_shown(batches), _shown(counts)), folder)


def _shown(argument: Any) -> Any:
    """Return what a step before came to, or every shard's."""
    if isinstance(argument, list):
        return [_shown(each) for each in argument]
    return argument.value if isinstance(argument, Hidden) else argument


def _check(expected: str) -> None:
    if described() != (expected, False):
        raise AnotherProgram


def _packed(codes: CodeArray, folder: str | None) -> Passed:
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


def unpacked(passed: Passed) -> CodeArray:
    """(passed, m) what passed; a file that it was in is gone."""
    data = passed.data
    if passed.path is not None:
        import fsspec

        system, place = fsspec.core.url_to_fs(passed.path)
        data = system.cat_file(place)
        system.rm(place)
    codes: CodeArray = np.load(io.BytesIO(data or b""), allow_pickle=False).astype(np.uint16)
    return codes
