"""Whose records a table holds: asked before anything is spent, and answered once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import say_new
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Debit
from understudy.runs.control import home_ledger
from understudy.runs.debit import debit_of
from understudy.samples import census
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import (
    find_people_of,
    list_others,
    open_catalogue,
    save_decisions,
    take_table,
)
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of, list_unsaid

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def unspoken(session: Session) -> Session:
    """The tiny table, of which nobody said whose records it holds."""
    session.new_people, session.apart_because = None, ""
    return session


@pytest.fixture
def later(csv: bytes, schema: Schema, session: Session) -> Session:
    """A later export of a table that was spent on, under another name."""
    spend(session, "run-1")
    opened = Session()
    content = csv + b"\n30,cook,low\n31,cook,low"
    opened.open(LoadedTable("later.csv", read_table(content, name="later.csv")), schema)
    opened.settings.sizes = session.settings.sizes
    plan_choice(opened).use(plan_choice(session).draft)
    return opened


def spend(session: Session, run: str) -> None:
    found = dataset_of(session)
    assert found is not None
    home_ledger().debit(Debit(run, found, debit_of(session.settings.planned_run())))


def offered(page: AppTest) -> bool:
    return any(each.key == "generate" for each in page.button)


def test_it_is_asked_once_before_anything_is_spent(
    opened: Opened, said: Said, unspoken: Session
) -> None:
    page = opened("generate", unspoken)
    assert "Still to be said: whose records these are." in said(page)
    assert not offered(page)
    with pytest.raises(Refusal) as refused:
        spend(unspoken, "run-1")
    assert refused.value.field == "people"
    page.switch_page("views/data.py").run()
    page.radio(key="whose").set_value("new").run()
    assert page.radio(key="whose").value == "new"
    page.switch_page("views/generate.py").run()
    assert offered(page)
    spend(unspoken, "run-1")
    assert '"people":"new"' in home_ledger().export()


def test_a_table_that_looks_alike_is_shown_how_much_and_what_was_spent(
    opened: Opened, said: Said, later: Session
) -> None:
    assert not offered(opened("generate", later))
    page = opened("data", later)
    text = said(page)
    assert "of its different rows** were in a table of **tiny**" in text
    assert "was spent on it. Are they the same people?" in text
    assert any(each.value == "INTERNAL" for each in page.get("badge")) or "INTERNAL" in text
    tiny = page.radio(key="whose").options.index("They are people of “tiny”, or some of them are")
    page.radio(key="whose").set_value(page.radio(key="whose").options[tiny]).run()
    assert later.belongs_to == "tiny"
    assert offered(opened("generate", later))
    spend(later, "run-2")
    (balance,) = home_ledger().book().balances
    assert balance.runs == 2


def test_others_that_look_alike_take_a_reason(opened: Opened, said: Said, later: Session) -> None:
    page = opened("data", later)
    page.radio(key="whose").set_value("new").run()
    assert "Still to be said: how you know that nobody in this table" in said(page)
    assert not offered(opened("generate", later))
    page.text_input(key="whose-reason").set_value("  ").run()
    assert not offered(opened("generate", later))
    page.text_input(key="whose-reason").set_value("Another  clinic.").run()
    assert offered(opened("generate", later))
    spend(later, "run-2")
    assert [each.runs for each in home_ledger().book().balances] == [1, 1]
    assert "Another clinic." in home_ledger().export()


def test_a_lost_sketch_is_said(opened: Opened, said: Said, later: Session) -> None:
    for each in home_ledger().path.with_suffix(".sketches").iterdir():
        each.unlink()
    assert "is missing from the ledger’s folder" in said(opened("data", later))


def test_the_sample_needs_no_word(opened: Opened, said: Said, later: Session) -> None:
    sample = Session()
    raw = read_table(census.TABLE)
    sample.open(
        LoadedTable("the sample census", raw, sample=True), census.schema().declare_public()
    )
    assert list_unsaid(sample) is None
    assert "Whose records" not in said(opened("generate", sample))


def test_what_was_said_holds_for_that_table_and_survives_the_page(
    csv: bytes, schema: Schema
) -> None:
    session = Session()
    raw = read_table(csv, name="tiny.csv")
    take_table(session, LoadedTable("tiny.csv", raw), schema)
    assert list_unsaid(session) is not None
    found = dataset_of(session)
    assert found is not None
    session.new_people = found.table
    assert list_unsaid(session) is None
    save_decisions(session)
    again = Session()
    take_table(again, LoadedTable("renamed.csv", raw))
    assert again.question is not None
    (listed,) = again.question.projects
    other = LoadedTable("other.csv", read_table(csv + b"\n20,cook,low", name="other.csv"))
    session.attach_table(other)
    assert list_unsaid(session) is not None
    assert listed.project == session.project


@pytest.fixture
def asked(later: Session) -> Session:
    """The later export, opened without a project."""
    fresh = Session()
    assert later.data.table is not None
    assert take_table(fresh, later.data.table) == "asked"
    assert fresh.question is not None
    assert [each.dataset.name for each in fresh.question.alike] == ["tiny"]
    assert fresh.data.table is None
    return fresh


def test_a_table_that_looks_alike_is_asked_about_where_it_is_opened(
    opened: Opened, said: Said, asked: Session
) -> None:
    page = opened("data", asked)
    assert "looks like a table that was spent on already" in said(page)
    assert "of its different rows** were in a table of **tiny**" in said(page)
    page.button(key="recognise-others").click().run()
    assert "No reason is given" in page.error[0].value
    (same,) = [each for each in page.button if str(each.key).startswith("recognise-people-")]
    same.click().run()
    assert not page.exception
    assert (asked.belongs_to, asked.question) == ("tiny", None)
    assert list_unsaid(asked) is None


def test_both_answers_make_a_project(asked: Session) -> None:
    question = asked.question
    assert question is not None
    find_people_of(asked, question.alike[0])
    assert asked.belongs_to == "tiny"
    other = Session()
    other.question = question
    with pytest.raises(Refusal) as refused:
        list_others(other, " ")
    assert refused.value.field == "reason"
    assert len(open_catalogue().listed()) == 1
    list_others(other, "Another clinic.")
    assert list_unsaid(other) is None
    assert len(open_catalogue().listed()) == 2


def test_a_name_is_shown_letter_by_letter_where_it_is_chosen(
    opened: Opened, csv: bytes, schema: Schema, session: Session, later: Session
) -> None:
    rows = b"".join(b"\n%d,nurse,high" % age for age in range(18, 90))
    apart = Session()
    apart.open(LoadedTable("$5$.csv", read_table(b"age,job,pay" + rows, name="apart.csv")), schema)
    plan_choice(apart).use(plan_choice(session).draft)
    say_new(apart)
    spend(apart, "run-2")
    later.belongs_to = "$5$"
    options = opened("data", later).radio(key="whose").options
    assert any(r"“\$5\$”" in each for each in options)
