"""How settings of plans are called and read, of whichever methods they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from understudy.mechanisms import fields
from understudy.mechanisms.fields import Differing, Table
from understudy.mechanisms.kinds import Span, plainly
from understudy.mechanisms.plan import TAG, MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy_dashboard.methods.words import title_of

METHOD = "Method"


class SettingWords:
    """The words of the settings of several plans.

    Args:
        plans: they.
    """

    def __init__(self, plans: Sequence[MechanismPlan]) -> None:
        self._plans = plans
        self._tables: list[Table] = [mechanism_of(each).fields for each in plans]

    def settings(self) -> tuple[Differing, ...]:
        """Return every setting that somebody decided, the method first."""
        kinds = tuple(each.kind for each in self._plans)
        found = (
            each
            for each in fields.settings(self._plans)
            if each.setting != TAG and not any(each.setting in one.derived for one in self._tables)
        )
        return (Differing(TAG, kinds), *found)

    def differing(self) -> tuple[Differing, ...]:
        """Return the settings in which the plans are not all alike."""
        return tuple(each for each in self.settings() if not each.alike)

    def labelled(self, setting: str) -> str:
        """Return what a setting is called, where one of the plans has it."""
        if setting == TAG:
            return METHOD
        table = next((each for each in self._tables if each.at(setting)), self._tables[0])
        return table.labelled(setting)

    def printed(self, each: Differing) -> tuple[str, ...]:
        """Return what a setting is in each plan, as a person reads it."""
        return tuple(
            self._printed(each.setting, place, value) for place, value in enumerate(each.values)
        )

    def together(self, each: Differing) -> tuple[str, tuple[str, ...]]:
        """Return what a setting is called and reads in each plan; with those beside it, where all
        the plans show a field of several as one value."""
        field = self._tables[0].at(each.setting)
        if field is None or len(field.places) < 2 or not isinstance(field.kind, Span):
            return self.labelled(each.setting), self.printed(each)
        if any(table.at(each.setting) != field for table in self._tables):
            return self.labelled(each.setting), self.printed(each)
        room = each.setting.split(".")[0]
        return field.words.title, tuple(field.show(getattr(plan, room)) for plan in self._plans)

    def _printed(self, setting: str, place: int, value: Any) -> str:
        if setting == TAG:
            return title_of(str(value))
        table = self._tables[place]
        if table.at(setting) is None:
            return "–" if value is None else plainly(value)
        return table.printed(setting, value)
