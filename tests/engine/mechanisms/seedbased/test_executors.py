"""Cores make the same release, however many there are and wherever it begins. A run in steps over
shards comes to what it comes to over the whole index. From a table that is read piece by piece,
the model and the prefixes of its seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.builders import both_ways
from tests.engine.table.refusals import refused
from tests.support import (
    World,
    category_schema,
    random_network,
    random_structure,
    uniform_records,
    worlds,
)
from understudy.acceptance.measurement import of_records
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, ShareOf
from understudy.core.refusal import Refusal
from understudy.core.threads import count_cores
from understudy.mechanisms.seedbased import attempts as chunked
from understudy.mechanisms.seedbased import attempts as sharded
from understudy.mechanisms.seedbased import executors
from understudy.mechanisms.seedbased import model_fit as room
from understudy.mechanisms.seedbased.attempts import BATCH as ATTEMPTS_BATCH
from understudy.mechanisms.seedbased.attempts import (
    AttemptSpan,
    Candidates,
    Chunks,
    Decision,
    Goal,
    ShardSteps,
    Synthesizer,
    release,
    shards,
)
from understudy.mechanisms.seedbased.executors import Cores
from understudy.mechanisms.seedbased.model_fit import collect_prefixes, learn
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated import learner
from understudy.models.count_tables import as_counted
from understudy.models.omega import Omega
from understudy.models.prefix_index import Prefixes
from understudy.models.streamed_rows import StreamedSplit
from understudy.models.third_party.claim import Claim
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records
from understudy.table.sources import streamed_table
from understudy.table.sources.streamed_table import Piece, StreamedTable
from understudy.table.split import Split

SECRET = Secret.fixed(5)
BATCH = 8


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> Chunks:
    """100 attempts in batches of eight."""
    monkeypatch.setattr(chunked, "BATCH", BATCH)
    monkeypatch.setattr(executors, "BATCHES", 2)
    rng = np.random.default_rng(3)
    schema = category_schema(3, 4, 2)
    network = random_network(schema, random_structure(3, rng), rng)
    codes = np.column_stack([rng.integers(0, size, 60) for size in (3, 4, 2)]).astype(np.uint16)
    made = Synthesizer(KeptAttributes(network, Omega(low=1, high=3)), Records(schema, codes))
    test = PlausibleDeniability(k=12, gamma=4.0, epsilon0=1.0)
    return Chunks(made, Decision(test, 0.01), SECRET, 100)


def one_by_one(chunks: Chunks, first: int = 0) -> list[list[int]]:
    """What passes, a batch after another, each from the stream of its number."""
    made = [
        release(
            chunks.synthesizer,
            chunks.decision,
            start,
            min(BATCH, chunks.attempts - start),
            SECRET.source("attempts", start // BATCH),
        )
        for start in range(first, chunks.attempts, BATCH)
    ]
    return np.concatenate(made).tolist()


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("first", [0, 48, 96, 104])
def test_attempts_come_in_order_each_once(chunks: Chunks, cores: int, first: int) -> None:
    found = list(Cores(cores).release(chunks, first))
    spans = [span for span, _ in found]
    expected = [
        AttemptSpan(start, min(2 * BATCH, 100 - start)) for start in range(first, 100, 2 * BATCH)
    ]
    assert spans == expected
    if first < 100:
        passed = [row for _, codes in found for row in codes.tolist()]
        assert passed == one_by_one(chunks, first)
        assert len(passed) > 0 or first > 48


def test_a_chunk_made_again_comes_out_the_same(chunks: Chunks) -> None:
    span = AttemptSpan(16, 30)
    assert np.array_equal(chunks.make(span), chunks.make(span))


def test_whoever_has_enough_stops_the_rest(chunks: Chunks, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = Chunks.make

    def counted(self: Chunks, span: AttemptSpan) -> np.ndarray:
        made.append(span.first)
        return real(self, span)

    monkeypatch.setattr(Chunks, "make", counted)
    released = Cores(1).release(chunks, 0)
    next(released)
    released.close()
    assert set(made) <= {0, 16}


def test_what_goes_wrong_in_a_chunk_reaches_whoever_asked(
    chunks: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Chunks, "make", out_of_memory)
    with pytest.raises(MemoryError):
        next(Cores(2).release(chunks, 0))


def test_there_is_a_core() -> None:
    assert Cores.all().count == count_cores() >= 1


TESTS: tuple[PrivacyTest, ...] = (
    PlausibleDeniability(k=3, gamma=4.0, epsilon0=1.0),
    RelativeSensitivity(k=2, epsilon0=1.0),
)


@st.composite
def runs(draw: st.DrawFn) -> Chunks:
    world: World = draw(worlds())
    low = draw(st.integers(0, len(world.network.order)))
    high = draw(st.integers(low, len(world.network.order)))
    reading = draw(st.sampled_from(["hidden", "announced"]))
    model = KeptAttributes(world.network, Omega(low=low, high=high, reading=reading))
    decision = Decision(draw(st.sampled_from(TESTS)), draw(st.sampled_from([0.0, 0.1])))
    secret = Secret.fixed(draw(st.integers(0, 2**20)))
    return Chunks(Synthesizer(model, world.records), decision, secret, 100)


@given(runs(), st.integers(1, 6))
def test_the_outcome_is_that_of_the_whole_index(run: Chunks, count: int) -> None:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(chunked, "BATCH", 16)
        small.setattr(sharded, "BATCH", 16)
        span = AttemptSpan(32, 41)
        steps, parts = ShardSteps.of(run), list(shards(run.synthesizer.index, count))
        drawn = steps.draw(span)
        proposed = steps.propose(drawn, [part.collect_kept(drawn) for part in parts])
        decided = steps.decide(proposed, [part.counts(proposed) for part in parts])
        assert np.array_equal(decided, run.make(span))


@given(runs(), st.integers(1, 6))
def test_every_seed_is_in_one_shard(run: Chunks, count: int) -> None:
    index = run.synthesizer.index
    found = list(shards(index, count))
    assert len(found) <= count
    assert [shard.first for shard in found] == [
        sum(len(each.index) for each in found[:place]) for place in range(len(found))
    ]
    assert sum(len(shard.index) for shard in found) == len(index)
    leaves = np.concatenate([shard.index.leaves.codes for shard in found])
    assert np.array_equal(leaves, index.leaves.codes)


SCHEMA = category_schema(4, 3, 5, 2, halves=frozenset({0, 2}))
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
KINDS: Sequence[ModelKind] = [kind for kind in get_args(ModelKind) if kind != "outside"]


def dependent(count: int) -> Records:
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, size, count) for size in (4, 3, 5, 2)])
    codes[: count // 2, 1] = codes[: count // 2, 0] % 3
    codes[:, 3] = np.where(rng.random(count) < 0.8, codes[:, 2] % 2, codes[:, 3])
    return Records(SCHEMA, rng.permutation(codes).astype(np.uint16))


@pytest.fixture(params=[(100, 333), (2_000, 1 << 18)])
def both(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Split, StreamedSplit]:
    group, piece = request.param
    monkeypatch.setattr(streamed_table, "PIECE", piece)
    return both_ways(dependent(2_000), tmp_path, group, Secret.fixed(1).source("split"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [20.0, None])
def test_the_model_is_the_same_to_the_last_bit(
    both: tuple[Split, StreamedSplit],
    kind: ModelKind,
    epsilon: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = []
    real = StreamedTable.pieces

    def counting(table: StreamedTable, places: Sequence[int] | None = None) -> Iterator[Piece]:
        readings.append(places)
        return real(table, places)

    monkeypatch.setattr(StreamedTable, "pieces", counting)
    # The tilted network, which a table as small as this one is no better for.
    monkeypatch.setattr(learner, "select_best_fit", lambda candidates, tables: 0)
    plan = Plan.of(SCHEMA, model=ModelPlan(kind=kind, epsilon=epsilon))
    held, read = (
        learn(plan, SCHEMA, split, Secret.fixed(1).source("model")).network for split in both
    )
    assert isinstance(held, BayesianNetwork)
    assert isinstance(read, BayesianNetwork)
    assert held.structure == read.structure
    assert held.structure.edges or kind == "marginals"
    for one, other in zip(held.tables, read.tables, strict=True):
        assert np.array_equal(one.weights, other.weights)
    assert (held.tilts is None) == (read.tilts is None) == (kind != "calibrated")
    if held.tilts is not None and read.tilts is not None:
        assert held.tilts.average == read.tilts.average
        for tilt, as_tilt in zip(held.tilts.each, read.tilts.each, strict=True):
            assert tilt.marginal == as_tilt.marginal
            assert np.array_equal(tilt.logs, as_tilt.logs)
    most = {"marginals": 1, "network": 2, "calibrated": 7}[kind]
    assert most - 2 * (kind == "calibrated") <= len(readings) <= most


def test_a_model_from_outside_has_to_see_the_records(both: tuple[Split, StreamedSplit]) -> None:
    plan = Plan.of(SCHEMA, model=ModelPlan(kind="outside", epsilon=1.0, outside=CLAIM))
    source = Secret.fixed(1).source("model")
    assert refused(learn, plan, SCHEMA, both[1], source).field == "model"


@pytest.mark.parametrize("at_once", [1, 200, 1 << 21])
@pytest.mark.parametrize("longest", [0, 1, 3, 4])
def test_prefixes_are_those_of_the_seeds(
    both: tuple[Split, StreamedSplit],
    at_once: int,
    longest: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "_AT_ONCE", at_once)
    held, read = both
    order = [2, 0, 3, 1][:longest]
    expected = Prefixes.of(held.seeds.codes[:, order], SCHEMA.cardinalities[order])
    found = collect_prefixes(read.seeds, [2, 0, 3, 1], longest)
    assert np.array_equal(found.codes, expected.codes)
    assert np.array_equal(found.counts, expected.counts)
    assert found.counts.sum() == len(held.seeds)


@pytest.mark.parametrize("longest", [0, 2])
def test_without_seeds_there_is_no_prefix(both: tuple[Split, StreamedSplit], longest: int) -> None:
    none = StreamedSplit(both[1].table, np.ones(2_000, dtype=np.uint8))
    found = collect_prefixes(none.seeds, [0, 1, 2, 3], longest)
    assert (found.codes.shape, found.counts.shape) == ((0, longest), (0,))


def test_held_out_records_are_measured_the_same(both: tuple[Split, StreamedSplit]) -> None:
    test = AcceptanceTest(
        epsilon=1.0,
        statistics=(ShareOf(column="c0", values=("v1",)), DistanceOf(columns=("c0", "c2"))),
    )
    one, other = (of_records(test, as_counted(each.held_out)) for each in both)
    assert all(map(np.array_equal, one, other))
    assert one[0].sum() > 0


ATTEMPTS_SCHEMA = category_schema(3, 4, 2)
TEST = PlausibleDeniability(k=5, gamma=4.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=5, epsilon0=1.0)


def network() -> BayesianNetwork:
    """Dependency order c2, c0, c1: not the order of the schema."""
    structure = Structure(((2,), (0,), ()), (2, 0, 1))
    return random_network(ATTEMPTS_SCHEMA, structure, np.random.default_rng(5))


def records(count: int = 200) -> Records:
    return uniform_records(ATTEMPTS_SCHEMA, count, 6)


def synthesizer(omega: Omega) -> Synthesizer:
    return Synthesizer(KeptAttributes(network(), omega), records())


@pytest.mark.parametrize("test", [TEST, RELATIVE], ids=lambda each: each.kind)
@pytest.mark.parametrize("omega", [Omega(low=1, high=1), Omega(low=1, high=3)], ids=str)
def test_what_is_released_is_what_passed_in_the_order_of_the_attempts(
    omega: Omega, test: PrivacyTest
) -> None:
    made, decision = synthesizer(omega), Decision(test, 0.05)
    released = release(made, decision, 0, 500, RandomSource.fixed(1))
    source = RandomSource.fixed(1)
    candidates = made.propose(0, 500, source)
    passed = decision.passes(candidates, 3, omega.per_attempt, source)
    by_attempt = made.model.in_schema_order(candidates.codes)
    expected = [
        by_attempt[place].tolist()
        for _, place in sorted(zip(candidates.attempt, range(500), strict=True))
        if passed[place]
    ]
    assert 0 < len(expected) < 500
    assert released.tolist() == expected


def test_batches_follow_one_another() -> None:
    made = synthesizer(Omega(low=3, high=3))
    decision = Decision(TEST, 0.0)
    whole = release(made, decision, 0, 2 * ATTEMPTS_BATCH + 7, RandomSource.fixed(2))
    assert len(whole) == 2 * ATTEMPTS_BATCH + 7
    source = RandomSource.fixed(2)
    parts = [
        release(made, decision, first, count, source)
        for first, count in (
            (0, ATTEMPTS_BATCH),
            (ATTEMPTS_BATCH, ATTEMPTS_BATCH),
            (2 * ATTEMPTS_BATCH, 7),
        )
    ]
    assert np.concatenate(parts).tolist() == whole.tolist()


def test_every_code_is_in_its_domain_and_in_its_column() -> None:
    codes = release(
        synthesizer(Omega(low=0, high=3)), Decision(TEST, 0.0), 0, 3_000, RandomSource.fixed(3)
    )
    assert (codes < ATTEMPTS_SCHEMA.cardinalities).all()
    assert Records(ATTEMPTS_SCHEMA, codes).codes.flags["C_CONTIGUOUS"]


def handmade(scores: list[int], omegas: list[int]) -> Candidates:
    count = len(scores)
    return Candidates(
        np.zeros((3, count), dtype=np.uint16),
        np.array(omegas),
        np.arange(count),
        np.array(scores),
    )


def test_a_seedless_candidate_passes_untested_only_where_its_omega_is_known() -> None:
    decision = Decision(PlausibleDeniability(k=10**6, gamma=4.0, epsilon0=1.0), 0.5)
    candidates = handmade([1] * 400, [3] * 200 + [2] * 200)
    known = decision.passes(candidates, 3, True, RandomSource.fixed(1))
    assert known.tolist() == [True] * 200 + [False] * 200
    assert not decision.passes(candidates, 3, False, RandomSource.fixed(1)).any()


def test_the_pass_cap_turns_away_its_share_of_what_passes() -> None:
    candidates = handmade([10**6] * 40_000, [1] * 40_000)
    passed = Decision(TEST, 0.3).passes(candidates, 3, True, RandomSource.fixed(4))
    assert abs(passed.mean() - 0.7) < 0.012


class Scripted(RandomSource):
    """Draws the same word every time."""

    def __init__(self, word: int) -> None:
        self.word = word

    def words(self, count: int) -> np.ndarray:
        return np.full(count, self.word, dtype=np.uint64)


def test_without_a_pass_cap_no_draw_turns_a_candidate_away() -> None:
    sure = PlausibleDeniability(k=1, gamma=4.0, epsilon0=None)
    for word in (0, 1, 2**64 - 1):
        assert Decision(sure, 0.0).passes(handmade([5], [1]), 3, True, Scripted(word)).all()


@pytest.mark.parametrize("cap", [2.0**-64, 1e-12, 0.3, 1.0])
def test_a_pass_cap_is_never_undercut(cap: float) -> None:
    sure = PlausibleDeniability(k=1, gamma=4.0, epsilon0=None)
    last = min(2**64 - 2, int(cap * 2**64))
    assert not Decision(sure, cap).passes(handmade([5], [1]), 3, True, Scripted(last)).any()


def test_the_deterministic_test_is_the_threshold() -> None:
    counts = handmade([3, 4, 5, 6], [1] * 4)
    for test, expected in (
        (PlausibleDeniability(k=5, gamma=4.0, epsilon0=None), [False, False, True, True]),
        (RelativeSensitivity(k=5, epsilon0=None), [False, False, False, True]),
    ):
        passed = Decision(test, 0.0).passes(counts, 3, True, RandomSource.fixed(1))
        assert passed.tolist() == expected


def test_a_fixed_seed_repeats_and_a_release_does_not() -> None:
    made, decision = synthesizer(Omega(low=1, high=3)), Decision(TEST, 0.0)
    draws = [
        release(made, decision, 0, 200, source).tolist()
        for source in (
            RandomSource.fixed(1),
            RandomSource.fixed(1),
            RandomSource.fixed(2),
            RandomSource.secure(),
            RandomSource.secure(),
        )
    ]
    assert draws[0] == draws[1]
    assert len({str(draw) for draw in draws}) == 4


def test_classes_count_every_record_once() -> None:
    candidates = synthesizer(Omega(low=0, high=3)).propose(0, 300, RandomSource.fixed(8))
    assert isinstance(candidates.plausible, LikelihoodClasses)
    assert (candidates.plausible.sizes >= 0).all()
    assert (candidates.plausible.sizes.sum(axis=1) == 200).all()


GOAL_SCHEMA = category_schema(3, 4, 2, 5)


def goal(**settings: object) -> Goal:
    plan = Plan.of(GOAL_SCHEMA, **settings)
    return Goal.of(plan, promise(plan, GOAL_SCHEMA))


def test_every_attempt_is_made_whatever_passes() -> None:
    public = goal(attempts=70)
    assert public == Goal(70, None)
    assert not public.is_reached(69, 69)
    assert public.is_reached(70, 0)
    assert len(public.cut(np.zeros((9, 4), np.uint16), 1_000)) == 9
    public.check(0)


def test_records_are_made_until_there_are_enough_or_the_attempts_run_out() -> None:
    hidden = goal(attempts=70, protocol="releases", pass_floor=0.2)
    assert hidden.records == 70
    assert hidden.attempts > 350
    assert hidden.is_reached(100, 70)
    assert not hidden.is_reached(hidden.attempts - 1, 69)
    assert hidden.is_reached(hidden.attempts, 69)


def test_the_first_that_pass_are_released() -> None:
    codes = np.arange(12, dtype=np.uint16).reshape(6, 2)
    assert Goal(1_000, 70).cut(codes, 66).tolist() == codes[:4].tolist()
    assert Goal(1_000, 70).cut(codes, 10).tolist() == codes.tolist()


def test_a_seedless_run_makes_as_many_attempts_as_records() -> None:
    assert goal(attempts=70, protocol="releases", omega=Omega(low=4, high=4)) == Goal(70, 70)


def test_too_few_records_are_refused_without_a_number() -> None:
    Goal(1_000, 70).check(70)
    with pytest.raises(Refusal) as refused:
        Goal(1_000, 70).check(69)
    assert refused.value.field == "pass_floor"
    assert not any(letter.isdigit() for letter in str(refused.value))
