from __future__ import annotations

import io
import math

import pyarrow.parquet as pq
import pytest

from understudy.assurance import hostile_files, reading
from understudy.assurance.check import Check, Effort
from understudy.assurance.hostile_files import KEPT, LAYOUTS, SCHEMA, UTF_8, records, words_of
from understudy.assurance.mutants import list_reading_mutants as mutants
from understudy.core.refusal import Refusal
from understudy.table.encoding import encode
from understudy.table.raw import RawTable


@pytest.mark.parametrize("check", reading.list_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort(0.1))
    assert found.passed, found.measured
    assert found.measured.cases > 5


@pytest.mark.thorough("test_every_claim_holds")
@pytest.mark.parametrize("check", reading.list_checks(), ids=lambda each: each.name)
def test_every_claim_holds_in_full(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    assert found.measured.cases > 20


@pytest.mark.parametrize(
    "check",
    mutants(),
    ids=lambda each: each.name,
)
def test_every_mutant_is_caught(check: Check) -> None:
    found = check.find(Effort(0.1))
    assert found.verdict == "caught"
    assert found.measured.worst == math.inf


def test_what_is_kept_fits_its_schema_in_every_kind_of_file() -> None:
    """Else a table that is always refused would pass for one that never changes."""
    codes = []
    for each in reading.TYPED.values():
        codes.append(encode(each.read(each.write(KEPT)), SCHEMA).codes.tolist())
    for layout in LAYOUTS:
        smaller = next(layout.neighbours())[0]
        codes.append(encode(layout.read(smaller), layout.schema).codes.tolist())
    assert all(sorted(each) == sorted(codes[0]) for each in codes)
    assert len(codes) == len(reading.TYPED) + len(LAYOUTS)


@pytest.mark.parametrize("name", reading.TYPED)
def test_a_hostile_record_is_read_and_not_dropped(name: str) -> None:
    kind = reading.TYPED[name]
    empty, *others = list(kind.hostile())[:4]
    rows = [kind.read(kind.write([*KEPT, each])).rows - len(KEPT) for each in (empty, *others)]
    # A sheet holds no record of empty cells.
    assert rows == [0 if name == "Excel" else 1, 1, 1, 1]


def test_with_less_effort_a_few_are_tried_at_every_place() -> None:
    parquet = reading.TYPED["Parquet"]
    few = list(reading.some(parquet.neighbours(), Effort(0.02)))
    assert {pair.before for pair in few} == {0, 2, 4}
    assert len(few) < len(list(reading.some(parquet.neighbours(), Effort(10)))) / 5


def _dropping(data: bytes) -> RawTable:
    """A reader that loses the last record of a table with one more."""
    raw = UTF_8.read(data)
    return RawTable(raw.arrow.slice(0, 4).combine_chunks(), raw.reading)


def _refusing(data: bytes) -> RawTable:
    """A reader that refuses a file for one line that it cannot take apart."""
    raw = UTF_8.read(data)
    if any(raw.unreadable(name) for name in raw.names):
        raise Refusal("It is ragged.", "Mend it.")
    return raw


def test_a_reader_that_loses_a_record_or_refuses_for_one_is_caught() -> None:
    assert reading.text_file(UTF_8, _dropping, Effort(0.1)).worst == math.inf
    assert reading.text_file(UTF_8, _refusing, Effort(0.1)).worst == math.inf


def test_a_record_is_told_by_what_is_odd_about_it() -> None:
    told = [words_of(each) for each in records()]
    assert "day '2020-01-01 10:30:00'" in told
    assert len(set(told)) == len(told)


def test_a_column_gets_the_type_that_a_program_would_give_it() -> None:
    """The others of a column are widened by one record, as is meant to be tried."""

    def kinds(*more: tuple[object, ...]) -> list[str]:
        stored = pq.read_schema(io.BytesIO(hostile_files.parquet([*KEPT, *more])))
        return [str(kind) for kind in stored.types]

    assert kinds() == ["string", "date32[day]", "int16", "float"]
    seen = {kind for each in records() for kind in kinds(each)}
    assert {"timestamp[us]", "int64", "double"} <= seen
