"""How many attempts fit, against the reference's figures and the account of one more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.spending import affordable, ladder
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

SCHEMA = category_schema(2, 2, 2)
SEEDS = 21_455


def plan(**changed: Any) -> ScoredPlan:
    usual = {"seeds_at_least": SEEDS, "epsilon": 1.0, "delta": 1e-9}
    return ScoredPlan(domain=SCHEMA.fingerprint, **{**usual, **changed})


def test_attempts_are_those_of_the_reference() -> None:
    """A whole run at ε = 1 and δ = 10⁻⁹, of which a tenth pays for fewer seeds."""
    relative = plan(test=RelativeSensitivity(k=9, epsilon0=1.0), delta=1e-9 / (1 - MISS_SHARE))
    found = {each.k: each.attempts for each in ladder(relative, (500, 1_000, 2_000, 5_000, 8_000))}
    assert found == {500: 23, 1_000: 63, 2_000: 208, 5_000: 1_086, 8_000: 2_566}


@pytest.mark.parametrize("records_per_person", [1, 3])
def test_the_plan_keeps_the_proposers_epsilon_and_one_attempt_more_would_not(
    records_per_person: int,
) -> None:
    found = affordable(plan(records_per_person=records_per_person), 2_000)
    made = plan_run(found.plan, SCHEMA).guarantee
    assert made.record.epsilon == pytest.approx(1.0, abs=1e-9)
    assert made.total.delta <= 1e-9
    more = found.plan.model_copy(update={"attempts": found.attempts + 2})
    assert plan_run(more, SCHEMA).guarantee.record.epsilon > 1.0


def test_seeds_follow_from_records_that_are_publicly_known() -> None:
    found = affordable(plan(seeds_at_least=1, public_records=60_000), 2_000)
    assert 29_000 < found.plan.seeds_at_least < 30_000
    assert (plan_run(found.plan, SCHEMA).guarantee.records_at_least or 0) <= 60_000
    assert found.attempts > affordable(plan(), 2_000).attempts


def test_a_k_at_which_nothing_fits_is_left_out_or_refused() -> None:
    assert [each.k for each in ladder(plan(), (2, 500))] == [500]
    with pytest.raises(Refusal):
        ladder(plan(), (2,))
