"""How the settings of seedbased synthesis are begun, kept in a project, and fitted to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from dashboard.methods.seedbased import planning
from dashboard.methods.seedbased.draft import Draft
from dashboard.methods.seedbased.planning import SAMPLE, Wish
from engine.mechanisms.seedbased.plan import Plan
from engine.table.fitting import Policy
from engine.table.schema import Schema


@dataclass
class Planned:
    """What the planner was asked, and the settings in use.

    Attributes:
        wish: what the planner on the Privacy page is asked.
        draft: the settings on the Privacy page.
    """

    wish: Wish
    draft: Draft

    def plan(self, schema: Schema, policies: Mapping[str, Policy]) -> Plan:
        """As `Chosen`."""
        return self.draft.plan(schema, dict(policies))

    def confirm(self, records: int | None) -> None:
        """As `Chosen`."""
        self.draft.public_records = records

    def as_dict(self) -> dict[str, Any]:
        """As `Chosen`."""
        return {"wish": asdict(self.wish), "draft": asdict(self.draft)}

    def count_on(self, records: int) -> None:
        """Count on so many records of a person."""
        self.draft = replace(self.draft, records_per_person=records)
        self.wish.records_per_person = records


class SeedbasedChoosing:
    """How the settings of seedbased synthesis are begun, kept and fitted."""

    def begin(self, schema: Schema, *, simulated: bool) -> Planned:
        """The planner's proposal for a whole table."""
        found = Planned(replace(SAMPLE) if simulated else Wish(), Draft.of(Plan.of(schema)))
        found.count_on(found.draft.records_per_person)
        found.draft = planning.proposed(found.wish, found.draft, schema).draft
        return found

    def restored(self, schema: Schema, kept: Mapping[str, Any]) -> Planned:
        """As `Choosing`."""
        wish = Wish(**_fitting(asdict(Wish()), kept.get("wish")))
        usual = asdict(Draft.of(Plan.of(schema)))
        found = Planned(wish, Draft(**_fitting(usual, kept.get("draft"))))
        return self.fitted(found, None, schema)

    def adopted(self, plan: Plan, before: Planned | None) -> Planned:
        """The settings of a plan; what the planner was asked stays."""
        return Planned(Wish() if before is None else before.wish, Draft.of(plan))

    def fitted(self, chosen: Planned, before: Schema | None, after: Schema) -> Planned:
        """Copy as many columns as before where there are so many columns more, and count on the
        records of a person that the schema keeps."""
        if before is not None:
            more = len(after) - len(before)
            draft = chosen.draft
            low, high = (max(0, end + more) for end in (draft.omega_low, draft.omega_high))
            chosen.draft = replace(draft, omega_low=low, omega_high=high)
        if after.people is not None:
            chosen.count_on(after.people.records_at_most)
        chosen.draft = chosen.draft.marked(chosen.draft.marks.among(after.names))
        return chosen


CHOOSING: Final = SeedbasedChoosing()


def _fitting(usual: dict[str, Any], found: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings as found, where they are of the kind that they should be; else the usual ones."""
    return usual | {
        name: value
        for name, value in (found or {}).items()
        if name in usual and _alike(value, usual[name])
    }


def _alike(value: Any, usual: Any) -> bool:
    """Whether a setting is of the same kind as the usual one."""
    if isinstance(value, bool) or isinstance(usual, bool):
        return isinstance(value, bool) and isinstance(usual, bool)
    if usual is None:
        return value is None or isinstance(value, int | str)
    return isinstance(value, int | float if isinstance(usual, float) else type(usual))
