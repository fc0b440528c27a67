"""Attempts are decided by the very test and pass cap that their ε was computed for, whoever makes
them: what a run does is held against its guarantee where the two meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from understudy.assurance.method_audits import runs
from understudy.assurance.real_runs import Begun, Runs, Trial, begin_run, outputs, serialize_part
from understudy.mechanisms.outputs import Chunk, ResumePoint, Workers
from understudy.mechanisms.plausible_traces.guarantee import promise
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.attempts import BATCH as CHUNKED
from understudy.mechanisms.seedbased.attempts import Chunks
from understudy.mechanisms.statement import TABLE
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource, Secret

PLACES = {"seedbased": "seedbased", "scored": "scored", "plausible-traces": "plausible_traces"}


def trial_of(kind: str) -> Trial:
    """A plan of a method whose runs are looked at, on a few records, that is soon learned."""
    (own,) = (each for each in runs() if each.kind == kind)
    return min(own.trials(), key=lambda each: each.name != "the published network")


def begin_with_seeds(trial: Trial) -> tuple[Secret, Begun]:
    """Begin a run to which some of its records are dealt as seeds, the same one each time."""
    for number in range(100):
        secret = Secret.fixed(number)
        run = begin_run(trial.decided, trial.pairs[0].one, secret, silent=True)
        if np.count_nonzero(trial.parts(run.arrays) == "seeds") >= 3:
            return secret, run
    raise AssertionError("no seeds are ever dealt")


@pytest.mark.parametrize("kind", PLACES)
def test_attempts_are_decided_by_the_test_and_the_pass_cap_that_are_promised(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = trial_of(kind)
    attempts = import_module(f"understudy.mechanisms.{PLACES[kind]}.attempts")
    capped: list[tuple[float, int]] = []
    decided: list[tuple[PassCoin, int]] = []
    usual: dict[str, Any] = {name: getattr(PassCoin, name) for name in ("decide", "least")} | {
        "capped_away": attempts.capped_away
    }

    def capped_away(cap: float, count: int, source: RandomSource) -> npt.NDArray[np.bool_]:
        capped.append((cap, count))
        return usual["capped_away"](cap, count, source)

    def heard(name: str) -> Any:
        def decide(coin: PassCoin, asked: Any, source: RandomSource) -> Any:
            decided.append((coin, asked if isinstance(asked, int) else len(asked)))
            return usual[name](coin, asked, source)

        return decide

    monkeypatch.setattr(attempts, "capped_away", capped_away)
    for name in ("decide", "least"):
        monkeypatch.setattr(PassCoin, name, heard(name))
    records = trial.pairs[0].one
    secret, run = begin_with_seeds(trial)
    outputs(trial.decided, records, run, secret)
    account: Any = trial.decided.guarantee.account
    seeds = account.seeds
    assert seeds.pass_cap > 0
    assert {cap for cap, _ in capped} == {seeds.pass_cap}
    assert {coin for coin, _ in decided} == {seeds.test.coin}
    assert sum(count for _, count in capped) == sum(count for _, count in decided)
    assert sum(count for _, count in capped) == seeds.count


DISJOINT = frozenset({"scored", "plausible-traces"})
"""Methods whose parts see different records, so that the whole costs what the dearest part does."""


# A part of imputation is of a record that is used, as only some are.
@pytest.mark.parametrize(
    "of", [each for each in runs() if each.kind != "imputation"], ids=lambda each: each.kind
)
def test_what_is_stated_of_parts_adds_up_to_the_whole(of: Runs) -> None:
    for trial in of.trials():
        found = trial.decided.guarantee
        costs = [each.cost for each in found.parts]
        if of.kind == "seedbased":
            shares: Any = trial.decided.plan.shares  # type: ignore[attr-defined]
            chances = {
                "attempts": shares.seeds,
                "model": shares.structure + shares.parameters,
                "structure": shares.structure,
                "parameters": shares.parameters,
                "acceptance test": shares.held_out,
            }
            mean = math.fsum(
                chances[each.of] * math.expm1(each.cost.epsilon) for each in found.parts
            )
            assert found.record.epsilon == pytest.approx(math.log1p(mean), rel=1e-12)
            assert max(each.delta for each in costs) <= found.record.delta
        elif of.kind in DISJOINT:
            assert max(each.epsilon for each in costs) == found.record.epsilon
            assert max(each.delta for each in costs) <= found.record.delta
        elif of.kind == "traces":
            assert {each.delta for each in costs} == {found.record.delta}
            rho = [largest_rho(each) for each in costs]
            assert rho == pytest.approx([each.native["rho"] for each in found.parts], rel=1e-6)
            assert sum(rho) == pytest.approx(largest_rho(found.record), rel=1e-6)
        else:
            assert costs == [found.record]


@pytest.mark.parametrize("kind", ["seedbased", "plausible-traces"])
def test_tables_that_are_as_large_as_is_asked_have_too_few_seeds_as_rarely_as_is_paid_for(
    kind: str,
) -> None:
    found = trial_of(kind).decided.guarantee
    plan: Any = trial_of(kind).decided.plan
    share = plan.seeds if kind == "plausible-traces" else plan.shares.seeds
    needed = found.records_at_least or found.people_at_least
    assert needed is not None
    assert found.reads_records
    seeds = found.account.seeds
    fewer = seeds.seeds_at_least - 1
    miss = binom.cdf(fewer, needed, share)
    paid = found.account.attempts if kind == "plausible-traces" else found.record
    assert miss + seeds.total.delta <= paid.delta * (1 + 1e-9)
    assert paid.delta <= plan.delta
    # One less, and the tenth of δ that is set aside would not do.
    assert miss <= plan.delta / 10 * (1 + 1e-9) < binom.cdf(fewer, needed - 1, share) * (1 + 2e-9)


def test_days_are_tested_as_their_plan_says() -> None:
    plan = trial_of("plausible-traces").decided.plan
    made = promise(plan)
    assert (made.test.k, made.test.epsilon0) == (plan.k, plan.epsilon0)
    alone = {"epsilon": 1.0, "delta": 1e-9, "epsilon0": None, "seeds_at_least": 20_000}
    with_k = promise(plan.model_copy(update={**alone, "k": 1_500}))
    assert with_k.test.k == 1_500
    assert with_k.attempts.bounded


def test_a_run_that_hides_its_attempts_releases_no_more_records_than_are_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However few attempts a chunk has."""
    trial = trial_of("seedbased")
    plan = trial.decided.plan
    hidden = plan.model_copy(update={"protocol": "releases", "pass_floor": 0.5})
    decided = plan_run(hidden, trial.decided.schema)
    monkeypatch.setattr("understudy.mechanisms.seedbased.attempts.BATCH", 2)
    monkeypatch.setattr(PassCoin, "decide", lambda _, scores, __: np.ones(len(scores), dtype=bool))
    # By this secret some records are seeds.
    records, mechanism, secret = trial.pairs[0].one, decided.mechanism, Secret.fixed(1)
    run = begin_run(decided, records, secret, silent=True)
    state = mechanism.restore(decided, run.arrays)
    chunks = [
        each
        for each in mechanism.release(
            decided, records, state, secret, Workers(cores=1), ResumePoint()
        )
        if each.output == TABLE
    ]
    rows = [len(each.content) for each in chunks]
    assert len(rows) > 1
    assert sum(rows) == plan.attempts


