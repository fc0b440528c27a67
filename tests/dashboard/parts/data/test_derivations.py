"""Derived columns on the Data page: one click, a form, what the table holds, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, session_of
from understudy.table.rules.rule import Rule
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import take_table
from understudy_dashboard.parts import columns
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def bills_csv() -> bytes:
    """Stays of 300 people who do not exist; in two the total is wrong."""
    lines = ["kind,drugs,bed,total,admitted,discharged"]
    for person in range(300):
        drugs, bed = 7 * (person % 41) + 0.25, 30 * (person % 57)
        start = date(2024, 1, 5) + timedelta(days=person % 300)
        total = 1 if person in (3, 4) else drugs + bed
        end = start + timedelta(days=person % 5)
        lines.append(f"{'abc'[person % 3]},{drugs:.2f},{bed},{total:.2f},{start},{end}")
    return "\n".join(lines).encode()


@pytest.fixture
def bills() -> Session:
    """The table, open in a project of its own, with everything answered."""
    session = Session()
    take_table(session, LoadedTable("bills.csv", read_table(bills_csv(), name="bills.csv")))
    answer_all(session)
    return session


def test_rules_on_a_derived_column_follow_it_or_are_said_to_leave(
    opened: Opened, said: Said, bills: Session
) -> None:
    texts = (
        "total == drugs + bed",
        "total >= 0 & bed <= 1700",
        "total <= 1500",
        "is.na(total) == FALSE",
    )
    schema = bills.settings.require_schema()
    total = schema.column("total").changed(missing=True)
    rules = [Rule(text=text, origin="design") for text in texts]
    bills.describe(schema.replace(total).with_rules(rules))
    page = opened("data", bills)
    assert "“total == drugs + bed” is always true then, and is taken out" in said(page)
    assert "“total <= 1500” will stand on the columns that it is derived from" in said(page)
    assert "“is.na(total) == FALSE” leaves with it" in said(page)
    page.button(key="derive-list-total").click().run()
    assert not page.exception
    kept = session_of(page).settings.require_schema().rules
    assert [rule.text for rule in kept] == ["(drugs + bed) <= 1500"]
    assert kept[0].origin == "design"
    assert "1 rule went with “total”, which is derived now: “is.na(total) == FALSE”" in said(page)
    assert "“(drugs + bed) <= 1500”" in said(page)


def test_a_suggestion_is_followed_by_one_click_and_taken_back(
    opened: Opened, said: Said, bills: Session
) -> None:
    page = opened("data", bills)
    assert not page.exception
    assert "**total**: “drugs” + “bed”" in said(page)
    page.button(key="derive-list-total").click().run()
    assert not page.exception
    schema = session_of(page).settings.require_schema()
    assert "total" not in schema.names
    assert schema.header == ("kind", "drugs", "bed", "total", "admitted", "discharged")
    assert "**2** of 300 rows of the table hold something else" in said(page)
    rows = {row["name"]: row for row in columns._list_derived(session_of(page))}
    assert rows["total"]["says"] == "Derived: “drugs” + “bed”"
    assert session_of(page).editing.history.undoing == "total derived"
    page.button(key="underive-list-total").click().run()
    schema = session_of(page).settings.require_schema()
    assert "total" in schema.names
    assert not schema.derived


def test_a_new_column_is_derived_in_the_form(opened: Opened, said: Said, bills: Session) -> None:
    page = opened("data", bills)
    turn = session_of(page).revision
    page.button(key="derivation-keep").click().run()
    assert "The new column has no name." in said(page)
    page.text_input(key=f"derivation-new-{turn}").input("nights").run()
    page.selectbox(key=f"derivation-kind-{turn}").set_value("duration").run()
    page.selectbox(key=f"derivation-start-duration-{turn}").set_value("admitted").run()
    page.button(key="derivation-keep").click().run()
    assert "“To” is blank." in said(page)
    page.selectbox(key=f"derivation-end-duration-{turn}").set_value("discharged").run()
    page.button(key="derivation-keep").click().run()
    assert not page.exception
    assert "**nights**: days from “admitted” to “discharged”" in said(page)
    turn = session_of(page).revision
    page.text_input(key=f"derivation-new-{turn}").input("long").run()
    page.selectbox(key=f"derivation-kind-{turn}").set_value("formula").run()
    page.text_input(key=f"derivation-formula-{turn}").input("bands(nights, c(2, 4))").run()
    page.button(key="derivation-keep").click().run()
    schema = session_of(page).settings.require_schema()
    assert schema.header[-2:] == ("nights", "long")
    page.button(key="underive-list-nights").click().run()
    assert "“long” is derived from “nights”" in said(page)
    assert session_of(page).settings.require_schema().derived == schema.derived


def test_a_derived_column_is_looked_at_from_the_list(
    opened: Opened, said: Said, bills: Session
) -> None:
    page = opened("data", bills)
    page.button(key="derive-list-total").click().run()
    session = session_of(page)
    deed = {"act": "open", "name": "total", "number": session.editing.turn + 1}
    columns.take_list_deeds(session, [deed])
    page.run()
    assert not page.exception
    assert page.button(key="underive-aside-total")
    page.button(key="undo").click().run()
    assert not page.exception
    assert "total" in session_of(page).settings.require_schema().names
