"""Tilts settled on fresh records."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.support import category_schema
from understudy.models.calibrated import fit as particles_module
from understudy.models.calibrated.fit import (
    FEW,
    SWEEPS,
    TRUST_IN_MODEL,
    Particles,
    compute_misfit,
    refit_tilts,
    select_best_fit,
    total_misfit,
)
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.count_tables import cells_worthwhile, joint_tables
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import Marginal, Rows, View, cells

SIZES = (2, 3, 2)
_AT_ONE_HALF = pytest.mark.thorough(
    "test_tables_of_one_cover_take_their_turns_as_if_each_saw_the_records"
)
_AT_THE_USUAL = pytest.mark.thorough("test_the_fixed_point_is_the_minimum_of_what_is_stated")
SMALL = category_schema(*SIZES)
UNIVERSE = np.array([*product(*map(range, SIZES))], dtype=np.uint16)


@pytest.fixture
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """How many drawn records tell of a cell: other than shipped."""
    found: float = request.param
    monkeypatch.setattr(particles_module, "FEW", found)
    return found


def particles(each: int = 3, records: float = 120.0) -> Particles:
    """So many particles of every possible record but the first, which none shows."""
    codes = np.repeat(UNIVERSE[1:], each, axis=0)
    return Particles.of(Rows(SMALL, list(codes.T)), records)


def tables(deviations: tuple[float, ...] = (4.0, 2.0, 9.0)) -> list[MeasuredMarginal]:
    """Of other records than the drawn ones, each with its noise."""
    rng = np.random.default_rng(6)
    made = particles()
    truth = rng.dirichlet(np.ones(len(made.rows))) * 120
    marginals = ((View(0),), (View(0), View(1)), (View(1), View(2)))
    found = []
    for marginal, deviation in zip(marginals, deviations, strict=True):
        counts = made.rows.weigh_cells(marginal, truth)
        found.append(
            MeasuredMarginal(marginal, counts + rng.normal(0, deviation, len(counts)), deviation)
        )
    return found


def stated(made: Particles, start: np.ndarray, weights: np.ndarray, few: float = 0.0) -> float:
    """τ·KL(weighted ‖ drawn) + Σ_t ‖measured_t − weighted_t‖²/(2σ_t²), where τσ_t² is at least what
    so few drawn records weigh."""
    logs = np.log(weights / start)
    apart = float((weights * logs - weights + start).sum()) * TRUST_IN_MODEL
    for each in tables():
        # What no drawn record is in is the same whatever the weights are.
        counts = made.rows.weigh_cells(each.marginal, weights)
        variance = max(each.deviation**2, few * start.mean() / TRUST_IN_MODEL)
        apart += float(((each.counts - counts) ** 2).sum()) / (2 * variance)
    return apart


# Of three tables none is followed less closely than its noise says, then one of them, then all.
@pytest.mark.parametrize(
    "few",
    [
        pytest.param(0, marks=_AT_THE_USUAL),
        pytest.param(0.02, marks=_AT_THE_USUAL),
        FEW,
    ],
    indirect=True,
)
def test_the_fixed_point_is_the_minimum_of_what_is_stated(few: float) -> None:
    """Among weights of the same sum, by a plain search."""
    made = particles()
    start = made.weights.copy()

    def held(logs: np.ndarray) -> np.ndarray:
        grown = start * np.exp(logs)
        return np.asarray(grown * (start.sum() / grown.sum()))

    def of_logs(logs: np.ndarray) -> float:
        return stated(made, start, held(logs), few)

    searched = minimize(
        of_logs,
        np.zeros(len(start)),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    best = held(searched.x)
    made.calibrate(tables(), sweeps=2_000, trust=TRUST_IN_MODEL)
    assert made.weights == pytest.approx(best, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("few", [0, 0.02], indirect=True)
def test_every_few_sweeps_come_closer_to_it(few: float) -> None:
    apart = []
    for sweeps in (0, 2, SWEEPS, 30, 300):
        made = particles()
        start = made.weights.copy()
        made.calibrate(tables(), sweeps, trust=TRUST_IN_MODEL)
        apart.append(stated(made, start, made.weights, few))
    assert all(more < less for less, more in pairwise(apart))


@pytest.mark.parametrize("few", [0], indirect=True)
@pytest.mark.usefixtures("few")
def test_tables_without_noise_are_met() -> None:
    made = particles()
    other = np.random.default_rng(1).dirichlet(np.ones(len(made.rows))) * 120
    marginals = ((View(0), View(1)), (View(1), View(2)))
    asked = [MeasuredMarginal(each, made.rows.weigh_cells(each, other), 0.0) for each in marginals]
    made.calibrate(asked, sweeps=300, trust=TRUST_IN_MODEL)
    for each in asked:
        assert made.counts(each.marginal) == pytest.approx(each.counts, abs=0.05)


def test_tables_of_nothing_but_noise_move_nothing() -> None:
    made = particles()
    made.calibrate([MeasuredMarginal((View(0), View(1)), np.full(6, 900.0), 1e6)])
    assert made.weights == pytest.approx(np.full(len(made.rows), 120 / len(made.rows)), rel=1e-4)


def test_weights_are_what_the_tilts_say() -> None:
    made = particles()
    made.calibrate(tables())
    logs = sum(logs[made.rows.cell_numbers(marginal)] for marginal, logs in made.tilts)
    told = np.exp(logs)
    assert made.weights == pytest.approx(120 * told / told.sum())
    assert made.weights.sum() == pytest.approx(120)


@pytest.mark.parametrize(
    "few",
    [
        pytest.param(0, marks=_AT_ONE_HALF),
        0.5,
        pytest.param(FEW, marks=_AT_ONE_HALF),
    ],
    indirect=True,
)
def test_tables_of_one_cover_take_their_turns_as_if_each_saw_the_records(few: float) -> None:
    """One after another over all records, in the order of the covers."""
    rng = np.random.default_rng(8)
    sizes = (2, 6, 3, 4)
    schema = category_schema(*sizes, halves=frozenset({1}))
    columns = [rng.integers(0, size, 4_000).astype(np.uint16) for size in sizes]
    columns[3][columns[2] == 2] = 0  # some cells nobody is in
    rows = Rows(schema, columns)
    marginals: list[Marginal] = [
        (View(0),),
        (View(0), View(1, level=1)),
        (View(1), View(2)),
        (View(3), View(0)),
        (View(0), View(2), View(3)),
        (View(1), View(2)),
    ]
    asked = [
        MeasuredMarginal(each, 800 * rng.dirichlet(np.ones(cells(schema, each))), deviation)
        for each, deviation in zip(marginals, (1.0, 3.0, 0.0, 2.0, 5.0, 9.0), strict=True)
    ]
    order = joint_tables(schema, marginals, cells_worthwhile(4_000))
    assert max(len(each.places) for each in order) > 3
    weights = np.full(4_000, 0.2)
    tilts = [np.zeros(len(each.counts)) for each in asked]
    for place in [place for _ in range(3) for cover in order for place in cover.places]:
        table, number = asked[place], rows.cell_numbers(marginals[place])
        now, least = rows.weigh_cells(table.marginal, weights), few * 800 / 4_000
        added, logs = plain_step(now, table, tilts[place], least)
        tilts[place] += added
        weights *= np.exp(logs)[number]
    made = Particles.of(rows, 800.0)
    made.calibrate(asked, sweeps=3, trust=TRUST_IN_MODEL)
    assert made.weights == pytest.approx(800 * weights / weights.sum(), rel=1e-7)
    for (_, found), expected in zip(made.tilts, tilts, strict=True):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def plain_step(
    now: np.ndarray, table: MeasuredMarginal, tilt: np.ndarray, least: float, whole: float = 800
) -> tuple[np.ndarray, np.ndarray]:
    """The roots, cell by cell, and what keeps the sum, found by halving."""
    damping = max(TRUST_IN_MODEL * max(table.deviation, 1.0) ** 2, least)

    def root(kept: float) -> np.ndarray:
        low, high = np.full_like(now, -60.0), np.full_like(now, 60.0)
        for _ in range(70):
            middle = (low + high) / 2
            over = now * np.exp(middle) + damping * (tilt + middle + kept) > table.counts
            low, high = np.where(over, low, middle), np.where(over, middle, high)
        return np.where(now > 0, low, 0.0)

    least, most = -1e5, 1e5
    for _ in range(90):
        kept = (least + most) / 2
        if (now * np.exp(root(kept))).sum() > whole:
            least = kept
        else:
            most = kept
    return np.where(now > 0, root(kept) + kept, kept), root(kept)


@pytest.mark.parametrize("deviation", [0.0, 5.0, 80.0])
def test_noise_below_nothing_adds_no_records_to_other_cells(deviation: float) -> None:
    """One large cell and many empty ones, whose noise is as often below 0 as above."""
    rng = np.random.default_rng(3)
    schema = category_schema(20, 20)
    codes = np.where(rng.random(6_000) < 0.9, 0, rng.integers(0, 20, 6_000)).astype(np.uint16)
    rows = Rows(schema, [codes, np.where(codes == 0, 0, rng.integers(0, 20, 6_000)).astype("u2")])
    made = Particles.of(rows, 6_000.0)
    exact = made.counts((View(0), View(1)))
    noisy = MeasuredMarginal((View(0), View(1)), exact + rng.normal(0, deviation, 400), deviation)
    made.calibrate([noisy], sweeps=2)
    assert made.counts((View(0), View(1)))[0] == pytest.approx(exact[0], rel=0.02)


def test_a_settled_table_is_followed_where_another_of_its_noise_is_not() -> None:
    rng = np.random.default_rng(4)
    schema = category_schema(6, 6)
    rows = Rows(schema, [rng.integers(0, 6, 3_000).astype(np.uint16) for _ in range(2)])
    counts, deviation = np.array([100.0, 300.0, 500.0, 900.0, 700.0, 500.0]), 400.0
    off = []
    for settled in (False, True):
        made = Particles.of(rows, 3_000.0)
        made.calibrate([MeasuredMarginal((View(0),), counts, deviation, settled=settled)])
        off.append(float(np.abs(made.counts((View(0),)) - counts).sum()))
    assert off[1] < off[0] / 5


def test_a_table_that_told_nothing_new_is_hardly_followed() -> None:
    """The same counts, once with the trust of a table that strayed by its noise alone."""
    rng = np.random.default_rng(4)
    schema = category_schema(6, 6)
    rows = Rows(schema, [rng.integers(0, 6, 3_000).astype(np.uint16) for _ in range(2)])
    made = Particles.of(rows, 3_000.0)
    table = MeasuredMarginal((View(0),), made.counts((View(0),)) + rng.normal(0, 25, 6), 40.0)
    doubted = table.beside(made.counts((View(0),)))
    assert doubted.trust > 0.1
    off = []
    for each in (table, doubted):
        made = Particles.of(rows, 3_000.0)
        before = made.counts((View(0),))
        made.calibrate([each], sweeps=30, trust=TRUST_IN_MODEL)
        off.append(float(np.abs(made.counts((View(0),)) - before).sum()))
    assert off[1] < off[0] / 3


def test_how_many_are_as_good() -> None:
    made = particles()
    assert made.effective == pytest.approx(1)
    made.weights = np.where(np.arange(len(made.rows)) == 0, 120.0, 0.0)
    assert made.effective == pytest.approx(1 / len(made.rows))


@pytest.mark.parametrize("wild", [1e9, -1e9, 0.0])
def test_wild_tables_leave_weights_that_are_numbers(wild: float) -> None:
    made = particles()
    counts = np.array([wild, 1.0, 0.0, -3.0, 50.0, 70.0])
    made.calibrate([MeasuredMarginal((View(0), View(1)), counts, 0.0)])
    assert np.isfinite(made.weights).all()
    assert (made.weights >= 0).all()
    assert made.weights.sum() == pytest.approx(120)


@pytest.mark.parametrize(("least", "deviation"), [(0.2, 30.0), (0.5, 1.0), (0.9, 0.0)])
def test_weights_keep_the_effective_share_that_is_asked(least: float, deviation: float) -> None:
    """Of tables that want nearly all of the weight on a few records."""
    rng = np.random.default_rng(4)
    schema = category_schema(12, 12, 12)
    rows = Rows(schema, [rng.integers(0, 12, 30_000).astype(np.uint16) for _ in range(3)])
    asked = []
    for one, other in ((0, 1), (1, 2), (0, 2)):
        counts = np.where(np.arange(144) % 13 == 0, 800.0, 0.0)
        asked.append(MeasuredMarginal((View(one), View(other)), counts, deviation))
    free, held = (Particles.of(rows, 9_600.0) for _ in range(2))
    free.calibrate(asked)
    held.calibrate(asked, least=least)
    assert held.effective >= least
    assert held.trust > free.trust
    assert free.effective < 0.2
    assert held.weights.sum() == pytest.approx(9_600)
    logs = sum(logs[rows.cell_numbers(marginal)] for marginal, logs in held.tilts)
    assert held.weights == pytest.approx(9_600 * np.exp(logs) / np.exp(logs).sum())


def test_of_mere_noise_the_trust_does_not_fall_to_the_least() -> None:
    """The same records, counted with noise: following it is charged for."""
    rng = np.random.default_rng(5)
    schema = category_schema(*[5] * 6)
    rows = Rows(schema, [rng.integers(0, 5, 4_000).astype(np.uint16) for _ in range(6)])
    trusts = []
    for deviation in (40.0, 1.0):
        made = Particles.of(rows, 4_000.0)
        other = made.weights * rng.gamma(2.0, 0.5, 4_000) if deviation == 1 else made.weights
        marginals = [(View(one), View(other)) for one, other in combinations(range(6), 2)]
        made.calibrate(
            [
                MeasuredMarginal(
                    each, rows.weigh_cells(each, other) + rng.normal(0, deviation, 25), deviation
                )
                for each in marginals
            ]
        )
        trusts.append(made.trust)
    assert trusts[0] > 5 * TRUST_IN_MODEL
    assert trusts[0] > trusts[1]


def test_a_fit_is_charged_for_the_noise_that_it_follows() -> None:
    table = MeasuredMarginal((View(0),), np.array([4.0, 0.0]), 2.0)
    now = np.array([2.0, 6.0])
    assert compute_misfit(now, table, np.inf) == pytest.approx(4 / 4 + 36 / 4)
    assert compute_misfit(now, table, 0.5) == pytest.approx(10 + 2 * (2 / 4 + 6 / 8))


def test_a_cell_is_followed_as_far_as_the_records_in_it_tell() -> None:
    """However certain the table: of many records closely, of few hardly, and always so far that
    30 records less tell it."""
    rng = np.random.default_rng(5)
    schema = category_schema(2, 200)
    columns = [rng.integers(0, 2, 20_000), rng.integers(0, 200, 20_000)]
    asked = []
    for size, marginal in ((2, (View(0),)), (200, (View(1),))):
        counts = np.full(size, 20_000 / size)
        counts[: size // 2] *= 1.2
        counts[size // 2 :] *= 0.8
        asked.append(MeasuredMarginal(marginal, counts, 0.0))
    for table, near in zip(asked, (0.005, 0.3), strict=True):
        made = Particles.of(Rows(schema, [each.astype(np.uint16) for each in columns]), 20_000.0)
        made.calibrate([table], sweeps=1, trust=TRUST_IN_MODEL)
        now = Particles.of(made.rows, 20_000.0).counts(table.marginal)
        _, logs = plain_step(now, table, np.zeros(len(now)), 30.0, 20_000.0)
        assert made.counts(table.marginal) == pytest.approx(now * np.exp(logs), rel=1e-9)
        off = np.abs(made.counts(table.marginal) / table.counts - 1).mean()
        assert off < near


def test_weights_hold_of_other_records_of_the_same_law() -> None:
    """Exact tables of as many cells as there are records: weights that suit only these records are
    worth nothing to others."""
    rng = np.random.default_rng(5)
    schema = category_schema(60, 60, 60)
    one, other = (
        Rows(schema, [rng.integers(0, 60, 4_000).astype(np.uint16) for _ in range(3)])
        for _ in range(2)
    )
    made = Particles.of(one, 4_000.0)
    pairs: list[Marginal] = [(View(0), View(1)), (View(1), View(2)), (View(0), View(2))]
    made.calibrate([MeasuredMarginal(each, np.full(3_600, 4_000 / 3_600), 0.0) for each in pairs])
    logs = sum(logs[other.cell_numbers(marginal)] for marginal, logs in made.tilts)
    assert Particles.of(other, 1.0).with_weights(np.exp(logs), 1.0).effective > 0.5


def test_records_of_cells_that_none_was_in_are_as_likely_as_they_were() -> None:
    made = particles()
    table = MeasuredMarginal((View(0), View(1)), np.array([40.0, 0.0, 20.0, 20.0, 20.0, 20.0]), 2.0)
    rows = Rows(SMALL, list(UNIVERSE[(UNIVERSE[:, 0] > 0) | (UNIVERSE[:, 1] > 0)].T))
    made = Particles.of(rows, 120.0)
    made.calibrate([table])
    (_, logs), *_ = made.tilts
    weighted = np.log(made.weights * len(rows) / 120)
    shown = rows.cell_numbers(table.marginal)
    assert logs[0] == pytest.approx(logs[shown][0] - weighted[0], abs=1e-6)


PAIR = category_schema(*[4] * 5)
PAIRS = [(View(one), View(other)) for one, other in combinations(range(5), 2)]


def law(seed: int, alike: float = 0.0) -> Particles:
    """Records whose columns are the first one's with this chance."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 4, 3_000) for _ in range(5)]
    columns = [np.where(rng.random(3_000) < alike, columns[0], each) for each in columns]
    return Particles.of(Rows(PAIR, [each.astype(np.uint16) for each in columns]), 3_000.0)


