"""Simulated stays, the models that are fitted to them, and candidates of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource
from understudy.samples.discharges import schema, simulate
from understudy.studies.latent.network import STRENGTH, Kind, trained
from understudy.studies.latent.projecting import Candidates, candidates
from understudy.studies.latent.published import AE, PCA, VAE
from understudy.studies.latent.reconstructing import Principal, Reconstructing
from understudy.studies.latent.sizes import Sizes
from understudy.studies.latent.telling import Telling
from understudy.studies.reproduction import Told

_COMPONENTS: Final = 5


@dataclass(frozen=True, eq=False)
class Setting:
    """What is measured.

    Attributes:
        sizes: how much is done.
        seed: where chance starts.
        training: (n, 42) records that the models are fitted to.
        seeds: records that candidates are made of.
        marks: which of these have to do with alcohol, the sub-population.
        held_out: other records, as many as candidates.
        models: by name.
        candidates: of each model, by its name.
    """

    sizes: Sizes
    seed: int
    training: BoolArray
    seeds: BoolArray
    marks: BoolArray
    held_out: BoolArray
    models: dict[str, Reconstructing]
    candidates: dict[str, Candidates]

    @property
    def telling(self) -> Telling:
        """Tells its tables apart."""
        return Telling(schema(), self.seed)

    def random(self, *purpose: int) -> np.random.Generator:
        """Chance for a purpose that has these numbers."""
        return np.random.default_rng((self.seed, *purpose))

    def passes(self, made: Candidates, k: int, epsilon0: float) -> BoolArray:
        """(N,) which candidates pass the test, k and ε0 being those for the published number of
        seeds."""
        least = self.sizes.scaled(k)
        coin = PassCoin(least, epsilon0 * k / least, "geometric")
        return coin.decide(made.scores, RandomSource.fixed(self.seed + k))


def related(count: int, seed: int) -> BoolArray:
    """Stays that have to do with alcohol, among so many."""
    stays, marks = simulate(count, seed)
    return stays[marks]


def setting(sizes: Sizes, seed: int, told: Told) -> Setting:
    """Stays are simulated, models fitted, and candidates made and scored."""
    told("simulating stays")
    training, _ = simulate(sizes.training, seed)
    seeds, marks = simulate(sizes.seeds, seed + 1)
    held_out, _ = simulate(sizes.candidates, seed + 2)
    models = _fitted(training, sizes, seed, told)
    made = {}
    for place, (name, model) in enumerate(models.items()):
        told(f"{name}: scoring candidates")
        random = np.random.default_rng((seed, place))
        made[name] = candidates(model, seeds, sizes.candidates, random)
    return Setting(sizes, seed, training, seeds, marks, held_out, models, made)


def _fitted(training: BoolArray, sizes: Sizes, seed: int, told: Told) -> dict[str, Reconstructing]:
    found: dict[str, Reconstructing] = {PCA: Principal.fitted(training, _COMPONENTS)}
    kinds: tuple[Kind, ...] = (AE, VAE)
    for kind in kinds:
        told(f"{kind}: training")
        found[kind] = trained(kind, training, sizes.epochs, STRENGTH, seed)
    return found
