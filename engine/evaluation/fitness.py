"""What a table is fit for and what it is not, in words: the same before it is made and after.

Before, by the excess that is foreseen from public numbers; after, by the excess that was found,
which makes the words internal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.core.numerals import FIXED, count, fixed
from engine.evaluation.excess import Excess, Places

LIMIT: Final = 0.03
"""The most that a column or a pair may be further off than other real records to be relied on:
three records in a hundred."""
FURTHER_OFF: Final = (
    f"1{FIXED}% further off: of 100 rows, one more would have to change for the shares to be those "
    "of the real table."
)
"""What an excess counts."""
NAMED: Final = 3
"""The most columns or pairs that are named."""

_LEAST_SAID: Final = 0.0005
_PEOPLE: Final = "Finding or counting single people"
_GROUPS: Final = "Counting small groups"
_TRYING: Final = "Teaching, and trying out programs"


@dataclass(frozen=True)
class Use:
    """Something a table may be used for.

    Attributes:
        what: as the beginning of a line.
        why: why it is fit or not, as the end of one.
    """

    what: str
    why: str

    def __str__(self) -> str:
        """Both in a line."""
        return f"{self.what}: {self.why}."


@dataclass(frozen=True)
class Fitness:
    """What a table is good for.

    Attributes:
        fit, unfit: the uses it is fit for and not, those with the most to say first.
        found: whether that was measured, and is internal; otherwise it is foreseen.
        pairs_hold: whether it is fit for every pair of columns.
    """

    fit: tuple[Use, ...]
    unfit: tuple[Use, ...]
    found: bool
    pairs_hold: bool


def fitness(excess: Excess, titles: Sequence[str]) -> Fitness:
    """What a table of this excess is fit for.

    Args:
        excess: of every column and pair.
        titles: (m,) what a reader calls the columns.
    """
    fit, unfit = list[Use](), list[Use]()
    for good, bad in (_of_columns(excess, titles), _of_pairs(excess, titles)):
        fit += good
        unfit += bad
    unfit[:0] = _unrelated(excess, titles)
    fit.append(Use(_TRYING, "it has the columns of the real table, and their values"))
    unfit += [*_of_groups(excess), Use(_PEOPLE, "its records are made up, and nobody’s")]
    hold = not excess.unrelated and bool(np.all(excess.pairs <= LIMIT))
    return Fitness(tuple(fit), tuple(unfit), excess.found, hold)


def further_off(excess: float) -> str:
    """An excess in words: “0.4 % further off than other real records”."""
    if excess < _LEAST_SAID:
        return "as near as other real records"
    return f"{points(excess)} further off than other real records"


def points(excess: float) -> str:
    """An excess as text, to a tenth of a per cent, which is finer than chance lets it be known."""
    if excess < _LEAST_SAID:
        return f"under 0.1{FIXED}%" if excess > 0 else f"0{FIXED}%"
    return f"{fixed(100 * excess, 1)}{FIXED}%"


Sides = tuple[list[Use], list[Use]]


def _of_columns(excess: Excess, titles: Sequence[str]) -> Sides:
    ranked = excess.worst_columns()
    bad = [each for each in ranked if each[1] > LIMIT]
    good = ranked[len(bad) :]
    fit, unfit = list[Use](), list[Use]()
    if good:
        which = f" in {len(good)} of {count(len(ranked), 'column')}" if bad else ""
        fit.append(Use(f"Shares and averages of single columns{which}", _at_most(good[0], titles)))
    if bad:
        unfit.append(Use(f"Shares and averages of {_named(bad, titles)}", _up_to(bad[0][1])))
    return fit, unfit


def _of_pairs(excess: Excess, titles: Sequence[str]) -> Sides:
    lost = set(excess.unrelated)
    every = excess.worst_pairs()
    ranked = [each for each in every if not lost & set(each[0])]
    bad = [each for each in ranked if each[1] > LIMIT]
    good = ranked[len(bad) :]
    fit, unfit = list[Use](), list[Use]()
    if good:
        which = "" if len(good) == len(every) else f" in {len(good)} of {count(len(every), 'pair')}"
        fit.append(Use(f"How two columns go together{which}", _at_most(good[0], titles)))
    if bad:
        unfit.append(Use(f"How {_named(bad, titles)} go together", _up_to(bad[0][1])))
    return fit, unfit


def _unrelated(excess: Excess, titles: Sequence[str]) -> Iterator[Use]:
    lost = excess.unrelated
    if not lost:
        return
    if len(lost) == len(titles):
        yield Use("How any two columns go together", "what they have to do with each other is lost")
        return
    named = _listed([f"“{titles[each]}”" for each in lost[:NAMED]], len(lost), "column")
    what = "what they have" if len(lost) > 1 else "what it has"
    go = "go" if len(lost) > 1 else "goes"
    yield Use(f"How {named} {go} with any other column", f"{what} to do with others is lost")


def _of_groups(excess: Excess) -> Iterator[Use]:
    least = max(excess.typical_pair, excess.typical_column, 0.0)
    if least >= _LEAST_SAID:
        yield Use(
            f"{_GROUPS}, of less than {points(least)} of the records",
            "a typical count by two columns may be off by as much",
        )


def _at_most(worst: tuple[Places, float], titles: Sequence[str]) -> str:
    places, excess = worst
    if excess < _LEAST_SAID:
        return further_off(excess)
    return f"at most {further_off(excess)} ({_pair(places, titles)})"


def _up_to(excess: float) -> str:
    return f"up to {further_off(excess)}"


def _named(ranked: Sequence[tuple[Places, float]], titles: Sequence[str]) -> str:
    noun = "column" if len(ranked[0][0]) == 1 else "pair"
    shown = [_pair(places, titles) for places, _ in ranked[:NAMED]]
    return _listed(shown, len(ranked), noun)


def _pair(places: Places, titles: Sequence[str]) -> str:
    return " × ".join(f"“{titles[place]}”" for place in places)


def _listed(shown: Sequence[str], of: int, noun: str) -> str:
    """Some of so many things, and how many more there are."""
    rest = of - len(shown)
    named = [*shown, *([count(rest, f"further {noun}")] if rest else [])]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
