"""How often intervals from noisy tables hold the truth: `python -m benchmarks intervals`.

Each truth is a population of six columns, drawn by lot: every column by itself, every pair of them
related by as much as chance has it, two of them numbers. A table is drawn from it, a tenth of its
records is held out, and the calibrated model is learned from the others as a run learns it. Of the
noisy tables that it asked for, and of nothing else, intervals are made for all that was counted:
counts and shares of values, means, differences of shares and of means between groups, and slopes.
Each interval either holds what the table has, and what the population has, or does not.

What was measured is kept in build/intervals/, and a benchmark that was stopped goes on from there.
The table of what is kept so far is written into a document by

    python -m benchmarks.intervals --write docs/evaluation.md
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.core.arrays import FloatArray
from understudy.inference.inversion import Ends
from understudy.inference.questions import LEVEL, IntervalQuestion, ReleasedCounts
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import Steps
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

DELTA: Final = 1e-9
LEARNED: Final = 0.9
"""The share of the records that is not held out."""
TRUTHS: Final[Mapping[Size, int]] = {"full": 1000, "quick": 100, "tiny": 2}
ROWS: Final[Mapping[Size, tuple[int, ...]]] = {
    "full": (2_000, 20_000), "quick": (2_000, 20_000), "tiny": (2_000,),
}  # fmt: skip
EPSILONS: Final[Mapping[Size, tuple[float, ...]]] = {
    "full": (0.3, 1.0, 3.0), "quick": (0.3, 1.0, 3.0), "tiny": (1.0,),
}  # fmt: skip
LEAST, MOST = 0.93, 0.97
PLACE: Final = Path("build/intervals")
_BEGIN, _END = "<!-- intervals -->", "<!-- /intervals -->"
_FAR: Final = 2.6
"""So many deviations chance explains."""
_TURN: Final = 20
"""So many truths are measured in one setting before the next."""
_FEWEST: Final = 3_000
"""How many drawn records stand for the model while pairs are chosen: they decide which pairs are
counted, and no answer."""


def make_schema() -> Schema:
    """Return the columns: two flags, two of categories, and two of numbers."""
    lists = {"sex": "fm", "employed": "yn", "region": "nesw", "school": "abcde"}
    numbers = {"age": (20, 90, 10), "pay": (0, 45, 5)}
    return Schema(
        columns=(
            *(
                Column(name=name, domain=Categories(values=tuple(values)))
                for name, values in lists.items()
            ),
            *(
                Column(
                    name=name,
                    domain=Grid(
                        kind="numbers",
                        minimum=Decimal(low),
                        maximum=Decimal(high),
                        step=Decimal(step),
                    ),
                )
                for name, (low, high, step) in numbers.items()
            ),
        )
    )


@dataclass(frozen=True, eq=False)
class Population:
    """The chances of every combination of values, in the order of the schema."""

    schema: Schema
    chances: FloatArray

    @classmethod
    def draw(cls, schema: Schema, random: np.random.Generator) -> Population:
        """Return a population by lot: a log-linear model of columns and pairs, in which numbers
        tend to rise or fall together and from group to group."""
        sizes = schema.cardinalities.tolist()
        logs = np.zeros(sizes)
        scores = [_draw_scores(column, random) for column in schema.columns]
        for axis, size in enumerate(sizes):
            logs += _along(random.normal(0, 0.5, size), axis, len(sizes))
        for one, other in combinations(range(len(sizes)), 2):
            strength = random.normal(0, 0.35)
            logs += strength * (
                _along(scores[one], one, len(sizes)) * _along(scores[other], other, len(sizes))
            )
        chances = np.exp(logs - logs.max())
        return cls(schema, chances / chances.sum())

    def draw_records(self, rows: int, random: np.random.Generator) -> Records:
        """Return so many independent records."""
        cells = random.choice(self.chances.size, rows, p=self.chances.ravel())
        codes = np.stack(np.unravel_index(cells, self.chances.shape), axis=1)
        return Records(self.schema, codes.astype(np.uint8))


def _draw_scores(column: Column, random: np.random.Generator) -> FloatArray:
    size = column.cardinality
    if not column.ordered:
        return random.normal(0, 1, size)
    places = np.arange(size) - (size - 1) / 2
    return np.asarray(places / places.std())


def _along(values: FloatArray, axis: int, axes: int) -> FloatArray:
    sizes = [1] * axes
    sizes[axis] = -1
    return values.reshape(sizes)


def questions(schema: Schema) -> Iterator[tuple[str, IntervalQuestion]]:
    """Yield what is asked, by its kind in the table of results."""
    for column in schema.columns:
        yield "count", IntervalQuestion("count", column.name, column.texts[0])
        yield "share", IntervalQuestion("share", column.name, column.texts[-1])
    numbers = [each.name for each in schema.columns if each.ordered]
    groups = [each for each in schema.columns if not each.ordered]
    for number in numbers:
        yield "mean", IntervalQuestion("mean", number)
        for column in groups:
            two = column.texts[:2]
            yield "difference", IntervalQuestion("mean", number, by=column.name, groups=two)
    for one, other in combinations(groups, 2):
        yield (
            "difference",
            IntervalQuestion("share", one.name, one.texts[0], other.name, other.texts[:2]),
        )
    yield "slope", IntervalQuestion("slope", numbers[1], on=numbers[0])


def true_value(question: IntervalQuestion, schema: Schema, weights: FloatArray) -> float:
    """Return what a table of weights, one of each combination of values, answers exactly."""
    at = schema.index(question.column)
    column = schema.columns[at]
    if question.kind == "slope":
        on = schema.index(question.on)
        x, y = (_along(_numbers(schema.columns[each]), each, weights.ndim) for each in (on, at))
        whole = weights.sum()
        mean_x, mean_y = (float((weights * each).sum() / whole) for each in (x, y))
        return float((weights * (x - mean_x) * (y - mean_y)).sum()) / float(
            (weights * (x - mean_x) ** 2).sum()
        )
    values = _numbers(column) if question.kind == "mean" else _ones(column, question.value)
    top = weights * _along(values, at, weights.ndim)
    if question.kind == "count":
        return float(top.sum())
    if not question.by:
        return float(top.sum() / weights.sum())
    by = schema.index(question.by)
    means = []
    for group in question.groups:
        place = schema.columns[by].texts.index(group)
        own = top.take(place, by).sum(), weights.take(place, by).sum()
        means.append(float(own[0] / own[1]) if own[1] else float("nan"))
    return means[0] - means[1]


def _numbers(column: Column) -> FloatArray:
    return np.array([float(text) for text in column.texts])


def _ones(column: Column, value: str) -> FloatArray:
    return np.array([float(text == value) for text in column.texts])


Tally = dict[str, list[int]]
"""Of each kind of interval: how many hold the truth, and how many there are."""


def measure_truth(seed: int, rows: int, epsilon: float) -> Tally:
    """Return how many intervals from the noisy tables of one release hold the truth."""
    schema = make_schema()
    random = np.random.default_rng([seed, rows, round(1000 * epsilon)])
    population = Population.draw(schema, random)
    records = population.draw_records(rows, random)
    counts = np.zeros(population.chances.shape)
    np.add.at(counts, tuple(records.codes.T.astype(np.int64)), 1.0)
    learned = records.take(np.flatnonzero(random.random(rows) < LEARNED))
    source = RandomSource.fixed(int(random.integers(1 << 31)))
    learner = CalibratedLearner.within(schema, Budget(epsilon, DELTA), steps=Steps(distil=False))
    learner = replace(learner, fewest=_FEWEST)
    model = learner.learn(learned, Noise(source), source.child())
    released = ReleasedCounts(schema, model.answers, LEARNED)
    pairs = {tuple(sorted(view.attribute for view in each.marginal)) for each in model.answers}
    tally: Tally = {}
    for kind, question in questions(schema):
        names = [each for each in (question.column, question.by, question.on) if each]
        if tuple(sorted(schema.index(name) for name in names)) not in pairs:
            continue
        answer = released.answer(question)[-1]
        note(tally, f"{kind}, table", answer.table, true_value(question, schema, counts))
        if answer.population is not None:
            truth = true_value(question, schema, population.chances)
            note(tally, f"{kind}, population", answer.population, truth)
    return tally


def note(tally: Tally, kind: str, ends: Ends, truth: float) -> None:
    """Note whether an interval holds the truth; one that is about no record is left out."""
    if np.isnan(truth):
        return
    entry = tally.setdefault(kind, [0, 0, 0])
    entry[0] += ends.covers(truth)
    entry[1] += 1
    entry[2] += bool(np.isfinite(ends.high - ends.low))


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Measure the coverage at every ε and size, going on from what is kept."""
    kept = size != "tiny"
    settings = [(rows, epsilon) for rows in ROWS[size] for epsilon in EPSILONS[size]]
    done = {each: _load(*each) if kept else {} for each in settings}
    for first in range(0, TRUTHS[size], _TURN):
        for each in settings:
            turn = range(first, min(first + _TURN, TRUTHS[size]))
            missing = [seed for seed in turn if str(seed) not in done[each]]
            for seed in missing:
                done[each][str(seed)] = measure_truth(seed, *each)
            if kept and missing:
                _save(*each, done[each])
    return summarize(done, TRUTHS[size])


