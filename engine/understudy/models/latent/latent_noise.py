"""Latent noise over flags (Bindschaedler 2018, §6.3.1): a record's code is disturbed on a public
grid, the test is about the disturbed code, and rows are drawn from it afterwards.

    candidate of seed d     z′ = z(d) + ζ
    p_d(z′)                 Pr{ζ = z′ − z(d)}, the same law of ζ for every record

Rows made of a code that passed are post-processing: several rows of one code too, which are not
independent of each other.

A space gives every record whole numbers, which a grid projects and disturbs, and rows for the place
of a disturbed code. The numbers are a function of the record alone, to the last bit; the rows are
post-processing of codes that passed a test. For factors and for a network, the noise is the model's
own: as much as a record leaves open of its hidden numbers. It has one public law for all records,
so its normaliser is public.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from scipy.special import ndtr

from understudy.core.arrays import CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.latent.factors import Encoder, Factors
from understudy.models.latent.features import S
from understudy.models.latent.grid import DEVIATION, Decoder, ProjectionGrid, normal_law
from understudy.models.latent.networks.autoencoder import REACH, UNIT
from understudy.models.latent.networks.variational import Variational
from understudy.models.latent.principal import ONE
from understudy.privacy.randomness import RandomSource

_UNIT: Final = float(S * ONE)
"""What a hidden number of 1 is, in units of a projection."""
_LEAST_OPEN: Final = 1e-4
"""Of a hidden number, as a variance: noise is never less, however much a record tells."""
_DRAWN: Final = 1 << 13
"""Rows of a network's own that say how much a record leaves open."""


class Space(Protocol):
    """How records come to a grid, and rows from it."""

    def numbers(self, records: CodeArray) -> IntArray:
        """Return (n, c) whole numbers of (n, m) records, for a grid to project."""
        ...

    def rows(self, projected: FloatArray, source: RandomSource) -> CodeArray:
        """Return (n, m) a row for each of (n, w) projections of disturbed codes."""
        ...

    def arrays(self) -> NamedArrays:
        """Return all that it is made of."""
        ...


@dataclass(frozen=True, eq=False)
class Linear:
    """Principal directions: each flag is drawn by its mean given the projection.

    Attributes:
        decoder: that mean.
    """

    decoder: Decoder

    def numbers(self, records: CodeArray) -> IntArray:
        """Return (n, m) a one as `S`."""
        return records.astype(np.int64) * S

    def rows(self, projected: FloatArray, source: RandomSource) -> CodeArray:
        """Return (n, m) flags."""
        chance = (self.decoder.offset + projected @ self.decoder.gain) / S
        return _draw_flags(chance, source)

    def arrays(self) -> NamedArrays:
        """Return the decoder's."""
        decoder = self.decoder
        return {"offset": decoder.offset, "gain": decoder.gain, "open": decoder.open}

    @classmethod
    def restore(cls, arrays: NamedArrays) -> Linear:
        """Return that which gave these arrays."""
        names = "offset", "gain", "open"
        return cls(Decoder(*(arrays[each].astype(np.float64) for each in names)))


@dataclass(frozen=True, eq=False)
class OfFactors:
    """Hidden numbers of a factor model: a record's code is their regression on it.

    Attributes:
        model: of flags alone.
        offset, gain: (w,) and (w, w): the hidden numbers of a projection p are offset + p·gain.
    """

    model: Factors
    offset: FloatArray
    gain: FloatArray

    @classmethod
    def with_grid(cls, model: Factors, disturbed: float) -> tuple[ProjectionGrid, OfFactors]:
        """Return the space, and a grid whose noise is that of the hidden numbers given a record.

        Given a record, the hidden numbers are about normal, their mean the code and their
        covariance the same for every record. Along its eigenvectors they are independent, so those
        are the axes. A disturbed code is then one draw of the hidden numbers given the record, and
        over all records these have the model's own law; where the noise is more or less than that,
        disturbed codes are scaled until they have.

        Args:
            model: of flags.
            disturbed: how many times the model's own deviation the noise has.
        """
        encoder = Encoder.of(model)
        open_, turn = np.linalg.eigh(encoder.left)
        directions = np.rint(encoder.weights @ turn * ONE).astype(np.int64)
        deviation = np.sqrt(np.maximum(open_, _LEAST_OPEN)) * disturbed
        width = np.maximum(1, np.rint(deviation * _UNIT / DEVIATION)).astype(np.int64)
        centre = np.rint(encoder.mean * S @ directions.astype(np.float64)).astype(np.int64)
        grid = ProjectionGrid(directions, centre, width, normal_law())
        noise = (turn * (grid.variance / _UNIT**2)) @ turn.T
        values, vectors = np.linalg.eigh(np.eye(len(turn)) - encoder.left + noise)
        scaled = (vectors / np.sqrt(np.maximum(values, _LEAST_OPEN))) @ vectors.T
        gain = turn.T @ scaled / _UNIT
        return grid, cls(model, -(centre @ gain), np.asarray(gain))

    def numbers(self, records: CodeArray) -> IntArray:
        """Return (n, m) a one as `S`."""
        return records.astype(np.int64) * S

    def rows(self, projected: FloatArray, source: RandomSource) -> CodeArray:
        """Return (n, m) flags, each with its chance given the hidden numbers."""
        hidden = self.offset + projected @ self.gain
        shared = hidden @ self.model.loadings.T
        return _draw_flags(ndtr((self.model.thresholds + shared) / self.model.own), source)

    def arrays(self) -> NamedArrays:
        """Return the model's, and how hidden numbers follow from projections."""
        return {**self.model.arrays(), "offset": self.offset, "gain": self.gain}

    @classmethod
    def restore(cls, arrays: NamedArrays) -> OfFactors:
        """Return that which gave these arrays."""
        offset, gain = (arrays[each].astype(np.float64) for each in ("offset", "gain"))
        return cls(Factors.restore(arrays), offset, gain)


