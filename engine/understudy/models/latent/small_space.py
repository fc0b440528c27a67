"""The small space of a model: from records to a few numbers, and back.

Everything here follows from the model and from the records that it is given. Where those were
released, and the model is part of what was promised, so may everything be that is made here: walks
from one released record to another, the direction that sets a label apart, several records of one
point. Of confidential records it is internal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from understudy.core.arrays import FloatArray
from understudy.models.latent.coordinate_noise import Projected
from understudy.models.latent.factors import Encoder, Factors, normals, one_of
from understudy.models.latent.features import Features, S, Standardised
from understudy.models.latent.grid import Decoder
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.principal import Principal
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records


class SmallSpace(Protocol):
    """A few numbers for a record."""

    def encode(self, records: Records) -> FloatArray:
        """Return (n, w) the point of each record, without any noise."""
        ...

    def decode(self, points: FloatArray) -> FloatArray:
        """Return (n, m) what points say of each column, in the order of the schema: of a flag the
        chance of its one, of a label the likeliest, of a number its code, not rounded; NaN for a
        column that they say nothing of."""
        ...

    def draw(self, points: FloatArray, source: RandomSource) -> FloatArray:
        """Return (n, m) as `decode`, with what points leave open drawn; flags are 0 or 1."""
        ...


@dataclass(frozen=True, eq=False)
class OfHidden:
    """The hidden numbers of a model, read off records by regression.

    Attributes:
        model: it.
        encoder: the regression.
        features: what the columns are.
    """

    model: Factors | Principal
    encoder: Encoder
    features: Features

    def encode(self, records: Records) -> FloatArray:
        """Answer as `SmallSpace`."""
        return self.encoder.encode(self.features.entries(records.codes))

    def decode(self, points: FloatArray) -> FloatArray:
        """Answer as `SmallSpace`; of factors, what a regression leaves open about the hidden
        numbers counts as a column's own."""
        return self._place_records(*self._middle(points))

    def draw(self, points: FloatArray, source: RandomSource) -> FloatArray:
        """Answer as `SmallSpace`."""
        chances, numbers = self._middle(points)
        uniforms = source.uniforms(chances.size).reshape(chances.shape)
        alone = normals(numbers.shape, source) if numbers.size else numbers
        bits = (uniforms < chances).astype(np.float64)
        exclusive = self.features.exclusive
        if exclusive is not None:
            bits[:, exclusive] = one_of(chances[:, exclusive], uniforms[:, exclusive.start])
        return self._place_records(bits, numbers + alone * self._open)

    def _middle(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n, f) chances of flags and (n, c) numbers from −S to S."""
        model = self.model
        if isinstance(model, Principal):
            flags = len(model.mean) - len(model.open)
            found = model.mean + points @ model.directions.T
            return np.clip(found[:, :flags], 0, 1), found[:, flags:] * S
        flags = len(model.thresholds)
        shared = points @ model.loadings.T
        still = np.einsum("iw,wv,iv->i", model.loadings, self.encoder.left, model.loadings)
        own = np.sqrt(model.own**2 + np.maximum(0.0, still))[:flags]
        chances = ndtr((model.thresholds + shared[:, :flags]) / own)
        return chances, model.middle + model.spread * shared[:, flags:]

    @property
    def _open(self) -> FloatArray:
        """(c,) the deviation of each number about what its point says."""
        if isinstance(self.model, Principal):
            return self.model.open * S
        return np.asarray(self.model.spread * self.model.own[len(self.model.thresholds) :])

    def _place_records(self, chances: FloatArray, numbers: FloatArray) -> FloatArray:
        return self.features.by_column(chances, as_codes(self.features.numbers, numbers))


@dataclass(frozen=True, eq=False)
class OfGrid:
    """The projections that a proposer disturbs, of flags or of numbers.

    Attributes:
        proposer: it; of latent noise, one whose space is linear.
    """

    proposer: Projected | LatentNoise

    def encode(self, records: Records) -> FloatArray:
        """Answer as `SmallSpace`: the middle of the place that a record is put in on the grid."""
        grid = self.proposer.grid
        if isinstance(self.proposer, LatentNoise):
            return grid.middles(self.proposer.locate(records.codes))
        numbers = self._standard.numbers(records.codes)
        return grid.middles(grid.coordinates(numbers).astype(np.uint16))

    def decode(self, points: FloatArray) -> FloatArray:
        """Answer as `SmallSpace`."""
        decoder = self._decoder
        return self._place_records(decoder.offset + points @ decoder.gain)

    def draw(self, points: FloatArray, source: RandomSource) -> FloatArray:
        """Answer as `SmallSpace`."""
        if isinstance(self.proposer, LatentNoise):
            chances = self.decode(points)
            uniforms = source.uniforms(chances.size).reshape(chances.shape)
            return np.asarray((uniforms < chances).astype(np.float64))
        return self._place_records(self._decoder.draw(points, source))

    @property
    def _decoder(self) -> Decoder:
        if isinstance(self.proposer, Projected):
            return self.proposer.decoder
        assert isinstance(self.proposer.space, Linear)
        return self.proposer.space.decoder

    @property
    def _standard(self) -> Standardised:
        assert isinstance(self.proposer, Projected)
        return Standardised.of(self.proposer.schema)

    def _place_records(self, numbers: FloatArray) -> FloatArray:
        if isinstance(self.proposer, LatentNoise):
            return np.clip(numbers / S, 0, 1)
        found = np.full((len(numbers), len(self.proposer.schema)), np.nan)
        found[:, self._standard.places] = as_codes(self._standard, numbers)
        return found


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Records, and what a small space keeps of each.

    Attributes:
        real: n records.
        kept: (n, m) as of `SmallSpace.decode`.
    """

    real: Records
    kept: FloatArray

    @classmethod
    def of(cls, space: SmallSpace, records: Records) -> Reconstruction:
        """Return these records, encoded and decoded without any noise."""
        return cls(records, space.decode(space.encode(records)))


