"""What the private model asks of the records, and what each question costs.

One budget, in ε or ρ, over all the records it is given. Five questions, each with its share:

    alone       the counts of every attribute by itself
    structure   the parents of every attribute, by the exponential mechanism
    families    the counts of every attribute with its parents
    misfit      how far the model so far is off on every pair
    pairs       the counts of the pairs that are off by more than their noise

The last two are asked `ROUNDS` times, of a model that knows the answers before. Between them, and
after, everything is post-processing: the model is calibrated to all that was measured, distilled
into a network of its own, and that network's records calibrated once more; where few records came
to carry the weights, records are drawn afresh. What fits the noisy tables best is kept.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, replace
from functools import partial

import numpy as np

from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.calibrated.carrying import Carried, carried
from engine.models.calibrated.choosing import Choosing, choices, family, rounded
from engine.models.calibrated.conditionals import conditional
from engine.models.calibrated.distilling import distil
from engine.models.calibrated.guarding import best
from engine.models.calibrated.measured import Measured, measure, on_simplex, total
from engine.models.calibrated.misfit import Misfit, candidates, misfit, worth_measuring
from engine.models.calibrated.particles import Particles
from engine.models.categorical import ConditionalTable
from engine.models.counted import Counted, counted
from engine.models.tilts import Tilt, Tilts
from engine.models.views import Marginal, Rows, View, cells, shape
from engine.privacy.accounting.allowance import Allowance
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Schema

ROUNDS = 2
_ROUNDING = 1e-12
_FEW, _MANY = 15, 40
"""Up to so many attributes the shares of a budget are those of few, and from so many on of many."""
_ENOUGH = 300_000
"""Parents are chosen by so many records on average, where there are more: each is taken by a coin
of its own, which leaves the guarantee as it is."""
_FEWEST, _MOST = 30_000, 400_000
"""How many records are drawn to stand for the model."""
AT_LAST = 2.5
"""How many times as many stand for the distilled one: what chance sets those apart by stays."""
_LEAST_BETWEEN, _LEAST_AT_LAST = 0.2, 0.5
"""The effective share of those records that weights keep: while the law is sought, and at the end,
where a weight becomes a chance of being kept."""
_REDRAWS = 1
"""How many times records are drawn afresh, at most."""
_WORK = 150_000_000
"""Drawn records times tables, at most."""


@dataclass(frozen=True)
class Spend:
    """The share of the budget that each question gets. They sum to 1, or to less.

    Raises:
        ValueError: they sum to more, or one is negative.
    """

    alone: float = 0.15
    structure: float = 0.05
    families: float = 0.20
    misfit: float = 0.05
    pairs: float = 0.55

    def __post_init__(self) -> None:
        shares = astuple(self)
        if min(shares) < 0 or math.fsum(shares) > 1 + _ROUNDING:
            raise ValueError("the shares of a budget are never negative and sum to 1 at most")

    @classmethod
    def of(cls, attributes: int) -> Spend:
        """The usual shares of a table with so many attributes.

        Of many attributes there are so many pairs that little can be learned of each, and what is
        not known of the attributes by themselves is most of what all pairs are off by. So their
        share grows, at the cost of pairs and families (`python -m benchmarks wide`).
        """
        wide = min(max((attributes - _FEW) / (_MANY - _FEW), 0.0), 1.0)
        usual = cls()
        return cls(
            alone=usual.alone + 0.25 * wide,
            structure=usual.structure,
            families=usual.families - 0.05 * wide,
            misfit=usual.misfit,
            pairs=usual.pairs - 0.20 * wide,
        )

    def among(self, steps: Steps) -> Spend:
        """As much in all, in the same proportions, for the questions of these steps only."""
        asked = Spend(
            self.alone,
            self.structure if steps.structure else 0.0,
            self.families if steps.structure else 0.0,
            self.misfit if steps.pairs else 0.0,
            self.pairs if steps.pairs else 0.0,
        )
        whole = math.fsum(astuple(asked)) / math.fsum(astuple(self))
        return Spend(*(share / whole for share in astuple(asked)))


@dataclass(frozen=True)
class Steps:
    """Which steps are taken, to see what each is worth.

    Attributes:
        structure: choose parents; without, every attribute stands by itself.
        cap: hold what noise would make up against every further cell of a family.
        shrink: draw conditionals towards those of a parent fewer.
        pairs: measure pairs where the model is off.
        calibrate: calibrate to what was measured.
        distil: distil the calibrated records, and calibrate the outcome.
    """

    structure: bool = True
    cap: bool = True
    shrink: bool = True
    pairs: bool = True
    calibrate: bool = True
    distil: bool = True


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """What was learned. All of it is covered by the guarantee.

    Attributes:
        network: the model, with its tilts.
        measured: everything that was counted.
        records: the noisy number of records.
        misfits: how far off the model was, at the beginning of each round.
        effective: the effective share of the records that stood for the model, after each
            calibration.
    """

    network: BayesianNetwork
    measured: tuple[Measured, ...]
    records: float
    misfits: tuple[Misfit, ...]
    effective: tuple[float, ...]


@dataclass(frozen=True)
class CalibratedLearner:
    """Learns the model of one schema under one budget.

    Attributes:
        schema: the columns.
        budget: the (ε, δ) to stay within; unbounded for un-noised learning.
        allowance: the budget in the currency it is spent in.
        spend: how it is divided.
        steps: which steps are taken.
        fewest: how many records stand for the model at least.
    """

    schema: Schema
    budget: Budget
    allowance: Allowance
    spend: Spend = Spend()
    steps: Steps = Steps()
    fewest: int = _FEWEST

    @classmethod
    def within(
        cls,
        schema: Schema,
        budget: Budget,
        *,
        spend: Spend | None = None,
        steps: Steps | None = None,
    ) -> CalibratedLearner:
        """The learner that spends at most `budget`."""
        return cls(
            schema,
            budget,
            Allowance.of(budget, tables(len(schema))),
            (spend or Spend.of(len(schema))).among(steps or Steps()),
            steps or Steps(),
        )

    @property
    def cost(self) -> Budget:
        """What the records pay: of ρ, the largest that comes to no more than the budget, the whole
        budget, so that the total is the ε that was asked for to the last place."""
        if self.allowance.currency == "rho":
            return self.budget
        return self.allowance.cost(self.budget.delta)

    @property
    def family_deviation(self) -> float:
        """The standard deviation of the noise on a cell of a family, where all families are of
        one size; in records."""
        return self.allowance.part(self.spend.families / len(self.schema)).deviation

    def learn(self, records: Records | Counted, noise: Noise, source: RandomSource) -> LearnedModel:
        """Ask the five questions and make the model.

        Args:
            records: all the records it may look at.
            noise: where the noise comes from.
            source: randomness for what needs no noise.
        """
        rows = counted(records)
        alone = self._alone(rows, noise)
        known = total(alone)
        structure = self._structure(rows, alone, known, noise, source)
        families = self._families(rows, structure, noise)
        network = self._network(structure, alone, families, known)
        begun = Carried(network, self._drawn(network, known, source))
        between = partial(
            carried,
            draw=lambda network: self._drawn(network, known, source),
            least=_LEAST_BETWEEN if self.steps.distil else 0.0,
        )
        measured = (*alone, *families)
        misfits = []
        redraws = _REDRAWS if self.steps.distil else 0
        model = between(begun, measured, redraws=redraws) if self.steps.calibrate else begun
        for left in reversed(range(ROUNDS if self.steps.pairs else 0)):
            found, pairs = self._pairs(rows, model.model, known, noise)
            misfits.append(found)
            measured = (*measured, *pairs)
            # What comes last is distilled anyway.
            model = between(model, measured, redraws=redraws if left else 0)
        finished = self._finished(model, measured, known, source)
        network = self._guarded(finished, network, measured, known, source)
        return LearnedModel(network, measured, known, tuple(misfits), finished.effective)

    def _alone(self, rows: Counted, noise: Noise) -> tuple[Measured, ...]:
        """Every attribute by itself."""
        sizes = self.schema.cardinalities.tolist()
        spend = self.allowance.part(self.spend.alone)
        return measure(rows, self._singles(), sizes, spend, noise)

    def _singles(self) -> tuple[Marginal, ...]:
        return tuple((View(place),) for place in range(len(self.schema)))

    def _structure(
        self,
        rows: Counted,
        alone: tuple[Measured, ...],
        known: float,
        noise: Noise,
        source: RandomSource,
    ) -> Structure:
        many = len(self.schema)
        if not self.steps.structure:
            return Structure.independent(many)
        share = min(1.0, _ENOUGH / known)
        spend = self.allowance.part(self.spend.structure)
        return Choosing(
            rows=by_coins(rows, share, source),
            share=share,
            distributions=[rounded(on_simplex(each.counts, known)) for each in alone],
            records=known,
            deviation=self.family_deviation if self.steps.cap else 0.0,
            each=spend.part(1 / choices(many)),
            noise=noise,
        ).structure()

    def _families(self, rows: Counted, structure: Structure, noise: Noise) -> tuple[Measured, ...]:
        """Every attribute that has parents, with them; where none has, each by itself again."""
        marginals = tuple(
            family(self.schema, child, parents)
            for child, parents in enumerate(structure.parents)
            if parents
        )
        if not marginals and self.steps.structure:
            marginals = self._singles()
        sizes = [cells(self.schema, each) for each in marginals]
        return measure(rows, marginals, sizes, self.allowance.part(self.spend.families), noise)

    def _network(
        self,
        structure: Structure,
        alone: tuple[Measured, ...],
        families: tuple[Measured, ...],
        known: float,
    ) -> BayesianNetwork:
        """The network of the families, which the first records are drawn from."""
        found = {each.marginal[-1].attribute: each for each in families if len(each.marginal) > 1}
        rows = []
        for child, by_itself in enumerate(alone):
            distribution = on_simplex(by_itself.counts, known) / known
            if child not in found:
                rows.append(distribution[None, :])
                continue
            sizes = shape(self.schema, found[child].marginal)
            shrink = self.steps.shrink
            rows.append(conditional(found[child], sizes, distribution, shrink=shrink))
        made = tuple(ConditionalTable.from_probabilities(each) for each in rows)
        return BayesianNetwork(self.schema, structure, made)

    def _pairs(
        self, rows: Counted, model: Particles, known: float, noise: Noise
    ) -> tuple[Misfit, tuple[Measured, ...]]:
        """One round: where the model is off, and the pairs worth measuring for it; where there is
        none, every attribute by itself again."""
        spend = self.allowance.part(self.spend.pairs / ROUNDS)
        asked = candidates(self.schema, known, spend)
        found = misfit(rows, model, asked, self.allowance.part(self.spend.misfit / ROUNDS), noise)
        chosen = worth_measuring(found, spend)
        sizes = found.sizes(chosen) if chosen else self.schema.cardinalities.tolist()
        chosen = chosen or self._singles()
        return found, measure(rows, chosen, sizes, spend, noise)

    def _finished(
        self, model: Carried, measured: tuple[Measured, ...], known: float, source: RandomSource
    ) -> Carried:
        """Distilled, and calibrated to all that was measured."""
        if not self.steps.distil:
            return model

        def draw(network: BayesianNetwork) -> Particles:
            return self._drawn(network, known, source, AT_LAST)

        network = distil(model.model)
        begun = Carried(network, draw(network), model.effective)
        if not self.steps.calibrate:
            return begun
        return carried(begun, measured, draw, least=_LEAST_AT_LAST, redraws=_REDRAWS)

    def _guarded(
        self,
        finished: Carried,
        network: BayesianNetwork,
        measured: tuple[Measured, ...],
        known: float,
        source: RandomSource,
    ) -> BayesianNetwork:
        """The finished network with its tilts or without, the one that all began with, or its
        columns by themselves: what fits best what was measured."""
        if not finished.model.tilts:
            return finished.network
        tilts = Tilts.of(finished.model.rows, [Tilt(*each) for each in finished.model.tilts])
        tilted = replace(finished.network, tilts=tilts)
        if not self.steps.distil:
            return tilted
        networks = tilted, finished.network, network, self._columns(finished.model)
        drawn = (self._drawn(each, known, source) for each in networks[2:])
        candidates = finished.model, finished.model.unweighted(), *drawn
        return networks[best(candidates, measured)]

    def _columns(self, model: Particles) -> BayesianNetwork:
        """Every attribute by itself, as it is in the calibrated model."""
        distributions = (model.counts(each)[None, :] for each in self._singles())
        made = tuple(map(ConditionalTable.from_probabilities, distributions))
        return BayesianNetwork(self.schema, Structure.independent(len(self.schema)), made)

    def _drawn(
        self, network: BayesianNetwork, known: float, source: RandomSource, times: float = 1.0
    ) -> Particles:
        """Records of a network, to stand for so many real ones."""
        count = standing(known, len(self.schema), self.fewest, times)
        columns = list(network.records(count, source))
        return Particles.of(Rows(self.schema, columns), known)


def tables(attributes: int) -> int:
    """How many tables a budget is divided among if every pair is measured."""
    return 2 * attributes + attributes * (attributes - 1) // 2


def standing(records: float, attributes: int, fewest: int = _FEWEST, times: float = 1.0) -> int:
    """How many drawn records stand for so many real ones, or `times` as many: fewer where there
    are very many tables to calibrate them to."""
    most = min(times * _MOST, _WORK // tables(attributes))
    return int(np.clip(4 * times * records, fewest, max(most, fewest)))


def by_coins(rows: Counted, share: float, source: RandomSource) -> Rows:
    """Records taken by a coin each, from a stream of its own: what is drawn later does not hang on
    how many coins there were."""
    return rows.sample(share, source if share >= 1 else source.child())
