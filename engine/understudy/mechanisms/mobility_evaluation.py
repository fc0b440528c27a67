"""Evaluation of made days: what methods that make people's days have alike."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic

import numpy as np
from typing_extensions import TypeVar

from understudy.core.arrays import FloatArray
from understudy.core.numerals import count, percent
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import FEWEST, PEOPLE, RELEASED, UNIFORM, Measure
from understudy.evaluation.mobility.days import (
    DaysStudy,
    DaysTable,
    Seen,
    common_length,
    cut_people,
    people_of,
    uniform_days,
)
from understudy.evaluation.mobility.registry import MEASURES
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence, PlannedRun
from understudy.mechanisms.mobility_plan import OnAMapPlan, check_traces
from understudy.models.mobility.stays import Days
from understudy.models.mobility.trace_records import TRACE, TraceColumns, days_of
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

MOST_PEOPLE: Final = 5_000
"""Of a table at most so many people are looked at."""

_LIKE_WEEKS: Final = 0.05
"""Tables whose shares of weekend days differ by more are not of like weeks."""


OnAMapT = TypeVar("OnAMapT", bound=OnAMapPlan, default=Any)
"""The plans of a method that makes people's days."""


class OfDays(MechanismDefaults[OnAMapT], Generic[OnAMapT]):
    """What most methods do alike, for those whose plan is an `OnAMapPlan`, which release one table
    of made days (`coding.schema_of`) and keep which records were held out."""

    accepted_columns: ClassVar[str] = (
        "Rows that say who was where from which time on, on a public map of cells; one person has "
        "many."
    )

    def check_schema(self, schema: Schema) -> None:
        """Check that it says whose the records are."""
        check_traces(schema)

    def measures(self, decided: PlannedRun[OnAMapT]) -> tuple[Measure[Any], ...]:
        """Return the measures of people's days."""
        return MEASURES

    def study(
        self,
        evidence: Evidence[OnAMapT, ArraysState],
        asked: EvaluationRequest,
        source: RandomSource,
        told: Callable[[str], None],
    ) -> DaysStudy:
        """Return the made days beside those of real people who were counted, and days of people who
        know nothing but the map; all of as many people, with as many days each.

        Raises:
            Refusal: nothing was released, or there are too few people, real or made.
        """
        plan = evidence.decided.plan
        released = next(iter(evidence.tables.values()), None)
        if released is None:
            raise Refusal(
                "This run released no days, so there is nothing to measure.",
                "Start a run that releases a table.",
            )
        told("Reading days to compare")
        random = np.random.default_rng(source.words(1))
        sides = RealPeople.of(evidence, plan, random)
        made = Seen(made_days(released), plan.where)
        return study_of_days(made, sides, asked.most, random)


def flip_coins(records: Records, source: RandomSource) -> FloatArray:
    """Return (n,) a number in [0, 1) for each record, the same for all records of a person."""
    assert records.whose is not None
    people = int(records.whose.max(initial=-1)) + 1
    return source.uniforms(people)[records.whose]


def made_days(released: Records) -> Days:
    """Return the days of a table that `coding.codes_of` made."""
    whose = released.codes[:, released.schema.index(TRACE)].astype(np.int64)
    return days_of(Records(released.schema, released.codes, whose=whose), TraceColumns())


@dataclass(frozen=True, eq=False)
class RealPeople:
    """Real people to hold made ones against. Confidential.

    Attributes:
        held_out: those compared with.
        training: others, that the release was made from.
        is_held_out: whether nothing was made from the first.
    """

    held_out: Seen
    training: Seen
    is_held_out: bool

    @classmethod
    def of(
        cls, evidence: Evidence[Any, ArraysState], plan: OnAMapPlan, random: np.random.Generator
    ) -> RealPeople:
        """Return those held out and the others; where too few were held out, two random halves of
        the others."""
        records = evidence.records
        held = evidence.state.arrays().get(HELD_OUT, np.zeros(len(records), dtype=bool))
        apart, used = (
            Seen(plan.days_told(records.take(np.flatnonzero(which))), plan.where)
            for which in (held.astype(bool), ~held.astype(bool))
        )
        if len(apart) >= FEWEST:
            return cls(apart, used, is_held_out=True)
        one, other = np.array_split(random.permutation(len(used)), 2)
        return cls(people_of(used, one), people_of(used, other), is_held_out=False)


def study_of_days(
    made: Seen, sides: RealPeople, most: int, random: np.random.Generator
) -> DaysStudy:
    """Return made people's days beside real people's, all cut to one size.

    Args:
        made: the release, as many days of everybody.
        sides: the real people.
        most: how many people of each table to look at.
        random: where whatever is random comes from.

    Raises:
        Refusal: there are too few people.
    """
    most = min(most, MOST_PEOPLE)
    real = np.concatenate([sides.held_out.days.per_person, sides.training.days.per_person])
    if not len(real) or not len(made):
        raise _TOO_FEW
    length = common_length(real, int(made.days.per_person.min()))
    released, apart, used = (
        cut_people(each, length, each_most, random)
        for each, each_most in (
            (made, most),
            (sides.held_out, most),
            (sides.training, len(sides.training)),
        )
    )
    size = min(len(released), len(used), most)
    if min(size, len(apart)) < FEWEST:
        raise _TOO_FEW
    weekend = released.days.weekend[:length].tolist()
    nobody = uniform_days(made.where, size, weekend, random)
    tables = (
        DaysTable(PEOPLE, "reals", cut_people(used, length, size, random)),
        DaysTable(UNIFORM, "marginals", Seen(nobody, made.where)),
        DaysTable(RELEASED, "released", cut_people(released, length, size, random)),
    )
    return DaysStudy(
        tables,
        apart,
        members=used,
        key=secrets.randbits(64),
        apart=sides.is_held_out,
        caveats=tuple(_caveats(tables, sides, length)),
    )


def _caveats(tables: tuple[DaysTable, ...], sides: RealPeople, length: int) -> list[str]:
    reals, _, released = (each.seen for each in tables)
    said = [
        f"Compared are {count(length, 'day')} of each person, the first ones; who has fewer is "
        "left out."
    ]
    shares = [float(each.days.weekend.mean()) for each in (released, reals)]
    if abs(shares[0] - shares[1]) > _LIKE_WEEKS:
        said.append(
            f"Of the made days {percent(shares[0])} fall on weekends, of the real ones "
            f"{percent(shares[1])}: some of what is found is that, and not the method. Make whole "
            "weeks, of people who are known for whole weeks."
        )
    if not sides.is_held_out:
        said.append(
            "This run held out too few people to compare with, so a random half of those that the "
            "release was made from stands for them. What it discloses of them cannot be measured "
            "so; a run that holds people out can."
        )
    return said


_TOO_FEW: Final = Refusal(
    f"Fewer than {FEWEST} people were counted, held out or made, too few to compare.",
    "Start a run on a table of more people, or one that makes more.",
)
