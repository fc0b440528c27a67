"""Where columns are known from, on the page: in groups, at the column, by name, and half said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, keyed, say_sources, session_of, upload
from tests.dashboard.conftest import tiny_session
from understudy.table.column import Column
from understudy.table.people import People
from understudy.table.schema import MOST_COLUMNS
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts import columns, file_reading
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def suggested(text: str = "") -> Session:
    """A page with a table of a few questions whose columns are suggested from it."""
    head = "who,q1,q2,q3,town,age\n"
    rows = "".join(
        f"{90001 + at * 7},{1 + at % 5},{1 + at % 5},{1 + at % 5},{'abc'[at % 3]},{20 + at % 60}\n"
        for at in range(300)
    )
    session = Session()
    session.open(LoadedTable("t.csv", read_table((text or head + rows).encode(), name="t.csv")))
    answer_all(session)
    return session


def lines(page: AppTest) -> dict[str, Any]:
    """The fields of the groups, by what a screen reader calls them."""
    return {each.label: each for each in page.text_input if str(each.key).startswith("line-")}


def column_of(session: Session, name: str) -> Column:
    return session.settings.require_schema().column(name)


def agree(page: AppTest) -> AppTest:
    fingerprint = session_of(page).settings.require_schema().fingerprint
    keyed(page, "checkbox", fingerprint).check().run()
    return page


def test_a_half_given_answer_blocks_and_is_not_dropped(opened: Opened, said: Said) -> None:
    session = suggested()
    page = opened("data", session)
    assert "4 of 5 columns have no source yet." in said(page)
    assert "Bounds that everybody knows by what a column is called: age" in said(page)
    assert [*lines(page)] == [
        "Where 3 columns with the same list of 5 values are known from",
        "Where 1 column of categories is known from",
    ]
    agree(page)
    lines(page)["Where 3 columns with the same list of 5 values are known from"].input(
        "the form of 2024, questions 1 to 3"
    ).run()
    assert "1 of 5 columns has no source yet." in said(page)
    assert "Waits for the source of 1 column." in said(page)
    assert page.button(key="confirm-data").disabled
    again = opened("data", session)
    assert next(iter(lines(again).values())).value == "the form of 2024, questions 1 to 3"
    assert again.button(key="undo").help == "Take back: 3 columns: where it is known from"
    agree(again)
    keyed(again, "button", "town-1").click().run()
    assert column_of(session, "town").source == "the form of 2024, questions 1 to 3"
    assert not again.button(key="confirm-data").disabled
    again.button(key="confirm-data").click().run()
    assert session.settings.declared
    assert "- The form of 2024, questions 1 to 3: q1, q2, q3, town" in said(again)


def test_an_emptied_line_is_open_again(opened: Opened) -> None:
    session = suggested()
    page = say_sources(opened("data", session))
    assert not page.button(key="confirm-data").disabled or agree(page)
    next(iter(lines(page).values())).input(" ").run()
    assert [column_of(session, name).origin for name in ("q1", "town")] == ["", "custodian"]
    assert page.button(key="confirm-data").disabled


def test_what_was_read_off_the_table_is_confirmed_by_name(opened: Opened, said: Said) -> None:
    session = suggested()
    page = opened("data", session)
    names = next(each for each in page.multiselect if str(each.key).startswith("by-name-data"))
    assert names.options == ["q1", "q2", "q3", "town"]
    names.select("town").run()
    keyed(page, "button", "-4").click().run()
    assert column_of(session, "town").origin == "table"
    assert "3 of 5 columns have no source yet." in said(page)
    assert "Read off the table, and confirmed by name." in said(page)
    next(each for each in page.button if str(each.key).startswith("take-back")).click().run()
    assert column_of(session, "town").origin == ""


def test_the_field_says_that_it_was_read_off_the_table(opened: Opened, said: Said) -> None:
    session = suggested()
    session.column = "town"
    page = opened("data", session)
    assert "READ OFF YOUR TABLE" in said(page)
    keyed(page, "text_area", "town-values").input("a\nb\nc\nd").run()
    assert "READ OFF YOUR TABLE" not in said(page)
    assert "NO SOURCE YET" in said(page)
    keyed(page, "text_input", "-town").input("the register of towns").run()
    assert column_of(session, "town").known_from == "the register of towns"
    assert "NO SOURCE YET" not in said(page)
    session.column = "age"
    page = opened("data", session)
    assert "USUAL BOUNDS" in said(page)
    keyed(page, "text_input", "age-maximum").input("101").run()
    assert column_of(session, "age").origin == ""


def test_a_group_splits_where_one_column_has_another_source(opened: Opened) -> None:
    session = suggested()
    session.column = "q2"
    page = opened("data", session)
    keyed(page, "text_input", "-q2").input("a law").run()
    assert [each.value for each in lines(page).values()] == ["", "a law", ""]
    assert "Where 2 columns with the same list of 5 values are known from" in lines(page)


def test_a_column_without_a_source_is_found_in_the_list(opened: Opened) -> None:
    session = suggested()
    opened("data", session)
    schema = session.settings.require_schema()
    rows = [columns._row_of(session, each) for each in schema.columns]
    rows += columns._list_left_out(session)
    filters = dict(columns._list_filters(rows))
    assert filters["unsourced"] == "No source yet"
    assert columns._count_shown(rows, "unsourced") == 4
    assert columns._count_shown(rows, "identifier") == 1
    declared = tiny_session()
    rows = [columns._row_of(declared, each) for each in declared.settings.require_schema().columns]
    assert columns._count_shown(rows, "unsourced") == 3


def test_the_kind_of_reason_is_said_on_the_page(opened: Opened, said: Said) -> None:
    session = suggested()
    columns.take_list_deeds(session, [{"act": "open", "name": "who", "number": 1}])
    page = opened("data", session)
    page.selectbox(key="why-who").select("name").run()
    why = {each.name: each.why for each in session.settings.require_schema().omissions}
    assert why["who"] == "name"
    assert "You say: names of people." in said(page)
    assert page.button(key="undo").help == "Take back: why columns are left out"
    columns.take_list_deeds(session, [{"act": "pick", "names": ["who", "q1"], "number": 2}])
    page.run()
    page.selectbox(key="bulk-what").select("Why they are left out").run()
    page.selectbox(key="bulk-why").select("contact").run()
    page.button(key="bulk-apply").click().run()
    assert "1 column changed." in said(page)
    assert session.settings.require_schema().omissions[0].why == "contact"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("born", ["02/03/1951", "04/05/1960", "11/12/1970"]),
        ("paid", ["1,007", "2,114", "3,250"]),
    ],
)
def test_what_can_be_read_in_two_ways_is_asked_at_the_column_and_holds_the_confirmation(
    opened: Opened, said: Said, name: str, values: list[str]
) -> None:
    rows = "".join(f"{values[at % 3]};{'xyz'[at % 3]}\n" for at in range(90))
    session = suggested(f"{name};kind\n{rows}")
    session.column = name
    page = say_sources(opened("data", session))
    agree(page)
    assert f"Waits for how values are written in {name}." in said(page)
    assert not [each for each in page.radio if each.label == "What should become of them?"]
    assert columns._row_of(session, column_of(session, name))["mark"] == "written how?"
    choice = next(each for each in page.radio if str(each.key).startswith("spelling-choice"))
    choice.set_value(column_of(session, name).domain.choices[0]).run()
    assert not column_of(session, name).domain.question
    # Its bounds were read off the table once more.
    assert column_of(session, name).origin == ""
    agree(say_sources(page))
    assert not page.button(key="confirm-data").disabled


def test_a_header_of_too_many_columns_is_said_before_the_table_is_read(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def read(*_: object, **__: object) -> None:
        told.append("read")

    monkeypatch.setattr(file_reading.st, "info", lambda text, **_: told.append(text))
    monkeypatch.setattr(file_reading, "read_table", read)
    head = ",".join(f"q{at}" for at in range(MOST_COLUMNS + 1))
    upload(opened("data"), "wide.csv", head.encode() + b"\n")
    assert told[0].startswith(f"The header names {MOST_COLUMNS + 1} columns. At most 255")
    assert told[1] == "read"


def test_no_other_reason_is_given_for_the_column_that_says_whose_a_record_is(
    opened: Opened,
) -> None:
    session = suggested()
    session.say_whose(People(person="who", order="age", records_at_most=1))
    columns.take_list_deeds(session, [{"act": "open", "name": "who", "number": 1}])
    page = opened("data", session)
    assert "why-who" not in {each.key for each in page.selectbox}
    assert [each["role"] for each in columns._list_left_out(session)] == ["whose"]
