"""What a guarantee says beyond its figures for one record. What is turned into figures for other
neighbours holds there, and can be attained. From one record to all those of a person.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from understudy.assurance.divergence import hockey_stick
from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import amplified_by_sampling, optimal
from understudy.privacy.accounting.guarantee import (
    Guarantee,
    Scope,
    common,
    convert_budget,
    group_privacy,
    record_delta,
)
from understudy.privacy.budget import Budget, Neighbours

ONE = Budget(1.0, 1e-9)
PLAIN = Guarantee(ONE, Scope("", ""), "")


def test_a_secret_sample_is_of_a_population_whose_figure_is_that_of_whole_people() -> None:
    sampled = replace(PLAIN, sampling=0.1, records_per_person=3)
    assert sampled.population == amplified_by_sampling(group_privacy(ONE, 3), 0.1)
    assert replace(sampled, whole_people=True).population == amplified_by_sampling(ONE, 0.1)


def test_of_a_population_nothing_is_claimed_without_a_sample_or_a_promise() -> None:
    assert PLAIN.population is None
    assert replace(PLAIN, sampling=0.1, record=Budget.unbounded()).population is None


def test_a_method_has_to_say_that_it_makes_outputs_of_single_records() -> None:
    made = Guarantee(ONE, Scope("", ""), "")
    assert not made.reads_records
    assert made.count == 0
    assert made.records_told == 1


TABLES, REPLACEMENTS = Neighbours.TABLES, Neighbours.REPLACEMENTS
LAWS = st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(any)


def law(weights: list[int]) -> np.ndarray:
    return np.array(weights) / sum(weights)


@given(LAWS, LAWS, LAWS, st.floats(0, 3))
def test_a_replacement_costs_no_more_than_is_said(
    with_one: list[int], without: list[int], with_other: list[int], epsilon: float
) -> None:
    first, middle, last = map(law, (with_one, without, with_other))
    delta = max(
        float(hockey_stick(first, middle, epsilon)), float(hockey_stick(middle, last, epsilon))
    )
    found = convert_budget(Budget(epsilon, min(1.0, delta)), TABLES, REPLACEMENTS)
    assert found is not None
    if found.bounded:
        assert float(hockey_stick(first, last, found.epsilon)) <= found.delta + 1e-12


def test_it_is_attained() -> None:
    """What is rare with the other record is e^ε times as likely without, and again with the one."""
    epsilon, rare = 0.5, 0.01
    laws = [np.array([p, 1 - p]) for p in (rare * math.exp(k * epsilon) for k in (2, 1, 0))]
    first, middle, last = laws
    for one, other in ((first, middle), (middle, last)):
        assert float(hockey_stick(one, other, epsilon)) == 0
    found = convert_budget(Budget(epsilon), TABLES, REPLACEMENTS)
    assert found == Budget(2 * epsilon)
    assert float(hockey_stick(first, last, found.epsilon)) == 0
    assert float(hockey_stick(first, last, found.epsilon - 1e-3)) > 0


def test_a_delta_is_reached_whole() -> None:
    """The record shows with probability δ, whichever it is; then nothing else is drawn."""
    delta, epsilon = 0.01, 0.7
    e = math.exp(epsilon)
    middle = np.array([0.0, 0.0, 1.0])
    first = np.array([delta, 0.0, 1 - delta])
    last = np.array([0.0, delta, 1 - delta])
    found = convert_budget(Budget(epsilon, delta), TABLES, REPLACEMENTS)
    assert found is not None
    assert (found.epsilon, found.delta) == (2 * epsilon, pytest.approx((1 + e) * delta))
    assert float(hockey_stick(first, middle, epsilon)) == pytest.approx(delta)
    assert float(hockey_stick(first, last, 2 * epsilon)) == pytest.approx(delta)


@pytest.mark.parametrize(
    ("holds", "wanted"),
    [
        (REPLACEMENTS, TABLES),
        (Neighbours.POPULATIONS, TABLES),
        (TABLES, Neighbours.POPULATIONS),
        (REPLACEMENTS, Neighbours.POPULATIONS),
    ],
)
def test_nothing_follows_the_other_way(holds: Neighbours, wanted: Neighbours) -> None:
    assert convert_budget(Budget(0.1), holds, wanted) is None


@given(st.floats(0, 50), st.floats(0, 1))
def test_what_is_promised_to_nobody_stays_so(epsilon: float, delta: float) -> None:
    found = convert_budget(Budget(epsilon, delta), TABLES, REPLACEMENTS)
    assert found is not None
    assert convert_budget(Budget(epsilon, delta), TABLES, TABLES) == Budget(epsilon, delta)
    if found.bounded:
        assert found.epsilon == 2 * epsilon
        assert found.delta == pytest.approx((1 + math.exp(epsilon)) * delta)
    assert convert_budget(Budget.unbounded(), TABLES, REPLACEMENTS) == Budget.unbounded()


def test_the_weaker_kind_is_what_all_can_be_added_for() -> None:
    assert common([TABLES, TABLES]) is TABLES
    assert common([]) is TABLES
    assert common([TABLES, REPLACEMENTS]) is REPLACEMENTS


def group_hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """The smallest δ for which p is within e^ε of q."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def test_one_record_is_itself() -> None:
    budget = Budget(0.3, 1e-9)
    assert group_privacy(budget, 1) is budget
    assert record_delta(lambda _: Budget(1e9), 1, 1e-9) == 1e-9


