"""How far one replaced record moves a score: every class, and ways to score that have no bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.core.arrays import IntArray
from understudy.mechanisms.pmse.gini import Gini, sensitivity
from understudy.mechanisms.pmse.partitions import (
    Axis,
    Crossed,
    DepthTwo,
    Forest,
    Guillotine,
    Partitions,
    Stump,
)
from understudy.studies.pmse.common_practice import PAIRS, NeighbourTables, exclusive_or

PART: Final = "Models chosen by their pMSE"
SOURCE: Final = "docs/pmse.md"


Score = Callable[[IntArray, IntArray], float]
"""From a real and a made table, (records, axes) bins each."""

_AXES: Final = (Axis(3), Axis(2), Axis(2, ordered=False))
_EVERY: Final = (0, 1, 2)
_TABLES: Final = 60
_CP: Final = 0.1
_LARGEST: Final = 8
"""How many made records a table has at most."""
_PUBLISHED: Final = (
    ("a greedy tree of depth two", "two columns in unlike values",
     "Snoke and Slavković 2018, Theorem 4.1"),
    ("a single split with cp = 0.01", "cp jump", "Snoke and Slavković 2018, Section 5"),
    ("a single split whose leaves need 50 records", "fewest records of a leaf",
     "usual practice with trees"),
)  # fmt: skip
_CLASSES: Final[dict[str, Partitions]] = {
    "the best single cut": Stump(_AXES, _EVERY),
    "the best tree of depth two": DepthTwo(_AXES, _EVERY),
    "the best tree of depth two, one column in focus": DepthTwo(_AXES, (1,)),
    "the best of random trees": Forest(_AXES, _EVERY, trees=8, depth=3),
    "the best boxes, each at a price": Guillotine(_AXES, 1),
    "the mean over pairs of crossed bins": Crossed(_AXES, _EVERY),
}


def list_checks() -> tuple[Check, ...]:
    """Check that each class keeps to its sensitivity; the published way to score does not keep to
    1/n."""
    claim = "⌈2^k·n_s/(n_s + 1)⌉ in whole numbers, Δu = n_s/((n_s + 1)·(n + n_s))"
    return (
        *(
            Check(PART, f"how far one record moves {name}", claim, SOURCE, partial(_classes, each))
            for name, each in _CLASSES.items()
        ),
        Check(
            PART,
            "the bound is attained",
            "1/Δu of a record that leaves a leaf of real records for one of made ones",
            SOURCE,
            _measure_attained,
        ),
        *(
            Check(PART, f"as published: how far one record moves {name}", "1/n", source,
                  partial(_measure_published, PAIRS[pair]), "counter-example")
            for name, pair, source in _PUBLISHED
        ),
    )  # fmt: skip


def list_mutants() -> tuple[Check, ...]:
    """Return scores without a bound, under the label of those with one."""
    return (
        Check.mutant(
            "a greedy tree is scored as if it were the best one",
            "the root is split where it gains most by itself, then each side",
            partial(_list_neighbours, _greedy),
        ),
        Check.mutant(
            "a split has to reach a threshold",
            f"the best single cut counts only where it lowers GI by {_CP:g} of its whole",
            partial(_list_neighbours, _threshold),
        ),
        Check.mutant(
            "bins hold equally many real records",
            "cuts lie where the confidential records say",
            partial(_list_neighbours, _own_bins),
        ),
    )


def _classes(partitions: Partitions, effort: Effort) -> MeasuredValue:
    return _list_neighbours(partial(_best, partitions), effort)


def _best(partitions: Partitions, real: IntArray, made: IntArray) -> float:
    ours, theirs = (
        partitions.counts([column[None] for column in table.T]) for table in (real, made)
    )
    return float(partitions.best(Gini(len(made)), ours, theirs)[0])


def _list_neighbours(score: Score, effort: Effort) -> MeasuredValue:
    """Return tables, each with every record that could stand in the place of its first."""
    sizes, found = tuple(each.bins for each in _AXES), NOTHING
    for real, made in _tables(effort):
        before, allowed = score(real, made), Gini(len(made)).sensitivity
        for other in np.ndindex(*sizes):
            changed = real.copy()
            changed[0] = other
            moved = abs(score(changed, made) - before) / allowed
            found |= MeasuredValue(1, moved, f"{len(real)} real and {len(made)} made records")
    return found


def _tables(effort: Effort) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield pairs made to break what can be broken, and random ones."""
    pair = exclusive_or(_LARGEST)
    yield pair.real.astype(np.int64), pair.made.astype(np.int64)
    between, ends = np.ones((_LARGEST, 3), dtype=np.int64), np.zeros((_LARGEST + 1, 3), np.int64)
    ends[: _LARGEST // 2 + 1, 0] = 2
    yield ends, between
    # One of two records goes to where all made ones are, and a split gains less than a threshold.
    apart = np.zeros((2, 3), dtype=np.int64)
    apart[:, 0] = 2
    yield apart, np.zeros((_LARGEST, 3), dtype=np.int64)
    random, sizes = np.random.default_rng(effort.seed), np.array([each.bins for each in _AXES])
    for _ in range(effort.of(_TABLES)):
        n, n_s = random.integers(2, _LARGEST + 1, 2)
        made = random.integers(0, random.integers(1, sizes + 1), (n_s, 3))
        yield random.integers(0, sizes, (n, 3)), made


def _measure_attained(effort: Effort) -> MeasuredValue:
    found = NOTHING
    for n in (1, 2, 5, 40):
        for n_s in (1, 2, 5, 40):
            real, made = np.zeros((n, 3), dtype=np.int64), np.ones((n_s, 3), dtype=np.int64)
            before = _best(_CLASSES["the best single cut"], real, made)
            real[0] = 1
            gini = Gini(n_s)
            moved = before - _best(_CLASSES["the best single cut"], real, made)
            # Short of the bound would break the claim that it is attained.
            found |= MeasuredValue(1, gini.sensitivity / moved, f"{n} real and {n_s} made records")
    return found


def _measure_published(pair: Callable[[], NeighbourTables], _: Effort) -> MeasuredValue:
    return _pair(pair())


def _pair(pair: NeighbourTables) -> MeasuredValue:
    one, two = pair.scores()
    n = len(pair.real)
    assert float(sensitivity(n, n)) < 1 / n
    return MeasuredValue(1, abs(one - two) * n, f"{n:,} records, one of them changed")


def _leaves(real: IntArray, made: IntArray) -> float:
    gini = Gini(_LARGEST)
    counts = (np.array([float(len(each))]) for each in (made, real))
    return float(gini.leaf(*counts)[0])


def _cut(real: IntArray, made: IntArray) -> tuple[float, tuple[Any, ...] | None]:
    """Return the best single cut and its score; no cut where none gains."""
    best, where = _leaves(real, made), None
    for place, axis in enumerate(_AXES):
        for test in axis.tests:
            ours, theirs = (test[table[:, place]] > 0 for table in (real, made))
            score = _leaves(real[ours], made[theirs]) + _leaves(real[~ours], made[~theirs])
            if score > best:
                best, where = score, (ours, theirs)
    return best, where


def _scale(made: IntArray) -> float:
    """From the units of `_leaves` to those of the tables' own scores."""
    return float(2.0 ** (Gini(len(made)).bits - Gini(_LARGEST).bits))


def _greedy(real: IntArray, made: IntArray) -> float:
    score, where = _cut(real, made)
    if where is None:
        return score * _scale(made)
    ours, theirs = where
    sides = ((real[ours], made[theirs]), (real[~ours], made[~theirs]))
    return sum(_cut(*side)[0] for side in sides) * _scale(made)


def _threshold(real: IntArray, made: IntArray) -> float:
    whole = _leaves(real, made)
    score, _ = _cut(real, made)
    reach = _CP * len(made) * 2.0 ** Gini(_LARGEST).bits
    return (score if score - whole >= reach else whole) * _scale(made)


def _own_bins(real: IntArray, made: IntArray) -> float:
    """Return a cut of the first column at the median of the real records."""
    at = np.median(real[:, 0])
    ours, theirs = (table[:, 0] <= at for table in (real, made))
    score = _leaves(real[ours], made[theirs]) + _leaves(real[~ours], made[~theirs])
    return score * _scale(made)
