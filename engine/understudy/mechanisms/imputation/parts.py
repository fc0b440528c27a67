"""What a plan takes a table apart into: histograms, of which some depend on others, and means; and,
from public numbers alone, how many cells they count and how much of what is released is the prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.curves.curve import Gaussian
from understudy.mechanisms.imputation.curves.drawn import Cells
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.table.column import Column
from understudy.table.domain import lattice_of
from understudy.table.schema import Schema

MOST_CELLS = 100_000
"""The most cells of one histogram, all combinations of what it depends on included."""

MOST_VALUES = 1000
"""The most values of a column of numbers that is counted value by value."""

MOST_DECIMALS = 6
"""Of a prior: the weights that are drawn with are whole numbers of this many decimals."""


@dataclass(frozen=True)
class Histogram:
    """Shares of the combinations of some columns, one histogram for each combination of others.

    Attributes:
        columns, given: places in the schema.
        sizes, given_sizes: how many codes each has.
        alpha: the weight of the prior in each cell.
        records: how many are used.
    """

    columns: tuple[int, ...]
    given: tuple[int, ...]
    sizes: tuple[int, ...]
    given_sizes: tuple[int, ...]
    alpha: Fraction
    records: int

    @property
    def count(self) -> int:
        """How many cells each histogram has."""
        return math.prod(self.sizes)

    @property
    def groups(self) -> int:
        """How many histograms there are."""
        return math.prod(self.given_sizes)

    @property
    def cells(self) -> Cells:
        """The part as privacy curves take it."""
        return Cells(self.count, float(self.alpha), self.records)

    @property
    def mass(self) -> float:
        """How many records the prior counts for."""
        return self.count * self.groups * float(self.alpha)


@dataclass(frozen=True)
class Mean:
    """The mean of a column of numbers.

    Attributes:
        column: its place in the schema.
        steps: how many steps lie between the bounds.
        step: the distance of neighbouring values, in the unit of the column.
        minimum: the lowest value.
        deviation: σ in steps.
        prior: how many records the prior counts for.
        records: how many are used.
    """

    column: int
    steps: int
    step: Decimal
    minimum: Decimal
    deviation: float
    prior: Fraction
    records: int

    @cached_property
    def model(self) -> Gaussian:
        """The part as privacy curves take it, in steps."""
        return Gaussian(self.steps / 2, self.deviation, float(self.prior), self.records)


Part = Histogram | Mean


def parts(plan: ImputationPlan, schema: Schema) -> tuple[Part, ...]:
    """Return the parts, each after those that it depends on.

    Raises:
        Refusal: a column is named that is not there, twice, or without what its model needs.
    """
    found = histograms(plan, schema)
    for each in found:
        _check_carried(each, schema)
    released = plan.columns or schema.names
    means = tuple(_mean(plan, schema, name) for name in released if name in plan.deviations)
    return (*found, *means)


def histograms(plan: ImputationPlan, schema: Schema) -> tuple[Histogram, ...]:
    """Return the histograms of a plan, each after those that it depends on, however many cells they
    have.

    Raises:
        Refusal: a column is named that is not there, twice, or without what its model needs.
    """
    _check_named(plan, schema)
    released = plan.columns or schema.names
    grouped = [tuple(group) for group in plan.joint]
    alone = [
        (name,) for name in released if name not in plan.deviations and not _within(name, grouped)
    ]
    found = _order_groups([*grouped, *alone], plan.given)
    return tuple(_histogram(plan, schema, group) for group in found)


def _within(name: str, groups: list[tuple[str, ...]]) -> bool:
    return any(name in group for group in groups)


def _list_names(plan: ImputationPlan) -> Iterator[tuple[str, str]]:
    """Yield every name in a plan, with the setting that it stands in."""
    yield from (("columns", name) for name in plan.columns)
    yield from (("joint", name) for group in plan.joint for name in group)
    yield from (("given", name) for name in plan.given)
    yield from (("given", name) for others in plan.given.values() for name in others)
    yield from (("deviations", name) for name in plan.deviations)


def _check_named(plan: ImputationPlan, schema: Schema) -> None:
    released = plan.columns or schema.names
    for setting, name in _list_names(plan):
        if name not in schema.names:
            raise Refusal(
                f"The plan names “{name}”, which is no column.",
                "Name a column of the schema: " + ", ".join(schema.names) + ".",
                field=setting,
            )
        if name not in released:
            raise Refusal(
                f"The plan says how “{name}” is drawn, which is not released.",
                "Name it among the columns, or leave it out here.",
                field=setting,
            )
    if not all(plan.joint):
        raise Refusal(
            "One of the groups that are counted together names no column.",
            "Leave it out, or name its columns.",
            field="joint",
        )
    joint = [name for group in plan.joint for name in group]
    for setting, names in (("columns", list(plan.columns)), ("joint", joint)):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise Refusal(f"“{twice}” is named twice.", "Name it once.", field=setting)
    _check_models(plan, joint)


def _check_models(plan: ImputationPlan, joint: list[str]) -> None:
    for name in plan.deviations:
        inside = name in joint or name in plan.given
        if inside or any(name in others for others in plan.given.values()):
            raise Refusal(
                f"“{name}” has a Gaussian model, and is also counted together with others.",
                "Leave it out of one of the two.",
                field="deviations",
            )
    for name, others in plan.given.items():
        if name in joint:
            raise Refusal(
                f"“{name}” is counted together with others, and also depends on others.",
                "Choose one of the two for it.",
                field="given",
            )
        if not others or len(set(others)) < len(others):
            raise Refusal(
                f"What “{name}” depends on is empty, or named twice.",
                "Name each column once, or leave it out.",
                field="given",
            )
    if plan.given and plan.release in ("rows-from-mode", "rows-from-own-draws"):
        raise Refusal(
            "Columns depend on others, which this release is not meant for: each row would cost "
            "for "
            "the smallest group it might fall into.",
            "Choose rows from one draw, which are never worse; or let no column depend on others.",
            field="given",
        )


def _order_groups(
    groups: list[tuple[str, ...]], given: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Return the groups, each after those that it depends on."""
    of = {name: group for group in groups for name in group}
    needs = {group: {of[each] for each in given.get(group[0], ())} for group in groups}
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError:
        raise Refusal(
            "Columns depend on one another in a circle.",
            "Leave one of them out, or count them together.",
            field="given",
        ) from None


