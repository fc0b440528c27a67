"""Records beside what a small space keeps of them: encoded, and decoded without any noise. Internal
where the records are confidential.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from engine.models.latent.factors import Factors
from engine.models.latent.features import Features
from engine.models.latent.implied import Encoder
from engine.models.latent.latent_noise import LatentNoise
from engine.models.latent.principal import Principal
from engine.models.latent.projected import Projected
from engine.models.latent.standardised import S, Standardised
from engine.table.records import Records

Real = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Records, and what is kept of each.

    Attributes:
        real: n records.
        kept: (n, m) in the order of the schema: of a flag the chance of its one, of a number its
            code, not rounded; NaN for a column that does not go through the small space.
    """

    real: Records
    kept: Real


def hidden(encoder: Encoder, features: Features, records: Records) -> Real:
    """(n, w) the hidden numbers of records, by regression."""
    codes = records.codes
    columns = np.hstack([codes[:, features.flags], features.numbers.numbers(codes)])
    return encoder.encode(columns)


def decoded(model: Factors | Principal, encoder: Encoder, z: Real) -> tuple[Real, Real]:
    """(n, f) the chances of flags and (n, c) numbers from −S to S that hidden numbers say.

    Of factors, what a regression leaves open about the hidden numbers counts as a column's own.
    """
    if isinstance(model, Principal):
        flags = len(model.mean) - len(model.open)
        found = model.mean + z @ model.directions.T
        return np.clip(found[:, :flags], 0, 1), np.clip(found[:, flags:], -1, 1) * S
    flags = len(model.thresholds)
    shared = z @ model.loadings.T
    still = np.einsum("iw,wv,iv->i", model.loadings, encoder.left, model.loadings)
    own = np.sqrt(model.own**2 + np.maximum(0.0, still))[:flags]
    chances = ndtr((model.thresholds + shared[:, :flags]) / own)
    return chances, np.clip(model.middle + model.spread * shared[:, flags:], -S, S)


def of_hidden(model: Factors | Principal, encoder: Encoder, features: Features, z: Real) -> Real:
    """(n, m) what hidden numbers say of each column, as of `Reconstruction.kept`."""
    chances, numbers = decoded(model, encoder, z)
    kept = np.empty((len(z), features.columns))
    kept[:, features.flags] = chances
    kept[:, features.numbers.places] = as_codes(features.numbers, numbers)
    return kept


def of_coordinates(proposer: Projected | LatentNoise, records: Records) -> Reconstruction:
    """What undisturbed coordinates keep of these records."""
    grid, decoder = proposer.grid, proposer.decoder
    kept = np.full(records.codes.shape, np.nan)
    if isinstance(proposer, LatentNoise):
        places = proposer.located(records.codes)
        chances = (decoder.offset + grid.middles(places) @ decoder.gain) / S
        return Reconstruction(records, np.clip(chances, 0, 1))
    standard = Standardised.of(records.schema)
    places = grid.coordinates(standard.numbers(records.codes)).astype(np.uint16)
    numbers = decoder.offset + grid.middles(places) @ decoder.gain
    kept[:, standard.places] = as_codes(standard, np.clip(numbers, -S, S))
    return Reconstruction(records, kept)


def as_codes(standard: Standardised, numbers: Real) -> Real:
    """(n, c) the code of each of (n, c) numbers from −S to S, not rounded."""
    found = (numbers / S * standard.sizes + standard.sizes - 1) / 2
    return np.asarray(np.clip(found, 0, standard.sizes - 1))
