"""An evaluation of made days, from a run to its findings and their annex."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import commuters, records, schema
from tests.engine.runs.asked import finished
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import PEOPLE, RELEASED, UNIFORM
from understudy.evaluation.mobility.registry import MEASURES
from understudy.mechanisms.mechanism import EvaluationRequest
from understudy.mechanisms.mobility_evaluation import made_days
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.models.mobility.trace_records import codes_of, schema_of
from understudy.privacy.randomness import RandomSource
from understudy.report.annex import annex
from understudy.runs.evidence import evidence_of
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, InquiryFolder, predicts
from understudy.runs.watched import Progress
from understudy.runs.work import Job
from understudy.table.records import Records

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
        EvaluationOf("").work(evidence_of(run, PEOPLE_OF_THE_TOWN), result, told)
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
    page = annex(run)
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
    evidence = evidence_of(run, PEOPLE_OF_THE_TOWN)
    study = MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told)
    held = evidence.state.arrays()["held_out"].astype(bool)
    whose = PEOPLE_OF_THE_TOWN.whose
    assert whose is not None
    assert len(study.held_out) == len(np.unique(whose[held]))
    assert len(study.members) == len(np.unique(whose[~held]))
    wanted = commuters(220).cells.reshape(220, 7, 72)[np.unique(whose[held]), :5]
    assert (study.held_out.days.cells == wanted.reshape(-1, 72)).all()


def test_nothing_released_and_too_few_people_are_said_in_words(run: RunFolder) -> None:
    evidence = evidence_of(run, PEOPLE_OF_THE_TOWN)
    with pytest.raises(Refusal, match="released no days"):
        MECHANISM.study(replace(evidence, tables={}), REQUEST, RandomSource.fixed(1), told)
    with pytest.raises(Refusal, match="Fewer than 50 people"):
        MECHANISM.study(evidence, EvaluationRequest("", 1, 49), RandomSource.fixed(1), told)


def test_where_nobody_was_held_out_others_stand_for_them_and_it_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path, held_out=0.0, days=2)
    evidence = evidence_of(run, PEOPLE_OF_THE_TOWN)
    study = MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told)
    assert not study.apart
    assert any("held out too few people" in each for each in study.caveats)


def test_days_of_unlike_weeks_are_said_to_be(run: RunFolder) -> None:
    """Made people with a weekend, real ones cut to weekdays."""
    evidence = evidence_of(run, PEOPLE_OF_THE_TOWN)
    weekday = PEOPLE_OF_THE_TOWN.codes[:, 0] < 5
    assert MECHANISM.study(evidence, REQUEST, RandomSource.fixed(1), told).caveats[1:] == ()
    codes = PEOPLE_OF_THE_TOWN.codes.copy()
    codes[weekday, 0] += 5
    moved = Records(PEOPLE_OF_THE_TOWN.schema, codes % 14, whose=PEOPLE_OF_THE_TOWN.whose)
    later = MECHANISM.study(replace(evidence, records=moved), REQUEST, RandomSource.fixed(1), told)
    assert any("fall on weekends" in each for each in later.caveats)


def test_no_column_is_predicted() -> None:
    assert not predicts(plan_run(plan(), schema()))
