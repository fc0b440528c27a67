"""The queries of model learning: what the calibrated model and Private-PGM ask of the records, and
whether the noise covers it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from typing import Final, Literal

import numpy as np

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.transcript import NoiseQuery, Transcript, costs
from understudy.core.arrays import AnyArray, IntArray
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import (
    CellCap,
    StructureLearner,
    entropies,
    entropy_sensitivity,
)
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.count_tables import CountSource, as_counted
from understudy.models.third_party.private_pgm import MeasuredTree, measured_tree
from understudy.models.views import Marginal, View
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, laplace_tail
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByCuts, ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_STRUCTURE = "Learning the structure"
_PARAMETERS = "Learning the parameters"
_LARGEST = 12
_LARGEST_THOROUGH = 18
_TABLES = 40
BUDGETS = (Budget(0.1, 1e-9), Budget(1.0, 1e-6), Budget(5.0, 1e-3), Budget(1.0, 1e-12))
"""What the learners are given to spend."""


def list_query_checks() -> tuple[Check, ...]:
    """Entropies, and what either learner asks for."""
    return (
        Check(
            _STRUCTURE,
            "how far an entropy moves",
            "Δ(n) = (log2 n + 1/ln 2)/n bits for a record more, from n; every histogram of n ≤ "
            f"{_LARGEST} records",
            GUARANTEE,
            _entropies,
        ),
        Check(
            _STRUCTURE,
            "what structure learning asks for",
            "no entropy moves further than its noise allows, but where the noisy n is too high, "
            "which has at most the chance set aside for it in δ",
            GUARANTEE,
            structure_asked,
        ),
        Check(
            _PARAMETERS,
            "what parameter learning asks for",
            "one record moves each attribute's table of counts by 1 in all",
            GUARANTEE,
            _parameters,
        ),
    )


class Recorder(Noise):
    """Stands in for the noise: keeps what it is asked for, and adds nothing.

    Args:
        count: what to answer the first question with, where that is the number of records.

    Attributes:
        asked: the exact values and the scale of each question.
    """

    def __init__(self, count: int | None = None) -> None:
        super().__init__(RandomSource.fixed(0))
        self.asked: list[tuple[IntArray, float]] = []
        self._count = count

    def integers(self, values: IntArray, scale: float) -> IntArray:
        """Return the values as they are, except for a count that was given."""
        self.asked.append((np.asarray(values, dtype=np.int64), scale))
        if self._count is not None and len(self.asked) == 1:
            return np.full_like(values, self._count)
        return values

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        return self.integers(values, scale)


def tiny_schema() -> Schema:
    """Return three columns, one of them with coarser buckets."""
    groups = (Group(label="low", values=("0", "1")), Group(label="high", values=("2", "3")))
    return Schema(
        columns=(
            _column("c0", 2),
            Column(name="c1", domain=_categories(4), buckets=ByGroups(groups=groups)),
            _column("c2", 3),
        )
    )


def levelled_schema() -> Schema:
    """Return three columns, one of them of numbers with two levels of ranges above its buckets."""
    numbers = Grid(minimum=Decimal(0), maximum=Decimal(15))
    cuts = [ByCuts(cuts=tuple(map(Decimal, range(each, 16, each)))) for each in (2, 4, 8)]
    return Schema(
        columns=(
            _column("c0", 2),
            Column(name="c1", domain=numbers, buckets=cuts[0], levels=(cuts[1], cuts[2])),
            _column("c2", 3),
        )
    )


def wider_schema() -> Schema:
    """Return five columns, of which some pairs may be chosen."""
    return Schema(columns=tuple(_column(f"c{place}", 3 if place else 2) for place in range(5)))


def _column(name: str, values: int) -> Column:
    return Column(name=name, domain=_categories(values))


def _categories(values: int) -> Categories:
    return Categories(values=tuple(str(value) for value in range(values)))


def spread_records(total: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread so many records over cells, the fullest cell first."""
    if total == 0:
        yield ()
        return
    for first in range(min(total, largest or total), 0, -1):
        for rest in spread_records(total - first, first):
            yield (first, *rest)


