"""The results of a reproduction, and the measures that give them, before comparison with the
published numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from understudy.core.arrays import IntArray
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import BreakdownEntry, Interval, Measure, Study
from understudy.evaluation.measures import (
    distinguishing,
    linear_accuracy,
    model_accuracy,
    prediction,
    shares,
)
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.publication import Found
from understudy.studies.seedbased.setting import SeedbasedStudySetting, SeedbasedStudySizes
from understudy.table.records import Records


@dataclass(frozen=True)
class EarlyStop:
    """When the published tool stops counting.

    Attributes:
        examined: after so many seeds, its `max_check_plausible`.
        plausible: at so many plausible ones, its `max_plausible`; None for any number.
    """

    examined: int
    plausible: int | None = None

    @classmethod
    def of_share(cls, seeds: int, examined: int, plausible: int | None = None) -> EarlyStop:
        """Return the published limit for so many seeds, in proportion to the published ones.

        Args:
            seeds: how many there are here.
            examined: of the published seeds, after how many the tool stopped.
            plausible: at how many plausible ones.
        """
        return cls(max(1, examined * seeds // publication.SEEDS), plausible)

    def count(self, plausible: IntArray, seeds: int, random: np.random.Generator) -> IntArray:
        """Return (B,) how many plausible seeds are found, if there are (B,) among so many seeds.

        The seeds that are looked at are a random sample, so what is found of the plausible ones
        has a hypergeometric law.
        """
        found = random.hypergeometric(plausible, seeds - plausible, min(self.examined, seeds))
        limit = found if self.plausible is None else np.minimum(found, self.plausible)
        return np.asarray(limit, dtype=np.int64)

    def examine(self, plausible: IntArray, seeds: int, random: np.random.Generator) -> IntArray:
        """Return (B,) how many seeds are looked at, if (B,) among so many are plausible.

        The place of the last plausible seed that is looked for is drawn as an order statistic of
        as many uniform places.
        """
        most = min(self.examined, seeds)
        looked = np.full(len(plausible), most, dtype=np.int64)
        if self.plausible is None:
            return looked
        enough = plausible >= self.plausible
        last = random.beta(self.plausible, plausible[enough] - self.plausible + 1)
        looked[enough] = np.minimum(np.ceil(last * seeds), most)
        return looked


@dataclass(frozen=True)
class DescribedResults:
    """What a table is like. Internal.

    Attributes:
        records: how many there are.
        unique: how many of them occur once.
        possible: how many different ones the schema allows.
        cardinalities: values of each column, by its name.
    """

    records: int
    unique: int
    possible: int
    cardinalities: Mapping[str, int]

    @classmethod
    def of(cls, records: Records) -> DescribedResults:
        """Return what these records are like."""
        schema = records.schema
        # Rows as one value of so many bytes each sort faster than rows of numbers.
        rows = records.codes.view(np.dtype((np.void, 2 * len(schema)))).ravel()
        _, times = np.unique(rows, return_counts=True)
        return cls(
            len(records),
            int((times == 1).sum()),
            schema.configurations,
            {column.name: column.cardinality for column in schema.columns},
        )


@dataclass(frozen=True)
class Passing:
    """How large a share of the candidates of one ω passes at each k. Internal."""

    omega: str
    ks: tuple[int, ...]
    rates: tuple[float, ...]
    published: tuple[float, ...]
    """The same where counting stops as the published tool stops."""

    def at(self, k: int) -> float:
        """Return the share at this k, which must be one of them."""
        return self.rates[self.ks.index(k)]

    def published_at(self, k: int) -> float:
        """Return the share at this k if counting stops as published."""
        return self.published[self.ks.index(k)]


@dataclass(frozen=True)
class Timed:
    """When so many records had been released.

    Attributes:
        records: how many passed the test.
        candidates: how many were made by then, which is what the published figure counts.
        seconds: since the first attempt.
    """

    records: int
    candidates: int
    seconds: float


@dataclass(frozen=True)
class Stopped:
    """What the published tool's early stop comes to at the parameters of Figure 5. Internal.

    Attributes:
        limit: when it stops.
        looked: seeds that it looks at for a candidate, the mean.
        passing: share of candidates that pass.
        exact: the same where all plausible seeds are counted.
    """

    limit: EarlyStop
    looked: float
    passing: float
    exact: float


@dataclass(frozen=True)
class Results:
    """What a reproduction found. Internal where the table is confidential.

    Attributes:
        described: the table it was run on.
        sizes: how many records each part got.
        setting: what was tried.
        evaluation: what the measures found.
        passing: pass rates, for each ω.
        timed_omega: ω of the records whose time was taken.
        timed: their times, on one core, with the seeds indexed before.
        stopped: what the published tool would do at the parameters of these.
        passing_limit: when it stops counting where pass rates are measured.
        indexing: seconds that indexing the seeds took.
        learning: seconds that learning the private model took.
        seconds: how long all of it took.
        labels: what a reader calls each column, by its name.
    """

    described: DescribedResults
    sizes: SeedbasedStudySizes
    setting: SeedbasedStudySetting
    evaluation: Evaluation
    passing: tuple[Passing, ...]
    timed_omega: str
    timed: tuple[Timed, ...]
    stopped: Stopped
    passing_limit: EarlyStop
    indexing: float
    learning: float
    seconds: float
    labels: Mapping[str, str]


KS: IntArray = np.unique(
    np.concatenate(
        [
            np.round(np.geomspace(1, 1_000, 46)).astype(np.int64),
            np.array([10, 20, 50, 100, 200, 500, 1_000], dtype=np.int64),
        ]
    )
)
"""Every k at which the pass rate is worked out."""


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
    linear_accuracy.ORDINARY: publication.NON_PRIVATE,
    linear_accuracy.OUTPUT: publication.OUTPUT,
    linear_accuracy.OBJECTIVE: publication.OBJECTIVE,
}
"""What the published tables call a subject that measures call something else."""


def measures_of(setting: SeedbasedStudySetting, learned_from: int) -> tuple[Measure[Study], ...]:
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
    quantities = {quantity for table in publication.TABLES for quantity in table.quantities}
    return {each: _find_parts(evaluation, *each) for each in quantities}


def _find_parts(
    evaluation: Evaluation, quantity: str, classifier: str
) -> dict[str, BreakdownEntry]:
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


def _as_accuracy(part: BreakdownEntry) -> BreakdownEntry:
    """Return how often the guess is right, from its advantage over a coin: a = (1 + γ)/2."""
    interval = part.interval
    return BreakdownEntry(
        part.of,
        (1 + part.value) / 2,
        None if interval is None else Interval((1 + interval.low) / 2, (1 + interval.high) / 2),
    )
