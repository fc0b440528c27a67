"""What a table is fit for and what it is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.excess import Excess
from engine.evaluation.fitness import LIMIT, Fitness, fitness, further_off

TITLES = ("Age", "Sex", "Diagnosis")


def excess(
    columns: float = 0.001, pairs: float = 0.01, lost: tuple[int, ...] = (), *, found: bool = False
) -> Excess:
    apart = np.full((3, 3), pairs)
    np.fill_diagonal(apart, columns)
    return Excess(apart, np.full((3, 3), 0.05), lost, found=found)


def said(told: Fitness) -> tuple[str, str]:
    """What it is fit for, and not, with plain spaces."""
    return tuple(  # type: ignore[return-value]
        " ".join(str(each) for each in side).replace("\N{NO-BREAK SPACE}", " ")
        for side in (told.fit, told.unfit)
    )


def test_a_near_table_is_fit_for_columns_and_pairs() -> None:
    fit, unfit = said(fitness(excess(), TITLES))
    assert "Shares and averages of single columns: at most 0.1 % further off" in fit
    assert "How two columns go together: at most 1.0 % further off than other real" in fit
    assert "small groups, of less than 1.0 % of the records" in unfit
    assert "go together" not in unfit


def test_no_table_is_fit_for_finding_people() -> None:
    for each in (excess(), excess(0.5, 0.5), excess(lost=(0, 1, 2))):
        assert "single people" in said(fitness(each, TITLES))[1]


def test_what_is_far_off_is_named_the_worst_first() -> None:
    far = excess()
    far.apart[1, 1] = 0.06
    far.apart[0, 2] = far.apart[2, 0] = 0.2
    far.apart[0, 1] = far.apart[1, 0] = 0.1
    fit, unfit = said(fitness(far, TITLES))
    assert "single columns in 2 of 3 columns" in fit
    assert "How two columns go together in 1 of 3 pairs" in fit
    assert "Shares and averages of “Sex”: up to 6.0 % further off" in unfit
    assert "How “Age” × “Diagnosis” and “Age” × “Sex” go together: up to 20.0 %" in unfit


def test_a_column_whose_relations_are_lost_stands_first() -> None:
    told = fitness(excess(lost=(2,)), TITLES)
    assert str(told.unfit[0]).startswith("How “Diagnosis” goes with any other column: what it has")
    assert "in 1 of 3 pairs" in said(told)[0]
    every = fitness(excess(lost=(0, 1, 2)), TITLES)
    assert "How two columns go together" not in said(every)[0]
    assert str(every.unfit[0]).startswith("How any two columns go together")


@given(st.floats(0, 0.2), st.floats(0, 0.2))
def test_the_words_are_the_same_before_and_after(columns: float, pairs: float) -> None:
    before, after = (fitness(excess(columns, pairs, found=each), TITLES) for each in (False, True))
    assert (before.fit, before.unfit) == (after.fit, after.unfit)
    assert (before.found, after.found) == (False, True)


@pytest.mark.parametrize(("pairs", "fits"), [(LIMIT, True), (LIMIT + 1e-9, False)])
def test_the_border_is_the_limit(pairs: float, fits: bool) -> None:
    assert ("How two columns go together" in said(fitness(excess(pairs=pairs), TITLES))[0]) == fits


def test_nearer_than_real_records_is_no_negative_distance() -> None:
    assert further_off(-0.01) == "as near as other real records"
    fit, _ = said(fitness(excess(-0.01, -0.01), TITLES))
    assert "−" not in fit
    assert "as near as other real records" in fit
