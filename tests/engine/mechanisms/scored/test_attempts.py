"""Deciding early, from few of the records, against scoring every record and deciding then.
Candidates decided by the records near them, against scoring every record.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import understudy.mechanisms.scored.attempts as attempts
import understudy.mechanisms.scored.attempts as general
import understudy.mechanisms.scored.attempts as nearby
import understudy.models.cells as cells
from tests.support import category_schema, random_network
from understudy.core.arrays import CodeArray
from understudy.mechanisms.scored.attempts import (
    Decision,
    GeneralSynthesizer,
    Proposals,
    SeedRecords,
    reaches,
    release,
)
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE
from understudy.models.cells import RecordsByCell
from understudy.models.latent.features import S
from understudy.models.latent.grid import Decoder, ProjectionGrid
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.omega import Omega
from understudy.models.scores import SeedbasedModel, scan_scores
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.plausibility.threshold import NEVER
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

DENIABILITY = PlausibleDeniability(k=5, gamma=2.5, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=5, epsilon0=1.0)
CERTAIN = PlausibleDeniability(k=3, gamma=1.5, epsilon0=None)
CERTAIN_RELATIVE = RelativeSensitivity(k=7, epsilon0=None)
TESTS = [DENIABILITY, RELATIVE, CERTAIN, CERTAIN_RELATIVE]
both = pytest.mark.parametrize("test", TESTS, ids=lambda each: f"{each.kind} {each.epsilon0}")

VALUES, MADE = 6, 3


@dataclass(frozen=True)
class Written:
    """A model written out: ln p of every value of one attribute and every candidate."""

    logs: npt.NDArray[np.float64]
    asked: list[int] = field(default_factory=list)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> npt.NDArray[np.float64]:
        self.asked.append(len(seeds) * len(candidates))
        return self.logs[seeds[:, 0]][:, candidates[:, 0]]


def one_column(values: list[int]) -> Records:
    """One column that matters, as a schema has two at least."""
    codes = np.zeros((len(values), 2), dtype=np.uint16)
    codes[:, 0] = values
    return Records(category_schema(VALUES, 2), codes)


def scanned(
    test: PrivacyTest, model: SeedbasedModel, seeds: SeedRecords, to: Proposals
) -> list[int]:
    every = np.repeat(seeds.rows, seeds.sizes, axis=0)
    own = (np.cumsum(seeds.sizes) - seeds.sizes)[to.own]
    return [int(each) for each in scan_scores(test, model, every, own, to.codes)]


# Ratios that make whole numbers, ties to the last place, and likelihoods of any size.
logs = st.one_of(
    st.sampled_from([-np.inf, 0.0, *np.log([1 / 2, 1 / 3, 1 / 4, 1 / 6, 1 / 12, 0.3, 0.1])]),
    st.sampled_from([float(np.nextafter(np.log(0.5), -9)), float(np.nextafter(np.log(0.5), 9))]),
    st.floats(-30, 0),
    st.floats(-2000, -1),
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Written, SeedRecords, Proposals]:
    written = draw(st.lists(logs, min_size=VALUES * MADE, max_size=VALUES * MADE))
    values = draw(st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=40))
    seeds = SeedRecords.of(one_column(values))
    every = list(product(range(MADE), range(len(seeds.sizes))))
    made, own = np.array(every).T
    model = Written(np.array(written).reshape(VALUES, MADE))
    return model, seeds, Proposals(made[:, None].astype(np.uint16), own)


@both
@given(world=worlds(), entries=st.sampled_from([1, 2, 5, 10**6]), held=st.sampled_from([0, 3, 99]))
def test_a_score_is_reached_exactly_where_the_scan_says_so(
    test: PrivacyTest, world: tuple[Written, SeedRecords, Proposals], entries: int, held: int
) -> None:
    """All that can be asked, of every seed and candidate: the whole law of the decision."""
    model, seeds, proposals = world
    scores = scanned(test, model, seeds, proposals)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(general, "MOST_ENTRIES", entries)
        patched.setattr(general, "_FEWEST_ROWS", 1)
        patched.setattr(general, "MOST_HELD", held)
        asked = np.arange(len(seeds) + 2)
        at = np.repeat(np.arange(len(proposals)), len(asked))
        least = np.tile(asked, len(proposals))
        found = reaches(test, model, seeds, proposals.take(at), least)
    assert found.tolist() == [scores[place] >= s for place, s in zip(at, least, strict=True)]


def redrawn(columns: int, cardinality: int, rng: np.random.Generator) -> Redrawn:
    chances = []
    for _ in range(columns):
        drawn = (rng.dirichlet(np.ones(cardinality)) * 0.4 * WHOLE).astype(np.int64) + (1 << 24)
        chances.append(np.append(drawn, WHOLE - drawn.sum()))
    return Redrawn(tuple(chances))


def table(columns: int, cardinality: int, count: int, rng: np.random.Generator) -> Records:
    codes = rng.integers(0, cardinality, (count, columns)).astype(np.uint16)
    codes[: count // 2, : columns // 2] = 0
    return Records(category_schema(*[cardinality] * columns), codes)


@both
@pytest.mark.parametrize("shape", [(4, 2), (7, 2), (3, 4), (2, 20)], ids=str)
@pytest.mark.parametrize("entries", [64, 1 << 18])
def test_every_outcome_is_the_scans_for_the_same_words(
    test: PrivacyTest, shape: tuple[int, int], entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(general, "MOST_ENTRIES", entries)
    rng = np.random.default_rng(3)
    model = redrawn(*shape, rng)
    synthesizer = GeneralSynthesizer(model, table(*shape, 300, rng))
    proposals = synthesizer.propose(400, RandomSource.fixed(4))
    decision = Decision(test, 0.1)
    passed = synthesizer.passes(decision, proposals, RandomSource.fixed(5))
    source = RandomSource.fixed(5)
    away = source.words(400) < np.uint64(int(0.1 * 2.0**64) + 4096)
    scores = np.array(scanned(test, model, synthesizer.seeds, proposals))
    expected = test.coin.decide(scores, source) & ~away
    assert passed.tolist() == expected.tolist()
    assert 0 < passed.sum() < 400


@dataclass(frozen=True)
class Kept:
    """The kept-attributes model as one that can only score; it cannot make most of the pairs."""

    model: KeptAttributes

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        omegas = -np.sort(-self.model.omega.sequence(0, len(seeds), source))
        return self.model.propose(np.ascontiguousarray(seeds.T), omegas, source).T

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> npt.NDArray[np.float64]:
        return self.model.log_likelihood(seeds, candidates)


@both
def test_with_the_kept_attributes_too(test: PrivacyTest) -> None:
    rng = np.random.default_rng(7)
    records = table(4, 3, 200, rng)
    chain = Structure(((), (0,), (1,), (2,)), (0, 1, 2, 3))
    network = random_network(records.schema, chain, rng)
    model = Kept(KeptAttributes(network, Omega(low=1, high=4)))
    synthesizer = GeneralSynthesizer(model, records)
    proposals = synthesizer.propose(300, RandomSource.fixed(4))
    passed = synthesizer.passes(Decision(test, 0.0), proposals, RandomSource.fixed(5))
    source = RandomSource.fixed(5)
    source.words(300)
    scores = np.array(scanned(test, model, synthesizer.seeds, proposals))
    assert passed.tolist() == test.coin.decide(scores, source).tolist()
    assert 0 < passed.sum() < 300


@both
def test_the_law_of_a_release_is_that_of_the_mechanism(test: PrivacyTest) -> None:
    """F_D(y) = Σ_d p_d(y)·π(score)·(1 − ρ)/n on a universe of eight, and ⊥."""
    rng = np.random.default_rng(8)
    model, records = redrawn(3, 2, rng), table(3, 2, 25, rng)
    synthesizer, cap, count = GeneralSynthesizer(model, records), 0.2, 12_000
    seeds = synthesizer.seeds
    universe = np.array(list(product((0, 1), repeat=3)), dtype=np.uint16)
    law = np.zeros(8)
    for row, size in enumerate(seeds.sizes):
        proposals = Proposals(universe, np.full(8, row))
        passes = test.coin.probability(np.array(scanned(test, model, seeds, proposals)))
        made = np.exp(model.log_likelihood(seeds.rows[row : row + 1], universe)[0])
        law += size / len(seeds) * made * passes * (1 - cap)
    released = release(synthesizer, Decision(test, cap), count, RandomSource.fixed(2))
    often = Counter(map(tuple, released.tolist()))
    found = np.array([often[tuple(each)] for each in universe.tolist()]) / count
    np.testing.assert_allclose(found, law, atol=5 * np.sqrt(0.25 / count))
    assert 0.05 < law.sum() < 0.79


def test_equal_records_stand_once_with_their_number() -> None:
    seeds = SeedRecords.of(one_column([3, 1, 3, 3, 0, 1]))
    assert seeds.rows[:, 0].tolist() == [3, 1, 0]
    assert seeds.sizes.tolist() == [3, 2, 1]
    assert len(seeds) == 6
    assert [seeds.count_left(row) for row in range(4)] == [6, 3, 1, 0]


def test_a_seed_is_drawn_as_often_as_it_occurs() -> None:
    seeds = SeedRecords.of(one_column([3, 1, 3, 3, 0, 1]))

    class InTurn(RandomSource):
        def __init__(self) -> None:
            pass

        def below(self, bound: int, count: int) -> np.ndarray:
            assert bound == 6
            return np.arange(count) % bound

    assert seeds.draw(12, InTurn()).tolist() == [0, 0, 0, 1, 1, 2] * 2


def test_what_is_turned_away_or_already_decided_looks_at_no_record() -> None:
    model, seeds = Written(np.full((VALUES, MADE), -1.0)), SeedRecords.of(one_column([1] * 9))
    proposals = Proposals(np.zeros((2, 1), dtype=np.uint16), np.zeros(2, dtype=np.int64))
    assert reaches(DENIABILITY, model, seeds, proposals, np.array([10, NEVER])).tolist() == [0, 0]
    assert model.asked == []
    assert reaches(DENIABILITY, model, seeds, proposals, np.array([0, 1])).tolist() == [1, 1]
    # The seeds' own likelihoods, and no block of records.
    assert model.asked == [4]


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_a_candidate_is_done_with_once_it_is_decided(
    test: PrivacyTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equally likely records: each counts one, and eight reach a count of eight, or a rank of
    seven; nine are not to be had of the last two."""
    monkeypatch.setattr(general, "MOST_ENTRIES", 1)
    monkeypatch.setattr(general, "_FEWEST_ROWS", 1)
    seeds = SeedRecords.of(one_column([0, 0, 0, 1, 1, 2, 2, 3, 4, 5]))
    proposals = Proposals(np.zeros((1, 1), dtype=np.uint16), np.array([5]))
    itself = int(test is RELATIVE)
    for least, blocks in ((3, 1), (7, 3), (10, 5), (11, 0)):
        model = Written(np.zeros((VALUES, MADE)))
        found = reaches(test, model, seeds, proposals, np.array([least - itself]))
        assert found.tolist() == [least <= 10]
        assert len(model.asked) == (blocks + 1 if least - itself <= 10 else 0)