def _histogram(plan: ImputationPlan, schema: Schema, group: tuple[str, ...]) -> Histogram:
    columns = tuple(schema.index(name) for name in group)
    given = tuple(schema.index(name) for name in plan.given.get(group[0], ()))
    for place in (*columns, *given):
        _check_countable(schema.columns[place])
    return Histogram(
        columns=columns,
        given=given,
        sizes=tuple(schema.columns[place].cardinality for place in columns),
        given_sizes=tuple(schema.columns[place].cardinality for place in given),
        alpha=exactly(plan.strength, "strength", "prior"),
        records=plan.used_records,
    )


def _check_carried(found: Histogram, schema: Schema) -> None:
    """Check that a histogram has something to draw, and that the records outweigh its prior."""
    called = " and ".join(f"“{schema.names[place]}”" for place in found.columns)
    if found.count < 2:
        raise Refusal(
            f"{called} can take one value only, so there is nothing to draw.",
            "Leave it out of the columns.",
            field="columns",
        )
    if found.count * found.groups > MOST_CELLS:
        raise Refusal(
            f"{called} comes to {found.count * found.groups:,} cells; at most {MOST_CELLS:,} can "
            "be used.",
            "Count fewer columns together, or group their values.",
            field="joint",
        )
    if found.mass > found.records:
        raise Refusal(
            f"For {called} the prior would count for {found.mass:,.0f} records, and there are "
            f"{found.records:,}: most of what is released would be the prior.",
            "Count fewer columns together, group their values, or choose a smaller strength.",
            field="strength",
        )


def _check_countable(column: Column) -> None:
    if column.measured and not column.domain.numeric:
        plural = column.domain.words.plural
        raise Refusal(
            f"“{column.name}” holds {plural}: they are too many to count, and have no mean.",
            "Leave it out.",
            field="columns",
        )
    if column.measured or (column.ordered and column.domain.size > MOST_VALUES):
        raise Refusal(
            f"No deviation is declared for “{column.name}”, and its values are too many to count.",
            "Declare its σ from public knowledge, or group its values, or leave it out.",
            field="deviations",
        )


