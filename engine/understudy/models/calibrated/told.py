"""What the records have told the calibrated learner, and the model that was made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from understudy.core.arrays import FloatArray
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.dividing import Division
from understudy.models.calibrated.measured import Measured, on_simplex
from understudy.models.calibrated.residuals import Misfit
from understudy.models.noisy_tables import NoisyTable


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
    measured: tuple[Measured, ...]
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
        records: their noisy number, as first told.
        alone: every attribute by itself.
        pairs: those that were measured.
        misfits: of each round.
        divisions: of each round.
    """

    records: float
    alone: tuple[Measured, ...]
    pairs: tuple[Measured, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    divisions: tuple[Division, ...] = ()

    @property
    def measured(self) -> tuple[Measured, ...]:
        """All tables, attributes by themselves as the nearest that can be."""
        settled = (
            replace(each, counts=self.records * shares, settled=True)
            for each, shares in zip(self.alone, self.distributions, strict=True)
        )
        return (*settled, *self.pairs)

    @property
    def distributions(self) -> list[FloatArray]:
        """Of every attribute by itself, the nearest that can be."""
        return [on_simplex(each.counts, self.records) / self.records for each in self.alone]

    def learned(self, network: BayesianNetwork, effective: tuple[float, ...] = ()) -> LearnedModel:
        """With the network that was made of it."""
        return LearnedModel(
            network, self.measured, self.records, self.misfits, self.divisions, effective
        )
