"""Known totals as they are pasted from a spreadsheet, or read from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.table.test_known_totals import SCHEMA
from understudy.core.refusal import Refusal
from understudy.table.totals_file import TotalsRead, load_totals, read_totals

PAIR = ((("North", "f"), 1204), (("South", "f"), 11), (("North", "m"), 1187), (("South", "m"), 0))


def read(text: str) -> TotalsRead:
    return read_totals(text, SCHEMA.columns, of="population", source="Yearbook")


@pytest.mark.parametrize(
    "text",
    [
        "region\tsex\ttotal\nNorth\tf\t1,204\nSouth\tf\t11\nNorth\tm\t1,187\nSouth\tm\t0\n",
        "Region;Sex;N\r\nNorth;f;1 204\r\nSouth;f;11\r\nNorth;m;1 187\r\nSouth;m;0\r\n\r\n",
        'region,sex,n\nNorth,f,"1,204"\nSouth,f,11\nNorth,m,"1,187"\nSouth,m,0\nTotal,,"2,402"\n',
        "sex\tNorth\tSouth\tTotal\nf\t1204\t11\t1215\nm\t1187\t0\t1187\nTotal\t2391\t11\t2402",
        "sex\tNorth\tSouth\nf\t1.204\t11\nm\t1.187\t0",
    ],
)
def test_every_layout_of_a_pair_says_the_same(text: str) -> None:
    found = read(text).totals
    assert set(found.columns) == {"region", "sex"}
    by = {frozenset(zip(found.columns, names, strict=True)): total for names, total in found.lines}
    assert by == {
        frozenset({("region", region), ("sex", sex)}): total for (region, sex), total in PAIR
    }


def test_a_last_line_that_adds_up_is_left_out_and_values_without_rows_are_named() -> None:
    found = read("age\ttotal\n0-4\t7\nTotal\t7\n")
    assert found.totals.lines == ((("0-4",), 7),)
    assert found.notes == (
        "The last line adds up the others and is left out.",
        "No released row will have “5 to 9”, “missing” in column “age”.",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "This is no table of totals"),
        ("region\ttotal\n", "This is no table of totals"),
        ("area\ttotal\nNorth\t5\n", "“area” names no column"),
        ("region\ttotal\nNorth\t5\t6\n", "Line 2 has 3 cells, and the heading 2"),
        ("region\ttotal\nNorth\t5.5\n", "“5.5” is no total"),
        ("region\ttotal\nNorth\t-5\n", "“-5” is no total"),
        ("region\tleft\tright\nNorth\t5\t6\n", "are values of no column"),
        (
            "region\ttotal\nNorth\t5\nTotal\t6\n",
            "name “Total”, and column “region” has no such value",
        ),
    ],
)
def test_other_tables_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        read(text)


def test_an_option_names_file_kind_and_source(tmp_path: Path) -> None:
    path = tmp_path / "regions.csv"
    path.write_text("region,total\nNorth,5\n", encoding="utf-8")
    found = load_totals(f"{path}=table: Register, 2024: table 3", SCHEMA.columns).totals
    assert (found.of, found.source) == ("table", "Register, 2024: table 3")
    for option, words in (
        (str(path), "does not say what the totals count"),
        (f"{path}=sample:x", "does not say what the totals count"),
        (f"{path}=table", "have no source"),
        (f"{path}.no=table:x", "cannot be read"),
    ):
        with pytest.raises(Refusal, match=words):
            load_totals(option, SCHEMA.columns)
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(Refusal, match="not text in UTF-8"):
        load_totals(f"{path}=table:x", SCHEMA.columns)
