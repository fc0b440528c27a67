"""Seedbased synthesis broken on purpose, and tables on which it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from understudy.assurance import attempt
from understudy.assurance.attempt import (
    Pairs,
    Scores,
    pairs,
    pass_probabilities,
    shipped_scores,
    worst,
)
from understudy.assurance.check import Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.seedbased.one_attempt import KINDS, NAMES, giving_away, small_test, steps
from understudy.assurance.seedbased.whole_runs import (
    amplified_for_tables,
    learn_from_held_out,
    shared_parts,
    show_coins,
)
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.unit import pass_cap
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind
from understudy.privacy.plausibility.threshold import PassCoin


def half_the_noise(test: PrivacyTest) -> PassCoin:
    """Return the noise of 2ε0."""
    assert test.epsilon0 is not None
    return PassCoin(test.k, 2 * test.epsilon0, test.noise)


def no_noise(test: PrivacyTest) -> PassCoin:
    """Return the deterministic test."""
    return PassCoin(test.k, None)


def threshold_of_one(test: PrivacyTest) -> PassCoin:
    """Return 1 in the place of k."""
    return PassCoin(1, test.epsilon0, test.noise)


def noise_reused(tried: Pairs) -> FloatArray:
    """Return two attempts whose scores are compared with one and the same noisy threshold.

    Outcomes are pairs of candidates or ⊥; each candidate still has a pass cap of its own.
    """
    unit = tried.unit()
    epsilon, delta = unit.epsilon(tried.t), unit.delta(tried.t)
    found = np.empty((len(tried), tried.t.size))
    compared = [_one_threshold(tried.test, table) for table in tried.tables]
    for at, each in enumerate(epsilon.tolist()):
        rho = pass_cap(each, tried.records, epsilon0=unit.epsilon0)
        laws = np.stack([_release_twice(*one, rho) for one in compared])
        found[:, at] = over(hockey_stick(laws[0], laws[1:], 2 * each), 2 * delta[at])
    return found


def _one_threshold(test: PrivacyTest, table: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return (Y, Y) how likely the two seeds of two attempts of the identity model are, and (Y, Y,
    2, 2) that either is above the threshold, or not."""
    values = len(table)
    scores = np.diagonal(shipped_scores(test, np.eye(values), table[None])[0])
    passes, fails = pass_probabilities(test.coin, int(scores.max()))
    seeds = table / table.sum()
    above = np.empty((values, values, 2, 2))
    for one, other in product(range(values), repeat=2):
        low, high = sorted((int(scores[one]), int(scores[other])))
        each = scores[[one, other]]
        # Above a half the difference of the other tails is the one that does not cancel.
        first, second = np.where(
            passes[each] > 0.5, fails[low] - fails[each], passes[each] - passes[low]
        )
        above[one, other] = [[passes[low], first], [second, fails[high]]]
    return np.multiply.outer(seeds, seeds), above


def _release_twice(seeds: FloatArray, above: FloatArray, rho: float) -> FloatArray:
    """Return the joint law of what two such attempts release, (Y + 1)² outcomes."""
    values = len(seeds)
    # From above and below the threshold to released and not.
    cap = np.array([[1 - rho, rho], [0.0, 1.0]])
    each = seeds[..., None, None] * (cap.T @ above @ cap)
    joint = np.zeros((values + 1, values + 1))
    joint[:-1, :-1] = each[..., 0, 0]
    joint[:-1, -1] = each[..., 0, 1].sum(axis=1)
    joint[-1, :-1] = each[..., 1, 0].sum(axis=0)
    joint[-1, -1] = each[..., 1, 1].sum()
    return joint.ravel()