def summarize(done: Mapping[tuple[int, float], Mapping[str, Tally]], truths: int) -> dict[str, Any]:
    """Return the figures of all truths, by rows and ε."""
    found = []
    for (rows, epsilon), tallies in done.items():
        chosen = [tallies[str(seed)] for seed in range(truths)]
        found.append({"rows": rows, "epsilon": epsilon, "kinds": add_up(chosen)})
    return {"truths": truths, "coverage": found}


def add_up(tallies: list[Tally]) -> Tally:
    """Return several tallies as one."""
    found: Tally = {}
    for tally in tallies:
        for kind, numbers in tally.items():
            entry = found.setdefault(kind, [0] * len(numbers))
            for place, number in enumerate(numbers):
                entry[place] += number
    return found


def _path(rows: int, epsilon: float) -> Path:
    return PLACE / f"{rows}-{epsilon:g}.json"


def _load(rows: int, epsilon: float) -> dict[str, Tally]:
    path = _path(rows, epsilon)
    found: dict[str, Tally] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _save(rows: int, epsilon: float, done: dict[str, Tally]) -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    _path(rows, epsilon).write_text(json.dumps(done))


def table(figures: Mapping[str, Any]) -> str:
    """The shares of intervals that hold the truth, for the documents, and what misses by name."""
    kinds = sorted({kind for each in figures["coverage"] for kind in each["kinds"]})
    heads = [f"{each['rows']:,} rows, ε = {each['epsilon']:g}" for each in figures["coverage"]]
    lines = [
        "| intervals of 95 % that hold the truth | " + " | ".join(heads) + " |",
        "|---|" + "---:|" * len(heads),
    ]
    for kind in kinds:
        cells = []
        for each in figures["coverage"]:
            held, many, *_ = each["kinds"].get(kind, (0, 0))
            cells.append(f"{100 * held / many:.1f} % of {many:,}" if many else "–")
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", _name_misses(figures)])


