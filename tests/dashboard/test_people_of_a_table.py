"""Whose the rows of a table are: asked on the Data page, kept, taken back, and followed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.left_behind import agree
from tests.dashboard.spoken_for import answer_all
from tests.panel import PEOPLE, panel_csv
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import opening_plan
from understudy.projects.state import ProjectState, Sizes
from understudy.report.making import making_of
from understudy.report.shelf import packets
from understudy.report.verify import verify
from understudy.runs.control import runs, wait
from understudy.table.people import People
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import apply_decisions, read_decisions
from understudy_dashboard.questions import list_open_questions
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def panel() -> Session:
    """The panel, open, with what is suggested."""
    session = Session()
    session.open(LoadedTable("panel.csv", read_table(panel_csv(), name="panel.csv")))
    return session


@pytest.fixture
def declared(panel: Session) -> Session:
    """The same, where the custodian said whose the rows are and confirmed it."""
    panel.say_whose(PEOPLE)
    assert panel.settings.schema is not None
    panel.describe(panel.settings.schema.declare_public())
    answer_all(panel, 10_000)
    return panel


def keyed(page: AppTest, kind: str, key: str) -> object:
    return next(each for each in getattr(page, kind) if str(each.key).startswith(key))


def answer(page: AppTest, said: str) -> AppTest:
    keyed(page, "radio", "people-several").set_value(said).run()  # type: ignore[attr-defined]
    return page


def test_a_likely_person_is_asked_about_and_the_answer_is_kept(
    opened: Opened, said: Said, panel: Session
) -> None:
    page = opened("data", panel)
    assert not page.exception
    assert "Values of column “resp” stand in several rows each" in said(page)
    assert keyed(page, "radio", "people-several").value is None  # type: ignore[attr-defined]
    answer(page, "Yes, several")
    assert keyed(page, "selectbox", "people-person").value == "resp"  # type: ignore[attr-defined]
    assert keyed(page, "selectbox", "people-order").value == "wave"  # type: ignore[attr-defined]
    assert panel.settings.schema is not None
    assert panel.settings.schema.people is None
    keyed(page, "number_input", "people-most").set_value(3).run()  # type: ignore[attr-defined]
    assert "600 rows of 200 people. **120 rows** (20" in said(page)
    assert not page.exception
    assert panel.settings.schema is not None
    assert panel.settings.schema.people == PEOPLE
    assert "resp" not in panel.settings.schema.names
    assert panel.left_out["resp"][1] == "It says whose a record is."
    assert panel.data.fitting(panel.settings.schema.column("sex"), PEOPLE).counts.sum() == 480
    assert len(panel.records()) == 480


def test_half_an_answer_keeps_all_that_comes_after_waiting(
    opened: Opened, said: Said, panel: Session
) -> None:
    """“Yes, several” is no answer yet, and no button makes one of it that may be overlooked."""
    answer_all(panel)
    page = answer(opened("data", panel), "Yes, several")
    assert not page.exception
    assert "how many rows of one person are kept at most" in said(page)
    assert not [each for each in page.button if str(each.key).startswith("confirm")]
    for step in ("buckets", "privacy", "generate"):
        page.switch_page(f"views/{step}.py").run()
        assert not page.exception
        assert "Still to be said: how many rows of one person" in said(page)
        assert not page.main.button
    page.switch_page("views/data.py").run()
    keyed(page, "number_input", "people-most").set_value(3).run()  # type: ignore[attr-defined]
    assert [each for each in page.button if str(each.key).startswith("confirm")]
    assert "Still to be said" not in said(page)
    # An emptied box is no answer either, and what was kept by it is not used meanwhile.
    keyed(page, "number_input", "people-most").set_value(None).run()  # type: ignore[attr-defined]
    assert not [each for each in page.button if str(each.key).startswith("confirm")]


def test_it_is_undone_and_done_again(opened: Opened, panel: Session) -> None:
    answer_all(panel)
    page = opened("data", panel)
    before = panel.settings.schema
    answer(page, "Yes, several")
    keyed(page, "number_input", "people-most").set_value(3).run()  # type: ignore[attr-defined]
    after = panel.settings.schema
    assert after != before
    assert panel.editing.history.undoing == "whose the rows are"
    page.button(key="undo").click().run()
    assert panel.settings.schema == before
    assert panel.answers.several is False
    page.button(key="redo").click().run()
    assert panel.settings.schema == after
    assert panel.answers.says(after.people)  # type: ignore[union-attr]


def test_no_takes_it_back_and_the_column_can_be_used_again(
    opened: Opened, declared: Session
) -> None:
    page = opened("data", declared)
    answer(page, "No, one row at most")
    assert not page.exception
    assert declared.settings.schema is not None
    assert declared.settings.schema.people is None
    assert not declared.settings.declared
    declared.bring_back("resp")
    assert declared.settings.schema is not None
    assert "resp" in declared.settings.schema.names


def test_the_column_of_the_person_is_used_for_nothing_else(declared: Session) -> None:
    declared.bring_back("resp")
    assert declared.settings.schema is not None
    assert "resp" not in declared.settings.schema.names


@pytest.mark.parametrize(("order", "told"), [("sex", "have no order"), ("resp", "another column")])
def test_what_cannot_be_is_refused_beside_its_question(
    opened: Opened, panel: Session, order: str, told: str
) -> None:
    page = opened("data", panel)
    answer(page, "Yes, several")
    keyed(page, "number_input", "people-most").set_value(3).run()  # type: ignore[attr-defined]
    keyed(page, "selectbox", "people-order").set_value(order).run()  # type: ignore[attr-defined]
    assert len(page.error) == 1
    assert told in page.error[0].value
    assert not page.exception
    assert list_open_questions(panel)[0].state == "half"


def test_too_few_columns_would_remain(panel: Session) -> None:
    panel.leave_out("wave", "job", "age")
    before = panel.settings.schema
    with pytest.raises(Refusal, match="column"):
        panel.say_whose(PEOPLE)
    assert panel.settings.schema == before
    assert "resp" not in panel.left_out


def test_it_is_kept_in_the_project(declared: Session) -> None:
    other = Session()
    apply_decisions(other, ProjectState.read(read_decisions(declared).model_dump(mode="json")))
    assert other.settings.schema is not None
    assert other.settings.schema.people == PEOPLE
    assert other.settings.plan().records_per_person == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["seedbased", "scored", "pmse", "imputation"])
def test_how_many_records_a_person_has_follows_and_is_not_asked(
    opened: Opened, said: Said, declared: Session, kind: str
) -> None:
    declared.settings.method = kind
    page = opened("privacy", declared)
    assert not page.exception
    assert declared.settings.plan().records_per_person == 3  # type: ignore[attr-defined]
    assert not [each for each in page.number_input if "per_person" in str(each.key)]
    assert "One person counts with 3 rows at most" in said(page)


def test_a_plan_of_other_numbers_follows_when_it_is_loaded(declared: Session) -> None:
    assert declared.settings.schema is not None
    loaded = opening_plan("pmse", declared.settings.schema, {"records_per_person": 5})
    declared.settings.adopt(loaded)
    assert declared.settings.plan().records_per_person == 3  # type: ignore[attr-defined]
    fewer = loaded.model_copy(update={"records_per_person": 1})
    with pytest.raises(Refusal, match="3 records of a person"):
        declared.settings.adopt(fewer)


def test_more_of_a_person_raise_what_the_meter_says(declared: Session) -> None:
    declared.settings.method = "pmse"
    declared.settings.chosen.pop("pmse", None)
    declared.settings.sizes = Sizes()
    three = declared.settings.planned_run().guarantee.total.epsilon
    declared.say_whose(People(person="resp", order="wave", records_at_most=1))
    one = declared.settings.planned_run().guarantee
    assert three == pytest.approx(3 * one.total.epsilon)
    assert one.total == one.record


def test_from_the_page_to_a_packet_whose_guarantee_is_for_a_person(
    opened: Opened, said: Said, declared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    page = agree(opened("generate", declared))
    page.button(key="generate").click().run()
    assert not page.exception
    (run,) = runs(home())
    assert wait(run).state == "finished"
    page = opened("release", declared)
    assert "Each person, however many records they have" in said(page)
    page.text_input(key="packet-title").set_value("Panel of nobody").run()
    page.text_input(key="packet-by").set_value("The data office").run()
    page.button(key="packet-make").click().run()
    assert not page.error
    making = making_of(run, home() / "packets")
    if making is not None:
        wait(making)
    (packet,) = packets(home() / "packets")
    assert verify(packet.path).passed
    assert "resp" not in (packet.path / "synthetic.csv").read_text().splitlines()[0]
    (report,) = packet.path.glob("*.html")
    text = report.read_text()
    assert "Each person, however many records they have" in text
    assert "the first 3 are used, in the order of “wave”" in text
