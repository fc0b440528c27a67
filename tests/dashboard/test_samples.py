"""The simulated tables that anybody can begin with, each in a project of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from understudy_dashboard import loaded_table
from understudy_dashboard.loaded_table import CENSUS, CITY, HOSPITAL, STAYS, Sample, find_sample
from understudy_dashboard.open_project import enter_project
from understudy_dashboard.parts.table_sources import open_sample
from understudy_dashboard.session import Session


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A city of a few people."""
    for each in (loaded_table._read_city, loaded_table._read_stays):
        each.cache_clear()
    monkeypatch.setattr(loaded_table, "CITY_PEOPLE", 5)
    monkeypatch.setattr(loaded_table, "DISCHARGES", 40)
    yield
    for each in (loaded_table._read_city, loaded_table._read_stays):
        each.cache_clear()


def test_each_sample_has_a_project_of_its_own_and_is_found_there_again() -> None:
    session = Session()
    open_sample(session)
    census = session.project
    open_sample(session, CITY)
    city = session.project
    assert census is not None
    assert city is not None
    assert census.identity != city.identity
    assert (census.about().called, city.about().called) == ("sample census", "simulated city")
    assert session.settings.schema is not None
    assert session.settings.schema.people is not None
    assert session.data.simulated
    open_sample(session, CENSUS)
    assert session.project == census
    enter_project(session, city)
    assert session.data.table is not None
    assert session.data.table.name == "the simulated city"
    assert session.settings.schema.names == CITY.schema().names


def test_discharges_are_opened_with_their_declared_schema() -> None:
    session = Session()
    open_sample(session, STAYS)
    assert session.data.table is not None
    assert session.data.table.raw.rows == 40
    assert session.settings.schema is not None
    assert session.settings.schema.names == STAYS.schema().names
    assert session.settings.schema.declared
    assert session.data.simulated


@pytest.mark.parametrize("sample", [CENSUS, HOSPITAL])
def test_samples_open_with_rules_that_the_default_method_keeps(sample: Sample) -> None:
    session = Session()
    open_sample(session, sample)
    schema = session.settings.require_schema()
    assert len(schema.rules) == 3
    assert schema.declared
    assert any("band" in each.name.casefold() for each in schema.derived)
    assert any(column.levels for column in schema.columns)
    assumed = session.settings.planned_run().guarantee.scope.assumes
    assert any(each.startswith("The 3 rules that every released row keeps") for each in assumed)
    assert find_sample(sample.called) is sample


def test_the_hospital_offers_to_keep_the_length_of_stay_in_ranges_of_days(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    session = Session()
    open_sample(session, HOSPITAL)
    page = opened("data", session)
    assert "*discharged_at* as days after *admitted_at*" in said(page)
    assert "in these ranges: 0; 1; 2 to 3; 4 to 7; 8 to 15" in said(page)
    page.button(key="rule-0-follow").click().run()
    assert not page.exception
    assert "is modelled as days after *admitted_at*, in these ranges: 0; 1; 2 to 3" in said(page)


def test_how_many_people_a_sample_has_is_said_to_be_public_and_nothing_else(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    session = Session()
    open_sample(session, STAYS)
    text = said(opened("data", session))
    assert "40 records, 42 columns. Nobody in it exists, so how many there are is public." in text
    assert "is confidential too" not in text


def test_how_many_rows_are_made_of_a_sample_is_said_on_data(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    """The Privacy page sends there for it."""
    session = Session()
    open_sample(session, STAYS)
    page = opened("data", session)
    assert "its number of records is public" in said(page)
    page.number_input(key="sizes-rows").set_value(77).run()
    page.number_input(key="sizes-records").set_value(None).run()
    assert not page.exception
    assert session.settings.sizes.rows == 77
    assert "Still to be said" not in said(page)
    assert "Say on Data how many records there are" in said(opened("privacy", session))


def test_no_records_are_asked_for_where_the_method_counts_people(
    opened: Callable[..., AppTest],
) -> None:
    session = Session()
    open_sample(session, CITY)
    assert "sizes-rows" in {each.key for each in opened("data", session).number_input}
    session.settings.method = "traces"
    assert "sizes-rows" not in {each.key for each in opened("data", session).number_input}


def test_made_traces_are_suggested_for_the_city(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    session = Session()
    open_sample(session, CITY)
    assert "Choose “Made traces” on the Privacy page" in CITY.ready
    page = opened("privacy", session)
    assert "Suggested for these columns: **Made traces**" in said(page)
    assert not any("Its calibrated model is the closest" in each.value for each in page.caption)
    page.button(key="use-suggested").click().run()
    assert session.settings.method == "traces"


@pytest.mark.parametrize("kind", ["traces", "plausible-traces"])
def test_a_method_that_counts_people_begins_with_those_of_the_sample(kind: str) -> None:
    """Nobody in it exists, so that Data knows how many there are, and all may."""
    session = Session()
    open_sample(session, CITY)
    session.settings.method = kind
    held = session.settings.of_method().held  # type: ignore[attr-defined]
    assert held.public_people == loaded_table.CITY_PEOPLE


def test_a_sample_is_found_by_what_projects_call_it() -> None:
    assert find_sample("simulated city") is CITY
    assert find_sample("simulated discharges") is STAYS
    assert find_sample("sample census") is CENSUS
    assert find_sample("") is CENSUS
