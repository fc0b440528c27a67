from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema, random_network, random_structure, uniform_records
from understudy.evaluation.comparison import distances
from understudy.evaluation.measure import (
    CANDIDATES,
    FEWEST,
    MARGINALS,
    REALS,
    RELEASED,
    Role,
    Table,
)
from understudy.mechanisms.seedbased.attempts import Decision
from understudy.mechanisms.seedbased.evaluation import pool as pools_module
from understudy.mechanisms.seedbased.evaluation.figures import draw_pools
from understudy.mechanisms.seedbased.evaluation.pool import (
    HeldOutPairs,
    Pool,
    Pools,
    References,
    load_pools,
    save_pools,
)
from understudy.mechanisms.seedbased.evaluation.tables import (
    Making,
    apart_from,
    comparable,
    long_enough,
    made_from,
    tables_of,
)
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, privacy_test
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Shares, Split, split

Codes = npt.NDArray[np.uint16]

SCHEMA = category_schema(4, 3, 5)
OMEGAS = (Omega(low=1, high=3), Omega(low=2, high=2), Omega(low=2, high=3, reading="announced"))


def some(seed: int, count: int, sizes: tuple[int, ...] = (4, 3, 5)) -> Records:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, rng.integers(1, size + 1), count) for size in sizes])
    return Records(category_schema(*sizes), codes.astype(np.uint16))


def by_dictionary(table: Codes, weights: list[float], held_out: Codes) -> list[float]:
    """½ Σ |p − q| of every pair of columns, record by record."""
    found = []
    for pair in combinations(range(table.shape[1]), 2):
        p: Counter[tuple[int, ...]] = Counter()
        q: Counter[tuple[int, ...]] = Counter()
        for row, weight in zip(table.tolist(), weights, strict=True):
            p[tuple(row[at] for at in pair)] += weight / sum(weights)
        for row in held_out.tolist():
            q[tuple(row[at] for at in pair)] += 1 / len(held_out)
        found.append(sum(abs(p[cell] - q[cell]) for cell in {*p, *q}) / 2)
    return found


@st.composite
def weighted(draw: st.DrawFn) -> tuple[Records, list[list[float]], Records]:
    sizes = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=4)))
    count = draw(st.integers(1, 12))
    chance = st.floats(1e-3, 1) | st.sampled_from([0.0, 1e-12])
    ways = draw(st.lists(st.lists(chance, min_size=count, max_size=count), min_size=1, max_size=4))
    ways = [[*way[:-1], way[-1] + 0.1] for way in ways]
    seed = draw(st.integers(0, 10**6))
    return some(seed, count, sizes), ways, some(seed + 1, FEWEST + 9, sizes)


@given(case=weighted())
def test_weighted_distances_are_those_of_a_slow_count(
    case: tuple[Records, list[list[float]], Records],
) -> None:
    table, ways, held_out = case
    found = HeldOutPairs.of(held_out).distances(table.codes, np.array(ways).T)
    for way, column in zip(ways, found.T, strict=True):
        assert column == pytest.approx(by_dictionary(table.codes, way, held_out.codes))


def test_it_does_not_matter_how_many_ways_are_worked_out_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, pairs = some(1, 300), HeldOutPairs.of(some(2, 300))
    weights = np.random.default_rng(3).random((300, 7))
    whole = pairs.typical(table.codes, weights)
    monkeypatch.setattr(pools_module, "_AT_ONCE", 1)
    assert pairs.typical(table.codes, weights).tolist() == whole.tolist()


def test_equal_weights_give_the_distances_of_the_table_itself() -> None:
    table, held_out = some(1, 400), some(2, 300)
    pairs = HeldOutPairs.of(held_out)
    found = pairs.distances(table.codes, np.full((400, 1), 0.3))[:, 0]
    assert found == pytest.approx(distances(table, held_out).each_pair)
    typical = pairs.typical(table.codes, np.ones((400, 1)))[0]
    assert typical == pytest.approx(distances(table, held_out).typical_pair)


def test_a_way_in_which_nothing_counts_is_no_number() -> None:
    weights = np.column_stack([np.zeros(300), np.ones(300)])
    found = HeldOutPairs.of(some(2, 300)).typical(some(1, 300).codes, weights)
    assert np.isnan(found).tolist() == [True, False]


def test_too_few_held_out_records_are_not_compared_with() -> None:
    pairs = HeldOutPairs.of(some(1, FEWEST - 1))
    assert len(pairs.pairs) == len(pairs.cells) == 0
    assert np.isnan(pairs.typical(some(2, 9).codes, np.ones((9, 2)))).all()


