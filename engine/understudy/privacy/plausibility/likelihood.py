"""The seeds that can make a candidate, grouped by likelihood: the input of a privacy test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class LikelihoodClasses:
    """For a batch of B candidates, the seeds that can make each, grouped by equal likelihood.

    A seed outside every class makes the candidate with probability 0. The likelihood of a
    class must be a deterministic function of class and candidate, also for the candidate's own
    seed: not of the class sizes, nor accumulated while proposing.

    Attributes:
        sizes: how many seeds each class holds, shape (B, C).
        log_likelihood: natural logarithm of the probability with which each of those seeds
            makes the candidate, shape (B, C); −∞ for 0.
        seed_class: the class that holds the candidate's own seed, shape (B,).

    Raises:
        ValueError: the shapes disagree.
    """

    sizes: IntArray
    log_likelihood: FloatArray
    seed_class: IntArray

    def __post_init__(self) -> None:
        batch = self.seed_class.shape
        if self.sizes.shape != self.log_likelihood.shape or self.sizes.shape[:-1] != batch:
            raise ValueError("sizes and log_likelihood need shape (B, C), and seed_class (B,)")

    def at(self, candidates: slice) -> LikelihoodClasses:
        """Return the classes of some of the candidates."""
        return LikelihoodClasses(
            self.sizes[candidates], self.log_likelihood[candidates], self.seed_class[candidates]
        )

    def of_seed(self, each: FloatArray) -> FloatArray:
        """(B, 1) of a (B, C) array, the entry of the class that holds the candidate's seed."""
        return np.take_along_axis(each, self.seed_class[:, None], axis=1)


Plausible = IntArray | LikelihoodClasses
"""The input of a test: (B,) the number of seeds that can make each candidate, its own included,
where all are equally likely; the likelihood classes otherwise."""
