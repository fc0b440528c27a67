"""Records as sequences, one for each person, for what protects people and keeps their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.table.encoding import check_reading, encode_unrepaired
from understudy.table.fit import Policy, check_present
from understudy.table.people import group_people
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.rules.repair import repair_records
from understudy.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Sequences:
    """The records of a table person by person, those of a person in their order. Confidential.

    People stand in no order that says anything of them, and have no names.

    Attributes:
        records: all of them, one person's after another's; codes of shape (records, columns).
        offsets: (people + 1,) read-only: the records of person i are `offsets[i]` to
            `offsets[i + 1]`, from one to L of them.

    Raises:
        ValueError: the schema says nothing of people, or the offsets do not fit.
    """

    records: Records
    offsets: IntArray = field(repr=False)

    def __post_init__(self) -> None:
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64).view()
        if self.records.schema.people is None:
            raise ValueError("the schema does not say that records belong to people")
        sizes = np.diff(offsets)
        ends = offsets.ndim == 1 and len(offsets) > 0 and offsets[0] == 0
        if not ends or offsets[-1] != len(self.records) or (sizes < 1).any():
            raise ValueError("the offsets are not those of the records")
        if (sizes > self.records_at_most).any():
            raise ValueError("a person has more records than are kept")
        offsets.flags.writeable = False
        object.__setattr__(self, "offsets", offsets)

    def __len__(self) -> int:
        """Return how many people there are. Internal."""
        return len(self.offsets) - 1

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.records.schema

    @property
    def records_at_most(self) -> int:
        """L, the most records of a person. Public."""
        assert self.schema.people is not None
        return self.schema.people.records_at_most

    def of(self, person: int) -> Records:
        """Return the records of one person, in their order."""
        return self.records.take(np.arange(*self.offsets[person : person + 2]))


def encode_sequences(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Sequences:
    """Turn texts into sequences of codes.

    Of each person the first L records in order are kept, and only these have to fit the schema.
    What becomes of those that break a rule is as of `encoding.encode`; others do not take their
    place, and who has none left is left out.

    Args:
        raw: the table.
        schema: what each column may contain, and whose the records are.
        policies: as of `encoding.encode`.

    Raises:
        Refusal: the schema does not say whose the records are, a record does not say it or stands
            nowhere in the order, or as of `encoding.encode`.
    """
    people = schema.people
    if people is None:
        raise Refusal(
            "The schema does not say which records belong to one person.",
            "Name the columns of the person and of the order in the schema, and how many records "
            "of a person are kept.",
            field="people",
        )
    check_reading(raw, schema)
    check_present(raw.names, schema.needed)
    rows, offsets = group_people(raw, people)
    alone = raw.take(rows).of_file()
    single = schema.with_reading(alone.reading).with_people(None)
    found = encode_unrepaired(alone, single, policies)
    numbers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    whole = Records(schema.of_file, found.codes, found.numbers, numbers)
    records = repair_records(whole).recode(schema)
    assert records.whose is not None
    _, sizes = np.unique(records.whose, return_counts=True)
    kept = np.concatenate([[0], np.cumsum(sizes)])
    return Sequences(Records(schema, records.codes, records.numbers), kept)
