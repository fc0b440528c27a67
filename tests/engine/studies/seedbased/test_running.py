from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn import ensemble

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import MARGINALS, REALS
from understudy.evaluation.measures import shares
from understudy.models.omega import Omega
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.studies.seedbased import evaluation, publication
from understudy.studies.seedbased.evaluation import (
    DescribedResults,
    Results,
    found_in,
    reproduce,
    timed_omega,
)
from understudy.studies.seedbased.setting import SeedbasedStudySetting, SeedbasedStudySizes
from understudy.table.records import Records

ROWS = 3_000
FEW = 5
"""Trees of a forest and stumps of AdaBoost, of which a hundred and fifty find the same things."""
SETTING = SeedbasedStudySetting(
    omegas=(Omega(low=11, high=11), Omega(low=10, high=11)),
    most=300,
    tested=100,
    repeats=2,
    models=1,
    scored=512,
    timed=(50, 200),
)


@pytest.fixture(scope="module")
def heard() -> list[str]:
    return []


@pytest.fixture(scope="module")
def made(heard: list[str]) -> Results:
    records = Records(census.schema(), census.simulate(ROWS, 3))
    parts = SeedbasedStudySizes.of(ROWS).cut(records)
    forest, boosted = ensemble.RandomForestClassifier, ensemble.AdaBoostClassifier
    with pytest.MonkeyPatch.context() as few:
        few.setattr(
            ensemble,
            "RandomForestClassifier",
            lambda trees, **settings: forest(min(trees, FEW), **{**settings, "n_jobs": 1}),
        )
        few.setattr(ensemble, "AdaBoostClassifier", partial(boosted, n_estimators=FEW))
        return reproduce(records, parts, "WAGP", SETTING, RandomSource.fixed(3), heard.append)


def test_every_quantity_is_found_for_every_subject(made: Results) -> None:
    found = found_in(made.evaluation)
    tables = {REALS, MARGINALS, "ω = 11", "ω = 10-11"}
    for table in publication.TABLES:
        wanted = {name for name in table.rows if not name.startswith("ω")} | {"ω = 11", "ω = 10-11"}
        for quantity in table.quantities:
            assert wanted <= set(found[quantity]), quantity
            assert all(0 <= part.value <= 1 for part in found[quantity].values())
    assert {each.name for each in made.evaluation.tables} == tables
    assert len({each.records for each in made.evaluation.tables}) == 1
    assert not [each.trouble for each in made.evaluation.findings if each.trouble]


def test_sizes_rates_and_times(made: Results) -> None:
    assert made.sizes == SeedbasedStudySizes.of(ROWS)
    assert made.described.records == ROWS
    assert [each.omega for each in made.passing] == ["11", "10-11"]
    assert set(made.passing[0].rates) == {1.0}
    assert list(made.passing[1].rates) == sorted(made.passing[1].rates, reverse=True)
    assert made.timed_omega == "11"
    assert [each.records for each in made.timed] == [50, 200]
    assert 0 < made.timed[0].seconds <= made.timed[1].seconds < made.seconds


def test_every_stage_is_told(made: Results, heard: list[str]) -> None:
    assert heard[0] == "learning the model"
    assert {"pass rates", "accuracy of prediction"} <= set(heard)


def test_the_same_seed_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        evaluation, "measures_of", lambda setting, learned_from: (shares.VARIATION_PAIRS,)
    )
    records = Records(census.schema(), census.simulate(ROWS, 3))
    parts = SeedbasedStudySizes.of(ROWS).cut(records)

    def found(seed: int) -> Results:
        source = RandomSource.fixed(seed)
        return reproduce(records, parts, "SEX", SETTING, source, lambda words: None)

    one, again, other = found(5), found(5), found(6)
    assert one.evaluation == again.evaluation != other.evaluation
    assert one.passing == again.passing != other.passing


def test_stopping_is_up_to_who_is_told() -> None:
    class StoppedError(Exception):
        pass

    def stop(words: str) -> None:
        raise StoppedError

    records = Records(census.schema(), census.simulate(ROWS, 3))
    parts = SeedbasedStudySizes.of(ROWS).cut(records)
    with pytest.raises(StoppedError):
        reproduce(records, parts, "WAGP", SETTING, RandomSource.fixed(1), stop)


def test_too_few_records_are_refused() -> None:
    records = Records(census.schema(), census.simulate(100, 3))
    parts = SeedbasedStudySizes(50, 20, 20, 10).cut(records)
    with pytest.raises(Refusal, match="too few records"):
        reproduce(records, parts, "WAGP", SETTING, RandomSource.fixed(1), lambda words: None)


def test_time_is_taken_at_the_smallest_fixed_omega() -> None:
    assert timed_omega(SeedbasedStudySetting.of(11)) == Omega(low=publication.TIMED_OMEGA, high=9)
    assert timed_omega(SeedbasedStudySetting.of(4)) == Omega(low=2, high=2)


def test_records_that_occur_once_are_counted() -> None:
    schema = category_schema(3, 2)
    codes = np.array([[0, 0], [0, 0], [1, 0], [2, 1], [1, 0], [1, 1]], dtype=np.uint16)
    described = DescribedResults.of(Records(schema, codes))
    assert (described.records, described.unique, described.possible) == (6, 2, 6)
    assert described.cardinalities == {"c0": 3, "c1": 2}
