"""Candidates that redraw each attribute, under rules: the laws add up, claims hold, and what is
scored without masks is caught."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.assurance.check import Check, Effort
from understudy.assurance.random_inputs import RandomInputs, small_columns
from understudy.assurance.scored import rules
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import integer_weights


@pytest.mark.parametrize(
    "check", [*rules.list_checks(), *rules.list_mutants()], ids=lambda each: each.name
)
def test_each_is_found_as_it_has_to_be(check: Check) -> None:
    found = check.find(Effort(0.3))
    assert found.passed, found


def test_what_is_scored_is_what_is_drawn() -> None:
    draw = RandomInputs(7)
    for _ in range(8):
        schema = draw.ruled_schema(small_columns((2, 3, 2)))
        weights = [integer_weights(draw.distributions(1, size))[0] for size in (2, 3, 2)]
        plain = Redrawn.of_weights(weights, 0.4)
        model = Redrawn.under_rules(plain.chances, schema.relations)
        law = rules.write_law(model, schema)
        assert law.sum(axis=1) == pytest.approx(1)
        universe = rules._UNIVERSE
        np.testing.assert_allclose(
            np.exp(model.log_likelihood(universe, universe)), law, rtol=1e-9, atol=0
        )
