"""How many of the errors of the private marginals a model avoids (Figure 8.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import normal
from understudy.evaluation.measure import About
from understudy.evaluation.model_hits import model_hits
from understudy.evaluation.study import MARGINALS, Study
from understudy.table.schema import Schema

_ABOUT = About(
    key="improvement",
    name="Improvement over the marginals",
    sentence=(
        "Which share of the wrong guesses of the private marginals the model avoids, when all "
        "other values of a real record are known; the average over the columns. Below 0 it is "
        "wrong more often than they are."
    ),
    low=-math.inf,
    high=1.0,
    better="higher",
    group="models",
    parts="column",
    source="VLDB 2017, Figure 1; dissertation 2018, Figure 8.1",
)


@dataclass(frozen=True)
class Improvement:
    """(error of the marginals − error of the model) / error of the marginals, by column.

    A column that the marginals are never wrong about leaves nothing to improve and is left out.

    Attributes:
        most_records: how many held-out records are tested on at most.
        about: what it says of itself.
    """

    most_records: int = 10_000
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return every model but the marginals.

        Raises:
            Refusal: there are no marginals or no held-out records, or the marginals are never
                wrong.
        """
        hits = model_hits(study, self.most_records)
        if MARGINALS not in hits:
            raise Refusal(
                "There are no marginals to compare models with.",
                "Learn the marginals beside the models.",
            )
        wrong = ~hits[MARGINALS]
        if not wrong.any():
            raise Refusal(
                "The marginals are right about every held-out record, so nothing can be better.",
                "Use a table whose columns have more than one value.",
            )
        schema = study.held_out.schema
        return {
            name: _measured(schema, wrong, ~each)
            for name, each in hits.items()
            if name != MARGINALS
        }


def _measured(schema: Schema, marginals: BoolArray, model: BoolArray) -> Measured:
    columns = np.flatnonzero(marginals.any(axis=0))
    before = marginals[:, columns].mean(axis=0)
    after = model[:, columns].mean(axis=0)
    improved = 1 - after / before
    # What each record adds, to first order: both errors are of the same records.
    influence = (marginals[:, columns] * (after / before) - model[:, columns]) / before
    errors = _errors(influence)
    parts = tuple(
        Part((schema.names[column],), float(value), normal(float(value), float(error)))
        for column, value, error in zip(columns, improved, errors, strict=True)
    )
    value = float(improved.mean())
    error = float(_errors(influence.mean(axis=1)))
    return Measured(value, normal(value, error), parts)


def _errors(influence: FloatArray) -> FloatArray:
    """Return the standard errors of averages over the records."""
    return np.asarray(influence.std(axis=0, ddof=1) / math.sqrt(len(influence)))


MEASURE = Improvement()
