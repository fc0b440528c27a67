"""Seeds of a sub-population: who is dealt where, what is promised of whom, and what is refused.
The plan of scored candidates that a custodian begins with. How many attempts fit, against the
reference's figures and the account of one more. What a plan promises, put together again from its
parts. Learners whose noise is a model's own posterior: what they cost, and what they refuse. Seeds
on a map, with one candidate and those that could have made it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tests.engine.models.latent.test_latent_noise import EVERY, network
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import method_named, opening_plan, plan_run
from understudy.mechanisms.scored import inspection
from understudy.mechanisms.scored.inspection import has_map, latent_map, reconstruct_records
from understudy.mechanisms.scored.mechanism import MECHANISM, ScoredState
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import NetworkNoiseLearner
from understudy.mechanisms.scored.spending import affordable, ladder
from understudy.models.latent.networks import variational
from understudy.privacy.accounting.guarantee import Guarantee, group_privacy
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

EASY = PlausibleDeniability(k=10, gamma=16.0, epsilon0=1.0)
COUNT = 3_000


def records() -> Records:
    """A tenth have a 2 in the last column, and then mostly a 2 in the first two."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (COUNT, 3)).astype(np.uint16)
    some = rng.random(COUNT) < 0.1
    codes[some] = np.column_stack([rng.integers(1, 3, (some.sum(), 2)), np.full(some.sum(), 2)])
    return Records(category_schema(3, 3, 3), codes)


def plan(**changed: Any) -> ScoredPlan:
    schema = records().schema
    usual: dict[str, Any] = {
        "domain": schema.fingerprint,
        "seeds_among": f"{schema.names[2]} = {schema.columns[2].texts[2]}",
        "numbers": {"redrawn": 0.3},
        "test": EASY,
        "attempts": 600,
        "delta": 1e-3,
        "seeds_at_least": 60,
        "public_records": 200,
    }
    return ScoredPlan(**{**usual, **changed})


def test_seeds_are_of_the_group_and_all_others_are_learned_from() -> None:
    held, made = records(), plan_run(plan(), records().schema)
    inside = held.codes[:, 2] == 2
    state = MECHANISM.begin(made, held, Secret.fixed(2), None)
    assert state.seeds[inside].mean() == pytest.approx(0.5, abs=0.1)
    assert state.apart[inside].any()
    assert not (state.seeds | state.apart)[~inside].any()
    every = plan_run(plan(seeds_among=None), held.schema)
    alike = MECHANISM.begin(every, held, Secret.fixed(2), None)
    assert (alike.seeds[inside] == state.seeds[inside]).all()


def test_rows_are_of_the_group() -> None:
    held, made = records(), plan_run(plan(), records().schema)
    secret = Secret.fixed(2)
    state = MECHANISM.begin(made, held, secret, None)
    chunks = MECHANISM.release(made, held, state, secret, Workers(), ResumePoint())
    rows = np.concatenate([each.content for each in chunks])
    assert len(rows) > 100
    assert (rows[:, 2] == 2).all()
    assert (rows[:, 0] > 0).mean() > 0.8


def test_the_promise_says_whose_records_rows_are_made_from() -> None:
    found = plan_run(plan(), records().schema).guarantee
    every = plan_run(plan(seeds_among=None), records().schema).guarantee
    assert found.total == every.total
    assert found.records_at_least == every.records_at_least
    assert found.records_among.startswith("whose ")
    assert any(found.records_among in each for each in found.scope.reader_sees)
    assert any(found.records_among in each for each in found.scope.assumes)
    assert "by the proposer alone" in found.scope.covers
    assert not any("whose" in each for each in every.scope.reader_sees)


def test_a_group_too_small_is_foreseen_and_refused_without_its_size() -> None:
    schema, held = records().schema, records()
    made = plan_run(plan(), schema)
    inside = MECHANISM.count_eligible(made, held)
    assert inside == (held.codes[:, 2] == 2).sum()
    assert MECHANISM.count_eligible(plan_run(plan(seeds_among=None), schema), held) == COUNT
    MECHANISM.check_public(made)
    MECHANISM.check_records(made, inside)
    with pytest.raises(Refusal, match="fewer records whose") as refused:
        MECHANISM.check_records(plan_run(plan(public_records=inside + 1), schema), inside)
    assert str(inside) not in str(refused.value)
    with pytest.raises(Refusal, match=r"records whose .* nobody has confirmed"):
        MECHANISM.check_public(plan_run(plan(public_records=None), schema))
    strict = PlausibleDeniability(k=150, gamma=16.0, epsilon0=1.0)
    with pytest.raises(Refusal, match="only 60 seeds are certain"):
        plan_run(plan(test=strict), schema)


