"""The tests as the original tool runs its own: look at every record for every candidate.

Vectorised over the records, so that the ratio is not flattered by a slow language.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability


def plausible_seeds(
    model: KeptAttributes,
    test: PlausibleDeniability,
    seeds: npt.NDArray[np.uint16],
    seed: npt.NDArray[np.uint16],
    candidate: npt.NDArray[np.uint16],
) -> int:
    """How many records make the candidate about as likely as its own seed does (4.3).

    Args:
        model: the kept-attributes model, ω fixed or hidden.
        test: γ counts, k and ε0 do not.
        seeds: (n, m) every record, in dependency order.
        seed: (at least as many as may be kept,) in dependency order.
        candidate: (m,) in dependency order.
    """
    by_prefix, prefix, own = _by_record(model, seeds, seed, candidate)
    with np.errstate(divide="ignore"):
        buckets = np.floor(-by_prefix / np.log(test.gamma))
    if not np.isfinite(buckets[own]):
        return 0
    return int((buckets[prefix] == buckets[own]).sum())


def relative_score(
    model: KeptAttributes,
    seeds: npt.NDArray[np.uint16],
    seed: npt.NDArray[np.uint16],
    candidate: npt.NDArray[np.uint16],
) -> int:
    """What the records no likelier than its own seed to make the candidate weigh against it, or
    against a likelier one, at most (Definition 4.2); for arguments as of `plausible_seeds`."""
    by_prefix, prefix, own = _by_record(model, seeds, seed, candidate)
    likely = np.exp(by_prefix - by_prefix.max())
    values, counts = np.unique(likely[prefix], return_counts=True)
    lighter = np.cumsum(values * counts) - values * counts
    counted = (values >= likely[own]) & (values > 0)
    scores = counts[counted] - 1 + np.floor(lighter[counted] / values[counted])
    return int(scores.max(initial=0))


def _by_record(
    model: KeptAttributes,
    seeds: npt.NDArray[np.uint16],
    seed: npt.NDArray[np.uint16],
    candidate: npt.NDArray[np.uint16],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], int]:
    """ln p by common prefix, each record's common prefix with the candidate, and the seed's."""
    prefix = np.cumprod(seeds == candidate, axis=1).sum(axis=1)
    own = int(np.cumprod(seed == candidate[: len(seed)]).sum())
    return _log_likelihood_by_prefix(model, candidate), prefix, own


def _log_likelihood_by_prefix(
    model: KeptAttributes, candidate: npt.NDArray[np.uint16]
) -> npt.NDArray[np.float64]:
    """(m + 1,) ln p_d(candidate) for a record whose common prefix with it has that length."""
    column = candidate[:, None]
    lengths = np.arange(model.attributes + 1)
    places = np.minimum(lengths, model.last_kept) - model.first_resampled
    values = model.log_likelihoods(column)[:, 0]
    return np.where(places >= 0, values[np.maximum(places, 0)], -np.inf)
