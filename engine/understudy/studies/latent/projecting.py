"""Candidates by probabilistic projection, and their scores by the relative-sensitivity test.

A chance is a whole number of 2^−16, at least one and at most 2^16 − 1 of them, so that nothing is
impossible. Logarithms are multiples of 2^−41 and their sums stay under 2^12, so a likelihood is the
same to the last bit however many are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.latent.projection import Bernoulli
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, RelativeSensitivity
from understudy.studies.latent.reconstructing import Reconstructing

_ONE: Final = 1 << 16
_ENTRIES: Final = 1 << 22
_TEST: Final = RelativeSensitivity(k=2, epsilon0=None)


def chances(reconstructed: FloatArray) -> IntArray:
    """Chances as multiples of 2^−16, none 0 and none 1."""
    return np.clip(np.rint(reconstructed * _ONE), 1, _ONE - 1).astype(np.int64)


def projected(chances: IntArray, random: np.random.Generator) -> BoolArray:
    """Return a flag of each chance."""
    found: BoolArray = random.integers(0, _ONE, chances.shape) < chances
    return found


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different records among some, and how often each occurs.

    Attributes:
        rows: (distinct, m) flags.
        sizes: (distinct,) how often.
        of: (n,) the row of each record.
    """

    rows: BoolArray
    sizes: IntArray
    of: IntArray

    @classmethod
    def among(cls, flags: BoolArray) -> Distinct:
        """Of (n, m) records, m at most 63."""
        _, first, of, sizes = np.unique(
            keys(flags), return_index=True, return_inverse=True, return_counts=True
        )
        return cls(flags[first], sizes, of.ravel())


def keys(flags: BoolArray) -> IntArray:
    """(n,) a number for each of (n, m) records, m at most 63: the same for equal ones."""
    found: IntArray = flags @ (1 << np.arange(flags.shape[1], dtype=np.int64))
    return found


@dataclass(frozen=True, eq=False)
class Candidates:
    """Records that were projected, before any test.

    Attributes:
        flags: (N, m) records.
        scores: (N,) ⌊κ⌋ of each and its own seed.
        least: (N,) the least ⌊κ⌋ over all seeds, which is that of the likeliest.
    """

    flags: BoolArray
    scores: IntArray
    least: IntArray


def candidates(
    model: Reconstructing, seeds: BoolArray, count: int, random: np.random.Generator
) -> Candidates:
    """So many candidates, each of a seed that is drawn with replacement, with their scores.

    Args:
        model: makes chances of a seed.
        seeds: (n, m) records.
        count: N.
        random: where chance comes from.
    """
    known = Distinct.among(seeds)
    likely = chances(model.reconstructed(known.rows))
    own = known.of[random.integers(0, len(seeds), count)]
    flags = projected(likely[own], random)
    pair = own + len(known.sizes) * Distinct.among(flags).of
    _, first, back = np.unique(pair, return_index=True, return_inverse=True)
    scores, least = _scored(likely, known.sizes, flags[first], own[first])
    return Candidates(flags, scores[back.ravel()], least[back.ravel()])


def log_likelihood(chances: IntArray, flags: BoolArray) -> FloatArray:
    """(B, n) ln p_d(y) of each of (B, m) candidates under each of (n, m) chances."""
    found = Bernoulli().log_likelihood(chances, flags.astype(np.uint16))
    return np.ascontiguousarray(found.T)


def _scored(likely: IntArray, sizes: IntArray, flags: BoolArray, own: IntArray) -> tuple[IntArray, IntArray]:
    """Scores by each candidate's own seed, and by the likeliest."""
    scores, least = np.empty(len(own), dtype=np.int64), np.empty(len(own), dtype=np.int64)
    block = max(1, _ENTRIES // len(sizes))
    for start in range(0, len(own), block):
        here = slice(start, start + block)
        found = log_likelihood(likely, flags[here])
        many = np.broadcast_to(sizes, found.shape)
        scores[here] = _TEST.scores(LikelihoodClasses(many, found, own[here]))
        least[here] = _TEST.scores(LikelihoodClasses(many, found, found.argmax(axis=1)))
    return scores, least
