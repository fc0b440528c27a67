"""Proposers of this program: redrawn, projected, and noise on flags."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Final, Protocol, runtime_checkable

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Flag, Number, Scale, Share, Whole
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.settings import ProposerSetting
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.bayesnet.redrawn import MOST_RULED, Redrawn
from understudy.models.latent.coordinate_noise import (
    Projected,
    ProjectedLearner,
    ProjectionShape,
    grid_of,
)
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import Standardised
from understudy.models.latent.grid import MOST_AXES, Decoder
from understudy.models.latent.latent_noise import LatentNoise, Linear, OfFactors, OfNetwork
from understudy.models.latent.moments import MOST_FLAGS, FlagMoments, SecondMoments, check_flags
from understudy.models.latent.networks import variational
from understudy.models.latent.projection import Projection
from understudy.models.possible import refuse_orders
from understudy.models.scores import SeedbasedProposer
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.rules.masks import check_some_order
from understudy.table.schema import Schema

_DIRECTIONS: Final = ProposerSetting(
    "directions",
    Words("Directions", "How many directions flags are projected on, at most.",
          "Those in which the table varies most. More of them keep more of a record, and fewer "
          "records could have made it."),
    Whole(), 3, 1, MOST_AXES,
)  # fmt: skip
ONES: Final = ProposerSetting(
    "ones",
    Words("Flags counted of a record", "How many flags of one record are counted at most.",
          "Of a record that has more, so many are counted, chosen by chance. Fewer let less noise "
          "do, and more keep what is told of full records. Don't choose it by looking at these "
          "records."),
    Whole(), 8, 1, MOST_FLAGS,
)  # fmt: skip
_FLOOR: Final = ProposerSetting(
    "floor",
    Words("Least chance of a flag", "How likely a flag is at least, and its contrary, out of "
          "65,536.", "Every record can then make every candidate."),
    Whole(), 16, 1, 1 << 15,
)  # fmt: skip
_DISTURBED_FLAGS: Final = ProposerSetting(
    "disturbed",
    Words("Noise on a code", "How strong the noise is, beside what a code varies by.",
          "As a share of what a code varies by. More of it hides a seed among more records, and "
          "blurs the rows."),
    Number(Scale(0.05, 20)), 1.0, 0.05, 20,
)  # fmt: skip


class _OfFlags:
    """What both readings ask of the records."""

    source: str = ""

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy second moments cost, which get all of the budget.

        Raises:
            Refusal: a column has not two values, or there are too many.
        """
        check_flags(schema)
        return budget

    def _moments(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> SecondMoments:
        asked = FlagMoments.within(len(records.schema), int(numbers["ones"]), budget)
        return asked.measure(records.codes, noise, source)


class ProjectionLearner(_OfFlags):
    """Learns the directions on which seeds are projected (reading A)."""

    settings: tuple[ProposerSetting, ...] = (_DIRECTIONS, ONES, _FLOOR)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Projection:
        """Learn the model under the budget."""
        moments = self._moments(records, budget, numbers, noise, source)
        return Projection.of(moments, int(numbers["directions"]), int(numbers["floor"]))

    def restore(self, schema: Schema, arrays: Arrays) -> Projection:
        """Return the model that gave these arrays."""
        return Projection.restore(arrays)


class LatentNoiseLearner(_OfFlags):
    """Learns the grid on which codes are disturbed, and what they are decoded by (reading B)."""

    settings: tuple[ProposerSetting, ...] = (_DIRECTIONS, ONES, _DISTURBED_FLAGS)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Learn the model under the budget."""
        moments = self._moments(records, budget, numbers, noise, source)
        shape = ProjectionShape(int(numbers["directions"]), True, numbers["disturbed"], 1.0)
        grid = grid_of(moments, shape)
        return LatentNoise(grid, Linear(Decoder.of(moments, grid)))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restore(arrays)


_FACTORS: Final = ProposerSetting(
    "factors",
    Words("Hidden numbers", "How many hidden numbers explain a record.",
          "More of them keep more of a record, and fewer records could have made a candidate."),
    Whole(), 2, 1, MOST_AXES,
)  # fmt: skip
_DISTURBED: Final = ProposerSetting(
    "disturbed",
    Words("Noise on a code", "How strong the noise is, beside what a record leaves open of its "
          "hidden numbers.", "At 1, a disturbed code is a draw of the hidden numbers given the "
          "record. More of it hides a seed among more records, and blurs the rows."),
    Number(Scale(0.25, 8)), 1.0, 0.25, 8,
)  # fmt: skip
_RECORDS: Final = ProposerSetting(
    "records",
    Words("Records learned from", "About how many records the network is learned from, as is "
          "publicly known.", "How many a step of its training takes follows from it. No promise "
          "rests on it, but fewer records than that train the network less well."),
    Whole(), 50_000, 100, 10**9,
)  # fmt: skip


class FactorNoiseLearner(_OfFlags):
    """Learns factors of noisy second moments; their posterior is the noise."""

    settings: tuple[ProposerSetting, ...] = (_FACTORS, ONES, _DISTURBED)

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that there are fewer hidden numbers than columns.

        Raises:
            Refusal: there are not.
        """
        if numbers["factors"] >= len(schema):
            raise Refusal(
                f"{int(numbers['factors']):,} hidden numbers explain nothing of "
                f"{len(schema):,} columns.",
                f"Choose {len(schema) - 1:,} or fewer.",
                field="numbers.factors",
            )

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Learn the model under the budget."""
        asked = FlagMoments.within(len(records.schema), int(numbers["ones"]), budget)
        moments = asked.measure_with_error(records.codes, noise, source)
        model = Factors.fit(moments, int(numbers["factors"]))
        return LatentNoise(*OfFactors.with_grid(model, numbers["disturbed"]))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restore(arrays, OfFactors.restore)


class NetworkNoiseLearner:
    """Trains a variational autoencoder with noise; its mean posterior is the noise on codes."""

    source: str = ""
    settings: tuple[ProposerSetting, ...] = (_RECORDS, _DISTURBED)

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return all of the budget.

        Raises:
            Refusal: a column has not two values, or there are too many.
        """
        check_flags(schema)
        return budget

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that so many records can train a network.

        Raises:
            Refusal: noise would leave nothing of it.
        """
        self._plan_network(schema, budget, numbers)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Train, and look at the network's own rows for what it leaves open."""
        plan = self._plan_network(records.schema, budget, numbers)
        model = variational.learn_network(records.codes.astype(np.bool_), plan, noise, source)
        return LatentNoise(*OfNetwork.with_grid(model, numbers["disturbed"], source.child()))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restore(arrays, OfNetwork.restore)

    def _plan_network(
        self, schema: Schema, budget: Budget, numbers: Mapping[str, float]
    ) -> variational.Planned:
        return variational.plan_network(len(schema), int(numbers["records"]), budget)


_PROJECTED: Final = (
    ProposerSetting(
        "directions",
        Words("Directions", "Along how many directions numbers are disturbed.",
              "Numbers are moved along so many directions, those in which the table varies most. "
              "More of them keep more of a record, and fewer records could have made it."),
        Whole(), 2, 1, MOST_AXES,
    ),
    ProposerSetting(
        "public",
        Words("Public directions", "Whether the directions are public, or learned.",
              "Public directions cost nothing. Those that are learned follow the table, and take "
              "part of what the proposer may spend."),
        Flag(), 0,
    ),
    ProposerSetting(
        "disturbed",
        Words("Noise on a coordinate", "How strong the noise is, beside what a coordinate varies "
              "by.", "As a share of what a coordinate varies by. More of it hides a seed among "
              "more records, and blurs the candidates."),
        Number(Scale(0.05, 20)), 0.5, 0.05, 20,
    ),
    ProposerSetting(
        "redrawn",
        Words("Chance that a category is drawn afresh", "How much of the categories is new.",
              "So likely a category of a candidate is drawn afresh, and not kept as the seed has "
              "it."),
        Share(), 0.5,
    ),
)  # fmt: skip


class ProjectingLearner:
    """Learns second moments of the numbers, and counts of what rides along."""

    source: str = ""
    settings: tuple[ProposerSetting, ...] = _PROJECTED

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy second moments and counts cost.

        Raises:
            Refusal: no column has numbers.
        """
        if not len(Standardised.of(schema)):
            raise Refusal(
                "The proposer “projected” needs a column of numbers, and the schema has none.",
                "Choose another proposer, such as redrawn, or describe a column by a range.",
                field="proposer",
            )
        return ProjectedLearner.within(schema, budget).cost

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Projected:
        """Learn the model under the budget."""
        shape = ProjectionShape(
            axes=int(numbers["directions"]),
            learned=not numbers["public"],
            disturbed=numbers["disturbed"],
            redrawn=numbers["redrawn"],
        )
        return ProjectedLearner.within(records.schema, budget).learn(records, shape, noise)

    def restore(self, schema: Schema, arrays: Arrays) -> Projected:
        """Return the model that gave these arrays."""
        return Projected.restore(schema, arrays)


SHARE: Final = "redrawn"
_REDRAWN: Final = (
    ProposerSetting(
        SHARE,
        Words("Chance that a column is drawn afresh", "How much of a candidate is new.",
              "So likely every column of a candidate is drawn from its marginal, and not kept as "
              "the seed has it. The more is drawn afresh, the more records could have made it."),
        Share(), 0.5,
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Redrawing:
    """A proposer that can be kept; see `Redrawn`."""

    model: Redrawn

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return a candidate from each seed."""
        return self.model.propose(seeds, source)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> np.ndarray:
        """Return (n, B) ln p_d(y)."""
        return self.model.log_likelihood(seeds, candidates)

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return the candidates, which are records."""
        return candidates

    def arrays(self) -> Arrays:
        """Return the chances of each attribute."""
        return {f"chances{at}": each for at, each in enumerate(self.model.chances)}


class RedrawingLearner:
    """Learns the marginals that attributes are drawn from."""

    source: str = ""
    settings: tuple[ProposerSetting, ...] = _REDRAWN

    def check_rules(self, schema: Schema) -> None:
        """Check that columns can be drawn one after another under the rules, and that few enough
        are bound by them.

        Raises:
            Refusal: they cannot, or too many are.
        """
        with refuse_orders(
            schema, "No proposer can draw its columns one after another under them."
        ):
            check_some_order(schema.relations)
        bound = len(schema.relations.columns)
        if bound > MOST_RULED:
            raise Refusal(
                f"Rules bind {bound:,} columns, and the proposer “redrawn” can keep to those of "
                f"{MOST_RULED:,}.",
                "Take out some of the rules, or choose seedbased synthesis.",
                field="rules",
            )

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy counts of every attribute cost."""
        return ParameterLearner.within(schema, budget).cost

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Redrawing:
        """Learn the marginals under the budget."""
        learner = ParameterLearner.within(records.schema, budget)
        marginals = learn_marginals(records, learner, noise)
        return Redrawing(Redrawn.of(marginals, numbers[SHARE]))

    def restore(self, schema: Schema, arrays: Arrays) -> Redrawing:
        """Return the proposer with these chances."""
        chances = (arrays[f"chances{at}"].astype(np.int64) for at in range(len(schema)))
        return Redrawing(Redrawn.under_rules(tuple(chances), schema.relations))


GROUP: Final = "understudy.proposers"


class LearnedProposer(SeedbasedProposer, Protocol):
    """A proposer that can be kept, and whose candidates become records."""

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return records of candidates that passed the test, made without any seed: where
        candidates are records, these.

        Args:
            candidates: (B, w) as `propose` made them.
            source: randomness.

        Returns:
            (B, m) codes in schema order.
        """
        ...

    def arrays(self) -> Arrays:
        """Return all that it is made of, for `ProposerLearner.restore`."""
        ...


class ProposerLearner(Protocol):
    """Learns a proposer within a budget.

    An entry point of the group “understudy.proposers” names a callable without arguments that
    returns one.
    """

    source: str
    """Who stands behind what its learning promises, in a sentence; "" for this package's own."""

    settings: tuple[ProposerSetting, ...]
    """Its own settings; a form and a check of them are made from these."""

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what learning costs one of the records that it sees, at most the budget."""
        ...

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LearnedProposer:
        """Learn from these records, within the budget.

        Args:
            records: the only ones that it may look at.
            budget: the most that it may spend.
            numbers: all of its settings, by name.
            noise: adds noise from which a run that was killed can go on.
            source: other randomness.
        """
        ...

    def restore(self, schema: Schema, arrays: Arrays) -> LearnedProposer:
        """Return the proposer that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        ...


@runtime_checkable
class ChecksNumbers(Protocol):
    """A learner that not every value of its settings suits."""

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that it can learn something so, by public numbers alone.

        Raises:
            Refusal: it cannot.
        """
        ...


@runtime_checkable
class KeepsRules(Protocol):
    """A learner of proposers whose candidates break no rule of the schema."""

    def check_rules(self, schema: Schema) -> None:
        """Check that it can keep these rules.

        Raises:
            Refusal: it cannot.
        """
        ...


OWN: Final[Mapping[str, ProposerLearner]] = {
    "redrawn": RedrawingLearner(),
    "projected": ProjectingLearner(),
    "projection": ProjectionLearner(),
    "latent-noise": LatentNoiseLearner(),
    "factor-noise": FactorNoiseLearner(),
    "network-noise": NetworkNoiseLearner(),
}
"""Those of this package, by name."""


def list_installed() -> tuple[str, ...]:
    """Return the names of those that other packages bring."""
    return _list_entry_points(tuple(sys.path))


@cache
def _list_entry_points(_: tuple[str, ...]) -> tuple[str, ...]:
    # To look takes longer than to draw a page that lists them.
    return tuple(sorted(entry_points(group=GROUP).names))


def learner_of(name: str) -> ProposerLearner:
    """Return the learner of this name.

    Raises:
        Refusal: there is none.
    """
    if name in OWN:
        return OWN[name]
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = ", ".join([*OWN, *list_installed()])
        raise Refusal(
            f"No proposer is installed as “{name}”.",
            f"Install the package that brings it, or choose from: {known}.",
            field="proposer",
        )
    learner: ProposerLearner = found[0].load()()
    return learner


@cache
def proposer_settings(name: str) -> tuple[ProposerSetting, ...]:
    """Return the settings that the proposer of this name declares; none where it cannot be loaded,
    which is said to whoever chooses it."""
    try:
        return learner_of(name).settings
    except Exception:
        return ()
