"""The evidence of a run: what it keeps so that inquiries can be made after its end. Internal.

One file of the run's internal folder holds what the run drew and learned, and further arrays that
its method left. The table is not kept. Whoever asks brings it again, and a salted digest shows that
it is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from understudy.core.files import make_private
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Arrays, Evidence, PlannedRun, State
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_from_json, plan_run
from understudy.mechanisms.statement import released_of
from understudy.runs.checkpoint import Fingerprint, StoredArrays
from understudy.runs.folder import UNREADABLE, RunFolder
from understudy.runs.table_file import read_first_records
from understudy.table.encoding import encode
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.schema import Schema

_FILE = "evidence.npz"
MOST_TABLES: Final = 5
"""How many released tables are looked at, of a run that released more. Each takes the memory and
the time of one."""


def load_evidence(run: RunFolder, records: Records) -> Evidence:
    """Return the evidence of a run that has ended.

    Args:
        run: the run.
        records: the table of the run, encoded as then; its buckets may be others.

    Raises:
        Refusal: the run has not ended or left no evidence, or the table is not the run's.
    """
    made = read_planned_run(run)
    with _open_evidence(run) as stored:
        stored.fingerprint.check(records)
        return Evidence(
            decided=made,
            records=records.under(made.schema),
            state=made.mechanism.restore(made, stored.state),
            tables=_read_released(run, made),
        )


def load_run_state(run: RunFolder) -> tuple[PlannedRun, State]:
    """Return what was run, and what the run drew and learned, without its table. Confidential:
    which of it the guarantee covers is the method's to say.

    Raises:
        Refusal: the run has not ended or left no evidence.
    """
    made = read_planned_run(run)
    with _open_evidence(run) as stored:
        return made, made.mechanism.restore(made, stored.state)


def keep_evidence(run: RunFolder, records: Records, arrays: Arrays) -> None:
    """Write the evidence of a run into its internal folder, atomically.

    Args:
        run: the run.
        records: its table.
        arrays: what is kept of it; see `Look.kept`.

    Raises:
        OSError: it cannot be written.
    """
    make_private(run.internal)
    StoredArrays(Fingerprint.of(records), arrays).save(run.internal / _FILE)


def check_table(run: RunFolder, records: Records) -> None:
    """Check that a run left evidence, and that this is its table.

    Raises:
        Refusal: as `load_evidence`.
    """
    with _open_evidence(run) as stored:
        stored.fingerprint.check(records)


def has_evidence(run: RunFolder) -> bool:
    """Return whether a run has ended and left evidence, so that inquiries can be made."""
    try:
        return run.progress().ended and (run.internal / _FILE).exists()
    except Refusal:
        return False


def encode_as_run(run: RunFolder, raw: RawTable) -> Records:
    """Encode a table by the schema and the policies of a run, as the run encoded its own.

    Args:
        run: the run.
        raw: the table, as texts.

    Raises:
        Refusal: the run cannot be read, or the table lacks columns or holds values that the
            run's table cannot have had; `field` may be a column.
    """
    plan, schema = read_plan_and_schema(run)
    return encode(raw, schema, plan.policies)


@contextmanager
def _open_evidence(run: RunFolder) -> Iterator[StoredArrays]:
    """Provide the evidence of a run that has ended.

    Raises:
        Refusal: it has not ended, left no evidence, or what it left is found to be damaged.
    """
    if not run.progress().ended:
        raise Refusal(
            f"The run “{run.identity}” has not finished.", "Wait until it has, then ask again."
        )
    path = run.internal / _FILE
    if not path.exists():
        raise Refusal(
            f"The run “{run.identity}” kept nothing that its table can be looked at again "
            "with: it was stopped, was made without figures, or is older than that.",
            "Choose another run, or start a new one.",
        )
    try:
        yield StoredArrays.load(path)
    except Refusal:
        raise
    except UNREADABLE:
        raise run.refuse_damaged() from None


def read_plan_and_schema(run: RunFolder) -> tuple[MechanismPlan, Schema]:
    """Return the plan and the schema of a run.

    Raises:
        Refusal: they cannot be read.
    """
    try:
        plan = plan_from_json(run.read_text("plan.json"))
        return plan, Schema.from_json(run.read_text("schema.json"))
    except (OSError, ValueError):
        raise run.unreadable() from None


def read_planned_run(run: RunFolder) -> PlannedRun:
    """Return the plan of a run, with its guarantee and its outputs.

    Raises:
        Refusal: it cannot be read.
    """
    return plan_run(*read_plan_and_schema(run))


def find_comparable_table(run: RunFolder) -> Path:
    """Return the file of the first released table with the columns that are compared; see
    `PlannedRun.compared`.

    Raises:
        Refusal: the run released none, or cannot be read.
    """
    made = read_planned_run(run)
    own = made.compared.fingerprint
    for each in made.tables:
        if each.schema is not None and each.schema.fingerprint == own:
            return run.table_of(each.name)
    raise Refusal(
        f"The run “{run.identity}” released no table with columns of the confidential one.",
        "Choose another run.",
        field="table",
    )


def read_first_tables(run: RunFolder, made: PlannedRun, rows: int) -> dict[str, Records]:
    """Return the released tables as records, by the names of their outputs: the first
    `MOST_TABLES`, and the first so many rows of each.

    Raises:
        OSError: one cannot be read.
        KeyError: one holds a value that is not in its schema.
    """
    return {
        each.name: read_first_records(run.table_of(each.name), each.schema, rows)
        for each in made.tables[:MOST_TABLES]
        if each.schema is not None
    }


def _read_released(run: RunFolder, made: PlannedRun) -> dict[str, Records]:
    """Return the released tables, as their statement has them."""
    if not run.release.exists():
        return {}
    try:
        said = released_of(json.loads(run.guarantee.read_text(encoding="utf-8")))
        rows = max((each.rows for each in said if each.rows is not None), default=0)
        if run.artefacts() is None:
            raise ValueError("a file is not the one that was released")
        return read_first_tables(run, made, rows)
    except (*UNREADABLE, AttributeError):
        raise _refuse_changed(run) from None


def _refuse_changed(run: RunFolder) -> Refusal:
    return Refusal(
        f"The release of the run “{run.identity}” is no longer the one that its statement "
        "is about.",
        "Put back the files of the release, or choose another run.",
    )
