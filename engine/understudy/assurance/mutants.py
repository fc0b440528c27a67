"""Mutants: what every method is made of, broken on purpose in the ways that would matter.

A mutant is held against the claim, and by the check, that what is shipped is held against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from understudy.assurance import (
    broken_learners,
    broken_marks,
    broken_readers,
    calibrated,
    marked,
    reading,
    scores,
    selection,
    third_party,
    trained,
)
from understudy.assurance.finding import Check, Effort, Measured
from understudy.assurance.learned import structure_asked
from understudy.assurance.lines import UTF_8, Layout
from understudy.models.third_party.private_pgm import SENSITIVITY
from understudy.table.raw import RawTable

Measure = Callable[[Effort], Measured]


def of_reading() -> tuple[Check, ...]:
    """Mutants of how files are read."""
    return tuple(_reading())


def of_learning() -> tuple[Check, ...]:
    """Mutants of how models are learned."""
    return (*_structure(), *_calibrated(), *_third_party(), *trained.mutants())


def _reading() -> Iterator[Check]:
    """Yield what decides how a value is read is found out from the whole file."""
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
        yield Check.mutant(f"reading, {name}", what, measure)


def _parquet(broken: reading.Reader, effort: Effort) -> Measured:
    pairs = reading.TYPED["Parquet"].neighbours()
    return reading.compared(reading.some(pairs, effort), broken)


def _text_file(broken: Callable[[Layout, bytes], RawTable], effort: Effort) -> Measured:
    return reading.text_file(UTF_8, partial(broken, UTF_8), effort)


def _structure() -> Iterator[Check]:
    """Learning of the structure."""
    yield Check.mutant(
        "structure, half the noise",
        "noise of half the scale on each entropy",
        partial(structure_asked, noise=0.5),
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
        "pairs asked about by the true number of records",
        "the exact number says whether asking about pairs gains, and not the noisy one",
        partial(calibrated.looked_at, make=broken_learners.deciding),
    ),
    (
        "paid in both currencies",
        "columns are asked for in ρ before all of ε is spent on them",
        partial(calibrated.spent, make=broken_learners.regretting),
    ),
)
"""Learners that ask for more than they pay for."""

_MARKS: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "marked tables not charged",
        "what is marked is measured beside what a round divides, with the part of a round",
        partial(marked.spent, make=broken_marks.uncharged),
    ),
    (
        "shares that add to more than one",
        "a round spends as many times its part as the heaviest mark weighs",
        partial(marked.spent, make=broken_marks.generous),
    ),
    (
        "weights taken from the records",
        "a pair weighs more the more often its values agree",
        partial(marked.spent, make=broken_marks.weighing),
    ),
)
"""Learners that pay more for what is marked."""

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
    for name, what, measure in (*_LEARNERS, *_MARKS, *_CHOICES):
        yield Check.mutant(f"calibrated model, {name}", what, measure)


def _third_party() -> Iterator[Check]:
    """Measuring for Private-PGM."""
    yield Check.mutant(
        "Private-PGM, half the noise",
        "noise of half the scale on every table",
        partial(third_party.spent, drawn=0.5),
    )
    yield Check.mutant(
        "Private-PGM, the true number of records",
        "the estimate is told how many records there are",
        partial(third_party.looked_at, measuring=third_party.counting),
    )
