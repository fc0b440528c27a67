"""A privacy test for any model with a likelihood, by scanning every record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, PrivacyTest
from understudy.privacy.randomness import RandomSource

MOST_ENTRIES = 1 << 22
"""The most pairs of record and candidate computed at once, unless one candidate has more."""


class SeedbasedModel(Protocol):
    """A model whose likelihood of a candidate given a seed can be computed (§3.1)."""

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return ln p_d(y) of every record d and candidate y, −∞ for 0.

        A candidate need not be a record: its columns are the model's own.

        Each entry is a function of its record and its candidate alone, to the last bit, whatever
        else is in the call: the sensitivity of a test rests on it.

        Args:
            seeds: (n, m) codes, a record a row.
            candidates: (B, w) codes, a candidate a row.

        Returns:
            (n, B) natural logarithms.
        """


class SeedbasedProposer(SeedbasedModel, Protocol):
    """A model that can also propose, which is all that a mechanism needs.

    Its likelihood is the distribution of its proposals: e^{log_likelihood} is within a factor
    of 1 ± 2^−32 of the probability with which `propose` makes the candidate of the record. It was
    learned from other records than the seeds, or under a guarantee of its own.
    """

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return a candidate from each seed, drawn independently.

        Args:
            seeds: (B, m) codes, a record a row.
            source: the randomness.

        Returns:
            (B, w) codes.
        """


def record_classes(
    model: SeedbasedModel, seeds: CodeArray, own: IntArray, candidates: CodeArray
) -> Iterator[LikelihoodClasses]:
    """Yield the input of a test, each record a class of its own; a block of candidates at a time.

    Args:
        model: whatever made the candidates.
        seeds: (n, m) every record.
        own: (B,) the row of the seed of each candidate.
        candidates: (B, m) codes.

    Yields:
        The classes of the candidates, in their order: as many at a time as keep (block, n)
        under `MOST_ENTRIES`.
    """
    block = max(1, MOST_ENTRIES // max(1, len(seeds)))
    for start in range(0, len(candidates), block):
        here = slice(start, start + block)
        found = np.ascontiguousarray(model.log_likelihood(seeds, candidates[here]).T)
        yield LikelihoodClasses(np.ones(found.shape, dtype=np.int64), found, own[here])


def scan_scores(
    test: PrivacyTest,
    model: SeedbasedModel,
    seeds: CodeArray,
    own: IntArray,
    candidates: CodeArray,
) -> IntArray:
    """Return (B,) the test's score of each candidate, for arguments as of `record_classes`."""
    blocks = [test.scores(each) for each in record_classes(model, seeds, own, candidates)]
    return np.concatenate(blocks) if blocks else np.empty(0, dtype=np.int64)
