"""The coins that decide what a run puts out: which are thrown, and how many candidates pass.

All seeds of these tables are equal, so that the score of every candidate is known beforehand, and
with it the chance to pass: that a candidate j short of k gets over the threshold with noise of
scale 1/ε0, e^(−ε0·j)/2 or e^(−ε0·j)/(1 + e^−ε0), times 1 − ρ, not to be turned away after that. A
run makes thousands of attempts, from its plan, through `begin` and `release`; how many pass is
held against that chance. What is thrown is listened to, and has to be what the accountant was told.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from unittest import mock

import numpy as np
from scipy.stats import binom

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.real_runs import PART, Begun, Break, begin_run, patch_source
from understudy.core.arrays import TextArray
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.outputs import Chunk, ResumePoint
from understudy.mechanisms.workers import Workers
from understudy.privacy.accounting.account import Account
from understudy.privacy.plausibility import threshold
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA: Final = Schema(
    columns=tuple(
        Column(name=name, domain=Categories(values=("no", "yes"))) for name in ("one", "other")
    )
)
K: Final = 100
SEEDS: Final = 0.98
"""The chance of a record to be a seed."""
MISS: Final = 1e-9
"""The chance that a sound run is found to pass too often; and that, too rarely."""
OWN_COUNTED: Final = Break(
    "the own seed is counted",
    "every candidate scores one more than there are others",
    RelativeSensitivity.scores,
    "np.maximum(plausible - 1, 0)",
    "plausible",
)
_SECRETS: Final = 200
_NEAR: Final = range(1, 3)
"""How far below the threshold candidates score, so that it is noise that lets some pass."""


def count_near_k(*, counts_own: bool) -> int:
    """Return of how many equal records, dealt by SEEDS, candidates score a little less than K."""
    return round((K - 2 + (not counts_own)) / SEEDS)


def equal_records(*, counts_own: bool) -> Records:
    """Return so many equal records, of which candidates score a little less than K."""
    return Records(SCHEMA, np.zeros((count_near_k(counts_own=counts_own), 2), dtype=np.uint16))


@dataclass(frozen=True, eq=False)
class Coins:
    """A plan whose candidates all score the same.

    Attributes:
        name: which, in a few words.
        decided: what is run.
        records: equal ones.
        parts: from what a run has kept, the part that each record was dealt to.
        account: of the attempts.
        counts_own: whether a candidate's own seed is counted too.
        passed: how many attempts some chunks are of.
        seeds: how many seeds there are, of the parts of records.
        breaks: each of which has to be noticed.
    """

    name: str
    decided: PlannedRun
    records: Records
    parts: Callable[[Arrays], TextArray]
    account: Account
    counts_own: bool
    passed: Callable[[Sequence[Chunk]], int] = lambda chunks: sum(
        len(each.content) for each in chunks
    )
    seeds: Callable[[Records, TextArray], int] = lambda _, names: int((names == "seeds").sum())
    breaks: tuple[Break, ...] = ()

    def checks(self) -> tuple[Check, ...]:
        """Return what has to hold of these coins."""
        return (
            Check(
                PART,
                f"{self.name}, coins",
                "all that is thrown is the coin of k and ε0, and that of ρ, that the accountant "
                "was told; as many candidates pass as these let, within bounds that a sound run "
                f"keeps to except for {2 * MISS:g}",
                GUARANTEE,
                partial(_measure, self),
            ),
        )

    def mutants(self) -> tuple[Check, ...]:
        """Return the same check of coins that are broken in one line."""
        return tuple(
            Check.mutant(f"{self.name}, {each.name}", each.what, partial(_break_coins, self, each))
            for each in self.breaks
        )


def _break_coins(coins: Coins, of: Break, effort: Effort) -> MeasuredValue:
    with patch_source(of.function, of.old, of.new):
        return _measure(coins, effort)


def _measure(coins: Coins, _: Effort) -> MeasuredValue:
    started = _start_near_k(coins)
    if started is None:
        return MeasuredValue(_SECRETS, math.inf, f"{coins.name}: no run has a score near k")
    secret, state, score = started
    test, unit = coins.account.test, coins.account
    attempts = unit.count
    assert test.epsilon0 is not None
    mechanism = coins.decided.mechanism
    with _listen() as thrown:
        kept = mechanism.restore(coins.decided, state.arrays)
        chunks = list(
            mechanism.release(
                coins.decided, coins.records, kept, secret, Workers(cores=1), ResumePoint()
            )
        )
    told = {(test.k, test.epsilon0, test.noise), unit.pass_cap or 0.0}
    words = f"{coins.name}, a score of {score} at k = {test.k}"
    if set(thrown) != told:
        return MeasuredValue(attempts, math.inf, f"{words}: another coin was thrown")
    law = 2 if test.noise == "laplace" else 1 + math.exp(-test.epsilon0)
    chance = math.exp(-test.epsilon0 * (test.k - score)) / law
    passes = chance * (1 - (unit.pass_cap or 0.0))
    found = coins.passed(chunks)
    most = float(binom.isf(MISS, attempts, passes))
    least = float(binom.ppf(MISS, attempts, passes))
    return NOTHING | MeasuredValue(attempts, max(found / most, least / max(found, 1)), words)


def _start_near_k(coins: Coins) -> tuple[Secret, Begun, int] | None:
    """Begin a run whose candidates score a little less than k; return None if records are dealt
    otherwise."""
    k = coins.account.test.k
    for _ in range(_SECRETS):
        secret = Secret.fresh()
        found = begin_run(coins.decided, coins.records, secret)
        score = coins.seeds(coins.records, coins.parts(found.arrays)) - (not coins.counts_own)
        if k - score in _NEAR:
            return secret, found, score
    return None


@contextmanager
def _listen() -> Iterator[list[Any]]:
    """Listen to what is thrown: the coins of thresholds, and the chances to be turned away."""
    thrown: list[Any] = []
    decide, least, capped = PassCoin.decide, PassCoin.least, threshold.capped_away

    def hear_coin(usual: Callable[..., Any], this: PassCoin, *given: Any) -> Any:
        thrown.append((this.k, this.epsilon0, this.noise))
        return usual(this, *given)

    def turned_away(cap: float, count: int, source: RandomSource) -> Any:
        thrown.append(cap)
        return capped(cap, count, source)

    with ExitStack() as stack:
        stack.enter_context(
            mock.patch.object(PassCoin, "decide", lambda *each: hear_coin(decide, *each))
        )
        stack.enter_context(
            mock.patch.object(PassCoin, "least", lambda *each: hear_coin(least, *each))
        )
        for module in list(sys.modules.values()):
            if getattr(module, "capped_away", None) is capped:
                stack.enter_context(mock.patch.object(module, "capped_away", turned_away))
        yield thrown
