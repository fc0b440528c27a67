from __future__ import annotations

import numpy as np
import pytest

from engine.audit import scores
from engine.audit.finding import Check, Effort
from engine.audit.learned import schema
from engine.models.calibrated import choosing, misfit
from engine.models.calibrated.learner import by_coins
from engine.models.views import Rows
from engine.privacy.accounting.allowance import Allowance
from engine.privacy.randomness import RandomSource


@pytest.mark.parametrize("check", scores.checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    all_or_nothing = {
        "the records that parents are chosen by",
        "what the model counts beside the records",
    }
    assert check.name in all_or_nothing or found.measured.worst > 0.95


def test_mutants_are_caught() -> None:
    few = Effort(0.1)
    assert scores.parents_moved(few, choosing.SENSITIVITY // 2).worst > 1.25
    assert scores.misfits_cost(few, thinned=True).worst > 1.25
    assert scores.coins(few, scores.fixed_size).worst > 1.25
    assert scores.model_counts(few, scores.by_their_number).worst > 1.25


def verdicts() -> dict[str, str]:
    return {each.name: each.find(Effort(0.5)).verdict for each in scores.checks()}


def test_a_finer_grid_that_is_not_paid_for_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "GRID", 2 * choosing.GRID)
    assert verdicts()["how far a score of parents moves"] == "broken"


def test_misfits_in_finer_steps_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = misfit.score
    monkeypatch.setattr(scores, "score", lambda *asked: 2 * real(*asked))
    monkeypatch.setattr(misfit, "score", lambda *asked: 2 * real(*asked))
    found = verdicts()
    assert found["how far a misfit moves"] == "broken"
    assert found["what the noise on misfits is made for"] == "broken"


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
    assert verdicts()["what the noise on misfits is made for"] == "broken"


def test_each_record_is_taken_by_the_same_coin_whoever_else_there_is() -> None:
    """And with its own probability: the mean of 4,000 coins, by a fixed source."""
    columns = [np.arange(4_000) % size for size in (2, 4, 3)]
    rows = Rows(schema(), [each.astype(np.uint16) for each in columns])
    taken = by_coins(rows, 0.3, RandomSource.fixed(1))
    assert abs(len(taken) - 1_200) < 5 * np.sqrt(4_000 * 0.3 * 0.7)
    assert by_coins(rows, 1.0, RandomSource.fixed(1)) is rows
    source = RandomSource.fixed(2)
    by_coins(rows, 0.3, source)
    few = RandomSource.fixed(2)
    by_coins(Rows(schema(), [each[:7] for each in rows.columns]), 0.3, few)
    assert np.array_equal(source.words(3), few.words(3))
