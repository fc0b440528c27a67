from __future__ import annotations

import pytest

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    MARGINALS,
    BreakdownEntry,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.claims import (
    classification_claim,
    distinguishing_claim,
    improvement_claims,
    linear_claims,
    model_claims,
    pairs_claim,
    passing_claims,
    single_claim,
    timing_claim,
)
from understudy.studies.seedbased.evaluation import Passing, Timed
from understudy.studies.seedbased.setting import UNNOISED

KEY = "distance"


def found(marginals: tuple[float, float], *synthetic: tuple[float, float]) -> Evaluation:
    ends = {MARGINALS: marginals} | {f"ω = {at}": each for at, each in enumerate(synthetic)}
    measured = {
        name: SubjectResult((low + high) / 2, Interval(low, high))
        for name, (low, high) in ends.items()
    }
    return Evaluation((), 0, "x", (Finding(KEY, measured),))


@pytest.mark.parametrize(
    ("marginals", "synthetic", "worse"),
    [
        ((0.5, 0.6), [(0.1, 0.2), (0.3, 0.4)], True),
        ((0.5, 0.6), [(0.1, 0.2), (0.4, 0.55)], False),
        ((0.1, 0.2), [(0.3, 0.4)], False),
    ],
)
def test_clearly_worse_is_above_the_intervals_of_all_and_competitive_is_the_opposite(
    marginals: tuple[float, float], synthetic: list[tuple[float, float]], worse: bool
) -> None:
    evaluation = found(marginals, *synthetic)
    assert pairs_claim(evaluation, KEY).holds is worse
    assert single_claim(evaluation, KEY).holds is not worse


def test_nothing_measured_decides_nothing() -> None:
    for evaluation in (Evaluation((), 0, "x", ()), found((0.1, 0.2))):
        assert pairs_claim(evaluation, KEY).holds is None
        assert single_claim(evaluation, KEY).verdict == "not found out"
    others = (
        *improvement_claims({}), *model_claims({}), classification_claim({}), *linear_claims({}),
        distinguishing_claim({}), timing_claim(()), *passing_claims(()),
    )  # fmt: skip
    assert {each.holds for each in others} == {None}


@pytest.mark.parametrize(("rate", "holds"), [(0.51, True), (0.5, False), (0.2, False)])
def test_more_than_half_pass_by_the_published_count(rate: float, holds: bool) -> None:
    """What passes where all seeds are counted decides nothing."""
    widest = Passing("5-11", (100,), (0.9,), (rate,))
    claim = passing_claims([Passing("11", (100,), (1.0,), (1.0,)), widest])[0]
    assert claim.holds is holds
    assert f"{rate:.1%}" in claim.ours
    assert "90.0%" in claim.ours


def test_other_ranges_say_nothing_of_the_published_one() -> None:
    assert passing_claims([Passing("2-4", (100,), (1.0,), (1.0,))])[0].holds is None


def test_the_share_that_passes_falls_with_k_and_rises_with_omega() -> None:
    def judged(nine: tuple[float, float], ten: tuple[float, float]) -> list[bool | None]:
        ks = (50, publication.PASSING_K)
        each = [Passing("10", ks, ten, ten), Passing("9", ks, nine, nine)]
        return [claim.holds for claim in passing_claims(each)[1:]]

    assert judged((0.5, 0.4), (0.7, 0.6)) == [True, True]
    assert judged((0.4, 0.5), (0.7, 0.6)) == [False, True]
    assert judged((0.8, 0.7), (0.7, 0.6)) == [True, False]


@pytest.mark.parametrize(("seconds", "holds"), [(599.0, True), (600.0, False)])
def test_ten_thousand_records_in_ten_minutes(seconds: float, holds: bool) -> None:
    assert timing_claim([Timed(1_000, 1, 1.0), Timed(10_000, 1, seconds)]).holds is holds
    assert timing_claim([Timed(1_000, 1, 1.0)]).holds is None


@pytest.mark.parametrize(
    ("tenth", "holds"), [(0.4, [True, True]), (0.2, [True, False]), (-0.1, [False, False])]
)
def test_noise_leaves_most_of_the_gain(tenth: float, holds: list[bool]) -> None:
    means = {"without noise": 0.5, "ε = 1": 0.45, "ε = 0.1": tenth}
    kinds = {name: {"SEX": mean} for name, mean in means.items()}
    assert [each.holds for each in improvement_claims(kinds)[:2]] == holds


def test_the_columns_whose_gain_noise_changes_are_compared_with_the_published_ones() -> None:
    one = {"RAC1P": 0.5, "WAOB": 0.5, "SEX": 0.5}
    changed = {"RAC1P": 0.1, "WAOB": 0.2, "SEX": 0.4}
    assert improvement_claims({"ε = 1": one, "ε = 0.1": changed})[2].holds
    others = improvement_claims({"ε = 1": one, "ε = 0.1": {**changed, "SEX": 0.0}})[2]
    assert others.holds is False
    assert others.because


def test_the_model_beside_marginals_and_the_forest() -> None:
    def judged(model: float, forest: float) -> list[bool | None]:
        values = {
            "without noise": model, UNNOISED: 0.3, "random guess": 0.1, "random forest": forest,
        }  # fmt: skip
        return [each.holds for each in model_claims({n: {"SEX": v} for n, v in values.items()})]

    assert judged(0.5, 0.6) == [True, True, True]
    assert judged(0.5, 0.4) == [True, False, False]
    assert judged(0.305, 0.4) == [False, True, True]


def parts(**values: float) -> dict[str, BreakdownEntry]:
    return {
        name.replace("w", "ω = "): BreakdownEntry((), value, Interval(value - 0.01, value + 0.01))
        for name, value in values.items()
    }


def test_tables_are_judged_by_intervals() -> None:
    quantities = publication.CLASSIFICATION.quantities
    assert classification_claim({each: parts(marginals=0.5, w9=0.6) for each in quantities}).holds
    near = {each: parts(marginals=0.5, w9=0.515) for each in quantities}
    assert classification_claim(near).holds is False
    told = publication.DISTINGUISHING.quantities
    assert distinguishing_claim({each: parts(marginals=0.8, w9=0.6) for each in told}).holds
    assert not distinguishing_claim({each: parts(marginals=0.8, w9=0.79) for each in told}).holds


@pytest.mark.parametrize(
    ("own", "holds"), [(0.8, [True, True]), (0.77, [False, True]), (0.75, [False, False])]
)
def test_linear_classifiers_beside_private_training(own: float, holds: list[bool]) -> None:
    each = {
        publication.OUTPUT: BreakdownEntry((), 0.7),
        publication.OBJECTIVE: BreakdownEntry((), 0.78),
        "ω = 9": BreakdownEntry((), own),
    }
    claims = linear_claims(dict.fromkeys(publication.LINEAR.quantities, each))
    assert [claim.holds for claim in claims] == holds
