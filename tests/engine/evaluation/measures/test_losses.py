from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.predicting import records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.evaluation.measure import Role
from understudy.evaluation.measures.distinguishing import (
    FILTERING,
    MODEL,
    UTILITY,
    Distinguishing,
    Losses,
)
from understudy.table.records import Records

SCHEMA = category_schema(4, 4, 6)
TREES = Losses((TREE,))


def low(seed: int, start: int = 0) -> Records:
    """Values `start` and the one above it."""
    return records(SCHEMA, *(start + np.random.default_rng(seed).integers(0, 2, (3, 400))))


def values(tables: dict[str, Records], roles: dict[str, Role]) -> list[float]:
    found = TREES.measure(study_of(tables, low(9), roles=roles))
    assert list(found) == [MODEL, FILTERING, UTILITY]
    return [found[name].value for name in (MODEL, FILTERING, UTILITY)]


def test_each_loss_is_where_it_happens() -> None:
    roles: dict[str, Role] = {"before": "candidates", "after": "released"}
    model, filtering, utility = values({"before": low(1), "after": low(2, 2)}, roles)
    assert (filtering, utility) == (1.0, 1.0)
    assert model < 0.2
    model, filtering, utility = values({"before": low(1, 2), "after": low(2, 2)}, roles)
    assert (model, utility) == (1.0, 1.0)
    assert filtering < 0.2


def test_what_was_released_comes_before_what_was_made_for_comparison() -> None:
    roles: dict[str, Role] = {"before": "candidates", "after": "released"}
    tables = {"ω = 2": low(2, 2), "before": low(1), "after": low(3)}
    assert max(values(tables, roles)) < 0.2


def test_without_a_release_the_planned_omega_stands_in() -> None:
    roles: dict[str, Role] = {"before": "candidates"}
    tables = {"before": low(1), "ω = 2": low(2, 2), "ω = 3": low(3)}
    assert values(tables, roles)[1:] == [1.0, 1.0]
    tables = {"before": low(1), "ω = 3": low(3), "ω = 2": low(2, 2)}
    assert max(values(tables, roles)) < 0.2


def test_they_are_the_numbers_of_the_distinguishing_game() -> None:
    random = np.random.default_rng(4)
    tables = {
        "before": records(SCHEMA, *random.integers(0, 3, (3, 300))),
        "after": records(SCHEMA, *random.integers(0, 4, (3, 300))),
    }
    study = study_of(tables, low(5), roles={"before": "candidates", "after": "released"})
    losses = Losses((FOREST,)).measure(study)
    game = Distinguishing((FOREST,)).measure(study)
    assert (losses[MODEL], losses[UTILITY]) == (game["before"], game["after"])


@pytest.mark.parametrize(
    ("roles", "said"),
    [({"one": "released"}, "candidates"), ({"one": "candidates"}, "passed")],
)
def test_without_either_table_it_is_refused(roles: dict[str, Role], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        TREES.measure(study_of({"one": low(1)}, low(2), roles=roles))
