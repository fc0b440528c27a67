"""Our own ways to make a table from a whole one, under one total (ε, δ).

python -m benchmarks.peers.ours JOB_FOLDER

A way is a function of the records, what may be spent, and how many records to make. To add one:
write it, name it in `WAYS`, and describe it in `methods.OURS` under the same name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import (
    MILLION,
    Job,
    Seconds,
    Stopwatch,
    million_of,
    peak_bytes,
)
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, release
from understudy.mechanisms.seedbased.model_fit import learn, synthesizer
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.target import within
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares, split

_SEEDS = 0.3
"""The share of the records that candidates are made from where they are made from any."""
_COMMON = 0.25
"""The largest share of the seeds that k may come to."""
_SPARE = 0.9
"""How many of the attempts are counted on to pass."""
_FEWEST = 100
"""Of fewer records no forest has anything to say."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a way came to.

    Attributes:
        codes: (count, attributes) in the order of the schema.
        fit: the time of everything that is done once, however many records are made.
        sample: the time of making `count` records.
    """

    codes: npt.NDArray[np.uint16]
    fit: Seconds
    sample: Seconds


Way = Callable[[Records, float, float, int, RandomSource], Made]
"""From the records, ε, δ, how many records to make and the randomness."""


def as_published(
    records: Records, epsilon: float, delta: float, count: int, source: RandomSource
) -> Made:
    """The network of a seedless plan: structure and tables from half of the records each."""
    watch = Stopwatch()
    schema = records.schema
    plan = Plan.of(
        schema,
        omega=_seedless(schema),
        delta=delta,
        model=ModelPlan(kind="network", epsilon=epsilon),
        shares=Shares(seeds=0, structure=0.5, parameters=0.5, held_out=0),
    )
    _within(promise(plan, schema).total, epsilon, delta)
    learned = learn(plan, schema, split(records, plan.shares, source), source)
    return drawn(learned.network, count, source, watch)


def calibrated(
    records: Records, epsilon: float, delta: float, count: int, source: RandomSource
) -> Made:
    """The calibrated model's whole records."""
    watch = Stopwatch()
    learned = _calibrated(records, Budget(epsilon, delta), source)
    return drawn(learned, count, source, watch)


def distilled(
    records: Records, epsilon: float, delta: float, count: int, source: RandomSource
) -> Made:
    """The network that the calibrated model is distilled into, without its tilts."""
    watch = Stopwatch()
    learned = _calibrated(records, Budget(epsilon, delta), source)
    return drawn(replace(learned, tilts=None), count, source, watch)


def seedbased(
    records: Records, epsilon: float, delta: float, count: int, source: RandomSource
) -> Made:
    """Candidates of a seed each, the first attribute kept, that pass the privacy test; fewer than
    asked for, where k would have to be so large for all that hardly any passed."""
    watch = Stopwatch()
    plan = _affordable(records, epsilon, delta, count)
    schema = records.schema
    promised = promise(plan, schema)
    _within(promised.total, epsilon, delta)
    parts = split(records, plan.shares, source)
    learned = learn(plan, schema, parts, source)
    drawing = synthesizer(plan, learned.network, parts.seeds)
    fit = watch.lap()
    decision = Decision(plan.test, promised.pass_cap)
    codes = release(drawing, decision, 0, plan.attempts, source)
    return Made(codes[:count], fit, watch.lap())


def _affordable(records: Records, epsilon: float, delta: float, count: int) -> Plan:
    """A seedbased plan within the budget, of as many attempts as leave k to so few of the seeds
    that most candidates pass: found by halving.

    Raises:
        Refusal: there would be hardly any.
    """
    schema, last = records.schema, len(records.schema) - 1
    seeds = round(0.99 * _SEEDS * len(records))
    attempts = round(count / _SPARE)
    while attempts >= min(_FEWEST, count):
        plan = Plan.of(
            schema,
            omega=Omega(low=last, high=last),
            delta=delta,
            attempts=attempts,
            seeds_at_least=seeds,
            model=ModelPlan(epsilon=epsilon),
            shares=Shares(seeds=_SEEDS, structure=0, parameters=1 - _SEEDS, held_out=0),
        )
        with suppress(Refusal):
            found = within(plan, schema, epsilon).plan
            if found.test.k <= _COMMON * seeds:
                return found
        attempts //= 2
    raise Refusal(
        f"With ε = {epsilon:g}, fewer than {_FEWEST} candidates of a seed each can be paid for.",
        "Choose a larger ε or a larger table.",
        field="epsilon",
    )


def _calibrated(records: Records, budget: Budget, source: RandomSource) -> BayesianNetwork:
    learner = CalibratedLearner.within(records.schema, budget)
    _within(learner.cost, budget.epsilon, budget.delta)
    return learner.learn(records, Noise(source), source.child()).network


def marginals(
    records: Records, epsilon: float, delta: float, count: int, source: RandomSource
) -> Made:
    """Every attribute for itself, from all of the records."""
    watch = Stopwatch()
    learner = ParameterLearner.within(records.schema, Budget(epsilon, delta))
    _within(learner.cost, epsilon, delta)
    return drawn(learn_marginals(records, learner, Noise(source)), count, source, watch)


WAYS: Mapping[str, Way] = {
    "calibrated": calibrated,
    "distilled": distilled,
    "seedbased": seedbased,
    "as-published": as_published,
    "marginals": marginals,
}
"""Every way, by the key of its method."""


def _seedless(schema: Schema) -> Omega:
    return Omega(low=len(schema), high=len(schema))


def _within(spent: Budget, epsilon: float, delta: float) -> None:
    """Check that no more is spent than was asked for, except for the last place of a sum."""
    if spent.epsilon > epsilon * (1 + 1e-9) or spent.delta > delta * (1 + 1e-9):
        raise ValueError(f"{spent} is spent where ({epsilon:g}, {delta:g}) may be")


def drawn(network: BayesianNetwork, count: int, source: RandomSource, watch: Stopwatch) -> Made:
    """So many records of a network that was being learned until now."""
    fit = watch.lap()
    schema = network.schema
    nobody = Records(schema, np.empty((0, len(schema)), dtype=np.uint16))
    plan = Plan.of(schema, omega=_seedless(schema))
    drawing = synthesizer(plan, network, nobody)
    parts = [
        drawing.model.in_schema_order(
            drawing.propose(first, min(BATCH, count - first), source).codes
        )
        for first in range(0, count, BATCH)
    ]
    return Made(np.concatenate(parts), fit, watch.lap())


def main(folder: Path) -> None:
    """Do the job in this folder.

    A million records are made by a run of their own, as a way need not draw one record like the
    next; all of it counts that depends on how many there are.
    """
    job = Job.read(folder)
    schema = Schema.load(folder / "schema.json")
    records = Records(schema, job.codes())
    way = WAYS[job.method]
    source = RandomSource.fixed(job.seed)
    made = way(records, job.epsilon, job.delta, job.count, source)
    peak = peak_bytes()
    million = None
    # What cannot make as many as were asked for makes no million either.
    if job.million and len(made.codes) == job.count:
        again = RandomSource.fixed(job.seed)
        million = million_of(way(records, job.epsilon, job.delta, MILLION, again).sample)
    job.leave(made.codes, made.fit, made.sample, peak, million)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
