"""Accuracy of models: how often one is right about a value of a record, given all the others
(Figure 8.2), and how many of the marginals' errors it avoids (Figure 8.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import random_forest
from understudy.evaluation.intervals import clopper_pearson, cut_to_range, normal
from understudy.evaluation.measure import (
    FEWEST,
    MARGINALS,
    About,
    BreakdownEntry,
    Study,
    SubjectResult,
    sample_of,
)
from understudy.evaluation.measures.prediction import labels
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.sequential import Sequential
from understudy.table.records import Records
from understudy.table.schema import Schema

# The most likely value of one column given all the others, under a model.
#
# Pr{x_i = v | the rest} ∝ Pr{v | parents of i} · Π_{children c} Pr{x_c | parents of c, x_i = v}:
# factors that do not mention column i are the same for every v. A network has them in its tables;
# any other model is asked for each value in turn.

_CELLS = 1 << 21
_ROUNDING = 1e-12


def most_likely(network: Sequential, column: int, codes: CodeArray) -> IntArray:
    """Return (n,) the most likely code of a column for each record, the smallest of equals.

    What a record holds in that column is not looked at. Where the network gives the rest of the
    record no probability whatever the value, no value is likelier than another and it is 0.

    Args:
        network: whose probabilities they are.
        column: by its place in the schema.
        codes: (n, columns) in schema order.
    """
    rows = max(1, _CELLS // network.schema.columns[column].cardinality)
    blocks = [
        _most_likely(network, column, codes[first : first + rows])
        for first in range(0, len(codes), rows)
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *blocks])


def _most_likely(network: Sequential, column: int, codes: CodeArray) -> IntArray:
    if isinstance(network, BayesianNetwork) and not network.ruled_tables:
        scores = _by_tables(network, column, codes)
    else:
        scores = _by_score(network, column, codes)
    # Equals can differ in the last digit, as their logarithms are added up.
    best = scores.max(axis=1, keepdims=True) - _ROUNDING
    return np.asarray((scores >= best).argmax(axis=1), dtype=np.int64)


def _by_score(network: Sequential, column: int, codes: CodeArray) -> FloatArray:
    """Return (n, values) ln Pr of the column's value and of all that looks at it."""
    columns = [np.ascontiguousarray(each) for each in codes.T]
    looking = [child for child, above in enumerate(network.conditions) if column in above]
    scores = np.zeros((len(codes), network.schema.columns[column].cardinality))
    for value in range(scores.shape[1]):
        columns[column] = np.full(len(codes), value, dtype=np.uint16)
        for attribute in (column, *looking):
            scores[:, value] += network.log_likelihood(attribute, columns)
    return scores


def _by_tables(network: BayesianNetwork, column: int, codes: CodeArray) -> FloatArray:
    """Return the same, all values at once."""
    columns = list(codes.T)
    configuration = network.families[column].configuration(columns)
    scores = _log(network.tables[column].probabilities[configuration])
    buckets = network.schema.columns[column].bucket_map
    for child, parents in enumerate(network.structure.parents):
        if column in parents:
            scores += _of_child(network, column, child, codes)[:, buckets]
    return np.asarray(scores)


def _of_child(network: BayesianNetwork, column: int, child: int, codes: CodeArray) -> FloatArray:
    """Return (n, buckets of the column) ln Pr of what the child is, if the column were in that
    bucket."""
    family = network.families[child]
    bucket_map = network.schema.columns[column].bucket_map
    # A bucket is stood for by the first of its codes, as a child sees no more than the bucket.
    _, first = np.unique(bucket_map, return_index=True)
    place = family.places[family.parents.index(column)]
    rest = family.configuration(list(codes.T)) - place[codes[:, column]]
    configuration = rest[:, None] + place[first][None, :]
    table = network.tables[child].probabilities
    return _log(table[configuration, codes[:, child][:, None]])