def test_the_formula() -> None:
    person = group_privacy(Budget(0.3, 1e-9), 4)
    assert person.epsilon == pytest.approx(1.2)
    assert person.delta == pytest.approx(4 * math.exp(0.9) * 1e-9)
    assert group_privacy(Budget(0.3), 4) == Budget(1.2)


@pytest.mark.parametrize("budget", [Budget.unbounded(), Budget(10.0, 1e-9), Budget(0.1, 0.4)])
def test_nothing_is_promised_once_delta_reaches_1(budget: Budget) -> None:
    assert group_privacy(budget, 4) == Budget.unbounded()


@given(seed=st.integers(0, 10**6), records=st.integers(2, 5), epsilon=st.floats(0.01, 1.0))
def test_it_holds_along_a_chain_of_neighbours(seed: int, records: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    laws = [rng.dirichlet(np.ones(4))]
    for _ in range(records):
        step = laws[-1] * np.exp(rng.uniform(-epsilon, epsilon, 4)) + rng.uniform(0, 0.02, 4)
        laws.append(step / step.sum())
    delta = max(
        max(group_hockey_stick(p, q, epsilon), group_hockey_stick(q, p, epsilon))
        for p, q in pairwise(laws)
    )
    assume(delta < 1)
    person = group_privacy(Budget(epsilon, delta), records)
    for p, q in ((laws[0], laws[-1]), (laws[-1], laws[0])):
        assert group_hockey_stick(p, q, person.epsilon) <= person.delta * (1 + 1e-12)


def test_the_chain_can_be_attained() -> None:
    # Each step adds δ to what is new, and multiplies what is left by e^ε: no smaller formula holds.
    epsilon, delta, records = 0.2, 0.001, 4
    new = 0.0
    for _ in range(records):
        new = math.exp(epsilon) * new + delta
    assert new <= group_privacy(Budget(epsilon, delta), records).delta
    assert new >= 0.7 * group_privacy(Budget(epsilon, delta), records).delta


def composed(epsilon: float, count: int, delta: float) -> Budget:
    """All of δ left to the composition."""
    return Budget(optimal(Budget(epsilon), count, delta).epsilon, delta)


@given(
    epsilon=st.floats(1e-4, 0.1),
    count=st.integers(1, 3_000),
    records=st.integers(2, 30),
    log_delta=st.floats(-15, -3),
)
def test_the_largest_delta_for_a_record(
    epsilon: float, count: int, records: int, log_delta: float
) -> None:
    target = 10.0**log_delta
    try:
        each = record_delta(lambda delta: composed(epsilon, count, delta), records, target)
    except Refusal:
        # No δ above the smallest float would do.
        least = group_privacy(composed(epsilon, count, 1e-300), records)
        assert least.delta > target or not least.bounded
        return
    assert group_privacy(composed(epsilon, count, each), records).delta <= target
    for more in (1 + 1e-7, 1.1, 2.0):
        larger = group_privacy(composed(epsilon, count, each * more), records)
        assert larger.delta > target or not larger.bounded


def test_a_fixed_epsilon_leaves_its_share() -> None:
    each = record_delta(lambda delta: Budget(0.5, delta), 3, 1e-6)
    assert each == pytest.approx(1e-6 / (3 * math.exp(1.0)), rel=1e-8)
    assert group_privacy(Budget(0.5, each), 3).delta <= 1e-6


def test_it_does_not_ask_for_long() -> None:
    asked = []

    def total_at(delta: float) -> Budget:
        asked.append(delta)
        return composed(0.05, 1_000, delta)

    record_delta(total_at, 5, 1e-6)
    assert len(asked) < 25


def test_an_epsilon_too_large_for_so_many_records() -> None:
    with pytest.raises(Refusal) as refusal:
        record_delta(lambda delta: Budget(2.0, delta), 400, 1e-9)
    assert refusal.value.field == "records_per_person"


@pytest.mark.parametrize("field", ["delta", "k"])
def test_what_cannot_be_totalled_is_refused_as_it_was(field: str) -> None:
    def total_at(delta: float) -> Budget:
        if delta < 1e-20:
            raise Refusal("No.", "Yes.", field=field)
        return Budget(1.0, delta)

    with pytest.raises(Refusal) as refusal:
        record_delta(total_at, 60, 1e-9)
    assert refusal.value.field == field


def test_a_test_that_promises_nothing_is_not_searched() -> None:
    assert record_delta(lambda _: Budget.unbounded(), 5, 1e-9) == pytest.approx(2e-10)
