"""A reproduction from a split table to its results: learn, make the tables, measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.measure import Study, cut_to_size, sample_of
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
from understudy.studies.seedbased.results import (
    KS,
    DescribedResults,
    EarlyStop,
    Passing,
    Results,
    Stopped,
    Timed,
    measures_of,
)
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