def test_what_the_schema_does_not_have_is_refused_and_all_of_a_group_may_be_dealt() -> None:
    schema = records().schema
    with pytest.raises(Refusal) as refused:
        plan_run(plan(seeds_among="AGE = old"), schema)
    assert refused.value.field == "seeds_among"
    plan_run(plan(seeds=0.9, held_out=0.1), schema)
    with pytest.raises(Refusal, match="No record is left"):
        plan_run(plan(seeds=0.9, held_out=0.2), schema)


def test_rows_are_compared_with_real_ones_of_the_group() -> None:
    held, made = records(), plan_run(plan(held_out=0.4), records().schema)
    state = MECHANISM.begin(made, held, Secret.fixed(2), None)
    inside = np.flatnonzero(held.codes[:, 2] == 2)
    evidence = Evidence(made, held, state, {"table": held.take(inside[:120])})
    asked = EvaluationRequest(target=held.schema.names[0], most=1000, repeats=1)
    study = MECHANISM.study(evidence, asked, RandomSource.fixed(1), lambda _: None)
    for each in (study.held_out, study.seeds):
        assert len(each) > 60
        assert (each.codes[:, 2] == 2).all()
    released = evidence.released
    found = MECHANISM.quick_report(made, held, state, released, RandomSource.fixed(1))
    alone = held.take(inside)
    there = replace(state, seeds=state.seeds[inside], apart=state.apart[inside])
    other = MECHANISM.quick_report(made, alone, there, released, RandomSource.fixed(1))
    assert str(found) == str(other)


@pytest.mark.parametrize("columns", [(3, 4), (72, 4, 3), (80, 8, 24, 5, 25, 18, 5, 2, 100, 8, 2)])
def test_it_costs_about_one_and_a_good_part_of_its_candidates_passes(
    columns: tuple[int, ...],
) -> None:
    schema = category_schema(*columns)
    plan = opening_plan("scored", schema)
    assert isinstance(plan, ScoredPlan)
    made = plan_run(plan.model_copy(update={"public_records": 12_000}), schema)
    assert 1 <= made.guarantee.total.epsilon < 1.2
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, each, 12_000) for each in columns])
    records, secret = Records(schema, codes.astype(np.uint16)), Secret.fixed(5)
    begun = MECHANISM.begin(made, records, secret, None)
    chunks = MECHANISM.release(made, records, begun, secret, Workers(), ResumePoint())
    assert sum(len(each.content) for each in chunks) > plan.attempts / 5


@pytest.mark.parametrize("proposer", ["projection", "latent-noise"])
def test_another_proposer_is_not_given_the_numbers_of_the_first(proposer: str) -> None:
    schema = category_schema(*[2] * 6)
    plan = opening_plan("scored", schema, {"proposer": proposer, "numbers": {"directions": 2}})
    assert isinstance(plan, ScoredPlan)
    assert plan.numbers == {"directions": 2}
    plan_run(plan, schema)
    assert opening_plan("scored", schema, {"proposer": proposer}).as_dict()["numbers"] == {}
    again = opening_plan("scored", schema, {"proposer": "redrawn", "epsilon": 2.0})
    assert again.as_dict()["numbers"] == opening_plan("scored", schema).as_dict()["numbers"] != {}


SCHEMA = category_schema(2, 2, 2)
SEEDS = 21_455


def planning_plan(**changed: Any) -> ScoredPlan:
    usual = {"seeds_at_least": SEEDS, "epsilon": 1.0, "delta": 1e-9}
    return ScoredPlan(domain=SCHEMA.fingerprint, **{**usual, **changed})


def test_attempts_are_those_of_the_reference() -> None:
    """A whole run at ε = 1 and δ = 10⁻⁹, of which a tenth pays for fewer seeds."""
    relative = planning_plan(
        test=RelativeSensitivity(k=9, epsilon0=1.0), delta=1e-9 / (1 - MISS_SHARE)
    )
    found = {each.k: each.attempts for each in ladder(relative, (500, 1_000, 2_000, 5_000, 8_000))}
    assert found == {500: 23, 1_000: 63, 2_000: 208, 5_000: 1_086, 8_000: 2_566}


