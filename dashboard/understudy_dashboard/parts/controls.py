"""The settings of a plan as sliders with a number box beside each, counting at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from understudy.mechanisms.fields import Field, Place, Words
from understudy.mechanisms.kinds import Number, OfColumns, Scale, Whole
from understudy_dashboard import words
from understudy_dashboard.methods.method_settings import FormState, range_switch_of

_ROUND: Final = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
_SIX_DIGITS: Final = "%.6g"
"""How a box shows a number; it keeps all digits of it."""


def list_stops(scale: Scale, *, whole: bool = False) -> tuple[float, ...]:
    """Return the places that a slider over a scale stops at: round numbers, and its ends."""
    low, high = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    if scale.powers:
        return tuple(float(f"1e{power}") for power in range(high, low - 1, -1))
    found = [float(f"{digit}e{power}") for power in range(low, high + 1) for digit in _ROUND]
    within = {scale.low, *(stop for stop in found if scale.low <= stop <= scale.high), scale.high}
    if whole:
        return tuple(sorted({int(stop) for stop in within if stop == int(stop)}))
    return tuple(sorted(within))


def list_field_stops(field: Field) -> tuple[float, ...]:
    """Return the places that the slider of a field stops at."""
    assert isinstance(field.kind, Whole | Number)
    assert field.kind.scale is not None
    return list_stops(field.kind.scale, whole=isinstance(field.kind, Whole))


def draw_number(
    held: Any, field: Field, said: Words, *, disabled: bool = False, key: str = ""
) -> None:
    """Draw a number: a slider over the usual values, and a box for any.

    Args:
        held: the settings.
        field: which of them.
        said: what is said of it.
        disabled: whether it has no use.
        key: names its box; made from the field's name where left out.
    """
    name = field.name
    value, places = getattr(held, name), list_field_stops(field)
    slider, box = f"{key or name}-slider", key or f"{name}-box"
    fill_widget(slider, find_nearest(places, value))
    fill_widget(box, value)
    wide, narrow = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    wide.select_slider(
        said.title,
        places,
        format_func=field.show,
        key=slider,
        on_change=take_value,
        args=(held, name, slider),
        help=said.help,
        disabled=disabled,
    )
    narrow.number_input(
        f"{said.title}, exactly",
        step=_find_step(field),
        format=_find_format(field),
        key=box,
        on_change=take_value,
        args=(held, name, box),
        label_visibility="collapsed",
        disabled=disabled,
    )


def draw_plain_number(
    settings: Any, field: Field, said: Words, *, name: str = "", key: str = ""
) -> None:
    """Draw a number as a box without a slider; one that may be empty then stands for none.

    Args:
        settings: what holds it.
        field: what it is.
        said: what is said of it.
        name, key: what it is called there, and its widget; made from the field's where left out.
    """
    name = name or field.name
    key = key or f"{name}-box"
    fill_widget(key, getattr(settings, name))
    st.number_input(
        said.title,
        value=None if field.may_be_empty else "min",
        step=_find_step(field),
        format=_find_format(field),
        key=key,
        placeholder=field.none if field.may_be_empty else None,
        on_change=_take_or_empty if field.may_be_empty else take_value,
        args=(settings, name, key),
        help=said.help,
    )


def draw_boxes(held: FormState, field: Field) -> None:
    """Draw several shares that belong together, a box for each."""
    # Four in one row would break their names in two.
    cells = [cell for _ in range(0, len(field.places), 2) for cell in st.columns(2)]
    for cell, place in zip(cells, field.places, strict=False):
        key = f"{place.name}-box"
        fill_widget(key, getattr(held, place.name))
        cell.number_input(
            place.brief,
            step=0.05,
            format="%g",
            key=key,
            on_change=take_value,
            args=(held, place.name, key),
        )


def draw_column_names(held: FormState, field: Field, said: Words, names: Mapping[str, str]) -> None:
    """Draw the name of a column, or several.

    Args:
        held: the settings.
        field: which of them.
        said: what is said of it.
        names: the columns there are, each with what a reader calls it.
    """
    key = f"{field.name}-columns"
    several = isinstance(field.kind, OfColumns) and field.kind.several
    value = getattr(held, field.name)
    # What may no longer be chosen can be let go all the same.
    names = {
        **names,
        **{each: each for each in (value or () if several else ()) if each not in names},
    }
    fill_widget(key, list(value or ()) if several else value)
    given: dict[str, Any] = {
        "format_func": names.__getitem__,
        "key": key,
        "on_change": _take_or_empty,
        "args": (held, field.name, key),
        "help": said.help or None,
    }
    if several:
        st.multiselect(
            said.title,
            list(names),
            placeholder="Choose columns" if field.none == "none" else field.none,
            **given,
        )
    else:
        st.selectbox(said.title, list(names), **given)


def draw_written(held: FormState, field: Field, said: Words) -> None:
    """Draw a setting that is typed as a text; one that cannot be read stays as it was, and says
    why."""
    key = f"{field.name}-text"
    value = getattr(held, field.name)
    fill_widget(key, "" if value is None else field.kind.show(value))
    st.text_input(
        said.title,
        key=key,
        on_change=_take_written,
        args=(held, field, key),
        help=said.help or None,
    )
    unread = st.session_state.pop(f"{key}-unread", None)
    if unread is not None:
        st.error(f"{words.escape(unread)} The setting stays as it was.")


def _take_written(held: FormState, field: Field, key: str) -> None:
    """Carry a text into the settings as its kind reads it."""
    text = st.session_state[key]
    if not text and field.may_be_empty:
        setattr(held, field.name, None)
        return
    try:
        setattr(held, field.name, field.kind.read(text))
    except ValueError as error:
        st.session_state[f"{key}-unread"] = str(error)


def _find_step(field: Field) -> float:
    return getattr(field.kind, "step", 1)


def _find_format(field: Field) -> str | None:
    return None if isinstance(field.kind, Whole) else _SIX_DIGITS


def fill_widget(key: str, value: Any) -> None:
    """Give a widget its value, where it shows another: one sent again undoes what is typed."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def ask_yes_or_no(
    question: str,
    answers: tuple[str, str],
    key: str,
    said: bool | None,
    take: Callable[[bool | None], None],
) -> None:
    """Ask a question with two answers, and take one as it is given.

    Args:
        question: in words.
        answers: what stands for no and for yes.
        key: of the widget.
        said: what was answered before; None for nothing.
        take: called with the answer; None where it was taken back.
    """
    no, yes = answers

    def follow() -> None:
        answer = st.session_state[key]
        take(None if answer is None else answer == yes)

    fill_widget(key, None if said is None else yes if said else no)
    st.radio(
        question,
        [no, yes],
        index=None,
        key=key,
        label_visibility="collapsed",
        horizontal=True,
        on_change=follow,
    )


