"""A change of columns: what follows another date or amount is modelled as how much later or more it
is, and written as itself.

A model sees the *distance* instead of the column: end − anchor. Each record is changed when it is
read, whatever the others are, and put together again when it is written: end = anchor + distance,
with the texts and codes for missing of the column. So the order of the two holds by the range of
the distance, and how long it is from one to the other is a single column, which even independent
columns keep.

Columns are compared in whole units of their last decimal: days, minutes, or what numbers count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.buckets import Buckets, ByCuts, EachValue
from understudy.table.cells import without_trailing_zeros
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.derivations.derivation import Values, place_units, span_numbers
from understudy.table.domain import Domain, Ranged, range_of
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.rules.tree import quote_column, quote_constant

RECODED_FIELD: Final = "recoded"
_FEW_DAYS: Final = 20


@dataclass(frozen=True)
class Units:
    """What a distance is counted in.

    Attributes:
        decimals: digits after the point; a unit is one of the last digit.
        apart: how many units neighbouring values of the column are apart.
        per_day: how many units a day has; 0 for numbers.
    """

    decimals: int
    apart: int
    per_day: int

    @property
    def name(self) -> str:
        """What a unit is called, such as “days”; "" for numbers."""
        return name_units(self.per_day)


def name_units(per_day: int) -> str:
    """Return what units are called of which a day has so many; "" for numbers."""
    return {0: "", 1: "days"}.get(per_day, "minutes")


class Recoding(Frozen, what="the change of a column"):
    """A column of the file that a model knows by its distance from another.

    Attributes:
        column: as it stands in files.
        after: the name of the column that it follows, its anchor.
        distance: the name of the column of distances, which a model has instead.
    """

    column: Column
    after: str
    distance: str

    @model_validator(mode="after")
    def _usable(self) -> Recoding:
        if self.column.name == self.after:
            raise self._refuse("it would follow itself", "Name another column that it follows.")
        return self

    @property
    def name(self) -> str:
        """The name of the column in files."""
        return self.column.name

    @property
    def words(self) -> str:
        """How it is put together, in a phrase."""
        return f"“{self.after}” plus how far it is after that, which is what the model knows"

    @property
    def sentence(self) -> str:
        """How it is modelled, in words."""
        return f"Put together: {self.words}."

    def describe(self, distance: Column) -> str:
        """Return on whose word it is modelled so, and what becomes of records that cannot be, in
        sentences.

        Args:
            distance: the column of distances.
        """
        ranged = range_of(distance.domain)
        unit = name_units(range_of(self.column.domain).per_day)
        longest = f"{ranged.show(ranged.maximum)} {unit}".strip()
        return (
            f"That “{self.name}” is {ranged.show(ranged.minimum)} to {longest} after "
            f"“{self.after}” is public knowledge on the custodian’s word. A record in which it is "
            "not is left out, unless a rule says otherwise, whatever the other records hold."
        )

    def _refuse(self, problem: str, remedy: str) -> Refusal:
        return Refusal(
            f"Column “{self.column.name}” cannot be modelled by its distance from “{self.after}”: "
            f"{problem}.",
            remedy,
            field=self.column.name,
        )

    def find_units(self, anchor: Column) -> Units:
        """Return what distances are counted in.

        Args:
            anchor: the column that it follows.

        Raises:
            Refusal: the two have no distance, or an end put together from them could be none of the
                column's values.
        """
        end, start = self.column.domain.ranged, anchor.domain.ranged
        if end is None or start is None or (end.per_day, end.dated) != (start.per_day, start.dated):
            raise self._refuse(
                "they are not both dates, both dates with times, or both amounts",
                "Make them columns of one kind.",
            )
        if end.per_day and not end.dated:
            raise self._refuse(
                "a time of day has none before it on another day",
                "Choose two columns of dates, or of amounts.",
            )
        if end.gaps:
            raise self._refuse(
                f"{end.gap_words} stands for missing between its values, and could come out",
                "Narrow its range, so that codes for missing lie outside.",
            )
        if anchor.missing and not self.column.missing:
            raise self._refuse(
                f"where “{self.after}” is missing nothing tells it",
                "Allow missing values in it, or choose an anchor that never is missing.",
            )
        decimals = max(end.lattice.decimals, start.lattice.decimals)
        first, apart = _scale(end, decimals)
        own_first, own_apart = _scale(start, decimals)
        if not (apart and own_apart) or own_apart % apart or (own_first - first) % apart:
            raise self._refuse(
                f"not every value of “{self.after}” is one that it could have too",
                "Keep both equally exact: dates to the day, or numbers in the same steps.",
            )
        return Units(decimals, apart, end.per_day)

    def build_distance(self, anchor: Column, most: Decimal | None = None) -> Column:
        """Return the column of distances, from none to the longest that the ranges of the two
        allow, in buckets that double: 0, 1, 2–3, 4–7, …

        Args:
            anchor: the column that it follows.
            most: the longest that is possible, in days or as a number, if that is publicly known.

        Raises:
            Refusal: as of `find_units`, or no distance is possible.
        """
        units = self.find_units(anchor)
        span = int(
            _list_ends(self.column, units.decimals)[1] - _list_ends(anchor, units.decimals)[0]
        )
        if most is not None:
            # Most numbers of minutes have no last decimal when they are written in days.
            longest = most.scaleb(units.decimals) * max(1, units.per_day) + Decimal("1e-6")
            span = min(span, int(longest))
        span -= span % units.apart
        if span < units.apart:
            raise self._refuse(
                "it never comes after it", "Change the ranges of the two, or their order."
            )
        domain = _span_distances(span, units)
        column = Column(
            name=self.distance,
            title=f"{units.name.capitalize()} from {self.after} to {self.name}"
            if units.name
            else f"{self.name} beyond {self.after}",
            domain=domain,
            missing=self.column.missing,
            missing_codes=self.column.missing_codes,
            origin=self.column.origin,
            source=self.column.source,
        )
        return column.changed(buckets=double_buckets(domain))

    def check_distance(self, anchor: Column, distance: Column) -> None:
        """Check that a column can hold the distances.

        Raises:
            Refusal: it cannot; or as of `find_units`.
        """
        units, ranged = self.find_units(anchor), distance.domain.ranged
        if ranged is None or ranged.per_day or ranged.gaps:
            raise self._refuse(
                f"“{distance.name}” holds no plain numbers", "Make it a column of numbers."
            )
        decimals = max(units.decimals, ranged.lattice.decimals)
        first, apart = _scale(ranged, decimals)
        step = units.apart * 10 ** (decimals - units.decimals)
        if apart != step or first % step:
            counted = without_trailing_zeros(Decimal(units.apart).scaleb(-units.decimals))
            raise self._refuse(
                f"“{distance.name}” does not count in the steps of “{self.name}”",
                f"Let it count by {counted:f}.",
            )
        if (distance.missing, distance.missing_codes) != (
            self.column.missing,
            self.column.missing_codes,
        ):
            raise self._refuse(
                f"“{distance.name}” has other codes for missing",
                "Give it the codes for missing of the column.",
            )

    # What is asked of records, in words that rules are written in.

    def list_reading_rules(self, anchor: Column, distance: Column) -> tuple[Rule, ...]:
        """Return what a record of a table has to keep so that it can be put together again: the
        distance is one of its column, and known if the end is. A record that breaks one is left
        out; one of which only the start is missing has no end, if the end may be missing.

        Args:
            anchor: the column that it follows.
            distance: the column of distances.
        """
        end, start = quote_column(self.name), quote_column(self.after)
        ranged = range_of(distance.domain)
        low, high = (f"{each:f}" for each in (ranged.minimum, ranged.maximum))
        rules = [Rule(text=f"{end} - {start} >= {low}"), Rule(text=f"{end} - {start} <= {high}")]
        if anchor.missing:
            known = self.column.unknown_code is not None
            rules.append(
                Rule(
                    text=f"if (is.na({start})) is.na({end})",
                    instead=SetMissing(column=self.name) if known else None,
                )
            )
        return tuple(rules)

    def list_model_rules(self, anchor: Column, distance: Column) -> tuple[Rule, ...]:
        """Return what a record has to keep so that what is put together is a value of the column:
        within its range, and known just if the distance and the anchor are.

        Args:
            anchor: the column that it follows.
            distance: the column of distances.
        """
        end, start = quote_column(self.name), quote_column(self.after)
        ranged = range_of(self.column.domain)
        decimals = self.find_units(anchor).decimals
        least, most = (
            ours + its
            for ours, its in zip(
                _list_ends(anchor, decimals), _list_ends(distance, decimals), strict=True
            )
        )
        first, last = _list_ends(self.column, decimals)
        rules = []
        for sign, number, needed in (
            (">=", ranged.minimum, least < first),
            ("<=", ranged.maximum, most > last),
        ):
            text = ranged.spell(number)
            if needed:
                constant = quote_constant(text) if ranged.per_day else f"{number:f}"
                rules.append(Rule(text=f"{end} {sign} {constant}"))
        if anchor.missing:
            rules.append(Rule(text=f"if (is.na({start})) is.na({end})"))
        return tuple(rules)

    # Records.

    def encode(
        self, start: Values, end: Values, distance: Column
    ) -> tuple[IntArray, FloatArray | None]:
        """Return (records,) the code of each distance, and its number in a measured column.

        Args:
            start: what each record holds in the anchor.
            end: what it holds in the column.
            distance: the column of distances.

        Raises:
            KeyError: a record cannot be put together again from its distance.
        """
        decimals = self._find_decimals(start.column, distance)
        units = end.units(decimals) - start.units(decimals)
        none = end.is_missing
        places = place_units(np.where(none, 0, units), decimals, distance.domain)
        held = (places >= 0) & (places < _count_places(distance)) & ~start.is_missing
        if not (held | none).all():
            raise KeyError(self.name)
        return _code(np.where(none, 0, places), end.missing, distance)

    def rebuild(self, start: Values, distance: Values) -> tuple[IntArray, FloatArray | None]:
        """Return (records,) the code of the column in each record, and its number.

        What would lie outside the column's range is put on its end: in no record that keeps the
        rules of `list_model_rules`, but in tables whose columns are drawn apart for comparisons.

        Args:
            start: what each record holds in the anchor.
            distance: how far the column is from there.
        """
        decimals = self._find_decimals(start.column, distance.column)
        missing = np.where(distance.is_missing | ~start.is_missing, distance.missing, 0)
        none = missing >= 0
        units = start.units(decimals) + distance.units(decimals)
        places = place_units(np.where(none, 0, units), decimals, self.column.domain)
        inside = np.clip(places, 0, _count_places(self.column) - 1)
        return _code(np.where(none, 0, inside), missing, self.column)

    def _find_decimals(self, anchor: Column, distance: Column) -> int:
        """Return how many decimals the numbers of all three columns have at most."""
        return max(
            range_of(each.domain).lattice.decimals for each in (self.column, anchor, distance)
        )

    def substance(self) -> dict[str, Any]:
        """Return what its values depend on beside the column's own range, for the fingerprint of a
        schema."""
        missing = [[code.not_applicable, *code.values] for code in self.column.missing_codes]
        return {
            "column": self.name,
            "domain": self.column.domain.substance(),
            "missing": missing if self.column.missing else None,
            "after": self.after,
            "distance": self.distance,
        }


def double_buckets(domain: Domain) -> Buckets:
    """Return buckets of distances that double: 0, 1, 2–3, 4–7, …, at the borders of cells; a single
    cell is a bucket of its own."""
    ranged = range_of(domain)
    cuts, width = [], ranged.width
    cut = width
    while cut <= ranged.numbers[-1]:
        cuts.append(without_trailing_zeros(cut))
        cut *= 2
    return ByCuts(cuts=tuple(cuts)) if cuts else EachValue()


def _span_distances(span: int, units: Units) -> Domain:
    """Return the distances from none to the longest, each with a code of its own if they are not
    too many. Minutes are in cells of a day, or of an hour if they are few days."""
    domain = span_numbers(0, span, units.apart, units.decimals)
    if units.per_day > 1:
        cell = units.per_day if span >= _FEW_DAYS * units.per_day else units.per_day // 24
        whole = max(1, -(-span // cell)) * cell
        step, last = (f"{each:f}" for each in map(Decimal, (cell, whole)))
        settings = {"minimum": "0", "maximum": last, "precision": units.apart, "step": step}
        return Continuous.read({**settings, "unit": units.name})
    if units.name and domain.measured:
        return Continuous.read({**domain.model_dump(), "unit": units.name})
    return domain


def _scale(ranged: Ranged, decimals: int) -> tuple[int, int]:
    """Return the first number and how far neighbours are apart, in units of a last decimal; 0 if
    that is not always the same."""
    lattice = ranged.full_lattice
    scale = 10 ** (decimals - lattice.decimals)
    first = int(lattice.whole_numbers(np.zeros(1, np.int64))[0])
    return first * scale, lattice.apart * scale


def _list_ends(column: Column, decimals: int) -> Sequence[int]:
    """Return the first and the last number, in units of a last decimal."""
    lattice = range_of(column.domain).lattice
    ends = lattice.whole_numbers(np.array([0, lattice.count - 1]))
    return [int(each) * 10 ** max(0, decimals - lattice.decimals) for each in ends]


def _count_places(column: Column) -> int:
    """Return how many numbers a column may hold."""
    return range_of(column.domain).lattice.count


def _code(
    places: IntArray, missing: IntArray, column: Column
) -> tuple[IntArray, FloatArray | None]:
    """Return the codes of some places, and their numbers in a measured column; of those for
    missing where one is."""
    none = missing >= 0
    codes, numbers = column.domain.code(places, column.domain.size)
    codes = np.where(none, column.domain.size + missing, codes)
    return codes, None if numbers is None else np.where(none, np.nan, numbers)


@dataclass(frozen=True)
class Follows:
    """That a column is to be modelled by its distance from another.

    Attributes:
        column: the name of the column.
        after: the name of its anchor.
        distance: the column of distances; None for the usual one.
        most: the longest distance of the usual one, in days or as a number, if that is publicly
            known.
    """

    column: str
    after: str
    distance: Column | None = None
    most: Decimal | None = None


def recode_columns(
    columns: Sequence[Column], follows: Sequence[Follows]
) -> tuple[tuple[Column, ...], tuple[Recoding, ...]]:
    """Return the columns that a model has, with distances in the place of some columns, and how
    these are put together again.

    Args:
        columns: as the file has them.
        follows: which are modelled by their distance.

    Raises:
        Refusal: there is no such column, or it cannot be.
    """
    known = {each.name: each for each in columns}
    modelled, recodings = dict(known), []
    for each in follows:
        for name in (each.column, each.after):
            if name not in known:
                raise Refusal(
                    f"Column “{each.column}” is to be modelled by its distance from "
                    f"“{each.after}”, and the schema has no column “{name}”.",
                    "Use that column too, or model the other as it is.",
                    field="recodings",
                )
        usual = f"{each.column} after {each.after}"
        name = usual if each.distance is None else each.distance.name
        recoding = Recoding(column=known[each.column], after=each.after, distance=name)
        distance = each.distance or recoding.build_distance(known[each.after], each.most)
        modelled[each.column] = distance
        recodings.append(recoding)
    return tuple(modelled[each.name] for each in columns), tuple(recodings)


def order_recodings(recodings: Sequence[Recoding], names: Sequence[str]) -> tuple[Recoding, ...]:
    """Return changes of columns in an order in which each anchor is known before it is needed.

    Args:
        recodings: in any order.
        names: of the columns that a model has.

    Raises:
        Refusal: an anchor is no column, or they go round in a circle.
    """
    known, ordered = set(names) - {each.distance for each in recodings}, list[Recoding]()
    left = list(recodings)
    while left:
        ready = [each for each in left if each.after in known]
        if not ready:
            raise Refusal(
                f"Column “{left[0].name}” follows “{left[0].after}”, which is no column of the "
                "schema, or follows it as well.",
                "Use that column too, or model the other as it is.",
                field=left[0].name,
            )
        ordered += ready
        known |= {each.name for each in ready}
        left = [each for each in left if each not in ready]
    return tuple(ordered)
