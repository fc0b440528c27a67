"""How often intervals from several synthetic tables hold the truth: `python -m benchmarks
several-tables`.

The populations are those of `python -m benchmarks intervals`. Of each release, the noisy answers
are drawn again several times from what is known of them: as they were answered, with noise of the
same law, and with the chance that a sample of as many records of the model has. A model is fitted
to each draw, as the released one was or following the draw closely, and a table is drawn from it.
An analyst takes the estimate of each table and its variance as if its rows were records, and
combines them for fully synthetic tables (Raghunathan, Reiter and Rubin 2003): (1 + 1/m)·B − Ū, or
Ū if that is more, with B the variance between tables and Ū their mean variance. Beside stand B
alone, and one table taken as if its rows were records.

No such interval holds the truth as often as it says in every setting, so that none is offered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy import special

from benchmarks.intervals import (
    DELTA,
    Population,
    add_up,
    make_schema,
    questions,
    true_value,
)
from benchmarks.intervals import table as tabulate
from benchmarks.size import Size
from understudy.core.arrays import FloatArray
from understudy.inference.questions import IntervalQuestion
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.calibrated.networks import Carried, fit_records
from understudy.models.views import Rows
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

TABLES: Final = 10
TRUTHS: Final[Mapping[Size, int]] = {"full": 200, "quick": 40, "tiny": 1}
SETTINGS: Final[Mapping[Size, tuple[tuple[int, float], ...]]] = {
    "full": tuple((rows, epsilon) for rows in (2_000, 20_000) for epsilon in (0.3, 1.0, 3.0)),
    "quick": ((2_000, 1.0), (2_000, 3.0), (20_000, 0.3), (20_000, 1.0), (20_000, 3.0)),
    "tiny": ((2_000, 1.0),),
}
_FEWEST: Final = 8_000
_DRAWN: Final = 20_000
_EXPECTED: Final = 60_000
_KEPT: Final = 0.5


@dataclass(frozen=True, eq=False)
class _Release:
    schema: Schema
    model: LearnedModel
    source: RandomSource
    random: np.random.Generator

    @property
    def rows(self) -> int:
        """How many rows each table has."""
        return round(self.model.records)

    def draw_rows(self, network: BayesianNetwork, count: int) -> Rows:
        """Return rows of a network."""
        return Rows(self.schema, list(network.records(count, self.source)))

    def draw_particles(self, network: BayesianNetwork) -> Particles:
        """Return rows that stand for the model while it is fitted."""
        return Particles.of(self.draw_rows(network, _DRAWN), self.model.records)

    def draw_answers(self, expected: Rows, *, closely: bool) -> list[MeasuredMarginal]:
        """Return the noisy answers, drawn again."""
        sample = self.draw_rows(self.model.network, self.rows)
        found = []
        for table in self.model.measured:
            chance = sample.counts(table.marginal) - expected.counts(table.marginal) * (
                self.rows / len(expected)
            )
            noise = self.random.normal(0, table.deviation, len(table.counts))
            drawn = replace(table, counts=table.counts + chance + noise)
            found.append(replace(drawn, deviation=1.0, trust=0.0) if closely else drawn)
        return found

    def draw_table(self, expected: Rows, *, closely: bool) -> FloatArray:
        """Return the counts of a table drawn from a model that is fitted to answers drawn again."""
        begun = Carried(self.model.network, self.draw_particles(self.model.network))
        answers = self.draw_answers(expected, closely=closely)
        fitted = fit_records(begun, answers, self.draw_particles, least=_KEPT, redraws=1).model
        chances = fitted.weights / fitted.weights.sum()
        return self.count(fitted.rows, self.random.choice(len(chances), self.rows, p=chances))

    def count(self, rows: Rows, places: Any = slice(None)) -> FloatArray:
        """Return how many of some rows have each combination of values."""
        found = np.zeros(self.schema.cardinalities.tolist())
        np.add.at(found, tuple(column[places].astype(np.int64) for column in rows.columns), 1.0)
        return found


def measure_truth(seed: int, rows: int, epsilon: float) -> dict[str, list[int]]:
    """Return how many intervals of several tables of one release hold the truth."""
    schema = make_schema()
    random = np.random.default_rng([seed, rows, round(1000 * epsilon)])
    population = Population.draw(schema, random)
    source = RandomSource.fixed(int(random.integers(1 << 31)))
    learner = CalibratedLearner.within(schema, Budget(epsilon, DELTA))
    model = replace(learner, fewest=_FEWEST).learn(
        population.draw_records(rows, random), Noise(source), source.child()
    )
    release = _Release(schema, model, source, random)
    expected = release.draw_rows(model.network, _EXPECTED)
    tables = {
        way: [release.draw_table(expected, closely=closely) for _ in range(TABLES)]
        for way, closely in (("refitted", False), ("closely", True))
    }
    one = release.count(release.draw_rows(model.network, release.rows))
    pairs = {tuple(sorted(view.attribute for view in each.marginal)) for each in model.answers}
    tally: dict[str, list[int]] = {}
    for kind, question in questions(schema):
        names = [each for each in (question.column, question.by, question.on) if each]
        counted = tuple(sorted(schema.index(name) for name in names)) in pairs
        if kind == "count" or not counted:
            continue
        truth = true_value(question, schema, population.chances)
        for way, reaches in _list_reaches(question, schema, tables, one).items():
            if not math.isfinite(sum(reaches)):
                continue
            entry = tally.setdefault(f"{kind}, {way}", [0, 0])
            entry[0] += int(abs(reaches[0] - truth) <= reaches[1])
            entry[1] += 1
    return tally


def _list_reaches(
    question: IntervalQuestion,
    schema: Schema,
    tables: Mapping[str, list[FloatArray]],
    one: FloatArray,
) -> dict[str, tuple[float, float]]:
    """Return the middle of each kind of interval, and how far it reaches."""
    value, variance = _estimate(question, schema, one)
    found = {"one table as if real": (value, 1.96 * math.sqrt(variance))}
    student = float(special.stdtrit(TABLES - 1, 0.975))
    for way, each in tables.items():
        estimates = np.array([_estimate(question, schema, table) for table in each])
        between = (1 + 1 / TABLES) * float(estimates[:, 0].var(ddof=1))
        within, middle = float(estimates[:, 1].mean()), float(estimates[:, 0].mean())
        combined = max(between - within, within)
        found[f"{way}, combined"] = middle, student * math.sqrt(combined)
        found[f"{way}, between alone"] = middle, student * math.sqrt(between)
    return found


def _estimate(
    question: IntervalQuestion, schema: Schema, counts: FloatArray
) -> tuple[float, float]:
    """Return an estimate from a table, and its variance by leaving out blocks of rows."""
    blocks = 20
    random = np.random.default_rng(0)
    parts, left = [], counts.copy()
    for place in range(blocks, 1, -1):
        part = random.binomial(left.astype(np.int64), 1 / place).astype(float)
        parts.append(part)
        left = left - part
    parts.append(left)
    value = true_value(question, schema, counts)
    without = np.array([true_value(question, schema, counts - part) for part in parts])
    spread = (blocks - 1) / blocks * float(np.square(without - without.mean()).sum())
    return value, spread


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Measure the coverage at every ε and size."""
    coverage = [
        {
            "rows": rows,
            "epsilon": epsilon,
            "kinds": add_up([measure_truth(each, rows, epsilon) for each in range(TRUTHS[size])]),
        }
        for rows, epsilon in SETTINGS[size]
    ]
    return {"truths": TRUTHS[size], "coverage": coverage}


def table(figures: Mapping[str, Any]) -> str:
    """The shares of intervals that hold the truth, for the documents."""
    return tabulate(figures).partition("\n\n")[0]
