"""Seeds of a sub-population: who is dealt where, what is promised of whom, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence
from understudy.mechanisms.outputs import ResumePoint
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.mechanism import MECHANISM
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.workers import Workers
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records

EASY = PlausibleDeniability(k=10, gamma=16.0, epsilon0=1.0)
COUNT = 3_000


def records() -> Records:
    """A tenth have a 2 in the last column, and then mostly a 2 in the first two."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (COUNT, 3)).astype(np.uint16)
    some = rng.random(COUNT) < 0.1
    codes[some] = np.column_stack([rng.integers(1, 3, (some.sum(), 2)), np.full(some.sum(), 2)])
    return Records(category_schema(3, 3, 3), codes)


def plan(**changed: Any) -> ScoredPlan:
    schema = records().schema
    usual: dict[str, Any] = {
        "domain": schema.fingerprint,
        "seeds_among": f"{schema.names[2]} = {schema.columns[2].texts[2]}",
        "numbers": {"redrawn": 0.3},
        "test": EASY,
        "attempts": 600,
        "delta": 1e-3,
        "seeds_at_least": 60,
        "public_records": 200,
    }
    return ScoredPlan(**{**usual, **changed})


def test_seeds_are_of_the_group_and_all_others_are_learned_from() -> None:
    held, made = records(), plan_run(plan(), records().schema)
    inside = held.codes[:, 2] == 2
    state = MECHANISM.begin(made, held, Secret.fixed(2), None)
    assert state.seeds[inside].mean() == pytest.approx(0.5, abs=0.1)
    assert state.apart[inside].any()
    assert not (state.seeds | state.apart)[~inside].any()
    every = plan_run(plan(seeds_among=None), held.schema)
    alike = MECHANISM.begin(every, held, Secret.fixed(2), None)
    assert (alike.seeds[inside] == state.seeds[inside]).all()


def test_rows_are_of_the_group() -> None:
    held, made = records(), plan_run(plan(), records().schema)
    secret = Secret.fixed(2)
    state = MECHANISM.begin(made, held, secret, None)
    chunks = MECHANISM.release(made, held, state, secret, Workers(), ResumePoint())
    rows = np.concatenate([each.content for each in chunks])
    assert len(rows) > 100
    assert (rows[:, 2] == 2).all()
    assert (rows[:, 0] > 0).mean() > 0.8


def test_the_promise_says_whose_records_rows_are_made_from() -> None:
    found = plan_run(plan(), records().schema).guarantee
    every = plan_run(plan(seeds_among=None), records().schema).guarantee
    assert found.total == every.total
    assert found.records_at_least == every.records_at_least
    assert found.records_among.startswith("whose ")
    assert any(found.records_among in each for each in found.scope.reader_sees)
    assert any(found.records_among in each for each in found.scope.assumes)
    assert "by the proposer alone" in found.scope.covers
    assert not any("whose" in each for each in every.scope.reader_sees)


def test_a_group_too_small_is_foreseen_and_refused_without_its_size() -> None:
    schema, held = records().schema, records()
    made = plan_run(plan(), schema)
    inside = MECHANISM.count_eligible(made, held)
    assert inside == (held.codes[:, 2] == 2).sum()
    assert MECHANISM.count_eligible(plan_run(plan(seeds_among=None), schema), held) == COUNT
    MECHANISM.check_public(made)
    MECHANISM.check_records(made, inside)
    with pytest.raises(Refusal, match="fewer records whose") as refused:
        MECHANISM.check_records(plan_run(plan(public_records=inside + 1), schema), inside)
    assert str(inside) not in str(refused.value)
    with pytest.raises(Refusal, match=r"records whose .* nobody has confirmed"):
        MECHANISM.check_public(plan_run(plan(public_records=None), schema))
    strict = PlausibleDeniability(k=150, gamma=16.0, epsilon0=1.0)
    with pytest.raises(Refusal, match="only 60 seeds are certain"):
        plan_run(plan(test=strict), schema)


def test_what_the_schema_does_not_have_is_refused_and_all_of_a_group_may_be_dealt() -> None:
    schema = records().schema
    with pytest.raises(Refusal) as refused:
        plan_run(plan(seeds_among="AGE = old"), schema)
    assert refused.value.field == "seeds_among"
    plan_run(plan(seeds=0.9, held_out=0.1), schema)
    with pytest.raises(Refusal, match="No record is left"):
        plan_run(plan(seeds=0.9, held_out=0.2), schema)


def test_rows_are_compared_with_real_ones_of_the_group() -> None:
    held, made = records(), plan_run(plan(held_out=0.4), records().schema)
    state = MECHANISM.begin(made, held, Secret.fixed(2), None)
    inside = np.flatnonzero(held.codes[:, 2] == 2)
    evidence = Evidence(made, held, state, {"table": held.take(inside[:120])})
    asked = EvaluationRequest(target=held.schema.names[0], most=1000, repeats=1)
    study = MECHANISM.study(evidence, asked, RandomSource.fixed(1), lambda _: None)
    for each in (study.held_out, study.seeds):
        assert len(each) > 60
        assert (each.codes[:, 2] == 2).all()
    released = evidence.released
    found = MECHANISM.quick_report(made, held, state, released, RandomSource.fixed(1))
    alone = held.take(inside)
    there = replace(state, seeds=state.seeds[inside], apart=state.apart[inside])
    other = MECHANISM.quick_report(made, alone, there, released, RandomSource.fixed(1))
    assert str(found) == str(other)
