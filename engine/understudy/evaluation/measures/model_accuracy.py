"""How often a model is right about one value of a record, given all the others (Figure 8.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.evaluation.classifiers import forest
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import clopper_pearson, normal, within
from understudy.evaluation.measure import About
from understudy.evaluation.model_hits import model_hits, test_records
from understudy.evaluation.prediction import labels
from understudy.evaluation.study import Study, sample_of
from understudy.table.schema import Schema

GUESS = "random guess"
FOREST = "random forest"

_ABOUT = About(
    key="model-accuracy",
    name="Accuracy of models",
    sentence=(
        "How often the value that the model finds most likely is the right one, when all other "
        "values of a real record are known; the average over the columns."
    ),
    low=0.0,
    high=1.0,
    better="higher",
    group="models",
    parts="column",
    source="VLDB 2017, Figure 2; dissertation 2018, Figure 8.2",
)


@dataclass(frozen=True)
class ModelAccuracy:
    """The share of held-out records that each model is right about, by column.

    Attributes:
        most_records: how many held-out records are tested on at most.
        forest_records: how many seeds a random forest learns from at most.
        forest_trees: how many trees it has.
        forest_leaf: how many records each of their leaves holds at least.
        forest_values: columns of more values are not asked of it, as it takes too long; its
            value is then the average over the others.
        about: what it says of itself.
    """

    most_records: int = 10_000
    forest_records: int = 10_000
    forest_trees: int = 20
    forest_leaf: int = 1
    forest_values: int = 200
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return every model, then a random guess and a random forest trained on the seeds.

        Raises:
            Refusal: there are too few held-out records.
        """
        schema = study.held_out.schema
        everything = range(len(schema))
        usual = np.flatnonzero(schema.cardinalities <= self.forest_values).tolist()
        # First what needs no model, as those may still be being learned.
        grown = self._forest(study, usual) if usual and len(study.seeds) else None
        found = {
            name: _measured(schema, everything, hits)
            for name, hits in model_hits(study, self.most_records).items()
        }
        found[GUESS] = _guessing(schema)
        if grown is not None:
            found[FOREST] = _measured(schema, usual, grown)
        return found

    def _forest(self, study: Study, columns: Sequence[int]) -> BoolArray:
        """(records, columns) whether the forest is right."""
        known = sample_of(study.seeds, self.forest_records, study.random("seeds of the forest"))
        asked = test_records(study, self.most_records)
        seed = int(study.random("trees of the forest").integers(2**31))
        grown = forest(self.forest_trees, self.forest_leaf)
        return np.column_stack(
            [
                grown.learn(known, labels(known, column), seed, column)(asked)
                == labels(asked, column)
                for column in columns
            ]
        )


def _measured(schema: Schema, columns: Sequence[int], hits: BoolArray) -> Measured:
    count = len(hits)
    parts = tuple(
        Part(
            (schema.names[column],),
            float(right.mean()),
            clopper_pearson(int(right.sum()), count),
        )
        for column, right in zip(columns, hits.T, strict=True)
    )
    # Hits of one record go together, so records are what is averaged over.
    each = hits.mean(axis=1)
    interval = normal(float(each.mean()), float(each.std(ddof=1)) / math.sqrt(count))
    return Measured(float(each.mean()), within(interval, 0.0, 1.0), parts)


def _guessing(schema: Schema) -> Measured:
    """Return one over the number of values: nothing is left to chance."""
    shares = 1 / schema.cardinalities
    named = zip(schema.names, shares, strict=True)
    return Measured(
        float(shares.mean()), None, tuple(Part((name,), float(share)) for name, share in named)
    )


MEASURE = ModelAccuracy()
