"""Files of tracks: GPX and PLT, one or many, and those that mean harm. The last point of every
five minutes.
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.positions.area import Area
from understudy.table.positions.positions import Positions
from understudy.table.sources import many_files, source
from understudy.table.sources.csv.neighbour_files import records_of
from understudy.table.sources.isolation import read_isolated_folder
from understudy.table.sources.positions.reading import read_positions
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import open_source
from understudy.table.sources.tracks.tracks_file import Point, read_tracks, thin_points

GPX = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="made up" xmlns="http://www.topografix.com/GPX/1/1">
 <metadata><name>not a track</name><time>2001-01-01T00:00:00Z</time></metadata>
 <wpt lat="1" lon="1"><name>a place</name><time>2001-01-01T00:00:00Z</time></wpt>
 <trk><name>ann &amp; co</name><trkseg>
  <trkpt lat="0.5" lon="10.5"><ele>3</ele><time>2024-05-01T08:00:00Z</time></trkpt>
  <trkpt lat="0.6" lon="10.6"><time>2024-05-01T08:01:00Z</time></trkpt>
 </trkseg><trkseg>
  <trkpt lat="1.5" lon="12.5"><time>2024-05-01T09:00:00.250Z</time></trkpt>
 </trkseg></trk>
 <trk><trkseg><trkpt lat="1.5" lon="12.5"/></trkseg></trk>
</gpx>
"""
PLT = (
    "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n"
    "0,2,255,My Track,0,0,2,8421376\n0\n"
    "39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04\n"
    "39.984683,116.318450,0,492,39744.1202546296,2008-10-23,02:53:10\n"
    "39.984686,116.318417,0,492,39744.1203125000,2008-10-23,03:01:15\n"
)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    '<gpx><trk><name>&b;</name><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>'
)
OUTSIDE = (
    '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<gpx><trk><name>&x;</name></trk></gpx>'
)  # fmt: skip


def tracks(data: bytes | str, name: str) -> list[tuple[str, ...]]:
    content = data.encode() if isinstance(data, str) else data
    return records_of(read_tracks(open_source(content, name, 1 << 30)))


def packed(files: dict[str, str]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return sink.getvalue()


def test_a_gpx_file_has_a_row_for_each_point_of_a_track_and_nothing_else() -> None:
    assert tracks(GPX, "walk.gpx") == [
        (".", "walk.gpx", "ann & co", "2024-05-01T08:01:00Z", "0.6", "10.6"),
        (".", "walk.gpx", "ann & co", "2024-05-01T09:00:00.250Z", "1.5", "12.5"),
        (".", "walk.gpx", "walk.gpx 2", "", "1.5", "12.5"),
    ]


def test_a_plt_file_is_one_track_in_utc() -> None:
    assert tracks(PLT, "x.plt") == [
        (".", "x.plt", "x.plt 1", "2008-10-23T02:53:10Z", "39.984683", "116.318450"),
        (".", "x.plt", "x.plt 1", "2008-10-23T03:01:15Z", "39.984686", "116.318417"),
    ]
    assert tracks(PLT + "39.9,116.3\n", "x.plt")[-1][3].startswith("\0")


def test_a_published_archive_goes_through_with_people_by_folder() -> None:
    """The layout of GeoLife: Data/000/Trajectory/….plt, and files that are no tracks."""
    data = packed({
        "Geo/Data/001/Trajectory/b.plt": PLT.replace("2008-10-23", "2008-10-24"),
        "Geo/Data/000/Trajectory/a.plt": PLT,
        "Geo/Data/000/labels.txt": "Start Time\tEnd Time\tTransportation Mode\n",
        "Geo/User Guide.pdf": "%PDF-",
    })  # fmt: skip
    raw = read_table(data, name="geo.zip")
    area = Area(south=39, north=41, west=115, east=117, rows=2, columns=2)
    found = read_positions(raw, Positions(area=area, person="folder", zone="Asia/Shanghai"))
    # Both in Beijing about eleven in the morning, on a Thursday and on a Friday.
    assert records_of(found.raw) == [
        ("Geo/Data/000", "248", "3", "32", "r1c2"),
        ("Geo/Data/001", "320", "4", "32", "r1c2"),
    ]
    again = read_table(data, found.raw.reading, name="geo.zip")
    assert records_of(again) == records_of(found.raw)


def test_a_folder_reads_as_its_archive(tmp_path: Path) -> None:
    files = {"ann/walk.gpx": GPX, "bob/x.plt": PLT, "bob/notes.txt": "none"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "link.gpx").symlink_to(tmp_path / "ann" / "walk.gpx")
    found = records_of(read_isolated_folder(tmp_path))
    assert found == tracks(packed(files), "all.zip")
    assert {row[0] for row in found} == {"ann", "bob"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "declares a document type"),
        (OUTSIDE, "declares a document type"),
        ("<gpx><trk>", "damaged, or is not XML"),
        ("no xml", "damaged, or is not XML"),
        ("<kml></kml>", "another kind than GPX"),
        ("<gpx><trk/></gpx>", "no track with a point"),
        ("<gpx><trk><name>&undeclared;</name></trk></gpx>", "damaged"),
    ],
)
def test_what_is_no_gpx_or_means_harm_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        tracks(text, "walk.gpx")


