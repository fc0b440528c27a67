"""Columns that may hold positions, by their names."""

from __future__ import annotations

from understudy.table.positions.likely import Likely, likely


def test_names_of_phones_and_files_are_known() -> None:
    assert likely(("User ID", "Timestamp", "Lat", "Lng", "accuracy")) == Likely(
        "User ID", "Timestamp", "Lat", "Lng", ""
    )
    assert likely(("folder", "file", "track", "time", "latitude", "longitude")).person == "folder"
    assert likely(("uid", "datetime", "venue_id")).place == "venue_id"


def test_positions_need_who_when_and_where() -> None:
    assert likely(("person", "time", "lat", "lon")).found
    assert likely(("person", "time", "venue")).found
    assert not likely(("person", "time", "lat")).found
    assert not likely(("person", "lat", "lon")).found
    assert not likely(("time", "lat", "lon")).found


def test_a_table_of_traces_is_none_of_positions() -> None:
    assert not likely(("person", "moment", "day", "slot", "place")).found
    assert not likely(("AGEP", "COW", "SCHL", "MAR")).found
