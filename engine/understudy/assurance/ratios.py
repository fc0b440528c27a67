"""Claims about one attempt: the divergence of exact distributions as a multiple of the stated δ.

Each function takes the laws on a table and its neighbours and returns the largest hockey-stick
divergence of the two directions as a multiple of the stated δ, for every neighbour and every t.
"""

from __future__ import annotations

import numpy as np

from understudy.assurance.attempt import Pairs
from understudy.assurance.divergence import hockey_stick, over
from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.unit import pass_cap


def as_published(tried: Pairs) -> FloatArray:
    """δ = e^{−ε0(k−t)}, for every set of candidates."""
    return _on_candidates(tried, _published(tried))


def with_constant(tried: Pairs) -> FloatArray:
    """Return the same with the factor that the law of the noise spares."""
    return _on_candidates(tried, tried.unit(known=False).delta(tried.t))


def with_seeds(tried: Pairs) -> FloatArray:
    """Return the same divided by n + 1: what the product states where n is known."""
    return _on_candidates(tried, tried.unit().delta(tried.t))


def with_whole_scores(tried: Pairs) -> FloatArray:
    """For a score that leaves the seed out: under t it is at most t − 1, so δ falls once more."""
    unit = tried.unit()
    return _on_candidates(tried, np.exp(-unit.epsilon0) * unit.delta(tried.t))


def _published(tried: Pairs) -> FloatArray:
    return np.asarray(np.exp(-tried.unit().epsilon0 * (tried.test.k - tried.t)))


def _on_candidates(tried: Pairs, delta: FloatArray) -> FloatArray:
    one, more = tried.released[0], tried.released[1:, None]
    return over(hockey_stick(one, more, tried.unit().epsilon(tried.t)), delta)


def published_with_rejections(tried: Pairs) -> FloatArray:
    """Return the published statement, read as if it covered ⊥ too; no candidate is turned away."""
    laws = tried.capped(0.0)
    apart = hockey_stick(laws[0], laws[1:, None], tried.unit().epsilon(tried.t))
    return over(apart, _published(tried))


def rejections_seen(tried: Pairs, share_of_cap: float = 1.0) -> FloatArray:
    """Protocol A: candidates and ⊥, under the pass cap ρ, or a share of it."""
    unit = tried.unit()
    epsilon, delta = unit.epsilon(tried.t), unit.delta(tried.t)
    found = np.empty((len(tried), tried.t.size))
    for at, each in enumerate(epsilon.tolist()):
        rho = share_of_cap * pass_cap(each, tried.records, epsilon0=unit.epsilon0)
        laws = tried.capped(rho)
        found[:, at] = over(hockey_stick(laws[0], laws[1:], each), delta[at])
    return found


def released_slot(tried: Pairs, *, floor: float = 1.0, divided: bool = True) -> FloatArray:
    """Protocol B: the law of what passes, given that something does.

    Args:
        tried: the laws.
        floor: the pass floor that is declared, over the smaller of the two pass probabilities.
        divided: whether δ is divided by c − δ, as it has to be.
    """
    laws = tried.released / tried.passing[:, None]
    found = np.empty((len(tried), tried.t.size))
    for at, passing in enumerate(tried.passing[1:].tolist()):
        unit = tried.unit(pass_floor=min(1.0, floor * min(passing, float(tried.passing[0]))))
        apart = hockey_stick(laws[0], laws[1 + at], unit.epsilon(tried.t))
        slot = unit.delta(tried.t)
        if not divided:
            slot = np.where(np.isinf(slot), slot, unit.attempt_delta(tried.t))
        found[at] = over(apart, slot)
    return found
