"""The real sampler, run end to end on two neighbouring tables, its ε bounded from below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from understudy.assurance.check import Check, Effort, MeasuredValue
from understudy.assurance.divergence import bound_epsilon
from understudy.assurance.noise import BROKEN, REAL
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased.one_attempt import (
    KINDS,
    NAMES,
    UNIVERSE,
    kept_pairs,
    network,
    three_columns,
)
from understudy.core.arrays import CodeArray, IntArray
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer, release
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.plausibility.privacy_test import (
    Plausible,
    PlausibleDeniability,
    PrivacyTest,
    TestKind,
    privacy_test,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

ATTEMPTS = 300_000
"""How many attempts are usually made on either table, for each half."""


@dataclass(frozen=True)
class _Trial:
    """One attempt on two tables of the universe of eight records.

    Attributes:
        made: the account whose claim is tried, of one attempt or of one released record.
        records: how many there are of each record, shape (8,).
        added: the number of the record that the larger table has once more.
        omega: how many attributes are drawn.
        decided_by: what decides in the place of the account's own test, for a mutant.
        capped: whether candidates are turned away by the account's own ρ.
    """

    made: Account
    records: tuple[int, ...]
    added: int
    omega: Omega
    decided_by: PrivacyTest | None = None
    capped: bool = True

    def bound_loss(self, effort: Effort, source: RandomSource, miss: float) -> MeasuredValue:
        """Return a lower bound on ε, wrong with a chance of at most `miss`, over the ε that is
        claimed."""
        attempts = effort.of(ATTEMPTS)
        more = np.array(self.records)
        more[self.added] += 1
        one = self.outcomes(np.array(self.records), attempts, source)
        other = self.outcomes(more, attempts, source)
        found = bound_epsilon(one, other, self.made.each.delta, miss)
        return MeasuredValue(4 * attempts, found / self.made.each.epsilon)

    def outcomes(self, table: IntArray, attempts: int, source: RandomSource) -> IntArray:
        """Return (2, 9) how often each record was released, and none, in each half of the attempts;
        under “releases” (2, 8), for those that release one."""
        codes = np.repeat(UNIVERSE, table, axis=0)
        model = KeptAttributes(network(RandomInputs(1)), self.omega)
        made = Synthesizer(model, Records(three_columns(), codes))
        rho = (self.made.pass_cap or 0.0) if self.capped else 0.0
        decision = Decision(self.decided_by or self.made.test, rho)
        halves = [release(made, decision, 0, attempts, source) for _ in range(2)]
        if self.made.protocol == "releases":
            shown = min(map(len, halves))
            return np.stack([_tally(half[:shown]) for half in halves])
        return np.stack([np.append(_tally(half), attempts - len(half)) for half in halves])


def list_checks(source: RandomSource, miss: float) -> tuple[Check, ...]:
    """Return what must stay under its claim, and what must exceed it.

    Args:
        source: where the runs draw from; a seeded one repeats.
        miss: the chance that one bound is wrong.
    """
    sound = (_check(name, trial, source, miss) for name, trial in _sound())
    broken = (_check(name, trial, source, miss, mutant=True) for name, trial in _mutants())
    return (*sound, *broken)


def _check(
    name: str, trial: _Trial, source: RandomSource, miss: float, mutant: bool = False
) -> Check:
    made = trial.made
    claim = f"ε = {made.each.epsilon:.4g} at δ = {made.each.delta:.3g}, {trial.omega} drawn of 3"
    return Check(
        BROKEN if mutant else REAL,
        f"{NAMES[made.test.kind]}, {name}",
        claim,
        "Clopper and Pearson 1934, on the half that the event was not chosen on",
        lambda effort: trial.bound_loss(effort, source, miss),
        "mutant" if mutant else "claim",
    )


def _sound() -> Iterator[tuple[str, _Trial]]:
    for kind in KINDS:
        yield "400 equal records, one other", _giving_away(kind)
        yield "on the slope of the coin", _on_the_slope(kind)
        yield "ω hidden", _try_hidden(kind)
        yield "released records alone", _try_released(kind)


def _mutants() -> Iterator[tuple[str, _Trial]]:
    for kind in KINDS:
        yield "no pass cap", replace(_giving_away(kind), capped=False)
        slope = _on_the_slope(kind)
        test = slope.made.test
        half = privacy_test(kind, test.k, 2 * (test.epsilon0 or 0.0), _gamma(kind))
        yield "half the noise", replace(slope, decided_by=half)
        yield "no noise", replace(_at_the_edge(kind), decided_by=_without_noise(test))
    fresh = _fresh()
    yield (
        "own seed counted twice",
        replace(fresh, decided_by=_Twice.model_validate(fresh.made.test.model_dump())),
    )


def _giving_away(kind: TestKind) -> _Trial:
    return _trial(
        kind,
        k=20,
        epsilon0=1.0,
        table=(400, 0, 0, 0, 0, 0, 0, 0),
        added=7,
        omega=Omega(low=0, high=0),
        delta=1e-6,
    )


def _on_the_slope(kind: TestKind) -> _Trial:
    return _trial(
        kind,
        k=50,
        epsilon0=0.5,
        table=(47, 0, 0, 0, 0, 0, 0, 53),
        added=0,
        omega=Omega(low=0, high=0),
        delta=1e-6,
    )


def _at_the_edge(kind: TestKind) -> _Trial:
    """Check that one record more makes all the difference where there is no noise."""
    alike = 49 if kind == "plausible-deniability" else 50
    return _trial(
        kind,
        k=50,
        epsilon0=0.5,
        table=(alike, 0, 0, 0, 0, 0, 0, 50),
        added=0,
        omega=Omega(low=0, high=0),
        delta=1e-6,
    )


def _without_noise(test: PrivacyTest) -> PrivacyTest:
    return test.model_copy(update={"epsilon0": None})


def _try_hidden(kind: TestKind) -> _Trial:
    return _trial(
        kind,
        k=12,
        epsilon0=0.5,
        table=(9, 2, 0, 3, 0, 4, 8, 4),
        added=0,
        omega=Omega(low=0, high=2),
        delta=1e-3,
    )


def _fresh() -> _Trial:
    """Return a value that nobody had: it is δ that covers it."""
    table = (0, 0, 0, 0, 0, 0, 0, 6)
    return _trial(
        "plausible-deniability",
        k=4,
        epsilon0=1.0,
        table=table,
        added=0,
        omega=Omega(low=0, high=0),
        delta=4e-3,
    )


def _try_released(kind: TestKind) -> _Trial:
    test = privacy_test(kind, 12, 0.5, _gamma(kind))
    table, added = (9, 2, 0, 3, 0, 4, 8, 4), 0
    omega = Omega(low=0, high=2)
    exact = kept_pairs(
        test, network(RandomInputs(1)), omega, table, np.eye(8, dtype=np.int64)[[added]]
    )
    floor = float(exact[0].passing.min())
    made = account(test, 1, 1e-2, protocol="releases", seeds_at_least=sum(table), pass_floor=floor)
    return _Trial(made, table, added, omega)


def _trial(
    kind: TestKind,
    *,
    k: int,
    epsilon0: float,
    table: tuple[int, ...],
    added: int,
    omega: Omega,
    delta: float,
) -> _Trial:
    """Return two tables, of which the second has one record more, and the account of an attempt.

    Args:
        kind, k, epsilon0: of the test.
        table: how many records have each value.
        added: the value of the record that is more.
        omega: how many columns are drawn afresh.
        delta: of the account.
    """
    test = privacy_test(kind, k, epsilon0, _gamma(kind))
    made = account(test, 1, delta, seeds_at_least=sum(table), equal_likelihood=omega.per_attempt)
    return _Trial(made, table, added, omega)


def _gamma(kind: TestKind) -> float | None:
    return 4.0 if kind == "plausible-deniability" else None


class _Twice(PlausibleDeniability):
    """Counts a candidate's own seed twice."""

    def scores(self, plausible: Plausible) -> IntArray:
        return super().scores(plausible) + 1


def _tally(codes: CodeArray) -> IntArray:
    """Return (8,) how often each record of the universe stands in these rows."""
    return np.bincount(codes.astype(np.int64) @ (4, 2, 1), minlength=len(UNIVERSE))
