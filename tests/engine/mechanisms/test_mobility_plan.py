"""An evaluation of made days, from a run to its findings and their annex. Where released places
are, as a reader of values.csv is told.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import commuters, records, schema
from tests.engine.runs.asked import finished
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import PEOPLE, RELEASED, UNIFORM
from understudy.evaluation.mobility.registry import MEASURES
from understudy.mechanisms.mechanism import EvaluationRequest
from understudy.mechanisms.mobility_evaluation import made_days
from understudy.mechanisms.mobility_plan import OFF, label_places
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.registry import mechanism_of, opening_plan, plan_run
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.trace_records import codes_of, schema_of
from understudy.privacy.randomness import RandomSource
from understudy.report.annex import write_annex
from understudy.report.dictionary import values_csv
from understudy.runs.evidence import load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, InquiryFolder, predicts_column
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.positions.area import OUTSIDE, Area
from understudy.table.positions.positions import Positions
from understudy.table.records import Records
from understudy.table.schema import Schema

PEOPLE_OF_THE_TOWN = records(commuters(220))
REQUEST = EvaluationRequest("", 1, 10_000)


def run_of(place: Path, **settings: object) -> RunFolder:
    """A finished run on the town."""
    asked = plan(**{"held_out": 0.4, "traces": 70, "days": 5, **settings})
    return finished(Job(PEOPLE_OF_THE_TOWN, asked), place / "run")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return run_of(tmp_path_factory.mktemp("town"))


def told(*_: object) -> None:
    """Nobody listens."""


def test_a_run_is_measured_by_every_measure_of_days(run: RunFolder) -> None:
    folder = InquiryFolder(run.internal / EvaluationOf.name)
    folder.path.mkdir(parents=True)
    with folder.new_result() as result:
        EvaluationOf("").work(load_evidence(run, PEOPLE_OF_THE_TOWN), result, told)
    folder.report(Progress("finished", 1))
    found = Evaluation.load(folder.result)
    assert found is not None
    assert [each.key for each in found.findings] == [each.about.key for each in MEASURES]
    assert {each.records for each in found.tables} == {70}
    assert [each.name for each in found.tables] == [PEOPLE, UNIFORM, RELEASED]
    assert (found.target, found.apart) == ("", True)
    for each in found.findings:
        # Commuters know too few places for an exponent.
        assert RELEASED in each.by_subject or each.key == "exponent-of-visits", each.key
    assert any("5 days of each person" in each for each in found.remarks)
    page = write_annex(run)
    assert "Other real people" in page
    assert "Uniform model" in page
    assert "Popularity of places" in page
    assert "Column predicted" not in page


def test_what_was_released_is_read_back_as_it_was_made() -> None:
    days = commuters(12)
    places = schema().column("place").domain
    table = Records(schema_of(12, 7, places), codes_of(days, 0))
    back = made_days(table)
    assert (back.cells == days.cells).all()
    assert (back.weekend == days.weekend).all()
    assert (back.person == days.person).all()


def test_real_people_are_dealt_as_the_run_dealt_them(run: RunFolder) -> None:
    evidence = load_evidence(run, PEOPLE_OF_THE_TOWN)
    study = MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told)
    held = evidence.state.arrays()["held_out"].astype(bool)
    whose = PEOPLE_OF_THE_TOWN.whose
    assert whose is not None
    assert len(study.held_out) == len(np.unique(whose[held]))
    assert len(study.members) == len(np.unique(whose[~held]))
    wanted = commuters(220).cells.reshape(220, 7, 72)[np.unique(whose[held]), :5]
    assert (study.held_out.days.cells == wanted.reshape(-1, 72)).all()


def test_nothing_released_and_too_few_people_are_said_in_words(run: RunFolder) -> None:
    evidence = load_evidence(run, PEOPLE_OF_THE_TOWN)
    with pytest.raises(Refusal, match="released no days"):
        MECHANISM.study(replace(evidence, tables={}), REQUEST, RandomSource.fixed(1), told)
    with pytest.raises(Refusal, match="Fewer than 50 people"):
        MECHANISM.study(evidence, EvaluationRequest("", 1, 49), RandomSource.fixed(1), told)


def test_where_nobody_was_held_out_others_stand_for_them_and_it_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path, held_out=0.0, days=2)
    evidence = load_evidence(run, PEOPLE_OF_THE_TOWN)
    study = MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told)
    assert not study.apart
    assert any("held out too few people" in each for each in study.caveats)


def test_days_of_unlike_weeks_are_said_to_be(run: RunFolder) -> None:
    """Made people with a weekend, real ones cut to weekdays."""
    evidence = load_evidence(run, PEOPLE_OF_THE_TOWN)
    weekday = PEOPLE_OF_THE_TOWN.codes[:, 0] < 5
    assert MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told).caveats[1:] == ()
    codes = PEOPLE_OF_THE_TOWN.codes.copy()
    codes[weekday, 0] += 5
    moved = Records(PEOPLE_OF_THE_TOWN.schema, codes % 14, whose=PEOPLE_OF_THE_TOWN.whose)
    later = MECHANISM.study(replace(evidence, records=moved), REQUEST, RandomSource.fixed(1), told)
    assert any("fall on weekends" in each for each in later.caveats)


def test_no_column_is_predicted() -> None:
    assert not predicts_column(plan_run(plan(), schema()))


AREA = st.builds(
    lambda south, west, high, wide, rows, columns: Area(
        south=south, north=south + high, west=west, east=west + wide, rows=rows, columns=columns
    ),
    st.floats(-60, 60), st.floats(-170, 160), st.floats(0.02, 5), st.floats(0.02, 5),
    st.integers(1, 9), st.integers(1, 9),
)  # fmt: skip


@given(AREA, st.integers(1, 4))
def test_the_position_of_a_place_lies_in_it(area: Area, by: int) -> None:
    """Read again as a position, it is in a cell of the block that it is said of."""
    found, place = schema(), Column(name="place", domain=Categories(values=(*area.names, OUTSIDE)))
    columns = tuple(place if each.name == "place" else each for each in found.columns)
    positions = Positions(person="p", time="t", latitude="a", longitude="o", zone="UTC", area=area)
    reading = usual("csv").model_copy(update={"positions": positions})
    there = Schema(columns=columns, people=found.people, reading=reading)
    made = TracesPlan(
        **{**plan().model_dump(), **area.settings(), "domain": there.fingerprint, "gathered": by}
    )
    told = label_places(made, there, by)
    assert told.labels[-1] == OFF
    for value, label in zip(told.values[:-1], told.labels, strict=False):
        degrees = re.fullmatch(r"([\d.]+)° ([NS]), ([\d.]+)° ([EW])", label)
        assert degrees is not None
        latitude = float(degrees[1]) * (1 if degrees[2] == "N" else -1)
        longitude = float(degrees[3]) * (1 if degrees[4] == "E" else -1)
        (cell,) = area.cells(np.array([latitude]), np.array([longitude]))
        (rows, columns_) = (re.findall(r"\d+", part) for part in value[1:].split("c"))
        row, column = divmod(int(cell), area.columns)
        assert int(rows[0]) <= row + 1 <= int(rows[-1])
        assert int(columns_[0]) <= column + 1 <= int(columns_[-1])


def test_a_map_that_lies_nowhere_is_told_from_its_corner() -> None:
    told = label_places(plan(north_km=2.0, east_km=0.5), schema())
    assert told.labels[0] == "1 km north, 0.25 km east of the south-western corner"
    assert len(set(told.labels)) == len(told.labels)


def test_both_methods_release_places_with_a_position_and_times_of_day() -> None:
    for made in (plan(), opening_plan("plausible-traces", schema())):
        assert isinstance(made, TracesPlan | PlausiblePlan)
        (output,) = mechanism_of(made).outputs(made, schema())
        assert output.schema is not None
        place, slot = output.schema.column("place"), output.schema.column("slot")
        assert isinstance(place.domain, Categories)
        assert "south-western corner" in place.domain.labels[0]
        assert "0 is 00:00, 1 is 00:20, 71 is 23:40" in slot.title
        lines = values_csv(output.schema).splitlines()
        assert {"slot,0,00:00,00:00", "slot,27,09:00,09:00"} <= {*lines}
        assert sum(line.startswith("slot,") for line in lines) == 72
