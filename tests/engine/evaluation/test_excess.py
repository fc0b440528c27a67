"""How much further off than other real records, foreseen and found. How much of what there is to
keep is lost, before a table is made and after. What a table is fit for and what it is not.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.evaluation.comparison import Compared, Distances, distances
from understudy.evaluation.excess import (
    Excess,
    chance_excess,
    chance_of_typical,
    excess_of_release,
    stakes_foreseen,
    stakes_found,
)
from understudy.evaluation.fitness import Fitness, fitness, further_off, group_pairs
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED
from understudy.models.prediction import USUAL, prediction_of
from understudy.table.records import Records


def compared(**squares: list[list[float]]) -> tuple[Compared, ...]:
    named = {"released": RELEASED, "real": REALS, "marginals": MARGINALS}
    return tuple(
        Compared(named[name], 10_000, Distances(np.diag(each).copy(), np.array(each)))
        for name, each in squares.items()
    )


def flat(pair: float, single: float = 0.01, size: int = 3) -> list[list[float]]:
    return [[single if row == place else pair for place in range(size)] for row in range(size)]


def test_what_is_found_is_what_is_beyond_other_real_records() -> None:
    after = excess_of_release(compared(released=flat(0.07, 0.03), real=flat(0.05, 0.01)))
    assert after is not None
    assert after.columns == pytest.approx(0.02)
    assert after.pairs == pytest.approx(0.02)
    assert after.typical_pair == pytest.approx(0.02)
    assert after.unrelated == ()


def test_chance_stays_within_what_is_said_of_it() -> None:
    """Two tables of the same law against held-out records of it: the worst law for the bound has
    two even values."""
    random, records, held_out = np.random.default_rng(6), 400, 4_000
    for shares in ([0.5, 0.5], [0.25] * 4, [0.9, 0.1]):
        made, real, held = (
            random.multinomial(size, shares, 20_000) / size for size in (records, records, held_out)
        )
        apart = (np.abs(made - held) - np.abs(real - held)).sum(axis=1) / 2
        assert (np.abs(apart) <= chance_excess(records)).mean() > 0.945


@pytest.mark.parametrize("columns", [2, 5, 11])
@pytest.mark.parametrize("records", [300, 3_000])
def test_chance_seldom_moves_a_typical_column_or_pair_further(records: int, columns: int) -> None:
    """Of columns that have nothing to do with each other, two samples beside a third."""
    random = np.random.default_rng(records + columns)
    schema = category_schema(*random.integers(2, 8, columns).tolist())
    moved = []
    for _ in range(40):
        codes = random.integers(0, schema.cardinalities, (3 * records, columns))
        held, one, other = (Records(schema, each.astype(np.uint16)) for each in np.split(codes, 3))
        near, far = (distances(each, held) for each in (one, other))
        moved += [near.typical_column - far.typical_column, near.typical_pair - far.typical_pair]
    assert (np.abs(moved) <= chance_of_typical(records, columns)).mean() >= 0.95


def test_without_a_release_or_other_records_nothing_is_found() -> None:
    assert excess_of_release(compared(released=flat(0.07))) is None
    assert excess_of_release(compared(real=flat(0.07))) is None


def test_a_column_that_kept_nothing_of_its_relations_is_named() -> None:
    """The marginals miss 0.1 of every pair; the release all of it where the first column is."""
    released = flat(0.01)
    released[0][1] = released[1][0] = released[0][2] = released[2][0] = 0.11
    after = excess_of_release(compared(released=released, real=flat(0.01), marginals=flat(0.11)))
    assert after is not None
    assert after.unrelated == (0,)


def test_a_column_without_relations_has_none_to_lose() -> None:
    after = excess_of_release(compared(released=flat(0.3), real=flat(0.01), marginals=flat(0.01)))
    assert after is not None
    assert after.unrelated == ()


def test_the_worst_come_first() -> None:
    apart = np.array([[0.1, 0.0, 0.3], [0.0, 0.4, 0.2], [0.3, 0.2, 0.0]])
    excess = Excess(apart, np.zeros((3, 3)), ())
    assert [place for (place,), _ in excess.worst_columns()] == [1, 0, 2]
    assert [pair for pair, _ in excess.worst_pairs()] == [(0, 2), (1, 2), (0, 1)]


SIZES = np.array([4, 3, 5, 900])


def square(pairs: dict[tuple[int, int], float], single: float = 0.0, size: int = 4) -> np.ndarray:
    found = np.zeros((size, size))
    for (one, other), value in pairs.items():
        found[one, other] = found[other, one] = value
    np.fill_diagonal(found, single)
    return found


def test_before_noise_is_held_against_two_columns_tied_as_usual() -> None:
    able = np.ones((4, 4), dtype=bool)
    able[3, :3] = able[:3, 3] = False
    single = np.array([0.01, 0.02, 0.06, 0.001])
    ahead = prediction_of(SIZES, single, {(0, 1): 0.01, (0, 2): 0.05, (1, 2): 0.2}, 1_000, able)
    found = stakes_foreseen(ahead)
    assert not found.is_measured
    np.testing.assert_allclose(found.off, 2 * single)
    assert found.kept_columns.tolist() == [True, True, False, True]
    assert found.lost[0, 1] == pytest.approx(0.01 / USUAL)
    assert found.lost[1, 2] == 1
    assert found.kept_pairs[0, 1]
    assert not found.kept_pairs[0, 2]
    assert found.unrelated == (3,)
    assert not found.kept_pairs[3].any()


def test_a_pair_that_is_not_counted_is_never_kept() -> None:
    """However near chance leaves it: 38 counted pairs of 55 are fit for 38 at most."""
    rng = np.random.default_rng(2)
    every = [(one, other) for one in range(11) for other in range(one + 1, 11)]
    counted = {every[at]: 1e-4 for at in rng.permutation(55)[:38]}
    ahead = prediction_of(np.full(11, 4), np.zeros(11), counted, 10**9, np.ones((11, 11), bool))
    found = stakes_foreseen(ahead)
    kept = {each for each in every if found.kept_pairs[each]}
    assert kept == set(counted)


def found(released: float, marginals: float, real: float = 0.02, records: int = 10_000) -> Excess:
    tables = tuple(
        Compared(name, records, Distances(np.full(3, real), square_of(value, real)))
        for name, value in ((RELEASED, released), (REALS, real), (MARGINALS, marginals))
    )
    excess = excess_of_release(tables)
    assert excess is not None
    return excess


def square_of(pair: float, single: float) -> np.ndarray:
    flat = np.full((3, 3), pair)
    np.fill_diagonal(flat, single)
    return flat


@pytest.mark.parametrize(
    ("released", "marginals", "kept", "lost"),
    [
        (0.03, 0.08, True, 1 / 6),
        (0.06, 0.08, False, 4 / 6),
        # A table whose columns are independent keeps nothing, however weak relations are.
        (0.04, 0.04, False, 1.0),
        # Nothing to keep, and nothing made up.
        (0.025, 0.022, True, np.nan),
        # Relations that real records do not show.
        (0.07, 0.022, False, np.nan),
    ],
)
def test_after_what_is_lost_is_a_part_of_what_independent_columns_lose(
    released: float, marginals: float, kept: bool, lost: float
) -> None:
    stakes = stakes_found(found(released, marginals))
    assert stakes.is_measured
    upper = np.triu_indices(3, 1)
    np.testing.assert_allclose(stakes.lost[upper], lost)
    assert (stakes.kept_pairs[upper] == kept).all()


def test_what_chance_explains_is_no_relation() -> None:
    """A pair 2 % further off is seen in 10,000 records, and not in 500."""
    many, few = (stakes_found(found(0.04, 0.04, records=each)) for each in (10_000, 500))
    assert not many.kept_pairs[0, 1]
    assert few.kept_pairs[0, 1]


def test_without_independent_columns_beside_it_nothing_is_said_to_be_kept_or_lost() -> None:
    excess = Excess(square({(0, 1): 0.001}), square({}), ())
    assert np.isnan(stakes_found(excess).lost).all()


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