@both
def test_memory_is_bounded_by_the_block(test: PrivacyTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "MOST_ENTRIES", 600)
    rng = np.random.default_rng(1)
    made = redrawn(8, 2, rng)
    asked = []

    class Watched:
        def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
            return made.propose(seeds, source)

        def log_likelihood(
            self, seeds: CodeArray, candidates: CodeArray
        ) -> npt.NDArray[np.float64]:
            asked.append((len(seeds), len(candidates)))
            return made.log_likelihood(seeds, candidates)

    synthesizer = GeneralSynthesizer(Watched(), table(8, 2, 900, rng))
    release(synthesizer, Decision(test, 0.0), 300, RandomSource.fixed(1))
    assert all(rows * candidates <= max(600, 64 * candidates) for rows, candidates in asked)


def test_attempts_follow_one_another_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "BATCH", 100)
    rng = np.random.default_rng(1)
    sure = Decision(PlausibleDeniability(k=1, gamma=4.0, epsilon0=None), 0.0)
    synthesizer = GeneralSynthesizer(redrawn(3, 3, rng), table(3, 3, 50, rng))
    whole = release(synthesizer, sure, 250, RandomSource.fixed(6))
    source = RandomSource.fixed(6)
    parts = [release(synthesizer, sure, count, source) for count in (100, 100, 50)]
    assert len(whole) == 250
    assert whole.tolist() == np.concatenate(parts).tolist()
    assert release(synthesizer, sure, 0, source).shape == (0, 3)


