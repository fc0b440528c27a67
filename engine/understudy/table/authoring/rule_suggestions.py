"""Rules that a table looks as if it kept: for the custodian to adopt or not. Internal.

They are read off the records, so that none is used unless somebody says that it is publicly known.
They are the same for any order of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.rules.conditions import NUMBER, ColumnValues
from understudy.table.rules.relation import MOST_CELLS
from understudy.table.rules.repair import RecordsView
from understudy.table.rules.tree import quote_column, quote_constant

SuggestionKind = Literal["order", "not asked", "never together"]

KINDS: Final = {
    "order": "Nearly every record of the table has them in this order.",
    "not asked": "In the table it is missing in nearly every such record, and in hardly any other.",
    "never together": "Both are common in the table, and no record has them together.",
}
"""What speaks for a suggestion of each kind."""

_MOST_ROWS: Final = 20_000
_MOST_COLUMNS: Final = 60
_MOST_VALUES: Final = 40
_MOST_NUMBERS: Final = 400
_MOST_LISTED: Final = 8
_MOST_OF_A_KIND: Final = 5
_NEARLY: Final = 0.995
_LEAST_BROKEN: Final = 0.02
_LEAST_EXPECTED: Final = 30
_FEWEST: Final = 50


@dataclass(frozen=True)
class RuleSuggestion:
    """A rule that a table looks as if it kept. Internal.

    Attributes:
        text: of the rule.
        kind: what speaks for it.
        weight: how many of the records looked at would break it if its columns were independent.
    """

    text: str
    kind: SuggestionKind
    weight: float


def suggest_rules(records: Records) -> tuple[RuleSuggestion, ...]:
    """Return rules that a table looks as if it kept, those with most behind them first. Internal.

    Args:
        records: as they stand in the table, before any is repaired.
    """
    if len(records) < _FEWEST:
        return ()
    looked = _Looked(_sample(records))
    found = [*_suggest_orders(looked), *_suggest_not_asked(looked), *_suggest_apart(looked)]
    kept: list[RuleSuggestion] = []
    for kind in KINDS:
        of_kind = sorted(
            (each for each in found if each.kind == kind),
            key=lambda each: (-each.weight, each.text),
        )
        kept += of_kind[:_MOST_OF_A_KIND]
    return tuple(kept)


def _sample(records: Records) -> Records:
    """Return some of many records, chosen by what they hold, so that their order has no say."""
    if len(records) <= _MOST_ROWS:
        return records
    factors = np.random.default_rng(0).integers(1, 1 << 62, records.codes.shape[1]) | 1
    keys = (records.codes.astype(np.uint64) * factors.astype(np.uint64)).sum(axis=1)
    keys ^= keys >> np.uint64(31)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    share = int(len(records) / _MOST_ROWS * 1000)
    return records.take((keys >> np.uint64(20)) % np.uint64(share) < 1000)


@dataclass(frozen=True)
class _Looked:
    """The columns that are looked at, of some records."""

    records: Records
    _units: dict[int, FloatArray] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are looked at."""
        return self.records.schema.columns[:_MOST_COLUMNS]

    def codes(self, place: int) -> IntArray:
        """Return the codes of a column."""
        return self.records.codes[:, place].astype(np.int64)

    def missing(self, place: int) -> BoolArray:
        """Return whether each record has no value in a column."""
        return self.columns[place].is_missing(self.records.codes[:, place])

    def numbers(self, place: int) -> FloatArray:
        """Return the numbers of a column, not a number where it is missing."""
        if place not in self._units:
            values = ColumnValues(place, self.columns[place])
            view = RecordsView({place: self.records.codes[:, place]}, self._find_numbers(place))
            units = view.units(values).astype(np.float64) / 10**values.decimals
            self._units[place] = np.where(self.missing(place), np.nan, units)
        return self._units[place]

    def _find_numbers(self, place: int) -> dict[int, FloatArray]:
        where = {each: which for which, each in enumerate(self.records.schema.measured_places)}
        if self.records.numbers is None or place not in where:
            return {}
        return {place: self.records.numbers[:, where[place]]}


# Columns in order.


