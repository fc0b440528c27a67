"""What marks do to the calibrated model: how it divides what it spends, and never how much."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.models.calibrated.expected import expected_errors
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import Measured
from understudy.models.calibrated.selection import (
    Misfit,
    best_division,
    column_prices,
    dependence,
    prices,
    worth_measuring,
)
from understudy.models.marks import EVEN, Importance, Marks
from understudy.models.views import View
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance, Currency
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

PAIRS = tuple((View(one), View(other)) for one, other in combinations(range(4), 2))
USUAL = Budget(1.0, 1e-9)


def error(spend: Allowance, size: int) -> float:
    """The expected L1 error of one table of so many cells."""
    if spend.currency == "epsilon":
        return size / spend.amount
    return size * HALF_NORMAL / math.sqrt(2 * spend.amount)


@given(
    tables=st.lists(st.tuples(st.integers(2, 500), st.floats(1, 30)), min_size=1, max_size=6),
    currency=st.sampled_from(["epsilon", "rho"]),
    moved=st.floats(0.01, 0.9),
    data=st.data(),
)
def test_cells_times_weight_divide_so_that_weighted_errors_are_least(
    tables: list[tuple[int, float]], currency: Currency, moved: float, data: st.DataObject
) -> None:
    """No other division does better: any that moves some of one part to another."""
    whole = Allowance(0.3, currency)
    parts = whole.divided([size * weight for size, weight in tables])

    def total(some: tuple[Allowance, ...]) -> float:
        each = zip(tables, some, strict=True)
        return math.fsum(weight * error(part, size) for (size, weight), part in each)

    weights = [whole.weight(size * weight) for size, weight in tables]
    assert total(parts) == pytest.approx(whole.total_error(math.fsum(weights)))
    assert math.fsum(each.amount for each in parts) == pytest.approx(whole.amount)
    one, other = (data.draw(st.integers(0, len(tables) - 1)) for _ in range(2))
    shifted = [each.amount for each in parts]
    less = moved * shifted[one]
    shifted[one] -= less
    shifted[other] += less
    assert total(tuple(Allowance(each, currency) for each in shifted)) >= total(parts) * (1 - 1e-9)


def told(records: list[float]) -> Misfit:
    return Misfit(PAIRS, np.array(records), 0.0, np.full(6, 36))


def test_a_marked_pair_is_measured_where_another_as_far_off_is_not() -> None:
    off = told([60.0] * 6)
    spend = Allowance(1.0, "epsilon")
    assert worth_measuring(off, off.records, spend) != PAIRS
    marked = Importance({(2, 3): 16.0})
    assert PAIRS[-1] in worth_measuring(off, off.records, spend, marked)


@given(st.lists(st.floats(-50, 900), min_size=6, max_size=6), st.floats(1.5, 40))
def test_to_mark_all_pairs_is_to_mark_none(records: list[float], weight: float) -> None:
    off, spend = told(records), Allowance(0.2, "rho")
    every = Importance(dict.fromkeys(combinations(range(4), 2), weight))
    assert worth_measuring(off, off.records, spend, every) == worth_measuring(
        off, off.records, spend
    )
    columns = [Measured((View(place),), np.full(6, 1e3), 4.0) for place in range(4)]
    assert best_division(off, columns, spend, importance=every) == best_division(
        off, columns, spend
    )


def test_a_marked_pair_gets_more_and_the_others_get_less() -> None:
    off = told([900.0] * 6)
    marked = Importance({(0, 1): 16.0})
    priced = prices(off, PAIRS, marked)
    assert priced == [36 * 16.0] + [36.0] * 5
    spend = Allowance(0.02, "rho")
    with_marks, without = spend.divided(priced), spend.divided(off.sizes(PAIRS))
    assert with_marks[0].deviation < without[0].deviation / 1.5
    assert with_marks[1].deviation > without[1].deviation
    assert column_prices([5, 3], Importance({(0,): 2.0})) == [10.0, 3.0]


def test_of_a_triple_only_what_its_pairs_do_not_show_is_its_own() -> None:
    three = (View(0), View(1), View(2))
    sure = [Measured((View(place),), np.full(6, 1e3), 0.0) for place in range(4)]
    alone = Misfit((*PAIRS, three), np.array([300.0, 0, 0, 400, 0, 0, 500]), 0.0, np.full(7, 9))
    found = dependence(alone, sure)
    assert found[-1] == pytest.approx(0.0, abs=1e-6)
    more = replace(alone, records=np.array([300.0, 0, 0, 400, 0, 0, 1300]))
    assert dependence(more, sure)[-1] == pytest.approx(1200.0)
    assert dependence(more, sure)[:6] == pytest.approx(
        dependence(told([300.0, 0, 0, 400, 0, 0]), sure)
    )


MARKS = (
    Marks(together=(("c0", "c1"),)),
    Marks(target="c2", columns=("c0",)),
    Marks(together=(("c0", "c1", "c2"),)),
)


@pytest.mark.parametrize("marks", MARKS, ids=str)
@pytest.mark.parametrize("budget", [Budget(1.0), USUAL, Budget.unbounded()], ids=str)
def test_marks_change_no_price(marks: Marks, budget: Budget) -> None:
    schema = category_schema(3, 4, 5)
    plain = CalibratedLearner.within(schema, budget)
    marked = CalibratedLearner.within(schema, budget, importance=marks.importance(schema.names))
    assert marked.cost == plain.cost
    assert (marked.allowance, marked.spend, marked.number) == (
        plain.allowance,
        plain.spend,
        plain.number,
    )


def three_way(rows: int) -> Records:
    """Two coins, and a third column that tells of both together only: no pair shows it."""
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, (rows, 4))
    coins[:, 2] = (coins[:, 0] + coins[:, 1]) % 2
    return Records(category_schema(2, 2, 2, 2), coins.astype(np.uint16))


def shows(records: Records, importance: Importance) -> float:
    """How often the third column follows from the other two in what is drawn."""
    learner = CalibratedLearner.within(records.schema, USUAL, importance=importance)
    source = RandomSource.fixed(2)
    network = replace(learner, fewest=4_000).learn(records, Noise(source), source.child()).network
    drawn = network.records(4_000, source).astype(int)
    return float(((drawn[0] + drawn[1]) % 2 == drawn[2]).mean())


def test_a_marked_triple_survives_though_no_pair_shows_it() -> None:
    records = three_way(4_000)
    marked = Marks(together=(("c0", "c1", "c2"),)).importance(records.schema.names)
    assert shows(records, EVEN) < 0.6
    assert shows(records, marked) > 0.9


def test_a_mark_is_foreseen_to_be_nearer_and_the_others_farther() -> None:
    schema = category_schema(12, 12, 12, 12)
    marks = Marks(together=(("c0", "c1"), ("c1", "c2", "c3")))
    plain, marked = (
        expected_errors(CalibratedLearner.within(schema, USUAL, importance=each), 20_000, 10_000)
        for each in (EVEN, marks.importance(schema.names))
    )
    assert marked.pairs[0, 1] < 0.8 * plain.pairs[0, 1]
    # Left to the rest of the model, as it would cost the marked ones more than it is worth.
    assert np.isfinite(plain.pairs[0, 3])
    assert np.isnan(marked.pairs[0, 3])
    assert math.isfinite(marked.triples[1, 2, 3])
    assert not plain.triples


def test_where_all_pairs_would_be_noise_only_marked_ones_are_asked_about() -> None:
    """Forty columns: to ask about all is too much, to ask about one is worth it."""
    schema = category_schema(*[3] * 40)
    marks = Marks(together=(("c0", "c1"),)).importance(schema.names)
    budget = Budget(0.1, 1e-9)
    plain = CalibratedLearner.within(schema, budget)
    marked = CalibratedLearner.within(schema, budget, importance=marks)
    records = next(
        rows
        for rows in range(2_000, 40_000, 2_000)
        if marked.list_candidates(rows) and not plain.list_candidates(rows)
    )
    assert marked.list_candidates(records) == ((View(0), View(1)),)
    found = expected_errors(marked, records, 1_000)
    assert found.possible[0, 1]
    assert not found.possible[0, 2]
    assert expected_errors(plain, records, 1_000).counted == 0