def counted(truth: Particles, deviation: float, seed: int) -> list[MeasuredMarginal]:
    rng = np.random.default_rng(seed)
    return [
        MeasuredMarginal(each, truth.counts(each) + rng.normal(0, deviation, 16), deviation)
        for each in PAIRS
    ]


@settings(max_examples=20, deadline=None)
@given(alike=st.floats(0, 0.9), deviation=st.floats(1, 300), seed=st.integers(0, 99))
def test_what_is_kept_fits_no_worse_than_anything_else(
    alike: float, deviation: float, seed: int
) -> None:
    tables = counted(law(seed, alike), deviation, seed)
    first, fitted = law(seed + 1, 0.3), law(seed + 1, 0.3)
    fitted.calibrate(tables)
    candidates = [fitted, fitted.with_equal_weights(), first, law(seed + 2)]
    figures = [total_misfit(each, tables) for each in candidates]
    assert figures[select_best_fit(candidates, tables)] == min(figures)


def test_what_follows_nothing_but_noise_is_not_kept() -> None:
    """It is nearer to the tables, and further from the truth."""
    truth = law(1)
    tables = counted(truth, 60.0, 2)
    fitted = truth.with_equal_weights()
    fitted.calibrate(tables, trust=TRUST_IN_MODEL)
    for each in tables:
        off = [np.abs(each.counts - one.counts(each.marginal)).sum() for one in (fitted, truth)]
        assert off[0] < off[1]
    assert select_best_fit([fitted, truth], tables) == 1


