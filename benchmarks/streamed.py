"""Learning and indexing from a Parquet file that is read piece by piece, by its number of records.

The file holds simulated people; beyond four million, those of the first four million again in
another order, which are as much work to read and to count. What is measured runs in a process of
its own each time, so that the most memory it held is its own. `UNDERSTUDY_STREAMED_ROWS=100000000`
adds a size to those measured, and `UNDERSTUDY_STREAMED_FOLDER` names a folder in which the files
are kept and found again; otherwise they are temporary.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.growth import exponent
from benchmarks.peers.drivers.exchange import held_bytes
from benchmarks.release import released
from benchmarks.size import Size
from understudy.ledger.likeness import measure_likeness
from understudy.mechanisms.seedbased.model_fit import collect_prefixes, learn
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.models.streamed_rows import StreamedSplit
from understudy.privacy.randomness import Secret
from understudy.samples import census
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.sources.cell_texts import column_names
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import Shares, assign_parts

_SIZES: Mapping[Size, tuple[int, ...]] = {
    "full": (100_000, 1_000_000, 10_000_000),
    "quick": (10_000, 100_000, 1_000_000),
    "tiny": (2_000, 5_000),
}
_GROUP = 1_000_000
"""Records in a group of rows of the file."""
_SIMULATED = 4_000_000
_EPSILON = 1.0
_KEPT = 6
"""The longest prefix that ω ∈ [5, 11] keeps."""
_TIMES = 4
"""How often a wide file has each column."""
_WIDE_ROWS: Mapping[Size, int] = {"full": 1_000_000, "quick": 100_000, "tiny": 5_000}
_SECRET = Secret.fixed(1)
_ATTEMPTS: Mapping[Size, int] = {"full": 1_000_000, "quick": 100_000, "tiny": 1_000}


@dataclass(frozen=True)
class Taken:
    """What one thing took, with one file.

    Attributes:
        what: what was done.
        size: how many records the file has.
        seconds: that passed.
        processor_seconds: of all threads together; None where several processes worked.
        gigabytes: the most memory the process held.
        about: what came of it.
    """

    what: str
    size: int
    seconds: float
    processor_seconds: float | None
    gigabytes: float
    about: str = ""


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Do everything with a file of each size."""
    sizes = {*_SIZES[size]}
    if size == "full" and "UNDERSTUDY_STREAMED_ROWS" in os.environ:
        sizes.add(int(os.environ["UNDERSTUDY_STREAMED_ROWS"]))
    run = _here if size == "tiny" else _apart
    found, files = [], {}
    with _folder() as folder:
        for rows in sorted(sizes):
            path = folder / f"census-{rows}.parquet"
            if not path.exists():
                run(write, path, rows)
            files[str(rows)] = path.stat().st_size
            table, taken = run(_first, path)
            steps = (_known, _network, _calibrated, _prefixes)
            found += [taken, *(run(each, table) for each in steps)]
            if rows == _WIDE_ROWS[size]:
                wide = folder / f"wide-{rows}.parquet"
                run(widen, path, wide)
                found.append(run(_known, run(_first, wide)[0]))
            if size != "tiny" or rows == max(sizes):
                found.append(_command(path, rows, _ATTEMPTS[size]))
    return {"taken": [asdict(each) for each in found], "bytes": files}


def _command(path: Path, rows: int, attempts: int) -> Taken:
    """Release from the command line, which does all of this."""
    done = released(path, attempts, "calibrated", "parquet", "--streamed")
    return Taken(
        f"`synthesize --streamed`, {attempts:,} attempts",
        rows,
        done["seconds"],
        None,
        done["peak_bytes"] / 1e9,
        f"{done['released']:,} released",
    )


@contextmanager
def _folder() -> Iterator[Path]:
    named = os.environ.get("UNDERSTUDY_STREAMED_FOLDER")
    if named is not None:
        yield Path(named)
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def _apart(call: Callable[..., Any], *arguments: Any) -> Any:
    """Its result, from a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(call, *arguments).result()


def _here(call: Callable[..., Any], *arguments: Any) -> Any:
    """Its result, without the second or two that another process takes to begin."""
    return call(*arguments)


def write(path: Path, rows: int) -> None:
    """Write simulated people: texts as texts, numbers as numbers."""
    columns = census.schema().columns
    unfinished = path.with_name(path.name + ".part")
    with ExitStack() as stack:
        file: pq.ParquetWriter | None = None
        for codes in _people(rows):
            arrays = [_stored(column, codes[:, at]) for at, column in enumerate(columns)]
            group = pa.table(arrays, names=[column.name for column in columns])
            if file is None:
                made = pq.ParquetWriter(unfinished, group.schema, store_schema=False)
                file = stack.enter_context(made)
            file.write_table(group, row_group_size=_GROUP)
    unfinished.replace(path)


def _people(rows: int) -> Iterator[npt.NDArray[np.uint16]]:
    """A group of rows at a time. Those beyond `_SIMULATED` are drawn from the ones before."""
    pool = census.simulate(min(rows, _SIMULATED), 1)
    random = np.random.default_rng(1)
    for start in range(0, rows, _GROUP):
        many = min(_GROUP, rows - start)
        again = start >= len(pool)
        yield pool[random.integers(0, len(pool), many)] if again else pool[start : start + many]


def _stored(column: Column, codes: npt.NDArray[np.uint16]) -> pa.Array:
    """A column as a custodian's file would have it."""
    if isinstance(column.domain, Grid):
        return pa.array(np.array([int(text) for text in column.texts])[codes])
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(column.texts))


