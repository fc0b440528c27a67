"""What a run of factors or directions has to show of its hidden numbers. Internal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.latent.reading import Reading
from understudy.mechanisms.latent.space import space_of
from understudy.mechanisms.mechanism import Evidence
from understudy.models.latent.features import Features
from understudy.models.latent.small_space import OfHidden, Reconstruction
from understudy.table.records import Records

Real = npt.NDArray[np.float64]

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

    carried: Real
    real: Real
    made: Real
    whole: bool


def hidden_numbers(evidence: Evidence[LatentPlan]) -> HiddenNumbers:
    """Return what a run of factors or of principal directions shows.

    Raises:
        Refusal: the model is another.
    """
    space = _space(evidence)
    reading = Reading.of(space.model)
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


def reconstructed(evidence: Evidence[LatentPlan], count: int) -> Reconstruction:
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
    """So many of them, evenly spread, as a table may be sorted."""
    return records.take(np.linspace(0, len(records), count, endpoint=False).astype(np.int64))


def _of_columns(features: Features, carried: Real) -> Real:
    """(m,) in the order of the schema; of a label what is carried of its values on average."""
    found = np.empty(features.columns)
    flags = len(features.flags)
    found[list(features.flags)] = carried[:flags]
    if features.exclusive is not None:
        found[features.label] = carried[features.exclusive].mean()
    found[list(features.numbers.places)] = carried[features.ones :]
    return found


def _first_two(space: OfHidden, records: Records) -> Real:
    turned = np.where(space.encoder.weights.sum(axis=0)[:2] < 0, -1.0, 1.0)
    return np.asarray(space.encode(records)[:, :2] * turned)
