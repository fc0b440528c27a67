"""What a plan may tell of a person, and what it is foreseen to keep: curves from public numbers.

How far made days are from those of other people was measured on the simulated city, by people times
ε. `python -m benchmarks traces-curve` prints these figures: means of four runs at δ = 1e-9, a
weekday of made people beside one of 5,000 others of the city. They foresee what a plan comes to, as
far as its city is like this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREY, VERMILLION
from understudy.mechanisms.traces.guarantee import deviations
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.tables import UNITS
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.accounting.growth import guess_advantage
from understudy.privacy.budget import Budget

EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
GUESS, COIN = "The best guess", "A coin"
MADE, ZONES, OTHERS = "Made, by cell", "Made, by zone", "Real, by cell"
CARRIED: Final = "People times ε"
OFF: Final = "Moments in another place, of 100"
RIGHT: Final = "Right guesses, of 100"

_LOOKS: Final[Mapping[str, scales.CurveLook]] = {
    MADE: scales.CurveLook(BLUE, (1, 0)),
    ZONES: scales.CurveLook(VERMILLION, (8, 4)),
    OTHERS: scales.CurveLook(GREY, (2, 3)),
    GUESS: scales.CurveLook(BLUE, (1, 0)),
    COIN: scales.CurveLook(GREY, (2, 3)),
}


def right_guesses(plan: TracesPlan) -> float:
    """Return how many of 100 guesses whether a given person is in the table are right at most, of
    somebody who knows all else, where both are equally likely beforehand."""
    rho = largest_rho(Budget(plan.epsilon, plan.delta))
    return 50 * (1 + guess_advantage(rho, min(deviations(plan).values()) * UNITS))


def guesses_table(plan: TracesPlan) -> pd.DataFrame:
    """Return the right guesses by ε, at the δ of a plan; its own ε among them."""
    asked = sorted({*EPSILONS, plan.epsilon})
    right = [right_guesses(plan.model_copy(update={"epsilon": each})) for each in asked]
    return pd.DataFrame({"ε": asked, GUESS: np.round(right, 3), COIN: 50.0})


def guesses(plan: TracesPlan) -> alt.LayerChart:
    """Return the right guesses against ε, the plan marked."""
    table = guesses_table(plan)
    domain = [float(table["ε"].min()), float(table["ε"].max())]
    x = scales.log_x("x", "ε for a person, with all days", domain, ".3~g")
    y = alt.Y("y:Q", title=RIGHT, scale=alt.Scale(domain=[40, 100], nice=False))
    mark = (plan.epsilon, "this plan")
    return _draw_curves(table, "ε", (GUESS, COIN), (x, y), mark, "Right guesses against ε.")


def errors_table(plan: TracesPlan) -> pd.DataFrame:
    """Return the errors by people times ε, of 100, on the measured map that is most like the
    plan's."""
    found = BY_CELLS[nearest(plan.where.cells)]
    return pd.DataFrame(
        {
            CARRIED: PEOPLE_TIMES_EPSILON,
            MADE: np.round(100 * np.array(found.places), 1),
            ZONES: np.round(100 * np.array(found.zones), 1),
            OTHERS: 100 * found.others,
        }
    )


def errors(plan: TracesPlan) -> alt.LayerChart:
    """Return the errors against people times ε; where it is public how many there are, the plan
    marked."""
    domain = [float(PEOPLE_TIMES_EPSILON[0]), float(PEOPLE_TIMES_EPSILON[-1])]
    x = scales.log_x("x", "People, times ε", domain)
    y = alt.Y("y:Q", title=OFF, scale=alt.Scale(domain=[0, 60], nice=False))
    mark = None if plan.public_people is None else (place_plan(plan, domain), "your data")
    return _draw_curves(
        errors_table(plan), CARRIED, (MADE, ZONES, OTHERS), (x, y), mark,
        "The error of places against people times ε.",
    )  # fmt: skip


def place_plan(plan: TracesPlan, within: Sequence[float]) -> float:
    """Return people times ε, where their number is public; what lies beyond the ends is at them."""
    assert plan.public_people is not None
    return min(max(plan.public_people * plan.epsilon, within[0]), within[1])


def _draw_curves(
    table: pd.DataFrame,
    across: str,
    names: Sequence[str],
    axes: tuple[alt.X, alt.Y],
    mark: tuple[float, str] | None,
    description: str,
) -> alt.LayerChart:
    x, y = axes
    long = pd.DataFrame(
        [
            {"x": float(at), "y": float(value), "name": name}
            for name in names
            for at, value in zip(table[across], table[name], strict=True)
        ]
    )
    reading = table.rename(columns={across: "x"})
    said = [
        alt.Tooltip("x:Q", title=across, format=",.3~g"),
        *(alt.Tooltip(f"{name}:Q", format=".3~g") for name in names),
    ]
    layers: list[Any] = [
        scales.curves(long, x, y, {name: _LOOKS[name] for name in names}),
        scales.hover_rule(reading, "x", x, said),
    ]
    if mark is not None:
        layers += scales.plan_mark(mark[0], "x", mark[1], [float(table[across].min()),
                                                          float(table[across].max())])  # fmt: skip
    return scales.stack_layers(*layers, title=scales.note(""), description=description, height=300)


PEOPLE_TIMES_EPSILON: Final = (250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000)


@dataclass(frozen=True)
class Errors:
    """Errors on a map, as total variation, 0 to 1.

    Attributes:
        places: of cells by 20 minutes, at each of `PEOPLE_TIMES_EPSILON`.
        zones: of 25 zones by quarter of the day.
        others: of other real people's cells by 20 minutes, the least there can be.
    """

    places: tuple[float, ...]
    zones: tuple[float, ...]
    others: float


BY_CELLS: Final[Mapping[int, Errors]] = {
    400: Errors(
        (0.487, 0.440, 0.340, 0.254, 0.211, 0.179, 0.167, 0.160),
        (0.257, 0.203, 0.130, 0.077, 0.050, 0.042, 0.042, 0.039),
        0.137,
    ),
    100: Errors(
        (0.306, 0.265, 0.194, 0.133, 0.106, 0.095, 0.089, 0.086),
        (0.245, 0.198, 0.130, 0.078, 0.057, 0.049, 0.046, 0.045),
        0.073,
    ),
    25: Errors(
        (0.240, 0.184, 0.136, 0.097, 0.082, 0.076, 0.074, 0.072),
        (0.228, 0.176, 0.128, 0.090, 0.076, 0.071, 0.069, 0.067),
        0.039,
    ),
}
"""By how many cells the map of the city has: its own 400, and those taken together."""


def nearest(cells: int) -> int:
    """Return the map, of those that were measured, with the most similar number of cells."""
    return min(BY_CELLS, key=lambda each: abs(math.log(each / cells)))


def foresee_error(cells: int, carried: float) -> float:
    """Return the error of places on the nearest map, between the figures and as at their ends
    beyond.

    Args:
        cells: how many cells the map has.
        carried: people times ε.
    """
    at = np.log(PEOPLE_TIMES_EPSILON)
    return float(np.interp(math.log(carried), at, BY_CELLS[nearest(cells)].places))
