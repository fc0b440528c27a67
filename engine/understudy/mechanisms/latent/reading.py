"""What is read off a model of flags and numbers: what its hidden numbers carry, and how a record
tells them.

Of a column, so much of its variance (of a flag: of the variable behind it) comes from the hidden
numbers as its squared loadings say. The hidden numbers of a record are read off it by regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.models.latent.factors import Encoder, Factors
from understudy.models.latent.features import S
from understudy.models.latent.principal import Principal

Real = npt.NDArray[np.float64]

_NOTHING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Reading:
    """What is read off a model of flags and numbers; flags come first.

    Attributes:
        carried: (m,) which share of the variance of each column the hidden numbers carry.
        encoder: from records to hidden numbers.
    """

    carried: Real
    encoder: Encoder

    @classmethod
    def of(cls, model: Factors | Principal) -> Reading:
        """Return that of a model."""
        if isinstance(model, Factors):
            return cls((model.loadings**2).sum(axis=1), Encoder.of(model))
        return _of_directions(model)

    @property
    def follows(self) -> npt.NDArray[np.bool_]:
        """(w,) whether any column tells of each hidden number."""
        return np.asarray(np.abs(self.encoder.weights).max(axis=0) > _NOTHING)


def _of_directions(model: Principal) -> Reading:
    """As the model is, except for the cutting of chances to [0, 1]: x = mean + D·z + what is
    left."""
    flags = len(model.mean) - len(model.open)
    along = (model.directions**2).sum(axis=1)
    shares = model.mean[:flags]
    variance = np.concatenate([shares * (1 - shares), along[flags:] + model.open**2])
    variance = np.maximum(variance, _NOTHING)
    covariance = model.directions @ model.directions.T
    np.fill_diagonal(covariance, np.maximum(variance, along))
    weights = np.linalg.lstsq(covariance, model.directions, rcond=None)[0]
    left = np.eye(weights.shape[1]) - model.directions.T @ weights
    scale = np.concatenate([np.ones(flags), np.full(len(model.open), float(S))])
    encoder = Encoder(model.mean * scale, weights / scale[:, None], left)
    return Reading(np.minimum(1.0, along / variance), encoder)
