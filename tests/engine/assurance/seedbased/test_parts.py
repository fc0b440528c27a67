from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from understudy.assurance.divergence import hockey_stick
from understudy.assurance.finding import Check, Effort
from understudy.assurance.seedbased import parts
from understudy.privacy.budget import Budget


@pytest.mark.parametrize("check", parts.list_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort(0.3, seed=9))
    assert found.passed, found.measured
    assert found.measured.cases >= 15


def test_parts_that_share_their_records_are_caught() -> None:
    assert parts.shared_parts(Effort()).worst > 2


def test_a_noisy_count_spends_its_budget() -> None:
    budget = Budget(0.7, 0.02)
    laws = parts.count_laws(budget, 4)
    np.testing.assert_allclose(laws.sum(axis=1), 1)
    for one, more in pairwise(laws):
        assert hockey_stick(one, more, 0.7) == pytest.approx(0.02, rel=1e-9)
