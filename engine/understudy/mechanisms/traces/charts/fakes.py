"""Pictures of fakes that have no guarantee, for whoever wonders what one is good for: who finds a
user among them, and who tells that somebody was counted. They are of the simulated city, and may be
published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, GREY, LETTERS, PURPLE, VERMILLION
from understudy.charts.public import PublicPicture
from understudy.core.numerals import significant
from understudy.mechanisms.traces.charts import attacks, curves
from understudy.mechanisms.traces.plan import TracesPlan

NO_GUARANTEE: Final = "No guarantee: shows places because real people were there."
"""Marks every trace that is made as it was published."""

FOLD: Final = "What fakes without a guarantee give away"
WARNING: Final = f"Fakes as published, not this release. {NO_GUARANTEE}"
_FIVE: Final = attacks.NUMBERS.index(5)


def of_fakes(plan: TracesPlan) -> Iterator[PublicPicture]:
    """Draw who finds a user among fakes, and who tells that somebody was counted."""
    yield PublicPicture(
        name="fakes",
        title="Does a place hide among fake ones?",
        said=_describe_panels(),
        draw=chart_missed,
        table=missed_table(),
        alt=f"{WARNING} How many of 100 places four adversaries miss, by the number of fakes.",
        warning=WARNING,
        fold=FOLD,
    )
    table = counted_table(plan)
    coin, ours, fakes = (f"{each:g}" for each in table[RIGHT])
    yield PublicPicture(
        name="counted",
        title="Do fakes tell who was counted?",
        said=(
            "Somebody knows everybody's days and has to say of one person whether they were "
            f"counted. A coin is right {coin} times of 100. From this release nobody is right more "
            f"than {ours} times, which is proven. From fakes as published, whoever just looks for "
            f"a place where that person alone goes is right {fakes} times: the fakes are where "
            "real people were. Measured on the simulated city, with four times 30 people."
        ),
        draw=partial(chart_counted, plan),
        table=table,
        alt=f"{WARNING} How many of 100 guesses whether somebody was counted are right.",
        warning=WARNING,
        fold=FOLD,
    )


def _describe_panels() -> str:
    """Return what the panels mean."""

    def of(kind: str, who: str) -> str:
        return significant(100 * attacks.MISSED[kind][who][_FIVE], 2)

    published, made = attacks.PUBLISHED, attacks.MADE
    return (
        "Somebody asks a service for what is near, and sends fake places along to hide the true "
        "one. With five fakes as published, the adversary they were meant for, who takes the "
        f"likeliest place, misses {of(published, attacks.NAIVE)} of 100 true places. That is a "
        "warning and no privacy, as the fakes are likelier than life: whoever takes the least "
        f"likely place misses {of(published, attacks.CONTRARIAN)}, whoever compares with fakes of "
        f"their own {of(published, attacks.RATIO)}, and whoever guesses "
        f"{of(published, attacks.GUESSING)}. Made people (here at ε = 1) are not meant for this: "
        f"among five of them the likeliest place misses {of(made, attacks.NAIVE)}. They keep "
        "another promise, about who was counted. Measured on the simulated city, of the "
        "user in the middle of 30."
    )


KIND, SENT, MISSED = "Fakes are", "Fakes sent", "Places missed, of 100"
KINDS: Final[Mapping[str, str]] = {
    attacks.PUBLISHED: "Fakes as published",
    attacks.MADE: "Made people",
}
ADVERSARIES: Final[Mapping[str, str]] = {
    attacks.NAIVE: "Takes the likeliest place",
    attacks.CONTRARIAN: "Takes the least likely",
    attacks.RATIO: "Compares with own fakes",
    attacks.GUESSING: "Guesses",
}
WHO, RIGHT, HOW = "Who guesses", curves.RIGHT, "How it is known"
_LOOKS: Final[Mapping[str, scales.CurveLook]] = {
    ADVERSARIES[attacks.NAIVE]: scales.CurveLook(PURPLE, (8, 4)),
    ADVERSARIES[attacks.CONTRARIAN]: scales.CurveLook(VERMILLION, (1, 0)),
    ADVERSARIES[attacks.RATIO]: scales.CurveLook(GREEN, (10, 3, 2, 3)),
    ADVERSARIES[attacks.GUESSING]: scales.CurveLook(GREY, (2, 3)),
}
_COIN, _RELEASED, _FAKES = "A coin", "From this release, at most", "From fakes as published"
_GAP, _EDGE = 1.5, 0.3
_PLACES: Final = [
    at + kind * (len(attacks.NUMBERS) - 1 + _GAP)
    for kind in range(len(KINDS))
    for at in range(len(attacks.NUMBERS))
]
"""Where the numbers of fakes of both kinds stand along one axis."""


def missed_table() -> pd.DataFrame:
    """Return a row for each kind of fakes and number of them: of 100 places of a user, how many
    each adversary misses."""
    return pd.DataFrame(
        [
            {
                KIND: said,
                SENT: number,
                **{
                    name: round(100 * attacks.MISSED[kind][who][at], 1)
                    for who, name in ADVERSARIES.items()
                },
            }
            for kind, said in KINDS.items()
            for at, number in enumerate(attacks.NUMBERS)
        ]
    )


def chart_missed() -> alt.LayerChart:
    """Return the places missed against the number of fakes, side by side for each kind of fakes."""
    table = missed_table()
    table["x"] = _PLACES
    names = list(ADVERSARIES.values())
    long = table.melt([KIND, "x"], names, "name", "y")
    labels = alt.Axis(values=_PLACES, labelExpr=f"{list(attacks.NUMBERS) * 2}"
                      f"[indexof({_PLACES}, datum.value)]", grid=False)  # fmt: skip
    ends = [_PLACES[0] - _EDGE, _PLACES[-1] + _EDGE]
    x = alt.X("x:Q", title=SENT, axis=labels, scale=alt.Scale(domain=ends, nice=False))
    y = alt.Y("y:Q", title=MISSED, scale=alt.Scale(domain=[0, 100], nice=False))
    said = [alt.Tooltip(f"{each}:N") for each in (KIND, SENT)]
    said += [alt.Tooltip(f"{each}:Q", format=".3~g") for each in names]
    each = len(attacks.NUMBERS)
    middles = [(_PLACES[at] + _PLACES[at + each - 1]) / 2 for at in (0, each)]
    heads = pd.DataFrame({"x": middles, "said": list(KINDS.values())})
    return scales.stack_layers(
        scales.curves(long, x, y, _LOOKS).encode(detail=alt.Detail(f"{KIND}:N")),
        scales.hover_rule(table, "x", x, said),
        alt.Chart(heads)
        .mark_text(fontSize=13, fontWeight="bold", dy=-10, color=LETTERS, tooltip=None)
        .encode(x=x, y=alt.YValue(0), text=alt.Text("said:N")),
        title=scales.note(""),
        description="How many of 100 places of a user four adversaries miss, by the number of "
        "fakes: published ones on the left, made people on the right.",
        height=390,
    )


def counted_table(plan: TracesPlan) -> pd.DataFrame:
    """Return how many of 100 guesses whether somebody was counted are right: by a coin, from the
    release of a plan at most, and from published fakes at least."""
    # Rounded up what is said of all guesses, and down what some guess reaches.
    most = np.ceil(10 * curves.right_guesses(plan)) / 10
    least = np.floor(10 * 100 * attacks.right()) / 10
    return pd.DataFrame(
        {
            WHO: [_COIN, _RELEASED, _FAKES],
            RIGHT: [50.0, most, least],
            HOW: [
                "by chance",
                f"proven for every guess, at ε = {plan.epsilon:g}",
                "measured with one simple rule; others may be right more often",
            ],
        }
    )


def chart_counted(plan: TracesPlan) -> alt.LayerChart:
    """Return a bar for each, from a coin's 50 on."""
    table = counted_table(plan)
    colours = alt.Scale(domain=list(table[WHO]), range=[GREY, BLUE, VERMILLION])
    y = alt.Y(f"{WHO}:N", sort=None, title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    x = alt.X(
        f"{RIGHT}:Q",
        title=RIGHT,
        axis=alt.Axis(values=[0, 25, 50, 75, 100]),
        scale=alt.Scale(domain=[0, 100], nice=False),
    )
    base = alt.Chart(table).encode(y=y, x=x)
    return scales.stack_layers(
        base.mark_bar().encode(
            color=alt.Color(f"{WHO}:N", scale=colours, legend=None),
            tooltip=[alt.Tooltip(f"{each}:N") for each in (WHO, RIGHT, HOW)],
        ),
        base.mark_text(align="left", dx=6, fontSize=13, color=LETTERS, tooltip=None).encode(
            text=alt.Text(f"{RIGHT}:Q", format=".1f")
        ),
        title=scales.note(""),
        description="How many of 100 guesses whether somebody was counted are right.",
        height=190,
    )
