"""The method through a run: what is promised, counted, resumed and released. Cells of the table
taken together as places of the made days. What a run leaves for the custodian to look at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.charts.rules import RULES
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import TOWN, commuters, records, schema
from tests.engine.runs.interrupting import killed_and_gone_on
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.evaluation.mobility.registry import FIGURES
from understudy.ledger.totals import add_up
from understudy.mechanisms.mobility_evaluation import made_days
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces import mechanism
from understudy.mechanisms.traces.charts.close import ASPECTS, close, close_table, closeness_words
from understudy.mechanisms.traces.guarantee import deviations, rho_of
from understudy.mechanisms.traces.inspection import DaysFigures, Whereabouts, figures
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.mechanisms.traces.report.papers import PAPERS
from understudy.models.mobility.geography import Geography, block_numbers
from understudy.models.mobility.tables import added_up, layout
from understudy.models.mobility.trace_records import codes_of, schema_of
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs.debit import make_spend
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.people import People
from understudy.table.positions.area import Area
from understudy.table.records import Records
from understudy.table.schema import Schema

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
    spend = make_spend(found)
    assert spend is not None
    assert add_up([spend, spend]).epsilon == pytest.approx(2 * found.total.epsilon)


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


DAYS = commuters(30)
COARSER_RECORDS = records(DAYS)


def test_days_are_told_on_the_coarser_map() -> None:
    asked = plan(gathered=2)
    assert (asked.where.rows, asked.where.columns) == (2, 2)
    told = asked.days_told(COARSER_RECORDS)
    assert told.cells.tolist() == block_numbers(TOWN, 2)[DAYS.cells].tolist()
    assert plan().days_told(COARSER_RECORDS).cells.tolist() == DAYS.cells.tolist()


def test_a_run_counts_and_releases_the_coarser_places() -> None:
    asked = plan(gathered=2, held_out=0.0)
    decided = plan_run(asked, schema())
    state = MECHANISM.begin(decided, COARSER_RECORDS, Secret.fixed(1), None)
    assert {name: len(each) for name, each in state.arrays().items() if name != "held_out"} == {
        table.name: table.cells for table in layout(asked.where)
    }
    (output,) = decided.outputs
    assert output.schema is not None
    domain = output.schema.column("place").domain
    assert isinstance(domain, Categories)
    assert domain.values == ("r1-2c1-2", "r1-2c3-4", "r3-3c1-2", "r3-3c3-4", "outside")


def test_what_one_person_costs_is_the_same_on_any_map() -> None:
    fine, coarse = (
        plan_run(plan(gathered=by), schema()).guarantee for by in (1, 2)
    )  # fmt: skip
    assert fine.total == coarse.total


@pytest.mark.parametrize(("people", "by"), [(12, None), (20, 3), (40, 2), (60, 2), (120, 1)])
def test_the_least_that_is_coarse_enough_is_offered(people: int, by: int | None) -> None:
    asked = _asked(people)
    assert asked.coarse_enough == (4 if by is None else by)
    if by == 1:
        asked.check_detail(asked.epsilon)
        return
    with pytest.raises(Refusal, match="finer than") as refused:
        asked.check_detail(asked.epsilon)
    assert refused.value.field == "gathered"
    assert f"Take {asked.coarse_enough} cells each way" in refused.value.remedy
    _asked(people, gathered=asked.coarse_enough).check_detail(asked.epsilon)


def test_where_no_map_will_do_none_is_offered() -> None:
    asked = _asked(9)
    assert asked.coarse_enough is None
    with pytest.raises(Refusal, match="finer than") as refused:
        asked.check_detail(asked.epsilon)
    assert "cells each way" not in refused.value.remedy


def test_the_map_follows_from_the_names_of_places() -> None:
    found = MECHANISM.default_plan(
        _places(*Area(south=0, north=1, west=0, east=1, rows=2, columns=8).names)
    )
    assert (found.rows, found.columns, found.zones) == (2, 8, 2)
    found = MECHANISM.default_plan(_places(*(f"tract {number}" for number in range(15)), "outside"))
    assert (found.rows, found.columns) == (3, 5)


def test_zones_are_about_four_cells_wide() -> None:
    zones = [
        MECHANISM.default_plan(
            _places(*Area(south=0, north=1, west=0, east=1, rows=size, columns=size).names)
        )
        for size in (2, 12, 20, 30)
    ]
    assert [each.zones for each in zones] == [2, 3, 5, 8]
    assert all(isinstance(each.where, Geography) for each in zones)


def test_rooms_of_the_plan_stay_whole_numbers() -> None:
    assert np.array_equal(block_numbers(TOWN, 2)[:-1], [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3])


def _asked(people: int, **settings: Any) -> TracesPlan:
    return TracesPlan(
        domain="", rows=3, columns=4, zones=2, epsilon=1.0, public_people=people, **settings
    )


def _places(*names: str) -> Schema:
    usual = schema()
    return usual.with_columns(
        [*usual.columns[:2], Column(name="place", domain=Categories(values=names))]
    )


LOOKING_DAYS = commuters(90)
APART = np.arange(90) < 30


def found(apart: np.ndarray = APART) -> DaysFigures:
    return figures(LOOKING_DAYS, apart, commuters(50, seed=4), TOWN, RandomSource.fixed(1))


def test_whereabouts_are_shares_of_each_hour() -> None:
    told = Whereabouts.of(LOOKING_DAYS, TOWN)
    assert told.hours.shape == (2, 24, TOWN.cells)
    assert told.hours.sum(axis=2) == pytest.approx(1.0)
    night = np.bincount(
        LOOKING_DAYS.cells[~LOOKING_DAYS.weekend][:, :3].ravel(), minlength=TOWN.cells
    )
    assert told.hours[0, 0] == pytest.approx(night[: TOWN.cells] / night.sum())
    assert told.flows.sum(axis=(1, 2)) == pytest.approx(1.0)


def test_only_people_who_were_counted_are_on_the_real_map() -> None:
    counted = LOOKING_DAYS.person >= 30
    assert found().real.hours[1, 12] == pytest.approx(
        Whereabouts.of(
            type(LOOKING_DAYS)(
                LOOKING_DAYS.cells[counted],
                LOOKING_DAYS.weekend[counted],
                LOOKING_DAYS.person[counted] - 30,
            ),
            TOWN,
        ).hours[1, 12]
    )


def test_it_is_kept_and_read_again(tmp_path: Path) -> None:
    before = found()
    assert DaysFigures.load(tmp_path) is None
    before.save(tmp_path)
    after = DaysFigures.load(tmp_path)
    assert after is not None
    assert (after.made, after.others, after.truly) == (before.made, before.others, True)
    assert np.array_equal(after.real.flows, before.real.flows)
    told = PAPERS.measurements(tmp_path, plan_run(plan(), schema()))
    assert told is not None
    assert "of as many other real people" in told.told[0]


def test_people_who_are_alike_are_close_and_others_are_not() -> None:
    near = found()
    assert near.made["places"] < 0.35
    wrong = commuters(50, seed=4)
    turned = type(wrong)(TOWN.cells - 1 - wrong.cells, wrong.weekend, wrong.person)
    far = figures(LOOKING_DAYS, APART, turned, TOWN, RandomSource.fixed(1))
    assert far.made["places"] > 2 * near.made["places"]
    assert far.others == near.others
    table = close_table(near)
    assert table["Made people"].max() < 100
    for rule in RULES:
        rule(close(near).to_dict())


def test_no_bar_is_longer_than_its_axis_says() -> None:
    """A relative error has no upper end, so no axis that it stands on is of 100."""
    beyond = replace(found(), made=found().made | {"entering": 1.93})
    assert close_table(beyond)["Made people"].max() == pytest.approx(193)
    assert all("of 100" not in axis["title"] for axis in titled(close(beyond).to_dict()))
    endless = {name for name, each in FIGURES.items() if each.about.high > 1}
    assert endless == {"entering"}
    assert all(
        "of 100" not in aspect.meaning.split(":")[0] for aspect in ASPECTS if aspect.name in endless
    )


def titled(drawn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Everything in a figure that has a title."""
    for each in drawn.values():
        for one in each if isinstance(each, list) else [each]:
            if isinstance(one, dict):
                if isinstance(one.get("title"), str):
                    yield one
                yield from titled(one)