@pytest.mark.parametrize("records_per_person", [1, 3])
def test_the_plan_keeps_the_proposers_epsilon_and_one_attempt_more_would_not(
    records_per_person: int,
) -> None:
    found = affordable(planning_plan(records_per_person=records_per_person), 2_000)
    made = plan_run(found.plan, SCHEMA).guarantee
    assert made.record.epsilon == pytest.approx(1.0, abs=1e-9)
    assert made.total.delta <= 1e-9
    more = found.plan.model_copy(update={"attempts": found.attempts + 2})
    assert plan_run(more, SCHEMA).guarantee.record.epsilon > 1.0


def test_seeds_follow_from_records_that_are_publicly_known() -> None:
    found = affordable(planning_plan(seeds_at_least=1, public_records=60_000), 2_000)
    assert 29_000 < found.plan.seeds_at_least < 30_000
    assert (plan_run(found.plan, SCHEMA).guarantee.records_at_least or 0) <= 60_000
    assert found.attempts > affordable(planning_plan(), 2_000).attempts


def test_a_k_at_which_nothing_fits_is_left_out_or_refused() -> None:
    assert [each.k for each in ladder(planning_plan(), (2, 500))] == [500]
    with pytest.raises(Refusal):
        ladder(planning_plan(), (2,))


def promised(**settings: Any) -> Guarantee:
    usual = {"seeds_at_least": 20_000, "delta": 1e-6, "attempts": 5}
    plan = ScoredPlan(domain=SCHEMA.fingerprint, **{**usual, **settings})
    return plan_run(plan, SCHEMA).guarantee


@pytest.mark.parametrize("epsilon", [0.2, 9.0])
def test_all_records_of_a_person_stay_within_delta_and_use_it(epsilon: float) -> None:
    """Whether attempts or the proposer cost more."""
    made = promised(epsilon=epsilon, records_per_person=3)
    attempts = made.account.seeds.total
    assert made.record.epsilon == max(epsilon, attempts.epsilon)
    whole = group_privacy(Budget(made.record.epsilon, made.account.record_delta), 3)
    assert whole.delta == pytest.approx(1e-6, rel=1e-9)
    assert made.total.epsilon == pytest.approx(3 * made.record.epsilon)
    assert made.total.delta <= 1e-6


def test_attempts_pay_for_fewer_seeds_than_are_promised_too() -> None:
    made = promised(epsilon=1.0)
    seeds = made.account.seeds.total
    paid = made.parts[0].cost
    assert made.reads_records
    assert paid.epsilon == seeds.epsilon
    assert seeds.delta <= (1 - MISS_SHARE) * 1e-6
    assert seeds.delta + MISS_SHARE * 1e-6 == pytest.approx(paid.delta, rel=1e-9)
    assert made.record.delta == max(paid.delta, made.parts[1].cost.delta)


def test_a_table_of_the_records_that_are_needed_has_too_few_seeds_as_rarely_as_is_paid_for() -> (
    None
):
    made = promised(epsilon=1.0, records_per_person=2)
    miss = MISS_SHARE * made.account.record_delta
    share = ScoredPlan(domain=SCHEMA.fingerprint).seeds
    needed = made.records_at_least
    assert needed is not None
    assert binom.cdf(19_999, needed, share) <= miss * (1 + 1e-9)
    assert binom.cdf(19_999, needed - 1, share) > miss * (1 - 1e-9)


POSTERIOR_SCHEMA = category_schema(*[2] * 5)


def posterior_plan(**changed: Any) -> ScoredPlan:
    return ScoredPlan(domain=POSTERIOR_SCHEMA.fingerprint, **changed)


@pytest.mark.parametrize("proposer", ["factor-noise", "network-noise"])
def test_learning_stays_within_its_part(proposer: str) -> None:
    found = plan_run(
        posterior_plan(proposer=proposer, numbers={}, epsilon=2.0), POSTERIOR_SCHEMA
    ).guarantee
    part = found.parts[1]
    assert part.cost.epsilon == 2.0


def test_a_network_is_never_dearer_than_what_it_is_charged() -> None:
    for epsilon in (0.5, 1.0, 4.0):
        budget = Budget(epsilon, 1e-9)
        cost = variational.plan_network(5, 50_000, budget).cost
        assert cost.epsilon <= epsilon
        assert cost.delta <= 1e-9


