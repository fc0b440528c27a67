from __future__ import annotations

import numpy as np
import pytest

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS
from understudy.mechanisms.seedbased.learning import learn_baseline
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.studies.seedbased.results import IMPROVEMENT, MODELS
from understudy.studies.seedbased.setting import (
    EPSILONS,
    UNNOISED,
    Sizes,
    by_kind,
    compared_with,
    learned_kinds,
    networks_of,
    plan_of,
)
from understudy.table.records import Records


def test_models_of_a_kind_are_averaged_by_column(evaluation: Evaluation) -> None:
    kinds = by_kind(evaluation, IMPROVEMENT)
    assert list(learned_kinds(kinds)) == list(EPSILONS)
    assert kinds["ε = 1"]["AGEP"] == pytest.approx(0.3)
    assert kinds["without noise"]["AGEP"] == pytest.approx(0.5)
    assert by_kind(evaluation, "nothing of the kind") == {}


def test_one_kind_stands_beside_what_is_no_model(evaluation: Evaluation) -> None:
    shown = compared_with(by_kind(evaluation, MODELS), "without noise")
    assert list(shown) == [
        *("without noise", MARGINALS, UNNOISED),
        *("random guess", "random forest"),
    ]


def test_as_many_models_as_their_noise_needs() -> None:
    schema = census.schema()
    parts = Sizes(100, 300, 300, 0).cut(Records(schema, census.simulate(700, 1)))
    source = RandomSource.fixed(1)
    shares = Sizes(100, 300, 300, 100).shares
    baseline = learn_baseline(plan_of(schema, shares, 1.0), parts, source)
    made = networks_of(parts, shares, baseline, 2, source)
    assert list(made) == [
        *(MARGINALS, UNNOISED, "without noise #1"),
        *("ε = 1 #1", "ε = 1 #2", "ε = 0.1 #1", "ε = 0.1 #2"),
    ]
    counted = np.bincount(parts.parameters.codes[:, 0], minlength=schema.cardinalities[0])
    exact = made[UNNOISED].tables[0].probabilities.ravel()
    assert exact.argmax() == counted.argmax()
    one, other = (made[f"ε = 1 #{number}"].tables[-1].weights for number in (1, 2))
    assert one.shape != other.shape or (one != other).any()
