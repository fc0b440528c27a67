"""What a plan promises, put together again from its parts."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binom

from tests.support import category_schema
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.accounting.guarantee import Guarantee, group_privacy
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.privacy.budget import Budget

SCHEMA = category_schema(2, 2, 2)


def promised(**settings: Any) -> Guarantee:
    usual = {"seeds_at_least": 20_000, "delta": 1e-6, "attempts": 5}
    plan = ScoredPlan(domain=SCHEMA.fingerprint, **{**usual, **settings})
    return plan_run(plan, SCHEMA).guarantee


@pytest.mark.parametrize("epsilon", [0.2, 9.0])
def test_all_records_of_a_person_stay_within_delta_and_use_it(epsilon: float) -> None:
    """Whether attempts or the proposer cost more."""
    made = promised(epsilon=epsilon, records_per_person=3)
    attempts = made.account.seeds.total
    assert made.record.epsilon == max(epsilon, attempts.epsilon)
    whole = group_privacy(Budget(made.record.epsilon, made.account.record_delta), 3)
    assert whole.delta == pytest.approx(1e-6, rel=1e-9)
    assert made.total.epsilon == pytest.approx(3 * made.record.epsilon)
    assert made.total.delta <= 1e-6


def test_attempts_pay_for_fewer_seeds_than_are_promised_too() -> None:
    made = promised(epsilon=1.0)
    seeds = made.account.seeds.total
    paid = made.parts[0].cost
    assert made.reads_records
    assert paid.epsilon == seeds.epsilon
    assert seeds.delta <= (1 - MISS_SHARE) * 1e-6
    assert seeds.delta + MISS_SHARE * 1e-6 == pytest.approx(paid.delta, rel=1e-9)
    assert made.record.delta == max(paid.delta, made.parts[1].cost.delta)


def test_a_table_of_the_records_that_are_needed_has_too_few_seeds_as_rarely_as_is_paid_for() -> (
    None
):
    made = promised(epsilon=1.0, records_per_person=2)
    miss = MISS_SHARE * made.account.record_delta
    share = ScoredPlan(domain=SCHEMA.fingerprint).seeds
    needed = made.records_at_least
    assert needed is not None
    assert binom.cdf(19_999, needed, share) <= miss * (1 + 1e-9)
    assert binom.cdf(19_999, needed - 1, share) > miss * (1 - 1e-9)
