"""The sentences about a finished run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, Finding, Interval, Measured
from understudy.evaluation.relative_score import MEASURES, Aspect, aspects
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega, Reading
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.pass_rate import describe_pass_rate, find_sample
from understudy_dashboard.methods.seedbased.words import LOST_TO_TEST
from understudy_dashboard.parts.inspect import summary as parts

PASSING = "About half pass."


def figures(pairs: dict[str, float], *omegas: Omega) -> Figures:
    """Tables whose pairs are all equally far, and samples in which everything passes."""
    compared = tuple(
        Compared(name, 5_000, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in pairs.items()
    )
    samples = tuple(
        ScoreSample(omega, np.full(10, 10**6), np.zeros(10, dtype=bool)) for omega in omegas
    )
    return Figures(((), (), ()), (0, 1, 2), compared, samples)


def story(known: tuple[Aspect, ...], passing: str, target: str) -> tuple[str, ...]:
    """The sentences, their numbers and units with plain spaces between."""
    said = parts.tell_story(known, passing, target, LOST_TO_TEST)
    return tuple(each.replace("\N{NO-BREAK SPACE}", " ") for each in said)


def told(released: float, real: float = 0.02, marginals: float = 0.08) -> tuple[str, ...]:
    found = figures({REALS: real, MARGINALS: marginals, RELEASED: released})
    return story(aspects(found.compared, None), PASSING, "")


def evaluation() -> Evaluation:
    values = {
        "pairs": (0.05, 0.02, 0.08),
        "prediction": (0.68, 0.8, 0.5),
        "telling": (0.38, 0.0, 0.6),
    }
    findings = []
    for what, found in values.items():
        by = {
            name: Measured(value, Interval(value - 0.01, value + 0.01))
            for name, value in zip((RELEASED, REALS, MARGINALS), found, strict=True)
        }
        findings.append(Finding(MEASURES[what], by))  # type: ignore[index]
    return Evaluation((), 9, "pay", tuple(findings))


def test_before_anything_was_measured_it_is_three_sentences() -> None:
    relations, passes, yet = told(0.05)
    assert (
        "differ from held-out ones by **5.0 %**; as many other real records by 2.0 %" in relations
    )
    assert "ignores all relations between columns by 8.0 %" in relations
    assert passes == PASSING
    assert "not measured yet" in yet


@pytest.mark.parametrize(
    ("released", "said"),
    [
        (0.021, "practically all (98 %) of the relations"),
        (0.045, "more than half (58 %) of the relations"),
        (0.07, "so little (17 %) of the relations"),
        (0.08, "keeps no more than a table that ignores all relations"),
        (0.2, "keeps no more than a table that ignores all relations"),
    ],
)
def test_it_is_honest_about_how_much_was_kept(released: float, said: str) -> None:
    first, *_ = told(released)
    assert said in first
    others = {"practically all", "more than half", "so little", "keeps no more"}
    assert sum(each in first for each in others) == 1


def test_where_there_is_nothing_to_keep_it_says_so() -> None:
    first, *_ = told(0.05, real=0.08, marginals=0.08)
    assert "little to keep or lose" in first


def test_without_a_reference_nothing_is_claimed() -> None:
    first, *_ = story(aspects(figures({MARGINALS: 0.05, RELEASED: 0.09}).compared, None), "", "")
    assert "by 5.0 %, but there are too few records for both references" in first
    assert "other real records" not in first
    alone, *_ = story(aspects(figures({RELEASED: 0.09}).compared, None), "", "")
    assert alone.endswith("differ from held-out ones by **9.0 %**.")


def test_everything_measured_makes_three_sentences() -> None:
    relations, predicting, telling = story(aspects((), evaluation()), PASSING, "pay*")
    assert "**5.0 %**" in relations
    assert "predicts “pay\\*” right for **68.0 %**" in predicting
    assert "other real records, 80.0 %; on a table without relations, 50.0 %" in predicting
    assert "in **69 of 100** cases" in telling
    assert "tells apart in 50, a table without relations in 80" in telling


def test_a_column_that_nothing_can_be_learned_about_is_said_to_show_nothing() -> None:
    _, predicting, _ = story(aspects((), evaluation()), PASSING, "pay")
    assert "shows nothing" not in predicting
    found = tuple(replace(each, placed=None) for each in aspects((), evaluation()))
    _, predicting, _ = story(found, PASSING, "pay")
    assert "choose another one under “Measure again”" in predicting


def test_too_few_records_are_no_story() -> None:
    (said,) = story((), "", "")
    assert said.startswith("Too few")


def test_how_many_pass_is_said_of_the_plan_itself(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=1))
    found = figures({}, Omega(low=1, high=1))
    said = describe_pass_rate(found, plan, promise(plan, schema))
    assert said.endswith("of the candidates were expected to pass the privacy test.")
    seedless = Plan.of(schema, omega=Omega(low=3, high=3))
    every = describe_pass_rate(
        figures({}, Omega(low=3, high=3)), seedless, promise(seedless, schema)
    )
    assert every == ""
    assert describe_pass_rate(figures({}), plan, promise(plan, schema)) == ""


@pytest.mark.parametrize("reading", ["hidden", "announced"])
def test_one_number_is_found_under_either_reading(schema: Schema, reading: Reading) -> None:
    plan = Plan.of(schema, omega=Omega(low=2, high=2, reading=reading))
    found = figures({}, Omega(low=1, high=2), Omega(low=2, high=2))
    assert find_sample(found, plan) is found.samples[1]


def test_a_range_is_found_under_its_own_reading_only(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=2, reading="announced"))
    assert find_sample(figures({}, Omega(low=1, high=2)), plan) is None
