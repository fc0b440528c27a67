"""What a run of factors or directions has to show of its hidden numbers. Internal.

Of a column, so much of its variance (of a flag: of the variable behind it) comes from the hidden
numbers as its squared loadings say. The hidden numbers of a record are read off it by regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.core.refusal import Refusal
from engine.mechanisms.defaults import HELD_OUT
from engine.mechanisms.latent.models import LEARNERS, AsRecords
from engine.mechanisms.latent.plan import LatentPlan
from engine.mechanisms.mechanism import Evidence
from engine.models.latent.factors import Factors
from engine.models.latent.features import Features
from engine.models.latent.implied import Encoder
from engine.models.latent.principal import Principal
from engine.models.latent.reconstruction import Reconstruction, hidden, of_hidden
from engine.models.latent.standardised import S
from engine.table.records import Records

Real = npt.NDArray[np.float64]

MOST: Final = 10_000
"""More records than this are not put on the map."""
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
        """That of a model."""
        if isinstance(model, Factors):
            return cls((model.loadings**2).sum(axis=1), Encoder.of(model))
        return _of_directions(model)

    @property
    def follows(self) -> npt.NDArray[np.bool_]:
        """(w,) whether any column tells of each hidden number."""
        return np.asarray(np.abs(self.encoder.weights).max(axis=0) > _NOTHING)


@dataclass(frozen=True, eq=False)
class HiddenNumbers:
    """What is looked at of a run. Internal: records of the table are among it.

    Attributes:
        carried: (m,) as of `Reading`, in the order of the schema.
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
    held = _held(evidence)
    features = held.features
    reading = Reading.of(held.model)
    carried = np.empty(len(reading.carried))
    carried[[*features.flags, *features.numbers.places]] = reading.carried
    follows = reading.follows[:2]
    whole = len(follows) == 2 and bool(follows.all())
    released = evidence.released
    none = np.zeros((0, 2))
    if not whole or released is None:
        return HiddenNumbers(carried, none, none, whole)
    count = min(MOST, len(evidence.records), len(released))
    real, made = (
        _first_two(reading.encoder, features, _spread(each, count))
        for each in (evidence.records, released)
    )
    return HiddenNumbers(carried, real, made, whole)


def reconstructed(evidence: Evidence, count: int) -> Reconstruction:
    """Some records that the model was not learned from, where there are so many, beside what their
    hidden numbers keep of them.

    Raises:
        Refusal: the model is a network.
    """
    held = _held(evidence)
    apart = np.flatnonzero(evidence.state.arrays()[HELD_OUT].astype(bool))
    whole = evidence.records
    some = _spread(whole.take(apart) if len(apart) >= count else whole, min(count, len(whole)))
    encoder = Reading.of(held.model).encoder
    z = hidden(encoder, held.features, some)
    return Reconstruction(some, of_hidden(held.model, encoder, held.features, z))


def _held(evidence: Evidence) -> AsRecords:
    plan = evidence.decided.plan_as(LatentPlan)
    arrays = dict(evidence.state.arrays())
    del arrays[HELD_OUT]
    held = LEARNERS[plan.model].restore(evidence.decided.schema, arrays)
    if not isinstance(held, AsRecords):
        raise Refusal("The numbers behind a network are not looked at.", "Choose a run of factors.")
    return held


def _spread(records: Records, count: int) -> Records:
    """So many of them, evenly spread, as a table may be sorted."""
    return records.take(np.linspace(0, len(records), count, endpoint=False).astype(np.int64))


def _first_two(encoder: Encoder, features: Features, records: Records) -> Real:
    turned = np.where(encoder.weights.sum(axis=0)[:2] < 0, -1.0, 1.0)
    return np.asarray(hidden(encoder, features, records)[:, :2] * turned)


def _of_directions(model: Principal) -> Reading:
    """As the model is, but for the cutting of chances to [0, 1]: x = mean + D·z + what is left."""
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
