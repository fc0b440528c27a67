"""The test as the original tool runs it: look at every record for every candidate.

Vectorised over the records, so that the ratio is not flattered by a slow language.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.kept import KeptAttributes
from engine.privacy.deniability import PlausibleDeniability


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
        seed, candidate: (m,) in dependency order.
    """
    by_prefix = _log_likelihood_by_prefix(model, candidate)
    prefix = np.cumprod(seeds == candidate, axis=1).sum(axis=1)
    own = int(np.cumprod(seed == candidate).sum())
    with np.errstate(divide="ignore"):
        buckets = np.floor(-by_prefix / np.log(test.gamma))
    if not np.isfinite(buckets[own]):
        return 0
    return int((buckets[prefix] == buckets[own]).sum())


def _log_likelihood_by_prefix(
    model: KeptAttributes, candidate: npt.NDArray[np.uint16]
) -> npt.NDArray[np.float64]:
    """(m + 1,) ln p_d(candidate) for a record whose common prefix with it has that length."""
    column = candidate[:, None]
    lengths = np.arange(model.attributes + 1)
    places = np.minimum(lengths, model.last_kept) - model.first_resampled
    values = model.log_likelihoods(column)[:, 0]
    return np.where(places >= 0, values[np.maximum(places, 0)], -np.inf)
