"""What the private model asks of the records, and what each question costs.

One budget, in ε or ρ, over all the records it is given. Four questions, each with its share:

    number      how many there are, where that decides the currency
    alone       the counts of every attribute by itself
    misfit      how far the model so far is off on every pair
    rounds      the counts of the pairs that are off by more than their noise, and of every
                attribute by itself again, divided by what each would gain

The last two are asked `ROUNDS` times, of a model that knows the answers before. Between them, and
after, everything is post-processing: records are drawn from a forest of the first pairs and
calibrated to all that was measured, distilled into a network of its own, and that network's records
calibrated once more; where few records came to carry the weights, records are drawn afresh. What
fits the noisy tables best is kept.

Pairs are many, and cheaper in ρ; columns by themselves are few, and may be cheaper in ε. Where that
is so, the number of records is asked for first, and alone tells whether pairs are asked about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

import numpy as np

from engine.core.telling import tell
from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.calibrated.carrying import Carried, fit_records
from engine.models.calibrated.distilling import distil
from engine.models.calibrated.dividing import best_division, column_prices, prices
from engine.models.calibrated.forest import forest
from engine.models.calibrated.guarding import best
from engine.models.calibrated.measured import (
    Measured,
    Reals,
    measure,
    pooled,
    total,
)
from engine.models.calibrated.particles import Particles
from engine.models.calibrated.residuals import (
    HALF,
    Views,
    attributes,
    candidates,
    every_view,
    marked_triples,
    misfit,
    pairs_that_fit,
)
from engine.models.calibrated.settling import settled_tilts
from engine.models.calibrated.spending import (
    EVERY_STEP,
    NUMBER,
    USUAL_SPEND,
    Spend,
    Steps,
    less,
    of_columns,
    tables,
)
from engine.models.calibrated.told import LearnedModel, Measurements
from engine.models.calibrated.usual import Usual
from engine.models.categorical import ConditionalTable
from engine.models.counted import Counted, as_counted
from engine.models.marks import EVEN, Importance
from engine.models.predicted import UNTOLD
from engine.models.tilts import Tilt, Tilts
from engine.models.views import Marginal, Rows, View
from engine.privacy.accounting.allowance import Allowance
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Schema

Scope = Literal["all", "marked", "none"]

ROUNDS = 2
_FEWEST, _MOST = 30_000, 400_000
"""How many records are drawn to stand for the model."""
BETWEEN, AT_LAST = 0.4, 2.5
"""How many times as many stand for it while pairs are sought, and for the distilled one: what
chance sets those apart by stays."""
_LEAST_BETWEEN, _LEAST_AT_LAST = 0.2, 0.5
"""The effective share of those records that weights keep: while the law is sought, and at the end,
where a weight becomes a chance of being kept."""
_REDRAWS = 3
"""How many times records are drawn afresh, at most."""
_WORK = 150_000_000
"""Drawn records times tables, at most."""


@dataclass(frozen=True)
class CalibratedLearner:
    """Learns the model of one schema under one budget.

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
    spend: Spend = USUAL_SPEND
    steps: Steps = EVERY_STEP
    fewest: int = _FEWEST
    number: Allowance | None = None
    importance: Importance = EVEN

    @classmethod
    def within(
        cls,
        schema: Schema,
        budget: Budget,
        *,
        spend: Spend | None = None,
        steps: Steps | None = None,
        importance: Importance = EVEN,
    ) -> CalibratedLearner:
        """The learner that spends at most `budget`, whatever is marked as important."""
        steps = steps or Steps()
        sizes = schema.cardinalities.tolist()
        whole = of_columns(budget, sizes)
        if steps.pairs:
            whole = Allowance.of(budget, tables(len(sizes)))
        number = None
        if steps.pairs and of_columns(budget, sizes, NUMBER).currency == "epsilon":
            number = Allowance(NUMBER * budget.epsilon, "epsilon")
            whole = less(whole, number)
        spend = (spend or Spend()).among(steps)
        return cls(schema, budget, whole, spend, steps, number=number, importance=importance)

    @property
    def cost(self) -> Budget:
        """What the records pay: the whole budget, so that the total is the ε that was asked for to
        the last place; of it no δ, where nothing is ever paid in ρ."""
        return Budget(self.budget.epsilon) if self.allowance.currency == "epsilon" else self.budget

    @property
    def columns(self) -> Allowance:
        """What columns are asked for where nothing else is, but for the number of records."""
        if self.number is None:
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

    @property
    def pair_deviation(self) -> float:
        """The standard deviation of the noise on a cell of a pair, where a round measures as many
        pairs as there are attributes, all of one size; in records."""
        return self.of_a_round.part(1 / len(self.schema)).deviation

    def looks(self, candidates: int, records: float) -> bool:
        """Whether each round asks how far the model is off on so many candidates: not where the
        noise on the answers would be as large as what two columns usually are from independent,
        and most of them so its own. By public numbers only."""
        deviation = self.of_a_look.scores_deviation(candidates, HALF)
        return candidates > 0 and deviation < UNTOLD * records

    def views(self, records: float) -> Views:
        """In which views pairs are asked about, of so many records: in all; but where answers about
        so many tables would be noise, columns that have levels above their buckets only at the
        coarsest, or where that is too much too, as if they had none. By public numbers only."""
        every, columns = every_view(self.schema), self.schema.columns
        if not any(column.levels for column in columns):
            return every
        pairs = tuple(zip(columns, every, strict=True))
        narrow = tuple(each[-1:] if column.levels else each for column, each in pairs)
        for views in (every, narrow):
            fits = pairs_that_fit(self.schema, records, self.of_a_round, views)
            if self.looks(int(np.sum(fits)), records):
                return views
        return tuple(tuple(view for view in each if view.level < 2) for each in every)

    def usual(self, records: float) -> Usual:
        """What is publicly known, were there so many records."""
        return Usual(self.schema, self.importance, records, self.views(records))

    def asked(self, records: float) -> tuple[Marginal, ...]:
        """The pairs that each round looks at, of so many records: see `scope`. By public numbers
        only."""
        if not self.steps.pairs:
            return ()
        found = candidates(self.schema, records, self.of_a_round, self.views(records))
        marked = tuple(each for each in found if self.importance.of(attributes(each)) > 1)
        return {"all": found, "marked": marked, "none": ()}[
            self.scope(len(found), len(marked), records)
        ]

    def scope(self, candidates: int, marked: int, records: float) -> Scope:
        """Which pairs each round looks at: all, or where answers about all would be noise those
        that are marked, if they gain more than all columns lose. By public numbers only.

        Args:
            candidates: how many tables could be asked about.
            marked: how many of them weigh more.
            records: how many there are, as far as is known.
        """
        if self.looks(candidates, records):
            return "all"
        if not self.looks(marked, records):
            return "none"
        usual = self.usual(records)
        asking = usual.divided(self.allowance, self.spend, marked_only=True)
        columns = usual.of_columns(self.columns, self.spend)
        return "marked" if usual.left(asking) < usual.left(columns) else "none"

    def asked_at_last(self, records: float) -> tuple[Marginal, ...]:
        """What the last round looks at: marked triples too, once the pairs in them are known."""
        asked = self.asked(records)
        if not asked:
            return ()
        return asked + marked_triples(self.schema, self.importance, records, self.of_a_round)

    def learn(self, records: Records | Counted, noise: Noise, source: RandomSource) -> LearnedModel:
        """Ask the questions and make the model.

        Args:
            records: all the records it may look at.
            noise: where the noise comes from.
            source: randomness for what needs no noise.
        """
        rows = as_counted(records)
        tell("Counting every column by itself")
        if self.number is not None and not self.asked(self._counted(rows, noise)):
            return self._of_columns(rows, noise)
        alone = self._alone(rows, self.allowance.part(self.spend.alone), noise)
        told = Measurements(total(alone), alone)
        asked = self.asked(told.records)
        if not asked:
            return self._of_columns_again(rows, told, noise)

        def draw(network: BayesianNetwork, times: float = BETWEEN) -> Particles:
            return self._drawn(network, told.records, source, times)

        model = draw(self._columns(told))
        tell(f"Finding pairs to measure, round 1 of {ROUNDS}")
        told = self._round(rows, model, told, asked, noise)
        begun = self._begun(told)
        found = Carried(begun, draw(begun))
        for left in reversed(range(ROUNDS)):
            tell("Calibrating drawn records to what was measured")
            if self.steps.calibrate:
                # What comes last is distilled anyway.
                redraws = _REDRAWS if self.steps.distil and left else 0
                least = _LEAST_BETWEEN if self.steps.distil else 0.0
                found = fit_records(found, told.measured, draw, least=least, redraws=redraws)
            if left:
                tell(f"Finding pairs to measure, round {ROUNDS + 1 - left} of {ROUNDS}")
                asked = self.asked_at_last(told.records) if left == 1 else asked
                told = self._round(rows, found.model, told, asked, noise)
        tell("Making a network of the calibrated records, and calibrating it")
        finished = self._finished(found, told, draw)
        tell("Keeping what fits the noisy tables best")
        return told.learned(self._guarded(finished, begun, told, draw), finished.effective)

    def _counted(self, rows: Counted, noise: Noise) -> float:
        """The noisy number of records; at least 1."""
        assert self.number is not None
        return max(1.0, float(self.number.table(np.array([len(rows)]), noise)[0]))

    def _of_columns(self, rows: Counted, noise: Noise) -> LearnedModel:
        """The model of columns by themselves, for which everything is spent."""
        spend = self.columns.part(math.fsum(astuple(self.spend)))
        alone = self._alone(rows, spend, noise)
        told = Measurements(total(alone), alone)
        return told.learned(self._columns(told))

    def _of_columns_again(self, rows: Counted, told: Measurements, noise: Noise) -> LearnedModel:
        """The model of columns by themselves, for which all that is left is spent."""
        left = self.spend.misfit + self.spend.rounds
        if left:
            again = self._alone(rows, self.allowance.part(left), noise)
            told = Measurements(told.records, pooled(told.alone, again))
        return told.learned(self._columns(told))

    def _alone(self, rows: Counted, spend: Allowance, noise: Noise) -> tuple[Measured, ...]:
        """Every attribute by itself."""
        sizes = column_prices(self.schema.cardinalities.tolist(), self.importance)
        return measure(rows, self._singles(), sizes, spend, noise)

    def _singles(self) -> tuple[Marginal, ...]:
        return tuple((View(place),) for place in range(len(self.schema)))

    def _round(
        self,
        rows: Counted,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        """What a round adds: where the model is off, the pairs worth measuring for it, and every
        attribute again."""
        found = misfit(rows, model, asked, self.of_a_look, noise)
        division = best_division(
            found,
            told.alone,
            self.of_a_round,
            again=self.steps.again,
            importance=self.importance,
        )
        alone = told.alone
        if division.alone:
            spend = self.of_a_round.part(division.alone)
            alone = pooled(alone, self._alone(rows, spend, noise))
        spend = self.of_a_round.part(1 - division.alone)
        sizes = prices(found, division.pairs, self.importance)
        pairs = tuple(
            each.beside(model.counts(each.marginal))
            for each in measure(rows, division.pairs, sizes, spend, noise)
        )
        return Measurements(
            told.records,
            alone,
            (*told.pairs, *pairs),
            (*told.misfits, found),
            (*told.divisions, division),
        )

    def _begun(self, told: Measurements) -> BayesianNetwork:
        """What the first records that are calibrated are drawn from."""
        if not self.steps.forest:
            return self._columns(told)
        return forest(self.schema, told.distributions, told.pairs, told.records)

    def _finished(
        self, model: Carried, told: Measurements, draw: Callable[..., Particles]
    ) -> Carried:
        """Distilled, and calibrated to all that was measured."""
        if not self.steps.distil:
            return model

        def afresh(network: BayesianNetwork) -> Particles:
            return draw(network, AT_LAST)

        network = distil(model.model)
        begun = Carried(network, afresh(network), model.effective)
        if not self.steps.calibrate:
            return begun
        return fit_records(begun, told.measured, afresh, least=_LEAST_AT_LAST, redraws=_REDRAWS)

    def _guarded(
        self,
        finished: Carried,
        begun: BayesianNetwork,
        told: Measurements,
        draw: Callable[..., Particles],
    ) -> BayesianNetwork:
        """The finished network with its tilts or without, the one that was begun with, or columns
        by themselves, as calibrated or as measured: what fits best what was measured. Each is
        judged by records that it was not made from, as weights may suit only those they are of."""
        if not finished.model.tilts:
            return finished.network
        fresh = draw(finished.network, 1.0)
        tilts = Tilts.of(fresh.rows, [Tilt(*each) for each in finished.model.tilts])
        accepted = fresh.weighted(tilts.acceptance(fresh.rows.columns), finished.model.trust)
        calibrated = self._independent([finished.model.counts(each) for each in self._singles()])
        networks = finished.network, finished.network, begun, calibrated, self._columns(told)
        models = accepted, fresh, *(draw(each, 1.0) for each in networks[2:])
        chosen = best(models, told.measured) if self.steps.distil else 0
        if chosen:
            return networks[chosen]
        return replace(finished.network, tilts=settled_tilts(tilts, fresh, accepted, told.measured))

    def _columns(self, told: Measurements) -> BayesianNetwork:
        """Every attribute by itself, as it was measured."""
        return self._independent(told.distributions)

    def _independent(self, distributions: Sequence[Reals]) -> BayesianNetwork:
        made = (ConditionalTable.from_probabilities(each[None, :]) for each in distributions)
        return BayesianNetwork(self.schema, Structure.independent(len(self.schema)), tuple(made))

    def _drawn(
        self, network: BayesianNetwork, known: float, source: RandomSource, times: float
    ) -> Particles:
        """Records of a network, to stand for so many real ones."""
        count = standing(known, len(self.schema), self.fewest, times)
        columns = list(network.records(count, source))
        return Particles.of(Rows(self.schema, columns), known)


def standing(records: float, attributes: int, fewest: int = _FEWEST, times: float = 1.0) -> int:
    """How many drawn records stand for so many real ones, or `times` as many: fewer where there
    are very many tables to calibrate them to."""
    most = min(times * _MOST, _WORK // tables(attributes))
    return int(np.clip(4 * times * records, fewest, max(most, fewest)))