def test_no_seeds() -> None:
    synthesizer = GeneralSynthesizer(
        redrawn(2, 2, np.random.default_rng(1)), table(2, 2, 0, np.random.default_rng(1))
    )
    with pytest.raises(ValueError, match="bound"):
        release(synthesizer, Decision(DENIABILITY, 0.0), 1, RandomSource.fixed(1))


NEAR_TESTS = [
    PlausibleDeniability(k=4, gamma=2.5, epsilon0=1.0),
    RelativeSensitivity(k=3, epsilon0=1.0),
]


def model(seed: int, axes: int, flags: int = 9) -> LatentNoise:
    """Directions so long that most records are out of each other's reach."""
    directions = np.random.default_rng(seed).integers(-4, 5, (flags, axes))
    law = np.array([1, 4, 6, 4, 1], dtype=np.int64) * (WHOLE // 16)
    width = np.full(axes, S)
    grid = ProjectionGrid(directions, np.zeros(axes, np.int64), width, law, 64)
    decoder = Decoder(np.zeros(flags), np.zeros((axes, flags)), np.zeros(flags))
    return LatentNoise(grid, Linear(decoder))


@pytest.mark.parametrize("scanned", [1 / 8, 2.0], ids=["as ever", "never all places"])
@pytest.mark.parametrize("test", NEAR_TESTS, ids=lambda each: each.kind)
@given(seed=st.integers(0, 10**6), axes=st.integers(1, 7), count=st.integers(1, 150))
@settings(max_examples=8)
def test_outcomes_are_those_of_every_record(
    test: PrivacyTest, scanned: float, seed: int, axes: int, count: int
) -> None:
    made, rng = model(seed, axes), np.random.default_rng(seed)
    bits = (rng.random((count, 9)) < rng.random(9)).astype(np.uint16)
    held = GeneralSynthesizer(made, Records(category_schema(*[2] * 9), bits))
    source = RandomSource.fixed(seed)
    proposals = held.propose(40, source)
    rows = np.repeat(held.seeds.rows, held.seeds.sizes, axis=0)
    own = (np.cumsum(held.seeds.sizes) - held.seeds.sizes)[proposals.own]
    scores = scan_scores(test, made, rows, own, proposals.codes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "_SCANNED", scanned)
        patched.setattr(cells, "_BLOCK", 60)
        for least in (scores, scores + 1, test.coin.least(40, source)):
            assert (held.reaches(test, proposals, least) == (scores >= least)).all()


@given(seed=st.integers(0, 10**6), axes=st.integers(1, 7), reach=st.integers(0, 9))
@settings(max_examples=20)
def test_the_places_in_a_box_are_found_each_once(seed: int, axes: int, reach: int) -> None:
    rng = np.random.default_rng(seed)
    located = rng.integers(0, 20, (60, axes)).astype(np.uint16)
    sizes = rng.integers(1, 5, 60)
    held = RecordsByCell.sorted_of(located, sizes, reach)
    assert (held.places[held.of] == located).all()
    assert (held.sizes == [sizes[held.of == each].sum() for each in range(len(held.sizes))]).all()
    candidates = rng.integers(0, 24, (15, axes)).astype(np.uint16)
    radii = rng.integers(0, reach + 1, 15)
    which = np.flatnonzero(rng.random(15) < 0.8)
    boxes = held.boxes(candidates, radii).only(which)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cells, "_BLOCK", 20)
        blocks = list(held.pairs(boxes))
    found = [(which[of], row) for each in blocks for of, row in zip(*each, strict=True)]
    apart = np.abs(held.places[:, None].astype(int) - candidates.astype(int)).max(axis=2)
    expected = {(of, row) for of in which for row in np.flatnonzero(apart[:, of] <= radii[of])}
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [of for of, _ in found] == sorted(of for of, _ in found)
