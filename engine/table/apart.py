"""Reading in a process of its own, so that a spoilt file brings down nothing but that.

What reads the files of statistics programs is written in C, and some spoilt files end it. The file
goes to the other process, and its texts come back, through pipes and never through a file.
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pyarrow as pa

from engine.refusal import Refusal
from engine.table.declared_reading import Kind
from engine.table.raw import RawTable
from engine.table.source import Source, damaged, opened
from engine.table.statistics_file import read_statistics

_SECONDS, _BYTES_A_SECOND = 120.0, 100_000
"""How long reading may take: the slowest kind, on a slow machine, takes a tenth of that."""

_ROOT = Path(__file__).resolve().parents[2]


def read_apart(source: Source, kind: Kind, *, encoding: str | None) -> RawTable:
    """`statistics_file.read_statistics`, in a process of its own.

    Raises:
        Refusal: as there, or the file ends what reads it.
    """
    content = source.path if source.path is not None else bytes(source.data[:])
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.table.apart"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
    )
    # A spoilt file may also be read for ever.
    patience = Timer(_SECONDS + len(source.data) / _BYTES_A_SECOND, process.kill)
    patience.daemon = True
    patience.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError), process.stdin:
            asked = (content, source.name, kind, encoding)
            pickle.dump(asked, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        with process.stdout:
            found = _received(process.stdout)
    finally:
        # Nothing is read from it any more, so it has nothing left to do.
        patience.cancel()
        process.kill()
        process.wait()
    if found is None:
        raise damaged(source, kind)
    return found


def _received(pipe: IO[bytes]) -> RawTable | None:
    """What the other process sent; None where it ended before it had sent all."""
    try:
        said = json.loads(pipe.readline())
        if "problem" in said:
            raise Refusal(said["problem"], said["remedy"], field=said["field"])
        with pa.ipc.open_stream(pipe) as stream:
            table = stream.read_all().combine_chunks()
    except (pa.ArrowException, OSError, json.JSONDecodeError):
        return None
    return RawTable.restored(table, said)


def _send(raw: RawTable, pipe: IO[bytes]) -> None:
    pipe.write(json.dumps(raw.about()).encode() + b"\n")
    with pa.ipc.new_stream(pipe, raw.arrow.schema) as stream:
        stream.write_table(raw.arrow)


def main() -> None:
    """Read what is asked for on the input, and send it to the output."""
    # What a crash leaves behind would hold records.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    content, name, kind, encoding = pickle.load(sys.stdin.buffer)
    out = sys.stdout.buffer
    answer: dict[str, Any]
    try:
        source = opened(content, name, sys.maxsize)
        _send(read_statistics(source, kind, encoding=encoding), out)
    except Refusal as refusal:
        answer = {"problem": refusal.problem, "remedy": refusal.remedy, "field": refusal.field}
        out.write(json.dumps(answer).encode() + b"\n")
    out.flush()


if __name__ == "__main__":
    main()
