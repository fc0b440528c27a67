"""Every formula of shares by hand, against slow sums and scipy, and against the others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from scipy.spatial import distance

from tests.engine.evaluation.sharing import one_set, records_of, tables
from understudy.evaluation.cells import Sides
from understudy.evaluation.measures.shares import (
    _MOST_SMOOTHING,
    _SMOOTHING,
    hellinger,
    invented,
    kullback_leibler,
    missing,
    total_variation,
)
from understudy.table.records import Records

# The first column: shares ½, ½, 0 of the table and ¼, 0, ¾ of the held-out records.
TABLE = records_of([(0, 0), (1, 1), (0, 0), (1, 1)], 3, 2)
HELD_OUT = records_of([(0, 0), (2, 0), (2, 1), (2, 0)], 3, 2)


def test_by_hand() -> None:
    shares = Sides.of(TABLE, HELD_OUT).shares([0])
    assert total_variation(shares) == pytest.approx([0.75])
    apart = (math.sqrt(0.5) - 0.5) ** 2 + 0.5 + 0.75
    assert hellinger(shares) == pytest.approx([math.sqrt(apart / 2)])
    assert invented(shares) == pytest.approx([0.5])
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
        for each in (total_variation, hellinger, invented, missing, kullback_leibler)
    }
    assert found["total_variation"] == pytest.approx(distance.cityblock(p, q) / 2)
    root = distance.euclidean(np.sqrt(p), np.sqrt(q)) / math.sqrt(2)
    assert found["hellinger"] == pytest.approx(root)
    assert found["invented"] == pytest.approx(sum(ours for ours, theirs in both if not theirs))
    assert found["missing"] == pytest.approx(sum(theirs for ours, theirs in both if not ours))
    added = min(_SMOOTHING, _MOST_SMOOTHING / len(p))
    smooth_p, smooth_q = np.array(p) + added, np.array(q) + added
    assert found["kullback_leibler"] == pytest.approx(stats.entropy(smooth_q, smooth_p), abs=1e-12)
    # (2.1) to (2.3): Pinsker, and total variation between the square and √2 of Hellinger's.
    pinsker = distance.cityblock(smooth_p, smooth_q) / smooth_p.sum() / 2
    assert pinsker <= math.sqrt(found["kullback_leibler"] / 2) + 1e-9
    assert found["hellinger"] ** 2 <= found["total_variation"] + 1e-9
    assert found["total_variation"] <= math.sqrt(2) * found["hellinger"] + 1e-9
    assert max(found["invented"], found["missing"]) <= found["total_variation"] + 1e-9
    # Jensen and Shannon's divergence lies between: JS ≤ ln 2 · TV, TV²/2 ≤ JS.
    js = distance.jensenshannon(p, q) ** 2
    assert found["total_variation"] ** 2 / 2 - 1e-9 <= js
    assert js <= math.log(2) * found["total_variation"] + 1e-9


@given(tables(most_columns=3))
def test_the_same_table_is_not_apart(pair: tuple[Records, Records]) -> None:
    table, _ = pair
    shares = Sides.of(table, table).shares(range(len(table.schema)))
    for each in (total_variation, hellinger, invented, missing, kullback_leibler):
        assert each(shares) == pytest.approx([0])
