"""Mutants: the method broken on purpose, in the ways that would matter.

A mutant is held against the claim, and by the check, that the shipped method is held against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from understudy.assurance import ratios
from understudy.assurance.attempt import Pairs, Scores, worst
from understudy.assurance.finding import Check, Effort, Measured
from understudy.assurance.seedbased import broken
from understudy.assurance.seedbased.names import NAMES
from understudy.assurance.seedbased.parts import amplified_for_tables, shared_parts
from understudy.assurance.seedbased.universes import KINDS, giving_away, steps
from understudy.core.arrays import FloatArray
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind
from understudy.privacy.plausibility.threshold import PassCoin


def checks() -> tuple[Check, ...]:
    """Return every mutant."""
    found: list[Check] = []
    for kind in KINDS:
        found += [*_thresholds(kind), *_protocols(kind), *_scores(kind)]
    return (*found, *_parts())


def _thresholds(kind: TestKind) -> Iterator[Check]:
    coins = (
        ("half the noise", "noise of scale 1/(2ε0) on k", broken.half_the_noise),
        ("no noise", "the deterministic test", broken.no_noise),
        ("a threshold of 1", "1 in the place of k", broken.threshold_of_one),
    )
    for name, what, coin in coins:
        yield Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_coin, kind, coin))


def _coin(kind: TestKind, coin: Callable[[PrivacyTest], PassCoin], _: Effort) -> Measured:
    return worst(steps(kind, coin=coin), ratios.with_seeds)


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
            broken.noise_reused,
        ),
        (
            "δ of a slot not divided",
            "δ of an attempt in the place of δ/(c − δ), attempts hidden",
            partial(ratios.released_slot, divided=False),
        ),
        (
            "pass floor overstated",
            "a pass floor of four times what passes, attempts hidden",
            partial(ratios.released_slot, floor=4.0),
        ),
    )
    for name, what, ratio in slots:
        yield Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_ratio, kind, ratio))


def _cap(kind: TestKind, share: float, _: Effort) -> Measured:
    return worst([giving_away(kind)], partial(ratios.rejections_seen, share_of_cap=share))


def _ratio(kind: TestKind, ratio: Callable[[Pairs], FloatArray], _: Effort) -> Measured:
    return worst(steps(kind), ratio)


def _scores(kind: TestKind) -> Iterator[Check]:
    def check(name: str, what: str, scores: Scores) -> Check:
        return Check.mutant(f"{NAMES[kind]}, {name}", what, partial(_score, kind, scores))

    yield check("everybody counted", "the number of records for a score", broken.everybody)
    yield check("every record counted twice", "twice the score", broken.twice)
    if kind == "plausible-deniability":
        yield check("own seed counted twice", "the score and 1", broken.one_more)
        yield Check.mutant(
            f"{NAMES[kind]}, γ forgotten",
            "ε = ε0 + ln(1 + 1/t), though likelihoods differ by up to γ",
            lambda _: worst([broken.unequal()], ratios.with_seeds),
        )
        return
    yield Check.mutant(
        f"{NAMES[kind]}, the seed not left out",
        "the score and 1, against the sharper statement for whole scores: what is stated leaves "
        "room for it",
        lambda _: worst(steps(kind, scores=broken.one_more), ratios.with_whole_scores),
    )
    yield check("the seed counted twice", "the score and 2", broken.two_more)
    yield Check.mutant(
        f"{NAMES[kind]}, likelier seeds weighed too",
        "all seeds in the sum, and not those alone that are no likelier than d",
        lambda _: worst([broken.likelier()], ratios.with_seeds),
    )


def _score(kind: TestKind, scores: Scores, _: Effort) -> Measured:
    return worst(steps(kind, scores=scores), ratios.with_seeds)


def _parts() -> Iterator[Check]:
    """Yield which records are looked at."""
    yield Check.mutant(
        "parts that share their records",
        "every record in both parts, against the larger of the two budgets",
        shared_parts,
    )
    yield Check.mutant(
        "a sample that hides who is in it",
        "the (ε′, δ′) between populations, stated between tables",
        amplified_for_tables,
    )
