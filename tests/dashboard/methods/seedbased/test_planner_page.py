"""The planner on the Privacy page: questions, answers, ways out; the plan follows them at once.
What the planner hands over keeps to what may be spent, by the promise itself. The figure that a
custodian signs for is the same everywhere: in the meter, on the command line for the same plan, on
Generate, in the statement that goes with the table, and in the ledger. Boxes of the Privacy page
keep their place while a refusal comes and goes: one that moves is built anew in the browser, and
loses what is being typed into it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from tests.browser.command_line import account
from tests.dashboard.builders import agree, answer_all
from tests.support import category_schema
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.ledger.chain import verify_export
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.target import within
from understudy.models.omega import Omega
from understudy.privacy.accounting.published_figures import published_record
from understudy.projects.state import Sizes
from understudy.runs.control import home_ledger, list_runs
from understudy.samples import census
from understudy.table.sources.reading import read_table
from understudy_dashboard import words
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased import planner, privacy, utility
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import SAMPLE, Draft, PlanOffer, Wish
from understudy_dashboard.parts import plan_decision as folded
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def planner_page_session(session: Session) -> Session:
    """The tiny table, said to be part of a large one."""
    plan_choice(session).planned.wish = Wish(purpose="alike", count=500, seeds_at_least=50_000)
    plan_choice(session).follow()
    return session


@pytest.fixture
def whole(planner_page_session: Session) -> Session:
    """The same, for a whole table."""
    plan_choice(planner_page_session).planned.wish = Wish()
    planner_page_session.settings.set_sizes(Sizes(records=200_000, rows=10_000))
    return planner_page_session


def metric(page: AppTest, label: str) -> str:
    return str(next(each.value for each in page.metric if each.label == label))


def ask(page: AppTest, name: str, value: float | None) -> AppTest:
    page.number_input(key=f"wish-{name}").set_value(value).run()
    assert not page.exception
    return page


def test_each_answer_is_the_plan_at_once(opened: Opened, planner_page_session: Session) -> None:
    page = opened("privacy", planner_page_session, detail=privacy.TEST)
    ks = [metric(page, "k")]
    for name, value in (
        ("epsilon", 2.0),
        ("delta", 1e-8),
        ("count", 900),
        ("seeds_at_least", 9000),
    ):
        ask(page, name, value)
        ks.append(metric(page, "k"))
        assert f"{plan_choice(planner_page_session).plan().test.k:,}" == ks[-1]
    assert len(set(ks)) == len(ks)
    ask(page, "records_per_person", 2)
    assert metric(page, "k") not in ks


def test_an_epsilon_that_is_typed_or_slid_moves_the_meter_and_what_next_would_run(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = ask(opened("privacy", planner_page_session), "epsilon", 0.7)
    plan = planner_page_session.settings.plan()
    assert plan.test.kind == "relative-sensitivity"
    assert plan.omega == Omega(low=2, high=2)
    assert (plan.attempts, plan.delta, plan.seeds_at_least) == (500, 1e-9, 50_000)
    # A tenth is held out, and costs nothing.
    assert plan.model.epsilon == pytest.approx(math.log((math.exp(0.7) - 0.1) / 0.9))
    assert planner_page_session.settings.schema is not None
    total = promise(plan, planner_page_session.settings.schema).total
    assert total.epsilon == pytest.approx(0.7, rel=1e-3)
    assert total.epsilon <= 0.7
    assert metric(page, "Total ε") == words.epsilon(total.epsilon)
    page.select_slider(key="wish-epsilon-slider").set_value(2.0).run()
    assert page.number_input(key="wish-epsilon").value == 2.0
    assert metric(page, "Total ε") == "2"
    page.switch_page("views/generate.py").run()
    assert "This run spends ε = 2" in said(page)


def test_hiding_the_attempts_asks_for_a_pass_floor(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = opened("privacy", planner_page_session)
    assert not any(each.key == "wish-pass_floor" for each in page.number_input)
    page.radio(key="wish-protocol").set_value("releases").run()
    ask(page, "pass_floor", 0.25)
    plan = planner_page_session.settings.plan()
    assert (plan.protocol, plan.pass_floor, plan.attempts) == ("releases", 0.25, 500)
    assert "500 records, their attempts kept secret" in said(page)
    ask(page, "pass_floor", 0.0)
    assert "pass floor" in page.error[0].value
    assert "No total yet" in said(page)


def test_several_records_per_person_are_paid_for(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = opened("privacy", planner_page_session, detail=privacy.TEST)
    ask(page, "records_per_person", 3)
    made = plan_choice(planner_page_session).promise()
    assert planner_page_session.settings.plan().records_per_person == 3
    of_a_part = math.log((math.exp(1 / 3) - 0.1) / 0.9)
    assert planner_page_session.settings.plan().model.epsilon == pytest.approx(of_a_part)
    assert made.total.epsilon == pytest.approx(1, rel=1e-3)
    assert made.total.delta <= 1e-9
    assert "one that becomes a seed may cost ε = 0.3644 only" in said(page)


def test_either_test_is_planned_and_the_choice_explained(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = opened("privacy", planner_page_session)
    assert "Relative sensitivity usually wins" in said(page)
    page.radio(key="wish-test").set_value("plausible-deniability").run()
    assert planner_page_session.settings.plan().test.kind == "plausible-deniability"


def test_what_cannot_be_is_refused_with_ways_out_to_click(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = ask(opened("privacy", planner_page_session), "seeds_at_least", 2_000)
    assert "Nothing fits" in page.error[0].value
    assert "only 2,000 seeds are certain" in page.error[0].value
    assert "if so many are publicly known to be there" in said(page)
    assert "No total yet" in said(page)
    with pytest.raises(Refusal, match="out of reach"):
        planner_page_session.settings.plan()
    page.button(key="way-count").click().run()
    assert plan_choice(planner_page_session).wish.count < 500
    assert not page.error
    assert plan_choice(planner_page_session).promise().total.epsilon == pytest.approx(1, rel=1e-3)


def test_a_k_near_the_number_of_seeds_is_warned_of(
    opened: Opened, planner_page_session: Session
) -> None:
    page = opened("privacy", planner_page_session, detail=privacy.TEST)
    assert not any("hardly any candidate" in each.value for each in page.warning)
    ask(page, "seeds_at_least", 4_000)
    assert any("hardly any candidate" in each.value for each in page.warning)


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
    opened: Opened,
    said: Said,
    planner_page_session: Session,
    name: str,
    value: float,
    words_of_it: str,
) -> None:
    page = ask(opened("privacy", planner_page_session), name, value)
    assert len(page.error) == 1
    assert words_of_it in page.error[0].value
    assert "Correct the field" in said(page)
    assert "No total yet" in said(page)
    assert page.download_button(key="plan-download").disabled


def test_without_a_number_of_records_it_asks_for_one(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    plan_choice(planner_page_session).planned.wish = Wish(purpose="alike")
    planner_page_session.settings.set_sizes(Sizes())
    assert "how many records everybody may know" in said(opened("privacy", planner_page_session))
    planner_page_session.settings.set_sizes(Sizes(records=300_000))
    page = opened("privacy", planner_page_session)
    assert planner_page_session.settings.plan().public_records == 300_000
    assert "seeds to be there for certain" in said(page)
    ask(page, "seeds_at_least", 90_000)
    assert planner_page_session.settings.plan().seeds_at_least == 90_000
    ask(page, "seeds_at_least", None)
    assert plan_choice(planner_page_session).wish.seeds_at_least is None


def test_copying_nothing_is_the_seedless_plan(
    opened: Opened, planner_page_session: Session
) -> None:
    ask(opened("privacy", planner_page_session), "kept", 0)
    assert planner_page_session.settings.plan().omega == Omega(low=3, high=3)
    assert plan_choice(planner_page_session).promise().seeds is None


def test_a_table_of_ones_own_opens_with_a_plan_for_the_whole_of_it(
    csv: bytes, opened: Opened
) -> None:
    session = Session()
    session.open(LoadedTable("t.csv", read_table(csv, name="t.csv")))
    answer_all(session, 200_000)
    assert session.settings.plan().omega == Omega(low=3, high=3)
    assert metric(opened("privacy", session), "Total ε") == "1"


def test_the_sample_opens_with_a_total_that_means_something() -> None:
    session = Session()
    raw = read_table(census.TABLE)
    session.open(LoadedTable("the sample census", raw, sample=True), census.schema())
    assert session.settings.sizes == Sizes(records=60_000)
    wish = replace(SAMPLE, records_at_least=60_000, rows=60_000)
    assert plan_choice(session).wish == wish
    total = plan_choice(session).promise().total
    assert (total.epsilon, total.delta) == (pytest.approx(1), pytest.approx(1e-9))
    plan = session.settings.plan()
    assert (plan.model.kind, plan.shares.seeds, plan.attempts) == ("calibrated", 0, 60_000)
    plan_choice(session).ask_questions(None).purpose = "alike"
    assert session.settings.plan().omega == Omega(low=10, high=10)
    assert plan_choice(session).promise().total.epsilon == pytest.approx(1, rel=1e-3)


def test_the_purpose_says_which_plan_is_in_use(opened: Opened, said: Said, whole: Session) -> None:
    page = opened("privacy", whole)
    assert "10,000 rows" in said(page)
    assert not any(each.key == "wish-count" for each in page.number_input)
    assert (whole.settings.plan().attempts, whole.settings.plan().shares.seeds) == (10_000, 0)
    page.radio(key="wish-purpose").set_value("alike").run()
    assert any(each.key == "wish-count" for each in page.number_input)
    assert whole.settings.plan().omega == Omega(low=2, high=2)
    page.radio(key="wish-purpose").set_value("table").run()
    assert "Only learning the model costs anything" in said(page)


def test_how_many_records_there_are_is_asked_on_data_and_counts_on_every_page(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("data", whole)
    page.number_input(key="sizes-records").set_value(50_000).run()
    page.number_input(key="sizes-rows").set_value(None).run()
    assert whole.settings.sizes == Sizes(records=50_000)
    plan = whole.settings.plan()
    assert (plan.attempts, plan.public_records) == (50_000, 50_000)
    page.switch_page("views/buckets.py").run()
    assert metric(page, "Records per count")
    page.switch_page("views/privacy.py").run()
    assert "50,000 rows" in said(page)
    page.switch_page("views/data.py").run()
    page.number_input(key="sizes-rows").set_value(123).run()
    assert whole.settings.plan().attempts == 123


def test_what_is_foreseen_follows_what_may_be_spent(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole, detail=privacy.COLUMNS)
    page.toggle(key="table-predicted-columns").set_value(True).run()
    before = page.dataframe[0].value["By noise (%)"]
    ask(page, "epsilon", 0.1)
    assert (page.dataframe[0].value["By noise (%)"] > before).all()
    assert "nothing is looked at" in said(page)
    assert "independent columns |" in said(page)


def test_the_curve_has_a_row_for_each_epsilon_whatever_is_asked_for(
    opened: Opened, whole: Session
) -> None:
    page = opened("privacy", whole)
    page.toggle(key="table-over-epsilon").set_value(True).run()
    first = page.dataframe[0].value
    assert first["A typical column, at most (%)"].is_monotonic_decreasing
    page.select_slider(key="wish-epsilon-slider").set_value(5.0).run()
    assert page.dataframe[0].value.equals(first)


def test_a_plan_stands_on_the_curve_only_where_its_bound_was_found_to_hold(
    whole: Session,
) -> None:
    def stands() -> bool:
        plan, made = whole.settings.plan(), plan_choice(whole).promise()
        return utility.locate_plan(whole, plan, made) is not None

    assert stands()
    asked = plan_choice(whole).ask_questions(None)
    asked.purpose, asked.kept = "alike", 1
    assert whole.settings.plan().seed_attempts(whole.settings.schema)
    assert not stands()


def test_how_many_pass_stands_beside_the_slider_that_moves_it(
    opened: Opened, said: Said, planner_page_session: Session
) -> None:
    page = opened("privacy", planner_page_session)
    before = re.search("At least [*]*([0-9.]+)", said(page))
    page.select_slider(key="wish-epsilon-slider").set_value(3.0).run()
    after = re.search("At least [*]*([0-9.]+)", said(page))
    assert before is not None
    assert after is not None
    assert float(after[1]) > float(before[1])
    page.session_state["comes-of-it"] = "How near it comes"
    page.run()
    assert "pass, foreseen" not in said(page)
    ask(page, "kept", 3)
    page.session_state["comes-of-it"] = "How many pass"
    page.run()
    assert "nothing is sure" in said(page)
    page.button(key="rehearse-passing").click().run()
    assert page.session_state[folded.KEY] == privacy.MANY


def test_a_plan_without_seeds_shows_nothing_of_passing(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole)
    assert "pass, foreseen" not in said(page)
    assert not [each for each in page.button_group if each.key == "comes-of-it"]


def test_what_it_will_be_fit_for_is_said_before_anything_is_spent(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole)
    assert "Fit for" in said(page)
    assert "Expected from public numbers alone, of columns that are tied as usual" in said(page)
    plan_choice(whole).planned.draft.together = [["age", "job"]]
    assert "What must survive" in said(opened("privacy", whole))
    whole.settings.set_sizes(Sizes())
    assert "Fit for" not in said(opened("privacy", whole))


def test_a_table_of_few_records_is_said_to_keep_no_relation(
    opened: Opened, said: Said, whole: Session
) -> None:
    whole.settings.set_sizes(Sizes(records=60))
    page = opened("privacy", whole)
    assert "How any two columns go together" in said(page)
    page = opened("privacy", whole, detail=privacy.COLUMNS)
    assert "relations between them are lost" in said(page)
    assert whole.settings.plan().model.kind == "marginals"
    assert plan_choice(whole).promise().total.epsilon == pytest.approx(1, rel=1e-6)


def test_a_setting_by_hand_and_an_answer_each_put_their_own_plan_in_use(
    opened: Opened, said: Said, whole: Session
) -> None:
    page = opened("privacy", whole, by_hand=True)
    page.number_input(key="model_epsilon-box").set_value(0.3).run()
    assert whole.settings.plan().model.epsilon == 0.3
    assert metric(page, "Total ε") == "0.2738"
    assert "This plan is set by hand." in said(page)
    total = math.log(1 + 0.9 * math.expm1(0.3))
    assert page.number_input(key="wish-epsilon").value == pytest.approx(total)
    ask(page, "epsilon", 2.0)
    of_the_model = math.log((math.exp(2) - 0.1) / 0.9)
    assert whole.settings.plan().model.epsilon == pytest.approx(of_the_model)
    assert "This plan is set by hand." not in said(page)
    assert page.number_input(key="model_epsilon-box").value == pytest.approx(of_the_model)
    page.number_input(key="model_epsilon-box").set_value(0.4).run()
    page.button(key="use-planner").click().run()
    assert metric(page, "Total ε") == "2"


def test_old_addresses_of_the_trade_off_lead_to_many_plans(
    opened: Opened, planner_page_session: Session, home: Path
) -> None:
    page = opened("explore", planner_page_session)
    assert page.title[0].value == "Privacy"
    assert page.session_state[folded.KEY] == privacy.MANY


SCHEMA = category_schema(3, 4, 2, 5)
DRAFT = Draft.of_plan(Plan.of(SCHEMA))


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    """What custodians might ask; most of it fits."""
    return Wish(
        epsilon=10 ** draw(st.floats(-1, 1)),
        delta=10 ** draw(st.floats(-14, -9)),
        count=round(10 ** draw(st.floats(0, 4))),
        seeds_at_least=round(10 ** draw(st.floats(3, 6))),
        kept=draw(st.integers(1, 4)),
        protocol=draw(st.sampled_from(["attempts", "releases"])),
        pass_floor=draw(st.floats(0.01, 1)),
        test=draw(st.sampled_from(["relative-sensitivity", "plausible-deniability"])),
        records_per_person=draw(st.integers(1, 4)),
    )


def offered(wish: Wish) -> PlanOffer:
    """The plan of a wish; a wish that nothing fits is passed over."""
    try:
        return planner.plan_with_seeds(wish, DRAFT, SCHEMA)
    except Refusal as refusal:
        if not planner.is_unsatisfiable(wish, refusal):
            raise
        reject()


def kept_to(offer: PlanOffer, wish: Wish) -> None:
    total = promise(offer.plan, SCHEMA).total
    assert total == offer.made.total
    assert total.epsilon <= wish.epsilon * (1 + 1e-12)
    assert total.delta <= wish.delta * (1 + 1e-9)
    assert offer.draft.plan(SCHEMA, {}) == offer.plan


@given(wish=wishes())
def test_the_plan_promises_no_more_than_may_be_spent_and_is_the_command_lines(wish: Wish) -> None:
    offer = offered(wish)
    kept_to(offer, wish)
    assert offer.plan.omega.values == (len(SCHEMA) - wish.kept,)
    assert offer.plan.attempts == wish.count
    assert offer.plan.protocol == wish.protocol
    assert offer.plan.records_per_person == wish.records_per_person
    changed = offer.plan.change(SCHEMA, model=offer.plan.model)
    assert within(changed, SCHEMA, wish.epsilon).plan.test.k == offer.plan.test.k


@given(wish=wishes())
def test_a_smaller_k_would_promise_more(wish: Wish) -> None:
    offer = offered(wish)
    assume(offer.plan.test.k > 10)
    fewer = offer.draft.copy(k=round(0.99 * offer.plan.test.k) - 1)
    try:
        total = promise(fewer.plan(SCHEMA, {}), SCHEMA).total
    except Refusal:
        return
    assert total.epsilon > wish.epsilon


@given(wish=wishes())
def test_seedless_always_fits_at_any_number_of_records(wish: Wish) -> None:
    for rows in (1, 10**9):
        offer = planner.plan_without_seeds(replace(wish, rows=rows), DRAFT, SCHEMA)
        kept_to(offer, wish)
        assert offer.made.seeds is None


@pytest.mark.parametrize(
    "wish",
    [
        Wish(seeds_at_least=1_000),
        Wish(seeds_at_least=5_000, count=20_000, epsilon=0.5),
        Wish(seeds_at_least=5_000, count=2_000, records_per_person=2),
        Wish(seeds_at_least=5_000, count=3_000, protocol="releases"),
    ],
)
def test_each_way_out_of_a_refusal_leads_out(wish: Wish) -> None:
    with pytest.raises(Refusal) as caught:
        planner.plan_with_seeds(wish, DRAFT, SCHEMA)
    assert planner.is_unsatisfiable(wish, caught.value)
    ways = planner.list_remedies(wish, DRAFT, SCHEMA)
    assert {"count", "seeds_at_least"} <= {way.name for way in ways}
    for way in ways:
        changed = replace(wish, **{way.name: way.value})
        kept_to(planner.plan_with_seeds(changed, DRAFT, SCHEMA), changed)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(seeds_at_least=5_000, count=1_200),
        Wish(seeds_at_least=17_200, count=2_000, records_per_person=3),
    ],
)
def test_a_larger_delta_is_told_for_all_that_is_set_aside_and_all_of_a_persons_records(
    wish: Wish,
) -> None:
    (delta,) = [way for way in planner.list_remedies(wish, DRAFT, SCHEMA) if way.name == "delta"]
    changed = replace(wish, delta=delta.value)
    kept_to(planner.plan_with_seeds(changed, DRAFT, SCHEMA), changed)
    smaller = replace(wish, delta=0.8 * delta.value)
    with pytest.raises(Refusal):
        planner.plan_with_seeds(smaller, DRAFT, SCHEMA)


def test_an_epsilon_that_promises_nothing_is_no_advice() -> None:
    ways = planner.list_remedies(Wish(seeds_at_least=1_000, count=50_000), DRAFT, SCHEMA)
    assert "epsilon" not in {way.name for way in ways}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"count": 0}, "attempts"),
        ({"kept": 5}, "kept"),
        ({"kept": -1}, "omega"),
        ({"protocol": "releases", "pass_floor": 0.0}, "pass_floor"),
        ({"records_per_person": 0}, "records_per_person"),
        ({"seeds_at_least": 0}, "seeds_at_least"),
    ],
)
def test_a_number_out_of_range_is_refused_at_its_question(
    changes: dict[str, object], field: str
) -> None:
    wish = replace(Wish(seeds_at_least=10_000), **changes)  # type: ignore[arg-type]
    with pytest.raises(Refusal) as caught:
        planner.plan_with_seeds(wish, DRAFT, SCHEMA)
    assert caught.value.field == field
    assert not planner.is_unsatisfiable(wish, caught.value)


def test_what_a_plan_has_switched_off_keeps_its_number() -> None:
    before = DRAFT.copy(gamma=2.5, pass_floor=0.4, t=7, sampling=0.2)
    for offer in (
        planner.plan_with_seeds(Wish(seeds_at_least=100_000), before, SCHEMA),
        planner.plan_without_seeds(Wish(), before, SCHEMA),
    ):
        draft = offer.draft
        assert (draft.gamma, draft.pass_floor, draft.t, draft.sampling) == (2.5, 0.4, 7, 0.2)
        assert draft.plan(SCHEMA, {}) == offer.plan


def test_a_whole_table_is_learned_from_all_records_but_those_held_out() -> None:
    offer = planner.plan_without_seeds(Wish(rows=777), DRAFT, SCHEMA)
    assert offer.plan.attempts == 777
    assert offer.plan.shares.seeds == 0
    assert offer.plan.shares.structure + offer.plan.shares.parameters == pytest.approx(0.9)
    assert offer.plan.omega.values == (len(SCHEMA),)


def test_seeds_are_worked_out_from_the_records_where_nobody_says_how_many() -> None:
    wish = Wish(records_at_least=100_000)
    offer = planner.plan_with_seeds(wish, DRAFT, SCHEMA)
    assert offer.made.records_at_least is not None
    assert 98_000 < offer.made.records_at_least <= 100_000
    told = planner.plan_with_seeds(replace(wish, seeds_at_least=20_000), DRAFT, SCHEMA)
    assert told.plan.seeds_at_least == 20_000


def test_a_number_that_a_purpose_does_not_ask_for_does_not_stand_in_its_way() -> None:
    kept_to(
        planner.plan_without_seeds(Wish(count=0, kept=99, seeds_at_least=0), DRAFT, SCHEMA), Wish()
    )
    wish = Wish(seeds_at_least=100_000, rows=0)
    kept_to(planner.plan_with_seeds(wish, DRAFT, SCHEMA), wish)


def test_the_sample_is_as_large_as_is_counted_on() -> None:
    offer = planner.plan_with_seeds(replace(SAMPLE, records_at_least=60_000), DRAFT, SCHEMA)
    assert offer.made.records_at_least is not None
    assert offer.made.records_at_least <= 60_000
    assert offer.published_k is not None
    assert offer.published_k > 2 * offer.plan.test.k


def shown(page: AppTest, label: str) -> str:
    return str(next(each.value for each in page.metric if each.label == label))


def test_the_total_is_one_from_the_page_to_the_ledger(
    opened: Opened, said: Said, session: Session
) -> None:
    # Attempts and the model cost unlike amounts; and omega is one number.
    plan_choice(session).draft.model_epsilon, plan_choice(session).draft.omega_ranges = 0.5, False
    plan_choice(session).draft.omega_high = 2
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="attempts-box").set_value(150).run()
    plan = session.settings.plan()
    assert isinstance(plan, Plan)
    assert plan.attempts == 150
    attempts = json.loads(account(plan, "--json"))["total"]
    assert session.settings.schema is not None
    total = promise(plan, session.settings.schema).total.as_dict()
    meter = words.epsilon(total["epsilon"] or math.inf)
    assert shown(page, "Total ε") == meter
    published = published_record(plan.test, plan.delta)
    assert published is not None
    assert f"One record by {published.name}" in said(page)
    page.switch_page("views/generate.py").run()
    assert f"This run spends ε = {meter}" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home())
    stated = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert stated["guarantee"]["epsilon"] == total["epsilon"]
    assert stated["parts"]["attempts"]["total"] == attempts
    assert stated["guarantee"]["delta"] == plan.delta
    assert stated["published"]["record"] == published.as_dict()
    page.switch_page("views/release.py").run()
    assert shown(page, "ε") == meter
    page.switch_page("views/ledger.py").run()
    assert shown(page, "Spent, ε") == meter
    (spent,) = home_ledger().book().balances
    assert spent.spent.epsilon == total["epsilon"]
    assert verify_export(home_ledger().export()).head == home_ledger().book().head


Place = tuple[int, ...]
_TYPED_IN = ("number_input", "text_input", "text_area")


def places(page: AppTest) -> dict[str, Place]:
    """Where each box of a page stands, by its key: its number in every block it is in."""
    return dict(_places(page.main, ()))


def _places(block: Block, within: Place) -> Iterator[tuple[str, Place]]:
    for number, each in block.children.items():
        if isinstance(each, Block):
            yield from _places(each, (*within, number))
        elif each.type in _TYPED_IN:
            yield str(each.key), (*within, number)


def test_a_refusal_moves_no_box_when_it_appears_nor_when_it_goes(
    opened: Opened, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="k-box").set_value(30).run()
    before = places(page)
    assert {"k-box", "attempts-box"} <= before.keys()
    page.number_input(key="k-box").set_value(0).run()
    assert ["k has to be a whole number" in each.value for each in page.error] == [True]
    refused = places(page)
    assert {"k-box", "attempts-box"} <= refused.keys()
    assert {key: place for key, place in before.items() if refused.get(key, place) != place} == {}
    page.number_input(key="k-box").set_value(20).run()
    assert not page.error
    assert places(page) == before
