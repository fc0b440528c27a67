"""Foresight: errors, relations and buckets that a release will keep, from public numbers.

Public numbers only: the schema, the budget, the shares, and how many records the table is publicly
known to have.

A column is learned as a table with a row for each configuration of its parents' buckets and a cell
for each of its values; every cell gets noise. More buckets make more cells, and fewer records a
cell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.numerals import FIXED, count, significant
from understudy.evaluation.fitness import group_pairs
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.seedbased.model_fit import promised_terms
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.bayesnet.as_learner import PublishedNetwork
from understudy.models.prediction import Predicted
from understudy.privacy.accounting.published_figures import PublishedCost
from understudy.privacy.accounting.unit_counts import MISS_SHARE, records_needed
from understudy.privacy.budget import Budget
from understudy.table.column import Column
from understudy.table.domain import measured_of
from understudy.table.schema import Schema

_NAMED: Final = 6
"""The most columns that are named in a sentence."""


_BESIDE: Final = 3
"""The most that are named of those that one column is not counted with."""


def predict_table(
    plan: Plan, schema: Schema, made: Promise, records: int, rows: int
) -> Predicted | None:
    """Return what noise and chance will set apart in the records that a plan's model draws.

    Args:
        plan: the settings.
        schema: what it was made for.
        made: what it promises.
        records: how many records the table has.
        rows: how many records are drawn.

    Returns:
        None for a model of another's, of which nothing is known beforehand.
    """
    found = plan.model.learner.foreseen(promised_terms(plan, schema, made), records, rows)
    if found is None or not plan.seed_attempts(schema):
        return found
    # What keeps something of a seed, and passes a test, is further off than what a model draws.
    return replace(found, sure=False)


def foresee_run(decided: PlannedRun[Plan]) -> Predicted | None:
    """Return the same of a run, by the number of records that its custodian said to be public.

    Returns:
        None where nobody said it, and for a model of another's.
    """
    plan, made = decided.plan, decided.guarantee.account_as(Promise)
    if plan.public_records is None:
        return None
    return predict_table(plan, decided.schema, made, plan.public_records, plan.attempts)


def unrelated_columns(found: Predicted, plan: Plan, schema: Schema) -> str:
    """Return which columns will come out unrelated to others, and what helps, in words; "" where
    there are none, or where the model is not to relate columns at all.

    Args:
        found: what is foreseen.
        plan: the settings.
        schema: what they were made for.
    """
    if not plan.model.about.relates:
        return ""
    if len(found.unrelated) == len(schema):
        return (
            "No column will be related to another: this ε and so few records leave noise no room "
            "for pairs. Raise ε, or put columns into fewer, larger groups."
        )
    said = []
    if found.unrelated:
        one = len(found.unrelated) == 1
        said.append(
            f"{_list_titles(found.unrelated, schema)} will be unrelated to every other column: of "
            f"so many values, no pair can be counted at this ε. Put {'its' if one else 'their'} "
            "values into fewer groups, or raise ε."
        )
    if found.hardly_related:
        said.append(
            f"{_list_titles(found.hardly_related, schema)} will be related to other columns only "
            "where a relation is stronger than usual; fewer groups or a larger ε keep more."
        )
    if said and plan.shares.seeds:
        return f"In what is drawn from the model: {' '.join(said)}"
    return " ".join(said)


def levels_in_words(found: Predicted, schema: Schema) -> str:
    """Return at which levels columns of several will be counted, and how what is finer is drawn;
    "" where there are none."""
    alike: dict[tuple[str, str], list[int]] = {}
    for place, level in found.levels.items():
        column = schema.columns[place]
        within = f"; {_describe_within(column)}" if column.measured or level else ""
        alike.setdefault((column.name_level(level), within), []).append(place)
    return " ".join(
        f"{_list_titles(places, schema)} will be counted in {named}, the finest level that this "
        f"budget carries{within}."
        for (named, within), places in alike.items()
    )


def _describe_within(column: Column) -> str:
    """Return how what is finer than what was counted is drawn."""
    if not column.measured:
        return "values are drawn evenly within each"
    return f"{column.domain.words.plural} are {measured_of(column.domain).drawn_words}"


@dataclass(frozen=True)
class Left:
    """A column that is related to some others, and those with which it is not counted.

    Attributes:
        column: its place.
        others: the places of those others.
    """

    column: int
    others: tuple[int, ...]

    def describe(self, schema: Schema) -> str:
        """Return the finding in words."""
        others = _list_titles(self.others, schema, _BESIDE)
        return f"{_list_titles((self.column,), schema)} with {others}"


def left_out(found: Predicted) -> tuple[Left, ...]:
    """Return every pair that is not counted, between columns that are related to something else;
    each once, at the column of the two that has more of them, that with the most first."""
    alone = {*found.unrelated, *found.hardly_related}
    counted = np.isfinite(found.pairs)
    pairs = combinations((each for each in range(len(found.single)) if each not in alone), 2)
    return tuple(Left(*each) for each in group_pairs(at for at in pairs if not counted[at]))


def nearness_in_words(found: Predicted) -> str:
    """Say how far off a typical column and pair will be at most; “” where that is not known of the
    model."""
    if not found.sure:
        return ""
    said = (
        f"Noise and chance put a typical column at most {round_per_cent(found.column_at_most)} off"
    )
    if found.counted:
        said += f", and a typical pair that is counted {round_per_cent(found.pair_at_most)}"
    return f"{said}, in 95 of 100 runs."


def round_per_cent(distance: float) -> str:
    """Return a predicted distance in per cent, no finer than it is known."""
    return f"{significant(100 * distance, 2 if distance < 0.1 else 1)}{FIXED}%"


def tie_in_words(found: Predicted, one: int, other: int) -> str:
    """Return whether two columns will hang together, in a sentence.

    Args:
        found: what is foreseen.
        one, other: their places.
    """
    if np.isfinite(found.pairs[one, other]):
        return "The model counts the two together, so what ties them is kept."
    if found.possible[one, other]:
        return "The model counts the two together only where they are tied more than is usual."
    return "The model has no room to count the two together, so what ties them is lost."


def _list_titles(places: Sequence[int], schema: Schema, most: int = _NAMED) -> str:
    """Return columns by their titles, the first few of them."""
    columns = [schema.columns[place] for place in places[:most]]
    named = [f"“{column.title or column.name}”" for column in columns]
    if len(places) > most:
        named.append(count(len(places) - most, "further column"))
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def as_published(schema: Schema, budget: Budget) -> PublishedCost:
    """Return what the noise of the published network costs by the formula it was published with,
    where it keeps to this budget by ours."""
    return PublishedNetwork().published_cost(schema, budget)


def learning_time(
    plan: Plan, schema: Schema, made: Promise, found: Predicted, records: int
) -> float:
    """Return about how many seconds a plan's model and rows take on one core of a usual machine."""
    terms = promised_terms(plan, schema, made)
    return plan.model.learner.seconds(terms, records, found, plan.attempts)


