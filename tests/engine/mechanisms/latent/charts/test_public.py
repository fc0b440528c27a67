from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.mechanisms.latent.charts import public
from understudy.mechanisms.latent.expected_utility import SHARES, smallest
from understudy.mechanisms.latent.models import Question
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.registry import plan_run
from understudy.models.latent.features import S
from understudy.models.latent.moments import NoisyMoments
from understudy.privacy.budget import Budget

SCHEMA = category_schema(*[2] * 12).declare_public()


def plan(**given: Any) -> LatentPlan:
    usual = {"domain": SCHEMA.fingerprint, "public_records": 50_000, "most_ones": 4}
    return LatentPlan.model_validate({**usual, **given})


def test_what_is_seen_is_what_the_model_tells_from_noise() -> None:
    asked = plan(held_out=0.2, epsilon=2.0)
    deviation = Question.of(asked, SCHEMA, Budget(2.0, asked.delta)).deviation
    records = 40_000
    many = (len(SCHEMA) + 1) * (len(SCHEMA) + 2) // 2
    told = NoisyMoments.of(np.zeros(many, dtype=np.int64), len(SCHEMA), deviation)
    found = smallest(asked, SCHEMA, 2.0)
    for name, share in SHARES.items():
        shares = np.full(len(SCHEMA), share)
        moments = replace(told, records=float(records), mean=shares)
        assert found[name] == pytest.approx(2.5 * moments.deviations[0, 1] / (share * (1 - share)))
    assert deviation / S**2 > 1


def test_more_epsilon_and_more_records_show_smaller_correlations() -> None:
    picture, _ = public_pictures(plan_run(plan(epsilon=0.7), SCHEMA))
    assert 0.7 in picture.table["ε"].tolist()
    assert (picture.table[list(SHARES)].diff().dropna() <= 0).all().all()
    assert picture.shape is not None
    assert picture.shape.marked == 0.7
    assert "at ε = 0.7, of two flags that 10" in picture.said
    assert picture.figure.to_dict()["layer"]
    more = public.seen_table(plan(public_records=500_000), SCHEMA)
    less = public.seen_table(plan(), SCHEMA)
    usual = list(SHARES)[1]
    assert (more[usual] < less[usual]).all()


def test_where_noise_covers_all_it_says_so() -> None:
    picture, _ = public_pictures(plan_run(plan(public_records=600, epsilon=1.0), SCHEMA))
    assert "no relation can be told from noise" in picture.said
    assert picture.table[list(SHARES)].to_numpy().max() == 1.0


@pytest.mark.parametrize("given", [{"public_records": None}, {"model": "variational"}])
def test_there_is_none_of_an_unknown_number_or_a_network(given: dict[str, Any]) -> None:
    of = plan(**{"public_records": 400_000, "epsilon": 5.0, **given})
    assert not public_pictures(plan_run(of, SCHEMA))
