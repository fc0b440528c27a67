from __future__ import annotations

import pytest

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import Finding, Interval, Measured, Part
from understudy.evaluation.measures import linear_accuracy
from understudy.evaluation.measures.model_accuracy import ModelAccuracy
from understudy.studies.seedbased import published
from understudy.studies.seedbased.published import LINEAR, TABLES
from understudy.studies.seedbased.results import found_in, measures_of
from understudy.studies.seedbased.setting import Setting


def of(key: str, **parts: Part) -> Evaluation:
    measured = {name: Measured(each.value, None, (each,)) for name, each in parts.items()}
    return Evaluation((), 0, "x", (Finding(key, measured),))


def test_an_advantage_becomes_how_often_the_guess_is_right() -> None:
    evaluation = of("distinguishing", table=Part(("random forest",), 0.2, Interval(0.1, 0.4)))
    part = found_in(evaluation)["distinguishing", "random forest"]["table"]
    assert part.value == pytest.approx(0.6)
    assert (part.interval.low, part.interval.high) == (pytest.approx(0.55), pytest.approx(0.7))


def test_parts_are_found_by_their_classifier() -> None:
    evaluation = of("accuracy", a=Part(("AdaBoost",), 0.7), b=Part(("random forest",), 0.8))
    found = found_in(evaluation)
    assert found["accuracy", "AdaBoost"] == {"a": Part(("AdaBoost",), 0.7)}
    assert set(found["accuracy", "random forest"]) == {"b"}
    assert found["agreement", "AdaBoost"] == {}


def test_subjects_go_by_their_published_names() -> None:
    subjects = (linear_accuracy.ORDINARY, linear_accuracy.OUTPUT, linear_accuracy.OBJECTIVE)
    parts = {name: Part(("linear SVM",), 0.7) for name in subjects}
    found = found_in(of("linear-accuracy", **parts))["linear accuracy", "linear SVM"]
    assert set(found) == {each for each in LINEAR.rows if not each.startswith(("ω", "marg"))}


def test_everything_the_published_tables_have_is_asked_for() -> None:
    asked = {measure.about.key for measure in measures_of(Setting.of(11), 1)}
    keys = {"linear accuracy": "linear-accuracy"}
    assert {keys.get(what, what) for table in TABLES for what, _ in table.quantities} <= asked


def test_the_forest_of_figure_2_learns_from_as_many_records_as_the_model() -> None:
    asked = measures_of(Setting.of(11), learned_from=published.PARAMETERS)
    (accuracy,) = (each for each in asked if isinstance(each, ModelAccuracy))
    assert accuracy.forest_records == published.PARAMETERS
    assert accuracy.most_records == Setting.of(11).tested
