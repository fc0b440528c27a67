from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema, random_network, random_structure
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
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split

SCHEMA = category_schema(4, 3, 5)
PLANNED = Omega(low=2, high=2)


@pytest.fixture(scope="module")
def networks() -> tuple[BayesianNetwork, BayesianNetwork]:
    rng = np.random.default_rng(4)
    network = random_network(SCHEMA, random_structure(3, rng), rng)
    return network, random_network(SCHEMA, Structure.independent(3), rng)


def some(seed: int, count: int) -> Records:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, count) for size in (4, 3, 5)])
    return Records(SCHEMA, codes.astype(np.uint16))


def made(
    networks: tuple[BayesianNetwork, BayesianNetwork], k: int, released: Records | None
) -> dict[str, Table]:
    parts = Split(some(1, 400), some(2, 300), some(3, 200), some(4, 100))
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
    tables = made(networks, 10, some(5, 80))
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
    reals = made(networks, 10, None)[REALS].records
    assert (reals.codes[:300] == some(2, 300).codes).all()
    assert (reals.codes[300:] == some(3, 200).codes).all()


def test_a_table_of_hardly_any_records_is_left_out(
    networks: tuple[BayesianNetwork, BayesianNetwork],
) -> None:
    tables = made(networks, 100_000, some(5, FEWEST - 1))
    # At ω = m nothing of a seed is kept, and everything passes.
    assert list(tables) == [REALS, MARGINALS, CANDIDATES, "ω = 3"]


def test_a_table_of_another_omega_that_is_short_does_not_cut_the_others() -> None:
    def of(name: str, role: Role, count: int) -> Table:
        return Table(name, role, some(1, count))

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
    parts = Split(some(1, 400), some(2, 300), some(3, 200), some(4, 100))
    decision = Decision(PlausibleDeniability(k=10, gamma=4.0, epsilon0=1.0), 0.0)
    for released, size in ((some(5, 80), 80), (some(5, 2_000), 120), (some(5, FEWEST - 1), 120)):
        source = RandomSource.fixed(1)
        tables = comparable(
            Making(parts, *networks, decision, PLANNED, (PLANNED,)), released, 120, source
        )
        assert {len(each.records) for each in tables} == {size}
        assert (RELEASED in [each.name for each in tables]) is (len(released) >= FEWEST)


def test_what_a_release_was_made_from_and_other_real_records_share_nobody() -> None:
    parts = Split(some(1, 400), some(2, 300), some(3, 200), some(4, 100))
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
    parts = Split(some(1, seeds), structure, parameters, some(4, 100))
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
    parts = Split(some(1, 0), some(2, 300), some(3, 200), some(4, 100))
    decision = Decision(PlausibleDeniability(k=10, gamma=4.0, epsilon0=1.0), 0.0)
    seedless = Omega(low=3, high=3)
    omegas = (seedless, PLANNED)
    source = RandomSource.fixed(1)
    tables = comparable(
        Making(parts, *networks, decision, seedless, omegas), some(5, 80), 120, source
    )
    assert [each.name for each in tables] == [REALS, MARGINALS, RELEASED]
