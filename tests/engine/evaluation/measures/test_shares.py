"""Shares of flags by one product, against counting each pair. Every formula of shares by hand,
against slow sums and scipy, and against the others.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from math import comb
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance

from tests.engine.evaluation.builders import one_set, records_of, tables
from tests.engine.evaluation.builders import people as people_codes
from tests.engine.evaluation.builders import shares_study as study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import Sides, count_flag_pairs, pair_shares, share_flags
from understudy.evaluation.intervals import BLOCKS, block_jackknife, cut_to_range
from understudy.evaluation.measures import shares
from understudy.evaluation.measures.shares import (
    _MOST_SMOOTHING,
    _SMOOTHING,
    Divergence,
    assign_sides,
    hellinger,
    kullback_leibler,
    missing,
    sets_of,
    share_invented,
    total_variation,
)
from understudy.evaluation.registry import measures
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = category_schema(4, 4, 4, 4, 4)
MEASURES = [
    shares.VARIATION_SINGLE,
    shares.VARIATION_PAIRS,
    shares.HELLINGER_SINGLE,
    shares.HELLINGER_PAIRS,
    shares.KULLBACK_LEIBLER_SINGLE,
    shares.KULLBACK_LEIBLER_PAIRS,
    shares.VARIATION_TRIPLES,
    shares.VARIATION_QUADRUPLES,
    shares.INVENTED_PAIRS,
    shares.INVENTED_RECORDS,
    shares.MISSING_PAIRS,
    shares.MISSING_RECORDS,
]


def people(count: int, key: int) -> Records:
    return Records(SCHEMA, people_codes(count, key, 5, 4))


@pytest.mark.parametrize("measure", MEASURES, ids=lambda each: each.about.key)
def test_every_set_of_columns_has_its_part(measure: Divergence) -> None:
    study = study_of(people(90, 1), people(110, 2), people(90, 4))
    found = measure.measure(study)
    assert list(found) == ["a", "b"]
    for each in found.values():
        values = [part.value for part in each.parts]
        if not measure.about.parts:
            assert not values
            continue
        order = measure.order or 5
        assert len(values) == comb(5, order)
        assert all(len(part.of) == order for part in each.parts)
        assert each.parts[0].of == SCHEMA.names[:order]
        typical = np.median(values) if measure.typical == "median" else np.mean(values)
        assert each.value == pytest.approx(typical)
    assert found["a"].value != found["b"].value


@pytest.mark.parametrize("measure", MEASURES, ids=lambda each: each.about.key)
def test_values_and_intervals_stay_in_the_range(measure: Divergence) -> None:
    about = measure.about
    nothing_alike = records_of([(0, 0, 0, 0, 0)] * 30, 4, 4, 4, 4, 4)
    other = records_of([(3, 3, 3, 3, 3)] * 40, 4, 4, 4, 4, 4)
    study = study_of(nothing_alike, other, people(60, 4), other)
    for each in measure.measure(study).values():
        for value in (each, *each.parts):
            assert about.low <= value.value <= about.high
            assert value.interval is not None
            assert about.low <= value.interval.low <= value.value <= value.interval.high
            assert value.interval.high <= about.high
    found = measure.measure(study)
    assert found["c"].value == pytest.approx(0)
    if np.isfinite(about.high):
        assert found["a"].value == pytest.approx(about.high)


def test_the_interval_leaves_the_same_block_out_of_both() -> None:
    study = study_of(people(90, 1), people(110, 2))
    sides = assign_sides(study.tables[0].records, study)
    assert sides.blocks == BLOCKS
    without = []
    for block in range(BLOCKS):
        kept = sides.block != block
        left = study_of(study.tables[0].records.take(kept[:90]), study.held_out.take(kept[90:]))
        without.append(shares.VARIATION_PAIRS.measure(left)["a"].value)
    found = shares.VARIATION_PAIRS.measure(study)["a"]
    wanted = cut_to_range(block_jackknife(found.value, np.array(without)), 0, 1)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))


def test_blocks_are_no_more_than_records() -> None:
    study = study_of(people(90, 1), people(3, 2))
    assert assign_sides(study.tables[0].records, study).blocks == 3
    alone = study_of(people(90, 1), people(1, 2))
    assert shares.VARIATION_PAIRS.measure(alone)["a"].interval is None


def test_intervals_cover_the_mean_of_many_tables() -> None:
    """On tables whose columns go together less, around the value that 2,000 tables have on
    average, at 300 records each."""
    rng = np.random.default_rng(8)
    values, found = [], []
    for round_ in range(80):
        loose = np.column_stack(
            [rng.permutation(column) for column in people_codes(300, round_, 5, 4).T]
        )
        study = study_of(Records(SCHEMA, loose), people(300, 10_000 + round_), key=round_)
        each = shares.VARIATION_PAIRS.measure(study)["a"]
        values.append(each.value)
        found.append(each.interval)
    held = np.mean([each.low <= np.mean(values) <= each.high for each in found if each])
    assert held >= 0.9
    widths = [each.high - each.low for each in found if each]
    # Not because they are wide: at most three times what the values' own spread asks for.
    assert np.mean(widths) <= 3 * 3.92 * np.std(values)


def test_a_share_that_no_record_adds_to_may_still_be_above_none() -> None:
    same = people(60, 1)
    found = shares.INVENTED_PAIRS.measure(study_of(same, same))["a"]
    part = found.parts[0]
    assert part.value == 0
    assert part.interval is not None
    assert part.interval.high == pytest.approx(1 - 0.025 ** (1 / 60))


@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 40))
def test_sets_are_distinct_and_as_many_as_asked(columns: int, order: int, most: int) -> None:
    order = min(order, columns)
    found = sets_of(columns, order, most, np.random.default_rng(1))
    assert len(found) == len(set(found)) == min(most, comb(columns, order))
    assert all(sorted(set(each)) == list(each) and len(each) == order for each in found)
    assert all(0 <= column < columns for each in found for column in each)


def test_all_tables_of_a_study_are_asked_about_the_same_sets() -> None:
    rng = np.random.default_rng(1)
    wide = category_schema(*(2,) * 12)
    codes = [rng.integers(0, 2, (60, 12)).astype(np.uint16) for _ in range(3)]
    study = study_of(*(Records(wide, each) for each in codes))
    found = shares.VARIATION_TRIPLES.measure(study)
    assert len(found["a"].parts) == shares._SETS
    assert [part.of for part in found["a"].parts] == [part.of for part in found["b"].parts]


def test_the_sets_change_with_the_key_of_the_study_only() -> None:
    wide = Records(category_schema(*(2,) * 12), np.zeros((60, 12), dtype=np.uint16))
    first, again, other = (
        shares.VARIATION_TRIPLES.sets(study_of(wide, wide, key=key)) for key in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_too_few_columns_or_records_are_refused() -> None:
    two = records_of([(0, 0), (1, 0)], 2, 1)
    with pytest.raises(Refusal, match="fewer than 3 columns"):
        shares.VARIATION_TRIPLES.measure(study_of(two, two))
    none = two.take(np.array([], dtype=np.int64))
    with pytest.raises(Refusal, match="held out"):
        shares.VARIATION_SINGLE.measure(study_of(two, none))


@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_shares_of_pairs_are_those_that_are_counted(records: int, columns: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((records, columns)) < 0.4
    slow = [
        [float(np.mean((flags[:, one] == a) & (flags[:, other] == b))) for a, b in cells]
        for one, other in combinations(range(columns), 2)
        for cells in [((0, 0), (1, 0), (0, 1), (1, 1))]
    ]
    assert count_flag_pairs(flags) == pytest.approx(np.array(slow), abs=1e-12)
    assert share_flags(flags)[:, 1] == pytest.approx(flags.mean(axis=0))


def test_two_tables_are_compared_pair_by_pair() -> None:
    one, other = np.array([[1, 1], [0, 0]], bool), np.array([[1, 0], [0, 1]], bool)
    found = total_variation(pair_shares(count_flag_pairs(one), count_flag_pairs(other)))
    assert found == pytest.approx([1.0])
    assert total_variation(pair_shares(share_flags(one), share_flags(other))) == pytest.approx(
        [0, 0]
    )


# The first column: shares ½, ½, 0 of the table and ¼, 0, ¾ of the held-out records.
TABLE = records_of([(0, 0), (1, 1), (0, 0), (1, 1)], 3, 2)
HELD_OUT = records_of([(0, 0), (2, 0), (2, 1), (2, 0)], 3, 2)


def test_by_hand() -> None:
    shares = Sides.of(TABLE, HELD_OUT).shares([0])
    assert total_variation(shares) == pytest.approx([0.75])
    apart = (math.sqrt(0.5) - 0.5) ** 2 + 0.5 + 0.75
    assert hellinger(shares) == pytest.approx([math.sqrt(apart / 2)])
    assert share_invented(shares) == pytest.approx([0.5])
    assert missing(shares) == pytest.approx([0.75])
    p, q = (
        [(each + _SMOOTHING) / (1 + 3 * _SMOOTHING) for each in side]
        for side in ([0.5, 0.5, 0], [0.25, 0, 0.75])
    )
    assert kullback_leibler(shares) == pytest.approx(
        [sum(theirs * math.log(theirs / ours) for ours, theirs in zip(p, q, strict=True))]
    )


def test_divergence_is_of_the_held_out_records_from_the_table() -> None:
    """What the table lacks costs more than what it invents."""
    half = records_of([(0, 0), (1, 0)] * 50, 2, 1)
    nearly = records_of([(0, 0)] * 100, 2, 1)
    lacks = kullback_leibler(Sides.of(nearly, half).shares([0]))[0]
    invents = kullback_leibler(Sides.of(half, nearly).shares([0]))[0]
    assert lacks == pytest.approx(0.5 * math.log(0.5 / _SMOOTHING) + 0.5 * math.log(0.5), abs=0.01)
    assert invents == pytest.approx(math.log(2), abs=0.01)


def test_many_cells_are_smoothed_by_no_more_than_the_limit() -> None:
    wide = records_of([(0, 0)] * 10, 200, 200)
    other = records_of([(1, 1)] * 10, 200, 200)
    added = _MOST_SMOOTHING / 40_000
    whole = 1 + _MOST_SMOOTHING
    wanted = (1 + added) / whole * math.log((1 + added) / added) - added / whole * math.log(
        (1 + added) / added
    )
    assert kullback_leibler(Sides.of(wide, other).shares([0, 1])) == pytest.approx([wanted])


@given(tables(most_columns=3))
def test_against_slow_sums_and_scipy(pair: tuple[Records, Records]) -> None:
    table, held_out = pair
    columns = range(len(table.schema))
    sides, p, q = one_set(table, held_out, columns)
    shares = sides.shares(columns)
    both = list(zip(p, q, strict=True))
    found = {
        each.__name__: each(shares)[0]
        for each in (total_variation, hellinger, share_invented, missing, kullback_leibler)
    }
    assert found["total_variation"] == pytest.approx(distance.cityblock(p, q) / 2)
    root = distance.euclidean(np.sqrt(p), np.sqrt(q)) / math.sqrt(2)
    assert found["hellinger"] == pytest.approx(root)
    assert found["share_invented"] == pytest.approx(
        sum(ours for ours, theirs in both if not theirs)
    )
    assert found["missing"] == pytest.approx(sum(theirs for ours, theirs in both if not ours))
    added = min(_SMOOTHING, _MOST_SMOOTHING / len(p))
    smooth_p, smooth_q = np.array(p) + added, np.array(q) + added
    assert found["kullback_leibler"] == pytest.approx(stats.entropy(smooth_q, smooth_p), abs=1e-12)
    # (2.1) to (2.3): Pinsker, and total variation between the square and √2 of Hellinger's.
    pinsker = distance.cityblock(smooth_p, smooth_q) / smooth_p.sum() / 2
    assert pinsker <= math.sqrt(found["kullback_leibler"] / 2) + 1e-9
    assert found["hellinger"] ** 2 <= found["total_variation"] + 1e-9
    assert found["total_variation"] <= math.sqrt(2) * found["hellinger"] + 1e-9
    assert max(found["share_invented"], found["missing"]) <= found["total_variation"] + 1e-9
    # Jensen and Shannon's divergence lies between: JS ≤ ln 2 · TV, TV²/2 ≤ JS.
    js = distance.jensenshannon(p, q) ** 2
    assert found["total_variation"] ** 2 / 2 - 1e-9 <= js
    assert js <= math.log(2) * found["total_variation"] + 1e-9


@given(tables(most_columns=3))
def test_the_same_table_is_not_apart(pair: tuple[Records, Records]) -> None:
    table, _ = pair
    shares = Sides.of(table, table).shares(range(len(table.schema)))
    for each in (total_variation, hellinger, share_invented, missing, kullback_leibler):
        assert each(shares) == pytest.approx([0])


WEIGHT = Column(
    name="w",
    domain=Grid(minimum=Decimal(0), maximum=Decimal(3)),
    missing=True,
    missing_codes=(MissingCode(values=("-8",)), MissingCode(values=("-9",))),
    role="weight",
)
WEIGHTED = Schema(columns=(WEIGHT, *SCHEMA.columns[:2]))
PICKS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
)


@given(PICKS, PICKS)
def test_a_record_of_weight_three_counts_as_three_records(
    ours: list[tuple[int, int, int]], theirs: list[tuple[int, int, int]]
) -> None:
    def spread(rows: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
        return [(a, b) for weight, a, b in rows for _ in range(weight if weight < 4 else 0)]

    if not spread(ours) or not spread(theirs):
        return
    study = study_of(Records(WEIGHTED, np.array(ours)), Records(WEIGHTED, np.array(theirs)))
    measure = replace(shares.VARIATION_WEIGHTED, weights=WEIGHTED.weights)
    found = measure.measure(study)["a"]
    plain = study_of(records_of(spread(ours), 4, 4), records_of(spread(theirs), 4, 4))
    wanted = shares.VARIATION_SINGLE.measure(plain)["a"]
    assert [each.value for each in found.parts] == pytest.approx([e.value for e in wanted.parts])
    assert [each.of for each in found.parts] == [("w", name) for name in SCHEMA.names[:2]]
    assert found.value == pytest.approx(np.mean([each.value for each in wanted.parts]))


def test_a_table_that_weighs_nothing_shares_nothing() -> None:
    none, some = np.array([[0, 1, 1], [4, 2, 2]]), np.array([[1, 1, 1], [2, 2, 2]])
    study = study_of(Records(WEIGHTED, none), Records(WEIGHTED, some))
    measure = replace(shares.VARIATION_WEIGHTED, weights=("w",))
    assert measure.measure(study)["a"].value == pytest.approx(0.5)


def test_each_of_two_weights_weighs_by_itself() -> None:
    schema = Schema(columns=(WEIGHT, WEIGHT.changed(name="v"), SCHEMA.columns[0]))
    ours, theirs = np.array([[1, 3, 0], [1, 1, 1]]), np.array([[1, 1, 0], [1, 1, 1]])
    study = study_of(Records(schema, ours), Records(schema, theirs))
    found = replace(shares.VARIATION_WEIGHTED, weights=schema.weights).measure(study)["a"]
    assert [each.value for each in found.parts] == pytest.approx([0, 0.25])


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=30),
    st.lists(st.integers(1, 3), min_size=2, max_size=30),
)
def test_the_level_of_weights_is_how_far_their_average_is_off(
    ours: list[int], theirs: list[int]
) -> None:
    tables = (np.array([[each, 0, 0] for each in codes]) for codes in (ours, theirs))
    study = study_of(*(Records(WEIGHTED, codes) for codes in tables))
    found = replace(shares.WEIGHT_LEVEL, weights=("w",)).measure(study)["a"]
    weigh = [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]
    made, real = (fmean(weigh[code] for code in codes) for codes in (ours, theirs))
    assert found.value == pytest.approx(abs(made - real) / real)
    assert found.parts[0].of == ("w",)


def test_weights_are_compared_by_where_there_are_some() -> None:
    assert WEIGHTED.weights == ("w",)
    assert not SCHEMA.weights
    assert isinstance(measures(weights=("w",))[0], shares.WeightedVariation)
    assert not any(isinstance(each, shares.WeightedVariation) for each in measures())
    study = study_of(people(20, 1), people(20, 2))
    for weights in ((), ("w",)):
        with pytest.raises(Refusal, match="No column is a survey weight"):
            replace(shares.VARIATION_WEIGHTED, weights=weights).measure(study)