def test_a_run_goes_on_with_its_first_attempt_or_measure_that_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Attempts are not made again once their rows are measured; and what is told beside the rows
    is all there."""
    (own,) = (each for each in runs() if each.kind == "seedbased")
    trial = next(each for each in own.trials() if each.name.startswith("acceptance"))
    plan = trial.decided.plan.model_copy(update={"noisy_tables": True})
    decided = plan_run(plan, trial.decided.schema)
    monkeypatch.setattr("understudy.mechanisms.seedbased.attempts.BATCH", 20)
    records, mechanism, secret = trial.pairs[0].one, decided.mechanism, Secret.fixed(1)
    run = begin_run(decided, records, secret, silent=True)
    assert len(run.state.tables) > 1

    def made(before: Sequence[Chunk]) -> list[Chunk]:
        state = mechanism.restore(decided, run.arrays)
        rows = [each.content for each in before if each.output == TABLE]
        at = ResumePoint(
            before[-1].reached if before else 0,
            {TABLE: sum(map(len, rows))},
            {TABLE: rows},
        )
        return [*mechanism.release(decided, records, state, secret, Workers(cores=1), at)]

    whole = made([])
    *table, measured, told = whole
    assert {each.output for each in table} == {TABLE}
    assert TABLE not in {measured.output, told.output}
    assert len(told.content["tables"]) == len(run.state.tables)
    assert table[-1].reached == plan.attempts < measured.reached < told.reached
    for number in range(1, len(whole) + 1):
        assert [_as_written(each) for each in made(whole[:number])] == [
            _as_written(each) for each in whole[number:]
        ]


def _as_written(each: Chunk) -> tuple[str, bytes, int]:
    return each.output, serialize_part(each.content), each.reached


@pytest.mark.parametrize("batches", [1, 3])
def test_chunks_have_each_attempt_once_and_none_beyond(batches: int) -> None:
    attempts = 7 * CHUNKED + 5
    chunks = Chunks(None, None, Secret.fixed(1), attempts)  # type: ignore[arg-type]
    spans = [*chunks.spans(2 * CHUNKED, batches)]
    made = [each for span in spans for each in range(span.first, span.first + span.count)]
    assert made == [*range(2 * CHUNKED, attempts)]


@pytest.mark.parametrize("kind", ["scored", "plausible-traces"])
def test_batches_end_where_attempts_do_and_go_on_where_they_stopped(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = trial_of(kind)
    place = f"understudy.mechanisms.{PLACES[kind]}"
    module = import_module(f"{place}.mechanism")
    monkeypatch.setattr(module, "BATCH", 6)
    capped: list[int] = []
    usual = import_module(f"{place}.attempts").capped_away

    def capped_away(cap: float, count: int, source: RandomSource) -> npt.NDArray[np.bool_]:
        capped.append(count)
        return np.zeros_like(usual(cap, count, source))

    monkeypatch.setattr(f"{place}.attempts.capped_away", capped_away)
    # Whatever was scored passes, so that batches can be told apart by their rows.
    monkeypatch.setattr(PassCoin, "least", lambda _, count, __: np.zeros(count, dtype=np.int64))
    monkeypatch.setattr(PassCoin, "decide", lambda _, scores, __: np.ones(len(scores), dtype=bool))
    decided, records = trial.decided, trial.pairs[0].one
    attempts = decided.guarantee.account.seeds.count
    mechanism = decided.mechanism

    def made(run: Begun, secret: Secret, at: int) -> list[tuple[int, int, bytes]]:
        state = mechanism.restore(decided, run.arrays)
        chunks = mechanism.release(
            decided, records, state, secret, Workers(cores=1), ResumePoint(at=at)
        )
        return [(each.reached, each.done, serialize_part(each.content)) for each in chunks]

    secret, run = begin_with_seeds(trial)
    whole = made(run, secret, 0)
    assert [reached for reached, _, _ in whole] == [*range(6, attempts, 6), attempts]
    assert [done for _, done, _ in whole] == [reached for reached, _, _ in whole]
    assert len({content for _, _, content in whole}) == len(whole)
    assert sum(capped) == attempts
    for number, (reached, _, _) in enumerate(whole):
        assert made(run, secret, reached) == whole[number + 1 :]
