"""What it costs to choose by a noisy count how many flags of a record count.

The shipped count is put to tables of three flags, with one record more of every kind; so are ways
to choose that would cost more than they say.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.assurance.latent.moments import PART
from understudy.core.arrays import CodeArray, IntArray
from understudy.models.latent.moments import OnesBudget, count_by_ones, sufficient_ones
from understudy.privacy.budget import Budget

_SOURCE: Final = "docs/latent.md"
_FLAGS: Final = 3
_TABLES: Final = 20
_BUDGETS: Final = (Budget(0.1, 1e-6), Budget(1.0, 1e-9), Budget(3.7, 0.0))



def checks() -> tuple[Check, ...]:
    """Return the count and the sums after it cost no more than the whole."""
    return (
        Check(
            PART,
            "how many flags count, chosen by a noisy count",
            "ε of the count, times how far one record moves it, and ε of the sums: ε at most",
            _SOURCE,
            partial(_spent, count_by_ones),
        ),
    )


def mutants() -> tuple[Check, ...]:
    """Ways to choose that would cost more than they say."""
    return (
        Check.mutant(
            "flags that count, chosen by how many records have so many or more",
            "a record is counted once for each of its flags, under noise for once",
            partial(_spent, _cumulated, whole=1.0 / 16),
        ),
        Check.mutant(
            "flags that count, chosen by the exact count",
            "the least number that keeps nearly all flags is read off without noise",
            _exactly,
        ),
    )


def _spent(ask: Callable[[CodeArray], IntArray], effort: Effort, *, whole: float = 1.0) -> Measured:
    """Return what is spent as a share of ε; of the count alone where that is what is claimed."""
    found = NOTHING
    for one, more, budget in _neighbours(effort):
        parts = OnesBudget.of(budget)
        moved = float(np.abs(ask(more) - ask(one)).sum())
        rest = parts.rest.epsilon if whole == 1.0 else 0.0
        spent = moved * parts.count.epsilon + rest
        found |= Measured(1, spent / (whole * budget.epsilon), f"{len(one)} others, {more[-1]}")
    return found


def _cumulated(bits: CodeArray) -> IntArray:
    counts = count_by_ones(bits)
    return np.asarray(np.cumsum(counts[::-1])[::-1][1:])


def _exactly(effort: Effort) -> Measured:
    found = NOTHING
    for one, more, _ in _neighbours(effort):
        apart = sufficient_ones(count_by_ones(one), 0.0, _FLAGS) != sufficient_ones(
            count_by_ones(more), 0.0, _FLAGS
        )
        found |= Measured(1, math.inf if apart else 0.0, f"{len(one)} others, {more[-1]}")
    return found


def _neighbours(effort: Effort) -> Iterator[tuple[CodeArray, CodeArray, Budget]]:
    random = np.random.default_rng(effort.seed)
    every = np.array(list(itertools.product((0, 1), repeat=_FLAGS)), dtype=np.uint16)
    for many in (0, *random.integers(1, 9, effort.of(_TABLES)).tolist()):
        others = every[random.integers(0, len(every), many)]
        for last, budget in itertools.product(every, _BUDGETS):
            yield others, np.vstack([others, last]), budget
