"""All measures, of tables of records and of people's days, in the order in which they are shown.

Cheap to import, as pages and the command line read from here what a number means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import About, Group, Measure
from understudy.evaluation.measures import (
    accuracy,
    agreement,
    attribute_inference,
    copies,
    distinguishing,
    hellinger,
    higher_marginals,
    improvement,
    invented,
    kullback_leibler,
    linear_accuracy,
    losses,
    marked,
    membership,
    missing,
    model_accuracy,
    propensity_logistic,
    propensity_tree,
    total_variation,
)
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS
from understudy.evaluation.study import Study

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

_PREDICTING: Final[frozenset[Group]] = frozenset({"models", "prediction", "linear"})


def measures(
    *, epsilon: float = 1.0, must_survive: tuple[tuple[str, ...], ...] = ()
) -> tuple[Measure[Study], ...]:
    """Return every measure of tables of records, group by group; `OF_DAYS` are those of people's
    days.

    Args:
        epsilon: of the private methods that a table is compared with.
        must_survive: columns that were marked, by themselves or together, which are measured first.
    """
    first = (replace(marked.MEASURE, groups=must_survive),) if must_survive else ()
    return (
        *first,
        total_variation.SINGLE,
        total_variation.PAIRS,
        hellinger.SINGLE,
        hellinger.PAIRS,
        kullback_leibler.SINGLE,
        kullback_leibler.PAIRS,
        higher_marginals.TRIPLES,
        higher_marginals.QUADRUPLES,
        invented.PAIRS,
        invented.RECORDS,
        missing.PAIRS,
        missing.RECORDS,
        model_accuracy.MEASURE,
        improvement.MEASURE,
        accuracy.MEASURE,
        agreement.MEASURE,
        replace(linear_accuracy.MEASURE, epsilon=epsilon),
        distinguishing.MEASURE,
        losses.MEASURE,
        propensity_logistic.MEASURE,
        propensity_logistic.RATIO,
        propensity_logistic.STANDARDISED,
        propensity_tree.MEASURE,
        propensity_tree.RATIO,
        propensity_tree.STANDARDISED,
        copies.EXACT,
        copies.ONE,
        copies.TWO,
        copies.CLOSER,
        copies.COLUMNS,
        membership.MEASURE,
        attribute_inference.MEASURE,
    )


def predicts_a_column(asked: Iterable[Measure[Any]]) -> bool:
    """Return whether some of these measures predict a column, which has to be chosen."""
    return any(each.about.group in _PREDICTING for each in asked)


@cache
def abouts() -> dict[str, About]:
    """Return the descriptions of all measures by key, in their order."""
    every: tuple[Measure[Any], ...] = (marked.MEASURE, *measures(), *OF_DAYS)
    return {each.about.key: each.about for each in every}


def about(key: str) -> About:
    """Return the description of the measure with this key.

    Raises:
        Refusal: there is none, as where an evaluation was made by another version.
    """
    if key not in abouts():
        raise Refusal(f"There is no measure “{key}”.", "Evaluate the run again.")
    return abouts()[key]
