"""Plans for people of the simulated census."""

from __future__ import annotations

from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.samples import census

SCHEMA = census.schema()


def plan(**settings: object) -> Plan:
    """A plan that 5,000 of them are enough for, with some settings changed."""
    chosen = {
        "test": PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0),
        "omega": Omega(low=8, high=11),
        "attempts": 2_000,
        "public_records": 3_940,
    }
    return Plan.of(SCHEMA, **{**chosen, **settings})
