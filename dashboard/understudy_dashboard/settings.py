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
from understudy.table.fitting import Policy
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import MethodSettings, settings_of


@dataclass
class Settings:
    """What a custodian decides, and what follows from it.

    Attributes:
        schema: what the columns may contain, as far as decided.
        policies: per column, what becomes of values outside the schema.
        sizes: how many records the table is publicly known to have, and how many are to be made.
        method: the kind of the method that is used.
        chosen: the settings of each method that was looked at, by its kind.
        asleep: those that a project kept and nobody looked at yet.
    """

    schema: Schema | None = None
    policies: dict[str, Policy] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=Sizes)
    method: str = UNTAGGED
    chosen: dict[str, MethodSettings] = field(default_factory=dict)
    asleep: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def declared(self) -> bool:
        """Whether the schema as it stands was confirmed to be public knowledge."""
        return self.schema is not None and self.schema.declared

    @property
    def simulated(self) -> bool:
        """Whether the table is the simulated sample, whose size is public."""
        return False

    @property
    def public_people(self) -> int | None:
        """How many people are in the table, if that is public without anybody's word."""
        return None

    def settings(self, kind: str | None = None) -> MethodSettings:
        """Return the settings of a method; of the one that is used where it is left out.

        Raises:
            Refusal: there is no schema yet, or the method is not installed or not for its columns.
        """
        kind, schema = kind or self.method, self._schema()
        if kind not in self.chosen:
            choosing, asleep = settings_of(kind), self.asleep.get(kind)
            if asleep is None:
                self.chosen[kind] = choosing.begin(schema, simulated=self.simulated)
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
            Refusal: as `settings`, or a setting cannot be used.
        """
        return self.settings().plan(self._schema(), self.policies)

    def planned_run(self) -> PlannedRun:
        """Return the plan, with what it promises.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its promise.
        """
        schema, plan = self._schema(), self.plan()
        # A plan names the columns' values by a fingerprint, which leaves out titles and labels.
        key = plan.to_json(), schema
        made: PlannedRun = self._keep("decided", key, lambda: plan_run(plan, schema))
        return made

    def adopt(self, plan: MechanismPlan) -> None:
        """Take the settings from a plan made for this schema, and its method.

        Raises:
            Refusal: it was made for another schema, or promises nothing that can be worked out.
        """
        plan_run(plan, self._schema())
        choosing, kind = settings_of(plan.kind), plan.kind
        schema = self._schema()
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
                self.settings(kind)
        for kind, each in self.chosen.items():
            settings_of(kind).set_sizes(each, sizes)

    def keep(self, name: str, key: Any, make: Any) -> Any:
        """Something made for this page, made again only when its key changes."""
        return self._keep(name, key, make)

    def kept_settings(self) -> dict[str, Mapping[str, Any]]:
        """Return the settings of every method, as a project keeps them."""
        return self.asleep | {kind: each.as_dict() for kind, each in self.chosen.items()}

    def _fit(self, before: Schema | None, after: Schema) -> None:
        """Fit the settings of every method to other columns."""
        for kind, each in list(self.chosen.items()):
            try:
                self.chosen[kind] = settings_of(kind).fit(each, before, after)
            except Refusal:
                # It is not for these columns; its settings come back with those that it is for.
                self.asleep[kind] = each.as_dict()
                del self.chosen[kind]

    def _keep(self, name: str, key: Any, make: Any) -> Any:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = self._kept[name] = (key, make())
        return kept[1]

    def _schema(self) -> Schema:
        if self.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.schema
