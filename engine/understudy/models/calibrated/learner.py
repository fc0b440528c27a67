"""The learner: it asks the questions of `questions`, and makes the model of the answers.

Between the questions, and after, everything is post-processing: records are drawn from a forest of
the first pairs and calibrated to all measurements, distilled into a network of their own, and that
network's records are calibrated once more; if few records came to carry the weights, records are
drawn afresh. The model that fits the noisy tables best is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.progress import report_stage
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.column_levels import (
    column_views,
    merge_levels,
    settle_column,
    split_by_column,
    table_prices,
)
from understudy.models.calibrated.fit import Particles, refit_tilts, select_best_fit
from understudy.models.calibrated.measurement import (
    MeasuredMarginal,
    count_tables,
    measure,
    pool_measurements,
    total_records,
)
from understudy.models.calibrated.networks import (
    Carried,
    distil,
    fit_records,
    scale_columns,
    span_forest,
)
from understudy.models.calibrated.pair_shapes import count_shaped_cells, fit_margins, shrink_pair
from understudy.models.calibrated.questions import FEWEST, ROUNDS, Questions
from understudy.models.calibrated.selection import (
    Division,
    Misfit,
    Views,
    attributes,
    best_division,
    misfit,
    prices,
)
from understudy.models.calibrated.triples import NO_TRIPLES, draw_together
from understudy.models.categorical import ConditionalTable
from understudy.models.count_tables import CountSource, as_counted
from understudy.models.noisy_tables import NoisyTable
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import Marginal, Rows, View, sum_views, views_from
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.known_totals import BoundTotals
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """What was learned. All of it is covered by the guarantee.

    Attributes:
        network: the model, with its tilts.
        measured: everything that was counted: attributes by themselves, then pairs.
        records: the noisy number of records.
        misfits: how far off the model was, at the beginning of each round.
        divisions: what each round asked for.
        effective: the effective share of the records that stood for the model, after each
            calibration.
    """

    network: BayesianNetwork
    measured: tuple[MeasuredMarginal, ...]
    records: float
    misfits: tuple[Misfit, ...]
    divisions: tuple[Division, ...]
    effective: tuple[float, ...]

    @property
    def answers(self) -> tuple[NoisyTable, ...]:
        """Every noisy table that the records answered with."""
        return tuple(each for of in self.measured for each in of.answers)


@dataclass(frozen=True, eq=False)
class Measurements:
    """What the records have told so far.

    Attributes:
        schema: the columns.
        records: their noisy number, as first told.
        alone: every attribute by itself, at the finest level at which it was counted.
        pairs: those that were measured, and triples.
        misfits: of each round.
        divisions: of each round.

    Known totals of the schema are tables without noise: a column of theirs is followed by them and
    not by its counts, and a pair stands among the pairs.
    """

    schema: Schema
    records: float
    alone: tuple[MeasuredMarginal, ...]
    pairs: tuple[MeasuredMarginal, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    divisions: tuple[Division, ...] = ()

    @property
    def before_last(self) -> bool:
        """Whether the next round is the last."""
        return len(self.divisions) == ROUNDS - 1

    @property
    def measured(self) -> tuple[MeasuredMarginal, ...]:
        """All tables, attributes by themselves as the nearest that can be, and known totals."""
        settled = (
            replace(each, counts=self._count_column(*each.marginal), settled=True)
            for each in self.alone
        )
        return (*settled, *self.followed_pairs, *self.known_totals)

    @cached_property
    def known_totals(self) -> tuple[MeasuredMarginal, ...]:
        """The known totals, in as many records as there are, that no column by itself says."""
        return tuple(
            MeasuredMarginal(known_marginal(each), self._in_records(each), 0.0, settled=True)
            for each in self.schema.bound_totals
            if len(each.views) > 1 or each.views[0][1]
        )

    def _in_records(self, totals: BoundTotals) -> FloatArray:
        counts: FloatArray = totals.counts.astype(np.float64)
        return counts * self.records / totals.declared.total

    @cached_property
    def followed_pairs(self) -> tuple[MeasuredMarginal, ...]:
        """The pairs; the sums in those that were drawn towards their shape as columns are known by
        now."""
        return tuple(map(self._keep_columns, self.pairs))

    def _keep_columns(self, pair: MeasuredMarginal) -> MeasuredMarginal:
        if pair.left is None:
            return pair
        one, other = map(self._count_column, pair.marginal)
        counts = fit_margins(pair.counts.reshape(len(one), len(other)), one, other).ravel()
        return replace(pair, counts=counts if pair.possible is None else counts * pair.possible)

    def _count_column(self, view: View) -> FloatArray:
        """Return how many records a column by itself is taken to have of each value of a view."""
        shares = self.distributions[view.attribute]
        return self.records * sum_views(self.schema, shares, (View(view.attribute),), (view,))

    @property
    def counted_views(self) -> Views:
        """Of each attribute the views through which it was counted, the finest first."""
        return tuple(
            views_from(self.schema, each.marginal[0])[: 1 + len(each.above)] for each in self.alone
        )

    @cached_property
    def distributions(self) -> list[FloatArray]:
        """Of every attribute by itself, the nearest that can be; as known totals say, if they
        do."""
        told = [settle_column(self.schema, each, self.records) for each in self.alone]
        for totals in self.schema.bound_totals:
            for place, level in totals.views:
                if not level:
                    alone = totals.sum_column(self.schema.columns, place, 0)
                    told[place] = alone / totals.declared.total
        return told

    def model_of(self, network: BayesianNetwork, effective: tuple[float, ...] = ()) -> LearnedModel:
        """Return the learned model with this network."""
        return LearnedModel(
            network, self.measured, self.records, self.misfits, self.divisions, effective
        )


_Draw = Callable[..., Particles]
"""Draws records of a network, of equal weights; `times` as of `count_drawn`."""

_MOST = 400_000
"""How many records are drawn to stand for the model, at most."""
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


class CalibratedLearner(Questions):
    """Learns the model of one schema under one budget; see `Questions`."""

    def learn(
        self, records: Records | CountSource, noise: Noise, source: RandomSource
    ) -> LearnedModel:
        """Ask the questions and make the model.

        Args:
            records: all the records it may look at.
            noise: where the noise comes from.
            source: randomness for what needs no noise.
        """
        rows = as_counted(records)

        def draw(network: BayesianNetwork, times: float = BETWEEN) -> Particles:
            return self._draw_records(network, told.records, source, times)

        report_stage("Counting every column by itself")
        views = column_views(self.schema)
        if self.number is not None:
            number = self._count_records(rows, noise)
            views = self.column_views(number)
            if not self.list_candidates(number):
                told = self._learn_columns(rows, views, noise)
                return self._model_columns(told, draw)
        alone = self._measure_columns(rows, views, self.allowance.part(self.spend.alone), noise)
        told = Measurements(self.schema, total_records(alone), alone)
        totals = {attributes(known_marginal(each)) for each in self.schema.bound_totals}
        asked = tuple(
            each for each in self.list_candidates(told.records) if attributes(each) not in totals
        )
        if not asked:
            told = self._relearn_columns(rows, told, noise)
            return self._model_columns(told, draw)
        model = draw(self._column_network(told))
        self._calibrate_bound(model, told)
        report_stage(f"Finding pairs to measure, round 1 of {ROUNDS}")
        told = self._run_round(rows, model, told, asked, noise)
        begun = self._first_network(told)
        found = Carried(begun, draw(begun))
        for left in reversed(range(ROUNDS)):
            report_stage("Calibrating drawn records to what was measured")
            if self.steps.calibrate:
                # What comes last is distilled anyway.
                redraws = _REDRAWS if self.steps.distil and left else 0
                least = _LEAST_BETWEEN if self.steps.distil else 0.0
                found = fit_records(found, told.measured, draw, least=least, redraws=redraws)
            if left:
                report_stage(f"Finding pairs to measure, round {ROUNDS + 1 - left} of {ROUNDS}")
                asked += self.marked_triples(told.records) if told.before_last else ()
                told = self._run_round(rows, found.model, told, asked, noise)
                begun, found = self._span_again(begun, found, told, draw)
        if not told.pairs and not told.known_totals:
            # Records drawn of columns show nothing that these do not, and chance besides.
            return self._model_columns(told, draw, found.effective)
        return self._finish(found, begun, told, draw)

    def _finish(
        self, found: Carried, begun: BayesianNetwork, told: Measurements, draw: _Draw
    ) -> LearnedModel:
        """Return the model of calibrated records.

        Args:
            found: the records.
            begun: what the first of them were drawn from.
            told: what was measured.
            draw: draws records of a network.
        """
        report_stage("Making a network of the calibrated records, and calibrating it")
        finished = self._distil_and_fit(found, told, draw)
        report_stage("Keeping what fits the noisy tables best")
        return told.model_of(self._select_best(finished, begun, told, draw), finished.effective)

    def _model_columns(
        self, told: Measurements, draw: _Draw, effective: tuple[float, ...] = ()
    ) -> LearnedModel:
        """Return the model of columns by themselves; where rules or known totals bind some, of
        records that meet the rules, calibrated to the columns and the totals.

        Args:
            told: what was measured.
            draw: draws records of a network.
            effective: the effective shares of earlier calibrations.
        """
        network = self._column_network(told)
        if not self._binds(told) or not self.steps.calibrate:
            return told.model_of(network, effective)
        if not told.known_totals:
            fitted = self._fit_columns(told, draw)
            return told.model_of(fitted.network, (*effective, *fitted.effective))
        begun = Carried(network, draw(network))
        least = _LEAST_BETWEEN if self.steps.distil else 0.0
        found = fit_records(begun, told.measured, draw, least=least, redraws=_REDRAWS)
        return self._finish(found, network, told, draw)

    def _fit_columns(self, told: Measurements, draw: _Draw) -> Carried:
        """Return records that meet the rules, calibrated to the columns, and the network of columns
        by themselves that draws such: by what was measured it would draw too many of the values
        that many records complete."""
        network, least = self._column_network(told), _LEAST_BETWEEN

        def learn(model: Particles, _: Sequence[MeasuredMarginal] = ()) -> BayesianNetwork:
            weights = scale_columns(model, told.distributions, network.order)
            return self._independent_network(weights)

        begun = Carried(network, draw(network))
        found = fit_records(begun, told.measured, draw, least=least, redraws=_REDRAWS, learn=learn)
        # What is noise in columns of which each tells of others is averaged out from there on.
        found.model.calibrate(told.measured, least=least)
        return replace(found, network=learn(found.model))

    def _calibrate_bound(self, model: Particles, told: Measurements) -> None:
        """Calibrate records of columns by themselves, if these are bound: under rules they lean to
        what many records complete."""
        if self._binds(told) and self.steps.calibrate:
            model.calibrate(told.measured)

    def _binds(self, told: Measurements) -> bool:
        """Return whether rules or known totals relate columns, whatever was measured."""
        return bool(self.schema.relations or told.known_totals)

    def _count_records(self, rows: CountSource, noise: Noise) -> float:
        """Return the noisy number of records; at least 1."""
        assert self.number is not None
        return max(1.0, float(self.number.table(np.array([len(rows)]), noise)[0]))

    def _learn_columns(self, rows: CountSource, views: Views, noise: Noise) -> Measurements:
        """Return columns by themselves, for which everything is spent."""
        spend = self.columns.part(math.fsum(astuple(self.spend)))
        alone = self._measure_columns(rows, views, spend, noise)
        return Measurements(self.schema, total_records(alone), alone)

    def _relearn_columns(self, rows: CountSource, told: Measurements, noise: Noise) -> Measurements:
        """Return columns by themselves, for which all that is left is spent."""
        left = self.spend.misfit + self.spend.rounds
        if not left:
            return told
        again = self._measure_columns(rows, told.counted_views, self.allowance.part(left), noise)
        return replace(told, alone=pool_measurements(told.alone, again))

    def _measure_columns(
        self, rows: CountSource, views: Views, spend: Allowance, noise: Noise
    ) -> tuple[MeasuredMarginal, ...]:
        """Return every attribute by itself, as counted through each of its views."""
        marginals = [(view,) for each in views for view in each]
        prices = table_prices(self.schema, views, self.importance)
        tables = measure(rows, marginals, prices, spend, noise)
        each_column = split_by_column(tables, views)
        return tuple(merge_levels(self.schema, each) for each in each_column)

    def _single_marginals(self) -> tuple[Marginal, ...]:
        return tuple((View(place),) for place in range(len(self.schema)))

    def _run_round(
        self,
        rows: CountSource,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        """Return what a round adds: where the model is off, the pairs, and in the last one the
        triples, worth measuring for it, and every attribute again."""
        spend, shortlist = self.look(told.records)
        found = misfit(rows, model, asked, spend, noise, shortlist)
        if self.steps.shapes:
            cells = count_shaped_cells(self.schema, found.candidates, found.occupied)
            found = replace(found, occupied=cells)
        whole, importance, most = self.of_a_round, self.importance, 0
        look = self.look_at_triples(told.records) if told.before_last else NO_TRIPLES
        if look.many:
            looks, whole = self.triple_parts(look)
            questions = self.triples(told.records)
            triples = questions.choose(model)
            found = found.beside(draw_together(misfit(rows, model, triples, looks, noise)))
            importance = questions.weigh(triples)
            most = questions.most_counted(self._count_drawn(told.records, AT_LAST))
        division = best_division(
            found,
            told.alone,
            whole,
            again=self.steps.again,
            importance=importance,
            triples=most,
        )
        alone = told.alone
        if division.alone:
            spend = whole.part(division.alone)
            again = self._measure_columns(rows, told.counted_views, spend, noise)
            alone = pool_measurements(alone, again)
        spend = whole.part(1 - division.alone)
        sizes = prices(found, division.pairs, importance)
        tables = measure(rows, division.pairs, sizes, spend, noise)
        pairs = tuple(self._expect(each, model.counts(each.marginal)) for each in tables)
        return Measurements(
            self.schema,
            told.records,
            alone,
            (*told.pairs, *pairs),
            (*told.misfits, found),
            (*told.divisions, division),
        )

    def _expect(self, table: MeasuredMarginal, expected: FloatArray) -> MeasuredMarginal:
        """Return a table as it is followed, of which so much was expected."""
        if not self.steps.shapes:
            return table.beside(expected)
        return shrink_pair(self.schema, table, expected)

    def _first_network(self, told: Measurements) -> BayesianNetwork:
        """Return what the first records that are calibrated are drawn from."""
        if not self.steps.forest:
            return self._column_network(told)
        tables = (*told.followed_pairs, *told.known_totals)
        pairs = [each for each in tables if len(each.marginal) == 2]
        return span_forest(self.schema, told.distributions, pairs, told.records)

    def _span_again(
        self, begun: BayesianNetwork, found: Carried, told: Measurements, draw: _Draw
    ) -> tuple[BayesianNetwork, Carried]:
        """Return a forest of all pairs and its records, if the last round drew one towards its
        shape: weights bring two columns only as near as records reach, a forest does at once."""
        last = told.divisions[-1].pairs
        if all(each.left is None for each in told.pairs[len(told.pairs) - len(last) :]):
            return begun, found
        forest = self._first_network(told)
        return forest, Carried(forest, draw(forest), found.effective)

    def _distil_and_fit(self, model: Carried, told: Measurements, draw: _Draw) -> Carried:
        """Return the model distilled, and calibrated to all measurements."""
        if not self.steps.distil:
            return model

        def afresh(network: BayesianNetwork) -> Particles:
            return draw(network, AT_LAST)

        network = distil(model.model, told.measured)
        begun = Carried(network, afresh(network), model.effective)
        if not self.steps.calibrate:
            return begun
        return fit_records(begun, told.measured, afresh, least=_LEAST_AT_LAST, redraws=_REDRAWS)

    def _select_best(
        self,
        finished: Carried,
        begun: BayesianNetwork,
        told: Measurements,
        draw: _Draw,
    ) -> BayesianNetwork:
        """Return the finished network with its tilts or without, the one that was begun with, or
        columns by themselves, as calibrated or as measured: what fits best what was measured. Each
        is judged by records that it was not made from, as weights may suit only those they are
        of."""
        if not finished.model.tilts:
            return finished.network
        fresh = draw(finished.network, 1.0)
        tilts = Tilts.of(fresh.rows, [Tilt(*each) for each in finished.model.tilts])
        accepted = fresh.with_weights(tilts.acceptance(fresh.rows.columns), finished.model.trust)
        calibrated = self._independent_network(
            [finished.model.counts(each) for each in self._single_marginals()]
        )
        networks = finished.network, finished.network, begun, calibrated, self._column_network(told)
        models = accepted, fresh, *(draw(each, 1.0) for each in networks[2:])
        chosen = select_best_fit(models, told.measured) if self.steps.distil else 0
        if chosen:
            return networks[chosen]
        return replace(finished.network, tilts=refit_tilts(tilts, fresh, accepted, told.measured))

    def _column_network(self, told: Measurements) -> BayesianNetwork:
        """Return every attribute by itself, as it was measured."""
        return self._independent_network(told.distributions)

    def _independent_network(self, distributions: Sequence[FloatArray]) -> BayesianNetwork:
        made = (ConditionalTable.from_probabilities(each[None, :]) for each in distributions)
        structure = Structure.independent(len(self.schema), self.schema.relations)
        return BayesianNetwork(self.schema, structure, tuple(made))

    def _draw_records(
        self, network: BayesianNetwork, records: float, source: RandomSource, times: float
    ) -> Particles:
        """Draw records of a network, to stand for this many real ones."""
        columns = list(network.records(self._count_drawn(records, times), source))
        return Particles.of(Rows(self.schema, columns), records)

    def _count_drawn(self, records: float, times: float) -> int:
        """Return how many drawn records stand for so many real ones."""
        return count_drawn(records, len(self.schema), self.fewest, times)


def known_marginal(totals: BoundTotals) -> Marginal:
    """Return what known totals count, as a marginal."""
    return tuple(View(place, level) for place, level in totals.views)


def count_drawn(records: float, attributes: int, fewest: int = FEWEST, times: float = 1.0) -> int:
    """Return how many drawn records stand for so many real ones, or `times` as many: fewer where
    there are very many tables to calibrate them to."""
    most = min(times * _MOST, _WORK // count_tables(attributes))
    return int(np.clip(4 * times * records, fewest, max(most, fewest)))
