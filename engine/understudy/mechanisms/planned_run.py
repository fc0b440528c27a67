"""A plan with all that follows from it: what a run is told to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from understudy.core.showing import Shown, ShowsItself
from understudy.mechanisms.outputs import Output
from understudy.mechanisms.plan import MechanismPlan
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.table.schema import Schema

AnyPlan = TypeVar("AnyPlan", bound=MechanismPlan)


@dataclass(frozen=True, repr=False)
class PlannedRun(ShowsItself):
    """A plan, and what follows from it. Worked out once, and handed on from there.

    Attributes:
        plan: what was decided.
        schema: the public domain of the table.
        guarantee: what the plan promises.
        outputs: what a run of it releases.
    """

    plan: MechanismPlan
    schema: Schema
    guarantee: Guarantee
    outputs: tuple[Output, ...]

    def shown(self) -> Shown:
        """Return what it shows of itself: what is promised, and what is released."""
        total = self.guarantee.total
        tables = ", ".join(
            f"{each.name} (up to {each.rows_at_most:,} rows)" for each in self.tables
        )
        return Shown(
            f"A plan of the method “{self.plan.kind}”",
            [
                ("Guarantee", total.in_signs()),
                ("Between", self.guarantee.compared),
                *([("Tables", tables)] if tables else []),
                *_facts(self.guarantee),
            ],
            remarks=[self.guarantee.statement],
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(each.name for each in self.outputs)

    @property
    def tables(self) -> tuple[Output, ...]:
        """The outputs that are tables."""
        return tuple(each for each in self.outputs if each.kind == "table")

    def plan_as(self, kind: type[AnyPlan]) -> AnyPlan:
        """Return the plan, to the method that it is of.

        Raises:
            TypeError: it is of another.
        """
        if not isinstance(self.plan, kind):
            raise TypeError("this plan is of another method")
        return self.plan

    @property
    def compared(self) -> Schema:
        """The columns in which what is released can be held beside real records: those of the
        confidential table, or else of the first released table that has two of them or more, and
        no other."""
        found = [each.schema for each in self.tables if each.schema is not None]
        if any(each.fingerprint == self.schema.fingerprint for each in found):
            return self.schema
        own = set(self.schema.columns)
        within = (each for each in found if len(each) > 1 and own.issuperset(each.columns))
        return next(within, self.schema)

    def output(self, name: str) -> Output:
        """Return the output of this name.

        Raises:
            KeyError: there is none.
        """
        found = next((each for each in self.outputs if each.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


def _facts(guarantee: Guarantee) -> list[tuple[str, str]]:
    """Return what has to be publicly known for a guarantee to hold."""
    facts = []
    if guarantee.records_at_least:
        among = f"{guarantee.records_at_least:,} or more {guarantee.records_among}".rstrip()
        facts.append(("Records, publicly known", among))
    if guarantee.people_at_least:
        facts.append(("People, publicly known", f"{guarantee.people_at_least:,} or more"))
    return facts