def _suggest_orders(looked: _Looked) -> Iterator[RuleSuggestion]:
    columns = looked.columns
    units = [ColumnValues(place, column).unit for place, column in enumerate(columns)]
    ordered = [place for place, column in enumerate(columns) if column.domain.ranged is not None]
    found: dict[tuple[int, int], float] = {}
    for low, high in permutations(ordered, 2):
        comparable = units[low] == units[high] and not _is_wide(looked, low, high)
        if comparable and (units[low] != NUMBER or _are_alike(looked, low, high)):
            weight = _weigh_order(looked.numbers(low), looked.numbers(high))
            if weight:
                found[low, high] = weight
    for (low, high), weight in found.items():
        between = (each for each in ordered if (low, each) in found and (each, high) in found)
        if (high, low) not in found and next(between, None) is None:
            names = (quote_column(looked.columns[each].name) for each in (low, high))
            yield RuleSuggestion(" <= ".join(names), "order", weight)


def _is_wide(looked: _Looked, *places: int) -> bool:
    """Return whether columns have more combinations of codes than a rule may bind."""
    return int(np.prod([looked.columns[each].cardinality for each in places])) > MOST_CELLS


def _are_alike(looked: _Looked, left: int, right: int) -> bool:
    """Return whether two columns of numbers seem to count the same, by their names or units."""
    one, other = looked.columns[left], looked.columns[right]
    units = [each.domain.setting_texts().get("unit", "") for each in (one, other)]
    if units[0] and units[0] == units[1]:
        return True
    return bool(_list_words(one) & _list_words(other))


