"""What a custodian looks at of a run: records by their hidden numbers.

Of a column, so much of its variance (of a flag: of the variable behind it) comes from the hidden
numbers as its squared loadings say. The hidden numbers of a record are read off it by regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState
from understudy.mechanisms.latent.models import LEARNERS, AsRecords
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import Evidence, PlannedRun
from understudy.models.latent.factors import Encoder, Factors
from understudy.models.latent.features import Features, S
from understudy.models.latent.principal import Principal
from understudy.models.latent.small_space import OfHidden, Reconstruction
from understudy.table.records import Records

_NOTHING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class ModelReading:
    """What is read off a model of flags and numbers; flags come first.

    Attributes:
        carried: (m,) which share of the variance of each column the hidden numbers carry.
        encoder: from records to hidden numbers.
    """

    carried: FloatArray
    encoder: Encoder

    @classmethod
    def of(cls, model: Factors | Principal) -> ModelReading:
        """Return that of a model."""
        if isinstance(model, Factors):
            return cls((model.loadings**2).sum(axis=1), Encoder.of(model))
        return _of_directions(model)

    @property
    def follows(self) -> BoolArray:
        """(w,) whether any column tells of each hidden number."""
        return np.asarray(np.abs(self.encoder.weights).max(axis=0) > _NOTHING)


def _of_directions(model: Principal) -> ModelReading:
    """Return the space as the model is, except for the cutting of chances to [0, 1]: x = mean + D·z
    + what is left."""
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
    return ModelReading(np.minimum(1.0, along / variance), encoder)


def space_of(decided: PlannedRun[LatentPlan], state: ArraysState) -> OfHidden | None:
    """Return the hidden numbers of factors or directions; None of a network."""
    learned = {name: each for name, each in state.arrays().items() if name != HELD_OUT}
    held = LEARNERS[decided.plan.model].restore(decided.schema, learned)
    if not isinstance(held, AsRecords):
        return None
    return OfHidden(held.model, ModelReading.of(held.model).encoder, held.features)


MOST: Final = 10_000
"""More records than this are not put on the map."""


@dataclass(frozen=True, eq=False)
class HiddenNumbers:
    """What is looked at of a run. Internal: records of the table are among it.

    Attributes:
        carried: (m,) as of `reading.Reading`, in the order of the schema.
        real: (n, 2) the first two hidden numbers of records, each turned so that most columns rise
            with it.
        made: (n, 2) the same of as many released ones, so that squares of few are blank alike.
        whole: whether the model has two hidden numbers that any column follows.
    """

    carried: FloatArray
    real: FloatArray
    made: FloatArray
    whole: bool


def hidden_numbers(evidence: Evidence[LatentPlan]) -> HiddenNumbers:
    """Return what a run of factors or of principal directions shows.

    Raises:
        Refusal: the model is another.
    """
    space = _space(evidence)
    reading = ModelReading.of(space.model)
    carried = _of_columns(space.features, reading.carried)
    follows = reading.follows[:2]
    whole = len(follows) == 2 and bool(follows.all())
    released = evidence.released
    none = np.zeros((0, 2))
    if not whole or released is None:
        return HiddenNumbers(carried, none, none, whole)
    count = min(MOST, len(evidence.records), len(released))
    real, made = (_first_two(space, _spread(each, count)) for each in (evidence.records, released))
    return HiddenNumbers(carried, real, made, whole)


def reconstruct_records(evidence: Evidence[LatentPlan], count: int) -> Reconstruction:
    """Return some records that the model was not learned from, where there are so many, beside what
    their hidden numbers keep of them.

    Raises:
        Refusal: the model is a network.
    """
    apart = np.flatnonzero(evidence.state.arrays()[HELD_OUT].astype(bool))
    whole = evidence.records
    some = _spread(whole.take(apart) if len(apart) >= count else whole, min(count, len(whole)))
    return Reconstruction.of(_space(evidence), some)


def _space(evidence: Evidence[LatentPlan]) -> OfHidden:
    found = space_of(evidence.decided, evidence.state)
    if found is None:
        raise Refusal("The numbers behind a network are not looked at.", "Choose a run of factors.")
    return found


def _spread(records: Records, count: int) -> Records:
    """Return so many of them, evenly spread, as a table may be sorted."""
    return records.take(np.linspace(0, len(records), count, endpoint=False).astype(np.int64))


def _of_columns(features: Features, carried: FloatArray) -> FloatArray:
    """Return (m,) in the order of the schema; of a label what is carried of its values on
    average."""
    found = np.empty(features.columns)
    flags = len(features.flags)
    found[list(features.flags)] = carried[:flags]
    if features.exclusive is not None:
        found[features.label] = carried[features.exclusive].mean()
    found[list(features.numbers.places)] = carried[features.ones :]
    return found


def _first_two(space: OfHidden, records: Records) -> FloatArray:
    turned = np.where(space.encoder.weights.sum(axis=0)[:2] < 0, -1.0, 1.0)
    return np.asarray(space.encode(records)[:, :2] * turned)
