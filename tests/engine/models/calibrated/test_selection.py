"""How a round is divided, beside a search of every division written out. What marks do to the
calibrated model: how it divides what it spends, and never how much.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.assurance.transcript import Transcript
from understudy.models.calibrated.expected_error import expected_errors
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.calibrated.questions import ROUNDS, Way
from understudy.models.calibrated.selection import (
    DIVISIONS,
    FINE,
    HALF,
    Misfit,
    Shortlist,
    attributes,
    best_division,
    candidates,
    column_errors,
    column_prices,
    compare_candidates,
    dependence,
    every_view,
    misfit,
    prices,
    score,
    worth_measuring,
)
from understudy.models.marks import EVEN, Importance, Marks
from understudy.models.views import Marginal, Rows, View, cells
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance, Currency
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

SCHEMA = category_schema(2, 6, 3, 4, halves=frozenset({1}))
FREE = Allowance(0.0, "none")


@cache
def noise() -> Noise:
    """Of the process that asks for it first, as a source belongs to one."""
    return Noise(RandomSource.fixed(1))


def drawn(seed: int, count: int = 500) -> Rows:
    rng = np.random.default_rng(seed)
    sizes = SCHEMA.cardinalities.tolist()
    return Rows(SCHEMA, [rng.integers(0, size, count).astype(np.uint16) for size in sizes])


def test_every_pair_is_a_candidate_in_full_and_through_its_buckets() -> None:
    found = candidates(SCHEMA, 1.0, FREE)
    assert len(found) == len(set(found)) == 6 + 3
    assert (View(0), View(1)) in found
    assert (View(0), View(1, level=1)) in found


def test_a_candidate_whose_noise_would_exceed_all_records_is_none() -> None:
    spend = Allowance(0.01, "epsilon")
    for records in (1, 100, 400, 1_000, 10_000):
        expected = {
            each
            for each in candidates(SCHEMA, 1.0, FREE)
            if cells(SCHEMA, each) / spend.amount / 2 < records
        }
        assert {*candidates(SCHEMA, records, spend)} == expected


def test_a_score_counts_records_in_sixteenths() -> None:
    assert score(np.array([3, 0]), np.array([1.0, 2.0])) == 4 * FINE
    assert score(np.array([3, 0]), np.array([3.02, 0.05])) == 1


def test_misfits_are_the_records_that_would_have_to_change_beyond_chance() -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    rows, model = drawn(1), Particles.of(drawn(2, 2_000), 500.0)
    found = misfit(rows, model, asked, FREE, noise())
    assert found.deviation == 0
    for marginal, records in zip(asked, found.records.tolist(), strict=True):
        counts, expected = rows.counts(marginal), model.counts(marginal)
        apart = np.abs(counts - expected).sum() / 2
        chance = HALF_NORMAL * np.sqrt(expected * (1 + 500 / 2_000)).sum() / 2
        assert records == pytest.approx(apart - chance, abs=len(counts) / FINE)
        # Rows of the same law are apart by chance alone.
        assert abs(records) < chance


def test_misfits_err_by_the_deviation_that_is_told() -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    rows, model = drawn(1), Particles.of(drawn(2), 500.0)
    exact = misfit(rows, model, asked, FREE, noise()).records
    for spend in (Allowance(0.05, "epsilon"), Allowance(0.001, "rho")):
        found = [misfit(rows, model, asked, spend, noise()) for _ in range(100)]
        errors = np.concatenate([each.records - exact for each in found])
        assert errors.std() == pytest.approx(found[0].deviation, rel=0.15)


@pytest.mark.parametrize("count", [799, 3_199])
def test_what_the_model_counts_does_not_hang_on_the_number_of_records(count: int) -> None:
    """One record more, where an eighth of them is one more: to the last bit."""
    schema = category_schema(5, 5, 4, 4, 10, 10)
    rng = np.random.default_rng(1)

    def some(many: int) -> Rows:
        columns = [rng.integers(0, size, many).astype(np.uint16) for size in schema.cardinalities]
        return Rows(schema, columns)

    model = Particles.of(some(2_000), 1_000.0)
    model.weights[:] = rng.random(2_000)
    pairs = [(View(one), View(other)) for one, other in combinations(range(6), 2)]
    records = some(count + 1)
    fewer = Rows(schema, [column[:-1] for column in records.columns])
    by_both = [
        {place: expected.tobytes() for place, _, expected in compare_candidates(each, model, pairs)}
        for each in (fewer, records)
    ]
    assert by_both[0] == by_both[1]


@given(
    data=st.data(),
    choices=st.integers(1, 8),
    amount=st.sampled_from([0.0, 0.02, 3.0]),
    marked=st.booleans(),
)
def test_without_noise_those_are_chosen_that_are_furthest_off_beyond_their_price(
    data: st.DataObject, choices: int, amount: float, marked: bool
) -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    off = np.array(data.draw(st.lists(st.integers(0, 900), min_size=9, max_size=9)))
    priced = np.array(data.draw(st.lists(st.floats(0, 20), min_size=9, max_size=9)))
    marks = Marks(together=(SCHEMA.names[:2],)) if marked else Marks()
    importance = marks.importance(SCHEMA.names)
    counts = Allowance(amount, "rho") if amount else FREE
    shortlist = Shortlist(choices, FREE, counts, importance)
    found = shortlist.choose(asked, off, priced, noise())
    kept = [place for place, each in enumerate(asked) if marked and attributes(each) == (0, 1)]
    scores = (off - np.rint(2 * FINE * priced)).tolist()
    expected: list[int] = []
    for place in sorted(range(len(asked)), key=lambda each: -scores[each]):
        groups = [attributes(asked[each]) for each in (*kept, *expected)]
        if attributes(asked[place]) not in groups and len(expected) < choices:
            expected.append(place)
    assert found == sorted((*kept, *expected))


def test_only_what_is_chosen_is_asked_about_and_noise_is_for_so_many() -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    rows, model = drawn(1), Particles.of(drawn(2), 500.0)
    spend, choosing = Allowance(0.05, "rho"), Allowance(0.02, "rho")
    noises = Transcript(RandomSource.fixed(1))
    found = misfit(rows, model, asked, spend, noises, Shortlist(3, choosing, spend))
    *choices, scores = noises.asked
    assert [each.law for each in choices] == ["exponential"] * 3
    assert math.fsum(each.at_most(FINE) for each in choices) == pytest.approx(choosing.amount)
    assert len(scores.values) == len(found.candidates) == 3
    assert 3 * scores.at_most(FINE) == pytest.approx(spend.amount)
    assert len({attributes(each) for each in found.candidates}) == 3
    whole = misfit(rows, model, asked, FREE, noise())
    exact = misfit(rows, model, found.candidates, FREE, noise())
    of_all = dict(zip(whole.candidates, whole.records.tolist(), strict=True))
    assert exact.records.tolist() == [of_all[each] for each in found.candidates]
    assert found.deviation == pytest.approx(spend.scores_deviation(3, HALF))


def test_the_fewer_are_chosen_the_less_noise_on_what_they_are_chosen_by() -> None:
    """It does not grow with how many there are to choose among."""
    schema = category_schema(*[3] * 12)
    learner = CalibratedLearner.within(schema, Budget(0.1, 1e-9))
    way = Way(every_view(schema), "some", 4)
    few, many = (learner._forecast_choices(replace(way, choices=each), 9_000) for each in (4, 16))
    assert few is not None
    assert many is not None
    assert many.scale == pytest.approx(2 * few.scale)
    assert (few.many, many.many) == (ROUNDS * 4, ROUNDS * 16)
    assert few.scale < learner._answer_noise(Way(every_view(schema), "all"), 9_000) / 2.5


def test_columns_count_in_every_pair_also_in_those_that_nobody_asked_about() -> None:
    """Otherwise a round that asks about few pairs would let columns go."""
    pair = Misfit(((View(0), View(1)),), np.array([900.0]), 1.0, np.array([4]))
    few, many = (
        tuple(
            MeasuredMarginal((View(place),), np.full(2, RECORDS / 2), 60.0) for place in range(size)
        )
        for size in (2, 30)
    )
    shares = [best_division(pair, each, RHO).alone for each in (few, many)]
    assert shares[0] < shares[1] < 1


def test_nothing_to_ask_about() -> None:
    """No pair could be worth it: nothing is asked, and nothing is measured."""
    found = misfit(drawn(1), Particles.of(drawn(2), 5.0), (), Allowance(1.0, "epsilon"), noise())
    assert found.records.size == 0
    assert worth_measuring(found, found.records, Allowance(1.0, "epsilon")) == ()


def told(asked: tuple[Marginal, ...], records: np.ndarray) -> Misfit:
    """Misfits without noise of a model that expects a record in every cell."""
    sizes = np.array([cells(SCHEMA, each) for each in asked])
    return Misfit(asked, records, 0.0, sizes)


def test_a_table_is_priced_by_the_cells_that_the_model_expects_a_record_in() -> None:
    """Two lists of which few codes occur: affordable, though there are hundreds of cells."""
    schema = category_schema(30, 30)
    codes = np.arange(3_000) % 3
    rows = Rows(schema, [codes.astype(np.uint16), (codes // 2).astype(np.uint16)])
    pair = ((View(0), View(1)),)
    spend = Allowance(1e-5, "rho")
    found = misfit(rows, Particles.of(rows, 3_000.0), pair, FREE, noise())
    assert found.sizes(pair) == [3]
    off = replace(found, records=np.array([1_500.0]))
    assert worth_measuring(off, off.records, spend) == pair
    dear = replace(off, occupied=np.array([900]))
    assert worth_measuring(dear, dear.records, spend) == ()


def value(spend: Allowance, records: list[float], sizes: list[int]) -> float:
    """What measuring some tables gains, each noise written out."""
    if not sizes:
        return 0.0
    shares = spend.divide(sizes)
    error = math.fsum(
        size / each.amount
        if spend.currency == "epsilon"
        else size * HALF_NORMAL / math.sqrt(2 * each.amount)
        for size, each in zip(sizes, shares, strict=True)
    )
    return math.fsum(records) - error / 2


@pytest.mark.parametrize("spend", [Allowance(0.4, "epsilon"), Allowance(0.02, "rho")])
def test_what_is_worth_measuring_is_close_to_the_best_of_all_subsets(spend: Allowance) -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    rng = np.random.default_rng(5)
    chosen_any = False
    for _ in range(25):
        records = rng.gamma(0.7, 60, len(asked)) - 20
        found = worth_measuring(told(asked, records), records, spend)
        known = dict(zip(asked, records.tolist(), strict=True))

        def worth(
            some: tuple[tuple[View, ...], ...], known: dict[Marginal, float] = known
        ) -> float:
            sizes = [cells(SCHEMA, each) for each in some]
            return value(spend, [known[each] for each in some], sizes)

        best = max(
            worth(some)
            for count in range(len(asked) + 1)
            for some in combinations(asked, count)
            if len({tuple(view.attribute for view in each) for each in some}) == count
        )
        assert 0 <= worth(found) <= best + 1e-9
        assert worth(found) >= 0.85 * best
        chosen_any |= bool(found)
    assert chosen_any


def test_one_of_a_pair_of_attributes_is_measured() -> None:
    asked = candidates(SCHEMA, 1.0, FREE)
    off = np.full(len(asked), 1e6)
    found = worth_measuring(told(asked, off), off, FREE)
    pairs = [tuple(view.attribute for view in each) for each in found]
    assert len(pairs) == len(set(pairs)) == 6


SIZES = (3, 4, 5, 6)
RECORDS = 6_000.0
PAIRS = tuple((View(one), View(other)) for one, other in combinations(range(4), 2))
RHO = Allowance(2e-4, "rho")


def columns(deviation: float) -> list[MeasuredMarginal]:
    return [
        MeasuredMarginal((View(place),), np.full(size, RECORDS / size), deviation)
        for place, size in enumerate(SIZES)
    ]


def found(records: list[float], deviation: float = 0.0) -> Misfit:
    sizes = [SIZES[one.attribute] * SIZES[other.attribute] for one, other in PAIRS]
    return Misfit(PAIRS, np.array(records), deviation, np.array(sizes))


def plainly(misfit: Misfit, deviation: float, spend: Allowance, share: float) -> float:
    """The sum of squares of what pairs are off by, after this division."""
    off = dependence(misfit, columns(deviation))
    chosen = worth_measuring(misfit, off, spend.part(1 - share)) if share < 1 else ()
    errors = []
    for size in SIZES:
        part = size ** (2 / 3) / math.fsum(each ** (2 / 3) for each in SIZES)
        further = spend.part(share * part).deviation if share else math.inf
        left = (deviation**-2 + further**-2) ** -0.5
        errors.append(size * min(HALF_NORMAL * left, RECORDS / size) / 2)
    total = 0.0
    sizes = misfit.sizes(chosen)
    for place, (one, other) in enumerate(PAIRS):
        apart = float(off[place])
        if PAIRS[place] in chosen:
            size = sizes[chosen.index(PAIRS[place])]
            part = size ** (2 / 3) / math.fsum(each ** (2 / 3) for each in sizes)
            noise = spend.part((1 - share) * part).scale(1.0, 1.0)
            apart = size * HALF_NORMAL * noise / 2
        total += math.hypot(apart, errors[one.attribute], errors[other.attribute]) ** 2
    return total


@pytest.mark.parametrize("deviation", [5.0, 60.0, 400.0])
@pytest.mark.parametrize("strong", [0, 1, 3, 6])
def test_the_division_is_the_best_of_all(deviation: float, strong: int) -> None:
    misfit = found([2_000.0] * strong + [150.0] * (6 - strong))
    division = best_division(misfit, columns(deviation), RHO)
    shares = [each / DIVISIONS for each in range(DIVISIONS + 1)]
    left = [plainly(misfit, deviation, RHO, share) for share in shares]
    mine = plainly(misfit, deviation, RHO, division.alone)
    assert mine == pytest.approx(min(left), rel=1e-3)
    assert bool(division.pairs) == (division.alone < 1)


def test_strong_pairs_get_more_and_uncertain_columns_get_more() -> None:
    strong, weak = found([2_500.0] * 6), found([100.0] * 6)
    assert (
        best_division(strong, columns(40.0), RHO).alone
        < best_division(weak, columns(40.0), RHO).alone
    )
    certain, uncertain = (best_division(strong, columns(each), RHO).alone for each in (2.0, 900.0))
    assert certain < uncertain
    assert certain == 0


def test_where_columns_may_not_be_measured_again_they_are_only_where_no_pair_is_worth_it() -> None:
    assert best_division(found([2_500.0] * 6), columns(900.0), RHO, again=False).alone == 0
    assert best_division(found([0.0] * 6), columns(900.0), RHO, again=False) == best_division(
        found([0.0] * 6), columns(900.0), RHO
    )
    assert best_division(found([0.0] * 6), columns(900.0), RHO).alone == 1


def test_without_noise_every_pair_that_is_off_is_measured() -> None:
    free = Allowance(0.0, "none")
    division = best_division(found([10.0] * 5 + [-1.0]), columns(0.0), free)
    assert division.alone == 0
    assert division.pairs == PAIRS[:5]


def test_a_misfit_that_its_columns_explain_is_no_dependence() -> None:
    errors = column_errors(columns(60.0))
    alone = [math.hypot(errors[one.attribute], errors[other.attribute]) for one, other in PAIRS]
    assert dependence(found(alone), columns(60.0)) == pytest.approx(np.zeros(6), abs=1e-4)
    more = found([math.hypot(each, 700.0) for each in alone])
    assert dependence(more, columns(60.0)) == pytest.approx(np.full(6, 700.0))


def test_misfits_that_differ_by_noise_alone_are_taken_to_be_alike() -> None:
    rng = np.random.default_rng(2)
    noisy = found((500 + rng.normal(0, 200, 6)).tolist(), 200.0)
    own = replace(noisy, deviation=0.0)
    assert dependence(noisy, columns(0.0)).std() < dependence(own, columns(0.0)).std() / 2


def test_no_cell_is_off_by_more_than_it_holds() -> None:
    assert column_errors(columns(1e9)) == pytest.approx(np.full(4, RECORDS / 2))
    assert column_errors(columns(1.0)) == pytest.approx(HALF_NORMAL * np.array(SIZES) / 2)


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
    parts = whole.divide([size * weight for size, weight in tables])

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


def marked_told(records: list[float]) -> Misfit:
    return Misfit(PAIRS, np.array(records), 0.0, np.full(6, 36))


def test_a_marked_pair_is_measured_where_another_as_far_off_is_not() -> None:
    off = marked_told([60.0] * 6)
    spend = Allowance(1.0, "epsilon")
    assert worth_measuring(off, off.records, spend) != PAIRS
    marked = Importance({(2, 3): 16.0})
    assert PAIRS[-1] in worth_measuring(off, off.records, spend, marked)


@given(st.lists(st.floats(-50, 900), min_size=6, max_size=6), st.floats(1.5, 40))
def test_to_mark_all_pairs_is_to_mark_none(records: list[float], weight: float) -> None:
    off, spend = marked_told(records), Allowance(0.2, "rho")
    every = Importance(dict.fromkeys(combinations(range(4), 2), weight))
    assert worth_measuring(off, off.records, spend, every) == worth_measuring(
        off, off.records, spend
    )
    columns = [MeasuredMarginal((View(place),), np.full(6, 1e3), 4.0) for place in range(4)]
    assert best_division(off, columns, spend, importance=every) == best_division(
        off, columns, spend
    )


def test_a_marked_pair_gets_more_and_the_others_get_less() -> None:
    off = marked_told([900.0] * 6)
    marked = Importance({(0, 1): 16.0})
    priced = prices(off, PAIRS, marked)
    assert priced == [36 * 16.0] + [36.0] * 5
    spend = Allowance(0.02, "rho")
    with_marks, without = spend.divide(priced), spend.divide(off.sizes(PAIRS))
    assert with_marks[0].deviation < without[0].deviation / 1.5
    assert with_marks[1].deviation > without[1].deviation
    assert column_prices([5, 3], Importance({(0,): 2.0})) == [10.0, 3.0]


def test_of_a_triple_only_what_its_pairs_do_not_show_is_its_own() -> None:
    three = (View(0), View(1), View(2))
    sure = [MeasuredMarginal((View(place),), np.full(6, 1e3), 0.0) for place in range(4)]
    alone = Misfit((*PAIRS, three), np.array([300.0, 0, 0, 400, 0, 0, 500]), 0.0, np.full(7, 9))
    found = dependence(alone, sure)
    assert found[-1] == pytest.approx(0.0, abs=1e-6)
    more = replace(alone, records=np.array([300.0, 0, 0, 400, 0, 0, 1300]))
    assert dependence(more, sure)[-1] == pytest.approx(1200.0)
    assert dependence(more, sure)[:6] == pytest.approx(
        dependence(marked_told([300.0, 0, 0, 400, 0, 0]), sure)
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
    records = next(rows for rows in range(2_000, 40_000, 500) if marked.way(rows).scope == "marked")
    assert not plain.list_candidates(records)
    assert marked.list_candidates(records) == ((View(0), View(1)),)
    found = expected_errors(marked, records, 1_000)
    assert found.possible[0, 1]
    assert not found.possible[0, 2]
    assert expected_errors(plain, records, 1_000).counted == 0
