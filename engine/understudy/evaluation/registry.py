"""All measures, of tables of records and of people's days, in the order in which they are shown.

Cheap to import, as pages and the command line read from here what a number means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import About, Group, Measure, Study
from understudy.evaluation.measures import (
    copies,
    distinguishing,
    inference,
    linear_accuracy,
    model_accuracy,
    prediction,
    propensity,
    shares,
)
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS

GROUPS: dict[Group, str] = {
    "places": "Where people are",
    "moves": "How people move",
    "lives": "What a person's days are like together",
    "peers": "As others measure made trajectories",
    "distances": "How far the columns are from real ones",
    "models": "How well the models predict one column from the others",
    "prediction": "What classifiers learn from the table",
    "linear": "What linear classifiers learn from the table",
    "distinguishing": "How well records are told from real ones",
    "propensity": "How well a table is told from a real one",
    "disclosure": "What the table gives away about the records it was made from",
}
"""Each group of measures, as a heading, in the order they are shown in."""

HEADINGS: Final[Mapping[Group, str]] = {
    "places": "Where people are",
    "moves": "How people move",
    "lives": "Lives",
    "distances": "Distances",
    "prediction": "Prediction",
    "linear": "Prediction",
    "distinguishing": "Telling it from real records",
    "propensity": "Telling it from real records",
}
"""Over the headline measures of each group that are placed on one scale. A risk is nothing to be
kept or lost, so what is disclosed is on no scale."""

_PREDICTING: Final[frozenset[Group]] = frozenset({"models", "prediction", "linear"})


def measures(
    *,
    epsilon: float = 1.0,
    must_survive: tuple[tuple[str, ...], ...] = (),
    weights: tuple[str, ...] = (),
) -> tuple[Measure[Study], ...]:
    """Return every measure of tables of records, group by group; `OF_DAYS` are those of people's
    days.

    Args:
        epsilon: of the private methods that a table is compared with.
        must_survive: columns that were marked, by themselves or together, which are measured first.
        weights: columns of survey weights; shares are compared by them as well, and their level.
    """
    of_weights = (shares.VARIATION_WEIGHTED, shares.WEIGHT_LEVEL)
    weighted = tuple(replace(each, weights=weights) for each in of_weights if weights)
    first = (replace(shares.VARIATION_MARKED, groups=must_survive),) if must_survive else ()
    return (
        *first,
        *weighted,
        shares.VARIATION_SINGLE,
        shares.VARIATION_PAIRS,
        shares.HELLINGER_SINGLE,
        shares.HELLINGER_PAIRS,
        shares.KULLBACK_LEIBLER_SINGLE,
        shares.KULLBACK_LEIBLER_PAIRS,
        shares.VARIATION_TRIPLES,
        shares.VARIATION_QUADRUPLES,
        shares.INVENTED_PAIRS,
        shares.INVENTED_RECORDS,
        shares.MISSING_PAIRS,
        shares.MISSING_RECORDS,
        model_accuracy.MEASURE,
        model_accuracy.IMPROVEMENT,
        prediction.ACCURACY,
        prediction.AGREEMENT,
        replace(linear_accuracy.MEASURE, epsilon=epsilon),
        distinguishing.MEASURE,
        distinguishing.LOSSES,
        propensity.LOGISTIC,
        propensity.LOGISTIC_RATIO,
        propensity.LOGISTIC_STANDARDISED,
        propensity.TREE,
        propensity.TREE_RATIO,
        propensity.TREE_STANDARDISED,
        copies.EXACT,
        copies.ONE,
        copies.TWO,
        copies.CLOSER,
        copies.COLUMNS,
        inference.MEMBERSHIP,
        inference.ATTRIBUTE,
    )


def predicts_a_column(asked: Iterable[Measure[Any]]) -> bool:
    """Return whether some of these measures predict a column, which has to be chosen."""
    return any(each.about.group in _PREDICTING for each in asked)


@cache
def abouts() -> dict[str, About]:
    """Return the descriptions of all measures by key, in their order."""
    rare = (shares.VARIATION_MARKED, shares.VARIATION_WEIGHTED, shares.WEIGHT_LEVEL)
    every: tuple[Measure[Any], ...] = (*rare, *measures(), *OF_DAYS)
    return {each.about.key: each.about for each in every}


def about(key: str) -> About:
    """Return the description of the measure with this key.

    Raises:
        Refusal: there is none, as where an evaluation was made by another version.
    """
    if key not in abouts():
        raise Refusal(f"There is no measure “{key}”.", "Evaluate the run again.")
    return abouts()[key]
