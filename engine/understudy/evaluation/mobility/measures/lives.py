"""What a person's days are like together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from understudy.evaluation.measure import About
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.counts import DayCounts
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.difference import PeopleDifference, Statistic, kolmogorov


def _cumulative(
    key: str,
    name: str,
    below: str,
    counted: Callable[[Seen], DayCounts],
    source: str = "",
    *,
    headline: bool = False,
) -> PeopleDifference:
    about = About(
        key=key,
        name=name,
        sentence=(
            f"Choose {below}: the share of the table's people below it differs from that of "
            "held-out people by at most this much."
        ),
        low=0,
        high=1,
        better="lower",
        group="lives",
        source=source,
        headline=headline,
    )
    return PeopleDifference(about, counted, kolmogorov)


HOME_TO_WORK = _cumulative(
    "home-to-work",
    "From home to work",
    "any distance between home and place of work, with people without one above all",
    counts.home_to_work,
    headline=True,
)
AT_HOME = _cumulative(
    "time-at-home",
    "Time at home",
    "any share of time spent at home",
    counts.time_at_home,
    headline=True,
)
GYRATION = _cumulative(
    "radius-of-gyration",
    "Radius of gyration",
    "any radius of gyration, the typical distance of a person from the middle of where they are",
    counts.radius_of_gyration,
    "González, Hidalgo and Barabási, Nature 2008",
    headline=True,
)
PLACES = _cumulative(
    "distinct-places",
    "Places of a person",
    "any number of places",
    counts.distinct_places,
    headline=True,
)
ENTROPY = _cumulative(
    "entropy-of-places",
    "Entropy of a person's places",
    "any entropy of where a person's time is spent",
    counts.entropy_of_places,
    "Song, Qu, Blumm and Barabási, Science 2010 (the uncorrelated entropy)",
)

GROWTH = Statistic(
    About(
        key="growth-of-places",
        name="Growth of places",
        sentence=(
            "How fast people come to know new places: with twice the days, as many places as 2 to "
            "the power of this. 1 is a new place each day, 0 none after the first."
        ),
        low=0,
        high=math.inf,
        better="as real",
        group="lives",
        source="Song, Koren, Wang and Barabási, Nature Physics 2010",
        unit="number",
    ),
    counts.count_known_places,
    counts.growth_exponent,
)

VISITS = Statistic(
    About(
        key="exponent-of-visits",
        name="Exponent of visits",
        sentence=(
            "How much more often people are in their second place than in their third, and so on: "
            "visits fall with the rank to the power of this (Zipf), over ranks 2 to 15."
        ),
        low=-math.inf,
        high=math.inf,
        better="as real",
        group="lives",
        source="González, Hidalgo and Barabási, Nature 2008",
        unit="number",
    ),
    counts.share_visits,
    counts.visit_exponent,
)

RETURNS = Statistic(
    About(
        key="daily-returns",
        name="Returns after a day",
        sentence=(
            "The share of stays away from home after which the same person's next one in that "
            "cell begins 20 to 28 hours later."
        ),
        low=0,
        high=1,
        better="as real",
        group="lives",
        source="González, Hidalgo and Barabási, Nature 2008 (return times)",
    ),
    counts.returns,
    counts.share_of_returns,
)

EVERY: Final = (HOME_TO_WORK, AT_HOME, GYRATION, PLACES, ENTROPY, GROWTH, VISITS, RETURNS)