def _log(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


# Whether a model's most likely value of a column is right for held-out records.
#
# The accuracy of models and their improvement are computed from this.


def test_records(study: Study, most: int) -> Records:
    """Return the held-out records that models are tested on, at most `most`.

    Raises:
        Refusal: there are fewer than `FEWEST`.
    """
    if len(study.held_out) < FEWEST:
        raise Refusal(
            f"There are fewer than {FEWEST} held-out records to test models on.",
            "Use a larger table, or hold out a larger share of it.",
        )
    return sample_of(study.held_out, most, study.random("records to test models on"))


def model_hits(study: Study, most: int) -> Mapping[str, BoolArray]:
    """For each model of the study, (records, columns) whether its most likely value is right."""
    return study.once(f"hits of models on {most}", lambda: _model_hits(study, most))


def _model_hits(study: Study, most: int) -> Mapping[str, BoolArray]:
    records = test_records(study, most)
    return {name: hits_of(network, records) for name, network in study.models.items()}


def hits_of(network: Sequential, records: Records) -> BoolArray:
    """Return (records, columns) whether the network's most likely value is what the record
    holds."""
    codes = records.codes
    return np.column_stack(
        [
            most_likely(network, column, codes) == codes[:, column]
            for column in range(codes.shape[1])
        ]
    )


# How often a model is right about one value of a record, given all the others (Figure 8.2).

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

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every model, then a random guess and a random forest trained on the seeds.

        Raises:
            Refusal: there are too few held-out records.
        """
        study = study.of_models
        schema = study.held_out.schema
        everything = range(len(schema))
        usual = np.flatnonzero(schema.cardinalities <= self.forest_values).tolist()
        # First what needs no model, as those may still be being learned.
        grown = self._forest(study, usual) if usual and len(study.seeds) else None
        found = {
            name: _measure_hits(schema, everything, hits)
            for name, hits in model_hits(study, self.most_records).items()
        }
        found[GUESS] = _guessing(schema)
        if grown is not None:
            found[FOREST] = _measure_hits(schema, usual, grown)
        return found

    def _forest(self, study: Study, columns: Sequence[int]) -> BoolArray:
        """Return (records, columns) whether the forest is right."""
        known = sample_of(study.seeds, self.forest_records, study.random("seeds of the forest"))
        asked = test_records(study, self.most_records)
        seed = int(study.random("trees of the forest").integers(2**31))
        grown = random_forest(self.forest_trees, self.forest_leaf)
        return np.column_stack(
            [
                grown.learn(known, labels(known, column), seed, column)(asked)
                == labels(asked, column)
                for column in columns
            ]
        )


def _measure_hits(schema: Schema, columns: Sequence[int], hits: BoolArray) -> SubjectResult:
    count = len(hits)
    parts = tuple(
        BreakdownEntry(
            (schema.names[column],),
            float(right.mean()),
            clopper_pearson(int(right.sum()), count),
        )
        for column, right in zip(columns, hits.T, strict=True)
    )
    # Hits of one record go together, so records are what is averaged over.
    each = hits.mean(axis=1)
    interval = normal(float(each.mean()), float(each.std(ddof=1)) / math.sqrt(count))
    return SubjectResult(float(each.mean()), cut_to_range(interval, 0.0, 1.0), parts)


def _guessing(schema: Schema) -> SubjectResult:
    """Return one over the number of values: nothing is left to chance."""
    shares = 1 / schema.cardinalities
    named = zip(schema.names, shares, strict=True)
    return SubjectResult(
        float(shares.mean()),
        None,
        tuple(BreakdownEntry((name,), float(share)) for name, share in named),
    )


MEASURE = ModelAccuracy()


# How many of the errors of the private marginals a model avoids (Figure 8.1).

_ABOUT_IMPROVEMENT = About(
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
    about: About = _ABOUT_IMPROVEMENT

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every model but the marginals.

        Raises:
            Refusal: there are no marginals or no held-out records, or the marginals are never
                wrong.
        """
        study = study.of_models
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
            name: _improvement(schema, wrong, ~each)
            for name, each in hits.items()
            if name != MARGINALS
        }


def _improvement(schema: Schema, marginals: BoolArray, model: BoolArray) -> SubjectResult:
    columns = np.flatnonzero(marginals.any(axis=0))
    before = marginals[:, columns].mean(axis=0)
    after = model[:, columns].mean(axis=0)
    improved = 1 - after / before
    # What each record adds, to first order: both errors are of the same records.
    influence = (marginals[:, columns] * (after / before) - model[:, columns]) / before
    errors = _errors(influence)
    parts = tuple(
        BreakdownEntry((schema.names[column],), float(value), normal(float(value), float(error)))
        for column, value, error in zip(columns, improved, errors, strict=True)
    )
    value = float(improved.mean())
    error = float(_errors(influence.mean(axis=1)))
    return SubjectResult(value, normal(value, error), parts)


def _errors(influence: FloatArray) -> FloatArray:
    """Return the standard errors of averages over the records."""
    return np.asarray(influence.std(axis=0, ddof=1) / math.sqrt(len(influence)))


IMPROVEMENT = Improvement()
