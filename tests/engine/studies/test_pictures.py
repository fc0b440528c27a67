from __future__ import annotations

from pathlib import Path

import altair as alt
import pandas as pd
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.studies.document import Picture, write

NUMBERS = pd.DataFrame({"k": [1, 10], "rate": [0.5, 0.25]})


def picture(name: str, numbers: pd.DataFrame = NUMBERS) -> Picture:
    chart = alt.Chart(NUMBERS).mark_point().encode(x="k:Q", y="rate:Q")
    return Picture(name, "Rates", chart, numbers)


def test_each_picture_is_two_files_in_order(tmp_path: Path) -> None:
    place = tmp_path / "new" / "figures"
    written = write([picture("two"), picture("one")], place, internal=False)
    assert [each.name for each in written] == ["two.svg", "two.csv", "one.svg", "one.csv"]
    assert {each.parent for each in written} == {place}
    assert written[0].read_text(encoding="utf-8").startswith("<svg")
    assert written[1].read_text(encoding="utf-8") == "k,rate\n1,0.5\n10,0.25\n"


def test_what_is_internal_says_so_and_is_nobody_elses_to_read(tmp_path: Path) -> None:
    place = tmp_path / "figures"
    written = write([picture("one")], place, internal=True)
    assert [each.name for each in written] == ["INTERNAL-one.svg", "INTERNAL-one.csv"]
    assert {each.stat().st_mode & 0o777 for each in written} == {0o600}
    assert place.stat().st_mode & 0o777 == 0o700
    _, *rows = written[1].read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2
    assert all(NOT_FOR_RELEASE in each for each in rows)


def test_numbers_hold_no_formula(tmp_path: Path) -> None:
    numbers = pd.DataFrame({"=1+1": ["@a", "-1"], "n": [-1.5, 2.0]})
    _, written = write([picture("one", numbers)], tmp_path, internal=False)
    assert written.read_text(encoding="utf-8") == "'=1+1,n\n'@a,-1.5\n-1,2.0\n"


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(OSError, match="taken"):
        write([picture("one")], tmp_path / "taken", internal=False)
