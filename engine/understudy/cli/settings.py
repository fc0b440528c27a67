"""Settings as they were typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, Table

Json = Annotated[
    bool,
    typer.Option("--json", help="Print the figures as one JSON object."),
]


def every_field(tables: Iterable[Table]) -> tuple[Field, ...]:
    """Return the fields of several mechanisms that are written on the command line, each option
    once: the first field that has it says what it means, and all read it alike."""
    found: dict[str, Field] = {}
    for table in tables:
        for each in table.options:
            first = found.setdefault(each.parameter, each)
            assert type(first.kind) is type(each.kind), f"{each.option_name} is read in two ways"
    return tuple(found.values())


@dataclass(frozen=True)
class Settings:
    """Settings as they were typed, each after its option.

    Attributes:
        given: what was typed, by the parameters of the options; what was left out is not there.
        tables: the fields that there are options for.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()

    @classmethod
    def typed(cls, tables: tuple[Table, ...], typed: Mapping[str, Any]) -> Settings:
        """Return those of a command line, on which an option that was left out is None or empty."""
        return cls(
            {name: each for name, each in typed.items() if each not in (None, [], ())}, tables
        )

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were given."""
        return tuple(
            each.option_name for each in every_field(self.tables) if each.parameter in self.given
        )

    def of(self, table: Table) -> dict[str, Any]:
        """Return what was given for one mechanism, by the names of its fields.

        Raises:
            Refusal: an option was given that is another's.
        """
        own = {each.option_name for each in table.options}
        strange = [each for each in self.options if each not in own]
        if strange:
            raise Refusal(
                f"{', '.join(strange)} cannot be given for this kind of plan.", "Leave it out."
            )
        return {
            each.name: self.given[each.parameter]
            for each in table.options
            if each.parameter in self.given
        }
