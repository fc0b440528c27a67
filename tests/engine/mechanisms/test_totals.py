"""Methods and known totals: whoever cannot hit them refuses before anything is spent, the others
hit them exactly, and the guarantee says which are disclosed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.mechanisms.test_rules import SCHEMA as RULED
from tests.engine.mechanisms.test_rules import count_broken, make_records
from tests.engine.table.test_known_totals import count_records
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun, check_columns
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
from understudy.mechanisms.seedbased import attempts
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.models.bayesnet import allotted_records
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.third_party.claim import Claim
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.known_totals import KnownTotals, TotalsOf, compare_totals
from understudy.table.records import Records
from understudy.table.rules.repair import repair_records
from understudy.table.schema import Schema


@pytest.fixture(autouse=True)
def few_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few records tell how two tables of totals meet."""
    monkeypatch.setattr(allotted_records, "_SHOWN", 4_000)


RECORDS = repair_records(make_records(1_500))


def known(*columns: str, of: TotalsOf = "table") -> KnownTotals:
    """The totals of the records, without which the tests would contradict themselves."""
    counted = count_records(RULED, columns, RECORDS.codes, 0)
    return KnownTotals.of_dict({**counted.as_dict(), "of": of})


def schema_with(*totals: KnownTotals) -> Schema:
    return RULED.with_totals(totals).declare_public("-")


PAIRS = schema_with(known("age", "work"), known("work", "start"))


def plan_seedless(schema: Schema, **given: Any) -> PlannedRun:
    return plan_run(opening_plan("seedbased", schema, given), schema)


def release(
    decided: PlannedRun, *, held: list[np.ndarray] | None = None, cores: int = 1
) -> list[np.ndarray]:
    """Return the chunks of a release; those after the ones that are held, if some are."""
    schema, secret = decided.schema, Secret.fixed(5)
    records = Records(schema, RECORDS.codes)
    state = decided.mechanism.begin(decided, records, secret, None)
    kept = decided.mechanism.restore(decided, dict(state.arrays()))
    reached = ResumePoint()
    if held:
        rows = sum(map(len, held))
        reached = ResumePoint(rows, {"synthetic": rows}, {"synthetic": tuple(held)})
    chunks = decided.mechanism.release(
        decided, records, kept, secret, Workers(cores=cores), reached
    )
    return [chunk.content for chunk in chunks]


def assert_hit(schema: Schema, codes: np.ndarray) -> None:
    for each in schema.totals:
        checks = compare_totals(each, schema.columns, list(codes.T))
        assert [check.released for check in checks] == [check.declared for check in checks]
    assert count_broken(codes) == 0


@pytest.mark.parametrize("kind", sorted(set(mechanisms()) - {"seedbased"}))
def test_other_methods_refuse_known_totals(kind: str) -> None:
    plain = schema_with(known("age")).with_rules(())
    with pytest.raises(Refusal, match="cannot hit them") as refused:
        check_columns(mechanisms()[kind], plain)
    assert refused.value.field == "totals"


@pytest.mark.parametrize(
    ("given", "words", "field"),
    [
        ({"omega": {"low": 4, "high": 5}}, "never made up", "omega"),
        ({"attempts": 99}, "the plan is for 99", "attempts"),
    ],
)
def test_plans_that_cannot_hit_them_are_refused(
    given: Mapping[str, Any], words: str, field: str
) -> None:
    with pytest.raises(Refusal, match=words) as refused:
        plan_seedless(PAIRS, **given)
    assert refused.value.field == field


def test_a_third_party_model_refuses_known_totals() -> None:
    claim = Claim(name="any", source="Somebody.", covers="The model.").model_dump()
    schema = schema_with(known("age")).with_rules(())
    with pytest.raises(Refusal, match="third-party model is not known"):
        plan_seedless(schema, model={"kind": "outside", "epsilon": 1.0, "outside": claim})


def test_the_planner_asks_for_as_many_rows_as_they_count() -> None:
    assert whole_table(PAIRS, Wanted(rows=10)).plan.attempts == len(RECORDS)
    shares = schema_with(known("age", of="population"))
    assert whole_table(shares, Wanted(rows=10)).plan.attempts == 10


def test_a_release_hits_two_tables_that_overlap_and_goes_on_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempts, "BATCH", 256)
    decided = plan_seedless(PAIRS)
    chunks = release(decided)
    assert len(chunks) > 1
    assert_hit(PAIRS, np.concatenate(chunks))
    later = release(decided, held=chunks[:1], cores=2)
    assert np.concatenate([chunks[0], *later]).tobytes() == np.concatenate(chunks).tobytes()


def test_a_published_figure_is_hit_in_proportion() -> None:
    schema = schema_with(known("age", of="population"), known("work", "start", of="population"))
    codes = np.concatenate(release(plan_seedless(schema, attempts=701, model={"kind": "network"})))
    assert len(codes) == 701
    for each in schema.totals:
        assert all(check.hit for check in compare_totals(each, schema.columns, list(codes.T)))


def test_the_calibrated_model_follows_them_without_asking() -> None:
    """A pair that is known, and a column, are as declared in the model itself, at almost no ε."""
    schema = schema_with(known("age", "work"), known("start"))
    records = Records(schema, RECORDS.codes)
    learner = CalibratedLearner.within(schema, Budget(0.05, 1e-9))
    found = learner.learn(records, Noise(RandomSource.fixed(3)), RandomSource.fixed(4))
    drawn = found.network.records(40_000, RandomSource.fixed(5))
    for each in schema.bound_totals:
        cells = each.number_cells(schema.columns, list(drawn))
        shares = np.bincount(cells, minlength=len(each.counts)) / 40_000
        assert np.abs(shares - each.counts / len(RECORDS)).max() < 0.01
    assert all(
        {view.attribute for view in table.marginal} != {0, 1}
        for table in found.measured
        if not table.settled
    )
    assert any(table.marginal == (View(0), View(1)) for table in found.measured)


def test_the_guarantee_lists_what_is_disclosed_and_what_is_published() -> None:
    scope = plan_seedless(PAIRS).guarantee.scope
    disclosed = [each for each in scope.not_covered if each.startswith("The totals by")]
    assert len(disclosed) == 2
    assert "“age” and “work”: they count this very table (Yearbook)" in disclosed[0]
    assert any(
        "hold between tables that have the same known totals" in each for each in scope.assumes
    )
    scope = plan_seedless(schema_with(known("age", of="population"))).guarantee.scope
    assert not any("totals" in each for each in scope.not_covered)
    assert any("published figure about the population" in each for each in scope.assumes)
    assert not any("same known totals" in each for each in scope.assumes)
