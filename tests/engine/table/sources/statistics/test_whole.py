"""Files of statistics packages that lack a part, say how much they hold, or do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.table.formats import write
from tests.engine.table.sources.statistics.files import STATISTICS, people, read, texts, xport5
from understudy.core.refusal import Refusal


@pytest.mark.parametrize("kind", ["dta", "por", "xpt", "sas7bdat"])
def test_a_file_cut_short_is_refused_or_told(kind: str, folder: Path) -> None:
    frame = people(400).assign(town=["CANARY-4711"] * 400)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    for share in (0.02, 0.3, 0.6, 0.97):
        said = ""
        try:
            read(data[: int(len(data) * share)], f"people.{kind}")
        except Refusal as refusal:
            said = str(refusal)
        assert "CANARY" not in said


@pytest.mark.parametrize("kind", ["dta", "sav", "sas7bdat"])
def test_a_file_that_says_how_many_records_it_has_cannot_lack_some(kind: str, folder: Path) -> None:
    data = write(kind, people(4000), folder / f"people.{kind}").read_bytes()
    with pytest.raises(Refusal, match="cut short"):
        read(data[: len(data) * 2 // 3], name=f"people.{kind}")


@pytest.mark.parametrize("kind", STATISTICS)
def test_a_file_cut_anywhere_is_refused_or_read_to_its_end(kind: str, folder: Path) -> None:
    """What follows the last letter of a portable file fills its last line up."""
    frame = people(400)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    whole = texts(read(data, f"people.{kind}"))
    read_all = []
    for size in [
        *range(60, len(data), len(data) // 25),
        *(len(data) - cut for cut in range(1, 90)),
    ]:
        try:
            read_all.append(texts(read(data[:size], f"people.{kind}")) == whole)
        except Refusal:
            continue
    assert all(read_all)
    assert not read_all or kind == "por"


def test_a_transport_file_that_does_not_count_its_records_says_so(folder: Path) -> None:
    frame = people(400)
    older = xport5(frame, folder / "older.xpt")
    assert any("does not say how many" in note for note in read(older, "older.xpt").notes)
    newer = write("xpt", frame, folder / "newer.xpt").read_bytes()
    assert not any("does not say how many" in note for note in read(newer, "newer.xpt").notes)
    found = [
        _rows(older[:size], "older.xpt") for size in range(len(older) - 80 * 9, len(older), 20)
    ]
    # Records are of 21 bytes: only a cut that falls between two of them cannot be told.
    assert sum(rows is not None for rows in found) <= 1


def _rows(data: bytes, name: str) -> int | None:
    try:
        return read(data, name).rows
    except Refusal:
        return None


def test_a_transport_file_of_two_tables_is_refused(folder: Path) -> None:
    data = xport5(people(400), folder / "one.xpt")
    with pytest.raises(Refusal, match="several tables"):
        read(data + data[240:], "two.xpt")


def test_an_spss_file_that_does_not_count_its_records_says_so(folder: Path) -> None:
    data = bytearray(write("sav", people(), folder / "people.sav").read_bytes())
    assert not any("does not say how many" in note for note in read(bytes(data), "p.sav").notes)
    data[80:84] = (-1).to_bytes(4, "little", signed=True)
    raw = read(bytes(data), "people.sav")
    assert raw.rows == 40
    assert any("does not say how many" in note for note in raw.notes)
