"""The published synthesizer: a real trace, its places exchanged for ones that mean the same
(Algorithm 6.4)."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from pydantic import Field

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.validation import Frozen
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.classes import NO_CLASS
from understudy.studies.traces.fakes.profiles import Aggregate


class Settings(Frozen, what="the settings of the published synthesizer"):
    """What is left to chance.

    Attributes:
        leave_out: p_c, the chance with which a location is left out of its class, for a trace.
        hide: p_l, the chance with which the true location is left out of a slot.
        carry: p_m, to the power of a distance the chance with which a location is carried so far
            or farther over a change of class.
        spread: p_v, the most by which the chance of a transition is multiplied.
    """

    leave_out: float = Field(default=0.25, ge=0, le=1)
    hide: float = Field(default=1.0, ge=0, le=1)
    carry: float = Field(default=0.75, ge=0, lt=1)
    spread: float = Field(default=4.0, ge=1, le=1000)


USUAL: Final = Settings()
"""As published."""


def fake(
    seed: IntArray, known: Aggregate, classes: IntArray, how: Settings, source: RandomSource
) -> IntArray:
    """(slots,) a trace made from a real one.

    Args:
        seed: (slots,) the locations of the real one.
        known: how people move together.
        classes: (locations,) the class of each location.
        how: what is left to chance.
        source: where chance comes from.
    """
    return likeliest(allowed(seed, classes, how, source), known, how.spread, source)


def allowed(seed: IntArray, classes: IntArray, how: Settings, source: RandomSource) -> BoolArray:
    """(slots, locations) where a fake of this trace may be in each slot. Where that would be
    nowhere it may be anywhere: restoring the true location would tell it."""
    kept = classes.copy()
    kept[source.uniforms(len(classes)) < how.leave_out] = NO_CLASS
    own = classes[seed]
    found: BoolArray = (kept == own[:, None]) & (own != NO_CLASS)[:, None]
    hidden = np.flatnonzero(source.uniforms(len(seed)) < how.hide)
    found[hidden, seed[hidden]] = False
    found |= _carried(found, own, how.carry, source)
    found[~found.any(axis=1)] = True
    return found


def _carried(sets: BoolArray, own: IntArray, carry: float, source: RandomSource) -> BoolArray:
    """(slots, locations) what is carried forward from the last slot before each change of class,
    and backward from the first one after it: each location over a distance of its own, which is q
    or more with the chance p_m^q."""
    found = np.zeros_like(sets)
    slots = np.arange(len(own))
    for change in np.flatnonzero(own[1:] != own[:-1]):
        for at, apart in ((change, slots - change), (change + 1, change + 1 - slots)):
            carried = np.flatnonzero(sets[at])
            with np.errstate(divide="ignore"):
                reach = np.log(source.uniforms(len(carried))) // np.log(carry)
            found[:, carried] |= (apart[:, None] > 0) & (apart[:, None] <= reach)
    return found


def likeliest(sets: BoolArray, known: Aggregate, spread: float, source: RandomSource) -> IntArray:
    """(slots,) the likeliest way through sets of locations (Viterbi), where the chance of each
    transition is multiplied by a number between 1 and `spread`, drawn afresh for each slot and pair
    of locations.

    Args:
        sets: (slots, locations) where one may be; somewhere in each slot.
        known: how people move together.
        spread: p_v.
        source: where the numbers come from.
    """
    choices = [np.flatnonzero(each) for each in sets]
    score = known.shares[choices[0]]
    if not score.any():
        score = np.ones(len(score))
    came = []
    for here, there in pairwise(choices):
        ways: FloatArray = known.chances[here[:, None], there]
        if spread > 1:
            draws = source.uniforms(ways.size).reshape(ways.shape)
            ways *= 1 + (spread - 1) * draws
        ways *= score[:, None]
        came.append(ways.argmax(axis=0))
        score = ways.max(axis=0)
        # Any place can be reached from the best one, so nothing that could win comes to 0.
        score /= score.max()
    at = int(score.argmax())
    found = [choices[-1][at]]
    for here, before in zip(choices[-2::-1], came[::-1], strict=True):
        at = int(before[at])
        found.append(here[at])
    return np.array(found[::-1], dtype=np.int64)
