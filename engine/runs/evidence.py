"""What a run keeps so that its table can be looked at again later. Internal.

Which part each record went to, the network and the private baseline stand in one file of the
run's internal folder. The table itself does not: who looks again brings it, and it is recognised
by a salted digest.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.categorical import ConditionalTable
from engine.refusal import Refusal
from engine.runs.folder import UNREADABLE, RunFolder
from engine.synthesis.plan import Plan
from engine.table.encoding import encode
from engine.table.raw import RawTable
from engine.table.reading import read_table
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.split import Split

_FILE = "evidence.npz"
_INTERNAL = "Computed from confidential records without noise. Not for release."
_SALT = 32

Arrays = Mapping[str, npt.NDArray[np.generic]]


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
    network: BayesianNetwork
    baseline: BayesianNetwork
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
        plan, schema = _decided(run)
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
    network: BayesianNetwork,
    baseline: BayesianNetwork,
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
    salt = secrets.token_bytes(_SALT)
    arrays = {
        "internal": np.array(_INTERNAL),
        "salt": np.frombuffer(salt, np.uint8),
        "digest": np.frombuffer(_digest(records, salt), np.uint8),
        "parts": parts,
        **dict(_arrays("network", network)),
        **dict(_arrays("baseline", baseline)),
    }
    run.internal.mkdir(mode=0o700, exist_ok=True)
    partial = run.internal / f".{_FILE}.part"
    with partial.open("wb") as file:
        partial.chmod(0o600)
        np.savez(file, allow_pickle=False, **arrays)
    partial.rename(run.internal / _FILE)


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
    plan, schema = _decided(run)
    return encode(raw, schema, plan.policies)


@contextmanager
def _opened(run: RunFolder) -> Iterator[_Kept]:
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
        with np.load(path, allow_pickle=False) as file:
            kept = _Kept({name: file[name] for name in file.files})
        yield kept
    except Refusal:
        raise
    except UNREADABLE:
        raise run.damaged() from None


@dataclass(frozen=True, eq=False)
class _Kept:
    """The file of evidence, as read."""

    arrays: Arrays

    @property
    def parts(self) -> npt.NDArray[np.uint8]:
        """(n,) which part each record went to."""
        return self.arrays["parts"].astype(np.uint8, copy=False)

    def check(self, records: Records) -> None:
        """Check that these are the records of the run.

        Raises:
            Refusal: they are not.
        """
        salt, digest = (self.arrays[name].tobytes() for name in ("salt", "digest"))
        if len(records) != len(self.parts) or not secrets.compare_digest(
            _digest(records, salt), digest
        ):
            raise Refusal(
                "This is not the table that the run was made from.",
                "Open the file as it was then, its records in the same order, with the same "
                "columns and the same choices for values outside the schema.",
                field="table",
            )

    def network(self, schema: Schema, name: str) -> BayesianNetwork:
        """A network that `_arrays` wrote."""
        order = tuple(int(each) for each in self.arrays[f"{name}.order"])
        parents: list[tuple[int, ...]] = [()] * len(order)
        for child, parent in self.arrays[f"{name}.edges"].tolist():
            parents[child] = (*parents[child], parent)
        tables = tuple(
            ConditionalTable(self.arrays[f"{name}.table{place}"].astype(np.int64))
            for place in range(len(order))
        )
        return BayesianNetwork(schema, Structure(tuple(parents), order), tables)


def _arrays(name: str, network: BayesianNetwork) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """A network as integers: its order, (child, parent) of each edge, and its weights."""
    structure = network.structure
    edges = [(child, parent) for child, each in enumerate(structure.parents) for parent in each]
    yield f"{name}.order", np.array(structure.order, dtype=np.int64)
    yield f"{name}.edges", np.array(edges, dtype=np.int64).reshape(-1, 2)
    for place, table in enumerate(network.tables):
        yield f"{name}.table{place}", table.weights


def _digest(records: Records, salt: bytes) -> bytes:
    """BLAKE2b, salted, over the names of the columns, the texts of their values, and the codes."""
    columns = [[column.name, list(column.texts)] for column in records.schema.columns]
    hashed = hashlib.blake2b(key=salt, digest_size=32)
    hashed.update(json.dumps(columns).encode())
    hashed.update(b"\0")
    hashed.update(np.ascontiguousarray(records.codes, dtype="<u2").data)
    return hashed.digest()


def _decided(run: RunFolder) -> tuple[Plan, Schema]:
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
    if rows == 0:
        return Records(schema, np.zeros((0, len(schema)), np.uint16))
    return encode(read_table(run.table, separator=",", encoding="utf-8"), schema)


def _changed(run: RunFolder) -> Refusal:
    return Refusal(
        f"The released table of the run “{run.identity}” is no longer the one that its statement "
        "is about.",
        "Put back the files of the release, or choose another run.",
    )
