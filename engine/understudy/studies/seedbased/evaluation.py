"""A reproduction from a split table to its results: learn, make the tables, measure.

Results are kept before any comparison with the published numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from understudy.core.arrays import IntArray
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.evaluation.evaluation import Evaluation, evaluate
from understudy.evaluation.measure import (
    BreakdownEntry,
    Interval,
    Measure,
    Study,
    cut_to_size,
    sample_of,
)
from understudy.evaluation.measures import (
    distinguishing,
    linear_accuracy,
    model_accuracy,
    prediction,
    shares,
)
from understudy.evaluation.measures.prediction import MOST_VALUES, check_target
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.evaluation.tables import Making, tables_of
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.publication import Found
from understudy.studies.seedbased.setting import (
    PASSING_TEST,
    TEST,
    SeedbasedStudySetting,
    SeedbasedStudySizes,
    enough,
    networks_of,
    published_plan,
)
from understudy.table.records import Records
from understudy.table.split import Split


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


Told = Callable[[str], None]
"""Called before each stage with what is done next; it may raise to stop."""

_AS_PUBLISHED = Decision(TEST, pass_cap=0.0)
"""The published tool tested, and turned no candidate away besides."""

_MOST_ATTEMPTS = 64
_FEWEST_AT_ONCE = 64


def reproduce(
    records: Records,
    parts: Split,
    target: str,
    setting: SeedbasedStudySetting,
    source: RandomSource,
    told: Told,
) -> Results:
    """Run the published evaluation.

    Args:
        records: the whole table.
        parts: the same, in four parts.
        target: the column that is predicted, by name.
        setting: what is tried.
        source: where seeds, noise and draws come from.
        told: hears what is done next.

    Raises:
        Refusal: there are too few records, or there is no such column.
    """
    check_target(records.schema, target, MOST_VALUES)
    enough(len(records))
    started = time.perf_counter()
    made = _learn_model(parts, source, told)
    study = _study(parts, made, target, setting, source, told)
    told("pass rates")
    limit = EarlyStop.of_share(len(parts.seeds), publication.PASSING_EXAMINED)
    passing = _passing(made.network, parts.seeds, setting, limit, source)
    told("the time that records take")
    omega = timed_omega(setting)
    indexing, timed = _time_release(made.network, parts.seeds, omega, setting.timed, source)
    stopped = _count_stopped(made.network, parts.seeds, omega, setting, source)
    measures = measures_of(setting, learned_from=len(parts.parameters))
    evaluation = evaluate(study, measures, lambda done, name: told(name.lower()))
    return Results(
        described=DescribedResults.of(records),
        sizes=_sizes(parts),
        setting=setting,
        evaluation=evaluation,
        passing=passing,
        timed_omega=str(omega),
        timed=timed,
        stopped=stopped,
        passing_limit=limit,
        indexing=indexing,
        learning=made.seconds,
        seconds=time.perf_counter() - started,
        labels={each.name: each.title or each.name for each in records.schema.columns},
    )


@dataclass(frozen=True)
class _Learned:
    """The model that candidates come from, the marginals, and how long learning took."""

    network: Sequential
    baseline: Sequential
    seconds: float


def _learn_model(parts: Split, source: RandomSource, told: Told) -> _Learned:
    told("learning the model")
    plan = published_plan(parts.seeds.schema, _sizes(parts).shares, publication.MODEL_EPSILON)
    begun = time.perf_counter()
    network = learn(plan, parts.seeds.schema, parts, source).network
    seconds = time.perf_counter() - begun
    return _Learned(network, learn_baseline(plan, parts, source), seconds)


def _study(
    parts: Split,
    made: _Learned,
    target: str,
    setting: SeedbasedStudySetting,
    source: RandomSource,
    told: Told,
) -> Study:
    told("learning models to compare")
    shares = _sizes(parts).shares
    models = networks_of(parts, shares, made.baseline, setting.models, source)
    told("making tables to measure")
    random = _generator(source)
    making = Making(
        parts, made.network, made.baseline, _AS_PUBLISHED, setting.omegas[0], setting.omegas
    )
    tables = tables_of(making, together(parts), None, setting.most, source)
    # What was proposed before the test was not published.
    shown = [each for each in tables if each.role != "candidates"]
    return Study(
        tables=cut_to_size(shown, setting.most, random),
        held_out=sample_of(parts.held_out, setting.most, random),
        seeds=parts.seeds,
        models=models,
        target=target,
        repeats=setting.repeats,
        key=int(source.below(1 << 32, 1)[0]),
    )


def _passing(
    network: Sequential,
    seeds: Records,
    setting: SeedbasedStudySetting,
    limit: EarlyStop,
    source: RandomSource,
) -> tuple[Passing, ...]:
    ks = tuple(int(each) for each in KS)
    random = _generator(source)
    found = []
    for omega in setting.omegas:
        made = Synthesizer(KeptAttributes(network, omega), seeds)
        sample = ScoreSample.draw(made, setting.scored, source)
        counted = limit.count(sample.scores(PASSING_TEST), len(seeds), random)
        both = (sample, replace(sample, plausible=counted))
        rates = (map(float, each.curve(PASSING_TEST, KS)) for each in both)
        found.append(Passing(str(omega), ks, *map(tuple, rates)))
    return tuple(found)


def _count_stopped(
    network: Sequential,
    seeds: Records,
    omega: Omega,
    setting: SeedbasedStudySetting,
    source: RandomSource,
) -> Stopped:
    """Measure the published tool's early stop at the parameters of Figure 5."""
    limit = EarlyStop.of_share(len(seeds), publication.TIMED_EXAMINED, publication.TIMED_PLAUSIBLE)
    random, count = _generator(source), len(seeds)
    made = Synthesizer(KeptAttributes(network, omega), seeds)
    sample = ScoreSample.draw(made, setting.scored, source)
    plausible = sample.scores(TEST)
    short = replace(sample, plausible=limit.count(plausible, count, random))
    looked = limit.examine(plausible, count, random)
    return Stopped(limit, float(looked.mean()), short.pass_rate(TEST), sample.pass_rate(TEST))


def _generator(source: RandomSource) -> np.random.Generator:
    return np.random.default_rng(int(source.below(1 << 32, 1)[0]))


def timed_omega(setting: SeedbasedStudySetting) -> Omega:
    """Return the smallest fixed ω: 9 where there are eleven columns."""
    return min((each for each in setting.omegas if each.is_fixed), key=lambda each: each.low)


def _time_release(
    network: Sequential,
    seeds: Records,
    omega: Omega,
    wanted: Sequence[int],
    source: RandomSource,
) -> tuple[float, tuple[Timed, ...]]:
    """Return seconds of indexing the seeds, and when each number of records had been released."""
    begun = time.perf_counter()
    made = Synthesizer(KeptAttributes(network, omega), seeds)
    indexing = time.perf_counter() - begun
    marks, passed, first = list(wanted), 0, 0
    found = []
    begun = time.perf_counter()
    while marks and first < _MOST_ATTEMPTS * marks[0]:
        # No more than are missing, so that the candidates are those of these records.
        count = min(BATCH, max(marks[0] - passed, _FEWEST_AT_ONCE))
        passed += len(release(made, _AS_PUBLISHED, first, count, source))
        first += count
        while marks and passed >= marks[0]:
            found.append(Timed(marks.pop(0), first, time.perf_counter() - begun))
    return indexing, tuple(found)


def _sizes(parts: Split) -> SeedbasedStudySizes:
    return SeedbasedStudySizes(
        len(parts.seeds), len(parts.structure), len(parts.parameters), len(parts.held_out)
    )
