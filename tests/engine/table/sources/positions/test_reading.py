"""Positions into rows, and what cannot be read. Published files whose columns have no names.
Points in time, as files of positions write them. A public list of places, from a file.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.encoding import encode
from understudy.table.positions.area import Area
from understudy.table.positions.places import Places
from understudy.table.positions.positions import Positions
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbour_files import records_of
from understudy.table.sources.positions.layouts import LAYOUTS, read_layout
from understudy.table.sources.positions.place_list import place_list
from understudy.table.sources.positions.position_table import write_table
from understudy.table.sources.positions.reading import (
    MICROSECONDS_A_DAY,
    ReadTraces,
    described_schema,
    local,
    moment_of,
    read_positions,
)
from understudy.table.sources.reading import read_table

AREA = Area(south=0, north=2, west=10, east=13, rows=2, columns=3)
HEADER = "person,time,latitude,longitude\n"
PLACES = Places(codes=("a", "b"), latitude=(0.5, 1.5), longitude=(10.5, 12.5))


def raw_of(lines: tuple[str, ...], header: str = HEADER) -> RawTable:
    return read_table((header + "\n".join((*lines, ""))).encode(), name="positions.csv")


def table(*lines: str, **settings: Any) -> ReadTraces:
    return read_positions(raw_of(lines), Positions(**{"area": AREA, **settings}))


def column(found: ReadTraces, name: str) -> list[str]:
    texts, places = found.raw.distinct(name)
    return [texts[place] for place in places.tolist()]


def test_a_row_is_written_where_somebody_comes_to_a_cell() -> None:
    found = table(
        "ann,2024-05-01T00:05:00Z,0.5,10.5",
        "ann,2024-05-01T00:45:00Z,0.6,10.6",
        "ann,2024-05-01T08:10:00Z,1.5,12.5",
        "ann,2024-05-02T07:00:00Z,1.5,12.5",
        "bob,2024-05-05T23:59:59Z,0.5,11.5",
    )
    # The 1st of May 2024 is a Wednesday, the 5th a Sunday.
    assert found.raw.names == ("person", "moment", "day", "slot", "place")
    assert records_of(found.raw) == [
        ("ann", "144", "2", "0", "r1c1"),
        ("ann", "168", "2", "24", "r2c3"),
        ("ann", "237", "3", "21", "r2c3"),
        ("bob", "503", "6", "71", "r1c2"),
    ]
    counted = found.counted
    assert (counted.positions, counted.people, counted.rows) == (5, 2, 4)
    assert (counted.outside, counted.late, counted.single, counted.faulty) == (0, 0, 1, 0)


def test_of_a_slot_the_latest_position_holds_in_whatever_order_the_file_is() -> None:
    found = table(
        "ann,2024-05-01T08:19:00Z,1.5,12.5",
        "ann,2024-05-01T08:01:00Z,0.5,10.5",
        "ann,2024-05-01T08:20:30Z,1.5,11.5",
        "ann,2024-05-01T08:20:10Z,0.5,10.5",
    )
    assert column(found, "place") == ["r2c3", "r2c2"]
    assert column(found, "slot") == ["24", "25"]
    assert found.counted.unordered == 2
    assert any("put in order" in each for each in found.raw.notes)


def test_at_one_moment_the_position_that_stands_last_holds() -> None:
    found = table(
        "ann,2024-05-01T08:00:00Z,1.5,12.5",
        "ann,2024-05-01T08:00:00Z,0.5,10.5",
        "bob,2024-05-01T08:00:00Z,1.5,12.5",
        "bob,2024-05-01T08:00:00Z,1.5,12.5",
    )
    assert column(found, "place") == ["r1c1", "r2c3"]
    assert found.counted.contrary == 1


def test_hours_are_those_of_the_zone() -> None:
    line = "ann,2024-05-01T23:30:00Z,0.5,10.5"
    assert column(table(line), "day") == ["2"]
    there = table(line, zone="Europe/Vienna")
    assert (column(there, "day"), column(there, "slot")) == (["3"], ["4"])


def test_times_without_a_zone_are_by_the_clocks_of_the_declared_one_and_that_is_said() -> None:
    found = table("ann,2024-05-01 23:30:00,0.5,10.5", zone="Europe/Vienna")
    assert (column(found, "day"), column(found, "slot")) == (["2"], ["70"])
    assert found.counted.zoneless == 1
    assert any("clocks of Europe/Vienna" in each for each in found.raw.notes)


def test_who_is_off_the_map_is_outside() -> None:
    found = table(
        "ann,2024-05-01T08:00:00Z,0.5,14", "ann,2024-05-01T09:00:00Z,-1,11",
        "bob,2024-05-01T09:00:00Z,1,11",
    )  # fmt: skip
    assert column(found, "place") == ["outside", "r2c2"]
    assert found.counted.outside == 2
    assert any("most of them" in each for each in found.raw.notes)


def test_days_beyond_those_that_are_kept_are_left_out_person_by_person() -> None:
    found = table(
        "ann,2024-05-01T08:00:00Z,0.5,10.5",
        "ann,2024-05-08T08:00:00Z,1.5,10.5",
        "bob,2024-05-08T08:00:00Z,1.5,10.5",
        days=7,
    )
    assert column(found, "person") == ["ann", "bob"]
    assert column(found, "day") == ["2", "2"]
    assert (found.counted.late, found.counted.shortened) == (1, 1)
    assert any("After the first 7 days, which are kept, come 1 position of 1 person" in each
               for each in found.raw.notes)  # fmt: skip


def test_after_too_long_a_gap_somebody_counts_as_outside() -> None:
    lines = ("ann,2024-05-01T08:00:00Z,0.5,10.5", "ann,2024-05-01T14:00:00Z,0.5,10.5",
             "ann,2024-05-02T09:00:00Z,0.5,10.5")  # fmt: skip
    assert column(table(*lines), "slot") == ["24", "27"]
    found = table(*lines, gap_hours=6)
    # Six hours are no more than six; the evening of the first day is longer, and of the second.
    assert column(found, "slot") == ["24", "60", "27", "45"]
    assert column(found, "place") == ["r1c1", "outside"] * 2
    found = table(*lines, gap_hours=5)
    assert column(found, "slot") == ["24", "39", "42", "57", "27", "42"]
    assert found.counted.gaps == 3


def test_places_are_looked_up_in_the_list() -> None:
    raw = raw_of(("ann,2024-05-01T08:00:00Z,b", "ann,2024-05-01T09:00:00Z, a"),
                 "person,time,venue\n")  # fmt: skip
    how = Positions(area=AREA, place="venue", places=PLACES)
    assert column(read_positions(raw, how), "place") == ["r2c3", "r1c1"]


def test_places_that_are_not_listed_are_refused_by_number_or_left_out() -> None:
    raw = raw_of(("ann,2024-05-01T08:00:00Z,b", "ann,2024-05-01T09:00:00Z,secret"),
                 "person,time,venue\n")  # fmt: skip
    how = Positions(area=AREA, place="venue", places=PLACES)
    with pytest.raises(Refusal, match="1 position name a place that is not in the list") as refused:
        read_positions(raw, how)
    assert "secret" not in str(refused.value)
    assert refused.value.field == "place"
    left = read_positions(raw, Positions(**{**how.model_dump(), "faulty": "leave-out"}))
    assert column(left, "place") == ["r2c3"]
    assert left.counted.faulty == 1
    assert not any("secret" in each for each in left.raw.notes)


@pytest.mark.parametrize(
    ("lines", "field", "said", "remedy"),
    [
        (("ann,2024-05-01T08:00:00Z,120.5,11",), "latitude", "off the earth", "swapped"),
        (("ann,2024-05-01T08:00:00Z,1,181",), "longitude", "off the earth", "Correct"),
        (("ann,2024-05-01T08:00:00Z,north,11",), "latitude", "no number of degrees", "Correct"),
        (("ann,yesterday,1,11",), "time", "no time", "Correct"),
        (("ann,2024-05-01T08:00:00Z,1,11", "ann,2024-05-01T09:00:00,1,11"), "time",
         "1 times name no time zone", "Give all of them one"),
        ((" ,2024-05-01T08:00:00Z,1,11",), "person", "do not say whose", "Correct"),
        (("ann,2024-05-01T08:00:00Z,11,1", "ann,2024-05-01T08:30:00Z,12,1.5"), "latitude",
         "change places", "“longitude” as the column of the latitude"),
        (("ann,2024-05-01T08:00:00Z,47,18",), "south", "Hardly any", "bounds"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be_read_are_refused_without_telling_them(
    lines: tuple[str, ...], field: str, said: str, remedy: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        table(*lines)
    assert refused.value.field == field
    assert remedy in refused.value.remedy
    whole = refused.value.problem + refused.value.remedy
    told = ("ann", "120.5", "181", "yesterday", "T08:00", "47")
    assert not any(value in whole for value in told)


def test_faulty_positions_are_left_out_where_that_is_declared_and_counted() -> None:
    found = table(
        "ann,2024-05-01T08:00:00Z,1,11",
        "ann,2024-05-01T09:00:00Z,400.1,11",
        "ann,then,1,11",
        "ann,2024-05-01T09:00:00Z,,11",
        " ,2024-05-01T09:00:00Z,1,11",
        faulty="leave-out",
    )
    assert records_of(found.raw) == [("ann", "168", "2", "24", "r2c2")]
    assert found.counted.faulty == 4
    assert any("4 positions could not be used" in each for each in found.raw.notes)
    with pytest.raises(Refusal, match="No position"):
        table("ann,then,1,11", faulty="leave-out")


def test_a_column_that_is_not_there_is_named() -> None:
    raw = read_table(b"person,time,lat,lon\na,2024-05-01,1,11\n", name="positions.csv")
    with pytest.raises(Refusal, match="latitude"):
        read_positions(raw, Positions(area=AREA))


def test_the_schema_of_the_rows_is_one_of_traces() -> None:
    from understudy.mechanisms.registry import plan_run
    from understudy.mechanisms.traces.plan import TracesPlan

    schema = described_schema(Positions(area=AREA))
    plan = TracesPlan(domain=schema.fingerprint, **{**AREA.settings(), "zones": 2})
    assert plan_run(plan, schema).guarantee.total.bounded


def test_a_schema_can_say_that_positions_become_the_table() -> None:
    text = (HEADER + "ann,2024-05-01T08:00:00Z,0.5,10.5\n").encode()
    raw = read_table(text, name="positions.csv")
    how = Positions(area=AREA, zone="Europe/Vienna", gap_hours=3)
    schema = described_schema(how).with_reading(raw.reading.changed(positions=how))
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint
    made = read_table(text, again.reading, name="positions.csv")
    assert made.reading == again.reading
    assert encode(made, again).codes.tolist() == [[2, 30, 0], [2, 39, 6]]
    other = how.model_dump() | {"zone": "UTC"}
    assert schema.with_reading(raw.reading.changed(positions=other)).fingerprint != (
        schema.fingerprint
    )


def test_a_file_of_another_kind_becomes_the_same_rows_by_the_same_schema(tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    text = HEADER + "ann,2024-05-01T08:00:00Z,0.5,10.5\nann,2024-05-01T09:00:00Z,1.5,10.5\n"
    (tmp_path / "p.csv").write_text(text)
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(tmp_path / "p.csv"), tmp_path / "p.parquet")
    how = Positions(area=AREA)
    reading = read_table(tmp_path / "p.csv").reading.changed(positions=how)
    found = [read_table(tmp_path / name, reading) for name in ("p.csv", "p.parquet")]
    assert records_of(found[0]) == records_of(found[1])
    schema = described_schema(how).with_reading(reading)
    coded = [encode(each, schema).codes.tolist() for each in found]
    assert coded[0] == coded[1]


def test_rows_that_are_made_of_positions_are_always_of_people() -> None:
    how = Positions(area=AREA)
    reading = raw_of(("ann,2024-05-01T08:00:00Z,0.5,10.5",)).reading.changed(positions=how)
    with pytest.raises(Refusal, match="whose they are"):
        described_schema(how).with_reading(reading).with_people(None)
    with pytest.raises(Refusal, match="whose they are"):
        described_schema(how).with_people(None).with_reading(reading)


def test_the_file_of_the_rows_numbers_people(tmp_path: Path) -> None:
    found = table("zoe,2024-05-01T08:00:00Z,0.5,10.5", "ann,2024-05-01T08:00:00Z,0.5,11.5")
    write_table(found.raw, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().replace('"', "").splitlines() == [
        "person,moment,day,slot,place",
        "1,168,2,24,r1c1",
        "2,168,2,24,r1c2",
    ]


START = datetime(2024, 5, 1)
FIXES = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(0, 12 * 24 * 60).map(lambda each: START + timedelta(minutes=each)),
        st.sampled_from([0.5, 1.5, 3.0]),
        st.sampled_from([10.5, 11.5, 12.5]),
    ),
    max_size=40,
)
KEPT = st.fixed_dictionaries({
    "days": st.integers(1, 14),
    "gap_hours": st.none() | st.integers(1, 24),
    "zone": st.sampled_from(["UTC", "Asia/Kathmandu"]),
})  # fmt: skip

# So that the area is never refused, which looks at all positions.
KNOWN = ("z", START, 0.5, 10.5)


def by_hand(fixes: list[tuple[Any, ...]], how: Positions) -> list[tuple[str, int, str]]:
    """The rows of one person, slot after slot: person, moment and place."""
    ahead = timedelta(minutes=345 if how.zone == "Asia/Kathmandu" else 0)
    local = sorted(((time + ahead, at, here) for at, (_, time, *here) in enumerate(fixes)))
    monday = local[0][0].date() - timedelta(days=local[0][0].weekday())
    slots: dict[int, dict[int, str]] = defaultdict(dict)
    for time, _, (north, east) in local:
        day = (time.date() - monday).days
        cell = "outside" if north > 2 else f"r{int(north) + 1}c{int(east) - 9}"
        if day < how.days:
            slots[day][(time.hour * 60 + time.minute) // 20] = cell
    rows = []
    for day in sorted(slots):
        here, heard = "", 0
        for slot in range(72):
            before = here
            if slot in slots[day]:
                here, heard = slots[day][slot], slot
            elif here and how.gap_hours is not None and slot - heard == 3 * how.gap_hours:
                here = "outside"
            if here != before:
                rows.append((fixes[0][0], day * 72 + slot, here))
    return rows


@given(FIXES, KEPT)
def test_what_becomes_of_a_persons_positions_hangs_on_those_alone(
    fixes: list[tuple[Any, ...]], settings: dict[str, Any]
) -> None:
    """All rows are those that a plain reading of each person alone gives."""
    how = Positions(area=AREA, **settings)
    written = [KNOWN, *fixes]
    found = table(*(f"{who},{time:%Y-%m-%dT%H:%M:%SZ},{north},{east}"
                    for who, time, north, east in written), **settings)  # fmt: skip
    alone: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for fix in written:
        alone[fix[0]].append(fix)
    expected = [row for each in alone.values() for row in by_hand(each, how)]
    assert [(row[0], int(row[1]), row[4]) for row in records_of(found.raw)] == expected
    assert found.counted.positions == len(written)


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


OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda each: timezone(timedelta(minutes=each)))


@given(st.datetimes(datetime(1902, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS))
def test_messages_of_networks_say_the_same_as_iso_8601(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert moment_of(f"{whole:%a %b %d %H:%M:%S %z %Y}") == whole
    assert moment_of(moment.isoformat()) == moment


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "12:30", "Tue Foo 03 18:00:09 +0000 2012", "Tue Apr 31 18:00:09 +0000 2012",
     "2012-13-01", "0001-01-01T00:00:00", "9999-12-31T23:59:59Z", "1333476009",
     "Tue Apr 03 18:00:09 +9900 2012"],
)  # fmt: skip
def test_what_is_no_moment_is_none(text: str) -> None:
    assert moment_of(text) is None


def test_a_moment_is_counted_from_a_monday_by_the_clocks_of_the_zone() -> None:
    vienna = ZoneInfo("Europe/Vienna")
    for moment in (datetime(2024, 5, 1, 22, 30, tzinfo=UTC), datetime(2024, 5, 2, 0, 30)):
        day, within = divmod(local(moment, vienna), MICROSECONDS_A_DAY)
        assert day % 7 == 3  # A Thursday.
        assert within == 30 * 60 * 10**6


def test_its_columns_are_told_by_their_names() -> None:
    found = place_list(b"name,venue,lat,lon\nMuseum, v1,48.2,16.4\nPark,v2,48.3,16.5\n", "p.csv")
    assert found.codes == ("v1", "v2")
    assert found.latitude == (48.2, 48.3)
    assert found.longitude == (16.4, 16.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"code,lat,height\na,1,2\n", "no column called “longitude”"),
        (b"code,lat,lon\na,1,x\nb,1,2\n", "1 have no number"),
        (b"code,lat,lon\na,1,2\na,1,3\n", "1 have the code of another"),
        (b"code,lat,lon\na,100,2\nb,1,3\n", "1 lie off the earth"),
    ],
)
def test_what_is_no_list_is_refused(text: bytes, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        place_list(text, "places.csv")