@dataclass(frozen=True, eq=False)
class OfNetwork:
    """Codes of a variational autoencoder: the mean of each record's own law.

    Attributes:
        model: the network.
    """

    model: Variational

    @classmethod
    def with_grid(
        cls, model: Variational, disturbed: float, source: RandomSource
    ) -> tuple[ProjectionGrid, OfNetwork]:
        """Return the space, and a grid whose noise is what the network leaves open of a record's
        code.

        By the network that differs from record to record; the mean over rows of its own takes its
        place, so that one public law holds for all records.
        """
        rows = model.draw(_DRAWN, source).astype(np.float64) * UNIT
        deviation = np.sqrt((model.network.deviations(rows) ** 2).mean(axis=0)) * disturbed
        axes = model.network.shape.width
        width = np.maximum(1, np.rint(deviation / DEVIATION)).astype(np.int64)
        nought = np.zeros(axes, dtype=np.int64)
        return ProjectionGrid(np.eye(axes, dtype=np.int64), nought, width, normal_law()), cls(model)

    def numbers(self, records: CodeArray) -> IntArray:
        """Return (n, w) means of codes, in units of 2^−12."""
        return self.model.network.law(records.astype(np.float64) * UNIT)[0].astype(np.int64)

    def rows(self, projected: FloatArray, source: RandomSource) -> CodeArray:
        """Return (n, m) flags, as the network decodes."""
        codes = np.clip(np.rint(projected), -REACH, REACH)
        return self.model.flags(codes, source).astype(np.uint16)

    def arrays(self) -> NamedArrays:
        """Return the network's."""
        return self.model.arrays()

    @classmethod
    def restore(cls, arrays: NamedArrays) -> OfNetwork:
        """Return that which gave these arrays."""
        return cls(Variational.restore(arrays))


def _draw_flags(chance: FloatArray, source: RandomSource) -> CodeArray:
    """Return a flag for each chance."""
    return (source.uniforms(chance.size).reshape(chance.shape) < chance).astype(np.uint16)


@dataclass(frozen=True, eq=False)
class LatentNoise:
    """The model.

    Attributes:
        grid: where codes are disturbed.
        space: what records are to the grid, and rows of what is there.
    """

    grid: ProjectionGrid
    space: Space

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, w) the disturbed code of each of (B, m) seeds."""
        return self.grid.disturb(self._codes(seeds), source)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(z′) of (n, m) records d and (B, w) disturbed codes z′."""
        return self.grid.log_likelihood(self._codes(seeds), candidates)

    @property
    def reach(self) -> int:
        """How far a code is moved at most."""
        return self.grid.reach

    def locate(self, records: CodeArray) -> CodeArray:
        """Return (n, w) the codes of (n, m) records, all that a likelihood looks at."""
        return self._codes(records).astype(np.uint16)

    def log_likelihood_at(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) as `log_likelihood`, of records with (n, w) codes."""
        return self.grid.log_likelihood(places.astype(np.int64), candidates)

    def log_likelihood_of(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (P,) the same of a record at each of (P, w) places and the candidate beside it."""
        return self.grid.log_likelihood_of(places.astype(np.int64), candidates)

    def radius(self, least: FloatArray) -> IntArray:
        """Return (B,) how far a place lies from a candidate on any axis, whose likelihood of it is
        at least so much."""
        return self.grid.radius(least)

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, m) a row of each disturbed code."""
        return self.space.rows(self.grid.middles(candidates), source)

    def arrays(self) -> NamedArrays:
        """Return all that it is made of."""
        return {**self.grid.arrays(), **self.space.arrays()}

    @classmethod
    def restore(
        cls, arrays: NamedArrays, space: Callable[[NamedArrays], Space] = Linear.restore
    ) -> LatentNoise:
        """Return the model that gave these arrays.

        Args:
            arrays: it.
            space: what makes the space of them.

        Raises:
            KeyError, ValueError: there is none.
        """
        return cls(ProjectionGrid.restore(arrays), space(arrays))

    def _codes(self, records: CodeArray) -> IntArray:
        return self.grid.coordinates(self.space.numbers(records))