def one_more(test: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return the shipped scores and 1."""
    return shipped_scores(test, model, tables) + 1


def _two_more(test: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return the shipped scores and 2."""
    return shipped_scores(test, model, tables) + 2


def _twice(test: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return twice the shipped scores."""
    return 2 * shipped_scores(test, model, tables)


def everybody(_: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return the number of records, for every score."""
    records = tables.sum(axis=1)[:, None, None]
    return np.broadcast_to(records, (len(tables), *model.shape)).copy()


def all_weighed(_: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return Σ_{s ≠ d} p_s(y)/p_d(y), likelier seeds not left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (tables @ model)[:, None, :] / model - 1
    return np.where(model > 0, np.nan_to_num(ratios, posinf=0.0), 0).astype(np.int64)


def likelier() -> Pairs:
    """Return a seed that hardly ever makes a candidate, and one more that always does."""
    test = small_test("relative-sensitivity", 8, 1.0)
    model = np.array([[0.01, 0.99], [1.0, 0.0], [0.0, 1.0]])
    return pairs(test, model, [1, 0, 7], added=[0, 1, 0], scores=all_weighed)


def unequal() -> Pairs:
    """Return two seeds that count as similar, though one makes the candidate nearly γ times as
    often."""
    test = small_test("plausible-deniability", 2, 5.0)
    model = np.array([[0.26, 0.74, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return pairs(test, model, [1, 0, 1], added=[0, 1, 0], equal_likelihood=True)


def list_mutants() -> tuple[Check, ...]:
    """Return every mutant."""
    found: list[Check] = []
    for kind in KINDS:
        found += [*_thresholds(kind), *_protocols(kind), *_scores(kind)]
    return (*found, *_parts())


def _thresholds(kind: TestKind) -> Iterator[Check]:
    coins = (
        ("half the noise", "noise of scale 1/(2ε0) on k", half_the_noise),
        ("no noise", "the deterministic test", no_noise),
        ("a threshold of 1", "1 in the place of k", threshold_of_one),
    )
    for name, what, coin in coins:
        yield Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_coin, kind, coin))


def _coin(kind: TestKind, coin: Callable[[PrivacyTest], PassCoin], _: Effort) -> MeasuredValue:
    return worst(steps(kind, coin=coin), attempt.with_seeds)


def _protocols(kind: TestKind) -> Iterator[Check]:
    shares = (
        ("no pass cap", "ρ = 0, rejections seen", 0.0),
        ("nine tenths of the pass cap", "0.9 ρ in the place of ρ, rejections seen", 0.9),
    )
    for name, what, share in shares:
        yield Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_cap, kind, share))
    slots: tuple[tuple[str, str, Callable[[Pairs], FloatArray]], ...] = (
        (
            "noise reused",
            "two attempts under one noisy threshold, against twice the budget of one",
            noise_reused,
        ),
        (
            "δ of a slot not divided",
            "δ of an attempt in the place of δ/(c − δ), attempts hidden",
            partial(attempt.released_slot, divided=False),
        ),
        (
            "pass floor overstated",
            "a pass floor of four times what passes, attempts hidden",
            partial(attempt.released_slot, floor=4.0),
        ),
    )
    for name, what, ratio in slots:
        yield Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_ratio, kind, ratio))


def _cap(kind: TestKind, share: float, _: Effort) -> MeasuredValue:
    return worst([giving_away(kind)], partial(attempt.rejections_seen, share_of_cap=share))


def _ratio(kind: TestKind, ratio: Callable[[Pairs], FloatArray], _: Effort) -> MeasuredValue:
    return worst(steps(kind), ratio)


def _scores(kind: TestKind) -> Iterator[Check]:
    def check(name: str, what: str, scores: Scores) -> Check:
        return Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_score, kind, scores))

    yield check("everybody counted", "the number of records for a score", everybody)
    yield check("every record counted twice", "twice the score", _twice)
    if kind == "plausible-deniability":
        yield check("own seed counted twice", "the score and 1", one_more)
        yield Check.mutant(
            f"{NAMES[kind]}, γ forgotten",
            "ε = ε0 + ln(1 + 1/t), though likelihoods differ by up to γ",
            lambda _: worst([unequal()], attempt.with_seeds),
        )
        return
    yield Check.mutant(
        f"{NAMES[kind]}, the seed not left out",
        "the score and 1, against the sharper statement for whole scores: what is stated leaves "
        "room for it",
        lambda _: worst(steps(kind, scores=one_more), attempt.with_whole_scores),
    )
    yield check("the seed counted twice", "the score and 2", _two_more)
    yield Check.mutant(
        f"{NAMES[kind]}, likelier seeds weighed too",
        "all seeds in the sum, and not those alone that are no likelier than d",
        lambda _: worst([likelier()], attempt.with_seeds),
    )


def _score(kind: TestKind, scores: Scores, _: Effort) -> MeasuredValue:
    return worst(steps(kind, scores=scores), attempt.with_seeds)


def _parts() -> Iterator[Check]:
    """Yield which records are looked at."""
    yield Check.mutant(
        "parts that share their records",
        "every record in both parts, against the mean of the two budgets",
        shared_parts,
    )
    yield Check.mutant(
        "coins that are shown",
        "how many records each part has, against the mean over coins that are secret",
        show_coins,
    )
    yield Check.mutant(
        "held-out records that are learned from",
        "the total of a plan that holds records out, which the model is learned from too",
        learn_from_held_out,
    )
    yield Check.mutant(
        "a sample that hides who is in it",
        "the (ε′, δ′) between populations, stated between tables",
        amplified_for_tables,
    )