def _entropies(effort: Effort) -> MeasuredValue:
    largest = _LARGEST if effort.times <= 1 else _LARGEST_THOROUGH
    two = Schema(columns=(_column("c0", largest + 1), _column("c1", 2)))
    known: dict[tuple[int, ...], float] = {}

    def bits(cells: tuple[int, ...]) -> float:
        if cells not in known:
            codes = np.zeros((sum(cells), 2), dtype=np.uint16)
            codes[:, 0] = np.repeat(np.arange(len(cells)), cells)
            query = (View(0),)
            known[cells] = entropies(Records(two, codes), (query,))[query]
        return known[cells]

    total = NOTHING
    for size in range(1, largest + 1):
        for cells in spread_records(size):
            for place in {cells.index(count) for count in cells} | {len(cells)}:
                more = [*cells, 0]
                more[place] += 1
                moved = abs(bits(tuple(sorted(filter(None, more), reverse=True))) - bits(cells))
                total |= MeasuredValue(
                    1, moved / entropy_sensitivity(size), f"cells of {cells} records"
                )
    return total


def structure_asked(effort: Effort, noise: float = 1.0) -> MeasuredValue:
    """Return how far the entropies of neighbours are apart, over what their noise is made for.

    Args:
        effort: how many tables.
        noise: how much of the noise on entropies is drawn, for a mutant that draws less.
    """
    total = NOTHING
    for budget in BUDGETS:
        learner = StructureLearner.within(tiny_schema(), budget)
        for one, more in _neighbours(effort):
            # The highest noisy count that may come of the larger table more often than `miss`.
            count = len(more)
            while laplace_tail(count + 1 - len(more), learner.count.scale) > learner.miss:
                count += 1
            counts, bits = _apart(learner, one, more, count)
            apart = max(counts, bits / noise)
            total |= MeasuredValue(1, apart, _words(one, budget))
    return total


def _apart(
    learner: StructureLearner, one: Records, more: Records, count: int
) -> tuple[float, float]:
    """Return how far the number of records moves, and the entropies, over what is noised for."""
    recorders = [Recorder(count) for _ in range(2)]
    for recorder, records in zip(recorders, (one, more), strict=True):
        learner.learn(records, recorder, CellCap(1.0, 1.0))
    moved = []
    shares = (learner.count, learner.share)
    for share, *asked in zip(shares, *(each.asked for each in recorders), strict=True):
        (first, scale), (second, other) = asked
        if scale != other or first.size > share.queries:
            return math.inf, math.inf
        moved.append(float(np.abs(first - second).max()) * share.scale / scale)
    return moved[0], moved[1]


def _parameters(effort: Effort) -> MeasuredValue:
    """Return L1 distance of each table between neighbours, over what its noise is made for."""
    structure = Structure.of([(), (0,), (0, 1)])
    total = NOTHING
    for budget in BUDGETS:
        learner = ParameterLearner.within(tiny_schema(), budget)
        for one, more in _neighbours(effort):
            recorders = [Recorder() for _ in range(2)]
            for recorder, records in zip(recorders, (one, more), strict=True):
                learner.learn(records, structure, recorder)
            apart = [
                np.abs(first - second).sum() / scale
                for (first, scale), (second, _) in zip(*(r.asked for r in recorders), strict=True)
            ]
            asked = len(apart) / learner.share.queries
            found = max(asked, float(max(apart)) * learner.share.scale)
            total |= MeasuredValue(1, found, _words(one, budget))
    return total


def _words(records: Records, budget: Budget) -> str:
    return f"{len(records)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"


def _neighbours(effort: Effort) -> Iterator[tuple[Records, Records]]:
    """Yield random tables of few records, and tables of equal ones, with one record more."""
    draw = RandomInputs(effort.seed + 10)
    columns = tiny_schema()
    sizes = columns.cardinalities.tolist()
    for turn in range(effort.of(_TABLES)):
        rows = draw.whole(2, 12)
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        if turn % 3 == 0:
            codes[:-1] = codes[0]
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more


Make = Callable[[Budget, Records], CalibratedLearner]
"""Makes the learner of a budget; a mutant may look at the records."""

Tables = Literal["any", "levels", "choices", "parity"]
"""Tables of three columns of any kind; with a column that has levels; of five columns, of which
some pairs are chosen; of coins, of which triples are looked at."""

PART = "Learning the calibrated model"
_LEVELLED_BUDGETS = (Budget(20.0), Budget(9.0, 0.1))
CALIBRATED_BUDGETS = (
    Budget(1.0),
    Budget(0.05, 1e-9),
    Budget(20.0),
    Budget(1.0, 1e-2),
    Budget(9.0, 0.1),
)
"""In either currency, and so much that pairs are asked for."""
_PARITY_BUDGETS = (Budget(9.0, 0.1), Budget(20.0), Budget(1.0, 1e-2))
_PARITY_SIZES = (3_000, 3_001)
_CHOOSING: Final[Mapping[Budget, tuple[int, ...]]] = {
    Budget(20.0): (25, 30, 35, 40),
    Budget(9.0, 0.1): (30, 35, 40, 45),
    Budget(1.0, 1e-2): (182, 250),
}
"""Of either currency numbers of records of five columns at which pairs are chosen."""
_CALIBRATED_TABLES = 8
_MOST = 1 << 17
"""Records of a table, at most."""
_SIZES = (300, 2, 3_000)
_SURELY = 12
"""How many times as many records are surely asked about pairs, whatever noise says of their
number."""
_FEWEST = 400


