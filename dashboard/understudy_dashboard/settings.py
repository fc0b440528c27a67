"""The settings of a page: what the columns may contain, the method, and the plan of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import PUBLIC_PEOPLE, MechanismPlan
from understudy.mechanisms.registry import method_named, plan_run
from understudy.projects.state import Sizes
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import MethodSettings, settings_of
from understudy_dashboard.table_diagnostics import ResultCache, TableDiagnostics


@dataclass
class Settings:
    """What a custodian decides, and what follows from it.

    Attributes:
        data: the open table, whose size may be public.
        cache: keeps what is worked out.
        schema: what the columns may contain, as far as decided.
        policies: per column, what becomes of values outside the schema.
        sizes: how many records the table is publicly known to have, and how many are to be made.
        method: the kind of the method that is used.
        chosen: the settings of each method that was looked at, by its kind.
        asleep: those that a project kept and nobody looked at yet.
    """

    data: TableDiagnostics
    cache: ResultCache
    schema: Schema | None = None
    policies: dict[str, Policy] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=Sizes)
    method: str = UNTAGGED
    chosen: dict[str, MethodSettings] = field(default_factory=dict)
    asleep: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def declared(self) -> bool:
        """Whether the schema as it stands was confirmed to be public knowledge."""
        return self.schema is not None and self.schema.declared

    @property
    def public_people(self) -> int | None:
        """How many people are in the table, if nobody in it exists and people count."""
        people = None if self.schema is None else self.schema.people
        return self.data.tally(people).people if self.data.simulated and people else None

    def of_method(self, kind: str | None = None) -> MethodSettings:
        """Return the settings of a method; of the one that is used where it is left out.

        Raises:
            Refusal: there is no schema yet, or the method is not installed or not for its columns.
        """
        kind, schema = kind or self.method, self.require_schema()
        if kind not in self.chosen:
            choosing, asleep = settings_of(kind), self.asleep.get(kind)
            if asleep is None:
                self.chosen[kind] = choosing.begin(schema, simulated=self.data.simulated)
                choosing.set_sizes(self.chosen[kind], self.sizes)
                people = self.public_people
                if people is not None and PUBLIC_PEOPLE in method_named(kind).fields:
                    self.chosen[kind].confirm(people)
            else:
                self.chosen[kind] = choosing.restore(schema, asleep)
            # Where the method refuses these columns, what was kept waits for others.
            self.asleep.pop(kind, None)
        return self.chosen[kind]

    def plan(self) -> MechanismPlan:
        """Return the settings as a plan.

        Raises:
            Refusal: as `of_method`, or a setting cannot be used.
        """
        return self.of_method().plan(self.require_schema(), self.policies)

    def planned_run(self) -> PlannedRun:
        """Return the plan, with what it promises.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its promise.
        """
        schema, plan = self.require_schema(), self.plan()
        # A plan names the columns' values by a fingerprint, which leaves out titles and labels.
        key = plan.to_json(), schema
        made: PlannedRun = self.cache.keep("decided", key, lambda: plan_run(plan, schema))
        return made

    def adopt(self, plan: MechanismPlan) -> None:
        """Take the settings from a plan made for this schema, and its method.

        Raises:
            Refusal: it was made for another schema, or promises nothing that can be worked out.
        """
        plan_run(plan, self.require_schema())
        choosing, kind = settings_of(plan.kind), plan.kind
        schema = self.require_schema()
        adopted = choosing.adopt(plan, self.chosen.get(kind))
        # How many records of a person count follows from the schema, whatever the plan says.
        self.chosen[kind] = choosing.fit(adopted, None, schema)
        self.asleep.pop(kind, None)
        self.method, self.policies = kind, dict(plan.policies)

    def set_sizes(self, sizes: Sizes) -> None:
        """Say how many records there are and are to be made; every method counts on it."""
        self.sizes = sizes
        for kind in self.asleep.keys() - self.chosen.keys():
            # Those that are not for these columns sleep on.
            with suppress(Refusal):
                self.of_method(kind)
        for kind, each in self.chosen.items():
            settings_of(kind).set_sizes(each, sizes)

    def kept_settings(self) -> dict[str, Mapping[str, Any]]:
        """Return the settings of every method, as a project keeps them."""
        return self.asleep | {kind: each.as_dict() for kind, each in self.chosen.items()}

    def fit(self, before: Schema | None, after: Schema) -> None:
        """Fit the settings of every method to other columns."""
        for kind, each in list(self.chosen.items()):
            try:
                self.chosen[kind] = settings_of(kind).fit(each, before, after)
            except Refusal:
                # It is not for these columns; its settings come back with those that it is for.
                self.asleep[kind] = each.as_dict()
                del self.chosen[kind]

    def require_schema(self) -> Schema:
        """Return the schema.

        Raises:
            Refusal: no table is open.
        """
        if self.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.schema
