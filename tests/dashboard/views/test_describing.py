"""The Data page with a table open: what is said of its columns, one after another."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.data_page import keyed, open_answered, session_of
from tests.engine.table import toy_kinds
from understudy.table.buckets import ByGroups, ByWidth, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy_dashboard.parts import columns
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_a_changed_field_changes_the_schema_at_once(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "text_input", "age-minimum").input("10").run()
    assert session.settings.schema is not None
    age = session.settings.schema.column("age")
    assert isinstance(age.domain, Grid)
    assert age.domain.minimum == 10
    assert age.buckets == ByWidth(width=Decimal(12))
    assert not session.settings.declared


@pytest.mark.parametrize(
    ("field", "text"),
    [("minimum", "a lot"), ("minimum", "200"), ("step", "0"), ("step", "0.5"), ("maximum", "1e9")],
)
def test_a_field_that_cannot_be_used_is_answered_and_changes_nothing(
    opened: Opened, session: Session, field: str, text: str
) -> None:
    before = session.settings.schema
    page = opened("data", session)
    keyed(page, "text_input", f"age-{field}").input(text).run()
    assert len(page.error) == 1
    assert session.settings.schema == before


def test_categories_are_edited_as_lines(opened: Opened, session: Session) -> None:
    session.column = "pay"
    page = opened("data", session)
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh = A lot\ntop").run()
    assert session.settings.schema is not None
    domain = session.settings.schema.column("pay").domain
    assert domain == Categories(
        values=("low", "mid", "high", "top"), labels=("low", "mid", "A lot", "top")
    )


def test_a_kind_can_be_changed_both_ways(opened: Opened, session: Session) -> None:
    assert session.settings.schema is not None
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("categories").run()
    assert session.settings.schema.column("age").cardinality == 72
    assert not session.settings.schema.column("age").ordered
    keyed(page, "radio", "age-kind").set_value("integers").run()
    domain = session.settings.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert (domain.minimum, domain.maximum) == (18, 89)


def test_a_column_of_numbers_is_made_continuous(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("continuous").run()
    for field, text in (("step", "12"), ("precision", "0.5"), ("unit", " years ")):
        keyed(page, "text_input", f"age-{field}").input(text).run()
    keyed(page, "text_input", "age-maximum").input("90").run()
    assert session.settings.schema is not None
    age = session.settings.schema.column("age")
    assert age.domain == Continuous(minimum=18, maximum=90, precision="0.5", step=12, unit="years")
    assert age.buckets == ByWidth(width=Decimal(12))
    assert session.records().numbers is not None
    assert not page.exception
    keyed(page, "text_input", "age-precision").input("7").run()
    assert len(page.error) == 1
    assert session.settings.schema.column("age") == age


def test_a_kind_that_the_page_never_heard_of_has_its_form(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy_kinds.register(monkeypatch)
    assert session.settings.schema is not None
    hours = Column(
        name="age", domain=toy_kinds.Hours(minimum=Decimal(6), maximum=Decimal(20)), missing=True
    )
    session.describe(session.settings.schema.replace(hours))
    page = opened("data", session)
    assert not page.exception
    assert keyed(page, "radio", "age-kind").value == "hours"
    field = keyed(page, "text_input", "age-maximum")
    assert (field.label, field.value) == ("Last hour", "20:00")
    field.input("22:00").run()
    assert session.settings.schema is not None
    assert session.settings.schema.column("age").domain.texts[-1] == "22:00"
    keyed(page, "text_input", "age-minimum").input("99:00").run()
    assert len(page.error) == 1
    keyed(page, "text_input", "age-minimum").input("06:00").run()
    keyed(page, "radio", "age-kind").set_value("categories").run()
    domain = session.settings.schema.column("age").domain
    assert (domain.kind, domain.texts[0], domain.size) == ("categories", "06:00", 17)
    assert not page.exception


def test_missing_is_allowed_by_a_tick(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "checkbox", "age-missing").check().run()
    assert session.settings.schema is not None
    assert session.settings.schema.column("age").missing
    assert "" in session.settings.schema.column("age").missing_values


def test_values_outside_are_counted_and_decided_on(
    opened: Opened, said: Said, sessions: Callable[..., Session]
) -> None:
    narrow = Schema(
        columns=(
            Column(name="age", domain=Grid(minimum=Decimal(30), maximum=Decimal(60))),
            Column(name="pay", domain=Categories(values=("low", "mid", "high"))),
        )
    )
    session = sessions(schema=narrow)
    page = opened("data", session)
    assert "below its minimum" in said(page)
    policy = next(each for each in page.radio if "become of them" in each.label)
    policy.set_value("clip").run()
    assert session.settings.policies == {"age": "clip"}
    assert len(session.records()) == 900


def test_a_column_is_left_out_and_used_again(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("data", session)
    page.button(key="leave-out").click().run()
    assert session.settings.schema is not None
    assert "job" not in session.settings.schema.names
    columns.take_list_deeds(session, [{"act": "open", "name": "job", "number": 1}])
    page.run()
    page.button(key="back-job").click().run()
    assert "job" in session.settings.schema.names
    assert page.selectbox(key="column").value == "job"


def test_next_and_previous_walk_the_columns(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    page.button(key="next").click().run()
    assert session.column == "job"
    assert page.selectbox(key="column").value == "job"
    page.button(key="previous").click().run()
    page.button(key="previous").click().run()
    assert session.column == "pay"


def test_notes_that_were_looked_through_need_no_attention(
    opened: Opened, sessions: Callable[..., Session], csv: bytes
) -> None:
    page = open_answered(opened("data"), "mine.csv", csv)
    session = session_of(page)
    name = session.column
    # The page begins with what presses most, which is not the first column of the file.
    assert name == session.editing.order[0] == "job"
    assert columns.list_open_notes(session, name)
    page.button(key="checked").click().run()
    assert not columns.list_open_notes(session, name)
    assert not any(each.key == "checked" for each in page.button)


def test_a_column_that_another_settles_is_asked_about_until_the_other_is_left_out(
    opened: Opened, said: Said, csv: bytes
) -> None:
    lines = csv.decode().splitlines()
    in_white = "".join(f"{each},{each.split(',')[1] == 'nurse'}\n" for each in lines[1:])
    page = open_answered(opened("data"), "mine.csv", f"{lines[0]},white\n{in_white}".encode())
    session = session_of(page)
    assert session.editing.order[0] == session.column == "white"
    assert "“job” settles this column" in said(page)
    assert session.data.attention(session.settings.require_schema())["white"] == ("derived", "list")
    session.leave_out("job")
    assert session.data.attention(session.settings.require_schema())["white"] == ("list",)


def test_values_outside_come_first_and_stay_there_while_they_are_mended(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    pay = schema.column("pay")
    narrower = pay.changed(domain=Categories(values=("low", "mid")))
    session = sessions(schema=schema.replace(narrower))
    page = opened("data", session)
    assert session.editing.order[0] == "pay"
    session.column = "pay"
    page.run()
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh").run()
    assert session.data.outside(session.settings.require_schema())["pay"].total == 0
    assert session.editing.order[0] == "pay"


def test_a_category_added_to_grouped_buckets_falls_in_everything_else(
    opened: Opened, said: Said, sessions: Callable[..., Session], schema: Schema
) -> None:
    groups = ByGroups(groups=(Group(label="desk", values=("clerk",)),), rest="others")
    session = sessions(schema=schema.replace(schema.column("job").with_buckets(groups)))
    session.column = "job"
    page = opened("data", session)
    lines = "clerk\ncook\nnurse\nsmith\npilot"
    keyed(page, "text_area", "job-values").input(lines).run()
    assert session.settings.schema is not None
    job = session.settings.schema.column("job")
    assert job.buckets == groups
    assert job.bucket_labels[job.bucket_map[4]] == "others"
    assert "no longer fitted" not in said(page)
