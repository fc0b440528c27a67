from __future__ import annotations

from pathlib import Path

import pytest

from understudy.studies.comparison import Comparison, Entry, Numbers, document_of
from understudy.studies.document import as_text
from understudy.studies.reproduction import Asked


def compared(*entries: Entry) -> Comparison:
    return Comparison("Table 9", "What is measured", "page 3", ("Method", "n"), entries)


def cells(*entries: Entry) -> tuple[tuple[str, ...], ...]:
    (grid,) = compared(*entries).section().grids
    return (grid.header, *grid.rows)


def test_a_number_stands_beside_ours_with_what_they_differ_by() -> None:
    assert cells(Entry(("one", "5"), 1.25, 1.0), Entry(("two", "5"), 2.0, 2.001)) == (
        ("Method", "n", "Published", "Ours", "Difference"),
        ("one", "5", "1.25", "1.00", "−0.25"),
        ("two", "5", "2.00", "2.00", "0.00"),
    )


def test_what_is_not_known_is_a_dash() -> None:
    assert cells(Entry(("one", "5"), None, 1.0), Entry(("two", "5"), 1_000.0, None))[1:] == (
        ("one", "5", "–", "1.00", "–"),
        ("two", "5", "1,000.00", "–", "–"),
    )


def test_intervals_and_notes_have_columns_where_there_are_any() -> None:
    header, first, second = cells(
        Entry(("one", "5"), 1.0, 1.5, low=-1.0, high=2.0),
        Entry(("two", "5"), 1.0, 1.5, note="A digit is missing in print."),
    )
    assert header[-2:] == ("Interval of ours", "Note")
    assert first[-3:] == ("+0.50", "−1.00 to 2.00", "")
    assert second[-2:] == ("–", "A digit is missing in print.")


def test_the_data_is_not_rounded() -> None:
    entry = Entry(("one", "5"), 1.0, 1 / 3)
    (found,) = compared(entry).as_dict()["entries"]
    assert found["Method"] == "one"
    assert found["ours"] == 1 / 3
    assert found["difference"] == pytest.approx(-2 / 3)


def test_a_document_says_how_it_came_about() -> None:
    def read(path: Path, schema: object, policies: object) -> None:
        raise AssertionError

    asked = Asked(True, None, {}, "understudy reproduce one", "2026-11-23", read)  # type: ignore[arg-type]
    found = document_of("One, run again", ["Simulated."], asked, [compared()])
    text = as_text(found.sections)
    assert "understudy reproduce one" in text
    assert "Table 9" in text
    assert found.data["tables"][0]["source"] == "page 3"
    assert not found.internal


def test_numbers_are_found_by_their_cells_and_none_takes_anothers_place() -> None:
    found = Numbers([compared(Entry(("one", "5"), 1.0, 0.5), Entry(("one", "6"), 1.0, None))])
    assert found.ours("Table 9", "one", "5") == 0.5
    assert found.ours("Table 9", "two", "5") is None
    assert found.all_of("Table 9", None, "5") == [(("one", "5"), 0.5)]
    assert found.all_of("Table 9", "one") == [(("one", "5"), 0.5)]
    with pytest.raises(AssertionError, match="twice"):
        Numbers([compared(Entry(("one", "5"), 1.0, 0.5), Entry(("one", "5"), 1.0, 0.6))])
