"""Which column may say whose a record is: found in the records, to be asked about. Internal.

What is found is a reason to ask, and decides nothing: nobody but the custodian knows whose records
are whose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from understudy.core.arrays import IntArray
from understudy.table.cells import parse_number
from understudy.table.date_spellings import suggest_day_spelling
from understudy.table.people import moment_in
from understudy.table.raw import RawTable


class RowOrder(NamedTuple):
    """What orders the records of a person, as `People` says it."""

    order_is: Literal["number", "time"]
    order_written: str = ""


_FEWEST: Final = 5
"""Fewer different values than this are no identifiers."""
_RECORDS_EACH: Final = (1.1, 200.0)
"""The records of one identifier, on average."""
_NEARLY_ALL: Final = 0.99
_TRIED: Final = 6
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_PERSON: Final = re.compile(
    r"(id|pid|uid|idno|ident|identifier|persons?|person ?id|pidp|pnr|patients?|subjects?|who|member"
    r"|respondent|participant|client|customer|pupil|student|employee|worker|user|user ?id|mergeid)"
)
_ORDER: Final = re.compile(
    r"(visit|wave|date|time|timestamp|year|month|day|week|quarter|period|round|turn|order|sequence"
    r"|seq|episode|admission|admitted|start|begin|when)"
)


@dataclass(frozen=True)
class Likely:
    """Columns that may say whose a record is, and which comes first.

    Attributes:
        person: the column.
        order: one that orders the records of each; None where none stands out.
    """

    person: str
    order: str | None


def likely_people(raw: RawTable) -> Likely | None:
    """Return the column that most likely says whose a record is; None where none looks like it.

    It holds whole numbers or texts, few of them once only, and either is called like one, or leaves
    some other column the same within each of its values, while a third one orders the records of
    each.
    """
    tried = [name for name in raw.names if _repeats(raw, name)]
    tried.sort(key=lambda name: not _is_called(name, _PERSON))
    for name in tried[:_TRIED]:
        order = likely_order(raw, name)
        if _is_called(name, _PERSON) or (order is not None and _constant_beside(raw, name)):
            return Likely(name, order)
    return None


def likely_order(raw: RawTable, person: str) -> str | None:
    """Return the column that most likely orders the records of each person; None where none does.

    Args:
        raw: the table.
        person: the column that says whose a record is.
    """
    whose = _compact(raw, person)
    found = [
        name
        for name in raw.names
        if name != person and _apart(whose, _compact(raw, name)) and _orders(raw, name)
    ]

    def last(name: str) -> tuple[bool, int]:
        return not _is_called(name, _ORDER), len(_occurring(raw, name))

    return min(found, key=last, default=None)


def order_of(raw: RawTable, name: str) -> RowOrder:
    """Return whether a column holds points in time, or else numbers, whichever more of its texts
    are; and how points in time are written."""
    texts = _occurring(raw, name)
    numbers = sum(parse_number(text) is not None for text in texts)
    if sum(moment_in(text) is not None for text in texts) > numbers:
        return RowOrder("time")
    if numbers < len(texts):
        spelling = suggest_day_spelling({text.strip() for text in texts})
        if spelling is not None:
            return RowOrder("time", spelling.text)
    return RowOrder("number")


def _orders(raw: RawTable, name: str) -> bool:
    """Return whether a column holds numbers throughout, or points in time."""
    texts = _occurring(raw, name)
    return _are_numbers(texts) or _are_moments(texts)


def _are_moments(texts: list[str]) -> bool:
    """Return whether all texts are points in time, however they are written."""
    if all(moment_in(text) is not None for text in texts):
        return True
    return suggest_day_spelling({text.strip() for text in texts}) is not None


def _occurring(raw: RawTable, name: str) -> list[str]:
    texts, places = raw.distinct(name)
    occurs = np.bincount(places, minlength=len(texts)) > 0
    return [text for text, found in zip(texts, occurs, strict=True) if found]


def _is_called(name: str, known: re.Pattern[str]) -> bool:
    parts = [part.lower() for part in _WORDS.findall(name)]
    return any(known.fullmatch(part) for part in (*parts, name.lower()))


def _repeats(raw: RawTable, name: str) -> bool:
    """Return whether a column may hold identifiers, most of which stand in several records."""
    texts = _occurring(raw, name)
    low, high = _RECORDS_EACH
    if len(texts) < _FEWEST or not low <= raw.rows / len(texts) <= high:
        return False
    odd = any(not text.strip() or moment_in(text) is not None or _decimal(text) for text in texts)
    return not odd and (_are_numbers(texts) or not _are_moments(texts))


def _are_numbers(texts: list[str]) -> bool:
    return all(parse_number(text) is not None for text in texts)


def _decimal(text: str) -> bool:
    number = parse_number(text)
    return number is not None and number != number.to_integral_value()


def _constant_beside(raw: RawTable, person: str) -> bool:
    """Return whether some other column says the same in all records of each value, and not
    overall."""
    whose = _compact(raw, person)
    for name in raw.names:
        if name == person:
            continue
        codes = _compact(raw, name)
        shares = np.bincount(codes) / max(1, len(codes))
        if float((shares**2).sum()) < 0.9 and _alike(whose, codes) > _NEARLY_ALL:
            return True
    return False


def _alike(whose: IntArray, codes: IntArray) -> float:
    """Return the share of records, without the first of each person, that say what most of theirs
    do."""
    size = int(codes.max()) + 1
    cells, counts = np.unique(whose * size + codes, return_counts=True)
    most = np.zeros(int(whose.max()) + 1, dtype=np.int64)
    np.maximum.at(most, cells // size, counts)
    return float((most - 1).sum() / max(1, len(codes) - len(most)))


def _apart(whose: IntArray, codes: IntArray) -> bool:
    """Return whether a column has different values in the records of each, and the same ones in
    those of others."""
    if len(np.unique(codes)) > len(codes) / 2:
        return False
    order = np.lexsort((codes, whose))
    same = whose[order][1:] == whose[order][:-1]
    alike = codes[order][1:] == codes[order][:-1]
    return bool(same.any()) and 1 - float(alike[same].mean()) > _NEARLY_ALL


def _compact(raw: RawTable, name: str) -> IntArray:
    _, places = raw.distinct(name)
    return np.unique(places, return_inverse=True)[1].astype(np.int64)
