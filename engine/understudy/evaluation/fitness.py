"""What a table is fit for and what it is not, in words: the same before it is made and after.

Before, by what noise is foreseen to take from public numbers; after, by what was found, which makes
the words internal. Either way it is a part of what there is to keep
(`understudy.evaluation.excess`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.numerals import FIXED, count, fix_decimals
from understudy.evaluation.excess import Excess, Stakes

Pair = tuple[int, int]

FURTHER_OFF: Final = (
    f"1{FIXED}% further off: of 100 rows, one more would have to change for the shares to be those "
    "of the real table."
)
"""What an excess counts."""
USUAL: Final = "what two columns usually have to do with each other"
NAMED: Final = 3
"""The most columns or pairs that are named in a line."""

_LEAST_SAID: Final = 0.0005
_PEOPLE: Final = "Finding or counting single people"
_GROUPS: Final = "Counting small groups"
_TRYING: Final = "Teaching, and trying out programs"
_COLUMNS: Final = "Shares and averages of single columns"
_PAIRS: Final = "How two columns go together"
_LITTLE: Final = "a tenth of their size"


@dataclass(frozen=True)
class Use:
    """Something a table may be used for.

    Attributes:
        what: as the beginning of a line.
        why: why it is fit or not, as the end of one.
        every: everything that `what` counts, by name, in lines; () where it names all itself.
    """

    what: str
    why: str
    every: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return both in a line."""
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


def fitness(stakes: Stakes, titles: Sequence[str]) -> Fitness:
    """Say what a table is fit for.

    Args:
        stakes: what is lost of every column and pair.
        titles: (m,) what a reader calls the columns.
    """
    told = _Told(stakes, titles)
    fit = [*told.columns_kept(), *told.pairs_kept()]
    fit.append(Use(_TRYING, "it has the columns of the real table, and their values"))
    unfit = [
        *told.columns_unrelated(),
        *told.columns_lost(),
        *told.pairs_lost(),
        *told.pairs_invented(),
        *told.groups(),
        Use(_PEOPLE, "its records are made up, and nobody’s"),
    ]
    hold = len(titles) < 2 or len(told.kept) == len(told.pairs)
    return Fitness(tuple(fit), tuple(unfit), stakes.is_measured, hold)


def further_off(excess: float) -> str:
    """Return an excess in words: “0.4 % further off than other real records”."""
    if excess < _LEAST_SAID:
        return "as near as other real records"
    return f"{points(excess)} further off than other real records"


def points(excess: float) -> str:
    """Return an excess as text, to a tenth of a per cent, which is finer than chance lets it be
    known."""
    if excess < _LEAST_SAID:
        return f"under 0.1{FIXED}%" if excess > 0 else f"0{FIXED}%"
    return f"{fix_decimals(100 * excess, 1)}{FIXED}%"


