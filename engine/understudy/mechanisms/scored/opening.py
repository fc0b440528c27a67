"""The plan of scored candidates that a custodian begins with: a hundred candidates for ε near 1.

An attempt costs ε0 + ln(1 + γ/t), where t below k is free to choose. So a total near 1 takes a
small ε0 and a k in the thousands, whatever the proposer; and thousands of records make a candidate
about equally likely only where most of its columns are drawn afresh.
"""

from __future__ import annotations

import math
from typing import Final

from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.redrawing import SHARE
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.table.schema import Schema

_TEST: Final = PlausibleDeniability(k=2_000, gamma=4.0, epsilon0=0.015)
_ATTEMPTS: Final = 100
_SHARES: Final = tuple(each / 20 for each in range(10, 20))
"""What is tried of the chance that a column is drawn afresh: 0.5 to 0.95."""
_WITHIN: Final = 2 * math.log(_TEST.gamma)


def opening(schema: Schema) -> ScoredPlan:
    """Return few attempts under a strict test, each candidate drawn afresh as far as the columns
    need."""
    return ScoredPlan(
        domain=schema.fingerprint,
        numbers={SHARE: _share(schema)},
        test=_TEST,
        attempts=_ATTEMPTS,
        seeds_at_least=_TEST.k,
    )


def _share(schema: Schema) -> float:
    """Return the least chance tried at which a seed is not far likelier to make its candidate than
    others.

    Of a column of c values, all as likely, the seed kept its value with chance 1 − θ, and is then
    (1 − θ)·c/θ + 1 times as likely to make it as a seed of another value. The mean of the logarithm
    over all columns is held within two factors of γ.
    """
    counts = [int(each) for each in schema.cardinalities]

    def apart(share: float) -> float:
        kept = 1 - share
        return sum(kept * math.log1p(kept * count / share) for count in counts)

    return next((each for each in _SHARES if apart(each) <= _WITHIN), _SHARES[-1])
