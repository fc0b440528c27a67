"""Exact laws of the pMSE mechanism: how far one replaced record moves a score, and whole searches.

Scores are held for every class, beside ways to score that have no bound; searches and Markov chains
by every path of their choices, on tiny tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.scores import exponential, permute_and_flip_law
from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.pmse.gini import Gini, sensitivity
from understudy.mechanisms.pmse.model_search import (
    Class,
    PublicSearch,
    Stage,
    published_signal,
    published_volume,
    search,
    stages_of,
)
from understudy.mechanisms.pmse.partitions import (
    Axis,
    Crossed,
    DepthTwo,
    Forest,
    Guillotine,
    Partitions,
    Stump,
)
from understudy.mechanisms.pmse.regressions import common_numbers
from understudy.mechanisms.pmse.units import lines_of, units_of
from understudy.studies.pmse.common_practice import PAIRS, NeighbourTables, exclusive_or
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

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


_SCHEMA: Final = Schema(
    columns=(
        Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(3))),
        Column(name="y", domain=Categories(values=("a", "b"))),
    )
)
_SIZES: Final = tuple(_SCHEMA.cardinalities.tolist())
_CANDIDATES: Final = 3
_MADE: Final = 5
_RECORDS: Final = 3
_SEARCHED_TABLES: Final = 4
_EPSILON: Final = 2.0
_RHO: Final = 0.3
_ALPHAS: Final = (1.5, 2.0, 8.0)
_UNIT: Final = 1e-9

Law = dict[tuple[float, ...], float]
"""The probability of each outcome, which is all the parameters chosen."""


@dataclass(frozen=True)
class Searched:
    """A search to be taken apart.

    Attributes:
        partitions: the class.
        concentrated: whether costs are added up in ρ.
        whole: whether each of its stages takes what all of them may cost.
        own: whether its prior is moved to where the records are.
    """

    partitions: Class = "depth-two"
    concentrated: bool = False
    whole: bool = False
    own: bool = False

    def setting(self) -> PublicSearch:
        """Return what is public."""
        units = units_of(_SCHEMA, _SCHEMA.names, 1, narrowest=0.05, middles={})
        chance = common_numbers(units, _MADE, 1)
        return PublicSearch(_SCHEMA, units, lines_of(_SCHEMA, ()), chance, self.partitions, 4, 1, 1)

    def stages(self, setting: PublicSearch, codes: IntArray) -> tuple[Stage, ...]:
        """Return two of its choices, with shares that come to the whole."""
        found = stages_of(setting.units, "columns", 1, _CANDIDATES, 0.5)
        chosen = (found[0], found[2], found[-1])
        shares = (0.25, 0.25, 0.5)
        stages = tuple(
            replace(each, share=1.0 if self.whole else share, candidates=_CANDIDATES)
            for each, share in zip(chosen, shares, strict=True)
        )
        return tuple(_moved_to(each, codes) for each in stages) if self.own else stages

    def chances(self, scores: IntArray, share: float) -> FloatArray:
        """Return the law of one choice."""
        delta = Gini(_MADE).sensitivity
        if self.concentrated:
            return exponential(scores, delta / np.sqrt(2 * _RHO * share))
        return permute_and_flip_law(scores, 2 * delta / (_EPSILON * share))

    def law(self, codes: IntArray) -> Law:
        """Of all that is chosen."""
        setting = self.setting()
        stages = self.stages(setting, codes)
        found: Law = {}
        for path in product(range(_CANDIDATES), repeat=len(stages)):
            left, chance = list(path), [1.0]

            def select(
                scores: IntArray,
                share: float,
                left: list[int] = left,
                chance: list[float] = chance,
            ) -> int:
                here = left.pop(0)
                chance[0] *= float(self.chances(scores, share)[here])
                return here

            chosen = search(setting, stages, codes.astype(np.uint16), select)
            key = (*path, *np.round(chosen.parameters / _UNIT).tolist())
            found[key] = found.get(key, 0.0) + chance[0]
        return found


def _moved_to(stage: Stage, codes: IntArray) -> Stage:
    """Return a prior about the mean of the records."""
    shift = np.zeros_like(stage.prior.low)
    shift[0] = codes[:, 0].mean() / 40
    prior = replace(stage.prior, low=stage.prior.low + shift, high=stage.prior.high + shift)
    return replace(stage, prior=prior)


def list_search_checks() -> tuple[Check, ...]:
    """Return a search costs what its choices come to."""
    pure, concentrated = Searched(), Searched(concentrated=True)
    return (
        *(
            Check(
                PART,
                f"a search of three choices, {name}, by ε",
                "Σ ε",
                SOURCE,
                partial(pure_moved, Searched(each)),
            )
            for name, each in (("trees of depth two", pure.partitions), ("boxes", "guillotine"))
        ),
        Check(
            PART,
            "a search of three choices, by ρ",
            "Σ ρ: Rényi divergences of order α are at most αρ",
            SOURCE,
            partial(concentrated_moved, concentrated),
        ),
    )


def list_search_mutants() -> tuple[Check, ...]:
    """Searches that cost more than they say."""
    return (
        Check.mutant(
            "every choice takes the whole ε",
            "three choices, each at the ε of all",
            partial(pure_moved, Searched(whole=True)),
        ),
        Check.mutant(
            "the prior is made from the data",
            "candidates lie about the mean of the confidential records",
            partial(pure_moved, Searched(own=True)),
        ),
    )


def _pairs(searched: Searched, effort: Effort) -> Iterator[tuple[Law, Law, str]]:
    """Yield the laws of neighbours: of any two records alone, and of one among some others."""
    alone = [searched.law(np.array([each])) for each in np.ndindex(*_SIZES)]
    for one, two in combinations(alone, 2):
        yield one, two, "one record, which is replaced"
    random = np.random.default_rng(effort.seed)
    for turn in range(effort.of(_SEARCHED_TABLES)):
        table = np.column_stack([random.integers(0, size, _RECORDS) for size in _SIZES])
        if turn == 0:
            table = np.zeros((_RECORDS, 2), dtype=np.int64)
        other = table.copy()
        other[0] = 3 - other[0, 0], 1 - other[0, 1]
        said = f"{_RECORDS} records, one of them replaced"
        yield searched.law(table), searched.law(other), said


def pure_moved(searched: Searched, effort: Effort) -> MeasuredValue:
    """Return the largest ratio of any outcome, as a multiple of ε."""
    found = NOTHING
    for one, two, at in _pairs(searched, effort):
        worst = np.inf
        if one.keys() == two.keys():
            ratios = [abs(np.log(one[key] / two[key])) for key in one]
            worst = float(max(ratios)) / _EPSILON
        found |= MeasuredValue(1, worst, at)
    return found


def concentrated_moved(searched: Searched, effort: Effort) -> MeasuredValue:
    """Return the largest Rényi divergence, as a multiple of αρ."""
    found = NOTHING
    for one, two, at in _pairs(searched, effort):
        p, q = (np.array([each[key] for key in one]) for each in (one, two))
        for alpha in _ALPHAS:
            for a, b in ((p, q), (q, p)):
                divergence = np.log((a**alpha * b ** (1 - alpha)).sum()) / (alpha - 1)
                found |= MeasuredValue(1, float(divergence) / (alpha * _RHO), at)
    return found


_STATES: Final = 4
_CHAINS: Final = 12
_ROUNDING: Final = 1e-10
_LINE: Final = 8
_STEPS: Final = 10
_CHAIN_EPSILON: Final = 1.0


def list_chain_checks() -> tuple[Check, ...]:
    """Return the chain that keeps its score goes where it is said to."""
    return (
        Check(
            PART,
            "where a chain goes that keeps the score of its state",
            "the law ∝ E e^{−ε·u/(2Δu)}, after endlessly many steps, which nobody takes",
            "Andrieu and Roberts 2009",
            partial(_off, again=False),
        ),
        Check(
            PART,
            "what a chain that was stopped is worth",
            "(ε, (1 + e^ε)·τ), for a law that is off by τ in total variation, which nobody knows",
            "docs/pmse.md, “As practised”",
            _stop_chain,
        ),
        Check(
            PART,
            "as published: a flat prior does not affect the utility",
            "the signal at n = 5,000, ε = 0.25 over ten draws is above what the prior swamps",
            "Snoke and Slavković 2018, Section 6",
            _flat,
            "counter-example",
        ),
    )


def list_chain_mutants() -> tuple[Check, ...]:
    """Return the chain that does not."""
    return (
        Check.mutant(
            "the score of a chain's state is estimated again at every step",
            "the chain goes to another law than the one that is accounted for",
            partial(_off, again=True),
        ),
        Check.mutant(
            "a chain is stopped after a few steps from the best state",
            f"{_STEPS} steps between neighbouring states, under the ε of the law it would go to",
            _begin_search,
        ),
    )


def _off(effort: Effort, *, again: bool) -> MeasuredValue:
    """Return how far the law of a chain is from the one that it is to have, as a multiple of what
    rounding leaves."""
    random, found = np.random.default_rng(effort.seed), NOTHING
    for _ in range(effort.of(_CHAINS)):
        weights = np.exp(-random.exponential(2.0, (_STATES, 2)))
        wanted = weights.mean(axis=1) / weights.mean(axis=1).sum()
        reached = _again(weights) if again else _keep_laws(weights)
        off = float(np.abs(reached - wanted).sum())
        found |= MeasuredValue(1, off / _ROUNDING, f"{_STATES} parameters, two tables of each")
    return found


def _laws(scores: FloatArray, steps: int) -> tuple[FloatArray, FloatArray]:
    """Return (states,) the law that a chain between neighbouring states goes to, and the one that
    it has after so many steps from the best of them."""
    weights = np.exp(-_CHAIN_EPSILON * scores / 2)
    moves = np.zeros((_LINE, _LINE))
    for here in range(_LINE - 1):
        for one, two in ((here, here + 1), (here + 1, here)):
            moves[one, two] = min(1.0, weights[two] / weights[one]) / 2
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    reached = np.linalg.matrix_power(moves, steps)[int(scores.argmin())]
    return weights / weights.sum(), reached


def _stop_chain(effort: Effort) -> MeasuredValue:
    """Return δ of the law after some steps, over what its distance from the other leaves."""
    random, found = np.random.default_rng(effort.seed), NOTHING
    for turn in range(effort.of(_CHAINS)):
        scores = random.exponential(2.0, _LINE)
        both = (scores, scores + random.uniform(-1, 1, _LINE))
        laws = [_laws(each, 1 + 5 * turn) for each in both]
        tau = max(float(np.abs(wanted - reached).sum()) / 2 for wanted, reached in laws)
        apart = np.maximum(laws[0][1] - np.exp(_CHAIN_EPSILON) * laws[1][1], 0).sum()
        bound = (1 + np.exp(_CHAIN_EPSILON)) * tau
        found |= MeasuredValue(1, float(apart / bound), f"{_LINE} states, {1 + 5 * turn} steps")
    return found


def _begin_search(_: Effort) -> MeasuredValue:
    """Return the largest loss, over ε, of two tables whose scores move by 1 at most, and with them
    which of both ends is the best."""
    scores = np.full(_LINE, 2.0)
    scores[0], scores[-1] = 0.0, 1.0
    one, two = (_laws(each, _STEPS)[1] for each in (scores, scores[::-1]))
    return MeasuredValue(
        1, float(np.abs(np.log(one / two)).max()) / _CHAIN_EPSILON, f"{_LINE} states"
    )


def _flat(_: Effort) -> MeasuredValue:
    signal = published_signal(0.25 / 10, 5000)
    return MeasuredValue(1, published_volume(5, 100_000**0.5, 2.0) / signal, "n = 5,000")


def _keep_laws(weights: FloatArray) -> FloatArray:
    """Return (states,) the law of parameters where the chain is on pairs of one and a table."""
    flat = weights.ravel()
    moves = np.minimum(1.0, flat[None, :] / flat[:, None]) / len(flat)
    return np.asarray(_stationary(moves).reshape(weights.shape).sum(axis=1))


def _again(weights: FloatArray) -> FloatArray:
    """Return (states,) the same where both tables are drawn afresh for every step."""
    here, there = weights[:, None, :, None], weights[None, :, None, :]
    moves = np.minimum(1.0, there / here).mean(axis=(2, 3)) / len(weights)
    return _stationary(moves)


def _stationary(moves: FloatArray) -> FloatArray:
    """Return the law that a chain keeps, from its chances to move."""
    chain = moves.copy()
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    size = len(chain)
    equations = np.vstack([chain.T - np.eye(size), np.ones(size)])
    return np.asarray(np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0])
