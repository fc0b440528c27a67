from __future__ import annotations

import math

import numpy as np
import pytest

from understudy.assurance import model_queries, noise
from understudy.assurance.finding import Check, Effort
from understudy.assurance.model_queries import Recorder, histograms, schema, structure_asked
from understudy.models.bayesnet import parameters, structure
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import CellCap, StructureLearner
from understudy.privacy.accounting.budget_shares import EqualShare
from understudy.privacy.budget import Budget
from understudy.table.records import Records

LESS = Effort(0.5)


def verdict(name: str) -> str:
    (check,) = (
        each
        for each in (*model_queries.list_query_checks(), *noise.list_checks())
        if each.name == name
    )
    return check.find(LESS).verdict


@pytest.mark.parametrize(
    "check", [*model_queries.list_query_checks(), *noise.list_checks()], ids=lambda each: each.name
)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.worst > 0.8


def test_every_histogram_is_there_once() -> None:
    for total, partitions in ((0, 1), (1, 1), (5, 7), (12, 77)):
        found = [*histograms(total)]
        assert len(found) == len(set(found)) == partitions
        assert all(sum(cells) == total for cells in found)


def test_the_recorder_keeps_what_it_is_asked_for_and_adds_nothing() -> None:
    recorder = Recorder(count=40)
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, size, 30) for size in (2, 4, 3)])
    learner = StructureLearner.within(schema(), Budget(1.0, 1e-9))
    learner.learn(Records(schema(), codes.astype(np.uint16)), recorder, CellCap(1.0, 1.0))
    (count, scale), (bits, _) = recorder.asked
    assert count.tolist() == [30]
    assert scale == learner.count.scale
    assert bits.size == learner.share.queries


def test_half_the_noise_on_entropies_is_caught() -> None:
    assert structure_asked(LESS).worst <= 1
    assert structure_asked(LESS, noise=0.5).worst > 1.5


def test_an_entropy_that_moves_further_than_stated_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = structure.sensitivity
    monkeypatch.setattr(model_queries, "sensitivity", lambda records: 0.9 * real(records))
    assert verdict("how far an entropy moves") == "broken"


def test_a_learner_that_trusts_its_noisy_count_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StructureLearner, "margin", 0)
    assert verdict("what structure learning asks for") == "broken"


def test_a_learner_that_takes_a_smaller_sensitivity_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = structure.sensitivity
    monkeypatch.setattr(structure, "sensitivity", lambda records: 0.7 * real(records))
    assert verdict("what structure learning asks for") == "broken"


def test_a_record_counted_twice_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = parameters._family_counts
    monkeypatch.setattr(
        parameters, "_family_counts", lambda *asked: ((of, 2 * each) for of, each in real(*asked))
    )
    assert verdict("what parameter learning asks for") == "broken"


def test_a_share_that_overspends_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = ParameterLearner.cost.fget
    assert cost is not None
    monkeypatch.setattr(
        ParameterLearner, "cost", property(lambda self: cost(self) + Budget(1e-6, 0.0))
    )
    assert verdict("shares of a budget") == "broken"


def test_noise_too_thin_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    noised = EqualShare.noised

    def thinner(
        self: EqualShare, values: np.ndarray, sensitivity: int, noise: object
    ) -> np.ndarray:
        half = EqualShare(self.queries, self.composed_by, self.scale / 2, self.slack)
        return noised(half, values, sensitivity, noise)

    monkeypatch.setattr(EqualShare, "noised", thinner)
    assert verdict("what structure learning asks for") == "broken"
    assert verdict("what parameter learning asks for") == "broken"


def test_a_law_that_falls_too_fast_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def steeper(j: int, scale: float) -> float:
        return math.exp(-1.1 * j / scale) / (1 + math.exp(-1 / scale))

    monkeypatch.setattr(noise, "laplace_tail", steeper)
    assert verdict("two-sided geometric noise") == "broken"
