"""Pictures of fakes that have no guarantee, for whoever wonders what one is good for. They are of
the simulated city, and may be published."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from understudy.charts.public import PublicPicture
from understudy.core.numerals import significant
from understudy.mechanisms.traces.charts import attack, attacked
from understudy.mechanisms.traces.plan import TracesPlan

NO_GUARANTEE: Final = "No guarantee: shows places because real people were there."
"""Marks every trace that is made as it was published."""

FOLD: Final = "What fakes without a guarantee give away"
WARNING: Final = f"Fakes as published, not this release. {NO_GUARANTEE}"
_FIVE: Final = attacked.NUMBERS.index(5)


def of_fakes(plan: TracesPlan) -> Iterator[PublicPicture]:
    """Draw who finds a user among fakes, and who tells that somebody was counted."""
    yield PublicPicture(
        name="fakes",
        title="Does a place hide among fake ones?",
        said=_describe_panels(),
        draw=attack.chart_missed,
        table=attack.missed_table(),
        alt=f"{WARNING} How many of 100 places four adversaries miss, by the number of fakes.",
        warning=WARNING,
        fold=FOLD,
    )
    table = attack.counted_table(plan)
    coin, ours, fakes = (f"{each:g}" for each in table[attack.RIGHT])
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
        draw=partial(attack.chart_counted, plan),
        table=table,
        alt=f"{WARNING} How many of 100 guesses whether somebody was counted are right.",
        warning=WARNING,
        fold=FOLD,
    )


def _describe_panels() -> str:
    """Return what the panels mean."""

    def of(kind: str, who: str) -> str:
        return significant(100 * attacked.MISSED[kind][who][_FIVE], 2)

    published, made = attacked.PUBLISHED, attacked.MADE
    return (
        "Somebody asks a service for what is near, and sends fake places along to hide the true "
        "one. With five fakes as published, the adversary they were meant for, who takes the "
        f"likeliest place, misses {of(published, attacked.NAIVE)} of 100 true places. That is a "
        "warning and no privacy, as the fakes are likelier than life: whoever takes the least "
        f"likely place misses {of(published, attacked.CONTRARIAN)}, whoever compares with fakes of "
        f"their own {of(published, attacked.RATIO)}, and whoever guesses "
        f"{of(published, attacked.GUESSING)}. Made people (here at ε = 1) are not meant for this: "
        f"among five of them the likeliest place misses {of(made, attacked.NAIVE)}. They keep "
        "another promise, about who was counted. Measured on the simulated city, of the "
        "user in the middle of 30."
    )