def _mean(plan: ImputationPlan, schema: Schema, name: str) -> Mean:
    column = schema.column(name)
    domain = column.domain.ranged
    if domain is None or not domain.numeric:
        raise Refusal(
            f"“{name}” holds {column.domain.words.plural}, which have no mean.",
            "Leave it out of the deviations.",
            field="deviations",
        )
    if column.missing:
        raise Refusal(
            f"“{name}” may be missing, and a mean has no place for what is missing.",
            "Disallow missing values in the schema, or count the column without a σ.",
            field="deviations",
        )
    apart, places = domain.resolution, lattice_of(domain).count
    if places < 2:
        raise Refusal(
            f"“{name}” can take one value only, so there is nothing to draw.",
            "Leave it out of the columns.",
            field="columns",
        )
    deviation = plan.deviations[name]
    if not (math.isfinite(deviation) and deviation > 0):
        raise Refusal(
            f"The σ of “{name}” is not a positive number.",
            "Declare how far its values publicly are spread, in its own unit.",
            field="deviations",
        )
    return Mean(
        column=schema.index(name),
        steps=places - 1,
        step=apart,
        minimum=domain.minimum,
        deviation=deviation / float(apart),
        prior=exactly(plan.prior_records, "prior_records", "prior"),
        records=plan.used_records,
    )


def exactly(value: float, setting: str, called: str) -> Fraction:
    """Return a setting as it is written, exactly.

    Raises:
        Refusal: it has more than `MOST_DECIMALS` decimals.
    """
    found = Fraction(repr(value))
    if (found * 10**MOST_DECIMALS).denominator > 1:
        raise Refusal(
            f"The strength of the {called} has more than {MOST_DECIMALS} decimals.",
            "Round it.",
            field=setting,
        )
    return found


TELLING: Final = 0.1
"""A prior of no more than this share of the records leaves them most of the say."""


@dataclass(frozen=True)
class Weight:
    """A histogram beside its prior.

    Attributes:
        columns: the names of those that are counted.
        given: the names of those that they depend on.
        sizes: how many values each of both has, the counted ones first.
        mass: how many records the prior counts for.
        records: how many there are.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]
    sizes: tuple[int, ...]
    mass: float
    records: int

    @property
    def carried(self) -> bool:
        """Whether the records outweigh the prior."""
        return self.mass <= self.records

    @property
    def telling(self) -> bool:
        """Whether they have most of the say."""
        return self.mass <= TELLING * self.records


def weights(plan: ImputationPlan, schema: Schema) -> tuple[Weight, ...]:
    """Return every histogram of a plan beside its prior, too heavy ones too.

    Raises:
        Refusal: as `histograms`.
    """
    return tuple(_weight(each, schema) for each in histograms(plan, schema))


def countable(plan: ImputationPlan, schema: Schema) -> tuple[str, ...]:
    """Return the columns that can be counted value by value: released, with few values, and no
    σ."""
    return tuple(
        each.name
        for each in schema.columns
        if each.name in (plan.columns or schema.names) and each.name not in plan.deviations
        if not each.measured and 2 <= each.cardinality <= MOST_VALUES
    )


def all_on(plan: ImputationPlan, schema: Schema, one: str) -> dict[str, tuple[str, ...]]:
    """Return every column depending on one, as far as the records keep most of the say.

    Args:
        plan: says what is released, under which prior.
        schema: the columns.
        one: a column that can be counted.

    Returns:
        By name, what each column depends on; those left out would be mostly prior.
    """
    together = {name for group in plan.joint for name in group}
    most = min(MOST_CELLS, TELLING * plan.used_records / plan.strength)
    groups = schema.column(one).cardinality
    return {
        name: (one,)
        for name in countable(plan, schema)
        if name != one and name not in together
        if groups * schema.column(name).cardinality <= most
    }


def _weight(found: Histogram, schema: Schema) -> Weight:
    return Weight(
        columns=tuple(schema.names[place] for place in found.columns),
        given=tuple(schema.names[place] for place in found.given),
        sizes=(*found.sizes, *found.given_sizes),
        mass=found.mass,
        records=found.records,
    )