def _list_words(column: Column) -> set[str]:
    """Return the words of a column's name and title, of three letters and more."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", f"{column.name} {column.title}")
    return {each.casefold() for each in re.findall(r"[^\W\d_]{3,}", spaced)}


def _weigh_order(low: FloatArray, high: FloatArray) -> float:
    """Return how many records would be out of order if the columns were independent; 0 if too many
    are, or hardly any would be."""
    both = ~(np.isnan(low) | np.isnan(high))
    below, above = low[both], np.sort(high[both])
    if len(above) < _FEWEST or np.mean(below <= high[both]) < _NEARLY:
        return 0.0
    out = float(np.searchsorted(above, below, side="left").mean() / len(above))
    return out * len(above) if out >= _LEAST_BROKEN else 0.0


# Columns that are missing under a condition.


def _suggest_not_asked(looked: _Looked) -> Iterator[RuleSuggestion]:
    for asked in range(len(looked.columns)):
        for none, missing in _list_absences(looked, asked):
            share = float(missing.mean())
            if not 0.01 <= share <= 0.99:
                continue
            for place, other in enumerate(looked.columns):
                if place == asked or other.measured or other.domain.size > _MOST_NUMBERS:
                    continue
                condition = _find_condition(looked, place, missing)
                if condition is not None:
                    written, always = condition
                    weight = float(always.sum()) * (1 - share)
                    yield RuleSuggestion(f"({none}) == ({written})", "not asked", weight)


def _list_absences(looked: _Looked, place: int) -> Iterator[tuple[str, BoolArray]]:
    """Yield the ways in which a column has no value, as a condition: by each of its codes for
    missing, or by any if there is one; with the records that it is true of."""
    column = looked.columns[place]
    if not column.missing:
        return
    name, codes = quote_column(column.name), looked.codes(place)
    if column.missing_count == 1 and not column.missing_codes[0].label:
        yield f"is.na({name})", looked.missing(place)
        return
    for number, code in enumerate(column.missing_codes[: column.missing_count]):
        written = quote_constant(code.label or code.values[0])
        yield f"{name} == {written}", codes == column.domain.size + number


def _find_condition(
    looked: _Looked, place: int, missing: BoolArray
) -> tuple[str, BoolArray] | None:
    """Return a condition on a column under which another is missing, and nearly only then, with
    the records that meet it; None if there is none."""
    column, codes = looked.columns[place], looked.codes(place)
    size = column.domain.size
    known = codes < size
    if known.mean() < _NEARLY:
        return None
    records = np.bincount(codes[known], minlength=size)
    gone = np.bincount(codes[known & missing], minlength=size)
    seen = np.flatnonzero(records).tolist()
    always = [code for code in seen if gone[code] * 2 > records[code]]
    chosen = np.isin(codes, always)
    agree = np.mean(chosen == missing)
    if agree < _NEARLY or not always or len(always) == len(seen):
        return None
    others = [code for code in seen if code not in set(always)]
    name = quote_column(column.name)
    if column.domain.ordered:
        if max(always) < min(others):
            return f"{name} < {_write_code(column, min(others))}", chosen
        if min(always) > max(others):
            return f"{name} > {_write_code(column, max(others))}", chosen
        return None
    if len(always) <= _MOST_LISTED:
        return _write_member(column, always), chosen
    if len(others) <= _MOST_LISTED:
        return _write_other(column, others), chosen
    return None


# Values that do not occur together.


def _suggest_apart(looked: _Looked) -> Iterator[RuleSuggestion]:
    listed = [
        place
        for place, column in enumerate(looked.columns)
        if not column.domain.ordered and 2 <= column.domain.size <= _MOST_VALUES
    ]
    for left, right in combinations(listed, 2):
        yield from _suggest_pairs(looked, left, right)
    for place, column in enumerate(looked.columns):
        if column.domain.ordered and not column.measured:
            for other in listed:
                yield from _suggest_thresholds(looked, place, other)


def _suggest_pairs(looked: _Looked, left: int, right: int) -> Iterator[RuleSuggestion]:
    """Yield rules on values of two columns that never occur together, though both are common."""
    one, other = looked.columns[left], looked.columns[right]
    shape = one.cardinality, other.cardinality
    joint = np.zeros(shape, dtype=np.int64)
    np.add.at(joint, (looked.codes(left), looked.codes(right)), 1)
    joint = joint[: one.domain.size, : other.domain.size]
    total = joint.sum()
    if total < _FEWEST:
        return
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / total
    apart = (joint == 0) & (expected >= _LEAST_EXPECTED)
    turned = np.count_nonzero(apart.any(axis=0)) < np.count_nonzero(apart.any(axis=1))
    if turned:
        one, other, joint, expected, apart = other, one, joint.T, expected.T, apart.T
    for code in np.flatnonzero(apart.any(axis=1)):
        allowed, forbidden = np.flatnonzero(joint[code]), np.flatnonzero(apart[code])
        if len(allowed) <= min(3, len(forbidden)):
            then = _write_member(other, allowed.tolist())
        else:
            then = _write_other(other, forbidden.tolist())
        text = f"if ({_write_member(one, [int(code)])}) {then}"
        if len(forbidden) <= _MOST_LISTED:
            yield RuleSuggestion(text, "never together", float(expected[code][apart[code]].sum()))


def _suggest_thresholds(looked: _Looked, place: int, other: int) -> Iterator[RuleSuggestion]:
    """Yield the rule that below a number only one value of another column occurs."""
    column, listed = looked.columns[place], looked.columns[other]
    codes, values = looked.codes(place), looked.codes(other)
    known = (codes < column.domain.size) & (values < listed.domain.size)
    codes, values = codes[known], values[known]
    if len(codes) < _FEWEST:
        return
    lowest = np.full(listed.domain.size, column.domain.size)
    np.minimum.at(lowest, values, codes)
    first, second = np.argsort(lowest, kind="stable")[:2]
    below = codes < lowest[second]
    weight = float(below.sum() * np.mean(values != first))
    if weight >= _LEAST_EXPECTED and lowest[second] < column.domain.size:
        start = _write_code(column, int(lowest[second]))
        then = _write_member(listed, [int(first)])
        text = f"if ({quote_column(column.name)} < {start}) {then}"
        yield RuleSuggestion(text, "never together", weight)


# Writing.


def _write_code(column: Column, code: int) -> str:
    """Return a value of a column in the language of rules."""
    text = column.domain.texts[code]
    ranged = column.domain.ranged
    if ranged is None or ranged.axis == "moments":
        return quote_constant(text)
    return format(ranged.numbers[code], "f")


def _write_member(column: Column, codes: Sequence[int]) -> str:
    """Return that a column has one of some values."""
    written = [_write_code(column, code) for code in sorted(codes)]
    name = quote_column(column.name)
    return (
        f"{name} == {written[0]}" if len(written) == 1 else f"{name} %in% c({', '.join(written)})"
    )


def _write_other(column: Column, codes: Sequence[int]) -> str:
    """Return that a column has none of some values."""
    if len(codes) == 1:
        return f"{quote_column(column.name)} != {_write_code(column, codes[0])}"
    return f"!({_write_member(column, codes)})"
