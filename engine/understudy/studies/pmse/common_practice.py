"""The mechanism as it was practised, on public tables only: greedy trees and a Markov chain, and
where its score breaks its bound. It gives no ε.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal


@dataclass(frozen=True, eq=False)
class PublicTable:
    """Numbers that may be looked at without an account.

    Attributes:
        values: (n, columns) the table.
        because: why it is public: “simulated”, or where it was published.

    Raises:
        Refusal: no reason is given, a value is missing, or a column holds one value only.
    """

    values: FloatArray = field(repr=False)
    because: str

    def __post_init__(self) -> None:
        if not self.because.strip():
            raise Refusal(
                "The practised version of the pMSE mechanism gives no ε, so that it is only run on "
                "tables that are public.",
                "Say why this one is, such as “simulated”; for a confidential table, take the safe "
                "mechanism, `understudy method pmse`.",
                field="because",
            )
        if np.isnan(self.values).any():
            raise Refusal(
                "A value is missing, and a regression has no number for what is missing.",
                "Leave out the records where one is.",
                field="values",
            )
        if len(self.values) == 0 or (self.values.min(axis=0) == self.values.max(axis=0)).any():
            raise Refusal(
                "A column holds one value only, so that nothing can be regressed on it.",
                "Leave it out.",
                field="values",
            )


RECORDS: Final = 5000
TRUTH: Final = (2.0, 10.0, -2.5, 0.5, 3.0)
MEANS: Final = (2.0, -1.5)
DEVIATIONS: Final = (10.0**0.5, 5.5**0.5)
"""Of both columns, by themselves."""


def by_chance(records: int, random: np.random.Generator) -> FloatArray:
    """Return (2, records) standard normal numbers."""
    return random.normal(size=(2, records))


def make_numbers(parameters: npt.ArrayLike, chance: FloatArray) -> FloatArray:
    """Return (records, 2) what five parameters make of numbers by chance."""
    middle, first, intercept, slope, second = np.asarray(parameters, dtype=np.float64)
    x = middle + np.sqrt(abs(first)) * chance[0]
    return np.column_stack([x, intercept + slope * x + np.sqrt(abs(second)) * chance[1]])


def simulate_table(random: np.random.Generator, records: int = RECORDS) -> PublicTable:
    """Return a table of the published simulations."""
    return PublicTable(make_numbers(TRUTH, by_chance(records, random)), "simulated")


_SEED = 0
_ROOT = 0.5
"""The Gini impurity of the root, where there are as many made records as real ones."""


def greedy_pmse(
    real: FloatArray, made: FloatArray, depth: int | None, cp: float, leaf: int = 1
) -> float:
    """Return pMSE of CART by scikit-learn.

    Args:
        real, made: (n, columns) and (n_s, columns) numbers.
        depth: the most tests on the way to a leaf; None for any.
        cp: the least gain of a split, as a share of the root's impurity.
        leaf: the fewest records of a leaf.
    """
    from sklearn.tree import DecisionTreeClassifier

    both = np.concatenate([real, made])
    label = np.repeat([0, 1], [len(real), len(made)])
    tree = DecisionTreeClassifier(
        max_depth=depth,
        min_impurity_decrease=cp * _ROOT,
        min_samples_leaf=leaf,
        random_state=_SEED,
    )
    told = tree.fit(both, label).predict_proba(both)[:, 1]
    return float(np.square(told - len(made) / len(both)).mean())


NO_EPSILON: Final = "no ε: as practised, on public data only"
"""How whatever comes of it is marked."""
_ACCEPTED: Final = 0.25
_STEP: Final = (0.05, 0.3, 0.05, 0.01, 0.1)


@dataclass(frozen=True, eq=False)
class Chain:
    """What a chain came to.

    Attributes:
        states: (steps, 5) the parameters.
        scores: (steps,) the kept score of each.
        mark: `NO_EPSILON`.
    """

    states: FloatArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    mark: str = NO_EPSILON


def metropolis(
    table: PublicTable,
    nominal: float,
    steps: int,
    random: np.random.Generator,
    *,
    depth: int | None = 5,
    cp: float = 0.01,
    prior: float = 100_000.0,
    start: tuple[float, ...] = TRUTH,
) -> Chain:
    """Run a chain.

    Args:
        table: two columns.
        nominal: what the published mechanism calls ε.
        steps: how many; the first half warms up.
        random: where chance comes from.
        depth, cp: of the greedy trees.
        prior: the variance of the normal prior of each parameter.
        start: where it begins.
    """
    real, weight = table.values, len(table.values) * nominal / 2

    def score(state: FloatArray) -> float:
        return greedy_pmse(real, make_numbers(state, by_chance(len(real), random)), depth, cp)

    state, size = np.array(start), 1.0
    kept = score(state)
    states, scores = np.empty((steps, len(state))), np.empty(steps)
    for turn in range(steps):
        proposed = state + size * np.array(_STEP) * random.normal(size=len(state))
        fresh = score(proposed)
        gain = weight * (kept - fresh) + (state @ state - proposed @ proposed) / (2 * prior)
        accepted = np.log(random.random()) < gain
        if accepted:
            state, kept = proposed, fresh
        if turn < steps // 2:
            size *= np.exp((accepted - _ACCEPTED) / np.sqrt(turn + 1))
        states[turn], scores[turn] = state, kept
    return Chain(states, scores)


PUBLISHED_BOUND: Final = 1 / RECORDS
"""1/n, what one record was said to move the score by at most."""
DEPTHS: Final = (1, 2, 5, None)
CPS: Final = (0.01, 0.001)
SETTINGS: Final = tuple((depth, cp) for cp in CPS for depth in DEPTHS)
"""Of the trees of Table 1."""
_DEVIATION: Final = 5.0
"""Of what is added to each variable of the record that is changed: N(0, 25)."""
_PRIOR: Final = 10.0**0.5
"""Of each parameter: N(0, 10), a variance as everywhere here."""
_JUMP_AT: Final = 2997
_FEWEST: Final = 50


@dataclass(frozen=True)
class NeighbourTables:
    """A made table, and two real ones of which one record differs.

    Attributes:
        made, real, other: (records, columns).
        depth, cp, leaf: of the greedy tree that tells them apart, see `greedy_pmse`.
    """

    made: FloatArray
    real: FloatArray
    other: FloatArray
    depth: int | None
    cp: float
    leaf: int = 1

    def scores(self) -> tuple[float, float]:
        """Return pMSE of either real table."""
        first, second = (
            greedy_pmse(each, self.made, self.depth, self.cp, self.leaf)
            for each in (self.real, self.other)
        )
        return first, second


def exclusive_or(records: int = RECORDS) -> NeighbourTables:
    """Return a greedy tree of depth two, without any threshold.

    Real records have unlike values in the first two columns and made ones like values, which no
    single test sees. The third column says next to nothing, and the first exactly nothing, so the
    root tests the third, and nothing is found below. One record makes the third say nothing, and
    the first next to nothing: the root tests that, and every leaf below is pure.

    Args:
        records: of each table; even.
    """
    half = records // 2
    side = np.repeat([0.0, 1.0], half)
    fair = np.tile([0.0, 1.0], half)
    real = np.column_stack([side, 1 - side, fair])
    real[0, 2] = 1.0
    other = real.copy()
    other[0, [0, 2]] = 1.0, 0.0
    return NeighbourTables(np.column_stack([side, side, fair]), real, other, 2, 0.0)


def threshold(records: int = RECORDS, zeros: int = _JUMP_AT) -> NeighbourTables:
    """Return a single split that has to reach cp: one record takes it over the threshold.

    Args:
        records: of each table; even.
        zeros: how many real records are 0 before; half of the made ones are.
    """

    def column(count: int) -> FloatArray:
        return (np.arange(records) >= count).astype(np.float64)[:, None]

    return NeighbourTables(column(records // 2), column(zeros), column(zeros + 1), 1, 0.01)


def fewest(records: int = RECORDS, leaf: int = _FEWEST) -> NeighbourTables:
    """Return a single split whose sides need so many records: one record makes up the number.

    Args:
        records: of each table.
        leaf: the fewest; one less of the made records are 1, and no real one is before.
    """
    made_ = (np.arange(records) < leaf - 1).astype(np.float64)[:, None]
    real = np.zeros((records, 1))
    other = real.copy()
    other[0] = 1.0
    return NeighbourTables(made_, real, other, 1, 0.0, leaf)


PAIRS: Final[Mapping[str, Callable[[], NeighbourTables]]] = {
    "two columns in unlike values": exclusive_or,
    "cp jump": threshold,
    "fewest records of a leaf": fewest,
}
"""Made to break the published bound, by name."""


@dataclass(frozen=True)
class Rate:
    """How often one record moved the score beyond the bound.

    Attributes:
        depth, cp: of the trees.
        share: of the simulations.
        error: its standard error.
        largest: how far a record moved it at most.
        differences: (simulations,) how far each moved it, with its sign.
    """

    depth: int | None
    cp: float
    share: float
    error: float
    largest: float
    differences: FloatArray = field(compare=False, repr=False)


def rates(
    times: int,
    random: np.random.Generator,
    told: Callable[[int], None] = lambda _: None,
    settings: Sequence[tuple[int | None, float]] = SETTINGS,
) -> tuple[Rate, ...]:
    """Table 1: how often noise on one record moves the score by more than 1/n.

    Args:
        times: how many simulations, each for all settings.
        random: where chance comes from.
        told: called with how many are done.
        settings: the depth and the cp of trees.
    """
    moved = np.empty((times, len(settings)))
    for turn in range(times):
        real = simulate_table(random).values
        other = real.copy()
        other[random.integers(len(real))] += random.normal(0, _DEVIATION, 2)
        synthetic = make_numbers(random.normal(0, _PRIOR, 5), by_chance(len(real), random))
        for at, (depth, cp) in enumerate(settings):
            one, two = (greedy_pmse(each, synthetic, depth, cp) for each in (real, other))
            moved[turn, at] = one - two
        told(turn + 1)
    # A difference at the bound is not one above it, whatever doubles make of it.
    beyond = (np.abs(moved) > PUBLISHED_BOUND * (1 + 1e-9)).mean(axis=0)
    return tuple(
        Rate(
            depth,
            cp,
            float(beyond[at]),
            float(np.sqrt(beyond[at] * (1 - beyond[at]) / times)),
            float(np.abs(moved[:, at]).max()),
            moved[:, at],
        )
        for at, (depth, cp) in enumerate(settings)
    )
