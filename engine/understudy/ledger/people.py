"""Whose records a table holds: what a comparison finds, and what only the custodian can say.

No comparison can tell who is in a table: the same people may stand in it under other columns, or
other people look alike. So a table that the ledger does not know is spent on only once somebody
said that its people are new, or whose they are; and where it has much in common with a table that
was spent on, only once somebody said why they are others all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from understudy.core.refusal import Refusal
from understudy.ledger.book import Book, Dataset
from understudy.ledger.likeness import Overlap, Sketch

UNKNOWN_PEOPLE: Final = "people"
"""The field of a refusal to spend on a table until it is said whose records it holds."""

SIMILAR_PEOPLE: Final = "similar_people"
"""The field of a refusal to spend on a table that looks like one of a known dataset."""


@dataclass(frozen=True)
class Alike:
    """A dataset that a table may be of, though it is none of its tables.

    Attributes:
        dataset: it.
        overlap: what the table has in common with the dataset's table that it is most like; None
            where the sketch of one is lost, so that it cannot be told. Internal.
    """

    dataset: Dataset
    overlap: Overlap | None


@dataclass(frozen=True)
class OpenQuestions:
    """What has to be said of a table before anything is spent on it.

    Attributes:
        dataset: what it would be spent on, with the fingerprint of the table.
        unknown: whether its people have to be said to be new.
        alike: the datasets of which it has to be said why its people are not theirs.
    """

    dataset: Dataset
    unknown: bool
    alike: tuple[Alike, ...]


def find_similar(
    book: Book, sketch: Sketch | None, sketch_of: Callable[[str], Sketch | None]
) -> tuple[Alike, ...]:
    """Return the datasets that a table may be of.

    Args:
        book: all that the ledger says.
        sketch: of the table; None where none was made.
        sketch_of: the sketch of a table by its fingerprint; None where it is lost.
    """
    if sketch is None:
        return ()
    found = (_alike(each, sketch, map(sketch_of, sorted(each.fingerprints))) for each in
             book.datasets.values())  # fmt: skip
    return tuple(each for each in found if each is not None)


def _alike(dataset: Dataset, sketch: Sketch, others: Iterable[Sketch | None]) -> Alike | None:
    found = [None if other is None else sketch.overlap(other) for other in others]
    telling = [each for each in found if each is not None and each.telling]
    if telling:
        return Alike(dataset, max(telling, key=_weight))
    return Alike(dataset, None) if None in found else None


def _weight(overlap: Overlap) -> tuple[float, int]:
    return max(overlap.of_this.estimate, overlap.of_other.estimate), overlap.columns


def find_open_questions(
    book: Book, presented: Dataset, found: tuple[Alike, ...]
) -> OpenQuestions | None:
    """Return what has still to be said of a table; None where all is.

    Args:
        book: all that the ledger says.
        presented: what the table is of, as `Ledger.identify` found it.
        found: the datasets that it may be of.
    """
    if presented.table is None or presented.table in book.tables:
        return None
    dataset = book.recognise_dataset(presented) or presented
    others = tuple(each for each in found if each.dataset.id != dataset.id)
    unknown = not (book.has_people(dataset) or presented.said.new)
    open_ = () if presented.said.reason.strip() else others
    asked = replace(dataset, table=presented.table)
    return OpenQuestions(asked, unknown, others) if unknown or open_ else None


def require_answers(open_: OpenQuestions | None) -> None:
    """Check that the custodian has said all that is needed.

    Raises:
        Refusal: something is.
    """
    if open_ is not None:
        raise _look_alike(open_) if open_.alike else _unknown(open_)


def _unknown(open_: OpenQuestions) -> Refusal:
    return Refusal(
        f"The ledger does not know this table, and it is not said whose records “"
        f"{open_.dataset.name}” holds.",
        "If nobody in it is in a table that was used here before, say that its people are new. If "
        "they are people of a dataset in the ledger, or some of them are, name that dataset. "
        "Nothing was spent.",
        field=UNKNOWN_PEOPLE,
    )


def _look_alike(open_: OpenQuestions) -> Refusal:
    names = " and ".join(f"“{each.dataset.name}”" for each in open_.alike)
    lost = all(each.overlap is None for each in open_.alike)
    found = (
        f"This table cannot be compared with those of {names}, as what they are known by is lost "
        "from the ledger’s folder."
        if lost
        else f"This table has much in common with one of {names}, though it is not the same."
    )
    return Refusal(
        f"{found} Are they the same people?",
        "If they are, or some of them are, name that dataset, so that what is spent adds up. If "
        "nobody in it is in any of these, say that its people are new and why, which the ledger "
        "takes down. Nothing was spent.",
        field=SIMILAR_PEOPLE,
    )


def refuse_other_dataset(known: Dataset) -> Refusal:
    """Return the refusal of a dataset for a table that belongs to another one already."""
    return Refusal(
        f"This very table is in the ledger as “{known.name}”, and its records cannot be other "
        "people’s as well.",
        f"Leave the dataset out, or name “{known.name}”.",
        field="dataset",
    )


def refuse_not_new(known: Dataset) -> Refusal:
    """Return the refusal of people who are said to be new and named as those of a known dataset."""
    return Refusal(
        f"There is a dataset “{known.name}” in the ledger already, so these people are not new.",
        "If they are others, name a dataset of their own. If they are the same, or some of them "
        "are, do not say that they are new.",
        field="dataset",
    )
