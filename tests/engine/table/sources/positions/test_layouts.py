"""Published files whose columns have no names."""

from __future__ import annotations

from pathlib import Path

from understudy.table.positions.area import Area
from understudy.table.positions.positions import Positions
from understudy.table.sources.csv.neighbouring import records_of
from understudy.table.sources.positions.layouts import LAYOUTS, read_layout
from understudy.table.sources.positions.reading import read_positions

# Made up, in the layout of the check-ins of New York.
LINES = (
    "470\t49bb\t4bf5\tCaf\xe9\t40.719810\t-74.002581\t-240\tTue Apr 03 18:00:09 +0000 2012\n"
    "979\t4a43\t4bf5\tBridge\t40.606800\t-74.044170\t-240\tWed Apr 04 03:30:25 +0000 2012\n"
)


def test_the_check_ins_of_a_city_go_through_with_the_first_line_and_odd_letters(
    tmp_path: Path,
) -> None:
    path = tmp_path / "check-ins.txt"
    path.write_bytes(LINES.encode("latin-1"))
    layout = LAYOUTS["foursquare"]
    raw = read_layout(path, layout)
    assert raw.rows == 2
    assert "Caf\xe9" in raw.distinct("category_name")[0]
    area = Area(south=40.5, north=40.9, west=-74.3, east=-73.7, rows=2, columns=2)
    how = Positions(area=area, zone="America/New_York", **layout.told_by)
    # By the clocks of New York both are on a Tuesday: at two, and before midnight.
    assert records_of(read_positions(raw, how).raw) == [
        ("470", "114", "1", "42", "r2c1"),
        ("979", "142", "1", "70", "r1c1"),
    ]
