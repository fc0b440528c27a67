"""The shipped mechanism, its law written out in full on universes small enough to enumerate.
Scores come from the shipped index, classes and score, passing from the shipped coin; the chance to
make a candidate comes from the definition of the model. Seedbased synthesis broken on purpose, and
what must notice.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.engine.assurance.seedbased.holding import holds
from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, decide_laws, worst
from understudy.assurance.check import TOLERANCE, Check, Effort
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased import mutants
from understudy.assurance.seedbased.one_attempt import (
    KINDS,
    OMEGAS,
    UNIVERSE,
    attempt_chances,
    giving_away,
    kept_pairs,
    kept_universes,
    network,
    small_test,
    steps,
)
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.accounting.accountant import account
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.privacy.plausibility.threshold import PassCoin

NOTHING_DRAWN = Omega(low=0, high=0)


def tables(*counts: tuple[int, int]) -> np.ndarray:
    """A table of the universe, from (number of the record, how many there are)."""
    table = np.zeros(len(UNIVERSE), dtype=np.int64)
    for record, count in counts:
        table[record] = count
    return table


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("omega", OMEGAS, ids=lambda omega: f"{omega} {omega.reading}")
def test_one_attempt_keeps_its_promise_with_and_without_rejections(
    omega: Omega, kind: TestKind
) -> None:
    draw = RandomInputs(11)
    for _ in range(12):
        test = draw.test(kind)
        for each in kept_pairs(test, network(draw), omega, draw.table(8, test.k)):
            np.testing.assert_allclose(each.cap_attempts(0.0).sum(axis=1), 1, rtol=1e-12)
            assert each.equal_likelihood == omega.per_attempt
            for ratio in (attempt.with_seeds, attempt.rejections_seen, attempt.released_slot):
                assert worst([each], ratio).worst <= 1 + TOLERANCE


def test_an_announced_range_is_tried_value_by_value_and_a_seedless_one_not() -> None:
    draw, test = RandomInputs(2), small_test(KINDS[0], 3, 1.0)
    counted = {
        str(omega) + omega.reading: len(kept_pairs(test, network(draw), omega, tables((0, 5))))
        for omega in OMEGAS
    }
    assert counted["0-3announced"] == 3
    assert counted["2-3announced"] == 1
    assert counted["0-3hidden"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_claims_are_close_to_what_the_mechanism_spends(kind: TestKind) -> None:
    exact = attempt.with_seeds if kind == "plausible-deniability" else attempt.with_whole_scores
    assert worst(kept_universes(kind, Effort()), exact).worst == pytest.approx(1, abs=1e-6)


def test_what_is_made_follows_the_model() -> None:
    """The chances of the definition, against what the shipped model draws."""
    draw = RandomInputs(3)
    made = network(draw)
    order = list(made.order)
    for omega in (0, 1, 2, 3):
        model = KeptAttributes(made, Omega(low=omega, high=omega))
        rows = np.repeat(np.arange(8), 4_000)
        seeds = np.ascontiguousarray(UNIVERSE[rows][:, order].T)
        drawn = model.propose(seeds, np.full(len(rows), omega), draw.source)
        codes = drawn[np.argsort(order)].astype(np.int64)
        counted = np.zeros((8, 8))
        np.add.at(counted, (rows, (4, 2, 1) @ codes), 1 / 4_000)
        np.testing.assert_allclose(counted, attempt_chances(made, (omega,))[0], atol=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_seen_rejections_break_the_promise_without_the_pass_cap(kind: TestKind) -> None:
    test = small_test(kind, 20, 1.0, gamma=1.5)
    (tried,) = kept_pairs(
        test, network(RandomInputs(1)), NOTHING_DRAWN, tables((0, 400)), tables((7, 1))
    )
    made = account(test, 1, 1e-6, seeds_at_least=400, equal_likelihood=True)
    at = (made.t or 0) - 1

    def ratio(share: float) -> float:
        return float(attempt.rejections_seen(tried, share_of_cap=share)[0, at])

    assert attempt.with_seeds(tried)[0, at] <= 1 + TOLERANCE
    assert ratio(0.0) > 1_000
    assert ratio(0.01) > 1_000
    assert ratio(1.0) <= 1 + TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
def test_half_the_noise_is_caught(kind: TestKind) -> None:
    """The audit can fail: claim ε0 and draw with 2·ε0."""
    alike = 19 if kind == "plausible-deniability" else 20
    claimed = small_test(kind, 20, 0.5, gamma=1.5)
    drawn = small_test(kind, 20, 1.0, gamma=1.5)
    laws = [
        kept_pairs(
            test, network(RandomInputs(1)), NOTHING_DRAWN, tables((0, alike)), tables((0, 1))
        )[0]
        for test in (claimed, drawn)
    ]
    right, wrong = laws
    assert worst([right], attempt.with_seeds).worst <= 1 + TOLERANCE
    mutant = Pairs(claimed, wrong.tables, wrong.released, wrong.rejected, True)
    assert worst([mutant], attempt.with_seeds).worst > 100


def test_a_score_off_by_one_is_caught_through_the_index() -> None:
    test = small_test(KINDS[0], 5, 1.0)
    (right,) = kept_pairs(
        test, network(RandomInputs(1)), NOTHING_DRAWN, tables((0, 9)), tables((7, 1))
    )
    shares = right.tables / right.tables.sum(axis=1, keepdims=True)
    made = shares[:, None, :] * np.eye(8)[None]
    scored = np.repeat(right.tables[:, None, :], 8, axis=1)
    laws = {more: decide_laws(PassCoin(5, 1.0), made, scored + more) for more in (0, 1)}
    np.testing.assert_allclose(laws[0][0], right.released, rtol=1e-12)
    mutant = Pairs(test, right.tables, *laws[1], True)
    assert worst([right], attempt.with_seeds).worst <= 1 + TOLERANCE
    assert worst([mutant], partial(attempt.with_seeds)).worst > 2


LESS = Effort(0.2)


@pytest.mark.parametrize("check", mutants.list_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.verdict == "caught", found.measured


@pytest.mark.parametrize("kind", KINDS)
def test_what_catches_the_mutants_lets_the_mechanism_pass(kind: TestKind) -> None:
    for tried in (*steps(kind), giving_away(kind)):
        holds(tried)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [1.5, 1.1])
def test_a_little_less_noise_is_caught(kind: TestKind, share: float) -> None:
    coin = lambda test: PassCoin(test.k, share * test.epsilon0, test.noise)  # noqa: E731
    assert worst(steps(kind, coin=coin), attempt.with_seeds).worst > 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_one_too_low_is_caught(kind: TestKind) -> None:
    coin = lambda test: PassCoin(test.k - 1, test.epsilon0, test.noise)  # noqa: E731
    exact = attempt.with_seeds if kind == "plausible-deniability" else attempt.with_whole_scores
    assert worst(steps(kind, coin=coin), exact).worst > 1.1