def test_no_record_is_kept_of_those_held_out() -> None:
    pairs = HeldOutPairs.of(some(1, 5_000))
    assert len(pairs.cells) <= 4 * 3 + 4 * 5 + 3 * 5
    assert pairs.shares.sum() == pytest.approx(3)


def test_of_a_wide_table_some_pairs_are_chosen_and_always_the_same_ones() -> None:
    sizes = (3,) * 30
    one, other = (HeldOutPairs.of(some(seed, 200, sizes)) for seed in (1, 2))
    assert len(one.pairs) == pools_module.MOST_PAIRS < 30 * 29 // 2
    assert len({tuple(pair) for pair in one.pairs.tolist()}) == len(one.pairs)
    assert one.pairs.tolist() == other.pairs.tolist()
    table, held_out = some(3, 200, sizes), some(1, 200, sizes)
    found = one.distances(table.codes, np.ones((200, 1)))[:, 0]
    whole = distances(table, held_out).pairs
    assert found == pytest.approx([whole[a, b] for a, b in one.pairs.tolist()])


def test_the_cells_that_are_listed_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = HeldOutPairs.of(some(1, 3_000))
    monkeypatch.setattr(pools_module, "MOST_CELLS", len(whole.cells) - 1)
    assert HeldOutPairs.of(some(1, 3_000)).pairs.tolist() == whole.pairs[:-1].tolist()
    monkeypatch.setattr(pools_module, "MOST_CELLS", 0)
    assert HeldOutPairs.of(some(1, 3_000)).pairs.tolist() == [[0, 1]]


def made(source: RandomSource, count: int = 3_000) -> Pools:
    rng = np.random.default_rng(1)
    network, baseline = (random_network(SCHEMA, random_structure(3, rng), rng) for _ in range(2))
    parts = split(some(5, count), Shares(), source)
    drawn = draw_pools(network, parts.seeds, 0.5, OMEGAS, source)
    return Pools.around(drawn, parts, baseline, source)


def test_other_real_records_differ_by_chance_alone_and_more_so_where_they_are_few() -> None:
    pools = made(RandomSource.fixed(4))
    assert (np.diff(pools.references.real) < 0).all()
    assert pools.references.real[-1] < 0.1 < pools.references.marginals
    between = pools.references.real_at(np.array([100.0, 200.0, 1e9]))
    assert (np.diff(between) < 0).all()
    assert between[-1] == pytest.approx(pools.references.real[-1])
    numbers = pools.references.numbers.astype(np.float64)
    assert pools.references.real_at(numbers) == pytest.approx(pools.references.real)


def test_blocks_of_real_records_are_averaged_at_each_number() -> None:
    pairs, real = HeldOutPairs.of(some(1, 500)), some(2, 400).codes
    found = References.of(pairs, real, real, 500)
    assert found.numbers.tolist() == [50, 100, 200, 400, pools_module.SAMPLE]
    halves = [pairs.typical(part, np.ones((200, 1)))[0] for part in (real[:200], real[200:])]
    assert found.real[2] == pytest.approx(np.mean(halves))
    assert found.real[3] == pytest.approx(found.marginals)


def test_what_more_real_records_than_there_are_would_differ_by_is_worked_out() -> None:
    sizes, rng = (12, 10, 14), np.random.default_rng(1)
    count = 900 + pools_module.SAMPLE
    codes = np.column_stack([rng.integers(0, size, count) for size in sizes]).astype(np.uint16)
    everyone = Records(category_schema(*sizes), codes)
    pairs, many = HeldOutPairs.of(everyone.take(np.arange(900))), everyone.codes[900:]
    measured = References.of(pairs, many, many, 900).real[-1]
    found = [
        References.of(pairs, many[at : at + 300], many, 900).real for at in range(0, 3000, 300)
    ]
    assert np.mean([each[-2] for each in found]) > 1.5 * measured
    assert np.mean([each[-1] for each in found]) == pytest.approx(measured, rel=0.15)


def test_where_no_real_record_is_apart_there_are_still_pools() -> None:
    pairs, none = HeldOutPairs.of(some(1, 500)), some(2, 0).codes
    found = References.of(pairs, none, some(3, 200).codes, 500)
    assert np.isnan(found.real_at(np.array([100.0]))).all()
    assert found.marginals > 0


