"""The law of whole searches: every path that their choices can take, on tiny tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import combinations, product
from typing import Final

import numpy as np

from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.assurance.pmse.names import PART, SOURCE
from understudy.assurance.selection import exponential, flipped
from understudy.core.arrays import IntArray
from understudy.mechanisms.pmse.choosing import Class, Setting, search
from understudy.mechanisms.pmse.gini import Gini, Scores
from understudy.mechanisms.pmse.lines import Reals
from understudy.mechanisms.pmse.simulating import common
from understudy.mechanisms.pmse.stages import Stage, stages_of
from understudy.mechanisms.pmse.units import lines_of, units_of
from understudy.table.categories import Categories
from understudy.table.grid import Grid
from understudy.table.schema import Column, Schema

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
_TABLES: Final = 4
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

    def setting(self) -> Setting:
        """Return what is public."""
        units = units_of(_SCHEMA, _SCHEMA.names, 1, narrowest=0.05, middles={})
        chance = common(units, _MADE, 1)
        return Setting(_SCHEMA, units, lines_of(_SCHEMA, ()), chance, self.partitions, 4, 1, 1)

    def stages(self, setting: Setting, codes: IntArray) -> tuple[Stage, ...]:
        """Return two of its choices, with shares that come to the whole."""
        found = stages_of(setting.units, "columns", 1, _CANDIDATES, 0.5)
        chosen = (found[0], found[2], found[-1])
        shares = (0.25, 0.25, 0.5)
        stages = tuple(
            replace(each, share=1.0 if self.whole else share, candidates=_CANDIDATES)
            for each, share in zip(chosen, shares, strict=True)
        )
        return tuple(_moved_to(each, codes) for each in stages) if self.own else stages

    def chances(self, scores: Scores, share: float) -> Reals:
        """Return the law of one choice."""
        delta = Gini(_MADE).sensitivity
        if self.concentrated:
            return exponential(scores, delta / np.sqrt(2 * _RHO * share))
        return flipped(scores, 2 * delta / (_EPSILON * share))

    def law(self, codes: IntArray) -> Law:
        """Of all that is chosen."""
        setting = self.setting()
        stages = self.stages(setting, codes)
        found: Law = {}
        for path in product(range(_CANDIDATES), repeat=len(stages)):
            left, chance = list(path), [1.0]

            def select(
                scores: Scores,
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


def checks() -> tuple[Check, ...]:
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


def mutants() -> tuple[Check, ...]:
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
    for turn in range(effort.of(_TABLES)):
        table = np.column_stack([random.integers(0, size, _RECORDS) for size in _SIZES])
        if turn == 0:
            table = np.zeros((_RECORDS, 2), dtype=np.int64)
        other = table.copy()
        other[0] = 3 - other[0, 0], 1 - other[0, 1]
        said = f"{_RECORDS} records, one of them replaced"
        yield searched.law(table), searched.law(other), said


def pure_moved(searched: Searched, effort: Effort) -> Measured:
    """Return the largest ratio of any outcome, as a multiple of ε."""
    found = NOTHING
    for one, two, at in _pairs(searched, effort):
        worst = np.inf
        if one.keys() == two.keys():
            ratios = [abs(np.log(one[key] / two[key])) for key in one]
            worst = float(max(ratios)) / _EPSILON
        found |= Measured(1, worst, at)
    return found


def concentrated_moved(searched: Searched, effort: Effort) -> Measured:
    """Return the largest Rényi divergence, as a multiple of αρ."""
    found = NOTHING
    for one, two, at in _pairs(searched, effort):
        p, q = (np.array([each[key] for key in one]) for each in (one, two))
        for alpha in _ALPHAS:
            for a, b in ((p, q), (q, p)):
                divergence = np.log((a**alpha * b ** (1 - alpha)).sum()) / (alpha - 1)
                found |= Measured(1, float(divergence) / (alpha * _RHO), at)
    return found
