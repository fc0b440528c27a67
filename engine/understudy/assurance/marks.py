"""How marks change the queries of the calibrated model, and that they change no price."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, product
from typing import Final

import numpy as np

from understudy.assurance import model_queries
from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.transcript import Transcript, costs
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import BETWEEN, CalibratedLearner, Measurements
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.calibrated.selection import FINE
from understudy.models.count_tables import as_counted
from understudy.models.marks import MARKED, Importance, Marks, Places
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

Make = Callable[[Budget, Importance, Records], CalibratedLearner]
"""Makes the learner of a budget and of weights; a mutant may look at the records."""

_COINS: Final = ("one", "two", "three")
_SIDES: Final = Categories(values=("heads", "tails"))
_SCHEMA: Final = Schema(columns=tuple(Column(name=each, domain=_SIDES) for each in _COINS))
BUDGETS: Final = (Budget(20.0), Budget(9.0, 0.1))
"""In either currency, and so much that pairs are asked about."""
_KNOWN: Final = 100.0
"""How many records there are, as the noise told before."""
_FAR: Final = 40.0
"""How far off a pair is answered to be that the model does not have, in records."""
_FEWEST: Final = 200


def list_checks() -> tuple[Check, ...]:
    """Return what a marked learning costs."""
    return (
        Check(
            model_queries.PART,
            "what a round spends, whatever is marked",
            "the ε, or ρ, of all questions of a round is at most its part, for every way to mark "
            "columns, pairs and a triple, every tiny table and every path of answers",
            GUARANTEE,
            measure_round_spending,
        ),
        Check(
            model_queries.PART,
            "what a whole marked learning spends",
            "at most the budget, as without marks; and neighbours of which the same answers are "
            "given have the same model",
            GUARANTEE,
            _whole,
        ),
    )


def shipped_marked(budget: Budget, importance: Importance, _: Records) -> CalibratedLearner:
    """Return the learner as it is, except for a smaller number of made-up records."""
    within = CalibratedLearner.within(_SCHEMA, budget, importance=importance)
    return replace(within, fewest=_FEWEST)


def measure_round_spending(effort: Effort, make: Make = shipped_marked) -> MeasuredValue:
    """Return what the questions of a round cost, over its part."""
    total = NOTHING
    cases = tuple(product(_ANSWERS, _WAYS, BUDGETS))
    for far, marks, budget in cases[: effort.of(len(cases))]:
        words = f"{_name_marks(marks)}, {_amount(budget)}"
        importance = marks.importance(_COINS)
        due = _part(shipped_marked(budget, importance, _NONE))
        for rows, more in _NEIGHBOURS:
            one, other = (
                _round(make(budget, importance, each), each, far) for each in (rows, more)
            )
            pure = all(each.pure for each in one.asked)
            total |= MeasuredValue(1, costs(one.asked, other.asked, pure=pure) / due, words)
    return total


def _whole(effort: Effort) -> MeasuredValue:
    """Return what the questions of a whole learning cost, over the budget; infinite where the same
    answers gave another model."""
    total = NOTHING
    cases = tuple(product(_TOGETHER, reversed(BUDGETS)))
    for together, budget in cases[: effort.of(len(cases))]:
        groups: tuple[Places, ...] = (together, *combinations(together, 2))
        make = partial(_of_three, importance=Importance(dict.fromkeys(groups, MARKED)))
        one, more = next(model_queries.neighbour_tables(effort, _MANY))
        found = model_queries.replay_answers(make, budget, one, more, 1)
        words = f"{len(together)} columns marked, {_amount(budget)}"
        total |= MeasuredValue(1, found.spent if found.same else math.inf, words)
    return total


_TOGETHER: Final = ((0, 1, 2), (0, 1))
_MANY: Final = 3_000


def _of_three(budget: Budget, records: Records, importance: Importance) -> CalibratedLearner:
    return replace(model_queries.shrink_made_up(budget, records), importance=importance)


def _coins(*rows: tuple[int, int, int]) -> Records:
    return Records(_SCHEMA, np.array(rows, dtype=np.uint16).reshape(-1, len(_COINS)))


_HEADS: Final = (0, 0, 0)
_NONE: Final = _coins()
_NEIGHBOURS: Final = tuple(
    (_coins(*rows), _coins(*rows, _HEADS)) for rows in ((), ((1, 1, 1), (0, 1, 1)))
)
_WAYS: Final = (
    Marks(together=(_COINS,)),
    Marks(together=(_COINS[:2], _COINS)),
    Marks(together=(_COINS[:2],)),
    Marks(target=_COINS[0], columns=_COINS[1:2], together=(_COINS[1:],)),
    Marks(columns=_COINS[:1]),
    Marks(target=_COINS[0]),
)
_ANSWERS: Final = (frozenset({0, 1, 2, 3}), frozenset({0, 3}), frozenset({1, 2}), frozenset[int]())
"""Which candidates are answered to be far off: three pairs, and the triple where it is one."""


def _name_marks(marks: Marks) -> str:
    groups = (" with ".join(each) for each in marks.groups(_COINS))
    return f"marked: {', '.join(groups)}"


def _amount(budget: Budget) -> str:
    return f"a budget of ({budget.epsilon:g}, {budget.delta:g})"


def _part(learner: CalibratedLearner) -> float:
    """Return what a round may spend."""
    return learner.of_a_look.amount + learner.of_a_round.amount


def _round(learner: CalibratedLearner, records: Records, far: frozenset[int]) -> Transcript:
    """Return the last round of a learning, told how far off the model is on each candidate."""
    asked = learner.list_candidates(_KNOWN) + learner.marked_triples(_KNOWN)
    off = [round(2 * FINE * _FAR) if place in far else 0 for place in range(len(asked))]
    noise = Transcript(RandomSource.fixed(1), [np.array(off, dtype=np.int64)])
    learner._run_round(as_counted(records), _model(learner.budget), _columns(learner), asked, noise)
    return noise


def _columns(learner: CalibratedLearner) -> Measurements:
    """Return every coin by itself, as the noise told before: as often heads as tails."""
    sides = np.full(2, _KNOWN / 2)
    deviation = learner.allowance.part(learner.spend.alone / len(_COINS)).deviation
    alone = (MeasuredMarginal((View(place),), sides, deviation) for place in range(len(_COINS)))
    return Measurements(learner.schema, _KNOWN, tuple(alone))


@cache
def _model(budget: Budget) -> Particles:
    """Return the model before the round: three fair coins."""
    learner = shipped_marked(budget, Importance(), _NONE)
    network = learner._column_network(_columns(learner))
    return learner._draw_records(network, _KNOWN, RandomSource.fixed(1), BETWEEN)
