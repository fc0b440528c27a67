"""Columns that seem to be derived from others: totals that add up, durations, ages, parts of dates,
prefixes, bands and look-ups, in nearly every record.

They are read off the records and are suggestions only: a custodian declares one as publicly known,
or leaves it. Computed from confidential texts: internal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations, pairwise, permutations
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.authoring.derivation_edits import (
    ReadValues,
    find_disagreement,
    read_values,
    sharpen_column,
)
from understudy.table.authoring.settled_columns import evenly_spread_records
from understudy.table.cells import parse_number
from understudy.table.column import Column
from understudy.table.derivations.bands import Bands
from understudy.table.derivations.code_maps import LookUp, Prefix
from understudy.table.derivations.derivation import Derivation
from understudy.table.derivations.derived_column import DerivedColumn
from understudy.table.derivations.moment_parts import Age, DatePart, Duration
from understudy.table.derivations.sums import Sum
from understudy.table.raw import RawTable
from understudy.table.schema import Schema

_LOOKED_AT: Final = 4_000
_FEWEST: Final = 50
"""Of fewer records nothing is told."""
_NEARLY: Final = 0.98
_MOST_PARTS: Final = 12
_MOST_TRIED: Final = 14
_MOST_PAIRED: Final = 40
"""Of so many columns all sums of up to four are tried, of so many all of two; of more, those of
neighbours in the table."""
_FEW: Final = 300
_BY_CHANCE: Final = 0.05
_MOST_BANDS: Final = 12
_MOST_CODES: Final = 200
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_SPANS: Final = {"quarter": range(1, 5), "month": range(1, 13), "weekday": range(1, 8)}


@dataclass(frozen=True)
class DerivationSuggestion:
    """A column that seems to be derived. Internal.

    Attributes:
        column: its name.
        derivation: how it seems to be computed.
        share: in which share of the records that were looked at.
    """

    column: str
    derivation: Derivation
    share: float


def suggest_derivations(raw: RawTable, schema: Schema) -> tuple[DerivationSuggestion, ...]:
    """Return for each column that seems to be derived how, in the order of the schema; the same in
    whichever order the records stand. No two of them go round in a circle.

    Args:
        raw: the table; some of its records are looked at.
        schema: its columns.
    """
    rows = evenly_spread_records(raw, _LOOKED_AT)
    if len(rows) < _FEWEST:
        return ()
    seen = [_Seen(raw, column, rows) for column in schema.columns if column.name in raw.names]
    found: dict[str, DerivationSuggestion] = {}
    for target in seen:
        others = [
            each for each in seen if each is not target and not _leads_to(each, target, found)
        ]
        suggestion = _suggest_one(target, others)
        if suggestion is not None:
            found[target.name] = suggestion
    return tuple(found.values())


def _leads_to(source: _Seen, target: _Seen, found: Mapping[str, DerivationSuggestion]) -> bool:
    """Return whether a column is suggested to be derived from another, directly or not."""
    if source.name not in found:
        return False
    inputs = found[source.name].derivation.inputs
    return target.name in inputs or any(
        target.name in found[name].derivation.inputs for name in inputs if name in found
    )


class _Seen:
    """A column of the records that are looked at."""

    def __init__(self, raw: RawTable, column: Column, rows: IntArray) -> None:
        self.name, self.declared = column.name, column
        self.column = sharpen_column(raw, column)
        self.read = read_values(raw, self.column, rows)
        texts, places = raw.distinct(column.name)
        self._raw, self._texts, self._places = raw, texts, places[rows]
        self._rows = rows

    @cached_property
    def texts(self) -> tuple[list[str], IntArray]:
        """Its different texts, and the place of each record's."""
        return [text.strip() for text in self._texts], self._places.astype(np.int64)

    @cached_property
    def has_value(self) -> BoolArray:
        """(records,) which hold a value."""
        return self.read.readable & ~self.read.values.is_missing

    @property
    def numeric(self) -> bool:
        """Whether it holds plain numbers."""
        return self.column.domain.numeric

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all of its values are numbers, listed or not."""
        if self.column.domain.given_labels or not self.has_value.any():
            return False
        return not np.isnan(self.numbers[self.has_value]).any()

    @cached_property
    def numbers(self) -> FloatArray:
        """(records,) its numbers, not a number where there is none."""
        parsed = [parse_number(text) for text in self.texts[0]]
        plain = np.array([np.nan if each is None else float(each) for each in parsed])
        if self.numeric:
            values = self.read.values
            plain_numbers = values.numbers.lattice.numbers(values.places)
            return np.where(self.has_value, plain_numbers, np.nan)
        return np.where(self.has_value, plain[self.texts[1]], np.nan)

    @property
    def has_date(self) -> bool:
        """Whether it holds days."""
        ranged = self.column.domain.ranged
        return ranged is not None and ranged.dated

    @property
    def has_time(self) -> bool:
        """Whether it holds moments of a day."""
        ranged = self.column.domain.ranged
        return ranged is not None and ranged.per_day > 1

    @property
    def is_listed(self) -> bool:
        """Whether its values are listed texts."""
        return not self.column.ordered

    def read_as(self, column: Column) -> ReadValues:
        """Return its values, read as another column."""
        return read_values(self._raw, column, self._rows)


def _suggest_one(target: _Seen, others: Sequence[_Seen]) -> DerivationSuggestion | None:
    """Return how a column seems to be derived from others; None if from none of them."""
    if len({*target.texts[1].tolist()}) < 2:
        return None
    ways: tuple[Callable[[_Seen, Sequence[_Seen]], Iterator[Derivation]], ...] = (
        _list_sums, _list_durations, _list_parts, _list_prefixes, _list_bands, _list_look_ups,
    )  # fmt: skip
    for list_candidates in ways:
        for derivation in list_candidates(target, others):
            sources = {each.name: each for each in others}
            share = 0.0
            if _may_be_derived(derivation, target, sources):
                share = _measure(derivation, target, sources)
            if share >= _NEARLY:
                return DerivationSuggestion(target.name, derivation, share)
    return None


def _may_be_derived(derivation: Derivation, target: _Seen, others: Mapping[str, _Seen]) -> bool:
    """Return whether a derivation makes nearly what a column holds, where both hold something; it
    may take missing values otherwise."""
    inputs = [others[name] for name in derivation.inputs]
    try:
        domain = derivation.domain([each.column for each in inputs])
    except Refusal:
        return False
    values = [each.read.values for each in inputs]
    held = target.has_value & ~derivation.find_missing(values)
    held &= np.logical_and.reduce([each.read.readable for each in inputs])
    made = derivation.compute(values, domain)
    if np.count_nonzero(held) < _FEWEST:
        return False
    if domain.ranged is not None:
        numbers = domain.ranged.lattice.numbers(made[held])
        return _nearly_equal(numbers, target.numbers[held])
    place_of = {text: place for place, text in enumerate(domain.texts)}
    texts, places = target.texts
    actual = np.array([place_of.get(text, -1) for text in texts])[places[held]]
    return float(np.mean(actual == made[held])) >= _NEARLY


def _measure(derivation: Derivation, target: _Seen, others: Mapping[str, _Seen]) -> float:
    """Return in which share of the records a column is what a derivation makes."""
    derived = DerivedColumn(name=target.name, formula=derivation)
    if target.declared.missing:
        derived = DerivedColumn(
            name=target.name, formula=derivation, missing_codes=target.declared.missing_codes
        )
    try:
        column = derived.build_column({name: each.column for name, each in others.items()})
        # What is suggested has to be declarable as well.
        derived.build_column({name: each.declared for name, each in others.items()})
    except Refusal:
        return 0.0
    inputs = {name: others[name].read for name in derivation.inputs}
    differ, told = find_disagreement(derived, inputs, target.read_as(column))
    told_of = int(np.count_nonzero(told))
    return 1 - int(np.count_nonzero(differ)) / told_of if told_of >= _FEWEST else 0.0


def _nearly_equal(one: FloatArray, other: FloatArray) -> bool:
    """Return whether numbers are equal in nearly all records that have both; the first records say
    of most that they are not."""
    few = slice(0, _FEW)
    if len(one) > _FEW and not _are_equal(one[few], other[few], _NEARLY - _BY_CHANCE):
        return False
    return _are_equal(one, other, _NEARLY)


def _are_equal(one: FloatArray, other: FloatArray, share: float) -> bool:
    """Return whether numbers are equal in such a share of the records that have both."""
    both = ~np.isnan(one) & ~np.isnan(other)
    if np.count_nonzero(both) < _FEWEST:
        return False
    apart = np.abs(one[both] - other[both]) > 1e-6 * np.maximum(1, np.abs(one[both]))
    return float(apart.mean()) <= 1 - share


def _list_sums(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield sums of columns that a number is equal to in nearly every record: of neighbours in the
    table, then of any few."""
    if not target.is_numeric:
        return
    parts = [each for each in others if each.numeric and _could_be_part(each, target)]
    tried: set[tuple[str, ...]] = set()
    for first in range(len(parts)):
        total = parts[first].numbers
        for last in range(first + 1, min(len(parts), first + _MOST_PARTS)):
            total = total + parts[last].numbers
            if _nearly_equal(total, target.numbers):
                names = tuple(each.name for each in parts[first : last + 1])
                tried.add(names)
                yield Sum(plus=names)
    most = 4 if len(parts) <= _MOST_TRIED else 2 if len(parts) <= _MOST_PAIRED else 0
    for count in range(2, most + 1):
        for chosen in combinations(parts, count):
            names = tuple(each.name for each in chosen)
            if names not in tried and _nearly_equal(
                np.sum([each.numbers for each in chosen], axis=0), target.numbers
            ):
                yield Sum(plus=names)


