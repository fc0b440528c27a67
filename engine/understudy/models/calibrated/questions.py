"""The questions of the calibrated model, and their costs.

One budget, in ε or ρ, over all records of the learner. Four questions, each with its share:

    number      how many records there are, if that decides the currency or the levels
    alone       the counts of every attribute by itself, at several levels where it has them
    misfit      how far the model so far is off on every pair, or on some that are chosen with half
                of the share
    rounds      the counts of the pairs that are off by more than their noise, and of every
                attribute by itself again, divided by what each would gain

The last two are asked `ROUNDS` times, of a model that knows the answers before. A part of the last
round is spent on how far off the model is on triples, if that gains: see `triples`.

Pairs are many, and cheaper in ρ; one-way tables are few, and may be cheaper in ε. If they are, the
number of records is asked for first, and that number alone decides which pairs are asked about.
It also decides the finest level at which a column of dates or numbers is counted by itself.

No record is read here: everything follows from the schema, the budget, the marks and a number of
records that is public or noisy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, Self

import numpy as np

from understudy.models.calibrated.column_levels import carried_views, has_levels
from understudy.models.calibrated.measurement import (
    EVERY_STEP,
    NUMBER,
    USUAL_SPEND,
    QuestionShares,
    Steps,
    count_tables,
    less,
    of_columns,
)
from understudy.models.calibrated.selection import (
    HALF,
    Shortlist,
    Views,
    attributes,
    candidates,
    every_view,
    leave_out_implied,
    marked_triples,
    pairs_that_fit,
)
from understudy.models.calibrated.triples import NO_TRIPLES, TripleLook, TripleQuestions
from understudy.models.calibrated.usual_tables import Asking, Chosen, Usual
from understudy.models.marks import EVEN, Importance
from understudy.models.views import Marginal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema

Scope = Literal["all", "some", "marked", "none"]
"""Which pairs are asked about: “some” are those that are chosen, and those that are marked."""

ROUNDS = 2
CERTAIN: Final = 0.06
"""Noise on the answers, as a share of the records, below which all pairs are asked about, whatever
that would cost a usual table."""
ENOUGH = 0.7
"""What asking about pairs has to leave of a usual table at most, as a share of what columns by
themselves would, where the answers are noisy."""
NEARLY = 0.9
"""What asking about some of the pairs has to leave at most, as a share of what asking about all
would: a table of many strong pairs loses those that are not asked about."""
HARDLY = 1.05
"""By how much less than others that ask about fewer a way to choose has to leave, to be better: a
table of few strong pairs loses what the others cost."""
CHOICES: Final = (2, 4, 8, 15, 30, 60, 120, 240)
"""How many pairs a round may choose to ask about."""
CHOOSING: Final = 0.5
"""The share of a look that goes to choices, where there are any."""
FEWEST = 30_000
"""How many records are drawn to stand for the model, at least."""


@dataclass(frozen=True)
class Way:
    """Which pairs each round looks at.

    Attributes:
        views: in which views.
        scope: which pairs.
        choices: how many of them are chosen in each round; 0 where none is.
    """

    views: Views
    scope: Scope
    choices: int = 0


@dataclass(frozen=True)
class Questions:
    """What may be asked about one schema under one budget.

    Attributes:
        schema: the columns.
        budget: the (ε, δ) to stay within; unbounded for un-noised learning.
        allowance: what pairs and columns are asked for together, in its currency.
        spend: how it is divided.
        steps: which steps are taken.
        fewest: how many records stand for the model at least.
        number: what the number of records is asked for first, in ε; None where it is not.
        importance: what errors of pairs and triples weigh; public.
    """

    schema: Schema
    budget: Budget
    allowance: Allowance
    spend: QuestionShares = USUAL_SPEND
    steps: Steps = EVERY_STEP
    fewest: int = FEWEST
    number: Allowance | None = None
    importance: Importance = EVEN

    @classmethod
    def within(
        cls,
        schema: Schema,
        budget: Budget,
        *,
        spend: QuestionShares | None = None,
        steps: Steps | None = None,
        importance: Importance = EVEN,
    ) -> Self:
        """Return the questions that spend at most `budget`, whatever is marked as important."""
        steps = steps or Steps()
        sizes = schema.cardinalities.tolist()
        whole = of_columns(budget, sizes)
        if steps.pairs:
            whole = Allowance.of(budget, count_tables(len(sizes)))
        number = None
        currency = of_columns(budget, sizes, NUMBER).currency
        if (steps.pairs and currency == "epsilon") or (budget.bounded and has_levels(schema)):
            number = Allowance(NUMBER * budget.epsilon, "epsilon")
            whole = less(whole, number)
        spend = (spend or QuestionShares()).among(steps)
        return cls(schema, budget, whole, spend, steps, number=number, importance=importance)

    @property
    def cost(self) -> Budget:
        """What the records pay: the whole budget, so that the total is the ε that was asked for to
        the last place; of it no δ, where nothing is ever paid in ρ."""
        return Budget(self.budget.epsilon) if self.allowance.currency == "epsilon" else self.budget

    @property
    def columns(self) -> Allowance:
        """What columns are asked for where nothing else is, except for the number of records."""
        sizes = self.schema.cardinalities.tolist()
        if self.number is None or of_columns(self.budget, sizes, NUMBER).currency != "epsilon":
            return self.allowance
        return less(Allowance(self.budget.epsilon, "epsilon"), self.number)

    @property
    def of_a_look(self) -> Allowance:
        """What each round may spend on how far the model is off."""
        return self.allowance.part(self.spend.misfit / ROUNDS)

    @property
    def of_a_round(self) -> Allowance:
        """What each round may spend on counts."""
        return self.allowance.part(self.spend.rounds / ROUNDS)

    def column_views(self, records: float) -> Views:
        """Return of each attribute the views through which it is counted by itself, of so many
        records, the finest first: see `carried_views`. By public numbers only."""
        spend = self.allowance.part(self.spend.alone + self.spend.rounds / 2)
        return carried_views(self.schema, spend, records, self.importance)

    @property
    def pair_deviation(self) -> float:
        """The standard deviation of the noise on a cell of a pair, where a round measures as many
        pairs as there are attributes, all of one size; in records."""
        return self.of_a_round.part(1 / len(self.schema)).deviation

    def way(self, records: float) -> Way:
        """Return which pairs each round looks at, of so many records, and in which views: see
        `_find_way`."""
        if records not in self._ways:
            self._ways[records] = self._find_way(records)
        return self._ways[records]

    @cached_property
    def _ways(self) -> dict[float, Way]:
        return {}

    def _find_way(self, records: float) -> Way:
        """Return which pairs each round looks at, by public numbers only.

        Where noise on the answers is less than `CERTAIN`, all pairs are asked about, as a table of
        strong ones would lose them else. Where it is more, it is that of all pairs, some that are
        chosen, those that are marked, and none, where columns get everything, which is expected to
        leave a usual table nearest: some if by `NEARLY`, and of those that are not marked any only
        if by `ENOUGH`, as a table of weak ones loses what asking costs.

        Pairs are looked at in all views; but where answers about so many tables would be noise,
        columns that have levels above their buckets only at the coarsest, or where that is too much
        too, as if they had none.
        """
        every, columns = every_view(self.schema), self.schema.columns
        plain = tuple(tuple(view for view in each if view.level < 2) for each in every)
        if not self.steps.pairs:
            return Way(plain, "none")
        pairs = tuple(zip(columns, every, strict=True))
        narrow = tuple(each[-1:] if column.levels else each for column, each in pairs)
        seen = tuple(dict.fromkeys((every, narrow)))
        for views in seen:
            asked = Way(views, "all")
            if self._answer_noise(asked, records) < CERTAIN:
                return asked
        found = {Way(plain, "none"): 1.0}
        for views in seen:
            everything = Way(views, "all")
            left = self._expected_left(everything, records)
            chosen, few = self._choose_some(views, records)
            if few < NEARLY * left:
                everything, left = chosen, few
            if left < ENOUGH:
                found[everything] = left
        if self.importance:
            marked = Way(plain, "marked")
            found[marked] = self._expected_left(marked, records)
        return min(found, key=found.__getitem__)

    def _choose_some(self, views: Views, records: float) -> tuple[Way, float]:
        """Return how many pairs to choose best, and what that is expected to leave of a usual
        table; infinite where there are too few to choose among."""
        best, least = Way(views, "some"), math.inf
        pairs = math.comb(len(self.schema), 2) if self.steps.choose else 0
        for choices in CHOICES:
            if ROUNDS * choices < pairs:
                asked = Way(views, "some", choices)
                left = self._expected_left(asked, records)
                if HARDLY * left < least:
                    best, least = asked, left
        return best, least

    def _answer_noise(self, way: Way, records: float) -> float:
        """Return the noise on how far off each pair is answered to be, as a share of the records;
        infinite where there is no pair to ask about."""
        fits = np.sum(pairs_that_fit(self.schema, records, self.of_a_round, way.views), axis=0)
        if way.scope == "all":
            many = int(fits.sum())
        else:
            size = len(self.schema)
            marked = self.importance.of_pairs(size) > 1
            many = int(fits[marked[np.triu_indices(size, 1)]].sum()) + way.choices
            many = min(many, int(fits.sum()))
        return self._answer_spend(way).scores_deviation(many, HALF) / records if many else math.inf

    def _answer_spend(self, way: Way) -> Allowance:
        """Return what a look may spend on answers."""
        return self.of_a_look.part(1 - CHOOSING) if way.choices else self.of_a_look

    def usual(self, way: Way, records: float) -> Usual:
        """Return what is publicly known of a table of so many records, asked in this way."""
        return Usual(self.schema, self.importance, records, way.views, self.column_views(records))

    def asking(self, way: Way, records: float) -> Asking:
        """Ask about pairs of a usual table of so many records in this way, which is not “none”."""
        usual, deviation = self.usual(way, records), self._answer_noise(way, records)
        spent = self.allowance, self.columns, self.spend
        return Asking(usual, *spent, deviation, self._forecast_choices(way, records))

    def _forecast_choices(self, way: Way, records: float) -> Chosen | None:
        """Return how pairs of a usual table are chosen; None where all are asked about."""
        if way.scope == "all":
            return None
        found = self.shortlist(way)
        if found is None:
            return Chosen(0, 0.0, 0.0)
        scale = found.spend.part(1 / found.choices).choice_scale(HALF)
        (noise,) = found.expected_noise(np.ones(1))
        return Chosen(ROUNDS * found.choices, scale / records, float(noise) / records)

    def _expected_left(self, way: Way, records: float) -> float:
        """Return `Asking.remaining_error`; infinite if there is no pair to ask about."""
        asking = self.asking(way, records)
        return asking.remaining_error if math.isfinite(asking.deviation) else math.inf

    def look(self, records: float) -> tuple[Allowance, Shortlist | None]:
        """Return what a look may spend on answers, of so many records, and how the candidates are
        chosen that it asks about; None where it is all of them."""
        way = self.way(records)
        return self._answer_spend(way), self.shortlist(way)

    def shortlist(self, way: Way) -> Shortlist | None:
        """Return how each round chooses what to ask about; None where it makes no choice."""
        if not way.choices:
            return None
        choosing = self.of_a_look.part(CHOOSING)
        return Shortlist(way.choices, choosing, self.of_a_round, self.importance)

    def list_candidates(self, records: float) -> tuple[Marginal, ...]:
        """Return the pairs that each round looks at, of so many records: see `way`. By public
        numbers only."""
        way = self.way(records)
        if way.scope == "none":
            return ()
        found = leave_out_implied(
            self.schema, candidates(self.schema, records, self.of_a_round, way.views)
        )
        if way.scope != "marked":
            return found
        return tuple(each for each in found if self.importance.of(attributes(each)) > 1)

    def marked_triples(self, records: float) -> tuple[Marginal, ...]:
        """Return what the last round looks at with the pairs: the marked triples, once the pairs in
        them are known."""
        return marked_triples(self.schema, self.importance, records, self.of_a_round)

    def triples(self, records: float) -> TripleQuestions:
        """Return what else the last round may look at, of so many records: triples that are not
        marked."""
        return TripleQuestions(self.schema, records, self.of_a_round, self.importance)

    def look_at_triples(self, records: float) -> TripleLook:
        """Return how triples are looked at, of so many records; not at all where not all pairs are
        asked about. By public numbers only."""
        if not self.steps.pairs or not self.steps.triples:
            return NO_TRIPLES
        look = self.triples(records).look
        return look if look.many and self.way(records).scope == "all" else NO_TRIPLES

    def spend_beside(self, look: TripleLook) -> QuestionShares:
        """Return the shares of all questions but those about triples."""
        return replace(self.spend, rounds=self.spend.rounds * (1 - look.share / ROUNDS))

    def triple_parts(self, look: TripleLook) -> tuple[Allowance, Allowance]:
        """Return what looks at triples may spend, and what they leave of the last round."""
        return self.of_a_round.part(look.share), self.of_a_round.part(1 - look.share)