def test_what_mends_a_law_is_kept() -> None:
    tables = counted(law(1, 0.6), 10.0, 2)
    fitted = law(3)
    fitted.calibrate(tables)
    assert select_best_fit([law(3), fitted], tables) == 1


SETTLING = category_schema(40, 50, 3)
COLUMNS: list[Marginal] = [(View(place),) for place in range(3)]
RECORDS = 20_000


def drawn(seed: int, many: int = 200_000) -> Particles:
    rng = np.random.default_rng(seed)
    sizes = SETTLING.cardinalities.tolist()
    columns = [rng.integers(0, size, many).astype(np.uint16) for size in sizes]
    return Particles.of(Rows(SETTLING, columns), float(RECORDS))


def tables_of() -> list[MeasuredMarginal]:
    """Even columns, and a pair that is far from even."""
    rng = np.random.default_rng(9)
    whole = [
        MeasuredMarginal(each, np.full(size, RECORDS / size), 1.0, settled=True)
        for each, size in zip(COLUMNS, SETTLING.cardinalities.tolist(), strict=True)
    ]
    uneven = rng.gamma(0.4, size=2_000)
    return [*whole, MeasuredMarginal((View(0), View(1)), RECORDS * uneven / uneven.sum(), 1.0)]


def accepted(tilts: Tilts, fresh: Particles) -> Particles:
    return fresh.with_weights(tilts.acceptance(fresh.rows.columns), 0.01)


