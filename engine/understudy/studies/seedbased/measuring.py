"""The measures of a reproduction, and their results by the quantities of the published tables."""

from __future__ import annotations

from dataclasses import replace

from understudy.evaluation.classifiers import FOREST, TREE
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import Interval, Measure, Part, Study
from understudy.evaluation.measures import (
    distinguishing,
    linear_accuracy,
    model_accuracy,
    prediction,
    shares,
)
from understudy.studies.seedbased import published
from understudy.studies.seedbased.beside import Found
from understudy.studies.seedbased.setting import Setting

SINGLE = shares.VARIATION_SINGLE.about.key
PAIRS = shares.VARIATION_PAIRS.about.key
IMPROVEMENT = model_accuracy.IMPROVEMENT.about.key
MODELS = model_accuracy.MEASURE.about.key

LEAF = 10
"""The fewest records of a leaf of the forest that models are compared with. The text speaks of the
best classifier that was found: trees that are grown out are right about a fifth of occupations,
these about a quarter."""

_KEYS = {
    "accuracy": prediction.ACCURACY.about.key,
    "agreement": prediction.AGREEMENT.about.key,
    "linear accuracy": linear_accuracy.MEASURE.about.key,
    "distinguishing": distinguishing.MEASURE.about.key,
}
"""The measure of each published quantity."""

_PUBLISHED_AS = {
    linear_accuracy.ORDINARY: published.NON_PRIVATE,
    linear_accuracy.OUTPUT: published.OUTPUT,
    linear_accuracy.OBJECTIVE: published.OBJECTIVE,
}
"""What the published tables call a subject that measures call something else."""


def measures_of(setting: Setting, learned_from: int) -> tuple[Measure[Study], ...]:
    """Return the requested measures, the quickest first.

    Args:
        setting: what is tried.
        learned_from: records that the model's parameters are learned from; the random forest that
            is compared with it learns from as many, as published.
    """
    tested = setting.tested
    return (
        shares.VARIATION_SINGLE,
        shares.VARIATION_PAIRS,
        replace(model_accuracy.IMPROVEMENT, most_records=tested),
        replace(
            model_accuracy.MEASURE,
            most_records=tested,
            forest_records=learned_from,
            forest_leaf=LEAF,
        ),
        prediction.ACCURACY,
        prediction.AGREEMENT,
        linear_accuracy.MEASURE,
        replace(distinguishing.MEASURE, classifiers=(FOREST, TREE)),
    )


def found_in(evaluation: Evaluation) -> Found:
    """Return what was found of each quantity of the published tables, between 0 and 1."""
    quantities = {quantity for table in published.TABLES for quantity in table.quantities}
    return {each: _found(evaluation, *each) for each in quantities}


def _found(evaluation: Evaluation, quantity: str, classifier: str) -> dict[str, Part]:
    finding = evaluation.finding(_KEYS[quantity])
    if finding is None:
        return {}
    parts = {
        _PUBLISHED_AS.get(subject, subject): part
        for subject, measured in finding.by_subject.items()
        for part in measured.parts
        if part.of == (classifier,)
    }
    if quantity != "distinguishing":
        return parts
    return {subject: _as_accuracy(part) for subject, part in parts.items()}


def _as_accuracy(part: Part) -> Part:
    """Return how often the guess is right, from its advantage over a coin: a = (1 + γ)/2."""
    interval = part.interval
    return Part(
        part.of,
        (1 + part.value) / 2,
        None if interval is None else Interval((1 + interval.low) / 2, (1 + interval.high) / 2),
    )