def _first(path: Path) -> tuple[StreamedTable, Taken]:
    """Look at every value, and deal the records into parts."""
    watch = _Watch("first reading, and the parts")
    table = StreamedTable.open(path, census.schema())
    assign_parts(len(table), Shares(), _SECRET.source("split"))
    return table, watch.taken(table)


def _known(table: StreamedTable) -> Taken:
    """Make the fingerprint and the sketch by which the ledger knows the table again."""
    columns = len(column_names(table))
    watch = _Watch(f"knowing it again, by {columns} columns")
    measure_likeness(table, bytes(32))
    return watch.taken(table)


def widen(path: Path, wide: Path) -> None:
    """Write a file with the columns of another several times over, under other names."""
    table = pq.read_table(path)
    columns, names = table.columns * _TIMES, table.column_names
    more = [f"{name}{time or ''}" for time in range(_TIMES) for name in names]
    pq.write_table(pa.table(columns, names=more), wide, row_group_size=_GROUP)


def _network(table: StreamedTable) -> Taken:
    """Learn the published network."""
    return _learned(table, "network", "learning the published network")


def _calibrated(table: StreamedTable) -> Taken:
    """Learn the calibrated model."""
    return _learned(table, "calibrated", "learning the calibrated model")


def _learned(table: StreamedTable, kind: ModelKind, what: str) -> Taken:
    split = _split(table)
    plan = Plan.of(table.schema, model=ModelPlan(kind=kind, epsilon=_EPSILON))
    watch = _Watch(what)
    learn(plan, table.schema, split, _SECRET.source("model"))
    return watch.taken(table, f"{len(split.structure) + len(split.parameters):,} learned from")


def _prefixes(table: StreamedTable) -> Taken:
    """Count the prefixes of the seeds, the attributes of fewest values first."""
    split = _split(table)
    order = np.argsort(table.schema.cardinalities, kind="stable").tolist()
    watch = _Watch("counting the prefixes of the seeds")
    found = collect_prefixes(split.seeds, order, _KEPT)
    return watch.taken(table, f"{len(found.codes):,} of {len(split.seeds):,} seeds")


def _split(table: StreamedTable) -> StreamedSplit:
    return StreamedSplit(table, assign_parts(len(table), Shares(), _SECRET.source("split")))


class _Watch:
    """How long something takes from now on."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.perf_counter(), time.process_time()

    def taken(self, table: StreamedTable, about: str = "") -> Taken:
        """What it took."""
        wall, core = self._begun
        return Taken(
            self._what,
            len(table),
            time.perf_counter() - wall,
            time.process_time() - core,
            held_bytes() / 1e9,
            about,
        )


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| | records | seconds | of a processor | records / s | GB held | |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    by_what: dict[str, list[dict[str, Any]]] = {}
    for row in figures["taken"]:
        by_what.setdefault(row["what"], []).append(row)
    for what, rows in by_what.items():
        lines += [
            f"| {what} | {row['size']:,} | {row['seconds']:.1f} | {_of_processor(row)} "
            f"| {row['size'] / row['seconds']:,.0f} | {row['gigabytes']:.2f} | {row['about']} |"
            for row in rows
        ]
    slopes = (
        f"{what} {exponent(rows[-2:], 'processor_seconds'):.2f} in time and "
        f"{exponent(rows[-2:], 'gigabytes'):.2f} in memory"
        for what, rows in by_what.items()
        if rows[-1]["processor_seconds"] is not None
    )
    files = ", ".join(f"{size / 1e9:.2f} GB" for size in figures["bytes"].values())
    return "\n".join(
        [*lines, "", f"Exponents, of the last two sizes: {'; '.join(slopes)}. Files: {files}."]
    )


def _of_processor(row: Mapping[str, Any]) -> str:
    seconds = row["processor_seconds"]
    return "–" if seconds is None else f"{seconds:.1f}"
