"""How the settings of seedbased synthesis are begun, kept in a project, and fitted to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects.state import Sizes
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.planned import Planned
from understudy_dashboard.methods.seedbased.planning import SAMPLE, Wish


class SeedbasedChoosing:
    """How the settings of seedbased synthesis are begun, kept and fitted."""

    def begin(self, schema: Schema, *, simulated: bool) -> Planned:
        """Return the planner's proposal for a whole table."""
        found = Planned(replace(SAMPLE) if simulated else Wish(), Draft.of(Plan.of(schema)))
        found.count_on(found.draft.records_per_person)
        return found

    def restored(self, schema: Schema, kept: Mapping[str, Any]) -> Planned:
        """As `Choosing`. Of settings that do not say who set them, those that are not the
        planner's were set by hand."""
        wish = Wish(**_fitting(asdict(Wish()), kept.get("wish")))
        usual = asdict(Draft.of(Plan.of(schema)))
        found = Planned(wish, Draft(**_fitting(usual, kept.get("draft"))))
        said = kept.get("by_hand")
        found.by_hand = said if isinstance(said, bool) else not _followed(found, schema)
        return self.fitted(found, None, schema)

    def adopted(self, plan: Plan, before: Planned | None) -> Planned:
        """Return the settings of a plan; what the planner was asked stays."""
        return Planned(Wish() if before is None else before.wish, Draft.of(plan), by_hand=True)

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

    def sized(self, chosen: Planned, sizes: Sizes) -> None:
        """As `Choosing`: what the planner is asked. Settings by hand stay as they are."""
        chosen.wish.records_at_least, chosen.wish.rows = sizes.records, sizes.to_make


CHOOSING: Final = SeedbasedChoosing()


def _followed(found: Planned, schema: Schema) -> bool:
    """Return whether the settings are those of the planner's plan."""
    try:
        return found.offer(schema, {}).draft == found.draft
    except Refusal:
        return False


def _fitting(usual: dict[str, Any], found: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings as found, where they are of the kind that they should be; else the usual ones."""
    return usual | {
        name: value
        for name, value in (found or {}).items()
        if name in usual and _alike(value, usual[name])
    }


def _alike(value: Any, usual: Any) -> bool:
    """Return whether a setting is of the same kind as the usual one."""
    if isinstance(value, bool) or isinstance(usual, bool):
        return isinstance(value, bool) and isinstance(usual, bool)
    if usual is None:
        return value is None or isinstance(value, int | str | dict)
    return isinstance(value, int | float if isinstance(usual, float) else type(usual))
