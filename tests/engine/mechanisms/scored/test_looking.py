"""Seeds on a map, with one candidate and those that could have made it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.mechanisms.registry import method_named, opening_plan, plan_run
from understudy.mechanisms.scored import looking
from understudy.mechanisms.scored.looking import has_map, latent_map, reconstruct_records
from understudy.mechanisms.scored.mechanism import ScoredState
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_TEST = {"kind": "plausible-deniability", "k": 30, "epsilon0": 1.0, "gamma": 4.0}


def evidence(schema: Schema, proposer: str, count: int = 1_500, **numbers: float) -> Evidence:
    random = np.random.default_rng(8)
    behind = random.normal(size=(count, 1))
    raw = behind + 0.6 * random.normal(size=(count, len(schema)))
    top = np.array([each.domain.size - 1 for each in schema.columns])
    codes = np.clip(np.rint((raw + 2) / 4 * top), 0, top).astype(np.uint16)
    given = {"proposer": proposer, "numbers": numbers, "epsilon": 8.0, "attempts": 20,
             "delta": 1e-3, "seeds_at_least": 300, "test": _TEST}  # fmt: skip
    decided = plan_run(opening_plan("scored", schema, given), schema)
    records = Records(schema, codes)
    state = method_named("scored").begin(decided, records, Secret.fixed(3), None)
    return Evidence(decided, records, state, {})


NUMBERS = Schema(
    columns=tuple(Column(name=f"n{at}", domain=Grid(minimum=0, maximum=20)) for at in range(5))
)
FLAGS = category_schema(*[2] * 8)


@pytest.mark.parametrize(("schema", "proposer"), [(NUMBERS, "projected"), (FLAGS, "latent-noise")])
def test_a_candidate_lies_among_seeds_that_could_have_made_it(
    schema: Schema, proposer: str
) -> None:
    given = evidence(schema, proposer, directions=2, disturbed=1.0)
    found = latent_map(given, RandomSource.fixed(4))
    assert len(found.seeds) == given.state.seeds.sum()
    assert found.passes
    assert found.whole
    assert (np.abs(found.seeds).mean(axis=0) < 2).all()
    apart = np.hypot(*(found.seeds - found.candidate).T)
    assert (apart <= found.near + 1e-9).sum() >= found.k
    assert found.near < apart.max()


def test_of_many_seeds_some_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "MOST", 100)
    found = latent_map(evidence(NUMBERS, "projected", directions=2), RandomSource.fixed(4))
    assert len(found.seeds) == 100
    assert not found.whole


@pytest.mark.parametrize(
    ("schema", "proposer", "numbers"),
    [(FLAGS, "redrawn", {}), (FLAGS, "projection", {}), (NUMBERS, "projected", {"directions": 1})],
)
def test_without_two_directions_there_is_no_map(
    schema: Schema, proposer: str, numbers: dict[str, Any]
) -> None:
    given = evidence(schema, proposer, 600, **numbers)
    assert not has_map(given.decided.plan)  # type: ignore[arg-type]
    with pytest.raises(Refusal, match="no small space"):
        latent_map(given, RandomSource.fixed(1))


def test_held_out_records_are_put_through_the_small_space() -> None:
    given = evidence(NUMBERS, "projected", directions=2)
    assert has_map(given.decided.plan)  # type: ignore[arg-type]
    found = reconstruct_records(given, 6)
    rows = {tuple(row) for row in given.records.codes[given.state.apart].tolist()}
    assert {tuple(row) for row in found.real.codes.tolist()} <= rows
    assert found.kept.shape == (6, 5)
    state = given.state
    nobody = ScoredState(state.seeds, np.zeros_like(state.apart), state.proposer)
    assert len(reconstruct_records(replace(given, state=nobody), 6).real) == 6
    with pytest.raises(Refusal, match="no small space"):
        reconstruct_records(evidence(FLAGS, "redrawn", 600), 6)