def _could_be_part(part: _Seen, total: _Seen) -> bool:
    """Return whether a number above zero is hardly ever above another, and now and then not 0."""
    one, other = part.numbers[:_FEW], total.numbers[:_FEW]
    both = ~np.isnan(one) & ~np.isnan(other)
    if np.count_nonzero(both) < _FEWEST:
        return False
    one, other = one[both], other[both]
    return bool(
        (one >= 0).all()
        and np.mean(one > other) <= _BY_CHANCE
        and np.mean(one > 0) > 1 - _NEARLY
        and np.mean(one == other) < _NEARLY
    )


def _list_durations(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield ages and durations between two columns of moments."""
    if not target.is_numeric:
        return
    for one, other in permutations([each for each in others if each.has_date], 2):
        yield Age(born=one.name, at=other.name)
        yield Duration(start=one.name, end=other.name)
        if one.has_time and other.has_time:
            yield Duration(start=one.name, end=other.name, unit="hours")
            yield Duration(start=one.name, end=other.name, unit="minutes")
    for one, other in permutations(
        [each for each in others if each.has_time and not each.has_date], 2
    ):
        yield Duration(start=one.name, end=other.name, unit="minutes", past_midnight=True)


def _list_parts(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield parts of dates, as numbers or as the texts that stand beside these."""
    if not target.is_numeric and not target.is_listed:
        return
    texts, places = target.texts
    for source in others:
        if not source.has_date:
            continue
        for part in ("year", "quarter", "month", "weekday", "day", "hour"):
            if part == "hour" and not source.has_time:
                continue
            whole = DatePart.read({"column": source.name, "part": part})
            if target.is_numeric:
                yield whole
            elif part in _SPANS:
                numbers = _compute(whole, source)
                beside = _find_texts(numbers, places, source.has_value & target.has_value)
                if beside.keys() == {*_SPANS[part]}:
                    labels = tuple(texts[beside[number]] for number in _SPANS[part])
                    if len({*labels}) == len(labels):
                        yield DatePart.read({"column": source.name, "part": part, "labels": labels})


def _compute(derivation: Derivation, source: _Seen) -> IntArray:
    """Return the number that a derivation of one column makes of each record."""
    domain = derivation.domain([source.column])
    ranged = domain.ranged
    assert ranged is not None
    places = derivation.compute([source.read.values], domain)
    return ranged.lattice.whole_numbers(places)


def _find_texts(keys: IntArray, places: IntArray, held: BoolArray) -> dict[int, int]:
    """Return for each key the place of the text that stands beside it most often; nothing where
    other texts stand beside it too often."""
    if np.count_nonzero(held) < _FEWEST:
        return {}
    size, texts = int(keys[held].max()) + 1, int(places.max()) + 1
    beside = np.bincount(keys[held] * texts + places[held], minlength=size * texts)
    counts = beside.reshape(size, texts)
    if counts.max(axis=1).sum() < _NEARLY * counts.sum():
        return {}
    occurring = np.flatnonzero(counts.sum(axis=1)).tolist()
    return {key: int(counts[key].argmax()) for key in occurring}


def _list_prefixes(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield the first characters of a code, as many as all texts of the column have."""
    lengths = {len(text) for text in target.texts[0] if text}
    if not target.is_listed or len(lengths) != 1:
        return
    length = lengths.pop()
    for source in others:
        longer = any(len(text) > length for text in source.column.domain.texts[:_MOST_CODES])
        if source.is_listed and longer:
            yield Prefix(column=source.name, length=length)


def _list_bands(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield the bands of a number that are apart from each other. A cut is the number that the text
    of a band begins with, if it lies between what the records hold, or else the least number in
    the band."""
    texts, places = target.texts
    occurring = np.unique(places[target.has_value]).tolist()
    if not target.is_listed or not 2 <= len(occurring) <= _MOST_BANDS:
        return
    if not {*target.column.domain.texts} <= {texts[place] for place in occurring}:
        return
    for source in others:
        if not source.numeric:
            continue
        held = target.has_value & source.has_value
        ends = []
        for place in occurring:
            numbers = source.numbers[held & (places == place)]
            if not len(numbers):
                break
            ends.append((float(numbers.min()), float(numbers.max()), texts[place]))
        ends.sort()
        apart = all(high < low for (_, high, _), (low, _, _) in pairwise(ends))
        if len(ends) == len(occurring) and apart:
            cuts = tuple(
                _choose_cut(high, low, text) for (_, high, _), (low, _, text) in pairwise(ends)
            )
            yield Bands(column=source.name, cuts=cuts, labels=tuple(text for *_, text in ends))


def _choose_cut(high: float, low: float, text: str) -> str:
    """Return where a band begins that lies above one number and from another on."""
    named = _NUMBER.search(text)
    if named is not None and high < float(named[0]) <= low:
        return named[0]
    return f"{Decimal(repr(low)).normalize():f}"


def _list_look_ups(target: _Seen, others: Sequence[_Seen]) -> Iterator[Derivation]:
    """Yield look-ups of codes, each of which has one text in nearly every record."""
    if not target.is_listed:
        return
    texts, places = target.texts
    for source in others:
        if not source.is_listed:
            continue
        codes = source.column.domain.texts
        if not target.column.domain.size < len(codes) <= _MOST_CODES:
            continue
        beside = _find_texts(source.read.values.places, places, source.has_value & target.has_value)
        if beside.keys() == {*range(len(codes))}:
            pairs = tuple((code, texts[beside[place]]) for place, code in enumerate(codes))
            yield LookUp(column=source.name, pairs=pairs)


def describe_suggestion(suggestion: DerivationSuggestion) -> str:
    """Return a sentence on a suggestion. Internal."""
    return (
        f"“{suggestion.column}” is {suggestion.derivation.words} in "
        f"{'every' if suggestion.share == 1 else 'nearly every'} record that was looked at "
        "(internal)."
    )
