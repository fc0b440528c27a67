"""The kept-attributes model against its definition, written out record by record. The model that
keeps or redraws each attribute: its law in exact fractions, to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import World, category_schema, random_network, random_structure, worlds
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.models.bayesnet.kept_attributes import KeptAttributes, log_sums
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE, ConditionalTable
from understudy.models.omega import Omega
from understudy.models.scores import SeedbasedModel, scan_scores
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

DENIABILITY = PlausibleDeniability(k=2, gamma=4.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=2, epsilon0=1.0)


def likelihood_at(network: BayesianNetwork, omega: int, seed: list[int], made: list[int]) -> float:
    """p_d(y) at a fixed ω, (6.13), both records in dependency order."""
    attributes = len(network.order)
    kept = attributes - omega
    if seed[:kept] != made[:kept]:
        return 0.0
    by_attribute = dict(zip(network.order, made, strict=True))
    total = 1.0
    for place in range(kept, attributes):
        attribute = network.order[place]
        row = 0
        for parent in network.structure.parents[attribute]:
            column = network.schema.columns[parent]
            row = row * column.bucket_count + int(column.bucket_map[by_attribute[parent]])
        total *= network.tables[attribute].probabilities[row, made[place]]
    return total


def likelihood(network: BayesianNetwork, omega: Omega, seed: list[int], made: list[int]) -> float:
    """p_d(y) when ω is drawn fairly from its range."""
    each = [likelihood_at(network, value, seed, made) for value in omega.values]
    return sum(each) / len(each)


def _beginning(records: list[list[int]], kept: np.ndarray) -> list[int]:
    """A record that begins like this: which one makes no difference to what is kept."""
    return next(each for each in records if each[: len(kept)] == kept.tolist())


def bucket(value: float, gamma: float) -> int | None:
    return None if value == 0 else math.floor(-math.log(value) / math.log(gamma))


def relative_score(values: list[float], own: float) -> int | None:
    """⌊κ⌋ by Definition 4.2; None where rounding may decide it."""
    largest = Fraction(0)
    for value in {each for each in values if each >= own}:
        lighter = sum((Fraction(each) for each in values if each < value), Fraction(0))
        ratio = lighter / Fraction(value)
        if ratio and abs(ratio - round(ratio)) < 1e-9:
            return None
        largest = max(largest, values.count(value) - 1 + ratio)
    return math.floor(largest)


@st.composite
def ranges(draw: st.DrawFn, attributes: int) -> Omega:
    low = draw(st.integers(0, attributes))
    return Omega(low=low, high=draw(st.integers(low, attributes)))


@given(worlds(), st.data(), st.floats(1.05, 8), st.integers(0, 2**31))
def test_the_index_scores_as_a_scan_does_when_omega_is_hidden(
    world: World, data: st.DataObject, gamma: float, seed: int
) -> None:
    omega = data.draw(ranges(len(world.network.order)))
    made = Synthesizer(KeptAttributes(world.network, omega), world.records)
    candidates, seeds = made.propose_with_seeds(0, 25, RandomSource.fixed(seed))
    test = PlausibleDeniability(k=2, gamma=gamma, epsilon0=1.0)
    scores, relative = candidates.scores(test), candidates.scores(RELATIVE)
    records = world.ordered.tolist()
    for place, (candidate, own) in enumerate(zip(candidates.codes.T, seeds.T, strict=True)):
        y = candidate.tolist()
        values = [likelihood(world.network, omega, record, y) for record in records]
        of_seed = likelihood(world.network, omega, _beginning(records, own), y)
        assert of_seed > 0
        assert relative_score(values, of_seed) in (relative[place], None)
        edge = -math.log(of_seed) / math.log(gamma)
        if abs(edge - round(edge)) < 1e-9:
            continue
        alike = [value for value in values if bucket(value, gamma) == bucket(of_seed, gamma)]
        assert scores[place] == len(alike)


@given(worlds(), st.data(), st.integers(0, 2**31))
def test_the_index_scores_as_a_scan_does_when_omega_is_announced(
    world: World, data: st.DataObject, seed: int
) -> None:
    drawn = data.draw(ranges(len(world.network.order)))
    omega = Omega(low=drawn.low, high=drawn.high, reading="announced")
    made = Synthesizer(KeptAttributes(world.network, omega), world.records)
    candidates = made.propose(0, 25, RandomSource.fixed(seed))
    scores, relative = candidates.scores(DENIABILITY), candidates.scores(RELATIVE)
    records = world.ordered.tolist()
    for place, candidate in enumerate(candidates.codes.T):
        value = int(candidates.omegas[place])
        able = [
            record
            for record in records
            if likelihood_at(world.network, value, record, candidate.tolist()) > 0
        ]
        assert scores[place] == len(able) == relative[place] + 1 >= 1


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
@pytest.mark.parametrize("fixed", [False, True])
@given(world=worlds(), data=st.data(), seed=st.integers(0, 2**31))
def test_the_index_scores_as_the_general_path_does(
    test: PrivacyTest, fixed: bool, world: World, data: st.DataObject, seed: int
) -> None:
    drawn = data.draw(ranges(len(world.network.order)))
    omega = Omega(low=drawn.low, high=drawn.low if fixed else drawn.high)
    made = Synthesizer(KeptAttributes(world.network, omega), world.records)
    candidates, seeds = made.propose_with_seeds(0, 25, RandomSource.fixed(seed))
    model: SeedbasedModel = made.model
    records = world.ordered
    own = np.array([(records[:, : len(each)] == each).all(axis=1).argmax() for each in seeds.T])
    scanned = scan_scores(test, model, records, own, candidates.codes.T)
    assert candidates.scores(test).tolist() == scanned.tolist()


@given(worlds(), st.data(), st.integers(0, 2**31))
def test_a_candidate_keeps_its_prefix_and_could_have_been_drawn(
    world: World, data: st.DataObject, seed: int
) -> None:
    omega = data.draw(ranges(len(world.network.order)))
    made = Synthesizer(KeptAttributes(world.network, omega), world.records)
    candidates, seeds = made.propose_with_seeds(0, 30, RandomSource.fixed(seed))
    assert sorted(candidates.attempt.tolist()) == list(range(30))
    for candidate, own, value in zip(candidates.codes.T, seeds.T, candidates.omegas, strict=True):
        record = _beginning(world.ordered.tolist(), own)
        arguments = world.network, int(value), record, candidate.tolist()
        assert likelihood_at(*arguments) > 0


@given(
    st.lists(
        st.lists(st.floats(0, 2_000) | st.just(math.inf), min_size=3, max_size=3),
        min_size=1,
        max_size=9,
    ),
    st.integers(0, 2**31),
)
def test_sums_of_likelihoods_are_right_and_the_same_wherever_they_stand(
    falls: list[list[float]], seed: int
) -> None:
    # From the last entry to the first each column falls by these steps.
    logs = -np.cumsum(np.array(falls).T[::-1], axis=0)[::-1]
    found = log_sums(logs)
    for column, summed in zip(logs.T.tolist(), found.T.tolist(), strict=True):
        for place, value in enumerate(summed):
            assert value == pytest.approx(slow_log_sum(column[: place + 1]), rel=1e-12, abs=1e-12)
    order = np.random.default_rng(seed).permutation(len(falls))
    assert np.array_equal(log_sums(np.ascontiguousarray(logs[:, order])), found[:, order])
    for place in range(len(falls)):
        assert np.array_equal(log_sums(logs[:, place : place + 1].copy())[:, 0], found[:, place])


def slow_log_sum(logs: list[float]) -> float:
    """ln Σ e^x, in fractions of the largest."""
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(each - top) for each in logs))


def test_seeds_are_drawn_uniformly() -> None:
    rng = np.random.default_rng(1)
    schema = category_schema(3, 4)
    network = random_network(schema, random_structure(2, rng), rng)
    codes = np.array([[0, 0]] * 3 + [[1, 1]] * 6 + [[2, 3]], dtype=np.uint16)
    made = Synthesizer(KeptAttributes(network, Omega(low=0, high=0)), Records(schema, codes))
    candidates = made.propose(0, 20_000, RandomSource.fixed(4))
    shares = np.bincount(made.model.in_schema_order(candidates.codes)[:, 0]) / 20_000
    assert np.abs(shares - [0.3, 0.6, 0.1]).max() < 0.015


SCHEMA = category_schema(2, 2)
MANY = 20_000


def network(tilted: bool = True) -> BayesianNetwork:
    """Two fair coins; the tilts leave those that agree, and hardly any other."""
    fair = ConditionalTable.from_probabilities(np.full((1, 2), 0.5))
    logs = np.where(np.eye(2, dtype=bool).ravel(), np.log(1.98), np.log(0.02))
    tilts = Tilts(SCHEMA, (Tilt((View(0), View(1)), logs),), 0.0)
    return BayesianNetwork(SCHEMA, Structure.of([(), ()]), (fair, fair), tilts if tilted else None)


def proposed(omega: Omega, omegas: np.ndarray, *, tilted: bool = True) -> np.ndarray:
    seeds = np.zeros((2, len(omegas)), dtype=np.uint16)
    return KeptAttributes(network(tilted), omega).propose(seeds, omegas, RandomSource.fixed(1))


def agreeing(candidates: np.ndarray) -> float:
    return float((candidates[0] == candidates[1]).mean())


@pytest.mark.parametrize(
    "omega",
    [Omega(low=2, high=2), Omega(low=1, high=2, reading="announced")],
    ids=["fixed", "announced"],
)
def test_records_known_to_keep_nothing_are_tilted(omega: Omega) -> None:
    assert agreeing(proposed(omega, np.full(MANY, 2))) > 0.97
    assert agreeing(proposed(omega, np.full(MANY, 2), tilted=False)) < 0.55


def test_where_omega_is_hidden_the_tables_alone_are_drawn_from() -> None:
    omega = Omega(low=1, high=2, reading="hidden")
    assert agreeing(proposed(omega, np.full(MANY, 2))) < 0.55


def test_records_that_keep_something_are_drawn_from_the_tables() -> None:
    omega = Omega(low=1, high=2, reading="announced")
    omegas = np.repeat([2, 1], MANY)
    candidates = proposed(omega, omegas)
    assert agreeing(candidates[:, :MANY]) > 0.97
    kept = candidates[:, MANY:]
    assert (kept[0] == 0).all()
    assert kept[1].mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("reading", ["hidden", "announced"])
def test_likelihoods_do_not_know_of_tilts(reading: str) -> None:
    omega = Omega(low=1, high=2, reading="hidden" if reading == "hidden" else "announced")
    candidates = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint16)
    found = [KeptAttributes(network(each), omega) for each in (True, False)]
    assert np.array_equal(*(each.tails(candidates) for each in found))
    assert np.array_equal(*(each.log_likelihoods(candidates) for each in found))


SIZES = (2, 3, 20)


def marginals(sizes: tuple[int, ...] = SIZES) -> BayesianNetwork:
    schema = category_schema(*sizes)
    structure = Structure.independent(len(sizes))
    return random_network(schema, structure, np.random.default_rng(2))


def probability(model: Redrawn, seed: list[int], made: list[int]) -> Fraction:
    parts = [
        Fraction(int(each[y]) + (int(each[-1]) if y == d else 0), WHOLE)
        for each, d, y in zip(model.chances, seed, made, strict=True)
    ]
    return math.prod(parts, start=Fraction(1))


@given(shares=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_likelihoods_are_those_of_the_law(shares: list[float]) -> None:
    model = Redrawn.of(marginals(), shares)
    rng = np.random.default_rng(1)
    seeds, made = (
        np.column_stack([rng.integers(0, size, rows) for size in SIZES]).astype(np.uint16)
        for rows in (6, 5)
    )
    made[0] = seeds[0]
    found = model.log_likelihood(seeds, made)
    for (row, d), (column, y) in product(enumerate(seeds.tolist()), enumerate(made.tolist())):
        p = probability(model, d, y)
        exact = math.log(p.numerator) - math.log(p.denominator)
        assert found[row, column] == pytest.approx(exact, abs=1e-9, rel=1e-13)


def test_the_law_of_every_candidate_sums_to_one_and_is_what_is_drawn() -> None:
    model = Redrawn.of(marginals((2, 3)), [0.3, 0.9])
    universe = np.array(list(product(range(2), range(3))), dtype=np.uint16)
    law = np.exp(model.log_likelihood(universe, universe))
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-9)
    count = 20_000
    for row, seed in enumerate(universe):
        made = model.propose(np.tile(seed, (count, 1)), RandomSource.fixed(row))
        found = np.bincount(made[:, 0] * 3 + made[:, 1], minlength=6) / count
        np.testing.assert_allclose(found, law[row], atol=5 * math.sqrt(0.25 / count))


def test_an_entry_is_the_same_whatever_else_is_asked_about() -> None:
    model = Redrawn.of(marginals((2,) * 42 + (30,)), 0.2)
    rng = np.random.default_rng(4)
    seeds, made = rng.integers(0, 2, (2, 150, 43)).astype(np.uint16)
    whole = model.log_likelihood(seeds, made)
    for rows, columns in ((1, 1), (7, 3), (64, 150), (150, 1), (1, 150)):
        for start, first in ((0, 0), (150 - rows, 150 - columns)):
            part = model.log_likelihood(
                np.asfortranarray(seeds[start : start + rows]), made[first : first + columns]
            )
            expected = whole[start : start + rows, first : first + columns]
            assert part.tobytes() == np.asfortranarray(expected).T.tobytes() or (
                part.tolist() == expected.tolist()
            )


def test_every_sum_is_exact() -> None:
    """Against sums of the same multiples in whole numbers of any size."""
    model = Redrawn.of(marginals((2,) * 60 + (30,) * 3), 0.001)
    rng = np.random.default_rng(4)
    seeds, made = rng.integers(0, 2, (2, 20, 63)).astype(np.uint16)
    found = model.log_likelihood(seeds, made)
    logs = [[[Fraction(x) for x in part] for part in each] for each in model.logs]
    for (row, d), (column, y) in product(enumerate(seeds.tolist()), enumerate(made.tolist())):
        exact = sum(
            alone[b] + (gain[b] if a == b else 0)
            for (alone, gain), a, b in zip(logs, d, y, strict=True)
        )
        assert Fraction(found[row, column]) == exact


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_nearly_all_kept_and_all_redrawn(share: float) -> None:
    model = Redrawn.of(marginals(), share)
    seeds = np.zeros((200, 3), dtype=np.uint16)
    made = model.propose(seeds, RandomSource.fixed(1))
    assert (made == seeds).all() == (share == 0)
    likely = model.log_likelihood(np.array([[0, 0, 0], [1, 2, 19]], dtype=np.uint16), made)
    assert (np.ptp(likely) > 20) == (share == 0)
    assert share == 0 or (np.abs(likely[0] - likely[1]) < 1e-3).all()


def test_what_is_refused() -> None:
    edged = random_network(
        category_schema(2, 2), Structure(((), (0,)), (0, 1)), np.random.default_rng(1)
    )
    for network, share in ((edged, 0.5), (marginals(), 1.1), (marginals(), -0.1)):
        with pytest.raises(ValueError, match="θ"):
            Redrawn.of(network, share)
    with pytest.raises(ValueError, match="chances"):
        Redrawn((np.array([1, WHOLE - 1, 0]),))
    with pytest.raises(ValueError, match="attributes"):
        Redrawn(())


def test_its_tables_are_drawn_from_as_they_are_written() -> None:
    model = Redrawn.of(marginals(), 0.5)
    for each, table in zip(model.chances, model._tables, strict=True):
        assert isinstance(table, ConditionalTable)
        assert table.weights[0].tolist() == each.tolist()
