"""Copies and near copies of seeds, beside those of records that nobody used."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.builders import disclosure_study as study_of
from tests.engine.evaluation.builders import leaking, people
from understudy.evaluation.measure import RELEASED
from understudy.evaluation.measures import copies
from understudy.evaluation.measures.copies import CONTROL, SEEDS

EXACT, ONE, TWO = copies.EXACT, copies.ONE, copies.TWO
CLOSER, COLUMNS = copies.CLOSER, copies.COLUMNS
EVERY = (EXACT, ONE, TWO, CLOSER, COLUMNS)


def by_hand() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """100 records of three columns: 30 are a seed, 10 a held-out record, 20 are one column off a
    seed, and 40 differ from everybody in all columns."""
    seeds = np.tile([[1, 1, 1]], (60, 1))
    held_out = np.tile([[2, 2, 2]], (60, 1))
    table = np.concatenate(
        [
            np.tile([[1, 1, 1]], (30, 1)),
            np.tile([[2, 2, 2]], (10, 1)),
            np.tile([[1, 1, 0]], (20, 1)),
            np.tile([[3, 3, 3]], (40, 1)),
        ]
    )
    return table.astype(np.uint16), seeds.astype(np.uint16), held_out.astype(np.uint16)


@pytest.mark.parametrize(
    ("measure", "value", "seeds", "control"),
    [
        (EXACT, 0.20, 0.30, 0.10),
        (ONE, 0.40, 0.50, 0.10),
        (TWO, 0.40, 0.50, 0.10),
        (CLOSER, 0.70, 0.50, 0.10),
        # Of 30, 10, 20 and 40 records: 0, 3, 1, 3 columns from seeds; 3, 0, 3, 3 from others.
        (COLUMNS, 2.70 - 1.70, 1.70, 2.70),
    ],
)
def test_by_hand(measure: copies.Matches, value: float, seeds: float, control: float) -> None:
    found = measure.measure(study_of(*by_hand()))[RELEASED]
    assert found.value == pytest.approx(value)
    assert [(part.of, part.value) for part in found.parts] == [
        ((SEEDS,), pytest.approx(seeds)),
        ((CONTROL,), pytest.approx(control)),
    ]
    assert found.interval is not None
    assert found.interval.low < value < found.interval.high


def slow(table: np.ndarray, real: np.ndarray) -> np.ndarray:
    return np.array([min(int((row != other).sum()) for other in real) for row in table])


def test_as_counted_one_record_at_a_time() -> None:
    seeds, held_out = people(90, 1), people(90, 2)
    table = leaking(seeds, 120, 0.4, 1, 3)
    study = study_of(table, seeds, held_out)
    near, far = slow(table, seeds), slow(table, held_out)
    expected = {
        EXACT.about.key: (near == 0).mean() - (far == 0).mean(),
        ONE.about.key: (near <= 1).mean() - (far <= 1).mean(),
        TWO.about.key: (near <= 2).mean() - (far <= 2).mean(),
        CLOSER.about.key: (near < far).mean() + (near == far).mean() / 2,
        COLUMNS.about.key: (far - near).mean(),
    }
    for measure in EVERY:
        found = measure.measure(study)[RELEASED]
        assert found.value == pytest.approx(expected[measure.about.key])


@pytest.mark.parametrize("measure", EVERY, ids=lambda each: each.about.key)
def test_of_a_table_that_owes_seeds_nothing_the_interval_holds_what_is_ideal(
    measure: copies.Matches,
) -> None:
    """Other people could have been the seeds: the interval has to know of that too."""
    missed = 0
    for key in range(40):
        study = study_of(people(300, 3 * key), people(300, 3 * key + 1), people(300, 3 * key + 2))
        found = measure.measure(study)[RELEASED]
        assert found.interval is not None
        ideal = measure.about.ideal
        missed += not found.interval.low <= ideal <= found.interval.high
    assert missed <= 5


@pytest.mark.parametrize("measure", [EXACT, ONE, CLOSER], ids=lambda each: each.about.key)
def test_which_people_are_seeds_is_part_of_what_is_open(measure: copies.Matches) -> None:
    """A large table, and few people: hardly anything is left open but who they are."""
    missed = 0
    for key in range(30):
        made = (people(size, 3 * key + place, 5, 4) for place, size in enumerate((3000, 60, 60)))
        found = measure.measure(study_of(*made))[RELEASED]
        assert found.interval is not None
        ideal = measure.about.ideal
        missed += not found.interval.low <= ideal <= found.interval.high
    assert missed <= 4


@pytest.mark.parametrize("measure", EVERY, ids=lambda each: each.about.key)
def test_a_leak_shows_and_more_of_it_shows_more(measure: copies.Matches) -> None:
    seeds, held_out = people(400, 51), people(400, 52)
    redrawn = {EXACT: 0, TWO: 2}.get(measure, 1)
    study = study_of(
        leaking(seeds, 400, 0.3, redrawn, 53),
        seeds,
        held_out,
        {"worse": leaking(seeds, 400, 0.8, redrawn, 54)},
    )
    found = measure.measure(study)
    interval, ideal = found[RELEASED].interval, measure.about.ideal
    assert interval is not None
    assert ideal < interval.low < found[RELEASED].value < found["worse"].value
    assert list(found) == [RELEASED, "worse"]


def test_without_a_single_match_the_interval_still_has_a_width() -> None:
    table, seeds, held_out = (np.full((100, 3), value, dtype=np.uint16) for value in (1, 2, 3))
    found = EXACT.measure(study_of(table, seeds, held_out))[RELEASED]
    assert found.value == 0
    assert found.interval is not None
    assert found.interval.low < -0.02 < 0.02 < found.interval.high


@pytest.mark.parametrize("measure", EVERY, ids=lambda each: each.about.key)
def test_what_a_measure_says_of_itself(measure: copies.Matches) -> None:
    about = measure.about
    assert about.group == "disclosure"
    assert about.low < about.ideal < about.high
    assert about.sentence.endswith(".")


def test_keys_are_their_own() -> None:
    assert len({each.about.key for each in EVERY}) == len(EVERY)
