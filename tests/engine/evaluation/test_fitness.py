"""What a table is fit for and what it is not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.excess import Excess, stakes_foreseen, stakes_found
from understudy.evaluation.fitness import Fitness, fitness, further_off, group_pairs
from understudy.models.prediction import prediction_of

PAIRS = list(combinations(range(8), 2))
TITLES = ("Age", "Sex", "Diagnosis")


def excess(
    columns: float = 0.001, pairs: float = 0.01, lost: tuple[int, ...] = (), strength: float = 0.05
) -> Excess:
    apart, alone = np.full((3, 3), pairs), np.full((3, 3), strength)
    np.fill_diagonal(apart, columns)
    return Excess(apart, np.full((3, 3), 0.05), lost, 0.01, alone)


def told(found: Excess) -> Fitness:
    return fitness(stakes_found(found), TITLES)


def said(told: Fitness) -> tuple[str, str]:
    """What it is fit for, and not, with plain spaces."""
    return tuple(  # type: ignore[return-value]
        " ".join(str(each) for each in side).replace("\N{NO-BREAK SPACE}", " ")
        for side in (told.fit, told.unfit)
    )


def test_a_near_table_is_fit_for_columns_and_pairs() -> None:
    made = told(excess())
    fit, unfit = said(made)
    assert "single columns: shares are off by less than a tenth of their size, on average" in fit
    assert "(at worst “Age”, 0.1 % further off than other real records)" in fit
    assert "How two columns go together: more than half of what they have to do with each" in fit
    assert "small groups, of less than 1.0 % of the records" in unfit
    assert "go together" not in unfit
    assert made.pairs_hold


def test_no_table_is_fit_for_finding_people() -> None:
    for each in (excess(), excess(0.5, 0.5), excess(lost=(0, 1, 2))):
        assert "single people" in said(told(each))[1]


def test_what_is_lost_is_named_the_worst_first() -> None:
    far = excess()
    far.apart[1, 1] = 0.06
    far.apart[0, 2] = far.apart[2, 0] = 0.045
    far.apart[0, 1] = far.apart[1, 0] = 0.03
    fit, unfit = said(told(far))
    assert "single columns in 2 of 3 columns" in fit
    assert "How two columns go together in 1 of 3 pairs" in fit
    assert "Shares and averages of “Sex”: shares are off by over a tenth of their size" in unfit
    assert "How “Age” × “Diagnosis” and “Age” × “Sex” go together: half or more of what" in unfit
    assert "(at worst “Age” × “Diagnosis”, 4.5 % further off" in unfit


def test_independent_columns_are_fit_for_no_pair_with_a_relation() -> None:
    """However weak these are, and so however near the table is: 2 % is all there is to keep."""
    fit, unfit = said(told(excess(pairs=0.02, strength=0.02)))
    assert "How two columns go together" not in fit
    assert "go together: half or more of what they have to do with each other is lost" in unfit


def test_pairs_with_nothing_to_keep_are_told_apart_from_those_that_are_kept() -> None:
    one = excess(pairs=0.002)
    assert one.strength is not None
    one.strength[0, 1] = one.strength[1, 0] = 0.004
    made = told(one)
    assert "in 2 of 3 pairs: more than half" in said(made)[0]
    assert "; 1 further pair so few records show no relation of" in said(made)[0]
    assert made.pairs_hold
    one.apart[0, 1] = one.apart[1, 0] = 0.2
    assert "“Age” × “Sex” go together: it shows relations that real records" in said(told(one))[1]


def test_a_column_whose_relations_are_lost_stands_first() -> None:
    made = told(excess(lost=(2,)))
    assert str(made.unfit[0]).startswith("How “Diagnosis” goes with any other column: what it has")
    assert "in 1 of 3 pairs" in said(made)[0]
    every = told(excess(lost=(0, 1, 2)))
    assert "How two columns go together" not in said(every)[0]
    assert str(every.unfit[0]).startswith("How any two columns go together")


@given(st.sets(st.sampled_from(list(combinations(range(11), 2)))), st.booleans())
def test_every_pair_that_is_not_counted_is_named(
    counted: set[tuple[int, int]], strongly: bool
) -> None:
    titles = [f"c{at}" for at in range(11)]
    able = np.full((11, 11), strongly)
    ahead = prediction_of(np.full(11, 3), np.zeros(11), dict.fromkeys(counted, 0.001), 1_000, able)
    made = fitness(stakes_foreseen(ahead), titles)
    assert not made.found
    lines = " | ".join(line for use in made.unfit for line in (use.what, *use.every))
    alone = {f"c{at}" for at in ahead.unrelated}
    for one, other in combinations(range(11), 2):
        if (one, other) in counted:
            continue
        if {f"c{one}", f"c{other}"} & alone:
            continue
        pair = (f"“c{one}”", f"“c{other}”")
        assert any(all(name in line for name in pair) for line in lines.split(" | ")), (
            one,
            other,
            lines,
        )
    good = " ".join(map(str, made.fit))
    if counted:
        which = "" if len(counted) == 55 else f" in {len(counted)} of 55 pairs"
        assert f"How two columns go together{which}: they are counted" in good.replace("\xa0", " ")
    else:
        assert "How two columns go together" not in good
    # Nothing that is foreseen is said to be the most that can be.
    assert "at most" not in " ".join(map(str, (*made.fit, *made.unfit)))


def test_noise_that_takes_half_of_a_usual_relation_leaves_too_little() -> None:
    ahead = prediction_of(np.full(3, 4), np.zeros(3), {(0, 1): 0.043, (0, 2): 0.001}, 100)
    unfit = said(fitness(stakes_foreseen(ahead), TITLES))[1]
    assert "How “Age” × “Sex” go together: noise is expected to take half or more of what" in unfit
    assert "How “Sex” × “Diagnosis” go together: they cannot be counted together" in unfit


@pytest.mark.parametrize(("pairs", "fits"), [(0.0249, True), (0.0251, False)])
def test_the_border_is_half_of_what_there_is_to_keep(pairs: float, fits: bool) -> None:
    assert ("How two columns go together" in said(told(excess(pairs=pairs)))[0]) == fits


def test_nearer_than_real_records_is_no_negative_distance() -> None:
    assert further_off(-0.01) == "as near as other real records"
    fit, _ = said(told(excess(-0.01, -0.01)))
    assert "−" not in fit
    assert "as near as other real records" in fit


@given(st.sets(st.sampled_from(PAIRS)))
def test_every_pair_stands_once(pairs: set[tuple[int, int]]) -> None:
    groups = group_pairs(pairs)
    named = [tuple(sorted((one, other))) for one, others in groups for other in others]
    assert len(named) == len(set(named))
    assert set(named) == pairs
    assert [len(others) for _, others in groups] == sorted(
        (len(others) for _, others in groups), reverse=True
    )
