"""Every measure there is says of itself what a reader needs."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import get_args

import pytest

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import About, Direction, Group
from understudy.evaluation.measures import linear_accuracy, shares
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS
from understudy.evaluation.registry import GROUPS, about, abouts, measures, predicts_a_column

RECORDS = [shares.VARIATION_MARKED.about, *(each.about for each in measures())]
DAYS = [each.about for each in OF_DAYS]
EVERY = [*RECORDS, *DAYS]


def test_no_two_measures_have_one_key_or_one_name() -> None:
    assert len({each.key for each in EVERY}) == len(EVERY)
    assert len({each.name for each in EVERY}) == len(EVERY)
    assert list(abouts()) == [each.key for each in EVERY]


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.key)
def test_what_a_measure_says_of_itself_is_filled_in(each: About) -> None:
    assert each.key == each.key.lower().strip()
    assert not set(each.key) & set(" _/")
    assert each.name[0].isupper() or each.name.startswith("pMSE")
    assert not each.name.endswith(".")
    assert each.sentence.endswith(".")
    assert each.sentence[0].isupper()
    assert len(each.sentence.split()) >= 8
    assert "  " not in each.sentence
    assert each.low < each.high
    assert not math.isnan(each.low)
    assert each.better in get_args(Direction)
    assert each.group in GROUPS
    assert each.ideal is None or each.low <= each.ideal <= each.high
    best = each.low if each.better == "lower" else each.high
    assert each.ideal is not None or each.better == "as real" or math.isfinite(best)


def test_measures_stand_group_by_group_in_the_order_of_the_headings() -> None:
    order = list(GROUPS)
    for every in (RECORDS, DAYS):
        places = [order.index(each.group) for each in every]
        assert places == sorted(places)
    assert set(order) == set(get_args(Group))
    assert {each.group for each in EVERY} == set(order)


def test_measures_of_days_predict_no_column() -> None:
    assert predicts_a_column(measures())
    assert not predicts_a_column(OF_DAYS)


def test_private_methods_get_the_epsilon_they_are_compared_at() -> None:
    def epsilons(every: tuple[object, ...]) -> list[float]:
        return [each.epsilon for each in every if isinstance(each, linear_accuracy.LinearAccuracy)]

    assert epsilons(measures(epsilon=0.3)) == [0.3]
    assert epsilons(measures()) == [1.0]


def test_a_measure_is_found_by_its_key() -> None:
    assert about("accuracy").name == "Accuracy of prediction"
    with pytest.raises(Refusal, match="no measure “beauty”"):
        about("beauty")


def test_reading_what_measures_mean_loads_no_classifiers() -> None:
    code = (
        "import sys, understudy.evaluation.registry as r; r.abouts(); "
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
