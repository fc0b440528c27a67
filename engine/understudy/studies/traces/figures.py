"""The published figures, drawn from our numbers."""

from __future__ import annotations

from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.palette import SERIES, SHAPES
from understudy.core.arrays import FloatArray, IntArray
from understudy.studies.document import Picture
from understudy.studies.traces.fakes import measures
from understudy.studies.traces.fakes.adversaries import Privacy
from understudy.studies.traces.publication import FAKES, REAL, UNIFORM
from understudy.studies.traces.setting import TracesSetting

_SIZE: Final = {"width": 520, "height": 260}
_COLOURS: Final = (*SERIES, "#8B9097", "#BA8A12", "#404040")


def pictures(
    made: TracesSetting,
    releases: list[IntArray],
    covered: dict[str, FloatArray],
    similar: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    privacy: dict[str, tuple[Privacy, ...]],
    costs: dict[tuple[str, int], tuple[float, ...]],
) -> tuple[Picture, ...]:
    """Return Figures 7.3 to 7.9.

    Args:
        made: people and fakes.
        releases: one fake of each person each.
        covered: (50,) relative coverage of the top locations, by kind.
        similar: sim_S of seeds and fakes, differences of it, of real pairs and of pairs of fakes.
        privacy: by kind of fakes.
        costs: different locations and classes of a query, and of a day, by kind and number.
    """
    size = made.model.known.locations
    first, second = (measures.visits_of_traces(each, size) for each in (made.first, made.second))
    one = measures.visits_of_traces(releases[0], size)
    even = np.ones(size)
    ranks = np.arange(1, measures.TOP + 1)
    tops = {"real, day 1": first, REAL: second, FAKES: one, UNIFORM: even}
    its, apart, real, fakes = similar
    levels = np.arange(1, 100)
    return (
        _lines("figure-7-3", "Visits of the 50 most visited locations", "Rank", "Share of visits",
               {name: (ranks, measures.top(each)) for name, each in tops.items()}),
        _lines("figure-7-4", "Coverage of the top locations, relative to day 2", "Top",
               "Coverage, relative",
               {name: (ranks, each) for name, each in covered.items()}),
        _lines("figure-7-5", "Time in the most visited location, person by person", "Person",
               "Share of the day",
               {name: (np.arange(1, len(each) + 1), measures.top_shares(each)[:, 0])
                for name, each in (("real, day 1", made.first), (REAL, made.second),
                                   (FAKES, releases[0]))}),
        _histogram("figure-7-6", "How far sim_S to the seed is from that to another", apart),
        _histogram("figure-7-7", "sim_S of seeds and their fakes", its),
        _lines("figure-7-8", "Quantiles of sim_S of pairs", "Real people", "Fakes",
               {"quantiles": (np.percentile(real, levels), np.percentile(fakes, levels))}),
        _draw_trade_off(privacy, costs),
        _draw_tracking(privacy),
    )  # fmt: skip


def _lines(
    name: str, title: str, across: str, up: str, each: dict[str, tuple[np.ndarray, np.ndarray]]
) -> Picture:
    numbers = pd.concat(
        [pd.DataFrame({"traces": kind, "x": x, "y": y}) for kind, (x, y) in each.items()],
        ignore_index=True,
    )
    kinds = list(each)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 25})
        .encode(
            x=alt.X("x:Q", title=across),
            y=alt.Y("y:Q", title=up),
            color=alt.Color("traces:N", sort=kinds, scale=_scale(kinds), title=None),
            shape=alt.Shape("traces:N", sort=kinds, title=None),
        )
        .properties(**_SIZE)
    )
    return Picture(name, title, chart, numbers)


def _histogram(name: str, title: str, values: FloatArray) -> Picture:
    counts, edges = np.histogram(values, bins=25, range=(0, 1))
    numbers = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "fakes": counts})
    chart = (
        alt.Chart(numbers, title=title)
        .mark_bar(color=SERIES[0])
        .encode(
            x=alt.X("from:Q", title="From 0, nothing alike, to 1", bin="binned"),
            x2=alt.X2("to:Q"),
            y=alt.Y("fakes:Q", title="Fakes"),
        )
        .properties(**_SIZE)
    )
    return Picture(name, title, chart, numbers)


def _draw_trade_off(
    privacy: dict[str, tuple[Privacy, ...]],
    costs: dict[tuple[str, int], tuple[float, ...]],
) -> Picture:
    """Draw privacy against the published adversary, over what a query costs."""
    title = "Places that the published adversary misses, against the cost of a query"
    numbers = pd.DataFrame(
        [
            {"kind": kind, "fakes": one.fakes, "missed": one.missed, "cost": cost, "of": of}
            for kind, each in privacy.items()
            for one in each
            if one.adversary == "naive"
            for of, cost in zip(("locations a query", "classes a query"),
                                costs[kind, one.fakes], strict=False)
        ]
    )  # fmt: skip
    kinds = list(privacy)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 40})
        .encode(
            x=alt.X("cost:Q", title=None),
            y=alt.Y("missed:Q", title="Share of places missed", scale=alt.Scale(domain=[0, 1])),
            order=alt.Order("fakes:Q"),
            color=alt.Color("kind:N", sort=kinds, scale=_scale(kinds), title="Fakes are"),
            shape=alt.Shape(
                "kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=_marks(kinds)),
                title="Fakes are",
            ),
            facet=alt.Facet("of:N", columns=2, sort=["locations a query"], title=None),
        )
        .resolve_scale(x="independent")
        .properties(width=260, height=200)
    )  # fmt: skip
    return Picture("figure-7-9", title, chart, numbers)


def _draw_tracking(privacy: dict[str, tuple[Privacy, ...]]) -> Picture:
    title = "Places missed, against the number of fakes"
    numbers = pd.DataFrame(
        [
            {"kind": kind, "fakes": one.fakes, "adversary": one.adversary, "missed": one.missed}
            for kind, each in privacy.items()
            for one in each
        ]
    )
    kinds = list(privacy)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 40})
        .encode(
            x=alt.X("fakes:Q", title="Fakes"),
            y=alt.Y("missed:Q", title="Share of places missed", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("kind:N", sort=kinds, scale=_scale(kinds), title="Fakes are"),
            shape=alt.Shape(
                "kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=_marks(kinds)),
                title="Fakes are",
            ),
            facet=alt.Facet("adversary:N", columns=3, title=None),
        )
        .properties(width=200, height=160)
    )  # fmt: skip
    return Picture("figure-7-9-adversaries", title, chart, numbers)


def _scale(kinds: list[str]) -> alt.Scale:
    return alt.Scale(domain=kinds, range=[_COLOURS[at % len(_COLOURS)] for at in range(len(kinds))])


def _marks(kinds: list[str]) -> list[str]:
    return [SHAPES[at % len(SHAPES)] for at in range(len(kinds))]