def test_too_few_held_out_are_stood_for_by_others_and_too_few_in_all_by_nobody() -> None:
    assert not found(np.zeros(90, dtype=bool)).truly
    assert "Too few people were held out" in closeness_words(found(np.zeros(90, dtype=bool)))[-1]
    few = commuters(20)
    none = figures(few, np.zeros(20, bool), few, TOWN, RandomSource.fixed(0))
    assert none.made == {}
    assert "too few people" in closeness_words(none)[0]
    assert "too few" in str(close(none).to_dict())


def test_a_run_leaves_it() -> None:
    decided = plan_run(plan(gathered=2, held_out=0.4), schema())
    rows = records(LOOKING_DAYS)
    state = MECHANISM.begin(decided, rows, Secret.fixed(3), None)
    looked = MECHANISM.quick_report(decided, rows, state, None, RandomSource.fixed(1))
    assert isinstance(looked.figures, DaysFigures)
    assert looked.figures.real.hours.shape == (2, 24, 4)
    assert looked.figures.made
    assert looked.evidence == {}


def test_released_days_are_read_as_they_were_made() -> None:
    made = commuters(6)
    table = schema_of(6, 7, schema().column("place").domain)
    again = made_days(Records(table, codes_of(made, 0)))
    assert np.array_equal(again.cells, made.cells)
    assert np.array_equal(again.person, made.person)


def test_settings_are_told_by_their_names() -> None:
    told = {each.name: each.value for each in PAPERS.settings(plan_run(plan(), schema()))}
    assert told["Cells each way taken as one place"] == "1"
    assert "Column of the day" in told
