"""The sampler itself, on a fixed source of randomness, so that every run counts the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from understudy.assurance import noise, report
from understudy.assurance.finding import Check, Effort
from understudy.assurance.random_inputs import Drawing
from understudy.assurance.seedbased import statistics
from understudy.assurance.seedbased.one_attempt import kept_pairs, network
from understudy.privacy.randomness import RandomSource

LESS = Effort(0.5)


@cache
def checks() -> tuple[Check, ...]:
    return report.sampled(RandomSource.fixed(17))


@pytest.mark.parametrize("number", range(len(report.sampled(RandomSource.fixed(0)))))
def test_the_sampler_stays_under_its_claim_and_the_mutants_exceed_it(number: int) -> None:
    found = checks()[number].find(LESS)
    assert found.passed, (found.check.name, found.measured)


def test_there_are_mutants_of_both_tests_and_of_the_noise() -> None:
    caught = [each.name for each in checks() if each.kind == "mutant"]
    for kind in ("plausible deniability", "relative sensitivity"):
        for name in ("no pass cap", "half the noise", "no noise"):
            assert f"{kind}, {name}" in caught
    assert "plausible deniability, own seed counted twice" in caught
    assert "geometric noise on a count, half the noise" in caught


def test_a_false_alarm_is_as_rare_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bound on a sound mechanism may be wrong once in `FALSE_ALARM` over their number."""
    given = []
    for module in (statistics, noise):
        monkeypatch.setattr(module, "bound_epsilon", lambda *seen: given.append(seen[-1]) or 0.0)
    sound = [each for each in report.sampled(RandomSource.fixed(17)) if each.kind == "claim"]
    for each in sound:
        each.find(Effort(0.0001))
    assert len(given) == len(sound) > 10
    assert sum(given) <= report.FALSE_ALARM * (1 + 1e-9)


def test_outcomes_follow_the_exact_law() -> None:
    """What the sampler does is what the exact audit says it does."""
    trial = statistics._try_hidden("relative-sensitivity")
    (exact,) = kept_pairs(
        trial.made.test, network(Drawing(1)), trial.omega, trial.records, np.eye(8)[[0]].astype(int)
    )
    counted = trial.outcomes(np.array(trial.records), 100_000, RandomSource.fixed(3)).sum(axis=0)
    rho = trial.made.pass_cap
    assert rho is not None
    law = exact.cap_attempts(rho)[0]
    expected = law * counted.sum()
    spread = np.sqrt(expected * (1 - law)) + 1
    assert (np.abs(counted - expected) < 6 * spread).all()
