"""From one record to all those of a person."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import optimal
from understudy.privacy.accounting.guarantee import group_privacy, record_delta
from understudy.privacy.budget import Budget


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
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
        max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) for p, q in pairwise(laws)
    )
    assume(delta < 1)
    person = group_privacy(Budget(epsilon, delta), records)
    for p, q in ((laws[0], laws[-1]), (laws[-1], laws[0])):
        assert hockey_stick(p, q, person.epsilon) <= person.delta * (1 + 1e-12)


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
