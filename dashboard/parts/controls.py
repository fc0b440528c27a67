"""The settings of a plan as sliders with a number box beside each, counting at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import streamlit as st

from dashboard import words
from dashboard.draft import Draft
from dashboard.frame import Fields
from dashboard.planning import Wish
from engine.models.omega import Reading

_ROUND: Final = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


def _decades(low: int, high: int, digits: Iterable[float] = _ROUND) -> tuple[float, ...]:
    """Round numbers from 10^low to 10^high."""
    stops = [float(f"{digit}e{power}") for power in range(low, high) for digit in digits]
    return (*stops, float(f"1e{high}"))


def _whole(stops: Iterable[float]) -> tuple[int, ...]:
    return tuple(sorted({int(stop) for stop in stops if stop == int(stop)}))


SCALES: Final[dict[str, tuple[float, ...]]] = {
    "k": tuple(k for k in _whole(_decades(0, 5)) if k >= 2),
    "gamma": (1.1, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0),
    "epsilon0": _decades(-3, 1),
    "attempts": _whole(_decades(0, 7)),
    "delta": tuple(reversed(_decades(-15, -3, (1,)))),
    "seeds_at_least": _whole(_decades(2, 7)),
    "model_epsilon": _decades(-2, 2),
}
"""For each setting, the places its slider stops at."""

_FORMATS = {"gamma": "%g", "epsilon0": "%g", "delta": "%.3g", "model_epsilon": "%g"}
_STEPS = {"gamma": 0.5, "epsilon0": 0.1, "delta": 1e-10, "model_epsilon": 0.1}


def number(
    draft: Draft, name: str, fields: Fields, *, disabled: bool = False, called: str | None = None
) -> None:
    """One setting: a slider over the usual values, and a box for any.

    Args:
        draft: the settings.
        name: the field.
        fields: what shows a refusal beside it.
        disabled: whether it has no use.
        called: the name of its words, where they are not the field's own.
    """
    said = called or name
    value, stops = getattr(draft, name), SCALES[name]
    slider, box = f"{name}-slider", f"{name}-box"
    fill(slider, nearest(stops, value))
    fill(box, value)
    wide, narrow = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    wide.select_slider(
        words.LABELS[said],
        stops,
        format_func=_shown(name),
        key=slider,
        on_change=take,
        args=(draft, name, slider),
        help=words.HELP[said],
        disabled=disabled,
    )
    narrow.number_input(
        f"{words.LABELS[said]}, exactly",
        step=_STEPS.get(name, 1),
        format=_FORMATS.get(name),
        key=box,
        on_change=take,
        args=(draft, name, box),
        label_visibility="collapsed",
        disabled=disabled,
    )
    fields.beside(name)


def fill(key: str, value: Any) -> None:
    """Give a widget its value, where it shows another: one sent again undoes what is typed."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def take(draft: Draft | Wish, name: str, key: str) -> None:
    """Carry a widget's value into the settings; an emptied box leaves them as they are."""
    value = st.session_state[key]
    if value is not None:
        setattr(draft, name, value)


def nearest(stops: Sequence[float], value: float) -> float:
    """The stop closest to a value."""
    return min(stops, key=lambda stop: abs(stop - value) / (abs(stop) + abs(value)))


def _shown(name: str) -> Any:
    if name == "delta":
        return lambda stop: f"{stop:.0e}".replace("e-0", "e-")
    return lambda stop: f"{stop:,.10g}"


def switch(draft: Draft, name: str, label: str, help_: str | None = None) -> bool:
    """A setting that is on or off."""
    key = f"{name}-switch"
    fill(key, getattr(draft, name))
    return st.checkbox(label, key=key, on_change=take, args=(draft, name, key), help=help_)


def choice(
    draft: Draft | Wish,
    name: str,
    label: str,
    options: dict[Any, str],
    help_: str | None = None,
    change: Callable[[Any], None] | None = None,
) -> None:
    """A setting that is one of a few.

    Args:
        draft: the settings.
        name: the field.
        label: what it is called.
        options: each with what it is called.
        help_: what it means.
        change: what else follows from a change, given the settings.
    """

    def taken() -> None:
        take(draft, name, key)
        if change is not None:
            change(draft)

    key = f"{name}-choice" if isinstance(draft, Draft) else f"wish-{name}"
    fill(key, getattr(draft, name))
    st.radio(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=taken,
        horizontal=True,
        help=help_,
    )


def omega(draft: Draft, attributes: int, fields: Fields) -> None:
    """ω: one value or a range, and whether it is announced."""
    choice(
        draft,
        "omega_ranges",
        words.LABELS["omega"],
        {False: "one number", True: "a range"},
        words.HELP["omega"],
    )
    wide, narrow = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    _omega_slider(draft, attributes, wide)
    with narrow:
        _omega_boxes(draft)
    fields.beside("omega", "domain")
    with st.container():
        if draft.omega_ranges:
            readings: dict[Reading, str] = {"hidden": "hidden", "announced": "announced"}
            choice(draft, "reading", "Each attempt’s ω is", readings, words.HELP["reading"])
        if draft.seedless(attributes):
            st.caption("Seedless: nothing is copied from a record, and no attempt costs anything.")


def _omega_slider(draft: Draft, attributes: int, place: Any) -> None:
    key = "omega-slider"
    low, high = (min(max(0, end), attributes) for end in (draft.omega_low, draft.omega_high))
    if draft.omega_ranges:
        fill(key + "-range", (min(low, high), high))
        place.slider(
            f"From 0 to {attributes}",
            0,
            attributes,
            key=key + "-range",
            on_change=_take_range,
            args=(draft, key + "-range"),
        )
    else:
        fill(key, high)
        place.slider(
            f"From 0 to {attributes}",
            0,
            attributes,
            key=key,
            on_change=take,
            args=(draft, "omega_high", key),
        )


def _omega_boxes(draft: Draft) -> None:
    names = ["omega_low", "omega_high"] if draft.omega_ranges else ["omega_high"]
    said = {"omega_low": "ω from, exactly", "omega_high": "ω up to, exactly"}
    for column, name in zip(st.columns(len(names)), names, strict=True):
        fill(f"{name}-box", getattr(draft, name))
        column.number_input(
            said[name],
            step=1,
            key=f"{name}-box",
            on_change=take,
            args=(draft, name, f"{name}-box"),
            label_visibility="collapsed",
        )


def _take_range(draft: Draft, key: str) -> None:
    draft.omega_low, draft.omega_high = st.session_state[key]
