"""The planner on the Privacy page: questions, answers, ways out, and taking a plan over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import words
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.planning import SAMPLE, Offer, Wish
from dashboard.opened import Table
from dashboard.session import Session
from engine.mechanisms.seedbased.promise import promise
from engine.models.omega import Omega
from engine.table.sources.reading import read_table
from sample_data import census

NBSP = "\N{NO-BREAK SPACE}"
Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def session(session: Session) -> Session:
    """The tiny table, said to be part of a large one."""
    own(session).planned.wish = Wish(purpose="alike", count=500, seeds_at_least=50_000)
    return session


@pytest.fixture
def whole(session: Session) -> Session:
    """The same, for a whole table."""
    own(session).planned.wish = Wish(records_at_least=200_000)
    return session


def metric(page: AppTest, label: str) -> str:
    return str(next(each.value for each in page.metric if each.label == label))


def ask(page: AppTest, name: str, value: float) -> AppTest:
    page.number_input(key=f"wish-{name}").set_value(value).run()
    assert not page.exception
    return page


def test_the_planner_is_what_the_page_opens_with(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    text = said(page)
    assert not page.exception
    assert "What is the synthetic table for?" in text
    assert "500 attempts use up a total of ε = 1" in text
    assert "The published rule k = 2t would take" in text
    assert "publicly known to have at least" in text
    assert "any number of rows comes out for one total of ε = 1" in text


def test_it_answers_each_question_as_it_changes(opened: Opened, session: Session) -> None:
    page = opened("privacy", session)
    ks = [metric(page, "k")]
    for name, value in (
        ("epsilon", 2.0),
        ("delta", 1e-8),
        ("count", 900),
        ("seeds_at_least", 9000),
    ):
        ask(page, name, value)
        ks.append(metric(page, "k"))
    assert len(set(ks)) == len(ks)
    ask(page, "records_per_person", 2)
    assert metric(page, "k") not in ks


def test_using_a_plan_fills_every_setting(opened: Opened, said: Said, session: Session) -> None:
    page = ask(opened("privacy", session), "epsilon", 0.7)
    found = metric(page, "k")
    assert f"{own(session).draft.k:,}" != found
    page.button(key="use-seedbased").click().run()
    plan = session.plan()
    assert f"{plan.test.k:,}" == found
    assert plan.test.kind == "relative-sensitivity"
    assert plan.omega == Omega(low=2, high=2)
    assert (plan.attempts, plan.delta, plan.seeds_at_least) == (500, 1e-9, 50_000)
    assert plan.model.epsilon == 0.7
    assert session.schema is not None
    total = promise(plan, session.schema).total
    assert total.epsilon == 0.7
    assert metric(page, "Total ε") == words.epsilon(total.epsilon)
    assert page.button(key="use-seedbased").disabled
    assert "The plan is in use" in said(page)


def test_the_seedless_plan_is_taken_over_too(opened: Opened, session: Session) -> None:
    page = ask(opened("privacy", session), "epsilon", 0.3)
    page.button(key="use-seedless").click().run()
    plan = session.plan()
    assert plan.omega == Omega(low=3, high=3)
    assert metric(page, "Total ε") == "0.3"
    assert page.button(key="use-seedless").disabled


def test_hiding_the_attempts_asks_for_a_pass_floor(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    assert not any(each.key == "wish-pass_floor" for each in page.number_input)
    page.radio(key="wish-protocol").set_value("releases").run()
    ask(page, "pass_floor", 0.25)
    assert "500 records use up a total of ε = 1" in said(page)
    page.button(key="use-seedbased").click().run()
    plan = session.plan()
    assert (plan.protocol, plan.pass_floor, plan.attempts) == ("releases", 0.25, 500)
    assert "500 records, their attempts kept secret" in said(page)
    ask(page, "pass_floor", 0.0)
    assert "pass floor" in page.error[0].value
    assert metric(page, "Total ε") == "1"


def test_several_records_per_person_are_paid_for(
    opened: Opened, said: Said, session: Session
) -> None:
    page = ask(opened("privacy", session), "records_per_person", 3)
    page.button(key="use-seedbased").click().run()
    made = own(session).promise()
    assert session.plan().records_per_person == 3
    assert session.plan().model.epsilon == pytest.approx(1 / 3)
    assert made.total.epsilon == pytest.approx(1)
    assert made.total.delta <= 1e-9
    assert "one record may cost ε = 0.3334 only" in said(page)


def test_either_test_is_planned_and_the_choice_explained(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    assert "Relative sensitivity usually wins" in said(page)
    page.radio(key="wish-test").set_value("plausible-deniability").run()
    page.button(key="use-seedbased").click().run()
    assert session.plan().test.kind == "plausible-deniability"


def test_what_cannot_be_is_refused_with_ways_out_to_click(
    opened: Opened, said: Said, session: Session
) -> None:
    page = ask(opened("privacy", session), "seeds_at_least", 2_000)
    assert "Nothing fits" in page.error[0].value
    assert "only 2,000 seeds are certain" in page.error[0].value
    assert not any(each.key == "use-seedbased" for each in page.button)
    assert "if so many are publicly known to be there" in said(page)
    page.button(key="way-count").click().run()
    assert own(session).wish.count < 500
    assert not page.error
    page.button(key="use-seedbased").click().run()
    assert own(session).promise().total.epsilon == 1


def test_the_seedless_plan_stays_on_offer_where_nothing_fits(
    opened: Opened, session: Session
) -> None:
    page = ask(opened("privacy", session), "seeds_at_least", 2_000)
    page.button(key="use-seedless").click().run()
    assert session.plan().omega == Omega(low=3, high=3)


def test_a_k_near_the_number_of_seeds_is_warned_of(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    assert "hardly any candidate" not in said(page)
    ask(page, "seeds_at_least", 4_000)
    assert "hardly any candidate" in "".join(each.value for each in page.warning)


@pytest.mark.parametrize(
    ("name", "value", "words_of_it"),
    [
        ("epsilon", 0.0, "ε"),
        ("delta", 1.0, "δ"),
        ("count", 0, "attempts"),
        ("kept", 4, "columns"),
        ("seeds_at_least", 0, "seeds"),
        ("records_per_person", 0, "records per person"),
    ],
)
def test_a_number_out_of_range_is_answered_once_beside_its_question(
    opened: Opened, said: Said, session: Session, name: str, value: float, words_of_it: str
) -> None:
    page = ask(opened("privacy", session), name, value)
    assert len(page.error) == 1
    assert words_of_it in page.error[0].value
    assert "Mend the field" in said(page)
    assert metric(page, "Total ε")
    assert not any(each.key == "use-seedbased" for each in page.button)


def test_without_a_number_of_records_it_asks_for_one(
    opened: Opened, said: Said, session: Session
) -> None:
    own(session).planned.wish = Wish(purpose="alike")
    page = opened("privacy", session)
    assert "Say how many records" in page.info[0].value
    assert not page.error
    ask(page, "seeds_at_least", 90_000)
    assert metric(page, "k")
    page.number_input(key="wish-seeds_at_least").set_value(None).run()
    assert own(session).wish.seeds_at_least is None
    assert "Say how many records" in page.info[0].value
    ask(page, "records_at_least", 300_000)
    assert metric(page, "k")
    assert "seeds to be there for certain" in said(page)


def test_copying_nothing_is_the_seedless_plan(opened: Opened, said: Said, session: Session) -> None:
    page = ask(opened("privacy", session), "kept", 0)
    assert "the seedless plan is the plan" in said(page)
    assert not any(each.key == "use-seedbased" for each in page.button)


def test_the_answers_survive_the_other_tab(opened: Opened, session: Session) -> None:
    page = ask(opened("privacy", session), "count", 321)
    page.session_state["privacy-tab"] = "Set every parameter yourself"
    page.run()
    page.session_state["privacy-tab"] = "Plan from what may be spent"
    page.run()
    assert page.number_input(key="wish-count").value == 321


def test_a_table_of_ones_own_opens_with_a_seedless_plan(csv: bytes, opened: Opened) -> None:
    session = Session()
    session.open(Table("t.csv", read_table(csv, name="t.csv")))
    assert session.plan().omega == Omega(low=3, high=3)
    page = opened("privacy", session)
    assert metric(page, "Total ε") == "1"
    assert page.button(key="use-seedless").disabled


def test_a_table_opens_with_a_plan_for_the_whole_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for purpose, omega in (("table", 11), ("alike", 10)):
        monkeypatch.setattr(
            "dashboard.methods.seedbased.choosing.SAMPLE", replace(SAMPLE, purpose=purpose)
        )
        session = Session()
        raw = read_table(census.TABLE)
        session.open(Table("the sample census", raw, sample=True), census.schema())
        assert session.plan().omega.values == (omega,)
        assert own(session).promise().total.epsilon == pytest.approx(1, rel=1e-6)


def test_the_sample_opens_with_a_total_that_means_something() -> None:
    session = Session()
    raw = read_table(census.TABLE)
    session.open(Table("the sample census", raw, sample=True), census.schema())
    assert own(session).wish == SAMPLE
    assert own(session).wish is not SAMPLE
    assert own(session).promise().total.epsilon <= 1
    assert own(session).promise().total.delta <= 1e-9
    assert own(session).draft == own(session).seedless().draft
    assert session.plan().model.kind == "calibrated"
    assert session.plan().shares.seeds == 0
    assert isinstance(own(session).answer(), Offer)


def test_what_is_said_of_the_seeds_follows_the_table(
    opened: Opened, said: Said, session: Session, home: Path
) -> None:
    page = opened("privacy", session)
    assert "The sample is simulated" not in said(page)
    assert session.table is not None
    session.table = replace(session.table, sample=True)
    page = opened("privacy", session)
    assert "The sample is simulated and its size is public" in said(page)


def test_the_purpose_says_which_plan_is_proposed(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole)
    assert not any(each.key == "wish-count" for each in page.number_input)
    assert page.button(key="use-seedless").proto.type == "primary"
    assert page.button(key="use-seedbased").proto.type == "secondary"
    page.radio(key="wish-purpose").set_value("alike").run()
    assert not any(each.key == "wish-rows" for each in page.number_input)
    assert page.button(key="use-seedbased").proto.type == "primary"
    assert page.button(key="use-seedless").proto.type == "secondary"
    page.button(key="use-seedbased").click().run()
    assert whole.plan().omega == Omega(low=2, high=2)
    page.radio(key="wish-purpose").set_value("table").run()
    ask(page, "rows", 12_345)
    page.button(key="use-seedless").click().run()
    assert (whole.plan().attempts, whole.plan().shares.seeds) == (12_345, 0)
    assert "Only learning the model costs anything" in said(page)
    assert "there is nothing to test" in said(page)


def test_both_ways_stand_side_by_side_with_what_is_predicted_of_them(
    opened: Opened, said: Said, whole: Session
) -> None:
    text = said(opened("privacy", whole))
    assert text.replace(NBSP, " ").count("Off by noise | typical column") == 2
    assert text.replace(NBSP, " ").count("about 5 s on one core") == 2
    assert "independent columns |" in text


def test_predicted_distances_follow_what_may_be_spent_and_ask_for_the_number_of_records(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole)
    page.toggle(key="table-predicted-columns").set_value(True).run()
    before = page.dataframe[0].value["By noise (%)"]
    page.button(key="use-seedless").click().run()
    ask(page, "epsilon", 0.1)
    page.button(key="use-seedless").click().run()
    assert (page.dataframe[0].value["By noise (%)"] > before).all()
    assert "nothing was looked at in the table" in said(page)
    page.number_input(key="wish-records_at_least").set_value(None).run()
    assert not page.dataframe
    assert any("what noise and chance will do" in each.value for each in page.info)


def test_a_table_of_few_records_is_offered_independent_columns(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = ask(opened("privacy", whole), "records_at_least", 60)
    assert "relations between columns are lost" in said(page)
    page.button(key="use-seedless").click().run()
    assert whole.plan().model.kind == "marginals"
    assert own(whole).promise().total.epsilon == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "value"), [("rows", 0), ("records_at_least", 0), ("records_per_person", 0)]
)
def test_a_number_that_a_whole_table_asks_for_is_refused_beside_it(
    opened: Opened, whole: Session, name: str, value: int
) -> None:
    page = ask(opened("privacy", whole), name, value)
    assert len(page.error) == 1
    assert not any(each.key == "use-seedless" for each in page.button)
