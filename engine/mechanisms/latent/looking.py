"""What a run of factors or directions has to show of its hidden numbers. Internal.

How a column follows hidden numbers z of variance 1 is its loadings λ; ‖λ‖² of its variance comes
from them. Of a record x, standardised, the hidden numbers are read off by regression (Thurstone
1935): (I + LᵀΨ⁻¹L)⁻¹LᵀΨ⁻¹x, L the loadings of the columns as they are observed, Ψ what of their
variance is their own. Behind a flag of share p stands a normal variable with threshold a; the flag
itself has the loading φ(a)·λ/√(p(1 − p)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from engine.core.refusal import Refusal
from engine.mechanisms.defaults import HELD_OUT
from engine.mechanisms.latent.models import LEARNERS, AsRecords
from engine.mechanisms.latent.plan import LatentPlan
from engine.mechanisms.mechanism import Evidence
from engine.models.latent.factors import Factors
from engine.models.latent.features import Features
from engine.models.latent.principal import Principal
from engine.models.latent.standardised import S
from engine.table.records import Records

Real = npt.NDArray[np.float64]

MOST: Final = 10_000
"""More records than this are not put on the map."""
_LEAST_OWN: Final = 0.01


@dataclass(frozen=True, eq=False)
class Observed:
    """A model of f flags and c numbers as linear in its hidden numbers; flags come first.

    Attributes:
        mean: (f + c,) of each column; of a flag its share, of a number from −1 to 1.
        deviation: (f + c,) of each.
        loadings: (f + c, w) of each column, divided by its deviation.
        carried: (f + c,) which share of the variance of a column, or of what stands behind it,
            comes from the hidden numbers.
    """

    mean: Real
    deviation: Real
    loadings: Real
    carried: Real

    @classmethod
    def of(cls, model: Factors | Principal) -> Observed:
        """That of a model."""
        return _of_factors(model) if isinstance(model, Factors) else _of_directions(model)

    def places(self, columns: Real) -> Real:
        """(n, w) the hidden numbers of (n, f + c) columns: flags, and numbers from −1 to 1."""
        own = np.maximum(_LEAST_OWN, 1 - (self.loadings**2).sum(axis=1))
        weighted = self.loadings / own[:, None]
        inner = np.eye(self.loadings.shape[1]) + self.loadings.T @ weighted
        standard = (columns - self.mean) / self.deviation
        return np.asarray(np.linalg.solve(inner, (standard @ weighted).T).T)


@dataclass(frozen=True, eq=False)
class HiddenNumbers:
    """What is looked at of a run. Internal: records of the table are among it.

    Attributes:
        carried: (m,) as of `Observed`, in the order of the schema.
        real: (n, 2) the first two hidden numbers of records, each turned so that most columns rise
            with it.
        made: (n, 2) the same of as many released ones, so that squares of few are blank alike.
        whole: whether the model has two hidden numbers that any column follows.
    """

    carried: Real
    real: Real
    made: Real
    whole: bool


def hidden_numbers(evidence: Evidence) -> HiddenNumbers:
    """What a run of factors or of principal directions shows.

    Raises:
        Refusal: the model is another.
    """
    plan = evidence.decided.plan_as(LatentPlan)
    arrays = dict(evidence.state.arrays())
    del arrays[HELD_OUT]
    held = LEARNERS[plan.model].restore(evidence.decided.schema, arrays)
    if not isinstance(held, AsRecords):
        raise Refusal("The numbers behind a network are not looked at.", "Choose a run of factors.")
    features = held.features
    observed = Observed.of(held.model)
    carried = np.empty(len(observed.carried))
    carried[[*features.flags, *features.numbers.places]] = observed.carried
    follows = (observed.loadings**2).sum(axis=0)[:2] > 0
    whole = len(follows) == 2 and bool(follows.all())
    released = evidence.released
    none = np.zeros((0, 2))
    if not whole or released is None:
        return HiddenNumbers(carried, none, none, whole)
    count = min(MOST, len(evidence.records), len(released))
    real, made = (
        _first_two(observed, features, _spread(each, count))
        for each in (evidence.records, released)
    )
    return HiddenNumbers(carried, real, made, whole)


def _spread(records: Records, count: int) -> Records:
    """So many of them, evenly spread, as a table may be sorted."""
    return records.take(np.linspace(0, len(records), count, endpoint=False).astype(np.int64))


def _first_two(observed: Observed, features: Features, records: Records) -> Real:
    codes = records.codes
    columns = np.hstack([codes[:, features.flags], features.numbers.numbers(codes) / S])
    turned = np.where(observed.loadings.sum(axis=0)[:2] < 0, -1.0, 1.0)
    return observed.places(columns)[:, :2] * turned


def _of_factors(model: Factors) -> Observed:
    flags = len(model.thresholds)
    shares = ndtr(model.thresholds)
    of_flags = np.sqrt(shares * (1 - shares))
    density = np.exp(-(model.thresholds**2) / 2) / np.sqrt(2 * np.pi)
    loadings = model.loadings.copy()
    loadings[:flags] *= (density / of_flags)[:, None]
    return Observed(
        np.concatenate([shares, model.middle / S]),
        np.concatenate([of_flags, model.spread / S]),
        loadings,
        (model.loadings**2).sum(axis=1),
    )


def _of_directions(model: Principal) -> Observed:
    flags = len(model.mean) - len(model.open)
    along = (model.directions**2).sum(axis=1)
    shares = model.mean[:flags]
    variance = np.concatenate([shares * (1 - shares), along[flags:] + model.open**2])
    deviation = np.sqrt(np.maximum(variance, 1e-12))
    loadings = model.directions / deviation[:, None]
    return Observed(model.mean, deviation, loadings, np.minimum(1.0, (loadings**2).sum(axis=1)))
