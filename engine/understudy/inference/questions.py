"""What may be asked of the noisy tables of a release, and the intervals that answer it.

An answer is about two things. *Of this table*: the interval holds what the confidential table has,
in so many of 100 releases; it accounts for the noise and, where some records were held out by
their own coins, for that. *Of the population*: it holds what the population has that the table is
a random sample of, each record or person independently; where one person may have several records,
the sampling variance is taken to be as many times as large, which it is at most.

Numbers that were counted in cells are known as far as their cell: an interval is given that holds
if they are spread evenly within cells, and one that holds however they lie in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.inference.column_values import (
    ValueNumbers,
    are_whole_values,
    find_codes,
    fold_codes,
    list_value_codes,
)
from understudy.inference.counted_cells import CountedCells, finest_views
from understudy.inference.inversion import (
    Ends,
    NoisyRatio,
    count_interval,
    difference_interval,
    slope_interval,
)
from understudy.models.noisy_tables import NoisyTable, read_share, read_tables
from understudy.models.views import Marginal, View
from understudy.table.column import Column
from understudy.table.schema import Schema

LEVEL: Final = 0.95
_KEPT: Final = 4
"""Of so many marginals the counted cells are kept: further questions about them are quick."""
Kind = Literal["count", "share", "mean", "slope"]


@dataclass(frozen=True)
class IntervalQuestion:
    """What is asked.

    Attributes:
        kind: a count or share of records with a value, the mean of a number, or the slope of the
            line of one number on another.
        column: of what.
        value: of a count or share, which value, by its text, its label, or the label of a group of
            values.
        by: the column whose groups are told apart; "" for all records.
        groups: which of them, by text or label; all if none is named. Of two, their difference is
            answered too.
        on: of a slope, the number that the line rises with.
    """

    kind: Kind
    column: str
    value: str = ""
    by: str = ""
    groups: tuple[str, ...] = ()
    on: str = ""

    @classmethod
    def of(
        cls,
        columns: Mapping[Kind, str],
        value: str = "",
        by: str = "",
        groups: Sequence[str] = (),
        on: str = "",
    ) -> IntervalQuestion | None:
        """Return the question of the one kind that a column is named for; None if nothing is asked.

        Raises:
            Refusal: several things are asked for at once, or groups of nothing.
        """
        named = [(kind, column) for kind, column in columns.items() if column]
        if len(named) == 1:
            ((kind, column),) = named
            return cls(kind, column, value, by, tuple(groups), on)
        if not (named or value or by or groups or on):
            return None
        raise Refusal(
            "It is not clear what is asked for.",
            f"Name a column for one of {', '.join(columns)}.",
            field=named[0][0] if named else None,
        )


@dataclass(frozen=True)
class IntervalAnswer:
    """An estimate with its intervals.

    Attributes:
        what: what it is of, in words.
        estimate: the likeliest value; of numbers in cells, if they are spread evenly in them.
        table: where the value of the confidential table is.
        population: where that of its population is; None of a count.
        table_any, population_any: the same however numbers lie in their cells; None where they are
            known exactly, or nothing can be said.
    """

    what: str
    estimate: float
    table: Ends
    population: Ends | None = None
    table_any: Ends | None = None
    population_any: Ends | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain values; ends that are not known are None."""
        ends = {
            name: None if each is None else [_finite(each.low), _finite(each.high)]
            for name in ("table", "population", "table_any", "population_any")
            for each in [getattr(self, name)]
        }
        return {"what": self.what, "estimate": _finite(self.estimate), **ends}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