def off(model: Particles, tilts: Tilts) -> float:
    """How far columns are off among other records of the same law, as they are accepted."""
    now = accepted(tilts, model)
    return max(
        float(np.abs(now.counts(each.marginal) - each.counts).sum()) / RECORDS / 2
        for each in tables_of()[:3]
    )


def test_columns_are_as_they_were_told_among_records_that_the_tilts_were_not_found_on() -> None:
    found = drawn(1, RECORDS)
    found.calibrate(tables_of())
    fresh = drawn(2)
    plain = Tilts.of(fresh.rows, [Tilt(*each) for each in found.tilts])
    again = refit_tilts(plain, fresh, accepted(plain, fresh), tables_of())
    assert off(drawn(3), again) < 0.012
    assert off(drawn(3), plain) > 1.5 * off(drawn(3), again)


def test_where_no_sweep_was_kept_nothing_is_settled() -> None:
    found = drawn(1, RECORDS)
    found.calibrate(tables_of(), sweeps=0)
    plain = Tilts.of(found.rows, [Tilt(*each) for each in found.tilts])
    even = found.with_weights(found.weights, found.trust)
    assert refit_tilts(plain, found, even, tables_of()) is plain


def test_what_chance_explains_is_left_alone() -> None:
    """Chance in fresh records would be taken for the truth."""
    fresh = drawn(2, RECORDS)
    plain = Tilts.of(fresh.rows, [Tilt((View(0),), np.zeros(40))])
    assert refit_tilts(plain, fresh, accepted(plain, fresh), tables_of()) is plain
