"""The size and the settings of a reproduction, and the models whose accuracy is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

import numpy as np

from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS
from understudy.mechanisms.seedbased.evaluation.tables import name_network
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.mechanisms.seedbased.models import PUBLISHED
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource
from understudy.studies.seedbased import publication
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares, Split

PUBLISHED_ROWS = 1_500_000
"""People in the simulated census of a full reproduction, about as many as were published."""

FEWEST = 2_000
"""With fewer records the parts are too small for a table of each kind."""

_QUICK = 10


@dataclass(frozen=True)
class SeedbasedStudySizes:
    """How many records each part gets; as published, unless said otherwise."""

    seeds: int = publication.SEEDS
    structure: int = publication.STRUCTURE
    parameters: int = publication.PARAMETERS
    held_out: int = publication.HELD_OUT

    @classmethod
    def of(cls, rows: int) -> SeedbasedStudySizes:
        """Return the published sizes in proportion to the rows of a table.

        About a fifteenth of the published table served no purpose, and so it does here.

        Raises:
            Refusal: the rows are too few.
        """
        enough(rows, "rows")
        return cls(*(size * rows // PUBLISHED_ROWS for size in cls().each))

    def tenth(self) -> SeedbasedStudySizes:
        """Return the setting at a tenth of the size."""
        return SeedbasedStudySizes(*(size // 10 for size in self.each))

    @property
    def each(self) -> tuple[int, int, int, int]:
        """The four sizes in the order of the attributes."""
        return self.seeds, self.structure, self.parameters, self.held_out

    @property
    def total(self) -> int:
        """The records of all parts together."""
        return sum(self.each)

    @property
    def shares(self) -> Shares:
        """The chance of each part, for a table that is split by coins."""
        rounded = [round(size / self.total, 2) for size in self.each[1:]]
        return Shares(
            seeds=round(1 - sum(rounded), 2),
            structure=rounded[0],
            parameters=rounded[1],
            held_out=rounded[2],
        )

    def cut(self, records: Records) -> Split:
        """Return simulated records, cut by position: records of a simulator are exchangeable."""
        bounds = [0, *accumulate(self.each)]
        return Split(
            *(
                Records(records.schema, records.codes[start:stop].copy())
                for start, stop in pairwise(bounds)
            )
        )


def enough(rows: int, field: str | None = None) -> None:
    """Check that there are enough records to reproduce anything on.

    Raises:
        Refusal: there are not.
    """
    if rows < FEWEST:
        raise Refusal(
            "There are too few records to run the published evaluation on.",
            f"It takes {FEWEST:,} or more.",
            field=field,
        )


@dataclass(frozen=True)
class SeedbasedStudySetting:
    """What is tried, and how thoroughly.

    Attributes:
        omegas: every ω that a table is made at.
        most: records of each table, and held out, that are looked at, at most. Classifiers are
            trained on all of a table, distinguishers on half of it.
        tested: of the held-out ones, how many models are tested on, at most.
        repeats: blocks of records whose absence gives the intervals of classifiers.
        models: how many private models of each ε stand for the noise of learning.
        scored: candidates of each ω whose scores give the pass rates.
        timed: numbers of released records by which the time is taken.
    """

    omegas: tuple[Omega, ...]
    most: int = publication.TRAINING
    tested: int = 50_000
    repeats: int = publication.RUNS
    models: int = publication.MODELS
    scored: int = 1 << 17
    timed: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)

    @classmethod
    def of(cls, attributes: int) -> SeedbasedStudySetting:
        """Return the published setting for so many columns."""
        return cls(omegas_of(attributes))

    def cut(self, rows: int | None) -> str:
        """Return what is done less of than was published, in words; "" for nothing.

        Args:
            rows: people that were simulated; None for a table that is as large as it is.
        """
        full = SeedbasedStudySetting(self.omegas)
        less = {
            "people": (rows or PUBLISHED_ROWS, PUBLISHED_ROWS),
            "records of each table at most": (self.most, full.most),
            "models at each ε": (self.models, full.models),
        }
        said = [
            f"{ours:,} {what} instead of {whole:,}"
            for what, (ours, whole) in less.items()
            if ours < whole
        ]
        return f"Cut short: {', '.join(said)}." if said else ""

    def quick(self) -> SeedbasedStudySetting:
        """Return a tenth of the records, and fewer models."""
        return SeedbasedStudySetting(
            self.omegas,
            most=self.most // _QUICK,
            tested=self.tested // _QUICK,
            repeats=self.repeats,
            models=3,
            scored=self.scored // _QUICK,
            timed=self.timed[:-1],
        )


def omegas_of(attributes: int) -> tuple[Omega, ...]:
    """m, m − 1, m − 2, [m − 2, m] and [m/2, m], as far as they differ: for m = 11 as published."""
    m = attributes
    ends = [(m, m), (m - 1, m - 1), (m - 2, m - 2), (m - 2, m), (m // 2, m)]
    wanted = {(max(1, low), max(1, high)) for low, high in ends}
    ordered = sorted(wanted, key=lambda each: (each[0] != each[1], -each[0]))
    return tuple(Omega(low=low, high=high) for low, high in ordered)


def published_plan(schema: Schema, shares: Shares, epsilon: float | None) -> Plan:
    """Return the published plan: the test with k = 50, γ = 4 and ε0 = 1, and a model at this ε.

    Raises:
        Refusal: the schema takes no plan.
    """
    return Plan.of(
        schema,
        test=TEST,
        delta=publication.DELTA,
        model=ModelPlan(kind=PUBLISHED, epsilon=epsilon),
        shares=shares,
    )


TEST = PlausibleDeniability(k=publication.K, gamma=publication.GAMMA, epsilon0=publication.EPSILON0)
PASSING_TEST = PlausibleDeniability(
    k=publication.K, gamma=publication.PASSING_GAMMA, epsilon0=publication.EPSILON0
)


EPSILONS: Mapping[str, float | None] = {
    name_network(each): each
    for each in (None, publication.MODEL_EPSILON, publication.MODEL_EPSILON / 10)
}
"""ε of each kind of model, by what it is called (Figure 8.1)."""

UNNOISED: Final = f"{MARGINALS}, without noise"
"""The marginals of Figure 2; those of Figure 1, and of all tables, are private."""
_NUMBER = " #"


def networks_of(
    parts: Split,
    shares: Shares,
    baseline: Sequential,
    each: int,
    source: RandomSource,
) -> dict[str, Sequential]:
    """Return the marginals with noise and without, and of each kind as many models as its noise
    needs.

    Args:
        parts: what to learn from.
        shares: of the records that are in each part.
        baseline: the private marginals.
        each: how many models of a kind that is learned with noise.
        source: where the noise comes from.
    """
    schema = parts.seeds.schema
    exact = learn_baseline(published_plan(schema, shares, None), parts, source)
    learned = {MARGINALS: baseline, UNNOISED: exact}
    for name, epsilon in EPSILONS.items():
        plan = published_plan(schema, shares, epsilon)
        for number in range(1 if epsilon is None else each):
            network = learn(plan, schema, parts, source).network
            learned[f"{name}{_NUMBER}{number + 1}"] = network
    return learned


def average_by_kind(evaluation: Evaluation, key: str) -> dict[str, dict[str, float]]:
    """Return what a measure found of each kind of model, averaged over its models, by column.

    Empty where it found nothing.
    """
    finding = evaluation.finding(key)
    if finding is None:
        return {}
    grouped: dict[str, dict[str, list[float]]] = {}
    for name, measured in finding.by_subject.items():
        columns = grouped.setdefault(name.partition(_NUMBER)[0], {})
        for part in measured.parts:
            columns.setdefault(part.of[0], []).append(part.value)
    return {
        kind: {column: float(np.mean(values)) for column, values in columns.items()}
        for kind, columns in grouped.items()
    }


def learned_kinds(kinds: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """Return the kinds of learned models that Figure 1 compares."""
    return {name: each for name, each in kinds.items() if name in EPSILONS}


def compared_with(
    kinds: Mapping[str, Mapping[str, float]], kind: str
) -> dict[str, Mapping[str, float]]:
    """Return one kind of model, then whatever is no kind of model, such as a random guess."""
    first = {kind: kinds[kind]} if kind in kinds else {}
    return first | {name: each for name, each in kinds.items() if name not in EPSILONS}