def as_codes(standard: Standardised, numbers: FloatArray) -> FloatArray:
    """Return (n, c) the code of each of (n, c) numbers from −S to S, not rounded; beyond the
    bounds, that of the bound."""
    found = (numbers / S * standard.sizes + standard.sizes - 1) / 2
    return np.asarray(np.clip(found, 0, standard.sizes - 1))


def as_records(like: Records, found: FloatArray) -> Records:
    """Return rows of `SmallSpace.decode` as records, rounded; a column that they say nothing of is
    as in `like`, which has as many."""
    whole = np.where(np.isnan(found), like.codes, np.rint(np.nan_to_num(found)))
    return replace(like, codes=whole.astype(np.uint16))


def walk_between(space: SmallSpace, first: Records, last: Records, steps: int) -> Records:
    """Walk from each record to the one beside it in even steps, both included, one walk after the
    other.

    Args:
        space: where the way lies.
        first, last: n records each; what the space says nothing of is as in the first.
        steps: how many records each walk has, at least 2.

    Returns:
        n·steps records.
    """
    start, end = space.encode(first)[:, None, :], space.encode(last)[:, None, :]
    share = np.linspace(0, 1, steps)[None, :, None]
    points = (start + share * (end - start)).reshape(len(first) * steps, -1)
    return as_records(_each(first, steps), space.decode(points))


def decodings(space: SmallSpace, records: Records, times: int, source: RandomSource) -> Records:
    """Return each record's point decoded so many times, what it leaves open drawn anew each time.

    Returns:
        n·times records.
    """
    points = np.repeat(space.encode(records), times, axis=0)
    return as_records(_each(records, times), space.draw(points, source))


def attribute(space: SmallSpace, having: Records, others: Records) -> FloatArray:
    """Return (w,) the way from the middle of some records to that of those that have a label."""
    return np.asarray(space.encode(having).mean(axis=0) - space.encode(others).mean(axis=0))


def along(space: SmallSpace, records: Records, way: FloatArray, amounts: FloatArray) -> Records:
    """Return each record moved along a way by these amounts of it, and decoded.

    Returns:
        n·(number of amounts) records.
    """
    start = space.encode(records)[:, None, :]
    points = (start + amounts[None, :, None] * way).reshape(len(records) * len(amounts), -1)
    return as_records(_each(records, len(amounts)), space.decode(points))


def _each(records: Records, times: int) -> Records:
    return records.take(np.repeat(np.arange(len(records)), times))