@pytest.mark.parametrize(
    ("proposer", "numbers", "field"),
    [
        ("factor-noise", {"factors": 5}, "numbers.factors"),
        ("factor-noise", {"disturbed": 0.1}, "numbers.disturbed"),
        ("network-noise", {"records": 300}, "model"),
        ("network-noise", {"records": 10}, "numbers.records"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    proposer: str, numbers: dict[str, float], field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        plan_run(posterior_plan(proposer=proposer, numbers=numbers), POSTERIOR_SCHEMA)
    assert refused.value.field == field


def test_a_network_proposes_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variational, "learn_network", lambda *_: network())
    learner, source = NetworkNoiseLearner(), RandomSource.fixed(1)
    records = Records(POSTERIOR_SCHEMA, np.repeat(EVERY, 10, axis=0))
    numbers = {"records": 50_000.0, "disturbed": 1.0}
    made = learner.learn(records, Budget(1.0, 1e-9), numbers, Noise(source), source.child())
    codes = made.propose(EVERY, RandomSource.fixed(2))
    again = learner.restore(POSTERIOR_SCHEMA, made.arrays())
    assert (again.log_likelihood(EVERY, codes) == made.log_likelihood(EVERY, codes)).all()
    assert made.decode(codes, source).max() == 1


_TEST = {"kind": "plausible-deniability", "k": 30, "epsilon0": 1.0, "gamma": 4.0}


def evidence(schema: Schema, proposer: str, count: int = 1_500, **numbers: float) -> Evidence:
    random = np.random.default_rng(8)
    behind = random.normal(size=(count, 1))
    raw = behind + 0.6 * random.normal(size=(count, len(schema)))
    top = np.array([each.domain.size - 1 for each in schema.columns])
    codes = np.clip(np.rint((raw + 2) / 4 * top), 0, top).astype(np.uint16)
    given = {"proposer": proposer, "numbers": numbers, "epsilon": 8.0, "attempts": 20,
             "delta": 1e-3, "seeds_at_least": 300, "test": _TEST}  # fmt: skip
    decided = plan_run(opening_plan("scored", schema, given), schema)
    records = Records(schema, codes)
    state = method_named("scored").begin(decided, records, Secret.fixed(3), None)
    return Evidence(decided, records, state, {})


NUMBERS = Schema(
    columns=tuple(Column(name=f"n{at}", domain=Grid(minimum=0, maximum=20)) for at in range(5))
)
FLAGS = category_schema(*[2] * 8)


@pytest.mark.parametrize(("schema", "proposer"), [(NUMBERS, "projected"), (FLAGS, "latent-noise")])
def test_a_candidate_lies_among_seeds_that_could_have_made_it(
    schema: Schema, proposer: str
) -> None:
    given = evidence(schema, proposer, directions=2, disturbed=1.0)
    found = latent_map(given, RandomSource.fixed(4))
    assert len(found.seeds) == given.state.seeds.sum()
    assert found.passes
    assert found.whole
    assert (np.abs(found.seeds).mean(axis=0) < 2).all()
    apart = np.hypot(*(found.seeds - found.candidate).T)
    assert (apart <= found.near + 1e-9).sum() >= found.k
    assert found.near < apart.max()


def test_of_many_seeds_some_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "MOST", 100)
    found = latent_map(evidence(NUMBERS, "projected", directions=2), RandomSource.fixed(4))
    assert len(found.seeds) == 100
    assert not found.whole


@pytest.mark.parametrize(
    ("schema", "proposer", "numbers"),
    [(FLAGS, "redrawn", {}), (FLAGS, "projection", {}), (NUMBERS, "projected", {"directions": 1})],
)
def test_without_two_directions_there_is_no_map(
    schema: Schema, proposer: str, numbers: dict[str, Any]
) -> None:
    given = evidence(schema, proposer, 600, **numbers)
    assert not has_map(given.decided.plan)  # type: ignore[arg-type]
    with pytest.raises(Refusal, match="no small space"):
        latent_map(given, RandomSource.fixed(1))


def test_held_out_records_are_put_through_the_small_space() -> None:
    given = evidence(NUMBERS, "projected", directions=2)
    assert has_map(given.decided.plan)  # type: ignore[arg-type]
    found = reconstruct_records(given, 6)
    rows = {tuple(row) for row in given.records.codes[given.state.apart].tolist()}
    assert {tuple(row) for row in found.real.codes.tolist()} <= rows
    assert found.kept.shape == (6, 5)
    state = given.state
    nobody = ScoredState(state.seeds, np.zeros_like(state.apart), state.proposer)
    assert len(reconstruct_records(replace(given, state=nobody), 6).real) == 6
    with pytest.raises(Refusal, match="no small space"):
        reconstruct_records(evidence(FLAGS, "redrawn", 600), 6)