@dataclass(frozen=True, eq=False)
class Twice:
    """A learner on two neighbours, told the same.

    Attributes:
        learner: of the smaller table.
        asked: of each, every question.
        same: whether the two models are one, and the number of records is looked at where it is
            asked for and nowhere else.
    """

    learner: CalibratedLearner
    asked: tuple[list[NoiseQuery], list[NoiseQuery]]
    same: bool

    @property
    def spent(self) -> float:
        """What all questions cost together, over what may be spent in their currency."""
        budget = self.learner.budget
        pure = all(each.pure for each in self.asked[0])
        if not pure and not budget.delta:
            return math.inf
        whole = budget.epsilon if pure else largest_rho(budget)
        return costs(*self.asked, pure=pure) / whole


def list_calibrated_checks() -> tuple[Check, ...]:
    """Return what learning the calibrated model costs, and that it is all."""

    def check(name: str, claim: str, measure: Callable[[Effort], MeasuredValue]) -> Check:
        return Check(PART, name, claim, GUARANTEE, measure)

    return (
        check(
            "what a whole learning spends",
            "the ε of all questions together, or where not all are of ε their ρ, is at most that "
            "of the budget, whatever the answers were",
            measure_spending,
        ),
        check(
            "what else is looked at",
            "(0, 0): neighbours of which the same answers are given have the same model",
            measure_peeking,
        ),
        check(
            "what looks at triples spend",
            "the same of tables of which triples are looked at, and one is counted that no pair "
            "shows",
            partial(measure_spending, tables="parity"),
        ),
        check(
            "what chooses the triples",
            "(0, 0): neighbours of which the same answers are given have the same triples looked "
            "at, and the same model",
            partial(measure_peeking, tables="parity"),
        ),
        check(
            "what counting at several levels spends",
            "the same of a column that is counted at several levels, whichever they are",
            partial(measure_spending, tables="levels"),
        ),
        check(
            "what chooses the levels",
            "(0, 0): neighbours of which the same answers are given are counted at the same "
            "levels, and have the same model",
            partial(measure_peeking, tables="levels"),
        ),
        check(
            "what choosing pairs to ask about spends",
            "the same where some pairs are chosen, by permute-and-flip or the exponential "
            "mechanism, and these alone are asked about",
            partial(measure_spending, tables="choices"),
        ),
        check(
            "what chooses pairs to ask about",
            "(0, 0): neighbours of which the same choices and answers are given have the same "
            "model",
            partial(measure_peeking, tables="choices"),
        ),
    )


def shrink_made_up(budget: Budget, records: Records) -> CalibratedLearner:
    """Return the learner as it is, except for a smaller number of made-up records."""
    return replace(CalibratedLearner.within(records.schema, budget), fewest=_FEWEST)


def measure_spending(
    effort: Effort, make: Make = shrink_made_up, drawn: float = 1.0, *, tables: Tables = "any"
) -> MeasuredValue:
    """Return what the questions of a whole learning cost, over the budget."""
    return _find_worst(replay_budgets(make, effort, drawn, tables), lambda each: each.spent)


def measure_peeking(
    effort: Effort, make: Make = shrink_made_up, *, tables: Tables = "any"
) -> MeasuredValue:
    """Return 0 where the same answers gave the same model, and infinite elsewhere."""
    replayed = replay_budgets(make, effort, 1.0, tables)
    return _find_worst(replayed, lambda each: 0.0 if each.same else math.inf)


def _find_worst(
    replayed: Iterable[tuple[str, Twice]], measure: Callable[[Twice], float]
) -> MeasuredValue:
    total = NOTHING
    for words, each in replayed:
        total |= MeasuredValue(1, measure(each), words)
    return total


