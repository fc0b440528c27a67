"""What to vary where many plans are tried at once: which settings, over which values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Whole
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.sweep import (
    PARAMETERS,
    Parameter,
    possible,
    value_of,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.table.schema import Schema
from understudy_dashboard.frame import Fields
from understudy_dashboard.parts.controls import nearest, stops_of

MOST_VARIED = 3
_MOST_VALUES = 200
_APART = 1.25

_STEPS: Final[Mapping[str, Sequence[int]]] = {
    "k": (-9, -6, -3, 0, 3),
    "epsilon0": (-3, 0, 3, 6, 9),
    "gamma": (-3, 0, 4),
    "attempts": (-10, -7, 0, 4, 10),
}
"""How many stops of its slider away from the present value the usual values are."""

_SEPARATED = re.compile(r"[,;\s]+")


def what_to_vary(plan: Plan, pools: Pools) -> list[Parameter]:
    """Ask which settings to vary, in the order in which they are told apart."""
    several = len(pools.epsilons) > 1
    names: list[Parameter] = st.multiselect(
        "Vary",
        list(PARAMETERS),
        default=["omega", "model_epsilon"] if several else ["omega", "k", "epsilon0"],
        max_selections=MOST_VARIED,
        format_func=lambda name: _said(plan, name).title,
        key=f"explore-varied-{several}",
        help="Up to three settings. Every combination of their values is tried; all other "
        "settings are those of the present plan.",
    )
    if "gamma" in names and "test" not in names and plan.test.kind != "plausible-deniability":
        st.caption(
            "γ belongs to the plausible-deniability test. Vary how plausible seeds are counted "
            "too, or choose that test on the Privacy page."
        )
    return names


def values_of(
    plan: Plan, schema: Schema, pools: Pools, names: Sequence[Parameter], scores: str
) -> dict[Parameter, tuple[Any, ...]]:
    """Ask for the values of each setting; a refusal stands beside its field.

    Args:
        plan: the present plan, around which the usual values lie.
        schema: what it was made for.
        pools: what there are scores of.
        names: the settings.
        scores: names them; other scores start afresh.

    Raises:
        Refusal: a value cannot be tried; shown already where it belongs.
    """
    key = f"{scores}-{len(pools.each)}"
    found: dict[Parameter, tuple[Any, ...]] = {}
    first: Refusal | None = None
    for place, name in zip(st.columns(max(1, len(names))), names, strict=False):
        with place:
            try:
                found[name] = _values(plan, schema, pools, name, key)
            except Refusal as refusal:
                first = first or refusal
    if first is not None:
        raise first
    return found


def _said(plan: Plan, name: Parameter) -> Words:
    """Return what is said of a setting: attempts are records where the attempts are hidden."""
    return FIELDS[name].said({"protocol": plan.protocol})


def _values(
    plan: Plan, schema: Schema, pools: Pools, name: Parameter, scores: str
) -> tuple[Any, ...]:
    options: Mapping[str, Sequence[Any]] = {
        "omega": ascending(pools),
        "model_epsilon": sorted(pools.epsilons, key=_noise_last),
        "test": get_args(TestKind),
    }
    if name in options:
        return _chosen(plan, schema, name, options[name], scores)
    key = f"explore-{name}"
    if key not in st.session_state:
        st.session_state[key] = around(plan, schema, name)
    text = st.text_input(
        f"Values of {_said(plan, name).brief}",
        key=key,
        help=f"{_said(plan, name).help}\n\nWrite numbers separated by commas, such as “50, 100, "
        "200”, and thousands without a sign between.",
    )
    try:
        return numbers(text, name)
    except Refusal as refusal:
        Fields(refusal).beside(name)
        raise


def ascending(pools: Pools) -> list[Omega]:
    """Return every ω that there are scores of."""
    return sorted(pools.omegas, key=lambda omega: (omega.high, omega.low))


def _noise_last(epsilon: float | None) -> float:
    """For sorting: no noise is as an ε without end."""
    return float("inf") if epsilon is None else epsilon


def _chosen(
    plan: Plan, schema: Schema, name: Parameter, options: Sequence[Any], scores: str
) -> tuple[Any, ...]:
    """Return some of the values that there are scores of; at first those of which each makes a
    plan."""
    by_name = {FIELDS[name].show(each): each for each in options}
    key = f"explore-{name}-{scores}"
    if key not in st.session_state:
        st.session_state[key] = [
            FIELDS[name].show(each) for each in possible(plan, schema, name, options)
        ]
    chosen = st.multiselect(
        f"Values of {_said(plan, name).brief}",
        list(by_name),
        key=key,
        help=_said(plan, name).help,
    )
    if not chosen:
        refusal = Refusal("There is no value to try.", "Choose one or more.", field=name)
        Fields(refusal).beside(name)
        raise refusal
    return tuple(by_name[each] for each in chosen)


def around(plan: Plan, schema: Schema, name: Parameter) -> str:
    """Return the usual values of a setting: those of its slider around the present one that each
    make a plan."""
    now = value_of(plan, name)
    stops = stops_of(FIELDS[name])
    if now is None:
        return ", ".join(f"{stop:g}" for stop in stops[:: len(stops) // 4])
    at = stops.index(nearest(stops, now))
    near = [stops[place] for step in _STEPS[name] if 0 <= (place := at + step) < len(stops)]
    apart = [stop for stop in near if not 1 / _APART < stop / now < _APART]
    able = possible(plan, schema, name, apart)
    return ", ".join(f"{value:.10g}" for value in sorted([now, *able]))


def numbers(text: str, name: str) -> tuple[float, ...]:
    """Return the numbers of a list such as “50, 100, 200”, each once, ascending.

    Raises:
        Refusal: there is none, there are too many, or one is no number; `field` is `name`.
    """
    parts = [part for part in _SEPARATED.split(text.strip()) if part]
    if not parts:
        raise Refusal(
            "There is no value to try.", "Write one number or more, such as 50, 100.", field=name
        )
    if len(parts) > _MOST_VALUES:
        raise Refusal(
            f"These are {len(parts):,} values, and at most {_MOST_VALUES} can be tried.",
            "Write fewer.",
            field=name,
        )
    return tuple(sorted({_number(part, name) for part in parts}))


def _number(text: str, name: str) -> float:
    whole = isinstance(FIELDS[name].kind, Whole)
    try:
        # “1,000” is 1 and 000: no number starts with two zeros.
        if re.match(r"0\d", text):
            raise ValueError
        value = int(text) if whole else float(text)
    except ValueError:
        raise Refusal(
            f"“{text}” is {'no whole number' if whole else 'no number'}.",
            "Separate the values by commas, such as 50, 100, 200, and write thousands without a "
            "sign between; decimals have a point.",
            field=name,
        ) from None
    if not 0 < value < float("inf"):
        raise Refusal(f"“{text}” cannot be tried.", "Write a number above 0.", field=name)
    return value


def omegas(text: str) -> tuple[Omega, ...]:
    """Return the ω of a list such as “9, 5-11”.

    Raises:
        Refusal: one cannot be read; `field` is "omega".
    """
    parts = [part for part in _SEPARATED.split(text.strip()) if part]
    return tuple(dict.fromkeys(Omega.parse(part) for part in parts))
