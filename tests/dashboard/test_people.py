"""Who gets which role, by what a sign-in provider vouches for. Whose the rows of a table are:
asked on the Data page, kept, taken back, and followed. Whose records a table holds: asked before
anything is spent, and answered once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, answer_all, say_new
from tests.support import PANEL_PEOPLE as PEOPLE
from tests.support import panel_csv
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Debit
from understudy.mechanisms.registry import opening_plan
from understudy.projects.state import ProjectState, Sizes
from understudy.report.packet_process import find_making
from understudy.report.shelf import list_packets
from understudy.report.verify import verify
from understudy.runs.control import home_ledger, list_runs, wait
from understudy.runs.debit import make_debit
from understudy.samples import census
from understudy.table.people import People
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import dataset_of, find_unsaid
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import (
    apply_decisions,
    confirm_dataset,
    confirm_other_people,
    open_catalogue,
    read_decisions,
    save_decisions,
    take_table,
)
from understudy_dashboard.people import ListedPerson, Nobody, Person, SignIn, recognise
from understudy_dashboard.questions import list_open_questions
from understudy_dashboard.session import Session

NOW = 1_700_000_000.0
HOW = SignIn(
    metadata="https://login.example.org/.well-known/openid-configuration",
    client_id="understudy",
    client_secret="not to be printed",
    cookie_secret="neither is this one",
    address="https://understudy.example.org",
    custodians=ListedPerson(frozenset({"one@example.org"}), frozenset({"custodians"})),
    reviewers=ListedPerson(frozenset({"three@example.org"}), frozenset({"board"})),
)
ONE = {
    "is_logged_in": True,
    "iss": "https://login.example.org",
    "sub": "1",
    "iat": NOW - 60,
    "name": "One",
    "email": "One@Example.org",
    "email_verified": True,
}


def seen(**claims: Any) -> Person | Nobody:
    return recognise({**ONE, **claims}, HOW, NOW)


def role(**claims: Any) -> str | None:
    found = seen(**claims)
    return found.role if isinstance(found, Person) else None


def test_by_address_or_by_group() -> None:
    assert role() == "custodian"
    assert role(email="three@example.org") == "reviewer"
    assert role(email="nobody@example.org") is None
    assert role(email=None, groups=["board", "others"]) == "reviewer"
    assert role(email=None, groups="custodians") == "custodian"


def test_who_is_on_both_lists_is_a_custodian() -> None:
    assert role(groups=["board"]) == "custodian"
    assert role(email="three@example.org", groups=["custodians"]) == "custodian"


def test_an_address_counts_only_where_the_provider_vouches_for_it() -> None:
    for claim in (False, None, "true", 1):
        assert role(email_verified=claim) is None
    trusting = replace(HOW, trust_emails=True)
    assert isinstance(recognise({**ONE, "email_verified": None}, trusting, NOW), Person)


def test_a_sign_in_ends() -> None:
    lasts = HOW.hours * 3600
    assert role(iat=NOW - lasts + 1) == "custodian"
    assert role(iat=NOW - lasts) is None
    assert role(iat=NOW + 299) == "custodian"
    assert role(iat=NOW + 301) is None
    for claim in (None, "now", True):
        assert role(iat=claim) is None


def test_projects_follow_the_subject_and_the_issuer_and_nothing_else() -> None:
    one = seen()
    assert isinstance(one, Person)
    assert one.key == getattr(seen(name="Renamed", groups=["custodians"], email=None), "key", "")
    keys = {getattr(seen(**other), "key", "") for other in ({"sub": "2"}, {"iss": "https://b"})}
    assert len(keys | {one.key}) == 3
    assert "" not in keys


def test_nobody_who_has_not_signed_in() -> None:
    assert seen(is_logged_in=False) == Nobody()
    assert recognise({}, HOW, NOW) == Nobody()


anything = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats()


@given(
    claims=st.dictionaries(
        st.sampled_from([*ONE, "groups", "preferred_username"]),
        anything | st.lists(anything, max_size=3),
    )
)
def test_whatever_a_provider_says_nobody_gets_in_by_it_who_is_not_listed(
    claims: dict[str, Any],
) -> None:
    found = recognise(claims, HOW, NOW)
    if isinstance(found, Person):
        assert claims["is_logged_in"] is True
        address = str(claims.get("email")).strip().lower()
        groups = claims.get("groups")
        named = {groups} if isinstance(groups, str) else {str(each) for each in groups or ()}
        known = {"one@example.org", "three@example.org"}
        assert address in known or named & {"custodians", "board"}


def test_secrets_are_not_printed() -> None:
    for text in (repr(HOW), str(HOW), f"{HOW}"):
        assert "not to be printed" not in text
        assert "neither" not in text


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
    assert (
        panel.data.fitting(panel.settings.schema.column("sex"), panel.settings.schema).counts.sum()
        == 480
    )
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
    panel.bring_back("resp")
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
    (run,) = list_runs(home())
    assert wait(run).state == "finished"
    page = opened("release", declared)
    assert "Each person, however many records they have" in said(page)
    page.text_input(key="packet-title").set_value("Panel of nobody").run()
    page.text_input(key="packet-by").set_value("The data office").run()
    page.button(key="packet-make").click().run()
    assert not page.error
    making = find_making(run, home() / "packets")
    if making is not None:
        wait(making)
    (packet,) = list_packets(home() / "packets")
    assert verify(packet.path).passed
    assert "resp" not in (packet.path / "synthetic.csv").read_text().splitlines()[0]
    (report,) = packet.path.glob("*.html")
    text = report.read_text()
    assert "Each person, however many records they have" in text
    assert "the first 3 are used, in the order of “wave”" in text


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
    home_ledger().debit(Debit(run, found, make_debit(session.settings.planned_run())))


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
    assert find_unsaid(sample) is None
    assert "Whose records" not in said(opened("generate", sample))


def test_what_was_said_holds_for_that_table_and_survives_the_page(
    csv: bytes, schema: Schema
) -> None:
    session = Session()
    raw = read_table(csv, name="tiny.csv")
    take_table(session, LoadedTable("tiny.csv", raw), schema)
    assert find_unsaid(session) is not None
    found = dataset_of(session)
    assert found is not None
    session.new_people = found.table
    assert find_unsaid(session) is None
    save_decisions(session)
    again = Session()
    take_table(again, LoadedTable("renamed.csv", raw))
    assert again.question is not None
    (listed,) = again.question.projects
    other = LoadedTable("other.csv", read_table(csv + b"\n20,cook,low", name="other.csv"))
    session.attach_table(other)
    assert find_unsaid(session) is not None
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
    assert find_unsaid(asked) is None


def test_both_answers_make_a_project(asked: Session) -> None:
    question = asked.question
    assert question is not None
    confirm_dataset(asked, question.alike[0])
    assert asked.belongs_to == "tiny"
    other = Session()
    other.question = question
    with pytest.raises(Refusal) as refused:
        confirm_other_people(other, " ")
    assert refused.value.field == "reason"
    assert len(open_catalogue().list_projects()) == 1
    confirm_other_people(other, "Another clinic.")
    assert find_unsaid(other) is None
    assert len(open_catalogue().list_projects()) == 2


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