@dataclass(frozen=True, eq=False)
class ReleasedCounts:
    """The noisy tables of a release, which answer questions.

    Attributes:
        schema: the columns.
        tables: what was counted.
        share: the probability with which a record of the table was among those that were counted;
            1 where none was held out.
        records_per_person: how many records one person may have.
        level: with what probability each interval holds what it is about.
    """

    schema: Schema
    tables: tuple[NoisyTable, ...]
    share: float = 1.0
    records_per_person: int = 1
    level: float = LEVEL

    @classmethod
    def of(cls, figures: Mapping[str, Any], schema: Schema, level: float = LEVEL) -> ReleasedCounts:
        """Return the tables as a run released them.

        Raises:
            KeyError, TypeError, ValueError: they are no such tables.
        """
        people = schema.people
        several = 1 if people is None else people.records_at_most
        share = read_share(figures)
        return cls(schema, read_tables(figures, schema), share, several, level)

    def answer(self, question: IntervalQuestion) -> tuple[IntervalAnswer, ...]:
        """Return the intervals that are asked for.

        Raises:
            Refusal: a column or value is not there, holds no numbers, or the columns were never
                counted together.
        """
        if question.kind == "slope":
            return (self._slope(question),)
        if question.kind == "mean":
            return tuple(self._means(question))
        return tuple(self._shares(question))

    def _shares(self, question: IntervalQuestion) -> Iterator[IntervalAnswer]:
        column = self._column(question.column)
        if question.kind == "count" and question.by:
            raise Refusal(
                "Counts are asked for of all records.",
                "Ask for a share, or leave the groups out.",
                field="by",
            )
        codes = [find_codes(column, question.value)] if question.value else []
        cells = self._find_cells(question, codes)
        named = {question.value: codes[0]} if codes else list_value_codes(column, cells.marginal[0])
        for name, chosen in named.items():
            values = cells.spread(0, fold_codes(column, cells.marginal[0], chosen))
            what = f"{question.column} = {name}"
            if question.kind == "count":
                yield self._count(cells, f"records with {what}", values)
            else:
                ones = np.ones(len(values))
                yield from self._by_group(cells, question, f"share with {what}", values, ones)

    def _means(self, question: IntervalQuestion) -> Iterator[IntervalAnswer]:
        cells = self._find_cells(question, [])
        numbers = self._numbers(question.column, cells.marginal[0])
        held = cells.spread(0, numbers.held)
        what = f"mean of {question.column}"
        even = tuple(self._by_group(cells, question, what, cells.spread(0, numbers.even), held))
        if numbers.exact:
            yield from even
            return
        lowest, highest = (
            tuple(self._by_group(cells, question, what, cells.spread(0, each), held))
            for each in (numbers.lowest, numbers.highest)
        )
        # The last of three is the first group less the second, at its least where that has its
        # lowest numbers and this its highest.
        for place, answer in enumerate(even):
            low, high = lowest[place], highest[place]
            table = Ends(low.table.low, high.table.high)
            assert low.population is not None
            assert high.population is not None
            population = Ends(low.population.low, high.population.high)
            if place == 2 and len(question.groups) == 2:
                table, population = _widen_difference(answer, even, lowest, highest)
            yield replace(answer, table_any=table, population_any=population)

    def _slope(self, question: IntervalQuestion) -> IntervalAnswer:
        if not question.on:
            raise Refusal(
                "A slope is of one number on another.", "Name the other column.", field="on"
            )
        cells = self._find_cells(question, [])
        up, across = (
            self._numbers(name, cells.marginal[place])
            for place, name in enumerate((question.column, question.on))
        )
        y, x = cells.spread(0, up.even), cells.spread(1, across.even)
        held = cells.spread(0, up.held) * cells.spread(1, across.held)
        estimate, table = slope_interval(cells, x, y, held, self.level, self._table_sampling)
        _, population = slope_interval(cells, x, y, held, self.level, self._population_sampling)
        what = f"slope of {question.column} on {question.on}"
        if not (up.exact and across.exact):
            what += ", if numbers are spread evenly in their cells"
        return IntervalAnswer(what, estimate, table, population)

    @property
    def _table_sampling(self) -> float:
        """What the sampling variance is multiplied by for the table that the records are of."""
        return 1 - self.share

    @property
    def _population_sampling(self) -> float:
        """The same for the population: the records of a person may all be alike."""
        return float(self.records_per_person)

    def _by_group(
        self,
        cells: CountedCells,
        question: IntervalQuestion,
        what: str,
        values: FloatArray,
        among: FloatArray,
    ) -> Iterator[IntervalAnswer]:
        """Yield an answer for all records, or one for each group, and the difference of two."""
        if not question.by:
            yield self._ratio(NoisyRatio.of(cells, values, among), what)
            return
        column, view = self._column(question.by), cells.marginal[1]
        if question.groups:
            groups = {name: find_codes(column, name) for name in question.groups}
        else:
            groups = dict(list_value_codes(column, view))
        ratios = []
        for name, codes in groups.items():
            own = cells.spread(1, fold_codes(column, view, codes))
            if not (among * own * cells.possible).any():
                if not question.groups:
                    continue
                raise Refusal(
                    f"By the rules, no record has “{question.column}” and is {question.by} = "
                    f"{name}.",
                    "Name another group.",
                    field="by",
                )
            ratios.append(NoisyRatio.of(cells, values, among * own))
            yield self._ratio(ratios[-1], f"{what}, {question.by} = {name}")
        if len(question.groups) == 2:
            first, second = question.groups
            one, other = ratios
            ends = (
                difference_interval(one, other, self.level, sampled)
                for sampled in (self._table_sampling, self._population_sampling)
            )
            said = f"{what}, {question.by} = {first} less {second}"
            yield IntervalAnswer(said, one.estimate - other.estimate, *ends)

    def _ratio(self, ratio: NoisyRatio, what: str) -> IntervalAnswer:
        ends = (
            ratio.interval(self.level, each)
            for each in (self._table_sampling, self._population_sampling)
        )
        return IntervalAnswer(what, ratio.estimate, *ends)

    def _count(self, cells: CountedCells, what: str, scores: FloatArray) -> IntervalAnswer:
        counted = cells.statistic(scores)
        estimate = max(0.0, counted.value / self.share)
        return IntervalAnswer(what, estimate, count_interval(counted, self.share, self.level))

    def _column(self, name: str) -> Column:
        if name not in self.schema.names:
            raise Refusal(
                f"The table has no column “{name}”.",
                "Name one of: " + ", ".join(self.schema.names) + ".",
                field="column",
            )
        return self.schema.column(name)

    def _numbers(self, name: str, view: View) -> ValueNumbers:
        column = self._column(name)
        if not column.domain.numeric:
            raise Refusal(
                f"“{name}” has no numbers to take a mean of.",
                "Choose a column of numbers, or ask for the share of some of its values.",
                field="column",
            )
        return ValueNumbers.of(column, view.level)

    def _find_cells(self, question: IntervalQuestion, values: Sequence[BoolArray]) -> CountedCells:
        """Return the cells that answer a question: counted as finely as they were, in views that
        tell apart what is asked for."""
        names = [question.column, *(each for each in (question.by, question.on) if each)]
        if len(set(names)) < len(names):
            raise Refusal(f"“{question.column}” is named twice.", "Name two columns.", field="by")
        columns = [self._column(name) for name in names]
        chosen = [(0, each) for each in values]
        if question.by:
            chosen += [(1, find_codes(columns[1], each)) for each in question.groups]
        places = [self.schema.index(name) for name in names]
        marginals = finest_views(self.schema, self.tables, places)
        if not marginals:
            raise Refusal(
                f"{' and '.join(f'“{name}”' for name in names)} were never counted together, so "
                "that nothing is known of how they are related.",
                "Ask for each alone, or mark the two as important in the next plan.",
                field="by",
            )
        for marginal in marginals:
            if all(are_whole_values(columns[at], marginal[at], each) for at, each in chosen):
                return self._count_cells(marginal)
        raise Refusal(
            "What is asked for was counted in coarser groups only.",
            "Ask for the groups of values that were counted: "
            + ", ".join(columns[0].level_labels(marginals[0][0].level)[:5])
            + ".",
            field="value",
        )

    @cached_property
    def _count_cells(self) -> Callable[[Marginal], CountedCells]:
        """A function that counts the cells of a marginal, and keeps those of the last few."""
        return lru_cache(_KEPT)(lambda each: CountedCells.of(self.schema, each, self.tables))


def _widen_difference(
    difference: IntervalAnswer,
    even: Sequence[IntervalAnswer],
    lowest: Sequence[IntervalAnswer],
    highest: Sequence[IntervalAnswer],
) -> tuple[Ends, Ends]:
    """Return where a difference of means is however numbers lie in their cells: its ends, moved by
    as much as the estimates of both groups move."""
    down = (even[0].estimate - lowest[0].estimate) + (highest[1].estimate - even[1].estimate)
    up = (highest[0].estimate - even[0].estimate) + (even[1].estimate - lowest[1].estimate)
    table, population = difference.table, difference.population
    assert population is not None
    return (
        Ends(table.low - down, table.high + up),
        Ends(population.low - down, population.high + up),
    )