def take_value(settings: Any, name: str, key: str) -> None:
    """Carry a widget's value into the settings; an emptied box leaves them as they are."""
    value = st.session_state[key]
    if value is not None:
        setattr(settings, name, value)


def find_nearest(stops: Sequence[float], value: float) -> float:
    """Return the stop closest to a value."""
    return min(stops, key=lambda stop: abs(stop - value) / (abs(stop) + abs(value)))


def _take_or_empty(settings: Any, name: str, key: str) -> None:
    """Carry a number into the settings, or that there is none."""
    setattr(settings, name, st.session_state[key])


def draw_switch(held: FormState, name: str, label: str, help_: str | None = None) -> bool:
    """Draw a setting that is on or off, and return whether it is on."""
    key = f"{name}-switch"
    fill_widget(key, getattr(held, name))
    return st.checkbox(label, key=key, on_change=take_value, args=(held, name, key), help=help_)


def draw_choice(
    settings: Any,
    name: str,
    label: str,
    options: dict[Any, str],
    help_: str | None = None,
    change: Callable[[Any], None] | None = None,
    captions: Sequence[str] | None = None,
    across: bool = True,
) -> None:
    """Draw a setting that is one of a few.

    Args:
        settings: the settings.
        name: the field.
        label: what it is called.
        options: each with what it is called.
        help_: what it means.
        change: what else follows from a change, given the settings.
        captions: what stands below each option; the label is then read out only, as a heading
            stands above.
        across: whether the options stand beside one another.
    """

    def take_choice() -> None:
        take_value(settings, name, key)
        if change is not None:
            change(settings)

    key = f"{name}-choice" if isinstance(settings, FormState) else f"wish-{name}"
    fill_widget(key, getattr(settings, name))
    st.radio(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=take_choice,
        horizontal=across,
        help=help_,
        captions=captions,
        label_visibility="visible" if captions is None else "collapsed",
    )


def draw_span(held: FormState, field: Field, said: Words, columns: int) -> None:
    """Draw a number of columns: one, or a range."""
    ways = {False: "one number", True: "a range"}
    draw_choice(held, range_switch_of(field), said.title, ways, said.help)
    wide, narrow = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    ranges = bool(getattr(held, range_switch_of(field)))
    places = field.places if ranges else field.places[-1:]
    ends = [min(max(0, getattr(held, place.name)), columns) for place in places]
    key = f"{field.name}-slider" + "-range" * ranges
    fill_widget(key, tuple(sorted(ends)) if ranges else ends[0])
    wide.slider(
        f"From 0 to {columns}",
        0,
        columns,
        key=key,
        on_change=_take_ends,
        args=(held, places, key),
    )
    with narrow:
        _draw_ends(held, places)


def _take_ends(held: FormState, places: Sequence[Place], key: str) -> None:
    ends = st.session_state[key]
    for place, end in zip(places, ends if len(places) > 1 else [ends], strict=True):
        setattr(held, place.name, end)


def _draw_ends(held: FormState, places: Sequence[Place]) -> None:
    for column, place in zip(st.columns(len(places)), places, strict=True):
        key = f"{place.name}-box"
        fill_widget(key, getattr(held, place.name))
        column.number_input(
            f"{place.brief}, exactly",
            step=1,
            key=key,
            on_change=take_value,
            args=(held, place.name, key),
            label_visibility="collapsed",
        )
