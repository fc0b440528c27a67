"""What the planner hands over keeps to what may be spent, by the promise itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.proposal import within
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased.planner import SAMPLE, Draft, Offer, Wish

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


def offered(wish: Wish) -> Offer:
    """The plan of a wish; a wish that nothing fits is passed over."""
    try:
        return planner.plan_with_seeds(wish, DRAFT, SCHEMA)
    except Refusal as refusal:
        if not planner.is_unsatisfiable(wish, refusal):
            raise
        reject()


def kept_to(offer: Offer, wish: Wish) -> None:
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
        Wish(seeds_at_least=5_000, count=970),
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