def replay_budgets(
    make: Make, effort: Effort, drawn: float, tables: Tables
) -> Iterator[tuple[str, Twice]]:
    """Yield every budget with some pairs of neighbours, each with answers of its own."""
    budgets: Mapping[Tables, Iterable[Budget]] = {
        "any": CALIBRATED_BUDGETS,
        "levels": _LEVELLED_BUDGETS,
        "choices": _CHOOSING,
        "parity": _PARITY_BUDGETS,
    }
    for budget in budgets[tables]:
        yield from _replay_budget(make, budget, effort, drawn, tables)


@cache
def _replay_budget(
    make: Make, budget: Budget, effort: Effort, drawn: float, tables: Tables
) -> tuple[tuple[str, Twice], ...]:
    found = []
    for turn, (one, more) in enumerate(_draw_tables(tables, budget, effort)):
        words = f"{len(one)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"
        found.append((words, replay_answers(make, budget, one, more, turn, drawn)))
    return tuple(found)


def _draw_tables(
    tables: Tables, budget: Budget, effort: Effort
) -> Iterator[tuple[Records, Records]]:
    """Return tables of one sort, of numbers of records at which the learner begins to ask more."""
    if tables == "levels":
        sizes = (*level_edges(budget), _SIZES[0])
        return neighbour_tables(effort, *sizes, columns=levelled_schema(), least=1)
    if tables == "choices":
        sizes = _CHOOSING[budget]
        return neighbour_tables(effort, *sizes, columns=wider_schema(), least=len(sizes))
    if tables == "parity":
        return parity_tables(effort)
    at = edge(budget)
    return neighbour_tables(effort, at, _SURELY * at)


def replay_answers(
    make: Make, budget: Budget, one: Records, more: Records, seed: int, drawn: float = 1.0
) -> Twice:
    """Learn from the larger table, and then from the smaller with the same answers."""
    first = Transcript(RandomSource.fixed(seed), drawn=drawn)
    larger = make(budget, more).learn(more, first, RandomSource.fixed(seed + 1))
    second = Transcript(RandomSource.fixed(seed), first.answers, drawn)
    learner, counted = make(budget, one), _HeardRows(as_counted(one))
    smaller = learner.learn(counted, second, RandomSource.fixed(seed + 1))
    paid = counted.lengths <= (learner.number is not None)
    return Twice(learner, (second.asked, first.asked), paid and same_models(smaller, larger))


@dataclass(eq=False)
class _HeardRows:
    """Counted records that hear how often their number is looked at, which is paid for once at
    most: another number by one seldom makes another model.

    Attributes:
        rows: the records.
        lengths: how often.
    """

    rows: CountSource
    lengths: int = 0

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.rows.schema

    def __len__(self) -> int:
        self.lengths += 1
        return len(self.rows)

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count as the records do."""
        return self.rows.tables(marginals)

    def count_occupied(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count as the records do."""
        return self.rows.count_occupied(marginals)


def same_models(one: LearnedModel, other: LearnedModel) -> bool:
    """Return whether two models are the same to the last bit."""
    return one.records == other.records and all(
        len(first) == len(second) and all(map(np.array_equal, first, second))
        for first, second in zip(_numbers(one), _numbers(other), strict=True)
    )


def _numbers(model: LearnedModel) -> Iterator[list[AnyArray]]:
    network: BayesianNetwork = model.network
    yield [np.array(network.order)]
    yield [np.array(each) for each in network.structure.parents]
    yield [each.weights for each in network.tables]
    yield [each.counts for each in model.measured]
    yield [each.records for each in model.misfits]
    asked = (views for each in model.misfits for views in each.candidates)
    yield [np.array([(view.attribute, view.level) for view in views]) for views in asked]
    tilts = network.tilts
    yield (
        []
        if tilts is None
        else [np.array([tilts.average, tilts.cap]), *(each.logs for each in tilts.each)]
    )


def edge(budget: Budget) -> int:
    """Return a number of records that pairs are asked about, where one less is too few."""
    learner = CalibratedLearner.within(tiny_schema(), budget)
    return bisect_left(
        range(_MOST), True, lo=1, key=lambda rows: bool(learner.list_candidates(rows))
    )


def level_edges(budget: Budget) -> tuple[int, ...]:
    """Return the numbers of records of which a finer level is counted, where one less is too
    few."""
    learner = CalibratedLearner.within(levelled_schema(), budget)

    def finest(records: int) -> int:
        return learner.column_views(records)[1][0].level

    def first_of(level: int) -> int:
        return bisect_left(range(_MOST), True, lo=1, key=lambda rows: finest(rows) <= level)

    return tuple(map(first_of, range(finest(1))))


