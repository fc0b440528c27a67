"""Mutants: the mechanism broken on purpose, in the ways that would matter.

A mutant is held against the claim, and by the check, that the shipped mechanism is held against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from engine.audit import (
    broken,
    broken_learners,
    broken_readers,
    calibrated,
    ratios,
    reading,
    scores,
    selection,
    third_party,
)
from engine.audit.attempt import Pairs, Reals, Scores, worst
from engine.audit.finding import Check, Effort, Measured
from engine.audit.learned import structure_asked
from engine.audit.lines import UTF_8, Layout
from engine.audit.names import NAMES
from engine.audit.parts import amplified_for_tables, shared_parts
from engine.audit.universes import KINDS, giving_away, steps
from engine.models.third_party.choosing import SENSITIVITY
from engine.privacy.plausibility.coin import PassCoin
from engine.privacy.plausibility.privacy_test import PrivacyTest, TestKind
from engine.table.raw import RawTable

_PART = "Mutants, which must be caught"
_FIRST, _SECOND = KINDS

Measure = Callable[[Effort], Measured]


def checks() -> tuple[Check, ...]:
    """Every mutant."""
    found = list(_reading())
    for kind in KINDS:
        found += [*_thresholds(kind), *_protocols(kind), *_scores(kind)]
    return (*found, *_elsewhere(), *_calibrated(), *_third_party())


def _check(name: str, what: str, measure: Measure) -> Check:
    return Check(_PART, name, what, "against what holds unbroken", measure, "mutant")


def _reading() -> Iterator[Check]:
    """What decides how a value is read is found out from the whole file."""
    mutants: tuple[tuple[str, str, Measure], ...] = (
        (
            "days if all are midnights",
            "one record at 10:30 more, and the days of all others are written otherwise",
            partial(_parquet, broken_readers.days_if_all_are),
        ),
        (
            "numbers as their type is written",
            "one record with a fraction more, and 5 is 5.0",
            partial(_parquet, broken_readers.as_their_type_is_written),
        ),
        (
            "the encoding of the whole file",
            "one text that is not UTF-8 more, and all others are read otherwise",
            partial(_text_file, broken_readers.encoding_of_the_file),
        ),
        (
            "the quotation mark of the whole file",
            "one line that begins with it more, and the cells of all others change",
            partial(_text_file, broken_readers.quote_of_the_file),
        ),
    )
    for name, what, measure in mutants:
        yield _check(f"reading, {name}", what, measure)


def _parquet(broken: reading.Reader, _: Effort) -> Measured:
    return reading.compared(reading.TYPED["Parquet"].neighbours(), broken)


def _text_file(broken: Callable[[Layout, bytes], RawTable], _: Effort) -> Measured:
    return reading.text_file(UTF_8, partial(broken, UTF_8))


def _thresholds(kind: TestKind) -> Iterator[Check]:
    coins = (
        ("half the noise", "noise of scale 1/(2ε0) on k", broken.half_the_noise),
        ("no noise", "the deterministic test", broken.no_noise),
        ("a threshold of 1", "1 in the place of k", broken.threshold_of_one),
    )
    for name, what, coin in coins:
        yield _check(f"{NAMES[kind]}, {name}", what, partial(_coin, kind, coin))


def _coin(kind: TestKind, coin: Callable[[PrivacyTest], PassCoin], _: Effort) -> Measured:
    return worst(steps(kind, coin=coin), ratios.with_seeds)


def _protocols(kind: TestKind) -> Iterator[Check]:
    shares = (
        ("no pass cap", "ρ = 0, rejections seen", 0.0),
        ("nine tenths of the pass cap", "0.9 ρ in the place of ρ, rejections seen", 0.9),
    )
    for name, what, share in shares:
        yield _check(f"{NAMES[kind]}, {name}", what, partial(_cap, kind, share))
    slots: tuple[tuple[str, str, Callable[[Pairs], Reals]], ...] = (
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
        yield _check(f"{NAMES[kind]}, {name}", what, partial(_ratio, kind, ratio))


def _cap(kind: TestKind, share: float, _: Effort) -> Measured:
    return worst([giving_away(kind)], partial(ratios.rejections_seen, share_of_cap=share))


def _ratio(kind: TestKind, ratio: Callable[[Pairs], Reals], _: Effort) -> Measured:
    return worst(steps(kind), ratio)


def _scores(kind: TestKind) -> Iterator[Check]:
    def check(name: str, what: str, scores: Scores) -> Check:
        return _check(f"{NAMES[kind]}, {name}", what, partial(_score, kind, scores))

    yield check("everybody counted", "the number of records for a score", broken.everybody)
    yield check("every record counted twice", "twice the score", broken.twice)
    if kind == "plausible-deniability":
        yield check("own seed counted twice", "the score and 1", broken.one_more)
        yield _check(
            f"{NAMES[kind]}, γ forgotten",
            "ε = ε0 + ln(1 + 1/t), though likelihoods differ by up to γ",
            lambda _: worst([broken.unequal()], ratios.with_seeds),
        )
        return
    yield _check(
        f"{NAMES[kind]}, the seed not left out",
        "the score and 1, against the sharper statement for whole scores: what is stated leaves "
        "room for it",
        lambda _: worst(steps(kind, scores=broken.one_more), ratios.with_whole_scores),
    )
    yield check("the seed counted twice", "the score and 2", broken.two_more)
    yield _check(
        f"{NAMES[kind]}, likelier seeds weighed too",
        "all seeds in the sum, and not those alone that are no likelier than d",
        lambda _: worst([broken.likelier()], ratios.with_seeds),
    )


def _score(kind: TestKind, scores: Scores, _: Effort) -> Measured:
    return worst(steps(kind, scores=scores), ratios.with_seeds)


def _elsewhere() -> Iterator[Check]:
    """Learning, and which records are looked at."""
    yield _check(
        "structure, half the noise",
        "noise of half the scale on each entropy",
        partial(structure_asked, noise=0.5),
    )
    yield _check(
        "parts that share their records",
        "every record in both parts, against the larger of the two budgets",
        shared_parts,
    )
    yield _check(
        "a sample that hides who is in it",
        "the (ε′, δ′) between populations, stated between tables",
        amplified_for_tables,
    )


_LEARNERS: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "half the noise on tables",
        "noise of half the scale on every table and misfit",
        partial(calibrated.spent, drawn=0.5),
    ),
    (
        "a share spent twice",
        "everything measured twice in each round",
        partial(calibrated.spent, make=broken_learners.twice),
    ),
    (
        "the true number of records",
        "made-up records weigh as many as there are, and not the noisy number",
        partial(calibrated.looked_at, make=broken_learners.counting),
    ),
    (
        "rounds divided by exact counts",
        "columns counted without noise say what goes to columns and what to pairs",
        partial(calibrated.looked_at, make=broken_learners.peeking),
    ),
    (
        "the currency by the true number of records",
        "the exact number says whether columns are paid in ε, and not the noisy one",
        partial(calibrated.looked_at, make=broken_learners.knowing),
    ),
    (
        "paid in both currencies",
        "columns are asked for in ρ before all of ε is spent on them",
        partial(calibrated.spent, make=broken_learners.regretting),
    ),
)
"""Learners that ask for more than they pay for."""

_CHOICES: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "half the sensitivity of a choice",
        f"{SENSITIVITY // 2} for how far a score of parents moves",
        partial(scores.parents_moved, sensitivity=SENSITIVITY // 2),
    ),
    (
        "counts by the true number of records",
        "what is read off together follows from how many records there are",
        partial(scores.model_counts, compare=scores.by_their_number),
    ),
    (
        "misfits noised as if there were one",
        "noise that does not grow with the number of candidates",
        partial(scores.misfits_cost, thinned=True),
    ),
    (
        "half the scale of the exponential mechanism",
        "e^{2·score/s}",
        partial(selection.exponential_moved, drawn=0.5),
    ),
    (
        "half the scale of permute-and-flip",
        "e^{2(score − best)/s}",
        partial(selection.flipped_moved, drawn=0.5),
    ),
)
"""Choices and counts that move further than is said."""


def _calibrated() -> Iterator[Check]:
    """Learning the calibrated model."""
    for name, what, measure in (*_LEARNERS, *_CHOICES):
        yield _check(f"calibrated model, {name}", what, measure)


def _third_party() -> Iterator[Check]:
    """Measuring for Private-PGM."""
    yield _check(
        "Private-PGM, half the noise",
        "noise of half the scale on every table",
        partial(third_party.spent, drawn=0.5),
    )
    yield _check(
        "Private-PGM, the true number of records",
        "the estimate is told how many records there are",
        partial(third_party.looked_at, measuring=third_party.counting),
    )
