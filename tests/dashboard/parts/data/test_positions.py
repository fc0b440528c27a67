"""Positions of people on the Data page: asked about, made into the table, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, keyed, say_new, session_of, upload
from understudy.mechanisms.registry import plan_run
from understudy.projects import table_copy
from understudy.table.authoring.column_origins import set_origin
from understudy.table.sources.positions.reading import described_schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import enter_project, save_decisions, take_table
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

BOUNDS = {"south": 48.0, "north": 48.4, "west": 16.0, "east": 16.5}


def positions_csv(where: str = "lat,lon", swapped: bool = False) -> bytes:
    """Two days of forty people who do not exist, in and around a city."""
    lines = [f"user,timestamp,{where}"]
    for person in range(40):
        for day in (6, 7):
            for hour, step in ((1, 0.0), (9, 0.1), (18, 0.0)):
                north = 48.05 + 0.004 * person + step
                east = 16.05 + 0.009 * person + step / 2
                place = f"{east:.4f},{north:.4f}" if swapped else f"{north:.4f},{east:.4f}"
                lines.append(f"p{person},2024-05-{day:02d}T{hour:02d}:{person:02d}:00Z,{place}")
    return "\n".join(lines).encode()


def table(data: bytes, name: str = "positions.csv") -> LoadedTable:
    def again(reading: Any) -> Any:
        return read_table(data, reading, name=name)

    return LoadedTable(name, read_table(data, name=name), again=again)


@pytest.fixture
def phones() -> Session:
    """The positions, open in a project of their own."""
    session = Session()
    take_table(session, table(positions_csv()))
    return session


def say_yes(page: AppTest) -> AppTest:
    radio = next(each for each in page.radio if str(each.key).startswith("positions-are"))
    return radio.set_value("Yes, where people were and when").run()


def field(page: AppTest, kind: str, name: str) -> Any:
    return next(
        each for each in getattr(page, kind) if str(each.key).startswith(f"positions-{name}-")
    )


def fill(page: AppTest, **bounds: float) -> AppTest:
    for name, value in {**BOUNDS, **bounds}.items():
        field(page, "number_input", name).set_value(value)
    field(page, "selectbox", "zone").set_value("Europe/Vienna")
    return page.run()


def make(page: AppTest) -> AppTest:
    return page.button(key="positions-make").click().run()


def test_positions_are_known_by_the_names_of_columns_and_asked_about(
    opened: Opened, said: Said, phones: Session, session: Session
) -> None:
    page = opened("data", phones)
    assert not page.exception
    assert "“user”, “timestamp”, “lat”, “lon”" in said(page)
    assert "Are these positions of people?" not in said(opened("data", session))


def test_nothing_after_the_question_is_there_before_it_is_answered(
    opened: Opened, said: Said, phones: Session
) -> None:
    answer_all(phones)
    phones.answers = phones.answers.model_copy(update={"positions": None})
    page = opened("data", phones)
    assert "Still to be said: whether these are positions of people" in said(page)
    assert "What each column may contain" not in said(page)
    no = next(each for each in page.radio if str(each.key).startswith("positions-are"))
    no.set_value(next(each for each in no.options if each.startswith("No"))).run()
    assert "What each column may contain" in said(page)


def test_what_becomes_of_them_is_shown_before_anything_is_changed(
    opened: Opened, said: Said, phones: Session
) -> None:
    page = opened("data", phones)
    assert "Does one person have several rows?" in said(page)
    page = say_yes(page)
    assert "Does one person have several rows?" not in said(page)
    assert "Enter all four edges" in said(page)
    page = fill(page)
    assert not page.exception
    assert not page.error
    assert "240 positions of 40 people became" in said(page)
    assert "With 396 cells you need about 3,960 people" in said(page)


def test_the_table_of_days_is_read_by_declaration(opened: Opened, phones: Session) -> None:
    page = say_yes(opened("data", phones))
    field(page, "radio", "cells").set_value("So many each way").run()
    field(page, "number_input", "rows").set_value(4)
    field(page, "number_input", "columns").set_value(5)
    page = make(fill(page))
    assert not page.exception
    assert not page.error
    schema = phones.settings.schema
    assert schema is not None
    assert schema.reading is not None
    assert schema.reading.positions is not None
    assert schema.reading.positions.zone == "Europe/Vienna"
    frame = described_schema(schema.reading.positions).with_reading(schema.reading)
    assert schema == set_origin(frame, "design", frame.names)
    assert not schema.declared
    assert "sizes-rows" in {each.key for each in page.number_input}
    say_new(phones)
    page.run()
    keyed(page, "checkbox", schema.fingerprint).check().run()
    page.button(key="confirm-data").click().run()
    assert not page.exception
    assert phones.settings.declared
    records = phones.records()
    assert records.whose is not None
    assert len(set(records.whose.tolist())) == 40
    phones.settings.method = "traces"
    plan: Any = phones.settings.plan()
    assert (plan.rows, plan.columns) == (4, 5)
    assert plan.north_km == pytest.approx(11.12, abs=0.01)
    assert plan_run(plan, phones.settings.schema).guarantee.total.bounded  # type: ignore[arg-type]


def made(session: Session, opened: Opened) -> AppTest:
    return make(fill(say_yes(opened("data", session))))


def test_the_project_knows_its_positions_again(opened: Opened, phones: Session) -> None:
    made(phones, opened)
    save_decisions(phones)
    assert phones.project is not None
    before = phones.settings.schema
    later = Session()
    enter_project(later, phones.project)
    assert later.settings.schema == before
    page = upload(opened("data", later), "positions.csv", positions_csv())
    assert not page.exception
    assert not page.error
    again = session_of(page)
    assert again.question is None
    assert again.settings.schema == before
    assert again.data.table is not None
    assert again.data.table.raw.names == ("person", "moment", "day", "slot", "place")


def test_a_copy_that_was_kept_is_of_the_days(opened: Opened, phones: Session) -> None:
    made(phones, opened)
    save_decisions(phones)
    assert phones.project is not None
    assert phones.data.table is not None
    table_copy.keep_table(phones.project, phones.data.table.raw, phones.data.table.name)
    later = Session()
    enter_project(later, phones.project)
    assert later.data.table is not None
    assert later.data.table.raw.reading == phones.data.table.raw.reading
    assert len(later.records()) == len(phones.records())
    page = opened("data", later)
    assert not page.exception
    assert not [each for each in page.button if each.key == "positions-back"]


def test_they_are_made_otherwise_from_the_same_file(opened: Opened, phones: Session) -> None:
    page = made(phones, opened)
    page.button(key="positions-back").click().run()
    assert not page.exception
    assert phones.data.table is not None
    assert phones.data.table.raw.names == ("user", "timestamp", "lat", "lon")
    field(page, "number_input", "gap").set_value(3).run()
    assert field(page, "number_input", "south").value == 48.0
    make(page)
    assert phones.data.table.raw.reading.positions is not None
    assert phones.data.table.raw.reading.positions.gap_hours == 3


def test_swapped_degrees_are_said_beside_the_columns(opened: Opened, said: Said) -> None:
    session = Session()
    take_table(session, table(positions_csv(swapped=True)))
    page = fill(say_yes(opened("data", session)))
    (error,) = page.error
    assert "swapped" in error.value
    field(page, "selectbox", "latitude").set_value("lon")
    field(page, "selectbox", "longitude").set_value("lat").run()
    assert not page.error
    assert "240 positions" in said(page)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({"south": 49.0}, "The south of the area is not below"),
        ({"south": -20.0, "north": -19.0}, "Hardly any position lies in the area"),
    ],
)
def test_a_map_that_cannot_be_is_refused_in_words(
    opened: Opened, phones: Session, bounds: dict[str, float], told: str
) -> None:
    page = fill(say_yes(opened("data", phones)), **bounds)
    (error,) = page.error
    assert told in error.value
    assert not [each for each in page.button if each.key == "positions-make"]


def test_places_of_a_public_list(opened: Opened, said: Said) -> None:
    lines = ["user,timestamp,venue"]
    lines += [f"p{n},2024-05-06T{n:02d}:00:00Z,v{n % 2}" for n in range(20)]
    session = Session()
    take_table(session, table("\n".join(lines).encode()))
    page = fill(say_yes(opened("data", session)))
    assert not [each for each in page.button if each.key == "positions-make"]
    listed = b"code,latitude,longitude\nv0,48.1,16.1\nv1,48.2,16.2\n"
    page = upload(page, "places.csv", listed, label="list of places")
    assert not page.error
    assert "20 positions of 20 people" in said(page)
    make(page)
    assert session.data.table is not None
    assert session.data.table.raw.rows == 20
    assert len(set(session.data.table.raw.distinct("place")[1].tolist())) == 2


def test_cells_that_are_too_many_are_refused_with_a_width_that_is_taken(
    opened: Opened, said: Said, phones: Session
) -> None:
    page = fill(say_yes(opened("data", phones)))
    field(page, "number_input", "km").set_value(0.5).run()
    (error,) = page.error
    assert "Choose cells of 1.3 km or more" in error.value
    field(page, "number_input", "km").set_value(1.3).run()
    assert not page.error
    field(page, "radio", "cells").set_value("As small as the number of people allows").run()
    field(page, "number_input", "people").set_value(1000).run()
    assert "With 99 cells" in said(page)
