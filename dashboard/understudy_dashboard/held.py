"""Settings of any mechanism as widgets hold them, by the names of the places of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from understudy.mechanisms.fields import COLUMNS, Field, Table, nested
from understudy.mechanisms.kinds import Span


class Held:
    """Settings that may make no plan yet, an attribute for every place and for every switch.

    A field that has no use, or that a switch turns off, keeps its number, so that turning it on
    again finds it there.
    """

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that there are attributes for."""
        raise NotImplementedError

    def shown(self) -> dict[str, Any]:
        """Return what the widgets hold, by name."""
        return dict(vars(self))

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """Return the settings and their switches by name, those that are switched off as None.

        Args:
            columns: how many the table has, where that is known.
        """
        found = self.shown()
        for each in self.fields:
            if isinstance(each.kind, Span) and not found[ranges_of(each)]:
                found[each.places[0].name] = found[each.places[-1].name]
        found |= {each.name: None for each in self.fields if each.off(found)}
        return found if columns is None else {**found, COLUMNS: columns}

    def settings(self) -> dict[str, Any]:
        """Return the settings as a plan takes them."""
        values = self.values()
        return nested(
            {
                place.path: values[place.name]
                for each in self.fields
                if each.applies(values) or not each.only_where_used
                for place in each.places
            }
        )

    def take_unused(self, before: Self) -> None:
        """Take the numbers of what has no use here, or is switched off, from other settings."""
        values = self.values()
        for each in self.fields:
            if each.off(values) or (each.only_where_used and not each.applies(values)):
                for place in each.places:
                    setattr(self, place.name, getattr(before, place.name))


class Anything(Held):
    """The settings of a mechanism of which nothing is known but its table.

    Args:
        table: its fields.
        values: the settings of a plan by the names of their places; None for what it lacks.
    """

    def __init__(self, table: Table, values: Mapping[str, Any]) -> None:
        self._fields = held_fields(table)
        for name, value in starting_values(self._fields, values).items():
            setattr(self, name, value)

    def shown(self) -> dict[str, Any]:
        """Return what the widgets hold, by name."""
        return {name: each for name, each in vars(self).items() if name != "_fields"}

    @property
    def fields(self) -> tuple[Field, ...]:
        """As `Held`."""
        return self._fields


def held_fields(table: Table) -> tuple[Field, ...]:
    """Return the fields that settings are held of: all that set something, but what is
    confidential, which is asked where it comes from."""
    return tuple(each for each in table if each.places and not each.confidential)


def starting_values(fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what widgets hold for a plan of these values; what it does not have is as usual, and
    switched off."""
    found = {
        place.name: each.usual if values[place.name] is None else values[place.name]
        for each in fields
        for place in each.places
    }
    for each in fields:
        if each.switch is not None:
            without = values[each.name] is None
            found[each.switch.name] = without == (each.switch.on == "none")
        if isinstance(each.kind, Span):
            ends = [values[place.name] for place in each.places]
            found[ranges_of(each)] = ends[0] != ends[-1]
    return found


def ranges_of(field: Field) -> str:
    """Return the attribute that says whether a range is asked for, or one number."""
    return f"{field.name}_ranges"