def known_records(plan: Plan, made: Promise, records: int | None) -> int:
    """Return how many records a plan can count on.

    Args:
        plan: the settings.
        made: what it promises.
        records: how many the table is publicly known to have; None goes by the promise, and by the
            seeds that are counted on.
    """
    # Where no record becomes a seed, the table has at least as many as were to be seeds.
    return (
        records
        or made.records_at_least
        or records_needed(
            plan.seeds_at_least, plan.shares.seeds or 1.0, MISS_SHARE * made.record_delta
        )
    )


def count_relatable(
    plan: Plan, schema: Schema, made: Promise, records: int | None = None
) -> Mapping[str, int] | None:
    """Return with how many other columns the counts of each can be afforded, as far as is foreseen.

    Args:
        plan: the settings.
        schema: the columns, in the buckets that are asked about.
        made: what the plan promises.
        records: as of `known_records`.

    Returns:
        By column; None for a model of another's, of which nothing is known beforehand.
    """
    terms = replace(promised_terms(plan, schema, made), schema=schema)
    found = plan.model.learner.foreseen(terms, known_records(plan, made, records), plan.attempts)
    if found is None:
        return None
    counted = np.isfinite(found.pairs)
    np.fill_diagonal(counted, False)
    return dict(zip(schema.names, counted.sum(axis=1).tolist(), strict=True))


def related_in(
    plan: Plan,
    schema: Schema,
    made: Promise,
    choices: Sequence[Column],
    records: int | None = None,
) -> tuple[int, ...] | None:
    """Return with how many other columns a column can be related in each of these buckets, with the
    levels above them.

    Args:
        plan, schema, made, records: as of `related`.
        choices: the column, in other buckets each.
    """
    found = []
    for each in choices:
        counts = count_relatable(plan, schema.replace(each), made, records)
        if counts is None:
            return None
        found.append(counts[each.name])
    return tuple(found)


@dataclass(frozen=True)
class FamilySize:
    """How many cells one column's table has, given which columns help to predict it.

    Attributes:
        configurations: of the parents' buckets; 1 without parents.
        values: of the column that is predicted, missing included.
    """

    configurations: int
    values: int

    @classmethod
    def of(cls, schema: Schema, child: str, parents: Sequence[str]) -> FamilySize:
        """Return the table of a column under these parents.

        Raises:
            Refusal: a name is none of the schema's.
        """
        counts = [schema.column(parent).bucket_count for parent in parents]
        return cls(math.prod(counts), schema.column(child).cardinality)

    @property
    def cells(self) -> int:
        """How many counts are noised."""
        return self.configurations * self.values


@dataclass(frozen=True)
class Precision:
    """What a plan makes of a cell.

    Attributes:
        deviation: the standard deviation, in records, of the noise on each cell; 0 un-noised.
        records: how many records the tables are learned from at least, on average over the coins
            that assign them, as far as is publicly known.
        most_cells: the most cells the engine lets a table have with so many records; parents
            that would make more are not used together. 0 for the marginals, which have none.
    """

    deviation: float
    records: float
    most_cells: float

    @classmethod
    def of(cls, plan: Plan, schema: Schema, made: Promise, records: int | None = None) -> Precision:
        """Return the precision of a plan's model; of a third-party one, that of the calibrated one.

        Args:
            plan: the settings.
            schema: what it was made for.
            made: what it promises.
            records: how many records the table is publicly known to have; None goes by the seeds
                that are counted on.
        """
        known = known_records(plan, made, records)
        found = plan.model.learner.cell_noise(promised_terms(plan, schema, made), known)
        return cls(found.deviation, found.records, found.most_cells)

    def even(self, family: FamilySize) -> float:
        """Return how many records a cell would hold if they were spread evenly."""
        return self.records / family.cells

    def noise_share(self, family: FamilySize) -> float:
        """Return the noise's standard deviation as a share of that even count."""
        return self.deviation / self.even(family)

    def usable(self, family: FamilySize) -> bool:
        """Return whether the engine would use these parents together."""
        return family.cells <= self.most_cells
