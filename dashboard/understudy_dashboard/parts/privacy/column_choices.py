"""Settings that say something of several columns: groups of them, what each depends on, a number
for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import streamlit as st

from understudy.mechanisms.fields import Field, Words
from understudy_dashboard import words
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.parts.controls import fill

_MOST: Final = 12
"""So many columns have a widget each; of more, those that somebody chose."""

Names = Mapping[str, str]
"""The columns that may be chosen, each with what a reader calls it."""


def groups(held: FormState, field: Field, said: Words, names: Names, sizes: Names) -> None:
    """Columns in groups: a box for each group, and an empty one for the next.

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
    _titled(said)
    for place, group in enumerate([*found, []]):
        elsewhere = {name for other in found if other is not group for name in other}
        free = [name for name in _with(names, group) if name not in elsewhere]
        if place == len(found) and len(free) < 2:
            return
        key = f"{field.name}-group-{place}"
        fill(key, group)
        st.multiselect(
            f"{said.label}, group {place + 1}",
            free,
            format_func=_sized(names, sizes),
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


def on_others(held: FormState, field: Field, said: Words, names: Names, sizes: Names) -> None:
    """For each column, those that it depends on: never one that depends on it in turn; arguments as
    for `groups`."""
    found: dict[str, list[str]] = {
        name: list(on) for name, on in (getattr(held, field.name) or {}).items()
    }
    if not names and not found:
        return
    _titled(said)
    for name in _rows(field, said, names, found):
        mine = found.get(name, [])
        below = _below(name, found)
        key = f"{field.name}-on-{name}"
        fill(key, mine)
        st.multiselect(
            f"**{words.plain(names.get(name, name))}** depends on",
            [each for each in _with(names, mine) if each not in below],
            format_func=_sized(names, sizes),
            key=key,
            placeholder="No other column",
            on_change=_take_one,
            args=(held, field.name, name, key),
        )


def _below(name: str, found: Mapping[str, Sequence[str]]) -> set[str]:
    """Return a column and all that depend on it, directly or by way of others."""
    below = {name}
    while more := {each for each, on in found.items() if below & set(on)} - below:
        below |= more
    return below


def numbers(
    held: FormState, field: Field, said: Words, names: Names, about: Callable[[str], str]
) -> None:
    """A number for each column, or none.

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
    _titled(said)
    for name in _rows(field, said, names, found):
        key = f"{field.name}-of-{name}"
        fill(key, found.get(name))
        label = f"{said.brief} of {words.plain(names.get(name, name))}"
        st.number_input(
            f"{label}, {about(name)}" if about(name) else label,
            value=None,
            step=0.1,
            format="%g",
            key=key,
            placeholder="none",
            on_change=_take_one,
            args=(held, field.name, name, key),
        )


def _take_one(held: FormState, name: str, column: str, key: str) -> None:
    """Carry what is said of one column into the settings; what is empty is taken out."""
    value = st.session_state[key]
    found = {each: kept for each, kept in (getattr(held, name) or {}).items() if each != column}
    setattr(held, name, {**found, column: value} if value not in (None, []) else found)


def _rows(field: Field, said: Words, names: Names, found: Collection[str]) -> list[str]:
    """Return the columns that have a widget: all of a few; of many, those chosen here or set."""
    every = _with(names, found)
    if len(every) <= _MOST:
        return every
    key = f"{field.name}-columns"
    chosen = st.multiselect(
        f"{said.label}: which columns",
        every,
        default=list(found),
        format_func=_called(names),
        key=key,
        placeholder="Choose columns",
    )
    return [name for name in every if name in chosen or name in found]


def _with(names: Names, held: Collection[str]) -> list[str]:
    """Return the columns that may be chosen, and those that are held, which may be let go."""
    return [*names, *(name for name in held if name not in names)]


def _called(names: Names) -> Callable[[str], str]:
    return lambda name: names.get(name, name)


def _sized(names: Names, sizes: Names) -> Callable[[str], str]:
    return lambda name: " · ".join(filter(None, (names.get(name, name), sizes.get(name, ""))))


def _titled(said: Words) -> None:
    st.markdown(said.title, help=said.help or None)
