"""The method through a run: what is promised, dealt, resumed and released. How many days come out,
foreseen from public numbers.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.engine.mechanisms.plausible_traces.town import law, plan
from tests.engine.models.mobility.town import TOWN, commuters, records, schema
from tests.engine.runs.interrupting import killed_and_gone_on
from tests.support import declared
from understudy.charts.public import public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.plausible_traces import mechanism
from understudy.mechanisms.plausible_traces.attempts import Decision, Seeds
from understudy.mechanisms.plausible_traces.forecast import (
    CITY,
    expect_released,
    foresee_days,
    passing,
    shares_of,
)
from understudy.mechanisms.plausible_traces.guarantee import Promise, promise
from understudy.mechanisms.plausible_traces.keys import KEEPS, Keeps, keys_of, schedules_of
from understudy.mechanisms.plausible_traces.mechanism import MECHANISM, seeds_of
from understudy.mechanisms.plausible_traces.plan import KEPT, PlausiblePlan
from understudy.mechanisms.registry import plan_run
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import added_up
from understudy.models.mobility.trace_records import days_of
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.planning.planner import smallest_k
from understudy.privacy.planning.question import Question
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.randomness import RandomSource, Secret
from understudy.report.papers import find_papers
from understudy.runs.work import Job
from understudy.samples.city import SIDE, simulate

RECORDS = records(commuters(80))


def test_the_total_is_the_larger_of_the_model_and_the_attempts() -> None:
    asked = plan(
        epsilon=1.0, delta=1e-6, k=None, epsilon0=None, seeds_at_least=3_000, public_people=9_000
    )
    found = plan_run(asked, schema()).guarantee
    made = found.account_as(Promise)
    question = Question(
        epsilon=1.0, delta=0.9e-6, count=60, seeds_at_least=3_000, equal_likelihood=True
    )
    assert made.seeds == smallest_k(question).account
    assert made.seeds == account(made.test, 60, 0.9e-6, seeds_at_least=3_000, equal_likelihood=True)
    assert 0.99 < made.attempts.epsilon <= 1.0
    assert made.learning == approximate_dp(made.rho, 1e-6)
    assert found.total.epsilon == made.learning.epsilon == pytest.approx(9.0, rel=1e-5)
    cheap = promise(asked.model_copy(update={"model_epsilon": 0.1}))
    assert cheap.total.epsilon == cheap.attempts.epsilon
    assert cheap.total.delta <= 1e-6


def test_the_guarantee_is_for_whole_people() -> None:
    found = plan_run(plan(), schema()).guarantee
    assert found.whole_people
    assert found.total == found.record
    assert "all of their records" in found.compared


def test_everybody_is_in_one_part_with_all_their_days_and_seeds_train_nothing() -> None:
    asked = plan(held_out=0.2, seeds=0.4, model_epsilon=900.0)
    made = plan_run(asked, schema())
    state = MECHANISM.begin(made, RECORDS, Secret.fixed(4), None)
    seeds, apart = (state.each[name].astype(bool) for name in ("seeds", "held_out"))
    assert RECORDS.whose is not None
    assert not (seeds & apart).any()
    for person in range(80):
        own = RECORDS.whose == person
        assert len(set(seeds[own].tolist())) == len(set(apart[own].tolist())) == 1
    assert 0 < apart.mean() < seeds.mean() < 1
    learned = days_of(RECORDS.take(np.flatnonzero(~seeds & ~apart)), asked.told_by)
    for name, exact in added_up(learned, TOWN).items():
        assert np.abs(state.each[name] - exact).max() < 700, name
    given = days_of(RECORDS.take(np.flatnonzero(seeds)), asked.told_by)
    possible = {row.tobytes() for row in keys_of(schedules_of(given, TOWN), asked.keeps)}
    kept = seeds_of(state).keys
    assert len(kept) == given.people
    assert {row.tobytes() for row in kept} <= possible


def test_as_many_people_are_looked_for_as_were_counted_on() -> None:
    few = plan_run(plan(public_people=40, seeds_at_least=30), schema())
    with pytest.raises(Refusal, match="nobody has confirmed") as refused:
        MECHANISM.check_public(few)
    assert refused.value.field == "public_people"
    assert few.guarantee.people_at_least == few.guarantee.account_as(Promise).people_needed
    assert "how many people everybody may know" in refused.value.remedy
    enough = plan_run(plan(seeds_at_least=5), schema())
    MECHANISM.check_public(enough)
    MECHANISM.check_records(enough, 80)
    with pytest.raises(Refusal, match="fewer people"):
        MECHANISM.check_records(enough, 79)


def test_a_run_on_fewer_people_than_are_publicly_known_is_refused(tmp_path: Path) -> None:
    """Eighty people have hundreds of records: it is people that count."""
    from understudy.ledger.ledger import Ledger
    from understudy.runs.control import start

    asked = plan(public_people=81, seeds_at_least=5)
    assert len(RECORDS) > 81
    job = declared(Job(RECORDS, asked, seed=3))
    with pytest.raises(Refusal, match="fewer people"):
        start(job, tmp_path, ledger=Ledger(tmp_path / "l.sqlite"))


@pytest.mark.parametrize("after", [1, 2])
def test_a_run_that_was_killed_comes_to_the_same_days(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism, "BATCH", 20)
    asked = plan(seeds_at_least=5)
    run = killed_and_gone_on(Job(RECORDS, asked, seed=3, figures=False), after, tmp_path)
    (table,) = run.release.glob("*.csv")
    with table.open() as file:
        rows = list(csv.DictReader(file))
    traces = [int(row["trace"]) for row in rows]
    assert traces == sorted(traces)
    assert 10 < len(set(traces)) <= 60
    assert {row["day"] for row in rows} == {"0"}
    first = {trace: row["slot"] for trace, row in reversed(list(zip(traces, rows, strict=True)))}
    assert set(first.values()) == {"0"}


def test_where_nothing_passes_nothing_is_released() -> None:
    made = plan_run(plan(k=60, seeds_at_least=70, public_people=None), schema())
    state = MECHANISM.begin(made, RECORDS, Secret.fixed(4), None)
    chunks = MECHANISM.release(made, RECORDS, state, Secret.fixed(4), Workers(), ResumePoint())
    (only,) = list(chunks)
    assert len(np.asarray(only.content)) == 0
    assert only.done == 60


def test_what_is_left_to_look_at_says_how_many_pass() -> None:
    made = plan_run(plan(), schema())
    state = MECHANISM.begin(made, RECORDS, Secret.fixed(4), None)
    look = MECHANISM.quick_report(made, RECORDS, state, None, Secret.fixed(4).source("figures"))
    told = getattr(look.figures, "told", ())
    assert "release a day on average" in told[0]
    assert told[1].startswith("Foreseen from the noisy tables: ")


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"domain": "0" * 64}, "domain", "another schema"),
        ({"place": "nowhere"}, "place", "no column"),
        ({"rows": 4}, "rows", "does not have the 16 cells"),
        ({"seeds": 0.6, "held_out": 0.4}, "seeds", "Nobody is left"),
        ({"k": None}, "epsilon0", "k is not"),
        ({"k": 11}, "k", "only 10 seeds are certain"),
        ({"public_people": 2_000_000}, "delta", "publishing somebody"),
        (
            {"public_people": 90, "model_epsilon": 1.0},
            "model_epsilon",
            "finer than 40 .* an ε of 3 or more",
        ),
        (
            {"public_people": 5, "seeds_at_least": None, "model_epsilon": 900.0},
            "public_people",
            "not even one",
        ),
        (
            {"epsilon": 1.0, "k": None, "epsilon0": None, "seeds_at_least": 300},
            "epsilon",
            "only 300 seeds are certain",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(
    changed: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        plan_run(plan(**changed), schema())
    assert refused.value.field == field
    assert refused.value.remedy
    assert "seedless" not in refused.value.remedy


def test_the_plan_that_one_begins_with_promises_something() -> None:
    opening = MECHANISM.default_plan(schema())
    assert (opening.rows, opening.columns) == (3, 4)
    assert plan_run(opening, schema()).guarantee.total.epsilon <= 1.0
    with pytest.raises(Refusal, match="whose the records are"):
        MECHANISM.default_plan(schema().with_people(None))


CITY_MAP = Geography(rows=SIDE, columns=SIDE, km_a_slot=2.5)


@given(
    share=st.floats(0.05, 0.9), seeds=st.integers(2, 60), k=st.integers(2, 9),
    epsilon0=st.floats(0.1, 3),
)  # fmt: skip
@example(share=0.25, seeds=5, k=4, epsilon0=2.0)
def test_the_mean_over_how_many_others_share_a_key(
    share: float, seeds: int, k: int, epsilon0: float
) -> None:
    decision = Decision(RelativeSensitivity(k=k, epsilon0=epsilon0), pass_cap=0.1)
    others = np.arange(seeds)
    chance = [
        math.comb(seeds - 1, each) * share**each * (1 - share) ** (seeds - 1 - each)
        for each in range(seeds)
    ]
    passes = decision.test.coin.probability(others)
    exact = 70 * 0.9 * share * float(np.array(chance) @ passes)
    found = expect_released(np.array([share]), seeds, decision, 70)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12)


@given(share=st.floats(0.05, 0.9), k=st.integers(2, 300), epsilon0=st.floats(0.1, 3))
def test_of_many_seeds_quantiles_stand_for_all_numbers(
    share: float, k: int, epsilon0: float
) -> None:
    decision, seeds = Decision(RelativeSensitivity(k=k, epsilon0=epsilon0), pass_cap=0.1), 400
    numbers = np.arange(seeds)
    passes = decision.test.coin.probability(decision.test.scores(numbers + 1))
    exact = 0.9 * share * float(binom.pmf(numbers, seeds - 1, share) @ passes)
    assert expect_released(np.array([share]), seeds, decision, 1) == pytest.approx(exact, abs=0.01)


@pytest.fixture(scope="module")
def city() -> Days:
    """Two weekdays of people of the simulated city, others than its shares are of."""
    cells = simulate(1_500, seed=7, days=3)[:, 1:].astype(np.int64).reshape(-1, 72)
    return Days(cells, np.zeros(len(cells), dtype=bool), np.arange(len(cells)) // 2)


@pytest.mark.parametrize("keeps", KEEPS)
def test_what_is_foreseen_is_within_a_tenth_of_what_comes_out_in_the_city(
    keeps: Keeps, city: Days
) -> None:
    """Of as many seeds as have these days, five times over; k lies where a step of the forecast
    would be seen."""
    plan = PlausiblePlan(
        domain="", keeps=keeps, k={"outline": 600, "pattern": 500, "departure": 400, "hours": 200}[
            keeps
        ],
        epsilon=50.0, public_people=int(15_000 / 0.45), attempts=1_000,
    )  # fmt: skip
    made_ = promise(plan)
    kept = keys_of(schedules_of(city, CITY_MAP), keeps)
    out = plan.attempts * passing(made_, Seeds(np.tile(kept, (5, 1))))
    assert out > 100
    assert foresee_days(plan, made_) == pytest.approx(out, rel=0.1)


def test_shares_of_the_city_are_of_one_whole_and_fall() -> None:
    assert set(CITY) == set(KEEPS)
    for shares in CITY.values():
        assert 0 < sum(shares) <= 1
        assert list(shares) == sorted(shares, reverse=True)


@pytest.mark.parametrize("keeps", KEEPS)
def test_shares_of_a_law_are_those_of_days_made_by_it(keeps: Keeps) -> None:
    found = shares_of(law(), keeps)
    days = made_people(law(), 4_000, (False,), RandomSource.fixed(3))
    kept = keys_of(schedules_of(days, law().where), keeps)
    _, counts = np.unique(kept, axis=0, return_counts=True)
    ours = np.sort(counts / len(kept))[::-1]
    assert found.sum() <= 1 + 1e-9
    assert found[:3] == pytest.approx(ours[:3], abs=0.05)


ASKED = plan(
    epsilon=1.0, delta=1e-6, k=None, epsilon0=None, seeds_at_least=4_000, public_people=None,
    attempts=70,
)  # fmt: skip


def test_days_that_come_out_by_attempts() -> None:
    (found,) = public_pictures(plan_run(ASKED, schema()))
    row = found.table.set_index("Attempts").loc[70]
    made = promise(ASKED)
    assert row["k"] == made.test.k
    assert row[KEPT["pattern"]] == round(foresee_days(ASKED, made), 1)
    assert (found.table[KEPT["outline"]] >= found.table[KEPT["hours"]]).all()
    assert found.table["k"].is_monotonic_increasing
    # A thousand attempts would need a larger k than there are certain seeds.
    assert found.table["Attempts"].max() < 5_000
    assert "about" in found.said
    assert found.figure.to_dict()["mark"]


def test_papers_say_which_test_follows() -> None:
    told = {
        each.name: each.value
        for each in find_papers("plausible-traces").settings(plan_run(ASKED, schema()))
    }
    made = promise(ASKED)
    assert told["k of the test"] == f"{made.test.k:,}"
    assert told["ε0 of the test"] == f"{made.test.epsilon0:g}"
    assert told["What is kept of a real person's day"] == KEPT["pattern"]
