from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from understudy.assurance import model_queries, mutants
from understudy.assurance.finding import TOLERANCE, Check, Effort
from understudy.assurance.model_queries import (
    edge,
    measure_peeking,
    neighbours,
    schema,
    shrink_made_up,
    told,
)
from understudy.assurance.transcript import Law, Question, Transcript, costs
from understudy.models.calibrated import learner, measurement, questions
from understudy.models.views import Rows
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

LESS = Effort(0.25)


def dependent(rows: int = 300) -> tuple[Records, Records]:
    """Two neighbours whose columns depend on one another."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, rows)
    codes = np.column_stack([first, 2 * first + rng.integers(0, 2, rows), (first + 1) % 3])
    more = Records(schema(), codes.astype(np.uint16))
    return more.take(np.arange(rows - 1)), more


@pytest.mark.parametrize(
    "check", model_queries.list_calibrated_checks(), ids=lambda each: each.name
)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert check.name == "what else is looked at" or found.measured.worst > 0.8


def test_both_currencies_and_every_question_are_tried() -> None:
    found = [each for _, each in model_queries._twice(shrink_made_up, LESS, 1.0)]
    assert {each.learner.allowance.currency for each in found} == {"epsilon", "rho"}
    laws = {question.law for each in found for question in each.asked[0]}
    assert laws == {"geometric", "Gaussian"}
    assert len({len(each.asked[0]) for each in found}) > 2


def test_paths_are_adaptive_and_told_alike() -> None:
    """Other answers lead to other questions; the same answers, to the same model."""
    one, more = dependent()
    asked = {
        tuple(
            each.values.size
            for each in told(shrink_made_up, Budget(10.0), one, more, seed).asked[0]
        )
        for seed in range(4)
    }
    assert len(asked) > 1


def test_two_models_of_other_answers_are_told_apart() -> None:
    one, _ = dependent()
    made = shrink_made_up(Budget(1.0), one)
    models = [
        made.learn(one, Noise(RandomSource.fixed(seed)), RandomSource.fixed(1)) for seed in (1, 2)
    ]
    assert model_queries.alike(models[0], models[0])
    assert not model_queries.alike(*models)


@pytest.mark.parametrize("number", range(len(model_queries.CALIBRATED_BUDGETS)))
def test_whoever_asks_other_questions_than_were_answered_is_seen_at_the_usual_effort(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is answered to a table may be no answer to another one; of each budget by itself."""
    monkeypatch.setattr(
        model_queries, "BUDGETS", model_queries.CALIBRATED_BUDGETS[number : number + 1]
    )
    assert measure_peeking(Effort(), make=mutants.counting).worst == math.inf
    assert measure_peeking(LESS, make=mutants.deciding).worst == math.inf


@pytest.mark.usefixtures("small_tables")
def test_tables_that_each_spend_all_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Allowance, "divided", lambda self, sizes: (self,) * len(sizes))
    assert verdict("what a whole learning spends") == "broken"


@pytest.mark.usefixtures("small_tables")
def test_a_record_counted_twice_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Rows.counts
    monkeypatch.setattr(Rows, "counts", lambda self, marginal: 2 * counts(self, marginal))
    assert verdict("what a whole learning spends") == "broken"


@pytest.mark.usefixtures("small_tables")
def test_the_currency_taken_for_the_other_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Allowance, "table", lambda self, counts, noise: noise.gaussians(counts, self.spread)
    )
    assert verdict("what a whole learning spends") == "broken"


@pytest.mark.usefixtures("small_tables")
def test_counts_looked_at_without_noise_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is drawn, and then the exact count is used for the number of records."""
    real = measurement.measure

    def peeping(rows: Rows, *rest: object) -> tuple[measurement.Measured, ...]:
        found = real(rows, *rest)
        return tuple(replace(each, counts=each.counts + len(rows) / 1e6) for each in found)

    monkeypatch.setattr(learner, "measure", peeping)
    assert verdict("what else is looked at") == "broken"


def verdict(name: str) -> str:
    (check,) = (each for each in model_queries.list_calibrated_checks() if each.name == name)
    return check.find(Effort(0.34)).verdict


@pytest.mark.parametrize(
    ("law", "cost"),
    [("geometric", 1.5), ("Gaussian", 0.625), ("permute and flip", 2.0), ("exponential", 0.5)],
)
def test_what_a_question_costs(law: Law, cost: float) -> None:
    one = Question(law, np.array([3, 0, 5]), 2.0)
    other = Question(law, np.array([4, 0, 3]), 2.0)
    assert one.cost(other) == other.cost(one) == pytest.approx(cost)
    assert one.cost(one) == 0
    assert one.cost(replace(other, scale=1.0)) == math.inf
    assert one.cost(replace(other, values=np.array([4, 0]))) == math.inf


def test_a_transcript_answers_as_the_noise_does_and_repeats_what_it_is_given() -> None:
    exact = np.array([10, 20, 30])
    first = Transcript(RandomSource.fixed(4))
    drawn = first.integers(exact, 2.0), first.gaussians(exact, 3.0)
    chosen = first.best(exact, 5.0, concentrated=True)
    noise = Noise(RandomSource.fixed(4))
    assert np.array_equal(drawn[0], noise.integers(exact, 2.0))
    assert np.array_equal(drawn[1], noise.gaussians(exact, 3.0))
    again = Transcript(RandomSource.fixed(9), first.answers)
    assert np.array_equal(again.integers(exact + 1, 2.0), drawn[0])
    assert np.array_equal(again.gaussians(exact + 1, 3.0), drawn[1])
    assert again.best(exact + 1, 5.0, concentrated=True) == chosen
    assert [each.law for each in again.asked] == ["geometric", "Gaussian", "exponential"]
    assert [each.scale for each in again.asked] == [2.0, 3.0, 5.0]


def test_either_currency_is_chosen_by_an_answer_and_paid_for_with_it() -> None:
    """Of tables at the edge, one path asks about pairs in ρ, and another columns in ε."""
    budget = Budget(1.0, 1e-2)
    (one, more), *_ = neighbours(LESS, edge(budget))
    found = [told(shrink_made_up, budget, one, more, seed) for seed in range(6)]
    paths = {tuple({each.law for each in path.asked[0]} - {"geometric"}) for path in found}
    assert paths == {(), ("Gaussian",)}
    assert {len(path.asked[0]) for path in found if path.asked[0][-1].pure} == {4}
    assert all(path.same and 0.8 < path.spent <= 1 + TOLERANCE for path in found)


@pytest.mark.usefixtures("small_tables")
def test_what_is_asked_first_has_its_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "less", lambda whole, first: whole)
    assert verdict("what a whole learning spends") == "broken"


def test_a_question_of_epsilon_among_those_of_rho_costs_half_its_square() -> None:
    pure = Question("geometric", np.array([3]), 2.0), Question("geometric", np.array([4]), 2.0)
    both = Question("Gaussian", np.array([3]), 2.0), Question("Gaussian", np.array([4]), 2.0)
    assert costs([pure[0]], [pure[1]], pure=True) == 0.5
    assert costs([pure[0], both[0]], [pure[1], both[1]], pure=False) == 0.125 + 0.125
    assert costs([pure[0], both[0]], [pure[1], both[1]], pure=True) == math.inf


def test_neighbours_differ_by_the_last_record() -> None:
    for one, more in neighbours(Effort(), 40):
        assert len(more) == len(one) + 1
        assert np.array_equal(more.codes[:-1], one.codes)
