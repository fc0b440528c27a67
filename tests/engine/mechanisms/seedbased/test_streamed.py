"""From a table that is read piece by piece, the model and the prefixes of its seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.engine.table.files import both_ways
from tests.engine.table.refusals import refused
from tests.support import category_schema
from understudy.acceptance.measurement import of_records
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, ShareOf
from understudy.mechanisms.seedbased import prefixes as room
from understudy.mechanisms.seedbased.learning import learn
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.prefixes import prefixes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated import learner
from understudy.models.count_tables import as_counted
from understudy.models.prefix_index import Prefixes
from understudy.models.streamed_rows import StreamedSplit
from understudy.models.third_party.claim import Claim
from understudy.privacy.randomness import Secret
from understudy.table.records import Records
from understudy.table.sources import streamed
from understudy.table.sources.streamed import Piece, StreamedTable
from understudy.table.split import Split

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
    monkeypatch.setattr(streamed, "PIECE", piece)
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
    found = prefixes(read.seeds, [2, 0, 3, 1], longest)
    assert np.array_equal(found.codes, expected.codes)
    assert np.array_equal(found.counts, expected.counts)
    assert found.counts.sum() == len(held.seeds)


@pytest.mark.parametrize("longest", [0, 2])
def test_without_seeds_there_is_no_prefix(both: tuple[Split, StreamedSplit], longest: int) -> None:
    none = StreamedSplit(both[1].table, np.ones(2_000, dtype=np.uint8))
    found = prefixes(none.seeds, [0, 1, 2, 3], longest)
    assert (found.codes.shape, found.counts.shape) == ((0, longest), (0,))


def test_held_out_records_are_measured_the_same(both: tuple[Split, StreamedSplit]) -> None:
    test = AcceptanceTest(
        epsilon=1.0,
        statistics=(ShareOf(column="c0", values=("v1",)), DistanceOf(columns=("c0", "c2"))),
    )
    one, other = (of_records(test, as_counted(each.held_out)) for each in both)
    assert all(map(np.array_equal, one, other))
    assert one[0].sum() > 0
