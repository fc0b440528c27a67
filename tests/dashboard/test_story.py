"""The sentences about a finished run."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.parts.story import planned_sample, story
from engine.evaluation.comparison import Compared
from engine.evaluation.distances import Distances
from engine.evaluation.figures import Figures
from engine.evaluation.pass_rate import ScoreSample
from engine.models.omega import Omega, Reading
from engine.synthesis.plan import Plan
from engine.synthesis.promise import promise
from engine.table.schema import Schema


def figures(pairs: dict[str, float], *omegas: Omega) -> Figures:
    """Tables whose pairs are all equally far, and samples in which everything passes."""
    compared = tuple(
        Compared(name, 500, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in pairs.items()
    )
    samples = tuple(
        ScoreSample(omega, np.full(10, 10**6), np.zeros(10, dtype=bool)) for omega in omegas
    )
    return Figures(((), (), ()), (0, 1, 2), compared, samples)


def test_the_three_distances_are_told_apart(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=1))
    found = figures(
        {"other real records": 0.02, "marginals": 0.08, "released": 0.05}, Omega(low=1, high=1)
    )
    released, real, marginals, passing = story(found, plan, promise(plan, schema))
    assert "**5 %**" in released
    assert "2 %" in real
    assert "8 %: the released one kept something" in marginals
    assert "of the candidates were expected to pass" in passing


def test_losing_to_the_marginals_is_said_plainly(schema: Schema) -> None:
    plan = Plan.of(schema)
    found = figures({"marginals": 0.05, "released": 0.09})
    said = " ".join(story(found, plan, promise(plan, schema)))
    assert "no more than the released one" in said
    assert "kept something" not in said
    assert "no table can be expected" not in said


def test_too_few_records_are_no_story(schema: Schema) -> None:
    plan = Plan.of(schema)
    (said,) = story(figures({}), plan, promise(plan, schema))
    assert said.startswith("Too few")


@pytest.mark.parametrize("reading", ["hidden", "announced"])
def test_one_number_is_found_under_either_reading(schema: Schema, reading: Reading) -> None:
    plan = Plan.of(schema, omega=Omega(low=2, high=2, reading=reading))
    found = figures({}, Omega(low=1, high=2), Omega(low=2, high=2))
    assert planned_sample(found, plan) is found.samples[1]


def test_a_range_is_found_under_its_own_reading_only(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=2, reading="announced"))
    assert planned_sample(figures({}, Omega(low=1, high=2)), plan) is None