class _Told:
    """The uses of one table."""

    def __init__(self, stakes: Stakes, titles: Sequence[str]) -> None:
        self._stakes, self._titles = stakes, titles
        self.pairs: list[Pair] = list(combinations(range(len(titles)), 2))
        self.kept = [each for each in self.pairs if stakes.kept_pairs[each]]

    def columns_kept(self) -> Iterator[Use]:
        """Yield single columns of which enough is kept."""
        good = np.flatnonzero(self._stakes.kept_columns).tolist()
        if good:
            which = _of(len(good), len(self._titles), "column")
            yield Use(f"{_COLUMNS}{which}", self._off(good, f"less than {_LITTLE}"))

    def columns_lost(self) -> Iterator[Use]:
        """Yield single columns that are too far off."""
        bad = np.flatnonzero(~self._stakes.kept_columns).tolist()
        if bad:
            bad.sort(key=lambda each: -self._stakes.off[each])
            named = _list_shown([self._title(each) for each in bad[:NAMED]], len(bad), "column")
            every = tuple(map(self._title, bad)) if len(bad) > NAMED else ()
            yield Use(f"Shares and averages of {named}", self._off(bad, f"over {_LITTLE}"), every)

    def _off(self, places: Sequence[int], much: str) -> str:
        found = self._stakes.excess
        if found is None:
            return f"noise is expected to move shares by {much}, on average"
        worst = max(places, key=lambda each: found.columns[each])
        return f"shares are off by {much}, on average{self._worst(found, (worst, worst))}"

    def columns_unrelated(self) -> Iterator[Use]:
        """Yield the use that columns without any relations are unfit for."""
        lost = self._stakes.unrelated
        if not lost:
            return
        if len(lost) == len(self._titles):
            yield Use(
                "How any two columns go together",
                "what they have to do with each other is lost",
            )
            return
        named = _list_shown([self._title(each) for each in lost[:NAMED]], len(lost), "column")
        what, go = ("what they have", "go") if len(lost) > 1 else ("what it has", "goes")
        every = tuple(map(self._title, lost)) if len(lost) > NAMED else ()
        yield Use(f"How {named} {go} with any other column", f"{what} to do with others is lost",
                  every)  # fmt: skip

    def pairs_kept(self) -> Iterator[Use]:
        """Yield pairs of which more is kept than is lost."""
        if self._stakes.is_measured:
            seen = [each for each in self.kept if np.isfinite(self._stakes.lost[each])]
            rest = len(self.kept) - len(seen)
            none = f"; {count(rest, 'further pair')} so few records show no relation of"
            why = "more than half of what they have to do with each other is kept"
            if seen:
                yield Use(f"{_PAIRS}{self._of_pairs(seen)}", f"{why}{none if rest else ''}")
        elif self.kept:
            why = f"they are counted, and noise is expected to leave more than half of {USUAL}"
            yield Use(f"{_PAIRS}{self._of_pairs(self.kept)}", why)

    def pairs_lost(self) -> Iterator[Use]:
        """Yield pairs of which half or more is lost, and those that are not counted, every one
        named."""
        lost = [
            (one, other)
            for one, other in self.pairs
            if self._stakes.lost[one, other] >= 0 and not self._stakes.kept_pairs[one, other]
            if not {one, other} & set(self._stakes.unrelated)
            if not self._stakes.invented[one, other]
        ]
        if self._stakes.counted is None or self._stakes.possible is None:
            why = "half or more of what they have to do with each other is lost"
            yield from self._list_lost(lost, why)
            return
        counted, able = self._stakes.counted, self._stakes.possible
        yield from self._list_lost(
            [each for each in lost if not counted[each] and able[each]],
            "they are not counted together, unless they are tied more strongly than usual",
        )
        yield from self._list_lost(
            [each for each in lost if not able[each]],
            "they cannot be counted together, as they have too many values",
        )
        yield from self._list_lost(
            [each for each in lost if counted[each]],
            f"noise is expected to take half or more of {USUAL}",
        )

    def pairs_invented(self) -> Iterator[Use]:
        """Yield pairs with a relation that real records do not show."""
        found = [each for each in self.pairs if self._stakes.invented[each]]
        found = [each for each in found if not set(each) & set(self._stakes.unrelated)]
        yield from self._list_lost(found, "it shows relations that real records do not")

    def _list_lost(self, pairs: Sequence[Pair], why: str) -> Iterator[Use]:
        if not pairs:
            return
        found = self._stakes.excess
        ranked = list(pairs)
        if found is not None:
            ranked.sort(key=lambda each: -found.apart[each])
        shown = [self._pair(each) for each in ranked[:NAMED]]
        every = self._group_by_column(pairs) if len(pairs) > NAMED else ()
        worst = "" if found is None else self._worst(found, ranked[0])
        yield Use(
            f"How {_list_shown(shown, len(pairs), 'pair')} go together", f"{why}{worst}", every
        )

    def _group_by_column(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        return tuple(
            f"{self._title(one)} with "
            f"{_list_shown(list(map(self._title, others)), len(others), '')}"
            for one, others in group_pairs(pairs)
        )

    def groups(self) -> Iterator[Use]:
        """Yield groups so small that nothing of their counts is left."""
        least = self._stakes.smallest
        if least >= _LEAST_SAID:
            what = f"{_GROUPS}, of less than {points(least)} of the records"
            yield Use(what, "their counts may be off by as much")

    def _worst(self, found: Excess, places: Pair) -> str:
        named = self._title(places[0]) if places[0] == places[1] else self._pair(places)
        return f" (at worst {named}, {further_off(float(found.apart[places]))})"

    def _of_pairs(self, pairs: Sequence[Pair]) -> str:
        return _of(len(pairs), len(self.pairs), "pair")

    def _title(self, place: int) -> str:
        return f"“{self._titles[place]}”"

    def _pair(self, places: Pair) -> str:
        return " × ".join(map(self._title, places))


def _of(some: int, every: int, noun: str) -> str:
    return "" if some == every else f" in {some:,} of {count(every, noun)}"


def _list_shown(shown: Sequence[str], of: int, noun: str) -> str:
    """Return some of so many things, and how many more there are."""
    rest = of - len(shown)
    named = [*shown, *([count(rest, f"further {noun}")] if rest else [])]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def group_pairs(pairs: Iterable[Pair]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Put every pair at one of its two columns, and list the partners of each: the column of most
    pairs first, then that of most of the rest."""
    partners: dict[int, set[int]] = {}
    for one, other in pairs:
        partners.setdefault(one, set()).add(other)
        partners.setdefault(other, set()).add(one)
    groups = []
    while any(partners.values()):
        most = max(sorted(partners), key=lambda column: len(partners[column]))
        others = partners.pop(most)
        groups.append((most, tuple(sorted(others))))
        for other in others:
            partners[other].discard(most)
    return tuple(groups)
