"""A form made from a table of fields: a widget for each, a refusal beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from understudy.core import numerals
from understudy.mechanisms.fields import Field, Words
from understudy.mechanisms.kinds import (
    AsJson,
    Choice,
    Flag,
    GroupsOfColumns,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Span,
    Text,
    Whole,
    Word,
)
from understudy.mechanisms.whose import PER_PERSON
from understudy.table.people import People
from understudy.table.schema import Column, Schema
from understudy_dashboard.frame import Fields
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.parts.controls import (
    boxes,
    choice,
    number,
    of_columns,
    plain_number,
    span,
    switch,
    written,
)
from understudy_dashboard.parts.privacy import column_choices
from understudy_dashboard.sentences import per_person


def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True)
class Extra:
    """What a page knows of a field beyond its table.

    Attributes:
        offered: the words, or columns, that can be chosen now; None for all.
        changed: what else follows from a change, given the settings.
        instead: draws it; None for the widget of its kind.
        below: draws what stands below it.
    """

    offered: Sequence[str] | None = None
    instead: Callable[[], None] | None = None
    changed: Callable[[Any], None] = _nothing
    below: Callable[[], None] = _nothing


@dataclass(frozen=True)
class Form:
    """What settings are drawn from.

    Attributes:
        held: holds them.
        columns: how many the table has.
        refusals: shown beside the field that they are about.
        extras: what a page knows of some fields, by name.
        schema: the columns of the table, for settings that name some.
    """

    held: FormState
    columns: int
    refusals: Fields
    extras: Mapping[str, Extra] = field(default_factory=dict)
    schema: Schema | None = None

    @property
    def people(self) -> People | None:
        """Whose the records are, where the columns say so."""
        return None if self.schema is None else self.schema.people

    def draw(self, each: Field) -> None:
        """Draw a field where it has a use, and room for a refusal in any case."""
        # A plan that copies nothing has no use for its test, and shows it all the same.
        used = each.applies(self.held.values())
        extra = self.extras.get(each.name, Extra())
        with st.container():
            if each.name == PER_PERSON and self.people is not None:
                st.caption(f"**{each.words.title}.** {per_person(self.people)}")
            elif used and self._switched_on(each):
                (extra.instead or (lambda: self._widget(each, extra)))()
        self.refusals.beside(each.name, *(place.name for place in each.places))
        with st.container():
            extra.below()

    def without(self, each: Field) -> None:
        """Draw the switch that takes a field away, and its caution."""
        assert each.switch is not None
        if switch(self.held, each.switch.name, each.switch.label, each.switch.help):
            st.warning(each.switch.caution, icon=":material/warning:")

    def _switched_on(self, each: Field) -> bool:
        """Return whether a field is there, after the switch that brings it."""
        if each.switch is None or each.switch.on == "none":
            return True
        on = switch(self.held, each.switch.name, each.switch.label, each.switch.help)
        if on and each.switch.caution:
            st.warning(each.switch.caution, icon=":material/warning:")
        return on

    def _widget(self, each: Field, extra: Extra) -> None:
        held, kind = self.held, each.kind
        values = held.values(self.columns)
        said = each.said(values)
        if isinstance(kind, Choice):
            offered = kind.words if extra.offered is None else extra.offered
            options = {word: kind.words[word] for word in offered}
            choice(held, each.name, said.title, options, said.help, change=extra.changed)
        elif isinstance(kind, Flag):
            switch(held, each.name, said.title, said.help)
        elif isinstance(kind, Span):
            span(held, each, said, self.columns)
        elif isinstance(kind, OfColumns | GroupsOfColumns | OnOthers | PerColumn):
            self._of_columns(each, said, extra)
        elif isinstance(kind, Word | AsJson):
            written(held, each, said)
        elif isinstance(kind, Text):
            boxes(held, each)
        elif isinstance(kind, Whole | Number) and kind.scale is not None:
            number(held, each, said, disabled=each.off(values))
        else:
            plain_number(held, each, said)

    def _of_columns(self, each: Field, said: Words, extra: Extra) -> None:
        """A setting that names columns."""
        assert self.schema is not None
        held, kind = self.held, each.kind
        offered = [
            one for one in self.schema.columns if extra.offered is None or one.name in extra.offered
        ]
        names = {one.name: one.title or one.name for one in offered}
        if isinstance(kind, OfColumns):
            of_columns(held, each, said, names)
        elif isinstance(kind, PerColumn):
            column_choices.numbers(held, each, said, names, self._range)
        else:
            groups = isinstance(kind, GroupsOfColumns)
            draw = column_choices.groups if groups else column_choices.on_others
            draw(held, each, said, names, {one.name: _size(one) for one in offered})

    def _range(self, name: str) -> str:
        """Return the bounds of a column of numbers; "" of any other."""
        assert self.schema is not None
        if name not in self.schema.names:
            return ""
        domain = self.schema.column(name).domain.ranged
        if domain is None:
            return ""
        low, high = domain.ends
        return f"from {low} to {high}"


def _size(column: Column) -> str:
    """Return how many values a column has, where they are counted."""
    return "" if column.continuous else numerals.count(column.cardinality, "value")
