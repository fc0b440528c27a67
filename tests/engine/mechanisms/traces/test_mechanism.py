"""The method through a run: what is promised, counted, resumed and released."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import TOWN, commuters, records, schema
from tests.engine.runs.interrupting import killed_and_gone_on
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.ledger.totals import total
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces import mechanism
from understudy.mechanisms.traces.guarantee import deviations, rho_of
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.models.mobility.tables import added_up, layout
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.randomness import Secret
from understudy.runs.debit import spend_of
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.people import People

RECORDS = records(commuters(80))


def test_the_noise_of_all_tables_is_what_was_promised() -> None:
    """Σ C²/2σ² = ρ, and ρ gives ε at δ, no more than was asked for."""
    asked = plan(epsilon=0.7, delta=1e-7)
    sigma = deviations(asked)
    rho = sum(table.clip**2 / (2 * sigma[table.name] ** 2) for table in layout(TOWN))
    assert rho == pytest.approx(rho_of(asked), rel=1e-12)
    found = plan_run(asked, schema()).guarantee
    assert approximate_dp(rho, 1e-7).epsilon == pytest.approx(found.total.epsilon, rel=1e-9)
    assert 0.699 < found.total.epsilon <= 0.7
    assert found.total.delta == 1e-7
    *each, whole = (formula["text"] for formula in found.scope.formulas)
    for table, text in zip(layout(TOWN), each, strict=True):
        assert f"ρ = {significant(table.share * rho, 4)}," in text
        assert f"{significant(sigma[table.name], 4)} people" in text
    assert f"ρ = {significant(rho, 4)}," in whole


def test_the_guarantee_is_for_people_and_the_ledger_counts_them_once() -> None:
    found = plan_run(plan(), schema()).guarantee
    assert found.whole_people
    assert "all of their records" in found.compared
    assert "any one person" in found.statement
    spend = spend_of(found)
    assert spend is not None
    assert total([spend, spend]).epsilon == pytest.approx(2 * found.total.epsilon)


def test_what_is_kept_is_the_tables_with_noise() -> None:
    asked = plan(epsilon=900.0, held_out=0.0)
    state = MECHANISM.begin(plan_run(asked, schema()), RECORDS, Secret.fixed(1), None)
    exact = added_up(commuters(80), TOWN)
    sigma = deviations(asked)
    assert set(state.arrays()) == {"held_out", *exact}
    for name, counts in exact.items():
        gap = state.arrays()[name].astype(float) - counts
        assert np.abs(gap).max() < 6.5 * sigma[name] * 1024
        assert np.abs(gap).max() > 0


def test_a_person_is_held_out_with_all_days() -> None:
    state = MECHANISM.begin(plan_run(plan(held_out=0.4), schema()), RECORDS, Secret.fixed(2), None)
    apart = state.arrays()["held_out"].astype(bool)
    assert RECORDS.whose is not None
    for person in range(80):
        assert len(set(apart[RECORDS.whose == person].tolist())) == 1
    assert 0 < apart.mean() < 1


@pytest.mark.parametrize("after", [1, 2])
def test_a_run_that_was_killed_comes_to_the_same_days(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism, "BATCH", 20)
    run = killed_and_gone_on(Job(RECORDS, plan(), seed=3, figures=False), after, tmp_path)
    (table,) = run.release.glob("*.csv")
    lines = table.read_text().splitlines()
    assert {line.split(",")[0] for line in lines[1:]} == {str(each) for each in range(1, 61)}


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"domain": "0" * 64}, "domain", "another schema"),
        ({"place": "nowhere"}, "place", "no column"),
        ({"day": "place"}, "day", "does not count"),
        ({"slot": "place"}, "slot", "does not count"),
        ({"rows": 4}, "rows", "does not have the 16 cells"),
        ({"public_people": 100, "delta": 0.02}, "delta", "publishing somebody"),
        ({"public_people": 100}, "gathered", "finer than 100 people can carry"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(
    changed: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        plan_run(plan(**changed), schema())
    assert refused.value.field == field
    assert refused.value.remedy


def test_a_table_of_single_records_is_no_table_of_traces() -> None:
    alone = schema().with_people(None)
    with pytest.raises(Refusal, match="whose the records are"):
        MECHANISM.check_schema(alone)
    with pytest.raises(Refusal, match="whose the records are"):
        MECHANISM.default_plan(alone)


def test_the_plan_that_one_begins_with_has_the_shape_of_the_map() -> None:
    opening = MECHANISM.default_plan(schema())
    assert (opening.rows, opening.columns) == (3, 4)
    assert plan_run(opening, schema()).guarantee.total.bounded
    other = schema().with_columns(
        [*schema().columns[:2], Column(name="at", domain=Categories(values=("a", "b")))]
    )
    with pytest.raises(Refusal, match="no column “place”"):
        MECHANISM.default_plan(other)


def test_more_days_of_a_person_cost_no_more() -> None:
    many = schema().with_people(People(person="person", order="moment", records_at_most=5))
    few = plan_run(plan(), schema()).guarantee.total
    assert plan_run(plan(domain=many.fingerprint), many).guarantee.total == few
    assert math.isfinite(few.epsilon)
