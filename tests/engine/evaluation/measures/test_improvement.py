from __future__ import annotations

import math

import numpy as np
import pytest

from tests.engine.evaluation.predicting import records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import MARGINALS
from understudy.evaluation.measures.model_accuracy import IMPROVEMENT
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.table.records import Records

SCHEMA = category_schema(2, 2)


def table(*weights: list[float]) -> ConditionalTable:
    return ConditionalTable.from_probabilities(np.array(weights))


MARGINAL = BayesianNetwork(SCHEMA, Structure.independent(2), (table([2, 1]), table([2, 1])))
"""Says 0 and 0."""

CERTAIN = BayesianNetwork(SCHEMA, Structure.of([(), (0,)]), (table([2, 1]), table([9, 1], [1, 9])))
"""Says that c0 and c1 are equal."""

BACKWARDS = BayesianNetwork(SCHEMA, Structure.independent(2), (table([1, 2]), table([2, 1])))
"""Says 1 and 0."""


def held_out(equal: int, unequal: int, zeros: int) -> Records:
    """(1, 1), (1, 0) and (0, 0) so often."""
    pairs = np.repeat([[1, 1], [1, 0], [0, 0]], [equal, unequal, zeros], axis=0)
    return records(SCHEMA, pairs[:, 0], pairs[:, 1])


def measured(real: Records, **models: BayesianNetwork) -> dict[str, object]:
    return dict(
        IMPROVEMENT.measure(study_of({"made": real}, real, models={MARGINALS: MARGINAL, **models}))
    )


def test_errors_avoided_are_shares_of_the_errors_of_the_marginals() -> None:
    real = held_out(equal=40, unequal=20, zeros=40)
    study = study_of(
        {"made": real},
        real,
        models={"certain": CERTAIN, MARGINALS: MARGINAL, "backwards": BACKWARDS},
    )
    found = IMPROVEMENT.measure(study)
    assert list(found) == ["certain", "backwards"]
    # The marginals are wrong about c0 in 60 and about c1 in 40, the copy in 20 and in 20.
    by = {part.of[0]: part.value for part in found["certain"].parts}
    assert by == {"c0": pytest.approx(2 / 3), "c1": pytest.approx(1 / 2)}
    assert found["certain"].value == pytest.approx((2 / 3 + 1 / 2) / 2)
    by = {part.of[0]: part.value for part in found["backwards"].parts}
    assert by == {"c0": pytest.approx(1 - 40 / 60), "c1": 0.0}


def test_who_is_wrong_more_often_is_below_zero() -> None:
    real = held_out(equal=10, unequal=10, zeros=80)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "backwards": BACKWARDS})
    assert IMPROVEMENT.measure(study)["backwards"].parts[0].value == pytest.approx(1 - 80 / 20)


def test_its_interval_is_that_of_resampled_records() -> None:
    real = held_out(equal=400, unequal=200, zeros=400)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "certain": CERTAIN})
    found = IMPROVEMENT.measure(study)["certain"]
    random = np.random.default_rng(1)
    values = []
    for _ in range(2_000):
        equal, unequal, _zeros = random.multinomial(1000, [0.4, 0.2, 0.4])
        c0 = 1 - unequal / (equal + unequal)
        values.append((c0, (c0 + 1 - unequal / equal) / 2))
    spread = np.std(values, axis=0) * 1.96
    for interval, expected in zip((found.parts[0].interval, found.interval), spread, strict=True):
        assert interval is not None
        assert (interval.high - interval.low) / 2 == pytest.approx(expected, rel=0.1)


def test_a_column_without_errors_is_left_out() -> None:
    real = held_out(equal=0, unequal=50, zeros=50)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "certain": CERTAIN})
    assert [part.of for part in IMPROVEMENT.measure(study)["certain"].parts] == [("c0",)]


def test_it_has_no_lowest_value() -> None:
    assert (IMPROVEMENT.about.low, IMPROVEMENT.about.high) == (-math.inf, 1.0)


@pytest.mark.parametrize(
    ("real", "models", "said"),
    [
        (held_out(10, 10, 80), {"certain": CERTAIN}, "no marginals"),
        (held_out(0, 0, 80), {MARGINALS: MARGINAL}, "right about every"),
        (held_out(0, 10, 10), {MARGINALS: MARGINAL}, "fewer than 50"),
    ],
)
def test_without_errors_to_avoid_it_is_refused(
    real: Records, models: dict[str, BayesianNetwork], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        IMPROVEMENT.measure(study_of({"made": real}, real, models=models))
