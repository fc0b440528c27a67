"""A form made from a table of fields: a widget for each, a refusal beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st

from understudy.core import numerals
from understudy.mechanisms.fields import Field, FieldTable, Words
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
from understudy.mechanisms.privacy_unit import PER_PERSON
from understudy.table.column import Column
from understudy.table.people import People
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.parts.controls import (
    draw_boxes,
    draw_choice,
    draw_column_names,
    draw_number,
    draw_plain_number,
    draw_span,
    draw_switch,
    draw_written,
    fill_widget,
)
from understudy_dashboard.words import describe_people

_MOST: Final = 12
"""So many columns have a widget each; of more, those that somebody chose."""

Names = Mapping[str, str]
"""The columns that may be chosen, each with what a reader calls it."""


def draw_groups(held: FormState, field: Field, said: Words, names: Names, sizes: Names) -> None:
    """Draw columns in groups: a box for each group, and an empty one for the next.

    Args:
        held: the settings.
        field: which of them.
        said: what is said of it.
        names: the columns that may be chosen.
        sizes: how many values each has, in words; "" where they are not counted.
    """
    found: list[list[str]] = [list(each) for each in getattr(held, field.name) or ()]
    if len(names) < 2 and not found:
        return
    _draw_title(said)
    for place, group in enumerate([*found, []]):
        elsewhere = {name for other in found if other is not group for name in other}
        free = [name for name in _list_choices(names, group) if name not in elsewhere]
        if place == len(found) and len(free) < 2:
            return
        key = f"{field.name}-group-{place}"
        fill_widget(key, group)
        st.multiselect(
            f"{said.label}, group {place + 1}",
            free,
            format_func=_describe_size(names, sizes),
            key=key,
            placeholder="Choose two or more columns",
            label_visibility="collapsed",
            on_change=_take_group,
            args=(held, field.name, place, key),
        )


def _take_group(held: FormState, name: str, place: int, key: str) -> None:
    found = [list(each) for each in getattr(held, name) or ()]
    found[place : place + 1] = [st.session_state[key]]
    setattr(held, name, [each for each in found if each])


def draw_on_others(held: FormState, field: Field, said: Words, names: Names, sizes: Names) -> None:
    """Draw a choice of the columns that each column depends on: never one that depends on it in
    turn; arguments as for `draw_groups`."""
    found: dict[str, list[str]] = {
        name: list(on) for name, on in (getattr(held, field.name) or {}).items()
    }
    if not names and not found:
        return
    _draw_title(said)
    for name in _list_rows(field, said, names, found):
        mine = found.get(name, [])
        below = _find_dependents(name, found)
        key = f"{field.name}-on-{name}"
        fill_widget(key, mine)
        st.multiselect(
            f"**{words.escape(names.get(name, name))}** depends on",
            [each for each in _list_choices(names, mine) if each not in below],
            format_func=_describe_size(names, sizes),
            key=key,
            placeholder="No other column",
            on_change=_take_number,
            args=(held, field.name, name, key),
        )


def _find_dependents(name: str, found: Mapping[str, Sequence[str]]) -> set[str]:
    """Return a column and all that depend on it, directly or by way of others."""
    below = {name}
    while more := {each for each, on in found.items() if below & set(on)} - below:
        below |= more
    return below


def draw_numbers(
    held: FormState, field: Field, said: Words, names: Names, about: Callable[[str], str]
) -> None:
    """Draw a number for each column, or none.

    Args:
        held: the settings.
        field: which of them.
        said: what is said of it.
        names: the columns.
        about: what to say of a column besides, such as its range; "" for nothing.
    """
    found: Mapping[str, float] = getattr(held, field.name) or {}
    if not names and not found:
        return
    _draw_title(said)
    for name in _list_rows(field, said, names, found):
        key = f"{field.name}-of-{name}"
        fill_widget(key, found.get(name))
        label = f"{said.brief} of {words.escape(names.get(name, name))}"
        st.number_input(
            f"{label}, {about(name)}" if about(name) else label,
            value=None,
            step=0.1,
            format="%g",
            key=key,
            placeholder="none",
            on_change=_take_number,
            args=(held, field.name, name, key),
        )


def _take_number(held: FormState, name: str, column: str, key: str) -> None:
    """Carry what is said of one column into the settings; what is empty is taken out."""
    value = st.session_state[key]
    found = {each: kept for each, kept in (getattr(held, name) or {}).items() if each != column}
    setattr(held, name, {**found, column: value} if value not in (None, []) else found)


def _list_rows(field: Field, said: Words, names: Names, found: Collection[str]) -> list[str]:
    """Return the columns that have a widget: all of a few; of many, those chosen here or set."""
    every = _list_choices(names, found)
    if len(every) <= _MOST:
        return every
    key = f"{field.name}-columns"
    chosen = st.multiselect(
        f"{said.label}: which columns",
        every,
        default=list(found),
        format_func=_name_column(names),
        key=key,
        placeholder="Choose columns",
    )
    return [name for name in every if name in chosen or name in found]


def _list_choices(names: Names, held: Collection[str]) -> list[str]:
    """Return the columns that may be chosen, and those that are held, which may be let go."""
    return [*names, *(name for name in held if name not in names)]


def _name_column(names: Names) -> Callable[[str], str]:
    return lambda name: names.get(name, name)


def _describe_size(names: Names, sizes: Names) -> Callable[[str], str]:
    return lambda name: " · ".join(filter(None, (names.get(name, name), sizes.get(name, ""))))


def _draw_title(said: Words) -> None:
    st.markdown(said.title, help=said.help or None)


def _do_nothing(*_: Any) -> None:
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
    changed: Callable[[Any], None] = _do_nothing
    below: Callable[[], None] = _do_nothing


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
    refusals: FieldRefusals
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
                st.caption(f"**{each.words.title}.** {describe_people(self.people)}")
            elif used and self._is_switched_on(each):
                (extra.instead or (lambda: self._draw_widget(each, extra)))()
        self.refusals.beside(each.name, *(place.name for place in each.places))
        with st.container():
            extra.below()

    def draw_by_group(self, table: FieldTable, fields: Sequence[Field]) -> None:
        """Draw some fields of a table under the titles of their groups."""
        for group in table.groups:
            shown = [each for each in fields if each.group == group]
            if shown:
                st.subheader(group.title, anchor=False)
            for each in shown:
                self.draw(each)

    def draw_removal(self, each: Field) -> None:
        """Draw the switch that takes a field away, and its caution."""
        assert each.switch is not None
        if draw_switch(self.held, each.switch.name, each.switch.label, each.switch.help):
            st.warning(each.switch.caution, icon=":material/warning:")

    def _is_switched_on(self, each: Field) -> bool:
        """Return whether a field is there, after the switch that brings it."""
        if each.switch is None or each.switch.on == "none":
            return True
        on = draw_switch(self.held, each.switch.name, each.switch.label, each.switch.help)
        if on and each.switch.caution:
            st.warning(each.switch.caution, icon=":material/warning:")
        return on

    def _draw_widget(self, each: Field, extra: Extra) -> None:
        held, kind = self.held, each.kind
        values = held.values(self.columns)
        said = each.choose_words(values)
        if isinstance(kind, Choice):
            offered = kind.words if extra.offered is None else extra.offered
            options = {word: kind.words[word] for word in offered}
            draw_choice(held, each.name, said.title, options, said.help, change=extra.changed)
        elif isinstance(kind, Flag):
            draw_switch(held, each.name, said.title, said.help)
        elif isinstance(kind, Span):
            draw_span(held, each, said, self.columns)
        elif isinstance(kind, OfColumns | GroupsOfColumns | OnOthers | PerColumn):
            self._draw_of_columns(each, said, extra)
        elif isinstance(kind, Word | AsJson):
            draw_written(held, each, said)
        elif isinstance(kind, Text):
            draw_boxes(held, each)
        elif isinstance(kind, Whole | Number) and kind.scale is not None:
            draw_number(held, each, said, disabled=each.off(values))
        else:
            draw_plain_number(held, each, said)

    def _draw_of_columns(self, each: Field, said: Words, extra: Extra) -> None:
        """Draw a setting that names columns."""
        assert self.schema is not None
        held, kind = self.held, each.kind
        offered = [
            one for one in self.schema.columns if extra.offered is None or one.name in extra.offered
        ]
        names = {one.name: one.title or one.name for one in offered}
        if isinstance(kind, OfColumns):
            draw_column_names(held, each, said, names)
        elif isinstance(kind, PerColumn):
            draw_numbers(held, each, said, names, self._describe_range)
        else:
            groups = isinstance(kind, GroupsOfColumns)
            draw = draw_groups if groups else draw_on_others
            draw(held, each, said, names, {one.name: _describe_values(one) for one in offered})

    def _describe_range(self, name: str) -> str:
        """Return the bounds of a column of numbers; "" of any other."""
        assert self.schema is not None
        if name not in self.schema.names:
            return ""
        domain = self.schema.column(name).domain.ranged
        if domain is None:
            return ""
        low, high = domain.end_texts
        return f"from {low} to {high}"


def _describe_values(column: Column) -> str:
    """Return how many values a column has, where they are counted."""
    return "" if column.measured else numerals.count(column.cardinality, "value")
