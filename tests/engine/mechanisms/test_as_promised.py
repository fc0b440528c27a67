"""Attempts are decided by the very test and pass cap that their ε was computed for, whoever makes
them: what a run does is held against its guarantee where the two meet."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.audit.brought import runs
from engine.audit.real_runs import Begun, Trial, begun, outputs, written
from engine.mechanisms.outputs import ResumePoint
from engine.mechanisms.registry import mechanism_of
from engine.mechanisms.workers import Workers
from engine.privacy.plausibility.coin import PassCoin
from engine.privacy.randomness import RandomSource, Secret

PLACES = {"seedbased": "seedbased", "scored": "scored", "plausible-traces": "plausible_traces"}


def trial_of(kind: str) -> Trial:
    """A plan of a method whose runs are looked at, on a few records, that is soon learned."""
    (own,) = (each for each in runs() if each.kind == kind)
    return min(own.trials(), key=lambda each: each.name != "the published network")


@pytest.mark.parametrize("kind", PLACES)
def test_attempts_are_decided_by_the_test_and_the_pass_cap_that_are_promised(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = trial_of(kind)
    attempts = import_module(f"engine.mechanisms.{PLACES[kind]}.attempts")
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
    while not capped:  # until there are seeds
        secret = Secret.fresh()
        run = begun(trial.decided, records, secret, silent=True)
        outputs(trial.decided, records, run, secret)
    account: Any = trial.decided.guarantee.account
    seeds = account.seeds
    assert seeds.pass_cap > 0
    assert {cap for cap, _ in capped} == {seeds.pass_cap}
    assert {coin for coin, _ in decided} == {seeds.test.coin}
    assert sum(count for _, count in capped) == sum(count for _, count in decided)
    assert sum(count for _, count in capped) == seeds.count


@pytest.mark.parametrize("kind", ["scored", "plausible-traces"])
def test_batches_end_where_attempts_do_and_go_on_where_they_stopped(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = trial_of(kind)
    place = f"engine.mechanisms.{PLACES[kind]}"
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
    mechanism = mechanism_of(decided.plan)

    def made(run: Begun, secret: Secret, at: int) -> list[tuple[int, int, bytes]]:
        state = mechanism.restore(decided, run.kept)
        chunks = mechanism.release(
            decided, records, state, secret, Workers(cores=1), ResumePoint(at=at)
        )
        return [(each.reached, each.done, written(each.content)) for each in chunks]

    while not capped:  # until there are seeds
        secret = Secret.fresh()
        run = begun(decided, records, secret, silent=True)
        whole = made(run, secret, 0)
    assert [reached for reached, _, _ in whole] == [*range(6, attempts, 6), attempts]
    assert [done for _, done, _ in whole] == [reached for reached, _, _ in whole]
    assert len({content for _, _, content in whole}) == len(whole)
    assert sum(capped) == attempts
    for number, (reached, _, _) in enumerate(whole):
        assert made(run, secret, reached) == whole[number + 1 :]
