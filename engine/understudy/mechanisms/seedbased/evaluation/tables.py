"""Tables to compare: the release, real records, and other predictors.

Records made here are for comparison only. They come from the same model, seeds and test as a
release, are covered by no guarantee, and are never written anywhere a release could be found.

Learned for comparison only, from the records that the run's own model was learned from. They are
covered by no guarantee and never propose a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import (
    CANDIDATES,
    FEWEST,
    MARGINALS,
    REALS,
    RELEASED,
    WITHOUT_NOISE,
    Table,
    cut_to_size,
)
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split

_MOST_ATTEMPTS = 64


@dataclass(frozen=True, eq=False)
class Making:
    """How the records of a release are made. Confidential.

    Attributes:
        split: the parts of the confidential table.
        network: the model candidates come from.
        baseline: the private marginals.
        decision: the test that candidates pass.
        planned: ω of the plan, whose candidates are also shown before the test.
        omegas: every ω that a table is made at.
    """

    split: Split
    network: Sequential
    baseline: Sequential
    decision: Decision
    planned: Omega
    omegas: Sequence[Omega]

    @property
    def seedless(self) -> Omega:
        """ω = m."""
        attributes = len(self.split.seeds.schema)
        return Omega(low=attributes, high=attributes)

    def possible(self, omega: Omega) -> bool:
        """Return whether there is a seed to keep something of, or nothing is kept."""
        return len(self.split.seeds) > 0 or omega.low == self.seedless.low


def tables_of(
    making: Making, reals: Records, released: Records | None, most: int, source: RandomSource
) -> tuple[Table, ...]:
    """Return every table that has at least `FEWEST` records, the references first.

    Args:
        making: how records are made.
        reals: other real records.
        released: what was released; None for a rehearsal or a reproduction.
        most: how many records to make.
        source: where seeds and draws come from.
    """
    seeds, seedless = making.split.seeds, making.seedless
    tables = [
        Table(REALS, "reals", reals),
        Table(
            MARGINALS, "marginals", _propose_records(making.baseline, seeds, seedless, most, source)
        ),
    ]
    if released is not None:
        tables.append(Table(RELEASED, "released", released))
    # Of a plan that tests nothing, candidates are further draws of the law that was released.
    again = released is not None and making.planned.low == seedless.low
    if making.possible(making.planned) and not again:
        before = _propose_records(making.network, seeds, making.planned, most, source)
        tables.append(Table(CANDIDATES, "candidates", before))
    omegas = [each for each in making.omegas if not (again and each.low == seedless.low)]
    for omega in filter(making.possible, omegas):
        passed = _draw_passed(making.network, seeds, omega, making.decision, most, source)
        tables.append(Table(f"ω = {omega}", "synthetic", passed))
    return tuple(each for each in tables if len(each.records) >= FEWEST)


def comparable(
    making: Making, released: Records | None, most: int, source: RandomSource
) -> tuple[Table, ...]:
    """Return the tables of `tables_of`, all cut to the size of the smallest that counts.

    Args:
        making, released, source: as there.
        most: how many records of each to look at; at least `FEWEST`.
    """
    reals = apart_from(making.split, making.planned)
    # No table is made longer than the others can be.
    given = [len(reals), most if released is None else len(released)]
    size = min([most, *(each for each in given if each >= FEWEST)])
    tables = long_enough(tables_of(making, reals, released, size, source), size)
    return cut_to_size(tables, size, np.random.default_rng(source.words(1)))


def made_from(split: Split, planned: Omega) -> Records:
    """Return the records that a release of this ω was made from: the seeds or, where nothing of a
    seed is kept, those that its model was learned from; half of these, where they have to do for
    `apart_from` too."""
    if not _from_model_alone(split, planned):
        return split.seeds
    return together(split) if len(split.seeds) >= FEWEST else _half(split, 0)


def apart_from(split: Split, planned: Omega) -> Records:
    """Return real records that are neither held out nor among those of `made_from`.

    With seeds in play these are what its model was learned from, as it shows less of them. Where
    all comes from the model they are the seeds, if there are enough of them to compare, or else
    the other half of what it was learned from.
    """
    if not _from_model_alone(split, planned):
        return together(split)
    return split.seeds if len(split.seeds) >= FEWEST else _half(split, 1)


def _from_model_alone(split: Split, planned: Omega) -> bool:
    """Return whether a release owes nothing to the seeds."""
    return planned.low == len(split.seeds.schema)


def _half(split: Split, which: int) -> Records:
    """Return one of two halves of the records that the model was learned from, always the same. By
    chance, as the order of a table may mean something."""
    records = together(split)
    mixed = np.random.default_rng(0).permutation(len(records))
    return records.take(np.sort(mixed[which::2]))


def long_enough(tables: Sequence[Table], size: int) -> tuple[Table, ...]:
    """Return without tables of another ω that so few candidates pass at that they are not half as
    long as asked for: they are there to compare with, and all others would be cut to their size."""
    return tuple(
        each for each in tables if each.role != "synthetic" or 2 * len(each.records) >= size
    )


def _propose_records(
    network: Sequential, seeds: Records, omega: Omega, count: int, source: RandomSource
) -> Records:
    """Return candidates as they come, tested by nobody."""
    made = Synthesizer(KeptAttributes(network, omega), seeds)
    parts = [
        made.model.in_schema_order(made.propose(first, min(BATCH, count - first), source).codes)
        for first in range(0, count, BATCH)
    ]
    return Records(seeds.schema, np.concatenate(parts))


def _draw_passed(
    network: Sequential,
    seeds: Records,
    omega: Omega,
    decision: Decision,
    count: int,
    source: RandomSource,
) -> Records:
    """Return `count` candidates that pass, or as many as do before too many were tried."""
    made = Synthesizer(KeptAttributes(network, omega), seeds)
    parts = [np.empty((0, len(seeds.schema)), dtype=np.uint16)]
    passed = first = 0
    while passed < count and first < _MOST_ATTEMPTS * max(BATCH, count):
        parts.append(release(made, decision, first, BATCH, source))
        passed, first = passed + len(parts[-1]), first + BATCH
        if first == 4 * BATCH and not passed:
            break
    return Records(seeds.schema, np.concatenate(parts)[:count])


_FRACTION = 10


def name_network(epsilon: float | None) -> str:
    """Return what a network learned with this ε is called; None for no noise."""
    return WITHOUT_NOISE if epsilon is None else f"ε = {epsilon:g}"


def models_of(
    plan: Plan,
    network: Sequential,
    baseline: Sequential,
    split: Split,
    source: RandomSource,
) -> Mapping[str, Sequential]:
    """Return networks without noise, with the plan's ε and with a tenth of it, then the marginals.

    A plan without noise leaves the first and the last. A tenth that is less than a plan may
    spend is left out.

    Args:
        plan: of the run.
        network: the run's own model, which stands under the plan's ε unless it has no edges by
            plan.
        baseline: the private marginals, under the plan's ε.
        split: the parts of the confidential table.
        source: where the noise comes from.
    """
    epsilon = plan.model.epsilon
    wanted = (None,) if epsilon is None else (None, epsilon, epsilon / _FRACTION)
    found = {}
    for each in wanted:
        own = each == epsilon and plan.model.about.relates
        learned = network if own else _learn_network(plan, each, split, source)
        if learned is not None:
            found[name_network(each)] = learned
    return {**found, MARGINALS: baseline}


def _learn_network(
    plan: Plan, epsilon: float | None, split: Split, source: RandomSource
) -> Sequential | None:
    """Return a network like the plan's with another ε; None where no plan may have that."""
    schema = split.parameters.schema
    try:
        model = plan.model.at(epsilon)
        if not model.about.relates:
            model = ModelPlan(epsilon=epsilon)
        return learn(plan.change(schema, model=model), schema, split, source).network
    except Refusal:
        return None
