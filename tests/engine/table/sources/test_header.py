"""How many columns a header names, told without reading the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.authoring.first_schema import announce_width
from understudy.table.schema import MOST_COLUMNS
from understudy.table.sources.header import count_header
from understudy.table.sources.reading import read_table

NAMES = st.lists(
    st.text(st.sampled_from("abc ,;|"), min_size=1, max_size=6).filter(str.strip),
    min_size=2,
    max_size=20,
)


@given(NAMES, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n", "\r", ""]))
def test_as_many_as_the_reader_finds(names: list[str], separator: str, end: str) -> None:
    cells = [f'"{name} {place}"' for place, name in enumerate(names)]
    line = separator.join(cells)
    data = f"{line}{end or chr(10)}{separator.join('1' for _ in names)}{end}".encode()
    assert count_header(data) == count_header(data, separator) == len(names)
    assert len(read_table(data, name="t.csv", separator=separator).names) == len(names)


def test_only_the_first_line_counts_and_of_a_file_too(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(b"a;b;c\n" + b"1,1,1,1,1,1,1\n" * 50)
    assert count_header(place) == 3
    assert count_header(tmp_path / "none.csv") is None


@pytest.mark.parametrize(
    "start", [b"PAR1,,,,\n", b"PK\x03\x04,,\n", b"a\0,\0b\n", b"a,b" * (1 << 19)]
)
def test_of_other_formats_and_of_endless_headers_nothing_is_told(start: bytes) -> None:
    assert count_header(start) is None


@pytest.mark.parametrize("columns", [None, 2, MOST_COLUMNS])
def test_nothing_is_said_of_what_can_be_used_together(columns: int | None) -> None:
    assert announce_width(columns) == ""
    assert "2,500 columns" in announce_width(2500)
