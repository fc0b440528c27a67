"""The claims about whole runs against exact laws. As many candidates pass as the coins let that
the accountant was told, and no other is thrown. A universe of two people and one bit, every sample
written out: between populations the amplified figure holds and is attained; between tables it is
exceeded, and the plain one is attained. The sampler itself, on a fixed source of randomness, so
that every run counts the same.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import bdtr

from understudy.assurance import noise, report
from understudy.assurance.attempt import pairs, worst
from understudy.assurance.check import TOLERANCE, Check, Effort
from understudy.assurance.divergence import hockey_stick
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased import mutants, statistics, whole_runs
from understudy.assurance.seedbased.one_attempt import KINDS, kept_pairs, network, small_test
from understudy.assurance.seedbased.runs import list_coin_checks, list_coin_mutants
from understudy.assurance.seedbased.whole_runs import binomial_below
from understudy.privacy.accounting.composition import amplified_by_sampling
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource

LESS = Effort(0.1)


@pytest.mark.parametrize("check", whole_runs.list_checks(), ids=lambda each: each.name)
def test_whole_runs(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.cases > 20


def test_noise_of_their_own_is_what_two_attempts_need() -> None:
    """The joint law that catches the shared threshold, with two thresholds: it holds."""
    for kind in KINDS:
        tried = pairs(small_test(kind, 8, 1.0), np.eye(2), [8, 8], equal_likelihood=True)
        assert worst([tried], mutants.noise_reused).worst > 10
        assert worst([tried], whole_runs.compare_attempts).worst <= 1 + TOLERANCE


@pytest.mark.parametrize(
    "check", [*list_coin_checks(), *list_coin_mutants()], ids=lambda each: each.name
)
def test_coins_are_those_that_were_paid_for(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found


@pytest.mark.parametrize("check", whole_runs.list_chance_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    assert found.measured.worst > 0.9


def test_a_binomial_tail_in_whole_numbers() -> None:
    assert binomial_below(1, 3, Fraction(1, 2)) == 1 / 8
    assert binomial_below(2, 3, Fraction(1, 2)) == 1 / 2
    assert binomial_below(5, 60, Fraction(3, 10)) == pytest.approx(
        float(bdtr(4, 60, 0.3)), rel=1e-9
    )


def test_one_attempt_too_few_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = whole_runs.attempts_needed
    monkeypatch.setattr(whole_runs, "attempts_needed", lambda *asked: real(*asked) - 1)
    stops, seeds = (check.find(Effort()).verdict for check in whole_runs.list_chance_checks())
    assert (stops, seeds) == ("broken", "holds")


def test_one_record_too_few_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = whole_runs.records_needed
    monkeypatch.setattr(whole_runs, "records_needed", lambda *asked: real(*asked) - 1)
    stops, seeds = (check.find(Effort()).verdict for check in whole_runs.list_chance_checks())
    assert (stops, seeds) == ("holds", "broken")


@pytest.mark.parametrize("check", whole_runs.list_part_checks(), ids=lambda each: each.name)
def test_every_claim_holds_of_parts(check: Check) -> None:
    found = check.find(Effort(0.3, seed=9))
    assert found.passed, found.measured
    assert found.measured.cases >= 15


def test_parts_that_share_their_records_are_caught() -> None:
    assert whole_runs.shared_parts(Effort()).worst > 2


def test_a_noisy_count_spends_its_budget() -> None:
    budget = Budget(0.7, 0.02)
    laws = whole_runs.count_laws(budget, 4)
    np.testing.assert_allclose(laws.sum(axis=1), 1)
    for one, more in pairwise(laws):
        assert hockey_stick(one, more, 0.7) == pytest.approx(0.02, rel=1e-9)


Law = dict[tuple[bool, ...], float]

CASES = list(product((0.3, 1.0, 2.0), (0.01, 0.1, 0.5, 1.0)))
PEOPLE = ("Ann", "Ben")


def told(table: frozenset[str], epsilon: float) -> Law:
    """Randomised response of whether each of the two is in the table."""
    right = 1 / (1 + math.exp(-epsilon))
    law: Law = {}
    for answer in product((False, True), repeat=len(PEOPLE)):
        law[answer] = math.prod(
            right if said == (person in table) else 1 - right
            for person, said in zip(PEOPLE, answer, strict=True)
        )
    return law


def drawn(population: frozenset[str], chance: float, epsilon: float) -> Law:
    """The law of the answers where each member got into the table by a coin of their own."""
    law: Law = {}
    for taken in product((False, True), repeat=len(population)):
        table = frozenset(person for person, each in zip(population, taken, strict=True) if each)
        weight = math.prod(chance if each else 1 - chance for each in taken)
        for answer, likely in told(table, epsilon).items():
            law[answer] = law.get(answer, 0.0) + weight * likely
    return law


def apart(one: Law, other: Law) -> float:
    """The largest loss, in either direction."""
    return max(abs(math.log(one[answer] / other[answer])) for answer in one)


@pytest.mark.parametrize(("epsilon", "chance"), CASES)
@pytest.mark.parametrize("others", [frozenset(), frozenset({"Ben"})])
def test_between_populations_the_amplified_figure_is_attained(
    epsilon: float, chance: float, others: frozenset[str]
) -> None:
    found = apart(drawn(others, chance, epsilon), drawn(others | {"Ann"}, chance, epsilon))
    assert found == pytest.approx(amplified_by_sampling(Budget(epsilon), chance).epsilon, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "chance"), CASES)
@pytest.mark.parametrize("others", [frozenset(), frozenset({"Ben"})])
def test_between_tables_it_is_exceeded_and_the_plain_one_attained(
    epsilon: float, chance: float, others: frozenset[str]
) -> None:
    found = apart(told(others, epsilon), told(others | {"Ann"}, epsilon))
    assert found == pytest.approx(epsilon, rel=1e-9)
    if chance < 1:
        assert found > amplified_by_sampling(Budget(epsilon), chance).epsilon * 1.1


def test_the_audit_has_both_and_catches_one_in_the_place_of_the_other() -> None:
    found = {each.name: each.find(Effort(0.3)).verdict for each in whole_runs.list_part_checks()}
    assert found["a secret sample, between populations"] == "holds"
    assert found["a secret sample, between tables"] == "holds"
    mutant = Check("", "", "", "", whole_runs.amplified_for_tables, "mutant")
    assert mutant.find(Effort(0.3)).verdict == "caught"


STATISTICAL_LESS = Effort(0.5)


@cache
def checks() -> tuple[Check, ...]:
    return report.count_sampled(RandomSource.fixed(17))


@pytest.mark.parametrize("number", range(len(report.count_sampled(RandomSource.fixed(0)))))
def test_the_sampler_stays_under_its_claim_and_the_mutants_exceed_it(number: int) -> None:
    found = checks()[number].find(STATISTICAL_LESS)
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
    sound = [each for each in report.count_sampled(RandomSource.fixed(17)) if each.kind == "claim"]
    for each in sound:
        each.find(Effort(0.0001))
    assert len(given) == len(sound) > 10
    assert sum(given) <= report.FALSE_ALARM * (1 + 1e-9)


def test_outcomes_follow_the_exact_law() -> None:
    """What the sampler does is what the exact audit says it does."""
    trial = statistics._try_hidden("relative-sensitivity")
    (exact,) = kept_pairs(
        trial.made.test,
        network(RandomInputs(1)),
        trial.omega,
        trial.records,
        np.eye(8)[[0]].astype(int),
    )
    counted = trial.outcomes(np.array(trial.records), 100_000, RandomSource.fixed(3)).sum(axis=0)
    rho = trial.made.pass_cap
    assert rho is not None
    law = exact.cap_attempts(rho)[0]
    expected = law * counted.sum()
    spread = np.sqrt(expected * (1 - law)) + 1
    assert (np.abs(counted - expected) < 6 * spread).all()