def _name_misses(figures: Mapping[str, Any]) -> str:
    """Return which kinds of interval hold the truth more or less often than 93 to 97 in 100, and
    which of them chance does not explain if 95 in 100 do."""
    missed: dict[bool, list[str]] = {True: [], False: []}
    for each in figures["coverage"]:
        for kind, (held, many, *_) in sorted(each["kinds"].items()):
            if many and not LEAST <= held / many <= MOST:
                setting = f"{each['rows']:,} rows, ε = {each['epsilon']:g}"
                chance = bool(
                    abs(held - LEVEL * many) <= _FAR * math.sqrt(many * LEVEL * (1 - LEVEL))
                )
                missed[chance].append(f"{kind} at {setting}")
    said = "; ".join(missed[False]) or "none"
    within = "; ".join(missed[True]) or "none"
    return (
        f"Outside of 93 to 97 %, further than chance explains if 95 % hold: {said}. "
        f"Outside as chance explains for so many: {within}."
    )


def summarize_kept() -> dict[str, Any]:
    """Return the figures of the truths that are kept in every setting."""
    settings = [(rows, epsilon) for rows in ROWS["full"] for epsilon in EPSILONS["full"]]
    done = {each: _load(*each) for each in settings}
    return summarize(done, min(len(tallies) for tallies in done.values()))


def main() -> None:
    """Write the table of what is kept between the marks of a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, required=True)
    path = parser.parse_args().write
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    figures = summarize_kept()
    said = f"Of {figures['truths']:,} populations in each setting:\n\n{table(figures)}\n"
    path.write_text(f"{before}{_BEGIN}\n{said}{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