def test_what_is_refused_in_another_process_is_refused_here() -> None:
    with pytest.raises(Refusal, match="document type"):
        read_table(LAUGHS.encode(), name="walk.gpx")


def test_a_file_of_an_archive_is_spoken_of_by_number_as_its_name_may_be_a_persons() -> None:
    data = packed({"ann.gpx": GPX, "bob.gpx": LAUGHS})
    with pytest.raises(Refusal, match=r"File 2 in all\.zip") as refused:
        tracks(data, "all.zip")
    assert "bob" not in str(refused.value)


def test_an_archive_that_unpacks_to_far_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "SMALL", 1 << 16)
    data = packed({"a.gpx": GPX + " " * (1 << 20)})
    with pytest.raises(Refusal, match="unpacks to more than"):
        tracks(data, "all.zip")


def test_archives_that_cannot_be_read_or_hold_no_tracks_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = packed({"a.gpx": GPX})
    with pytest.raises(Refusal, match="damaged, cut short"):
        tracks(whole[:-30], "all.zip")
    with pytest.raises(Refusal, match="no track with a point"):
        tracks(packed({"a.md": "person,time\n"}), "all.zip")
    monkeypatch.setattr(many_files, "MOST_FILES", 0)
    with pytest.raises(Refusal, match="more files"):
        tracks(whole, "all.zip")


def test_an_archive_of_tables_is_to_be_unpacked() -> None:
    tables = {"2023/people of ann.csv": "a,b\n1,2\n", "b.CSV": "a,b\n1,2\n", "c.xlsx": "", "d": ""}
    with pytest.raises(Refusal) as refused:
        tracks(packed(tables), "all.zip")
    assert "2 .csv files and 1 .xlsx file and no track" in refused.value.problem
    assert refused.value.remedy == "Unpack it, and choose the file of the table."
    assert "ann" not in str(refused.value)
    assert tracks(packed({"a.csv": "a,b\n", "b.gpx": GPX}), "all.zip")


def test_tracks_are_told_by_their_ending() -> None:
    assert open_source(GPX.encode(), "walk.gpx", 1 << 20).kind == "tracks"
    assert open_source(packed({"a.gpx": GPX}), "all.zip", 1 << 20).kind == "tracks"
    assert open_source(packed({"a.gpx": GPX}), "all.xlsx", 1 << 20).kind == "excel"
    for name in ("walk.zip", "all.gpx"):
        data = GPX.encode() if name == "walk.zip" else packed({"a.gpx": GPX})
        with pytest.raises(Refusal, match="is not a file of tracks"):
            _ = open_source(data, name, 1 << 20).kind


START = datetime(2024, 5, 1, 23, 50)


def point(seconds: float, track: str = "1", at: str = "1") -> Point:
    moment = START + timedelta(seconds=seconds)
    return Point(moment.isoformat() + "Z", at, at, track)


SECONDS = st.sampled_from([0.0, 299.999, 300.0, 301.5, 359.0, 599.5, 600.0, 899.0, 900.0, 901.0])
MOMENTS = SECONDS | st.floats(0, 3600).map(lambda each: round(each, 3))


@given(st.lists(st.tuples(MOMENTS, st.sampled_from("ab"))))
def test_of_every_five_minutes_of_a_track_the_last_point_is_read(
    said: list[tuple[float, str]],
) -> None:
    points = [point(seconds, track, str(at)) for at, (seconds, track) in enumerate(said)]
    last: dict[object, tuple[float, int]] = {}
    for at, (seconds, track) in enumerate(said):
        key = track, int(seconds // 300)
        last[key] = max(last.get(key, (-1.0, -1)), (seconds, at))
    expected = {points[at] for _, at in last.values()}
    found = list(thin_points(points))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_what_has_no_time_in_utc_is_read_whole() -> None:
    points = [
        Point(time, "1", "1", "1")
        for time in ("", "", "2024-05-01T08:00:00", "2024-05-01T08:00:01", "2024-05-01T08:00Z")
    ]
    assert list(thin_points(points)) == points
