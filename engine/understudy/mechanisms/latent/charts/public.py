"""Which relations of two flags a plan can see through its noise, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, VERMILLION
from understudy.charts.public import PictureShape, PublicPicture
from understudy.core.numerals import percent, significant
from understudy.mechanisms.latent.charts.flag_counts import counting
from understudy.mechanisms.latent.expected_utility import SHARES, USUAL, smallest
from understudy.mechanisms.latent.models import means
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy.models.latent.factors import STRAYS
from understudy.table.schema import Schema

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
