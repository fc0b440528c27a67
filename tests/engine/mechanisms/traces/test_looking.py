"""What a run leaves for the custodian to look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.charts.rules import RULES
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import TOWN, commuters, records, schema
from understudy.evaluation.mobility.registry import FIGURES
from understudy.mechanisms.mobility_evaluation import made_days
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.charts.close import ASPECTS, close, close_table, in_words
from understudy.mechanisms.traces.looking import DaysFigures, Whereabouts, figures
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.mechanisms.traces.report.papers import PAPERS
from understudy.models.mobility.trace_records import codes_of, schema_of
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records

DAYS = commuters(90)
APART = np.arange(90) < 30


def found(apart: np.ndarray = APART) -> DaysFigures:
    return figures(DAYS, apart, commuters(50, seed=4), TOWN, RandomSource.fixed(1))


def test_whereabouts_are_shares_of_each_hour() -> None:
    told = Whereabouts.of(DAYS, TOWN)
    assert told.hours.shape == (2, 24, TOWN.cells)
    assert told.hours.sum(axis=2) == pytest.approx(1.0)
    night = np.bincount(DAYS.cells[~DAYS.weekend][:, :3].ravel(), minlength=TOWN.cells)
    assert told.hours[0, 0] == pytest.approx(night[: TOWN.cells] / night.sum())
    assert told.flows.sum(axis=(1, 2)) == pytest.approx(1.0)


def test_only_people_who_were_counted_are_on_the_real_map() -> None:
    counted = DAYS.person >= 30
    assert found().real.hours[1, 12] == pytest.approx(
        Whereabouts.of(
            type(DAYS)(DAYS.cells[counted], DAYS.weekend[counted], DAYS.person[counted] - 30), TOWN
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
    far = figures(DAYS, APART, turned, TOWN, RandomSource.fixed(1))
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
    assert "Too few people were held out" in in_words(found(np.zeros(90, dtype=bool)))[-1]
    few = commuters(20)
    none = figures(few, np.zeros(20, bool), few, TOWN, RandomSource.fixed(0))
    assert none.made == {}
    assert "too few people" in in_words(none)[0]
    assert "too few" in str(close(none).to_dict())


def test_a_run_leaves_it() -> None:
    decided = plan_run(plan(gathered=2, held_out=0.4), schema())
    rows = records(DAYS)
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
