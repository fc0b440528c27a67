"""What the whole of learning reaches on the shipped sample. Each kind of model is one object that
is asked; nobody asks which kind it is. Marks in plans, in words, and where they cannot be met. One
record more in a file moves a release by no more than one record does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from tests.engine.table.formats import write
from tests.support import category_schema, random_network, random_structure, uniform_records
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import distances
from understudy.evaluation.measures import shares as measured
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer, release
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import predict_table
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.marks import check_marks, foreseen_of_marks, sentences
from understudy.mechanisms.seedbased.mechanism import MECHANISM
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline, promised_budget
from understudy.mechanisms.seedbased.models import INSTALLED, MODELS, USUAL
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.plan_from_options import build_plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.state import arrays_of
from understudy.mechanisms.seedbased.state import network_of as stored_network
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import Correlations, CostCap, StructureLearner, select
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.networks import FEW_VALUES
from understudy.models.learner import Terms
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.models.third_party.claim import Claim
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.randomness import RandomSource, Secret
from understudy.samples import census
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode
from understudy.table.fit import Policy
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import Split, split

SCHEMA = census.schema()
SEEDLESS = Omega(low=11, high=11)
_WITH_NOISE = pytest.mark.thorough("test_the_model_is_closer_on_pairs_than_the_marginals")


@pytest.fixture(scope="module")
def sample() -> Records:
    return Records(SCHEMA, census.simulate(census.SHIPPED_ROWS, census.SHIPPED_SEED))


def network_of(plan: Plan, parts: Split, source: RandomSource) -> BayesianNetwork:
    network = learn(plan, parts.seeds.schema, parts, source).network
    assert isinstance(network, BayesianNetwork)
    return network


def pairs(network: Sequential, seeds: Records, held_out: Records, seed: int) -> float:
    made = Synthesizer(KeptAttributes(network, SEEDLESS), seeds)
    decision = Decision(privacy_test("plausible-deniability", 50, 1.0), 0.0)
    codes = release(made, decision, 0, 10_000, RandomSource.fixed(seed))
    return float(np.median(distances(Records(SCHEMA, codes), held_out).each_pair))


@pytest.mark.parametrize(
    ("model", "margin", "seeds"),
    [
        (ModelPlan(kind="network", epsilon=None), 0.015, 5),
        (ModelPlan(kind="network", epsilon=10.0), 0.015, 5),
        (ModelPlan(kind="network", epsilon=1.0), 0.0, 5),
        pytest.param(ModelPlan(epsilon=None), 0.025, 1, marks=_WITH_NOISE),
        (ModelPlan(epsilon=1.0), 0.015, 1),
    ],
)
def test_the_model_is_closer_on_pairs_than_the_marginals(
    sample: Records, model: ModelPlan, margin: float, seeds: int
) -> None:
    plan = Plan.of(SCHEMA, model=model)
    ours, baseline = [], []
    for seed in range(seeds):
        source = RandomSource.fixed(seed)
        parts = split(sample, plan.shares, source)
        network = learn(plan, SCHEMA, parts, source).network
        marginals = learn_baseline(plan, parts, source)
        ours.append(pairs(network, parts.seeds, parts.held_out, seed))
        baseline.append(pairs(marginals, parts.seeds, parts.held_out, seed))
    assert np.mean(ours) + margin <= np.mean(baseline)
    closer = [one <= other for one, other in zip(ours, baseline, strict=True)]
    assert sum(closer) >= min(seeds, 4)


def test_the_published_network_is_simpler_the_more_noise_there_is(sample: Records) -> None:
    cells = []
    for epsilon in (None, 10.0, 1.0, 0.1):
        plan = Plan.of(SCHEMA, model=ModelPlan(kind="network", epsilon=epsilon))
        source = RandomSource.fixed(3)
        parts = split(sample, plan.shares, source)
        cells.append(network_of(plan, parts, source).cells)
    assert cells == sorted(cells, reverse=True)
    assert cells[-1] < cells[0]


def test_a_sampled_posterior_learns_another_published_network(sample: Records) -> None:
    tables = []
    for estimate in ("mean", "sampled"):
        plan = Plan.of(SCHEMA, model=ModelPlan(kind="network", estimate=estimate))
        source = RandomSource.fixed(4)
        parts = split(sample, plan.shares, source)
        tables.append(network_of(plan, parts, source).tables[0].weights)
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize("records_per_person", [1, 4])
@pytest.mark.parametrize("kind", ["calibrated", "network", "marginals"])
def test_learning_spends_what_the_promise_says(kind: ModelKind, records_per_person: int) -> None:
    plan = Plan.of(
        SCHEMA,
        model=ModelPlan(kind=kind),
        records_per_person=records_per_person,
        omega=SEEDLESS,
    )
    made, budget = promise(plan, SCHEMA), promised_budget(plan, promise(plan, SCHEMA))
    learners: dict[str, CalibratedLearner | StructureLearner | ParameterLearner] = {
        "model": CalibratedLearner.within(SCHEMA, budget),
        "structure": StructureLearner.within(SCHEMA, budget),
        "parameters": ParameterLearner.within(SCHEMA, budget),
    }
    assert dict(made.learning) == {part: learners[part].cost for part in made.learning}
    for part in made.learning.values():
        assert part.epsilon <= 1.0 * (1 + 1e-9)
        if part.delta:
            assert (part.delta < plan.delta / 4) == (records_per_person == 4)
    assert (made.total.delta > 0) == (kind != "marginals")


@pytest.mark.parametrize("empty", ["structure", "parameters"])
def test_the_calibrated_model_learns_from_the_records_of_both_shares(empty: str) -> None:
    """It measures the same records, however they are dealt between the two."""
    schema = category_schema(3, 4, 2)
    every = uniform_records(schema, 2_000, 6)
    none, first, rest = (every.take(np.arange(*each)) for each in ((0,), (700,), (700, 2_000)))
    plan = Plan.of(schema)
    found = []
    for parts in (
        {"structure": first, "parameters": rest},
        {"structure": every, "parameters": every, empty: none},
    ):
        dealt = Split(seeds=none, held_out=none, **parts)
        network = network_of(plan, dealt, RandomSource.fixed(5))
        found.append([table.weights.tolist() for table in network.tables])
    assert found[0] == found[1]


ROOT = Path(__file__).resolve().parents[4]
OWN = [kind for kind, about in MODELS.items() if not about.claimed]
BUDGET = Budget(0.7, 1e-8)
MODELS_SCHEMA = category_schema(3, 4, 2)


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
    parts = learner_of(kind).cost(MODELS_SCHEMA, BUDGET)
    assert set(parts) in ({"model"}, {"parameters"}, {"structure", "parameters"})
    assert ("structure" in parts) is MODELS[kind].structured
    for cost in parts.values():
        assert cost.epsilon <= BUDGET.epsilon * (1 + 1e-9)
        assert cost.delta <= BUDGET.delta * (1 + 1e-9)


@pytest.mark.parametrize("kind", OWN)
def test_what_is_learned_looks_at_nothing_but_the_model_s_records(kind: str) -> None:
    learner, rng = learner_of(kind), np.random.default_rng(1)
    table = Records(MODELS_SCHEMA, np.column_stack([rng.integers(0, c, 900) for c in (3, 4, 2)]))
    shares = learner.shares(0.3, 0.1)
    parts = split(table, shares, RandomSource.fixed(1))
    changed = type(parts)(parts.held_out, parts.structure, parts.parameters, parts.seeds)

    def drawn(of: Split) -> list[list[int]]:
        source = RandomSource.fixed(2)
        model = learner.learn(of, Terms(MODELS_SCHEMA, BUDGET, shares), Noise(source), source)
        return model.records(50, RandomSource.fixed(3)).tolist()

    assert drawn(parts) == drawn(changed)


@pytest.mark.parametrize("kind", OWN)
def test_what_is_foreseen_shrinks_with_the_number_of_records(kind: str) -> None:
    learner = learner_of(kind)
    terms = Terms(MODELS_SCHEMA, BUDGET, learner.shares(0.0, 0.1))
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


MARKED_SCHEMA = category_schema(30, 4, 5, 200)
MARKS = Marks(target="c1", columns=("c2",), together=(("c1", "c2"), ("c0", "c2", "c3")))


def plan(marks: Marks, records: int | None = 4_000, **settings: object) -> Plan:
    return Plan.of(MARKED_SCHEMA, marks=marks, public_records=records, **settings)


def test_a_plan_without_marks_is_written_as_it_was_before_there_were_any() -> None:
    made = Plan.of(MARKED_SCHEMA)
    assert "marks" not in made.as_dict()
    assert Plan.from_json(made.to_json()) == made
    assert Plan.from_json(plan(MARKS).to_json()).marks == MARKS


def test_marks_are_published_with_the_plan_and_told_where_they_have_a_use() -> None:
    said = {each.name: each.value for each in FIELDS.state_settings(FIELDS.values(plan(MARKS)))}
    assert said["Target"] == "c1"
    assert said["Columns that must survive"] == "c2"
    assert said["Pairs and triples that must survive"] == "c1 with c2; c0 with c2 with c3"
    marginals = plan(MARKS, model=ModelPlan(kind="marginals"))
    assert "Target" not in {each.name for each in FIELDS.state_settings(FIELDS.values(marginals))}


@pytest.mark.parametrize("text", ["c1,c2; c0, c2, c3", '[["c1", "c2"], ["c0", "c2", "c3"]]'])
def test_marks_are_typed(text: str) -> None:
    typed = {
        name: FIELDS[name].kind.read(each)
        for name, each in {"target": "c1", "survive": "c2", "together": text}.items()
    }
    assert build_plan(typed, MARKED_SCHEMA).marks == MARKS


def test_a_marked_plan_promises_what_one_without_promises() -> None:
    both = [plan_run(each, MARKED_SCHEMA).guarantee for each in (plan(MARKS), plan(Marks()))]
    assert both[0].total == both[1].total
    assert both[0].account_as(type(both[0].account)) == both[1].account


def test_what_is_marked_is_foreseen_worst_first_and_in_words() -> None:
    made = plan(Marks(target="c1", together=(("c1", "c2"),)), 50_000)
    found = predict_table(made, MARKED_SCHEMA, promise(made, MARKED_SCHEMA), 50_000, 10_000)
    assert found is not None
    told = foreseen_of_marks(found, made.marks, MARKED_SCHEMA)
    assert told[0].names == ("c1", "c2")
    apart = [each.apart for each in told[1:] if each.apart is not None]
    assert apart == sorted(apart, reverse=True)
    assert told[0].apart == found.together[1, 2]
    words = list(sentences(found, made, MARKED_SCHEMA))
    assert words[0].startswith("“c1” with “c2”: expected ")
    assert not list(sentences(found, plan(Marks()), MARKED_SCHEMA))
    (unheeded,) = sentences(found, plan(MARKS, model=ModelPlan(kind="marginals")), MARKED_SCHEMA)
    assert "does not heed" in unheeded


def test_a_triple_of_too_many_cells_is_refused_with_a_way_out() -> None:
    made = plan(Marks(together=(("c0", "c2", "c3"),)))
    with pytest.raises(Refusal, match="30,000 cells") as refused:
        check_marks(made, MARKED_SCHEMA, promise(made, MARKED_SCHEMA))
    assert refused.value.field == "marks.together"
    assert "fewer buckets" in refused.value.remedy
    for fine in (plan(Marks(together=(("c1", "c2"),)), 50_000), plan(made.marks, None)):
        check_marks(fine, MARKED_SCHEMA, promise(fine, MARKED_SCHEMA))


def test_what_is_marked_is_measured_first() -> None:
    first, *_ = MECHANISM.measures(plan_run(plan(MARKS), MARKED_SCHEMA))
    assert isinstance(first, measured.MarkedVariation)
    assert first.groups == MARKS.groups(MARKED_SCHEMA.names)
    unmarked, *_ = MECHANISM.measures(plan_run(plan(Marks()), MARKED_SCHEMA))
    assert not isinstance(unmarked, measured.MarkedVariation)


def test_the_published_network_takes_a_marked_pair_before_the_way_is_closed() -> None:
    """Column 2 has room for one parent: the stronger one, unless the other is marked."""
    child_parent = np.array([[0, 0.1, 0.1], [0.1, 0, 0.1], [0.5, 0.3, 0]])
    seen = Correlations(child_parent, np.eye(3))
    cap = CostCap(np.array([4, 4, 4]), np.array([4, 4, 4]), 16)
    assert 0 in select(seen, cap).parents[2]
    marks = Marks(together=(("b", "c"),)).importance("abc")
    assert select(seen, cap, marks).parents[2] == (1,)


STORED_NETWORKS_SCHEMA = category_schema(6, 4, FEW_VALUES + 4, 3, halves=frozenset({0, 1, 2}))
"""Buckets that a distilled network does not see, and some that it does."""


def distilled() -> BayesianNetwork:
    rng = np.random.default_rng(1)
    seen = STORED_NETWORKS_SCHEMA.refine([True, True, False, True])
    plain = random_network(seen, random_structure(4, rng), rng)
    views = ((View(0), View(2, level=1)), (View(1, level=1), View(3)))
    tilts = Tilts(
        STORED_NETWORKS_SCHEMA,
        tuple(Tilt(each, rng.normal(size=6 if i else 12)) for i, each in enumerate(views)),
        0.3,
    )
    return BayesianNetwork(seen, plain.structure, plain.tables, tilts)


def saved(path: Path, **networks: BayesianNetwork) -> Arrays:
    """Networks as arrays that went through a file."""
    arrays = {
        key: each for name, made in networks.items() for key, each in arrays_of(name, made).items()
    }
    np.savez(path / "kept.npz", **arrays)
    with np.load(path / "kept.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_a_distilled_network_with_tilts_comes_back_as_it_was(tmp_path: Path) -> None:
    made = distilled()
    found = stored_network(saved(tmp_path, model=made, other=made), STORED_NETWORKS_SCHEMA, "model")
    assert isinstance(found, BayesianNetwork)
    assert found.structure == made.structure
    assert [each.bucket_count for each in found.schema.columns] == [6, 4, 2, 3]
    assert all(
        np.array_equal(one.weights, other.weights)
        for one, other in zip(found.tables, made.tables, strict=True)
    )
    assert found.tilts is not None
    assert found.tilts.average == 0.3
    assert [each.marginal for each in found.tilts.each] == [
        (View(0), View(2, level=1)),
        (View(1, level=1), View(3)),
    ]
    one, other = (each.records(500, RandomSource.fixed(3)) for each in (found, made))
    assert np.array_equal(one, other)


def test_more_than_nine_tilts_keep_their_order(tmp_path: Path) -> None:
    plain = distilled()
    each = tuple(Tilt((View(3),), np.full(3, float(number))) for number in range(12))
    made = BayesianNetwork(
        plain.schema, plain.structure, plain.tables, Tilts(STORED_NETWORKS_SCHEMA, each, 0.0)
    )
    found = stored_network(saved(tmp_path, model=made), STORED_NETWORKS_SCHEMA, "model")
    assert isinstance(found, BayesianNetwork)
    assert found.tilts is not None
    assert [tilt.logs[0] for tilt in found.tilts.each] == list(range(12))


def test_a_network_without_tilts_has_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    made = random_network(STORED_NETWORKS_SCHEMA, random_structure(4, rng), rng)
    found = stored_network(
        saved(tmp_path, model=made, tilted=distilled()), STORED_NETWORKS_SCHEMA, "model"
    )
    assert isinstance(found, BayesianNetwork)
    assert found.tilts is None
    assert found.structure == made.structure
    assert [each.bucket_count for each in found.schema.columns] == [2, 2, 2, 3]


_ROWS = 400
_RELEASES = 12
_FIRST = datetime(2020, 1, 1)
_SCHEMA = Schema(
    columns=(
        Column(
            name="day",
            domain=Categories(values=tuple(f"2020-01-0{day}" for day in range(1, 5))),
            missing=True,
        ),
        Column(name="town", domain=Categories(values=("Ghent", "Trier"))),
    )
)
_POLICIES: dict[str, Policy] = {"day": "missing"}


def released(records: Records) -> list[float]:
    """The share of missing days in each of some releases at ε = 1."""
    plan = Plan.of(_SCHEMA, model=ModelPlan(kind="marginals"), omega=Omega(low=2, high=2))
    shares = []
    for seed in range(_RELEASES):
        source = Secret.fixed(seed).source("model")
        network = learn(plan, _SCHEMA, split(records, plan.shares, source), source).network
        assert isinstance(network, BayesianNetwork)
        made = network.records(_ROWS, RandomSource.fixed(seed))
        shares.append(float((made[:, 0] == 4).mean()))
    return shares


def encoded(kind: str, path: Path, moments: Sequence[datetime]) -> Records:
    towns = ["Ghent", "Trier"] * (len(moments) // 2) + ["Trier"] * (len(moments) % 2)
    ending = "parquet" if kind == "streamed" else kind
    file = write(
        ending, pd.DataFrame({"day": list(moments), "town": towns}), path / f"table.{ending}"
    )
    if kind == "streamed":
        table = StreamedTable.open(file, _SCHEMA, _POLICIES)
        return Records(_SCHEMA, np.concatenate([each.codes for each in table.records()]))
    return encode(read_table(file), _SCHEMA, _POLICIES)


@pytest.mark.parametrize("kind", ["parquet", "streamed", "xlsx", "dta", "sav"])
def test_a_time_of_day_turns_no_other_day_into_a_missing_one(kind: str, tmp_path: Path) -> None:
    midnights = [_FIRST + timedelta(days=row % 4) for row in range(_ROWS)]
    without = encoded(kind, tmp_path, midnights)
    within = encoded(kind, tmp_path, [*midnights, _FIRST.replace(hour=10, minute=30)])
    assert within.counts(0).tolist() == [*without.counts(0)[:-1], 1]
    assert max(released(without)) < 0.5
    assert max(released(within)) < 0.5
