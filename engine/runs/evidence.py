"""What a run keeps so that its table can be looked at again later. Internal.

Which part each record went to, the network and the private baseline stand in one file of the
run's internal folder. The table itself does not: who looks again brings it, and it is recognised
by a salted digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.core.files import make_private
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.plan import Plan
from engine.models.sequential import Sequential
from engine.runs.fingerprint import Fingerprint
from engine.runs.folder import UNREADABLE, RunFolder
from engine.runs.released import first_records
from engine.runs.stored_arrays import Kept
from engine.table.encoding import encode
from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.split import Split

_FILE = "evidence.npz"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything an inquiry works on. Confidential. It names no place where anything could go.

    Attributes:
        plan, schema: of the run.
        split: the parts that the run had dealt the table into.
        network: the model its candidates came from.
        baseline: the private marginals beside it.
        released: what it released; None for a rehearsal, or where the table is no longer there.
    """

    plan: Plan
    schema: Schema
    split: Split
    network: Sequential
    baseline: Sequential
    released: Records | None

    @classmethod
    def of(cls, run: RunFolder, records: Records) -> Evidence:
        """The evidence of a run that has ended.

        Args:
            run: the run.
            records: the table it was made from, coded as it was then; buckets do not matter.

        Raises:
            Refusal: the run has not ended or left no evidence, or the table is not the run's.
        """
        plan, schema = decided(run)
        with _opened(run) as kept:
            kept.check(records)
            return cls(
                plan=plan,
                schema=schema,
                split=Split.of(Records(schema, records.codes), kept.parts),
                network=kept.network(schema, "network"),
                baseline=kept.network(schema, "baseline"),
                released=_released(run, schema),
            )


def keep(
    run: RunFolder,
    records: Records,
    parts: npt.NDArray[np.uint8],
    network: Sequential,
    baseline: Sequential,
) -> None:
    """Put the evidence of a run into its internal folder, whole.

    Args:
        run: the run.
        records: its table.
        parts: (n,) which part each record went to; see `assign`.
        network, baseline: what it learned.

    Raises:
        OSError: it cannot be written.
    """
    make_private(run.internal)
    kept = Kept.of(Fingerprint.of(records), parts, {"network": network, "baseline": baseline})
    kept.save(run.internal / _FILE)


def check(run: RunFolder, records: Records) -> None:
    """Check that a run can be inquired into with this table.

    Raises:
        Refusal: as `Evidence.of`.
    """
    with _opened(run) as kept:
        kept.check(records)


def answerable(run: RunFolder) -> bool:
    """Whether a run has ended and left what an inquiry works on."""
    try:
        return run.progress().ended and (run.internal / _FILE).exists()
    except Refusal:
        return False


def recorded(run: RunFolder, raw: RawTable) -> Records:
    """A table as read, coded as the run coded its own.

    Args:
        run: the run.
        raw: the table.

    Raises:
        Refusal: the run cannot be read, or the table lacks columns or holds values that the
            run's table cannot have had; `field` may be a column.
    """
    plan, schema = decided(run)
    return encode(raw, schema, plan.policies)


@contextmanager
def _opened(run: RunFolder) -> Iterator[Kept]:
    """The evidence of a run that has ended.

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
        yield Kept.load(path)
    except Refusal:
        raise
    except UNREADABLE:
        raise run.damaged() from None


def decided(run: RunFolder) -> tuple[Plan, Schema]:
    """The plan and the schema of a run.

    Raises:
        Refusal: they cannot be read.
    """
    try:
        plan = Plan.from_json(run.read_text("plan.json"))
        return plan, Schema.from_json(run.read_text("schema.json"))
    except (OSError, ValueError):
        raise run.unreadable() from None


def _released(run: RunFolder, schema: Schema) -> Records | None:
    """The released table in codes, as its statement has it."""
    if not run.release.exists():
        return None
    try:
        rows = json.loads(run.guarantee.read_text(encoding="utf-8"))["table"]["rows"]
    except UNREADABLE:
        raise _changed(run) from None
    if run.artefacts() is None:
        raise _changed(run)
    try:
        return first_records(run.table, schema, rows)
    except KeyError:
        raise _changed(run) from None


def _changed(run: RunFolder) -> Refusal:
    return Refusal(
        f"The released table of the run “{run.identity}” is no longer the one that its statement "
        "is about.",
        "Put back the files of the release, or choose another run.",
    )
