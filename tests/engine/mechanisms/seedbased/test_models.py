"""Each kind of model is one object that is asked; nobody asks which kind it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.support import category_schema
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.models import INSTALLED, MODELS, USUAL
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan
from understudy.models.learner import Terms
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split, split

ROOT = Path(__file__).resolve().parents[4]
OWN = [kind for kind, about in MODELS.items() if not about.claimed]
BUDGET = Budget(0.7, 1e-8)
SCHEMA = category_schema(3, 4, 2)


def test_every_kind_that_a_plan_may_name_has_its_learner() -> None:
    assert get_args(ModelKind) == tuple(MODELS)
    assert ModelPlan().kind == USUAL
    for kind, about in MODELS.items():
        assert learner_of(kind).about is about


def test_only_the_model_of_another_package_is_on_its_word() -> None:
    claim = Claim(name="theirs", source="They do.", covers="Tables.")
    word = learner_of(INSTALLED, claim=claim).word
    assert word is not None
    assert (word.name, word.source, word.covers) == ("theirs", "They do.", "Tables.")
    assert [learner_of(kind).word for kind in OWN] == [None] * len(OWN)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seeds", [0.0, 0.3])
def test_all_records_that_are_left_go_to_the_model(kind: str, seeds: float) -> None:
    learner = learner_of(kind)
    found = learner.shares(seeds, 0.1)
    assert (found.seeds, found.held_out) == (seeds, 0.1)
    assert found.structure + found.parameters == pytest.approx(0.9 - seeds)
    about = learner.about
    assert (found.structure > 0) is (about.structured or (seeds > 0 and about.relates))


@pytest.mark.parametrize("kind", MODELS)
def test_each_part_costs_at_most_the_budget(kind: str) -> None:
    parts = learner_of(kind).cost(SCHEMA, BUDGET)
    assert set(parts) in ({"model"}, {"parameters"}, {"structure", "parameters"})
    assert ("structure" in parts) is MODELS[kind].structured
    for cost in parts.values():
        assert cost.epsilon <= BUDGET.epsilon * (1 + 1e-9)
        assert cost.delta <= BUDGET.delta * (1 + 1e-9)


@pytest.mark.parametrize("kind", OWN)
def test_what_is_learned_looks_at_nothing_but_the_model_s_records(kind: str) -> None:
    learner, rng = learner_of(kind), np.random.default_rng(1)
    table = Records(SCHEMA, np.column_stack([rng.integers(0, c, 900) for c in (3, 4, 2)]))
    shares = learner.shares(0.3, 0.1)
    parts = split(table, shares, RandomSource.fixed(1))
    changed = type(parts)(parts.held_out, parts.structure, parts.parameters, parts.seeds)

    def drawn(of: Split) -> list[list[int]]:
        source = RandomSource.fixed(2)
        model = learner.learn(of, Terms(SCHEMA, BUDGET, shares), Noise(source), source)
        return model.records(50, RandomSource.fixed(3)).tolist()

    assert drawn(parts) == drawn(changed)


@pytest.mark.parametrize("kind", OWN)
def test_what_is_foreseen_shrinks_with_the_number_of_records(kind: str) -> None:
    learner = learner_of(kind)
    terms = Terms(SCHEMA, BUDGET, learner.shares(0.0, 0.1))
    few, many = (learner.foreseen(terms, n, 10**6) for n in (500, 50_000))
    assert few is not None
    assert many is not None
    assert many.typical_column < few.typical_column
    small, large = (learner.cell_noise(terms, n) for n in (500, 50_000))
    assert small.deviation == large.deviation > 0
    assert large.records == pytest.approx(22_500 if MODELS[kind].structured else 45_000)
    assert (large.most_cells > 0) is MODELS[kind].relates


ASKS = re.compile(
    r"(model|draft)\.kind\s*(==|!=|in\b|not in\b)|match .*\.kind|"
    r"isinstance\([^)]*(Calibrated|PublishedNetwork|ThirdParty\b)|"
    r"models\[\"|\bkind\b.*=.*\"(calibrated|network|marginals|outside)\""
)


def test_nobody_asks_which_kind_of_model_it_is() -> None:
    asking = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for room in ("engine", "dashboard")
        for path in sorted((ROOT / room).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if ASKS.search(line)
    ]
    assert asking == []
