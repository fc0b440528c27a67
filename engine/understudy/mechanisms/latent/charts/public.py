"""Pictures of a plan before anything is spent: which relations of two flags it can see through its
noise, how many flags count, and what hidden numbers carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, VERMILLION
from understudy.charts.public import PictureShape, PublicPicture
from understudy.core.arrays import FloatArray
from understudy.core.numerals import count, percent, significant
from understudy.mechanisms.latent.expected_utility import SHARES, USUAL, smallest
from understudy.mechanisms.latent.models import best, list_tried, means, off
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy.models.latent.factors import STRAYS
from understudy.table.schema import Schema

ACROSS: Final = "Flags counted of a record"
MEAN_ERROR: Final = "How far off a share is on average"
_COUNT_LOOKS: Final = (
    scales.CurveLook(VERMILLION, (8, 4)),
    scales.CurveLook(BLUE, (1, 0)),
    scales.CurveLook(GREEN, (2, 3)),
)


def counting(plan: LatentPlan, schema: Schema) -> PublicPicture:
    """Return the picture of a plan; see `counted`."""
    table = counting_table(plan, schema)
    return PublicPicture(
        name="counted",
        title="How many flags of a record to count",
        said=_describe_counts(plan, schema),
        draw=partial(_count_figure, plan, table),
        table=table,
        alt="How far off a share is on average, by how many flags of a record are counted.",
        shape=PictureShape(
            "lines", ACROSS, tuple(table.columns[1:]), MEAN_ERROR, marked=float(plan.most_ones)
        ),
    )  # fmt: skip


def counting_table(plan: LatentPlan, schema: Schema) -> pd.DataFrame:
    """Return a row for each number of flags, a column for people with so many on average."""
    columns = {name_line(mean): list(off(plan, schema, mean)) for mean in means(schema)}
    return pd.DataFrame({ACROSS: list(list_tried(schema)), **columns})


def name_line(mean: int) -> str:
    """Return what the line of people with so many flags on average is called."""
    return f"{count(mean, 'flag')} each"


def _describe_counts(plan: LatentPlan, schema: Schema) -> str:
    """Return what would be best for whom, and what the plan comes to."""
    found = [f"{best(plan, schema, mean)} where people have {mean}" for mean in means(schema)]
    listed = found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
    usual = means(schema)[-1]
    counts = list_tried(schema)
    here = off(plan, schema, usual)[min(plan.most_ones, len(counts)) - 1]
    return (
        f"Fewer flags need less noise, and more keep what full records tell. Least off is {listed} "
        f"on average, if each flag comes by itself; the {plan.most_ones} of this plan put a share "
        f"{percent(here)} off where they have {usual}. Worked out on people who do not exist: know "
        "how many yours have from elsewhere, not from these records. Flags that come together "
        "give more people many, and then more are worth counting."
    )


def _count_figure(plan: LatentPlan, table: pd.DataFrame) -> alt.LayerChart:
    names = list(table.columns[1:])
    domain = [0.0, float(table[ACROSS].max())]
    x = alt.X("x:Q", title=ACROSS, scale=alt.Scale(domain=domain, nice=False))
    values = table[names].to_numpy()
    y = scales.log_y(
        "y", MEAN_ERROR, [float(values.min()) / 1.3, float(values.max()) * 1.3], ".2~%"
    )
    long = table.melt([ACROSS], names, "name", "y").rename(columns={ACROSS: "x"})
    looks = dict(zip(names, _COUNT_LOOKS, strict=False))
    said = [
        alt.Tooltip("x:Q", title=ACROSS),
        *(alt.Tooltip(f"{name}:Q", format=".2~%") for name in names),
    ]
    layers: list[Any] = [
        scales.curves(long, x, y, looks),
        scales.hover_rule(table.rename(columns={ACROSS: "x"}), "x", x, said),
        *scales.plan_mark(float(plan.most_ones), "x", "this plan", domain),
    ]
    return scales.stack_layers(
        *layers, title=scales.note(""), height=300,
        description="How far off a share is, by how many flags of a record are counted.",
    )  # fmt: skip


LITTLE: Final = 0.05
"""A column of which less is carried goes on its own."""
_MOST_BARS: Final = 60
_COLUMN, _CARRIED = "Column", "Carried, of 100"


def carried_table(titles: Sequence[str], carried: FloatArray) -> pd.DataFrame:
    """Return a row for each column, what is carried most first."""
    order = np.argsort(-carried, kind="stable")
    return pd.DataFrame(
        {
            _COLUMN: [titles[place] for place in order],
            _CARRIED: np.round(100 * carried[order], 1),
        }
    )


def carried_bars(titles: Sequence[str], carried: FloatArray) -> alt.LayerChart:
    """Return a bar for each column; of many columns those with most."""
    table = carried_table(titles, carried).head(_MOST_BARS)
    bars = (
        alt.Chart(table)
        .mark_bar(color=BLUE)
        .encode(
            y=alt.Y(
                f"{_COLUMN}:N",
                sort=None,
                title=None,
                axis=alt.Axis(labelLimit=260, labelOverlap=False),
            ),
            x=alt.X(f"{_CARRIED}:Q", scale=alt.Scale(domain=[0, 100]), title=_CARRIED),
            tooltip=[alt.Tooltip(f"{_COLUMN}:N"), alt.Tooltip(f"{_CARRIED}:Q", format=".3~g")],
        )
    )
    return scales.stack_layers(
        bars, title=scales.internal_note(), height=90 + 24 * len(table),
        description="How much of each column the hidden numbers carry.",
    )  # fmt: skip


def carried_in_words(titles: Sequence[str], carried: FloatArray) -> str:
    """Return how many columns go on their own, and which at most a few of them are."""
    alone = [title for title, each in zip(titles, carried, strict=True) if each < LITTLE]
    if not alone:
        return "Every column has something in common with others that the hidden numbers carry."
    few = ", ".join(alone[:5]) + (" and others" if len(alone) > 5 else "")
    return (
        f"{len(alone):,} of {len(titles):,} columns have next to nothing (under {percent(LITTLE)}) "
        f"in common with the hidden numbers: {few}. Their own shares are kept, and their relations "
        "lost."
    )


_LOOKS: Final = dict(
    zip(SHARES, (scales.CurveLook(VERMILLION, (8, 4)), scales.CurveLook(BLUE, (1, 0)),
                 scales.CurveLook(GREEN, (2, 3))), strict=True)
)  # fmt: skip
EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
UP: Final = "Weakest relation kept (1: none)"


def pictures(decided: PlannedRun[LatentPlan]) -> Iterator[PublicPicture]:
    """Yield where the number of records is known and sums of products are measured: which relations
    are seen, and how many flags are best counted of a record."""
    plan = decided.plan
    if plan.public_records is None or plan.model == "variational":
        return
    if not decided.guarantee.total.bounded:
        return
    table = seen_table(plan, decided.schema)
    yield PublicPicture(
        name="seen",
        title="Which relations stand out of the noise",
        said=_describe_relations(plan, decided.schema),
        draw=partial(_figure, plan, table),
        table=table,
        alt="The smallest correlation of two flags that stands out of the noise, by ε.",
        shape=PictureShape("lines", "ε", tuple(SHARES), UP, powers=True, marked=plan.epsilon),
        foresees=True,
        in_short=_in_short(plan, decided.schema),
    )
    if means(decided.schema):
        yield counting(plan, decided.schema)


def seen_table(plan: LatentPlan, schema: Schema) -> pd.DataFrame:
    """Return for each ε, that of the plan among them, the smallest correlation of two flags that
    stands out, by how many records have each; 1 where none does."""
    asked = sorted({*EPSILONS, plan.epsilon})
    found = {each: smallest(plan, schema, each) for each in asked}
    columns = {
        name: [min(1.0, found[each][name]) for each in asked] for name in SHARES
    }  # fmt: skip
    return pd.DataFrame({"ε": asked, **columns})


def _usual(plan: LatentPlan, schema: Schema) -> float:
    """Return the smallest correlation that stands out between two flags of a usual share of
    records."""
    found = smallest(plan, schema, plan.epsilon)
    return next(value for name, value in found.items() if SHARES[name] == USUAL)


def _in_short(plan: LatentPlan, schema: Schema) -> str:
    """Return the same in a sentence or two."""
    here = _usual(plan, schema)
    of = f"Of two columns that are yes in {percent(USUAL)} of records"
    if here >= 1:
        return f"{of}, no relation can be told from noise. A larger ε would change that."
    return (
        f"{of}, a relation is kept from a correlation of {significant(here, 2)} on, of at most 1; "
        "weaker ones are lost in noise."
    )


def _describe_relations(plan: LatentPlan, schema: Schema) -> str:
    here = _usual(plan, schema)
    begun = (
        f"With {plan.public_records:,} records at ε = {plan.epsilon:g}, of two flags that "
        f"{percent(USUAL)} of records have"
    )
    if here >= 1:
        return (
            f"{begun} no relation can be told from noise. A larger ε, more records or fewer flags "
            "counted of a record would change that."
        )
    what = (
        "What lies below is left out of the model"
        if plan.model == "factors"
        else "What lies below is mostly noise"
    )
    return (
        f"{begun} each, a relation stands out from a correlation of {significant(here, 2)} on: "
        f"{STRAYS:g} standard deviations of noise and chance together. {what}. Relations of many "
        "flags at once carry one another, and may be seen where that of two is not."
    )


def _figure(plan: LatentPlan, table: pd.DataFrame) -> alt.LayerChart:
    domain = [float(table["ε"].min()), float(table["ε"].max())]
    x = scales.log_x("x", "ε of the plan", domain, ".3~g")
    low = float(table[list(SHARES)].to_numpy().min())
    y = scales.log_y("y", UP, [low / 1.3, 1.0], ".2~g")
    long = table.melt(["ε"], list(SHARES), "name", "y").rename(columns={"ε": "x"})
    said = [
        alt.Tooltip("x:Q", title="ε", format=".3~g"),
        *(alt.Tooltip(f"{name}:Q", format=".2~g") for name in SHARES),
    ]
    layers: list[Any] = [
        scales.curves(long, x, y, _LOOKS),
        scales.hover_rule(table.rename(columns={"ε": "x"}), "x", x, said),
        *scales.plan_mark(plan.epsilon, "x", "this plan", domain),
    ]
    return scales.stack_layers(
        *layers, title=scales.note(""), height=300,
        description="The smallest correlation of two flags that is seen, against ε.",
    )  # fmt: skip
