from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.builders import copies, records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import FOREST, LOGISTIC, TREE
from understudy.evaluation.intervals import advantage
from understudy.evaluation.measure import Role, Table
from understudy.evaluation.measures.distinguishing import (
    FILTERING,
    MEASURE,
    MODEL,
    UTILITY,
    Distinguishing,
    Losses,
    distinguishing_advantage,
)
from understudy.table.records import Records

SCHEMA = category_schema(4, 4, 6)


def low(count: int, seed: int, start: int = 0) -> Records:
    """Values `start` and the one above it."""
    return records(SCHEMA, *(start + np.random.default_rng(seed).integers(0, 2, (3, count))))


def test_like_records_are_not_told_apart_and_unlike_ones_always_are() -> None:
    tables = {"like": low(600, 1), "unlike": low(600, 2, start=2)}
    found = MEASURE.measure(study_of(tables, low(800, 3)))
    assert list(found) == ["like", "unlike"]
    assert [part.of[0] for part in found["like"].parts] == [
        "random forest",
        "classification tree",
        "AdaBoost",
        "gradient boosting",
        "logistic regression",
    ]
    for part in found["like"].parts:
        assert part.interval is not None
        assert part.value < 0.12
        assert part.interval.low == 0.0
    for part in found["unlike"].parts:
        assert (part.value, part.interval) == (1.0, advantage(600, 600))
    assert found["unlike"].value == 1.0


def test_what_only_pairs_show_escapes_who_is_linear() -> None:
    random = np.random.default_rng(5)
    one, other, third = random.integers(0, 2, (3, 800))
    tied = records(SCHEMA, one, one, third)
    free = records(SCHEMA, one, other, third)
    found = Distinguishing((FOREST, LOGISTIC)).measure(study_of({"tied": tied}, free))["tied"]
    by = {part.of[0]: part.value for part in found.parts}
    # Half of the free records cannot be of the tied table: γ = ½.
    assert by["random forest"] == pytest.approx(0.5, abs=0.1)
    assert by["logistic regression"] < 0.12


def test_no_record_is_both_learned_from_and_tested_on() -> None:
    """Every record can be recognised, and that must not help."""
    schema = category_schema(1000, 1000)
    random = np.random.default_rng(1)
    one, other = random.permutation(1000), random.permutation(1000)
    real = records(schema, one[:500], other[:500])
    made = records(schema, one[500:], other[500:])
    found = Distinguishing((TREE,)).measure(study_of({"made": made}, real))["made"]
    assert found.value < 0.15


@pytest.mark.parametrize(("real", "made"), [(51, 1000), (1000, 51), (400, 401)])
def test_both_halves_hold_as_many_of_either(real: int, made: int) -> None:
    """Who always says the same has no advantage, whichever table is larger."""
    size = min(real, made)
    found = distinguishing_advantage(
        study_of({"made": copies(60, 1)}, copies(60, 2)),
        *(
            Table(
                f"{count} records", "synthetic", records(SCHEMA, *np.zeros((3, count), dtype=int))
            )
            for count in (real, made)
        ),
        (TREE,),
    )
    assert found.value == 0.0
    asked = 2 * (size - size // 2)
    assert found.interval == advantage(asked // 2, asked)


def test_the_same_key_finds_the_same() -> None:
    tables = {"made": copies(80, 1, 5)}
    one, again, other = (
        Distinguishing((TREE,)).measure(study_of(tables, copies(80, 2, 5), key=key))
        for key in (3, 3, 4)
    )
    assert one == again
    assert one != other


def test_too_few_records_are_refused() -> None:
    with pytest.raises(Refusal, match="fewer than 50"):
        MEASURE.measure(study_of({"made": copies(49, 1)}, copies(100, 2)))


TREES = Losses((TREE,))


def losses_low(seed: int, start: int = 0) -> Records:
    """Values `start` and the one above it."""
    return records(SCHEMA, *(start + np.random.default_rng(seed).integers(0, 2, (3, 400))))


def values(tables: dict[str, Records], roles: dict[str, Role]) -> list[float]:
    found = TREES.measure(study_of(tables, losses_low(9), roles=roles))
    assert list(found) == [MODEL, FILTERING, UTILITY]
    return [found[name].value for name in (MODEL, FILTERING, UTILITY)]


def test_each_loss_is_where_it_happens() -> None:
    roles: dict[str, Role] = {"before": "candidates", "after": "released"}
    model, filtering, utility = values({"before": losses_low(1), "after": losses_low(2, 2)}, roles)
    assert (filtering, utility) == (1.0, 1.0)
    assert model < 0.2
    model, filtering, utility = values(
        {"before": losses_low(1, 2), "after": losses_low(2, 2)}, roles
    )
    assert (model, utility) == (1.0, 1.0)
    assert filtering < 0.2


def test_what_was_released_comes_before_what_was_made_for_comparison() -> None:
    roles: dict[str, Role] = {"before": "candidates", "after": "released"}
    tables = {"ω = 2": losses_low(2, 2), "before": losses_low(1), "after": losses_low(3)}
    assert max(values(tables, roles)) < 0.2


def test_without_a_release_the_planned_omega_stands_in() -> None:
    roles: dict[str, Role] = {"before": "candidates"}
    tables = {"before": losses_low(1), "ω = 2": losses_low(2, 2), "ω = 3": losses_low(3)}
    assert values(tables, roles)[1:] == [1.0, 1.0]
    tables = {"before": losses_low(1), "ω = 3": losses_low(3), "ω = 2": losses_low(2, 2)}
    assert max(values(tables, roles)) < 0.2


def test_they_are_the_numbers_of_the_distinguishing_game() -> None:
    random = np.random.default_rng(4)
    tables = {
        "before": records(SCHEMA, *random.integers(0, 3, (3, 300))),
        "after": records(SCHEMA, *random.integers(0, 4, (3, 300))),
    }
    study = study_of(tables, losses_low(5), roles={"before": "candidates", "after": "released"})
    losses = Losses((FOREST,)).measure(study)
    game = Distinguishing((FOREST,)).measure(study)
    assert (losses[MODEL], losses[UTILITY]) == (game["before"], game["after"])


@pytest.mark.parametrize(
    ("roles", "said"),
    [({"one": "released"}, "candidates"), ({"one": "candidates"}, "passed")],
)
def test_without_either_table_it_is_refused(roles: dict[str, Role], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        TREES.measure(study_of({"one": losses_low(1)}, losses_low(2), roles=roles))