def test_nothing_to_refer_to_is_no_number() -> None:
    few = References.of(HeldOutPairs.of(some(1, 9)), some(2, 9).codes, some(3, 9).codes, 9)
    assert np.isnan([few.marginals, *few.real_at(np.array([5.0]))]).all()


def test_a_pool_keeps_candidates_that_its_scores_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept attributes come from a seed: a candidate with one plausible seed is one of few."""
    monkeypatch.setattr(pools_module, "SAMPLE", 500)
    source = RandomSource.fixed(6)
    rng = np.random.default_rng(2)
    network, seeds = random_network(SCHEMA, random_structure(3, rng), rng), some(7, 200)
    (pool,) = draw_pools(network, seeds, None, [Omega(low=1, high=1)], source)
    assert isinstance(pool.sample.plausible, np.ndarray)
    kept = list(network.order[:2])
    for codes, count in zip(pool.codes, pool.sample.plausible, strict=True):
        assert count == (seeds.codes[:, kept] == codes[kept]).all(axis=1).sum()


def test_pools_are_found_by_their_epsilon_and_omega() -> None:
    pools = made(RandomSource.fixed(4))
    assert pools.epsilons == (0.5,)
    assert pools.omegas == OMEGAS
    found = pools.of(0.5, Omega(low=2, high=2, reading="announced"))
    assert found is pools.each[1]  # of one number there is one reading
    assert pools.of(0.5, Omega(low=1, high=3, reading="announced")) is None
    assert pools.of(None, OMEGAS[0]) is None


def test_later_pools_take_the_place_of_earlier_ones() -> None:
    pools, other = made(RandomSource.fixed(4)), made(RandomSource.fixed(5)).each[0]
    without = Pool(None, other.sample, other.codes)
    joined = pools.join([other, without])
    assert joined.each == (other, *pools.each[1:], without)
    assert joined.epsilons == (0.5, None)


def test_pools_survive_their_files(tmp_path: Path) -> None:
    pools = made(RandomSource.fixed(4))
    assert load_pools(tmp_path / "pools.npz") == ()
    save_pools([*pools.each, Pool(None, pools.each[0].sample, pools.each[0].codes)], tmp_path / "p")
    again = load_pools(tmp_path / "p")
    assert [each.epsilon for each in again] == [0.5, 0.5, 0.5, None]
    test = privacy_test("plausible-deniability", 20, 0.5, 2.0)
    for one, other in zip(pools.each, again, strict=False):
        assert one.sample.omega == other.sample.omega
        assert one.codes.tolist() == other.codes.tolist()
        assert one.sample.chances(test).tolist() == other.sample.chances(test).tolist()
    back = Pools.from_arrays(pools.arrays(), pools.each)
    assert back.references.marginals == pools.references.marginals
    weights = np.ones((len(pools.each[0].codes), 1))
    ours, theirs = (each.held_out.typical(pools.each[0].codes, weights) for each in (pools, back))
    assert ours == theirs


PLANNED = Omega(low=2, high=2)


@pytest.fixture(scope="module")
def networks() -> tuple[BayesianNetwork, BayesianNetwork]:
    rng = np.random.default_rng(4)
    network = random_network(SCHEMA, random_structure(3, rng), rng)
    return network, random_network(SCHEMA, Structure.independent(3), rng)


def tables_some(seed: int, count: int) -> Records:
    return uniform_records(SCHEMA, count, seed)


def tables_made(
    networks: tuple[BayesianNetwork, BayesianNetwork], k: int, released: Records | None
) -> dict[str, Table]:
    parts = Split(
        tables_some(1, 400), tables_some(2, 300), tables_some(3, 200), tables_some(4, 100)
    )
    decision = Decision(PlausibleDeniability(k=k, gamma=4.0, epsilon0=1.0), 0.0)
    omegas = (PLANNED, Omega(low=3, high=3))
    source = RandomSource.fixed(1)
    reals = together(parts)
    tables = tables_of(
        Making(parts, *networks, decision, PLANNED, omegas), reals, released, 250, source
    )
    return {each.name: each for each in tables}


def test_there_is_a_table_for_everything_one_may_ask_about(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    tables = tables_made(networks, 10, tables_some(5, 80))
    assert list(tables) == [REALS, MARGINALS, RELEASED, CANDIDATES, "ω = 2", "ω = 3"]
    sizes = {name: len(each.records) for name, each in tables.items()}
    assert sizes == {
        REALS: 500,
        MARGINALS: 250,
        RELEASED: 80,
        CANDIDATES: 250,
        "ω = 2": 250,
        "ω = 3": 250,
    }


def test_other_real_records_are_those_the_model_was_learned_from_and_no_seed(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    reals = tables_made(networks, 10, None)[REALS].records
    assert (reals.codes[:300] == tables_some(2, 300).codes).all()
    assert (reals.codes[300:] == tables_some(3, 200).codes).all()


def test_a_table_of_hardly_any_records_is_left_out(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    tables = tables_made(networks, 100_000, tables_some(5, FEWEST - 1))
    # At ω = m nothing of a seed is kept, and everything passes.
    assert list(tables) == [REALS, MARGINALS, CANDIDATES, "ω = 3"]


def test_a_table_of_another_omega_that_is_short_does_not_cut_the_others() -> None:
    def of(name: str, role: Role, count: int) -> Table:
        return Table(name, role, tables_some(1, count))

    given = (
        of(REALS, "reals", 100),
        of(RELEASED, "released", 60),
        of("ω = 3", "synthetic", 100),
        of("ω = 2", "synthetic", 59),
        of("ω = 1", "synthetic", 61),
    )
    kept = [each.name for each in long_enough(given, 120)]
    assert kept == [REALS, RELEASED, "ω = 3", "ω = 1"]


def test_tables_to_compare_are_all_as_long_as_the_release(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    parts = Split(
        tables_some(1, 400), tables_some(2, 300), tables_some(3, 200), tables_some(4, 100)
    )
    decision = Decision(PlausibleDeniability(k=10, gamma=4.0, epsilon0=1.0), 0.0)
    for released, size in (
        (tables_some(5, 80), 80),
        (tables_some(5, 2_000), 120),
        (tables_some(5, FEWEST - 1), 120),
    ):
        source = RandomSource.fixed(1)
        tables = comparable(
            Making(parts, *networks, decision, PLANNED, (PLANNED,)), released, 120, source
        )
        assert {len(each.records) for each in tables} == {size}
        assert (RELEASED in [each.name for each in tables]) is (len(released) >= FEWEST)


def test_what_a_release_was_made_from_and_other_real_records_share_nobody() -> None:
    parts = Split(
        tables_some(1, 400), tables_some(2, 300), tables_some(3, 200), tables_some(4, 100)
    )
    learned = np.concatenate([parts.structure.codes, parts.parameters.codes])
    assert made_from(parts, PLANNED) is parts.seeds
    assert (apart_from(parts, PLANNED).codes == learned).all()
    seedless = Omega(low=3, high=3)
    assert (made_from(parts, seedless).codes == learned).all()
    assert apart_from(parts, seedless) is parts.seeds


@pytest.mark.parametrize("seeds", [0, FEWEST - 1])
def test_where_there_are_no_seeds_to_compare_what_was_learned_from_is_halved(seeds: int) -> None:
    seedless = Omega(low=3, high=3)
    # Every record is another, so that one in both halves would show.
    codes = np.stack(np.unravel_index(np.arange(60), (4, 3, 5)), axis=1).astype(np.uint16)
    every = Records(SCHEMA, codes)
    structure, parameters = every.take(np.arange(21)), every.take(np.arange(21, 60))
    parts = Split(tables_some(1, seeds), structure, parameters, tables_some(4, 100))
    ours, others = made_from(parts, seedless), apart_from(parts, seedless)
    assert (len(ours), len(others)) == (30, 30)
    together = np.concatenate([ours.codes, others.codes]).tolist()
    assert sorted(together) == sorted(codes.tolist())
    assert (made_from(parts, seedless).codes == ours.codes).all()
    # Neither half is the first of the table, whose order may mean something.
    assert 0 < (ours.codes[:, 0] < 2).sum() < 30
    assert made_from(parts, PLANNED) is parts.seeds
    assert len(apart_from(parts, PLANNED)) == 60


def test_without_a_seed_there_are_only_tables_that_need_none(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    parts = Split(tables_some(1, 0), tables_some(2, 300), tables_some(3, 200), tables_some(4, 100))
    decision = Decision(PlausibleDeniability(k=10, gamma=4.0, epsilon0=1.0), 0.0)
    seedless = Omega(low=3, high=3)
    omegas = (seedless, PLANNED)
    source = RandomSource.fixed(1)
    tables = comparable(
        Making(parts, *networks, decision, seedless, omegas), tables_some(5, 80), 120, source
    )
    assert [each.name for each in tables] == [REALS, MARGINALS, RELEASED]
