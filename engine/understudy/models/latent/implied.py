"""What a factor model says of its columns in closed form: shares, covariances, and an encoder.

A flag is set where a standard normal variable is at most a, so its share is Φ(a), and two flags are
ones together as often as their tetrachoric probability says. The covariance of a flag and any
normal variable of correlation r with the one behind it is φ(a)·r·deviation (Stein). The encoder is
the linear regression of the hidden numbers z on a record x by these moments of the model alone:
ẑ = (x − mean)·B with B = Cov(x)⁻¹·Cov(x, z), and I − Cov(ẑ) is what stays open about z. It looks at
no record, so it is as public as the model. Numbers are taken as the model draws them before they
are put into their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from understudy.core.arrays import AnyArray, FloatArray
from understudy.models.latent import tetrachoric
from understudy.models.latent.factors import Factors


def shares(model: Factors) -> FloatArray:
    """(f,) how often each flag is a one."""
    return np.asarray(ndtr(model.thresholds))


def pair_shares(model: Factors) -> FloatArray:
    """(f, f) how often two flags are ones together; on the diagonal, how often the one is."""
    flags = len(model.thresholds)
    square = np.diag(shares(model))
    one, other = np.triu_indices(flags, 1)
    behind = (model.loadings @ model.loadings.T)[one, other]
    a = model.thresholds
    found = tetrachoric.together(a[one], a[other], np.arcsin(behind))
    square[one, other] = square[other, one] = found
    return square


def mean(model: Factors) -> FloatArray:
    """(f + c,) of each column: of a flag its share, of a number from −S to S."""
    return np.concatenate([shares(model), model.middle])


def covariance(model: Factors) -> FloatArray:
    """(f + c, f + c) of the columns, flags being 0 or 1 and numbers from −S to S."""
    flags = len(model.thresholds)
    slope = _slopes(model)
    found = (model.loadings @ model.loadings.T) * np.outer(slope, slope)
    alone = shares(model)
    found[:flags, :flags] = pair_shares(model) - np.outer(alone, alone)
    at = np.arange(flags, len(slope))
    found[at, at] = model.spread**2
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Encoder:
    """The linear regression of the hidden numbers on a record.

    Attributes:
        mean: (m,) what is taken off a record.
        weights: (m, w) B.
        left: (w, w) the covariance of z about its code, I − Cov(ẑ).
    """

    mean: FloatArray
    weights: FloatArray
    left: FloatArray

    @classmethod
    def of(cls, model: Factors) -> Encoder:
        """Return the encoder of a model."""
        with_hidden = model.loadings * _slopes(model)[:, None]
        found = np.linalg.lstsq(covariance(model), with_hidden, rcond=None)[0]
        weights: FloatArray = np.asarray(found, dtype=np.float64)
        explained = with_hidden.T @ weights
        left = np.eye(len(explained)) - (explained + explained.T) / 2
        return cls(mean(model), np.asarray(weights, np.float64), np.asarray(left, np.float64))

    def encode(self, rows: AnyArray) -> FloatArray:
        """(n, w) the codes of (n, m) rows: flags as 0 or 1, then numbers from −S to S.

        They are in floating point, whose last bits depend on what else is asked for; an exact
        test of scores has to round them first. Internal where the rows are confidential.
        """
        return np.asarray((rows.astype(np.float64) - self.mean) @ self.weights)


def _slopes(model: Factors) -> FloatArray:
    """(f + c,) the covariance of each column with the standard normal variable behind it."""
    density = np.exp(-(model.thresholds**2) / 2) / np.sqrt(2 * np.pi)
    return np.concatenate([density, model.spread])
