from __future__ import annotations

import pytest

from understudy.assurance import scores
from understudy.assurance.finding import Check, Effort
from understudy.models.calibrated import selection as misfit
from understudy.models.third_party import private_pgm as choosing
from understudy.privacy.accounting.budget_shares import Allowance


@pytest.mark.parametrize("check", scores.list_score_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    assert check.name == "what the model counts beside the records" or found.measured.worst > 0.95


def test_mutants_are_caught() -> None:
    few = Effort(0.1)
    assert scores.parents_moved(few, choosing.SENSITIVITY // 2).worst > 1.25
    assert scores.misfits_cost(few, thinned=True).worst > 1.25
    assert scores.model_counts(few, scores.by_their_number).worst > 1.25


def verdict(name: str) -> str:
    (check,) = (each for each in scores.list_score_checks() if each.name == name)
    return check.find(Effort(0.5)).verdict


def test_a_finer_grid_that_is_not_paid_for_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "GRID", 2 * choosing.GRID)
    assert verdict("how far a score of parents moves") == "broken"


def test_misfits_in_finer_steps_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = misfit.score
    monkeypatch.setattr(scores, "score", lambda *asked: 2 * real(*asked))
    monkeypatch.setattr(misfit, "score", lambda *asked: 2 * real(*asked))
    assert verdict("how far a misfit moves") == "broken"
    assert verdict("what the noise on misfits is made for") == "broken"


def test_noise_that_does_not_grow_with_the_candidates_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        Allowance,
        "scores",
        lambda self, values, sensitivity, noise: self._noised(
            values, self.scale(sensitivity, sensitivity), noise
        ),
    )
    assert verdict("what the noise on misfits is made for") == "broken"