def neighbour_tables(
    effort: Effort,
    *more_sizes: int,
    columns: Schema | None = None,
    least: int = _CALIBRATED_TABLES,
) -> Iterator[tuple[Records, Records]]:
    """Yield tables of records that depend on one another, of very different sizes and of these,
    with one more; of these at least.

    Args:
        effort: how many.
        more_sizes: how many records further ones have.
        columns: of the tables; those of `tiny_schema` if left out.
        least: how many tables a whole effort has.
    """
    draw = RandomInputs(effort.seed + 11)
    columns = columns or tiny_schema()
    sizes = columns.cardinalities.tolist()
    every = (*more_sizes, *_SIZES)
    for turn in range(max(len(more_sizes), effort.of(least))):
        rows = every[turn % len(every)]
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        if turn % 2 == 0:
            codes[:-1, 1:] = codes[:-1, :1] + codes[:-1, 1:] % 2
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more


def parity_tables(effort: Effort) -> Iterator[tuple[Records, Records]]:
    """Yield tables of five coins, the third of which shows whether the first two agree, with one
    record more."""
    draw = RandomInputs(effort.seed + 12)
    columns = Schema(columns=tuple(_column(f"c{place}", 2) for place in range(5)))
    for rows in _PARITY_SIZES[: effort.of(len(_PARITY_SIZES))]:
        codes = np.column_stack([draw.several(0, 1, rows) for _ in range(5)])
        codes[:-1, 2] = codes[:-1, 0] ^ codes[:-1, 1]
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more


def amounts() -> Iterator[Allowance]:
    """Yield what may be spent, in either currency."""
    for budget in CALIBRATED_BUDGETS:
        yield CalibratedLearner.within(tiny_schema(), budget).allowance


Measuring = Callable[[Records, Budget, Noise], MeasuredTree]

_PART = "Measuring for Private-PGM"


def list_tree_checks() -> tuple[Check, ...]:
    """Return what it costs, and that it is all."""
    return (
        Check(
            _PART,
            "what all questions spend",
            "the ε of counts and choices together, or their ρ, is at most the allowance",
            GUARANTEE,
            measure_tree_spending,
        ),
        Check(
            _PART,
            "what else is looked at",
            "(0, 0): neighbours of which the same answers are given hand the same numbers on",
            GUARANTEE,
            measure_tree_peeking,
        ),
    )


def measure_tree_spending(effort: Effort, drawn: float = 1.0) -> MeasuredValue:
    """Return what the questions cost, over the allowance.

    Args:
        effort: how many tables.
        drawn: how much of the noise is drawn, for a mutant.
    """
    return _measure_worst_tree(effort, measured_tree, _over, drawn)


def measure_tree_peeking(effort: Effort, measuring: Measuring = measured_tree) -> MeasuredValue:
    """Return 0 where the same answers gave the same measurements, and infinite elsewhere."""
    return _measure_worst_tree(
        effort, measuring, lambda one, more, *_: 0.0 if _same(one, more) else math.inf
    )


def hand_on_count(records: Records, budget: Budget, noise: Noise) -> MeasuredTree:
    """Return a mutant: the true number of records is handed on."""
    found = measured_tree(records, budget, noise)
    return MeasuredTree(found.tree, found.measured, float(len(records)), found.allowance)


_Figure = Callable[[MeasuredTree, MeasuredTree, Transcript, Transcript], float]


def _measure_worst_tree(
    effort: Effort, measuring: Measuring, figure: _Figure, drawn: float = 1.0
) -> MeasuredValue:
    total = NOTHING
    for budget in CALIBRATED_BUDGETS:
        for turn, (one, more) in enumerate(neighbour_tables(effort)):
            asking = partial(Transcript, RandomSource.fixed(turn), drawn=drawn)
            first = asking()
            larger = measuring(more, budget, first)
            second = asking(answers=first.answers)
            smaller = measuring(one, budget, second)
            words = f"{len(one)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"
            total |= MeasuredValue(1, figure(smaller, larger, second, first), words)
    return total


def _over(one: MeasuredTree, _: MeasuredTree, asked: Transcript, more: Transcript) -> float:
    pure = one.allowance.currency == "epsilon"
    return costs(asked.asked, more.asked, pure=pure) / one.allowance.amount


def _same(one: MeasuredTree, more: MeasuredTree) -> bool:
    return (
        one.records == more.records
        and one.tree == more.tree
        and len(one.measured) == len(more.measured)
        and all(
            first.marginal == second.marginal and np.array_equal(first.counts, second.counts)
            for first, second in zip(one.measured, more.measured, strict=True)
        )
    )
